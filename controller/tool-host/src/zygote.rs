//! The zygote: tests the sandbox, warms up an interpreter, and forks a guest for each request.
//!
//! With namespaces there are two processes. The one that the supervisor started creates them and waits. Its child, the first
//! process of the new namespace, is the zygote. When the zygote dies, the kernel ends all guests. Each process dies with its
//! parent.
//!
//! While one guest works, the zygote forks the next one, which applies its sandbox in advance.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::ExitCode;

use minismith_protocol::Limits;
use minismith_protocol::shared_frames::WINDOW_BYTES;
use minismith_protocol::zygote::{Ending, Hello, Mechanism, Profile, Reply, Request};
use pyo3::prelude::*;
use rustix::process::Signal;
use seccompiler::BpfProgram;

use crate::arguments::Arguments;
use crate::control::Control;
use crate::prefork::PreforkedGuest;
use crate::process::{self, Fork};
use crate::sandbox::self_test::TestSetup;
use crate::sandbox::{Sandbox, be_undumpable, filter, limits, namespaces, probe};
use crate::shared_frames::SharedFrames;
use crate::{budget, interpreter, warmup};

/// Runs the host until its end.
pub fn run(arguments: &Arguments, control: Control) -> ExitCode {
    let lived = live(arguments, &control);
    lived.unwrap_or_else(|(reason, mechanisms)| {
        // If the supervisor is gone, the message is not needed.
        let _ = control.send(&Hello::Unfit { reason, mechanisms }, &[]);
        ExitCode::FAILURE
    })
}

type Unfit = (String, Vec<Mechanism>);

fn hello_unfit(reason: String) -> Unfit {
    (reason, Vec::new())
}

fn live(arguments: &Arguments, control: &Control) -> Result<ExitCode, Unfit> {
    die_with_parent();
    let address_space =
        limits::AddressSpace::open().map_err(|error| hello_unfit(format!("cannot read /proc: {error}")))?;
    let program = filter::compile()
        .map_err(|error| hello_unfit(format!("cannot compile the system call filter: {error}")))?;
    let environment = probe::environment_is_known(Path::new("/proc/self/environ"));
    let base = address_space.now().map_err(|error| hello_unfit(error.to_string()))?;
    let mut mechanisms = probe::early(arguments.at_most, &TestSetup { base, program: &program });
    match enter_namespaces(&mut mechanisms) {
        Entered::Waiting(code) => Ok(code),
        Entered::Inside => {
            // In a namespace, the statistics of this process differ from those of the waiting one.
            let address_space = limits::AddressSpace::open()
                .map_err(|error| hello_unfit(format!("cannot read /proc: {error}")))?;
            // Scripts of the code profile have no robot, and so no images.
            let windows = arguments.profile.has_robot().then(SharedFrames::open).transpose();
            let windows = windows.map_err(|error| hello_unfit(format!("cannot open /proc: {error}")))?;
            serve(
                arguments,
                control,
                Host { address_space, frames: windows, program, environment, mechanisms },
            )?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Role of this process.
enum Entered {
    /// The waiting process, after the zygote's end.
    Waiting(ExitCode),
    /// The zygote.
    Inside,
}

/// Enters new namespaces, if their test passed.
fn enter_namespaces(mechanisms: &mut [Mechanism]) -> Entered {
    let Some(namespaces) = mechanisms.iter_mut().find(|it| it.name == "namespaces" && it.enforced) else {
        return Entered::Inside;
    };
    match namespaces::leave().and_then(|()| process::fork()) {
        Ok(Fork::Child) => {
            die_with_parent();
            Entered::Inside
        }
        Ok(Fork::Parent(pid)) => {
            let clean = process::wait(pid.as_raw_nonzero().get()).is_ok_and(|ended| ended.status == 0);
            Entered::Waiting(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Err(error) => {
            namespaces.enforced = false;
            namespaces.detail = format!("cannot enter new namespaces: {error}");
            Entered::Inside
        }
    }
}

/// Dies with the parent. If the parent dies before this call, its control socket closes, which also ends the zygote.
fn die_with_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
}

/// State before Python starts.
struct Host {
    address_space: limits::AddressSpace,
    frames: Option<SharedFrames>,
    program: BpfProgram,
    environment: Result<(), String>,
    mechanisms: Vec<Mechanism>,
}

fn serve(arguments: &Arguments, control: &Control, host: Host) -> Result<(), Unfit> {
    let Host { address_space, frames: windows, program, environment, mechanisms } = host;
    let python = arguments.python.display();
    let install = if arguments.profile == Profile::Motion { "minismith setup" } else { "make code" };
    interpreter::start(&arguments.python)
        .map_err(|reason| hello_unfit(format!("cannot start {python}: {reason}; run `{install}`")))?;
    Python::attach(|py| {
        let versions = warmup::warm_up(py, &arguments.python, arguments.profile).map_err(|error| {
            hello_unfit(format!("cannot run tools with {python}: {error}; run `{install}`"))
        })?;
        budget::watch(py)
            .map_err(|error| hello_unfit(format!("cannot install the audit hook in {python}: {error}")))?;
        check_one_thread().map_err(hello_unfit)?;
        let environment = environment.and_then(|()| clear_environment(py).map_err(|error| error.to_string()));
        let root = if probe::holds(&mechanisms, "namespaces") {
            namespaces::empty_root().map_err(|error| format!("cannot replace the root: {error}"))
        } else {
            Err("it requires namespaces".to_owned())
        };
        let base = address_space.now().map_err(|error| hello_unfit(error.to_string()))?;
        let mechanisms = probe::late(mechanisms, environment, root, &TestSetup { base, program: &program });
        let level = match probe::level(&mechanisms, arguments.at_most) {
            Ok(level) => level,
            Err(reason) => return Err((reason, mechanisms)),
        };
        // Guests must not access the process that they are forked from. This must come late, because the /proc entries of such
        // a process belong to root and creating namespaces needs them.
        be_undumpable().map_err(|open| hello_unfit(open.to_string()))?;
        let landlock = probe::holds(&mechanisms, "landlock");
        let sandbox = Sandbox { parent: rustix::process::getpid(), landlock, program };
        let warmup::Versions { python, numpy } = versions;
        let hello = Hello::Ready { python, numpy, level, mechanisms };
        answer_requests(py, control, (&sandbox, &address_space, windows.as_ref()), &hello)
            .map_err(|error| hello_unfit(error.to_string()))
    })
}

/// Clears Python's copy of the environment and that of the C library.
fn clear_environment(py: Python<'_>) -> PyResult<()> {
    py.import("os")?.getattr("environ")?.call_method0("clear")?;
    Ok(process::clear_environment()?)
}

/// Checks that there is one thread. A fork copies only the calling thread, and the locks of others in any state.
fn check_one_thread() -> Result<(), String> {
    match std::fs::read_dir("/proc/self/task").map(Iterator::count) {
        Ok(1) => Ok(()),
        Ok(threads) => Err(format!(
            "forking is not safe: {threads} threads run after the imports; a package starts its own threads"
        )),
        Err(error) => Err(format!("cannot read /proc/self/task: {error}")),
    }
}

/// Serves requests until the supervisor exits.
fn answer_requests(
    py: Python<'_>,
    control: &Control,
    (sandbox, address_space, windows): (&Sandbox, &limits::AddressSpace, Option<&SharedFrames>),
    hello: &Hello,
) -> std::io::Result<()> {
    let fork = |limits: Limits| -> Result<PreforkedGuest, String> {
        let held = address_space.now().map_err(|error| error.to_string())?;
        // Shared memory does not count towards the memory budget of a tool.
        let window = windows.map_or(0, |_| WINDOW_BYTES as u64);
        PreforkedGuest::fork(py, limits, windows, || sandbox.enter(&limits, held.saturating_add(window)))
    };
    control.send(hello, &[])?;
    let (mut spare, mut last, mut dying) = (None::<PreforkedGuest>, None, Vec::new());
    while let Some(request) = control.receive()? {
        match request {
            Request::Fork { limits } => {
                let fresh = match spare.take() {
                    Some(spare) if spare.fits(&limits) => Ok(spare),
                    other => {
                        dying.extend(other.map(PreforkedGuest::discard));
                        fork(limits)
                    }
                };
                match fresh.and_then(PreforkedGuest::enter_sandbox) {
                    Ok(PreforkedGuest { pid, pidfd, channel, frames: window, .. }) => {
                        let reply = Reply::Forked { pid: pid.as_raw_nonzero().get() };
                        let descriptors: Vec<BorrowedFd<'_>> =
                            [Some(&pidfd), Some(&channel), window.as_ref()]
                                .into_iter()
                                .flatten()
                                .map(AsFd::as_fd)
                                .collect();
                        control.send(&reply, &descriptors)?;
                    }
                    Err(reason) => control.send(&Reply::Failed { reason }, &[])?,
                }
                // After two requests with the same limits, a third is likely. A failure here is reported with that request.
                if last.replace(limits) == Some(limits) {
                    spare = fork(limits).ok();
                }
            }
            Request::Reap { pid } => control.send(&reap(pid), &[])?,
            Request::Forget { pid } => dying.push(pid),
        }
        dying.retain(|pid| matches!(process::has_ended(*pid), Ok(false)));
    }
    Ok(())
}

fn reap(pid: i32) -> Reply {
    match process::wait(pid) {
        Ok(ended) => Reply::Reaped {
            ending: if libc::WIFSIGNALED(ended.status) {
                Ending::Signal { number: libc::WTERMSIG(ended.status) }
            } else {
                Ending::Exit { code: libc::WEXITSTATUS(ended.status) }
            },
            cpu_seconds: ended.cpu_seconds,
            peak_bytes: ended.peak_bytes,
        },
        Err(error) => Reply::Failed { reason: format!("process {pid}: {error}") },
    }
}

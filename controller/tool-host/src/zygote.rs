//! The zygote: probes the cage, warms an interpreter up, and forks a guest for each request.
//!
//! With namespaces there are two processes. The one that the supervisor started makes them and waits; its child, the
//! first process of the new namespace, is the zygote, and when it dies the kernel ends every guest with it. Each dies
//! with its parent.
//!
//! While one guest works, the next one is forked and closes its cage: whoever asks for it need not wait for that.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::ExitCode;

use minismith_wire::Limits;
use minismith_wire::window::WINDOW_BYTES;
use minismith_wire::zygote::{Ending, Hello, Mechanism, Profile, Reply, Request};
use pyo3::prelude::*;
use rustix::process::Signal;
use seccompiler::BpfProgram;

use crate::arguments::Arguments;
use crate::cage::trial::Ground;
use crate::cage::{Cage, be_undumpable, filter, limits, namespaces, probe};
use crate::control::Control;
use crate::fresh::Fresh;
use crate::process::{self, Fork};
use crate::window::Windows;
use crate::{budget, interpreter, practice};

/// The host's whole life.
pub fn run(arguments: &Arguments, control: Control) -> ExitCode {
    let lived = live(arguments, &control);
    lived.unwrap_or_else(|(reason, mechanisms)| {
        // If nobody hears it any more, nobody needs to.
        let _ = control.send(&Hello::Unfit { reason, mechanisms }, &[]);
        ExitCode::FAILURE
    })
}

type Unfit = (String, Vec<Mechanism>);

fn unfit(reason: String) -> Unfit {
    (reason, Vec::new())
}

fn live(arguments: &Arguments, control: &Control) -> Result<ExitCode, Unfit> {
    die_with_parent();
    let address_space =
        limits::AddressSpace::open().map_err(|error| unfit(format!("/proc is not there: {error}")))?;
    let program = filter::compile().map_err(|error| unfit(format!("the system call filter: {error}")))?;
    let environment = probe::environment_is_known(Path::new("/proc/self/environ"));
    let base = address_space.now().map_err(|error| unfit(error.to_string()))?;
    let mut mechanisms = probe::early(arguments.at_most, &Ground { base, program: &program });
    match enter_namespaces(&mut mechanisms) {
        Entered::Waiting(code) => Ok(code),
        Entered::Inside => {
            // Where there are namespaces, the accounting of this process is another one's than the waiting one's.
            let address_space = limits::AddressSpace::open()
                .map_err(|error| unfit(format!("/proc is not there: {error}")))?;
            // Scripts of the code profile have no robot, and so no pictures.
            let windows = (arguments.profile == Profile::Motion).then(Windows::open).transpose();
            let windows = windows.map_err(|error| unfit(format!("/proc is not there: {error}")))?;
            serve(arguments, control, Host { address_space, windows, program, environment, mechanisms })?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Where this process finds itself.
enum Entered {
    /// In the process that only waited for the zygote, after its end.
    Waiting(ExitCode),
    /// In the zygote.
    Inside,
}

/// Leaves the common namespaces, if that has been tried with success.
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
            namespaces.detail = format!("leaving all of the common ones: {error}");
            Entered::Inside
        }
    }
}

/// A parent that dies before this line leaves a closed control socket behind, and that ends the zygote too.
fn die_with_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
}

/// What is known before Python starts.
struct Host {
    address_space: limits::AddressSpace,
    windows: Option<Windows>,
    program: BpfProgram,
    environment: Result<(), String>,
    mechanisms: Vec<Mechanism>,
}

fn serve(arguments: &Arguments, control: &Control, host: Host) -> Result<(), Unfit> {
    let Host { address_space, windows, program, environment, mechanisms } = host;
    let python = arguments.python.display();
    interpreter::start(&arguments.python)
        .map_err(|reason| unfit(format!("{python} does not start: {reason}; run `make setup`")))?;
    Python::attach(|py| {
        let versions = practice::warm_up(py, &arguments.python, arguments.profile)
            .map_err(|error| unfit(format!("{python} can't run tools: {error}; run `make setup`")))?;
        budget::watch(py).map_err(|error| unfit(format!("{python} can't be watched: {error}")))?;
        one_thread().map_err(unfit)?;
        let environment =
            environment.and_then(|()| forget_environment(py).map_err(|error| error.to_string()));
        let root = if probe::holds(&mechanisms, "namespaces") {
            namespaces::empty_root().map_err(|error| format!("exchanging the root: {error}"))
        } else {
            Err("it needs namespaces".to_owned())
        };
        let base = address_space.now().map_err(|error| unfit(error.to_string()))?;
        let mechanisms = probe::late(mechanisms, environment, root, &Ground { base, program: &program });
        let level = match probe::level(&mechanisms, arguments.at_most) {
            Ok(level) => level,
            Err(reason) => return Err((reason, mechanisms)),
        };
        // Nor may one guest look into what all of them are forked from. Not earlier: what belongs to such a process
        // in /proc belongs to root, and namespaces are made there.
        be_undumpable().map_err(|open| unfit(open.to_string()))?;
        let landlock = probe::holds(&mechanisms, "landlock");
        let cage = Cage { parent: rustix::process::getpid(), landlock, program };
        let practice::Versions { python, numpy } = versions;
        let hello = Hello::Ready { python, numpy, level, mechanisms };
        answer_requests(py, control, (&cage, &address_space, windows.as_ref()), &hello)
            .map_err(|error| unfit(error.to_string()))
    })
}

/// Both of it: what Python has copied, and what the system's library keeps.
fn forget_environment(py: Python<'_>) -> PyResult<()> {
    py.import("os")?.getattr("environ")?.call_method0("clear")?;
    Ok(process::clear_environment()?)
}

/// A fork copies one thread only; with a second one it would copy its locks in whatever state they are.
fn one_thread() -> Result<(), String> {
    match std::fs::read_dir("/proc/self/task").map(Iterator::count) {
        Ok(1) => Ok(()),
        Ok(threads) => Err(format!(
            "{threads} threads run after the imports, so forking is not safe; a package starts threads of its own"
        )),
        Err(error) => Err(format!("/proc/self/task can't be read: {error}")),
    }
}

/// Until the supervisor goes.
fn answer_requests(
    py: Python<'_>,
    control: &Control,
    (cage, address_space, windows): (&Cage, &limits::AddressSpace, Option<&Windows>),
    hello: &Hello,
) -> std::io::Result<()> {
    let fork = |limits: Limits| -> Result<Fresh, String> {
        let held = address_space.now().map_err(|error| error.to_string())?;
        // The window is none of the memory that a tool may use.
        let window = windows.map_or(0, |_| WINDOW_BYTES as u64);
        Fresh::fork(py, limits, windows, || cage.close(&limits, held.saturating_add(window)))
    };
    control.send(hello, &[])?;
    let (mut spare, mut last, mut dying) = (None::<Fresh>, None, Vec::new());
    while let Some(request) = control.receive()? {
        match request {
            Request::Fork { limits } => {
                let fresh = match spare.take() {
                    Some(spare) if spare.fits(&limits) => Ok(spare),
                    other => {
                        dying.extend(other.map(Fresh::discard));
                        fork(limits)
                    }
                };
                match fresh.and_then(Fresh::caged) {
                    Ok(Fresh { pid, pidfd, channel, window, .. }) => {
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
                // Where two were alike the next one will be. If it can't be had now, whoever asks for it is told.
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

//! The zygote: warms an interpreter up, probes the cage, and forks a guest for each request.
//!
//! With namespaces there are two processes. The one that the supervisor started makes them and waits; its child, the
//! first process of the new namespace, is the zygote, and when it dies the kernel ends every guest with it. Each dies
//! with its parent.

use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;

use minismith_wire::zygote::{Ending, Hello, Level, Mechanism, Reply, Request};
use pyo3::prelude::*;
use rustix::process::{PidfdFlags, Signal};

use crate::arguments::Arguments;
use crate::cage::{Cage, Open, filter, limits, namespaces, probe};
use crate::control::Control;
use crate::process::{self, Fork};
use crate::{guest, interpreter, library};

/// The host's whole life.
pub fn run(arguments: &Arguments, control: Control) -> ExitCode {
    die_with_parent();
    match enter_namespaces(arguments.at_most) {
        Entered::Waiting(code) => code,
        Entered::Inside(namespaces) => match serve(arguments, &control, namespaces) {
            Ok(()) => ExitCode::SUCCESS,
            Err((reason, mechanisms)) => {
                // If nobody hears it any more, nobody needs to.
                let _ = control.send(&Hello::Unfit { reason, mechanisms }, None);
                ExitCode::FAILURE
            }
        },
    }
}

/// Where this process finds itself.
enum Entered {
    /// In the process that only waited for the zygote, after its end.
    Waiting(ExitCode),
    /// In the zygote; the error says why it has no namespaces of its own.
    Inside(Result<(), String>),
}

fn enter_namespaces(at_most: Level) -> Entered {
    if at_most != Level::Namespaces {
        return Entered::Inside(Err("not asked for".into()));
    }
    // Tried in a child first: half of it can't be taken back.
    let leave = || namespaces::leave().map_err(|error| format!("leaving the common namespaces: {error}"));
    if let Err(reason) = probe::in_child(|| leave().map(|()| String::new())) {
        return Entered::Inside(Err(reason));
    }
    match leave().and_then(|()| process::fork().map_err(|error| error.to_string())) {
        Ok(Fork::Child) => {
            die_with_parent();
            Entered::Inside(Ok(()))
        }
        Ok(Fork::Parent(pid)) => {
            let clean = process::wait(pid.as_raw_nonzero().get()).is_ok_and(|ended| ended.status == 0);
            Entered::Waiting(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Err(reason) => Entered::Inside(Err(reason)),
    }
}

/// A parent that dies before this line leaves a closed control socket behind, and that ends the zygote too.
fn die_with_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
}

type Unfit = (String, Vec<Mechanism>);

fn serve(arguments: &Arguments, control: &Control, own_namespaces: Result<(), String>) -> Result<(), Unfit> {
    let unfit = |reason: String| (reason, Vec::new());
    let address_space =
        limits::AddressSpace::open().map_err(|error| unfit(format!("/proc is not there: {error}")))?;
    let python = arguments.python.display();
    interpreter::start(&arguments.python)
        .map_err(|reason| unfit(format!("{python} does not start: {reason}; run `make setup`")))?;
    Python::attach(|py| {
        let versions = library::warm_up(py, &arguments.python)
            .map_err(|error| unfit(format!("{python} can't run tools: {error}; run `make setup`")))?;
        one_thread().map_err(unfit)?;
        let program = filter::compile().map_err(|error| unfit(format!("the system call filter: {error}")))?;
        let own_namespaces = own_namespaces
            .and_then(|()| namespaces::empty_root().map_err(|error| format!("exchanging the root: {error}")));
        let mechanisms = probe::all(own_namespaces, &address_space, &program);
        let level = match probe::level(&mechanisms, arguments.at_most) {
            Ok(level) => level,
            Err(reason) => return Err((reason, mechanisms)),
        };
        let landlock =
            mechanisms.iter().any(|it| it.name == "landlock" && it.enforced) && level != Level::NoOpen;
        let cage = Cage { parent: rustix::process::getpid(), landlock, program };
        let library::Versions { python, numpy } = versions;
        let hello = Hello::Ready { python, numpy, level, mechanisms };
        answer_requests(py, control, (&cage, &address_space), &hello)
            .map_err(|error| unfit(error.to_string()))
    })
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
    (cage, address_space): (&Cage, &limits::AddressSpace),
    hello: &Hello,
) -> std::io::Result<()> {
    control.send(hello, None)?;
    while let Some((request, descriptor)) = control.receive()? {
        let (reply, attached) = match (request, descriptor) {
            (Request::Fork { limits }, Some(channel)) => {
                let base = address_space.now()?;
                match fork_guest(py, || cage.close(&limits, base), channel) {
                    Ok((pid, pidfd)) => (Reply::Forked { pid }, Some(pidfd)),
                    Err(reason) => (Reply::Failed { reason }, None),
                }
            }
            (Request::Fork { .. }, None) => (Reply::Failed { reason: "no channel came along".into() }, None),
            (Request::Reap { pid }, _) => (reap(pid), None),
        };
        control.send(&reply, attached.as_ref().map(AsFd::as_fd))?;
    }
    Ok(())
}

fn fork_guest(
    py: Python<'_>,
    close_cage: impl FnOnce() -> Result<(), Open>,
    channel: OwnedFd,
) -> Result<(i32, OwnedFd), String> {
    let failed = |error: std::io::Error| error.to_string();
    let (mut said, report) = std::io::pipe().map_err(failed)?;
    match process::fork_python(py).map_err(failed)? {
        Fork::Child => guest::live(py, close_cage, &channel, &report),
        Fork::Parent(pid) => {
            drop((channel, report));
            let number = pid.as_raw_nonzero().get();
            let mut text = String::new();
            let read = said.read_to_string(&mut text);
            let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty());
            match (read, text.as_str(), pidfd) {
                (Ok(_), guest::CAGED, Ok(pidfd)) => Ok((number, pidfd)),
                (read, reason, pidfd) => {
                    let _ = rustix::process::kill_process(pid, Signal::KILL);
                    process::wait(number).map_err(failed)?;
                    Err(format!(
                        "the guest's cage did not close: {reason} {:?} {:?}",
                        read.err(),
                        pidfd.err()
                    ))
                }
            }
        }
    }
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

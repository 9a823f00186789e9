//! A trial: something that one mechanism forbids, tried in a throw-away child behind that mechanism alone.
//!
//! The tool host runs every trial when it starts, and gives guests only what held. Tests run each once more without
//! its mechanism, and then it must pass: so each shows what that mechanism alone is good for.

use std::io::{self, Read, Write};

use rustix::process::{Resource, Signal};
use rustix::thread::UnshareFlags;
use seccompiler::BpfProgram;

use super::{Open, attempts, be_undumpable, become_nobody, die_with, limits, namespaces, ruleset};
use crate::process::{self, Fork};

/// What closing takes.
pub struct Ground<'a> {
    /// Bytes of address space that this process holds.
    pub base: u64,
    /// The system call filter.
    pub program: &'a BpfProgram,
}

/// Closes one mechanism around the calling process.
type Close = fn(&Ground<'_>) -> Result<(), Open>;

/// One attempt and the mechanism that must stop it.
pub struct Trial {
    /// One of [`minismith_wire::zygote::MECHANISMS`].
    pub mechanism: &'static str,
    /// What is tried.
    pub what: &'static str,
    close: Close,
    attempt: attempts::Attempt,
    /// The errors by which it is stopped.
    errors: &'static [i32],
    /// The signals by which it is stopped.
    signals: &'static [Signal],
}

/// What a trial showed.
#[derive(Debug, PartialEq, Eq)]
pub enum Shown {
    /// It was stopped, so.
    Stopped(String),
    /// It got through.
    Passed,
    /// The mechanism can't be closed here.
    Missing(String),
    /// It failed in a way that shows nothing.
    Unclear(String),
}

const DENIED: &[i32] = &[libc::EPERM];
const NO_ACCESS: &[i32] = &[libc::EACCES];
/// What the kernel does not count of its root.
pub const PROCESSES: &str = "starting a process";

/// Where there are no 32-bit calls at all, the processor itself refuses.
const BAD_CALL: &[Signal] = &[Signal::SYS, Signal::SEGV];

/// A trial that is stopped by an error.
const fn by_error(
    mechanism: &'static str,
    what: &'static str,
    close: Close,
    attempt: attempts::Attempt,
    errors: &'static [i32],
) -> Trial {
    Trial { mechanism, what, close, attempt, errors, signals: &[] }
}

/// A trial that is stopped by a signal.
const fn by_signal(
    mechanism: &'static str,
    what: &'static str,
    close: Close,
    attempt: attempts::Attempt,
    signals: &'static [Signal],
) -> Trial {
    Trial { mechanism, what, close, attempt, errors: &[], signals }
}

/// Every trial that is made when the tool host starts, before it has namespaces or Python.
pub const TRIALS: &[Trial] = &[
    by_error(
        "namespaces",
        "connecting to this machine",
        |_| apart(UnshareFlags::NEWNET),
        attempts::connect,
        &[libc::ENETUNREACH],
    ),
    by_error(
        "namespaces",
        "signalling a process outside",
        |_| apart(UnshareFlags::NEWPID),
        attempts::signal_outside,
        &[libc::EINVAL],
    ),
    by_error(
        "namespaces",
        "finding a message queue",
        |_| apart(UnshareFlags::NEWIPC),
        attempts::find_queue,
        &[libc::EINVAL],
    ),
    by_error(
        "namespaces",
        "reading the machine's name",
        |_| apart(UnshareFlags::NEWUTS),
        attempts::read_name,
        &[],
    ),
    by_error(
        "descriptors",
        "using a descriptor from before",
        |_| close_others(),
        attempts::use_descriptor,
        &[libc::EBADF],
    ),
    by_error("stdio", "writing to standard output", |_| hush(), attempts::write_to_output, &[]),
    by_error(
        "no_new_privs",
        "taking it back",
        |_| super::no_new_privileges(),
        attempts::allow_new_privileges,
        &[libc::EINVAL],
    ),
    by_error(
        "user",
        "becoming another user",
        |_| become_nobody(),
        attempts::become_another,
        &[libc::EPERM, libc::EINVAL],
    ),
    by_error("user", "changing the root", |_| become_nobody(), attempts::change_root, DENIED),
    by_error(
        "dumpable",
        "taking a descriptor of a process of the same user",
        |_| be_undumpable(),
        attempts::look_into,
        DENIED,
    ),
    by_error("parent_death_signal", "outliving the parent", |_| die_with_parent(), attempts::outlive, &[]),
    by_error("rlimits", "taking memory", |ground| row(Resource::As, ground), attempts::take_memory, &[]),
    by_error(
        "rlimits",
        "writing a file",
        |ground| row(Resource::Fsize, ground),
        attempts::write_file,
        &[libc::EFBIG],
    ),
    by_error(
        "rlimits",
        "opening many files",
        |ground| row(Resource::Nofile, ground),
        attempts::open_many,
        &[libc::EMFILE],
    ),
    by_error(
        "rlimits",
        PROCESSES,
        |ground| row(Resource::Nproc, ground),
        attempts::fork_as_nobody,
        &[libc::EAGAIN],
    ),
    by_error("landlock", "opening a file", |_| restrict(), attempts::open, NO_ACCESS),
    by_error("landlock", "connecting over TCP", |_| restrict(), attempts::connect, NO_ACCESS),
    by_error("landlock", "taking a TCP port", |_| restrict(), attempts::bind, NO_ACCESS),
    by_error(
        "landlock",
        "connecting to an abstract socket",
        |_| restrict(),
        attempts::connect_abstract,
        DENIED,
    ),
    by_error("landlock", "signalling a process outside", |_| restrict(), attempts::signal_parent, DENIED),
    by_error("seccomp", "opening a file", filter, attempts::open, DENIED),
    by_error("seccomp", "making a socket", filter, attempts::socket, DENIED),
    by_error("seccomp", "forking", filter, attempts::fork, DENIED),
    by_error("seccomp", "clone3", filter, attempts::clone, DENIED),
    by_error("seccomp", "executing a program", filter, attempts::execute, DENIED),
    by_error("seccomp", "signalling", filter, attempts::signal_self, DENIED),
    by_error("seccomp", "tracing", filter, attempts::trace, DENIED),
    by_error("seccomp", "prctl", filter, attempts::outlive_by_asking, DENIED),
    by_error("seccomp", "mapping executable memory", filter, attempts::map_executable, DENIED),
    by_error("seccomp", "making memory executable", filter, attempts::make_executable, DENIED),
    #[cfg(target_arch = "x86_64")]
    by_error("seccomp", "a call with an x32 number", filter, attempts::call_as_x32, DENIED),
    #[cfg(target_arch = "x86_64")]
    by_signal("seccomp", "a call of another architecture", filter, attempts::call_as_32_bit, BAD_CALL),
];

/// What can be tried only when everything is in memory: the zygote has these closed already.
pub const LATE: &[Trial] = &[
    by_error("pivot_root", "listing the root", |_| empty_root(), attempts::list_root, &[]),
    by_error(
        "pivot_root",
        "writing a file",
        |_| empty_root(),
        attempts::write_anywhere,
        &[libc::EROFS, libc::EACCES],
    ),
    by_error("environment", "reading the environment", |_| clear(), attempts::read_environment, &[]),
];

/// What takes too long for every start: a second of processor time. The system tests see real guests end by it.
#[cfg(test)]
pub const SLOW: &[Trial] = &[by_signal(
    "rlimits",
    "computing for more than a second",
    |ground| row(Resource::Cpu, ground),
    attempts::compute,
    &[Signal::XCPU],
)];

fn apart(flags: UnshareFlags) -> Result<(), Open> {
    namespaces::leave_some(flags).map_err(Open::of("namespaces"))
}

fn empty_root() -> Result<(), Open> {
    apart(UnshareFlags::NEWNS)?;
    namespaces::empty_root().map_err(Open::of("pivot_root"))
}

fn clear() -> Result<(), Open> {
    process::clear_environment().map_err(Open::of("environment"))
}

fn close_others() -> Result<(), Open> {
    process::close_others().map_err(Open::of("descriptors"))
}

fn hush() -> Result<(), Open> {
    process::hush().map_err(Open::of("stdio"))
}

fn die_with_parent() -> Result<(), Open> {
    match rustix::process::getppid() {
        Some(parent) => die_with(parent),
        None => Err(Open::of("parent_death_signal")("no parent")),
    }
}

fn row(resource: Resource, ground: &Ground<'_>) -> Result<(), Open> {
    let little = minismith_wire::Limits {
        cpu_seconds: 1,
        memory_bytes: attempts::LITTLE as u64,
        ..minismith_wire::Limits::USUAL
    };
    limits::set_only(resource, &little, ground.base).map_err(Open::of("rlimits"))
}

/// Nobody but root may ask for this without the first line.
fn restrict() -> Result<(), Open> {
    super::no_new_privileges()?;
    ruleset::restrict()
}

/// As above.
fn filter(ground: &Ground<'_>) -> Result<(), Open> {
    super::no_new_privileges()?;
    seccompiler::apply_filter(ground.program).map_err(Open::of("seccomp"))
}

impl Trial {
    /// Runs it in a child of its own, behind its mechanism or not.
    pub fn run(&self, ground: &Ground<'_>, behind: bool) -> Shown {
        let failed = |error: io::Error| Shown::Unclear(format!("the trial could not be made: {error}"));
        let (mut said, report) = match io::pipe() {
            Ok(ends) => ends,
            Err(error) => return failed(error),
        };
        match process::fork() {
            Err(error) => failed(error),
            Ok(Fork::Child) => {
                // Where the report lies it is not closed with the others.
                let told = process::keep(&report, &report).and_then(|()| {
                    let (sign, text) = self.attempt(ground, behind);
                    write!(process::report(), "{sign}{text}")
                });
                process::leave(i32::from(told.is_err()))
            }
            Ok(Fork::Parent(pid)) => {
                drop(report);
                let mut text = String::new();
                let read = said.read_to_string(&mut text);
                let ended = process::wait(pid.as_raw_nonzero().get());
                match (read, ended) {
                    (Err(error), _) | (_, Err(error)) => failed(error),
                    (Ok(_), Ok(ended)) => self.read(&text, ended.status),
                }
            }
        }
    }

    /// In the child.
    fn attempt(&self, ground: &Ground<'_>, behind: bool) -> (char, String) {
        let close = || if behind { (self.close)(ground) } else { Ok(()) };
        match (self.attempt)(&close) {
            Ok(()) => ('+', String::new()),
            Err(attempts::Failure::Open(open)) => ('?', open.to_string()),
            Err(attempts::Failure::Held(how)) => ('-', how),
            Err(attempts::Failure::Failed(error)) => {
                let stopped = error.raw_os_error().is_some_and(|number| self.errors.contains(&number));
                (if stopped { '-' } else { '!' }, error.to_string())
            }
        }
    }

    fn read(&self, text: &str, status: i32) -> Shown {
        let about = |how: &str| format!("{}: {how}", self.what);
        match text.split_at_checked(1) {
            Some(("+", _)) => Shown::Passed,
            Some(("-", how)) => Shown::Stopped(about(how)),
            Some(("?", why)) => Shown::Missing(why.to_owned()),
            Some((_, why)) => Shown::Unclear(about(why)),
            None => {
                let signal = Signal::from_named_raw(libc::WTERMSIG(status));
                let ended = about(&format!("ended by signal {}", libc::WTERMSIG(status)));
                if libc::WIFSIGNALED(status) && signal.is_some_and(|signal| self.signals.contains(&signal)) {
                    Shown::Stopped(ended)
                } else {
                    Shown::Unclear(ended)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Self-tests of the sandbox ([`SandboxTest`]): a forbidden action, performed in a disposable child behind a single mechanism.
//!
//! The tool host runs all of them at start and relies only on mechanisms that passed. The unit tests also run each without its
//! mechanism, where the action must succeed. This shows what each mechanism achieves on its own.

use std::io::{self, Read, Write};

use rustix::process::{Resource, Signal};
use rustix::thread::UnshareFlags;
use seccompiler::BpfProgram;

use super::{Open, attempts, be_undumpable, become_nobody, die_with, landlock, limits, namespaces};
use crate::process::{self, Fork};

/// Inputs for applying a mechanism.
pub struct TestSetup<'a> {
    /// Bytes of address space that this process uses.
    pub base: u64,
    /// The system call filter.
    pub program: &'a BpfProgram,
}

/// Applies one mechanism to the calling process.
type Close = fn(&TestSetup<'_>) -> Result<(), Open>;

/// A forbidden action and the mechanism that must block it.
pub struct SandboxTest {
    /// One of [`minismith_protocol::zygote::MECHANISMS`].
    pub mechanism: &'static str,
    /// Description of the action.
    pub what: &'static str,
    close: Close,
    action: attempts::ForbiddenAction,
    /// Errors that show that it was blocked.
    errors: &'static [i32],
    /// Signals that show that it was blocked.
    signals: &'static [Signal],
}

/// Result of a test.
#[derive(Debug, PartialEq, Eq)]
pub enum TestResult {
    /// The action was blocked, with details.
    Stopped(String),
    /// The action succeeded.
    Passed,
    /// The mechanism cannot be applied here.
    Missing(String),
    /// The action failed for an unrelated reason.
    Unclear(String),
}

const DENIED: &[i32] = &[libc::EPERM];
const NO_ACCESS: &[i32] = &[libc::EACCES];
/// Action whose limit the kernel does not apply to root.
pub const PROCESSES: &str = "starting a process";

/// Without support for 32-bit calls, the CPU itself raises a fault. Only x86-64 has such calls.
#[cfg(target_arch = "x86_64")]
const BAD_CALL: &[Signal] = &[Signal::SYS, Signal::SEGV];

/// Creates a test whose action is blocked with an error.
const fn by_error(
    mechanism: &'static str,
    what: &'static str,
    close: Close,
    attempt: attempts::ForbiddenAction,
    errors: &'static [i32],
) -> SandboxTest {
    SandboxTest { mechanism, what, close, action: attempt, errors, signals: &[] }
}

/// Creates a test whose action is blocked with a signal.
#[cfg(target_arch = "x86_64")]
const fn by_signal(
    mechanism: &'static str,
    what: &'static str,
    close: Close,
    attempt: attempts::ForbiddenAction,
    signals: &'static [Signal],
) -> SandboxTest {
    SandboxTest { mechanism, what, close, action: attempt, errors: &[], signals }
}

/// Tests that run at start, before namespaces and Python.
pub const TESTS: &[SandboxTest] = &[
    by_error(
        "namespaces",
        "connecting to this machine",
        |_| new_namespaces(UnshareFlags::NEWNET),
        attempts::connect,
        &[libc::ENETUNREACH],
    ),
    by_error(
        "namespaces",
        "signalling a process outside",
        |_| new_namespaces(UnshareFlags::NEWPID),
        attempts::signal_outside,
        &[libc::EINVAL],
    ),
    by_error(
        "namespaces",
        "finding a message queue",
        |_| new_namespaces(UnshareFlags::NEWIPC),
        attempts::find_queue,
        &[libc::EINVAL],
    ),
    by_error(
        "namespaces",
        "reading the machine's name",
        |_| new_namespaces(UnshareFlags::NEWUTS),
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
    by_error(
        "rlimits",
        "taking memory",
        |ground| apply_limit(Resource::As, ground),
        attempts::take_memory,
        &[],
    ),
    by_error(
        "rlimits",
        "writing a file",
        |ground| apply_limit(Resource::Fsize, ground),
        attempts::write_file,
        &[libc::EFBIG],
    ),
    by_error(
        "rlimits",
        "opening many files",
        |ground| apply_limit(Resource::Nofile, ground),
        attempts::open_many,
        &[libc::EMFILE],
    ),
    by_error(
        "rlimits",
        PROCESSES,
        |ground| apply_limit(Resource::Nproc, ground),
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
    // A service manager's own filter, which counts x32 as another architecture, may end the process before ours answers.
    #[cfg(target_arch = "x86_64")]
    SandboxTest {
        signals: &[Signal::SYS],
        ..by_error("seccomp", "a call with an x32 number", filter, attempts::call_as_x32, DENIED)
    },
    #[cfg(target_arch = "x86_64")]
    by_signal("seccomp", "a call of another architecture", filter, attempts::call_as_32_bit, BAD_CALL),
];

/// Tests that are possible only when everything is in memory. The zygote has already applied their mechanisms.
pub const LATE_TESTS: &[SandboxTest] = &[
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

/// Tests that are too slow for every start: one second of CPU time. The system tests cover it with real guests.
#[cfg(test)]
pub const SLOW_TESTS: &[SandboxTest] = &[by_signal(
    "rlimits",
    "computing for more than a second",
    |ground| apply_limit(Resource::Cpu, ground),
    attempts::compute,
    &[Signal::XCPU],
)];

fn new_namespaces(flags: UnshareFlags) -> Result<(), Open> {
    namespaces::leave_some(flags).map_err(Open::of("namespaces"))
}

fn empty_root() -> Result<(), Open> {
    new_namespaces(UnshareFlags::NEWNS)?;
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

fn apply_limit(resource: Resource, ground: &TestSetup<'_>) -> Result<(), Open> {
    let little = minismith_protocol::Limits {
        cpu_seconds: 1,
        memory_bytes: attempts::SMALL_BYTES as u64,
        ..minismith_protocol::Limits::DEFAULT
    };
    limits::set_only(resource, &little, ground.base).map_err(Open::of("rlimits"))
}

/// Applies Landlock. Without root this requires no_new_privs first.
fn restrict() -> Result<(), Open> {
    super::no_new_privileges()?;
    landlock::restrict()
}

/// Applies the filter. Without root this requires no_new_privs first.
fn filter(ground: &TestSetup<'_>) -> Result<(), Open> {
    super::no_new_privileges()?;
    seccompiler::apply_filter(ground.program).map_err(Open::of("seccomp"))
}

impl SandboxTest {
    /// Runs the action in a child, with or without the mechanism.
    pub fn run(&self, ground: &TestSetup<'_>, behind: bool) -> TestResult {
        let failed = |error: io::Error| TestResult::Unclear(format!("the test could not run: {error}"));
        let (mut reader, report) = match io::pipe() {
            Ok(ends) => ends,
            Err(error) => return failed(error),
        };
        match process::fork() {
            Err(error) => failed(error),
            Ok(Fork::Child) => {
                // At this descriptor the report survives the closing of all others.
                let written = process::keep(&report, &report).and_then(|()| {
                    let (sign, text) = self.action(ground, behind);
                    write!(process::report(), "{sign}{text}")
                });
                process::leave(i32::from(written.is_err()))
            }
            Ok(Fork::Parent(pid)) => {
                drop(report);
                let mut text = String::new();
                let parse_report = reader.read_to_string(&mut text);
                let ended = process::wait(pid.as_raw_nonzero().get());
                match (parse_report, ended) {
                    (Err(error), _) | (_, Err(error)) => failed(error),
                    (Ok(_), Ok(ended)) => self.parse_report(&text, ended.status),
                }
            }
        }
    }

    /// Runs in the child.
    fn action(&self, ground: &TestSetup<'_>, behind: bool) -> (char, String) {
        let close = || if behind { (self.close)(ground) } else { Ok(()) };
        match (self.action)(&close) {
            Ok(()) => ('+', String::new()),
            Err(attempts::Failure::Open(open)) => ('?', open.to_string()),
            Err(attempts::Failure::Held(how)) => ('-', how),
            Err(attempts::Failure::Failed(error)) => {
                let stopped = error.raw_os_error().is_some_and(|number| self.errors.contains(&number));
                (if stopped { '-' } else { '!' }, error.to_string())
            }
        }
    }

    fn parse_report(&self, text: &str, status: i32) -> TestResult {
        let about = |how: &str| format!("{}: {how}", self.what);
        match text.split_at_checked(1) {
            Some(("+", _)) => TestResult::Passed,
            Some(("-", how)) => TestResult::Stopped(about(how)),
            Some(("?", why)) => TestResult::Missing(why.to_owned()),
            Some((_, why)) => TestResult::Unclear(about(why)),
            None => {
                let signal = Signal::from_named_raw(libc::WTERMSIG(status));
                let ended = about(&format!("ended by signal {}", libc::WTERMSIG(status)));
                if libc::WIFSIGNALED(status) && signal.is_some_and(|signal| self.signals.contains(&signal)) {
                    TestResult::Stopped(ended)
                } else {
                    TestResult::Unclear(ended)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

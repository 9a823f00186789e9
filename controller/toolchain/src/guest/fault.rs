//! How a guest fails, apart from the exceptions that its tool raises.

use minismith_protocol::Limits;
use minismith_protocol::exceeded::LimitExceeded;
use minismith_protocol::zygote::{Ending, Mechanism};
use rustix::process::Signal;

use super::sandboxed::Usage;

/// The failure of a guest, which is then dead. A broken limit is reported with the amount used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GuestError {
    /// One turn took too long.
    #[error(
        "tool exceeded its turn limit: {used:.1} s without a robot call, {limit} s allowed; call the robot in every \
         loop, for example to sleep or move"
    )]
    Deadline {
        /// Limit for one turn, seconds.
        limit: f64,
        /// Time that the supervisor waited, seconds.
        used: f64,
    },
    /// All turns together took too long.
    #[error(
        "tool exceeded its wall-clock budget: {used:.1} s used, {limit} s allowed; do less computation between robot \
         calls"
    )]
    Wall {
        /// Limit for all turns, seconds.
        limit: f64,
        /// Time that the supervisor waited, seconds.
        used: f64,
    },
    /// The guest used up its processor time.
    #[error("tool exceeded its budget of processor time: {used:.1} s used, {limit} s allowed; compute less")]
    Cpu {
        /// Limit, seconds.
        limit: u64,
        /// Use, seconds, as counted by the kernel.
        used: f64,
    },
    /// The guest exceeded its memory limit.
    #[error(
        "tool exceeded its memory budget{}: {limit} bytes allowed, peak {peak} bytes with the interpreter; store less \
         data at a time", at(.line)
    )]
    Memory {
        /// Limit, bytes beyond the interpreter's own memory.
        limit: u64,
        /// Peak memory, bytes, as counted by the kernel.
        peak: u64,
        /// Line of the tool, if reported.
        line: Option<u32>,
    },
    /// The guest tried to open too many files or sockets.
    #[error("tool exceeded its limit of open files and sockets: {used} requested{}, {limit} allowed: {said}", at(.line))]
    OpenFiles {
        /// Limit, files and sockets.
        limit: u64,
        /// Number that would have been open.
        used: u64,
        /// Message of the exception.
        said: String,
        /// Line of the tool, if reported.
        line: Option<u32>,
    },
    /// The guest tried to start too many processes or threads.
    #[error("tool exceeded its limit of further processes and threads: {used} requested{}, {limit} allowed: {said}", at(.line))]
    Processes {
        /// Limit, processes and threads.
        limit: u64,
        /// Number that would have been running.
        used: u64,
        /// Message of the exception.
        said: String,
        /// Line of the tool, if reported.
        line: Option<u32>,
    },
    /// The guest printed too much.
    #[error("the tool printed {used} bytes, its budget is {limit}; print less, or return a summary")]
    Output {
        /// Limit, bytes.
        limit: u64,
        /// Bytes printed.
        used: u64,
    },
    /// The guest died without a last message.
    #[error("the tool's process died ({how}): it corrupted its interpreter or ran out of memory")]
    Died {
        /// The cause of death as text.
        how: String,
    },
    /// The guest broke the protocol.
    #[error("the tool's process broke the protocol ({what}) and was stopped")]
    ProtocolViolation {
        /// The violation.
        what: String,
    },
    /// No working tool host is available.
    #[error("no tool can run: {reason}")]
    NoHost {
        /// The reason, and what to do.
        reason: String,
    },
    /// scipy or OpenCV are not installed.
    #[error("the tool needs libraries that are missing: {reason}")]
    NoLibraries {
        /// The reason, and what to do.
        reason: String,
    },
    /// The host works, but cannot sandbox guests on this machine.
    #[error("no tool can run safely here: {reason}")]
    SandboxUnavailable {
        /// The reason, and what to do.
        reason: String,
        /// The probed mechanisms.
        mechanisms: Vec<Mechanism>,
    },
}

impl GuestError {
    /// Returns the name of the broken limit or rule.
    #[must_use]
    pub const fn limit(&self) -> &'static str {
        match self {
            GuestError::Deadline { .. } => "turn_seconds",
            GuestError::Wall { .. } => "wall_seconds",
            GuestError::Memory { .. } => "memory_bytes",
            GuestError::OpenFiles { .. } => "open_files",
            GuestError::Processes { .. } => "processes",
            GuestError::Cpu { .. } => "cpu_seconds",
            GuestError::Output { .. } => "output_bytes",
            GuestError::Died { .. } => "died",
            GuestError::ProtocolViolation { .. } => "forged",
            GuestError::NoHost { .. } => "no_host",
            GuestError::NoLibraries { .. } => "no_libraries",
            GuestError::SandboxUnavailable { .. } => "uncaged",
        }
    }

    /// Returns [`GuestError::NoHost`] for a failed step on the way to a host.
    pub(super) fn no_host(failed_step: &str, cause: impl std::fmt::Display) -> Self {
        GuestError::NoHost {
            reason: format!(
                "{failed_step}: {cause}; run `minismith setup` (in the source tree also `make setup`), and see `minismith doctor`"
            ),
        }
    }

    /// Interprets an exit without a last message under these limits.
    ///
    /// A guest that blocks the kernel's first signal gets the second one after another second of processor time.
    pub(super) fn from_ending(usage: &Usage, limits: &Limits) -> Self {
        let used_up = usage.cpu_seconds >= limits.cpu_seconds as f64;
        match usage.ending {
            Ending::Signal { number } if number == Signal::XCPU.as_raw() || used_up => {
                GuestError::Cpu { limit: limits.cpu_seconds, used: usage.cpu_seconds }
            }
            Ending::Signal { number } => {
                GuestError::Died { how: format!("signal {number}{}", signal_description(number)) }
            }
            Ending::Exit { code } => GuestError::Died { how: format!("it exited with status {code}") },
        }
    }

    /// Interprets an exception that reports an exceeded budget. `peak` is the guest's peak memory, bytes.
    pub(super) fn from_exception(
        exceeded: LimitExceeded,
        said: &str,
        line: Option<u32>,
        limits: &Limits,
        peak: u64,
    ) -> Self {
        let mut said = said.to_owned();
        said.truncate(said.floor_char_boundary(MAX_MESSAGE_BYTES));
        let one_more = |limit: u64| (limit, limit.saturating_add(1));
        match exceeded {
            LimitExceeded::Memory => GuestError::Memory { limit: limits.memory_bytes, peak, line },
            LimitExceeded::OpenFiles => {
                let (limit, used) = one_more(limits.open_files);
                GuestError::OpenFiles { limit, used, said, line }
            }
            LimitExceeded::Processes => {
                let (limit, used) = one_more(limits.processes);
                GuestError::Processes { limit, used, said, line }
            }
        }
    }
}

/// Maximum length of a guest's message, bytes.
const MAX_MESSAGE_BYTES: usize = 300;

fn at(line: &Option<u32>) -> String {
    line.map_or_else(String::new, |line| format!(" in line {line}"))
}

fn signal_description(number: i32) -> &'static str {
    let named = [
        (Signal::SEGV, ", an invalid memory access"),
        (Signal::ABORT, ", it aborted"),
        (Signal::KILL, ", killed"),
        (Signal::BUS, ", an invalid memory access"),
        (Signal::SYS, ", a forbidden system call"),
    ];
    named.into_iter().find(|(signal, _)| signal.as_raw() == number).map_or("", |(_, text)| text)
}

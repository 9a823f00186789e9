//! How a guest fails, apart from what its tool raises.

use minismith_wire::Limits;
use minismith_wire::exceeded::Exceeded;
use minismith_wire::zygote::{Ending, Mechanism};
use rustix::process::Signal;

use super::caged::Usage;

/// A guest that has not done its part; it is dead. A limit that it broke is told with how much it used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GuestFault {
    /// One turn took too long.
    #[error(
        "the tool was silent for {used:.1} s, at most {limit} s are allowed: it loops or waits without asking the \
         robot for anything; let it sleep or move in between"
    )]
    Deadline {
        /// Seconds for one turn.
        limit: f64,
        /// Seconds that were waited.
        used: f64,
    },
    /// All its turns together took too long.
    #[error(
        "the tool has thought for {used:.1} s in all, its budget is {limit} s by the clock on the wall; let it \
         compute less between what it asks of the robot"
    )]
    Wall {
        /// Seconds for all turns.
        limit: f64,
        /// Seconds that were waited.
        used: f64,
    },
    /// The processor time of the guest's whole life is used up.
    #[error("the tool used {used:.1} s of processor time, its budget is {limit} s; let it compute less")]
    Cpu {
        /// Seconds.
        limit: u64,
        /// Seconds, as the kernel counted them.
        used: f64,
    },
    /// It needed more memory than it may have.
    #[error(
        "the tool asked for more memory than its {limit} bytes{}; it held {peak} at most, the interpreter's own \
         included; let it keep less at a time", at(.line)
    )]
    Memory {
        /// Bytes beyond what the interpreter holds.
        limit: u64,
        /// The most that it held, bytes, as the kernel counted them.
        peak: u64,
        /// The line of the tool, where it told.
        line: Option<u32>,
    },
    /// It asked for a file or a socket.
    #[error("the tool may hold {limit} files and sockets open and asked for {used}{}: {said}", at(.line))]
    OpenFiles {
        /// How many it may hold.
        limit: u64,
        /// How many it would have held.
        used: u64,
        /// What it was told.
        said: String,
        /// The line of the tool, where it told.
        line: Option<u32>,
    },
    /// It asked for a process or a thread.
    #[error("the tool may have {limit} processes and threads besides its own and asked for {used}{}: {said}", at(.line))]
    Processes {
        /// How many it may have.
        limit: u64,
        /// How many it would have had.
        used: u64,
        /// What it was told.
        said: String,
        /// The line of the tool, where it told.
        line: Option<u32>,
    },
    /// It printed too much.
    #[error("the tool printed {used} bytes, its budget is {limit}; print less, or return a summary")]
    Output {
        /// Bytes.
        limit: u64,
        /// Bytes that it has printed.
        used: u64,
    },
    /// It died without a last word.
    #[error("the tool's process died ({how}); it broke its own interpreter, or used up its memory")]
    Died {
        /// How, in words.
        how: String,
    },
    /// It said something that no guest says.
    #[error("the tool's process broke the protocol ({what}) and was stopped")]
    Forged {
        /// What was wrong.
        what: String,
    },
    /// There is no working tool host.
    #[error("no tool can run: {reason}")]
    NoHost {
        /// Why, and what to do.
        reason: String,
    },
    /// The host works, but can't cage guests on this machine.
    #[error("no tool can run safely here: {reason}")]
    Uncaged {
        /// Why, and what to do.
        reason: String,
        /// What was probed.
        mechanisms: Vec<Mechanism>,
    },
}

impl GuestFault {
    /// The limit or rule that it broke, in one word.
    #[must_use]
    pub const fn limit(&self) -> &'static str {
        match self {
            GuestFault::Deadline { .. } => "turn_seconds",
            GuestFault::Wall { .. } => "wall_seconds",
            GuestFault::Memory { .. } => "memory_bytes",
            GuestFault::OpenFiles { .. } => "open_files",
            GuestFault::Processes { .. } => "processes",
            GuestFault::Cpu { .. } => "cpu_seconds",
            GuestFault::Output { .. } => "output_bytes",
            GuestFault::Died { .. } => "died",
            GuestFault::Forged { .. } => "forged",
            GuestFault::NoHost { .. } => "no_host",
            GuestFault::Uncaged { .. } => "uncaged",
        }
    }

    /// No host, said from the failure of something on the way to it.
    pub(super) fn no_host(doing: &str, why: impl std::fmt::Display) -> Self {
        GuestFault::NoHost { reason: format!("{doing}: {why}; run `make setup`, and see `minismith doctor`") }
    }

    /// What an ending without a last word means, under these limits. A guest that blocks the kernel's first signal
    /// meets its second, a second of processor time later.
    pub(super) fn from_ending(usage: &Usage, limits: &Limits) -> Self {
        let used_up = usage.cpu_seconds >= limits.cpu_seconds as f64;
        match usage.ending {
            Ending::Signal { number } if number == Signal::XCPU.as_raw() || used_up => {
                GuestFault::Cpu { limit: limits.cpu_seconds, used: usage.cpu_seconds }
            }
            Ending::Signal { number } => GuestFault::Died { how: format!("signal {number}{}", name(number)) },
            Ending::Exit { code } => GuestFault::Died { how: format!("it left with status {code}") },
        }
    }

    /// What an exception means that tells of a budget; `peak` is the most memory that the guest held.
    pub(super) fn from_exception(
        exceeded: Exceeded,
        said: &str,
        line: Option<u32>,
        limits: &Limits,
        peak: u64,
    ) -> Self {
        let mut said = said.to_owned();
        said.truncate(said.floor_char_boundary(LONGEST_WORD));
        let one_more = |limit: u64| (limit, limit.saturating_add(1));
        match exceeded {
            Exceeded::Memory => GuestFault::Memory { limit: limits.memory_bytes, peak, line },
            Exceeded::OpenFiles => {
                let (limit, used) = one_more(limits.open_files);
                GuestFault::OpenFiles { limit, used, said, line }
            }
            Exceeded::Processes => {
                let (limit, used) = one_more(limits.processes);
                GuestFault::Processes { limit, used, said, line }
            }
        }
    }
}

/// What is kept of a guest's words, bytes.
const LONGEST_WORD: usize = 300;

fn at(line: &Option<u32>) -> String {
    line.map_or_else(String::new, |line| format!(" in line {line}"))
}

fn name(number: i32) -> &'static str {
    let named = [
        (Signal::SEGV, ", a wrong memory access"),
        (Signal::ABORT, ", it aborted"),
        (Signal::KILL, ", killed"),
        (Signal::BUS, ", a wrong memory access"),
        (Signal::SYS, ", a forbidden system call"),
    ];
    named.into_iter().find(|(signal, _)| signal.as_raw() == number).map_or("", |(_, name)| name)
}

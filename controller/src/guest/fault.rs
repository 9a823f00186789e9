//! How a guest fails, apart from what its tool raises.

use minismith_wire::zygote::{Ending, Mechanism};

/// A guest that has not done its part; it is dead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GuestFault {
    /// One turn took too long.
    #[error(
        "the tool was silent for more than {seconds} s: it loops or waits without asking the robot for anything; \
             let it sleep or move in between"
    )]
    Deadline {
        /// The limit for one turn.
        seconds: f64,
    },
    /// The processor time of the guest's whole life is used up.
    #[error("the tool used more than its {seconds} s of processor time; let it compute less")]
    Cpu {
        /// The limit.
        seconds: u64,
    },
    /// It printed too much.
    #[error("the tool printed more than its {bytes} bytes; print less, or return a summary")]
    Output {
        /// The limit.
        bytes: u64,
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

    /// What an ending without a last word means, under this limit of processor seconds.
    pub(super) fn from_ending(ending: Ending, cpu_seconds: u64) -> Self {
        match ending {
            Ending::Signal { number } if number == rustix::process::Signal::XCPU.as_raw() => {
                GuestFault::Cpu { seconds: cpu_seconds }
            }
            Ending::Signal { number } => GuestFault::Died { how: format!("signal {number}{}", name(number)) },
            Ending::Exit { code } => GuestFault::Died { how: format!("it left with status {code}") },
        }
    }
}

fn name(number: i32) -> &'static str {
    use rustix::process::Signal;
    let named = [
        (Signal::SEGV, ", a wrong memory access"),
        (Signal::ABORT, ", it aborted"),
        (Signal::KILL, ", killed"),
        (Signal::BUS, ", a wrong memory access"),
        (Signal::SYS, ", a forbidden system call"),
    ];
    named.into_iter().find(|(signal, _)| signal.as_raw() == number).map_or("", |(_, name)| name)
}

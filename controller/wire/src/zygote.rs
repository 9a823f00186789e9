//! The words between the supervisor and the zygote, over a `SOCK_SEQPACKET` socket on the zygote's standard input.
//!
//! The zygote first says [`Hello::Ready`] or [`Hello::Unfit`]. Then it answers each [`Request`] with one [`Reply`].
//! No request carries a descriptor; a [`Reply::Forked`] carries two, the guest's pidfd and the supervisor's end of its
//! channel, and of the motion profile a third, the guest's [`window`](crate::window). A guest that has ended is a [`Request::Reap`] or a [`Request::Forget`] away from being forgotten; the latter
//! alone has no reply.

use serde::{Deserialize, Serialize};

use crate::Limits;

/// How strongly a guest is caged, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Own namespaces with `pivot_root`, and a system call filter (and Landlock, where the kernel has it).
    Namespaces,
    /// Landlock and a system call filter.
    Landlock,
    /// A system call filter that knows no way to open a file.
    NoOpen,
}

/// What guests are made for: each has its own warm interpreter and its own libraries, in the same cage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Tools that move the robot.
    #[default]
    Motion,
    /// Scripts that compute on data; they have no robot.
    Code,
}

impl Profile {
    /// Its word on the host's command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Profile::Motion => "motion",
            Profile::Code => "code",
        }
    }
}

/// Every mechanism of the cage, from the outermost to the innermost.
pub const MECHANISMS: [&str; 12] = [
    "environment",
    "namespaces",
    "pivot_root",
    "descriptors",
    "stdio",
    "no_new_privs",
    "user",
    "dumpable",
    "parent_death_signal",
    "rlimits",
    "landlock",
    "seccomp",
];

/// Those that a machine may lack where a person has said so; without any other one no tool is run.
pub const LOWERABLE: [&str; 3] = ["namespaces", "pivot_root", "landlock"];

/// One mechanism of the cage, as probed by trying what it forbids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mechanism {
    /// One of [`MECHANISMS`].
    pub name: String,
    /// Whether the probe was stopped.
    pub enforced: bool,
    /// What was tried and what the kernel said.
    pub detail: String,
}

/// The zygote's first word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "hello", rename_all = "snake_case", deny_unknown_fields)]
pub enum Hello {
    /// It is warm and will fork guests.
    Ready {
        /// `sys.version` of the interpreter inside.
        python: String,
        /// numpy's version.
        numpy: String,
        /// The level of the cage that guests get.
        level: Level,
        /// What was probed.
        mechanisms: Vec<Mechanism>,
    },
    /// It can't run tools safely here.
    Unfit {
        /// Why, and what to do.
        reason: String,
        /// What was probed.
        mechanisms: Vec<Mechanism>,
    },
}

/// The longest message on the control socket, either way.
pub const MAX_MESSAGE: usize = 64 << 10;

/// What the supervisor asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Fork one guest with these limits.
    Fork {
        /// Enforced by the kernel in the guest.
        limits: Limits,
    },
    /// Say how a guest ended. Asked once for each guest, when its pidfd says that it has.
    Reap {
        /// As in [`Reply::Forked`].
        pid: i32,
    },
    /// Nobody wants to know how a guest ended, which has been sent the signal that ends it: bury it in your own time.
    /// Not answered.
    Forget {
        /// As in [`Reply::Forked`].
        pid: i32,
    },
}

/// What the zygote answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case", deny_unknown_fields)]
pub enum Reply {
    /// The guest lives, and its cage is closed; its pidfd and the other end of its channel are attached, and its window
    /// where it has one.
    Forked {
        /// Its process id as the zygote sees it.
        pid: i32,
    },
    /// How the guest ended.
    Reaped {
        /// By itself or by a signal.
        ending: Ending,
        /// Processor seconds that it used.
        cpu_seconds: f64,
        /// The most memory that it held, bytes.
        peak_bytes: u64,
    },
    /// It could not be forked, caged or reaped.
    Failed {
        /// Why.
        reason: String,
    },
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case", deny_unknown_fields)]
pub enum Ending {
    /// It left by itself.
    Exit {
        /// Its status.
        code: i32,
    },
    /// The kernel ended it.
    Signal {
        /// Which signal.
        number: i32,
    },
}

//! Messages between the supervisor and the zygote, over a `SOCK_SEQPACKET` socket on the zygote's standard input.
//!
//! The zygote first sends [`Hello::Ready`] or [`Hello::Unfit`]. Then it answers each [`Request`] with one [`Reply`], except
//! [`Request::Forget`], which has none.
//!
//! Requests carry no descriptors. A [`Reply::Forked`] carries two: the guest's pidfd and the supervisor's end of its channel.
//! In the motion profile a third follows: the guest's shared memory ([`window`](crate::shared_frames)). The supervisor sends
//! [`Request::Reap`] or [`Request::Forget`] for each guest that has exited.

use serde::{Deserialize, Serialize};

use crate::Limits;

/// Sandbox level of guests, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Own namespaces with `pivot_root`, a system call filter, and Landlock if the kernel supports it.
    Namespaces,
    /// Landlock and a system call filter.
    Landlock,
    /// Only a system call filter without any call that opens files.
    NoOpen,
}

/// Profile of guests. Each has its own warm interpreter and libraries, in the same sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Tools that move the robot.
    #[default]
    Motion,
    /// Tools that move the robot and use scipy or OpenCV.
    Science,
    /// Scripts that process data, without a robot.
    Code,
}

impl Profile {
    /// Returns its name on the host's command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Profile::Motion => "motion",
            Profile::Science => "science",
            Profile::Code => "code",
        }
    }

    /// Returns whether its guests have a robot.
    #[must_use]
    pub const fn has_robot(self) -> bool {
        matches!(self, Profile::Motion | Profile::Science)
    }
}

/// All mechanisms of the sandbox, from the outermost to the innermost.
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

/// Mechanisms that the configuration may declare optional. Without any other one no tool runs.
pub const OPTIONAL_MECHANISMS: [&str; 3] = ["namespaces", "pivot_root", "landlock"];

/// Test result of one mechanism of the sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mechanism {
    /// One of [`MECHANISMS`].
    pub name: String,
    /// Whether the tested actions were blocked.
    pub enforced: bool,
    /// The tested actions and the kernel's responses.
    pub detail: String,
}

/// First message of the zygote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "hello", rename_all = "snake_case", deny_unknown_fields)]
pub enum Hello {
    /// The zygote is ready to fork guests.
    Ready {
        /// `sys.version` of the interpreter.
        python: String,
        /// numpy's version.
        numpy: String,
        /// Sandbox level of the guests.
        level: Level,
        /// Test results.
        mechanisms: Vec<Mechanism>,
    },
    /// The zygote cannot run tools safely here.
    Unfit {
        /// Cause, and what to do about it.
        reason: String,
        /// Test results.
        mechanisms: Vec<Mechanism>,
    },
}

/// Maximum length of a message on the control socket in bytes.
pub const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// A message from the supervisor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Fork a guest with these limits.
    Fork {
        /// Limits that the kernel enforces in the guest.
        limits: Limits,
    },
    /// Report how a guest ended. Sent once per guest, when its pidfd signals its exit.
    Reap {
        /// Process id from [`Reply::Forked`].
        pid: i32,
    },
    /// Reap a guest that was killed, at any time and without a reply.
    Forget {
        /// Process id from [`Reply::Forked`].
        pid: i32,
    },
}

/// A message from the zygote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case", deny_unknown_fields)]
pub enum Reply {
    /// The guest runs and its sandbox is active. Its pidfd, the other end of its channel and, if any, its shared memory are
    /// attached.
    Forked {
        /// Process id in the zygote's namespace.
        pid: i32,
    },
    /// How the guest ended.
    Reaped {
        /// Exit status or signal.
        ending: Ending,
        /// CPU time in seconds.
        cpu_seconds: f64,
        /// Peak memory in bytes.
        peak_bytes: u64,
    },
    /// The guest could not be forked, sandboxed or reaped.
    Failed {
        /// Cause.
        reason: String,
    },
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case", deny_unknown_fields)]
pub enum Ending {
    /// It exited by itself.
    Exit {
        /// Exit status.
        code: i32,
    },
    /// The kernel ended it by a signal.
    Signal {
        /// Signal number.
        number: i32,
    },
}

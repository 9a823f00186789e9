//! How the tool host confines a program other than a guest: the server of a local language model.
//!
//! The supervisor starts `minismith-tool-host --confine JSON`, with one end of a stream socket as standard input. The
//! tool host applies the [`Confinement`] to itself, tests it, writes one line of JSON (a [`Report`]) to the socket, and
//! then becomes the program, which inherits the socket. A program that must not start is reported and not started.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::zygote::Mechanism;

/// The argument of the tool host that selects this task.
pub const ARGUMENT: &str = "--confine";

/// The mechanisms, in the order in which they are applied.
pub const MECHANISMS: [&str; 8] = [
    "parent_death_signal",
    "priority",
    "processors",
    "rlimits",
    "no_new_privs",
    "network_namespace",
    "landlock",
    "seccomp",
];

/// Mechanisms without which the program still runs: another one keeps it from the network and from other processes.
pub const OPTIONAL_MECHANISMS: [&str; 4] = ["priority", "processors", "network_namespace", "landlock"];

/// What a program may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confinement {
    /// The process that starts it, and with which it dies.
    pub parent: i32,
    /// Files and folders that it may read and execute, besides the system's own.
    pub readable: Vec<PathBuf>,
    /// Folders in which it may create, change and delete files and sockets.
    pub writable: Vec<PathBuf>,
    /// Its largest address space, bytes.
    pub memory_bytes: u64,
    /// Its largest file, bytes.
    pub file_bytes: u64,
    /// The processors that it may use; all if empty.
    pub processors: Vec<usize>,
    /// The program and its arguments. Without any, the tool host only tests the confinement and ends.
    pub program: Vec<String>,
}

/// The result of the tests. The program starts only if `refusal` is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The mechanisms and what their tests showed.
    pub mechanisms: Vec<Mechanism>,
    /// Why the program does not start.
    pub refusal: Option<String>,
}

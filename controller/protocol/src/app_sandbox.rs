//! How the tool host runs an app that was made for the official daemon, with the robot as its only network.
//!
//! The controller starts `minismith-tool-host --app JSON`, with one end of a stream socket as standard input. The tool host
//! makes the sandbox, and the app its first process. Before the app starts, one line of JSON (a
//! [`Report`](crate::confinement::Report)) comes over the socket, with two descriptors if nothing is refused: a listening
//! socket at 127.0.0.1 and [`PORT`] of the app's own network, at which the controller serves the official API, and a pipe with
//! what the app prints. The tool host ends with the app, and the app with the tool host.
//!
//! While the app runs, the controller may ask for a connection to what the app serves in that network, such as a page with its
//! settings: it writes the port (two bytes, big-endian). One byte comes back: [`CONNECTED`] with a stream that is connected to
//! 127.0.0.1 and this port, or [`NOT_CONNECTED`] if nothing listens there.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The argument of the tool host that selects this task.
pub const ARGUMENT: &str = "--app";

/// The port at which apps expect the official daemon.
pub const PORT: u16 = 8000;

/// The answer with a connected stream.
pub const CONNECTED: u8 = 1;

/// The answer without one.
pub const NOT_CONNECTED: u8 = 0;

/// The mechanisms, in the order in which they are applied. Without one of them the app does not start.
pub const MECHANISMS: [&str; 7] =
    ["parent_death_signal", "namespaces", "network", "files", "rlimits", "no_new_privs", "seccomp"];

/// What an app may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppSandbox {
    /// The process that starts it, and with which it dies.
    pub parent: i32,
    /// Files and folders that it may read and execute, besides the system's own.
    pub readable: Vec<PathBuf>,
    /// Folders in which it may create, change and delete files.
    pub writable: Vec<PathBuf>,
    /// Sockets and devices of this computer: where each is, and where the app finds it.
    pub devices: Vec<(PathBuf, PathBuf)>,
    /// Whether it has a network of its own, in which there is only the robot; otherwise that of this computer.
    pub only_robot: bool,
    /// Its largest address space, bytes.
    pub memory_bytes: u64,
    /// Its largest file, bytes.
    pub file_bytes: u64,
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// The program and its arguments.
    pub program: Vec<String>,
}

//! Apps: programs in Python that other people made for the official daemon.
//!
//! Reading order: [`store`] (what is installed), [`install`] (from a folder, a wheel or an archive), [`sdk`] (the official SDK for them), [`official`] (what
//! the official daemon has installed),
//! [`page`] (what an app serves), [`sandbox`] (what an app may do), [`running`] (the app that runs), [`manager`] (all of it, for the server), [`jobs`] (what takes
//! longer).
//!
//! Safety: nothing of an app runs outside its sandbox, not even while it is installed. An app reaches the robot, by the official
//! API, and nothing else; a person can grant it the camera, the sound devices or the network.

pub mod install;
pub mod jobs;
pub mod manager;
pub mod official;
pub mod page;
pub mod running;
pub mod sandbox;
pub mod sdk;
mod step;
pub mod store;

use std::path::PathBuf;

/// Why something with an app failed. The messages are for people.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is no app of this name.
    #[error("there is no app {0}; `minismith app list` shows what is installed")]
    Unknown(String),
    /// The name cannot be a folder or a module.
    #[error("{0:?} is no name of an app: use letters, digits, - and _, at most 64 of them")]
    Name(String),
    /// The app is there already.
    #[error("the app {0} is installed already; remove it first with `minismith app remove {0}`")]
    Installed(String),
    /// The app is running.
    #[error("the app {0} is running; stop it first")]
    Running(String),
    /// No app is running.
    #[error("no app is currently running")]
    NoneRunning,
    /// What shall be installed is missing or has no app in it.
    #[error("cannot install {path}: {why}")]
    Source {
        /// What was given.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        why: String,
    },
    /// A step of the installation failed.
    #[error("cannot install the app: {step} failed: {why}")]
    Step {
        /// What was done.
        step: &'static str,
        /// The last lines that were printed.
        why: String,
    },
    /// The sandbox cannot be made here.
    #[error("the app can't be confined on this computer ({0}); apps do not run without their sandbox")]
    Sandbox(String),
    /// A file cannot be read or written.
    #[error("cannot use {}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A process cannot be started.
    #[error("cannot start a process: {0}")]
    Process(#[from] std::io::Error),
}

impl AppError {
    fn file(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| AppError::File { path: path.to_owned(), source }
    }
}

//! Errors of usage and environment ([`FleetError`]).

use std::path::PathBuf;

use crate::agent::options::JoinError;
use crate::identity::error::IdentityError;
use crate::session::{SessionError, in_words};

/// Reports an error of usage or environment.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// Zenoh.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Certificates.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The robot cannot join.
    #[error(transparent)]
    Join(#[from] JoinError),
    /// The session broke.
    #[error("the connection to the fleet failed: {0}")]
    Zenoh(String),
    /// An argument is wrong.
    #[error("{0}")]
    Usage(String),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The system gives no threads or signals.
    #[error("cannot start: {0}")]
    System(std::io::Error),
}

impl From<zenoh::Error> for FleetError {
    fn from(error: zenoh::Error) -> Self {
        FleetError::Zenoh(in_words(&error))
    }
}

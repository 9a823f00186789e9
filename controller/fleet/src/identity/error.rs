//! Why an identity cannot be used ([`IdentityError`]).

use std::path::PathBuf;

/// Reports an identity that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// A file is missing, or cannot be read or written.
    #[error("cannot read or write {}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Others can read the private key.
    #[error("{} can be read by other users; `chmod 600` it, or enrol again if someone may have copied it", .0.display())]
    Readable(PathBuf),
    /// A file contains something else.
    #[error("{} is damaged: {cause}; enrol again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// A certificate cannot be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// What was asked for does not fit the fleet.
    #[error("{0}")]
    Refused(String),
}

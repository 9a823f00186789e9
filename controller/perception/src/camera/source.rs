//! The [`Source`] trait: a device, a file or a connection that delivers one image after another.

use std::time::Duration;

use firmware_bridge::camera::CameraIntrinsics;

use crate::frame::Image;

/// Maximum size of an encoded image in bytes.
pub const MAX_FRAME_BYTES: usize = 16 << 20;

/// Reports why a source delivers no images, and what to do about it. Both texts are for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {remedy}")]
pub struct SourceError {
    /// Cause.
    pub reason: String,
    /// What the user can do.
    pub remedy: String,
}

impl SourceError {
    /// Creates an error from a cause and a remedy.
    #[must_use]
    pub fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        SourceError { reason: reason.into(), remedy: remedy.into() }
    }
}

/// Delivers one image after another. One thread owns it and blocks on it.
pub trait Source: Send {
    /// Returns the display name.
    fn name(&self) -> String;

    /// Returns the format in use for display, or `None` while the source is closed.
    fn format(&self) -> Option<String> {
        None
    }

    /// Returns the intrinsics for the chosen size, or `None` if the source does not know them.
    fn intrinsics(&self) -> Option<CameraIntrinsics> {
        None
    }

    /// Returns the number of invalid images that were skipped.
    fn skipped(&self) -> u64 {
        0
    }

    /// Opens the source. An open one is closed first.
    ///
    /// # Errors
    /// Returns an error when the source is not usable now. The caller may try again.
    fn open(&mut self) -> Result<(), SourceError>;

    /// Returns the latest image, or `None` when `wait` passes without one. It waits little longer than that.
    ///
    /// # Errors
    /// Returns an error when the source must be closed and opened again.
    fn next(&mut self, wait: Duration) -> Result<Option<Image>, SourceError>;

    /// Releases all resources. Closing a closed source does nothing.
    fn close(&mut self);
}

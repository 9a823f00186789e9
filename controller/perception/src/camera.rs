//! Cameras: the [`Camera`] trait and its implementations.
//!
//! Reading order: [`source`] (delivers one image after another), its kinds [`v4l2`], [`files`] and [`mjpeg`], then [`capture`]
//! (reads any source on a thread and stores the latest frame). [`lens`] has the robot's camera intrinsics. [`health`] examines
//! cameras for `minismith doctor`.

pub mod capture;
pub mod files;
pub mod health;
mod jpeg;
pub mod lens;
pub mod mjpeg;
mod pixels;
pub mod source;
pub mod v4l2;

use std::sync::Arc;

use firmware_bridge::camera::CameraIntrinsics;

use crate::frame::{CameraPose, DecodeError, Frame};

/// Reports why no frame is available. The messages are for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CameraError {
    /// The camera cannot be reached. It is tried again.
    #[error("{camera} delivers no images: {reason}; {remedy}")]
    Unavailable {
        /// Name of the camera.
        camera: String,
        /// Cause that the camera or the kernel reports.
        reason: String,
        /// What the user can do about it.
        remedy: String,
    },
    /// The head pose is unknown, so positions in an image would be meaningless.
    #[error("cannot locate objects: the head pose is unknown; run `minismith doctor`")]
    PoseUnknown,
    /// The camera sent data that is not a valid image.
    #[error(transparent)]
    InvalidImage(#[from] DecodeError),
    /// No camera is configured or connected.
    #[error("no camera: {reason}")]
    NoFrameYet {
        /// Cause, and what to do about it.
        reason: String,
    },
}

/// A camera in the head. Every caller gets the latest frame, and simultaneous callers share one.
pub trait Camera: Send + Sync {
    /// Returns the display name.
    fn name(&self) -> String;

    /// Returns the intrinsics for the size of its images.
    fn intrinsics(&self) -> CameraIntrinsics;

    /// Returns the latest frame. `from` is the time and the head pose of this call. A camera that captures on its own thread
    /// ignores it and uses the pose at capture time.
    ///
    /// # Errors
    /// Returns [`CameraError`] with the reason when no frame is available.
    fn latest_frame(&self, from: &CameraPose) -> Result<Arc<Frame>, CameraError>;

    /// Closes the device, so that another program can open it, until this is called with `false`. A simulated camera has none.
    fn release(&self, _released: bool) {}
}

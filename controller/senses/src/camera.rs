//! Who takes pictures: one trait for every camera.
//!
//! Reading order: [`source`] (what gives one picture after another), its kinds [`v4l2`], [`files`] and [`mjpeg`], and
//! [`capture`] (a camera of any source: a thread that keeps the newest). [`lens`] has the robot's lenses, [`health`] is for the
//! doctor.

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

use firmware_bridge::camera::Lens;

use crate::frame::{Frame, NoPicture, Viewpoint};

/// Why there is no picture now. The texts are for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoFrame {
    /// The camera can't be reached; it is tried again.
    #[error("{camera} gives no pictures: {reason}; {remedy}")]
    Away {
        /// The camera.
        camera: String,
        /// What it, or the kernel, says.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// It can't be told where the head is, so a picture would say nothing about where things are.
    #[error("the head's pose is not known; see `minismith doctor`")]
    NoPose,
    /// What came is no picture.
    #[error(transparent)]
    NoPicture(#[from] NoPicture),
    /// There is none.
    #[error("there is no camera: {reason}")]
    None {
        /// Why, and what to do.
        reason: String,
    },
}

/// A camera in the head. Whoever looks gets the newest frame, and all who look at the same moment get the same one.
pub trait Camera: Send + Sync {
    /// Its name, for people.
    fn name(&self) -> String;

    /// The lens, for the size of its pictures.
    fn lens(&self) -> Lens;

    /// The newest frame. `from` is when and where the head is as this is asked; a camera that takes its pictures by itself
    /// knows better from where.
    ///
    /// # Errors
    /// Why there is none.
    fn newest(&self, from: &Viewpoint) -> Result<Arc<Frame>, NoFrame>;
}

//! The head's camera for observers.

use std::sync::Arc;

use firmware_bridge::camera::Lens;
use firmware_bridge::pulse::{Conductor, PulseHandle};
use minismith_senses::camera::{Camera, NoFrame};
use minismith_senses::frame::{Frame, Viewpoint};

use crate::snapshot::posture_of;

/// A cloneable observer that uses the camera and moves nothing.
#[derive(Clone)]
pub struct Lookout {
    camera: Arc<dyn Camera>,
    pulse: PulseHandle,
    simulated: bool,
}

impl Lookout {
    /// Creates an observer of a running robot.
    #[must_use]
    pub const fn new(camera: Arc<dyn Camera>, pulse: PulseHandle, simulated: bool) -> Self {
        Lookout { camera, pulse, simulated }
    }

    /// Returns the latest frame, which may take some milliseconds.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub fn frame(&self) -> Result<Arc<Frame>, NoFrame> {
        self.camera.newest(&self.viewpoint()?)
    }

    /// Returns the present camera pose.
    ///
    /// # Errors
    /// Returns an error if the head pose is unknown.
    pub fn viewpoint(&self) -> Result<Viewpoint, NoFrame> {
        let head = posture_of(&self.pulse.snapshot()).ok_or(NoFrame::NoPose)?.head;
        Ok(Viewpoint { at: self.pulse.stage_now(), head })
    }

    /// Returns the camera intrinsics for the size of the camera's images.
    #[must_use]
    pub fn lens(&self) -> Lens {
        self.camera.lens()
    }

    /// Returns the camera's name for people.
    #[must_use]
    pub fn name(&self) -> String {
        self.camera.name()
    }

    /// Returns whether the images are rendered.
    #[must_use]
    pub const fn is_simulated(&self) -> bool {
        self.simulated
    }
}

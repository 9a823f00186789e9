//! The camera in the head, as those see it who only watch.

use std::sync::Arc;

use firmware_bridge::camera::Lens;
use firmware_bridge::pulse::{Conductor, PulseHandle};
use minismith_senses::camera::{Camera, NoFrame};
use minismith_senses::frame::{Frame, Viewpoint};

use crate::snapshot::posture_of;

/// Somebody who looks through the camera and moves nothing; any number may be cloned.
#[derive(Clone)]
pub struct Lookout {
    camera: Arc<dyn Camera>,
    pulse: PulseHandle,
    simulated: bool,
}

impl Lookout {
    /// In the head of a body that beats.
    #[must_use]
    pub const fn new(camera: Arc<dyn Camera>, pulse: PulseHandle, simulated: bool) -> Self {
        Lookout { camera, pulse, simulated }
    }

    /// The newest frame. May take some milliseconds.
    ///
    /// # Errors
    /// Why there is none.
    pub fn frame(&self) -> Result<Arc<Frame>, NoFrame> {
        self.camera.newest(&self.viewpoint()?)
    }

    /// From where the camera sees now.
    ///
    /// # Errors
    /// When it can't be told where the head is.
    pub fn viewpoint(&self) -> Result<Viewpoint, NoFrame> {
        let head = posture_of(&self.pulse.snapshot()).ok_or(NoFrame::NoPose)?.head;
        Ok(Viewpoint { at: self.pulse.stage_now(), head })
    }

    /// The lens, for the size of the camera's pictures.
    #[must_use]
    pub fn lens(&self) -> Lens {
        self.camera.lens()
    }

    /// The camera's name, for people.
    #[must_use]
    pub fn name(&self) -> String {
        self.camera.name()
    }

    /// Whether its pictures are drawn.
    #[must_use]
    pub const fn is_simulated(&self) -> bool {
        self.simulated
    }
}

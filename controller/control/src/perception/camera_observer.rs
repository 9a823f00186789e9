//! The head's camera for observers.

use std::sync::Arc;

use firmware_bridge::camera::CameraIntrinsics;
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient};
use minismith_perception::camera::{Camera, CameraError};
use minismith_perception::frame::{CameraPose, Frame};

use crate::snapshot::posture_of;

/// A cloneable observer that uses the camera and moves nothing.
#[derive(Clone)]
pub struct CameraObserver {
    camera: Arc<dyn Camera>,
    control_loop: ControlLoopHandle,
    simulated: bool,
}

impl CameraObserver {
    /// Creates an observer of a running robot.
    #[must_use]
    pub const fn new(camera: Arc<dyn Camera>, control_loop: ControlLoopHandle, simulated: bool) -> Self {
        CameraObserver { camera, control_loop, simulated }
    }

    /// Returns the latest frame, which may take some milliseconds.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub fn frame(&self) -> Result<Arc<Frame>, CameraError> {
        self.camera.latest_frame(&self.camera_pose()?)
    }

    /// Returns the present camera pose.
    ///
    /// # Errors
    /// Returns an error if the head pose is unknown.
    pub fn camera_pose(&self) -> Result<CameraPose, CameraError> {
        let head = posture_of(&self.control_loop.snapshot()).ok_or(CameraError::PoseUnknown)?.head;
        Ok(CameraPose { time: self.control_loop.robot_time(), head })
    }

    /// Returns the camera intrinsics for the size of the camera's images.
    #[must_use]
    pub fn intrinsics(&self) -> CameraIntrinsics {
        self.camera.intrinsics()
    }

    /// Returns the camera's name for people.
    #[must_use]
    pub fn name(&self) -> String {
        self.camera.name()
    }

    /// Leaves the device to other programs, or takes it back.
    pub fn release(&self, released: bool) {
        self.camera.release(released);
    }

    /// Returns whether the images are rendered.
    #[must_use]
    pub const fn is_simulated(&self) -> bool {
        self.simulated
    }
}

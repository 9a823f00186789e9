//! Computes the robot's pose from a snapshot of its control loop.

use firmware_bridge::control_loop::LoopSnapshot;
use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::posture::{HeadPose, Posture};
use minismith_runtime::report::PostureReport;

/// Returns the pose from the present positions of the motors.
#[must_use]
pub fn posture_of(snapshot: &LoopSnapshot) -> Option<Posture> {
    posture_from_joints(&snapshot.state.present().ok()?, &HeadPose::neutral()).ok()
}

/// Returns the pose for reports.
#[must_use]
pub fn view_of(snapshot: &LoopSnapshot) -> Option<PostureReport> {
    posture_of(snapshot).as_ref().map(PostureReport::from)
}

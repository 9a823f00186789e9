//! Where a body is, out of a snapshot of its pulse.

use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::pulse::Snapshot;
use minismith_runtime::outcome::PostureView;

/// Where a body is, by its motors' own positions.
#[must_use]
pub fn posture_of(snapshot: &Snapshot) -> Option<Posture> {
    posture_from_joints(&snapshot.state.present().ok()?, &HeadPose::neutral()).ok()
}

/// Where a body is, as it is told.
#[must_use]
pub fn view_of(snapshot: &Snapshot) -> Option<PostureView> {
    posture_of(snapshot).as_ref().map(PostureView::from)
}

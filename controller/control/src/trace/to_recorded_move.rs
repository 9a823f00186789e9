//! Converts a trace to a recorded move of head, body and antennas, without the motors' own angles.

use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::posture::HeadPose;

use super::{RecordedTrace, joints};
use crate::recorded_move::{RecordedMove, RecordedMoveError};

/// The kind of positions in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionSource {
    /// Goal positions.
    Goal,
    /// Present positions.
    Present,
}

impl RecordedTrace {
    /// Returns the trace as a recorded move, with at most this many frames per second.
    ///
    /// Frames without a valid head pose are dropped.
    ///
    /// # Errors
    /// Returns [`RecordedMoveError`] if no frame remains, or if it is longer than a move may be.
    pub fn to_recorded_move(&self, of: PositionSource, rate: f64) -> Result<RecordedMove, RecordedMoveError> {
        let (mut near, mut due) = (HeadPose::neutral(), 0.0);
        let first = self.cycles.first().map_or(0, |cycle| cycle.cycle);
        let mut frames = Vec::new();
        for cycle in &self.cycles {
            let at = (cycle.cycle - first) as f64 * self.description.period_s;
            if at + self.description.period_s / 2.0 < due {
                continue;
            }
            let there = joints(match of {
                PositionSource::Goal => &cycle.goal_deg,
                PositionSource::Present => &cycle.present_deg,
            });
            if let Ok(posture) = posture_from_joints(&there, &near) {
                near = posture.head;
                due += 1.0 / rate;
                frames.push((at, posture));
            }
        }
        RecordedMove::new(self.description.name.clone(), frames)
    }
}

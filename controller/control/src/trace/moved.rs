//! Converts a trace to a recorded move of head, body and antennas, without the motors' own angles.

use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::posture::HeadPose;

use super::{Taken, joints};
use crate::recording::{NotARecording, Recording};

/// The kind of positions in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Goal positions.
    Goal,
    /// Present positions.
    Present,
}

impl Taken {
    /// Returns the trace as a recorded move, with at most this many frames per second.
    ///
    /// Frames without a valid head pose are dropped.
    ///
    /// # Errors
    /// Returns [`NotARecording`] if no frame remains, or if it is longer than a move may be.
    pub fn moved(&self, of: Of, rate: f64) -> Result<Recording, NotARecording> {
        let (mut near, mut due) = (HeadPose::neutral(), 0.0);
        let first = self.beats.first().map_or(0, |beat| beat.beat);
        let mut frames = Vec::new();
        for beat in &self.beats {
            let at = (beat.beat - first) as f64 * self.about.period_s;
            if at + self.about.period_s / 2.0 < due {
                continue;
            }
            let there = joints(match of {
                Of::Goal => &beat.goal_deg,
                Of::Present => &beat.present_deg,
            });
            if let Ok(posture) = posture_from_joints(&there, &near) {
                near = posture.head;
                due += 1.0 / rate;
                frames.push((at, posture));
            }
        }
        Recording::new(self.about.name.clone(), frames)
    }
}

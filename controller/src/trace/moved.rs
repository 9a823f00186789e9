//! A trace as a move: where head, body and antennas were, without the motors' own angles.

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::posture::{Antennas, Posture};

use super::{Finder, Taken, joints};
use crate::recording::{NotARecording, Recording};

/// Which of a trace's positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Where the motors were told to be.
    Goal,
    /// Where they were.
    Present,
}

impl Taken {
    /// The move that it was, this many frames a second at most. Frames where the legs do not fit together are left out.
    ///
    /// # Errors
    /// [`NotARecording`] when nothing is left, or it is longer than a move may be.
    pub fn moved(&self, of: Of, rate: f64) -> Result<Recording, NotARecording> {
        let (mut finder, mut due) = (Finder::default(), 0.0);
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
            if let Some(head) = finder.find(&there) {
                due += 1.0 / rate;
                frames.push((at, posture(&there, head.pose)));
            }
        }
        Recording::new(self.about.name.clone(), frames)
    }
}

fn posture(there: &Joints, head: firmware_bridge::posture::HeadPose) -> Posture {
    let antennas = Antennas { right: there[Joint::RightAntenna], left: there[Joint::LeftAntenna] };
    Posture { head, body_yaw: there[Joint::BodyYaw], antennas }
}

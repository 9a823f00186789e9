//! The commanded posture from which a motion starts.

use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;

use super::decimal::plain;

/// The last commanded posture of head, body and antennas. The head's angles are relative to the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    pub(super) angles: RollPitchYaw,
    pub(super) height: f64,
    pub(super) body_yaw: Radians,
    pub(super) antennas: Antennas,
}

impl Aim {
    /// Returns the neutral posture: awake, at rest, looking ahead.
    #[must_use]
    pub fn neutral() -> Self {
        Aim::of(&Posture::init())
    }

    /// Returns the aim for the commanded or measured posture before a plan begins.
    #[must_use]
    pub fn of(posture: &Posture) -> Self {
        let angles = posture.head.angles();
        let angles = RollPitchYaw { yaw: (angles.yaw - posture.body_yaw).wrapped(), ..angles };
        let height = posture.head.0.translation.z;
        Aim { angles, height, body_yaw: posture.body_yaw, antennas: posture.antennas }
    }

    pub(super) fn posture(&self) -> Posture {
        Posture { head: self.head(), body_yaw: self.body_yaw, antennas: self.antennas }
    }

    /// Describes what is not neutral: "head left 20 deg, body right 30 deg"; none if everything is neutral.
    pub(super) fn describe(&self) -> Option<String> {
        let neutral = Aim::neutral();
        let mut parts = Vec::new();
        let mut describe_part = |angle: Radians, positive: &str, negative: &str| {
            let word = if angle.value() > 0.0 { positive } else { negative };
            if angle.abs().degrees() > MIN_DESCRIBED {
                parts.push(format!("{word} {} deg", plain(angle.abs().degrees())));
            }
        };
        describe_part(self.angles.yaw, "head left", "head right");
        describe_part(self.angles.pitch, "head down", "head up");
        describe_part(self.angles.roll, "head tilted right", "head tilted left");
        describe_part(self.body_yaw, "body left", "body right");
        describe_part(self.antennas.right - neutral.antennas.right, "right antenna out", "right antenna in");
        describe_part(neutral.antennas.left - self.antennas.left, "left antenna out", "left antenna in");
        if self.height.abs() * 1000.0 > MIN_DESCRIBED {
            let word = if self.height > 0.0 { "raised" } else { "lowered" };
            parts.push(format!("head {word} {} mm", plain(self.height.abs() * 1000.0)));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    pub(super) fn head_at(&self, angles: RollPitchYaw) -> HeadPose {
        HeadPose::new(0.0, 0.0, self.height, RollPitchYaw { yaw: angles.yaw + self.body_yaw, ..angles })
    }

    pub(super) fn head(&self) -> HeadPose {
        self.head_at(self.angles)
    }
}

/// Smallest deviation from neutral that is described, in degrees or millimetres.
const MIN_DESCRIBED: f64 = 0.5;

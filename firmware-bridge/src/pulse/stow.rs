//! The way by which the head is laid down: joint by joint and smoothly, from wherever the body is commanded to be.
//!
//! It is computed beat by beat and needs no memory of its own, so that it can begin on any beat. A head that stands far
//! from where it is laid down comes back to the middle first: between any reachable place and the middle, and between
//! the middle and where it is laid down, the straight way of the joints keeps the head inside its limits. The envelope
//! watches over it all the same.

use std::time::Duration;

use crate::joint::{Joint, Joints};
use crate::kinematics::{Unreachable, joints_from_posture};
use crate::motion::Interpolation;
use crate::posture::Posture;
use crate::units::Radians;

/// A leg that stands farther than this from where it is laid down goes by the middle.
const FAR: Radians = Radians(0.35);
/// The mean speed of the joint that has the longest way, rad/s.
const PACE: f64 = 0.9;
/// The shortest time for one way.
const SHORTEST: Duration = Duration::from_millis(300);

/// Where the joints are when the head is in the middle and when it is laid down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    middle: Joints,
    low: Joints,
}

/// A head on its way down.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stow {
    from: Joints,
    to: Joints,
    /// Where it goes after that.
    then: Option<Joints>,
    passed: Duration,
    lasts: Duration,
}

impl Places {
    /// The official poses.
    ///
    /// # Errors
    /// Never with the measures of this robot.
    pub fn official() -> Result<Places, Unreachable> {
        Ok(Places {
            middle: joints_from_posture(&Posture::init())?,
            low: joints_from_posture(&Posture::sleep())?,
        })
    }

    /// The way down from `from`; the body keeps its angle.
    pub fn way_from(&self, from: Joints) -> Stow {
        let keep = |mut to: Joints| {
            to[Joint::BodyYaw] = from[Joint::BodyYaw];
            to
        };
        let (middle, low) = (keep(self.middle), keep(self.low));
        let is_far = Joint::STEWART.iter().any(|leg| (from[*leg] - low[*leg]).abs() > FAR);
        if is_far {
            // The antennas go all the way at once.
            let mut middle = middle;
            for antenna in [Joint::RightAntenna, Joint::LeftAntenna] {
                middle[antenna] = low[antenna];
            }
            Stow { then: Some(low), ..Stow::between(from, middle) }
        } else {
            Stow::between(from, low)
        }
    }
}

impl Stow {
    fn between(from: Joints, to: Joints) -> Stow {
        let farthest = from.zip_with(&to, |a, b| (b - a).abs().value());
        let farthest = farthest.iter().map(|(_, way)| *way).fold(0.0, f64::max);
        let lasts = SHORTEST.max(Duration::from_secs_f64(farthest / PACE));
        Stow { from, to, then: None, passed: Duration::ZERO, lasts }
    }

    /// The next wish; none when the head has been told to be all the way down.
    pub fn next(&mut self, period: Duration) -> Option<Joints> {
        if self.passed >= self.lasts {
            *self = Stow::between(self.to, self.then.take()?);
        }
        self.passed += period;
        let share = Interpolation::Minjerk.share(self.passed.as_secs_f64() / self.lasts.as_secs_f64());
        Some(self.from.zip_with(&self.to, |from, to| from + (to - from) * share))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kinematics::posture_from_joints;
    use crate::limits::Limits;
    use crate::posture::{HeadPose, RollPitchYaw};

    const BEAT: Duration = Duration::from_millis(10);

    proptest! {
        #[test]
        fn from_any_pose_the_way_down_stays_inside_the_limits_and_arrives(
            x in -0.02..0.02_f64, y in -0.02..0.02_f64, z in -0.03..0.02_f64,
            roll in -35.0..35.0_f64, pitch in -35.0..35.0_f64, yaw in -60.0..60.0_f64, body in -2.0..2.0_f64,
        ) {
            let [roll, pitch, turn] = [roll, pitch, yaw].map(Radians::from_degrees);
            let angles = RollPitchYaw { roll, pitch, yaw: turn + Radians(body) };
            let posture = Posture {
                head: HeadPose::new(x, y, z, angles), body_yaw: Radians(body), ..Posture::init()
            };
            let limits = Limits::default();
            let Ok(start) = joints_from_posture(&posture) else { return Ok(()) };
            for leg in Joint::STEWART {
                prop_assume!(start[leg] > limits.joints[leg].low && start[leg] < limits.joints[leg].high);
            }
            let mut way = Places::official().unwrap().way_from(start);
            let (mut seed, mut last) = (posture.head, start);
            while let Some(wish) = way.next(BEAT) {
                let at = posture_from_joints(&wish, &seed).unwrap();
                let RollPitchYaw { roll, pitch, .. } = at.head.angles();
                prop_assert!(roll.abs() <= limits.head_roll && pitch.abs() <= limits.head_pitch, "{roll} {pitch}");
                seed = at.head;
                last = wish;
            }
            let low = joints_from_posture(&Posture::sleep()).unwrap();
            for leg in Joint::STEWART {
                prop_assert!((last[leg] - low[leg]).abs().value() < 1e-9);
            }
            prop_assert_eq!(last[Joint::BodyYaw], Radians(body));
        }
    }
}

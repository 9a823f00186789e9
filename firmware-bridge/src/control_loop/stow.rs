//! The path on which the head is lowered: joint by joint and smoothly, from any commanded position.
//!
//! The path is computed cycle by cycle and needs no allocation, so it can begin in any cycle. A head far from the sleep
//! pose returns to the neutral pose first. From any reachable pose to the neutral pose, and from there to the sleep
//! pose, a straight path of the joints keeps the head inside its limits. The envelope limits it in any case.

use std::time::Duration;

use crate::joint::{Joint, Joints};
use crate::kinematics::{InverseKinematicsError, joints_from_posture};
use crate::motion::Interpolation;
use crate::posture::Posture;
use crate::units::Radians;

/// A leg farther than this from the sleep pose moves through the neutral pose.
const MAX_STOW_STEP: Radians = Radians(0.35);
/// The mean velocity of the joint with the longest path, rad/s.
const STOW_VELOCITY: f64 = 0.9;
/// The minimum duration of one segment.
const MIN_SEGMENT_DURATION: Duration = Duration::from_millis(300);

/// The joints in the neutral pose and in the sleep pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct StowPoses {
    neutral: Joints,
    stowed: Joints,
}

/// A head that is being lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stow {
    from: Joints,
    to: Joints,
    /// The next segment's end, if any.
    next_pose: Option<Joints>,
    elapsed: Duration,
    duration: Duration,
}

impl StowPoses {
    /// Returns the official poses.
    ///
    /// # Errors
    /// None with the dimensions of this robot.
    pub fn official() -> Result<StowPoses, InverseKinematicsError> {
        Ok(StowPoses {
            neutral: joints_from_posture(&Posture::init())?,
            stowed: joints_from_posture(&Posture::sleep())?,
        })
    }

    /// Returns the path down from `from`; the body yaw stays unchanged.
    pub fn path_from(&self, from: Joints) -> Stow {
        let keep_yaw = |mut to: Joints| {
            to[Joint::BodyYaw] = from[Joint::BodyYaw];
            to
        };
        let (middle, low) = (keep_yaw(self.neutral), keep_yaw(self.stowed));
        let is_far = Joint::STEWART.iter().any(|leg| (from[*leg] - low[*leg]).abs() > MAX_STOW_STEP);
        if is_far {
            // The antennas move to the sleep pose directly.
            let mut middle = middle;
            for antenna in [Joint::RightAntenna, Joint::LeftAntenna] {
                middle[antenna] = low[antenna];
            }
            Stow { next_pose: Some(low), ..Stow::segment(from, middle) }
        } else {
            Stow::segment(from, low)
        }
    }
}

impl Stow {
    fn segment(from: Joints, to: Joints) -> Stow {
        let farthest = from.zip_with(&to, |a, b| (b - a).abs().value());
        let farthest = farthest.iter().map(|(_, way)| *way).fold(0.0, f64::max);
        let duration = MIN_SEGMENT_DURATION.max(Duration::from_secs_f64(farthest / STOW_VELOCITY));
        Stow { from, to, next_pose: None, elapsed: Duration::ZERO, duration }
    }

    /// Returns the next setpoint, or `None` after the last one.
    pub fn next(&mut self, period: Duration) -> Option<Joints> {
        if self.elapsed >= self.duration {
            *self = Stow::segment(self.to, self.next_pose.take()?);
        }
        self.elapsed += period;
        let share = Interpolation::Minjerk.progress(self.elapsed.as_secs_f64() / self.duration.as_secs_f64());
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

    const CYCLE_PERIOD: Duration = Duration::from_millis(10);

    proptest! {
        #[test]
        fn path_from_any_pose_stays_inside_the_limits_and_arrives(
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
                prop_assume!(start[leg] > limits.joints[leg].min_position && start[leg] < limits.joints[leg].max_position);
            }
            let mut way = StowPoses::official().unwrap().path_from(start);
            let (mut seed, mut last) = (posture.head, start);
            while let Some(setpoint) = way.next(CYCLE_PERIOD) {
                let at = posture_from_joints(&setpoint, &seed).unwrap();
                let RollPitchYaw { roll, pitch, .. } = at.head.angles();
                prop_assert!(roll.abs() <= limits.head_roll && pitch.abs() <= limits.head_pitch, "{roll} {pitch}");
                seed = at.head;
                last = setpoint;
            }
            let low = joints_from_posture(&Posture::sleep()).unwrap();
            for leg in Joint::STEWART {
                prop_assert!((last[leg] - low[leg]).abs().value() < 1e-9);
            }
            prop_assert_eq!(last[Joint::BodyYaw], Radians(body));
        }
    }
}

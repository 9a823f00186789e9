//! The cycles of a rehearsal for display: in degrees, and with the head pose computed from the legs.

use firmware_bridge::joint::Joints;
use firmware_bridge::motion_log::LoggedCycle;

use minismith_control::trace::{Finder, Head};

/// One cycle.
#[derive(Clone, Copy, Debug)]
pub struct PoseSample {
    /// Goal positions of the motors, degrees.
    pub goal: Joints<f64>,
    /// Present positions of the motors, degrees.
    pub present: Joints<f64>,
    /// Head pose computed from the goals, or `None` if forward kinematics fails.
    pub goal_head: Option<Head>,
    /// Head pose computed from the present positions.
    pub present_head: Option<Head>,
}

/// Computes the head pose of each cycle, starting from that of the cycle before.
#[must_use]
pub fn pose_samples(cycles: &[LoggedCycle]) -> Vec<PoseSample> {
    let (mut goal, mut present) = (Finder::default(), Finder::default());
    let degrees = |joints: &Joints| joints.map(|angle| angle.degrees());
    let moment = |cycle: &LoggedCycle| PoseSample {
        goal: degrees(&cycle.goal),
        present: degrees(&cycle.present),
        goal_head: goal.find(&cycle.goal),
        present_head: present.find(&cycle.present),
    };
    cycles.iter().map(moment).collect()
}

#[cfg(test)]
mod tests {
    use firmware_bridge::joint::Joint;
    use firmware_bridge::kinematics::joints_from_posture;
    use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
    use firmware_bridge::units::Radians;

    use super::*;

    #[test]
    fn head_yaw_is_relative_to_the_body() {
        let angles = RollPitchYaw {
            roll: Radians::from_degrees(5.0),
            pitch: Radians::from_degrees(-10.0),
            yaw: Radians::from_degrees(50.0),
        };
        let posture = Posture {
            head: HeadPose::new(0.0, 0.0, 0.0, angles),
            body_yaw: Radians::from_degrees(30.0),
            ..Posture::init()
        };
        let joints = joints_from_posture(&posture).unwrap();
        let [moment] = pose_samples(&[LoggedCycle { goal: joints, present: joints }]).try_into().unwrap();
        let found = moment.present_head.unwrap().angles_deg;
        for (found, expected) in found.into_iter().zip([5.0, -10.0, 20.0]) {
            assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
        }
        assert!((moment.goal[Joint::BodyYaw] - 30.0).abs() < 1e-9);
    }
}

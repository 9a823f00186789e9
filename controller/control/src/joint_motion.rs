//! Motions of single joints, without a planned head pose.

use std::time::Duration;

use firmware_bridge::joint::Joints;
use firmware_bridge::kinematics::{ForwardKinematicsError, posture_from_joints};
use firmware_bridge::motion::{Interpolation, MAX_DURATION, Trajectory};
use firmware_bridge::posture::HeadPose;

/// The reason why joints cannot move to a goal.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum JointMotionError {
    /// No head pose has these leg angles.
    #[error("the angles give no head pose: {0}")]
    NoPose(#[from] ForwardKinematicsError),
    /// The duration is zero or too long.
    #[error("the duration is {:.3} s; it must be more than 0 and at most {} s", .0.as_secs_f64(), MAX_DURATION.as_secs())]
    BadDuration(Duration),
}

/// Returns one setpoint per cycle on the straight path between two sets of joints, with a minimum-jerk profile.
///
/// # Errors
/// Returns an error if no head pose has the goal's angles, or if the duration is zero or too long.
pub fn trajectory(
    from: &Joints,
    goal: &Joints,
    over: Duration,
    period: Duration,
) -> Result<Trajectory, JointMotionError> {
    if over.is_zero() || over > MAX_DURATION {
        return Err(JointMotionError::BadDuration(over));
    }
    let target = posture_from_joints(goal, &HeadPose::neutral())?;
    let cycles = over.as_nanos().div_ceil(period.as_nanos().max(1));
    let setpoint = |cycle: u128| {
        let share = Interpolation::Minjerk.progress(cycle as f64 * period.as_secs_f64() / over.as_secs_f64());
        if cycle == cycles { *goal } else { from.zip_with(goal, |from, goal| from + (goal - from) * share) }
    };
    Ok(Trajectory { setpoints: (1..=cycles).map(setpoint).collect(), target, adjustments: Vec::new() })
}

#[cfg(test)]
mod tests {
    use firmware_bridge::joint::Joint;
    use firmware_bridge::units::Radians;

    use super::*;
    use crate::robot::initial_joints;

    const PERIOD: Duration = Duration::from_millis(10);

    #[test]
    fn a_trajectory_has_one_setpoint_a_cycle_and_ends_at_its_goal() {
        let from = initial_joints();
        let mut goal = from;
        goal[Joint::LeftAntenna] += Radians(1.0);
        let plan = |over: f64| trajectory(&from, &goal, Duration::from_secs_f64(over), PERIOD);
        let setpoints = plan(0.995).unwrap().setpoints;
        assert_eq!((setpoints.len(), setpoints.last()), (100, Some(&goal)));
        let at: Vec<f64> = setpoints.iter().map(|setpoint| setpoint[Joint::LeftAntenna].value()).collect();
        assert!(at.is_sorted() && (at[49] - from[Joint::LeftAntenna].value() - 0.5).abs() < 0.02, "{at:?}");
        assert!(setpoints.iter().all(|setpoint| setpoint[Joint::Stewart3] == from[Joint::Stewart3]));
        assert_eq!(plan(0.001).unwrap().setpoints, [goal]);
        assert!(matches!(plan(0.0), Err(JointMotionError::BadDuration(_))));
        assert!(matches!(plan(601.0), Err(JointMotionError::BadDuration(_))));
        goal[Joint::Stewart1] = Radians(-0.8);
        goal[Joint::Stewart2] = Radians(-1.3);
        goal[Joint::Stewart4] = Radians(0.8);
        let apart = trajectory(&from, &goal, Duration::from_secs(1), PERIOD);
        assert!(matches!(apart, Err(JointMotionError::NoPose(_))), "{apart:?}");
    }
}

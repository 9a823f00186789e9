//! Nine joints in process: the [`Robot`] that rehearsal moves.
//!
//! Responsibilities: to answer as nine servos on a bus would, beat by beat. Threads: none of its own. Units: radians;
//! positions in whole encoder counts, as a servo takes and reports them. Safety: as in a servo, a goal outside the
//! motor's own limits is refused and the old goal stays; without torque nothing moves.

use firmware_bridge::clock::Tick;
use firmware_bridge::envelope::{Action, SafeCommand};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::robot::{JointState, Robot, RobotFault};

use crate::dynamics::{JointDynamics, Variation};
use crate::motor::{Motor, angle_from_counts, counts_from_angle};

/// A body without a bus. It starts at rest with torque off, like servos that have just got power.
#[derive(Clone, Debug)]
pub struct MockRobot {
    joints: Joints<JointDynamics>,
    /// Goal of each motor in counts.
    goals: Joints<i32>,
    torque: Joints<bool>,
    /// The moment up to which the joints have moved; none before the first beat.
    moved_to: Option<Tick>,
}

impl MockRobot {
    /// A body at `start` that differs from the nominal one by `variation`.
    #[must_use]
    pub fn new(start: Joints, variation: Variation) -> Self {
        MockRobot {
            joints: Joints::from_fn(|joint| JointDynamics::new(joint, start[joint], variation)),
            goals: start.map(counts_from_angle),
            torque: Joints::all(false),
            moved_to: None,
        }
    }

    /// One beat: the joints move up to `at` as they were told before, then the action counts.
    pub(crate) fn act(&mut self, at: Tick, action: &Action) -> JointState {
        self.advance(at);
        self.apply(action);
        self.state(at)
    }

    fn advance(&mut self, at: Tick) {
        let over = at.since(self.moved_to.unwrap_or(at));
        self.moved_to = Some(self.moved_to.map_or(at, |moved_to| moved_to.max(at)));
        for joint in Joint::ALL {
            let goal = self.torque[joint].then(|| angle_from_counts(self.goals[joint]));
            self.joints[joint].advance(goal, over);
        }
    }

    fn apply(&mut self, action: &Action) {
        match action {
            Action::Targets(targets) => {
                for (joint, target) in targets.iter() {
                    let goal = counts_from_angle(*target);
                    if target.is_finite() && Motor::of(joint).takes(goal) {
                        self.goals[joint] = goal;
                    }
                }
            }
            Action::Torque(torque) => {
                for (joint, &on) in torque.iter() {
                    if on && !self.torque[joint] {
                        self.goals[joint] = self.present(joint);
                    }
                    self.torque[joint] = on;
                }
            }
            Action::Reboot(joint) => {
                self.torque[*joint] = false;
                self.goals[*joint] = self.present(*joint);
            }
            Action::Modes(_) | Action::Currents(_) | Action::Gains(..) => {}
        }
    }

    fn present(&self, joint: Joint) -> i32 {
        counts_from_angle(self.joints[joint].position())
    }

    fn state(&self, at: Tick) -> JointState {
        let present = Joints::from_fn(|joint| angle_from_counts(self.present(joint)));
        JointState::well(at, present, self.torque)
    }
}

impl Robot for MockRobot {
    fn sense(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        self.advance(at);
        Ok(self.state(at))
    }

    fn beat(&mut self, at: Tick, command: &SafeCommand) -> Result<JointState, RobotFault> {
        Ok(self.act(at, command.action()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use firmware_bridge::units::Radians;

    const BEAT: Duration = Duration::from_millis(10);

    /// Ten milliseconds a beat, with actions that the tests need no envelope to make.
    fn play(robot: &mut MockRobot, from: Tick, actions: &[Action]) -> (Tick, JointState) {
        let mut at = from;
        for action in actions {
            at = at + BEAT;
            robot.act(at, action);
        }
        (at, robot.state(at))
    }

    fn targets(radians: f64) -> Action {
        Action::Targets(Joints::all(Radians(radians)))
    }

    #[test]
    fn it_follows_only_with_torque_and_reports_whole_counts() {
        let mut robot = MockRobot::new(Joints::all(Radians(0.1)), Variation::default());
        let (at, state) = play(&mut robot, Tick::ZERO, &vec![targets(0.3); 100]);
        let rest = state.present().unwrap();
        assert!(rest.iter().all(|(_, angle)| (angle.value() - 0.1).abs() < 0.0008));

        let (at, state) = play(&mut robot, at, &[Action::Torque(Joints::all(true))]);
        assert!(state.torque.iter().all(|(_, on)| *on));
        let (at, state) = play(&mut robot, at, &vec![Action::Torque(Joints::all(true)); 100]);
        assert_eq!(state.present().unwrap(), rest, "torque pins the goal to where the joint is");

        let (_, state) = play(&mut robot, at, &vec![targets(0.3); 200]);
        let there = angle_from_counts(counts_from_angle(Radians(0.3)));
        assert_eq!(state.present().unwrap(), Joints::all(there));
    }

    #[test]
    fn a_goal_beyond_a_servos_limits_is_refused_by_that_servo_only() {
        let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let (at, _) = play(&mut robot, Tick::ZERO, &[Action::Torque(Joints::all(true))]);
        // 60 degrees down: beyond stewart_1 (-48), within stewart_2 (-80).
        let (_, state) = play(&mut robot, at, &vec![targets(-60.0_f64.to_radians()); 200]);
        let present = state.present().unwrap();
        assert_eq!(present[Joint::Stewart1], Radians::ZERO);
        assert!((present[Joint::Stewart2].degrees() + 60.0).abs() < 0.1);
    }

    #[test]
    fn no_goal_that_is_not_a_number_moves_anything() {
        let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let (at, _) = play(&mut robot, Tick::ZERO, &[Action::Torque(Joints::all(true))]);
        for bad in [f64::NAN, f64::INFINITY, -1e300] {
            let (_, state) = play(&mut robot, at, &vec![targets(bad); 20]);
            assert_eq!(state.present().unwrap(), Joints::all(Radians::ZERO));
        }
    }

    #[test]
    fn a_reboot_takes_the_torque_of_one_motor() {
        let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let actions = [Action::Torque(Joints::all(true)), targets(0.5), Action::Reboot(Joint::Stewart2)];
        let (at, _) = play(&mut robot, Tick::ZERO, &actions);
        let (_, state) = play(&mut robot, at, &vec![targets(0.5); 200]);
        assert!(!state.torque[Joint::Stewart2] && state.torque[Joint::Stewart1]);
        let present = state.present().unwrap();
        assert!((present[Joint::Stewart1].value() - 0.5).abs() < 0.001);
        assert!(present[Joint::Stewart2].value() < 0.1);
    }

    #[test]
    fn the_same_beats_give_the_same_body_and_sensing_does_not_disturb_it() {
        let mut once = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let mut again = once.clone();
        let mut actions = vec![Action::Torque(Joints::all(true))];
        actions.extend((0..100).map(|beat| targets(f64::from(beat) * 0.005)));
        let (at, first) = play(&mut once, Tick::ZERO, &actions);
        let mut now = Tick::ZERO;
        for action in &actions {
            again.sense(now + BEAT / 2).unwrap();
            now = now + BEAT;
            again.act(now, action);
        }
        assert_eq!(again.sense(at).unwrap(), first);
    }
}

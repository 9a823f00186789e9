//! Nine simulated joints in process: the [`Robot`] of rehearsals.
//!
//! Responsibilities: answers like nine servos on a bus, cycle by cycle.
//!
//! Threads: none of its own. Units: radians; positions are whole encoder counts, as in a servo.
//!
//! Safety: as in a servo, a goal outside the motor's own limits is rejected and the old goal stays. A servo that
//! becomes too hot releases until it reboots.

use firmware_bridge::clock::Timestamp;
use firmware_bridge::envelope::{Action, SafeCommand};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::robot::{JointState, Robot, RobotError};
use firmware_bridge::servo::{HardwareError, HardwareErrorStatus, Milliamps, MotorHealth, OperatingMode};

use crate::body::RobotRuntime;
use crate::dynamics::{Drive, Variation};
use crate::motor::{Motor, RATED_VOLTS, TEMPERATURE_LIMIT, angle_from_counts, counts_from_angle};

/// A robot without a bus. It starts at rest with torque off, like servos that were just powered on, and with the gains
/// that a controller writes at start.
#[derive(Clone, Debug)]
pub struct MockRobot {
    body: RobotRuntime,
    /// The goal of each motor, counts.
    goals: Joints<i32>,
    torque: Joints<bool>,
    modes: Joints<OperatingMode>,
    /// The goal current of each motor.
    currents: Joints<Milliamps>,
    errors: Joints<HardwareErrorStatus>,
    /// The time up to which the joints have moved; `None` before the first cycle.
    advanced_to: Option<Timestamp>,
}

impl MockRobot {
    /// Creates a robot at `start` that differs from the nominal one by `variation`.
    #[must_use]
    pub fn new(start: Joints, variation: Variation) -> Self {
        MockRobot::varied(start, &Joints::all(variation))
    }

    /// Creates a robot at `start` in which each joint has its own variation.
    #[must_use]
    pub fn varied(start: Joints, variation: &Joints<Variation>) -> Self {
        MockRobot {
            body: RobotRuntime::new(start, variation, RATED_VOLTS),
            goals: start.map(counts_from_angle),
            torque: Joints::all(false),
            modes: Joints::all(OperatingMode::Position),
            currents: Joints::all(Milliamps(0.0)),
            errors: Joints::all(HardwareErrorStatus::NONE),
            advanced_to: None,
        }
    }

    /// Runs one cycle: the joints move up to `at` under the earlier commands, then the action takes effect.
    pub(crate) fn act(&mut self, at: Timestamp, action: &Action) -> JointState {
        self.advance(at);
        self.apply(action);
        self.state(at)
    }

    fn advance(&mut self, at: Timestamp) {
        let from = self.advanced_to.unwrap_or(at);
        self.advanced_to = Some(from.max(at));
        let drives = Joints::from_fn(|joint| self.drive(joint));
        self.body.advance(&drives, from, at);
        for joint in Joint::ALL {
            if self.body.celsius(joint) > TEMPERATURE_LIMIT {
                self.errors[joint].0 |= HardwareError::Overheating.bit();
                self.torque[joint] = false;
            }
        }
    }

    fn drive(&self, joint: Joint) -> Drive {
        let goal = angle_from_counts(self.goals[joint]);
        let torque = Motor::of(joint).torque(self.currents[joint]);
        match self.modes[joint] {
            _ if !self.torque[joint] => Drive::TorqueOff,
            OperatingMode::Position => Drive::Position { goal, max_torque: f64::INFINITY },
            OperatingMode::CurrentBasedPosition => Drive::Position { goal, max_torque: torque.abs() },
            OperatingMode::Current => Drive::Torque(torque),
        }
    }

    fn apply(&mut self, action: &Action) {
        match action {
            Action::Targets(targets) => {
                for (joint, target) in targets.iter() {
                    let goal = counts_from_angle(*target);
                    // A servo in current mode ignores the goal position; in current-based position mode, it accepts
                    // any.
                    let taken = Motor::of(joint).accepts(goal)
                        || self.modes[joint] == OperatingMode::CurrentBasedPosition;
                    if target.is_finite() && taken {
                        self.goals[joint] = goal;
                    }
                }
            }
            Action::Torque(torque) => {
                for (joint, &on) in torque.iter() {
                    let on = on && self.errors[joint].is_empty();
                    if on && !self.torque[joint] {
                        self.goals[joint] = self.present(joint);
                    }
                    self.torque[joint] = on;
                }
            }
            Action::Reboot(joint) => {
                self.torque[*joint] = false;
                self.goals[*joint] = self.present(*joint);
                self.currents[*joint] = Milliamps(0.0);
                self.errors[*joint] = HardwareErrorStatus::NONE;
            }
            Action::Modes(modes) => {
                for (joint, &mode) in modes.iter() {
                    if self.modes[joint] != mode {
                        self.modes[joint] = mode;
                        self.goals[joint] = self.present(joint);
                        self.currents[joint] = Motor::of(joint).first_current(mode);
                    }
                }
            }
            Action::Currents(currents) => {
                for (joint, current) in currents.iter() {
                    if Motor::of(joint).accepts_current(*current) {
                        // The register contains whole milliamperes.
                        self.currents[joint] = Milliamps(current.0.round());
                    }
                }
            }
            Action::Gains(joint, gains) => self.body.set_gains(*joint, *gains),
        }
    }

    fn present(&self, joint: Joint) -> i32 {
        counts_from_angle(self.body.position(joint))
    }

    fn state(&self, at: Timestamp) -> JointState {
        let present = Joints::from_fn(|joint| angle_from_counts(self.present(joint)));
        let health = |joint| MotorHealth {
            time: at,
            temperature_c: self.body.celsius(joint),
            voltage_v: self.body.volts(),
            current: self.body.current(joint),
        };
        JointState {
            modes: self.modes,
            errors: self.errors,
            health: Joints::from_fn(|joint| Some(health(joint))),
            ..JointState::healthy(at, present, self.torque)
        }
    }
}

impl Robot for MockRobot {
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        self.advance(at);
        Ok(self.state(at))
    }

    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError> {
        Ok(self.act(at, command.action()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use firmware_bridge::kinematics::joints_from_posture;
    use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
    use firmware_bridge::servo::Gains;
    use firmware_bridge::units::Radians;

    use crate::gravity::Gravity;

    const CYCLE_PERIOD: Duration = Duration::from_millis(10);

    /// Runs cycles of ten milliseconds, with actions that tests create without an envelope.
    fn play(robot: &mut MockRobot, from: Timestamp, actions: &[Action]) -> (Timestamp, JointState) {
        let mut at = from;
        for action in actions {
            at = at + CYCLE_PERIOD;
            robot.act(at, action);
        }
        (at, robot.state(at))
    }

    fn targets(radians: f64) -> Action {
        Action::Targets(Joints::all(Radians(radians)))
    }

    #[test]
    fn robot_moves_only_with_torque_and_reports_whole_counts() {
        let mut robot = MockRobot::new(Joints::all(Radians(0.1)), Variation::default());
        let (at, state) = play(&mut robot, Timestamp::ZERO, &vec![targets(0.3); 100]);
        let rest = state.present().unwrap();
        assert!(rest.iter().all(|(_, angle)| (angle.value() - 0.1).abs() < 0.0008));

        let (at, state) = play(&mut robot, at, &[Action::Torque(Joints::all(true))]);
        assert!(state.torque.iter().all(|(_, on)| *on));
        let (at, state) = play(&mut robot, at, &vec![Action::Torque(Joints::all(true)); 100]);
        assert_eq!(state.present().unwrap(), rest, "enabling torque sets the goal to the present position");

        let (_, state) = play(&mut robot, at, &vec![targets(0.3); 200]);
        let there = angle_from_counts(counts_from_angle(Radians(0.3)));
        assert_eq!(state.present().unwrap(), Joints::all(there));
    }

    #[test]
    fn goal_outside_one_servos_limits_is_rejected_by_it_alone() {
        let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let (at, _) = play(&mut robot, Timestamp::ZERO, &[Action::Torque(Joints::all(true))]);
        // 60 degrees down: beyond stewart_1 (-48), within stewart_2 (-80).
        let (_, state) = play(&mut robot, at, &vec![targets(-60.0_f64.to_radians()); 200]);
        let present = state.present().unwrap();
        assert_eq!(present[Joint::Stewart1], Radians::ZERO);
        assert!((present[Joint::Stewart2].degrees() + 60.0).abs() < 0.1);
    }

    #[test]
    fn non_finite_goal_moves_nothing() {
        let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let (at, _) = play(&mut robot, Timestamp::ZERO, &[Action::Torque(Joints::all(true))]);
        for bad in [f64::NAN, f64::INFINITY, -1e300] {
            let (_, state) = play(&mut robot, at, &vec![targets(bad); 20]);
            assert_eq!(state.present().unwrap(), Joints::all(Radians::ZERO));
        }
    }

    #[test]
    fn reboot_disables_the_torque_of_one_motor() {
        let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let actions = [Action::Torque(Joints::all(true)), targets(0.5), Action::Reboot(Joint::Stewart2)];
        let (at, _) = play(&mut robot, Timestamp::ZERO, &actions);
        let (_, state) = play(&mut robot, at, &vec![targets(0.5); 200]);
        assert!(!state.torque[Joint::Stewart2] && state.torque[Joint::Stewart1]);
        let present = state.present().unwrap();
        assert!((present[Joint::Stewart1].value() - 0.5).abs() < 0.001);
        assert!(present[Joint::Stewart2].value() < 0.1);
    }

    /// Pitched as far as the head goes, where its weight exceeds the gears' friction.
    fn pitched() -> Joints {
        let angles = RollPitchYaw { pitch: Radians::from_degrees(39.0), ..RollPitchYaw::default() };
        let head = HeadPose::new(0.0, 0.0, 0.0, angles);
        joints_from_posture(&Posture { head, ..Posture::init() }).unwrap()
    }

    fn farthest(state: &JointState, from: &Joints) -> f64 {
        let present = state.present().unwrap();
        Joint::STEWART
            .into_iter()
            .fold(0.0, |most, joint| (present[joint] - from[joint]).abs().value().max(most))
    }

    #[test]
    fn goal_current_supports_the_head_or_lets_it_sink() {
        let start = pitched();
        let after = |share: f64| {
            let mut robot = MockRobot::new(start, Variation::default());
            let loads = *Gravity::on(start.stewart()).loads();
            let mut currents = Joints::all(Milliamps(0.0));
            for (joint, load) in Joint::STEWART.into_iter().zip(loads) {
                currents[joint] = Milliamps(-1000.0 * share * load / 0.52 * 1.47);
            }
            let actions = [
                Action::Modes(Joints::all(OperatingMode::Current)),
                Action::Currents(currents),
                Action::Torque(Joints::all(true)),
            ];
            let (at, _) = play(&mut robot, Timestamp::ZERO, &actions);
            let (_, state) = play(&mut robot, at, &vec![Action::Currents(currents); 300]);
            assert_eq!(state.modes, Joints::all(OperatingMode::Current));
            state
        };
        // The head sinks a little before torque is on.
        let (supported, sunk) = (farthest(&after(1.0), &start), farthest(&after(0.0), &start));
        assert!(supported < 0.04 && sunk > 2.0 * supported, "{supported} {sunk}");
        let current = after(1.0).health[Joint::Stewart2].unwrap().current;
        assert!(current.0.abs() > 100.0, "{current}");
    }

    #[test]
    fn low_current_limit_does_not_overcome_friction() {
        let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let actions = [
            Action::Modes(Joints::all(OperatingMode::CurrentBasedPosition)),
            Action::Torque(Joints::all(true)),
            Action::Currents(Joints::all(Milliamps(0.0))),
        ];
        let (at, _) = play(&mut robot, Timestamp::ZERO, &actions);
        let (at, state) = play(&mut robot, at, &vec![targets(0.2); 100]);
        assert!(state.present().unwrap()[Joint::LeftAntenna].value() < 0.01);
        let (at, _) = play(&mut robot, at, &[Action::Currents(Joints::all(Milliamps(400.0)))]);
        let (_, state) = play(&mut robot, at, &vec![targets(0.2); 200]);
        assert!((state.present().unwrap()[Joint::LeftAntenna].value() - 0.2).abs() < 0.001);
    }

    #[test]
    fn softer_gains_respond_more_slowly() {
        let after = |gain| {
            let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
            let gains = Action::Gains(Joint::LeftAntenna, Gains { p: gain, i: 0, d: 0 });
            let (at, _) = play(&mut robot, Timestamp::ZERO, &[Action::Torque(Joints::all(true)), gains]);
            let (_, state) = play(&mut robot, at, &[targets(0.2); 5]);
            state.present().unwrap()[Joint::LeftAntenna].value()
        };
        assert!(after(50) < 0.7 * after(200), "{} {}", after(50), after(200));
    }

    #[test]
    fn overheated_servo_releases_until_reboot() {
        let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let (at, _) = play(&mut robot, Timestamp::ZERO, &[Action::Torque(Joints::all(true))]);
        robot.body.heat(Joint::BodyYaw, TEMPERATURE_LIMIT + 0.05);
        let (at, state) = play(&mut robot, at, &[targets(0.0), Action::Torque(Joints::all(true))]);
        assert!(state.errors[Joint::BodyYaw].contains(HardwareError::Overheating));
        assert!(!state.torque[Joint::BodyYaw] && state.torque[Joint::Stewart1]);
        let (at, _) = play(&mut robot, at, &vec![targets(0.0); 100]);
        let (at, state) = play(&mut robot, at, &[Action::Reboot(Joint::BodyYaw)]);
        assert_eq!(state.errors, Joints::all(HardwareErrorStatus::NONE));
        let (_, state) = play(&mut robot, at, &[Action::Torque(Joints::all(true))]);
        assert!(state.is_driven());
    }

    #[test]
    fn same_cycles_give_the_same_state_and_reading_changes_nothing() {
        let mut once = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let mut again = once.clone();
        let mut actions = vec![Action::Torque(Joints::all(true))];
        actions.extend((0..100).map(|cycle| targets(f64::from(cycle) * 0.005)));
        let (at, first) = play(&mut once, Timestamp::ZERO, &actions);
        let mut now = Timestamp::ZERO;
        for action in &actions {
            again.read_state(now + CYCLE_PERIOD / 2).unwrap();
            now = now + CYCLE_PERIOD;
            again.act(now, action);
        }
        assert_eq!(again.read_state(at).unwrap(), first);
    }
}

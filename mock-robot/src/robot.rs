//! Nine joints in process: the [`Robot`] that rehearsal moves.
//!
//! Responsibilities: to answer as nine servos on a bus would, beat by beat. Threads: none of its own. Units: radians;
//! positions in whole encoder counts, as a servo takes and reports them. Safety: as in a servo, a goal outside the
//! motor's own limits is refused and the old goal stays; a servo that becomes too hot lets go until it is rebooted.

use firmware_bridge::clock::Tick;
use firmware_bridge::envelope::{Action, SafeCommand};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::robot::{JointState, Robot, RobotFault};
use firmware_bridge::servo::{HardwareError, HardwareErrors, Health, Milliamps, Mode};

use crate::body::Body;
use crate::dynamics::{Drive, Variation};
use crate::motor::{Motor, RATED_VOLTS, TEMPERATURE_LIMIT, angle_from_counts, counts_from_angle};

/// A body without a bus. It starts at rest with torque off, like servos that have just got power and the gains that a
/// controller writes at start.
#[derive(Clone, Debug)]
pub struct MockRobot {
    body: Body,
    /// Goal of each motor in counts.
    goals: Joints<i32>,
    torque: Joints<bool>,
    modes: Joints<Mode>,
    /// Goal current of each motor.
    currents: Joints<Milliamps>,
    errors: Joints<HardwareErrors>,
    /// The moment up to which the joints have moved; none before the first beat.
    moved_to: Option<Tick>,
}

impl MockRobot {
    /// A body at `start` that differs from the nominal one by `variation`.
    #[must_use]
    pub fn new(start: Joints, variation: Variation) -> Self {
        MockRobot::varied(start, &Joints::all(variation))
    }

    /// A body at `start` of which each joint differs from the nominal one in its own way.
    #[must_use]
    pub fn varied(start: Joints, variation: &Joints<Variation>) -> Self {
        MockRobot {
            body: Body::new(start, variation, RATED_VOLTS),
            goals: start.map(counts_from_angle),
            torque: Joints::all(false),
            modes: Joints::all(Mode::Position),
            currents: Joints::all(Milliamps(0.0)),
            errors: Joints::all(HardwareErrors::NONE),
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
        let from = self.moved_to.unwrap_or(at);
        self.moved_to = Some(from.max(at));
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
            _ if !self.torque[joint] => Drive::Limp,
            Mode::Position => Drive::Position { goal, most: f64::INFINITY },
            Mode::CurrentBasedPosition => Drive::Position { goal, most: torque.abs() },
            Mode::Current => Drive::Torque(torque),
        }
    }

    fn apply(&mut self, action: &Action) {
        match action {
            Action::Targets(targets) => {
                for (joint, target) in targets.iter() {
                    let goal = counts_from_angle(*target);
                    // A servo in current mode has no use for a goal position; in the other, it takes any.
                    let taken =
                        Motor::of(joint).takes(goal) || self.modes[joint] == Mode::CurrentBasedPosition;
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
                self.errors[*joint] = HardwareErrors::NONE;
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
                    if Motor::of(joint).takes_current(*current) {
                        // The register holds whole milliamperes.
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

    fn state(&self, at: Tick) -> JointState {
        let present = Joints::from_fn(|joint| angle_from_counts(self.present(joint)));
        let health = |joint| Health {
            at,
            celsius: self.body.celsius(joint),
            volts: self.body.volts(),
            current: self.body.current(joint),
        };
        JointState {
            modes: self.modes,
            errors: self.errors,
            health: Joints::from_fn(|joint| Some(health(joint))),
            ..JointState::well(at, present, self.torque)
        }
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

    use firmware_bridge::kinematics::joints_from_posture;
    use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
    use firmware_bridge::servo::Gains;
    use firmware_bridge::units::Radians;

    use crate::gravity::Gravity;

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

    /// Nodding as far as the head goes, where its weight is more than the gears hold.
    fn nodding() -> Joints {
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
    fn a_current_bears_the_heads_weight_or_lets_it_sink() {
        let start = nodding();
        let after = |share: f64| {
            let mut robot = MockRobot::new(start, Variation::default());
            let loads = *Gravity::on(start.stewart()).loads();
            let mut currents = Joints::all(Milliamps(0.0));
            for (joint, load) in Joint::STEWART.into_iter().zip(loads) {
                currents[joint] = Milliamps(-1000.0 * share * load / 0.52 * 1.47);
            }
            let actions = [
                Action::Modes(Joints::all(Mode::Current)),
                Action::Currents(currents),
                Action::Torque(Joints::all(true)),
            ];
            let (at, _) = play(&mut robot, Tick::ZERO, &actions);
            let (_, state) = play(&mut robot, at, &vec![Action::Currents(currents); 300]);
            assert_eq!(state.modes, Joints::all(Mode::Current));
            state
        };
        // It sinks a little before its torque is on.
        let (borne, sunk) = (farthest(&after(1.0), &start), farthest(&after(0.0), &start));
        assert!(borne < 0.04 && sunk > 2.0 * borne, "{borne} {sunk}");
        let current = after(1.0).health[Joint::Stewart2].unwrap().current;
        assert!(current.0.abs() > 100.0, "{current}");
    }

    #[test]
    fn a_weak_current_based_position_goes_nowhere_against_its_friction() {
        let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let actions = [
            Action::Modes(Joints::all(Mode::CurrentBasedPosition)),
            Action::Torque(Joints::all(true)),
            Action::Currents(Joints::all(Milliamps(0.0))),
        ];
        let (at, _) = play(&mut robot, Tick::ZERO, &actions);
        let (at, state) = play(&mut robot, at, &vec![targets(0.2); 100]);
        assert!(state.present().unwrap()[Joint::LeftAntenna].value() < 0.01);
        let (at, _) = play(&mut robot, at, &[Action::Currents(Joints::all(Milliamps(400.0)))]);
        let (_, state) = play(&mut robot, at, &vec![targets(0.2); 200]);
        assert!((state.present().unwrap()[Joint::LeftAntenna].value() - 0.2).abs() < 0.001);
    }

    #[test]
    fn softer_gains_follow_later() {
        let after = |gain| {
            let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
            let gains = Action::Gains(Joint::LeftAntenna, Gains { p: gain, i: 0, d: 0 });
            let (at, _) = play(&mut robot, Tick::ZERO, &[Action::Torque(Joints::all(true)), gains]);
            let (_, state) = play(&mut robot, at, &[targets(0.2); 5]);
            state.present().unwrap()[Joint::LeftAntenna].value()
        };
        assert!(after(50) < 0.7 * after(200), "{} {}", after(50), after(200));
    }

    #[test]
    fn a_servo_that_overheats_lets_go_until_it_is_rebooted() {
        let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
        let (at, _) = play(&mut robot, Tick::ZERO, &[Action::Torque(Joints::all(true))]);
        robot.body.heat(Joint::BodyYaw, TEMPERATURE_LIMIT + 0.05);
        let (at, state) = play(&mut robot, at, &[targets(0.0), Action::Torque(Joints::all(true))]);
        assert!(state.errors[Joint::BodyYaw].contains(HardwareError::Overheating));
        assert!(!state.torque[Joint::BodyYaw] && state.torque[Joint::Stewart1]);
        let (at, _) = play(&mut robot, at, &vec![targets(0.0); 100]);
        let (at, state) = play(&mut robot, at, &[Action::Reboot(Joint::BodyYaw)]);
        assert_eq!(state.errors, Joints::all(HardwareErrors::NONE));
        let (_, state) = play(&mut robot, at, &[Action::Torque(Joints::all(true))]);
        assert!(state.is_driven());
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

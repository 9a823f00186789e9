//! The recovery from each fault, on a robot that follows the reactions.

use super::*;
use crate::servo::Health;

const BEAT: Duration = Duration::from_millis(10);
const FAULTY: Joint = Joint::Stewart3;

/// Nine motors that can have faults, under a monitor.
struct FaultyRobot {
    guard: Guard,
    state: JointState,
    now: Tick,
    gone: bool,
    /// A rebooted motor is silent until this time.
    silent_until: Joints<Tick>,
    /// Whether a reboot clears the fault.
    is_curable: bool,
    stowing: Option<u32>,
    reactions: Vec<Reaction>,
}

impl FaultyRobot {
    fn new() -> FaultyRobot {
        let all = Joints::all(true);
        FaultyRobot {
            guard: Guard::new(all),
            state: JointState::well(Tick::ZERO, Joints::default(), all),
            now: Tick::ZERO,
            gone: false,
            silent_until: Joints::all(Tick::ZERO),
            is_curable: true,
            stowing: None,
            reactions: Vec::new(),
        }
    }

    fn beats(&mut self, count: usize, change: impl Fn(&mut JointState)) {
        for _ in 0..count {
            self.now = self.now + BEAT;
            let mut state = self.state;
            change(&mut state);
            for joint in Joint::ALL {
                if self.now < self.silent_until[joint] {
                    state.readings[joint] = Reading::Never;
                }
            }
            let gone = RobotFault::PortGone { reason: "pulled out".into() };
            let sensed = if self.gone { Err(&gone) } else { Ok(&state) };
            self.stowing = self.stowing.map(|left| left.saturating_sub(1));
            let now = Circumstances { at: self.now, at_rest: true, stowed: self.stowing == Some(0) };
            let reaction = self.guard.judge(sensed, now);
            match reaction {
                Reaction::GoOn => continue,
                Reaction::Brake => {}
                Reaction::Reboot(joint) => {
                    self.silent_until[joint] = self.now + Duration::from_millis(250);
                    self.state.torque[joint] = false;
                    if self.is_curable {
                        self.state.errors[joint] = HardwareErrors::NONE;
                    }
                }
                Reaction::Rejoin(_) => self.state.torque = self.guard.wanted(),
                Reaction::Stow => self.stowing = Some(100),
                Reaction::Release => self.state.torque = Joints::all(false),
            }
            self.reactions.push(reaction);
        }
    }

    fn error(&mut self, error: HardwareError, releases: bool) {
        self.state.errors[FAULTY] = HardwareErrors(error.bit());
        self.state.torque[FAULTY] = !releases;
    }

    fn check(&mut self, kind: FaultKind, joint: Option<Joint>, stage: Stage, reactions: &[Reaction]) {
        let status = self.guard.status().unwrap();
        assert_eq!((status.kind, status.joint, status.stage), (kind, joint, stage));
        assert_eq!(status.policy, kind.policy());
        assert_eq!(self.reactions, reactions);
        let may_move = matches!(stage, Stage::Over) || kind.policy() == Policy::RideThrough;
        assert_eq!(self.guard.is_acting(), !may_move);
        assert_eq!(self.guard.fault().is_some(), !may_move);
    }
}

fn only(joint: Joint) -> Joints<bool> {
    Joints::from_fn(|other| other == joint)
}

#[test]
fn released_motor_is_rebooted_and_enabled_again() {
    for (error, releases) in [(HardwareError::Overload, true), (HardwareError::Encoder, false)] {
        let mut robot = FaultyRobot::new();
        robot.error(error, releases);
        robot.beats(100, |_| {});
        let reactions = [Reaction::Brake, Reaction::Reboot(FAULTY), Reaction::Rejoin(only(FAULTY))];
        robot.check(error.into(), Some(FAULTY), Stage::Over, &reactions);
    }
}

#[test]
fn head_is_lowered_after_repeated_releases() {
    let mut robot = FaultyRobot::new();
    for _ in 0..3 {
        robot.error(HardwareError::Overload, true);
        robot.beats(100, |_| {});
    }
    robot.beats(100, |_| {});
    let (brake, reboot, rejoin) = (Reaction::Brake, Reaction::Reboot(FAULTY), Reaction::Rejoin(only(FAULTY)));
    let reactions = [brake, reboot, rejoin, brake, reboot, rejoin, brake, Reaction::Stow, Reaction::Release];
    robot.check(FaultKind::Overload, Some(FAULTY), Stage::GivenUp, &reactions);

    // After a minute without a fault, the motor may reboot again.
    let mut robot = FaultyRobot::new();
    for _ in 0..5 {
        robot.error(HardwareError::Overload, true);
        robot.beats(7_000, |_| {});
    }
    robot.check(FaultKind::Overload, Some(FAULTY), Stage::Over, &[brake, reboot, rejoin].repeat(5));
}

#[test]
fn head_is_lowered_if_a_reboot_does_not_clear_the_fault() {
    let mut robot = FaultyRobot::new();
    robot.is_curable = false;
    robot.error(HardwareError::Encoder, true);
    robot.beats(600, |_| {});
    let reactions = [Reaction::Brake, Reaction::Reboot(FAULTY), Reaction::Stow, Reaction::Release];
    robot.check(FaultKind::Encoder, Some(FAULTY), Stage::GivenUp, &reactions);
}

#[test]
fn overheating_and_shock_lower_the_head_until_torque_is_switched_on() {
    for error in [HardwareError::Overheating, HardwareError::ElectricalShock] {
        let mut robot = FaultyRobot::new();
        robot.error(error, true);
        robot.beats(150, |_| {});
        robot.check(error.into(), Some(FAULTY), Stage::GivenUp, &[Reaction::Stow, Reaction::Release]);
        // The error stays in the servo's memory, so enabling torque begins with a reboot.
        let all = Joints::all(true);
        assert!(robot.guard.clear_errors(all, &robot.state));
        robot.reactions.clear();
        robot.beats(100, |_| {});
        let reactions = [Reaction::Reboot(FAULTY), Reaction::Rejoin(only(FAULTY))];
        robot.check(error.into(), Some(FAULTY), Stage::Over, &reactions);
        assert!(!robot.guard.clear_errors(all, &robot.state));
    }
}

#[test]
fn hot_motor_lowers_the_head_before_it_releases() {
    let mut robot = FaultyRobot::new();
    let health = |celsius, volts| {
        move |state: &mut JointState| {
            let current = crate::servo::Milliamps(100.0);
            state.health[FAULTY] = Some(Health { at: state.at, celsius, volts, current });
        }
    };
    robot.beats(10, health(66.0, 5.0));
    assert_eq!(robot.reactions, []);
    robot.beats(150, health(67.0, 5.0));
    robot.check(FaultKind::Overheating, Some(FAULTY), Stage::GivenUp, &[Reaction::Stow, Reaction::Release]);
}

#[test]
fn low_voltage_holds_until_a_new_measurement_is_normal() {
    let mut robot = FaultyRobot::new();
    let volts = |volts, seen: bool| {
        move |state: &mut JointState| {
            let at = if seen { Tick(u64::MAX) } else { Tick::ZERO };
            let current = crate::servo::Milliamps(100.0);
            state.health[FAULTY] = Some(Health { at, celsius: 30.0, volts, current });
        }
    };
    robot.beats(20, volts(3.2, true));
    robot.check(FaultKind::InputVoltage, Some(FAULTY), Stage::Acting, &[Reaction::Brake]);
    // An old measurement does not count.
    robot.beats(20, volts(5.0, false));
    robot.check(FaultKind::InputVoltage, Some(FAULTY), Stage::Acting, &[Reaction::Brake]);
    robot.beats(20, volts(5.0, true));
    let reactions = [Reaction::Brake, Reaction::Rejoin(Joints::all(false))];
    robot.check(FaultKind::InputVoltage, Some(FAULTY), Stage::Over, &reactions);

    // The bit that the servo keeps afterwards is known; it is no new fault.
    let mut robot = FaultyRobot::new();
    robot.error(HardwareError::InputVoltage, false);
    robot.beats(100, volts(5.0, true));
    assert_eq!(robot.guard.status().unwrap().times, 1);
    robot.check(FaultKind::InputVoltage, Some(FAULTY), Stage::Over, &reactions);
}

#[test]
fn ten_lost_packets_are_a_fault_that_one_answer_ends() {
    let mut robot = FaultyRobot::new();
    let silent = |state: &mut JointState| state.readings[FAULTY] = Reading::Never;
    robot.beats(9, silent);
    assert_eq!((robot.guard.status(), robot.reactions.len()), (None, 0));
    robot.beats(1, |_| {});
    robot.beats(10, silent);
    robot.check(FaultKind::Silent, Some(FAULTY), Stage::Acting, &[Reaction::Brake]);
    assert_eq!(robot.guard.fault(), Some(RobotFault::Silent { joint: FAULTY }));
    robot.beats(2, |_| {});
    let reactions = [Reaction::Brake, Reaction::Rejoin(Joints::all(false))];
    robot.check(FaultKind::Silent, Some(FAULTY), Stage::Over, &reactions);
}

#[test]
fn restarted_motors_are_enabled_again() {
    for motors in [only(FAULTY), Joints::all(true)] {
        let mut robot = FaultyRobot::new();
        for joint in Joint::ALL {
            robot.state.torque[joint] = !motors[joint];
        }
        robot.beats(20, |_| {});
        let joint = (motors == only(FAULTY)).then_some(FAULTY);
        let reactions = [Reaction::Brake, Reaction::Rejoin(motors)];
        robot.check(FaultKind::Brownout, joint, Stage::Over, &reactions);
    }
}

#[test]
fn lost_port_pauses_evaluation_and_all_motors_rejoin_after_it() {
    let mut robot = FaultyRobot::new();
    robot.gone = true;
    robot.beats(300, |_| {});
    robot.check(FaultKind::PortGone, None, Stage::Acting, &[Reaction::Brake]);
    robot.gone = false;
    robot.beats(20, |_| {});
    let reactions = [Reaction::Brake, Reaction::Rejoin(Joints::all(true))];
    robot.check(FaultKind::PortGone, None, Stage::Over, &reactions);

    // A head that was being lowered continues on its way.
    let mut robot = FaultyRobot::new();
    robot.error(HardwareError::Overheating, true);
    robot.beats(5, |_| {});
    robot.gone = true;
    robot.beats(5, |_| {});
    robot.gone = false;
    robot.beats(150, |_| {});
    let reactions = [Reaction::Stow, Reaction::Brake, Reaction::Stow, Reaction::Release];
    assert_eq!(robot.reactions, reactions);
}

#[test]
fn packet_losses_are_reported_and_end_no_motion() {
    let corrupt = |state: &mut JointState| state.losses[FAULTY] = Some(Loss::Corrupt);
    let partial = |state: &mut JointState| state.losses[FAULTY] = Some(Loss::Partial);
    let echo = |state: &mut JointState| state.echo = true;
    let check = |kind, joint, change: &dyn Fn(&mut JointState)| {
        let mut robot = FaultyRobot::new();
        robot.beats(3, change);
        assert_eq!(robot.guard.status().unwrap().times, 3);
        robot.check(kind, joint, Stage::Acting, &[]);
        robot.beats(102, |_| {});
        robot.check(kind, joint, Stage::Over, &[]);
    };
    check(FaultKind::Corrupt, Some(FAULTY), &corrupt);
    check(FaultKind::Partial, Some(FAULTY), &partial);
    check(FaultKind::Echo, None, &echo);
}

#[test]
fn stop_ends_the_stow_and_keeps_the_torque() {
    let mut robot = FaultyRobot::new();
    robot.error(HardwareError::Overheating, false);
    robot.beats(5, |_| {});
    robot.guard.halted();
    robot.beats(2_000, |_| {});
    robot.check(FaultKind::Overheating, Some(FAULTY), Stage::Stopped, &[Reaction::Stow]);
    assert!(robot.state.is_driven());
}

#[test]
fn requested_stow_is_no_fault() {
    let mut robot = FaultyRobot::new();
    robot.guard.stowing(robot.now);
    robot.stowing = Some(50);
    robot.beats(60, |_| {});
    assert_eq!(robot.reactions, [Reaction::Release]);
    assert_eq!((robot.guard.status(), robot.guard.is_acting()), (None, false));
}

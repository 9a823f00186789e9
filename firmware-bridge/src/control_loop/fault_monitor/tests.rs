//! The recovery from each fault, on a robot that follows the reactions.

use super::*;
use crate::servo::MotorHealth;

const CYCLE_PERIOD: Duration = Duration::from_millis(10);
const FAULTY: Joint = Joint::Stewart3;

/// Nine motors that can have faults, under a monitor.
struct FaultyRobot {
    guard: FaultMonitor,
    state: JointState,
    now: Timestamp,
    gone: bool,
    /// A rebooted motor is silent until this time.
    silent_until: Joints<Timestamp>,
    /// Whether a reboot clears the fault.
    is_curable: bool,
    stowing: Option<u32>,
    reactions: Vec<RecoveryAction>,
}

impl FaultyRobot {
    fn new() -> FaultyRobot {
        let all = Joints::all(true);
        FaultyRobot {
            guard: FaultMonitor::new(all),
            state: JointState::healthy(Timestamp::ZERO, Joints::default(), all),
            now: Timestamp::ZERO,
            gone: false,
            silent_until: Joints::all(Timestamp::ZERO),
            is_curable: true,
            stowing: None,
            reactions: Vec::new(),
        }
    }

    fn cycles(&mut self, count: usize, change: impl Fn(&mut JointState)) {
        for _ in 0..count {
            self.now = self.now + CYCLE_PERIOD;
            let mut state = self.state;
            change(&mut state);
            for joint in Joint::ALL {
                if self.now < self.silent_until[joint] {
                    state.readings[joint] = PositionReading::Never;
                }
            }
            let gone = RobotError::PortGone { reason: "pulled out".into() };
            let sensed = if self.gone { Err(&gone) } else { Ok(&state) };
            self.stowing = self.stowing.map(|left| left.saturating_sub(1));
            let now = CycleContext { time: self.now, at_rest: true, stowed: self.stowing == Some(0) };
            let reaction = self.guard.evaluate(sensed, now);
            match reaction {
                RecoveryAction::Continue => continue,
                RecoveryAction::Stop => {}
                RecoveryAction::Reboot(joint) => {
                    self.silent_until[joint] = self.now + Duration::from_millis(250);
                    self.state.torque[joint] = false;
                    if self.is_curable {
                        self.state.errors[joint] = HardwareErrorStatus::NONE;
                    }
                }
                RecoveryAction::Rejoin(_) => self.state.torque = self.guard.wanted(),
                RecoveryAction::Stow => self.stowing = Some(100),
                RecoveryAction::Release => self.state.torque = Joints::all(false),
            }
            self.reactions.push(reaction);
        }
    }

    fn error(&mut self, error: HardwareError, releases: bool) {
        self.state.errors[FAULTY] = HardwareErrorStatus(error.bit());
        self.state.torque[FAULTY] = !releases;
    }

    fn check(
        &mut self,
        kind: FaultKind,
        joint: Option<Joint>,
        context: RecoveryState,
        reactions: &[RecoveryAction],
    ) {
        let status = self.guard.status().unwrap();
        assert_eq!((status.kind, status.joint, status.state), (kind, joint, context));
        assert_eq!(status.policy, kind.policy());
        assert_eq!(self.reactions, reactions);
        let may_move =
            matches!(context, RecoveryState::Recovered) || kind.policy() == FaultPolicy::RideThrough;
        assert_eq!(self.guard.is_recovering(), !may_move);
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
        robot.cycles(100, |_| {});
        let reactions =
            [RecoveryAction::Stop, RecoveryAction::Reboot(FAULTY), RecoveryAction::Rejoin(only(FAULTY))];
        robot.check(error.into(), Some(FAULTY), RecoveryState::Recovered, &reactions);
    }
}

#[test]
fn head_is_lowered_after_repeated_releases() {
    let mut robot = FaultyRobot::new();
    for _ in 0..3 {
        robot.error(HardwareError::Overload, true);
        robot.cycles(100, |_| {});
    }
    robot.cycles(100, |_| {});
    let (brake, reboot, rejoin) =
        (RecoveryAction::Stop, RecoveryAction::Reboot(FAULTY), RecoveryAction::Rejoin(only(FAULTY)));
    let reactions =
        [brake, reboot, rejoin, brake, reboot, rejoin, brake, RecoveryAction::Stow, RecoveryAction::Release];
    robot.check(FaultKind::Overload, Some(FAULTY), RecoveryState::Failed, &reactions);

    // After a minute without a fault, the motor may reboot again.
    let mut robot = FaultyRobot::new();
    for _ in 0..5 {
        robot.error(HardwareError::Overload, true);
        robot.cycles(7_000, |_| {});
    }
    robot.check(
        FaultKind::Overload,
        Some(FAULTY),
        RecoveryState::Recovered,
        &[brake, reboot, rejoin].repeat(5),
    );
}

#[test]
fn head_is_lowered_if_a_reboot_does_not_clear_the_fault() {
    let mut robot = FaultyRobot::new();
    robot.is_curable = false;
    robot.error(HardwareError::Encoder, true);
    robot.cycles(600, |_| {});
    let reactions =
        [RecoveryAction::Stop, RecoveryAction::Reboot(FAULTY), RecoveryAction::Stow, RecoveryAction::Release];
    robot.check(FaultKind::Encoder, Some(FAULTY), RecoveryState::Failed, &reactions);
}

#[test]
fn overheating_and_shock_lower_the_head_until_torque_is_switched_on() {
    for error in [HardwareError::Overheating, HardwareError::ElectricalShock] {
        let mut robot = FaultyRobot::new();
        robot.error(error, true);
        robot.cycles(150, |_| {});
        robot.check(
            error.into(),
            Some(FAULTY),
            RecoveryState::Failed,
            &[RecoveryAction::Stow, RecoveryAction::Release],
        );
        // The error stays in the servo's memory, so enabling torque begins with a reboot.
        let all = Joints::all(true);
        assert!(robot.guard.clear_errors(all, &robot.state));
        robot.reactions.clear();
        robot.cycles(100, |_| {});
        let reactions = [RecoveryAction::Reboot(FAULTY), RecoveryAction::Rejoin(only(FAULTY))];
        robot.check(error.into(), Some(FAULTY), RecoveryState::Recovered, &reactions);
        assert!(!robot.guard.clear_errors(all, &robot.state));
    }
}

#[test]
fn hot_motor_lowers_the_head_before_it_releases() {
    let mut robot = FaultyRobot::new();
    let health = |celsius, volts| {
        move |state: &mut JointState| {
            let current = crate::servo::Milliamps(100.0);
            state.health[FAULTY] =
                Some(MotorHealth { time: state.time, temperature_c: celsius, voltage_v: volts, current });
        }
    };
    robot.cycles(10, health(66.0, 5.0));
    assert_eq!(robot.reactions, []);
    robot.cycles(150, health(67.0, 5.0));
    robot.check(
        FaultKind::Overheating,
        Some(FAULTY),
        RecoveryState::Failed,
        &[RecoveryAction::Stow, RecoveryAction::Release],
    );
}

#[test]
fn low_voltage_holds_until_a_new_measurement_is_normal() {
    let mut robot = FaultyRobot::new();
    let volts = |volts, seen: bool| {
        move |state: &mut JointState| {
            let at = if seen { Timestamp(u64::MAX) } else { Timestamp::ZERO };
            let current = crate::servo::Milliamps(100.0);
            state.health[FAULTY] =
                Some(MotorHealth { time: at, temperature_c: 30.0, voltage_v: volts, current });
        }
    };
    robot.cycles(20, volts(3.2, true));
    robot.check(FaultKind::InputVoltage, Some(FAULTY), RecoveryState::Recovering, &[RecoveryAction::Stop]);
    // An old measurement does not count.
    robot.cycles(20, volts(5.0, false));
    robot.check(FaultKind::InputVoltage, Some(FAULTY), RecoveryState::Recovering, &[RecoveryAction::Stop]);
    robot.cycles(20, volts(5.0, true));
    let reactions = [RecoveryAction::Stop, RecoveryAction::Rejoin(Joints::all(false))];
    robot.check(FaultKind::InputVoltage, Some(FAULTY), RecoveryState::Recovered, &reactions);

    // The bit that the servo keeps afterwards is known; it is no new fault.
    let mut robot = FaultyRobot::new();
    robot.error(HardwareError::InputVoltage, false);
    robot.cycles(100, volts(5.0, true));
    assert_eq!(robot.guard.status().unwrap().count, 1);
    robot.check(FaultKind::InputVoltage, Some(FAULTY), RecoveryState::Recovered, &reactions);
}

#[test]
fn ten_lost_packets_are_a_fault_that_one_answer_ends() {
    let mut robot = FaultyRobot::new();
    let silent = |state: &mut JointState| state.readings[FAULTY] = PositionReading::Never;
    robot.cycles(9, silent);
    assert_eq!((robot.guard.status(), robot.reactions.len()), (None, 0));
    robot.cycles(1, |_| {});
    robot.cycles(10, silent);
    robot.check(FaultKind::Silent, Some(FAULTY), RecoveryState::Recovering, &[RecoveryAction::Stop]);
    assert_eq!(robot.guard.fault(), Some(RobotError::Silent { joint: FAULTY }));
    robot.cycles(2, |_| {});
    let reactions = [RecoveryAction::Stop, RecoveryAction::Rejoin(Joints::all(false))];
    robot.check(FaultKind::Silent, Some(FAULTY), RecoveryState::Recovered, &reactions);
}

#[test]
fn restarted_motors_are_enabled_again() {
    for motors in [only(FAULTY), Joints::all(true)] {
        let mut robot = FaultyRobot::new();
        for joint in Joint::ALL {
            robot.state.torque[joint] = !motors[joint];
        }
        robot.cycles(20, |_| {});
        let joint = (motors == only(FAULTY)).then_some(FAULTY);
        let reactions = [RecoveryAction::Stop, RecoveryAction::Rejoin(motors)];
        robot.check(FaultKind::Brownout, joint, RecoveryState::Recovered, &reactions);
    }
}

#[test]
fn lost_port_pauses_evaluation_and_all_motors_rejoin_after_it() {
    let mut robot = FaultyRobot::new();
    robot.gone = true;
    robot.cycles(300, |_| {});
    robot.check(FaultKind::PortGone, None, RecoveryState::Recovering, &[RecoveryAction::Stop]);
    robot.gone = false;
    robot.cycles(20, |_| {});
    let reactions = [RecoveryAction::Stop, RecoveryAction::Rejoin(Joints::all(true))];
    robot.check(FaultKind::PortGone, None, RecoveryState::Recovered, &reactions);

    // A head that was being lowered continues on its way.
    let mut robot = FaultyRobot::new();
    robot.error(HardwareError::Overheating, true);
    robot.cycles(5, |_| {});
    robot.gone = true;
    robot.cycles(5, |_| {});
    robot.gone = false;
    robot.cycles(150, |_| {});
    let reactions =
        [RecoveryAction::Stow, RecoveryAction::Stop, RecoveryAction::Stow, RecoveryAction::Release];
    assert_eq!(robot.reactions, reactions);
}

#[test]
fn packet_losses_are_reported_and_end_no_motion() {
    let corrupt = |state: &mut JointState| state.read_errors[FAULTY] = Some(ReadError::Corrupt);
    let partial = |state: &mut JointState| state.read_errors[FAULTY] = Some(ReadError::Partial);
    let echo = |state: &mut JointState| state.echo = true;
    let check = |kind, joint, change: &dyn Fn(&mut JointState)| {
        let mut robot = FaultyRobot::new();
        robot.cycles(3, change);
        assert_eq!(robot.guard.status().unwrap().count, 3);
        robot.check(kind, joint, RecoveryState::Recovering, &[]);
        robot.cycles(102, |_| {});
        robot.check(kind, joint, RecoveryState::Recovered, &[]);
    };
    check(FaultKind::Corrupt, Some(FAULTY), &corrupt);
    check(FaultKind::Partial, Some(FAULTY), &partial);
    check(FaultKind::Echo, None, &echo);
}

#[test]
fn stop_ends_the_stow_and_keeps_the_torque() {
    let mut robot = FaultyRobot::new();
    robot.error(HardwareError::Overheating, false);
    robot.cycles(5, |_| {});
    robot.guard.on_stop();
    robot.cycles(2_000, |_| {});
    robot.check(FaultKind::Overheating, Some(FAULTY), RecoveryState::Stopped, &[RecoveryAction::Stow]);
    assert!(robot.state.is_driven());
}

#[test]
fn requested_stow_is_no_fault() {
    let mut robot = FaultyRobot::new();
    robot.guard.on_stow(robot.now);
    robot.stowing = Some(50);
    robot.cycles(60, |_| {});
    assert_eq!(robot.reactions, [RecoveryAction::Release]);
    assert_eq!((robot.guard.status(), robot.guard.is_recovering()), (None, false));
}

#[test]
fn requested_stow_waits_for_a_restarting_motor_and_not_for_a_silent_one() {
    let mut robot = FaultyRobot::new();
    robot.error(HardwareError::Overload, true);
    robot.cycles(3, |_| {});
    assert_eq!(robot.reactions.last(), Some(&RecoveryAction::Reboot(FAULTY)));
    assert!(!robot.guard.on_stow(robot.now));
    robot.cycles(100, |_| {});
    assert!(!robot.guard.is_recovering());

    let silent = |state: &mut JointState| state.readings[FAULTY] = PositionReading::Never;
    robot.cycles(20, silent);
    assert!(robot.guard.is_recovering());
    assert!(robot.guard.on_stow(robot.now));
    robot.stowing = Some(100);
    robot.cycles(120, silent);
    assert!(robot.reactions.contains(&RecoveryAction::Release));
    assert_eq!(robot.state.torque, Joints::all(false));
}

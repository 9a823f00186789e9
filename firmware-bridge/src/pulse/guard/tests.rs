//! Each fault's course, on a patient that does what it is told.

use super::*;
use crate::servo::Health;

const BEAT: Duration = Duration::from_millis(10);
const ILL: Joint = Joint::Stewart3;

/// Nine motors that can be ill, under a guard.
struct Patient {
    guard: Guard,
    state: JointState,
    now: Tick,
    gone: bool,
    /// A rebooted motor is silent until then.
    away: Joints<Tick>,
    /// A reboot heals it.
    curable: bool,
    stowing: Option<u32>,
    reactions: Vec<Reaction>,
}

impl Patient {
    fn new() -> Patient {
        let all = Joints::all(true);
        Patient {
            guard: Guard::new(all),
            state: JointState::well(Tick::ZERO, Joints::default(), all),
            now: Tick::ZERO,
            gone: false,
            away: Joints::all(Tick::ZERO),
            curable: true,
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
                if self.now < self.away[joint] {
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
                    self.away[joint] = self.now + Duration::from_millis(250);
                    self.state.torque[joint] = false;
                    if self.curable {
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

    fn error(&mut self, error: HardwareError, lets_go: bool) {
        self.state.errors[ILL] = HardwareErrors(error.bit());
        self.state.torque[ILL] = !lets_go;
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
fn a_motor_that_let_go_is_started_anew_and_taken_on() {
    for (error, lets_go) in [(HardwareError::Overload, true), (HardwareError::Encoder, false)] {
        let mut patient = Patient::new();
        patient.error(error, lets_go);
        patient.beats(100, |_| {});
        let course = [Reaction::Brake, Reaction::Reboot(ILL), Reaction::Rejoin(only(ILL))];
        patient.check(error.into(), Some(ILL), Stage::Over, &course);
    }
}

#[test]
fn one_that_lets_go_again_and_again_is_laid_down() {
    let mut patient = Patient::new();
    for _ in 0..3 {
        patient.error(HardwareError::Overload, true);
        patient.beats(100, |_| {});
    }
    patient.beats(100, |_| {});
    let (brake, reboot, rejoin) = (Reaction::Brake, Reaction::Reboot(ILL), Reaction::Rejoin(only(ILL)));
    let course = [brake, reboot, rejoin, brake, reboot, rejoin, brake, Reaction::Stow, Reaction::Release];
    patient.check(FaultKind::Overload, Some(ILL), Stage::GivenUp, &course);

    // After a minute in which it was well it is given another chance.
    let mut patient = Patient::new();
    for _ in 0..5 {
        patient.error(HardwareError::Overload, true);
        patient.beats(7_000, |_| {});
    }
    patient.check(FaultKind::Overload, Some(ILL), Stage::Over, &[brake, reboot, rejoin].repeat(5));
}

#[test]
fn one_that_no_reboot_cures_is_laid_down() {
    let mut patient = Patient::new();
    patient.curable = false;
    patient.error(HardwareError::Encoder, true);
    patient.beats(600, |_| {});
    let course = [Reaction::Brake, Reaction::Reboot(ILL), Reaction::Stow, Reaction::Release];
    patient.check(FaultKind::Encoder, Some(ILL), Stage::GivenUp, &course);
}

#[test]
fn heat_and_shock_lay_the_head_down_and_a_person_wakes_it_again() {
    for error in [HardwareError::Overheating, HardwareError::ElectricalShock] {
        let mut patient = Patient::new();
        patient.error(error, true);
        patient.beats(150, |_| {});
        patient.check(error.into(), Some(ILL), Stage::GivenUp, &[Reaction::Stow, Reaction::Release]);
        // The error stays in the servo's memory, so waking up begins with a reboot.
        let all = Joints::all(true);
        assert!(patient.guard.clear_errors(all, &patient.state));
        patient.reactions.clear();
        patient.beats(100, |_| {});
        let course = [Reaction::Reboot(ILL), Reaction::Rejoin(only(ILL))];
        patient.check(error.into(), Some(ILL), Stage::Over, &course);
        assert!(!patient.guard.clear_errors(all, &patient.state));
    }
}

#[test]
fn a_motor_that_grows_hot_is_not_waited_for() {
    let mut patient = Patient::new();
    let health = |celsius, volts| {
        move |state: &mut JointState| {
            let current = crate::servo::Milliamps(100.0);
            state.health[ILL] = Some(Health { at: state.at, celsius, volts, current });
        }
    };
    patient.beats(10, health(66.0, 5.0));
    assert_eq!(patient.reactions, []);
    patient.beats(150, health(67.0, 5.0));
    patient.check(FaultKind::Overheating, Some(ILL), Stage::GivenUp, &[Reaction::Stow, Reaction::Release]);
}

#[test]
fn a_low_supply_is_held_through_until_it_is_measured_well_again() {
    let mut patient = Patient::new();
    let volts = |volts, seen: bool| {
        move |state: &mut JointState| {
            let at = if seen { Tick(u64::MAX) } else { Tick::ZERO };
            let current = crate::servo::Milliamps(100.0);
            state.health[ILL] = Some(Health { at, celsius: 30.0, volts, current });
        }
    };
    patient.beats(20, volts(3.2, true));
    patient.check(FaultKind::InputVoltage, Some(ILL), Stage::Acting, &[Reaction::Brake]);
    // An old measurement is none.
    patient.beats(20, volts(5.0, false));
    patient.check(FaultKind::InputVoltage, Some(ILL), Stage::Acting, &[Reaction::Brake]);
    patient.beats(20, volts(5.0, true));
    let course = [Reaction::Brake, Reaction::Rejoin(Joints::all(false))];
    patient.check(FaultKind::InputVoltage, Some(ILL), Stage::Over, &course);

    // The bit that the servo keeps afterwards is known; it is no new fault.
    let mut patient = Patient::new();
    patient.error(HardwareError::InputVoltage, false);
    patient.beats(100, volts(5.0, true));
    assert_eq!(patient.guard.status().unwrap().times, 1);
    patient.check(FaultKind::InputVoltage, Some(ILL), Stage::Over, &course);
}

#[test]
fn nine_lost_packets_are_no_fault_ten_are_and_one_answer_ends_it() {
    let mut patient = Patient::new();
    let silent = |state: &mut JointState| state.readings[ILL] = Reading::Never;
    patient.beats(9, silent);
    assert_eq!((patient.guard.status(), patient.reactions.len()), (None, 0));
    patient.beats(1, |_| {});
    patient.beats(10, silent);
    patient.check(FaultKind::Silent, Some(ILL), Stage::Acting, &[Reaction::Brake]);
    assert_eq!(patient.guard.fault(), Some(RobotFault::Silent { joint: ILL }));
    patient.beats(2, |_| {});
    let course = [Reaction::Brake, Reaction::Rejoin(Joints::all(false))];
    patient.check(FaultKind::Silent, Some(ILL), Stage::Over, &course);
}

#[test]
fn motors_that_started_anew_by_themselves_are_taken_on() {
    for motors in [only(ILL), Joints::all(true)] {
        let mut patient = Patient::new();
        for joint in Joint::ALL {
            patient.state.torque[joint] = !motors[joint];
        }
        patient.beats(20, |_| {});
        let joint = (motors == only(ILL)).then_some(ILL);
        let course = [Reaction::Brake, Reaction::Rejoin(motors)];
        patient.check(FaultKind::Brownout, joint, Stage::Over, &course);
    }
}

#[test]
fn while_the_port_is_gone_nothing_is_judged_and_after_it_everything_is_taken_on() {
    let mut patient = Patient::new();
    patient.gone = true;
    patient.beats(300, |_| {});
    patient.check(FaultKind::PortGone, None, Stage::Acting, &[Reaction::Brake]);
    patient.gone = false;
    patient.beats(20, |_| {});
    let course = [Reaction::Brake, Reaction::Rejoin(Joints::all(true))];
    patient.check(FaultKind::PortGone, None, Stage::Over, &course);

    // A head that was on its way down goes on down.
    let mut patient = Patient::new();
    patient.error(HardwareError::Overheating, true);
    patient.beats(5, |_| {});
    patient.gone = true;
    patient.beats(5, |_| {});
    patient.gone = false;
    patient.beats(150, |_| {});
    let course = [Reaction::Stow, Reaction::Brake, Reaction::Stow, Reaction::Release];
    assert_eq!(patient.reactions, course);
}

#[test]
fn losses_are_ridden_through_and_told() {
    let corrupt = |state: &mut JointState| state.losses[ILL] = Some(Loss::Corrupt);
    let partial = |state: &mut JointState| state.losses[ILL] = Some(Loss::Partial);
    let echo = |state: &mut JointState| state.echo = true;
    let check = |kind, joint, change: &dyn Fn(&mut JointState)| {
        let mut patient = Patient::new();
        patient.beats(3, change);
        assert_eq!(patient.guard.status().unwrap().times, 3);
        patient.check(kind, joint, Stage::Acting, &[]);
        patient.beats(102, |_| {});
        patient.check(kind, joint, Stage::Over, &[]);
    };
    check(FaultKind::Corrupt, Some(ILL), &corrupt);
    check(FaultKind::Partial, Some(ILL), &partial);
    check(FaultKind::Echo, None, &echo);
}

#[test]
fn a_stop_ends_the_way_down_and_keeps_the_torque() {
    let mut patient = Patient::new();
    patient.error(HardwareError::Overheating, false);
    patient.beats(5, |_| {});
    patient.guard.halted();
    patient.beats(2_000, |_| {});
    patient.check(FaultKind::Overheating, Some(ILL), Stage::Stopped, &[Reaction::Stow]);
    assert!(patient.state.is_driven());
}

#[test]
fn what_somebody_asked_for_is_no_fault() {
    let mut patient = Patient::new();
    patient.guard.stowing(patient.now);
    patient.stowing = Some(50);
    patient.beats(60, |_| {});
    assert_eq!(patient.reactions, [Reaction::Release]);
    assert_eq!((patient.guard.status(), patient.guard.is_acting()), (None, false));
}

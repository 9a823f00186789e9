//! Before a motor is trusted: every servo answers, has power, reports no error, follows positions with the gains that it
//! should have, and aims at where it already is.
//!
//! Nothing here switches torque on. Torque that an earlier program left on stays on, but the motor's goal becomes its
//! present position, so that nothing jumps.

use std::time::Duration;

use super::BusOptions;
use super::convert::watchdog_units;
use super::packet::Asking;
use super::port::{Patience, Port};
use super::registers::{
    BUS_WATCHDOG, CURRENT_LIMIT, GAINS, GOAL_POSITION, HARDWARE_ERROR, HIGHEST_GOAL, LOWEST_GOAL, MODE,
    POSITION_MODE, PRESENT_POSITION, Register, TORQUE, VOLTAGE, hardware_errors,
};
use super::slow::low_16;
use super::status::Status;
use crate::joint::{Joint, Joints};
use crate::robot::RobotFault;
use crate::servo::Gains;

/// What each motor answered, if it did.
type Answers = Joints<Option<Status>>;

/// How often all are asked before one that does not answer counts as silent.
const ROUNDS: usize = 5;
/// A servo is back within about 0.3 s of a reboot; one that takes longer is not coming.
const BACK_AFTER: Duration = Duration::from_secs(2);
/// Between two looks for a servo that reboots.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// A goal this near to what was written, in raw steps, was taken: without torque some firmware lets it follow by hand.
const SAME_GOAL: u32 = 16;

/// The goals that each servo takes, raw steps. Outside, it ignores a goal without a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    lowest: i32,
    highest: i32,
}

impl Span {
    /// The nearest goal that the servo takes, as it is written.
    pub fn nearest(self, raw: i32) -> u32 {
        raw.min(self.highest).max(self.lowest).cast_unsigned()
    }
}

/// What the ritual has learnt.
pub(super) struct Ready {
    /// Which goals each servo takes.
    pub spans: Joints<Span>,
    /// The greatest goal current of each servo, milliamperes.
    pub current_limits: Joints<u16>,
    /// Which motors are driven.
    pub torque: Joints<bool>,
    /// How the positions are asked on a beat.
    pub asking: Asking,
}

/// The gains that the official controller writes at its start; a servo forgets them with its power. From
/// `hardware_config.yaml` of reachy-mini 1.9.0.
pub(super) fn usual_gains() -> Joints<Gains> {
    Joints::from_fn(|joint| {
        let p = if Joint::STEWART.contains(&joint) { 300 } else { 200 };
        Gains { p, i: 0, d: 0 }
    })
}

/// The whole ritual.
pub(super) fn prepare(
    port: &mut Port,
    options: &BusOptions,
    gains: &Joints<Gains>,
) -> Result<Ready, RobotFault> {
    everyone_answers(port)?;
    everyone_has_power(port, options.min_voltage_v)?;
    nobody_is_in_error(port)?;
    // One that has fired refuses goals until it is cleared.
    arm(port, &Joint::ALL, None)?;
    everyone_follows_positions(port)?;
    for (joint, gains) in gains.iter() {
        set_gains(port, joint, *gains)?;
    }
    let spans = spans(port)?;
    let current_limits = ask_everyone(port, CURRENT_LIMIT)?.map(|answer| low_16(answer.value));
    let pinned = pin(port, &spans, &Joint::ALL)?;
    if let Some((joint, _)) = pinned.iter().find(|(_, pinned)| !**pinned) {
        return Err(RobotFault::Rejected { joint, what: GOAL_POSITION.name });
    }
    arm(port, &Joint::ALL, options.watchdog)?;
    if let Some(time) = options.watchdog {
        for joint in Joint::ALL {
            let armed = port.read(joint.motor_id(), BUS_WATCHDOG)?.of(joint, BUS_WATCHDOG.name)?;
            if armed != watchdog_units(time) {
                return Err(RobotFault::Rejected { joint, what: BUS_WATCHDOG.name });
            }
        }
    }
    let torque = ask_everyone(port, TORQUE)?.map(|answer| answer.value != 0);
    Ok(Ready { spans, current_limits, torque, asking: best_asking(port)? })
}

/// Reads a register of all nine, asking those again that did not answer.
fn ask_everyone(port: &mut Port, register: Register) -> Result<Joints<Status>, RobotFault> {
    let answers = ask_patiently(port, register, &Joint::ALL)?;
    for (joint, answer) in answers.iter() {
        if answer.is_none() {
            return Err(RobotFault::Silent { joint });
        }
    }
    Ok(Joints::from_fn(|joint| {
        answers[joint].unwrap_or(Status { id: joint.motor_id(), alert: false, value: 0 })
    }))
}

/// Reads a register of these motors, asking those again that did not answer.
pub(super) fn ask_patiently(
    port: &mut Port,
    register: Register,
    joints: &[Joint],
) -> Result<Answers, RobotFault> {
    let mut answers: Answers = Joints::all(None);
    for _ in 0..ROUNDS {
        let open: Vec<Joint> = joints.iter().copied().filter(|joint| answers[*joint].is_none()).collect();
        let heard = port.ask(Asking::Each, register, &open, Patience::Reply)?;
        answers = answers.zip_with(&heard.answers, Option::or);
    }
    Ok(answers)
}

fn everyone_answers(port: &mut Port) -> Result<(), RobotFault> {
    let mut missing = Vec::new();
    for joint in Joint::ALL {
        if !port.ping(joint.motor_id())? {
            missing.push(joint);
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(RobotFault::Missing { joints: missing }) }
}

fn everyone_has_power(port: &mut Port, least: f64) -> Result<(), RobotFault> {
    let volts = ask_everyone(port, VOLTAGE)?.map(|answer| f64::from(answer.value) / 10.0);
    match volts.iter().min_by(|(_, one), (_, other)| one.total_cmp(other)) {
        Some((joint, volts)) if *volts < least => Err(RobotFault::LowVoltage { joint, volts: *volts, least }),
        _ => Ok(()),
    }
}

/// Reboots each motor in error once.
fn nobody_is_in_error(port: &mut Port) -> Result<(), RobotFault> {
    for (joint, _) in ask_everyone(port, HARDWARE_ERROR)?.iter().filter(|(_, answer)| answer.value != 0) {
        let id = joint.motor_id();
        port.reboot(id)?;
        let deadline = port.now() + BACK_AFTER;
        port.pause(LOOK_EVERY);
        while !port.ping(id)? {
            if port.now() > deadline {
                return Err(RobotFault::Silent { joint });
            }
            port.pause(LOOK_EVERY);
        }
        let bits = port.read(id, HARDWARE_ERROR)?.of(joint, HARDWARE_ERROR.name)?;
        if let Some(error) = hardware_errors(u8::try_from(bits).unwrap_or(u8::MAX)).next() {
            return Err(RobotFault::Hardware { joint, error });
        }
    }
    Ok(())
}

/// The mode is a setting that outlasts the power; it is written only where it is wrong, and then without torque.
fn everyone_follows_positions(port: &mut Port) -> Result<(), RobotFault> {
    for (joint, _) in ask_everyone(port, MODE)?.iter().filter(|(_, answer)| answer.value != POSITION_MODE) {
        let id = joint.motor_id();
        port.write(id, TORQUE, 0)?.of(joint, TORQUE.name)?;
        port.write(id, MODE, POSITION_MODE)?.of(joint, MODE.name)?;
        if port.read(id, MODE)?.of(joint, MODE.name)? != POSITION_MODE {
            return Err(RobotFault::Rejected { joint, what: MODE.name });
        }
    }
    Ok(())
}

/// Writes a motor's gains where they differ, and reads them back.
pub(super) fn set_gains(port: &mut Port, joint: Joint, gains: Gains) -> Result<(), RobotFault> {
    let (id, bytes) = (joint.motor_id(), gain_bytes(gains));
    let found: [u8; 6] = port.read_block(id, GAINS)?.of(joint, GAINS.name)?;
    if found == bytes {
        return Ok(());
    }
    port.write_bytes(id, GAINS, &bytes)?.of(joint, GAINS.name)?;
    let taken: [u8; 6] = port.read_block(id, GAINS)?.of(joint, GAINS.name)?;
    if taken == bytes { Ok(()) } else { Err(RobotFault::Rejected { joint, what: GAINS.name }) }
}

/// As they stand in [`GAINS`].
pub(super) const fn gain_bytes(Gains { p, i, d }: Gains) -> [u8; 6] {
    let ([d0, d1], [i0, i1], [p0, p1]) = (d.to_le_bytes(), i.to_le_bytes(), p.to_le_bytes());
    [d0, d1, i0, i1, p0, p1]
}

fn spans(port: &mut Port) -> Result<Joints<Span>, RobotFault> {
    let lowest = ask_everyone(port, LOWEST_GOAL)?;
    let highest = ask_everyone(port, HIGHEST_GOAL)?;
    Ok(lowest.zip_with(&highest, |low, high| Span {
        lowest: low.value.cast_signed(),
        highest: high.value.cast_signed(),
    }))
}

/// Makes the present positions of these motors their goals, and reads back whether they took them.
pub(super) fn pin(
    port: &mut Port,
    spans: &Joints<Span>,
    joints: &[Joint],
) -> Result<Joints<bool>, RobotFault> {
    let present = ask_patiently(port, PRESENT_POSITION, joints)?;
    let goals = Joints::from_fn(|joint| {
        present[joint].map(|status| spans[joint].nearest(status.value.cast_signed()))
    });
    port.tell(GOAL_POSITION, goals.iter().filter_map(|(joint, goal)| Some((joint, (*goal)?))))?;
    let taken = ask_patiently(port, GOAL_POSITION, joints)?;
    Ok(goals.zip_with(&taken, |goal, taken| {
        goal.zip(taken)
            .is_some_and(|(goal, taken)| taken.value.cast_signed().abs_diff(goal.cast_signed()) <= SAME_GOAL)
    }))
}

/// Clears these servos' watchdogs, and arms them again if a time is given.
pub(super) fn arm(port: &mut Port, joints: &[Joint], watchdog: Option<Duration>) -> Result<(), RobotFault> {
    port.tell(BUS_WATCHDOG, joints.iter().map(|joint| (*joint, 0)))?;
    match watchdog {
        None => Ok(()),
        Some(time) => port.tell(BUS_WATCHDOG, joints.iter().map(|joint| (*joint, watchdog_units(time)))),
    }
}

/// Together if all nine can do it, which is faster; else each by itself.
fn best_asking(port: &mut Port) -> Result<Asking, RobotFault> {
    for _ in 0..ROUNDS {
        let heard = port.ask(Asking::Together, PRESENT_POSITION, &Joint::ALL, Patience::Reply)?;
        if heard.answers.iter().all(|(_, answer)| answer.is_some()) {
            return Ok(Asking::Together);
        }
    }
    Ok(Asking::Each)
}

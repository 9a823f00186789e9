//! Prepares the motors. Afterwards every servo answers, has power, reports no error, is in position mode with the right
//! gains, and has its present position as goal.
//!
//! This module never enables torque. Torque that an earlier program left on stays on, but the motor's goal becomes its
//! present position, so that no motor jumps.

use std::time::Duration;

use super::BusOptions;
use super::convert::watchdog_units;
use super::instructions::low_16;
use super::packet::SyncRead;
use super::port::{Port, ReplyTimeout};
use super::registers::{
    BUS_WATCHDOG, CURRENT_LIMIT, GOAL_POSITION, HARDWARE_ERROR_STATUS, MAX_POSITION_LIMIT,
    MIN_POSITION_LIMIT, OPERATING_MODE, POSITION_CONTROL_MODE, POSITION_GAINS, PRESENT_INPUT_VOLTAGE,
    PRESENT_POSITION, Register, TORQUE_ENABLE, hardware_errors,
};
use super::status::Status;
use crate::joint::{Joint, Joints};
use crate::robot::RobotError;
use crate::servo::Gains;

/// The answer of each motor, if any.
type Replies = Joints<Option<Status>>;

/// The maximum number of requests before a motor counts as silent.
const MAX_ROUNDS: usize = 5;
/// Timeout of a reboot. A servo usually answers within about 0.3 s.
const REBOOT_TIMEOUT: Duration = Duration::from_secs(2);
/// The interval between two pings of a servo that reboots.
const PING_INTERVAL: Duration = Duration::from_millis(20);
/// The tolerance for a goal that is read back, raw steps. Without torque, the goal of some firmware follows the
/// position.
const GOAL_TOLERANCE_STEPS: u32 = 16;

/// The goals that a servo accepts, raw steps. It silently ignores goals outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GoalRange {
    min: i32,
    max: i32,
}

impl GoalRange {
    /// Returns the nearest accepted goal as its register value.
    pub fn nearest(self, raw: i32) -> u32 {
        raw.min(self.max).max(self.min).cast_unsigned()
    }
}

/// The result of the preparation.
pub(super) struct BringUpReport {
    /// The goals that each servo accepts.
    pub goal_ranges: Joints<GoalRange>,
    /// The maximum goal current of each servo, milliamperes.
    pub current_limits: Joints<u16>,
    /// Which motors have torque.
    pub torque: Joints<bool>,
    /// How a cycle reads the positions.
    pub sync_read: SyncRead,
}

/// Returns the gains that the official controller writes when it starts; a servo loses them without power. From
/// `hardware_config.yaml` of reachy-mini 1.9.0.
pub(super) fn default_gains() -> Joints<Gains> {
    Joints::from_fn(|joint| {
        let p = if Joint::STEWART.contains(&joint) { 300 } else { 200 };
        Gains { p, i: 0, d: 0 }
    })
}

/// Prepares all servos.
pub(super) fn bring_up(
    port: &mut Port,
    options: &BusOptions,
    gains: &Joints<Gains>,
) -> Result<BringUpReport, RobotError> {
    check_all_answer(port)?;
    check_supply(port, options.min_voltage_v)?;
    clear_hardware_errors(port)?;
    // A servo whose watchdog has tripped ignores goals until it is cleared.
    enable_watchdog(port, &Joint::ALL, None)?;
    ensure_position_mode(port)?;
    for (joint, gains) in gains.iter() {
        set_gains(port, joint, *gains)?;
    }
    let spans = read_goal_ranges(port)?;
    let current_limits = read_all(port, CURRENT_LIMIT)?.map(|answer| low_16(answer.value));
    let pinned = hold_present(port, &spans, &Joint::ALL)?;
    if let Some((joint, _)) = pinned.iter().find(|(_, pinned)| !**pinned) {
        return Err(RobotError::Rejected { joint, what: GOAL_POSITION.name });
    }
    enable_watchdog(port, &Joint::ALL, options.watchdog)?;
    if let Some(time) = options.watchdog {
        for joint in Joint::ALL {
            let armed = port.read(joint.motor_id(), BUS_WATCHDOG)?.into_result(joint, BUS_WATCHDOG.name)?;
            if armed != watchdog_units(time) {
                return Err(RobotError::Rejected { joint, what: BUS_WATCHDOG.name });
            }
        }
    }
    let torque = read_all(port, TORQUE_ENABLE)?.map(|answer| answer.value != 0);
    Ok(BringUpReport { goal_ranges: spans, current_limits, torque, sync_read: choose_sync_read(port)? })
}

/// Reads a register of all nine motors, and repeats the request for those that did not answer.
fn read_all(port: &mut Port, register: Register) -> Result<Joints<Status>, RobotError> {
    let answers = read_with_retries(port, register, &Joint::ALL)?;
    for (joint, answer) in answers.iter() {
        if answer.is_none() {
            return Err(RobotError::Silent { joint });
        }
    }
    Ok(Joints::from_fn(|joint| {
        answers[joint].unwrap_or(Status { id: joint.motor_id(), alert: false, value: 0 })
    }))
}

/// Reads a register of these motors, and repeats the request for those that did not answer.
pub(super) fn read_with_retries(
    port: &mut Port,
    register: Register,
    joints: &[Joint],
) -> Result<Replies, RobotError> {
    let mut answers: Replies = Joints::all(None);
    for _ in 0..MAX_ROUNDS {
        let unanswered: Vec<Joint> =
            joints.iter().copied().filter(|joint| answers[*joint].is_none()).collect();
        let reply = port.request(SyncRead::Plain, register, &unanswered, ReplyTimeout::Reply)?;
        answers = answers.zip_with(&reply.answers, Option::or);
    }
    Ok(answers)
}

fn check_all_answer(port: &mut Port) -> Result<(), RobotError> {
    let mut missing = Vec::new();
    for joint in Joint::ALL {
        if !port.ping(joint.motor_id())? {
            missing.push(joint);
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(RobotError::Missing { joints: missing }) }
}

fn check_supply(port: &mut Port, least: f64) -> Result<(), RobotError> {
    let volts = read_all(port, PRESENT_INPUT_VOLTAGE)?.map(|answer| f64::from(answer.value) / 10.0);
    match volts.iter().min_by(|(_, one), (_, other)| one.total_cmp(other)) {
        Some((joint, volts)) if *volts < least => {
            Err(RobotError::LowVoltage { joint, volts: *volts, min_volts: least })
        }
        _ => Ok(()),
    }
}

/// Reboots each motor with an error once.
fn clear_hardware_errors(port: &mut Port) -> Result<(), RobotError> {
    for (joint, _) in read_all(port, HARDWARE_ERROR_STATUS)?.iter().filter(|(_, answer)| answer.value != 0) {
        let id = joint.motor_id();
        port.reboot(id)?;
        let deadline = port.now() + REBOOT_TIMEOUT;
        port.pause(PING_INTERVAL);
        while !port.ping(id)? {
            if port.now() > deadline {
                return Err(RobotError::Silent { joint });
            }
            port.pause(PING_INTERVAL);
        }
        let bits = port.read(id, HARDWARE_ERROR_STATUS)?.into_result(joint, HARDWARE_ERROR_STATUS.name)?;
        if let Some(error) = hardware_errors(u8::try_from(bits).unwrap_or(u8::MAX)).next() {
            return Err(RobotError::Hardware { joint, error });
        }
    }
    Ok(())
}

/// The operating mode is stored without power. It is written only where it is wrong, and with torque off.
fn ensure_position_mode(port: &mut Port) -> Result<(), RobotError> {
    for (joint, _) in
        read_all(port, OPERATING_MODE)?.iter().filter(|(_, answer)| answer.value != POSITION_CONTROL_MODE)
    {
        let id = joint.motor_id();
        port.write(id, TORQUE_ENABLE, 0)?.into_result(joint, TORQUE_ENABLE.name)?;
        port.write(id, OPERATING_MODE, POSITION_CONTROL_MODE)?.into_result(joint, OPERATING_MODE.name)?;
        if port.read(id, OPERATING_MODE)?.into_result(joint, OPERATING_MODE.name)? != POSITION_CONTROL_MODE {
            return Err(RobotError::Rejected { joint, what: OPERATING_MODE.name });
        }
    }
    Ok(())
}

/// Writes a motor's gains if they differ, and reads them back.
pub(super) fn set_gains(port: &mut Port, joint: Joint, gains: Gains) -> Result<(), RobotError> {
    let (id, bytes) = (joint.motor_id(), gain_bytes(gains));
    let found: [u8; 6] = port.read_block(id, POSITION_GAINS)?.into_result(joint, POSITION_GAINS.name)?;
    if found == bytes {
        return Ok(());
    }
    port.write_bytes(id, POSITION_GAINS, &bytes)?.into_result(joint, POSITION_GAINS.name)?;
    let read_back: [u8; 6] = port.read_block(id, POSITION_GAINS)?.into_result(joint, POSITION_GAINS.name)?;
    if read_back == bytes { Ok(()) } else { Err(RobotError::Rejected { joint, what: POSITION_GAINS.name }) }
}

/// Returns the gains as the bytes of [`POSITION_GAINS`].
pub(super) const fn gain_bytes(Gains { p, i, d }: Gains) -> [u8; 6] {
    let ([d0, d1], [i0, i1], [p0, p1]) = (d.to_le_bytes(), i.to_le_bytes(), p.to_le_bytes());
    [d0, d1, i0, i1, p0, p1]
}

fn read_goal_ranges(port: &mut Port) -> Result<Joints<GoalRange>, RobotError> {
    let lowest = read_all(port, MIN_POSITION_LIMIT)?;
    let highest = read_all(port, MAX_POSITION_LIMIT)?;
    Ok(lowest.zip_with(&highest, |low, high| GoalRange {
        min: low.value.cast_signed(),
        max: high.value.cast_signed(),
    }))
}

/// Sets the goals of these motors to their present positions, and reads back whether they accepted them.
pub(super) fn hold_present(
    port: &mut Port,
    spans: &Joints<GoalRange>,
    joints: &[Joint],
) -> Result<Joints<bool>, RobotError> {
    let present = read_with_retries(port, PRESENT_POSITION, joints)?;
    let goals = Joints::from_fn(|joint| {
        present[joint].map(|status| spans[joint].nearest(status.value.cast_signed()))
    });
    port.write_packet(GOAL_POSITION, goals.iter().filter_map(|(joint, goal)| Some((joint, (*goal)?))))?;
    let read_back = read_with_retries(port, GOAL_POSITION, joints)?;
    Ok(goals.zip_with(&read_back, |goal, read_back| {
        goal.zip(read_back).is_some_and(|(goal, read_back)| {
            read_back.value.cast_signed().abs_diff(goal.cast_signed()) <= GOAL_TOLERANCE_STEPS
        })
    }))
}

/// Clears the watchdogs of these servos, and enables them again if a timeout is given.
pub(super) fn enable_watchdog(
    port: &mut Port,
    joints: &[Joint],
    watchdog: Option<Duration>,
) -> Result<(), RobotError> {
    port.write_packet(BUS_WATCHDOG, joints.iter().map(|joint| (*joint, 0)))?;
    match watchdog {
        None => Ok(()),
        Some(time) => {
            port.write_packet(BUS_WATCHDOG, joints.iter().map(|joint| (*joint, watchdog_units(time))))
        }
    }
}

/// Returns fast sync read if all nine motors support it, otherwise sync read.
fn choose_sync_read(port: &mut Port) -> Result<SyncRead, RobotError> {
    for _ in 0..MAX_ROUNDS {
        let reply = port.request(SyncRead::Fast, PRESENT_POSITION, &Joint::ALL, ReplyTimeout::Reply)?;
        if reply.answers.iter().all(|(_, answer)| answer.is_some()) {
            return Ok(SyncRead::Fast);
        }
    }
    Ok(SyncRead::Plain)
}

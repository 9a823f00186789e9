//! What a servo keeps without power, and its gains: read as a whole for a backup; and its homing offset, for
//! calibration. For a robot that nobody drives meanwhile.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::BusOptions;
use super::port::Port;
use super::registers::{
    CURRENT_LIMIT, DRIVE_MODE, FIRMWARE, GAINS, HIGHEST_GOAL, HIGHEST_VOLTAGE, HOMING_OFFSET, LOWEST_GOAL,
    LOWEST_VOLTAGE, MODE, MODEL, MOVING_THRESHOLD, PWM_LIMIT, PWM_SLOPE, RETURN_DELAY, Register, SHUTDOWN,
    STARTUP, TEMPERATURE_LIMIT, TORQUE, VELOCITY_LIMIT,
};
use super::serial::SerialWire;
use super::slow::{low_16, low_byte, value_in};
use crate::joint::{Joint, Joints};
use crate::robot::RobotFault;
use crate::servo::Gains;

/// All that a servo keeps, and its gains, which it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The manufacturer's model number.
    pub model: u16,
    /// The version of its program.
    pub firmware: u8,
    /// How long it waits before it answers, microseconds.
    pub return_delay_us: u16,
    /// Which way it counts, and how it follows profiles: bits of register 10.
    pub drive_mode: u8,
    /// What it controls: the number in register 11; 3 is the position.
    pub operating_mode: u8,
    /// Added to what its encoder tells, raw steps (4096 a turn).
    pub homing_offset_steps: i32,
    /// The lowest goal that it takes, raw steps.
    pub min_position_steps: i32,
    /// The highest goal that it takes, raw steps.
    pub max_position_steps: i32,
    /// Above this it is overheating, degrees Celsius.
    pub temperature_limit_celsius: u8,
    /// Below this it reports a wrong input voltage, tenths of a volt.
    pub min_voltage_decivolts: u16,
    /// Above this it reports a wrong input voltage, tenths of a volt.
    pub max_voltage_decivolts: u16,
    /// The most that its motor is driven with; 885 is all of the supply.
    pub pwm_limit: u16,
    /// The greatest goal current, milliamperes.
    pub current_limit_milliamps: u16,
    /// The greatest goal velocity, units of 0.229 turns a minute.
    pub velocity_limit: u32,
    /// Slower than this it says that it stands, units of 0.229 turns a minute.
    pub moving_threshold: u32,
    /// What it does by itself when it gets power: bits of register 60.
    pub startup_configuration: u8,
    /// How quickly its drive may change: register 62.
    pub pwm_slope: u8,
    /// The hardware errors at which it lets go: bits of register 63.
    pub shutdown_mask: u8,
    /// The gains of its position loop; forgotten without power.
    pub gains: Gains,
}

/// A servo in position mode heeds no more than this, raw steps: a quarter turn. From the ROBOTIS e-manual.
pub const FARTHEST_HOMING_OFFSET: i32 = 1024;

/// Unit of the return delay, microseconds.
const DELAY_UNIT: u16 = 2;

/// All that is kept without power.
const KEPT: Register = Register { address: 0, width: 64, name: "its settings" };

/// Reads what each of the nine servos keeps. Changes nothing.
///
/// # Errors
/// A [`RobotFault`] when the port cannot be opened or read, or a servo does not answer.
pub fn read_settings(path: &Path, options: &BusOptions) -> Result<Joints<Settings>, RobotFault> {
    let mut port = open(path, options)?;
    let mut missing = Vec::new();
    for joint in Joint::ALL {
        if !port.ping(joint.motor_id())? {
            missing.push(joint);
        }
    }
    if !missing.is_empty() {
        return Err(RobotFault::Missing { joints: missing });
    }
    let mut all = Vec::new();
    for joint in Joint::ALL {
        all.push(settings_of(&mut port, joint)?);
    }
    let all: [Settings; 9] =
        all.try_into().map_err(|_| RobotFault::Broken { reason: "not nine motors".to_owned() })?;
    Ok(Joints::new(all))
}

/// Writes one servo's homing offset, raw steps, and reads it back. Its torque is switched off and stays off.
///
/// # Errors
/// [`RobotFault::Rejected`] when the servo does not take it, or would not heed it; others as [`read_settings`].
pub fn write_homing_offset(
    path: &Path,
    options: &BusOptions,
    joint: Joint,
    steps: i32,
) -> Result<(), RobotFault> {
    if !(-FARTHEST_HOMING_OFFSET..=FARTHEST_HOMING_OFFSET).contains(&steps) {
        return Err(RobotFault::Rejected { joint, what: "a homing offset of more than a quarter turn" });
    }
    let mut port = open(path, options)?;
    write_register(&mut port, joint, TORQUE, 0)?;
    write_register(&mut port, joint, HOMING_OFFSET, steps.cast_unsigned())
}

fn open(path: &Path, options: &BusOptions) -> Result<Port, RobotFault> {
    Ok(Port::over(Box::new(SerialWire::open(path, options.baud)?), options))
}

/// Writes a register and reads it back.
fn write_register(port: &mut Port, joint: Joint, register: Register, value: u32) -> Result<(), RobotFault> {
    let id = joint.motor_id();
    port.write(id, register, value)?.of(joint, register.name)?;
    if port.read(id, register)?.of(joint, register.name)? == value {
        Ok(())
    } else {
        Err(RobotFault::Rejected { joint, what: register.name })
    }
}

fn settings_of(port: &mut Port, joint: Joint) -> Result<Settings, RobotFault> {
    let id = joint.motor_id();
    let kept: [u8; 64] = port.read_block(id, KEPT)?.of(joint, KEPT.name)?;
    let [d0, d1, i0, i1, p0, p1]: [u8; 6] = port.read_block(id, GAINS)?.of(joint, GAINS.name)?;
    let value = |register| value_in(&kept, KEPT, register);
    let (byte, word) = (|register| low_byte(value(register)), |register| low_16(value(register)));
    Ok(Settings {
        model: word(MODEL),
        firmware: byte(FIRMWARE),
        return_delay_us: u16::from(byte(RETURN_DELAY)) * DELAY_UNIT,
        drive_mode: byte(DRIVE_MODE),
        operating_mode: byte(MODE),
        homing_offset_steps: value(HOMING_OFFSET).cast_signed(),
        min_position_steps: value(LOWEST_GOAL).cast_signed(),
        max_position_steps: value(HIGHEST_GOAL).cast_signed(),
        temperature_limit_celsius: byte(TEMPERATURE_LIMIT),
        min_voltage_decivolts: word(LOWEST_VOLTAGE),
        max_voltage_decivolts: word(HIGHEST_VOLTAGE),
        pwm_limit: word(PWM_LIMIT),
        current_limit_milliamps: word(CURRENT_LIMIT),
        velocity_limit: value(VELOCITY_LIMIT),
        moving_threshold: value(MOVING_THRESHOLD),
        startup_configuration: byte(STARTUP),
        pwm_slope: byte(PWM_SLOPE),
        shutdown_mask: byte(SHUTDOWN),
        gains: Gains {
            p: u16::from_le_bytes([p0, p1]),
            i: u16::from_le_bytes([i0, i1]),
            d: u16::from_le_bytes([d0, d1]),
        },
    })
}

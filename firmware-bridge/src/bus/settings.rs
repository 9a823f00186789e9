//! What a servo keeps without power, and its gains: read as a whole for a backup, and written one by one, for
//! calibration and to bring a backup back. For a robot that nobody drives meanwhile.
//!
//! Safety: torque is only read here, never written. While a servo's torque is on, nothing is written to it: its settings
//! are locked then, and other gains would be felt at once.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::BusOptions;
use super::port::Port;
use super::registers::{
    CURRENT_LIMIT, DRIVE_MODE, FIRMWARE, GAINS, HIGHEST_GOAL, HIGHEST_VOLTAGE, HOMING_OFFSET, LOWEST_GOAL,
    LOWEST_VOLTAGE, MODE, MODEL, MOVING_THRESHOLD, PRESENT_POSITION, PWM_LIMIT, PWM_SLOPE, RETURN_DELAY,
    Register, SHUTDOWN, STARTUP, TEMPERATURE_LIMIT, TORQUE, VELOCITY_LIMIT,
};
use super::ritual::set_gains;
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

/// One servo as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Servo {
    /// What it is set to.
    #[serde(flatten)]
    pub settings: Settings,
    /// Where it is, raw steps; its homing offset is in it.
    pub position_steps: i32,
    /// Whether it is driven.
    pub torque: bool,
}

/// One setting that may be written, and its value; each is the field of [`Settings`] with the same name. Who a servo is
/// (model, firmware, id, baud rate) is not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", content = "value", rename_all = "snake_case")]
pub enum Setting {
    /// How long it waits before it answers, microseconds.
    ReturnDelayUs(u16),
    /// Which way it counts, and how it follows profiles.
    DriveMode(u8),
    /// What it controls.
    OperatingMode(u8),
    /// Added to what its encoder tells, raw steps.
    HomingOffsetSteps(i32),
    /// The lowest goal that it takes, raw steps.
    MinPositionSteps(i32),
    /// The highest goal that it takes, raw steps.
    MaxPositionSteps(i32),
    /// Above this it is overheating.
    TemperatureLimitCelsius(u8),
    /// Below this it reports a wrong input voltage.
    MinVoltageDecivolts(u16),
    /// Above this it reports a wrong input voltage.
    MaxVoltageDecivolts(u16),
    /// The most that its motor is driven with.
    PwmLimit(u16),
    /// The greatest goal current.
    CurrentLimitMilliamps(u16),
    /// The greatest goal velocity.
    VelocityLimit(u32),
    /// Slower than this it says that it stands.
    MovingThreshold(u32),
    /// What it does by itself when it gets power.
    StartupConfiguration(u8),
    /// How quickly its drive may change.
    PwmSlope(u8),
    /// The hardware errors at which it lets go.
    ShutdownMask(u8),
    /// The gains of its position loop.
    Gains(Gains),
}

/// A servo in position mode heeds no more than this, raw steps: a quarter turn. From the ROBOTIS e-manual.
pub const FARTHEST_HOMING_OFFSET: i32 = 1024;

/// Unit of the return delay, microseconds.
const DELAY_UNIT: u16 = 2;

/// All that is kept without power.
const KEPT: Register = Register { address: 0, width: 64, name: "its settings" };

impl Settings {
    /// Everything that may be written, in the order in which it is: the gains last, since another operating mode
    /// resets them.
    #[must_use]
    pub const fn all(&self) -> [Setting; 17] {
        [
            Setting::ReturnDelayUs(self.return_delay_us),
            Setting::DriveMode(self.drive_mode),
            Setting::OperatingMode(self.operating_mode),
            Setting::HomingOffsetSteps(self.homing_offset_steps),
            Setting::MinPositionSteps(self.min_position_steps),
            Setting::MaxPositionSteps(self.max_position_steps),
            Setting::TemperatureLimitCelsius(self.temperature_limit_celsius),
            Setting::MinVoltageDecivolts(self.min_voltage_decivolts),
            Setting::MaxVoltageDecivolts(self.max_voltage_decivolts),
            Setting::PwmLimit(self.pwm_limit),
            Setting::CurrentLimitMilliamps(self.current_limit_milliamps),
            Setting::VelocityLimit(self.velocity_limit),
            Setting::MovingThreshold(self.moving_threshold),
            Setting::StartupConfiguration(self.startup_configuration),
            Setting::PwmSlope(self.pwm_slope),
            Setting::ShutdownMask(self.shutdown_mask),
            Setting::Gains(self.gains),
        ]
    }

    /// The same with one setting changed.
    #[must_use]
    pub const fn with(mut self, setting: Setting) -> Settings {
        match setting {
            Setting::ReturnDelayUs(microseconds) => self.return_delay_us = microseconds,
            Setting::DriveMode(bits) => self.drive_mode = bits,
            Setting::OperatingMode(number) => self.operating_mode = number,
            Setting::HomingOffsetSteps(steps) => self.homing_offset_steps = steps,
            Setting::MinPositionSteps(steps) => self.min_position_steps = steps,
            Setting::MaxPositionSteps(steps) => self.max_position_steps = steps,
            Setting::TemperatureLimitCelsius(degrees) => self.temperature_limit_celsius = degrees,
            Setting::MinVoltageDecivolts(tenths) => self.min_voltage_decivolts = tenths,
            Setting::MaxVoltageDecivolts(tenths) => self.max_voltage_decivolts = tenths,
            Setting::PwmLimit(limit) => self.pwm_limit = limit,
            Setting::CurrentLimitMilliamps(limit) => self.current_limit_milliamps = limit,
            Setting::VelocityLimit(limit) => self.velocity_limit = limit,
            Setting::MovingThreshold(threshold) => self.moving_threshold = threshold,
            Setting::StartupConfiguration(bits) => self.startup_configuration = bits,
            Setting::PwmSlope(slope) => self.pwm_slope = slope,
            Setting::ShutdownMask(bits) => self.shutdown_mask = bits,
            Setting::Gains(gains) => self.gains = gains,
        }
        self
    }
}

impl Setting {
    /// Whether a servo's register has room for this value. Ranges from the ROBOTIS e-manual, XL330 and XC330.
    #[must_use]
    pub const fn is_possible(self) -> bool {
        match self {
            Setting::ReturnDelayUs(microseconds) => {
                microseconds <= 254 * DELAY_UNIT && microseconds.is_multiple_of(DELAY_UNIT)
            }
            Setting::DriveMode(bits) => bits <= 13,
            Setting::OperatingMode(number) => matches!(number, 0 | 1 | 3 | 4 | 5 | 16),
            Setting::HomingOffsetSteps(steps) => steps >= -1_044_479 && steps <= 1_044_479,
            Setting::MinPositionSteps(steps) | Setting::MaxPositionSteps(steps) => {
                steps >= 0 && steps <= 4095
            }
            Setting::TemperatureLimitCelsius(degrees) => degrees <= 100,
            Setting::MinVoltageDecivolts(tenths) | Setting::MaxVoltageDecivolts(tenths) => {
                tenths >= 31 && tenths <= 70
            }
            Setting::PwmLimit(limit) => limit <= 885,
            Setting::CurrentLimitMilliamps(limit) => limit <= 2352,
            Setting::VelocityLimit(limit) => limit <= 2047,
            Setting::MovingThreshold(threshold) => threshold <= 1023,
            Setting::StartupConfiguration(bits) => bits <= 3,
            Setting::PwmSlope(slope) => slope >= 1,
            Setting::ShutdownMask(_) => true,
            Setting::Gains(Gains { p, i, d }) => p <= Gains::MOST && i <= Gains::MOST && d <= Gains::MOST,
        }
    }
}

/// A few words for people: `homing offset -968 steps`.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::ReturnDelayUs(microseconds) => write!(f, "return delay {microseconds} microseconds"),
            Setting::DriveMode(bits) => write!(f, "drive mode {bits}"),
            Setting::OperatingMode(number) => write!(f, "operating mode {number}"),
            Setting::HomingOffsetSteps(steps) => write!(f, "homing offset {steps} steps"),
            Setting::MinPositionSteps(steps) => write!(f, "lowest position {steps} steps"),
            Setting::MaxPositionSteps(steps) => write!(f, "highest position {steps} steps"),
            Setting::TemperatureLimitCelsius(degrees) => write!(f, "temperature limit {degrees} C"),
            Setting::MinVoltageDecivolts(tenths) => write!(f, "lowest voltage {:.1} V", volts(*tenths)),
            Setting::MaxVoltageDecivolts(tenths) => write!(f, "highest voltage {:.1} V", volts(*tenths)),
            Setting::PwmLimit(limit) => write!(f, "PWM limit {limit}"),
            Setting::CurrentLimitMilliamps(limit) => write!(f, "current limit {limit} mA"),
            Setting::VelocityLimit(limit) => write!(f, "velocity limit {limit}"),
            Setting::MovingThreshold(threshold) => write!(f, "moving threshold {threshold}"),
            Setting::StartupConfiguration(bits) => write!(f, "startup configuration {bits}"),
            Setting::PwmSlope(slope) => write!(f, "PWM slope {slope}"),
            Setting::ShutdownMask(bits) => write!(f, "shutdown mask {bits}"),
            Setting::Gains(Gains { p, i, d }) => write!(f, "gains P {p} I {i} D {d}"),
        }
    }
}

fn volts(tenths: u16) -> f64 {
    f64::from(tenths) / 10.0
}

/// A line to the nine servos that stays open while their settings are read and written.
pub struct SettingsLine {
    port: Port,
}

impl SettingsLine {
    /// Opens the port for this program alone.
    ///
    /// # Errors
    /// A [`RobotFault`] when it cannot be opened.
    pub fn open(path: &Path, options: &BusOptions) -> Result<SettingsLine, RobotFault> {
        let wire = SerialWire::open(path, options.baud)?;
        Ok(SettingsLine { port: Port::over(Box::new(wire), options) })
    }

    /// Reads all nine servos. Changes nothing.
    ///
    /// # Errors
    /// A [`RobotFault`] when the port cannot be read, or a servo does not answer; all that do not are named.
    pub fn read(&mut self) -> Result<Joints<Servo>, RobotFault> {
        let mut missing = Vec::new();
        for joint in Joint::ALL {
            if !self.port.ping(joint.motor_id())? {
                missing.push(joint);
            }
        }
        if !missing.is_empty() {
            return Err(RobotFault::Missing { joints: missing });
        }
        let mut all = Vec::new();
        for joint in Joint::ALL {
            all.push(servo(&mut self.port, joint)?);
        }
        let all: [Servo; 9] =
            all.try_into().map_err(|_| RobotFault::Broken { reason: "not nine motors".to_owned() })?;
        Ok(Joints::new(all))
    }

    /// Writes one setting of a servo whose torque is off, and reads it back.
    ///
    /// # Errors
    /// [`RobotFault::Rejected`] when its torque is on, or it does not take the value; others as
    /// [`SettingsLine::read`].
    pub fn write(&mut self, joint: Joint, setting: Setting) -> Result<(), RobotFault> {
        if is_driven(&mut self.port, joint)? {
            return Err(RobotFault::Rejected { joint, what: "a setting, since its torque is on" });
        }
        if !setting.is_possible() {
            return Err(RobotFault::Rejected { joint, what: "a setting beyond its register's range" });
        }
        let (register, value) = match setting {
            Setting::ReturnDelayUs(microseconds) => (RETURN_DELAY, u32::from(microseconds / DELAY_UNIT)),
            Setting::DriveMode(bits) => (DRIVE_MODE, bits.into()),
            Setting::OperatingMode(number) => (MODE, number.into()),
            Setting::HomingOffsetSteps(steps) => (HOMING_OFFSET, steps.cast_unsigned()),
            Setting::MinPositionSteps(steps) => (LOWEST_GOAL, steps.cast_unsigned()),
            Setting::MaxPositionSteps(steps) => (HIGHEST_GOAL, steps.cast_unsigned()),
            Setting::TemperatureLimitCelsius(degrees) => (TEMPERATURE_LIMIT, degrees.into()),
            Setting::MinVoltageDecivolts(tenths) => (LOWEST_VOLTAGE, tenths.into()),
            Setting::MaxVoltageDecivolts(tenths) => (HIGHEST_VOLTAGE, tenths.into()),
            Setting::PwmLimit(limit) => (PWM_LIMIT, limit.into()),
            Setting::CurrentLimitMilliamps(limit) => (CURRENT_LIMIT, limit.into()),
            Setting::VelocityLimit(limit) => (VELOCITY_LIMIT, limit),
            Setting::MovingThreshold(threshold) => (MOVING_THRESHOLD, threshold),
            Setting::StartupConfiguration(bits) => (STARTUP, bits.into()),
            Setting::PwmSlope(slope) => (PWM_SLOPE, slope.into()),
            Setting::ShutdownMask(bits) => (SHUTDOWN, bits.into()),
            Setting::Gains(gains) => return set_gains(&mut self.port, joint, gains),
        };
        write_register(&mut self.port, joint, register, value)
    }
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

fn is_driven(port: &mut Port, joint: Joint) -> Result<bool, RobotFault> {
    Ok(port.read(joint.motor_id(), TORQUE)?.of(joint, TORQUE.name)? != 0)
}

fn servo(port: &mut Port, joint: Joint) -> Result<Servo, RobotFault> {
    let settings = settings_of(port, joint)?;
    let position = port.read(joint.motor_id(), PRESENT_POSITION)?.of(joint, PRESENT_POSITION.name)?;
    Ok(Servo { settings, position_steps: position.cast_signed(), torque: is_driven(port, joint)? })
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

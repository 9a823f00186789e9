//! The settings that a servo stores without power, and its gains. They are read as a whole for a backup, and written
//! one by one for calibration and to restore a backup. No controller may run at the same time.
//!
//! Safety: this module only reads torque and never writes it. While a servo's torque is on, nothing is written to it:
//! its settings are locked then, and new gains would take effect immediately.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::BusOptions;
use super::bring_up::set_gains;
use super::instructions::{low_16, low_byte, value_in};
use super::port::Port;
use super::registers::{
    CURRENT_LIMIT, DRIVE_MODE, FIRMWARE_VERSION, HOMING_OFFSET, MAX_POSITION_LIMIT, MAX_VOLTAGE_LIMIT,
    MIN_POSITION_LIMIT, MIN_VOLTAGE_LIMIT, MODEL_NUMBER, MOVING_THRESHOLD, OPERATING_MODE, POSITION_GAINS,
    PRESENT_POSITION, PWM_LIMIT, PWM_SLOPE, RETURN_DELAY_TIME, Register, SHUTDOWN, STARTUP_CONFIGURATION,
    TEMPERATURE_LIMIT, TORQUE_ENABLE, VELOCITY_LIMIT,
};
use super::serial::SerialTransport;
use crate::joint::{Joint, Joints};
use crate::robot::RobotError;
use crate::servo::Gains;

/// The stored settings of a servo, and its gains, which it does not store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EepromSettings {
    /// The manufacturer's model number.
    pub model: u16,
    /// The firmware version.
    pub firmware: u8,
    /// The delay before an answer, microseconds.
    pub return_delay_us: u16,
    /// The direction of rotation and the profile configuration: bits of register 10.
    pub drive_mode: u8,
    /// The operating mode: the number in register 11; 3 is position mode.
    pub operating_mode: u8,
    /// The offset that is added to the encoder's position, raw steps (4096 per turn).
    pub homing_offset_steps: i32,
    /// The minimum goal position, raw steps.
    pub min_position_steps: i32,
    /// The maximum goal position, raw steps.
    pub max_position_steps: i32,
    /// The temperature above which the servo reports overheating, degrees Celsius.
    pub temperature_limit_celsius: u8,
    /// The voltage below which the servo reports an input voltage error, tenths of a volt.
    pub min_voltage_decivolts: u16,
    /// The voltage above which the servo reports an input voltage error, tenths of a volt.
    pub max_voltage_decivolts: u16,
    /// The maximum PWM output; 885 is 100 %.
    pub pwm_limit: u16,
    /// The maximum goal current, milliamperes.
    pub current_limit_milliamps: u16,
    /// The maximum goal velocity, units of 0.229 turns per minute.
    pub velocity_limit: u32,
    /// The velocity below which the servo reports that it does not move, units of 0.229 turns per minute.
    pub moving_threshold: u32,
    /// The behaviour when the servo gets power: bits of register 60.
    pub startup_configuration: u8,
    /// The maximum rate of change of the PWM output: register 62.
    pub pwm_slope: u8,
    /// The hardware errors at which the servo releases: bits of register 63.
    pub shutdown_mask: u8,
    /// The gains of the position loop; lost without power.
    pub gains: Gains,
}

/// The state of one servo when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ServoSnapshot {
    /// The settings.
    #[serde(flatten)]
    pub settings: EepromSettings,
    /// The present position, raw steps, including the homing offset.
    pub position_steps: i32,
    /// Whether torque is on.
    pub torque: bool,
}

/// A writable setting with its value; each corresponds to the field of [`EepromSettings`] with the same name. The identity of
/// a servo (model, firmware, id, baud rate) is not writable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", content = "value", rename_all = "snake_case")]
pub enum Setting {
    /// The delay before an answer, microseconds.
    ReturnDelayUs(u16),
    /// The direction of rotation and the profile configuration.
    DriveMode(u8),
    /// The operating mode.
    OperatingMode(u8),
    /// The offset that is added to the encoder's position, raw steps.
    HomingOffsetSteps(i32),
    /// The minimum goal position, raw steps.
    MinPositionSteps(i32),
    /// The maximum goal position, raw steps.
    MaxPositionSteps(i32),
    /// The temperature above which the servo reports overheating, degrees Celsius.
    TemperatureLimitCelsius(u8),
    /// The voltage below which the servo reports an input voltage error, tenths of a volt.
    MinVoltageDecivolts(u16),
    /// The voltage above which the servo reports an input voltage error, tenths of a volt.
    MaxVoltageDecivolts(u16),
    /// The maximum PWM output.
    PwmLimit(u16),
    /// The maximum goal current, milliamperes.
    CurrentLimitMilliamps(u16),
    /// The maximum goal velocity.
    VelocityLimit(u32),
    /// The velocity below which the servo reports that it does not move.
    MovingThreshold(u32),
    /// The behaviour when the servo gets power.
    StartupConfiguration(u8),
    /// The maximum rate of change of the PWM output.
    PwmSlope(u8),
    /// The hardware errors at which the servo releases.
    ShutdownMask(u8),
    /// The gains of the position loop.
    Gains(Gains),
}

/// The maximum homing offset that takes effect in position mode, raw steps: a quarter turn. From the ROBOTIS e-Manual.
pub const MAX_HOMING_OFFSET: i32 = 1024;

/// The unit of the return delay, microseconds.
const RETURN_DELAY_UNIT_US: u16 = 2;

/// All registers that are stored without power.
const EEPROM_AREA: Register = Register { address: 0, width: 64, name: "the EEPROM area" };

impl EepromSettings {
    /// Returns every writable setting in the order of writing. The gains come last, since a change of the operating
    /// mode resets them.
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

    /// Returns the same settings with one changed.
    #[must_use]
    pub const fn with(mut self, setting: Setting) -> EepromSettings {
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
    /// Returns whether the value is within the range of its register. Ranges from the ROBOTIS e-Manual, XL330 and
    /// XC330.
    #[must_use]
    pub const fn is_possible(self) -> bool {
        match self {
            Setting::ReturnDelayUs(microseconds) => {
                microseconds <= 254 * RETURN_DELAY_UNIT_US
                    && microseconds.is_multiple_of(RETURN_DELAY_UNIT_US)
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
            Setting::Gains(Gains { p, i, d }) => p <= Gains::MAX && i <= Gains::MAX && d <= Gains::MAX,
        }
    }
}

/// A short text for the user: `homing offset -968 steps`.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::ReturnDelayUs(microseconds) => write!(f, "return delay {microseconds} microseconds"),
            Setting::DriveMode(bits) => write!(f, "drive mode {bits}"),
            Setting::OperatingMode(number) => write!(f, "operating mode {number}"),
            Setting::HomingOffsetSteps(steps) => write!(f, "homing offset {steps} steps"),
            Setting::MinPositionSteps(steps) => write!(f, "minimum position {steps} steps"),
            Setting::MaxPositionSteps(steps) => write!(f, "maximum position {steps} steps"),
            Setting::TemperatureLimitCelsius(degrees) => write!(f, "temperature limit {degrees} C"),
            Setting::MinVoltageDecivolts(tenths) => write!(f, "minimum voltage {:.1} V", volts(*tenths)),
            Setting::MaxVoltageDecivolts(tenths) => write!(f, "maximum voltage {:.1} V", volts(*tenths)),
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
pub struct EepromLine {
    port: Port,
}

impl EepromLine {
    /// Opens the port exclusively.
    ///
    /// # Errors
    /// A [`RobotError`] if the port cannot be opened.
    pub fn open(path: &Path, options: &BusOptions) -> Result<EepromLine, RobotError> {
        let wire = SerialTransport::open(path, options.baud)?;
        Ok(EepromLine { port: Port::new(Box::new(wire), options) })
    }

    /// Reads all nine servos, without changing anything.
    ///
    /// # Errors
    /// A [`RobotError`] if the port cannot be read or a servo does not answer; the fault names every such servo.
    pub fn read(&mut self) -> Result<Joints<ServoSnapshot>, RobotError> {
        let mut missing = Vec::new();
        for joint in Joint::ALL {
            if !self.port.ping(joint.motor_id())? {
                missing.push(joint);
            }
        }
        if !missing.is_empty() {
            return Err(RobotError::Missing { joints: missing });
        }
        let mut all = Vec::new();
        for joint in Joint::ALL {
            all.push(read_servo(&mut self.port, joint)?);
        }
        let all: [ServoSnapshot; 9] =
            all.try_into().map_err(|_| RobotError::Broken { reason: "expected nine motors".to_owned() })?;
        Ok(Joints::new(all))
    }

    /// Writes one setting of a servo whose torque is off, and reads it back.
    ///
    /// # Errors
    /// [`RobotError::Rejected`] if its torque is on or it does not accept the value; others as [`EepromLine::read`].
    pub fn write(&mut self, joint: Joint, setting: Setting) -> Result<(), RobotError> {
        if is_driven(&mut self.port, joint)? {
            return Err(RobotError::Rejected { joint, what: "a setting because its torque is on" });
        }
        if !setting.is_possible() {
            return Err(RobotError::Rejected { joint, what: "a setting outside its register's range" });
        }
        let (register, value) = match setting {
            Setting::ReturnDelayUs(microseconds) => {
                (RETURN_DELAY_TIME, u32::from(microseconds / RETURN_DELAY_UNIT_US))
            }
            Setting::DriveMode(bits) => (DRIVE_MODE, bits.into()),
            Setting::OperatingMode(number) => (OPERATING_MODE, number.into()),
            Setting::HomingOffsetSteps(steps) => (HOMING_OFFSET, steps.cast_unsigned()),
            Setting::MinPositionSteps(steps) => (MIN_POSITION_LIMIT, steps.cast_unsigned()),
            Setting::MaxPositionSteps(steps) => (MAX_POSITION_LIMIT, steps.cast_unsigned()),
            Setting::TemperatureLimitCelsius(degrees) => (TEMPERATURE_LIMIT, degrees.into()),
            Setting::MinVoltageDecivolts(tenths) => (MIN_VOLTAGE_LIMIT, tenths.into()),
            Setting::MaxVoltageDecivolts(tenths) => (MAX_VOLTAGE_LIMIT, tenths.into()),
            Setting::PwmLimit(limit) => (PWM_LIMIT, limit.into()),
            Setting::CurrentLimitMilliamps(limit) => (CURRENT_LIMIT, limit.into()),
            Setting::VelocityLimit(limit) => (VELOCITY_LIMIT, limit),
            Setting::MovingThreshold(threshold) => (MOVING_THRESHOLD, threshold),
            Setting::StartupConfiguration(bits) => (STARTUP_CONFIGURATION, bits.into()),
            Setting::PwmSlope(slope) => (PWM_SLOPE, slope.into()),
            Setting::ShutdownMask(bits) => (SHUTDOWN, bits.into()),
            Setting::Gains(gains) => return set_gains(&mut self.port, joint, gains),
        };
        write_register(&mut self.port, joint, register, value)
    }
}

/// Writes a register and reads it back.
fn write_register(port: &mut Port, joint: Joint, register: Register, value: u32) -> Result<(), RobotError> {
    let id = joint.motor_id();
    port.write(id, register, value)?.into_result(joint, register.name)?;
    if port.read(id, register)?.into_result(joint, register.name)? == value {
        Ok(())
    } else {
        Err(RobotError::Rejected { joint, what: register.name })
    }
}

fn is_driven(port: &mut Port, joint: Joint) -> Result<bool, RobotError> {
    Ok(port.read(joint.motor_id(), TORQUE_ENABLE)?.into_result(joint, TORQUE_ENABLE.name)? != 0)
}

fn read_servo(port: &mut Port, joint: Joint) -> Result<ServoSnapshot, RobotError> {
    let settings = read_settings(port, joint)?;
    let position =
        port.read(joint.motor_id(), PRESENT_POSITION)?.into_result(joint, PRESENT_POSITION.name)?;
    Ok(ServoSnapshot { settings, position_steps: position.cast_signed(), torque: is_driven(port, joint)? })
}

fn read_settings(port: &mut Port, joint: Joint) -> Result<EepromSettings, RobotError> {
    let id = joint.motor_id();
    let stored: [u8; 64] = port.read_block(id, EEPROM_AREA)?.into_result(joint, EEPROM_AREA.name)?;
    let [d0, d1, i0, i1, p0, p1]: [u8; 6] =
        port.read_block(id, POSITION_GAINS)?.into_result(joint, POSITION_GAINS.name)?;
    let value = |register| value_in(&stored, EEPROM_AREA, register);
    let (byte, word) = (|register| low_byte(value(register)), |register| low_16(value(register)));
    Ok(EepromSettings {
        model: word(MODEL_NUMBER),
        firmware: byte(FIRMWARE_VERSION),
        return_delay_us: u16::from(byte(RETURN_DELAY_TIME)) * RETURN_DELAY_UNIT_US,
        drive_mode: byte(DRIVE_MODE),
        operating_mode: byte(OPERATING_MODE),
        homing_offset_steps: value(HOMING_OFFSET).cast_signed(),
        min_position_steps: value(MIN_POSITION_LIMIT).cast_signed(),
        max_position_steps: value(MAX_POSITION_LIMIT).cast_signed(),
        temperature_limit_celsius: byte(TEMPERATURE_LIMIT),
        min_voltage_decivolts: word(MIN_VOLTAGE_LIMIT),
        max_voltage_decivolts: word(MAX_VOLTAGE_LIMIT),
        pwm_limit: word(PWM_LIMIT),
        current_limit_milliamps: word(CURRENT_LIMIT),
        velocity_limit: value(VELOCITY_LIMIT),
        moving_threshold: value(MOVING_THRESHOLD),
        startup_configuration: byte(STARTUP_CONFIGURATION),
        pwm_slope: byte(PWM_SLOPE),
        shutdown_mask: byte(SHUTDOWN),
        gains: Gains {
            p: u16::from_le_bytes([p0, p1]),
            i: u16::from_le_bytes([i0, i1]),
            d: u16::from_le_bytes([d0, d1]),
        },
    })
}

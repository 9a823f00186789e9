//! Scans every servo on a line for diagnosis, without changing anything.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::Serialize;

use super::BusOptions;
use super::instructions::{Response, low_16, low_byte};
use super::port::Port;
use super::registers::{
    FIRMWARE_VERSION, HARDWARE_ERROR_STATUS, MODEL_NUMBER, OPERATING_MODE, PRESENT_INPUT_VOLTAGE,
    PRESENT_POSITION, PRESENT_TEMPERATURE, TORQUE_ENABLE, hardware_errors, mode_name, model_name,
};
use super::serial::SerialTransport;
use crate::joint::Joint;
use crate::robot::RobotError;

/// The report of one servo.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MotorReport {
    /// The id on the bus.
    pub id: u8,
    /// The joint with this id, if it is one of the robot's nine.
    pub joint: Option<Joint>,
    /// The baud rate at which the servo answers.
    pub baud: u32,
    /// The manufacturer's model number.
    pub model: u16,
    /// The manufacturer's name of the model.
    pub model_name: &'static str,
    /// The firmware version.
    pub firmware: u8,
    /// The supply voltage, volts.
    pub volts: f64,
    /// The temperature inside the servo, degrees Celsius.
    pub temperature: u8,
    /// The hardware errors since the servo's last start.
    pub hardware_error: Vec<&'static str>,
    /// The present position, raw steps, 4096 per turn.
    pub position_raw: i32,
    /// Whether torque is on.
    pub torque: bool,
    /// The operating mode; 3 is position mode.
    pub mode: u8,
    /// The name of the operating mode.
    pub mode_name: &'static str,
}

/// One line for the user: `11 stewart_1: XL330-M288 (1200), firmware 51, 1000000 baud, 5.0 V, 31 C, position mode (3),
/// torque off, at 2455, no errors`.
impl fmt::Display for MotorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.joint.map_or("(not a motor of this robot)", Joint::name);
        let torque = if self.torque { "on" } else { "off" };
        let errors =
            if self.hardware_error.is_empty() { "no errors".into() } else { self.hardware_error.join(", ") };
        let MotorReport { id, baud, model, model_name, firmware, volts, temperature, .. } = self;
        let MotorReport { mode, mode_name, position_raw, .. } = self;
        write!(
            f,
            "{id} {name}: {model_name} ({model}), firmware {firmware}, {baud} baud, {volts:.1} V, {temperature} C, \
             {mode_name} mode ({mode}), torque {torque}, at {position_raw}, {errors}"
        )
    }
}

/// Finds every servo on the line and reads its report.
///
/// # Errors
/// [`RobotError`] if the port cannot be opened or read, or if a servo of the robot falls silent during the scan.
pub fn scan(path: &Path, options: &BusOptions) -> Result<Vec<MotorReport>, RobotError> {
    let wire = SerialTransport::open(path, options.baud)?;
    scan_port(&mut Port::new(Box::new(wire), options), options.baud)
}

/// The baud rates of the servos (ROBOTIS e-Manual, register 8).
pub const BAUDS: [u32; 7] = [9_600, 57_600, 115_200, 1_000_000, 2_000_000, 3_000_000, 4_000_000];

/// Scans at each of these baud rates, for servos that are not set to the robot's rate; new servos use 57,600.
///
/// A rate that the port does not support is skipped. So is a rate other than the robot's at which a servo falls silent:
/// the servo may have misread the request. A servo that answers at several rates, as on an emulated line, is reported
/// once, at the first.
///
/// # Errors
/// As [`scan`].
pub fn scan_all(path: &Path, options: &BusOptions, bauds: &[u32]) -> Result<Vec<MotorReport>, RobotError> {
    let mut seen = BTreeSet::new();
    let mut reports = Vec::new();
    for &baud in bauds {
        match scan(path, &BusOptions { baud, ..*options }) {
            Ok(found) => {
                let new = found.into_iter().filter(|it| seen.insert((it.id, it.model, it.firmware)));
                reports.extend(new);
            }
            Err(RobotError::Silent { .. }) if baud != options.baud => {}
            // The port opens at the robot's own rate, so it exists, and only this rate failed.
            Err(RobotError::PortGone { .. })
                if baud != options.baud && SerialTransport::open(path, options.baud).is_ok() => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(reports)
}

fn scan_port(port: &mut Port, baud: u32) -> Result<Vec<MotorReport>, RobotError> {
    let mut ids = port.ping_all()?;
    for id in Joint::ALL.map(Joint::motor_id) {
        if !ids.contains(&id) && port.ping(id)? {
            ids.push(id);
        }
    }
    ids.sort_unstable();
    ids.dedup();
    let mut reports = Vec::new();
    for id in ids {
        match report(port, id, baud)? {
            Some(report) => reports.push(report),
            None => {
                if let Some(joint) = Joint::from_motor_id(id) {
                    return Err(RobotError::Silent { joint });
                }
            }
        }
    }
    Ok(reports)
}

/// Returns `None` if the servo does not answer every request.
fn report(port: &mut Port, id: u8, baud: u32) -> Result<Option<MotorReport>, RobotError> {
    let registers = [
        MODEL_NUMBER,
        FIRMWARE_VERSION,
        OPERATING_MODE,
        TORQUE_ENABLE,
        HARDWARE_ERROR_STATUS,
        PRESENT_POSITION,
        PRESENT_INPUT_VOLTAGE,
        PRESENT_TEMPERATURE,
    ];
    let mut values = [0; 8];
    for (value, register) in values.iter_mut().zip(registers) {
        let Response::Value(read) = port.read(id, register)? else { return Ok(None) };
        *value = read;
    }
    let [model, firmware, mode, torque, error, position, voltage, temperature] = values;
    let [firmware, mode, error, temperature] = [firmware, mode, error, temperature].map(low_byte);
    Ok(Some(MotorReport {
        id,
        joint: Joint::from_motor_id(id),
        baud,
        model: low_16(model),
        model_name: model_name(low_16(model)),
        firmware,
        volts: f64::from(voltage) / 10.0,
        temperature,
        hardware_error: hardware_errors(error).collect(),
        position_raw: position.cast_signed(),
        torque: torque != 0,
        mode,
        mode_name: mode_name(mode),
    }))
}

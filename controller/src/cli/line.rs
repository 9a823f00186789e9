//! Where the engineer's commands meet the serial line: settings, packets, and servos at any baud rate.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use firmware_bridge::bus::settings::{self, Settings};
use firmware_bridge::bus::{self, BusOptions, MotorReport, raw};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::robot::RobotFault;
use minismith::calibration::{Servo, ServoSettings, Setting, SettingsLine};

/// The settings of the servos on a serial line, which stays open.
pub struct ServoLine(settings::SettingsLine);

impl ServoLine {
    /// Opens the port.
    pub fn open(port: &Path, options: &BusOptions) -> Result<Self, RobotFault> {
        settings::SettingsLine::open(port, options).map(ServoLine)
    }
}

impl SettingsLine for ServoLine {
    fn read(&mut self) -> Result<Joints<Servo>, RobotFault> {
        let read = self.0.read()?;
        Ok(read.map(|servo| {
            let Settings { model, firmware, homing_offset, lowest_position, highest_position, .. } = servo;
            let Settings { mode, drive_mode, gains, shutdown, return_delay, position, torque, .. } = servo;
            let settings = ServoSettings {
                model,
                firmware,
                homing_offset,
                lowest_position,
                highest_position,
                mode,
                drive_mode,
                gains,
                shutdown,
                return_delay,
            };
            Servo { settings, position, torque }
        }))
    }

    fn write(&mut self, joint: Joint, setting: Setting) -> Result<(), RobotFault> {
        let setting = match setting {
            Setting::HomingOffset(steps) => settings::Setting::HomingOffset(steps),
            Setting::LowestPosition(steps) => settings::Setting::LowestPosition(steps),
            Setting::HighestPosition(steps) => settings::Setting::HighestPosition(steps),
            Setting::Mode(mode) => settings::Setting::Mode(mode),
            Setting::DriveMode(mode) => settings::Setting::DriveMode(mode),
            Setting::Gains(gains) => settings::Setting::Gains(gains),
            Setting::Shutdown(mask) => settings::Setting::Shutdown(mask),
            Setting::ReturnDelay(units) => settings::Setting::ReturnDelay(units),
        };
        self.0.write(joint, setting)
    }
}

/// A line that carries an engineer's packets.
pub struct PacketLine {
    line: raw::RawLine,
    wait: Duration,
}

impl PacketLine {
    /// Opens the port; an answer ends when nothing comes for `wait`.
    pub fn open(port: &Path, baud: u32, wait: Duration) -> Result<Self, RobotFault> {
        Ok(PacketLine { line: raw::RawLine::open(port, baud)?, wait })
    }

    /// Sends a packet and returns what comes back.
    pub fn exchange(&mut self, packet: &[u8]) -> Result<Vec<u8>, RobotFault> {
        self.line.exchange(packet, self.wait)
    }
}

/// The packet for a request.
pub fn packet(request: &super::raw::Request) -> Vec<u8> {
    use super::raw::Request;
    match request {
        Request::Ping { id } => raw::ping(*id),
        Request::Read { id, address, length } => raw::read(*id, *address, *length),
        Request::Write { id, address, bytes } => raw::write(*id, *address, bytes),
        Request::Bytes(bytes) => bytes.clone(),
    }
}

/// Bytes in words.
pub fn words(bytes: &[u8]) -> Vec<String> {
    raw::describe(bytes)
}

/// The baud rates that the servos know (XL330 control table, register 8).
const BAUDS: [u32; 7] = [9_600, 57_600, 115_200, 1_000_000, 2_000_000, 3_000_000, 4_000_000];

/// The servos on a line with the baud rate at which each answers; at the usual one, or at all.
pub fn scan(port: &Path, options: &BusOptions, all: bool) -> Result<Vec<(u32, MotorReport)>, RobotFault> {
    let others = BAUDS.into_iter().filter(|baud| all && *baud != options.baud);
    let mut found = Vec::new();
    // A line without a baud rate, such as a pseudo-terminal, carries the same servo at each.
    let mut seen = BTreeSet::new();
    for baud in std::iter::once(options.baud).chain(others) {
        let motors = match bus::scan(port, &BusOptions { baud, ..*options }) {
            Ok(motors) => motors,
            // At another rate than theirs, servos may answer halves of what is asked.
            Err(RobotFault::Silent { .. }) if baud != options.baud => Vec::new(),
            // An adapter that does not know the rate carries nothing at it.
            Err(RobotFault::PortGone { .. }) if baud != options.baud => Vec::new(),
            Err(fault) => return Err(fault),
        };
        let new = motors.into_iter().filter(|motor| seen.insert((motor.id, motor.model, motor.firmware)));
        found.extend(new.map(|motor| (baud, motor)));
    }
    Ok(found)
}

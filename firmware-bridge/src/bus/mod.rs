//! The robot's nine servos on a serial line: XL330 and XC330, Dynamixel protocol 2.0.
//!
//! Responsibilities:
//!
//! * Open the line and prepare the servos ([`MotorBus::open`]).
//! * In each cycle, write nine goals with one packet and read nine positions with another.
//! * Report which answers were lost, and why.
//! * Poll the status of one servo at a time.
//! * Detect motors that fall silent, recover, restart or release.
//! * Open the line again after it was unplugged.
//!
//! Threads: the control loop's thread calls this module. A cycle waits for the servos' answers, up to
//! [`BusOptions::cycle_timeout`] per request. Only while the line is lost, a separate thread opens it again, and no
//! cycle waits for that. Time is the line's own: real time on a serial port, virtual time on an emulated line.
//!
//! Units and frames: radians at the interface, 4096 raw steps per turn on the line; angles are the motors' own.
//!
//! Safety: torque is enabled only for a motor whose goal was set to its present position and read back. A goal that is
//! not a finite number is never written. A goal outside the servo's limits is limited to them, since the servo would
//! silently ignore it. The servos' own watchdogs are enabled while the bus is open. The cycle that finds a lost line
//! again writes no goal, since it was computed for the earlier positions of the motors.
//!
//! Reading order:
//!
//! * `registers` and `convert`: the values.
//! * `packet` and `status`: the packets.
//! * `wire` and `serial`: the line.
//! * `port`: one request with one deadline.
//! * `instructions`: one servo at a time.
//! * `bring_up`: the preparation before the first cycle.
//! * `servos`, `status_poll` and `modes`: the cycle.
//! * `reopen`, then this file.
//! * `scan`, `eeprom` and `raw`: service tools.

mod bring_up;
mod convert;
pub mod eeprom;
#[cfg(test)]
mod fake;
mod instructions;
mod modes;
mod packet;
mod poll_schedule;
mod port;
pub mod raw;
mod reconnect;
mod registers;
mod scan;
mod serial;
mod servos;
mod status;
mod status_poll;
#[cfg(test)]
mod tests;
mod transport;

use std::path::Path;
use std::time::Duration;

pub use raw::RawLine;
pub use reconnect::ReconnectFn;
pub use scan::{BAUDS, MotorReport, scan, scan_all};
pub use transport::Transport;

use crate::clock::Timestamp;
use crate::envelope::{Action, SafeCommand};
use crate::robot::{JointState, Robot, RobotError};
use bring_up::default_gains;
use port::Port;
use reconnect::{LostConnection, ReconnectSource};
use serial::SerialTransport;
use servos::Servos;

/// The options for opening a bus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusOptions {
    /// Baud rate, bits per second.
    pub baud: u32,
    /// The minimum supply voltage that every motor must measure, volts.
    pub min_voltage_v: f64,
    /// The servos stop by themselves after this long without a packet. `None` leaves their watchdogs off.
    pub watchdog: Option<Duration>,
    /// The timeout of a whole answer outside the control loop.
    pub reply_timeout: Duration,
    /// The timeout of a whole answer within a cycle. Both timeouts are extended if they are too short for the baud
    /// rate.
    pub cycle_timeout: Duration,
}

impl BusOptions {
    /// The options for a Reachy Mini.
    pub const DEFAULT: BusOptions = BusOptions {
        baud: 1_000_000,
        min_voltage_v: 4.5,
        watchdog: Some(Duration::from_millis(200)),
        reply_timeout: Duration::from_millis(10),
        cycle_timeout: Duration::from_millis(5),
    };

    /// Returns these options for emulated servos: they answer when this computer's scheduler lets them, which a busy
    /// computer may delay by more than the timeout of a real line.
    #[must_use]
    pub const fn for_emulated_servos(self) -> BusOptions {
        BusOptions { cycle_timeout: Duration::from_millis(20), ..self }
    }
}

impl Default for BusOptions {
    fn default() -> Self {
        BusOptions::DEFAULT
    }
}

/// The servos, ready for the control loop.
pub struct MotorBus {
    link: Connection,
    reconnect: ReconnectSource,
    options: BusOptions,
}

enum Connection {
    Open(Box<Servos>),
    Lost(Box<LostConnection>),
}

impl MotorBus {
    /// Opens a serial port and prepares all nine servos, without enabling torque. If the port fails later, it is opened
    /// and prepared again automatically, and a symbolic link in the path is resolved again.
    ///
    /// # Errors
    /// A [`RobotError`] that names the motor or the problem of the port, with a remedy.
    pub fn open(path: &Path, options: &BusOptions) -> Result<MotorBus, RobotError> {
        let wire = SerialTransport::open(path, options.baud)?;
        let bus = MotorBus::with_transport(Box::new(wire), options)?;
        Ok(MotorBus { reconnect: ReconnectSource::Port(path.to_owned()), ..bus })
    }

    /// Prepares all nine servos on an open line. If the line fails it stays lost, unless [`MotorBus::with_reconnect`] is
    /// used.
    ///
    /// # Errors
    /// A [`RobotError`] that names the motor, with a remedy.
    pub fn with_transport(wire: Box<dyn Transport>, options: &BusOptions) -> Result<MotorBus, RobotError> {
        let servos = Servos::prepare(Port::new(wire, options), options, &default_gains())?;
        Ok(MotorBus {
            link: Connection::Open(Box::new(servos)),
            reconnect: ReconnectSource::Never,
            options: *options,
        })
    }

    /// Returns the same bus with a function that opens a failed line again. Cycles call it every half second of their
    /// own time, so it must not block.
    #[must_use]
    pub fn with_reconnect(self, reopen: ReconnectFn) -> MotorBus {
        MotorBus { reconnect: ReconnectSource::Line(reopen), ..self }
    }

    /// Executes a command, or only reads the state.
    fn act(&mut self, at: Timestamp, action: Option<&Action>) -> Result<JointState, RobotError> {
        let result = match &mut self.link {
            Connection::Open(servos) => match action {
                Some(action) => servos.carry_out(at, action),
                None => servos.read_state(at),
            },
            Connection::Lost(lost) => {
                let Some(servos) = lost.poll(at, &mut self.reconnect, &self.options) else {
                    return Err(lost.fault());
                };
                self.link = Connection::Open(Box::new(servos));
                // These goals and currents were computed for the motors' positions before the line was lost.
                let action = action.filter(|action| match action {
                    Action::Targets(_) | Action::Currents(_) => false,
                    Action::Torque(_) | Action::Reboot(_) | Action::Modes(_) | Action::Gains(..) => true,
                });
                return self.act(at, action);
            }
        };
        if let (Err(RobotError::PortGone { reason }), Connection::Open(servos)) = (&result, &mut self.link) {
            servos.give_up();
            let lost = LostConnection::from(at, servos, reason.clone());
            // This closes the port, so that it can be opened again.
            self.link = Connection::Lost(Box::new(lost));
        }
        result
    }
}

impl Robot for MotorBus {
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        self.act(at, None)
    }

    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError> {
        self.act(at, Some(command.action()))
    }
}

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
//! [`BusOptions::beat_timeout`] per request. Only while the line is lost, a separate thread opens it again, and no
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
//! * `slow`: one servo at a time.
//! * `ritual`: the preparation before the first cycle.
//! * `servos`, `survey` and `modes`: the cycle.
//! * `reopen`, then this file.
//! * `scan`, `settings` and `raw`: service tools.

mod convert;
#[cfg(test)]
mod fake;
mod modes;
mod packet;
mod poll_schedule;
mod port;
pub mod raw;
mod registers;
mod reopen;
mod ritual;
mod scan;
mod serial;
mod servos;
pub mod settings;
mod slow;
mod status;
mod survey;
#[cfg(test)]
mod tests;
mod wire;

use std::path::Path;
use std::time::Duration;

pub use raw::RawLine;
pub use reopen::Reopen;
pub use scan::{BAUDS, MotorReport, scan, scan_all};
pub use wire::Wire;

use crate::clock::Tick;
use crate::envelope::{Action, SafeCommand};
use crate::robot::{JointState, Robot, RobotFault};
use port::Port;
use reopen::{Again, Lost};
use ritual::default_gains;
use serial::SerialWire;
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
    pub beat_timeout: Duration,
}

impl BusOptions {
    /// The options for a Reachy Mini.
    pub const DEFAULT: BusOptions = BusOptions {
        baud: 1_000_000,
        min_voltage_v: 4.5,
        watchdog: Some(Duration::from_millis(200)),
        reply_timeout: Duration::from_millis(10),
        beat_timeout: Duration::from_millis(5),
    };
}

impl Default for BusOptions {
    fn default() -> Self {
        BusOptions::DEFAULT
    }
}

/// The servos, ready for the control loop.
pub struct MotorBus {
    link: Link,
    again: Again,
    options: BusOptions,
}

enum Link {
    Open(Box<Servos>),
    Lost(Box<Lost>),
}

impl MotorBus {
    /// Opens a serial port and prepares all nine servos, without enabling torque. If the port fails later, it is opened
    /// and prepared again automatically, and a symbolic link in the path is resolved again.
    ///
    /// # Errors
    /// A [`RobotFault`] that names the motor or the problem of the port, with a remedy.
    pub fn open(path: &Path, options: &BusOptions) -> Result<MotorBus, RobotFault> {
        let wire = SerialWire::open(path, options.baud)?;
        let bus = MotorBus::over(Box::new(wire), options)?;
        Ok(MotorBus { again: Again::Port(path.to_owned()), ..bus })
    }

    /// Prepares all nine servos on an open line. If the line fails it stays lost, unless [`MotorBus::reopening`] is
    /// used.
    ///
    /// # Errors
    /// A [`RobotFault`] that names the motor, with a remedy.
    pub fn over(wire: Box<dyn Wire>, options: &BusOptions) -> Result<MotorBus, RobotFault> {
        let servos = Servos::prepare(Port::over(wire, options), options, &default_gains())?;
        Ok(MotorBus { link: Link::Open(Box::new(servos)), again: Again::Never, options: *options })
    }

    /// Returns the same bus with a function that opens a failed line again. Cycles call it every half second of their
    /// own time, so it must not block.
    #[must_use]
    pub fn reopening(self, reopen: Reopen) -> MotorBus {
        MotorBus { again: Again::Line(reopen), ..self }
    }

    /// Executes a command, or only reads the state.
    fn act(&mut self, at: Tick, action: Option<&Action>) -> Result<JointState, RobotFault> {
        let result = match &mut self.link {
            Link::Open(servos) => match action {
                Some(action) => servos.carry_out(at, action),
                None => servos.sense(at),
            },
            Link::Lost(lost) => {
                let Some(servos) = lost.poll(at, &mut self.again, &self.options) else {
                    return Err(lost.fault());
                };
                self.link = Link::Open(Box::new(servos));
                // These goals and currents were computed for the motors' positions before the line was lost.
                let action = action.filter(|action| match action {
                    Action::Targets(_) | Action::Currents(_) => false,
                    Action::Torque(_) | Action::Reboot(_) | Action::Modes(_) | Action::Gains(..) => true,
                });
                return self.act(at, action);
            }
        };
        if let (Err(RobotFault::PortGone { reason }), Link::Open(servos)) = (&result, &mut self.link) {
            servos.give_up();
            let lost = Lost::from(at, servos, reason.clone());
            // This closes the port, so that it can be opened again.
            self.link = Link::Lost(Box::new(lost));
        }
        result
    }
}

impl Robot for MotorBus {
    fn sense(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        self.act(at, None)
    }

    fn beat(&mut self, at: Tick, command: &SafeCommand) -> Result<JointState, RobotFault> {
        self.act(at, Some(command.action()))
    }
}

//! The robot's nine servos on a serial line: XL330 and XC330, Dynamixel protocol 2.0.
//!
//! Responsibilities: open the line and prepare the servos ([`MotorBus::open`]); on each beat write nine goals with one
//! packet and read nine positions with another; tell which answers were lost and how; look after each servo in turns;
//! notice motors that fall silent, come back, start anew or let go; open the line again after it was unplugged.
//!
//! Threads: the pulse's thread calls it. A beat waits for the servos' answers, for [`BusOptions::beat_timeout`] at most
//! for each question. Only while the line is lost a thread of its own opens it again; the beat does not wait for it.
//! Time here is the line's own: real time on a serial port, virtual time on an emulated one.
//!
//! Units and frames: radians outside, 4096 raw steps a turn on the line; angles are the motors' own.
//!
//! Safety: torque is switched on only for a motor whose goal was pinned to its present position, and read back. A goal
//! that is not a finite number is never written. A goal outside what the servo takes is written as the nearest that it
//! takes, since the servo would ignore it without a word. The servos' own watchdogs are armed while the bus is open. On
//! the beat that finds a lost line again no goal is written: it was made for where the motors were before.
//!
//! Reading order: `registers` and `convert` (what the numbers mean), `packet` and `status` (what goes over the line),
//! `wire` and `serial` (the line), `port` (one question, one deadline), `slow` (one servo at a time), `ritual` (before
//! the first beat), `servos`, `survey` and `modes` (the beat), `reopen`, and here. For people beside a running robot:
//! `scan`, `settings`, `raw`.

mod convert;
#[cfg(test)]
mod fake;
mod modes;
mod packet;
mod port;
pub mod raw;
mod registers;
mod reopen;
mod ritual;
mod rota;
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
use ritual::usual_gains;
use serial::SerialWire;
use servos::Servos;

/// How a bus is opened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusOptions {
    /// Bits per second.
    pub baud: u32,
    /// The least supply that every motor must measure, volts.
    pub least_volts: f64,
    /// After this long without a word from us, the servos stop by themselves. `None` leaves their watchdogs off.
    pub watchdog: Option<Duration>,
    /// How long a whole answer may take, where no beat waits for it.
    pub reply_timeout: Duration,
    /// How long a whole answer may take on a beat. Both are extended where the baud rate makes them too short.
    pub beat_timeout: Duration,
}

impl BusOptions {
    /// What a Reachy Mini needs.
    pub const DEFAULT: BusOptions = BusOptions {
        baud: 1_000_000,
        least_volts: 4.5,
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

/// The servos, ready for beats.
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
    /// Opens a serial port and prepares all nine servos; torque is not switched on. When the port fails later, it is
    /// opened and prepared again by itself, the path followed anew.
    ///
    /// # Errors
    /// A [`RobotFault`] that says which motor or what about the port is wrong, and what to do.
    pub fn open(path: &Path, options: &BusOptions) -> Result<MotorBus, RobotFault> {
        let wire = SerialWire::open(path, options.baud)?;
        let bus = MotorBus::over(Box::new(wire), options)?;
        Ok(MotorBus { again: Again::Port(path.to_owned()), ..bus })
    }

    /// Prepares all nine servos on a line that is open. When it fails it stays lost; see [`MotorBus::reopening`].
    ///
    /// # Errors
    /// A [`RobotFault`] that says which motor is wrong, and what to do.
    pub fn over(wire: Box<dyn Wire>, options: &BusOptions) -> Result<MotorBus, RobotFault> {
        let servos = Servos::prepare(Port::over(wire, options), options, &usual_gains())?;
        Ok(MotorBus { link: Link::Open(Box::new(servos)), again: Again::Never, options: *options })
    }

    /// The same bus; a line that has failed is opened again by `reopen`. It is called on the beat, every half second by
    /// the beats' own moments, so it must not wait.
    #[must_use]
    pub fn reopening(self, reopen: Reopen) -> MotorBus {
        MotorBus { again: Again::Line(reopen), ..self }
    }

    /// Carries out a command, or only looks.
    fn act(&mut self, at: Tick, action: Option<&Action>) -> Result<JointState, RobotFault> {
        let done = match &mut self.link {
            Link::Open(servos) => match action {
                Some(action) => servos.carry_out(at, action),
                None => servos.sense(at),
            },
            Link::Lost(lost) => {
                let Some(servos) = lost.found(at, &mut self.again, &self.options) else {
                    return Err(lost.fault());
                };
                self.link = Link::Open(Box::new(servos));
                // These goals and currents were made for where the motors were before the line was lost.
                let action = action.filter(|action| match action {
                    Action::Targets(_) | Action::Currents(_) => false,
                    Action::Torque(_) | Action::Reboot(_) | Action::Modes(_) | Action::Gains(..) => true,
                });
                return self.act(at, action);
            }
        };
        if let (Err(RobotFault::PortGone { reason }), Link::Open(servos)) = (&done, &mut self.link) {
            servos.give_up();
            let lost = Lost::from(at, servos, reason.clone());
            // The port is closed here, so that it can be opened again.
            self.link = Link::Lost(Box::new(lost));
        }
        done
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

//! The robot's nine servos on a serial line: XL330 and XC330, Dynamixel protocol 2.0.
//!
//! Responsibilities: open the line and prepare the servos ([`MotorBus::open`]); on each beat write nine goals with one
//! packet and read nine positions with another; notice motors that fall silent, come back or give up.
//!
//! Threads: none of its own; the pulse's thread calls it. A beat waits for the servos' answers, for
//! [`BusOptions::reply_timeout`] at most. Time here is the line's own, real time; the `at` of a beat is only noted.
//!
//! Units and frames: radians outside, 4096 raw steps a turn on the line; angles are the motors' own.
//!
//! Safety: torque is switched on only for a motor whose goal was pinned to its present position, and read back. A goal
//! that is not a finite number is never written. A goal outside what the servo takes is written as the nearest that it
//! takes, since the servo would ignore it without a word. The servos' own watchdogs are armed while the bus is open.
//!
//! Reading order: `registers` and `convert` (what the numbers mean), `packet` and `status` (what goes over the line),
//! `port` (one question, one deadline), `slow` (one servo at a time), `ritual` (before the first beat), and here.

mod convert;
#[cfg(test)]
mod fake;
mod packet;
mod port;
mod registers;
mod ritual;
mod scan;
mod slow;
mod status;

#[cfg(test)]
mod tests;
mod wire;

use std::path::Path;
use std::time::Duration;

pub use scan::{MotorReport, scan};
pub use wire::Wire;

use crate::clock::Tick;
use crate::envelope::{Action, SafeCommand};
use crate::joint::{Joint, Joints};
use crate::robot::{JointState, Reading, Robot, RobotFault};
use convert::{radians_from_raw, raw_from_radians};
use packet::Asking;
use port::Port;
use registers::{BUS_WATCHDOG, GOAL_POSITION, PRESENT_POSITION, TORQUE};
use ritual::{Ready, Span, arm, pin, prepare};

/// How a bus is opened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusOptions {
    /// Bits per second.
    pub baud: u32,
    /// The least supply that every motor must measure, volts.
    pub least_volts: f64,
    /// After this long without a word from us, the servos stop by themselves. `None` leaves their watchdogs off.
    pub watchdog: Option<Duration>,
    /// How long a whole answer may take.
    pub reply_timeout: Duration,
}

impl Default for BusOptions {
    fn default() -> Self {
        BusOptions {
            baud: 1_000_000,
            least_volts: 4.5,
            watchdog: Some(Duration::from_millis(200)),
            reply_timeout: Duration::from_millis(10),
        }
    }
}

/// A motor that missed this many questions in a row is asked more rarely, so that it does not slow the others down.
const GIVEN_UP: u32 = 3;
/// In how many looks one that was given up is asked once.
const ASKED_AGAIN: u64 = 10;

/// The servos, ready for beats.
pub struct MotorBus {
    port: Port,
    watchdog: Option<Duration>,
    asking: Asking,
    spans: Joints<Span>,
    torque: Joints<bool>,
    readings: Joints<Reading>,
    /// Questions missed in a row.
    missed: Joints<u32>,
    /// Motors that have said that they have a hardware error.
    alert: Joints<bool>,
    looks: u64,
    /// The moment of the last look at the positions.
    looked: Tick,
    /// When the servos last heard us.
    spoke: Tick,
}

impl MotorBus {
    /// Opens the port and prepares all nine servos; torque is not switched on.
    ///
    /// # Errors
    /// A [`RobotFault`] that says which motor or what about the port is wrong, and what to do.
    pub fn open(path: &Path, options: &BusOptions) -> Result<MotorBus, RobotFault> {
        let mut port = Port::open(path, options)?;
        let Ready { spans, torque, asking } = prepare(&mut port, options)?;
        let spoke = port.now();
        Ok(MotorBus {
            port,
            watchdog: options.watchdog,
            asking,
            spans,
            torque,
            readings: Joints::all(Reading::Never),
            missed: Joints::all(0),
            alert: Joints::all(false),
            looks: 0,
            looked: Tick::ZERO,
            spoke,
        })
    }

    fn carry_out(&mut self, at: Tick, action: &Action) -> Result<JointState, RobotFault> {
        self.wake_watchdogs()?;
        match action {
            Action::Targets(targets) => self.aim(targets)?,
            Action::Torque(wanted) => self.drive(wanted)?,
            Action::Reboot(joint) => {
                self.port.reboot(joint.motor_id())?;
                self.torque[*joint] = false;
                self.missed[*joint] = GIVEN_UP;
            }
            Action::Modes(_) | Action::Currents(_) | Action::Gains(..) => {}
        }
        self.look(at)
    }

    /// The watchdogs may have fired if we were silent for too long; then they refuse goals until cleared.
    fn wake_watchdogs(&mut self) -> Result<(), RobotFault> {
        let now = self.port.now();
        let silence = now.since(self.spoke);
        self.spoke = now;
        match self.watchdog {
            Some(time) if silence * 2 > time => arm(&mut self.port, &Joint::ALL, self.watchdog),
            _ => Ok(()),
        }
    }

    fn aim(&mut self, targets: &Joints) -> Result<(), RobotFault> {
        let mut goals = Joints::all(0);
        for (joint, target) in targets.iter() {
            let raw = raw_from_radians(*target).ok_or_else(|| RobotFault::Broken {
                reason: format!("the target of {joint} is not a finite number"),
            })?;
            goals[joint] = self.spans[joint].nearest(raw);
        }
        self.port.tell(GOAL_POSITION, goals.iter().map(|(joint, goal)| (joint, *goal)))
    }

    /// Switches torque. A motor that is switched on first aims at where it is; one that cannot be read stays off.
    fn drive(&mut self, wanted: &Joints<bool>) -> Result<(), RobotFault> {
        self.look_at_torque(&Joint::ALL)?;
        let rising: Vec<Joint> =
            Joint::ALL.into_iter().filter(|joint| wanted[*joint] && !self.torque[*joint]).collect();
        let pinned = pin(&mut self.port, &self.spans, &rising)?;
        let safe = Joints::from_fn(|joint| wanted[joint] && (self.torque[joint] || pinned[joint]));
        self.port.tell(TORQUE, safe.iter().map(|(joint, on)| (joint, u32::from(*on))))?;
        self.look_at_torque(&Joint::ALL)
    }

    /// Reads which of these motors are driven; of one that does not answer, what is known stays.
    fn look_at_torque(&mut self, joints: &[Joint]) -> Result<(), RobotFault> {
        let answers = self.port.ask(Asking::Each, TORQUE, joints)?;
        self.torque =
            self.torque.zip_with(&answers, |known, answer| answer.map_or(known, |told| told.value != 0));
        Ok(())
    }

    /// Reads the positions. The motors that missed least come first, since one that is silent may keep those after
    /// it from answering; for the same reason, of the motors at the end that do not answer, only the first is blamed.
    fn look(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        self.looks += 1;
        let mut asked = Joint::ALL;
        asked.sort_by_key(|joint| self.missed[*joint]);
        let everyone = self.looks.is_multiple_of(ASKED_AGAIN);
        let count = asked.iter().filter(|joint| everyone || self.missed[**joint] < GIVEN_UP).count();
        let (asked, left_out) = asked.split_at_checked(count).unwrap_or_default();
        let answers = self.port.ask(self.asking, PRESENT_POSITION, asked)?;
        let last_answer = asked.iter().rposition(|joint| answers[*joint].is_some());
        let first_unheard = last_answer.map_or(0, |place| place + 1);
        let mut doubtful = Vec::new();
        for (place, &joint) in asked.iter().enumerate() {
            if let Some(status) = answers[joint] {
                if self.missed[joint] > 0 || (status.alert && !self.alert[joint]) {
                    doubtful.push(joint);
                }
                self.missed[joint] = 0;
                self.alert[joint] = status.alert;
                self.readings[joint] = Reading::Fresh(radians_from_raw(status.value.cast_signed()));
            } else {
                if place <= first_unheard {
                    self.missed[joint] = self.missed[joint].saturating_add(1);
                }
                self.grow_stale(joint);
            }
        }
        left_out.iter().for_each(|joint| self.grow_stale(*joint));
        self.looked = at;
        self.check(&doubtful)?;
        let mut state = JointState::well(at, Joints::default(), self.torque);
        state.readings = self.readings;
        Ok(state)
    }

    fn grow_stale(&mut self, joint: Joint) {
        if let Reading::Fresh(last) = self.readings[joint] {
            self.readings[joint] = Reading::Stale { since: self.looked, last };
        }
    }

    /// A motor that was away may have started anew, and one in error may have let go: its watchdog may be off, and its
    /// torque. While it is limp it aims at where it is.
    fn check(&mut self, doubtful: &[Joint]) -> Result<(), RobotFault> {
        if doubtful.is_empty() {
            return Ok(());
        }
        arm(&mut self.port, doubtful, self.watchdog)?;
        self.look_at_torque(doubtful)?;
        let limp: Vec<Joint> = doubtful.iter().copied().filter(|joint| !self.torque[*joint]).collect();
        pin(&mut self.port, &self.spans, &limp).map(|_| ())
    }
}

impl Robot for MotorBus {
    fn sense(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        self.wake_watchdogs()?;
        self.look(at)
    }

    fn beat(&mut self, at: Tick, command: &SafeCommand) -> Result<JointState, RobotFault> {
        self.carry_out(at, command.action())
    }
}

impl Drop for MotorBus {
    fn drop(&mut self) {
        // The motors hold on by themselves; a watchdog left armed would make the next program's goals fail. An answer
        // tells that the words are out before the line closes. When the line is gone there is nobody to tell.
        let _ = arm(&mut self.port, &Joint::ALL, None)
            .and_then(|()| self.port.ask(Asking::Each, BUS_WATCHDOG, &Joint::ALL));
    }
}

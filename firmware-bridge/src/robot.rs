//! The one door through which a motor moves, goes limp or reboots: [`Robot::beat`].
//!
//! A robot is a serial bus of servos or a mock; both take a [`SafeCommand`], which only the envelope can make.

use crate::clock::Tick;
use crate::envelope::SafeCommand;
use crate::fault::Status;
use crate::joint::{Joint, Joints};
use crate::servo::{HardwareErrors, Health, Loss, Mode};
use crate::units::Radians;

/// What is known of one motor's present position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// Read on the last beat.
    Fresh(Radians),
    /// Not read on the last beat; the last known value and when it was read.
    Stale {
        /// When the value was read.
        since: Tick,
        /// The value.
        last: Radians,
    },
    /// Never read since the robot was opened.
    Never,
}

impl Reading {
    /// The last known position, fresh or stale.
    #[must_use]
    pub const fn known(self) -> Option<Radians> {
        match self {
            Reading::Fresh(position) | Reading::Stale { last: position, .. } => Some(position),
            Reading::Never => None,
        }
    }
}

/// What the body is doing, as far as it can be known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointState {
    /// When this was sensed.
    pub at: Tick,
    /// Present position of each motor.
    pub readings: Joints<Reading>,
    /// Whether each motor's torque is enabled.
    pub torque: Joints<bool>,
    /// What each motor controls.
    pub modes: Joints<Mode>,
    /// The hardware errors that each motor reports.
    pub errors: Joints<HardwareErrors>,
    /// What each motor measured when its turn came last; none before its first turn, and of a body that has none.
    pub health: Joints<Option<Health>>,
    /// Why a motor's position is missing from this beat. Nothing also for motors that could not be heard because the
    /// answer that all share broke at another motor: that one is named.
    pub losses: Joints<Option<Loss>>,
    /// Whether the line sent back what was sent to it on this beat.
    pub echo: bool,
}

impl JointState {
    /// The state of a body in which nothing is wrong: all positions fresh, in position mode.
    #[must_use]
    pub fn well(at: Tick, positions: Joints, torque: Joints<bool>) -> Self {
        JointState {
            at,
            readings: positions.map(Reading::Fresh),
            torque,
            modes: Joints::all(Mode::Position),
            errors: Joints::all(HardwareErrors::NONE),
            health: Joints::all(None),
            losses: Joints::all(None),
            echo: false,
        }
    }

    /// Whether every motor's torque is enabled.
    #[must_use]
    pub fn is_driven(&self) -> bool {
        self.torque.iter().all(|(_, on)| *on)
    }

    /// All nine present positions, if every motor has been read at least once.
    ///
    /// # Errors
    /// Names the first motor that has never answered.
    pub fn present(&self) -> Result<Joints, RobotFault> {
        for (joint, reading) in self.readings.iter() {
            if reading.known().is_none() {
                return Err(RobotFault::Silent { joint });
            }
        }
        Ok(self.readings.map(|reading| reading.known().unwrap_or_default()))
    }
}

/// Something is wrong with the body; a message for the operator, with what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RobotFault {
    /// The device file does not exist.
    #[error(
        "there is no serial port {port}; plug the robot in, then see `minismith doctor` for the ports that exist"
    )]
    NoPort {
        /// The path that was asked for.
        port: String,
    },
    /// The device file may not be opened by this user.
    #[error(
        "no permission to open {port}; add yourself to its group with `sudo usermod -aG dialout $USER` and log in again"
    )]
    NoPermission {
        /// The path that was asked for.
        port: String,
    },
    /// Another program holds the port.
    #[error(
        "{port} is held by another program; stop that one (the official daemon, another controller) first"
    )]
    PortBusy {
        /// The path that was asked for.
        port: String,
    },
    /// Reading or writing the port failed.
    #[error("the serial port failed: {reason}; check the cable and the robot's power")]
    PortGone {
        /// What the system said.
        reason: String,
    },
    /// Some motors did not answer when the robot was opened.
    #[error("no answer from {}; check that motor's cable, then `minismith scan PORT`", names(.joints))]
    Missing {
        /// The motors that did not answer.
        joints: Vec<Joint>,
    },
    /// A motor has stopped answering.
    #[error("{joint} does not answer; check its cable and the robot's power")]
    Silent {
        /// The motor.
        joint: Joint,
    },
    /// A motor's supply is too low to move safely.
    #[error(
        "{joint} measures {volts:.1} V, at least {least:.1} V is needed; check the power supply or charge the battery"
    )]
    LowVoltage {
        /// The motor.
        joint: Joint,
        /// What it measures.
        volts: f64,
        /// The least that is accepted.
        least: f64,
    },
    /// A motor reports a hardware error that did not go away.
    #[error("{joint} reports {error}; let it cool and free it, then switch the robot off and on")]
    Hardware {
        /// The motor.
        joint: Joint,
        /// The error's name, from register 70.
        error: &'static str,
    },
    /// A motor answers, but refuses a write or reads back something else.
    #[error("{joint} did not take {what}; see `minismith scan PORT` for its state")]
    Rejected {
        /// The motor.
        joint: Joint,
        /// What was written.
        what: &'static str,
    },
    /// A fault is being handled, or was and did not go away.
    #[error("{0}")]
    Acting(Status),
    /// An earlier bug stopped the motion thread.
    #[error("motion stopped after an internal error: {reason}; restart the controller and please report it")]
    Broken {
        /// The panic's message.
        reason: String,
    },
}

fn names(joints: &[Joint]) -> String {
    joints.iter().map(|joint| joint.name()).collect::<Vec<_>>().join(", ")
}

/// A body that can be sensed and commanded, one beat at a time.
pub trait Robot: Send {
    /// Reads the body without commanding it.
    ///
    /// # Errors
    /// A [`RobotFault`] when the body cannot be reached at all; one silent motor is a stale reading, not an error.
    fn sense(&mut self, at: Tick) -> Result<JointState, RobotFault>;

    /// Carries out one command and reads the body, within one beat. `at` is the beat's own moment.
    ///
    /// # Errors
    /// As [`Robot::sense`].
    fn beat(&mut self, at: Tick, command: &SafeCommand) -> Result<JointState, RobotFault>;
}

impl<R: Robot + ?Sized> Robot for Box<R> {
    fn sense(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        (**self).sense(at)
    }

    fn beat(&mut self, at: Tick, command: &SafeCommand) -> Result<JointState, RobotFault> {
        (**self).beat(at, command)
    }
}

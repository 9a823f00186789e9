//! The interface to any robot. Motors move, lose torque and reboot only through [`Robot::write_command`].
//!
//! A robot is a serial bus of servos or a simulation. Both take a [`SafeCommand`], which only the envelope can create.

use crate::clock::Timestamp;
use crate::envelope::SafeCommand;
use crate::fault::FaultReport;
use crate::joint::{Joint, Joints};
use crate::servo::{HardwareErrorStatus, MotorHealth, OperatingMode, ReadError};
use crate::units::Radians;

/// The present position of one motor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PositionReading {
    /// Read in the last cycle.
    Fresh(Radians),
    /// Not read in the last cycle: the last known value and the time of its reading.
    Stale {
        /// The time of the reading.
        since: Timestamp,
        /// The value.
        last: Radians,
    },
    /// Not read since the robot was opened.
    Never,
}

impl PositionReading {
    /// Returns the last known position, fresh or stale.
    #[must_use]
    pub const fn known(self) -> Option<Radians> {
        match self {
            PositionReading::Fresh(position) | PositionReading::Stale { last: position, .. } => {
                Some(position)
            }
            PositionReading::Never => None,
        }
    }
}

/// The state of the robot, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointState {
    /// The time of the reading.
    pub time: Timestamp,
    /// Present position of each motor.
    pub readings: Joints<PositionReading>,
    /// Whether each motor's torque is enabled.
    pub torque: Joints<bool>,
    /// The operating mode of each motor.
    pub modes: Joints<OperatingMode>,
    /// The hardware errors that each motor reports.
    pub errors: Joints<HardwareErrorStatus>,
    /// The last measurements of each motor. `None` before the first one, and for a robot that measures nothing.
    pub health: Joints<Option<MotorHealth>>,
    /// Why a motor's position is missing from this cycle. If a shared answer breaks off at one motor, only that motor
    /// has a loss here, not those after it.
    pub read_errors: Joints<Option<ReadError>>,
    /// Whether the line echoed the request of this cycle.
    pub echo: bool,
}

impl JointState {
    /// Returns the state of a robot without faults: all positions fresh, in position mode.
    #[must_use]
    pub fn healthy(at: Timestamp, positions: Joints, torque: Joints<bool>) -> Self {
        JointState {
            time: at,
            readings: positions.map(PositionReading::Fresh),
            torque,
            modes: Joints::all(OperatingMode::Position),
            errors: Joints::all(HardwareErrorStatus::NONE),
            health: Joints::all(None),
            read_errors: Joints::all(None),
            echo: false,
        }
    }

    /// Returns whether every motor's torque is enabled.
    #[must_use]
    pub fn is_driven(&self) -> bool {
        self.torque.iter().all(|(_, on)| *on)
    }

    /// Returns all nine present positions, if every motor has been read at least once.
    ///
    /// # Errors
    /// Names the first motor that has never answered.
    pub fn present(&self) -> Result<Joints, RobotError> {
        for (joint, reading) in self.readings.iter() {
            if reading.known().is_none() {
                return Err(RobotError::Silent { joint });
            }
        }
        Ok(self.readings.map(|reading| reading.known().unwrap_or_default()))
    }
}

/// An error of the robot: a message for the operator, with a remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RobotError {
    /// The device file does not exist.
    #[error(
        "cannot open {port}: no such serial port; plug the robot in, then run `minismith doctor` to list the ports"
    )]
    NoPort {
        /// The requested path.
        port: String,
    },
    /// The user may not open the device file.
    #[error(
        "cannot open {port}: permission denied; join its group with `sudo usermod -aG dialout $USER` and log in again"
    )]
    NoPermission {
        /// The requested path.
        port: String,
    },
    /// Another program holds the port.
    #[error(
        "cannot open {port}: held by another program; stop that program first (the official daemon or another controller)"
    )]
    PortBusy {
        /// The requested path.
        port: String,
    },
    /// A read from or a write to the port failed.
    #[error("the serial port failed: {reason}; check the cable and the robot's power")]
    PortGone {
        /// The system's error message.
        reason: String,
    },
    /// Some motors did not answer when the robot was opened.
    #[error("no answer from {}; check the cables of these motors, then run `minismith scan PORT`", joint_names(.joints))]
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
    /// A motor's supply voltage is too low for safe motion.
    #[error(
        "{joint} measures {volts:.1} V, at least {min_volts:.1} V required; check the power supply or charge the battery"
    )]
    LowVoltage {
        /// The motor.
        joint: Joint,
        /// The measured voltage, volts.
        volts: f64,
        /// The minimum voltage, volts.
        min_volts: f64,
    },
    /// A motor reports a hardware error that a reboot does not clear.
    #[error("{joint} reports {error}; let it cool down, free it, then switch the robot off and on")]
    Hardware {
        /// The motor.
        joint: Joint,
        /// The error's name, from register 70.
        error: &'static str,
    },
    /// A motor answers, but rejects a write or reads back a different value.
    #[error("{joint} rejected {what}; run `minismith scan PORT` to see its state")]
    Rejected {
        /// The motor.
        joint: Joint,
        /// The register or setting.
        what: &'static str,
    },
    /// A fault is being handled, or its recovery failed.
    #[error("{0}")]
    Acting(FaultReport),
    /// A bug stopped the control loop's thread.
    #[error("motion stopped after an internal error: {reason}; restart the controller and report the error")]
    Broken {
        /// The message of the panic.
        reason: String,
    },
}

fn joint_names(joints: &[Joint]) -> String {
    joints.iter().map(|joint| joint.name()).collect::<Vec<_>>().join(", ")
}

/// A robot whose state can be read and that can be commanded, one cycle at a time.
pub trait Robot: Send {
    /// Reads the state without a command.
    ///
    /// # Errors
    /// A [`RobotError`] if the robot is not reachable at all. A single silent motor is a stale reading, not an error.
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError>;

    /// Executes one command and reads the state, within one cycle. `at` is the scheduled time of the cycle.
    ///
    /// # Errors
    /// As [`Robot::read_state`].
    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError>;
}

impl<R: Robot + ?Sized> Robot for Box<R> {
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        (**self).read_state(at)
    }

    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError> {
        (**self).write_command(at, command)
    }
}

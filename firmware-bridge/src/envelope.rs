//! placeholder: the envelope and the command that only it can make
use crate::joint::{Joint, Joints};

/// What a robot is told to do on one beat.
#[derive(Clone, Debug, PartialEq)]
pub struct SafeCommand(Action);

/// The inside of a [`SafeCommand`], for the robots that carry it out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Goal positions for all nine motors.
    Targets(Joints),
    /// Torque on or off for each motor; goals are pinned to the present position before torque is switched on.
    Torque(Joints<bool>),
    /// Reboot one motor.
    Reboot(Joint),
}

impl SafeCommand {
    /// What to do.
    #[must_use]
    pub const fn action(&self) -> &Action {
        &self.0
    }
}

//! What can go wrong with a body that beats, and what is done about it: one closed set of each.
//!
//! A fault is for the operator. Its policy is named here; the pulse carries it out (`pulse/guard.rs`).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clock::Tick;
use crate::joint::Joint;
use crate::servo::HardwareError;

/// A motor that missed this many questions in a row is silent; fewer are ridden through.
pub const SILENT_AFTER: u32 = 10;

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// A motor had more to hold than it can, and let go.
    Overload,
    /// A motor is too hot, and lets go.
    Overheating,
    /// A motor's supply is outside its limits.
    InputVoltage,
    /// A motor cannot tell where it is.
    Encoder,
    /// A motor's electronics saw a shock, and it let go.
    ElectricalShock,
    /// A motor has missed ten questions in a row.
    Silent,
    /// Bytes arrive with wrong checksums.
    Corrupt,
    /// The line sends back what is sent to it.
    Echo,
    /// Packets break off.
    Partial,
    /// The serial port is gone.
    PortGone,
    /// The supply dipped so low that motors started anew, limp.
    Brownout,
}

/// What is done about a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The motion goes on; the loss is counted and told.
    RideThrough,
    /// The motion ends and the body holds; when what was missing is back, it is taken on where it stands.
    Hold,
    /// The motion ends and the body holds; the motor is started anew, and driven again from where it stands.
    RebootAndRejoin,
    /// The motion ends; the head is laid down if it can be, then all torque is released.
    StowAndRelease,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [FaultKind; 11] = [
        FaultKind::Overload,
        FaultKind::Overheating,
        FaultKind::InputVoltage,
        FaultKind::Encoder,
        FaultKind::ElectricalShock,
        FaultKind::Silent,
        FaultKind::Corrupt,
        FaultKind::Echo,
        FaultKind::Partial,
        FaultKind::PortGone,
        FaultKind::Brownout,
    ];

    /// What is done about it.
    #[must_use]
    pub const fn policy(self) -> Policy {
        match self {
            FaultKind::Corrupt | FaultKind::Echo | FaultKind::Partial => Policy::RideThrough,
            FaultKind::Silent | FaultKind::PortGone | FaultKind::InputVoltage => Policy::Hold,
            FaultKind::Overload | FaultKind::Encoder | FaultKind::Brownout => Policy::RebootAndRejoin,
            FaultKind::Overheating | FaultKind::ElectricalShock => Policy::StowAndRelease,
        }
    }

    /// What a person can do about it.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            FaultKind::Overload => "free what blocks the motor and lighten its load",
            FaultKind::Overheating => "let the robot cool for some minutes, then wake it again",
            FaultKind::InputVoltage => "check the power supply, or charge the battery",
            FaultKind::Encoder => {
                "switch the robot off and on; if it comes back, the servo needs to be replaced"
            }
            FaultKind::ElectricalShock => {
                "check the supply and the wiring for a short circuit, then switch off and on"
            }
            FaultKind::Silent => "check the motor's cable, then `minismith scan PORT`",
            FaultKind::Corrupt => "check the cables and keep them away from sources of noise",
            FaultKind::Echo => {
                "the adapter echoes what is sent; it works, but use one with a separate direction line"
            }
            FaultKind::Partial => "check the cables and the USB adapter",
            FaultKind::PortGone => "plug the robot in again; it is taken on by itself",
            FaultKind::Brownout => "use a stronger supply, or charge the battery",
        }
    }

    /// In words, as part of a sentence: "stewart_1: overload".
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Overload => "overload",
            FaultKind::Overheating => "overheating",
            FaultKind::InputVoltage => "input voltage",
            FaultKind::Encoder => "encoder",
            FaultKind::ElectricalShock => "electrical shock",
            FaultKind::Silent => "silent",
            FaultKind::Corrupt => "corrupt bytes",
            FaultKind::Echo => "echo",
            FaultKind::Partial => "partial packets",
            FaultKind::PortGone => "serial port gone",
            FaultKind::Brownout => "brownout",
        }
    }
}

impl From<HardwareError> for FaultKind {
    fn from(error: HardwareError) -> Self {
        match error {
            HardwareError::InputVoltage => FaultKind::InputVoltage,
            HardwareError::Overheating => FaultKind::Overheating,
            HardwareError::Encoder => FaultKind::Encoder,
            HardwareError::ElectricalShock => FaultKind::ElectricalShock,
            HardwareError::Overload => FaultKind::Overload,
        }
    }
}

/// How far the handling of a fault has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Its policy is being carried out.
    Acting,
    /// It is over, and the body can be moved.
    Over,
    /// Its policy was carried out and did not help, or ends with a limp body; a person is needed.
    GivenUp,
    /// Somebody said stop while the head was laid down; the motors hold, and a person is needed.
    Stopped,
}

/// What happened last, what is done about it, and what a person can do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Status {
    /// What went wrong.
    pub kind: FaultKind,
    /// Which motor, where it is one motor.
    pub joint: Option<Joint>,
    /// What is done.
    pub policy: Policy,
    /// How far that has come.
    pub stage: Stage,
    /// The beat's moment when it was noticed.
    pub since: Tick,
    /// How often the same has been noticed since the robot was opened.
    pub times: u32,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(joint) = self.joint {
            write!(f, "{joint}: ")?;
        }
        let done = match (self.policy, self.stage) {
            (Policy::RideThrough, _) => "the motion goes on",
            (Policy::Hold, Stage::Acting) => "the robot holds",
            (Policy::RebootAndRejoin, Stage::Acting) => "the motor is started anew",
            (Policy::StowAndRelease, Stage::Acting) => "the head is laid down",
            (Policy::Hold | Policy::RebootAndRejoin, Stage::Over) => "it is over, and the robot can move",
            (Policy::StowAndRelease, Stage::Over | Stage::GivenUp) => "the motors are released",
            (Policy::Hold | Policy::RebootAndRejoin, Stage::GivenUp) => {
                "it did not go away, so the head is laid down and the motors are released"
            }
            (_, Stage::Stopped) => "it was stopped, and the motors hold",
        };
        write!(f, "{}; {done}; {}", self.kind.name(), self.kind.remedy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_says_its_motor_what_is_done_and_what_to_do() {
        for kind in FaultKind::ALL {
            for stage in [Stage::Acting, Stage::Over, Stage::GivenUp, Stage::Stopped] {
                let joint = Some(Joint::Stewart3);
                let status =
                    Status { kind, joint, policy: kind.policy(), stage, since: Tick::ZERO, times: 1 };
                let words = status.to_string();
                assert!(words.starts_with("stewart_3: ") && words.contains(kind.name()));
                assert!(words.ends_with(kind.remedy()));
            }
        }
    }
}

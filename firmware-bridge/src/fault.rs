//! The closed set of robot faults, and the policy that handles each of them.
//!
//! A fault is a message to the operator. This module names its policy; the control loop executes it (`pulse/guard.rs`).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::joint::Joint;
use crate::servo::HardwareError;

/// A motor that misses this many reads in a row counts as silent; the motion continues through fewer.
pub const MAX_MISSED_READS: u32 = 10;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// A motor carried more load than it can hold, and released.
    Overload,
    /// A motor is too hot, and releases.
    Overheating,
    /// A motor's supply voltage is outside its limits.
    InputVoltage,
    /// A motor cannot measure its position.
    Encoder,
    /// A motor's electronics detected a shock, and it released.
    ElectricalShock,
    /// A motor has missed ten reads in a row.
    Silent,
    /// Bytes arrive with wrong checksums.
    Corrupt,
    /// The line returns what is sent to it.
    Echo,
    /// Packets are incomplete.
    Partial,
    /// The serial port is gone.
    PortGone,
    /// The supply voltage dropped so low that motors restarted, without torque.
    Brownout,
}

/// How a fault is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultPolicy {
    /// The motion continues; the loss is counted and reported.
    RideThrough,
    /// The motion ends and the robot holds its position. When the missing part is back, the robot resumes at its
    /// present position.
    Hold,
    /// The motion ends and the robot holds its position. The motor is rebooted and enabled again at its present
    /// position.
    RebootAndRejoin,
    /// The motion ends. The head is lowered if possible, then all torque is released.
    StowAndRelease,
}

impl FaultKind {
    /// Every kind of fault.
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

    /// Returns the policy for this kind of fault.
    #[must_use]
    pub const fn policy(self) -> FaultPolicy {
        match self {
            FaultKind::Corrupt | FaultKind::Echo | FaultKind::Partial => FaultPolicy::RideThrough,
            FaultKind::Silent | FaultKind::PortGone | FaultKind::InputVoltage => FaultPolicy::Hold,
            FaultKind::Overload | FaultKind::Encoder | FaultKind::Brownout => FaultPolicy::RebootAndRejoin,
            FaultKind::Overheating | FaultKind::ElectricalShock => FaultPolicy::StowAndRelease,
        }
    }

    /// Returns what the operator can do about it.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            FaultKind::Overload => "free what blocks the motor and lighten its load",
            FaultKind::Overheating => "let the robot cool down for a few minutes, then wake it again",
            FaultKind::InputVoltage => "check the power supply or charge the battery",
            FaultKind::Encoder => "switch the robot off and on; if the fault returns, replace the servo",
            FaultKind::ElectricalShock => {
                "check the supply and the wiring for a short circuit, then switch the robot off and on"
            }
            FaultKind::Silent => "check the motor's cable, then `minismith scan PORT`",
            FaultKind::Corrupt => "check the cables and keep them away from sources of noise",
            FaultKind::Echo => {
                "the adapter echoes what is sent; the robot works, but prefer an adapter with a direction line"
            }
            FaultKind::Partial => "check the cables and the USB adapter",
            FaultKind::PortGone => "plug the robot in again; the controller reconnects automatically",
            FaultKind::Brownout => "use a stronger power supply or charge the battery",
        }
    }

    /// Returns the name for use in a sentence: "stewart_1: overload".
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

/// The state of the recovery from a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryState {
    /// The policy is being executed.
    #[serde(rename = "acting")]
    Recovering,
    /// The fault is over, and the robot can move.
    #[serde(rename = "over")]
    Recovered,
    /// The policy did not help, or ended with all torque released; a person is needed.
    #[serde(rename = "given_up")]
    Failed,
    /// A stop interrupted the lowering of the head; the motors hold, and a person is needed.
    Stopped,
}

/// The last fault, its policy, the state of its recovery and what the operator can do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FaultReport {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The motor, if the fault concerns a single one.
    pub joint: Option<Joint>,
    /// The policy.
    pub policy: FaultPolicy,
    /// The state of the recovery.
    #[serde(rename = "stage")]
    pub state: RecoveryState,
    /// The time of the cycle that detected it.
    pub since: Timestamp,
    /// How often the same fault has been detected since the robot was opened.
    #[serde(rename = "times")]
    pub count: u32,
}

impl fmt::Display for FaultReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(joint) = self.joint {
            write!(f, "{joint}: ")?;
        }
        let done = match (self.policy, self.state) {
            (FaultPolicy::RideThrough, _) => "the motion continues",
            (FaultPolicy::Hold, RecoveryState::Recovering) => "the robot holds its position",
            (FaultPolicy::RebootAndRejoin, RecoveryState::Recovering) => "the motor restarts",
            (FaultPolicy::StowAndRelease, RecoveryState::Recovering) => "the head is being lowered",
            (FaultPolicy::Hold | FaultPolicy::RebootAndRejoin, RecoveryState::Recovered) => {
                "the fault is over and the robot can move"
            }
            (FaultPolicy::StowAndRelease, RecoveryState::Recovered | RecoveryState::Failed) => {
                "torque is off"
            }
            (FaultPolicy::Hold | FaultPolicy::RebootAndRejoin, RecoveryState::Failed) => {
                "recovery failed: the head is lowered and torque is off"
            }
            (_, RecoveryState::Stopped) => "recovery was stopped and the motors hold",
        };
        write!(f, "{}; {done}; {}", self.kind.name(), self.kind.remedy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_the_motor_the_action_and_the_remedy() {
        for kind in FaultKind::ALL {
            for context in [
                RecoveryState::Recovering,
                RecoveryState::Recovered,
                RecoveryState::Failed,
                RecoveryState::Stopped,
            ] {
                let joint = Some(Joint::Stewart3);
                let status = FaultReport {
                    kind,
                    joint,
                    policy: kind.policy(),
                    state: context,
                    since: Timestamp::ZERO,
                    count: 1,
                };
                let message = status.to_string();
                assert!(message.starts_with("stewart_3: ") && message.contains(kind.name()));
                assert!(message.ends_with(kind.remedy()));
            }
        }
    }
}

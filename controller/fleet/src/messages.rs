//! The messages of a fleet: [`Command`] and its [`Reply`], [`Status`] and [`Event`], as JSON.
//!
//! All that arrives is untrusted. [`Command::read`] bounds its size before it parses, and rejects unknown fields.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::identity::proof::Proof;
use crate::keys::{Name, is_tool_name};

/// The largest command, bytes.
pub const MAX_COMMAND_BYTES: usize = 16 << 10;

/// The longest sentence, bytes.
pub const MAX_TEXT_BYTES: usize = 4 << 10;

/// The most hashes in a withdrawal.
const MAX_HASHES: usize = 64;

/// What a caller asks one robot for. All times are those of the robot's own clock, in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Identifies the command; a second one with the same id has no effect.
    pub id: Uuid,
    /// The session of the robot's agent that it is for, from its status. It may be left out of a stop only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Uuid>,
    /// When it was issued.
    pub issued_ms: f64,
    /// After this time it has no effect.
    pub expires_ms: f64,
    /// When to begin, for robots that begin together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<f64>,
    /// What to do.
    #[serde(rename = "do")]
    pub operation: Operation,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// Carry out a sentence.
    Say {
        /// In plain English.
        text: String,
    },
    /// Brake to rest, and hold until a release.
    Stop {},
    /// End the hold after a stop.
    Release {},
    /// Offer a tool of this robot to the fleet.
    Share {
        /// Its name.
        tool: String,
    },
    /// Import a tool of another robot.
    Get {
        /// Its name.
        tool: String,
        /// The robot that shares it.
        from: Name,
    },
    /// Disable a tool that the fleet brought.
    Withdraw {
        /// Its name.
        tool: String,
        /// The versions, by the hash of their code.
        code_sha256: Vec<String>,
        /// The operator's certificate, PEM, in a fleet with certificates.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        certificate: Option<String>,
        /// Its signature of each version, so that robots can pass the withdrawal on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        signatures: Vec<String>,
    },
    /// Refuse all further commands of a member. The owner of the fleet alone may ask for it.
    Revoke {
        /// The member.
        member: Name,
    },
}

impl Operation {
    /// Returns its name in messages and logs.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Operation::Say { .. } => "say",
            Operation::Stop {} => "stop",
            Operation::Release {} => "release",
            Operation::Share { .. } => "share",
            Operation::Get { .. } => "get",
            Operation::Withdraw { .. } => "withdraw",
            Operation::Revoke { .. } => "revoke",
        }
    }
}

impl Command {
    /// Reads a command of a peer.
    ///
    /// # Errors
    /// The reason, for the peer and the log.
    pub fn read(bytes: &[u8]) -> Result<Command, String> {
        if bytes.len() > MAX_COMMAND_BYTES {
            return Err(format!("too long: {} bytes, {MAX_COMMAND_BYTES} allowed", bytes.len()));
        }
        let command: Command =
            serde_json::from_slice(bytes).map_err(|error| format!("not a command: {error}"))?;
        let times = [command.issued_ms, command.expires_ms, command.start_ms.unwrap_or_default()];
        if !times.iter().all(|time| time.is_finite()) {
            return Err("not a command: a time is not finite".into());
        }
        match &command.operation {
            Operation::Say { text } if text.trim().is_empty() || text.len() > MAX_TEXT_BYTES => {
                Err(format!("`text` is empty or too long: send 1 to {MAX_TEXT_BYTES} bytes"))
            }
            Operation::Share { tool } | Operation::Get { tool, .. } | Operation::Withdraw { tool, .. }
                if !is_tool_name(tool) =>
            {
                Err("`tool` is not the name of a tool".into())
            }
            Operation::Withdraw { code_sha256, .. }
                if code_sha256.len() > MAX_HASHES || !code_sha256.iter().all(|hash| is_hash(hash)) =>
            {
                Err(format!("`code_sha256` holds more than {MAX_HASHES} hashes, or something else"))
            }
            _ => Ok(command),
        }
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All of it was done.
    Done,
    /// The robot or its controller rejected it, and nothing of it was done.
    Refused,
    /// It was begun, and not all of it was done.
    Failed,
    /// No answer came.
    Absent,
}

/// The kinds of refusals that a caller can do something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No command that the robot understands.
    Invalid,
    /// The caller may not ask for it.
    Forbidden,
    /// Too old, for another session of the robot, or issued before the latest stop.
    Stale,
    /// The id was used before.
    Replayed,
    /// Too many commands.
    Busy,
    /// The robot was stopped and not released.
    Stopped,
    /// The controller refused it.
    Controller,
}

/// The robot's answer to a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The command's id; null if it could not be read.
    pub id: Option<Uuid>,
    /// The robot.
    pub robot: Name,
    /// How it ended.
    pub outcome: Outcome,
    /// Why not, if it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// Why not, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The session of the robot's agent.
    pub epoch: Uuid,
    /// The robot's clock when the command arrived.
    pub received_ms: f64,
    /// The robot's clock when its controller got it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<f64>,
    /// The robot's clock when the answer was sent.
    pub time_ms: f64,
    /// The controller's own document: for a sentence, what `minismith say --json` prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
}

/// Who stopped a robot, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoppedBy {
    /// The caller.
    pub caller: String,
    /// The robot's clock.
    pub time_ms: f64,
    /// Whether the robot's lease is held, so that local clients cannot move it either.
    pub holds_lease: bool,
}

/// What a robot is doing, once a second and on request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Status {
    /// The robot.
    pub robot: Name,
    /// The session of its agent; commands name it.
    pub epoch: Uuid,
    /// Its clock.
    pub time_ms: f64,
    /// The groups that it belongs to.
    #[serde(default)]
    pub groups: Vec<Name>,
    /// Whether its controller responds.
    pub controller: bool,
    /// `holding`, `moving`, `stopping`, `torque_off`, `hand_guiding` or `stowing`; null without a controller.
    pub motion_state: Option<String>,
    /// The current fault, as a sentence.
    pub fault: Option<String>,
    /// The highest motor temperature, degrees Celsius.
    pub temperature_c: Option<f64>,
    /// The lowest motor voltage, volts.
    pub voltage_v: Option<f64>,
    /// The stop that has not been released.
    pub stopped: Option<StoppedBy>,
    /// What the agent works on: the operation of each command that is queued or running.
    #[serde(default)]
    pub commands: Vec<String>,
    /// The rate of `state`, Hz.
    pub state_hz: f64,
    /// The tools that it shares or got from the fleet.
    #[serde(default)]
    pub tools: Vec<ToolStatus>,
    /// The version of its programs.
    pub version: String,
}

/// A tool of the fleet on one robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolStatus {
    /// Its name.
    pub name: String,
    /// The hash of its code.
    pub code_sha256: String,
    /// The robot that it came from; null if it is this robot's own.
    pub from: Option<Name>,
    /// Whether this robot offers it.
    pub is_shared: bool,
    /// Whether it was withdrawn.
    pub is_withdrawn: bool,
    /// How often it ran here.
    #[serde(default)]
    pub runs: Option<u64>,
    /// How many of the runs failed.
    #[serde(default)]
    pub failures: Option<u64>,
}

/// Something that happened on a robot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    /// The robot.
    pub robot: Name,
    /// Counts the events of this session.
    pub number: u64,
    /// The robot's clock.
    pub time_ms: f64,
    /// `command_done`, `command_refused`, `command_failed`, `stopped`, `released`, `tool_imported`, `tool_withdrawn`,
    /// `controller_lost` or `controller_found`.
    pub event: String,
    /// Who caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// What happened, as a sentence.
    pub message: String,
}

/// A withdrawn tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdrawal {
    /// Its name.
    pub tool: String,
    /// The hash of its code.
    pub code_sha256: String,
    /// Who withdrew it, in a fleet with certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

impl Withdrawal {
    /// The most withdrawals that a robot keeps and reads from another.
    pub const MAX_COUNT: usize = 4096;

    /// Returns whether it concerns the same version of the same tool.
    #[must_use]
    pub fn is_same(&self, other: &Withdrawal) -> bool {
        self.tool == other.tool && self.code_sha256 == other.code_sha256
    }

    /// Returns whether it can be one.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        is_tool_name(&self.tool) && is_hash(&self.code_sha256)
    }
}

#[cfg(test)]
mod tests;

//! Reproduces a recorded run of a tool from its journal entry alone.

use firmware_bridge::motion_log::LoggedCycle;
use minismith_protocol::trace_format;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Workshop;
use super::registry::RegistryError;
use super::rehearsal::{CallRequest, RehearsalError, RepeatedCall, repeat_call};
use super::tool_runtime::{ToolRuntime, split};
use crate::tool_run::Outcome;
use minismith_control::robot::limits_of;
use minismith_control::trace::{RecordedTrace, display_units, joints};
use minismith_runtime::config::Config;

/// A run, as recorded in the journal.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    /// Name of the tool, followed by a dot and the function for a toolkit.
    pub tool: String,
    /// Version.
    pub version: u32,
    /// SHA-256 hash of the code.
    pub sha256: String,
    /// Arguments of the call.
    pub arguments: Map<String, Value>,
    /// Whether a person had approved the tool.
    pub approved: bool,
    /// Goal position of each motor at the start, degrees.
    pub start_deg: Vec<f64>,
    /// File name of the trace.
    #[serde(default)]
    pub trace: String,
    /// How the run ended.
    pub outcome: Outcome,
    /// SHA-256 hash of the stream of goal positions.
    #[serde(default)]
    pub command_digest: String,
}

/// The reason why a run cannot be reproduced.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// The version no longer exists, or has changed.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The code is different.
    #[error("{tool} v{version} is not the code that ran then: it was {then}, it is {now}")]
    Changed {
        /// Name of the tool.
        tool: String,
        /// Version.
        version: u32,
        /// Hash of the code that ran.
        then: String,
        /// Hash of the present code.
        now: String,
    },
    /// No rehearsal can run here.
    #[error(transparent)]
    Rehearsal(#[from] RehearsalError),
}

/// The result of the reproduction.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// The rehearsal.
    pub repeated: RepeatedCall,
    /// Whether every goal position is the same, bit for bit.
    pub same_motion: bool,
    /// Whether the outcome is the same.
    pub same_outcome: bool,
}

/// Rehearses a run again.
///
/// # Errors
/// Returns [`ReproduceError`].
pub fn reproduce(workshop: &Workshop, run: &Run) -> Result<Reproduction, ReproduceError> {
    let (tool, function) = split(&run.tool);
    let accepted = workshop.registry().load(tool, Some(run.version))?;
    let now = accepted.manifest().code_sha256.clone();
    if now != run.sha256 {
        return Err(ReproduceError::Changed {
            tool: tool.into(),
            version: run.version,
            then: run.sha256.clone(),
            now,
        });
    }
    let conditions = workshop.conditions(run.approved).for_tool(&accepted.manifest().budget);
    let runtime = ToolRuntime::new(workshop, false);
    let call = CallRequest {
        function: function.map(ToOwned::to_owned),
        arguments: run.arguments.clone(),
        start: joints(&run.start_deg),
        stimuli: Vec::new(),
    };
    let again = repeat_call(accepted.checked(), &call, &runtime, &conditions)?;
    Ok(Reproduction {
        same_motion: again.command_digest == run.command_digest,
        same_outcome: again.outcome == run.outcome,
        repeated: again,
    })
}

impl Reproduction {
    /// Returns the reproduced motion as a trace.
    #[must_use]
    pub fn trace(&self, run: &Run, config: &Config) -> RecordedTrace {
        let name = format!("{} v{} again", run.tool, run.version);
        let about = display_units::begin(name, String::new(), config.rate.period(), &limits_of(config));
        let cycle = |(number, cycle): (u64, &LoggedCycle)| trace_format::Cycle {
            cycle: number,
            goal_deg: display_units::degrees(&cycle.goal),
            present_deg: display_units::degrees(&cycle.present),
            ..trace_format::Cycle::default()
        };
        let cycles = (0..).zip(&self.repeated.cycles).map(cycle).collect();
        RecordedTrace { description: about, cycles, texts: Vec::new(), is_whole: true }
    }
}

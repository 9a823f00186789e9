//! Reproduces a recorded run of a tool from its journal entry alone.

use firmware_bridge::trace::Beat;
use minismith_wire::recording;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Workshop;
use super::registry::RegistryError;
use super::rehearsal::{Again, Call, NoRehearsal, again};
use super::troupe::{Troupe, split};
use crate::performance::Outcome;
use minismith_control::body::limits_of;
use minismith_control::trace::{Taken, joints, words};
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
pub enum NotRedone {
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
    Rehearsal(#[from] NoRehearsal),
}

/// The result of the reproduction.
#[derive(Clone, Debug)]
pub struct Redone {
    /// The rehearsal.
    pub again: Again,
    /// Whether every goal position is the same, bit for bit.
    pub same_motion: bool,
    /// Whether the outcome is the same.
    pub same_outcome: bool,
}

/// Rehearses a run again.
///
/// # Errors
/// Returns [`NotRedone`].
pub fn redo(workshop: &Workshop, run: &Run) -> Result<Redone, NotRedone> {
    let (tool, function) = split(&run.tool);
    let admitted = workshop.registry().load(tool, Some(run.version))?;
    let now = admitted.manifest().code_sha256.clone();
    if now != run.sha256 {
        return Err(NotRedone::Changed {
            tool: tool.into(),
            version: run.version,
            then: run.sha256.clone(),
            now,
        });
    }
    let conditions = workshop.conditions(run.approved).for_tool(&admitted.manifest().budget);
    let troupe = Troupe::new(workshop, false);
    let call = Call {
        function: function.map(ToOwned::to_owned),
        arguments: run.arguments.clone(),
        start: joints(&run.start_deg),
    };
    let again = again(admitted.vetted(), &call, &troupe, &conditions)?;
    Ok(Redone {
        same_motion: again.command_digest == run.command_digest,
        same_outcome: again.outcome == run.outcome,
        again,
    })
}

impl Redone {
    /// Returns the reproduced motion as a trace.
    #[must_use]
    pub fn taken(&self, run: &Run, config: &Config) -> Taken {
        let name = format!("{} v{} again", run.tool, run.version);
        let about = words::begin(name, String::new(), config.rate.period(), &limits_of(config));
        let beat = |(number, beat): (u64, &Beat)| recording::Beat {
            beat: number,
            goal_deg: words::degrees(&beat.goal),
            present_deg: words::degrees(&beat.present),
            ..recording::Beat::default()
        };
        let beats = (0..).zip(&self.again.beats).map(beat).collect();
        Taken { about, beats, told: Vec::new(), is_whole: true }
    }
}

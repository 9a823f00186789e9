//! A run of a tool, done again: what the journal says of it is all that it takes.

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

/// A run, as the journal tells it.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    /// The tool, and with a dot the function of a toolkit.
    pub tool: String,
    /// Its version.
    pub version: u32,
    /// SHA-256 of its code.
    pub sha256: String,
    /// What it was called with.
    pub arguments: Map<String, Value>,
    /// Whether a person had approved it.
    pub approved: bool,
    /// Where each motor was told to be when it began, degrees.
    pub start_deg: Vec<f64>,
    /// The file of its trace.
    #[serde(default)]
    pub trace: String,
    /// How it ended.
    pub outcome: Outcome,
    /// SHA-256 of the stream of goal positions.
    #[serde(default)]
    pub command_digest: String,
}

/// Why it can't be done again.
#[derive(Debug, thiserror::Error)]
pub enum NotRedone {
    /// The version is not there any more, or not as it was.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// Its code is another.
    #[error("{tool} v{version} is not the code that ran then: it was {then}, it is {now}")]
    Changed {
        /// The tool.
        tool: String,
        /// Its version.
        version: u32,
        /// The hash of what ran.
        then: String,
        /// The hash of what is there.
        now: String,
    },
    /// There is no rehearsal.
    #[error(transparent)]
    Rehearsal(#[from] NoRehearsal),
}

/// What came of it this time.
#[derive(Clone, Debug)]
pub struct Redone {
    /// The rehearsal.
    pub again: Again,
    /// Whether every goal position was the same, to the bit.
    pub same_motion: bool,
    /// Whether it ended the same.
    pub same_outcome: bool,
}

/// Rehearses a run again.
///
/// # Errors
/// [`NotRedone`].
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
    /// What was done this time, as a trace.
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

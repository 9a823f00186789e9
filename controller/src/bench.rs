//! Measures Minismith against the official packages, on this machine, in the same run.
//!
//! Both sides take turns (ours, theirs, ours, theirs), so that what else the machine does falls on both, and of the
//! rounds the median counts. What both sides speak to is the same: the same poses, the same emulated line. Where the
//! official packages are not installed, only our own side is measured. What the official packages have no like of (the
//! policy, guests, rehearsals) is held against plain Python, or against time itself.
//!
//! Reading order: [`run`], [`row`] (what is told), `rounds` (taking turns), `baseline` (the official side), `line` (the
//! emulated line under watch), `tools` (the tools that are measured), then one module for each thing that is measured.

pub mod authoring;
mod baseline;
mod bus;
mod control_cycle;
mod cpu_load;
mod frames;
mod jitter;
mod jobs;
mod kinematics;
mod line;
mod local_model;
mod official_api;
mod page;
mod policy;
mod prompts;
mod recording_cost;
mod rehearsal;
mod rounds;
pub mod row;
mod sentence;
mod sight;
mod speech;
mod target_to_bus;
mod text_to_motion;
mod tool_authoring;
mod tools;
pub mod understanding;

use std::path::PathBuf;
use std::sync::Arc;

use baseline::Baselines;
use jitter::Load;
use minismith_runtime::config::Config;
use minismith_toolchain::guest::{LazyHost, ToolHost, locate};
use row::Row;

/// What is measured, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only the rows of these names, with commas between them.
    pub only: Option<String>,
    /// Short rounds: for a look, not for a comparison.
    pub quick: bool,
    /// The environment with the official packages; without it `.cache/peers`, here or in a folder above.
    pub peers: Option<PathBuf>,
}

/// Nothing can be measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Nothing has this name.
    #[error("nothing is measured as `{name}`; there is: {}", names().join(", "))]
    NoSuchName {
        /// The name.
        name: String,
    },
    /// The environment that was named is not there.
    #[error("there is no Python in {}; `make peers` installs the official packages", .path.display())]
    NoBaselines {
        /// The place.
        path: PathBuf,
    },
}

/// One side could not be measured.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
struct Failed(String);

impl Failed {
    /// From what the system or a body said, and what was tried.
    fn at(what: &str) -> impl Fn(&dyn std::fmt::Display) -> Failed {
        move |error| Failed(format!("{what}: {error}"))
    }
}

/// What every measurement has at hand.
struct BenchContext<'a> {
    config: &'a Config,
    baselines: &'a Baselines,
    /// Where guests come from, started by the first who asks.
    sandbox: &'a LazyHost,
    quick: bool,
    /// Says what is going on.
    progress: &'a dyn Fn(&str),
}

impl BenchContext<'_> {
    /// One number for a look, another for a comparison.
    const fn pick<T: Copy>(&self, quick: T, thorough: T) -> T {
        if self.quick { quick } else { thorough }
    }

    /// The warm tool host.
    fn host(&self) -> Result<Arc<ToolHost>, Failed> {
        self.sandbox.host().map_err(|fault| Failed::at("the tool host")(&fault))
    }

    /// The interpreter that tools run on.
    fn python(&self) -> Result<PathBuf, Failed> {
        let found = locate(&self.config.tool_host.python);
        found.map(|(_, python)| python).map_err(|fault| Failed::at("Python")(&fault))
    }
}

/// Things that are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// Between postures and joints.
    Kinematics,
    /// The cost of a cycle without a serial line.
    CycleCost,
    /// The cost of a cycle that is recorded.
    CycleCostLogged,
    /// A body that is recorded, in real time.
    RecordingCost,
    /// Writing and reading nine motors.
    BusCycle,
    /// How fast the line can be driven.
    BusRate,
    /// How evenly goals are sent.
    Jitter(Load),
    /// Reading a tool.
    Policy,
    /// Running the smallest tool.
    Jobs,
    /// Giving pictures to a tool.
    Frames,
    /// Finding faces and things, and drawing scenes.
    Sight,
    /// Rehearsing tools.
    Rehearsal,
    /// The whole way of a tool.
    Check,
    /// How long prompts are.
    Prompts,
    /// Understanding a sentence.
    Sentence,
    /// From a sentence to the line.
    TextToMotion,
    /// From a target over REST to the line.
    TargetToBus,
    /// Understanding and speaking.
    Speech,
    /// The language model on this computer.
    LocalModel,
    /// A tool from words.
    Authoring,
    /// The official wire.
    OfficialApi,
    /// The dashboard in a browser.
    Page,
}

impl Subject {
    const ALL: [Subject; 25] = [
        Subject::Kinematics,
        Subject::CycleCost,
        Subject::CycleCostLogged,
        Subject::RecordingCost,
        Subject::BusCycle,
        Subject::BusRate,
        Subject::Policy,
        Subject::Jobs,
        Subject::Frames,
        Subject::Sight,
        Subject::Rehearsal,
        Subject::Check,
        Subject::Prompts,
        Subject::Sentence,
        Subject::TextToMotion,
        Subject::TargetToBus,
        Subject::Speech,
        Subject::LocalModel,
        Subject::Authoring,
        Subject::OfficialApi,
        Subject::Page,
        Subject::Jitter(Load::Idle),
        Subject::Jitter(Load::Loaded),
        Subject::Jitter(Load::Guests),
        Subject::Jitter(Load::Model),
    ];

    /// The rows that it yields.
    fn names(self) -> Vec<String> {
        match self {
            Subject::Kinematics => kinematics::NAMES.map(str::to_owned).into(),
            Subject::CycleCost => vec![control_cycle::NAME.to_owned()],
            Subject::CycleCostLogged => vec![control_cycle::NAME_LOGGED.to_owned()],
            Subject::RecordingCost => recording_cost::NAMES.map(str::to_owned).into(),
            Subject::BusCycle => vec![bus::CYCLE.to_owned()],
            Subject::BusRate => vec![bus::RATE.to_owned()],
            Subject::Jitter(load) => jitter::names(load),
            Subject::Policy => vec![policy::NAME.to_owned()],
            Subject::Jobs => jobs::NAMES.map(str::to_owned).into(),
            Subject::Frames => vec![frames::NAME.to_owned()],
            Subject::Sight => sight::NAMES.map(str::to_owned).into(),
            Subject::Rehearsal => rehearsal::SPEEDS.map(str::to_owned).into(),
            Subject::Check => vec![rehearsal::CHECK.to_owned()],
            Subject::Prompts => vec![prompts::NAME.to_owned()],
            Subject::Sentence => sentence::NAMES.map(str::to_owned).into(),
            Subject::TextToMotion => text_to_motion::NAMES.map(str::to_owned).into(),
            Subject::TargetToBus => target_to_bus::NAMES.map(str::to_owned).into(),
            Subject::Speech => speech::NAMES.map(str::to_owned).into(),
            Subject::LocalModel => local_model::NAMES.map(str::to_owned).into(),
            Subject::Authoring => tool_authoring::NAMES.map(str::to_owned).into(),
            Subject::OfficialApi => official_api::NAMES.map(str::to_owned).into(),
            Subject::Page => page::NAMES.map(str::to_owned).into(),
        }
    }

    fn measure(self, context: &BenchContext<'_>) -> Vec<Row> {
        match self {
            Subject::Kinematics => kinematics::measure(context),
            Subject::CycleCost => vec![control_cycle::measure(context)],
            Subject::CycleCostLogged => vec![control_cycle::measure_logged(context)],
            Subject::RecordingCost => recording_cost::measure(context),
            Subject::BusCycle => vec![bus::cycle(context)],
            Subject::BusRate => vec![bus::rate(context)],
            Subject::Jitter(load) => jitter::measure(context, load),
            Subject::Policy => vec![policy::measure(context)],
            Subject::Jobs => jobs::measure(context),
            Subject::Frames => vec![frames::measure(context)],
            Subject::Sight => sight::measure(context),
            Subject::Rehearsal => rehearsal::speeds(context),
            Subject::Check => vec![rehearsal::check(context)],
            Subject::Prompts => vec![prompts::measure(context)],
            Subject::Sentence => sentence::measure(context),
            Subject::TextToMotion => text_to_motion::measure(context),
            Subject::TargetToBus => target_to_bus::measure(context),
            Subject::Speech => speech::measure(context),
            Subject::LocalModel => local_model::measure(context),
            Subject::Authoring => tool_authoring::measure(context),
            Subject::OfficialApi => official_api::measure(context),
            Subject::Page => page::measure(context),
        }
    }
}

/// The names of all rows, in the order in which they are told.
#[must_use]
pub fn names() -> Vec<String> {
    Subject::ALL.into_iter().flat_map(Subject::names).collect()
}

/// Measures; `progress` is told what is going on.
///
/// # Errors
/// [`BenchError`] when the options name what is not there. A side that could not be measured is a row that says so.
pub fn run(config: &Config, options: &Options, progress: &dyn Fn(&str)) -> Result<Vec<Row>, BenchError> {
    let only = || options.only.iter().flat_map(|only| only.split(','));
    let wanted = |name: &str| options.only.is_none() || only().any(|only| only == name);
    if let Some(name) = only().find(|name| !names().iter().any(|known| known == name)) {
        return Err(BenchError::NoSuchName { name: name.to_owned() });
    }
    let peers = Baselines::find(options.peers.as_deref())?;
    peers.report_what_is_missing(progress);
    let sandbox = LazyHost::new(&config.tool_host.python, config.tool_host.sandbox_requirements.clone());
    let context =
        BenchContext { config, baselines: &peers, sandbox: &sandbox, quick: options.quick, progress };
    let mut rows = Vec::new();
    for subject in Subject::ALL {
        if subject.names().iter().any(|name| wanted(name)) {
            rows.extend(subject.measure(&context));
        }
    }
    rows.retain(|row| wanted(&row.name));
    Ok(rows)
}

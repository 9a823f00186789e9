//! Rehearses a call of a tool for people before a real run: on the simulated robot, in virtual time.
//!
//! A preview verifies nothing and is not stored.

use std::time::Duration;

use firmware_bridge::joint::Joints;
use firmware_bridge::motion_log::LoggedCycle;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Workshop;
use super::registry::RegistryError;
use super::rehearsal::{CallRequest, RehearsalError, repeat_call};
use super::tool_runtime::{ToolRuntime, split};
use crate::tool_run::Outcome;
use minismith_analysis::arguments::accept;
use minismith_runtime::report::{ClampReport, round_for_display};

/// Maximum number of displayed moments of a motion.
const MAX_MOMENTS: usize = 3000;

/// The motion of the motors, downsampled for display.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Motion {
    /// Interval between two moments, seconds of robot time.
    pub period_s: f64,
    /// The moments, starting with the first.
    #[serde(rename = "beats")]
    pub cycles: Vec<PreviewSample>,
}

/// The motors at one moment, in the order of their ids, degrees.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PreviewSample {
    /// Present positions.
    pub present_deg: [f64; 9],
    /// Goal positions.
    pub goal_deg: [f64; 9],
}

impl PreviewSample {
    /// Rounds two sets of positions for display.
    #[must_use]
    pub fn new(present: &Joints, goal: &Joints) -> Self {
        let degrees = |joints: &Joints| *joints.map(|angle| round_for_display(angle.degrees())).as_array();
        PreviewSample { present_deg: degrees(present), goal_deg: degrees(goal) }
    }
}

impl Motion {
    /// Downsamples these cycles: every second one, and fewer for a long motion. The last one is always included.
    #[must_use]
    pub fn of(cycles: &[LoggedCycle], period: Duration) -> Self {
        let stride = cycles.len().div_ceil(MAX_MOMENTS).max(2);
        let moment = |cycle: &LoggedCycle| PreviewSample::new(&cycle.present, &cycle.goal);
        let mut shown: Vec<PreviewSample> = cycles.iter().step_by(stride).map(moment).collect();
        if let Some(last) = cycles.last()
            && !(cycles.len() - 1).is_multiple_of(stride)
        {
            shown.push(moment(last));
        }
        Motion { period_s: period.as_secs_f64() * stride as f64, cycles: shown }
    }
}

/// The predicted result of a call.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Preview {
    /// Name of the tool, followed by a dot and the function for a toolkit.
    pub name: String,
    /// Version.
    pub version: u32,
    /// Motion, from the present goal position of the robot.
    #[serde(flatten)]
    pub motion: Motion,
    /// How the call ended: `returned`, `raised` or `stopped`, with its value or the error.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Printed output.
    pub printed: String,
    /// Clamps by the envelope.
    #[serde(rename = "trims")]
    pub clamps: Vec<ClampReport>,
    /// Duration in robot time, seconds.
    pub took_s: f64,
}

/// The reason why there is no preview.
#[derive(Debug, thiserror::Error)]
pub enum PreviewError {
    /// The registry cannot load the tool.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The arguments do not fit.
    #[error("{0}")]
    Arguments(String),
    /// No rehearsal can run here.
    #[error(transparent)]
    Rehearsal(#[from] RehearsalError),
}

/// Rehearses a call from this start pose, with the limits of a real run.
///
/// # Errors
/// Returns [`PreviewError`].
pub fn preview(
    workshop: &Workshop,
    name: &str,
    version: Option<u32>,
    arguments: Map<String, Value>,
    start: Joints,
) -> Result<Preview, PreviewError> {
    let (tool, function) = split(name);
    let accepted = workshop.registry().load(tool, version)?;
    let manifest = accepted.manifest();
    let Some(parameters) = manifest.parameters_of(function) else {
        return Err(PreviewError::Arguments(format!(
            "{tool} has no function {}",
            function.unwrap_or_default()
        )));
    };
    accept(parameters, &arguments)
        .map_err(|complaint| PreviewError::Arguments(format!("{name}: {complaint}")))?;
    let conditions = workshop.conditions(accepted.is_approved()).for_tool(&manifest.budget);
    let stimuli = Vec::new();
    let call = CallRequest { function: function.map(ToOwned::to_owned), arguments, start, stimuli };
    let again = repeat_call(accepted.checked(), &call, &ToolRuntime::new(workshop, false), &conditions)?;
    Ok(Preview {
        name: name.into(),
        version: manifest.version,
        motion: Motion::of(&again.cycles, conditions.period),
        outcome: again.outcome,
        printed: again.printed,
        clamps: again.clamps,
        took_s: again.duration_s,
    })
}

#[cfg(test)]
mod tests {
    use firmware_bridge::units::Radians;

    use super::*;

    #[test]
    fn motion_keeps_first_and_last_moment_and_is_bounded() {
        let cycle = |angle: usize| {
            let joints = Joints::all(Radians::from_degrees(angle as f64 / 1000.0));
            LoggedCycle { goal: joints, present: joints }
        };
        for cycles in [0, 1, 2, 3, 700, 6001, 50_000] {
            let all: Vec<LoggedCycle> = (0..cycles).map(cycle).collect();
            let motion = Motion::of(&all, Duration::from_millis(10));
            let ends = |moment: Option<&PreviewSample>| moment.map(|moment| moment.goal_deg[0]);
            let angle = |position: usize| round_for_display(position as f64 / 1000.0);
            assert_eq!(ends(motion.cycles.first()), (cycles > 0).then(|| angle(0)), "{cycles}");
            assert_eq!(ends(motion.cycles.last()), cycles.checked_sub(1).map(angle), "{cycles}");
            assert!(motion.cycles.len() <= MAX_MOMENTS + 1, "{cycles}: {}", motion.cycles.len());
            assert!(motion.period_s >= 0.02);
        }
    }
}

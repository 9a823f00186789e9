//! Rehearses a call of a tool for people before a real run: on the simulated robot, in virtual time.
//!
//! A preview verifies nothing and is not stored.

use std::time::Duration;

use firmware_bridge::joint::Joints;
use firmware_bridge::trace::Beat;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Workshop;
use super::registry::RegistryError;
use super::rehearsal::{Call, NoRehearsal, again};
use super::troupe::{Troupe, split};
use crate::performance::Outcome;
use minismith_analysis::arguments::accept;
use minismith_runtime::outcome::{TrimView, tidy};

/// Maximum number of displayed moments of a motion.
const MAX_MOMENTS: usize = 3000;

/// The motion of the motors, downsampled for display.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Motion {
    /// Interval between two moments, seconds of robot time.
    pub period_s: f64,
    /// The moments, starting with the first.
    pub beats: Vec<Moment>,
}

/// The motors at one moment, in the order of their ids, degrees.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Moment {
    /// Present positions.
    pub present_deg: [f64; 9],
    /// Goal positions.
    pub goal_deg: [f64; 9],
}

impl Motion {
    /// Downsamples these cycles: every second one, and fewer for a long motion. The last one is always included.
    #[must_use]
    pub fn of(beats: &[Beat], period: Duration) -> Self {
        let stride = beats.len().div_ceil(MAX_MOMENTS).max(2);
        let degrees = |joints: &Joints| *joints.map(|angle| tidy(angle.degrees())).as_array();
        let moment =
            |beat: &Beat| Moment { present_deg: degrees(&beat.present), goal_deg: degrees(&beat.goal) };
        let mut shown: Vec<Moment> = beats.iter().step_by(stride).map(moment).collect();
        if let Some(last) = beats.last()
            && !(beats.len() - 1).is_multiple_of(stride)
        {
            shown.push(moment(last));
        }
        Motion { period_s: period.as_secs_f64() * stride as f64, beats: shown }
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
    #[schema(value_type = Object)]
    pub outcome: Outcome,
    /// Printed output.
    pub printed: String,
    /// Clamps by the envelope.
    pub trims: Vec<TrimView>,
    /// Duration in robot time, seconds.
    pub took_s: f64,
}

/// The reason why there is no preview.
#[derive(Debug, thiserror::Error)]
pub enum NoPreview {
    /// The registry cannot load the tool.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The arguments do not fit.
    #[error("{0}")]
    Arguments(String),
    /// No rehearsal can run here.
    #[error(transparent)]
    Rehearsal(#[from] NoRehearsal),
}

/// Rehearses a call from this start pose, with the limits of a real run.
///
/// # Errors
/// Returns [`NoPreview`].
pub fn preview(
    workshop: &Workshop,
    name: &str,
    version: Option<u32>,
    arguments: Map<String, Value>,
    start: Joints,
) -> Result<Preview, NoPreview> {
    let (tool, function) = split(name);
    let admitted = workshop.registry().load(tool, version)?;
    let manifest = admitted.manifest();
    let Some(parameters) = manifest.parameters_of(function) else {
        return Err(NoPreview::Arguments(format!("{tool} has no function {}", function.unwrap_or_default())));
    };
    accept(parameters, &arguments)
        .map_err(|complaint| NoPreview::Arguments(format!("{name}: {complaint}")))?;
    let conditions = workshop.conditions(admitted.is_approved()).for_tool(&manifest.budget);
    let call = Call { function: function.map(ToOwned::to_owned), arguments, start };
    let again = again(admitted.vetted(), &call, &Troupe::new(workshop, false), &conditions)?;
    Ok(Preview {
        name: name.into(),
        version: manifest.version,
        motion: Motion::of(&again.beats, conditions.period),
        outcome: again.outcome,
        printed: again.printed,
        trims: again.trims,
        took_s: again.took_s,
    })
}

#[cfg(test)]
mod tests {
    use firmware_bridge::units::Radians;

    use super::*;

    #[test]
    fn motion_keeps_first_and_last_moment_and_is_bounded() {
        let beat = |angle: usize| {
            let joints = Joints::all(Radians::from_degrees(angle as f64 / 1000.0));
            Beat { goal: joints, present: joints }
        };
        for beats in [0, 1, 2, 3, 700, 6001, 50_000] {
            let all: Vec<Beat> = (0..beats).map(beat).collect();
            let motion = Motion::of(&all, Duration::from_millis(10));
            let ends = |moment: Option<&Moment>| moment.map(|moment| moment.goal_deg[0]);
            let angle = |place: usize| tidy(place as f64 / 1000.0);
            assert_eq!(ends(motion.beats.first()), (beats > 0).then(|| angle(0)), "{beats}");
            assert_eq!(ends(motion.beats.last()), beats.checked_sub(1).map(angle), "{beats}");
            assert!(motion.beats.len() <= MAX_MOMENTS + 1, "{beats}: {}", motion.beats.len());
            assert!(motion.period_s >= 0.02);
        }
    }
}

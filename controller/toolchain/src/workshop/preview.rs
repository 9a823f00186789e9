//! A call of a tool, rehearsed for people to look at before it is performed: on the mock, in virtual time. It proves nothing
//! and is kept nowhere.

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

/// The most moments of a motion that are shown.
const MOST: usize = 3000;

/// What the motors did, thinned for whoever looks.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Motion {
    /// Between two of the moments, seconds of stage time.
    pub period_s: f64,
    /// The moments, the first at the beginning.
    pub beats: Vec<Moment>,
}

/// The motors at one moment, in the order of their ids, degrees.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Moment {
    /// Where they are.
    pub present_deg: [f64; 9],
    /// Where they are told to be.
    pub goal_deg: [f64; 9],
}

impl Motion {
    /// The motion in these beats: every second one, and less where it is long. The last one always is among them.
    #[must_use]
    pub fn of(beats: &[Beat], period: Duration) -> Self {
        let stride = beats.len().div_ceil(MOST).max(2);
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

/// What a call would do.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Preview {
    /// The tool, and with a dot the function of a toolkit.
    pub name: String,
    /// Which version.
    pub version: u32,
    /// Its motion, from where the body is told to be now.
    #[serde(flatten)]
    pub motion: Motion,
    /// How it ended, `returned`, `raised` or `stopped`, with the value that it gave or what went wrong.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub outcome: Outcome,
    /// What it printed.
    pub printed: String,
    /// What the envelope took off.
    pub trims: Vec<TrimView>,
    /// Stage seconds.
    pub took_s: f64,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub enum NoPreview {
    /// The tool is not on the shelf, or not as it was.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The arguments do not fit.
    #[error("{0}")]
    Arguments(String),
    /// There is no rehearsal.
    #[error(transparent)]
    Rehearsal(#[from] NoRehearsal),
}

/// Rehearses a call from this start, with the limits that its performance would have.
///
/// # Errors
/// [`NoPreview`].
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
    fn what_is_shown_begins_and_ends_with_the_motion_and_is_never_long() {
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
            assert!(motion.beats.len() <= MOST + 1, "{beats}: {}", motion.beats.len());
            assert!(motion.period_s >= 0.02);
        }
    }
}

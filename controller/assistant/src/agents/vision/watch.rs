//! Watches for something new.

use std::collections::BTreeMap;
use std::time::Duration;

use firmware_bridge::clock::Tick;

use super::{Looked, words};
use minismith_control::eyes::NoSight;
use minismith_control::seen::{Thing, seen};
use minismith_control::stage::Stage;
use minismith_nlu::Sight;
use minismith_runtime::outcome::{Ending, Step};

/// The time between two looks.
const PACE: Duration = Duration::from_millis(500);
/// The number of looks that establish what is already there.
const FIRST_LOOKS: u32 = 3;
/// How many looks in a row must show a new object.
const SURE: u32 = 2;

/// Watches for this time, or until something new appears.
pub(super) fn watch(stage: &mut Stage, sight: &Sight, time: Duration) -> Result<Looked, NoSight> {
    let begun = stage.conductor.stage_now();
    let mut known: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut more: BTreeMap<&'static str, u32> = BTreeMap::new();
    let mut looks = 0;
    while stage.conductor.stage_now().since(begun) < time {
        let things = seen(stage)?.things;
        let counts = counts(&things);
        if looks < FIRST_LOOKS {
            for (label, count) in counts {
                let most = known.entry(label).or_default();
                *most = (*most).max(count);
            }
        } else {
            more.retain(|label, _| counts.contains_key(label));
            for (label, count) in counts {
                if count <= known.get(label).copied().unwrap_or(0) {
                    more.remove(label);
                    continue;
                }
                let times = more.entry(label).or_default();
                *times += 1;
                if *times >= SURE {
                    let seconds = stage.conductor.stage_now().since(begun).as_secs_f64();
                    return Ok(Looked::told(sight, told(&things, label, seconds)));
                }
            }
        }
        looks += 1;
        if !pass(stage, PACE) {
            let step = Step::refused(sight.to_string(), "stop was said");
            return Ok(Looked { text: "I was stopped.".into(), step, ending: Ending::Stopped });
        }
    }
    Ok(Looked::told(sight, format!("Nothing new appeared within {} s.", time.as_secs_f64())))
}

fn counts(things: &[Thing]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for thing in things {
        *counts.entry(thing.label).or_default() += 1;
    }
    counts
}

fn told(things: &[Thing], label: &'static str, seconds: f64) -> String {
    let newest = things.iter().rfind(|thing| thing.label == label);
    let what = newest.map_or_else(|| words::article(label), words::one);
    format!("Something new after {seconds:.1} s: {what}.")
}

/// Lets time pass. Returns `false` after a stop.
fn pass(stage: &mut Stage, time: Duration) -> bool {
    let until: Tick = stage.conductor.stage_now() + time;
    stage.pass_until(until);
    !stage.is_stopped()
}

//! Watches for something new.

use std::collections::BTreeMap;
use std::time::Duration;

use firmware_bridge::clock::Timestamp;

use super::{LookResult, words};
use minismith_control::execution::ExecutionContext;
use minismith_control::perception::PerceptionError;
use minismith_control::seen::{Object, seen};
use minismith_nlu::Sight;
use minismith_runtime::report::{Step, TurnOutcome};

/// The time between two looks.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// The number of looks that establish what is already there.
const BASELINE_CHECKS: u32 = 3;
/// How many looks in a row must show a new object.
const CONFIRMATIONS: u32 = 2;

/// Watches for this time, or until something new appears.
pub(super) fn watch(
    context: &mut ExecutionContext,
    sight: &Sight,
    time: Duration,
) -> Result<LookResult, PerceptionError> {
    let begun = context.control.robot_time();
    let mut known: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut more: BTreeMap<&'static str, u32> = BTreeMap::new();
    let mut looks = 0;
    while context.control.robot_time().since(begun) < time {
        let objects = seen(context)?.objects;
        let counts = counts(&objects);
        if looks < BASELINE_CHECKS {
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
                if *times >= CONFIRMATIONS {
                    let seconds = context.control.robot_time().since(begun).as_secs_f64();
                    return Ok(LookResult::reported(sight, reported(&objects, label, seconds)));
                }
            }
        }
        looks += 1;
        if !pass(context, CHECK_INTERVAL) {
            let step = Step::refused(sight.to_string(), "stop was said");
            return Ok(LookResult { text: "I was stopped.".into(), step, ending: TurnOutcome::Stopped });
        }
    }
    Ok(LookResult::reported(sight, format!("Nothing new appeared within {} s.", time.as_secs_f64())))
}

fn counts(objects: &[Object]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for object in objects {
        *counts.entry(object.label).or_default() += 1;
    }
    counts
}

fn reported(objects: &[Object], label: &'static str, seconds: f64) -> String {
    let newest = objects.iter().rfind(|object| object.label == label);
    let what = newest.map_or_else(|| words::article(label), words::in_english);
    format!("Something new after {seconds:.1} s: {what}.")
}

/// Lets time pass. Returns `false` after a stop.
fn pass(context: &mut ExecutionContext, time: Duration) -> bool {
    let until: Timestamp = context.control.robot_time() + time;
    context.advance_to(until);
    !context.is_stopped()
}

//! Each case can be passed, and small changes of a right motion fail it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::script::{Recording, Step, USUAL, measure, mirrored, parse};
use super::yaml::cases;
use crate::cases::{Case, Group, Outcome};
use crate::judge::{RunKey, Verdict, judge, runs};
use crate::trace::Trace;

const MOTIONS: &str = include_str!("../../../../tests/cases/authoring_motions.yaml");

#[derive(Deserialize)]
#[serde(transparent)]
struct Motions(BTreeMap<String, BTreeMap<String, String>>);

/// Returns the steps of each run of a case.
fn steps_of(case: &Case, motions: &Motions) -> BTreeMap<RunKey, Vec<Step>> {
    let scripts = motions.0.get(&case.id).unwrap_or_else(|| panic!("{} has no motion", case.id));
    let mut steps = BTreeMap::new();
    for run in runs(case) {
        let name = match &run.key {
            RunKey::Before => "before".to_owned(),
            RunKey::Default(number) if !case.stimuli.is_empty() => number.to_string(),
            RunKey::Default(_) => "default".to_owned(),
            RunKey::Call(name) => name.clone(),
        };
        let script = scripts.get(&name).unwrap_or_else(|| panic!("{} has no motion `{name}`", case.id));
        steps.insert(run.key, parse(script));
    }
    assert_eq!(steps.len(), scripts.len(), "{} has motions that nobody needs", case.id);
    steps
}

fn judged(case: &Case, steps: &BTreeMap<RunKey, Vec<Step>>, recording: Recording) -> Verdict {
    let traces: BTreeMap<RunKey, Trace> = runs(case)
        .into_iter()
        .filter_map(|run| Some((run.key.clone(), measure(steps.get(&run.key)?, run.shown, recording))))
        .collect();
    judge(case, &traces)
}

fn made() -> (Vec<Case>, Motions) {
    let motions: Motions = serde_yaml::from_str(MOTIONS).expect("the motions can be read");
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.outcome == Outcome::Made).collect();
    assert_eq!(cases.len(), motions.0.len());
    (cases, motions)
}

#[test]
fn each_case_accepts_a_motion_that_does_what_it_says() {
    let (cases, motions) = made();
    let mut wrong = Vec::new();
    let others = [0.01, 0.02, 0.04].into_iter().flat_map(|period_s| {
        (1..4).map(move |seed| Recording { period_s, seed: seed * 0x1234_5678_9abc_def1 })
    });
    for recording in [USUAL].into_iter().chain(others) {
        for case in &cases {
            let verdict = judged(case, &steps_of(case, &motions), recording);
            let failed = verdict.failed();
            wrong.extend(
                failed.map(|(run, finding)| format!("{} ({run}, {recording:?}): {finding}", case.id)),
            );
            if verdict.findings.is_empty() {
                wrong.push(format!("{}: nothing was checked", case.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Applies a change to the steps of all runs but the one before a correction.
fn changed(
    steps: &BTreeMap<RunKey, Vec<Step>>,
    change: impl Fn(&[Step]) -> Vec<Step>,
) -> BTreeMap<RunKey, Vec<Step>> {
    let apply = |(key, steps): (&RunKey, &Vec<Step>)| {
        let steps = if *key == RunKey::Before { steps.clone() } else { change(steps) };
        (key.clone(), steps)
    };
    steps.iter().map(apply).collect()
}

/// Returns the cases that a change of their right motion does not fail.
fn survivors(change: impl Fn(&[Step]) -> Vec<Step>) -> Vec<String> {
    let (cases, motions) = made();
    let mut survivors = Vec::new();
    for case in &cases {
        let steps = steps_of(case, &motions);
        let wrong = changed(&steps, &change);
        if wrong != steps && judged(case, &wrong, USUAL).is_right() {
            survivors.push(case.id.clone());
        }
    }
    survivors
}

#[test]
fn no_case_accepts_a_motion_that_is_missing() {
    let survivors = survivors(|_| vec![Step::Wait(2.0)]);
    assert!(survivors.is_empty(), "{survivors:?}");
}

/// Says left or right, or names one antenna, in the request or in its correction.
fn names_a_side(case: &Case) -> bool {
    let words = format!("{} {}", case.before.as_deref().unwrap_or_default(), case.request).to_lowercase();
    words.contains("left") || words.contains("right")
}

#[test]
fn a_mirrored_motion_fails_each_case_that_names_one_side() {
    let survivors = survivors(mirrored);
    // These name both sides in no order, or a side that their correction takes away.
    let symmetric = [
        "growing_03",
        "simultaneity_07",
        "counts_05",
        "counts_10",
        "simultaneity_09",
        "corrections_10",
        "rhythm_05",
        "growing_08",
        "counts_08",
    ];
    let (cases, _) = made();
    let wrong: Vec<&Case> = cases
        .iter()
        .filter(|case| names_a_side(case) && survivors.contains(&case.id))
        .filter(|case| !symmetric.contains(&case.id.as_str()))
        .collect();
    let wrong: Vec<String> = wrong.iter().map(|case| format!("{}: {}", case.id, case.request)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_swing_too_many_fails_each_case_that_counts() {
    // Appends the first swing of the motion once more.
    let again = |steps: &[Step]| {
        let mut steps = steps.to_vec();
        let moves: Vec<Step> =
            steps.iter().filter(|step| matches!(step, Step::Move(..))).take(2).cloned().collect();
        steps.extend(moves);
        steps
    };
    let survivors = survivors(again);
    let (cases, _) = made();
    let wrong: Vec<&String> = survivors
        .iter()
        .filter(|id| cases.iter().any(|case| case.id == **id && case.group == Group::Counts))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn the_wrong_part_fails_all_cases() {
    use crate::axis::Axis;
    // Head and antennas exchange their motions.
    let exchange = |steps: &[Step]| {
        let part = |(axis, value): &(Axis, f64)| match axis {
            Axis::HeadTurn => (Axis::AntennaRight, *value),
            Axis::HeadPitch | Axis::HeadTilt | Axis::HeadRise | Axis::HeadForward => {
                (Axis::AntennaLeft, *value)
            }
            Axis::BodyTurn => (Axis::HeadPitch, value.clamp(-30.0, 30.0)),
            Axis::AntennaLeft => (Axis::HeadTurn, value.clamp(-50.0, 50.0)),
            Axis::AntennaRight => (Axis::BodyTurn, *value),
            other => (*other, *value),
        };
        let step = |step: &Step| match step {
            Step::Move(targets, time) => Step::Move(targets.iter().map(part).collect(), *time),
            other => other.clone(),
        };
        steps.iter().map(step).collect()
    };
    let survivors = survivors(exchange);
    assert!(survivors.is_empty(), "{survivors:?}");
}

#[test]
fn the_other_order_fails_each_case_that_has_one() {
    let (cases, motions) = made();
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| case.group == Group::Order) {
        let steps = steps_of(case, &motions);
        // Each pose is reached from its other neighbour.
        let reversed = changed(&steps, |steps| {
            let mut steps: Vec<Step> = steps.to_vec();
            steps.reverse();
            steps.push(Step::Move(
                crate::axis::Axis::ALL
                    .into_iter()
                    .filter(|axis| *axis != crate::axis::Axis::HeadFacing)
                    .map(|axis| (axis, 0.0))
                    .collect(),
                0.6,
            ));
            steps
        });
        if judged(case, &reversed, USUAL).is_right() {
            wrong.push(case.id.clone());
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn twice_the_time_fails_each_case_about_rhythm_that_says_how_long() {
    let slow = |steps: &[Step]| {
        let step = |step: &Step| match step {
            Step::Move(targets, time) => Step::Move(targets.clone(), 2.0 * time),
            Step::Wait(time) => Step::Wait(2.0 * time),
            other => other.clone(),
        };
        steps.iter().map(step).collect()
    };
    let survivors = survivors(slow);
    let wrong: Vec<&String> = survivors.iter().filter(|id| id.starts_with("rhythm")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

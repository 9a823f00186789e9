//! Tools run while stimuli are shown at the times of a case, and the checks tell the ones that react from the others.

use std::path::{Path, PathBuf};

use minismith_analysis::draft::Draft;
use minismith_analysis::policy::{PolicyChecked, vet};
use minismith_perception::models::Models;
use minismith_toolchain::guest::LazyHost;
use minismith_toolchain::workshop::rehearsal::RehearsalOptions;
use serde_json::Map;

use super::harness::measured_run;
use minismith_motion_checks::cases::{Case, Stimulus, parse};
use minismith_motion_checks::judge::{Verdict, judge, runs};
use minismith_motion_checks::trace::StimulusKind;

/// A face, a clap and a touch from second 3 to 5, and nothing.
const CASES: &str = "
cases:
  - id: face_01
    group: perception
    request: wave with the antennas whenever you see a face
    stimuli:
      - shown: [{kind: face, from: 3, to: 5, side: left}]
        checks:
          - reacts: {to: face, with: {axis: antenna_left}, within: 1.5}
          - quiet: {when: before}
          - quiet: {when: after, grace: 3}
      - shown: []
        checks: [{quiet: {when: throughout}}]
  - id: touch_01
    group: perception
    request: raise the antennas when somebody touches your head
    stimuli:
      - shown: [{kind: touch, from: 3, to: 5}]
        checks:
          - reacts: {to: touch, with: {axis: antenna_left}, within: 1.5}
          - quiet: {when: before}
  - id: clap_01
    group: perception
    request: raise the antennas when somebody claps
    stimuli:
      - shown: [{kind: clap, from: 3, to: 3.5}]
        checks: [{reacts: {to: clap, with: {axis: antenna_left}, within: 1.5}}]
";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn conditions(models: &Path) -> RehearsalOptions {
    RehearsalOptions {
        limits: firmware_bridge::limits::Limits::default(),
        period: std::time::Duration::from_millis(10),
        robot_time_s: 60.0,
        guest: minismith_protocol::Limits::DEFAULT,
        models: Models::at(models),
    }
}

fn tool(steps: &str) -> PolicyChecked {
    let source = format!(
        "from motion import antennas, face, perform, touch, wait, when, whenever\nfrom reachy_mini import ReachyMini\n\n\n\
         def react(robot: ReachyMini) -> str:\n    \"\"\"React to what happens.\"\"\"\n    return perform(robot, {steps})\n"
    );
    vet(Draft::read("react", source.as_bytes()).expect("a draft")).expect("a tool")
}

/// Measures the runs of a case and judges them.
fn judged(case: &Case, steps: &str, models: &Path) -> Verdict {
    let host =
        LazyHost::new(&workspace().join(".venv/bin/python"), minismith_runtime::config::Bar::default());
    let (tool, conditions) = (tool(steps), conditions(models));
    let measured = runs(case).into_iter().filter_map(|run| {
        let trace = measured_run(&tool, Map::new(), run.shown, &host, &conditions).expect("a sandbox")?;
        Some((run.key, trace))
    });
    judge(case, &measured.collect())
}

#[test]
fn reactions_are_judged_at_their_times() {
    let cases = parse(CASES).expect("the cases are valid");
    let [face, touch, clap] = cases.as_slice() else { panic!("three cases") };
    let models = workspace().join(".cache/models");
    let wave = "antennas(both=50, seconds=0.5), antennas(seconds=0.5)";
    let whenever = |event: &str| format!("whenever({event}(), {wave}, seconds=9)");
    for (case, steps, is_right) in [
        (face, whenever("face"), true),
        (face, whenever("touch"), false),
        (face, "wait(9)".to_owned(), false),
        // A wave at the right time by chance is seen by the variant without a face.
        (face, format!("wait(3.5), {wave}, wait(4)"), false),
        // It waits for the face, but only for two seconds.
        (face, format!("when(face(), {wave}, within=2), wait(4)"), false),
        (touch, whenever("touch"), true),
        (touch, whenever("face"), false),
        (touch, "wait(9)".to_owned(), false),
        (clap, "wait(9)".to_owned(), false),
    ] {
        let verdict = judged(case, &steps, &models);
        let failed: Vec<String> =
            verdict.failed().map(|(run, finding)| format!("{run}: {finding}")).collect();
        assert_eq!(verdict.is_right(), is_right, "{}: {steps}: {failed:?}", case.id);
    }
}

#[test]
fn run_without_photographs_is_not_measured() {
    let cases = parse(CASES).expect("the cases are valid");
    let nowhere = tempfile::tempdir().expect("a folder");
    let face = [Stimulus { kind: StimulusKind::Face, from: 3.0, to: 5.0, side: None }];
    let host =
        LazyHost::new(&workspace().join(".venv/bin/python"), minismith_runtime::config::Bar::default());
    let measured = measured_run(&tool("wait(1)"), Map::new(), &face, &host, &conditions(nowhere.path()));
    assert!(measured.expect("a sandbox").is_none());
    assert!(!judged(&cases[0], "wait(1)", nowhere.path()).is_right());
}

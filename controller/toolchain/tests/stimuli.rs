//! Tools that react: in a rehearsal, a face comes into view and a hand touches the head at stated times. The detector sees
//! rendered images, with the real model that `make models` installs.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::posture::Posture;
use minismith_analysis::draft::Draft;
use minismith_analysis::policy::{PolicyChecked, vet};
use minismith_analysis::submission::Declared;
use minismith_perception::models::Models;
use minismith_runtime::config::Bar;
use minismith_score::{Expects, Measured};
use minismith_toolchain::guest::LazyHost;
use minismith_toolchain::tool_run::Outcome;
use minismith_toolchain::workshop::rehearsal::{
    CallRequest, RehearsalFailed, RehearsalOptions, Rehearsed, RepeatedCall, rehearse, repeat_call,
};
use minismith_toolchain::workshop::stimuli::{Event, Side, Stimulus};
use serde_json::{Map, json};

fn models() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/models");
    assert!(folder.join("photographs/astronaut.png").is_file(), "no photographs; run `make models`");
    folder
}

fn host() -> LazyHost {
    LazyHost::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python"), Bar::default())
}

fn options(models: &Path) -> RehearsalOptions {
    RehearsalOptions {
        limits: firmware_bridge::limits::Limits::default(),
        period: std::time::Duration::from_millis(10),
        robot_time_s: 60.0,
        guest: minismith_protocol::Limits::DEFAULT,
        models: Models::at(models),
    }
}

/// Returns a tool of the language of motion that performs these steps.
fn tool(steps: &str) -> PolicyChecked {
    let source = format!(
        "from motion import antennas, clap, face, head, perform, repeat, thing, touch, voice, wait, when, whenever\nfrom reachy_mini \
         import ReachyMini\n\n\ndef react(robot: ReachyMini) -> str:\n    \"\"\"React to what happens.\"\"\"\n    \
         return perform(robot, {steps})\n"
    );
    checked(&source)
}

fn checked(source: &str) -> PolicyChecked {
    let draft = Draft::read("react", source.as_bytes()).unwrap_or_else(|no| panic!("{no:?}"));
    vet(draft).unwrap_or_else(|no| panic!("{:?}", no.findings()))
}

/// Calls a tool while something happens.
fn called(tool: &PolicyChecked, stimuli: Vec<Stimulus>) -> RepeatedCall {
    let start = joints_from_posture(&Posture::init()).unwrap();
    let call = CallRequest { function: None, arguments: Map::new(), start, stimuli };
    let ran = repeat_call(tool, &call, &host(), &options(&models())).unwrap();
    assert!(matches!(ran.outcome, Outcome::Returned { .. }), "{:?}", ran.outcome);
    ran
}

fn stimulus(event: Event, from_s: f64, to_s: f64) -> Stimulus {
    Stimulus { event, from_s, to_s, side: Side::Ahead }
}

/// Returns when a joint is in motion: the first and the last time, seconds.
fn motion(ran: &RepeatedCall, joint: Joint) -> Option<(f64, f64)> {
    let present: Vec<f64> = ran.cycles.iter().map(|cycle| cycle.present[joint].degrees()).collect();
    let moves = present.windows(6).map(|values| (values[5] - values[0]).abs() > 0.5);
    let times: Vec<f64> =
        moves.enumerate().filter(|(_, moves)| *moves).map(|(at, _)| at as f64 * 0.01).collect();
    Some((*times.first()?, *times.last()?))
}

const WAVE: &str = "repeat(2, antennas(both=50, seconds=0.4), antennas(seconds=0.4))";

#[test]
fn face_at_a_stated_time_is_answered_then_and_not_before() {
    let greets = tool(&format!("whenever(face(), {WAVE}, seconds=9)"));
    for side in [Side::Ahead, Side::Left, Side::Right] {
        let ran = called(&greets, vec![Stimulus { side, ..stimulus(Event::Face, 3.0, 5.0) }]);
        let (first, last) = motion(&ran, Joint::LeftAntenna).unwrap();
        assert!((3.0..3.8).contains(&first), "{side:?}: {first}");
        // A wave takes 1.6 seconds, and the last one begins before the face is gone.
        assert!((5.0..7.2).contains(&last), "{side:?}: {last}");
        assert_eq!(motion(&ran, Joint::Stewart1), None, "{side:?}: the head rests");
    }
    // Two visits, and nobody.
    let twice = vec![stimulus(Event::Face, 1.5, 2.0), stimulus(Event::Face, 6.0, 6.5)];
    let ran = called(&greets, twice);
    let (first, last) = motion(&ran, Joint::LeftAntenna).unwrap();
    assert!((1.5..2.3).contains(&first) && (7.0..8.6).contains(&last), "{first} {last}");
    assert_eq!(motion(&called(&greets, Vec::new()), Joint::LeftAntenna), None);
}

#[test]
fn touch_is_felt_at_its_time_and_is_no_motion_of_the_tool() {
    let startles = tool(&format!("when(touch(), {WAVE}, within=8)"));
    for side in [Side::Ahead, Side::Left, Side::Right] {
        let ran = called(&startles, vec![Stimulus { side, ..stimulus(Event::Touch, 2.5, 3.5) }]);
        let (first, _) = motion(&ran, Joint::RightAntenna).unwrap();
        assert!((2.5..3.1).contains(&first), "{side:?}: {first}");
        assert_eq!(motion(&ran, Joint::Stewart1), None, "{side:?}: what a hand moves, the tool does not");
    }
    assert_eq!(motion(&called(&startles, Vec::new()), Joint::RightAntenna), None);
    let ignores = tool("wait(6), antennas(both=50), antennas()");
    let (first, _) =
        motion(&called(&ignores, vec![stimulus(Event::Touch, 2.5, 3.5)]), Joint::RightAntenna).unwrap();
    assert!((6.0..6.4).contains(&first), "{first}");
}

#[test]
fn object_at_a_stated_time_is_recognised() {
    let points = tool(&format!("when(thing('cat'), {WAVE}, within=8)"));
    let ran = called(&points, vec![stimulus(Event::Thing("cat".into()), 2.0, 6.0)]);
    // Objects are detected at most twice a second.
    let (first, _) = motion(&ran, Joint::LeftAntenna).unwrap();
    assert!((2.0..3.0).contains(&first), "{first}");
    let ran = called(&points, vec![stimulus(Event::Face, 2.0, 6.0)]);
    assert_eq!(motion(&ran, Joint::LeftAntenna), None, "a face is no cat");
}

#[test]
fn same_call_with_the_same_stimuli_moves_the_same() {
    let greets = tool(&format!("whenever(face(), {WAVE}, seconds=5)"));
    let digest = || called(&greets, vec![stimulus(Event::Face, 1.0, 3.0)]).command_digest;
    assert_eq!(digest(), digest());
}

fn declared(expects: &serde_json::Value) -> Declared {
    let expects: Expects = serde_json::from_value(expects.clone()).unwrap();
    expects.check().unwrap();
    Declared { expects, ..Declared::default() }
}

fn rehearsed(
    tool: PolicyChecked,
    expects: &serde_json::Value,
    models: &Path,
) -> Result<Rehearsed, Box<RehearsalFailed>> {
    rehearse(tool, &declared(expects), &host(), &options(models), &mut |_, _| {}).unwrap().map_err(Box::new)
}

fn reaction(event: &str) -> serde_json::Value {
    json!([
        {"kind": "reacts", "event": event, "within": 1.5, "axis": "antenna_left"},
        {"kind": "quiet_without", "event": event},
        {"kind": "moves", "axis": "antenna_left", "direction": "outward", "at_least": 40.0},
    ])
}

fn held(measured: &[Measured]) -> Vec<bool> {
    measured.iter().map(|one| one.held).collect()
}

#[test]
fn reaction_to_a_face_is_expected_after_it_and_only_then() {
    let expects = reaction("face");
    let greets = tool(&format!("whenever(face(), {WAVE}, seconds=8)"));
    let right = rehearsed(greets, &expects, &models()).unwrap();
    assert_eq!(held(right.expectations()), [true, true, true], "{:?}", right.expectations());
    let shown = right.cases().iter().filter(|case| case.name.contains("face"));
    assert_eq!(shown.map(|case| case.name.as_str()).collect::<Vec<_>>(), ["expected: a face"]);
    // Something else first: the face comes when the tool waits for it.
    let begins = tool(&format!("head(left=20, seconds=3), head(seconds=3), when(face(), {WAVE}, within=8)"));
    let right = rehearsed(begins, &json!([expects[0]]), &models()).unwrap();
    assert_eq!(held(right.expectations()), [true], "{:?}", right.expectations());
    // It looks only once, it waves without a reason, it ignores the face.
    let once = "    robot.start_head_tracking(0.0)\n    time.sleep(0.3)\n    if robot.get_tracked_face().detected:\n        \
                robot.goto_target(antennas=[0.9, -0.9], duration=0.5)\n        robot.goto_target(antennas=[-0.17, 0.17], \
                duration=0.5)\n    time.sleep(5)\n    return \"done\"\n";
    let once = format!(
        "import time\n\nfrom reachy_mini import ReachyMini\n\n\ndef react(robot: ReachyMini) -> str:\n    \"\"\"React to a \
         face.\"\"\"\n{once}"
    );
    for wrong in [checked(&once), tool(WAVE), tool("wait(8), head(down=10), head()")] {
        let failed = rehearsed(wrong, &expects, &models()).unwrap_err();
        assert!(
            failed.findings.iter().any(|finding| finding.rule == "motion-differs"),
            "{:?}",
            failed.findings
        );
        assert!(!failed.expectations[0].held && failed.expectations[0].is_measured());
    }
}

#[test]
fn reaction_to_a_touch_is_measured() {
    let expects = reaction("touch");
    let startles = tool(&format!("whenever(touch(), {WAVE}, seconds=8)"));
    let right = rehearsed(startles, &expects, &models()).unwrap();
    assert_eq!(held(right.expectations()), [true, true, true], "{:?}", right.expectations());
    // The head that a hand moves is no answer.
    let any = json!([{"kind": "reacts", "event": "touch", "within": 2.0}]);
    let failed = rehearsed(tool("wait(8), antennas(both=40), antennas()"), &any, &models()).unwrap_err();
    assert!(failed.findings.iter().any(|finding| finding.rule == "motion-differs"), "{:?}", failed.findings);
}

#[test]
fn reaction_to_a_sound_is_measured() {
    for event in ["clap", "voice"] {
        let startles = tool(&format!("whenever({event}(), {WAVE}, seconds=8)"));
        let right = rehearsed(startles, &reaction(event), &models()).unwrap();
        assert_eq!(held(right.expectations()), [true, true, true], "{event}: {:?}", right.expectations());
        // One that moves anyway, and one that never does.
        for other in ["wait(8), antennas(both=40), antennas()", "wait(4)"] {
            let failed = rehearsed(tool(other), &reaction(event), &models()).unwrap_err();
            assert!(
                failed.findings.iter().any(|finding| finding.rule == "motion-differs"),
                "{:?}",
                failed.findings
            );
        }
    }
}

#[test]
fn what_cannot_be_simulated_is_not_measured() {
    let passed = rehearsed(tool("wait(4)"), &reaction("tilted"), &models()).unwrap();
    let measured = passed.expectations();
    assert_eq!(held(measured), [false, true, false], "quiet without it, and nothing else is known");
    assert!(!measured[0].is_measured() && !measured[2].is_measured(), "{measured:?}");
    let hint = passed.findings().iter().find(|finding| finding.rule == "motion-not-measured").unwrap();
    assert!(hint.hint.contains("no IMU"), "{hint:?}");
    // Without models and photographs, no face can be shown.
    let nowhere = tempfile::tempdir().unwrap();
    let greets = tool(&format!("whenever(face(), {WAVE}, seconds=3)"));
    let passed = rehearsed(greets, &reaction("face"), nowhere.path()).unwrap();
    assert!(!passed.expectations()[0].is_measured(), "{:?}", passed.expectations());
    assert!(passed.findings().iter().any(|finding| finding.hint.contains("make models")));
}

#[test]
fn start_of_the_head_is_that_of_the_call() {
    // A displaced head is put back to where the robot holds it.
    let ran = called(&tool("wait(4)"), vec![stimulus(Event::Touch, 1.0, 2.0)]);
    let last = ran.cycles.last().unwrap().present;
    let start = joints_from_posture(&Posture::init()).unwrap();
    assert!(
        Joints::from_fn(|joint| (last[joint] - start[joint]).abs().degrees())
            .iter()
            .all(|(_, off)| *off < 1.0)
    );
}

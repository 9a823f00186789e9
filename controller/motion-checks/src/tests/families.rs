//! Each check accepts what it asks for and rejects the mirrored, the miscounted, the shortened and the exchanged.

use serde::Deserialize;

use super::script::{USUAL, measure, parse, trace};
use crate::cases::{Check, Effect, Stimulus};
use crate::checks::check;
use crate::effects::effect;
use crate::finding::Finding;
use crate::trace::StimulusKind;

#[derive(Deserialize)]
struct Holder {
    #[serde(with = "serde_yaml::with::singleton_map_recursive")]
    check: Check,
}

fn judged(yaml: &str, script: &str, shown: &[Stimulus]) -> Finding {
    let holder: Holder = serde_yaml::from_str(&format!("check: {{{yaml}}}")).expect("a check");
    check(&holder.check, &measure(&parse(script), shown, USUAL))
}

/// Asserts that a check accepts the first scripts and rejects the others.
fn assert_check(yaml: &str, right: &[&str], wrong: &[&str]) {
    for (scripts, is_right) in [(right, true), (wrong, false)] {
        for script in scripts {
            let finding = judged(yaml, script, &[]);
            assert_eq!(finding.is_held, is_right, "{yaml}\n  {script}\n  {finding}");
        }
    }
}

const NOD: &str = "pitch down 15 in 0.4; pitch 0 in 0.4";
const STILL: &str = "wait 2";

#[test]
fn moves() {
    assert_check(
        "moves: {axis: head_turn, direction: left}",
        &[
            "turn left 20 in 0.5; turn 0 in 0.5",
            "turn left 6 in 0.5",
            "turn right 20 in 0.5; turn left 20 in 0.5",
        ],
        &[
            "turn right 20 in 0.5; turn 0 in 0.5",
            STILL,
            "turn left 3 in 0.5",
            "body left 20 in 1; body 0 in 1",
            NOD,
        ],
    );
    assert_check(
        "moves: {axis: head_facing, direction: left}",
        &["turn left 20 in 0.5", "body left 20 in 0.5"],
        &["body right 20 in 0.5", "body left 20, turn right 20 in 0.5"],
    );
    assert_check(
        "moves: {axis: body_turn, direction: right, at_least: 38, at_most: 52}",
        &["body right 45 in 1"],
        &["body right 30 in 1", "body right 60 in 1", "body left 45 in 1", "turn right 45 in 1"],
    );
    assert_check(
        "moves: {axis: head_turn, direction: right, at_most: 4}",
        &["turn left 30 in 1"],
        &["turn right 9 in 1"],
    );
    assert_check(
        "moves: {axis: antenna_left, direction: outward}",
        &["left out 30 in 0.4"],
        &["left in 30 in 0.4", "right out 30 in 0.4"],
    );
    assert_check(
        "moves: {axis: head_tilt, direction: left}",
        &["tilt left 12 in 0.4"],
        &["tilt right 12 in 0.4", "turn left 12 in 0.4"],
    );
    assert_check(
        "moves: {axis: head_pitch, direction: up}",
        &["pitch up 12 in 0.4"],
        &["pitch down 12 in 0.4", "rise up 12 in 0.4"],
    );
    assert_check(
        "moves: {axis: head_rise, direction: down}",
        &["rise down 12 in 0.4"],
        &["rise up 12 in 0.4"],
    );
    assert_check(
        "moves: {axis: head_forward, direction: forward}",
        &["forward 12 in 0.4"],
        &["forward back 12 in 0.4"],
    );
    assert_check(
        "moves: {axis: head_side, direction: right}",
        &["side right 12 in 0.4"],
        &["side left 12 in 0.4"],
    );
}

#[test]
fn still() {
    assert_check(
        "still: {parts: [head, antenna_right]}",
        &[
            "left out 60 in 0.5; left 0 in 0.5",
            STILL,
            "body left 40 in 1",
            "body left 40, turn right 40 in 1",
        ],
        &[
            "left out 60, tilt left 6 in 0.5",
            "right out 10 in 0.5",
            "turn left 6 in 0.4; turn 0 in 0.4",
            "rise up 6 in 0.4",
        ],
    );
    assert_check(
        "still: {parts: [antennas]}",
        &[NOD],
        &["left out 8 in 0.3; left 0 in 0.3", "ears out 40 in 0.3"],
    );
    assert_check("still: {parts: [body]}", &["turn left 40 in 1"], &["body left 6 in 0.4"]);
    assert_check("still: {parts: [everything]}", &[STILL], &[NOD, "body left 10 in 1"]);
    assert_check(
        "still: {parts: [head_facing]}",
        &["body left 30, turn right 30 in 1"],
        &["body left 30 in 1"],
    );
}

#[test]
fn swings() {
    assert_check(
        "swings: {axis: head_pitch, direction: down, count: 3}",
        &[
            "3x(pitch down 15 in 0.4; pitch 0 in 0.4)",
            "3x(pitch down 8 in 0.25; pitch up 8 in 0.25); pitch 0 in 0.2",
            "3x(pitch down 20 in 0.3; pitch down 5 in 0.3); pitch 0 in 0.3",
            "3x(pitch down 15 in 0.4; pitch 0 in 0.4; wait 1)",
        ],
        &[
            "2x(pitch down 15 in 0.4; pitch 0 in 0.4)",
            "4x(pitch down 15 in 0.4; pitch 0 in 0.4)",
            "3x(tilt left 15 in 0.4; tilt 0 in 0.4)",
            "3x(pitch up 15 in 0.4; pitch 0 in 0.4)",
            "3x(pitch down 2 in 0.4; pitch 0 in 0.4)",
            STILL,
        ],
    );
    // From side to side, one for each cycle; a return with overshoot is none.
    assert_check(
        "swings: {axis: antenna_right, direction: any, count: 2}",
        &[
            "2x(right out 40 in 0.3; right 0 in 0.3)",
            "2x(right out 30 in 0.3; right in 30 in 0.4); right 0 in 0.3",
            "right out 60 in 0.4; right out 20 in 0.3; right out 60 in 0.3; right in 6 in 0.4; right 0 in 0.2",
            "2x(right in 40 in 0.3; right 0 in 0.3)",
        ],
        &[
            "right out 40 in 0.3; right 0 in 0.3",
            "right out 30 in 0.3; right in 30 in 0.4; right 0 in 0.3",
            "2x(left out 40 in 0.3; left 0 in 0.3)",
            "3x(right out 30 in 0.3; right in 30 in 0.4); right 0 in 0.3",
        ],
    );
    // A swing that does not come back counts; the way back does not.
    assert_check(
        "swings: {axis: head_turn, direction: left, count: 1}",
        &[
            "turn left 30 in 0.5",
            "turn right 20 in 0.5; turn left 20 in 0.8",
            "turn left 15 in 0.5; wait 1; turn left 30 in 0.5; turn 0 in 1",
        ],
        &["turn right 30 in 0.5; turn 0 in 0.5"],
    );
    assert_check(
        "swings: {axis: head_rise, direction: up, at_least: 2, at_most: 3, min_size: 2}",
        &["2x(rise up 4 in 1; rise 0 in 1)", "3x(rise up 4 in 1; rise 0 in 1)"],
        &["rise up 4 in 1; rise 0 in 1", "4x(rise up 4 in 1; rise 0 in 1)"],
    );
}

#[test]
fn peaks_and_trends() {
    assert_check(
        "peaks: {axis: head_rise, direction: down, sizes: [5, 10, 20], tolerance: 2.5}",
        &[
            "rise down 5 in 0.3; rise 0 in 0.3; rise down 10 in 0.4; rise 0 in 0.4; rise down 20 in 0.6; rise 0 in 0.6",
        ],
        &[
            "rise down 20 in 0.6; rise 0 in 0.6; rise down 10 in 0.4; rise 0 in 0.4; rise down 5 in 0.3; rise 0 in 0.3",
            "rise down 5 in 0.3; rise 0 in 0.3; rise down 10 in 0.4; rise 0 in 0.4",
            "rise up 5 in 0.3; rise 0 in 0.3; rise up 10 in 0.4; rise 0 in 0.4; rise up 20 in 0.6; rise 0 in 0.6",
        ],
    );
    let growing = "turn left 8 in 0.3; turn right 8 in 0.3; turn left 16 in 0.4; turn right 16 in 0.4; turn left 30 in 0.5; turn 0 in 0.5";
    let shrinking = "turn left 30 in 0.5; turn right 30 in 0.6; turn left 16 in 0.4; turn right 16 in 0.4; turn left 8 in 0.3; turn 0 in 0.3";
    let even = "3x(turn left 20 in 0.4; turn right 20 in 0.5); turn 0 in 0.4";
    let uneven = "turn left 10 in 0.3; turn 0 in 0.3; turn left 30 in 0.4; turn 0 in 0.4; turn left 20 in 0.4; turn 0 in 0.4";
    let two = "turn left 10 in 0.3; turn 0 in 0.3; turn left 30 in 0.4; turn 0 in 0.4";
    assert_check(
        "growing: {axis: head_turn, direction: any}",
        &[growing],
        &[shrinking, even, uneven, two, STILL],
    );
    assert_check(
        "shrinking: {axis: head_turn, direction: any}",
        &[shrinking],
        &[growing, even, uneven, STILL],
    );
}

#[test]
fn order() {
    let nod_then_left = "pitch down 15 in 0.4; pitch 0 in 0.4; turn left 25 in 0.6; turn 0 in 0.6";
    assert_check(
        "order: {events: [{axis: head_pitch, direction: down}, {axis: head_turn, direction: left}]}",
        &[
            nod_then_left,
            "2x(pitch down 15 in 0.4; pitch 0 in 0.4); turn left 25 in 0.6",
            "pitch down 15 in 0.4; turn left 25 in 0.6",
        ],
        &[
            "turn left 25 in 0.6; turn 0 in 0.6; pitch down 15 in 0.4; pitch 0 in 0.4",
            "pitch down 15, turn left 25 in 0.5; pitch 0, turn 0 in 0.5",
            "pitch down 15 in 0.4; pitch 0 in 0.4; turn right 25 in 0.6; turn 0 in 0.6",
            "turn left 25 in 0.6; turn 0 in 0.6; pitch down 15 in 0.4; pitch 0 in 0.4; turn left 25 in 0.6; turn 0 in 0.6",
            NOD,
            STILL,
        ],
    );
    assert_check(
        "order: {events: [{axis: head_tilt, direction: right}, {axis: head_tilt, direction: left}, {axis: head_tilt, direction: right}]}",
        &["tilt right 15 in 0.4; tilt left 15 in 0.6; tilt right 15 in 0.6; tilt 0 in 0.4"],
        &[
            "tilt left 15 in 0.4; tilt right 15 in 0.6; tilt left 15 in 0.6; tilt 0 in 0.4",
            "tilt right 15 in 0.4; tilt left 15 in 0.6; tilt 0 in 0.4",
        ],
    );
    assert_check(
        "order: {events: [{axis: body_turn, direction: right}, {back: body_turn}, {axis: head_pitch, direction: down}]}",
        &["body right 30 in 0.8; body 0 in 0.8; pitch down 15 in 0.4; pitch 0 in 0.4"],
        &[
            "body right 30 in 0.8; pitch down 15 in 0.4; pitch 0 in 0.4; body 0 in 0.8",
            "body right 30 in 0.8; pitch down 15 in 0.4; pitch 0 in 0.4",
        ],
    );
    assert_check(
        "order: {events: [{signal: sound}, {axis: head_pitch}, {signal: photo}]}",
        &["sound; wait 0.5; pitch down 15 in 0.4; pitch 0 in 0.4; photo"],
        &[
            "photo; wait 0.5; pitch down 15 in 0.4; pitch 0 in 0.4; sound",
            "pitch down 15 in 0.4; pitch 0 in 0.4; sound; wait 0.4; photo",
        ],
    );
}

#[test]
fn overlap_and_apart() {
    let together = "pitch down 15, ears out 40 in 0.4; pitch 0, ears 0 in 0.4";
    let one_by_one = "pitch down 15 in 0.4; pitch 0 in 0.4; ears out 40 in 0.4; ears 0 in 0.4";
    assert_check("overlap: {axes: [head_pitch, antenna_left]}", &[together], &[one_by_one, NOD, STILL]);
    assert_check("apart: {axes: [head_pitch, antenna_left]}", &[one_by_one], &[together, NOD, STILL]);
    let short = "pitch down 15, ears out 40 in 0.2; pitch 0, ears 0 in 0.2";
    let partly = "2x(pitch down 15 in 0.4; pitch 0, ears out 40 in 0.4; ears 0 in 0.4)";
    assert_check("apart: {axes: [head_pitch, antenna_left]}", &[], &[short, partly]);
}

#[test]
fn alternates() {
    assert_check(
        "alternates: {axes: [antenna_left, antenna_right]}",
        &[
            "3x(left out 40 in 0.25; left 0 in 0.25; right out 40 in 0.25; right 0 in 0.25)",
            "3x(left out 40, right 0 in 0.3; left 0, right out 40 in 0.3); right 0 in 0.3",
        ],
        &[
            "3x(ears out 40 in 0.25; ears 0 in 0.25)",
            "2x(left out 40 in 0.25; left 0 in 0.25); 2x(right out 40 in 0.25; right 0 in 0.25)",
            "3x(left out 40 in 0.25; left 0 in 0.25)",
            STILL,
        ],
    );
}

#[test]
fn holds_and_keeps() {
    assert_check(
        "holds: {axis: head_tilt, direction: left, at_least: 1.6, at_most: 3.5}",
        &["tilt left 15 in 0.5; wait 2; tilt 0 in 0.5"],
        &[
            "tilt left 15 in 0.5; wait 0.7; tilt 0 in 0.5",
            "tilt left 15 in 0.5; wait 5; tilt 0 in 0.5",
            "tilt right 15 in 0.5; wait 2; tilt 0 in 0.5",
            STILL,
        ],
    );
    assert_check(
        "keeps: {axis: head_tilt, direction: left, at_least: 5, during: antenna_right}",
        &["tilt left 15 in 0.5; 3x(right out 40 in 0.3; right 0 in 0.3); tilt 0 in 0.5"],
        &[
            "tilt right 15 in 0.5; 3x(right out 40 in 0.3; right 0 in 0.3); tilt 0 in 0.5",
            "tilt left 15 in 0.5; tilt 0 in 0.5; 3x(right out 40 in 0.3; right 0 in 0.3)",
            "tilt left 15 in 0.5; wait 1",
        ],
    );
    assert_check(
        "keeps: {axis: antenna_left, direction: any, at_most: 25, during: head_rise, at_extreme: up}",
        &["left out 90, rise down 10 in 0.5; left 0, rise up 15 in 0.4; wait 1; rise 0, left out 60 in 0.5"],
        &["left out 90, rise up 15 in 0.5; wait 1; rise 0, left 0 in 0.5", STILL],
    );
}

#[test]
fn ends() {
    assert_check(
        "ends: {axes: [head_pitch, antenna_left], at: neutral}",
        &[NOD, STILL, "left out 10 in 0.3"],
        &["pitch down 15 in 0.4", "left out 40 in 0.4"],
    );
    assert_check(
        "ends: {axes: [body_turn], at: away, direction: left, at_least: 80}",
        &["body left 90 in 2"],
        &["body left 90 in 2; body 0 in 2", "body right 90 in 2", "body left 60 in 2"],
    );
}

#[test]
fn times() {
    assert_check(
        "takes: {axis: body_turn, direction: left, leg: there, at_least: 3.4, at_most: 6}",
        &["body left 40 in 5", "body left 40 in 5; wait 1; body 0 in 1"],
        &["body left 40 in 2; wait 3", "body left 40 in 9", "body right 40 in 5", STILL],
    );
    assert_check(
        "takes: {axis: antenna_left, direction: any, nth: 2, leg: swing, at_least: 1.3, at_most: 3}",
        &["left out 40 in 0.2; left 0 in 0.2; wait 0.2; left out 40 in 1; left 0 in 1"],
        &[
            "left out 40 in 1; left 0 in 1; wait 0.2; left out 40 in 0.2; left 0 in 0.2",
            "left out 40 in 1; left 0 in 1",
        ],
    );
    assert_check(
        "takes: {axis: head_pitch, direction: down, leg: back, at_most: 1}",
        &["pitch down 20 in 3; wait 2; pitch 0 in 0.4"],
        &["pitch down 20 in 0.4; wait 2; pitch 0 in 3", "pitch down 20 in 0.4"],
    );
    assert_check(
        "duration: {of: motion, at_least: 3, at_most: 5}",
        &["wait 3; 4x(ears out 40 in 0.5; ears 0 in 0.5)"],
        &["2x(ears out 40 in 0.5; ears 0 in 0.5); wait 2", "wait 4"],
    );
    assert_check("duration: {of: run, at_least: 3, at_most: 5}", &["wait 4"], &["wait 2", "wait 6"]);
    assert_check(
        "period: {axis: antenna_left, direction: any, at_least: 0.85, at_most: 1.15}",
        &[
            "5x(left out 40 in 0.25; left 0 in 0.25; wait 0.5)",
            "5x(left out 40 in 0.5; left in 40 in 0.5); left 0 in 0.2",
        ],
        &[
            "5x(left out 40 in 0.3; left 0 in 0.3)",
            "5x(left out 40 in 0.8; left 0 in 0.8)",
            "left out 40 in 0.5; left 0 in 0.5",
        ],
    );
    let faster = "pitch down 15 in 0.7; pitch 0 in 0.7; pitch down 15 in 0.5; pitch 0 in 0.5; pitch down 15 in 0.3; pitch 0 in 0.3; pitch down 15 in 0.2; pitch 0 in 0.2";
    let slower = "pitch down 15 in 0.2; pitch 0 in 0.2; pitch down 15 in 0.3; pitch 0 in 0.3; pitch down 15 in 0.5; pitch 0 in 0.5; pitch down 15 in 0.7; pitch 0 in 0.7";
    let even = "4x(pitch down 15 in 0.4; pitch 0 in 0.4)";
    assert_check("faster: {axis: head_pitch, direction: down}", &[faster], &[slower, even, NOD]);
    assert_check("slower: {axis: head_pitch, direction: down}", &[slower], &[faster, even, NOD]);
}

#[test]
fn rests() {
    let with_rest =
        "pitch down 15 in 0.35; pitch 0 in 0.35; wait 1.5; pitch down 15 in 0.35; pitch 0 in 0.35";
    assert_check(
        "pauses: {axis: head_pitch, direction: down, at_least: 1.2, at_most: 2.2}",
        &[with_rest],
        &[
            "2x(pitch down 15 in 0.35; pitch 0 in 0.35)",
            "pitch down 15 in 0.35; pitch 0 in 0.35; wait 3; pitch down 15 in 0.35; pitch 0 in 0.35",
            NOD,
        ],
    );
    assert_check(
        "waits: {after: {axis: head_turn, direction: left}, before: {axis: head_turn, direction: right}, at_least: 1.6, at_most: 3}",
        &[
            "turn left 20 in 0.5; wait 2; turn right 20 in 0.8; turn 0 in 0.5",
            "turn left 20 in 0.5; turn 0 in 0.5; wait 2; turn right 20 in 0.5",
        ],
        &[
            "turn left 20 in 0.5; turn right 20 in 0.8; wait 2; turn 0 in 0.5",
            "turn right 20 in 0.5; wait 2; turn left 20 in 0.8",
            "turn left 20 in 0.5; 3x(pitch down 15 in 0.4; pitch 0 in 0.4); turn right 20 in 0.8",
        ],
    );
}

fn shown(kind: StimulusKind, times: &[(f64, f64)]) -> Vec<Stimulus> {
    times.iter().map(|&(from, to)| Stimulus { kind, from, to, side: None }).collect()
}

#[test]
fn reactions() {
    let reacts = "reacts: {to: face, with: {axis: antenna_left}, within: 2}";
    let face = shown(StimulusKind::Face, &[(3.0, 6.0)]);
    let again = shown(StimulusKind::Face, &[(3.0, 6.0), (12.0, 15.0)]);
    let once = "wait 3.5; 3x(left out 40 in 0.4; left 0 in 0.4); wait 10";
    assert!(judged(reacts, once, &face).is_held);
    assert!(!judged(reacts, once, &again).is_held, "the second face");
    assert!(!judged(reacts, once, &[]).is_held, "no face");
    assert!(!judged(reacts, once, &shown(StimulusKind::Voice, &[(3.0, 6.0)])).is_held, "a voice");
    assert!(!judged(reacts, "wait 5.5; left out 40 in 0.4; left 0 in 0.4", &face).is_held, "too late");
    assert!(!judged(reacts, "left out 40 in 0.4; left 0 in 0.4; wait 5", &face).is_held, "too early");
    assert!(
        !judged(reacts, "wait 3.5; right out 40 in 0.4; right 0 in 0.4", &face).is_held,
        "the wrong part"
    );
    let to_the_end = "reacts: {to: face, at: end, with: {axis: antenna_left}, within: 2}";
    assert!(judged(to_the_end, "wait 6.5; left out 40 in 0.4; left 0 in 0.4", &face).is_held);
    let early = "wait 3.5; left out 40 in 0.4; left 0 in 0.4; wait 5";
    assert!(!judged(to_the_end, early, &face).is_held, "before the end");
    let waving = "wait 3.5; 15x(left out 40 in 0.4; left 0 in 0.4)";
    assert!(judged(reacts, waving, &again).is_held, "waves still when the face comes again");
    assert!(
        judged("reacts: {to: face, with: {signal: speech}, within: 2}", "wait 4; say Hello; wait 3", &face)
            .is_held
    );

    let before = "quiet: {when: before}";
    let after = "quiet: {when: after, grace: 2}";
    assert!(judged(before, once, &face).is_held);
    assert!(!judged(before, "wait 1; left out 40 in 0.4; left 0 in 0.4; wait 5", &face).is_held);
    assert!(judged(after, once, &face).is_held);
    assert!(judged(after, "wait 4", &face).is_held, "the run ends before");
    assert!(!judged(after, waving, &face).is_held);
    assert!(judged("quiet: {when: throughout, parts: [antennas]}", NOD, &[]).is_held);
    assert!(!judged("quiet: {when: throughout, parts: [antennas]}", once, &[]).is_held);
}

#[test]
fn signals() {
    assert_check(
        "sound: {count: 2}",
        &["sound; wait 1; sound"],
        &["sound", "sound; wait 1; sound; wait 1; sound", "photo; wait 1; photo"],
    );
    assert_check("photo: {at_least: 1}", &["photo", "photo; wait 1; photo"], &["sound", STILL]);
    assert_check("speech: {count: 0}", &["sound"], &["say hello"]);
    assert_check(
        "sound: {count: 3, min_interval: 1.7, max_interval: 5}",
        &["sound; wait 2; sound; wait 2; sound"],
        &[
            "sound; wait 0.5; sound; wait 2; sound",
            "sound; wait 2; sound; wait 8; sound",
            "sound; wait 2; sound",
        ],
    );
    assert_check(
        "says: {contains: [hello]}",
        &["say Hello there", "say oh; wait 1; say well, hello"],
        &["say good morning", STILL],
    );
}

#[test]
fn either() {
    assert_check(
        "either: [[moves: {axis: head_rise, direction: up}, sound: {count: 1}], [moves: {axis: head_pitch, direction: up}]]",
        &["sound; rise up 12 in 0.4", "pitch up 12 in 0.4"],
        &["rise up 12 in 0.4", "pitch down 12 in 0.4", "sound"],
    );
}

#[test]
fn effects() {
    let of = |yaml: &str, from: &str, to: &str| {
        let yaml = format!("{{{yaml}, from: default, to: a}}");
        let data: Effect = serde_yaml::from_str(&yaml).expect("an effect");
        effect(&data, &trace(from), &trace(to))
    };
    let slow = "2x(pitch down 15 in 0.8; pitch 0 in 0.8)";
    let fast = "2x(pitch down 15 in 0.4; pitch 0 in 0.4)";
    let large = "2x(pitch down 25 in 0.4; pitch 0 in 0.4)";
    assert!(of("measure: duration, at_least: 1.2", fast, slow).is_held);
    assert!(!of("measure: duration, at_least: 1.2", slow, fast).is_held);
    assert!(!of("measure: duration, at_least: 1.2", fast, fast).is_held);
    assert!(!of("measure: duration, at_most: 0.9", STILL, fast).is_held);
    assert!(of("measure: size, axis: head_pitch, at_least: 1.3", fast, large).is_held);
    assert!(!of("measure: size, axis: head_pitch, at_least: 1.3", fast, slow).is_held);
    assert!(of("measure: speed, axis: head_pitch, at_least: 1.5", slow, fast).is_held);
    assert!(of("measure: swings, axis: head_pitch, at_least: 1.9, at_most: 2.1", NOD, fast).is_held);
}

#[test]
fn findings_say_what_was_measured() {
    let finding = judged(
        "swings: {axis: antenna_right, direction: any, count: 3}",
        "right out 40 in 0.4; right 0 in 0.4",
        &[],
    );
    assert_eq!(finding.to_string(), "expected 3 swings of right antenna in any direction, measured 1");
    let finding = judged("moves: {axis: head_turn, direction: left}", "turn right 20 in 0.5", &[]);
    assert!(
        finding.to_string().starts_with("expected head turn left by at least 5 deg, measured 0."),
        "{finding}"
    );
}

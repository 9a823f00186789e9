//! Expectations on traces with lag, noise and sag: right motions hold, wrong ones don't.

use super::*;
use crate::axis::AxisValues;
use crate::compile::{Arguments, Setting, compile};
use crate::read::read;
use crate::simulate::simulate;
use crate::stimuli::{EventSpan, Stimuli};

/// A small generator of noise, so that each run measures the same.
struct Noise(u64);

impl Noise {
    /// Returns a number between -1 and 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(u32::MAX >> 1) - 1.0
    }
}

fn events_of(names: &[(Event, f64, f64)]) -> Stimuli {
    let span =
        |(event, from, to): &(Event, f64, f64)| EventSpan { event: event.clone(), from: *from, to: *to };
    Stimuli::new(names.iter().map(span).collect())
}

/// Returns the trace of steps as a rehearsal measures it: lag, 0.5 degrees of noise, and a head that sags.
fn trace_with(steps: &str, events: &[(Event, f64, f64)], seed: u64) -> MotionTrace {
    let source = format!(
        "from reachy_mini import ReachyMini\nfrom motion import antennas, body, clap, face, head, neutral, perform, \
         ramp, repeat, sequence, sound, together, until, wait, when, whenever\n\n\ndef t(robot: ReachyMini) -> \
         str:\n    \"\"\"Moves.\"\"\"\n    return perform(robot, {steps})\n"
    );
    let score = read(&source).unwrap_or_else(|error| panic!("{steps}: {error}"));
    let stimuli = events_of(events);
    let setting = Setting { stimuli: stimuli.clone(), ..Setting::default() };
    let mut trace = simulate(&compile(&score, &Arguments::new(), &setting).unwrap(), &stimuli);
    let mut noise = Noise(seed);
    for sample in &mut trace.samples {
        *sample = AxisValues::from_fn(|axis| {
            let sag = if axis == Axis::HeadPitch { 0.3 } else { 0.0 };
            sample[axis] + sag + 0.5 * noise.next()
        });
    }
    trace
}

fn trace(steps: &str) -> MotionTrace {
    trace_with(steps, &[], 7)
}

/// Reads an expectation as it is in a file.
fn expect(json: &str) -> Expect {
    let expect: Expect = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
    assert_eq!(serde_json::from_str::<Expect>(&serde_json::to_string(&expect).unwrap()).unwrap(), expect);
    Expects(vec![expect.clone()]).check().unwrap();
    expect
}

/// Checks an expectation on traces with different noise.
fn check(steps: &str, json: &str, is_held: bool) {
    for seed in 1..6 {
        let measured = measure(&expect(json), &trace_with(steps, &[], seed));
        assert_eq!(measured.held, is_held, "{steps} {json}: {measured:?}");
    }
}

const NOD: &str = "repeat(3, head(down=15, seconds=0.4), head(down=0, seconds=0.4))";
const FAST_NOD: &str = "repeat(5, head(down=15, seconds=0.25), head(down=0, seconds=0.25))";
const SHAKE: &str = "repeat(2, head(left=25), head(right=25)), head()";
const WIGGLE: &str = "repeat(4, antennas(both=40), antennas(both=0)), antennas()";
const SALUTE: &str = "antennas(left=62), wait(1), antennas()";
const ALTERNATE: &str =
    "repeat(3, antennas(left=50, right_inward=10), antennas(left_inward=10, right=50)), antennas()";
const OVERSHOOT: &str = "repeat(3, head(left=40, easing='cartoon', seconds=1), wait(0.3), \
                         head(easing='cartoon', seconds=1), wait(0.3))";
const SLOW: &str = "body(left=20, seconds=8), body(seconds=8)";
const OFFSET_NOD: &str = "head(up=25), repeat(3, head(up=13), head(up=25)), head()";

#[test]
fn swings_are_counted_by_direction() {
    for (steps, axis, direction, count) in [
        (NOD, "head_pitch", "\"down\"", 3),
        (NOD, "head_pitch", "\"up\"", 0),
        (NOD, "head_pitch", "null", 3),
        (NOD, "head_turn", "null", 0),
        (FAST_NOD, "head_pitch", "null", 5),
        (FAST_NOD, "head_pitch", "\"down\"", 5),
        (SHAKE, "head_turn", "\"left\"", 2),
        (SHAKE, "head_turn", "\"right\"", 2),
        (SHAKE, "head_turn", "null", 2),
        (WIGGLE, "antenna_left", "\"outward\"", 4),
        (WIGGLE, "antenna_right", "null", 4),
        (SALUTE, "antenna_left", "\"outward\"", 1),
        (SALUTE, "antenna_left", "null", 1),
        (SALUTE, "antenna_right", "null", 0),
        (OVERSHOOT, "head_turn", "\"left\"", 3),
        (OVERSHOOT, "head_turn", "\"right\"", 0),
        (SLOW, "body_turn", "\"left\"", 1),
        (SLOW, "body_turn", "null", 1),
        (OFFSET_NOD, "head_pitch", "null", 3),
        (OFFSET_NOD, "head_pitch", "\"down\"", 3),
        ("head(left=20)", "head_turn", "\"left\"", 1),
        ("head(left=20), wait(1), head(left=40), wait(1), head()", "head_turn", "null", 1),
        ("repeat(6, antennas(left=ramp(20, 70)), antennas())", "antenna_left", "\"outward\"", 6),
        ("repeat(2, head(rise_mm=15), head())", "head_rise", "\"up\"", 2),
        ("antennas(both=60), antennas(both_inward=40), antennas()", "antenna_left", "\"inward\"", 1),
        ("antennas(both=60), antennas(both_inward=40), antennas()", "antenna_left", "\"outward\"", 1),
        (
            "repeat(10, antennas(both=30, seconds=0.15), antennas(both=0, seconds=0.15))",
            "antenna_left",
            "null",
            10,
        ),
    ] {
        let json = |count: usize| {
            format!("{{\"kind\":\"swings\",\"axis\":\"{axis}\",\"direction\":{direction},\"count\":{count}}}")
        };
        check(steps, &json(count), true);
        check(steps, &json(count + 1), false);
    }
}

#[test]
fn reach_and_stillness_are_measured() {
    let moves = |axis: &str, direction: &str, least: f64, most: f64| {
        format!(
            "{{\"kind\":\"moves\",\"axis\":\"{axis}\",\"direction\":\"{direction}\",\"at_least\":{least},\"at_most\":{most}}}"
        )
    };
    check(SALUTE, &moves("antenna_left", "outward", 58.0, 66.0), true);
    check(SALUTE, &moves("antenna_left", "outward", 70.0, 74.0), true);
    check(SALUTE, &moves("antenna_left", "outward", 76.0, 90.0), false);
    check(SALUTE, &moves("antenna_left", "outward", 20.0, 40.0), false);
    check(SALUTE, &moves("antenna_left", "inward", 5.0, 90.0), false);
    // The antenna rests 10 degrees inward, which is no movement.
    check(SALUTE, &moves("antenna_right", "inward", 5.0, 90.0), false);
    check("antennas(both_inward=30), antennas()", &moves("antenna_right", "inward", 17.0, 22.0), true);
    check(NOD, &moves("head_pitch", "down", 12.0, 16.0), true);
    check(NOD, &moves("head_pitch", "up", 2.0, 16.0), false);
    check(SHAKE, &moves("head_turn", "right", 20.0, 27.0), true);
    check("head(side_left_mm=12)", &moves("head_side", "left", 11.0, 13.0), true);
    check("head(side_left_mm=12)", &moves("head_side", "right", 11.0, 13.0), false);
    check(
        SALUTE,
        r#"{"kind":"still","axes":["head_turn","head_pitch","head_tilt","antenna_right"],"within":1.5}"#,
        true,
    );
    check(SALUTE, r#"{"kind":"still","axes":["antenna_right","antenna_left"],"within":1.5}"#, false);
    check("head(left=3)", r#"{"kind":"still","axes":["head_turn"],"within":1.5}"#, false);
}

#[test]
fn amounts_within_the_tolerance_say_so() {
    for (least, held, says_so) in [(10.0, true, false), (12.7, true, true), (14.0, false, false)] {
        let json = format!(r#"{{"kind":"moves","axis":"head_side","direction":"left","at_least":{least}}}"#);
        let measured = measure(&expect(&json), &trace_with("head(side_left_mm=12)", &[], 1));
        let found = measured.measured.contains("within the tolerance of 1.0 mm");
        assert_eq!((measured.held, found), (held, says_so), "{measured:?}");
    }
}

#[test]
fn order_and_simultaneity_are_told_apart() {
    let actions = |kind: &str, list: &[(&str, &str)]| {
        let one = |(axis, direction): &(&str, &str)| {
            format!("{{\"move\":{{\"axes\":[\"{axis}\"],\"direction\":{direction}}}}}")
        };
        let list: Vec<String> = list.iter().map(one).collect();
        format!("{{\"kind\":\"{kind}\",\"actions\":[{}]}}", list.join(","))
    };
    let (left, right) = (("head_turn", "\"left\""), ("head_turn", "\"right\""));
    check("head(left=20), head(right=20), head()", &actions("order", &[left, right]), true);
    check("head(left=20), head(right=20), head()", &actions("order", &[right, left]), false);
    check(
        "head(left=20), head(right=20), head(left=20), head()",
        &actions("order", &[left, right, left]),
        true,
    );
    check("head(left=20), head(right=20), head()", &actions("order", &[left, right, left]), false);
    let (pitch, antenna) = (("head_pitch", "null"), ("antenna_left", "null"));
    let one_after_the_other = format!("{NOD}, {WIGGLE}");
    let both = format!("together({NOD}, sequence({WIGGLE}))");
    check(&one_after_the_other, &actions("order", &[pitch, antenna]), true);
    check(&one_after_the_other, &actions("order", &[antenna, pitch]), false);
    check(&both, &actions("order", &[pitch, antenna]), false);
    check(&both, &actions("together", &[pitch, antenna]), true);
    check(&one_after_the_other, &actions("together", &[pitch, antenna]), false);
    check(&one_after_the_other, &actions("apart", &[pitch, antenna]), true);
    check(&both, &actions("apart", &[pitch, antenna]), false);
    let (out_left, out_right) = (("antenna_left", "\"outward\""), ("antenna_right", "\"outward\""));
    check(ALTERNATE, &actions("apart", &[out_left, out_right]), true);
    check(ALTERNATE, &actions("together", &[out_left, out_right]), false);
    check(WIGGLE, &actions("together", &[out_left, out_right]), true);
    // Short movements: the joint still approaches its goal when the next one begins.
    for seconds in ["0.15", "0.2", "0.3"] {
        let flicks = format!("antennas(left=50, seconds={seconds}), antennas(right=50, seconds={seconds})");
        check(&flicks, &actions("order", &[out_left, out_right]), true);
        check(&flicks, &actions("order", &[out_right, out_left]), false);
    }
    check("antennas(both=50, seconds=0.2)", &actions("order", &[out_left, out_right]), false);
    check(SALUTE, &actions("together", &[out_left, out_right]), false);
    let alternates = r#"{"kind":"alternates","axes":["antenna_left","antenna_right"]}"#;
    check(ALTERNATE, alternates, true);
    check(WIGGLE, alternates, false);
    check(SALUTE, alternates, false);
    let sound_first = r#"{"kind":"order","actions":["sound",{"move":{"axes":["head_turn"]}}]}"#;
    check("sound('a.wav'), wait(0.5), head(left=20)", sound_first, true);
    check("head(left=20), sound('a.wav')", sound_first, false);
    let back_first = r#"{"kind":"order","actions":[{"move":{"axes":["antenna_left","antenna_right"],"back":true}},{"move":{"axes":["head_pitch"]}}]}"#;
    check("antennas(both=60), antennas(), head(down=20)", back_first, true);
    check("antennas(both=60), head(down=20), antennas()", back_first, false);
}

#[test]
fn one_of_several_readings_is_enough() {
    let either = r#"{"kind":"either","of":[[{"kind":"moves","axis":"head_rise","direction":"up","at_least":5}],
        [{"kind":"moves","axis":"head_pitch","direction":"up","at_least":5},{"kind":"still","axes":["head_rise"],"within":2}]]}"#;
    check("head(rise_mm=10), head()", either, true);
    check("head(up=20), head()", either, true);
    check("head(down=20), head()", either, false);
    let expects = Expects(vec![expect(either)]);
    assert_eq!(summary(&expects.measure(&trace("head(rise_mm=15), head()"))), "head 15 mm up and back");
    let any = r#"{"kind":"moves","axis":"head_turn","at_least":15,"at_most":25}"#;
    check("head(right=20)", any, true);
    check("head(right=40)", any, false);
    check("head(up=20)", any, false);
    let no_more = r#"{"kind":"moves","axis":"head_turn","direction":"left","at_least":0,"at_most":10}"#;
    check("head(left=9)", no_more, true);
    check("wait(1)", no_more, true);
    check("head(left=20)", no_more, false);
    check(NOD, r#"{"kind":"swings","axis":"head_pitch","at_least":2,"at_most":3}"#, true);
    check(NOD, r#"{"kind":"swings","axis":"head_pitch","at_least":4}"#, false);
}

#[test]
fn times_are_measured() {
    check(SALUTE, r#"{"kind":"holds","axis":"antenna_left","direction":"outward","seconds":1}"#, true);
    check(SALUTE, r#"{"kind":"holds","axis":"antenna_left","direction":"outward","seconds":2}"#, false);
    check(NOD, r#"{"kind":"holds","axis":"head_pitch","direction":"down","seconds":0.6}"#, false);
    check(NOD, r#"{"kind":"duration","at_least":2,"at_most":3}"#, true);
    check(NOD, r#"{"kind":"duration","at_least":4}"#, false);
    check(NOD, r#"{"kind":"duration","at_most":1.5}"#, false);
    check("head(left=20), head(), wait(4)", r#"{"kind":"duration","at_least":5,"at_most":6}"#, true);
    check(NOD, r#"{"kind":"period","axis":"head_pitch","seconds":0.8,"tolerance":0.1}"#, true);
    check(NOD, r#"{"kind":"period","axis":"head_pitch","seconds":1.2,"tolerance":0.1}"#, false);
    check(SALUTE, r#"{"kind":"period","axis":"antenna_left","seconds":1,"tolerance":0.5}"#, false);
    check(SHAKE, r#"{"kind":"period","axis":"head_turn","seconds":3.33,"tolerance":0.2}"#, true);
    check(SALUTE, r#"{"kind":"pauses","seconds":1}"#, true);
    check(SALUTE, r#"{"kind":"pauses","seconds":2}"#, false);
    check("head(left=20), wait(0.5), body(left=20)", r#"{"kind":"pauses","seconds":0.5}"#, true);
    check("head(left=20), body(left=20)", r#"{"kind":"pauses","seconds":0.5}"#, false);
    check(NOD, r#"{"kind":"pauses","seconds":0.5}"#, false);
    check("head(left=20), wait(1), head(left=40)", r#"{"kind":"pauses","seconds":1}"#, true);
}

#[test]
fn growth_and_ends_are_measured() {
    let growing = "repeat(4, head(left=ramp(8, 30)), head(right=ramp(8, 30))), head()";
    let shrinking = "repeat(4, antennas(both=ramp(70, 20)), antennas())";
    check(growing, r#"{"kind":"grows","axis":"head_turn"}"#, true);
    check(growing, r#"{"kind":"shrinks","axis":"head_turn"}"#, false);
    check(shrinking, r#"{"kind":"shrinks","axis":"antenna_right"}"#, true);
    check(shrinking, r#"{"kind":"grows","axis":"antenna_right"}"#, false);
    check(NOD, r#"{"kind":"grows","axis":"head_pitch"}"#, false);
    check(NOD, r#"{"kind":"shrinks","axis":"head_pitch"}"#, false);
    let quicker = "repeat(5, head(down=15, seconds=ramp(0.8, 0.3)), head(down=0, seconds=ramp(0.8, 0.3)))";
    check(quicker, r#"{"kind":"quicker","axis":"head_pitch"}"#, true);
    check(quicker, r#"{"kind":"slower","axis":"head_pitch"}"#, false);
    check(NOD, r#"{"kind":"quicker","axis":"head_pitch"}"#, false);
    check(NOD, r#"{"kind":"slower","axis":"head_pitch"}"#, false);
    check(NOD, r#"{"kind":"ends","at":"neutral"}"#, true);
    check("head(left=20)", r#"{"kind":"ends","at":"neutral"}"#, false);
    let left = |amount| {
        format!(
            "{{\"kind\":\"ends\",\"at\":{{\"axis\":{{\"axis\":\"head_turn\",\"direction\":\"left\",\"amount\":{amount}}}}}}}"
        )
    };
    check("head(left=20)", &left(20), true);
    check("head(right=20)", &left(20), false);
    check("head(left=20)", &left(40), false);
    check("sound('a.wav'), sound('a.wav')", r#"{"kind":"sounds","count":2}"#, true);
    check("sound('a.wav')", r#"{"kind":"sounds","count":2}"#, false);
    check("wait(1)", r#"{"kind":"photos","count":1}"#, false);
    check(
        "wait(1)",
        r#"{"kind":"parameter","name":"n","value":0,"expect":{"kind":"photos","count":0}}"#,
        true,
    );
}

#[test]
fn reactions_are_measured_with_and_without_their_event() {
    let wave = "whenever(face(), repeat(2, antennas(both=60), antennas()), seconds=10)";
    let reacts = expect(r#"{"kind":"reacts","event":"face","within":1,"axis":"antenna_left"}"#);
    let quiet = expect(r#"{"kind":"quiet_without","event":"face"}"#);
    let swings = expect(r#"{"kind":"swings","axis":"antenna_right","direction":"outward","count":2}"#);
    let expects = Expects(vec![reacts.clone(), quiet, swings]);
    assert_eq!(expects.events(), BTreeSet::from([Event::Face]));
    let face = [(Event::Face, 3.0, 3.5)];
    let (without, with) = (trace(wave), trace_with(wave, &face, 3));
    let runs = Runs { with_event: vec![(Event::Face, &with)], ..Runs::only(&without) };
    let measured = expects.measure_runs(&runs);
    assert!(measured.iter().all(|one| one.held), "{measured:?}");
    // A wave that doesn't wait, and one that waits too long.
    let blind = "repeat(2, antennas(both=60), antennas())";
    let blind_runs = (trace(blind), trace_with(blind, &face, 3));
    let runs = Runs { with_event: vec![(Event::Face, &blind_runs.1)], ..Runs::only(&blind_runs.0) };
    let held: Vec<bool> = expects.measure_runs(&runs).iter().map(|one| one.held).collect();
    assert_eq!(held, [false, false, true]);
    let late = "when(face(), wait(3), antennas(both=60), antennas(), within=9)";
    let measured = measure(&reacts, &trace_with(late, &face, 3));
    assert!(!measured.held && measured.measured.contains("seconds after a face"), "{measured:?}");
    let thing = expect(r#"{"kind":"reacts","event":{"thing":"cup"},"within":1}"#);
    assert!(measure(&thing, &with).measured.contains("there was not the thing \"cup\""));
    // Without the call, nothing of what depends on it is shown.
    let measured = expects.measure_runs(&Runs::only(&without));
    let shown: Vec<(bool, bool)> = measured.iter().map(|one| (one.held, one.is_measured())).collect();
    assert_eq!(shown, [(false, false), (true, true), (false, false)], "{measured:?}");
    // A call that is over before the event.
    let short = measure(&reacts, &trace_with("wait(1)", &face, 3));
    assert!(short.is_measured() && !short.held, "{short:?}");
    assert_eq!(short.measured, "the call ends before there is a face");
}

#[test]
fn parameters_are_measured_on_their_own_call() {
    let json = r#"{"kind":"parameter","name":"n","value":5,"expect":{"kind":"swings","axis":"head_pitch","count":5}}"#;
    let expects = Expects(vec![expect(json)]);
    assert_eq!(expects.parameter_calls(), [("n".to_owned(), 5.0)]);
    let (default, five) = (trace(NOD), trace(FAST_NOD));
    let runs = Runs { with_parameter: vec![("n".to_owned(), 5.0, &five)], ..Runs::only(&default) };
    assert!(expects.measure_runs(&runs)[0].held);
    let runs = Runs { with_parameter: vec![("n".to_owned(), 5.0, &default)], ..Runs::only(&default) };
    assert_eq!(expects.measure_runs(&runs)[0].measured, "with n = 5: 3 swings of the head pitch");
    assert!(expects.measure_runs(&Runs::only(&default))[0].measured.contains("no call with n = 5"));
}

#[test]
fn summary_is_a_line_for_people() {
    let salute = Expects(vec![
        expect(r#"{"kind":"swings","axis":"antenna_left","direction":"outward","count":1}"#),
        expect(r#"{"kind":"moves","axis":"antenna_left","direction":"outward","at_least":50}"#),
        expect(
            r#"{"kind":"still","axes":["head_turn","head_pitch","head_tilt","head_forward","head_side","head_rise"],"within":1.5}"#,
        ),
    ]);
    let line = summary(&salute.measure(&trace(SALUTE)));
    assert!(
        line.starts_with("left antenna 62") && line.contains(" degrees outward and back, once; head still ("),
        "{line}"
    );
    let wiggle = Expects(vec![
        expect(r#"{"kind":"moves","axis":"antenna_left","direction":"outward","at_least":30}"#),
        expect(r#"{"kind":"moves","axis":"antenna_right","direction":"outward","at_least":30}"#),
        expect(r#"{"kind":"swings","axis":"antenna_left","count":4}"#),
        expect(r#"{"kind":"swings","axis":"antenna_right","count":4}"#),
        expect(r#"{"kind":"ends","at":"neutral"}"#),
        expect(r#"{"kind":"swings","axis":"head_pitch","count":2}"#),
    ]);
    let line = summary(&wiggle.measure(&trace(WIGGLE)));
    assert!(
        line.starts_with("both antennas ") && line.contains("outward and back, 4 times; ends in neutral"),
        "{line}"
    );
    assert!(
        line.ends_with("expected 2 swings of the head pitch, measured 0 swings of the head pitch"),
        "{line}"
    );
    assert_eq!(summary(&[]), "");
}

#[test]
fn expectations_from_outside_are_checked() {
    for (json, expected) in [
        (
            r#"{"kind":"moves","axis":"head_pitch","direction":"left","at_least":5}"#,
            "the head pitch moves down or up, not left",
        ),
        (r#"{"kind":"moves","axis":"head_turn","direction":"left","at_least":-5}"#, "no usable amount"),
        (r#"{"kind":"still","axes":[],"within":1}"#, "0 entries"),
        (r#"{"kind":"order","actions":["sound"]}"#, "1 entries"),
        (r#"{"kind":"duration"}"#, "no bound"),
        (r#"{"kind":"swings","axis":"head_turn"}"#, "no number"),
        (
            r#"{"kind":"parameter","name":"n","value":1,"expect":{"kind":"parameter","name":"n","value":1,"expect":{"kind":"photos","count":1}}}"#,
            "inside another one",
        ),
    ] {
        let expects: Expects = serde_json::from_str(&format!("[{json}]")).unwrap();
        let error = expects.check().unwrap_err();
        assert!(error.contains(expected), "{json}: {error}");
        // It is measured all the same, without a panic.
        let _ = expects.measure(&trace("wait(1)"));
    }
    for json in [
        r#"{"kind":"moves","axis":"head_pitch","direction":"down"}"#,
        r#"{"kind":"moves","axis":"head_pitch","direction":"down","at_least":5,"sign":1}"#,
        r#"{"kind":"dances"}"#,
        r#"{"kind":"still","axes":["neck"],"within":1}"#,
    ] {
        assert!(serde_json::from_str::<Expect>(json).is_err(), "{json}");
    }
}

#[test]
fn strange_traces_are_measured_without_a_panic() {
    let all: Vec<Expect> = [
        r#"{"kind":"moves","axis":"head_turn","direction":"left","at_least":5}"#,
        r#"{"kind":"still","axes":["head_turn"],"within":1}"#,
        r#"{"kind":"swings","axis":"head_turn","count":1}"#,
        r#"{"kind":"order","actions":[{"move":{"axes":["head_turn"]}},{"move":{"axes":["head_tilt"]}}]}"#,
        r#"{"kind":"together","actions":[{"move":{"axes":["head_turn"]}},{"move":{"axes":["head_tilt"]}}]}"#,
        r#"{"kind":"holds","axis":"head_turn","direction":"left","seconds":1}"#,
        r#"{"kind":"ends","at":"neutral"}"#,
        r#"{"kind":"duration","at_least":1}"#,
        r#"{"kind":"period","axis":"head_turn","seconds":1,"tolerance":0.1}"#,
        r#"{"kind":"pauses","seconds":1}"#,
        r#"{"kind":"grows","axis":"head_turn"}"#,
        r#"{"kind":"reacts","event":"clap","within":1}"#,
        r#"{"kind":"quiet_without","event":"clap"}"#,
    ]
    .map(expect)
    .to_vec();
    let with = |value: f64, count: usize, period: f64| MotionTrace {
        period,
        samples: vec![AxisValues::from_fn(|_| value); count],
        ..MotionTrace::default()
    };
    let jumps = (0..100).map(|index| AxisValues::from_fn(|_| if index % 2 == 0 { 1e300 } else { -1e300 }));
    for trace in [
        with(0.0, 0, 0.02),
        with(0.0, 1, 0.02),
        with(f64::NAN, 50, 0.02),
        with(f64::INFINITY, 50, 0.02),
        with(5.0, 50, f64::NAN),
        with(5.0, 50, 0.0),
        with(5.0, 50, -1.0),
        MotionTrace { period: 0.02, samples: jumps.collect(), ..MotionTrace::default() },
    ] {
        let _ = summary(&Expects(all.clone()).measure(&trace));
    }
}

#[test]
fn likely_expectation_that_does_not_hold_is_only_not_shown() {
    let nods = |count: usize| {
        format!("{{\"kind\":\"swings\",\"axis\":\"head_pitch\",\"direction\":\"down\",\"count\":{count}}}")
    };
    let likely = |count: usize| expect(&format!("{{\"kind\":\"likely\",\"expect\":{}}}", nods(count)));
    let trace = trace(NOD);
    let certain = measure(&expect(&nods(4)), &trace);
    assert!(!certain.held && certain.is_measured());
    for measured in [measure(&likely(4), &trace), Expects(vec![likely(4)]).measure(&trace).remove(0)] {
        assert!(!measured.held && !measured.is_measured(), "{measured:?}");
        assert_eq!(measured.expected, certain.expected);
    }
    assert!(measure(&likely(3), &trace).held);
    let nested = Expect::Likely { expect: Box::new(likely(3)) };
    assert!(Expects(vec![nested]).check().is_err());
}

#[test]
fn measurement_names_the_time_at_which_the_motion_shows_it() {
    let samples = |index: i32| {
        let mut values = AxisValues::neutral();
        values[Axis::BodyTurn] = f64::from(if index < 50 { index } else { 100 - index });
        values
    };
    let trace =
        MotionTrace { period: 0.02, samples: (0..=100).map(samples).collect(), ..MotionTrace::default() };
    let at = |expect: &Expect| measure(expect, &trace).at_s;
    let moves = Expect::Moves { axis: Axis::BodyTurn, direction: None, at_least: 10.0, at_most: None };
    assert_eq!(at(&moves), Some(1.0));
    assert_eq!(at(&Expect::Still { axes: vec![Axis::HeadTurn, Axis::BodyTurn], within: 3.0 }), Some(1.0));
    // What does not move has no time at which it moves.
    assert_eq!(at(&Expect::Still { axes: vec![Axis::HeadTurn], within: 3.0 }), None);
    assert_eq!(at(&Expect::Sounds { count: 0 }), None);
}

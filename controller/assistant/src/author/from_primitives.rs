//! Writes what the grammar understood, a sequence of primitives, in the language of motion.
//!
//! The strokes of the direct command become the goals of the axes. A step names an axis only where its goal changes, so
//! that the source reads like one that a person writes, and a correction changes what was meant.

use std::collections::BTreeMap;
use std::time::Duration;

use firmware_bridge::posture::{Antennas, HeadPose, Posture};
use firmware_bridge::units::Radians;
use minismith_analysis::manifest::{Expectation, TestCase};
use minismith_composer::{Declined, narrowed};
use minismith_nlu::{Aim, Intent, Known, MotionSegment, Primitive, Understanding, interpret, lower};
use minismith_score::score::{MAX_TIMES, MAX_WAIT_SECONDS, TIMES_PARAMETER};
use minismith_score::{
    Axis, AxisValues, Direction, Kind, Move, Number, Parameter, Part, Score, Step, Target, capitalized,
};
use serde_json::{Map, json};

use super::{Authored, authored};

/// The longest repeated sequence, in strokes.
const MAX_LOOP_STROKES: usize = 12;

/// The longest summary that names each move, in characters.
const MAX_SUMMARY_CHARS: usize = 280;

/// Writes a tool that does `body`, from the neutral posture. `name` is a Python identifier
/// ([`minismith_nlu::tool_name`] makes one).
///
/// # Errors
/// Why the language of motion can't express it: an antenna further inwards than it takes, for example.
pub fn compose(name: &str, body: &[Primitive]) -> Result<Authored, Declined> {
    let score = score_of(name, body)?;
    let plan = body.iter().map(Primitive::describe).collect();
    let mut tool = Authored { plan, ..authored(&score) };
    tool.test_cases.extend(score.parameters.iter().map(beyond));
    Ok(tool)
}

/// Returns the case of a value just outside the range of a parameter.
fn beyond(parameter: &Parameter) -> TestCase {
    let value = match parameter.kind {
        Kind::Int => json!(parameter.low as i64 - 1),
        Kind::Float => json!(parameter.high * 2.0),
    };
    TestCase {
        name: format!("{}={value} is refused", parameter.name),
        arguments: Map::from_iter([(parameter.name.clone(), value)]),
        expect: Expectation::Raises { exception: "ValueError".into() },
        ..TestCase::default()
    }
}

/// Returns the motion of a request that the grammar understands as one tool, as it is written today.
pub(super) fn score_of_request(request: &str) -> Option<Score> {
    let Understanding::Plan(plan) = interpret(request, &Known::default()) else { return None };
    match plan.as_slice() {
        [Intent::MakeTool { name, body, .. }] => score_of(name, body).ok(),
        _ => None,
    }
}

/// Returns a sequence of primitives as a tool with the parameters `times` and `speed`.
///
/// # Errors
/// Why the language of motion can't express it.
pub(super) fn score_of(name: &str, body: &[Primitive]) -> Result<Score, Declined> {
    let strokes = strokes_of(&lower(body, Aim::neutral()));
    let times = Step::Repeat {
        times: Number::Parameter(TIMES_PARAMETER.to_owned()),
        steps: steps_of(&rounds_of(&strokes)),
    };
    let often = Parameter { meaning: "How often all of it is done".to_owned(), ..Parameter::times(1) };
    narrowed(Score {
        name: name.to_owned(),
        summary: summary(body),
        parameters: vec![often, Parameter::speed()],
        steps: vec![times],
    })
}

/// A stroke in the terms of the language.
#[derive(Clone, Debug, PartialEq)]
enum Stroke {
    /// The goals of the axes that it sets.
    Go {
        goals: Vec<(Axis, f64)>,
        seconds: f64,
    },
    Wait(f64),
    Play(&'static str),
}

fn strokes_of(segments: &[MotionSegment]) -> Vec<Stroke> {
    let mut body = Radians::ZERO;
    segments.iter().flat_map(|segment| strokes_of_segment(segment, &mut body)).collect()
}

/// Returns the strokes of a segment, and updates the yaw of the body, to which the goals of the head are relative.
fn strokes_of_segment(segment: &MotionSegment, body: &mut Radians) -> Vec<Stroke> {
    let mut turned = |head: Option<HeadPose>,
                      body_yaw: Option<Radians>,
                      antennas: Option<Antennas>,
                      duration: Duration| {
        *body = body_yaw.unwrap_or(*body);
        let neutral = Posture::init();
        let posture = Posture {
            head: head.unwrap_or(neutral.head),
            body_yaw: *body,
            antennas: antennas.unwrap_or(neutral.antennas),
        };
        let values = AxisValues::from_posture(&posture);
        let has = |axis: &Axis| match axis {
            Axis::BodyTurn => body_yaw.is_some(),
            Axis::AntennaLeft | Axis::AntennaRight => antennas.is_some(),
            _ => head.is_some(),
        };
        let goals = Axis::ALL.into_iter().filter(has).map(|axis| (axis, goal(values[axis]))).collect();
        Stroke::Go { goals, seconds: seconds_of(duration) }
    };
    match *segment {
        MotionSegment::Goto { head, body_yaw, antennas, duration, .. } => {
            vec![turned(head, body_yaw, antennas, duration)]
        }
        // As the official `look_at_world`: the body looks ahead.
        MotionSegment::LookAt { point, duration } => {
            vec![turned(HeadPose::looking_at(point), Some(Radians::ZERO), None, duration)]
        }
        MotionSegment::Pause(duration) => {
            let mut left = seconds_of(duration);
            let mut waits = Vec::new();
            while left > 0.0 {
                let wait = left.min(MAX_WAIT_SECONDS);
                waits.push(Stroke::Wait(wait));
                left = rounded(left - wait);
            }
            waits
        }
        MotionSegment::Wake | MotionSegment::Rest => {
            *body = Radians::ZERO;
            let name = if matches!(segment, MotionSegment::Wake) { "wake_up" } else { "go_to_sleep" };
            vec![Stroke::Play(name)]
        }
    }
}

/// Rounds a goal, and to a whole number where one is near: the official neutral posture has antennas at 9.998 degrees.
fn goal(value: f64) -> f64 {
    let whole = value.round();
    if (value - whole).abs() < NEAR_WHOLE { whole + 0.0 } else { rounded(value) }
}

/// The largest deviation of a goal from the direct command, degrees or millimetres.
const NEAR_WHOLE: f64 = 0.003;

/// Rounds to thousandths of a degree or a millimetre: far below what the robot can do, and short in the source.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3 + 0.0
}

/// Returns seconds, rounded to a tenth of a millisecond: strokes of a dance are parts of a bar.
fn seconds_of(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e4).round() / 1e4
}

/// Strokes that run a number of times.
#[derive(Clone, Debug, PartialEq)]
struct Rounds<'a, T> {
    strokes: &'a [T],
    times: usize,
}

/// Splits strokes into rounds: from the front, each time the repetition that covers the most.
fn rounds_of<T: PartialEq>(mut strokes: &[T]) -> Vec<Rounds<'_, T>> {
    let mut rounds = Vec::new();
    while !strokes.is_empty() {
        let candidates = (1..=MAX_LOOP_STROKES.min(strokes.len() / 2)).rev();
        let (length, times) = candidates
            .map(|length| (length, repetitions(strokes, length)))
            .filter(|&(_, times)| times > 1)
            .max_by_key(|&(length, times)| length * times)
            .unwrap_or((1, 1));
        let times = times.min(MAX_TIMES as usize);
        let (round, _) = strokes.split_at(length);
        rounds.push(Rounds { strokes: round, times });
        strokes = strokes.get(length * times..).unwrap_or_default();
    }
    rounds
}

/// Returns how often the first `length` strokes follow one another at the beginning.
fn repetitions<T: PartialEq>(strokes: &[T], length: usize) -> usize {
    let mut chunks = strokes.chunks_exact(length);
    let Some(first) = chunks.next() else { return 0 };
    1 + chunks.take_while(|chunk| *chunk == first).count()
}

/// The axes that a step names, each with the direction from which or to which it moves.
type Named = BTreeMap<Axis, Direction>;

/// Returns the steps of rounds.
fn steps_of(rounds: &[Rounds<'_, Stroke>]) -> Vec<Step> {
    let mut named: Vec<Vec<Named>> =
        rounds.iter().map(|round| vec![Named::new(); round.strokes.len()]).collect();
    let mut at = AxisValues::neutral();
    // The second time begins where the first one ended, and may have to name more.
    for _ in 0..2 {
        for (round, named) in rounds.iter().zip(&mut named) {
            for _ in 0..round.times {
                for (stroke, named) in round.strokes.iter().zip(named.iter_mut()) {
                    follow(stroke, &mut at, named);
                }
            }
        }
    }
    let steps = rounds.iter().zip(&named).flat_map(|(round, named)| {
        let steps: Vec<Step> =
            round.strokes.iter().zip(named).map(|(stroke, named)| step_of(stroke, named)).collect();
        match round.times {
            1 => steps,
            times => vec![Step::Repeat { times: Number::Value(times as f64), steps }],
        }
    });
    steps.collect()
}

/// Moves the axes as a stroke does, and adds those that it changes to its names.
fn follow(stroke: &Stroke, at: &mut AxisValues, named: &mut Named) {
    match stroke {
        Stroke::Go { goals, .. } => {
            for (axis, goal) in goals {
                if at[*axis] != *goal {
                    let towards = if *goal == 0.0 { at[*axis] } else { *goal };
                    named.entry(*axis).or_insert(axis.direction_of(towards));
                }
                at[*axis] = *goal;
            }
        }
        Stroke::Wait(_) => {}
        Stroke::Play("go_to_sleep") => *at = AxisValues::from_posture(&Posture::sleep()),
        Stroke::Play(_) => *at = AxisValues::neutral(),
    }
}

fn step_of(stroke: &Stroke, named: &Named) -> Step {
    let (goals, seconds) = match stroke {
        Stroke::Go { goals, seconds } => (goals, Number::Value(*seconds)),
        Stroke::Wait(seconds) => return Step::Wait(Number::Value(*seconds)),
        Stroke::Play(name) => return Step::Play((*name).to_owned()),
    };
    let is_neutral = |(axis, goal): &(Axis, f64)| *goal == axis.neutral();
    if goals.len() == Axis::ALL.len() && goals.iter().all(is_neutral) {
        return Step::Neutral { seconds: Some(seconds), easing: None };
    }
    // A stroke that changes nothing still takes its time.
    let own: Named;
    let named = if named.is_empty() {
        let away = goals.iter().filter(|goal| !is_neutral(goal));
        own = away.map(|(axis, goal)| (*axis, axis.direction_of(*goal))).collect();
        &own
    } else {
        named
    };
    let moved = |part: &Part| {
        let is_set = goals.iter().any(|(axis, _)| part.axes().contains(axis));
        is_set && (named.is_empty() || part.axes().iter().any(|axis| named.contains_key(axis)))
    };
    let movement = |part: Part| {
        let of_part: Vec<(Axis, f64)> =
            goals.iter().filter(|(axis, _)| part.axes().contains(axis)).copied().collect();
        let is_one = Axis::ANTENNAS.iter().filter(|axis| named.contains_key(axis)).count() == 1;
        let is_home = part == Part::Antennas && !is_one && of_part.iter().all(is_neutral);
        let targets = if is_home { Vec::new() } else { targets(&of_part, named) };
        Step::Move(Move { part, targets, seconds: Some(seconds.clone()), easing: None })
    };
    let mut steps: Vec<Step> = Part::ALL.into_iter().filter(moved).map(movement).collect();
    match steps.len() {
        1 => steps.remove(0),
        _ => Step::Together(steps),
    }
}

/// Returns the targets of the named axes of one part.
fn targets(goals: &[(Axis, f64)], named: &Named) -> Vec<(Target, Number)> {
    let targets: Vec<(Target, f64)> = goals
        .iter()
        .filter_map(|(axis, goal)| {
            let direction = if *goal == 0.0 { *named.get(axis)? } else { axis.direction_of(*goal) };
            named.contains_key(axis).then_some(())?;
            let target = Target::ALL
                .into_iter()
                .find(|target| target.axes() == [*axis].as_slice() && target.direction() == direction);
            Some((target?, goal.abs()))
        })
        .collect();
    let both = match targets.as_slice() {
        [(Target::AntennaLeft, one), (Target::AntennaRight, other)] if one == other => {
            Some((Target::AntennasBoth, *one))
        }
        [(Target::AntennaLeftInward, one), (Target::AntennaRightInward, other)] if one == other => {
            Some((Target::AntennasBothInward, *one))
        }
        _ => None,
    };
    let targets = both.map_or(targets, |both| vec![both]);
    targets.into_iter().map(|(target, amount)| (target, Number::Value(amount))).collect()
}

/// Returns the first sentence of the documentation.
fn summary(body: &[Primitive]) -> String {
    let moves: Vec<String> = body.iter().map(Primitive::describe).collect();
    let sentence = moves.join(", then ");
    let sentence = match sentence.len() {
        ..=MAX_SUMMARY_CHARS => sentence,
        _ => format!("do {} moves in a row", body.len()),
    };
    if sentence.is_empty() { sentence } else { format!("{}.", capitalized(&sentence)) }
}

/// Returns a summary without its quantities: after a correction of the steps, they may no longer hold.
pub(super) fn without_quantities(summary: &str) -> String {
    let text = summary.strip_suffix('.').unwrap_or(summary);
    let mut kept: Vec<&str> = Vec::new();
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        let (plain, comma) = word.strip_suffix(',').map_or((word, ""), |plain| (plain, ","));
        let is_number = plain.parse::<f64>().is_ok();
        let unit = words.peek().map(|next| next.trim_end_matches(','));
        let is_measure = is_number && unit.is_some_and(|unit| UNITS.contains(&unit));
        if !is_measure && !matches!(plain, "once" | "twice") {
            kept.push(word);
            continue;
        }
        let mut comma = comma;
        if is_measure {
            comma = if words.next().is_some_and(|unit| unit.ends_with(',')) { "," } else { "" };
            if kept.last().is_some_and(|before| matches!(*before, "in" | "by" | "at" | "for")) {
                kept.pop();
            }
        }
        if words.peek() == Some(&"each") {
            words.next();
            comma = if words.next().is_some_and(|way| way.ends_with(',')) { "," } else { "" };
        }
        if !comma.is_empty() {
            kept.push(comma);
        }
    }
    kept.join(" ").replace(" ,", ",") + "."
}

/// The units of quantities in a summary.
const UNITS: [&str; 4] = ["deg", "mm", "s", "times"];

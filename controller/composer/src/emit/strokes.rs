//! Strokes and repetitions as steps, and what steps move and use.

use std::collections::BTreeSet;

use minismith_score::{Axis, Direction, Move, Number, Part, Step, Target};

use crate::act::target;

/// The values of one stroke: from the first to the last round.
pub(crate) type Stroke = Vec<(Axis, f64, f64)>;

/// How far the head rises above neutral, millimetres: the language of motion allows more, which it reaches only where the
/// head is lowered on one side. Servo 4 ends between 13 and 14 mm.
const MAX_RISE_MM: f64 = 13.0;

/// How far an antenna leans inward as far as it goes, degrees: beyond that the two cross over the head, which only an
/// angle that a person names should do.
const MAX_INWARD_DEG: f64 = 60.0;

/// Returns how far the robot moves to a target from neutral.
pub(crate) fn maximum_of(target: Target) -> f64 {
    match target {
        Target::HeadRise => MAX_RISE_MM,
        target if target.direction() == Direction::Inward => MAX_INWARD_DEG,
        target => target.maximum(),
    }
}

/// Returns how far the robot moves to a target, as a sentence.
pub(crate) fn limit_sentence(target: Target) -> String {
    if target == Target::HeadRise {
        return format!("the head rises at most {MAX_RISE_MM} mm");
    }
    if target.direction() == Direction::Inward {
        return format!("an antenna leans at most {MAX_INWARD_DEG} degrees inward");
    }
    target.range_sentence().to_owned()
}

/// Returns the lowest and the highest value of an axis.
pub(crate) fn reach(axis: Axis) -> (f64, f64) {
    let maximum = |direction: Direction| target(axis, direction).map_or(0.0, maximum_of);
    let [positive, negative] = axis.directions();
    (-maximum(negative), maximum(positive))
}

pub(crate) fn parts_of(stroke: &Stroke) -> impl Iterator<Item = Part> {
    Part::ALL.into_iter().filter(|part| stroke.iter().any(|(axis, ..)| part.axes().contains(axis)))
}

/// Rounds a number so that it is short in the source.
pub(crate) fn tidy(value: f64) -> f64 {
    let rounded = (value * 100.0).round() / 100.0;
    rounded + 0.0
}

pub(crate) fn tidy_signed(value: f64) -> f64 {
    (value * 10.0).round() / 10.0 + 0.0
}

/// Writes a stroke as one step: one part, or parts together.
pub(crate) fn stroke_step(
    stroke: &Stroke,
    seconds: Option<Number>,
    named: Option<&Vec<(Axis, Direction, Number)>>,
) -> Option<Step> {
    let mut steps: Vec<Step> = parts_of(stroke)
        .map(|part| {
            let mut targets = Vec::new();
            for (axis, first, last) in stroke.iter().filter(|(axis, ..)| part.axes().contains(axis)) {
                let direction = axis.direction_of(if first.abs() > last.abs() { *first } else { *last });
                let sign = axis.sign(direction).unwrap_or(1.0);
                let ends = [first, last].map(|value| (value * sign).max(0.0));
                let named = named.and_then(|named| named.iter().find(|(one, ..)| one == axis));
                let number = match (named, ends) {
                    (Some((_, _, number)), _) => number.clone(),
                    (None, [first, last]) if first == last => Number::Value(last),
                    (None, [first, last]) => Number::ramp(first, last),
                };
                targets.extend(target(*axis, direction).map(|target| (target, number)));
            }
            Step::Move(Move { part, targets: both(targets), seconds: seconds.clone(), easing: None })
        })
        .collect();
    match steps.len() {
        0 => None,
        1 => steps.pop(),
        _ => Some(Step::Together(steps)),
    }
}

/// Writes two antennas that do the same as both.
pub(crate) fn both(
    targets: Vec<(minismith_score::Target, Number)>,
) -> Vec<(minismith_score::Target, Number)> {
    use minismith_score::Target;
    match targets.as_slice() {
        [(Target::AntennaLeft, one), (Target::AntennaRight, other)] if one == other => {
            vec![(Target::AntennasBoth, one.clone())]
        }
        [(Target::AntennaLeftInward, one), (Target::AntennaRightInward, other)] if one == other => {
            vec![(Target::AntennasBothInward, one.clone())]
        }
        _ => targets,
    }
}

pub(crate) fn repeat(times: Number, steps: Vec<Step>) -> Vec<Step> {
    if times == Number::Value(1.0) || steps.is_empty() { steps } else { vec![Step::Repeat { times, steps }] }
}

/// Repeats steps with a pause between the rounds, and none at the end.
pub(crate) fn with_pauses(steps: Vec<Step>, count: u32, seconds: f64) -> Vec<Step> {
    let wait = Step::Wait(Number::Value(tidy(seconds.clamp(0.0, 60.0))));
    let round = [steps.clone(), vec![wait]].concat();
    let has_ramp = steps.iter().any(|step| format!("{step:?}").contains("Ramp"));
    if has_ramp {
        return repeat(Number::Value(f64::from(count)), round);
    }
    [repeat(Number::Value(f64::from(count - 1)), round), steps].concat()
}

pub(crate) fn track(mut steps: Vec<Step>) -> Option<Step> {
    match steps.len() {
        0 => None,
        1 => steps.pop(),
        _ => Some(Step::Sequence(steps)),
    }
}

/// Returns whether steps move an axis.
pub(crate) fn moves(steps: &[Step], axis: Axis) -> bool {
    steps.iter().any(|step| match step {
        Step::Move(movement) if movement.targets.is_empty() => movement.part.axes().contains(&axis),
        Step::Move(movement) => movement.targets.iter().any(|(target, _)| target.axes().contains(&axis)),
        Step::Neutral { .. } | Step::Play(_) => true,
        step => moves(step.inner(), axis),
    })
}

/// Returns the different goals that steps set for an axis, as text.
pub(crate) fn goals(steps: &[Step], axis: Axis) -> BTreeSet<String> {
    let mut goals = BTreeSet::new();
    for step in steps {
        if let Step::Move(movement) = step {
            for (target, number) in
                movement.targets.iter().filter(|(target, _)| target.axes().contains(&axis))
            {
                goals.insert(format!("{target:?} {number:?}"));
            }
        }
        goals.append(&mut self::goals(step.inner(), axis));
    }
    goals
}

/// Returns whether steps use a parameter.
pub(crate) fn uses(steps: &[Step], name: &str) -> bool {
    fn in_number(number: &Number, name: &str) -> bool {
        match number {
            Number::Value(_) => false,
            Number::Parameter(used) | Number::Product(_, used) => used == name,
            Number::Ramp(first, last) => in_number(first, name) || in_number(last, name),
        }
    }
    steps.iter().any(|step| {
        let own = match step {
            Step::Move(movement) => {
                movement.targets.iter().any(|(_, number)| in_number(number, name))
                    || movement.seconds.as_ref().is_some_and(|number| in_number(number, name))
            }
            Step::Neutral { seconds, .. } => seconds.as_ref().is_some_and(|number| in_number(number, name)),
            Step::Wait(number) => in_number(number, name),
            Step::Repeat { times, .. } => in_number(times, name),
            step => step.reaction().is_some_and(|(_, reaction)| {
                reaction.seconds.as_ref().is_some_and(|number| in_number(number, name))
            }),
        };
        own || uses(step.inner(), name)
    })
}

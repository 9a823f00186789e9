//! Turns a motion that was recorded, such as one by hand guiding, into steps that a person can edit.
//!
//! Each part gets a track of its own, with as few movements as stay near the recording. Stillness before and after the
//! motion is left out.

use firmware_bridge::motion::Interpolation;

use crate::axis::{Axis, AxisValues};
use crate::score::{MAX_SECONDS, MAX_WAIT_SECONDS, MOVE_SECONDS, Move, Number, Step};
use crate::target::{Part, Target};

/// The period to which a recording is resampled, seconds.
const PERIOD: f64 = 0.05;
/// The largest deviation of the steps from the recording in the first attempt, degrees and millimetres.
const TOLERANCE: f64 = 2.0;
/// The largest number of movements; more make the tolerance wider.
const MAX_MOVEMENTS: usize = 80;
/// A smaller change of an axis is not worth a target, degrees and millimetres.
const MIN_CHANGE: f64 = 1.0;
/// Changes that are smaller than this are stillness at the ends of a recording, degrees and millimetres.
const STILL: f64 = 0.5;
/// Stillness has this part of the tolerance, so that the part is where it came to rest.
const STILLNESS: f64 = 0.25;
/// The courses that are tried for each movement.
const COURSES: [Interpolation; 3] = [Interpolation::Minjerk, Interpolation::EaseInOut, Interpolation::Linear];

/// Steps that follow a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The steps.
    pub steps: Vec<Step>,
    /// How far they stay from the recording at most, degrees and millimetres, apart from where an axis of the language
    /// of motion ends before the recording does.
    pub tolerance: f64,
}

/// Why a recording cannot become steps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// Nothing moved.
    #[error("the recording has no movement; move the robot while it records")]
    Still,
    /// It is too long.
    #[error("the recording takes more than {MAX_SECONDS} seconds; record a shorter motion")]
    Long,
    /// The times do not increase, or a number is not finite.
    #[error("the times of the recording must increase, and its numbers must be finite")]
    Invalid,
}

/// Fits steps to postures at times, seconds.
///
/// # Errors
/// A [`FitError`] if the recording is not valid, too long, or has no movement.
pub fn fit(times: &[f64], postures: &[AxisValues]) -> Result<Fitted, FitError> {
    let samples = moving(resample(times, postures)?).ok_or(FitError::Still)?;
    let mut tolerance = TOLERANCE;
    loop {
        let tracks: Vec<(Part, Vec<Segment>)> =
            Part::ALL.into_iter().map(|part| (part, segments(&samples, part, tolerance))).collect();
        if tracks.iter().map(|(_, track)| track.len()).sum::<usize>() <= MAX_MOVEMENTS {
            return Ok(Fitted { steps: steps(&samples, &tracks), tolerance });
        }
        tolerance *= 1.3;
    }
}

fn resample(times: &[f64], postures: &[AxisValues]) -> Result<Vec<AxisValues>, FitError> {
    let is_finite = |values: &AxisValues| Axis::ALL.iter().all(|axis| values[*axis].is_finite());
    let increases = times.windows(2).all(|pair| matches!(pair, [one, next] if one < next));
    if !increases || !times.iter().all(|time| time.is_finite()) || !postures.iter().all(is_finite) {
        return Err(FitError::Invalid);
    }
    let (Some(first), Some(last)) = (times.first(), times.last()) else { return Err(FitError::Still) };
    if last - first > MAX_SECONDS - 10.0 {
        return Err(FitError::Long);
    }
    let mut unwrapped: Vec<AxisValues> = Vec::with_capacity(postures.len());
    for posture in postures {
        let next = unwrapped.last().map_or(*posture, |previous| posture.unwrapped_after(previous));
        unwrapped.push(next);
    }
    let count = ((last - first) / PERIOD).floor() as usize + 1;
    let at = |index: usize| {
        let time = first + index as f64 * PERIOD;
        let next = times.partition_point(|known| *known <= time).min(times.len() - 1).max(1);
        let (before, after) = (next - 1, next);
        let (Some(one), Some(other)) = (unwrapped.get(before), unwrapped.get(after)) else {
            return unwrapped.first().copied();
        };
        let (Some(from), Some(to)) = (times.get(before), times.get(after)) else { return None };
        let fraction = ((time - from) / (to - from)).clamp(0.0, 1.0);
        Some(AxisValues::from_fn(|axis| one[axis] + (other[axis] - one[axis]) * fraction))
    };
    Ok((0..count).filter_map(at).collect())
}

/// Leaves out the stillness at both ends.
fn moving(samples: Vec<AxisValues>) -> Option<Vec<AxisValues>> {
    let differs = |one: &AxisValues, other: &AxisValues| {
        Axis::ALL.iter().any(|axis| (one[*axis] - other[*axis]).abs() > STILL)
    };
    let (first, last) = (samples.first()?, samples.last()?);
    let moves =
        |sample: &AxisValues| Axis::ALL.iter().any(|axis| (sample[*axis] - first[*axis]).abs() > TOLERANCE);
    if !samples.iter().any(moves) {
        return None;
    }
    let begin = samples.iter().position(|sample| differs(sample, first))?;
    let end = samples.iter().rposition(|sample| differs(sample, last)).unwrap_or(begin);
    let (begin, end) = (begin.saturating_sub(1), (end + 2).min(samples.len()));
    samples.get(begin..end).map(<[AxisValues]>::to_vec)
}

/// A movement of a part from the sample before it to the sample `end`; without a course, the part keeps still.
struct Segment {
    end: usize,
    easing: Option<Interpolation>,
}

fn segments(samples: &[AxisValues], part: Part, tolerance: f64) -> Vec<Segment> {
    let last = samples.len().saturating_sub(1);
    let min = (MOVE_SECONDS.0 / PERIOD).ceil() as usize;
    let mut found: Vec<Segment> = Vec::new();
    let mut from = 0;
    while from < last {
        let still =
            farthest(from, last, |end| deviation(samples, part, from, end, None) <= tolerance * STILLNESS);
        let course = |easing: Interpolation| {
            let end = farthest(from, last, |end| {
                end - from <= min || deviation(samples, part, from, end, Some(easing)) <= tolerance
            });
            (end.max((from + min).min(last)), easing)
        };
        // Of courses that reach equally far, the first one is the calmest.
        let best =
            COURSES.into_iter().map(course).reduce(|best, next| if next.0 > best.0 { next } else { best });
        let (end, easing) = match best {
            Some((end, easing)) if end > still => (end, Some(easing)),
            _ => (still.max(from + 1), None),
        };
        match found.last_mut() {
            Some(before) if before.easing.is_none() && easing.is_none() => before.end = end,
            _ => found.push(Segment { end, easing }),
        }
        from = end;
    }
    found
}

/// Returns the farthest index up to `last` for which `holds`, found by doubling and bisection; `from` if it does not hold
/// for the next one.
pub fn farthest(from: usize, last: usize, holds: impl Fn(usize) -> bool) -> usize {
    if from >= last || !holds(from + 1) {
        return from;
    }
    let mut reach = 1;
    while from + reach * 2 <= last && holds(from + reach * 2) {
        reach *= 2;
    }
    let (mut good, mut bad) = (from + reach, (from + reach * 2).min(last) + 1);
    while good + 1 < bad {
        let middle = good.midpoint(bad);
        if holds(middle) { good = middle } else { bad = middle }
    }
    good
}

/// Returns the largest deviation of a movement from the samples between its ends.
fn deviation(
    samples: &[AxisValues],
    part: Part,
    from: usize,
    end: usize,
    easing: Option<Interpolation>,
) -> f64 {
    let (Some(first), Some(last), Some(between)) =
        (samples.get(from), samples.get(end), samples.get(from..=end))
    else {
        return f64::INFINITY;
    };
    let progress = |index: usize| {
        easing.map_or(0.0, |easing| easing.progress(index as f64 / (end - from).max(1) as f64))
    };
    let of_sample = |(index, sample): (usize, &AxisValues)| {
        let done = progress(index);
        let of_axis =
            |axis: &Axis| (first[*axis] + (last[*axis] - first[*axis]) * done - sample[*axis]).abs();
        part.axes().iter().map(of_axis).fold(0.0, f64::max)
    };
    between.iter().enumerate().map(of_sample).fold(0.0, f64::max)
}

fn steps(samples: &[AxisValues], tracks: &[(Part, Vec<Segment>)]) -> Vec<Step> {
    let start = samples.first().copied().unwrap_or_else(AxisValues::neutral);
    let mut goals = AxisValues::neutral();
    let approach = Part::ALL.into_iter().filter_map(|part| movement(part, &mut goals, &start, None, None));
    let mut all = as_one(approach.collect(), Step::Together);
    let mut parallel: Vec<Step> = Vec::new();
    for (part, segments) in tracks {
        let mut track: Vec<Step> = Vec::new();
        let mut from = 0.0;
        let mut has_movement = false;
        for segment in segments {
            let end = (segment.end as f64 * PERIOD * 100.0).round() / 100.0;
            let seconds = ((end - from) * 100.0).round() / 100.0;
            let target = samples.get(segment.end).copied().unwrap_or(goals);
            let moved = segment
                .easing
                .and_then(|easing| movement(*part, &mut goals, &target, Some(seconds), Some(easing)));
            has_movement |= moved.is_some();
            match (moved, track.last_mut()) {
                (Some(step), _) => track.push(step),
                (None, Some(Step::Wait(Number::Value(before)))) if *before + seconds <= MAX_WAIT_SECONDS => {
                    *before = ((*before + seconds) * 100.0).round() / 100.0;
                }
                (None, _) => track.push(Step::Wait(seconds.min(MAX_WAIT_SECONDS).into())),
            }
            from = end;
        }
        while track.last().is_some_and(|step| matches!(step, Step::Wait(_))) {
            track.pop();
        }
        if has_movement {
            parallel.extend(as_one(track, Step::Sequence));
        }
    }
    match parallel.len() {
        0 => {}
        1 => all.extend(parallel.into_iter().flat_map(|track| match track {
            Step::Sequence(steps) => steps,
            other => vec![other],
        })),
        _ => all.push(Step::Together(parallel)),
    }
    all
}

/// Returns no step, the only one, or all of them in one step.
fn as_one(steps: Vec<Step>, joined: impl FnOnce(Vec<Step>) -> Step) -> Vec<Step> {
    if steps.len() < 2 { steps } else { vec![joined(steps)] }
}

/// Returns the movement of a part from its goals to a posture, and sets the goals; none if it would hardly move.
fn movement(
    part: Part,
    goals: &mut AxisValues,
    to: &AxisValues,
    seconds: Option<f64>,
    easing: Option<Interpolation>,
) -> Option<Step> {
    let mut targets = Vec::new();
    for axis in part.axes() {
        let value = to[*axis];
        if (value - goals[*axis]).abs() < MIN_CHANGE {
            continue;
        }
        let direction = axis.direction_of(value);
        let is_this =
            |target: &&Target| target.axes() == [*axis].as_slice() && target.direction() == direction;
        let Some(target) = Target::ALL.iter().find(is_this) else { continue };
        let amount = value.abs().min(target.maximum()).round();
        goals[*axis] = amount * axis.sign(direction).unwrap_or(1.0);
        targets.push((*target, Number::Value(amount)));
    }
    let easing = easing.filter(|easing| *easing != Interpolation::default());
    let seconds = seconds.map(|seconds| Number::Value(seconds.clamp(MOVE_SECONDS.0, MOVE_SECONDS.1)));
    (!targets.is_empty()).then_some(Step::Move(Move { part, targets, seconds, easing }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compile::{Arguments, Setting, compile};
    use crate::read::read;
    use crate::score::Score;
    use crate::write::write;

    fn score(steps: Vec<Step>) -> Score {
        Score { name: "t".to_owned(), summary: "Moves.".to_owned(), parameters: Vec::new(), steps }
    }

    fn recorded(seconds: f64, course: impl Fn(f64) -> AxisValues) -> (Vec<f64>, Vec<AxisValues>) {
        let times: Vec<f64> = (0..(seconds / 0.02) as usize).map(|index| index as f64 * 0.02).collect();
        let postures = times.iter().map(|time| course(*time)).collect();
        (times, postures)
    }

    /// Returns the largest deviation of the steps from the recording, with both ends as they were fitted.
    fn deviation_of(fitted: &Fitted, times: &[f64], postures: &[AxisValues]) -> f64 {
        let timeline = compile(&score(fitted.steps.clone()), &Arguments::new(), &Setting::default()).unwrap();
        let samples = moving(resample(times, postures).unwrap()).unwrap();
        let offset = timeline.seconds() - (samples.len() - 1) as f64 * PERIOD;
        let at = |index: usize| timeline.axes_at(index as f64 * PERIOD + offset.max(0.0));
        let of_axis = |(index, axis): (usize, Axis)| (at(index)[axis] - samples[index][axis]).abs();
        (0..samples.len())
            .flat_map(|index| Axis::ALL.map(|axis| (index, axis)))
            .map(of_axis)
            .fold(0.0, f64::max)
    }

    #[test]
    fn head_turn_by_hand_becomes_few_movements() {
        let ease = |fraction: f64| Interpolation::Minjerk.progress(fraction.clamp(0.0, 1.0));
        let (times, postures) = recorded(6.0, |time| {
            let mut values = AxisValues::neutral();
            values[Axis::HeadTurn] = 30.0 * (ease(time - 1.0) - ease((time - 3.0) / 1.5));
            values[Axis::AntennaLeft] = -10.0 + 50.0 * ease((time - 1.5) / 2.0);
            values
        });
        let fitted = fit(&times, &postures).unwrap();
        let count: usize = fitted.steps.iter().map(Step::count).sum();
        assert!(count <= 12, "{:#?}", fitted.steps);
        let source = write(&score(fitted.steps.clone()));
        assert_eq!(read(&source).unwrap().steps, fitted.steps, "{source}");
        let deviation = deviation_of(&fitted, &times, &postures);
        assert!(deviation < 2.0 * TOLERANCE, "{deviation} {source}");
    }

    #[test]
    fn still_long_and_invalid_recordings_are_refused() {
        let (times, still) = recorded(3.0, |_| AxisValues::neutral());
        assert_eq!(fit(&times, &still), Err(FitError::Still));
        assert_eq!(fit(&[], &[]), Err(FitError::Still));
        assert_eq!(fit(&[0.0, 0.0], &still[..2]), Err(FitError::Invalid));
        assert_eq!(fit(&[0.0, f64::NAN], &still[..2]), Err(FitError::Invalid));
        assert_eq!(fit(&[0.0, 500.0], &still[..2]), Err(FitError::Long));
    }

    proptest! {
        #[test]
        fn any_recording_becomes_a_valid_score(
            points in prop::collection::vec(prop::array::uniform9(-200.0_f64..200.0), 1..40),
            period in 0.01_f64..0.5,
        ) {
            let times: Vec<f64> = (0..points.len()).map(|index| index as f64 * period).collect();
            let postures: Vec<AxisValues> = points
                .iter()
                .map(|row| AxisValues::from_fn(|axis| row[axis as usize]))
                .collect();
            if let Ok(fitted) = fit(&times, &postures) {
                let written = write(&score(fitted.steps.clone()));
                prop_assert_eq!(read(&written).unwrap().steps, fitted.steps);
            }
        }
    }
}

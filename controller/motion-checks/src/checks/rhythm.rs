//! Checks on the swings of one axis: their number, sizes, times.

use super::super::axis::{Axis, Direction};
use super::super::cases::{Duration, Leg, Pauses, Peaks, Period, Span, Swings, Takes, Tempo, Trend};
use super::super::finding::{Finding, Limits};
use super::super::signal::{Signal, Swing, longest_rest_s, moving_anywhere};
use super::super::trace::Trace;

/// By this factor the last swing of a trend differs at least from the first one.
const MIN_TREND_RATIO: f64 = 1.25;
/// A swing may go against a trend by this share of its size, for noise.
const TREND_TOLERANCE: f64 = 0.05;

/// The number of swings.
pub(super) fn swings(check: &Swings, trace: &Trace) -> Finding {
    let axis = check.axis;
    let size = check.min_size.unwrap_or_else(|| axis.visible_size());
    let count = Signal::of(trace, axis).cycles(check.direction, size).len();
    let [exact, least, most] =
        [check.count, check.at_least, check.at_most].map(|number| number.map(f64::from));
    let limits = match exact {
        Some(exact) => Limits::new(Some(exact), Some(exact)),
        None => Limits::new(least, most),
    };
    let number = exact.map_or_else(|| limits.to_string(), |exact| exact.to_string());
    Finding::new(
        limits.contains(count as f64),
        format!("{number} swings of {axis} {}", check.direction),
        format!("{count}"),
    )
}

/// The sizes of successive swings.
pub(super) fn peaks(check: &Peaks, trace: &Trace) -> Finding {
    let axis = check.axis;
    let smallest = check.sizes.iter().copied().fold(f64::INFINITY, f64::min);
    let found: Vec<f64> = Signal::of(trace, axis)
        .swings_toward(check.direction, (smallest - check.tolerance).max(2.0))
        .iter()
        .map(|swing| swing.size)
        .collect();
    let is_held = found.len() == check.sizes.len()
        && found.iter().zip(&check.sizes).all(|(found, wanted)| (found - wanted).abs() <= check.tolerance);
    Finding::new(
        is_held,
        format!("swings of {axis} {} of {} {}", check.direction, list(&check.sizes), axis.unit()),
        list(&found),
    )
}

fn list(numbers: &[f64]) -> String {
    if numbers.is_empty() {
        return "none".to_owned();
    }
    numbers.iter().map(|number| format!("{number:.0}")).collect::<Vec<_>>().join(", ")
}

/// The time that one swing takes.
pub(super) fn takes(check: &Takes, trace: &Trace) -> Finding {
    let axis = check.axis;
    let nth = check.nth.unwrap_or(1);
    let limits = Limits::new(check.at_least, check.at_most);
    let signal = Signal::of(trace, axis);
    let index = usize::try_from(nth).unwrap_or(usize::MAX).saturating_sub(1);
    let swing = signal.swings_toward(check.direction, axis.visible_size()).get(index).copied();
    let time = swing.and_then(|swing| leg_s(&signal, &swing, check.leg, axis));
    let leg = match check.leg {
        Leg::There => "the way there",
        Leg::Back => "the way back",
        Leg::Swing => "the whole swing",
    };
    Finding::new(
        time.is_some_and(|time| limits.contains(time)),
        format!("{leg} of swing {nth} of {axis} {} in {limits} s", check.direction),
        time.map_or_else(|| "no such swing".to_owned(), |time| format!("{time:.1} s")),
    )
}

/// Returns how long a leg of a swing takes, seconds; none if the axis does not come back. A leg begins and ends with the
/// axis' motion, which is earlier and later than the thresholds by which swings are told from each other.
fn leg_s(signal: &Signal, swing: &Swing, leg: Leg, axis: Axis) -> Option<f64> {
    let moving = signal.moving();
    let around = |time: f64| moving.iter().find(|one| (one.start_s..=one.end_s).contains(&time));
    let swings = signal.swings(axis.visible_size());
    let earlier =
        swings.iter().filter(|other| other.onset_s < swing.onset_s).filter_map(|other| other.back_s);
    let later = swings.iter().map(|other| other.onset_s).filter(|onset| *onset > swing.onset_s);
    let start = around(swing.onset_s).map_or(swing.onset_s, |one| one.start_s.min(swing.onset_s));
    let start = earlier.fold(start, f64::max);
    let reached = around(swing.reached_s).map_or(swing.reached_s, |one| one.end_s.max(swing.reached_s));
    let reached = reached.min(swing.middle_s());
    let departed = around(swing.departed_s).map_or(swing.departed_s, |one| one.start_s.min(swing.departed_s));
    let departed = departed.max(swing.middle_s());
    let back = swing.back_s.map(|back| {
        let end = around(back).map_or(back, |one| one.end_s.max(back));
        later.fold(end, f64::min)
    });
    match leg {
        Leg::There => Some(reached - start),
        Leg::Back => back.map(|back| back - departed),
        Leg::Swing => back.map(|back| back - start),
    }
}

/// The time of the motion or of the run.
pub(super) fn duration(check: &Duration, trace: &Trace) -> Finding {
    let limits = Limits::new(check.at_least, check.at_most);
    let (name, time) = match check.of {
        Span::Run => ("run", trace.length_s()),
        Span::Motion => ("motion", motion_s(trace)),
    };
    Finding::new(limits.contains(time), format!("a {name} of {limits} s"), format!("{time:.1} s"))
}

/// Returns the time from the first motion of any axis to the last, seconds; 0 if nothing moves.
pub fn motion_s(trace: &Trace) -> f64 {
    let moving = moving_anywhere(trace);
    match (moving.first(), moving.last()) {
        (Some(first), Some(last)) => last.end_s - first.start_s,
        _ => 0.0,
    }
}

/// The mean time from one swing to the next.
pub(super) fn period(check: &Period, trace: &Trace) -> Finding {
    let limits = Limits::new(check.at_least, check.at_most);
    let swings = cycles(check.axis, check.direction, trace);
    let intervals = intervals(&swings);
    let mean = intervals.iter().sum::<f64>() / intervals.len().max(1) as f64;
    Finding::new(
        !intervals.is_empty() && limits.contains(mean),
        format!("a swing of {} {} every {limits} s", check.axis, check.direction),
        if intervals.is_empty() { format!("{} swings", swings.len()) } else { format!("{mean:.2} s") },
    )
}

fn cycles(axis: Axis, direction: Direction, trace: &Trace) -> Vec<Swing> {
    Signal::of(trace, axis).cycles(direction, axis.visible_size())
}

fn intervals(swings: &[Swing]) -> Vec<f64> {
    swings.iter().zip(swings.iter().skip(1)).map(|(one, next)| next.onset_s - one.onset_s).collect()
}

/// Successive swings grow or shrink.
pub(super) fn trend(check: &Trend, is_growing: bool, trace: &Trace) -> Finding {
    let axis = check.axis;
    let min_size = check.min_size.unwrap_or_else(|| axis.visible_size());
    let signal = Signal::of(trace, axis);
    let sizes = |swings: Vec<Swing>| swings.iter().map(|swing| swing.size).collect::<Vec<f64>>();
    // From side to side, each side may follow the trend for itself.
    let (positive, negative) = axis.directions();
    let sides = if check.direction == Direction::Any {
        let sides = [positive, negative].map(|side| sizes(signal.swings_toward(side, min_size)));
        sides.into_iter().filter(|side| !side.is_empty()).collect()
    } else {
        vec![sizes(signal.swings_toward(check.direction, min_size))]
    };
    let all = sizes(signal.swings_toward(check.direction, min_size));
    let follows = |sizes: &[f64]| {
        sizes.iter().zip(sizes.iter().skip(1)).all(|(one, next)| {
            let (low, high) = if is_growing { (one, next) } else { (next, one) };
            *high >= low * (1.0 - TREND_TOLERANCE) - 0.5
        })
    };
    let ratio = match (all.first(), all.last()) {
        (Some(first), Some(last)) if is_growing => last / first,
        (Some(first), Some(last)) => first / last,
        _ => 0.0,
    };
    let is_held = all.len() >= 3 && ratio >= MIN_TREND_RATIO && sides.iter().all(|side| follows(side));
    let word = if is_growing { "growing" } else { "shrinking" };
    Finding::new(is_held, format!("{word} swings of {axis} {}", check.direction), list(&all))
}

/// Successive swings follow each other faster or slower.
pub(super) fn tempo(check: &Tempo, is_faster: bool, trace: &Trace) -> Finding {
    let times = intervals(&cycles(check.axis, check.direction, trace));
    let follows = times.iter().zip(times.iter().skip(1)).all(|(one, next)| {
        let (short, long) = if is_faster { (next, one) } else { (one, next) };
        *short <= long * (1.0 + TREND_TOLERANCE) + 0.05
    });
    let ratio = match (times.first(), times.last()) {
        (Some(first), Some(last)) if is_faster => first / last,
        (Some(first), Some(last)) => last / first,
        _ => 0.0,
    };
    let word = if is_faster { "faster and faster" } else { "slower and slower" };
    let words: Vec<String> = times.iter().map(|time| format!("{time:.2}")).collect();
    Finding::new(
        times.len() >= 2 && follows && ratio >= MIN_TREND_RATIO,
        format!("swings of {} {word}", check.axis),
        format!("intervals of {} s", if words.is_empty() { "no".to_owned() } else { words.join(", ") }),
    )
}

/// Each rest between successive swings lies within limits.
pub(super) fn pauses(check: &Pauses, trace: &Trace) -> Finding {
    let axis = check.axis;
    let limits = Limits::new(check.at_least, check.at_most);
    let signal = Signal::of(trace, axis);
    let moving = signal.moving();
    let swings = signal.cycles(check.direction, axis.visible_size());
    let rests: Vec<f64> = swings
        .iter()
        .zip(swings.iter().skip(1))
        .map(|(one, next)| longest_rest_s(&moving, one.departed_s, next.reached_s))
        .collect();
    let words: Vec<String> = rests.iter().map(|rest| format!("{rest:.1}")).collect();
    Finding::new(
        !rests.is_empty() && rests.iter().all(|rest| limits.contains(*rest)),
        format!("rests of {limits} s between the swings of {axis} {}", check.direction),
        if words.is_empty() { "none".to_owned() } else { format!("{} s", words.join(", ")) },
    )
}

//! Checks on where an axis is: sizes, stillness, holds, ends.

use super::super::axis::{Axis, Direction, Part};
use super::super::cases::{Ends, Holds, Keeps, Moves, Place, Still};
use super::super::finding::{Finding, Limits};
use super::super::signal::{Interval, Signal};
use super::super::trace::Trace;

/// An axis stays near its extreme while it is no further from it than this share of it.
const NEAR_EXTREME_SHARE: f64 = 0.15;
/// And never further than this, in the axis' unit, so that a slow drift away is no hold.
const MIN_NEAR_EXTREME: f64 = 1.5;
/// The share of a time for which an axis has to stay in its range to be kept there.
const KEPT_SHARE: f64 = 0.75;

/// The largest deviation lies within limits.
pub(super) fn moves(check: &Moves, trace: &Trace) -> Finding {
    let axis = check.axis;
    let limits = match (check.at_least, check.at_most) {
        (None, None) => Limits::new(Some(axis.visible_size()), None),
        (at_least, at_most) => Limits::new(at_least, at_most),
    };
    let size = Signal::of(trace, axis).extreme(check.direction);
    let unit = axis.unit();
    Finding::new(
        limits.contains(size),
        format!("{axis} {} by {limits} {unit}", check.direction),
        format!("{size:.1} {unit}"),
    )
}

/// Parts stay where they are.
pub(super) fn still(check: &Still, trace: &Trace) -> Finding {
    let names: Vec<String> = check.parts.iter().map(ToString::to_string).collect();
    let whole = Interval { start_s: 0.0, end_s: trace.length_s() };
    let (axis, excess, deviation) = most_restless(&check.parts, trace, whole, check.within);
    Finding::new(
        excess <= 1.0,
        format!("{} still", names.join(", ")),
        format!("{axis} off by {deviation:.1} {}", axis.unit()),
    )
}

/// Returns the axis of some parts that moved most in an interval, its largest deviation as a multiple of what is
/// permitted (`within`, in the axis' unit), and the deviation itself in the axis' unit. The deviation is from the
/// beginning of the interval.
pub(super) fn most_restless(
    parts: &[Part],
    trace: &Trace,
    interval: Interval,
    within: Option<f64>,
) -> (Axis, f64, f64) {
    let measure = |axis: Axis| {
        let signal = Signal::of(trace, axis);
        let start: Vec<f64> = signal.between(interval.start_s, interval.start_s + 0.1).collect();
        let start = start.iter().sum::<f64>() / start.len().max(1) as f64;
        let deviation = signal
            .between(interval.start_s, interval.end_s)
            .fold(0.0_f64, |largest, value| largest.max((value - start).abs()));
        (axis, deviation / within.unwrap_or_else(|| axis.still_within()), deviation)
    };
    let mut measured = Vec::new();
    for part in parts {
        let wants = |axis: Axis| match part {
            Part::Axis(one) => *one == axis,
            Part::Head => is_head(axis),
            Part::Antennas => matches!(axis, Axis::AntennaLeft | Axis::AntennaRight),
            // If the head turns in the world but not relative to the body, the body turns.
            Part::Everything => axis != Axis::HeadFacing,
        };
        measured.extend(Axis::ALL.into_iter().filter(|axis| wants(*axis)).map(measure));
        if *part == Part::Head {
            let (turn, facing) = (measure(Axis::HeadTurn), measure(Axis::HeadFacing));
            measured.push(if turn.1 < facing.1 { turn } else { facing });
        }
    }
    measured
        .into_iter()
        .fold((Axis::HeadTurn, 0.0, 0.0), |worst, one| if one.1 > worst.1 { one } else { worst })
}

/// The axes of the head but its turn, of which there are two.
fn is_head(axis: Axis) -> bool {
    matches!(axis, Axis::HeadPitch | Axis::HeadTilt | Axis::HeadForward | Axis::HeadSide | Axis::HeadRise)
}

/// An axis stays near an extreme for a time.
pub(super) fn holds(check: &Holds, trace: &Trace) -> Finding {
    let axis = check.axis;
    let limits = Limits::new(check.at_least, check.at_most);
    let signal = Signal::of(trace, axis);
    let held = at_extreme(&signal, axis, check.direction);
    let longest = held.iter().map(Interval::length_s).fold(0.0, f64::max);
    Finding::new(
        limits.contains(longest) && !held.is_empty(),
        format!("{axis} held {} for {limits} s", check.direction),
        if held.is_empty() {
            format!("no motion of {axis} {}", check.direction)
        } else {
            format!("{longest:.1} s")
        },
    )
}

/// Returns the intervals in which an axis is near its extreme in a direction; none if it does not visibly move there.
fn at_extreme(signal: &Signal, axis: Axis, direction: Direction) -> Vec<Interval> {
    let mut intervals: Vec<Interval> = Vec::new();
    for swing in signal.swings_toward(direction, 0.8 * axis.visible_size()) {
        let least = swing.size - (NEAR_EXTREME_SHARE * swing.size).max(MIN_NEAR_EXTREME);
        let sign = axis.sign(swing.direction).unwrap_or(1.0);
        let mut first: Option<f64> = None;
        let mut last = swing.reached_s;
        for (index, value) in signal.values().iter().enumerate() {
            let time = signal.time_s(index);
            if time < swing.onset_s || time > swing.back_s.unwrap_or(f64::INFINITY) {
                continue;
            }
            if sign * value >= least {
                first = first.or(Some(time));
                last = time;
            }
        }
        if let Some(first) = first {
            intervals.push(Interval { start_s: first, end_s: last });
        }
    }
    intervals
}

/// An axis stays in a range while another one moves or stays at its extreme.
pub(super) fn keeps(check: &Keeps, trace: &Trace) -> Finding {
    let (axis, during) = (check.axis, check.during);
    let limits = Limits::new(check.at_least, check.at_most);
    let other = Signal::of(trace, during);
    let times = match check.at_extreme {
        Some(direction) => at_extreme(&other, during, direction),
        None => {
            let moving = other.moving();
            match (moving.first(), moving.last()) {
                (Some(first), Some(last)) => vec![Interval { start_s: first.start_s, end_s: last.end_s }],
                _ => Vec::new(),
            }
        }
    };
    let signal = Signal::of(trace, axis);
    let values: Vec<f64> = times
        .iter()
        .flat_map(|time| signal.between(time.start_s, time.end_s))
        .map(|value| signal.toward(value, check.direction))
        .collect();
    let kept = values.iter().filter(|value| limits.contains(**value)).count();
    let share = kept as f64 / values.len().max(1) as f64;
    let when = match check.at_extreme {
        Some(direction) => format!("while {during} is {direction}"),
        None => format!("while {during} moves"),
    };
    Finding::new(
        share >= KEPT_SHARE,
        format!("{axis} kept {} by {limits} {} {when}", check.direction, axis.unit()),
        if values.is_empty() {
            format!("no motion of {during}")
        } else {
            format!("so for {:.0} % of the time", 100.0 * share)
        },
    )
}

/// Axes end at neutral, or away from it.
pub(super) fn ends(check: &Ends, trace: &Trace) -> Finding {
    let mut all = true;
    let mut measured = Vec::new();
    for &axis in &check.axes {
        let signal = Signal::of(trace, axis);
        let last = signal.last();
        all &= match check.at {
            Place::Neutral => last.abs() <= axis.neutral_within(),
            Place::Away => {
                let limits = Limits::new(check.at_least.or(Some(axis.visible_size())), check.at_most);
                limits.contains(signal.toward(last, check.direction.unwrap_or_default()))
            }
        };
        let (positive, negative) = axis.directions();
        let side = if last >= 0.0 { positive } else { negative };
        measured.push(format!("{axis} {:.1} {} {side}", last.abs(), axis.unit()));
    }
    let names: Vec<String> = check.axes.iter().map(ToString::to_string).collect();
    let place = match check.at {
        Place::Neutral => "at neutral".to_owned(),
        Place::Away => {
            let limits = Limits::new(check.at_least, check.at_most);
            format!("away from neutral ({}, {limits})", check.direction.unwrap_or_default())
        }
    };
    Finding::new(all, format!("{} to end {place}", names.join(", ")), measured.join(", "))
}

//! One axis over time: its swings, and the intervals in which it moves.

use std::ops::RangeInclusive;

use super::axis::{Axis, Direction};
use super::trace::Trace;

/// Measured positions are averaged over this time, seconds.
const SMOOTHING_S: f64 = 0.08;
/// Speeds are the slope of a line fitted to this time to each side, seconds.
const SLOPE_HALF_WINDOW_S: f64 = 0.12;
/// Two motions with a shorter rest between them are one, seconds.
const MIN_REST_S: f64 = 0.15;
/// Slower than this is no motion, degrees or millimetres per second. It is above the noise of measured speeds.
const SLOWEST_PER_S: f64 = 0.4;
/// Swings smaller than this share of the largest one are overshoot.
const OVERSHOOT_SHARE: f64 = 0.12;

/// A span of time, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its beginning.
    pub start_s: f64,
    /// Its end.
    pub end_s: f64,
}

impl Interval {
    /// Returns its length, seconds.
    #[must_use]
    pub fn length_s(&self) -> f64 {
        (self.end_s - self.start_s).max(0.0)
    }
}

/// Returns the total length of a list of intervals, seconds.
#[must_use]
pub fn total_s(intervals: &[Interval]) -> f64 {
    intervals.iter().map(Interval::length_s).sum()
}

/// Returns how long two lists of intervals overlap, seconds. The intervals of each list are disjoint.
#[must_use]
pub fn overlap_s(one: &[Interval], other: &[Interval]) -> f64 {
    one.iter()
        .flat_map(|a| other.iter().map(move |b| a.end_s.min(b.end_s) - a.start_s.max(b.start_s)))
        .filter(|length| *length > 0.0)
        .sum()
}

/// Returns the union of intervals, sorted and disjoint.
#[must_use]
pub fn union(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
    let mut merged: Vec<Interval> = Vec::new();
    for interval in intervals {
        match merged.last_mut() {
            Some(last) if interval.start_s <= last.end_s => last.end_s = last.end_s.max(interval.end_s),
            _ => merged.push(interval),
        }
    }
    merged
}

/// Returns the longest rest between `from_s` and `to_s` that no interval of a sorted, disjoint list touches, seconds.
#[must_use]
pub fn longest_rest_s(moving: &[Interval], from_s: f64, to_s: f64) -> f64 {
    let mut longest: f64 = 0.0;
    let mut rest_since = from_s;
    for interval in moving {
        if interval.end_s <= from_s {
            continue;
        }
        if interval.start_s >= to_s {
            break;
        }
        longest = longest.max(interval.start_s - rest_since);
        rest_since = rest_since.max(interval.end_s);
    }
    longest.max(to_s - rest_since)
}

/// Returns all intervals in which any axis moves, sorted and disjoint.
#[must_use]
pub fn moving_anywhere(trace: &Trace) -> Vec<Interval> {
    union(Axis::ALL.iter().flat_map(|&axis| Signal::of(trace, axis).moving()).collect())
}

/// One excursion away from neutral.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swing {
    /// Its direction; never `any`.
    pub direction: Direction,
    /// Its largest deviation from neutral, in the axis' unit.
    pub size: f64,
    /// When the axis leaves neutral, or the turning point before, for the extreme, seconds.
    pub onset_s: f64,
    /// When it arrives near the extreme.
    pub reached_s: f64,
    /// When it leaves the extreme; the end of the trace if it does not.
    pub departed_s: f64,
    /// When it is back at neutral or at the next turning point; none if the trace ends before.
    pub back_s: Option<f64>,
    /// Whether it went back to neutral, and not only to a turning point on the way.
    pub is_back_at_neutral: bool,
}

impl Swing {
    /// Returns the middle of the time at the extreme, seconds.
    #[must_use]
    pub fn middle_s(&self) -> f64 {
        0.5 * (self.reached_s + self.departed_s)
    }
}

/// One axis over time, smoothed, as the deviation from neutral.
#[derive(Clone, Debug)]
pub struct Signal {
    axis: Axis,
    period_s: f64,
    values: Vec<f64>,
}

/// A turning point.
#[derive(Clone, Copy)]
struct Pivot {
    index: usize,
    value: f64,
}

impl Signal {
    /// Reads an axis from a trace.
    #[must_use]
    pub fn of(trace: &Trace, axis: Axis) -> Signal {
        let mut raw: Vec<f64> = trace.samples.iter().map(|sample| sample.deviation(axis)).collect();
        // The head's yaw in the world wraps at 180 degrees when the body is turned far.
        if matches!(axis, Axis::HeadFacing | Axis::HeadTurn | Axis::BodyTurn) {
            let mut turns = 0.0;
            let mut last: Option<f64> = None;
            for value in &mut raw {
                if let Some(previous) = last {
                    let step = *value + turns - previous;
                    turns -= 360.0 * (step / 360.0).round();
                }
                *value += turns;
                last = Some(*value);
            }
        }
        let half = (0.5 * SMOOTHING_S / trace.period_s).round().clamp(0.0, 50.0) as usize;
        let values = (0..raw.len())
            .map(|index| {
                let window = raw.iter().skip(index.saturating_sub(half)).take(half + 1 + half.min(index));
                let (sum, count) = window.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
                sum / count
            })
            .collect();
        Signal { axis, period_s: trace.period_s, values }
    }

    /// Returns the smoothed deviations, one for each sample.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the time of a sample, seconds.
    #[must_use]
    pub fn time_s(&self, index: usize) -> f64 {
        index as f64 * self.period_s
    }

    /// Returns the deviations between two times.
    pub fn between(&self, from_s: f64, to_s: f64) -> impl Iterator<Item = f64> + '_ {
        self.values
            .iter()
            .enumerate()
            .filter(move |(index, _)| (from_s..=to_s).contains(&self.time_s(*index)))
            .map(|(_, value)| *value)
    }

    /// Returns the largest deviation in a direction, at least 0, in the axis' unit.
    #[must_use]
    pub fn extreme(&self, direction: Direction) -> f64 {
        self.values.iter().map(|value| self.toward(*value, direction)).fold(0.0, f64::max)
    }

    /// Returns a deviation as seen in a direction: negative on the other side, absolute for `any`.
    #[must_use]
    pub fn toward(&self, value: f64, direction: Direction) -> f64 {
        self.axis.sign(direction).map_or(value.abs(), |sign| sign * value)
    }

    /// Returns the deviation at the end, averaged over the last 0.1 s.
    #[must_use]
    pub fn last(&self) -> f64 {
        let count = (0.1 / self.period_s).round().max(1.0) as usize;
        let tail: Vec<f64> = self.values.iter().rev().take(count).copied().collect();
        tail.iter().sum::<f64>() / tail.len().max(1) as f64
    }

    /// Returns the speeds, one for each sample, in the axis' unit per second.
    #[must_use]
    pub fn speeds(&self) -> Vec<f64> {
        let half = (SLOPE_HALF_WINDOW_S / self.period_s).round().clamp(1.0, 100.0) as usize;
        (0..self.values.len())
            .map(|index| {
                let first = index.saturating_sub(half);
                let window: Vec<f64> =
                    self.values.iter().skip(first).take(index + half + 1 - first).copied().collect();
                let middle = 0.5 * (window.len() as f64 - 1.0);
                let (mut product, mut square) = (0.0, 0.0);
                for (place, value) in window.iter().enumerate() {
                    let x = place as f64 - middle;
                    product += x * value;
                    square += x * x;
                }
                if square > 0.0 { product / square / self.period_s } else { 0.0 }
            })
            .collect()
    }

    /// Returns the intervals in which the axis moves, sorted and disjoint. Slow drift, noise and jitter are no motion.
    #[must_use]
    pub fn moving(&self) -> Vec<Interval> {
        let speeds = self.speeds();
        let peak = speeds.iter().fold(0.0_f64, |peak, speed| peak.max(speed.abs()));
        let threshold = (0.08 * peak).clamp(1.5, 3.0);
        let least_range = match self.axis {
            Axis::AntennaLeft | Axis::AntennaRight => 3.0,
            _ => 2.0,
        };
        let mut spans: Vec<RangeInclusive<usize>> = Vec::new();
        for (index, speed) in speeds.iter().enumerate() {
            if speed.abs() < threshold {
                continue;
            }
            match spans.last_mut() {
                Some(last) if self.time_s(index - *last.end()) < MIN_REST_S => *last = *last.start()..=index,
                _ => spans.push(index..=index),
            }
        }
        // A motion starts and ends at speeds that alone could be drift. They count beside a motion: otherwise a slow one
        // is measured as too short.
        let slowest = (0.08 * peak).clamp(SLOWEST_PER_S, threshold);
        let is_slow_motion = |index: &usize| speeds.get(*index).is_some_and(|speed| speed.abs() >= slowest);
        let intervals = spans
            .into_iter()
            .map(|span| (self.time_s(*span.start()), self.time_s(*span.end()), span))
            .filter(|(start_s, end_s, _)| self.range(*start_s, *end_s) >= least_range)
            .map(|(start_s, end_s, span)| {
                let first = (0..*span.start()).rev().take_while(is_slow_motion).last();
                let last = (*span.end()..speeds.len()).take_while(is_slow_motion).last();
                Interval {
                    start_s: first.map_or(start_s, |index| self.time_s(index)),
                    end_s: last.map_or(end_s, |index| self.time_s(index)),
                }
            })
            .collect();
        union(intervals)
    }

    /// Returns the largest minus the smallest deviation between two times, in the axis' unit.
    #[must_use]
    pub fn range(&self, from_s: f64, to_s: f64) -> f64 {
        let (low, high) = self
            .between(from_s, to_s)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        (high - low).max(0.0)
    }

    /// Returns the swings of at least `min_size` (in the axis' unit) in the order of time. Going back to neutral is no
    /// swing; a swing that ends away from neutral is one.
    #[must_use]
    pub fn swings(&self, min_size: f64) -> Vec<Swing> {
        let size = min_size.max(OVERSHOOT_SHARE * self.extreme(Direction::Any));
        let pivots = self.pivots((0.5 * size).max(1.0));
        let mut swings = Vec::new();
        for (place, pivot) in pivots.iter().enumerate() {
            let Some(previous) = place.checked_sub(1).and_then(|before| pivots.get(before)) else { continue };
            let sign = if pivot.value > previous.value { 1.0 } else { -1.0 };
            if sign * pivot.value >= size {
                swings.push(self.swing(sign, previous, pivot, pivots.get(place + 1)));
            }
        }
        swings
    }

    /// Returns the swings in a direction.
    #[must_use]
    pub fn swings_toward(&self, direction: Direction, min_size: f64) -> Vec<Swing> {
        let mut swings = self.swings(min_size);
        swings.retain(|swing| direction == Direction::Any || swing.direction == direction);
        swings
    }

    /// Returns the swings of the direction that has more of them: of a motion from side to side, one for each cycle.
    #[must_use]
    pub fn cycles(&self, direction: Direction, min_size: f64) -> Vec<Swing> {
        if direction != Direction::Any {
            return self.swings_toward(direction, min_size);
        }
        let (positive, negative) = self.axis.directions();
        let one = self.swings_toward(positive, min_size);
        let other = self.swings_toward(negative, min_size);
        if other.len() > one.len() { other } else { one }
    }

    fn swing(&self, sign: f64, previous: &Pivot, peak: &Pivot, next: Option<&Pivot>) -> Swing {
        let size = sign * peak.value;
        let neutral = (0.06 * size).max(0.8);
        // What counts as gone from, or back at, a turning point: neutral if the axis passes it, else the point itself.
        let base = |pivot: &Pivot| {
            let value = sign * pivot.value;
            if value <= neutral { neutral } else { value + (0.05 * (size - value)).max(0.6) }
        };
        let near = |pivot: &Pivot| size - (0.05 * (size - (sign * pivot.value).max(0.0))).max(0.6);
        let at = |index: usize| self.values.get(index).map_or(0.0, |value| sign * value);
        let end = self.values.len().saturating_sub(1);
        let onset = (previous.index..=peak.index)
            .rev()
            .find(|&index| at(index) <= base(previous))
            .unwrap_or(previous.index);
        let reached = (onset..=peak.index).find(|&index| at(index) >= near(previous)).unwrap_or(peak.index);
        let (departed, back) = match next {
            None => (end, None),
            Some(next) => {
                let departed = (peak.index..=next.index)
                    .rev()
                    .find(|&index| at(index) >= near(next))
                    .unwrap_or(peak.index);
                (departed, (departed..=next.index).find(|&index| at(index) <= base(next)))
            }
        };
        let (positive, negative) = self.axis.directions();
        Swing {
            direction: if sign > 0.0 { positive } else { negative },
            size,
            onset_s: self.time_s(onset),
            reached_s: self.time_s(reached),
            departed_s: self.time_s(departed),
            back_s: back.map(|index| self.time_s(index)),
            is_back_at_neutral: next.is_some_and(|next| sign * next.value <= self.axis.neutral_within()),
        }
    }

    /// Returns the turning points between which the axis moves at least `hysteresis`, the first and the last extreme
    /// included.
    fn pivots(&self, hysteresis: f64) -> Vec<Pivot> {
        let mut pivots: Vec<Pivot> = Vec::new();
        let Some(&first) = self.values.first() else { return pivots };
        let (mut low, mut high) = (Pivot { index: 0, value: first }, Pivot { index: 0, value: first });
        // None until the first motion, then whether the axis moves in the positive direction.
        let mut rising: Option<bool> = None;
        for (index, &value) in self.values.iter().enumerate() {
            let here = Pivot { index, value };
            if value >= high.value {
                high = here;
            }
            if value <= low.value {
                low = here;
            }
            if rising != Some(false) && high.value - value >= hysteresis {
                pivots.push(high);
                low = here;
                high = here;
                rising = Some(false);
            } else if rising != Some(true) && value - low.value >= hysteresis {
                pivots.push(low);
                low = here;
                high = here;
                rising = Some(true);
            }
        }
        match rising {
            Some(true) => pivots.push(high),
            Some(false) => pivots.push(low),
            None => {}
        }
        pivots
    }
}

//! Finds the swings and movements in the trace of an axis, in spite of noise, lag and sag.
//!
//! A *leg* goes from one extreme to the next. A *movement* is a part of a leg without a standstill inside.

use crate::axis::{Axis, Direction};
use crate::trace::MotionTrace;

/// The time over which values are averaged, seconds: noise becomes smaller, and fast swings hardly do.
const SMOOTHING_SECONDS: f64 = 0.06;
/// The smallest change that counts as a movement, degrees.
const MIN_CHANGE_DEGREES: f64 = 2.0;
/// The smallest change that counts as a movement, millimetres.
const MIN_CHANGE_MM: f64 = 1.5;
/// A leg that is smaller than this share of a neighbour is overshoot, not a swing.
const OVERSHOOT_SHARE: f64 = 0.15;
/// A leg that ends short of the start value by at most this share of its length is a return. Fast swings do not quite
/// return.
const RETURN_SHARE: f64 = 0.45;
/// An axis has come back if it ends within this share of its largest deviation of the start value.
const BACK_SHARE: f64 = 0.3;
/// Swings that follow each other in less time than this do not get back to the start value, seconds.
const FAST_SWING_SECONDS: f64 = 0.6;
/// A value that stays this long is a standstill, seconds.
const STANDSTILL_SECONDS: f64 = 0.25;
/// How much a value may change in a standstill, as a share of the smallest change of a movement.
const STANDSTILL_SHARE: f64 = 0.5;
/// Below this mean speed, in smallest changes per second, a leg is one slow movement.
const SLOW_SPEED: f64 = 3.0;
/// The share of a leg at which its beginning and end are found.
const EDGE_SHARE: f64 = 0.05;
/// How far a movement extends beyond the edges found, as a share of the time from the edge to its middle. It is
/// between minimum jerk's 0.4 and a constant velocity's 0.1.
const EDGE_EXTENSION: f64 = 0.3;

/// The smallest change that counts as a movement of an axis.
pub(super) fn min_change(axis: Axis) -> f64 {
    if axis.is_shift() { MIN_CHANGE_MM } else { MIN_CHANGE_DEGREES }
}

/// The way from one extreme of an axis to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leg {
    pub(super) to: f64,
    /// When the axis arrives, seconds.
    pub(super) arrival_s: f64,
    pub(super) direction: Direction,
    pub(super) is_return: bool,
}

/// A movement without a standstill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Movement {
    pub(super) from_s: f64,
    pub(super) to_s: f64,
    pub(super) direction: Direction,
    pub(super) is_return: bool,
}

/// The leg that a movement belongs to: its first and last index, and where it goes.
struct Course {
    start: usize,
    end: usize,
    direction: Direction,
    is_return: bool,
}

/// What one axis does.
#[derive(Clone, Debug)]
pub(super) struct AxisMotion {
    pub(super) axis: Axis,
    /// The value at the start.
    pub(super) rest: f64,
    /// The value at the end.
    pub(super) end: f64,
    /// The smoothed values.
    pub(super) values: Vec<f64>,
    pub(super) period: f64,
    pub(super) legs: Vec<Leg>,
    pub(super) movements: Vec<Movement>,
}

/// What all axes do.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    axes: Vec<AxisMotion>,
}

impl Motion {
    pub(super) fn of(trace: &MotionTrace) -> Self {
        let period = if trace.period.is_finite() { trace.period.clamp(1e-4, 10.0) } else { 0.01 };
        let one = |axis: Axis| {
            let values = trace.samples.iter().map(|sample| sample[axis]);
            AxisMotion::of(axis, values.collect(), period)
        };
        Motion { axes: Axis::ALL.into_iter().map(one).collect() }
    }

    pub(super) fn axes(&self) -> &[AxisMotion] {
        &self.axes
    }

    pub(super) fn axis(&self, axis: Axis) -> Option<&AxisMotion> {
        self.axes.get(axis as usize)
    }

    pub(super) fn movements(&self) -> impl Iterator<Item = &Movement> {
        self.axes.iter().flat_map(|axis| &axis.movements)
    }
}

impl AxisMotion {
    fn of(axis: Axis, raw: Vec<f64>, period: f64) -> Self {
        let values = smoothed(&raw, (SMOOTHING_SECONDS / period / 2.0).round() as usize);
        let head: Vec<f64> = values.iter().take(3).copied().collect();
        let rest = mean(&head).unwrap_or(axis.neutral());
        let tail: Vec<f64> = values.iter().rev().take(((0.1 / period) as usize).max(1)).copied().collect();
        let end = mean(&tail).unwrap_or(rest);
        let mut motion =
            AxisMotion { axis, rest, end, values, period, legs: Vec::new(), movements: Vec::new() };
        let floor = min_change(axis);
        let pivots = without_overshoot(turning_points(&motion.values, floor), &motion.values);
        for (start, end) in pivots.iter().zip(pivots.iter().skip(1)) {
            motion.add_leg(*start, *end, floor);
        }
        motion
    }

    fn value(&self, index: usize) -> f64 {
        self.values.get(index).copied().unwrap_or(self.rest)
    }

    fn seconds(&self, index: f64) -> f64 {
        index * self.period
    }

    fn is_return(&self, from: f64, to: f64) -> bool {
        let is_beyond = (to - self.rest) * (from - self.rest) < 0.0;
        let share = if is_beyond { OVERSHOOT_SHARE } else { RETURN_SHARE };
        (to - self.rest).abs() <= min_change(self.axis).max(share * (to - from).abs())
    }

    /// Returns the first index from `start` at which the axis has passed a value on its way from `from` to `to`.
    fn crossing(&self, start: usize, end: usize, value: f64, is_rising: bool) -> usize {
        let passes = |index: &usize| {
            if is_rising { self.value(*index) >= value } else { self.value(*index) <= value }
        };
        (start..=end).find(passes).unwrap_or(end)
    }

    fn add_leg(&mut self, start: usize, end: usize, floor: f64) {
        let (from, to) = (self.value(start), self.value(end));
        let change = to - from;
        let middle = self.crossing(start, end, from + change / 2.0, change > 0.0);
        let direction = self.axis.direction_of(change);
        // An extreme of a noisy standstill lies beyond its mean, so the edges are looked for from the middle.
        let edge = (EDGE_SHARE * change.abs()).max(0.6 * floor).min(0.4 * change.abs());
        let first =
            (start..=middle).rev().find(|index| (self.value(*index) - from).abs() <= edge).unwrap_or(start);
        let last = (middle..=end).find(|index| (self.value(*index) - to).abs() <= edge).unwrap_or(end);
        let arrival_s = self.seconds(last as f64);
        let is_return = self.is_return(from, to);
        self.legs.push(Leg { to, arrival_s, direction, is_return });
        let course = Course { start, end, direction, is_return };
        let duration = self.seconds((last - first).max(1) as f64);
        if change.abs() / duration < SLOW_SPEED * floor {
            self.add_movement(first, last, &course, floor);
            return;
        }
        let mut begin = first;
        for (still_from, still_to) in self.standstills(first, last, floor) {
            self.add_movement(begin, still_from, &course, floor);
            begin = still_to;
        }
        self.add_movement(begin, last, &course, floor);
    }

    /// Adds a movement within a leg's bounds, if it goes somewhere.
    fn add_movement(&mut self, first: usize, last: usize, course: &Course, floor: f64) {
        let (from, to) = (self.value(first), self.value(last));
        if (to - from).abs() < 0.4 * floor {
            return;
        }
        let middle = self.crossing(first, last, (from + to) / 2.0, to > from);
        let before = (middle - first) as f64 * EDGE_EXTENSION;
        let after = (last - middle) as f64 * EDGE_EXTENSION;
        let from_s = self.seconds((first as f64 - before).max(course.start as f64));
        let to_s = self.seconds((last as f64 + after).min(course.end as f64));
        // A part of the way back is a return; so is a stop at the start value on the way to the other side.
        let is_return = course.is_return || self.is_return(from, to);
        self.movements.push(Movement { from_s, to_s, direction: course.direction, is_return });
    }

    /// Returns the standstills between two indices.
    fn standstills(&self, first: usize, last: usize, floor: f64) -> Vec<(usize, usize)> {
        let window = (STANDSTILL_SECONDS / self.period).round().max(2.0) as usize;
        let mut found: Vec<(usize, usize)> = Vec::new();
        let mut index = first;
        while index + window <= last {
            let values = self.values.get(index..=index + window).unwrap_or(&[]);
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if high - low <= STANDSTILL_SHARE * floor {
                match found.last_mut() {
                    Some((_, until)) if *until >= index => *until = index + window,
                    _ => found.push((index, index + window)),
                }
            }
            index += 1;
        }
        found
    }

    /// Returns the largest value in a direction from the start value, and from zero.
    pub(super) fn reach(&self, sign: f64) -> (f64, f64) {
        let largest = self.values.iter().map(|value| sign * value).fold(f64::NEG_INFINITY, f64::max);
        (largest - sign * self.rest, largest)
    }

    /// Returns the largest value in a direction from the start value, and its time, seconds from the start.
    pub(super) fn furthest(&self, sign: f64) -> Option<(f64, f64)> {
        let values = self.values.iter().enumerate().map(|(index, value)| (sign * (value - self.rest), index));
        let (value, index) = values.max_by(|one, other| one.0.total_cmp(&other.0))?;
        Some((value, index as f64 * self.period))
    }

    /// Returns the legs in a direction that are not returns.
    pub(super) fn swings(&self, direction: Direction) -> Vec<Leg> {
        self.legs.iter().filter(|leg| leg.direction == direction && !leg.is_return).copied().collect()
    }

    /// Returns the swings that count if no direction is given.
    pub(super) fn main_swings(&self) -> Vec<Leg> {
        let [one, other] = self.axis.directions().map(|direction| self.swings(direction));
        let [far, near] = [1.0, -1.0].map(|sign| self.reach(sign).0);
        let (more, fewer) = if one.len() >= other.len() { (one, other) } else { (other, one) };
        // Swings about a value to one side of the start begin with a leg there, which is no swing of its own. Swings that
        // follow each other fast stay to one side as well, because the servos do not get back in time.
        let is_one_sided = far.min(near) < 0.25 * far.max(near);
        let duration = match (more.first(), more.last()) {
            (Some(first), Some(last)) => last.arrival_s - first.arrival_s,
            _ => 0.0,
        };
        let is_fast = duration < FAST_SWING_SECONDS * (more.len().saturating_sub(1)) as f64;
        if is_one_sided && !is_fast && !fewer.is_empty() { fewer } else { more }
    }

    /// Returns the direction in which the axis goes furthest from its start.
    pub(super) fn main_direction(&self) -> Direction {
        self.axis.direction_of(if self.reach(1.0).0 >= self.reach(-1.0).0 { 1.0 } else { -1.0 })
    }

    /// Returns the largest deviation from the start value.
    pub(super) fn deviation(&self) -> f64 {
        self.values.iter().map(|value| (value - self.rest).abs()).fold(0.0, f64::max)
    }

    /// Returns whether the axis ends near its start, after having moved by `amount`.
    pub(super) fn comes_back(&self, amount: f64) -> bool {
        (self.end - self.rest).abs() <= min_change(self.axis).max(BACK_SHARE * amount)
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Averages each value with `half` neighbours on each side. A value that is not a number repeats the one before.
fn smoothed(raw: &[f64], half: usize) -> Vec<f64> {
    let mut clean = Vec::with_capacity(raw.len());
    let mut last = raw.iter().copied().find(|value| value.is_finite()).unwrap_or(0.0);
    for value in raw {
        if value.is_finite() {
            last = *value;
        }
        clean.push(last);
    }
    let average = |index: usize| {
        let near = half.min(index).min(clean.len() - 1 - index);
        clean.get(index - near..=index + near).and_then(mean).unwrap_or(0.0)
    };
    (0..clean.len()).map(average).collect()
}

/// Returns the indices of the extremes that differ by at least `floor`; none if the value changes less.
fn turning_points(values: &[f64], floor: f64) -> Vec<usize> {
    let mut points = Vec::new();
    let Some(first) = values.first() else { return points };
    let (mut low, mut high) = ((0, *first), (0, *first));
    // 1 while the value rises, -1 while it falls, 0 before it has moved.
    let mut course = 0;
    for (index, value) in values.iter().copied().enumerate() {
        if value > high.1 {
            high = (index, value);
        }
        if value < low.1 {
            low = (index, value);
        }
        if course >= 0 && high.1 - value >= floor {
            points.push(high.0);
            course = -1;
            low = (index, value);
        } else if course <= 0 && value - low.1 >= floor {
            points.push(low.0);
            course = 1;
            high = (index, value);
        } else if course > 0 {
            low = (index, value);
        } else if course < 0 {
            high = (index, value);
        }
    }
    match course {
        1 => points.push(high.0),
        -1 => points.push(low.0),
        _ => {}
    }
    points
}

/// Removes the legs that are small beside a neighbour, the smallest first.
fn without_overshoot(mut points: Vec<usize>, values: &[f64]) -> Vec<usize> {
    let value = |index: &usize| values.get(*index).copied().unwrap_or(0.0);
    loop {
        let legs: Vec<f64> = points
            .iter()
            .zip(points.iter().skip(1))
            .map(|(from, to)| (value(to) - value(from)).abs())
            .collect();
        let leg = |index: usize| legs.get(index).copied().unwrap_or(0.0);
        let share = |index: usize| {
            let neighbour = leg(index + 1).max(index.checked_sub(1).map_or(0.0, leg));
            if neighbour > 0.0 { leg(index) / neighbour } else { f64::INFINITY }
        };
        let smallest =
            (0..legs.len()).map(|index| (index, share(index))).min_by(|one, other| one.1.total_cmp(&other.1));
        let Some((index, _)) = smallest.filter(|(_, share)| *share < OVERSHOOT_SHARE) else { return points };
        if index + 1 == legs.len() {
            points.pop();
        } else if index == 0 {
            points.remove(0);
        } else {
            points.drain(index..=index + 1);
        }
    }
}

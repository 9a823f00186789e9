//! How far a movement goes, and what a parameter changes.

use minismith_score::expects::Expect;
use minismith_score::{Axis, Direction};

use crate::aims::Aim;
use crate::meaning::{Bound, Role};
use crate::reading::Action;

/// The least and the largest amount of a movement.
pub(super) fn bounds(action: &Action, axis: Axis, direction: Option<Direction>) -> (f64, Option<f64>) {
    let is_antenna = Axis::ANTENNAS.contains(&axis);
    if let Some((amount, bound)) = action.amount {
        let tolerance = (0.2 * amount).max(3.0);
        return match bound {
            Bound::About => ((amount - tolerance).max(2.0), Some(amount + tolerance)),
            Bound::AtLeast => ((amount * 0.95 - 1.0).max(2.0), None),
            Bound::AtMost => (least(axis, direction).min(amount * 0.5), Some(amount * 1.05 + 1.0)),
        };
    }
    let least = least(axis, direction);
    let by_axis = |antenna: f64, body: f64, shift: f64, head: f64| match axis {
        _ if is_antenna => antenna,
        Axis::BodyTurn => body,
        _ if axis.is_shift() => shift,
        _ => head,
    };
    if action.change.is_some() {
        return (least, None);
    }
    match (action.is_large, action.is_small) {
        (true, false) => (by_axis(40.0, 30.0, 7.0, 13.0), None),
        (false, true) => (least - by_axis(3.0, 1.0, 1.0, 1.5), Some(by_axis(60.0, 45.0, 12.0, 25.0))),
        _ => (least, None),
    }
}

/// The least amount that counts as what was asked for.
pub(super) fn least(axis: Axis, direction: Option<Direction>) -> f64 {
    match axis {
        Axis::AntennaLeft | Axis::AntennaRight => {
            // An amount may count from upright, but the antennas don't rest there.
            let lean = direction
                .and_then(|direction| axis.sign(direction))
                .map_or(0.0, |sign| sign * axis.neutral());
            10.0 + lean.max(0.0)
        }
        _ if axis.is_shift() => 3.0,
        _ => 5.0,
    }
}

pub(super) fn opposite(axis: Axis, direction: Direction) -> Direction {
    let [one, other] = axis.directions();
    if direction == one { other } else { one }
}

/// The usual name of a parameter, and values to call it with.
pub(super) fn parameter(role: Role, axis: Option<Axis>) -> (&'static str, Vec<f64>) {
    match role {
        Role::Times => ("times", vec![2.0, 5.0]),
        Role::Degrees | Role::Distance => match axis {
            Some(axis) if axis.is_shift() => ("millimetres", vec![8.0, 15.0]),
            Some(Axis::AntennaLeft | Axis::AntennaRight | Axis::BodyTurn) => ("degrees", vec![30.0, 60.0]),
            _ => ("degrees", vec![12.0, 25.0]),
        },
        Role::Seconds => ("seconds", vec![1.0, 4.0]),
        Role::Speed => ("speed", vec![2.0]),
        Role::Size => ("size", vec![0.5]),
    }
}

pub(super) fn with_parameter(role: Role, action: &Action, aim: &Aim, value: f64) -> Expect {
    let (axis, direction) = (aim.axis, aim.direction);
    match role {
        Role::Times => {
            Expect::Swings { axis, direction, count: Some(value as usize), at_least: None, at_most: None }
        }
        Role::Degrees | Role::Distance => {
            let tolerance = (0.2 * value).max(3.0);
            Expect::Moves { axis, direction, at_least: value - tolerance, at_most: Some(value + tolerance) }
        }
        Role::Seconds if action.is_oscillation() && !action.stays && action.hold.is_none() => {
            Expect::Duration { at_least: Some(value * 0.8), at_most: Some(value * 1.2 + 1.0) }
        }
        Role::Seconds => Expect::Holds { axis, direction, seconds: value * 0.9 },
        Role::Speed => Expect::Moves { axis, direction, at_least: least(axis, direction), at_most: None },
        Role::Size => Expect::Moves { axis, direction, at_least: 2.0, at_most: None },
    }
}

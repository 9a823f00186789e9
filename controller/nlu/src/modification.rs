//! Changes an earlier motion in one respect. The result is validated like any other motion.

use std::time::Duration;

use firmware_bridge::units::Radians;

use super::lexicon::Direction;
use super::primitive::{self as p, Look, Primitive, Side};

/// The respect in which a motion changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Modification {
    /// Multiply the distance.
    Scale(f64),
    /// Multiply the distance or the depth.
    Size(f64),
    /// Go to the end of the range.
    Full,
    /// Multiply the depth of nods and shakes.
    Swing(f64),
    /// Mirror the motion.
    Opposite,
    /// Do the same to another side, by another angle if one is given.
    To(Direction, Option<Radians>),
    /// Go further to this side, by this fraction of the previous distance.
    Toward(Direction, f64),
    /// Go further to this side, by this angle.
    TowardBy(Direction, Radians),
    /// Go this far.
    Angle(Radians),
    /// Go further by this angle.
    Add(Radians),
    /// Go to this height, in metres.
    Metres(f64),
    /// Repeat this many times.
    Times(u32),
    /// Slow down by this factor.
    Pace(f64),
    /// Take this many seconds.
    Within(f64),
    /// Multiply the duration of dances and waits.
    Longer(f64),
}

impl Modification {
    /// Returns whether the change applies to a whole sequence and not to one motion of it.
    pub const fn is_about_all(self) -> bool {
        matches!(self, Modification::Pace(_))
    }
}

/// Returns the changed motion; none if it has no quantity of that kind.
pub(super) fn changed(motion: &Primitive, change: Modification) -> Option<Primitive> {
    match change {
        Modification::Scale(factor) => match motion {
            Primitive::Height { metres, duration } => {
                Some(Primitive::Height { metres: metres * factor, duration: *duration })
            }
            _ => with_angle(motion, |signed| signed * factor),
        },
        Modification::Size(factor) => {
            changed(motion, Modification::Scale(factor)).or_else(|| with_depth(motion, factor))
        }
        Modification::Add(more) => {
            // A negative distance leaves no motion.
            let (_, before) = signed(motion)?;
            let stays = (before.abs() + more).value() >= 0.0;
            stays.then(|| with_angle(motion, |signed| signed + more * signed.value().signum()))?
        }
        Modification::Angle(angle) => match motion {
            Primitive::Nod { times, half, .. } => Some(Primitive::Nod { times: *times, angle, half: *half }),
            Primitive::Shake { times, half, .. } => {
                Some(Primitive::Shake { times: *times, angle, half: *half })
            }
            Primitive::SetAntennas { right, left, duration } => Some(Primitive::SetAntennas {
                right: right.map(|_| angle),
                left: left.map(|_| angle),
                duration: *duration,
            }),
            _ => with_angle(motion, |signed| angle * signed.value().signum()),
        },
        Modification::Full => furthest(motion),
        Modification::Swing(factor) => with_depth(motion, factor),
        Modification::Opposite => match motion {
            Primitive::Height { metres, duration } => {
                Some(Primitive::Height { metres: -metres, duration: *duration })
            }
            _ => with_angle(motion, |signed| -signed),
        },
        Modification::To(direction, angle) => with_direction(motion, direction, angle),
        Modification::Toward(direction, part) => match motion {
            Primitive::Height { metres, duration } => {
                let sign = sign(Axis::Height, direction)?;
                let metres = metres + metres.abs() * part * sign;
                Some(Primitive::Height { metres, duration: *duration })
            }
            _ => with_direction_offset(motion, direction, |signed| signed.abs() * part),
        },
        Modification::TowardBy(direction, by) => with_direction_offset(motion, direction, |_| by),
        Modification::Metres(metres) => match motion {
            Primitive::Height { metres: before, duration } => {
                Some(Primitive::Height { metres: metres * before.signum(), duration: *duration })
            }
            _ => None,
        },
        Modification::Times(often) => with_repetitions(motion, often),
        Modification::Pace(slower) => with_pace(motion, slower),
        Modification::Within(seconds) => with_duration(motion, seconds),
        Modification::Longer(factor) => match motion {
            Primitive::Dance { duration } => Some(Primitive::Dance { duration: duration.mul_f64(factor) }),
            Primitive::Wait { duration } => Some(Primitive::Wait { duration: duration.mul_f64(factor) }),
            _ => None,
        },
    }
}

/// The axis of an angle; the sign gives the direction.
#[derive(Clone, Copy, PartialEq)]
enum Axis {
    /// Left and right.
    Sides,
    /// Up and down.
    Level,
    /// The height of the head.
    Height,
}

/// Returns the sign of a direction on an axis; none if it is not on the axis.
const fn sign(axis: Axis, direction: Direction) -> Option<f64> {
    match (axis, direction) {
        (Axis::Sides, Direction::Left) | (Axis::Level | Axis::Height, Direction::Up) => Some(1.0),
        (Axis::Sides, Direction::Right) | (Axis::Level | Axis::Height, Direction::Down) => Some(-1.0),
        _ => None,
    }
}

/// Returns the axis of a motion and the signed distance: left and up are positive.
fn signed(motion: &Primitive) -> Option<(Axis, Radians)> {
    match *motion {
        Primitive::Look { direction: Look::Left, angle, .. }
        | Primitive::Tilt { side: Side::Left, angle, .. }
        | Primitive::TurnBody { angle, .. } => Some((Axis::Sides, angle)),
        Primitive::Look { direction: Look::Right, angle, .. }
        | Primitive::Tilt { side: Side::Right, angle, .. } => Some((Axis::Sides, -angle)),
        Primitive::Look { direction: Look::Up, angle, .. } => Some((Axis::Level, angle)),
        Primitive::Look { direction: Look::Down, angle, .. } => Some((Axis::Level, -angle)),
        _ => None,
    }
}

/// Returns the motion with another angle along its axis, at the same pace; none if it has no angle.
fn with_angle(motion: &Primitive, to: impl Fn(Radians) -> Radians) -> Option<Primitive> {
    let (axis, before) = signed(motion)?;
    if before.value() == 0.0 {
        return None;
    }
    let after = to(before);
    let (positive, angle) = (after.value() >= 0.0, after.abs());
    let fresh = |default_before: Duration, usual: Duration, duration: Duration| {
        let pace = duration.as_secs_f64() / default_before.as_secs_f64();
        if duration == default_before { usual } else { usual.mul_f64(pace) }
    };
    Some(match *motion {
        Primitive::Look { angle: before, duration, .. } => {
            let direction = match (axis, positive) {
                (Axis::Sides, true) => Look::Left,
                (Axis::Sides, false) => Look::Right,
                (_, true) => Look::Up,
                (_, false) => Look::Down,
            };
            let duration = fresh(p::head_duration(before), p::head_duration(angle), duration);
            Primitive::Look { direction, angle, duration }
        }
        Primitive::Tilt { angle: before, duration, .. } => {
            let side = if positive { Side::Left } else { Side::Right };
            let duration = fresh(p::head_duration(before), p::head_duration(angle), duration);
            Primitive::Tilt { side, angle, duration }
        }
        Primitive::TurnBody { angle: before, duration } => {
            let duration = fresh(p::body_duration(before), p::body_duration(after), duration);
            Primitive::TurnBody { angle: after, duration }
        }
        _ => return None,
    })
}

fn with_direction_offset(
    motion: &Primitive,
    direction: Direction,
    by: impl Fn(Radians) -> Radians,
) -> Option<Primitive> {
    let (axis, _) = signed(motion)?;
    let sign = sign(axis, direction)?;
    with_angle(motion, |before| before + by(before) * sign)
}

fn with_direction(motion: &Primitive, direction: Direction, angle: Option<Radians>) -> Option<Primitive> {
    match *motion {
        Primitive::Look { angle: before, duration, .. } => {
            if direction == Direction::Ahead && angle.is_none() {
                return Some(Primitive::Look { direction: Look::Ahead, angle: Radians::ZERO, duration });
            }
            let direction = match direction {
                Direction::Left => Look::Left,
                Direction::Right => Look::Right,
                Direction::Up => Look::Up,
                Direction::Down => Look::Down,
                _ => return None,
            };
            let turned = Primitive::Look { direction, angle: before, duration };
            angle.map_or(Some(turned), |angle| changed(&turned, Modification::Angle(angle)))
        }
        Primitive::Tilt { .. } | Primitive::TurnBody { .. } => {
            let (axis, _) = signed(motion)?;
            let sign = sign(axis, direction)?;
            with_angle(motion, |before| angle.unwrap_or(before.abs()) * sign)
        }
        Primitive::Height { metres, duration } if angle.is_none() => {
            let metres = metres.abs() * sign(Axis::Height, direction)?;
            Some(Primitive::Height { metres, duration })
        }
        _ => None,
    }
}

fn furthest(motion: &Primitive) -> Option<Primitive> {
    match *motion {
        Primitive::Height { metres, duration } => {
            Some(Primitive::Height { metres: p::furthest_height(metres), duration })
        }
        _ => {
            let most = p::furthest(motion)?;
            with_angle(motion, |before| most * before.value().signum())
        }
    }
}

fn with_depth(motion: &Primitive, factor: f64) -> Option<Primitive> {
    match *motion {
        Primitive::Nod { times, angle, half } => Some(Primitive::Nod { times, angle: angle * factor, half }),
        Primitive::Shake { times, angle, half } => {
            Some(Primitive::Shake { times, angle: angle * factor, half })
        }
        _ => None,
    }
}

fn with_repetitions(motion: &Primitive, times: u32) -> Option<Primitive> {
    match *motion {
        Primitive::Nod { angle, half, .. } => Some(Primitive::Nod { times, angle, half }),
        Primitive::Shake { angle, half, .. } => Some(Primitive::Shake { times, angle, half }),
        Primitive::WiggleAntennas { half, .. } => Some(Primitive::WiggleAntennas { times, half }),
        _ => None,
    }
}

fn with_pace(motion: &Primitive, slower: f64) -> Option<Primitive> {
    let mut motion = *motion;
    match &mut motion {
        Primitive::Look { duration, .. }
        | Primitive::LookAt { duration, .. }
        | Primitive::Tilt { duration, .. }
        | Primitive::TurnBody { duration, .. }
        | Primitive::Height { duration, .. }
        | Primitive::SetAntennas { duration, .. }
        | Primitive::Return { duration, .. } => *duration = duration.mul_f64(slower),
        Primitive::Nod { half, .. }
        | Primitive::Shake { half, .. }
        | Primitive::WiggleAntennas { half, .. } => *half = half.mul_f64(slower),
        Primitive::Dance { .. }
        | Primitive::Center
        | Primitive::Wake
        | Primitive::Sleep
        | Primitive::Wait { .. } => return None,
    }
    Some(motion)
}

fn with_duration(motion: &Primitive, seconds: f64) -> Option<Primitive> {
    let whole = Duration::try_from_secs_f64(seconds).ok()?;
    let mut motion = *motion;
    match &mut motion {
        Primitive::Look { duration, .. }
        | Primitive::LookAt { duration, .. }
        | Primitive::Tilt { duration, .. }
        | Primitive::TurnBody { duration, .. }
        | Primitive::Height { duration, .. }
        | Primitive::SetAntennas { duration, .. }
        | Primitive::Return { duration, .. }
        | Primitive::Dance { duration }
        | Primitive::Wait { duration } => *duration = whole,
        Primitive::Nod { times, half, .. }
        | Primitive::Shake { times, half, .. }
        | Primitive::WiggleAntennas { times, half } => *half = whole / times.saturating_mul(2).max(1),
        Primitive::Center | Primitive::Wake | Primitive::Sleep => return None,
    }
    Some(motion)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn deg(degrees: f64) -> Radians {
        Radians::from_degrees(degrees)
    }

    fn look(direction: Look, degrees: f64) -> Primitive {
        Primitive::Look { direction, angle: deg(degrees), duration: p::head_duration(deg(degrees)) }
    }

    #[test]
    fn longer_motions_keep_their_pace() {
        let slow = with_pace(&look(Look::Left, 30.0), 2.0).unwrap();
        let Some(Primitive::Look { duration, .. }) = changed(&slow, Modification::Scale(2.0)) else {
            panic!()
        };
        assert_eq!(duration, Duration::from_secs(4));
    }

    #[test]
    fn a_look_past_the_middle_changes_sides() {
        let changed = changed(&look(Look::Left, 20.0), Modification::TowardBy(Direction::Right, deg(30.0)));
        assert!(matches!(changed, Some(Primitive::Look { direction: Look::Right, .. })), "{changed:?}");
    }

    #[test]
    fn motions_without_the_quantity_are_not_changed() {
        for change in [
            Modification::Scale(2.0),
            Modification::Opposite,
            Modification::Pace(2.0),
            Modification::Swing(2.0),
        ] {
            for motion in [Primitive::Wake, Primitive::Sleep, Primitive::Center] {
                assert_eq!(changed(&motion, change), None);
            }
        }
        assert_eq!(changed(&look(Look::Ahead, 0.0), Modification::Scale(2.0)), None);
        assert_eq!(changed(&look(Look::Left, 20.0), Modification::Toward(Direction::Up, 0.5)), None);
    }
}

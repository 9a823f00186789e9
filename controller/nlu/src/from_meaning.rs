//! Says a motion that the reader of commands understood as primitives, where each of its steps is one.
//!
//! A primitive is absolute: it names the angle to which the robot goes. So what was said relative to the posture is given
//! its goal here, and a motion that leaves other axes of the head where they are stays a meaning.

use std::time::Duration;

use firmware_bridge::units::Radians;
use minismith_commands::meaning::{Aim as AxisAim, Amount, Gesture, Meaning};
use minismith_score::{Axis, AxisValues};

use super::aim::Aim;
use super::intent::MAX_STEPS;
use super::primitive::{
    CENTER, DEFAULT_AIM_TIME, HALF_SWING_TIME, Look, MAX_ANTENNA_DEG, MAX_SWING, MAX_TIMES, Primitive, Side,
    antenna_duration, body_duration, furthest, furthest_height, head_duration,
};

/// Postures within this of each other count as the same, degrees or millimetres.
const SAME: f64 = 1.0;

/// Returns the primitives that do what a meaning says; none where a step is more than one of them can do, such as two
/// parts at the same time. `start`: the posture from which it begins.
pub(super) fn primitives(meaning: &Meaning, start: &AxisValues) -> Option<Vec<Primitive>> {
    let is_shifted = [Axis::HeadForward, Axis::HeadSide].iter().any(|axis| start[*axis].abs() > SAME);
    let mut steps = Steps { plan: Vec::new(), now: Aim::of(&start.to_posture()) };
    steps.collect(meaning)?;
    (!is_shifted).then_some(steps.plan)
}

struct Steps {
    plan: Vec<Primitive>,
    /// Where the plan so far leaves the robot.
    now: Aim,
}

impl Steps {
    fn collect(&mut self, meaning: &Meaning) -> Option<()> {
        match meaning {
            Meaning::Sequence(inner) => {
                for one in inner {
                    self.collect(one)?;
                }
            }
            Meaning::Repeat(count, inner) => {
                for _ in 0..*count {
                    self.collect(inner)?;
                }
            }
            Meaning::Gesture(gesture) => match strokes(gesture)? {
                Strokes::One(primitive) => self.push(primitive),
                Strokes::Each(steps) => {
                    for step in &steps {
                        self.collect(step)?;
                    }
                }
            },
            other => {
                let now = AxisValues::from_posture(&self.now.posture());
                let primitive = primitive(other, &now)?;
                let is_look = matches!(primitive, Primitive::Look { .. });
                if is_look && !self.leaves_nothing_behind(&other.axes()) {
                    return None;
                }
                self.push(primitive);
            }
        }
        (self.plan.len() <= MAX_STEPS).then_some(())
    }

    fn push(&mut self, primitive: Primitive) {
        // What is out of range is refused later.
        if primitive.check().is_ok() {
            primitive.motions_from(&mut self.now);
        }
        self.plan.push(primitive);
    }

    /// Returns whether the head is level but for these axes. A look is absolute: it takes the other angles back, and
    /// leaves the height.
    fn leaves_nothing_behind(&self, moved: &[Axis]) -> bool {
        let angles = self.now.angles;
        let is_level = |axis: Axis, angle: Radians| moved.contains(&axis) || angle.abs().degrees() < SAME;
        is_level(Axis::HeadTurn, angles.yaw)
            && is_level(Axis::HeadPitch, angles.pitch)
            && is_level(Axis::HeadTilt, angles.roll)
            && (!moved.contains(&Axis::HeadRise) || self.now.height.abs() * 1000.0 < SAME)
    }
}

fn primitive(meaning: &Meaning, start: &AxisValues) -> Option<Primitive> {
    Some(match meaning {
        Meaning::Go { aims, seconds, pace } => go(aims, start, &|usual| timed(usual, *seconds, *pace))?,
        Meaning::Dance(seconds) => Primitive::Dance { duration: duration(*seconds) },
        Meaning::Wait(seconds) => Primitive::Wait { duration: duration(*seconds) },
        Meaning::Neutral { axes, seconds, pace } => neutral(axes, &|usual| timed(usual, *seconds, *pace))?,
        Meaning::Posture(posture) => {
            Primitive::Return { to: Aim::of(&posture.to_posture()), duration: CENTER }
        }
        Meaning::Wake => Primitive::Wake,
        Meaning::Sleep => Primitive::Sleep,
        Meaning::Gesture(_)
        | Meaning::Sound
        | Meaning::Together(_)
        | Meaning::Sequence(_)
        | Meaning::Repeat(..) => return None,
    })
}

/// Returns a duration: the longest one, which is out of range, where there is none so long.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Returns the duration that was asked for, or the usual one times a factor.
fn timed(usual: Duration, seconds: Option<f64>, pace: f64) -> Duration {
    match seconds {
        Some(seconds) => duration(seconds),
        None => scaled(usual, pace),
    }
}

fn scaled(usual: Duration, factor: f64) -> Duration {
    duration(usual.as_secs_f64() * factor)
}

fn ahead(timed: &dyn Fn(Duration) -> Duration) -> Primitive {
    let duration = timed(head_duration(Radians::ZERO));
    Primitive::Look { direction: Look::Ahead, angle: Radians::ZERO, duration }
}

fn go(aims: &[AxisAim], start: &AxisValues, timed: &dyn Fn(Duration) -> Duration) -> Option<Primitive> {
    if aims.iter().all(|aim| Axis::HEAD.contains(&aim.axis) && aim.sign == 0.0) {
        return Some(ahead(timed));
    }
    if aims.iter().all(|aim| Axis::ANTENNAS.contains(&aim.axis)) {
        let of = |axis: Axis| aims.iter().find(|aim| aim.axis == axis).map(antenna_angle);
        let (left, right) = (of(Axis::AntennaLeft), of(Axis::AntennaRight));
        if left == Some(None) || right == Some(None) {
            return None;
        }
        let (left, right) = (left.flatten(), right.flatten());
        let usual = left.into_iter().chain(right).map(antenna_duration).max()?;
        return Some(Primitive::SetAntennas { right, left, duration: timed(usual) });
    }
    let [aim] = aims else { return None };
    let aim = aim.from_neutral(start);
    if aim.axis == Axis::HeadTurn && aim.amount == Amount::Exactly(0.0) {
        return Some(ahead(timed));
    }
    let is_positive = aim.sign > 0.0;
    let primitive = |angle: Radians| {
        Some(match aim.axis {
            Axis::HeadTurn => Primitive::Look {
                direction: if is_positive { Look::Left } else { Look::Right },
                angle,
                duration: timed(head_duration(angle)),
            },
            Axis::HeadPitch => Primitive::Look {
                direction: if is_positive { Look::Down } else { Look::Up },
                angle,
                duration: timed(head_duration(angle)),
            },
            Axis::HeadTilt => Primitive::Tilt {
                side: if is_positive { Side::Right } else { Side::Left },
                angle,
                duration: timed(head_duration(angle)),
            },
            Axis::BodyTurn => {
                Primitive::TurnBody { angle: angle * aim.sign, duration: timed(body_duration(angle)) }
            }
            Axis::HeadRise => Primitive::Height {
                metres: angle.degrees() * aim.sign / 1000.0,
                duration: timed(DEFAULT_AIM_TIME),
            },
            _ => return None,
        })
    };
    let most = match primitive(Radians::ZERO)? {
        Primitive::Height { .. } => furthest_height(aim.sign).abs() * 1000.0,
        other => furthest(&other)?.degrees(),
    };
    primitive(Radians::from_degrees(match aim.amount {
        Amount::Usual(factor) => (aim.usual * factor).min(most),
        Amount::Exactly(amount) => amount,
        Amount::Most => most,
        Amount::Further(_) => return None,
    }))
}

/// Returns where an antenna goes, outwards.
fn antenna_angle(aim: &AxisAim) -> Option<Radians> {
    let degrees = match aim.amount {
        Amount::Usual(factor) => (aim.usual * factor).min(MAX_ANTENNA_DEG),
        Amount::Exactly(amount) => amount,
        Amount::Most => MAX_ANTENNA_DEG,
        Amount::Further(_) => return None,
    };
    Some(Radians::from_degrees(aim.sign * degrees))
}

/// The motions of a gesture.
enum Strokes {
    One(Primitive),
    Each(Vec<Meaning>),
}

/// Returns the motions of a gesture.
fn strokes(gesture: &Gesture) -> Option<Strokes> {
    let Gesture { strokes, is_out_and_back, count: times, hold, stroke: pace, pause, trend, period, total } =
        gesture;
    if *pause > 0.0 || trend.is_some() || period.is_some() || *times > MAX_TIMES {
        return None;
    }
    let times = *times;
    let half = match total {
        Some(total) => duration(total / f64::from(2 * times)),
        None => scaled(HALF_SWING_TIME, *pace).max(FASTEST_HALF),
    };
    let angle = |aim: &AxisAim| match aim.amount {
        Amount::Usual(factor) => Some(Radians::from_degrees(aim.usual * factor)),
        Amount::Exactly(amount) => Some(Radians::from_degrees(amount)),
        Amount::Most | Amount::Further(_) => None,
    };
    // "Shake your head by thirty degrees": wider than the named gesture goes, and slower.
    let swing = |aim: &AxisAim| angle(aim).filter(|angle| angle.degrees() <= MAX_SWING.degrees());
    let strokes: Vec<&[AxisAim]> = strokes.iter().map(Vec::as_slice).collect();
    match strokes.as_slice() {
        [[down]] if down.axis == Axis::HeadPitch && down.sign > 0.0 && *hold == 0.0 => {
            Some(Strokes::One(Primitive::Nod { times, angle: swing(down)?, half }))
        }
        [[left], [right]] if left.sign > 0.0 && gesture.is_shake() => {
            Some(Strokes::One(Primitive::Shake { times, angle: swing(left)?, half }))
        }
        [[left, right]]
            if left.axis == Axis::AntennaLeft
                && right.axis == Axis::AntennaRight
                && [left, right].iter().all(|aim| {
                    aim.sign > 0.0 && aim.usual == WIGGLE_DEGREES && aim.amount == Amount::Usual(1.0)
                }) =>
        {
            Some(Strokes::One(Primitive::WiggleAntennas { times, half }))
        }
        // A bow.
        [[down]] if down.axis == Axis::HeadPitch && times == 1 && *hold > 0.0 && total.is_none() => {
            let ahead = Meaning::Neutral { axes: Axis::HEAD.to_vec(), seconds: None, pace: *pace };
            let down = Meaning::Go { aims: vec![*down], seconds: None, pace: *pace };
            Some(Strokes::Each(vec![down, Meaning::Wait(*hold), ahead]))
        }
        // "Look left and right": one way, the opposite way, and back.
        [[one], [other]] if one.axis == other.axis && !is_out_and_back && *hold == 0.0 => {
            let each = total.map(|total| total / f64::from(2 * times + 1));
            let go = |aim: &AxisAim| Meaning::Go { aims: vec![*aim], seconds: each, pace: *pace };
            let ahead = Meaning::Neutral { axes: vec![one.axis], seconds: each, pace: *pace };
            let round = [go(one), go(other)];
            let steps = round.iter().cycle().take(2 * times as usize).chain([&ahead]);
            Some(Strokes::Each(steps.cloned().collect()))
        }
        _ => None,
    }
}

/// The shortest half of a swing.
const FASTEST_HALF: Duration = Duration::from_millis(200);

/// How far an antenna goes out where it wiggles and nothing else is said, degrees.
const WIGGLE_DEGREES: f64 = 30.0;

fn neutral(axes: &[Axis], timed: &dyn Fn(Duration) -> Duration) -> Option<Primitive> {
    let has = |all: &[Axis]| all.iter().all(|axis| axes.contains(axis));
    if has(&Axis::ALL) {
        return Some(Primitive::Center);
    }
    if axes.iter().all(|axis| Axis::HEAD.contains(axis)) {
        return Some(ahead(timed));
    }
    (axes == [Axis::BodyTurn])
        .then(|| Primitive::TurnBody { angle: Radians::ZERO, duration: timed(body_duration(Radians::ZERO)) })
}

/// Returns the posture in which a motion leaves the robot; none where that is not known.
pub(super) fn posture_after(primitive: &Primitive, start: &AxisValues) -> Option<AxisValues> {
    let mut aim = Aim::of(&start.to_posture());
    primitive.motions_from(&mut aim);
    let is_known = !matches!(primitive, Primitive::Sleep);
    is_known.then(|| AxisValues::from_posture(&aim.posture()))
}

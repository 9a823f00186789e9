//! Strokes: the movements of which a primitive consists, one after the other.
//!
//! Lowering a primitive passes an [`Aim`] along, so that a nod after a look to the left nods to the left.
//! Heads are `world_from_head`; positive pitch looks down, positive yaw turns left, positive roll leans
//! right.

use std::time::Duration;

use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use minismith_protocol::Method;

use super::aim::Aim;
use super::primitive::{CENTER, Look, Primitive, Side, direction_of};

/// One movement of the robot, from its beginning to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotionSegment {
    /// Move to a posture; a part without a value stays as it is.
    Goto {
        /// `world_from_head`, relative to the neutral head.
        head: Option<HeadPose>,
        /// Positive turns left.
        body_yaw: Option<Radians>,
        /// Both antennas, with the signs of the motors.
        antennas: Option<Antennas>,
        /// The duration.
        duration: Duration,
        /// The interpolation.
        method: Method,
    },
    /// Turn the head towards a point in the world frame, metres.
    LookAt {
        /// x forward, y left, z up.
        point: [f64; 3],
        /// The duration.
        duration: Duration,
    },
    /// Wait.
    Pause(Duration),
    /// Wake up.
    Wake,
    /// Go to sleep.
    Rest,
}

impl MotionSegment {
    /// Returns the duration. Waking up and going to sleep depend on the posture and count with their usual
    /// duration.
    #[must_use]
    pub const fn duration(&self) -> Duration {
        match self {
            MotionSegment::Goto { duration, .. }
            | MotionSegment::LookAt { duration, .. }
            | MotionSegment::Pause(duration) => *duration,
            MotionSegment::Wake => Duration::from_secs(3),
            MotionSegment::Rest => Duration::from_secs(5),
        }
    }
}

impl Primitive {
    /// Returns the strokes of this motion alone, from the neutral posture.
    #[must_use]
    pub fn motions(&self) -> Vec<MotionSegment> {
        self.motions_from(&mut Aim::neutral())
    }

    /// Returns the strokes of this motion from the current aim, and updates the aim.
    pub fn motions_from(&self, aim: &mut Aim) -> Vec<MotionSegment> {
        match *self {
            Primitive::Look { direction, angle, duration } => {
                aim.angles = match direction {
                    Look::Left => RollPitchYaw { yaw: angle, ..RollPitchYaw::default() },
                    Look::Right => RollPitchYaw { yaw: -angle, ..RollPitchYaw::default() },
                    Look::Up => RollPitchYaw { pitch: -angle, ..RollPitchYaw::default() },
                    Look::Down => RollPitchYaw { pitch: angle, ..RollPitchYaw::default() },
                    Look::Ahead => RollPitchYaw::default(),
                };
                vec![head(aim.head(), duration)]
            }
            Primitive::LookAt { point, duration } => {
                let (yaw, pitch) = direction_of(point);
                // The body turns ahead, as with the official `look_at_world`.
                aim.body_yaw = Radians::ZERO;
                aim.angles = RollPitchYaw { yaw, pitch, roll: Radians::ZERO };
                aim.height = 0.0;
                vec![MotionSegment::LookAt { point, duration }]
            }
            Primitive::Tilt { side, angle, duration } => {
                aim.angles.roll = match side {
                    Side::Left => -angle,
                    Side::Right => angle,
                };
                vec![head(aim.head(), duration)]
            }
            Primitive::TurnBody { angle, duration } => {
                aim.body_yaw = angle;
                vec![goto(Some(aim.head()), Some(angle), None, duration)]
            }
            Primitive::Height { metres, duration } => {
                aim.height = metres;
                vec![head(aim.head(), duration)]
            }
            Primitive::Nod { times, angle, half } => nod(aim, times, angle, half),
            Primitive::Shake { times, angle, half } => shake(aim, times, angle, half),
            Primitive::WiggleAntennas { times, half } => wiggle(aim, times, half),
            Primitive::SetAntennas { right, left, duration } => {
                aim.antennas = Antennas {
                    right: right.unwrap_or(aim.antennas.right),
                    left: left.map_or(aim.antennas.left, |outwards| -outwards),
                };
                vec![goto(None, None, Some(aim.antennas), duration)]
            }
            Primitive::Dance { duration } => dance(aim, duration),
            Primitive::Center => {
                *aim = Aim::neutral();
                vec![goto(Some(aim.head()), Some(aim.body_yaw), Some(aim.antennas), CENTER)]
            }
            Primitive::Return { to, duration } => {
                *aim = to;
                vec![goto(Some(aim.head()), Some(aim.body_yaw), Some(aim.antennas), duration)]
            }
            Primitive::Wake => {
                *aim = Aim::neutral();
                vec![MotionSegment::Wake]
            }
            Primitive::Sleep => {
                *aim = Aim::neutral();
                vec![MotionSegment::Rest]
            }
            Primitive::Wait { duration } => vec![MotionSegment::Pause(duration)],
        }
    }
}

/// Returns the strokes of a whole sequence from the current aim.
#[must_use]
pub fn lower(body: &[Primitive], mut aim: Aim) -> Vec<MotionSegment> {
    body.iter().flat_map(|primitive| primitive.motions_from(&mut aim)).collect()
}

fn goto(
    head: Option<HeadPose>,
    body_yaw: Option<Radians>,
    antennas: Option<Antennas>,
    duration: Duration,
) -> MotionSegment {
    MotionSegment::Goto { head, body_yaw, antennas, duration, method: Method::Minjerk }
}

fn head(pose: HeadPose, duration: Duration) -> MotionSegment {
    goto(Some(pose), None, None, duration)
}

fn repeated(pattern: &[MotionSegment], times: u32) -> Vec<MotionSegment> {
    pattern.iter().copied().cycle().take(pattern.len().saturating_mul(times as usize)).collect()
}

/// Nods down and back. If the head already looks far down, the nod begins a little higher, so that it stays
/// in range.
fn nod(aim: &Aim, times: u32, angle: Radians, half: Duration) -> Vec<MotionSegment> {
    let from =
        RollPitchYaw { pitch: Radians(aim.angles.pitch.value().min(MAX_NOD_START.value())), ..aim.angles };
    let down = RollPitchYaw { pitch: from.pitch + angle, ..from };
    let mut strokes = repeated(&[head(aim.head_at(down), half), head(aim.head_at(from), half)], times);
    if from != aim.angles {
        strokes.push(head(aim.head(), half));
    }
    strokes
}

/// Maximum pitch at which a nod begins: with 25 degrees more it stays within the 35 of a look down.
const MAX_NOD_START: Radians = Radians::from_degrees(10.0);

/// Shakes left and right about the direction of the head, within the head's range, and back.
fn shake(aim: &Aim, times: u32, angle: Radians, half: Duration) -> Vec<MotionSegment> {
    let middle = aim.angles.yaw.clamp(-MAX_SHAKE_CENTRE, MAX_SHAKE_CENTRE);
    let left = RollPitchYaw { yaw: middle + angle, ..aim.angles };
    let right = RollPitchYaw { yaw: middle - angle, ..aim.angles };
    let mut strokes = repeated(&[head(aim.head_at(left), half), head(aim.head_at(right), half)], times);
    strokes.push(head(aim.head(), half));
    strokes
}

/// Maximum yaw about which a shake is centred: with 25 degrees more it stays within the 60 of a look to a side.
const MAX_SHAKE_CENTRE: Radians = Radians::from_degrees(35.0);

/// Moves the antennas together and apart, 20 degrees about their resting position, and back.
fn wiggle(aim: &Aim, times: u32, half: Duration) -> Vec<MotionSegment> {
    let at = |swing: f64| {
        let swing = Radians::from_degrees(swing);
        let antennas = Antennas { right: aim.antennas.right - swing, left: aim.antennas.left + swing };
        goto(None, None, Some(antennas), half)
    };
    let mut strokes = repeated(&[at(20.0), at(-20.0)], times);
    strokes.push(at(0.0));
    strokes
}

/// Dances in patterns of about two seconds: lean right, lean left, dip, and up again.
fn dance(aim: &mut Aim, duration: Duration) -> Vec<MotionSegment> {
    aim.antennas = Posture::init().antennas;
    aim.angles = RollPitchYaw::default();
    let bars = (duration.as_secs_f64() / 2.0).round().max(1.0) as u32;
    let cycle = duration / (bars * 4);
    let step = |roll: f64, pitch: f64, right: f64, left: f64| {
        let (roll, pitch) = (Radians::from_degrees(roll), Radians::from_degrees(pitch));
        let antennas = Antennas {
            right: aim.antennas.right - Radians::from_degrees(right),
            left: aim.antennas.left + Radians::from_degrees(left),
        };
        let pose = aim.head_at(RollPitchYaw { roll, pitch, yaw: Radians::ZERO });
        goto(Some(pose), None, Some(antennas), cycle)
    };
    let pattern = [
        step(10.0, 0.0, 30.0, -12.0),
        step(-10.0, 0.0, -12.0, 30.0),
        step(0.0, 10.0, 20.0, 20.0),
        step(0.0, 0.0, 0.0, 0.0),
    ];
    repeated(&pattern, bars)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn deg(degrees: f64) -> Radians {
        Radians::from_degrees(degrees)
    }

    fn heads(strokes: &[MotionSegment]) -> Vec<RollPitchYaw> {
        let head = |stroke: &MotionSegment| match stroke {
            MotionSegment::Goto { head: Some(head), .. } => Some(head.angles()),
            _ => None,
        };
        strokes.iter().filter_map(head).collect()
    }

    fn extremes() -> Vec<Primitive> {
        let duration = Duration::from_secs(4);
        let half = Duration::from_secs(1);
        let look = |direction, angle| Primitive::Look { direction, angle: deg(angle), duration };
        vec![
            look(Look::Left, 60.0),
            look(Look::Right, 60.0),
            look(Look::Up, 35.0),
            look(Look::Down, 35.0),
            look(Look::Ahead, 0.0),
            Primitive::LookAt { point: [0.5, 0.8, -0.6], duration },
            Primitive::Tilt { side: Side::Left, angle: deg(30.0), duration },
            Primitive::Tilt { side: Side::Right, angle: deg(30.0), duration },
            Primitive::TurnBody { angle: deg(160.0), duration },
            Primitive::TurnBody { angle: deg(-160.0), duration },
            Primitive::Nod { times: 2, angle: deg(25.0), half },
            Primitive::Shake { times: 2, angle: deg(25.0), half },
            Primitive::Dance { duration },
            Primitive::Center,
        ]
    }

    #[test]
    fn nod_keeps_the_direction_of_the_head_and_returns() {
        let look =
            Primitive::Look { direction: Look::Left, angle: deg(20.0), duration: Duration::from_secs(1) };
        let nod = Primitive::Nod { times: 2, angle: deg(15.0), half: Duration::from_millis(400) };
        let found = heads(&lower(&[look, nod], Aim::neutral()));
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|head| (head.yaw.degrees() - 20.0).abs() < 1e-9));
        let pitches: Vec<i64> = found.iter().map(|head| head.pitch.degrees().round() as i64).collect();
        assert_eq!(pitches, [0, 15, 0, 15, 0]);
    }

    #[test]
    fn head_turns_with_the_body() {
        let turn = Primitive::TurnBody { angle: deg(90.0), duration: Duration::from_secs(2) };
        let look =
            Primitive::Look { direction: Look::Right, angle: deg(20.0), duration: Duration::from_secs(1) };
        let found = heads(&lower(&[turn, look], Aim::neutral()));
        let yaws: Vec<i64> = found.iter().map(|head| head.yaw.degrees().round() as i64).collect();
        assert_eq!(yaws, [90, 70]);
    }

    #[test]
    fn two_allowed_motions_stay_within_the_head_limits() {
        for first in extremes() {
            for second in extremes() {
                for third in extremes() {
                    let body = [first, second, third];
                    assert!(body.iter().all(|primitive| primitive.check().is_ok()), "{body:?}");
                    let mut yaw = Radians::ZERO;
                    for stroke in lower(&body, Aim::neutral()) {
                        let MotionSegment::Goto { head: Some(head), body_yaw, .. } = stroke else { continue };
                        yaw = body_yaw.unwrap_or(yaw);
                        let head = head.angles();
                        let apart = (head.yaw - yaw).wrapped().abs().degrees();
                        let level = head.pitch.abs().degrees().max(head.roll.abs().degrees());
                        // A look at a point is relative to the base. After a turn of the body, the envelope
                        // limits it.
                        let aimed = body.iter().any(|one| matches!(one, Primitive::LookAt { .. }));
                        assert!(level <= 40.0 + 1e-9 && (aimed || apart <= 65.0 + 1e-9), "{body:?} {head:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn plan_begins_at_the_current_posture() {
        let mut posture = Posture::init();
        posture.body_yaw = deg(40.0);
        posture.head =
            HeadPose::new(0.0, 0.0, 0.01, RollPitchYaw { yaw: deg(60.0), ..RollPitchYaw::default() });
        let nod = Primitive::Nod { times: 1, angle: deg(15.0), half: Duration::from_millis(400) };
        let found = lower(&[nod], Aim::of(&posture));
        let Some(MotionSegment::Goto { head: Some(last), .. }) = found.last() else { panic!("{found:?}") };
        assert!((last.0.to_homogeneous() - posture.head.0.to_homogeneous()).amax() < 1e-12);
    }

    #[test]
    fn dance_has_the_requested_duration_and_ends_level() {
        for seconds in [2.0, 3.0, 7.5, 60.0] {
            let dance = Primitive::Dance { duration: Duration::from_secs_f64(seconds) };
            let strokes = dance.motions();
            let sum: f64 = strokes.iter().map(|stroke| stroke.duration().as_secs_f64()).sum();
            assert!((sum - seconds).abs() < 1e-6, "{sum}");
            let Some(MotionSegment::Goto { head, antennas, .. }) = strokes.last() else {
                panic!("{strokes:?}")
            };
            assert_eq!((*head, *antennas), (Some(HeadPose::neutral()), Some(Posture::init().antennas)));
        }
    }

    #[test]
    fn outward_antennas_lean_away_from_the_head() {
        let duration = Duration::from_secs(1);
        let both = Primitive::SetAntennas { right: Some(deg(30.0)), left: Some(deg(30.0)), duration };
        let [MotionSegment::Goto { antennas: Some(antennas), head: None, body_yaw: None, .. }] =
            both.motions()[..]
        else {
            panic!("{both:?}")
        };
        // By the geometry of the official URDF, which a whole-system test compares. So the official INIT pose, -10 and
        // 10 degrees, leans them inwards.
        assert!(antennas.right.value() > 0.0 && antennas.left.value() < 0.0);
        assert_eq!(antennas.right, -antennas.left);
    }
}

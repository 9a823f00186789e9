//! What a primitive is made of: strokes, which the body can do one after the other.
//!
//! Lowering carries an [`Aim`] along, so that a nod after a look to the left nods to the left. Heads are
//! `world_from_head`; positive pitch looks down, positive yaw turns left, positive roll leans right.

use std::time::Duration;

use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use minismith_wire::Method;

use super::primitive::{Look, Primitive, Side, direction_of};

/// One thing that the body does, from its beginning to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stroke {
    /// Move to a posture; what is none stays where it is.
    Goto {
        /// `world_from_head`, relative to the neutral head.
        head: Option<HeadPose>,
        /// Positive turns left.
        body_yaw: Option<Radians>,
        /// Both antennas, as the motors count.
        antennas: Option<Antennas>,
        /// How long it takes.
        duration: Duration,
        /// The interpolation.
        method: Method,
    },
    /// Turn the head towards a point in the world frame, metres.
    LookAt {
        /// x forward, y left, z up.
        point: [f64; 3],
        /// How long it takes.
        duration: Duration,
    },
    /// Let time pass.
    Pause(Duration),
    /// Wake up.
    Wake,
    /// Go to sleep.
    Rest,
}

impl Stroke {
    /// How long it takes; waking up and going to sleep depend on the posture and count with their usual length.
    #[must_use]
    pub const fn duration(&self) -> Duration {
        match self {
            Stroke::Goto { duration, .. } | Stroke::LookAt { duration, .. } | Stroke::Pause(duration) => {
                *duration
            }
            Stroke::Wake => Duration::from_secs(3),
            Stroke::Rest => Duration::from_secs(5),
        }
    }
}

/// Where head, body and antennas were last told to be. The head's angles are relative to the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    angles: RollPitchYaw,
    height: f64,
    body_yaw: Radians,
    antennas: Antennas,
}

impl Aim {
    /// Awake and at rest, looking ahead.
    #[must_use]
    pub fn neutral() -> Self {
        Aim::of(&Posture::init())
    }

    /// Where the robot is told to be, or is, before a plan begins.
    #[must_use]
    pub fn of(posture: &Posture) -> Self {
        let angles = posture.head.angles();
        let angles = RollPitchYaw { yaw: (angles.yaw - posture.body_yaw).wrapped(), ..angles };
        let height = posture.head.0.translation.z;
        Aim { angles, height, body_yaw: posture.body_yaw, antennas: posture.antennas }
    }

    fn head_at(&self, angles: RollPitchYaw) -> HeadPose {
        HeadPose::new(0.0, 0.0, self.height, RollPitchYaw { yaw: angles.yaw + self.body_yaw, ..angles })
    }

    fn head(&self) -> HeadPose {
        self.head_at(self.angles)
    }
}

impl Primitive {
    /// The strokes of this motion alone, from the neutral posture.
    #[must_use]
    pub fn motions(&self) -> Vec<Stroke> {
        self.motions_from(&mut Aim::neutral())
    }

    /// The strokes of this motion from where the robot is aimed; moves the aim along.
    pub fn motions_from(&self, aim: &mut Aim) -> Vec<Stroke> {
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
                aim.angles = RollPitchYaw { yaw: yaw - aim.body_yaw, pitch, roll: Radians::ZERO };
                aim.height = 0.0;
                vec![Stroke::LookAt { point, duration }]
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
                    right: right.map_or(aim.antennas.right, |outwards| -outwards),
                    left: left.unwrap_or(aim.antennas.left),
                };
                vec![goto(None, None, Some(aim.antennas), duration)]
            }
            Primitive::Dance { duration } => dance(aim, duration),
            Primitive::Center => {
                *aim = Aim::neutral();
                vec![goto(Some(aim.head()), Some(aim.body_yaw), Some(aim.antennas), CENTER)]
            }
            Primitive::Wake => {
                *aim = Aim::neutral();
                vec![Stroke::Wake]
            }
            Primitive::Sleep => {
                *aim = Aim::neutral();
                vec![Stroke::Rest]
            }
            Primitive::Wait { duration } => vec![Stroke::Pause(duration)],
        }
    }
}

/// The strokes of a whole sequence, from where the robot is aimed.
#[must_use]
pub fn lower(body: &[Primitive], mut aim: Aim) -> Vec<Stroke> {
    body.iter().flat_map(|primitive| primitive.motions_from(&mut aim)).collect()
}

/// How long the return to the neutral posture takes: the body may come from 160 degrees.
const CENTER: Duration = Duration::from_secs(2);

fn goto(
    head: Option<HeadPose>,
    body_yaw: Option<Radians>,
    antennas: Option<Antennas>,
    duration: Duration,
) -> Stroke {
    Stroke::Goto { head, body_yaw, antennas, duration, method: Method::Minjerk }
}

fn head(pose: HeadPose, duration: Duration) -> Stroke {
    goto(Some(pose), None, None, duration)
}

fn repeated(bar: &[Stroke], times: u32) -> Vec<Stroke> {
    bar.iter().copied().cycle().take(bar.len().saturating_mul(times as usize)).collect()
}

/// Down and back. Looking far down already, the nod begins a little higher, so that it stays in reach.
fn nod(aim: &Aim, times: u32, angle: Radians, half: Duration) -> Vec<Stroke> {
    let from = RollPitchYaw { pitch: Radians(aim.angles.pitch.value().min(LEVEL.value())), ..aim.angles };
    let down = RollPitchYaw { pitch: from.pitch + angle, ..from };
    let mut strokes = repeated(&[head(aim.head_at(down), half), head(aim.head_at(from), half)], times);
    if from != aim.angles {
        strokes.push(head(aim.head(), half));
    }
    strokes
}

/// A nod begins no further down than this: with 25 degrees more it stays within the head's 40.
const LEVEL: Radians = Radians::from_degrees(12.0);

/// Left and right, about where the head looks but not beyond its reach, and back.
fn shake(aim: &Aim, times: u32, angle: Radians, half: Duration) -> Vec<Stroke> {
    let middle = aim.angles.yaw.clamp(-ASIDE, ASIDE);
    let left = RollPitchYaw { yaw: middle + angle, ..aim.angles };
    let right = RollPitchYaw { yaw: middle - angle, ..aim.angles };
    let mut strokes = repeated(&[head(aim.head_at(left), half), head(aim.head_at(right), half)], times);
    strokes.push(head(aim.head(), half));
    strokes
}

/// A shake may be centred this far to a side: with 25 degrees more it stays within the body's 65.
const ASIDE: Radians = Radians::from_degrees(38.0);

/// Apart and together, 20 degrees about where the antennas rest, and back.
fn wiggle(aim: &Aim, times: u32, half: Duration) -> Vec<Stroke> {
    let at = |swing: f64| {
        let swing = Radians::from_degrees(swing);
        let antennas = Antennas { right: aim.antennas.right - swing, left: aim.antennas.left + swing };
        goto(None, None, Some(antennas), half)
    };
    let mut strokes = repeated(&[at(20.0), at(-20.0)], times);
    strokes.push(at(0.0));
    strokes
}

/// Bars of about two seconds: lean right, lean left, dip, and up again.
fn dance(aim: &mut Aim, duration: Duration) -> Vec<Stroke> {
    aim.antennas = Posture::init().antennas;
    aim.angles = RollPitchYaw::default();
    let bars = (duration.as_secs_f64() / 2.0).round().max(1.0) as u32;
    let beat = duration / (bars * 4);
    let step = |roll: f64, pitch: f64, right: f64, left: f64| {
        let (roll, pitch) = (Radians::from_degrees(roll), Radians::from_degrees(pitch));
        let antennas = Antennas {
            right: aim.antennas.right - Radians::from_degrees(right),
            left: aim.antennas.left + Radians::from_degrees(left),
        };
        let pose = aim.head_at(RollPitchYaw { roll, pitch, yaw: Radians::ZERO });
        goto(Some(pose), None, Some(antennas), beat)
    };
    let bar = [
        step(10.0, 0.0, 30.0, -10.0),
        step(-10.0, 0.0, -10.0, 30.0),
        step(0.0, 10.0, 20.0, 20.0),
        step(0.0, 0.0, 0.0, 0.0),
    ];
    repeated(&bar, bars)
}

//! The closed set of motions that a person can ask for, with their defaults, their ranges and their names.
//!
//! Angles are absolute. A look, a tilt and a head height are relative to the body; a turn of the body is
//! relative to the base. So "turn left 30 degrees" said twice leaves the body at 30 degrees, and a plan has
//! the same meaning wherever the robot was before.

use std::time::Duration;

use firmware_bridge::units::Radians;

use super::aim::Aim;
use super::decimal::plain;

/// Duration of a return to the neutral or an earlier posture: the body may come from 160 degrees.
pub(super) const CENTER: Duration = Duration::from_secs(2);

/// The direction of a look, as seen from the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// To the robot's left.
    Left,
    /// To the robot's right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Straight ahead, level; the angle is ignored.
    Ahead,
}

/// One of the robot's own two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The robot's left.
    Left,
    /// The robot's right.
    Right,
}

/// One motion that a person can ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    /// Point the head in a direction and leave it there.
    Look {
        /// The direction.
        direction: Look,
        /// The angle from straight ahead: 0 to 60 degrees sideways, 0 to 35 up and down.
        angle: Radians,
        /// The duration of the motion.
        duration: Duration,
    },
    /// Point the head at a point in space.
    LookAt {
        /// The point in the world frame, metres: x forward, y left, z up from the neutral head.
        point: [f64; 3],
        /// The duration of the motion.
        duration: Duration,
    },
    /// Lean the head to a side and leave it there.
    Tilt {
        /// The side.
        side: Side,
        /// The angle: 0 to 30 degrees.
        angle: Radians,
        /// The duration of the motion.
        duration: Duration,
    },
    /// Turn the body, and the head with it.
    TurnBody {
        /// Positive turns left: -160 to 160 degrees from the base's front.
        angle: Radians,
        /// The duration of the motion.
        duration: Duration,
    },
    /// Raise or lower the head.
    Height {
        /// Metres above the neutral head, negative below it: -0.040 to 0.020.
        metres: f64,
        /// The duration of the motion.
        duration: Duration,
    },
    /// Nod: down and back, repeatedly.
    Nod {
        /// The number of nods.
        times: u32,
        /// The depth: 2 to 25 degrees.
        angle: Radians,
        /// The duration of each half.
        half: Duration,
    },
    /// Shake the head: left and right, repeatedly.
    Shake {
        /// The number of shakes.
        times: u32,
        /// The angle to each side: 2 to 25 degrees.
        angle: Radians,
        /// The duration of each half.
        half: Duration,
    },
    /// Wiggle both antennas: together and apart, repeatedly.
    WiggleAntennas {
        /// The number of wiggles.
        times: u32,
        /// The duration of each half.
        half: Duration,
    },
    /// Put one antenna or both at an angle; zero points up, positive leans outwards, away from the head.
    SetAntennas {
        /// The right antenna: -170 to 170 degrees; none leaves it as it is.
        right: Option<Radians>,
        /// The left antenna: -170 to 170 degrees; none leaves it as it is.
        left: Option<Radians>,
        /// The duration of the motion.
        duration: Duration,
    },
    /// Dance on the spot.
    Dance {
        /// The duration: 2 to 60 seconds.
        duration: Duration,
    },
    /// Return to the neutral posture of head, body and antennas.
    Center,
    /// Return to an earlier commanded posture.
    Return {
        /// The posture.
        to: Aim,
        /// The duration of the motion.
        duration: Duration,
    },
    /// Wake up, as the official software does.
    Wake,
    /// Go to sleep, as the official software does.
    Sleep,
    /// Do nothing for a while.
    Wait {
        /// The duration: up to 300 seconds.
        duration: Duration,
    },
}

/// A quantity that is understood but not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is not possible; possible: {allowed}")]
pub struct OutOfRange {
    /// The requested quantity.
    pub what: String,
    /// The allowed range, or an alternative.
    pub allowed: String,
}

impl OutOfRange {
    /// Returns the refusal of a plan of so many steps, of which so many are allowed.
    pub(super) fn steps(steps: usize, most: usize) -> Self {
        OutOfRange {
            what: format!("a plan of {steps} steps"),
            allowed: format!("up to {most} steps in one sentence"),
        }
    }
}

/// Default angle of a look.
pub const DEFAULT_LOOK: Radians = Radians::from_degrees(20.0);
/// Default angle of a tilt.
pub const DEFAULT_TILT: Radians = Radians::from_degrees(15.0);
/// Default angle of a turn of the body.
pub const DEFAULT_TURN: Radians = Radians::from_degrees(30.0);
/// Default change of the head's height, in metres.
pub const DEFAULT_HEIGHT_M: f64 = 0.010;
/// Default depth of a nod, and default angle of a shake to each side.
pub const DEFAULT_SWING: Radians = Radians::from_degrees(15.0);
/// Duration of one half of a nod, a shake or a wiggle.
pub const HALF_SWING_TIME: Duration = Duration::from_millis(400);
/// Default number of shakes or wiggles; a nod goes once.
pub const DEFAULT_SWINGS: u32 = 2;
/// Default duration of a dance.
pub const DEFAULT_DANCE_TIME: Duration = Duration::from_secs(8);
/// Duration of a look at a point, and of a change of the head's height.
pub const DEFAULT_AIM_TIME: Duration = Duration::from_secs(1);

/// Maximum angles of a look to a side, a look up or down, a tilt, and a turn of the body.
pub(super) const MAX_LOOK: Radians = Radians::from_degrees(60.0);
pub(super) const MAX_LOOK_UP_DOWN: Radians = Radians::from_degrees(35.0);
pub(super) const MAX_TILT: Radians = Radians::from_degrees(30.0);
pub(super) const MAX_TURN: Radians = Radians::from_degrees(160.0);
/// Maximum depth of a nod, and maximum angle of a shake to each side.
pub(super) const MAX_SWING: Radians = Radians::from_degrees(25.0);
/// Maximum angle of an antenna, in degrees.
pub(super) const MAX_ANTENNA_DEG: f64 = 170.0;
/// Maximum distances of the head below and above the neutral pose, in millimetres.
pub(super) const MAX_LOWERED_MM: f64 = 40.0;
pub(super) const MAX_RAISED_MM: f64 = 20.0;
/// Maximum mean speeds, in degrees per second. A faster motion is rejected and not
/// clamped during its execution.
const MAX_HEAD_DPS: f64 = 150.0;
const MAX_BODY_DPS: f64 = 120.0;
const MAX_ANTENNA_DPS: f64 = 360.0;
/// Minimum and maximum duration of a motion, in seconds.
const MIN_MOVE_S: f64 = 0.2;
const MAX_MOVE_S: f64 = 30.0;
/// Minimum and maximum duration of a dance, in seconds.
pub(super) const MIN_DANCE_S: f64 = 2.0;
pub(super) const MAX_DANCE_S: f64 = 60.0;
/// Maximum number of repetitions of a motion.
pub const MAX_TIMES: u32 = 20;

/// Returns a calm duration for the head: 30 degrees per second, at least 0.8 s.
#[must_use]
pub fn head_duration(angle: Radians) -> Duration {
    calm_duration(angle, 30.0, 0.8)
}

/// Returns a calm duration for the body: 45 degrees per second, at least 1 s.
#[must_use]
pub fn body_duration(angle: Radians) -> Duration {
    calm_duration(angle, 45.0, 1.0)
}

/// Returns a calm duration for the antennas: 90 degrees per second, at least 1 s.
#[must_use]
pub fn antenna_duration(angle: Radians) -> Duration {
    calm_duration(angle, 90.0, 1.0)
}

/// Rounds to whole milliseconds, so that the displayed number is the one that is used.
fn calm_duration(angle: Radians, degrees_per_second: f64, at_least: f64) -> Duration {
    let seconds = (angle.degrees().abs() / degrees_per_second).clamp(at_least, MAX_MOVE_S);
    Duration::from_millis((seconds * 1000.0).round() as u64)
}

/// Returns the maximum angle of a look, tilt or turn; none for other motions.
pub(super) const fn furthest(primitive: &Primitive) -> Option<Radians> {
    Some(match primitive {
        Primitive::Look { direction: Look::Left | Look::Right, .. } => MAX_LOOK,
        Primitive::Look { direction: Look::Up | Look::Down, .. } => MAX_LOOK_UP_DOWN,
        Primitive::Tilt { .. } => MAX_TILT,
        Primitive::TurnBody { .. } => MAX_TURN,
        _ => return None,
    })
}

/// Returns the greatest height of the head on this side of the neutral one, in metres.
pub(super) const fn furthest_height(metres: f64) -> f64 {
    if metres < 0.0 { -MAX_LOWERED_MM / 1000.0 } else { MAX_RAISED_MM / 1000.0 }
}

impl Primitive {
    /// Checks that every quantity is in its range.
    ///
    /// # Errors
    /// [`OutOfRange`] names the requested quantity and the allowed range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        match *self {
            Primitive::Look { direction: Look::Ahead, duration, .. } => {
                self.check_motion(0.0, duration, MAX_HEAD_DPS)
            }
            Primitive::Look { direction: Look::Left | Look::Right, angle, duration } => {
                let hint = " (the body turns further: \"turn left 90 degrees\")";
                self.check_range(angle.degrees(), 0.0, MAX_LOOK.degrees(), "deg", hint)?;
                self.check_motion(angle.degrees(), duration, MAX_HEAD_DPS)
            }
            Primitive::Look { angle, duration, .. } => {
                self.check_range(angle.degrees(), 0.0, MAX_LOOK_UP_DOWN.degrees(), "deg", "")?;
                self.check_motion(angle.degrees(), duration, MAX_HEAD_DPS)
            }
            Primitive::LookAt { point, duration } => self.check_point(point, duration),
            Primitive::Tilt { angle, duration, .. } => {
                self.check_range(angle.degrees(), 0.0, MAX_TILT.degrees(), "deg", "")?;
                self.check_motion(angle.degrees(), duration, MAX_HEAD_DPS)
            }
            Primitive::TurnBody { angle, duration } => {
                self.check_range(angle.degrees().abs(), 0.0, MAX_TURN.degrees(), "deg", " to either side")?;
                self.check_motion(angle.degrees(), duration, MAX_BODY_DPS)
            }
            Primitive::Height { metres, duration } if metres < 0.0 => {
                self.check_range(-metres * 1000.0, 0.0, MAX_LOWERED_MM, "mm", "")?;
                self.check_motion(0.0, duration, MAX_HEAD_DPS)
            }
            Primitive::Height { metres, duration } => {
                self.check_range(metres * 1000.0, 0.0, MAX_RAISED_MM, "mm", "")?;
                self.check_motion(0.0, duration, MAX_HEAD_DPS)
            }
            Primitive::Nod { times, angle, half } => self.check_swings(times, angle.degrees(), 1.0, half),
            Primitive::Shake { times, angle, half } => self.check_swings(times, angle.degrees(), 2.0, half),
            Primitive::WiggleAntennas { times, half } => {
                self.check_swings(times, DEFAULT_SWING.degrees(), 1.0, half)
            }
            Primitive::SetAntennas { right, left, duration } => {
                for angle in [right, left].into_iter().flatten() {
                    self.check_range(angle.degrees(), -MAX_ANTENNA_DEG, MAX_ANTENNA_DEG, "deg", "")?;
                    self.check_motion(angle.degrees(), duration, MAX_ANTENNA_DPS)?;
                }
                Ok(())
            }
            Primitive::Dance { duration } => {
                self.check_range(duration.as_secs_f64(), MIN_DANCE_S, MAX_DANCE_S, "s", "")
            }
            Primitive::Wait { duration } => self.check_range(duration.as_secs_f64(), 0.0, 300.0, "s", ""),
            Primitive::Return { duration, .. } => {
                self.check_motion(MAX_TURN.degrees(), duration, MAX_BODY_DPS)
            }
            Primitive::Center | Primitive::Wake | Primitive::Sleep => Ok(()),
        }
    }

    fn check_point(&self, point: [f64; 3], duration: Duration) -> Result<(), OutOfRange> {
        let (yaw, pitch) = direction_of(point);
        let [x, y, z] = point;
        let far = (x * x + y * y + z * z).sqrt();
        let reachable = (0.05..=10.0).contains(&far)
            && yaw.degrees().abs() <= MAX_LOOK.degrees()
            && pitch.degrees().abs() <= MAX_LOOK_UP_DOWN.degrees();
        if !reachable {
            let allowed = format!(
                "points 0.05 to 10 m away, up to {} deg to a side and {} deg up or down (x forward, y left, z up)",
                plain(MAX_LOOK.degrees()),
                plain(MAX_LOOK_UP_DOWN.degrees())
            );
            return Err(OutOfRange { what: self.describe(), allowed });
        }
        self.check_motion(yaw.degrees().abs().max(pitch.degrees().abs()), duration, MAX_HEAD_DPS)
    }

    fn check_swings(&self, times: u32, degrees: f64, widest: f64, half: Duration) -> Result<(), OutOfRange> {
        self.check_range(f64::from(times), 1.0, f64::from(MAX_TIMES), "times", "")?;
        self.check_range(degrees, 2.0, MAX_SWING.degrees(), "deg", "")?;
        self.check_range(half.as_secs_f64(), MIN_MOVE_S, 5.0, "s each way", "")?;
        self.check_motion(degrees * widest, half, MAX_HEAD_DPS)
    }

    fn check_motion(&self, degrees: f64, duration: Duration, fastest: f64) -> Result<(), OutOfRange> {
        // Rounds up to a tenth, so that the suggested number is itself allowed.
        let shortest = ((degrees.abs() / fastest).max(MIN_MOVE_S) * 10.0 - 1e-6).ceil() / 10.0;
        self.check_range(duration.as_secs_f64(), shortest, MAX_MOVE_S, "s", " for this motion")
    }

    fn check_range(&self, value: f64, low: f64, high: f64, unit: &str, hint: &str) -> Result<(), OutOfRange> {
        // A tiny tolerance, because 60 degrees are rounded when converted to radians.
        if value >= low - 1e-9 && value <= high + 1e-9 {
            return Ok(());
        }
        let allowed = format!("{} to {} {unit}{hint}", plain(low), plain(high));
        Err(OutOfRange { what: self.describe(), allowed })
    }
}

/// Returns the yaw and pitch of a look at a point.
pub(super) fn direction_of([x, y, z]: [f64; 3]) -> (Radians, Radians) {
    (Radians(y.atan2(x)), Radians(-z.atan2(x.hypot(y))))
}

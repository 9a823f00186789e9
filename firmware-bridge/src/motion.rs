//! What a body is asked to do, and how that becomes one wish per beat.
//!
//! [`Motion::plan`] is pure and runs outside the beat: all inverse kinematics of a motion is done, and everything
//! that can be refused is refused, before anything moves. Poses interpolate as the official SDK's do: translation
//! linearly, yaw as a signed number, roll and pitch by the shortest rotation.

use std::time::Duration;

use nalgebra::UnitQuaternion;
use serde::{Deserialize, Serialize};

use crate::joint::{Joint, Joints};
use crate::kinematics::{
    NotConverged, Unreachable, automatic_body_yaw, joints_from_posture, posture_from_joints,
};
use crate::limits::Limits;
use crate::posture::{Antennas, HeadPose, NotAPose, Posture, RollPitchYaw};
use crate::units::Radians;

/// The longest motion that is planned in one piece.
pub const LONGEST: Duration = Duration::from_secs(600);

/// How much of the way from rest to a keyframe is kept at least when the legs do not reach all of it.
const LEAST_SHARE: f64 = 0.5;

/// The length of a leg's arm, metres: what a rod misses, as an angle of the arm (the official kinematics data).
const ARM: f64 = 0.04;

/// How a motion goes from one posture to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Constant speed.
    Linear,
    /// Minimum jerk: `10 t^3 - 15 t^4 + 6 t^5`.
    #[default]
    Minjerk,
    /// Quadratic in and out.
    EaseInOut,
    /// Back ease: overshoots by about ten percent.
    Cartoon,
}

impl Interpolation {
    /// The share of the way at `t` (0 to 1) of the time.
    #[must_use]
    pub fn share(self, t: f64) -> f64 {
        let t = t.clamp(0.0, 1.0);
        match self {
            Interpolation::Linear => t,
            Interpolation::Minjerk => t * t * t * (10.0 + t * (6.0 * t - 15.0)),
            Interpolation::EaseInOut => {
                if t < 0.5 {
                    2.0 * t * t
                } else {
                    1.0 - 2.0 * (1.0 - t) * (1.0 - t)
                }
            }
            Interpolation::Cartoon => {
                // The usual back ease with its usual constant, 1.70158 * 1.525.
                const BACK: f64 = 1.701_58 * 1.525;
                if t < 0.5 {
                    let u = 2.0 * t;
                    u * u * ((BACK + 1.0) * u - BACK) / 2.0
                } else {
                    let u = 2.0 * t - 2.0;
                    (u * u * ((BACK + 1.0) * u + BACK) + 2.0) / 2.0
                }
            }
        }
    }
}

/// A posture of which some parts may be left as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// `world_from_head`, relative to the neutral head.
    pub head: Option<HeadPose>,
    /// The body's angle.
    pub body_yaw: Option<Radians>,
    /// The antennas.
    pub antennas: Option<Antennas>,
}

impl Target {
    /// All parts of a posture.
    #[must_use]
    pub const fn of(posture: &Posture) -> Self {
        Target {
            head: Some(posture.head),
            body_yaw: Some(posture.body_yaw),
            antennas: Some(posture.antennas),
        }
    }
}

/// A target at its time from the start of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// From the start.
    pub at: Duration,
    /// Where to be then.
    pub target: Target,
}

/// What a body is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Go to a target and be there after `duration`.
    Goto {
        /// Where to.
        target: Target,
        /// In which time.
        duration: Duration,
        /// In which manner.
        interpolation: Interpolation,
    },
    /// Follow this target from now on, reaching it `over` this time (the interval of the stream of targets).
    SetTarget {
        /// Where to.
        target: Target,
        /// The stream's interval.
        over: Duration,
    },
    /// Pass through keyframes in order.
    Play(Vec<Keyframe>),
    /// Stay.
    Hold {
        /// For how long.
        duration: Duration,
    },
}

/// Why a motion was not begun. Data for the model and the person, with what would do instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// No joint angles reach this pose.
    #[error("{0}; stay within about 4 cm and 40 degrees of the neutral pose")]
    Unreachable(#[from] Unreachable),
    /// A leg's servo does not turn that far.
    #[error("the head can't reach that pose: {leg} would stand at {wish}, its range is {low} to {high}")]
    BeyondServo {
        /// The leg.
        leg: Joint,
        /// The angle that the pose needs.
        wish: Radians,
        /// The least angle.
        low: Radians,
        /// The greatest angle.
        high: Radians,
    },
    /// A number that is infinite or not a number.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// Which one.
        what: &'static str,
    },
    /// A matrix that is not a rigid transform.
    #[error(transparent)]
    NotAPose(#[from] NotAPose),
    /// A time that is zero, negative or too long.
    #[error("the duration is {seconds} s; it must be more than 0 and at most {} s", LONGEST.as_secs())]
    BadDuration {
        /// What was asked.
        seconds: f64,
    },
    /// Keyframes whose times do not rise.
    #[error("keyframe {place} comes at {seconds} s, not after the one before it; sort the keyframes by time")]
    OutOfOrder {
        /// Which keyframe, from 0.
        place: usize,
        /// Its time.
        seconds: f64,
    },
    /// The present joints fit no head pose, so there is nowhere to start from.
    #[error(
        "the present head pose can't be told from the joints ({0}); move the head by hand near its neutral pose"
    )]
    Lost(#[from] NotConverged),
    /// The motors are off.
    #[error("the motors are off; say \"wake up\" or enable them first")]
    Limp,
    /// A hand leads the head.
    #[error("a hand leads the head now; switch gravity compensation off first")]
    Led,
    /// Somebody else moves the body.
    #[error("{by} moves the robot now; try again when that has ended, or stop it first")]
    Taken {
        /// Who.
        by: String,
    },
    /// Motion was stopped.
    #[error("motion was stopped")]
    Stopped,
    /// The body is not in order.
    #[error("the robot can't move: {reason}")]
    Fault {
        /// The fault, in words.
        reason: String,
    },
}

impl Refusal {
    /// The leg that can't go far enough, and by which angle of its arm.
    fn miss(&self) -> Option<(Joint, Radians)> {
        match self {
            Refusal::BeyondServo { leg, wish, low, high } => Some((*leg, *wish - wish.clamp(*low, *high))),
            Refusal::Unreachable(Unreachable::TooFar { leg, by } | Unreachable::TooNear { leg, by }) => {
                Some((*leg, Radians(by / ARM)))
            }
            _ => None,
        }
    }
}

/// A part of a target that was brought inside the body's limits before planning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Adjustment {
    /// `pitch`, `roll`, `body_yaw`, `right_antenna`, `left_antenna`, or the leg that can't go far enough.
    pub what: &'static str,
    /// What was asked.
    pub asked: Radians,
    /// What is done.
    pub given: Radians,
}

/// The rules a plan keeps.
#[derive(Clone, Copy, Debug)]
pub struct PlanRules<'a> {
    /// The body's limits.
    pub limits: &'a Limits,
    /// The time of one beat.
    pub period: Duration,
    /// Whether the body follows the head's yaw.
    pub automatic_body_yaw: bool,
}

/// One wish per beat, and where they lead.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// What is wished on each beat; never empty.
    pub wishes: Vec<Joints>,
    /// The posture at the end, after adjustments.
    pub target: Posture,
    /// What was brought inside the limits.
    pub adjustments: Vec<Adjustment>,
}

impl Motion {
    /// Plans the motion from joints at rest (or moving: the envelope keeps the speed continuous).
    ///
    /// # Errors
    /// A [`Refusal`] when the end can't be reached; nothing has moved then.
    pub fn plan(&self, from: &Joints, rules: &PlanRules<'_>) -> Result<Trajectory, Refusal> {
        let start = posture_from_joints(from, &HeadPose::neutral())?;
        let mut plan = Planner { rules, wishes: Vec::new(), adjustments: Vec::new(), last: *from };
        let target = match self {
            Motion::Goto { target, duration, interpolation } => {
                plan.leg(&start, target, *duration, *interpolation)?
            }
            Motion::SetTarget { target, over } => plan.leg(&start, target, *over, Interpolation::Linear)?,
            Motion::Play(keyframes) => plan.keyframes(start, keyframes)?,
            Motion::Hold { duration } => {
                let beats = plan.beats(*duration)?;
                plan.wishes.resize(beats, *from);
                start
            }
        };
        Ok(Trajectory { wishes: plan.wishes, target, adjustments: plan.adjustments })
    }
}

/// A time in seconds as it came from outside.
///
/// # Errors
/// [`Refusal::BadDuration`] when it is not a time that a motion may take.
pub fn duration_from_seconds(seconds: f64) -> Result<Duration, Refusal> {
    if seconds > 0.0 && seconds <= LONGEST.as_secs_f64() {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(Refusal::BadDuration { seconds })
    }
}

/// How long keyframes are eased into, and out of.
const EASE: Duration = Duration::from_millis(400);

/// Whether the time of keyframes grows to its pace at the start, and falls from it at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Easing {
    starts: bool,
    ends: bool,
}

impl Easing {
    /// By how much longer it takes: while the pace changes, half of it is made on average.
    fn more(self) -> Duration {
        EASE / 2 * (u32::from(self.starts) + u32::from(self.ends))
    }

    /// The keyframes' own time, seconds, at `passed` seconds from the start.
    fn time(self, passed: f64, whole: f64) -> f64 {
        let ease = EASE.as_secs_f64();
        // The way that is made while the pace grows smoothly from nothing: the integral of 3 u^2 - 2 u^3.
        let made = |time: f64| {
            let u = (time / ease).clamp(0.0, 1.0);
            ease * u * u * u * (1.0 - u / 2.0)
        };
        let left = whole + self.more().as_secs_f64() - passed;
        if self.starts && passed < ease {
            made(passed)
        } else if self.ends && left < ease {
            whole - made(left)
        } else if self.starts {
            passed - ease / 2.0
        } else {
            passed
        }
    }
}

struct Planner<'a> {
    rules: &'a PlanRules<'a>,
    wishes: Vec<Joints>,
    adjustments: Vec<Adjustment>,
    last: Joints,
}

impl Planner<'_> {
    fn beats(&self, duration: Duration) -> Result<usize, Refusal> {
        if duration.is_zero() || duration > LONGEST {
            return Err(Refusal::BadDuration { seconds: duration.as_secs_f64() });
        }
        let beats = duration.as_nanos().div_ceil(self.rules.period.as_nanos().max(1));
        Ok(usize::try_from(beats).unwrap_or(usize::MAX))
    }

    /// Where the keyframes' own straight ways are on each beat, whatever their rate.
    fn keyframes(&mut self, start: Posture, keyframes: &[Keyframe]) -> Result<Posture, Refusal> {
        // What is refused is refused before the way is computed, which may take long.
        let mut stations = vec![(Duration::ZERO, start)];
        let (mut end, mut joints) = (start, self.last);
        let mut reached = Duration::ZERO;
        for (place, keyframe) in keyframes.iter().enumerate() {
            if keyframe.at <= reached && !(place == 0 && keyframe.at.is_zero()) {
                return Err(Refusal::OutOfOrder { place, seconds: keyframe.at.as_secs_f64() });
            }
            (end, joints) = self.reach_nearly(&end, &keyframe.target)?;
            reached = keyframe.at;
            stations.push((reached, end));
        }
        let whole = reached.max(self.rules.period);
        let ease = self.easing(&stations, whole);
        let beats = self.beats(whole + ease.more())?;
        let mut ways = stations.windows(2);
        let mut way = ways.next();
        for beat in 1..beats {
            let time = ease.time(self.rules.period.as_secs_f64() * beat as f64, whole.as_secs_f64());
            while let Some([_, (until, _)]) = way
                && until.as_secs_f64() < time
            {
                way = ways.next();
            }
            if let Some([(since, from), (until, to)]) = way {
                let share = (time - since.as_secs_f64()) / (*until - *since).as_secs_f64();
                self.wish_for(&between(from, to, share));
            }
        }
        self.wishes.push(joints);
        Ok(end)
    }

    /// Keyframes that begin or end in full motion, as recordings do, are eased into and out of.
    fn easing(&self, stations: &[(Duration, Posture)], whole: Duration) -> Easing {
        let brisk = |way: Option<&[(Duration, Posture)]>| {
            let Some([(since, from), (until, to)]) = way else { return false };
            let seconds = (*until - *since).as_secs_f64();
            let (Ok(from), Ok(to)) = (joints_from_posture(from), joints_from_posture(to)) else {
                return false;
            };
            let beat = self.rules.period.as_secs_f64();
            Joint::ALL.into_iter().any(|joint| {
                let limit = &self.rules.limits.joints[joint];
                // What a joint at rest can take up, or lose, in one beat.
                let at_once = (limit.jerk.value() * beat).min(limit.acceleration.value()) * beat;
                (to[joint] - from[joint]).abs().value() > at_once * seconds
            })
        };
        let mut ways =
            stations.windows(2).filter(|way| way.first().map(|one| one.0) < way.last().map(|one| one.0));
        let room = whole > EASE * 3;
        let starts = room && brisk(ways.next());
        let ends = room && brisk(stations.windows(2).next_back());
        Easing { starts, ends }
    }

    /// The whole way to one target.
    fn leg(
        &mut self,
        start: &Posture,
        target: &Target,
        duration: Duration,
        interpolation: Interpolation,
    ) -> Result<Posture, Refusal> {
        let (end, joints) = self.reach(start, target)?;
        let beats = self.beats(duration)?;
        for beat in 1..beats {
            let time = self.rules.period.as_secs_f64() * beat as f64;
            let share = interpolation.share(time / duration.as_secs_f64());
            self.wish_for(&between(start, &end, share));
        }
        self.wishes.push(joints);
        Ok(end)
    }

    /// Where the way between two reachable postures is not reachable, the last wish stands.
    fn wish_for(&mut self, posture: &Posture) {
        if let Ok(wish) = joints_from_posture(posture) {
            self.last = wish;
        }
        self.wishes.push(self.last);
    }

    /// The posture that a target means and its joints, which the servos can take.
    fn reach(&mut self, start: &Posture, target: &Target) -> Result<(Posture, Joints), Refusal> {
        let end = self.settle(start, target)?;
        let joints = self.joints_for(&end)?;
        Ok((end, joints))
    }

    /// The joints of a posture, which the servos can take.
    fn joints_for(&self, posture: &Posture) -> Result<Joints, Refusal> {
        let joints = joints_from_posture(posture)?;
        for leg in Joint::STEWART {
            let limit = self.rules.limits.joints[leg];
            if joints[leg] < limit.low || joints[leg] > limit.high {
                return Err(Refusal::BeyondServo {
                    leg,
                    wish: joints[leg],
                    low: limit.low,
                    high: limit.high,
                });
            }
        }
        Ok(joints)
    }

    /// The same for one target of many: where it is a little too far for the legs, the head takes as much of the way
    /// from rest to it as they allow, and that is told. A whole dance is not refused for a millimetre.
    fn reach_nearly(&mut self, start: &Posture, target: &Target) -> Result<(Posture, Joints), Refusal> {
        let (refusal, (leg, by)) = match self.reach(start, target) {
            Err(refusal) => match refusal.miss() {
                Some(miss) => (refusal, miss),
                None => return Err(refusal),
            },
            reached => return reached,
        };
        let far = self.settle(start, target)?;
        let ahead = RollPitchYaw { yaw: far.body_yaw, ..RollPitchYaw::default() };
        let rest = Posture { head: HeadPose::new(0.0, 0.0, 0.0, ahead), ..far };
        let (mut near, mut beyond) = (LEAST_SHARE, 1.0);
        let mut found = self.joints_for(&between(&rest, &far, near)).map_err(|_| refusal)?;
        while beyond - near > 1e-4 {
            let share = 0.5 * (near + beyond);
            match self.joints_for(&between(&rest, &far, share)) {
                Ok(joints) => (near, found) = (share, joints),
                Err(_) => beyond = share,
            }
        }
        self.tell(Adjustment { what: leg.name(), asked: found[leg] + by, given: found[leg] });
        Ok((between(&rest, &far, near), found))
    }

    /// The whole posture that a target means, with what is beyond the limits brought inside, and told.
    fn settle(&mut self, start: &Posture, target: &Target) -> Result<Posture, Refusal> {
        let limits = self.rules.limits;
        let mut end = *start;
        if let Some(head) = target.head {
            if !head.0.translation.vector.iter().chain(head.0.rotation.coords.iter()).all(|n| n.is_finite()) {
                return Err(Refusal::NotFinite { what: "the head pose" });
            }
            let mut angles = head.angles();
            angles.pitch = self.adjust("pitch", angles.pitch, -limits.head_pitch, limits.head_pitch)?;
            angles.roll = self.adjust("roll", angles.roll, -limits.head_roll, limits.head_roll)?;
            let at = head.0.translation;
            end.head = if angles == head.angles() { head } else { HeadPose::new(at.x, at.y, at.z, angles) };
        }
        if let Some(antennas) = target.antennas {
            let right = limits.joints[Joint::RightAntenna];
            let left = limits.joints[Joint::LeftAntenna];
            end.antennas = Antennas {
                right: self.adjust("right_antenna", antennas.right, right.low, right.high)?,
                left: self.adjust("left_antenna", antennas.left, left.low, left.high)?,
            };
        }
        if let Some(yaw) = target.body_yaw {
            let limit = limits.joints[Joint::BodyYaw];
            end.body_yaw = self.adjust("body_yaw", yaw, limit.low, limit.high)?;
        }
        if self.rules.automatic_body_yaw {
            end.body_yaw = automatic_body_yaw(&end.head, end.body_yaw);
        }
        Ok(end)
    }

    fn adjust(
        &mut self,
        what: &'static str,
        asked: Radians,
        low: Radians,
        high: Radians,
    ) -> Result<Radians, Refusal> {
        if !asked.is_finite() {
            return Err(Refusal::NotFinite { what });
        }
        let given = asked.clamp(low, high);
        if given != asked {
            self.tell(Adjustment { what, asked, given });
        }
        Ok(given)
    }

    /// Of what is brought inside again and again, the worst is told.
    fn tell(&mut self, more: Adjustment) {
        let size = |adjustment: &Adjustment| (adjustment.asked - adjustment.given).abs();
        match self.adjustments.iter_mut().find(|told| told.what == more.what) {
            Some(told) if size(told) < size(&more) => *told = more,
            Some(_) => {}
            None => self.adjustments.push(more),
        }
    }
}

/// The posture at `share` of the way; shares beyond 0..1 overshoot.
fn between(start: &Posture, end: &Posture, share: f64) -> Posture {
    let mix = |a: f64, b: f64| a + (b - a) * share;
    let (from, to) = (start.head.angles().yaw.value(), end.head.angles().yaw.value());
    let turn = |yaw: f64| UnitQuaternion::from_euler_angles(0.0, 0.0, yaw);
    let from_rest = turn(from).inverse() * start.head.0.rotation;
    let to_rest = turn(to).inverse() * end.head.0.rotation;
    let lean = from_rest * (from_rest.inverse() * to_rest).powf(share);
    let translation = start.head.0.translation.vector.lerp(&end.head.0.translation.vector, share);
    Posture {
        head: HeadPose(nalgebra::Isometry3::from_parts(translation.into(), turn(mix(from, to)) * lean)),
        body_yaw: Radians(mix(start.body_yaw.value(), end.body_yaw.value())),
        antennas: Antennas {
            right: Radians(mix(start.antennas.right.value(), end.antennas.right.value())),
            left: Radians(mix(start.antennas.left.value(), end.antennas.left.value())),
        },
    }
}

#[cfg(test)]
mod tests;

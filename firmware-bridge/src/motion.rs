//! Motion requests, and their plans with one setpoint per cycle.
//!
//! [`Motion::plan`] is pure and runs outside the control loop. It computes all inverse kinematics of a motion and
//! rejects invalid motions before anything moves. Poses are interpolated as in the official SDK: translation linearly,
//! yaw as a signed number, roll and pitch by the shortest rotation.

mod path;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::path::{EASE_DURATION, Easing, Shares, interpolate};
use crate::joint::{Joint, Joints};
use crate::kinematics::{
    ForwardKinematicsError, InverseKinematicsError, automatic_body_yaw, joints_from_posture,
    posture_from_joints,
};
use crate::limits::Limits;
use crate::posture::{Antennas, HeadPose, PoseError, Posture, RollPitchYaw};
use crate::units::Radians;

/// The longest motion that is planned in one piece.
pub const MAX_DURATION: Duration = Duration::from_secs(600);

/// The minimum fraction of the path from the neutral pose to a keyframe, if the legs cannot reach all of it.
const MIN_FRACTION: f64 = 0.5;

/// The length of a leg's arm, metres (official kinematics data). It converts the length error of a rod to an angle of
/// the arm.
const CRANK_LENGTH_M: f64 = 0.04;

/// How a motion proceeds from one posture to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Constant velocity.
    Linear,
    /// Minimum jerk: `10 t^3 - 15 t^4 + 6 t^5`.
    #[default]
    Minjerk,
    /// Quadratic ease-in and ease-out.
    EaseInOut,
    /// Back ease: overshoots by about ten percent.
    Cartoon,
}

impl Interpolation {
    /// Returns the fraction of the path at the time `t`, from 0 to 1.
    #[must_use]
    pub fn progress(self, t: f64) -> f64 {
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
                const BACK_OVERSHOOT: f64 = 1.701_58 * 1.525;
                if t < 0.5 {
                    let u = 2.0 * t;
                    u * u * ((BACK_OVERSHOOT + 1.0) * u - BACK_OVERSHOOT) / 2.0
                } else {
                    let u = 2.0 * t - 2.0;
                    (u * u * ((BACK_OVERSHOOT + 1.0) * u + BACK_OVERSHOOT) + 2.0) / 2.0
                }
            }
        }
    }
}

/// A posture in which parts may stay unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// `world_from_head`, relative to the neutral head.
    pub head: Option<HeadPose>,
    /// The body yaw.
    pub body_yaw: Option<Radians>,
    /// The antennas.
    pub antennas: Option<Antennas>,
}

impl Target {
    /// Returns a target with all parts of a posture.
    #[must_use]
    pub const fn of(posture: &Posture) -> Self {
        Target {
            head: Some(posture.head),
            body_yaw: Some(posture.body_yaw),
            antennas: Some(posture.antennas),
        }
    }
}

/// A target with its time from the start of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// The time from the start of the motion.
    pub time: Duration,
    /// The target at that time.
    pub target: Target,
}

/// How long each part of a target takes to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ramps {
    /// The head. A body that follows the head's yaw takes as long.
    pub head: Duration,
    /// The body yaw.
    pub body_yaw: Duration,
    /// The antennas.
    pub antennas: Duration,
}

impl Ramps {
    /// Returns the ramps of parts that arrive together.
    #[must_use]
    pub const fn all(duration: Duration) -> Self {
        Ramps { head: duration, body_yaw: duration, antennas: duration }
    }
}

/// A motion request.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Go to a target and arrive after `duration`.
    Goto {
        /// The target.
        target: Target,
        /// The duration of the motion.
        duration: Duration,
        /// The interpolation.
        interpolation: Interpolation,
    },
    /// Follow this target from now on. A part that has arrived stays there.
    SetTarget {
        /// The target.
        target: Target,
        /// When its parts arrive.
        ramps: Ramps,
    },
    /// Pass through keyframes in order.
    Play(Vec<Keyframe>),
    /// Stay at the present position.
    Hold {
        /// How long to stay.
        duration: Duration,
    },
}

/// Why a motion did not start: a message for the model and the user, with a remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// No joint angles reach this pose.
    #[error("{0}; stay within about 4 cm and 40 degrees of the neutral pose")]
    Unreachable(#[from] InverseKinematicsError),
    /// A leg's servo cannot turn that far.
    #[error(
        "the head cannot reach this pose: {leg} needs {setpoint}, its range is {low} to {high}; move or tilt the head less"
    )]
    JointLimit {
        /// The leg.
        leg: Joint,
        /// The angle that the pose needs.
        setpoint: Radians,
        /// The minimum angle.
        low: Radians,
        /// The maximum angle.
        high: Radians,
    },
    /// A value is infinite or not a number.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// The name of the value.
        what: &'static str,
    },
    /// The matrix is not a rigid transform.
    #[error(transparent)]
    InvalidPose(#[from] PoseError),
    /// The duration is zero, negative or too long.
    #[error("invalid duration: {seconds} s; it must be more than 0 and at most {} s", MAX_DURATION.as_secs())]
    InvalidDuration {
        /// The requested duration.
        seconds: f64,
    },
    /// The times of the keyframes do not increase.
    #[error("keyframe {index} at {seconds} s is not after the previous keyframe; sort the keyframes by time")]
    OutOfOrder {
        /// The index of the keyframe, from 0.
        index: usize,
        /// Its time.
        seconds: f64,
    },
    /// No head pose fits the present joints, so the motion has no start.
    #[error(
        "cannot determine the present head pose from the joints ({0}); move the head by hand close to its neutral pose"
    )]
    HeadPoseUnknown(#[from] ForwardKinematicsError),
    /// The motors are off.
    #[error("cannot move: the motors are off; say \"wake up\" or enable them first")]
    TorqueOff,
    /// Gravity compensation is on.
    #[error("cannot move: gravity compensation is on; turn it off first")]
    HandGuidingActive,
    /// Another client controls the robot.
    #[error("cannot move: {by} controls the robot; try again when it has finished, or stop it first")]
    ControlledBy {
        /// The name of the client.
        by: String,
    },
    /// The motion was stopped.
    #[error("motion was stopped")]
    Stopped,
    /// The robot has a fault.
    #[error("the robot cannot move: {reason}")]
    Fault {
        /// The message of the fault.
        reason: String,
    },
}

impl MotionError {
    /// Returns the leg that cannot reach its angle, and the missing angle of its arm.
    fn missing_angle(&self) -> Option<(Joint, Radians)> {
        match self {
            MotionError::JointLimit { leg, setpoint, low, high } => {
                Some((*leg, *setpoint - setpoint.clamp(*low, *high)))
            }
            MotionError::Unreachable(
                InverseKinematicsError::TooFar { leg, distance: by }
                | InverseKinematicsError::TooNear { leg, distance: by },
            ) => Some((*leg, Radians(by / CRANK_LENGTH_M))),
            _ => None,
        }
    }
}

/// A part of a target that the planner moved inside the limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Adjustment {
    /// The name of the part: `pitch`, `roll`, `body_yaw`, `right_antenna`, `left_antenna` or the leg that cannot reach
    /// its angle.
    pub what: &'static str,
    /// The requested angle.
    #[serde(rename = "asked")]
    pub requested: Radians,
    /// The planned angle.
    #[serde(rename = "given")]
    pub applied: Radians,
}

/// The rules for a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanRules<'a> {
    /// The limits of the robot.
    pub limits: &'a Limits,
    /// The duration of one cycle.
    pub period: Duration,
    /// Whether the body follows the yaw of the head.
    pub automatic_body_yaw: bool,
}

/// One setpoint per cycle, and their end.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// The setpoint of each cycle; never empty.
    pub setpoints: Vec<Joints>,
    /// The posture at the end, after adjustments.
    pub target: Posture,
    /// The parts that the planner moved inside the limits.
    pub adjustments: Vec<Adjustment>,
}

impl Motion {
    /// Plans the motion from joints at rest. Joints may also move: the envelope keeps the velocity continuous.
    ///
    /// # Errors
    /// A [`MotionError`] if the end is out of reach; nothing has moved then.
    pub fn plan(&self, from: &Joints, rules: &PlanRules<'_>) -> Result<Trajectory, MotionError> {
        let start = posture_from_joints(from, &HeadPose::neutral())?;
        let mut plan = Planner { rules, setpoints: Vec::new(), adjustments: Vec::new(), last: *from };
        let target = match self {
            Motion::Goto { target, duration, interpolation } => {
                plan.append_segment(&start, target, *duration, *interpolation)?
            }
            Motion::SetTarget { target, ramps } => plan.append_ramps(&start, target, ramps)?,
            Motion::Play(keyframes) => plan.keyframes(start, keyframes)?,
            Motion::Hold { duration } => {
                let cycles = plan.cycles_for(*duration)?;
                plan.setpoints.resize(cycles, *from);
                start
            }
        };
        Ok(Trajectory { setpoints: plan.setpoints, target, adjustments: plan.adjustments })
    }
}

/// Converts a duration in seconds from an external source.
///
/// # Errors
/// [`MotionError::InvalidDuration`] if the duration is not valid for a motion.
pub fn duration_from_seconds(seconds: f64) -> Result<Duration, MotionError> {
    if seconds > 0.0 && seconds <= MAX_DURATION.as_secs_f64() {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(MotionError::InvalidDuration { seconds })
    }
}

struct Planner<'a> {
    rules: &'a PlanRules<'a>,
    setpoints: Vec<Joints>,
    adjustments: Vec<Adjustment>,
    last: Joints,
}

impl Planner<'_> {
    fn cycles_for(&self, duration: Duration) -> Result<usize, MotionError> {
        if duration.is_zero() || duration > MAX_DURATION {
            return Err(MotionError::InvalidDuration { seconds: duration.as_secs_f64() });
        }
        let cycles = duration.as_nanos().div_ceil(self.rules.period.as_nanos().max(1));
        Ok(usize::try_from(cycles).unwrap_or(usize::MAX))
    }

    /// Samples the straight segments between keyframes at each cycle, for keyframes at any rate.
    fn keyframes(&mut self, start: Posture, keyframes: &[Keyframe]) -> Result<Posture, MotionError> {
        // Every keyframe is checked before the path is computed, which may take long.
        let mut waypoints = vec![(Duration::ZERO, start)];
        let (mut end, mut joints) = (start, self.last);
        let mut reached = Duration::ZERO;
        for (position, keyframe) in keyframes.iter().enumerate() {
            if keyframe.time <= reached && !(position == 0 && keyframe.time.is_zero()) {
                return Err(MotionError::OutOfOrder {
                    index: position,
                    seconds: keyframe.time.as_secs_f64(),
                });
            }
            (end, joints) = self.solve_nearest(&end, &keyframe.target)?;
            reached = keyframe.time;
            waypoints.push((reached, end));
        }
        let total = reached.max(self.rules.period);
        let ease = self.easing(&waypoints, total);
        let cycles = self.cycles_for(total + ease.extra_time())?;
        let mut segments = waypoints.windows(2);
        let mut segment = segments.next();
        for cycle in 1..cycles {
            let time = ease.time(self.rules.period.as_secs_f64() * cycle as f64, total.as_secs_f64());
            while let Some([_, (until, _)]) = segment
                && until.as_secs_f64() < time
            {
                segment = segments.next();
            }
            if let Some([(since, from), (until, to)]) = segment {
                let share = (time - since.as_secs_f64()) / (*until - *since).as_secs_f64();
                self.add_setpoint(&interpolate(from, to, share));
            }
        }
        self.setpoints.push(joints);
        Ok(end)
    }

    /// Keyframes that begin or end at full speed, as recordings do, get easing.
    fn easing(&self, waypoints: &[(Duration, Posture)], total: Duration) -> Easing {
        let is_fast = |segment: Option<&[(Duration, Posture)]>| {
            let Some([(since, from), (until, to)]) = segment else { return false };
            let seconds = (*until - *since).as_secs_f64();
            let (Ok(from), Ok(to)) = (joints_from_posture(from), joints_from_posture(to)) else {
                return false;
            };
            let cycle = self.rules.period.as_secs_f64();
            Joint::ALL.into_iter().any(|joint| {
                let limit = &self.rules.limits.joints[joint];
                // The change of velocity that is possible in one cycle.
                let max_step_velocity =
                    (limit.max_jerk.value() * cycle).min(limit.max_acceleration.value()) * cycle;
                (to[joint] - from[joint]).abs().value() > max_step_velocity * seconds
            })
        };
        let mut segments = waypoints
            .windows(2)
            .filter(|segment| segment.first().map(|one| one.0) < segment.last().map(|one| one.0));
        let room = total > EASE_DURATION * 3;
        let starts = room && is_fast(segments.next());
        let ends = room && is_fast(waypoints.windows(2).next_back());
        Easing { starts, ends }
    }

    /// Adds the whole path to one target.
    fn append_segment(
        &mut self,
        start: &Posture,
        target: &Target,
        duration: Duration,
        interpolation: Interpolation,
    ) -> Result<Posture, MotionError> {
        let (end, joints) = self.solve_target(start, target)?;
        let cycles = self.cycles_for(duration)?;
        for cycle in 1..cycles {
            let time = self.rules.period.as_secs_f64() * cycle as f64;
            let share = interpolation.progress(time / duration.as_secs_f64());
            self.add_setpoint(&interpolate(start, &end, share));
        }
        self.setpoints.push(joints);
        Ok(end)
    }

    /// Adds the paths of all parts to one target, each at constant velocity and with a duration of its own.
    fn append_ramps(
        &mut self,
        start: &Posture,
        target: &Target,
        ramps: &Ramps,
    ) -> Result<Posture, MotionError> {
        let (end, joints) = self.solve_target(start, target)?;
        let body_yaw =
            if self.rules.automatic_body_yaw { ramps.head.max(ramps.body_yaw) } else { ramps.body_yaw };
        let cycles = self.cycles_for(ramps.head.max(body_yaw).max(ramps.antennas))?;
        for cycle in 1..cycles {
            let time = self.rules.period.as_secs_f64() * cycle as f64;
            let share = |ramp: Duration| Interpolation::Linear.progress(time / ramp.as_secs_f64());
            let shares = Shares {
                head: share(ramps.head),
                body_yaw: share(body_yaw),
                antennas: share(ramps.antennas),
            };
            self.add_setpoint(&shares.between(start, &end));
        }
        self.setpoints.push(joints);
        Ok(end)
    }

    /// Adds the setpoint for a posture. If a posture between two reachable ones is not reachable, the last setpoint
    /// repeats.
    fn add_setpoint(&mut self, posture: &Posture) {
        if let Ok(setpoint) = joints_from_posture(posture) {
            self.last = setpoint;
        }
        self.setpoints.push(self.last);
    }

    /// Returns the posture of a target and its joints, which are within the servos' limits.
    fn solve_target(&mut self, start: &Posture, target: &Target) -> Result<(Posture, Joints), MotionError> {
        let end = self.resolve_target(start, target)?;
        let joints = self.joints_for(&end)?;
        Ok((end, joints))
    }

    /// Returns the joints of a posture, which are within the servos' limits.
    fn joints_for(&self, posture: &Posture) -> Result<Joints, MotionError> {
        let joints = joints_from_posture(posture)?;
        for leg in Joint::STEWART {
            let limit = self.rules.limits.joints[leg];
            if joints[leg] < limit.min_position || joints[leg] > limit.max_position {
                return Err(MotionError::JointLimit {
                    leg,
                    setpoint: joints[leg],
                    low: limit.min_position,
                    high: limit.max_position,
                });
            }
        }
        Ok(joints)
    }

    /// Does the same for one of many targets. If the target is slightly out of the legs' reach, the head follows the
    /// path from the neutral pose as far as possible. The result reports this as an adjustment. A whole dance is not
    /// rejected because of one millimetre.
    fn solve_nearest(&mut self, start: &Posture, target: &Target) -> Result<(Posture, Joints), MotionError> {
        let (refusal, (leg, by)) = match self.solve_target(start, target) {
            Err(refusal) => match refusal.missing_angle() {
                Some(missing_angle) => (refusal, missing_angle),
                None => return Err(refusal),
            },
            reached => return reached,
        };
        let far = self.resolve_target(start, target)?;
        let ahead = RollPitchYaw { yaw: far.body_yaw, ..RollPitchYaw::default() };
        let rest = Posture { head: HeadPose::new(0.0, 0.0, 0.0, ahead), ..far };
        let (mut near, mut beyond) = (MIN_FRACTION, 1.0);
        let mut found = self.joints_for(&interpolate(&rest, &far, near)).map_err(|_| refusal)?;
        while beyond - near > 1e-4 {
            let share = 0.5 * (near + beyond);
            match self.joints_for(&interpolate(&rest, &far, share)) {
                Ok(joints) => (near, found) = (share, joints),
                Err(_) => beyond = share,
            }
        }
        self.record(Adjustment { what: leg.name(), requested: found[leg] + by, applied: found[leg] });
        Ok((interpolate(&rest, &far, near), found))
    }

    /// Returns the whole posture of a target. Parts outside the limits are moved inside and reported.
    fn resolve_target(&mut self, start: &Posture, target: &Target) -> Result<Posture, MotionError> {
        let limits = self.rules.limits;
        let mut end = *start;
        if let Some(head) = target.head {
            if !head.0.translation.vector.iter().chain(head.0.rotation.coords.iter()).all(|n| n.is_finite()) {
                return Err(MotionError::NotFinite { what: "the head pose" });
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
                right: self.adjust(
                    "right_antenna",
                    antennas.right,
                    right.min_position,
                    right.max_position,
                )?,
                left: self.adjust("left_antenna", antennas.left, left.min_position, left.max_position)?,
            };
        }
        if let Some(yaw) = target.body_yaw {
            let limit = limits.joints[Joint::BodyYaw];
            end.body_yaw = self.adjust("body_yaw", yaw, limit.min_position, limit.max_position)?;
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
    ) -> Result<Radians, MotionError> {
        if !asked.is_finite() {
            return Err(MotionError::NotFinite { what });
        }
        let given = asked.clamp(low, high);
        if given != asked {
            self.record(Adjustment { what, requested: asked, applied: given });
        }
        Ok(given)
    }

    /// Records an adjustment. Of several adjustments of one part, the largest is reported.
    fn record(&mut self, adjustment: Adjustment) {
        let size = |adjustment: &Adjustment| (adjustment.requested - adjustment.applied).abs();
        match self.adjustments.iter_mut().find(|recorded| recorded.what == adjustment.what) {
            Some(recorded) if size(recorded) < size(&adjustment) => *recorded = adjustment,
            Some(_) => {}
            None => self.adjustments.push(adjustment),
        }
    }
}

#[cfg(test)]
mod tests;

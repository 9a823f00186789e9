//! Tilt, yaw and singularity margin of the head, now and on the path of full braking.

use super::ClampCause;
use super::axis::Axis;
use super::braking::Rates;
use crate::joint::{Joint, Joints};
use crate::kinematics::head_and_singularity_margin;
use crate::limits::Limits;
use crate::posture::HeadPose;
use crate::units::Radians;

/// The tolerance of forward kinematics at a head limit: radians, and units of the singularity margin.
const HEAD_TOLERANCE: f64 = 1e-6;

/// Maximum number of braking cycles. Legs at maximum velocity need nine at 100 Hz and 36 at 400 Hz.
const MAX_BRAKING_CYCLES: usize = 500;

/// The state of the head in the body's frame: angles in radians, without sign, and the singularity margin of the legs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HeadState {
    pitch: f64,
    roll: f64,
    yaw: f64,
    singularity_margin: f64,
}

impl HeadState {
    /// Returns the most extreme state that the limits permit.
    pub fn allowed(limits: &Limits) -> Self {
        HeadState {
            pitch: limits.head_pitch.value(),
            roll: limits.head_roll.value(),
            yaw: limits.relative_yaw.value(),
            singularity_margin: limits.min_singularity_margin,
        }
    }

    /// Returns the more extreme value of both, component by component.
    pub fn worse(self, other: HeadState) -> HeadState {
        HeadState {
            pitch: self.pitch.max(other.pitch),
            roll: self.roll.max(other.roll),
            yaw: self.yaw.max(other.yaw),
            singularity_margin: self.singularity_margin.min(other.singularity_margin),
        }
    }

    /// Returns the less extreme value of both, component by component.
    pub fn better(self, other: HeadState) -> HeadState {
        HeadState {
            pitch: self.pitch.min(other.pitch),
            roll: self.roll.min(other.roll),
            yaw: self.yaw.min(other.yaw),
            singularity_margin: self.singularity_margin.max(other.singularity_margin),
        }
    }

    /// Returns the limit of `allowed` that this state exceeds, if any.
    fn beyond(&self, allowed: &HeadState) -> Option<ClampCause> {
        if self.pitch > allowed.pitch + HEAD_TOLERANCE || self.roll > allowed.roll + HEAD_TOLERANCE {
            Some(ClampCause::HeadPitchRoll)
        } else if self.yaw > allowed.yaw + HEAD_TOLERANCE {
            Some(ClampCause::RelativeYaw)
        } else {
            (self.singularity_margin < allowed.singularity_margin - HEAD_TOLERANCE)
                .then_some(ClampCause::Singularity)
        }
    }
}

/// Estimates the state of the head from the legs. It starts from the previous estimate, since the next pose is close to
/// it.
#[derive(Clone, Debug)]
pub(super) struct HeadEstimator {
    seed: HeadPose,
}

impl HeadEstimator {
    pub fn new() -> Self {
        HeadEstimator { seed: HeadPose::neutral() }
    }

    /// Returns the state of the head for these leg angles, or `None` if no head pose fits them.
    pub fn find(&mut self, legs: &[Radians; 6]) -> Option<HeadState> {
        let (head, singularity_margin) = head_and_singularity_margin(legs, &self.seed).ok()?;
        self.seed = head;
        let angles = head.angles();
        let [pitch, roll, yaw] = [angles.pitch, angles.roll, angles.yaw].map(|angle| angle.abs().value());
        Some(HeadState { pitch, roll, yaw, singularity_margin })
    }

    /// Returns the most extreme state over one cycle with these accelerations and all cycles of full braking after it.
    /// These are exactly the cycles that braking would command.
    ///
    /// # Errors
    /// The first limit of `allowed` that is exceeded.
    pub fn look_ahead(
        &mut self,
        axes: &Joints<Axis>,
        aims: &Joints<f64>,
        allowed: &HeadState,
        dt: f64,
    ) -> Result<HeadState, ClampCause> {
        let mut legs =
            Joint::STEWART.map(|joint| LegMotion::after_acceleration(&axes[joint], aims[joint], dt));
        // A path that exceeds the limits usually does so at its end, so the end is checked first.
        let ends = legs
            .map(|leg| Radians(leg.position + leg.rates.stopping_path(leg.velocity, leg.acceleration).end));
        let now = self.seed;
        let mut worst = self.find(&ends).ok_or(ClampCause::Singularity)?;
        if let Some(cause) = worst.beyond(allowed) {
            self.seed = now;
            return Err(cause);
        }
        self.seed = now;
        for _ in 0..MAX_BRAKING_CYCLES {
            if legs.iter().all(|leg| leg.rates.is_at_rest(leg.velocity, leg.acceleration)) {
                return Ok(worst);
            }
            let hold = self.find(&legs.map(|leg| Radians(leg.position))).ok_or(ClampCause::Singularity)?;
            if let Some(cause) = hold.beyond(allowed) {
                return Err(cause);
            }
            worst = worst.worse(hold);
            for leg in &mut legs {
                leg.brake();
            }
        }
        Err(ClampCause::Acceleration)
    }
}

/// One leg on its path to rest.
#[derive(Clone, Copy)]
struct LegMotion {
    rates: Rates,
    position: f64,
    velocity: f64,
    acceleration: f64,
}

impl LegMotion {
    fn after_acceleration(axis: &Axis, acceleration: f64, dt: f64) -> LegMotion {
        let (state, rates) = (axis.state(), axis.rates(dt));
        let mut leg = LegMotion {
            rates,
            position: state.position,
            velocity: state.velocity,
            acceleration: state.acceleration,
        };
        leg.apply_acceleration(acceleration);
        leg
    }

    fn brake(&mut self) {
        self.apply_acceleration(self.rates.after_braking(self.velocity, self.acceleration));
    }

    fn apply_acceleration(&mut self, acceleration: f64) {
        self.acceleration = acceleration;
        self.velocity = self.rates.speed_after(self.velocity, acceleration);
        self.position += self.velocity * self.rates.dt;
    }
}

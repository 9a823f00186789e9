//! How far the head leans and turns, and how steadily it is held: now, and on the way of full braking.

use super::TrimCause;
use super::axis::Axis;
use super::braking::Rates;
use crate::joint::{Joint, Joints};
use crate::kinematics::head_and_steadiness;
use crate::limits::Limits;
use crate::posture::HeadPose;
use crate::units::Radians;

/// What forward kinematics may be wrong by at a head limit, radians, and in steadiness.
const HEAD_ROUNDING: f64 = 1e-6;

/// Beats that braking may take; legs at their greatest speed need nine at 100 Hz and 36 at 400 Hz.
const LONGEST_BRAKING: usize = 500;

/// How the head is held, in the body's frame: radians, without sign, and the steadiness of the legs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hold {
    pitch: f64,
    roll: f64,
    yaw: f64,
    steadiness: f64,
}

impl Hold {
    /// The worst that the limits allow.
    pub fn allowed(limits: &Limits) -> Self {
        Hold {
            pitch: limits.head_pitch.value(),
            roll: limits.head_roll.value(),
            yaw: limits.relative_yaw.value(),
            steadiness: limits.steadiness,
        }
    }

    /// The worse of both, angle by angle.
    pub fn worse(self, other: Hold) -> Hold {
        Hold {
            pitch: self.pitch.max(other.pitch),
            roll: self.roll.max(other.roll),
            yaw: self.yaw.max(other.yaw),
            steadiness: self.steadiness.min(other.steadiness),
        }
    }

    /// The better of both, angle by angle.
    pub fn better(self, other: Hold) -> Hold {
        Hold {
            pitch: self.pitch.min(other.pitch),
            roll: self.roll.min(other.roll),
            yaw: self.yaw.min(other.yaw),
            steadiness: self.steadiness.max(other.steadiness),
        }
    }

    /// Which of `allowed` this is beyond.
    fn beyond(&self, allowed: &Hold) -> Option<TrimCause> {
        if self.pitch > allowed.pitch + HEAD_ROUNDING || self.roll > allowed.roll + HEAD_ROUNDING {
            Some(TrimCause::HeadTilt)
        } else if self.yaw > allowed.yaw + HEAD_ROUNDING {
            Some(TrimCause::RelativeYaw)
        } else {
            (self.steadiness < allowed.steadiness - HEAD_ROUNDING).then_some(TrimCause::Singularity)
        }
    }
}

/// Finds the head above the legs; remembers it, since the next place is near.
#[derive(Clone, Debug)]
pub(super) struct Finder {
    seed: HeadPose,
}

impl Finder {
    pub fn new() -> Self {
        Finder { seed: HeadPose::neutral() }
    }

    /// How the legs hold the head. None when they fit no place of it.
    pub fn find(&mut self, legs: &[Radians; 6]) -> Option<Hold> {
        let (head, steadiness) = head_and_steadiness(legs, &self.seed).ok()?;
        self.seed = head;
        let angles = head.angles();
        let [pitch, roll, yaw] = [angles.pitch, angles.roll, angles.yaw].map(|angle| angle.abs().value());
        Some(Hold { pitch, roll, yaw, steadiness })
    }

    /// The worst hold on one beat with these accelerations and all beats of full braking after it: the very beats that
    /// braking would command.
    ///
    /// # Errors
    /// The first limit of `allowed` that breaks.
    pub fn look_ahead(
        &mut self,
        axes: &Joints<Axis>,
        aims: &Joints<f64>,
        allowed: &Hold,
        dt: f64,
    ) -> Result<Hold, TrimCause> {
        let mut legs = Joint::STEWART.map(|joint| Leg::pushed(&axes[joint], aims[joint], dt));
        // What is beyond the limits is so most often at the end, so that is looked at first.
        let ends = legs.map(|leg| Radians(leg.position + leg.rates.way(leg.velocity, leg.acceleration).end));
        let now = self.seed;
        let mut worst = self.find(&ends).ok_or(TrimCause::Singularity)?;
        if let Some(cause) = worst.beyond(allowed) {
            self.seed = now;
            return Err(cause);
        }
        self.seed = now;
        for _ in 0..LONGEST_BRAKING {
            if legs.iter().all(|leg| leg.rates.rests(leg.velocity, leg.acceleration)) {
                return Ok(worst);
            }
            let hold = self.find(&legs.map(|leg| Radians(leg.position))).ok_or(TrimCause::Singularity)?;
            if let Some(cause) = hold.beyond(allowed) {
                return Err(cause);
            }
            worst = worst.worse(hold);
            for leg in &mut legs {
                leg.brake();
            }
        }
        Err(TrimCause::Acceleration)
    }
}

/// One leg on its way to rest.
#[derive(Clone, Copy)]
struct Leg {
    rates: Rates,
    position: f64,
    velocity: f64,
    acceleration: f64,
}

impl Leg {
    fn pushed(axis: &Axis, acceleration: f64, dt: f64) -> Leg {
        let (state, rates) = (axis.state(), axis.rates(dt));
        let mut leg = Leg {
            rates,
            position: state.position,
            velocity: state.velocity,
            acceleration: state.acceleration,
        };
        leg.push(acceleration);
        leg
    }

    fn brake(&mut self) {
        self.push(self.rates.braked(self.velocity, self.acceleration));
    }

    fn push(&mut self, acceleration: f64) {
        self.acceleration = acceleration;
        self.velocity = self.rates.speed_after(self.velocity, acceleration);
        self.position += self.velocity * self.rates.dt;
    }
}

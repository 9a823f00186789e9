//! The last thing before the motors: turns any wish into a command that the body can carry out safely.
//!
//! Responsibilities: range, speed, acceleration, pitch and roll of the head, its yaw relative to the body, and
//! numbers that are none. [`Envelope::pass`] is total: whatever the wish, a command comes out.
//!
//! Safety: the envelope is viable, not only bounded. A next state is admitted only if full braking from it stays
//! inside every limit, so from every state that it ever commands there is a way to rest. By induction the brake
//! step is always admissible, and it is what remains when nothing else is.
//!
//! Threads: owned by the pulse. Units: radians, seconds. Frames: the head's angles are taken in the body's frame.

use std::time::Duration;

use serde::Serialize;

use crate::joint::{Joint, Joints};
use crate::kinematics::head_in_body;
use crate::limits::{JointLimit, Limits};
use crate::posture::HeadPose;
use crate::servo::{Gains, Milliamps, Mode};
use crate::units::Radians;

/// What a robot is told to do on one beat. Only the envelope makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct SafeCommand(Action);

/// The inside of a [`SafeCommand`], for the robots that carry it out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Goal positions for all nine motors.
    Targets(Joints),
    /// Torque on or off for each motor; goals are pinned to the present position before torque is switched on.
    Torque(Joints<bool>),
    /// Reboot one motor.
    Reboot(Joint),
    /// What each motor controls; a motor whose mode changes is limp for a moment, and then holds where it is.
    Modes(Joints<Mode>),
    /// The goal current of each motor in current mode, the most current of each in current-based position mode.
    Currents(Joints<Milliamps>),
    /// The gains of one motor's position loop.
    Gains(Joint, Gains),
}

impl SafeCommand {
    /// What to do.
    #[must_use]
    pub const fn action(&self) -> &Action {
        &self.0
    }
}

/// Why a wish was not followed to the letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrimCause {
    /// The wish was infinite or not a number.
    NotFinite,
    /// Beyond the joint's range.
    Range,
    /// Faster than the joint may move.
    Speed,
    /// A change of speed that is too sudden.
    Acceleration,
    /// A change of acceleration that is too sudden.
    Jerk,
    /// The head would pitch or roll too far.
    HeadTilt,
    /// The head would turn too far from the body.
    RelativeYaw,
    /// The legs would come too near to a place where they no longer hold the head.
    Singularity,
}

/// One joint's difference between wish and command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trim {
    /// Why.
    pub cause: TrimCause,
    /// Wish less command; zero for a wish that is not a number.
    pub amount: Radians,
}

/// What was trimmed on one beat.
pub type Trims = Joints<Option<Trim>>;

/// A command, and what had to be trimmed to make it.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// What the robot is told.
    pub command: SafeCommand,
    /// What was changed.
    pub trims: Trims,
}

/// The greatest current, mA, with which a motor carries the head: several times what its weight needs, and a fifteenth
/// of what a leg's motor draws when it stalls.
const MOST_LED: f64 = 100.0;

/// Differences below this are rounding, not trims: a hundredth of the servos' resolution.
const ROUNDING: f64 = 1.5e-5;

/// What forward kinematics may be wrong by at a head limit, radians.
const HEAD_ROUNDING: f64 = 1e-6;

/// Beats that braking may take; legs at their greatest speed need seven at 100 Hz.
const LONGEST_BRAKING: usize = 500;

/// How far the head leans and turns, in the body's frame: radians, without sign.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lean {
    pitch: f64,
    roll: f64,
    yaw: f64,
}

impl Lean {
    fn zip(self, other: Lean, f: impl Fn(f64, f64) -> f64) -> Lean {
        Lean {
            pitch: f(self.pitch, other.pitch),
            roll: f(self.roll, other.roll),
            yaw: f(self.yaw, other.yaw),
        }
    }

    /// Which of `allowed` this is beyond.
    fn beyond(&self, allowed: &Lean) -> Option<TrimCause> {
        if self.pitch > allowed.pitch + HEAD_ROUNDING || self.roll > allowed.roll + HEAD_ROUNDING {
            Some(TrimCause::HeadTilt)
        } else {
            (self.yaw > allowed.yaw + HEAD_ROUNDING).then_some(TrimCause::RelativeYaw)
        }
    }
}

/// The guard between wishes and motors.
#[derive(Clone, Debug)]
pub struct Envelope {
    limits: Limits,
    position: Joints,
    velocity: Joints,
    last_wish: Joints,
    seed: HeadPose,
    /// What the head may do: the limits, or as far out as it already was when the robot was found.
    allowed: Option<Lean>,
}

impl Envelope {
    /// An envelope for a body that rests at `position`. Joints found outside their range may come back, not go on.
    #[must_use]
    pub fn at_rest(limits: Limits, position: Joints) -> Self {
        let mut envelope = Envelope {
            limits,
            position,
            velocity: Joints::all(Radians::ZERO),
            last_wish: position,
            seed: HeadPose::neutral(),
            allowed: None,
        };
        envelope.rejoin(position);
        envelope
    }

    /// Starts anew from a body that rests at `position` (after torque was off, or a motor rebooted).
    pub fn rejoin(&mut self, position: Joints) {
        self.position = position;
        self.velocity = Joints::all(Radians::ZERO);
        self.last_wish = position;
        self.allowed = self.lean_at(&position).map(|lean| self.widen(lean));
    }

    /// Other limits from the next beat on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.allowed = self.lean_at(&self.position.clone()).map(|lean| self.widen(lean));
    }

    /// The limits in force.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The last goal positions that were let through.
    #[must_use]
    pub const fn position(&self) -> &Joints {
        &self.position
    }

    /// Whether the last command left every joint at rest.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.velocity.iter().all(|(_, velocity)| *velocity == Radians::ZERO)
    }

    /// The command that comes nearest to `wish` in the next `over`.
    pub fn pass(&mut self, wish: &Joints, over: Duration) -> Passage {
        let dt = over.as_secs_f64().max(1e-6);
        let mut trims = Joints::all(None);
        let mut aims = Joints::all(Radians::ZERO);
        for joint in Joint::ALL {
            let (velocity, cause) = self.aim(joint, wish[joint], dt);
            aims[joint] = velocity;
            trims[joint] = cause.map(|cause| Trim { cause, amount: Radians::ZERO });
        }
        if let Some(cause) = self.keep_head_inside(&mut aims, dt) {
            for joint in Joint::STEWART {
                trims[joint] = Some(Trim { cause, amount: Radians::ZERO });
            }
        }
        self.advance(&aims, dt);
        for joint in Joint::ALL {
            let amount = wish[joint] - self.position[joint];
            trims[joint] = match trims[joint] {
                Some(trim) if trim.cause == TrimCause::NotFinite => Some(trim),
                Some(trim) if amount.value().abs() > ROUNDING => Some(Trim { amount, ..trim }),
                _ => None,
            };
            if wish[joint].is_finite() {
                self.last_wish[joint] = wish[joint].clamp(self.low(joint), self.high(joint));
            }
        }
        Passage { command: SafeCommand(Action::Targets(self.position)), trims }
    }

    /// Brakes every joint at its full deceleration.
    pub fn brake(&mut self, over: Duration) -> SafeCommand {
        let dt = over.as_secs_f64().max(1e-6);
        let aims = Joints::from_fn(|joint| self.braked(joint, self.velocity[joint], dt));
        self.advance(&aims, dt);
        self.last_wish = self.position;
        SafeCommand(Action::Targets(self.position))
    }

    /// Switches torque. The robot pins goals to the present position before it switches torque on.
    #[must_use]
    pub const fn torque(on: Joints<bool>) -> SafeCommand {
        SafeCommand(Action::Torque(on))
    }

    /// Reboots one motor.
    #[must_use]
    pub const fn reboot(joint: Joint) -> SafeCommand {
        SafeCommand(Action::Reboot(joint))
    }

    /// Changes what the motors control.
    #[must_use]
    pub const fn modes(modes: Joints<Mode>) -> SafeCommand {
        SafeCommand(Action::Modes(modes))
    }

    /// Other gains for one motor's position loop, none greater than the servo takes.
    #[must_use]
    pub fn gains(joint: Joint, gains: Gains) -> SafeCommand {
        let Gains { p, i, d } = gains;
        let [p, i, d] = [p, i, d].map(|gain| gain.min(Gains::MOST));
        SafeCommand(Action::Gains(joint, Gains { p, i, d }))
    }

    /// Bounds the current with which every motor holds its position.
    #[must_use]
    pub const fn at_most(most: Milliamps) -> SafeCommand {
        SafeCommand(Action::Currents(Joints::all(most)))
    }

    /// Goal currents, none greater than [`MOST_LED`].
    #[must_use]
    pub fn currents(currents: Joints<Milliamps>) -> SafeCommand {
        let bounded = |Milliamps(current): Milliamps| {
            Milliamps(if current.is_finite() { current.clamp(-MOST_LED, MOST_LED) } else { 0.0 })
        };
        SafeCommand(Action::Currents(currents.map(bounded)))
    }

    /// The velocity for one joint that follows the wish as closely as its own limits allow.
    fn aim(&self, joint: Joint, wish: Radians, dt: f64) -> (Radians, Option<TrimCause>) {
        let JointLimit { speed, acceleration, .. } = self.limits.joints[joint];
        let (speed, acceleration) = (speed.value(), acceleration.value());
        let position = self.position[joint].value();
        let velocity = self.velocity[joint].value();
        let last_wish = self.last_wish[joint].value();
        let mut cause = None;
        let wish = if wish.is_finite() {
            let clamped = wish.clamp(self.low(joint), self.high(joint)).value();
            if (clamped - wish.value()).abs() > 0.0 {
                cause = Some(TrimCause::Range);
            }
            clamped
        } else {
            cause = Some(TrimCause::NotFinite);
            last_wish
        };
        // Follow the wish's own speed, and close what lag there is without overshoot.
        let lag = last_wish - position;
        let mut aim = (wish - last_wish) / dt + lag.signum() * closing_speed(lag.abs(), acceleration, dt);
        if aim.abs() > speed {
            aim = aim.clamp(-speed, speed);
            cause = cause.or(Some(TrimCause::Speed));
        }
        let step = acceleration * dt;
        if (aim - velocity).abs() > step {
            aim = velocity + (aim - velocity).clamp(-step, step);
            cause = cause.or(Some(TrimCause::Acceleration));
        }
        // Never so fast towards an end that braking would pass it.
        let ahead = stopping_speed(self.high(joint).value() - position, acceleration, dt);
        let behind = -stopping_speed(position - self.low(joint).value(), acceleration, dt);
        if aim > ahead || aim < behind {
            let braked = self.braked(joint, Radians(velocity), dt).value();
            aim = if aim > ahead { ahead.max(braked.min(aim)) } else { behind.min(braked.max(aim)) };
            cause = cause.or(Some(TrimCause::Range));
        }
        (Radians(aim), cause)
    }

    /// Gives up as much of the legs' aims as it takes to keep the head inside its limits, down to the brake step.
    fn keep_head_inside(&mut self, aims: &mut Joints, dt: f64) -> Option<TrimCause> {
        let Some(allowed) = self.allowed else {
            // The body was found where no head pose explains its joints; watch until one does.
            self.allowed = self.lean_at(&self.position.clone()).map(|lean| self.widen(lean));
            return None;
        };
        let moves = Joint::STEWART
            .iter()
            .any(|joint| aims[*joint] != Radians::ZERO || self.velocity[*joint] != Radians::ZERO);
        if !moves {
            return None;
        }
        let wished = *aims;
        let mut cause = None;
        for share in [1.0, 0.75, 0.5, 0.25, 0.0] {
            for joint in Joint::STEWART {
                let braked = self.braked(joint, self.velocity[joint], dt);
                aims[joint] = braked + (wished[joint] - braked) * share;
            }
            match self.violation(aims, &allowed, dt) {
                None => break,
                Some(broken) => cause = cause.or(Some(broken)),
            }
        }
        if let Some(lean) = self.lean_at(&self.after(aims, dt)) {
            // Once back inside, the way out is closed again.
            let closer = self.widen(lean);
            self.allowed = Some(allowed.zip(closer, f64::min));
        }
        cause
    }

    /// Which limit of the head the next state breaks, or any beat of full braking from it: the very beats that
    /// [`Envelope::brake`] would command.
    fn violation(&mut self, aims: &Joints, allowed: &Lean, dt: f64) -> Option<TrimCause> {
        let mut legs = self.after(aims, dt);
        let mut velocity = *aims;
        for _ in 0..LONGEST_BRAKING {
            let Some(lean) = self.lean_at(&legs) else { return Some(TrimCause::HeadTilt) };
            if let Some(cause) = lean.beyond(allowed) {
                return Some(cause);
            }
            let mut rests = true;
            for joint in Joint::STEWART {
                velocity[joint] = self.braked(joint, velocity[joint], dt);
                legs[joint] += velocity[joint] * dt;
                rests &= velocity[joint] == Radians::ZERO;
            }
            if rests {
                return None;
            }
        }
        Some(TrimCause::Acceleration)
    }

    /// The joints after one beat at these velocities.
    fn after(&self, aims: &Joints, dt: f64) -> Joints {
        self.position.zip_with(aims, |position, aim| position + aim * dt)
    }

    fn lean_at(&mut self, joints: &Joints) -> Option<Lean> {
        let head = head_in_body(&joints.stewart(), &self.seed).ok()?;
        self.seed = head;
        let angles = head.angles();
        let [pitch, roll, yaw] = [angles.pitch, angles.roll, angles.yaw].map(|angle| angle.abs().value());
        Some(Lean { pitch, roll, yaw })
    }

    /// The limits, or as far out as the head was found.
    fn widen(&self, found: Lean) -> Lean {
        let Limits { head_pitch, head_roll, relative_yaw, .. } = self.limits;
        let bound = Lean { pitch: head_pitch.value(), roll: head_roll.value(), yaw: relative_yaw.value() };
        bound.zip(found, f64::max)
    }

    fn low(&self, joint: Joint) -> Radians {
        Radians(self.limits.joints[joint].low.value().min(self.position[joint].value()))
    }

    fn high(&self, joint: Joint) -> Radians {
        Radians(self.limits.joints[joint].high.value().max(self.position[joint].value()))
    }

    fn braked(&self, joint: Joint, velocity: Radians, dt: f64) -> Radians {
        let step = self.limits.joints[joint].acceleration.value() * dt;
        Radians(velocity.value().signum() * (velocity.value().abs() - step).max(0.0))
    }

    fn advance(&mut self, aims: &Joints, dt: f64) {
        for joint in Joint::ALL {
            let next = self.position[joint] + aims[joint] * dt;
            let next = next.clamp(self.low(joint), self.high(joint));
            self.velocity[joint] =
                if aims[joint].value().abs() < 1e-12 { Radians::ZERO } else { aims[joint] };
            self.position[joint] = next;
        }
    }
}

/// The greatest speed towards an end `distance` away from which full braking still stops short of it: `v` with
/// `v dt + v^2 / 2a <= distance`. The bound holds for the next beat's brake step too, whatever its length.
fn stopping_speed(distance: f64, acceleration: f64, dt: f64) -> f64 {
    let step = acceleration * dt;
    (step * step + 2.0 * acceleration * distance.max(0.0)).sqrt() - step
}

/// The speed that closes `lag` and comes to rest there; the last bit in one beat.
fn closing_speed(lag: f64, acceleration: f64, dt: f64) -> f64 {
    if lag <= 0.5 * acceleration * dt * dt { lag / dt } else { stopping_speed(lag, acceleration, dt) }
}

#[cfg(test)]
mod tests;

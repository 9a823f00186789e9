//! The safety envelope, the last step before the motors: turns any setpoint into a command that the robot can follow
//! safely.
//!
//! Responsibilities: the envelope limits
//!
//! * position, velocity, acceleration and jerk of each joint;
//! * pitch and roll of the head, and its yaw relative to the body;
//! * the singularity margin of the legs.
//!
//! [`Envelope::limit`] is a total function: every setpoint results in a command. If a setpoint is not a number, the
//! joint's previous setpoint applies.
//!
//! Safety: the envelope is viable, not only bounded. It accepts a next state only if full braking from that state stays
//! inside every limit, so every state that it commands has a path to rest. By induction the braking step is always
//! permitted; it is the fallback when no other step is. From a steady velocity, the joint is at rest within `v/a + a/j`
//! and two cycles. Velocity, acceleration and jerk are the backward differences of the goals (`braking`).
//!
//! All this holds for cycles of equal length. With cycles of different lengths, velocity, acceleration and jerk still
//! respect their limits. A position limit or a limit of the head may then be exceeded by the amount by which the
//! braking distance has grown.
//!
//! New limits apply from the first cycle from which full braking respects them. Until then every joint brakes under the
//! old limits. The old limits are never exceeded, and this is the shortest path into the new ones.
//!
//! Threads: owned by the control loop. Units: radians, seconds. Frames: the head's angles are measured in the body's
//! frame.

mod axis;
mod braking;
mod head;

use std::time::Duration;

use serde::Serialize;

use self::axis::{AccelerationChoice, Axis, ROUNDING_TOLERANCE};
use self::head::{HeadEstimator, HeadState};
use crate::joint::{Joint, Joints};
use crate::limits::Limits;
use crate::servo::{Gains, Milliamps, OperatingMode};
use crate::units::Radians;

/// A command for one cycle. Only the envelope can create one.
#[derive(Clone, Debug, PartialEq)]
pub struct SafeCommand(Action);

/// The content of a [`SafeCommand`], for the robots that execute it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Goal positions of all nine motors.
    Targets(Joints),
    /// Torque on or off for each motor. The robot sets the goals to the present positions before it enables torque.
    Torque(Joints<bool>),
    /// Reboot one motor.
    Reboot(Joint),
    /// The operating mode of each motor. A motor whose mode changes has no torque for a moment, and then holds its
    /// position.
    Modes(Joints<OperatingMode>),
    /// The goal current of each motor in current mode, or its maximum current in current-based position mode.
    Currents(Joints<Milliamps>),
    /// The gains of one motor's position loop.
    Gains(Joint, Gains),
}

impl SafeCommand {
    /// Returns the action to execute.
    #[must_use]
    pub const fn action(&self) -> &Action {
        &self.0
    }
}

/// Why the envelope changed a setpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClampCause {
    /// The setpoint is infinite or not a number.
    NotFinite,
    /// Outside the joint's position limits.
    #[serde(rename = "range")]
    Position,
    /// Faster than the joint's velocity limit.
    #[serde(rename = "speed")]
    Velocity,
    /// The velocity would change too fast.
    Acceleration,
    /// The acceleration would change too fast.
    Jerk,
    /// The head would pitch or roll too far.
    #[serde(rename = "head_tilt")]
    HeadPitchRoll,
    /// The head would turn too far relative to the body.
    RelativeYaw,
    /// The legs would come too close to a singularity, where they no longer support the head.
    Singularity,
}

/// The difference between one joint's setpoint and its command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// The limit that caused it.
    pub cause: ClampCause,
    /// Setpoint minus command; zero if the setpoint is not a number.
    pub amount: Radians,
}

/// The clamped joints of one cycle.
pub type Clamps = Joints<Option<Clamp>>;

/// A command, and how it differs from the setpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitedCommand {
    /// The command for the robot.
    pub command: SafeCommand,
    /// The clamped joints.
    pub clamps: Clamps,
}

/// The maximum current, mA, with which a motor supports the head. It is several times what the head's weight needs, and
/// a fifteenth of the stall current of a leg's motor.
const MAX_HAND_GUIDING_CURRENT_MA: f64 = 100.0;

/// The fractions of the legs' desired accelerations that are tried when the head would exceed a limit.
const ACCELERATION_FRACTIONS: [f64; 5] = [1.0, 0.75, 0.5, 0.25, 0.0];

/// The limiter between setpoints and motors.
#[derive(Clone, Debug)]
pub struct Envelope {
    limits: Limits,
    /// New limits, which apply as soon as braking can respect them.
    coming: Option<Limits>,
    axes: Joints<Axis>,
    position: Joints,
    rest_cycles: bool,
    head_estimator: HeadEstimator,
    /// The permitted state of the head: the limits, or the initial state of the head where that is outside them. `None`
    /// if no head pose fits the initial joint positions; it is then checked again each cycle.
    allowed_region: Option<HeadState>,
}

impl Envelope {
    /// Creates an envelope for a robot at rest at `position`. Joints outside their limits may move back, but not
    /// further out.
    #[must_use]
    pub fn at_rest(limits: Limits, position: Joints) -> Self {
        let mut envelope = Envelope {
            limits,
            coming: None,
            axes: axes_at_rest(&limits, &position),
            position,
            rest_cycles: true,
            head_estimator: HeadEstimator::new(),
            allowed_region: None,
        };
        envelope.rejoin(position);
        envelope
    }

    /// Restarts from a robot at rest at `position`, after torque was off or a motor rebooted.
    pub fn rejoin(&mut self, position: Joints) {
        self.limits = self.coming.take().unwrap_or(self.limits);
        self.axes = axes_at_rest(&self.limits, &position);
        self.position = position;
        self.rest_cycles = true;
        self.allowed_region = self.allowed_region_here();
    }

    /// Sets new limits, which apply from the first cycle from which full braking respects them. Until then every joint
    /// brakes under the current limits.
    pub fn set_limits(&mut self, limits: Limits) {
        self.coming = Some(limits);
    }

    /// Returns the most recently requested limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        self.coming.as_ref().unwrap_or(&self.limits)
    }

    /// Returns the last goal positions that the envelope commanded.
    #[must_use]
    pub const fn position(&self) -> &Joints {
        &self.position
    }

    /// Returns whether the last command left every joint at rest, so that braking would not move any joint.
    #[must_use]
    pub const fn is_at_rest(&self) -> bool {
        self.rest_cycles
    }

    /// Returns the permitted command that is closest to `setpoint` for the next `over`.
    pub fn limit(&mut self, setpoint: &Joints, over: Duration) -> LimitedCommand {
        let dt = seconds(over);
        self.adopt(dt);
        let mut choices = Joints::from_fn(|joint| self.axes[joint].choose(setpoint[joint], dt));
        if self.coming.is_some() {
            for joint in Joint::ALL {
                let choice = &mut choices[joint];
                choice.fallback(0.0, ClampCause::Velocity);
            }
        } else {
            self.limit_head(&mut choices, dt);
        }
        for joint in Joint::ALL {
            let choice = &choices[joint];
            self.axes[joint].advance(choice.desired, choice.is_exact, dt);
        }
        self.finish(dt);
        let clamps = Joints::from_fn(|joint| {
            let cause = choices[joint].cause?;
            if cause == ClampCause::NotFinite {
                return Some(Clamp { cause, amount: Radians::ZERO });
            }
            let amount = setpoint[joint] - self.position[joint];
            (amount.value().abs() > ROUNDING_TOLERANCE).then_some(Clamp { cause, amount })
        });
        LimitedCommand { command: SafeCommand(Action::Targets(self.position)), clamps }
    }

    /// Brakes every joint at its maximum deceleration.
    pub fn brake(&mut self, over: Duration) -> SafeCommand {
        let dt = seconds(over);
        self.adopt(dt);
        for joint in Joint::ALL {
            let axis = &mut self.axes[joint];
            axis.advance(axis.brake(dt), None, dt);
            axis.clear_setpoint();
        }
        self.finish(dt);
        SafeCommand(Action::Targets(self.position))
    }

    /// Switches torque. The robot sets the goals to the present positions before it enables torque.
    #[must_use]
    pub const fn torque(on: Joints<bool>) -> SafeCommand {
        SafeCommand(Action::Torque(on))
    }

    /// Reboots one motor.
    #[must_use]
    pub const fn reboot(joint: Joint) -> SafeCommand {
        SafeCommand(Action::Reboot(joint))
    }

    /// Changes the motors' operating modes.
    #[must_use]
    pub const fn modes(modes: Joints<OperatingMode>) -> SafeCommand {
        SafeCommand(Action::Modes(modes))
    }

    /// Sets the gains of one motor's position loop, each limited to the maximum that the servo accepts.
    #[must_use]
    pub fn gains(joint: Joint, gains: Gains) -> SafeCommand {
        let Gains { p, i, d } = gains;
        let [p, i, d] = [p, i, d].map(|gain| gain.min(Gains::MAX));
        SafeCommand(Action::Gains(joint, Gains { p, i, d }))
    }

    /// Limits the current with which every motor holds its position.
    #[must_use]
    pub const fn at_most(most: Milliamps) -> SafeCommand {
        SafeCommand(Action::Currents(Joints::all(most)))
    }

    /// Sets the goal currents, each limited to what supporting the head requires.
    #[must_use]
    pub fn currents(currents: Joints<Milliamps>) -> SafeCommand {
        let bounded = |Milliamps(current): Milliamps| {
            Milliamps(if current.is_finite() {
                current.clamp(-MAX_HAND_GUIDING_CURRENT_MA, MAX_HAND_GUIDING_CURRENT_MA)
            } else {
                0.0
            })
        };
        SafeCommand(Action::Currents(currents.map(bounded)))
    }

    /// Applies the new limits if full braking from the current state respects them.
    fn adopt(&mut self, dt: f64) {
        let Some(limits) = self.coming else { return };
        let mut axes = self.axes;
        for joint in Joint::ALL {
            match self.axes[joint].with_limit(limits.joints[joint], dt) {
                Some(axis) => axes[joint] = axis,
                None => return,
            }
        }
        let allowed = self
            .head_estimator
            .find(&self.position.stewart())
            .map(|here| HeadState::allowed(&limits).worse(here));
        if let Some(allowed) = &allowed
            && !self.rest_cycles
        {
            let brakes = Joints::from_fn(|joint| axes[joint].brake(dt));
            if self.head_estimator.look_ahead(&axes, &brakes, allowed, dt).is_err() {
                return;
            }
        }
        self.axes = axes;
        self.limits = limits;
        self.allowed_region = allowed;
        self.coming = None;
    }

    /// Reduces the legs' desired accelerations until the head stays inside its limits, down to the braking step if
    /// necessary.
    fn limit_head(&mut self, choices: &mut Joints<AccelerationChoice>, dt: f64) {
        let Some(allowed) = self.allowed_region else {
            self.allowed_region = self.allowed_region_here();
            return;
        };
        let rests_here = |joint: Joint| {
            let state = self.axes[joint].state();
            state.velocity == 0.0 && choices[joint].desired == 0.0 && state.acceleration == 0.0
        };
        if Joint::STEWART.into_iter().all(rests_here) {
            return;
        }
        let desired = *choices;
        let mut cause = None;
        for share in ACCELERATION_FRACTIONS {
            if let Some(cause) = cause {
                for joint in Joint::STEWART {
                    choices[joint] = desired[joint];
                    choices[joint].fallback(share, cause);
                }
            }
            let aims = Joints::from_fn(|joint| choices[joint].desired);
            match self.head_estimator.look_ahead(&self.axes, &aims, &allowed, dt) {
                Ok(worst) => {
                    // A head that is back inside its limits must not leave them again, but only once braking has ended.
                    self.allowed_region = Some(allowed.better(HeadState::allowed(&self.limits).worse(worst)));
                    return;
                }
                Err(broken) => cause = cause.or(Some(broken)),
            }
        }
    }

    fn finish(&mut self, dt: f64) {
        self.position = Joints::from_fn(|joint| Radians(self.axes[joint].state().position));
        self.rest_cycles = self.axes.iter().all(|(_, axis)| {
            let state = axis.state();
            axis.rates(dt).is_at_rest(state.velocity, state.acceleration)
        });
    }

    /// Returns the limits of the head, or its current state where that is outside them.
    fn allowed_region_here(&mut self) -> Option<HeadState> {
        let here = self.head_estimator.find(&self.position.stewart())?;
        Some(HeadState::allowed(&self.limits).worse(here))
    }
}

fn axes_at_rest(limits: &Limits, position: &Joints) -> Joints<Axis> {
    Joints::from_fn(|joint| Axis::at_rest(limits.joints[joint], position[joint].value()))
}

fn seconds(over: Duration) -> f64 {
    over.as_secs_f64().max(1e-6)
}

#[cfg(test)]
mod tests;

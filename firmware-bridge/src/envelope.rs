//! The last thing before the motors: turns any wish into a command that the body can carry out safely.
//!
//! Responsibilities: range, speed, acceleration and jerk of each joint, pitch and roll of the head, its yaw relative to
//! the body, the steadiness of its legs, and numbers that are none. [`Envelope::pass`] is total: whatever the wish, a
//! command comes out.
//!
//! Safety: the envelope is viable, not only bounded. A next state is admitted only if full braking from it stays
//! inside every limit, so from every state that it ever commands there is a way to rest. By induction the brake
//! step is always admissible, and it is what remains when nothing else is. From a steady speed rest comes within
//! `v/a + a/j` and two beats. Speed, acceleration and jerk are the backward differences of the goals (`braking`).
//!
//! All this holds for beats of one length. On beats that differ speed, acceleration and jerk still keep their limits;
//! a range or a limit of the head may be passed by what the way of braking has become longer.
//!
//! Other limits act from the first beat from which full braking keeps them. Until then every joint brakes under the old
//! ones: those are never broken, and the way inside the new ones is the shortest.
//!
//! Threads: owned by the pulse. Units: radians, seconds. Frames: the head's angles are taken in the body's frame.

mod axis;
mod braking;
mod head;

use std::time::Duration;

use serde::Serialize;

use self::axis::{Axis, Choice, ROUNDING};
use self::head::{Finder, Hold};
use crate::joint::{Joint, Joints};
use crate::limits::Limits;
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

/// The shares of the legs' aims that are tried when the head would go too far.
const SHARES: [f64; 5] = [1.0, 0.75, 0.5, 0.25, 0.0];

/// The guard between wishes and motors.
#[derive(Clone, Debug)]
pub struct Envelope {
    limits: Limits,
    /// Limits that act as soon as braking can keep them.
    coming: Option<Limits>,
    axes: Joints<Axis>,
    position: Joints,
    rests: bool,
    finder: Finder,
    /// What the head may do: the limits, or as far out as it already was when the robot was found. None where the body
    /// was found with joints that no head pose explains; that is watched until one does.
    allowed: Option<Hold>,
}

impl Envelope {
    /// An envelope for a body that rests at `position`. Joints found outside their range may come back, not go on.
    #[must_use]
    pub fn at_rest(limits: Limits, position: Joints) -> Self {
        let mut envelope = Envelope {
            limits,
            coming: None,
            axes: axes_at_rest(&limits, &position),
            position,
            rests: true,
            finder: Finder::new(),
            allowed: None,
        };
        envelope.rejoin(position);
        envelope
    }

    /// Starts anew from a body that rests at `position` (after torque was off, or a motor rebooted).
    pub fn rejoin(&mut self, position: Joints) {
        self.limits = self.coming.take().unwrap_or(self.limits);
        self.axes = axes_at_rest(&self.limits, &position);
        self.position = position;
        self.rests = true;
        self.allowed = self.allowed_here();
    }

    /// Other limits, from the first beat from which full braking keeps them; until then every joint brakes under the
    /// limits that are in force.
    pub fn set_limits(&mut self, limits: Limits) {
        self.coming = Some(limits);
    }

    /// The limits that were asked for last.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        self.coming.as_ref().unwrap_or(&self.limits)
    }

    /// The last goal positions that were let through.
    #[must_use]
    pub const fn position(&self) -> &Joints {
        &self.position
    }

    /// Whether the last command left every joint at rest: braking would leave each where it is.
    #[must_use]
    pub const fn is_at_rest(&self) -> bool {
        self.rests
    }

    /// The command that comes nearest to `wish` in the next `over`.
    pub fn pass(&mut self, wish: &Joints, over: Duration) -> Passage {
        let dt = seconds(over);
        self.adopt(dt);
        let mut choices = Joints::from_fn(|joint| self.axes[joint].choose(wish[joint], dt));
        if self.coming.is_some() {
            for joint in Joint::ALL {
                let choice = &mut choices[joint];
                choice.give_up(0.0, TrimCause::Speed);
            }
        } else {
            self.keep_head_inside(&mut choices, dt);
        }
        for joint in Joint::ALL {
            let choice = &choices[joint];
            self.axes[joint].advance(choice.aim, choice.exact, dt);
        }
        self.finish(dt);
        let trims = Joints::from_fn(|joint| {
            let cause = choices[joint].cause?;
            if cause == TrimCause::NotFinite {
                return Some(Trim { cause, amount: Radians::ZERO });
            }
            let amount = wish[joint] - self.position[joint];
            (amount.value().abs() > ROUNDING).then_some(Trim { cause, amount })
        });
        Passage { command: SafeCommand(Action::Targets(self.position)), trims }
    }

    /// Brakes every joint at its full deceleration.
    pub fn brake(&mut self, over: Duration) -> SafeCommand {
        let dt = seconds(over);
        self.adopt(dt);
        for joint in Joint::ALL {
            let axis = &mut self.axes[joint];
            axis.advance(axis.brake(dt), None, dt);
            axis.forget_wish();
        }
        self.finish(dt);
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

    /// Goal currents, each bounded to what it takes to carry the head.
    #[must_use]
    pub fn currents(currents: Joints<Milliamps>) -> SafeCommand {
        let bounded = |Milliamps(current): Milliamps| {
            Milliamps(if current.is_finite() { current.clamp(-MOST_LED, MOST_LED) } else { 0.0 })
        };
        SafeCommand(Action::Currents(currents.map(bounded)))
    }

    /// Takes the coming limits if full braking from here keeps them.
    fn adopt(&mut self, dt: f64) {
        let Some(limits) = self.coming else { return };
        let mut axes = self.axes;
        for joint in Joint::ALL {
            match self.axes[joint].under(limits.joints[joint], dt) {
                Some(axis) => axes[joint] = axis,
                None => return,
            }
        }
        let allowed =
            self.finder.find(&self.position.stewart()).map(|here| Hold::allowed(&limits).worse(here));
        if let Some(allowed) = &allowed
            && !self.rests
        {
            let brakes = Joints::from_fn(|joint| axes[joint].brake(dt));
            if self.finder.look_ahead(&axes, &brakes, allowed, dt).is_err() {
                return;
            }
        }
        self.axes = axes;
        self.limits = limits;
        self.allowed = allowed;
        self.coming = None;
    }

    /// Gives up as much of the legs' aims as it takes to keep the head inside its limits, down to the brake step.
    fn keep_head_inside(&mut self, choices: &mut Joints<Choice>, dt: f64) {
        let Some(allowed) = self.allowed else {
            self.allowed = self.allowed_here();
            return;
        };
        let stays = |joint: Joint| {
            let state = self.axes[joint].state();
            state.velocity == 0.0 && choices[joint].aim == 0.0 && state.acceleration == 0.0
        };
        if Joint::STEWART.into_iter().all(stays) {
            return;
        }
        let wished = *choices;
        let mut cause = None;
        for share in SHARES {
            if let Some(cause) = cause {
                for joint in Joint::STEWART {
                    choices[joint] = wished[joint];
                    choices[joint].give_up(share, cause);
                }
            }
            let aims = Joints::from_fn(|joint| choices[joint].aim);
            match self.finder.look_ahead(&self.axes, &aims, &allowed, dt) {
                Ok(worst) => {
                    // Once back inside, the way out is closed again, but never before braking has ended.
                    self.allowed = Some(allowed.better(Hold::allowed(&self.limits).worse(worst)));
                    return;
                }
                Err(broken) => cause = cause.or(Some(broken)),
            }
        }
    }

    fn finish(&mut self, dt: f64) {
        self.position = Joints::from_fn(|joint| Radians(self.axes[joint].state().position));
        self.rests = self.axes.iter().all(|(_, axis)| {
            let state = axis.state();
            axis.rates(dt).rests(state.velocity, state.acceleration)
        });
    }

    /// The limits, or as far out as the head is.
    fn allowed_here(&mut self) -> Option<Hold> {
        let here = self.finder.find(&self.position.stewart())?;
        Some(Hold::allowed(&self.limits).worse(here))
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

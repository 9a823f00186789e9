//! One joint under its own limits: its goal, its motion, and how it follows a setpoint.
//!
//! The invariant: from the state after each cycle, full braking stays inside the position limits and never exceeds the
//! velocity, acceleration or jerk limits. The decision of a cycle is one number, its acceleration. Jerk, acceleration
//! and velocity permit an interval that contains the braking step, and so does the position limit. Every value between
//! the braking step and a permitted acceleration is permitted too.

use super::ClampCause;
use super::braking::{Rates, StoppingPath};
use crate::limits::JointLimits;
use crate::units::Radians;

/// The tolerance for equal positions, radians: far above the rounding errors that accumulate over a braking path.
const POSITION_TOLERANCE: f64 = 1e-9;

/// The tolerance for a goal that has reached its setpoint, radians: a hundredth of the servos' resolution.
pub(super) const ROUNDING_TOLERANCE: f64 = 1.5e-5;

/// Bisections of an interval of accelerations. The remaining interval moves a goal by less than the rounding tolerance.
const BISECTION_STEPS: usize = 22;

/// A motion, described by its position and two backward differences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct State {
    pub position: f64,
    pub velocity: f64,
    pub acceleration: f64,
}

/// The goal of one joint and its setpoint, both as motions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    limit: JointLimits,
    state: State,
    setpoint: State,
    /// The lower position limit: the end of the range, or the initial position of the joint if that is outside it.
    low: f64,
    /// The upper position limit, likewise.
    high: f64,
}

/// The accelerations that are possible for one joint in one cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccelerationChoice {
    /// The acceleration of full braking.
    pub brake: f64,
    /// The permitted acceleration that comes closest to the setpoint.
    pub desired: f64,
    /// The exact position that `aim` results in, if it reaches the setpoint.
    pub is_exact: Option<f64>,
    /// Why it does not reach the setpoint.
    pub cause: Option<ClampCause>,
}

impl AccelerationChoice {
    /// Keeps only a fraction of the desired acceleration, and brakes with the rest.
    pub fn fallback(&mut self, share: f64, why: ClampCause) {
        self.desired = self.brake + (self.desired - self.brake) * share;
        self.is_exact = None;
        self.cause = Some(why);
    }
}

impl Axis {
    /// Returns a joint at rest. A joint outside its limits may move back, but not further out.
    pub fn at_rest(limit: JointLimits, position: f64) -> Self {
        let rest = State { position, ..State::default() };
        let (low, high) =
            (limit.min_position.value().min(position), limit.max_position.value().max(position));
        Axis { limit, state: rest, setpoint: rest, low, high }
    }

    pub const fn state(&self) -> &State {
        &self.state
    }

    pub fn rates(&self, dt: f64) -> Rates {
        let most = self.limit.max_acceleration.value();
        Rates { up: most, down: most, jerk: self.limit.max_jerk.value(), dt }
    }

    /// Returns the same joint under another limit, if full braking from the current state respects that limit.
    pub fn with_limit(&self, limit: JointLimits, dt: f64) -> Option<Axis> {
        let State { position, velocity, acceleration } = self.state;
        let (low, high) =
            (limit.min_position.value().min(position), limit.max_position.value().max(position));
        let other = Axis { limit, low, high, ..*self };
        let way = other.rates(dt).stopping_path(velocity, acceleration);
        let speed = limit.max_velocity.value() + POSITION_TOLERANCE;
        // The present acceleration keeps adding to the velocity while it ramps down.
        let faded = velocity + other.rates(dt).ramp_down(acceleration);
        let fits = velocity.abs() <= speed
            && faded.abs() <= speed
            && acceleration.abs() <= limit.max_acceleration.value() + POSITION_TOLERANCE
            && position + way.low >= low - POSITION_TOLERANCE
            && position + way.high <= high + POSITION_TOLERANCE;
        fits.then_some(other)
    }

    /// Returns the acceleration of full braking.
    pub fn brake(&self, dt: f64) -> f64 {
        self.rates(dt).after_braking(self.state.velocity, self.state.acceleration)
    }

    /// Returns the acceleration that follows the setpoint as closely as the joint's own limits allow.
    pub fn choose(&mut self, setpoint: Radians, dt: f64) -> AccelerationChoice {
        let mut cause = None;
        let desired = if setpoint.is_finite() {
            let clamped = setpoint.value().min(self.high).max(self.low);
            if clamped != setpoint.value() {
                cause = Some(ClampCause::Position);
            }
            clamped
        } else {
            cause = Some(ClampCause::NotFinite);
            self.setpoint.position
        };
        let before = self.setpoint;
        self.setpoint = before.at_position(desired, dt);
        if cause.is_none() && self.rests_at_setpoint() {
            return AccelerationChoice {
                brake: self.brake(dt),
                desired: 0.0,
                is_exact: Some(desired),
                cause: None,
            };
        }
        self.choose_moving(desired, &before, cause, dt)
    }

    /// Does the same for a goal or a setpoint that moves. `self.setpoint` already holds the new setpoint; `before` is the
    /// previous one.
    fn choose_moving(
        &self,
        desired: f64,
        before: &State,
        mut cause: Option<ClampCause>,
        dt: f64,
    ) -> AccelerationChoice {
        let rates = self.rates(dt);
        let brake = self.brake(dt);
        let aims = self.clamped_setpoint(&rates, brake);
        let exact = self.state.at_position(desired, dt);
        let relative = exact.against(&self.setpoint);
        let (mut aim, mut exact_position) = (exact.acceleration, Some(desired));
        // Reaching the setpoint is not enough: the goal must also be able to follow it from there.
        if !aims.holds(aim) || !rates.stopping_path(relative.velocity, relative.acceleration).is_short() {
            aim = self.catch_up_acceleration(before, aims, &rates);
            exact_position = None;
            cause = cause.or(Some(self.limiting_cause(&exact)));
        }
        if !self.stays_in_range(aim, &rates) {
            aim = bisect(brake, aim, |aim| self.stays_in_range(aim, &rates));
            exact_position = None;
            cause = cause.or(Some(ClampCause::Position));
        }
        AccelerationChoice { brake, desired: aim, is_exact: exact_position, cause }
    }

    /// Returns whether both goal and setpoint rest at the same position, so that no look-ahead is necessary.
    fn rests_at_setpoint(&self) -> bool {
        let resting = |motion: &State| motion.velocity == 0.0 && motion.acceleration == 0.0;
        resting(&self.state) && resting(&self.setpoint) && self.state.position == self.setpoint.position
    }

    /// Advances one cycle with this acceleration, or to an exact position that it reaches.
    pub fn advance(&mut self, acceleration: f64, exact: Option<f64>, dt: f64) {
        let rates = self.rates(dt);
        self.state = match exact {
            Some(exact_position) => self.state.at_position(exact_position, dt),
            None => self.state.pushed(acceleration, &rates),
        };
        let over = self.state.position.min(self.high).max(self.low);
        if (over - self.state.position).abs() < POSITION_TOLERANCE {
            self.state.position = over;
        }
        // A joint that is back inside its limits must not leave them again, but only once braking has ended.
        if self.low < self.limit.min_position.value() || self.high > self.limit.max_position.value() {
            let way = rates.stopping_path(self.state.velocity, self.state.acceleration);
            self.low = self.low.max(self.limit.min_position.value().min(self.state.position + way.low));
            self.high = self.high.min(self.limit.max_position.value().max(self.state.position + way.high));
        }
    }

    /// Resets the setpoint to the goal, so that earlier setpoints have no effect.
    pub fn clear_setpoint(&mut self) {
        self.setpoint = State { position: self.state.position, ..State::default() };
    }

    /// Returns the accelerations that jerk, acceleration and velocity permit. An acceleration must ramp down before the
    /// velocity limit is reached.
    fn clamped_setpoint(&self, rates: &Rates, brake: f64) -> Interval {
        let State { velocity, acceleration, .. } = self.state;
        let speed = self.limit.max_velocity.value();
        let (step, most) = (rates.step(), self.limit.max_acceleration.value());
        let up = rates.towards(speed - velocity).min(acceleration + step).min(most);
        let down = (-rates.towards(speed + velocity)).max(acceleration - step).max(-most);
        Interval { low: down.min(brake), high: up.max(brake) }
    }

    /// Returns the acceleration from which braking ends exactly at the setpoint, as far as its motion can be predicted.
    ///
    /// A setpoint that moves within the joint's limits is assumed to continue with its acceleration. Otherwise only a
    /// velocity that lasted two cycles counts: a jump is a new position, not a motion, and its steps are no
    /// acceleration.
    fn catch_up_acceleration(&self, before: &State, aims: Interval, rates: &Rates) -> f64 {
        let JointLimits { max_velocity: speed, max_acceleration: most, max_jerk: jerk, .. } = self.limit;
        let (speed, most) = (speed.value(), most.value());
        let is_feasible = (self.setpoint.acceleration - before.acceleration).abs() <= jerk.value() * rates.dt
            && self.setpoint.acceleration.abs() <= most
            && self.setpoint.velocity.abs() <= speed;
        let (velocity, acceleration) = if is_feasible {
            (self.setpoint.velocity, self.setpoint.acceleration)
        } else {
            (common_part(self.setpoint.velocity, before.velocity).clamp(-speed, speed), 0.0)
        };
        let frame = State { position: self.setpoint.position, velocity, acceleration };
        // The acceleration that is left for braking while the setpoint itself accelerates.
        let relative = Rates {
            up: (most - acceleration).max(0.1 * most),
            down: (most + acceleration).max(0.1 * most),
            ..*rates
        };
        let behind = |aim: f64| {
            let next = self.state.pushed(aim, rates).against(&frame);
            next.position + relative.stopping_path(next.velocity, next.acceleration).end <= 0.0
        };
        if !behind(aims.low) {
            aims.low
        } else if behind(aims.high) {
            aims.high
        } else {
            bisect(aims.low, aims.high, behind)
        }
    }

    /// Returns the limit that keeps this cycle from reaching the setpoint.
    fn limiting_cause(&self, exact: &State) -> ClampCause {
        if exact.velocity.abs() > self.limit.max_velocity.value() {
            ClampCause::Velocity
        } else if exact.acceleration.abs() > self.limit.max_acceleration.value() {
            ClampCause::Acceleration
        } else {
            ClampCause::Jerk
        }
    }

    /// Returns whether braking after a cycle with this acceleration stays inside the position limits.
    fn stays_in_range(&self, acceleration: f64, rates: &Rates) -> bool {
        let next = self.state.pushed(acceleration, rates);
        let way = rates.stopping_path(next.velocity, next.acceleration);
        next.position + way.high <= self.high + 1e-12 && next.position + way.low >= self.low - 1e-12
    }
}

impl State {
    /// Returns the motion after a cycle that ends at this position.
    fn at_position(&self, position: f64, dt: f64) -> State {
        let velocity = (position - self.position) / dt;
        State { position, velocity, acceleration: (velocity - self.velocity) / dt }
    }

    /// Returns the motion after a cycle with this acceleration.
    fn pushed(&self, acceleration: f64, rates: &Rates) -> State {
        let velocity = rates.speed_after(self.velocity, acceleration);
        State { position: self.position + velocity * rates.dt, velocity, acceleration }
    }

    /// Returns this motion relative to another one.
    fn against(&self, other: &State) -> State {
        State {
            position: self.position - other.position,
            velocity: self.velocity - other.velocity,
            acceleration: self.acceleration - other.acceleration,
        }
    }
}

impl StoppingPath {
    fn is_short(&self) -> bool {
        self.high.max(-self.low) <= ROUNDING_TOLERANCE
    }
}

#[derive(Clone, Copy, Debug)]
struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    fn holds(&self, value: f64) -> bool {
        value >= self.low - 1e-9 && value <= self.high + 1e-9
    }
}

/// Returns the common part of two numbers with the same sign, or zero if the signs differ.
fn common_part(one: f64, other: f64) -> f64 {
    if one * other <= 0.0 { 0.0 } else { one.signum() * one.abs().min(other.abs()) }
}

/// Returns the value closest to `bad` that is still good.
fn bisect(good: f64, bad: f64, is_good: impl Fn(f64) -> bool) -> f64 {
    let (mut good, mut bad) = (good, bad);
    for _ in 0..BISECTION_STEPS {
        let middle = 0.5 * (good + bad);
        if is_good(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::joint::Joint;
    use crate::limits::Limits;

    proptest! {
        #[test]
        fn shortcut_at_rest_equals_the_full_computation(
            position in 0.0..=1.0_f64,
            millis in 1.0..100.0_f64,
            joint in 0..9_usize,
        ) {
            let limit = Limits::default().joints[Joint::ALL[joint]];
            let position = (1.0 - position) * limit.min_position.value() + position * limit.max_position.value();
            let mut axis = Axis::at_rest(limit, position);
            let dt = millis * 1e-3;
            let chosen = axis.choose(Radians(position), dt);
            prop_assert!(axis.rests_at_setpoint());
            let weighed = axis.choose_moving(position, &axis.setpoint, None, dt);
            let bits = |choice: &AccelerationChoice| {
                (choice.brake.to_bits(), choice.desired.to_bits(), choice.is_exact.map(f64::to_bits), choice.cause)
            };
            prop_assert_eq!(bits(&chosen), bits(&weighed));
        }
    }

    #[test]
    fn moving_goal_or_setpoint_is_not_at_rest() {
        let limit = Limits::default().joints[Joint::LeftAntenna];
        let rest = Axis::at_rest(limit, 0.1);
        let other = |change: &dyn Fn(&mut Axis)| {
            let mut axis = rest;
            change(&mut axis);
            axis.rests_at_setpoint()
        };
        assert!(rest.rests_at_setpoint());
        assert!(!other(&|axis| axis.state.acceleration = -0.5), "the goal has only just come to rest");
        assert!(!other(&|axis| axis.state.velocity = 1e-9));
        assert!(!other(&|axis| axis.state.position = 0.2));
        assert!(!other(&|axis| axis.setpoint.velocity = 0.1));
        assert!(!other(&|axis| axis.setpoint.acceleration = 0.1), "the setpoint has only just come to rest");
    }
}

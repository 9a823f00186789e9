//! One joint under its own limits: where its goal is, how it moves, and how it follows a wish.
//!
//! The invariant: from the state that each beat leaves, full braking stays inside the range, and never exceeds the
//! speed, the acceleration or the jerk. A beat's choice is one number, its acceleration. What jerk, acceleration and
//! speed admit is an interval that holds the brake step; so is what the range admits. Whatever lies between the brake
//! step and an admissible choice is admissible too.

use super::TrimCause;
use super::braking::{Rates, Way};
use crate::limits::JointLimit;
use crate::units::Radians;

/// What counts as the same position, radians: far below what floating point sums over a braking way are wrong by.
const SAME: f64 = 1e-9;

/// How near to its wish a goal must stay after it has reached it, radians: a hundredth of the servos' resolution.
pub(super) const ROUNDING: f64 = 1.5e-5;

/// Halvings of an interval of accelerations: what is left of it moves a goal by less than a rounding.
const HALVINGS: usize = 22;

/// A motion by its position and two backward differences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct State {
    pub position: f64,
    pub velocity: f64,
    pub acceleration: f64,
}

/// One joint's goal stream, and the stream of its wishes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    limit: JointLimit,
    state: State,
    wish: State,
    /// How far down it may go: the range's end, or as far out as the joint was found.
    low: f64,
    /// How far up it may go.
    high: f64,
}

/// What one joint could do on a beat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// The acceleration of full braking.
    pub brake: f64,
    /// The acceleration that comes nearest to the wish.
    pub aim: f64,
    /// The position that `aim` reaches, to the bit, if it reaches the wish.
    pub exact: Option<f64>,
    /// Why it does not.
    pub cause: Option<TrimCause>,
}

impl Choice {
    /// Keeps only a share of the aim, and brakes for the rest.
    pub fn give_up(&mut self, share: f64, why: TrimCause) {
        self.aim = self.brake + (self.aim - self.brake) * share;
        self.exact = None;
        self.cause = Some(why);
    }
}

impl Axis {
    /// A joint at rest. One found outside its range may come back, not go on.
    pub fn at_rest(limit: JointLimit, position: f64) -> Self {
        let rest = State { position, ..State::default() };
        let (low, high) = (limit.low.value().min(position), limit.high.value().max(position));
        Axis { limit, state: rest, wish: rest, low, high }
    }

    pub const fn state(&self) -> &State {
        &self.state
    }

    pub fn rates(&self, dt: f64) -> Rates {
        let most = self.limit.acceleration.value();
        Rates { up: most, down: most, jerk: self.limit.jerk.value(), dt }
    }

    /// The same joint under another limit, if full braking from here keeps that limit.
    pub fn under(&self, limit: JointLimit, dt: f64) -> Option<Axis> {
        let State { position, velocity, acceleration } = self.state;
        let (low, high) = (limit.low.value().min(position), limit.high.value().max(position));
        let other = Axis { limit, low, high, ..*self };
        let way = other.rates(dt).way(velocity, acceleration);
        let speed = limit.speed.value() + SAME;
        // A present acceleration still adds to the speed while it fades.
        let faded = velocity + other.rates(dt).faded(acceleration);
        let fits = velocity.abs() <= speed
            && faded.abs() <= speed
            && acceleration.abs() <= limit.acceleration.value() + SAME
            && position + way.low >= low - SAME
            && position + way.high <= high + SAME;
        fits.then_some(other)
    }

    /// The step of full braking.
    pub fn brake(&self, dt: f64) -> f64 {
        self.rates(dt).braked(self.state.velocity, self.state.acceleration)
    }

    /// The acceleration that follows the wish as closely as the joint's own limits allow.
    pub fn choose(&mut self, wish: Radians, dt: f64) -> Choice {
        let mut cause = None;
        let wished = if wish.is_finite() {
            let clamped = wish.value().min(self.high).max(self.low);
            if clamped != wish.value() {
                cause = Some(TrimCause::Range);
            }
            clamped
        } else {
            cause = Some(TrimCause::NotFinite);
            self.wish.position
        };
        let before = self.wish;
        self.wish = before.moved_to(wished, dt);
        if cause.is_none() && self.stays() {
            return Choice { brake: self.brake(dt), aim: 0.0, exact: Some(wished), cause: None };
        }
        self.weigh(wished, &before, cause, dt)
    }

    /// The same for a goal or a wish that moves. The wish has been taken up already; `before` is what it was.
    fn weigh(&self, wished: f64, before: &State, mut cause: Option<TrimCause>, dt: f64) -> Choice {
        let rates = self.rates(dt);
        let brake = self.brake(dt);
        let aims = self.admitted(&rates, brake);
        let exact = self.state.moved_to(wished, dt);
        let relative = exact.against(&self.wish);
        let (mut aim, mut place) = (exact.acceleration, Some(wished));
        // To be where the wish is counts only if the goal can also stay with it from there.
        if !aims.holds(aim) || !rates.way(relative.velocity, relative.acceleration).is_short() {
            aim = self.catching_up(before, aims, &rates);
            place = None;
            cause = cause.or(Some(self.hindrance(&exact)));
        }
        if !self.is_clear(aim, &rates) {
            aim = halve(brake, aim, |aim| self.is_clear(aim, &rates));
            place = None;
            cause = cause.or(Some(TrimCause::Range));
        }
        Choice { brake, aim, exact: place, cause }
    }

    /// Whether the goal rests on a wish that rests: it stays there, and nothing need be looked ahead for.
    fn stays(&self) -> bool {
        let resting = |motion: &State| motion.velocity == 0.0 && motion.acceleration == 0.0;
        resting(&self.state) && resting(&self.wish) && self.state.position == self.wish.position
    }

    /// Takes one beat with this acceleration, or exactly to a place that it reaches.
    pub fn advance(&mut self, acceleration: f64, exact: Option<f64>, dt: f64) {
        let rates = self.rates(dt);
        self.state = match exact {
            Some(place) => self.state.moved_to(place, dt),
            None => self.state.pushed(acceleration, &rates),
        };
        let over = self.state.position.min(self.high).max(self.low);
        if (over - self.state.position).abs() < SAME {
            self.state.position = over;
        }
        // Once back inside, the way out is closed again, but never before braking has ended.
        if self.low < self.limit.low.value() || self.high > self.limit.high.value() {
            let way = rates.way(self.state.velocity, self.state.acceleration);
            self.low = self.low.max(self.limit.low.value().min(self.state.position + way.low));
            self.high = self.high.min(self.limit.high.value().max(self.state.position + way.high));
        }
    }

    /// The wish is where the goal is: nothing that was wished before counts any more.
    pub fn forget_wish(&mut self) {
        self.wish = State { position: self.state.position, ..State::default() };
    }

    /// What jerk, acceleration and speed admit. An acceleration must fade before the speed's limit is reached.
    fn admitted(&self, rates: &Rates, brake: f64) -> Interval {
        let State { velocity, acceleration, .. } = self.state;
        let speed = self.limit.speed.value();
        let (step, most) = (rates.step(), self.limit.acceleration.value());
        let up = rates.towards(speed - velocity).min(acceleration + step).min(most);
        let down = (-rates.towards(speed + velocity)).max(acceleration - step).max(-most);
        Interval { low: down.min(brake), high: up.max(brake) }
    }

    /// The acceleration from which braking ends exactly with the wish, as far as it can be told how that goes on.
    ///
    /// A wish that moves as the joint could is taken to go on with its acceleration. Of any other, only the speed that
    /// lasted two beats is believed: a jump is a new place, not a motion, and its steps are no acceleration.
    fn catching_up(&self, before: &State, aims: Interval, rates: &Rates) -> f64 {
        let JointLimit { speed, acceleration: most, jerk, .. } = self.limit;
        let (speed, most) = (speed.value(), most.value());
        let steady = (self.wish.acceleration - before.acceleration).abs() <= jerk.value() * rates.dt
            && self.wish.acceleration.abs() <= most
            && self.wish.velocity.abs() <= speed;
        let (velocity, acceleration) = if steady {
            (self.wish.velocity, self.wish.acceleration)
        } else {
            (common(self.wish.velocity, before.velocity).clamp(-speed, speed), 0.0)
        };
        let frame = State { position: self.wish.position, velocity, acceleration };
        // What is left to brake with while the wish itself accelerates.
        let relative = Rates {
            up: (most - acceleration).max(0.1 * most),
            down: (most + acceleration).max(0.1 * most),
            ..*rates
        };
        let behind = |aim: f64| {
            let next = self.state.pushed(aim, rates).against(&frame);
            next.position + relative.way(next.velocity, next.acceleration).end <= 0.0
        };
        if !behind(aims.low) {
            aims.low
        } else if behind(aims.high) {
            aims.high
        } else {
            halve(aims.low, aims.high, behind)
        }
    }

    /// Why the wish cannot be reached on this beat.
    fn hindrance(&self, exact: &State) -> TrimCause {
        if exact.velocity.abs() > self.limit.speed.value() {
            TrimCause::Speed
        } else if exact.acceleration.abs() > self.limit.acceleration.value() {
            TrimCause::Acceleration
        } else {
            TrimCause::Jerk
        }
    }

    /// Whether braking after a beat with this acceleration stays inside the range.
    fn is_clear(&self, acceleration: f64, rates: &Rates) -> bool {
        let next = self.state.pushed(acceleration, rates);
        let way = rates.way(next.velocity, next.acceleration);
        next.position + way.high <= self.high + 1e-12 && next.position + way.low >= self.low - 1e-12
    }
}

impl State {
    /// After a beat to this place.
    fn moved_to(&self, position: f64, dt: f64) -> State {
        let velocity = (position - self.position) / dt;
        State { position, velocity, acceleration: (velocity - self.velocity) / dt }
    }

    /// After a beat with this acceleration.
    fn pushed(&self, acceleration: f64, rates: &Rates) -> State {
        let velocity = rates.speed_after(self.velocity, acceleration);
        State { position: self.position + velocity * rates.dt, velocity, acceleration }
    }

    /// As seen from another motion.
    fn against(&self, other: &State) -> State {
        State {
            position: self.position - other.position,
            velocity: self.velocity - other.velocity,
            acceleration: self.acceleration - other.acceleration,
        }
    }
}

impl Way {
    fn is_short(&self) -> bool {
        self.high.max(-self.low) <= ROUNDING
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

/// What two numbers of one sign have in common; nothing if their signs differ.
fn common(one: f64, other: f64) -> f64 {
    if one * other <= 0.0 { 0.0 } else { one.signum() * one.abs().min(other.abs()) }
}

/// The farthest from `good` towards `bad` that is good.
fn halve(good: f64, bad: f64, is_good: impl Fn(f64) -> bool) -> f64 {
    let (mut good, mut bad) = (good, bad);
    for _ in 0..HALVINGS {
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
        fn a_goal_that_stays_is_what_weighing_it_says(
            place in 0.0..=1.0_f64,
            millis in 1.0..100.0_f64,
            joint in 0..9_usize,
        ) {
            let limit = Limits::default().joints[Joint::ALL[joint]];
            let place = (1.0 - place) * limit.low.value() + place * limit.high.value();
            let mut axis = Axis::at_rest(limit, place);
            let dt = millis * 1e-3;
            let chosen = axis.choose(Radians(place), dt);
            prop_assert!(axis.stays());
            let weighed = axis.weigh(place, &axis.wish, None, dt);
            let bits = |choice: &Choice| {
                (choice.brake.to_bits(), choice.aim.to_bits(), choice.exact.map(f64::to_bits), choice.cause)
            };
            prop_assert_eq!(bits(&chosen), bits(&weighed));
        }
    }

    #[test]
    fn what_still_moves_does_not_stay() {
        let limit = Limits::default().joints[Joint::LeftAntenna];
        let rest = Axis::at_rest(limit, 0.1);
        let other = |change: &dyn Fn(&mut Axis)| {
            let mut axis = rest;
            change(&mut axis);
            axis.stays()
        };
        assert!(rest.stays());
        assert!(!other(&|axis| axis.state.acceleration = -0.5), "the goal has just come to rest");
        assert!(!other(&|axis| axis.state.velocity = 1e-9));
        assert!(!other(&|axis| axis.state.position = 0.2));
        assert!(!other(&|axis| axis.wish.velocity = 0.1));
        assert!(!other(&|axis| axis.wish.acceleration = 0.1), "the wish has just come to rest");
    }
}

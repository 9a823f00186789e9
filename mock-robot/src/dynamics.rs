//! How one joint moves: second-order tracking of a goal, with bounded speed and torque, friction, load and backlash.
//!
//! Units: radians, seconds, Nm at the output. A step is 1 ms; `body` cuts time into such steps.
//!
//! Where the numbers come from. An X-series servo in position mode drives its motor with `gain / 128` of PWM per
//! count of error, 885 being all there is; so the joint is a spring of stall torque / (error that asks for all of it).
//! An unloaded motor turns in proportion to its drive, so the error closes at a rate `k` = top speed / that error, and
//! a goal moving at speed `v` is followed `v / k` behind. Critically damped tracking of natural frequency `w` follows
//! `2 v / w` behind, hence `w = 2 k` at the gain that a controller writes at start; spring and frequency give the
//! inertia. At another gain the spring is another, and the damping is assumed to stay critical.
//!
//! What is assumed, and was not measured on a robot: that a motor takes 20 ms to its top speed; that the gears hold
//! 13.5 % of the stall torque at rest and eat 10 % in motion; that their play is 0.25 degrees, which the e-manual says
//! of larger servos of the series (15 arcmin, XM430 and XH430) and not of these.
//!
//! What is simplified: at rest under a load, friction carries as much as it can and the spring the rest; on the way to
//! its goal a joint feels only the load beyond the friction, and a torque that is bounded first overcomes the friction. A limp joint stops at once, and sinks at the speed that
//! the load beyond the friction drives through the motor's own damping (stall torque / top speed).

use std::f64::consts::TAU;

use firmware_bridge::joint::Joint;
use firmware_bridge::servo::Gains;
use firmware_bridge::units::Radians;

use crate::motor::{Motor, RATED_VOLTS, angle_from_counts};

/// The step of integration.
pub(crate) const STEP: f64 = 0.001;
/// How long a motor takes to its top speed at full effort, in seconds.
const SPIN_UP: f64 = 0.02;
/// The lag with which a new goal is taken up, in seconds.
const TAKE_UP: f64 = 0.002;
/// What the gears hold at rest, as a share of the stall torque.
const HOLDS: f64 = 0.135;
/// What the gears eat in motion, as a share of the stall torque.
const EATS: f64 = 0.10;
/// How far the output turns freely in its gears, in radians.
const PLAY: f64 = 0.25 * TAU / 360.0;

/// How far this body differs from the nominal one; 1 is nominal, 1.3 is 30 % more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Factor on the stiffness of the position loop.
    pub gain: f64,
    /// Factor on the friction that damps the motion.
    pub friction: f64,
    /// Factor on the lag with which a new goal is taken up.
    pub delay: f64,
}

impl Default for Variation {
    fn default() -> Self {
        Variation { gain: 1.0, friction: 1.0, delay: 1.0 }
    }
}

/// Slower than this a joint creeps, rad/s; assumed.
const CREEP: f64 = 0.02;

/// What drives a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Drive {
    /// Nothing.
    Limp,
    /// The position loop, with no more than so much torque.
    Position {
        /// Where to.
        goal: Radians,
        /// The most torque; infinite for all that the motor has.
        most: f64,
    },
    /// A torque.
    Torque(f64),
}

/// One joint in motion.
#[derive(Clone, Debug)]
pub(crate) struct JointDynamics {
    /// Of the output, where the encoder sits.
    position: f64,
    velocity: f64,
    /// Where in its play the motor stands: 0 pushes the output down, [`PLAY`] up.
    in_play: f64,
    /// The goal as far as it has been taken up.
    taken_up: f64,
    /// What the weight asks for.
    load: f64,
    /// What the motor gave at the last step.
    torque: f64,
    /// Adds up the error of the position, for the integral gain.
    sum: f64,

    stiffness: f64,
    damping: f64,
    integral: f64,
    take_up: f64,
    top_speed: f64,
    top_acceleration: f64,
    /// By the supply, as a share of what it is rated for.
    power: f64,

    variation: Variation,
    /// At a proportional gain of 1 and nominal.
    stiffness_of_one: f64,
    inertia: f64,
    /// The acceleration for each Nm.
    per_torque: f64,
    /// What of the load is beyond what friction carries at rest, as an acceleration.
    dragged: f64,
    resistance_to_speed: f64,
    holds: f64,
    eats: f64,
    stops: (f64, f64),
}

impl JointDynamics {
    /// A joint at rest, with the gains that a controller writes at start.
    pub(crate) fn new(joint: Joint, start: Radians, variation: Variation) -> Self {
        let motor = Motor::of(joint);
        let stall_torque = motor.model.specification().stall_torque;
        let top_speed = motor.model.top_speed();
        let gain = f64::from(motor.position_gain);
        let full_effort_error = 885.0 / (gain / 128.0) * TAU / 4096.0;
        let frequency = 2.0 * top_speed / full_effort_error;
        let is_leg = Joint::STEWART.contains(&joint);
        let mut dynamics = JointDynamics {
            position: start.value(),
            velocity: 0.0,
            in_play: PLAY / 2.0,
            taken_up: start.value(),
            load: 0.0,
            torque: 0.0,
            sum: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            integral: 0.0,
            take_up: 1.0 - (-STEP / (variation.delay * TAKE_UP)).exp(),
            top_speed,
            top_acceleration: top_speed / SPIN_UP,
            power: 1.0,
            variation,
            stiffness_of_one: frequency * frequency / gain,
            per_torque: full_effort_error * frequency * frequency / stall_torque,
            dragged: 0.0,
            inertia: stall_torque / full_effort_error / (frequency * frequency),
            resistance_to_speed: stall_torque / top_speed,
            holds: HOLDS * stall_torque,
            eats: EATS * stall_torque,
            // Taken to be where the arms meet the body; what turns freely has no end.
            stops: if is_leg {
                let end = |counts| angle_from_counts(counts).value();
                (end(motor.lowest).min(start.value()), end(motor.highest).max(start.value()))
            } else {
                (f64::NEG_INFINITY, f64::INFINITY)
            },
        };
        dynamics.set_gains(motor.gains());
        dynamics
    }

    /// Makes the position loop as stiff as these gains do.
    pub(crate) fn set_gains(&mut self, gains: Gains) {
        let stiffness = self.stiffness_of_one * f64::from(gains.p);
        // The e-manual's units of the three gains: 128, 16 and 65,536; the loop is taken to run each step.
        let of_one = self.stiffness_of_one * 128.0;
        let derivative = of_one * f64::from(gains.d) / 16.0 * STEP;
        self.stiffness = self.variation.gain * stiffness;
        self.damping = self.variation.friction * 2.0 * stiffness.sqrt() + derivative;
        self.integral = of_one * f64::from(gains.i) / 65_536.0;
        if gains.i == 0 {
            self.sum = 0.0;
        }
    }

    /// What the weight asks of it from now on, in Nm.
    pub(crate) fn bear(&mut self, load: f64) {
        self.load = load;
        self.dragged = beyond(load, self.holds) * self.per_torque;
    }

    /// The supply from now on, in volts; it bounds speed and torque.
    pub(crate) const fn supply(&mut self, volts: f64) {
        self.power = volts / RATED_VOLTS;
    }

    /// Where the joint is.
    pub(crate) const fn position(&self) -> Radians {
        Radians(self.position)
    }

    /// How fast it turns, in rad/s.
    pub(crate) const fn velocity(&self) -> Radians {
        Radians(self.velocity)
    }

    /// What the motor gives, in Nm.
    pub(crate) const fn torque(&self) -> f64 {
        self.torque
    }

    /// One step; false when nothing moves, and nothing will until drive, load or supply is another.
    #[inline]
    pub(crate) fn step(&mut self, drive: &Drive) -> bool {
        match drive {
            Drive::Position { goal, most } => self.track(goal.value(), *most),
            Drive::Limp => self.sink(),
            Drive::Torque(torque) => self.push(*torque),
        }
    }

    #[inline]
    fn track(&mut self, goal: f64, most: f64) -> bool {
        self.taken_up += (goal - self.taken_up) * self.take_up;
        let error = self.taken_up - self.position;
        let beyond_friction = if most > self.eats { most - self.eats } else { 0.0 };
        let bound = smaller(self.top_acceleration * self.power, beyond_friction * self.per_torque);
        if self.integral > 0.0 && error.abs() > 1e-9 {
            // Bounded, so that it does not wind up while the joint is on its way.
            self.sum = bounded(self.sum + error, bound / self.integral);
        }
        let spring = self.stiffness * error + self.integral * self.sum;
        let effort = bounded(spring - self.damping * self.velocity, bound);
        let acceleration = effort + self.dragged;
        if self.velocity.abs() < 1e-9 && acceleration.abs() < 1e-6 && (goal - self.taken_up).abs() < 1e-9 {
            // Exactly at rest, so that the next step finds it so too.
            self.velocity = 0.0;
            self.taken_up = goal;
            let spring = self.stiffness * (goal - self.position) + self.integral * self.sum;
            self.torque = bounded(spring, bound) * self.inertia;
            return self.integral > 0.0 && error.abs() > 1e-9;
        }
        // Of a joint that creeps to its goal, friction bears most of what the motor would have to give.
        self.torque = effort * self.inertia + self.eats * bounded(self.velocity / CREEP, 1.0);
        self.velocity = bounded(self.velocity + acceleration * STEP, self.top_speed * self.power);
        self.travel();
        true
    }

    fn sink(&mut self) -> bool {
        self.torque = 0.0;
        self.sum = 0.0;
        let sinks = self.load.abs() > if self.velocity == 0.0 { self.holds } else { self.eats };
        let sinking = beyond(self.load, self.eats) / self.resistance_to_speed;
        // What came in motion under torque stops first.
        self.velocity = if sinks { bounded(sinking, self.top_speed) } else { 0.0 };
        self.travel();
        self.taken_up = self.position;
        self.velocity != 0.0
    }

    fn push(&mut self, torque: f64) -> bool {
        self.torque = torque;
        self.sum = 0.0;
        let net = torque + self.load;
        if self.velocity == 0.0 && net.abs() <= self.holds {
            self.taken_up = self.position;
            return false;
        }
        let against = if self.velocity == 0.0 { net } else { self.velocity };
        let slowing = self.eats.copysign(against) + self.resistance_to_speed * self.velocity;
        let before = self.velocity;
        self.velocity =
            bounded(before + (net - slowing) * self.per_torque * STEP, self.top_speed * self.power);
        if before * self.velocity < 0.0 && net.abs() <= self.holds {
            self.velocity = 0.0;
        }
        self.travel();
        self.taken_up = self.position;
        true
    }

    /// The motor turns, and at the ends of its play takes the output along; at a stop both end.
    fn travel(&mut self) {
        let stood = self.in_play + self.velocity * STEP;
        let within = if stood > PLAY { PLAY } else { stood };
        let within = if within < 0.0 { 0.0 } else { within };
        self.in_play = within;
        self.position += stood - within;
        let (low, high) = self.stops;
        if self.position < low || self.position > high {
            self.position = self.position.clamp(low, high);
            self.velocity = 0.0;
        }
    }
}

/// What of a load is beyond what friction carries.
fn beyond(load: f64, friction: f64) -> f64 {
    load - bounded(load, friction)
}

fn smaller(one: f64, other: f64) -> f64 {
    if one < other { one } else { other }
}

/// The nearest value in `-bound..=bound`. In this innermost loop the care that
/// `f64::min` and `f64::max` take of not-a-number costs a fifth of the time.
fn bounded(value: f64, bound: f64) -> f64 {
    let value = if value > bound { bound } else { value };
    if value < -bound { -bound } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(joint: Joint) -> JointDynamics {
        JointDynamics::new(joint, Radians::ZERO, Variation::default())
    }

    fn towards(goal: f64) -> Drive {
        Drive::Position { goal: Radians(goal), most: f64::INFINITY }
    }

    fn run(body: &mut JointDynamics, drive: Drive, millis: u32) {
        for _ in 0..millis {
            body.step(&drive);
        }
    }

    #[test]
    fn a_step_arrives_without_overshoot_within_speed_and_acceleration() {
        for which in [Joint::BodyYaw, Joint::Stewart1, Joint::LeftAntenna] {
            let mut body = joint(which);
            let top = Motor::of(which).model.top_speed();
            let mut last = 0.0;
            for _ in 0..2_000 {
                body.step(&towards(1.0));
                let velocity = body.velocity().value();
                assert!(velocity <= top + 1e-12, "{which} turns at {velocity}");
                assert!((velocity - last).abs() <= top / SPIN_UP * 0.001 + 1e-12);
                assert!(body.position().value() <= 1.0 + 1e-9, "{which} overshoots");
                last = velocity;
            }
            let position = body.position().value();
            assert!((position - 1.0).abs() < 1e-6, "{which} is at {position}");
            assert!(!body.step(&towards(1.0)), "{which} rests");
        }
    }

    #[test]
    fn the_antenna_is_quicker_than_the_leg_and_the_leg_than_the_body() {
        let [body, leg, antenna] = [Joint::BodyYaw, Joint::Stewart1, Joint::LeftAntenna].map(|which| {
            let mut joint = joint(which);
            run(&mut joint, towards(0.5), 60);
            joint.position().value()
        });
        assert!(body < leg && leg < antenna, "{body} {leg} {antenna}");
    }

    #[test]
    fn without_torque_and_load_it_stays_and_goes_on_from_rest() {
        let mut body = joint(Joint::Stewart1);
        run(&mut body, towards(0.5), 40);
        let at = body.position();
        assert!(at.value() > 0.01);
        run(&mut body, Drive::Limp, 5_000);
        assert_eq!(body.position(), at);
        assert_eq!((body.velocity(), body.torque()), (Radians::ZERO, 0.0));
    }

    #[test]
    fn a_limp_leg_is_held_by_its_gears_or_sinks_slowly_to_its_stop() {
        let mut held = joint(Joint::Stewart1);
        held.bear(-0.9 * HOLDS * 0.52);
        run(&mut held, Drive::Limp, 5_000);
        assert_eq!(held.position(), Radians::ZERO);

        let mut sinking = joint(Joint::Stewart1);
        sinking.bear(-1.3 * HOLDS * 0.52);
        run(&mut sinking, Drive::Limp, 300);
        let after = sinking.position().value();
        assert!((-0.5..-0.05).contains(&after), "{after} rad after 0.3 s");
        run(&mut sinking, Drive::Limp, 5_000);
        let lowest = angle_from_counts(Motor::of(Joint::Stewart1).lowest);
        assert_eq!(sinking.position(), lowest);
        // Friction in motion is less than at rest.
        let mut slowing = joint(Joint::Stewart1);
        slowing.bear(-1.1 * HOLDS * 0.52);
        run(&mut slowing, Drive::Limp, 10);
        slowing.bear(-0.9 * HOLDS * 0.52);
        assert!(slowing.step(&Drive::Limp), "it goes on below what would hold it at rest");
        slowing.bear(-0.9 * EATS * 0.52);
        assert!(!slowing.step(&Drive::Limp));
    }

    #[test]
    fn a_load_beyond_friction_displaces_a_driven_joint_by_its_stiffness() {
        let sag = |gain: u16| {
            let mut body = joint(Joint::Stewart1);
            body.set_gains(Gains { p: gain, i: 0, d: 0 });
            body.bear(-(HOLDS * 0.52 + 0.02));
            run(&mut body, towards(0.0), 3_000);
            body.position().value()
        };
        // 885 of PWM at 300 / 128 for each count: 0.579 rad ask for the whole 0.52 Nm.
        assert!((sag(300) + 0.02 * 0.579 / 0.52).abs() < 1e-4, "{}", sag(300));
        assert!((sag(600) - sag(300) / 2.0).abs() < 1e-4, "{}", sag(600));
        let mut with_integral = joint(Joint::Stewart1);
        with_integral.set_gains(Gains { p: 300, i: 400, d: 0 });
        with_integral.bear(-(HOLDS * 0.52 + 0.02));
        run(&mut with_integral, towards(0.0), 10_000);
        assert!(with_integral.position().value().abs() < 1e-3, "{:?}", with_integral.position());
    }

    #[test]
    fn a_bounded_torque_holds_no_more_than_that() {
        let mut body = joint(Joint::Stewart1);
        body.bear(-0.2);
        let weak = Drive::Position { goal: Radians::ZERO, most: 0.1 };
        run(&mut body, weak, 2_000);
        assert!(body.position().value() < -0.5, "{:?}", body.position());
        let strong = Drive::Position { goal: Radians::ZERO, most: 0.3 };
        run(&mut body, strong, 3_000);
        assert!(body.position().value().abs() < 0.16, "{:?}", body.position());
    }

    #[test]
    fn a_torque_moves_what_its_friction_does_not_hold_and_balances_a_load() {
        let mut body = joint(Joint::RightAntenna);
        run(&mut body, Drive::Torque(0.9 * HOLDS * 0.215), 500);
        assert_eq!(body.position(), Radians::ZERO);
        run(&mut body, Drive::Torque(0.1), 100);
        assert!(body.position().value() > 0.1);
        run(&mut body, Drive::Torque(0.0), 2_000);
        assert_eq!(body.velocity(), Radians::ZERO);

        let mut leg = joint(Joint::Stewart1);
        leg.bear(-0.1);
        run(&mut leg, Drive::Torque(0.1), 1_000);
        assert_eq!(leg.position(), Radians::ZERO);
        run(&mut leg, Drive::Torque(0.0), 1_000);
        assert!(leg.position().value() < -0.1);
    }

    #[test]
    fn the_gears_have_play() {
        let mut body = joint(Joint::LeftAntenna);
        run(&mut body, towards(0.3), 2_000);
        assert_eq!(body.in_play, PLAY, "it was pushed up");
        let at = body.position;
        let mut millis = 0;
        while body.position == at {
            body.step(&towards(-0.3));
            millis += 1;
        }
        assert!((2..30).contains(&millis), "the output starts after {millis} ms");
        run(&mut body, towards(-0.3), 2_000);
        assert!((body.position + 0.3).abs() < 1e-6);
    }

    #[test]
    fn less_friction_overshoots_and_more_delay_starts_later() {
        let peak = |variation| {
            let mut body = JointDynamics::new(Joint::Stewart1, Radians::ZERO, variation);
            (0..500).fold(0.0_f64, |peak, _| {
                body.step(&towards(0.1));
                peak.max(body.position().value())
            })
        };
        assert!(peak(Variation::default()) <= 0.1 + 1e-9);
        assert!(peak(Variation { friction: 0.7, ..Variation::default() }) > 0.101);
        let early = |delay| {
            let variation = Variation { delay, ..Variation::default() };
            let mut body = JointDynamics::new(Joint::Stewart1, Radians::ZERO, variation);
            run(&mut body, towards(0.1), 15);
            body.position().value()
        };
        assert!(early(1.3) < early(1.0) && early(1.0) < early(0.7));
    }
}

//! Dynamics of one joint: second-order tracking of a goal, with limited velocity and torque, friction, load and
//! backlash.
//!
//! Units: radians, seconds, Nm at the output. A step is 1 ms; `body` divides time into such steps.
//!
//! Sources. An X-series servo in position mode drives its motor with `gain / 128` of PWM per count of error, up to 885.
//! So the joint is a spring of stall torque / (error that demands full PWM). An unloaded motor turns in proportion to
//! its drive, so the error decays at a rate `k` = top speed / that error. A goal moving at speed `v` is followed with a
//! lag of `v / k`. Critically damped tracking of natural frequency `w` lags by `2 v / w`, hence `w = 2 k` at the gain
//! that a controller writes at start. Spring and frequency determine the inertia. Another gain changes the spring, and
//! the damping is assumed to stay critical.
//!
//! Assumptions, not measured on a robot: a motor takes 20 ms to its top speed. The gears hold 13.5 % of the stall
//! torque at rest and lose 10 % in motion. Their backlash is 0.25 degrees; the e-Manual states this for larger servos
//! of the series (15 arcmin, XM430 and XH430), not for these.
//!
//! Simplifications. At rest under a load, friction carries as much as it can and the spring carries the rest. On the
//! way to its goal, a joint feels only the load beyond the friction. A limited torque first overcomes the friction. A
//! joint without torque stops immediately, and sinks at the speed at which the motor's own damping (stall torque / top
//! speed) balances the load beyond the friction.

use std::f64::consts::TAU;

use firmware_bridge::joint::Joint;
use firmware_bridge::servo::Gains;
use firmware_bridge::units::Radians;

use crate::motor::{Motor, RATED_VOLTS, angle_from_counts};

/// The integration step, seconds.
pub(crate) const STEP: f64 = 0.001;
/// Time for a motor to reach its top speed at full effort, seconds.
const SPIN_UP_S: f64 = 0.02;
/// Time constant with which a new goal takes effect, seconds.
const GOAL_LAG_S: f64 = 0.002;
/// Static friction of the gears, as a fraction of the stall torque.
const STATIC_FRICTION: f64 = 0.135;
/// Kinetic friction of the gears, as a fraction of the stall torque.
const KINETIC_FRICTION: f64 = 0.10;
/// Free travel of the output in its gears, radians.
const BACKLASH: f64 = 0.25 * TAU / 360.0;

/// Variation of this robot from the nominal one; 1 is nominal, 1.3 is 30 % more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Factor for the stiffness of the position loop.
    pub gain: f64,
    /// Factor for the friction that damps the motion.
    pub friction: f64,
    /// Factor for the lag with which a new goal takes effect.
    pub delay: f64,
}

impl Default for Variation {
    fn default() -> Self {
        Variation { gain: 1.0, friction: 1.0, delay: 1.0 }
    }
}

/// Below this speed a joint creeps, rad/s; assumed.
const CREEP_SPEED: f64 = 0.02;

/// The drive of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Drive {
    /// No drive.
    TorqueOff,
    /// The position loop, with limited torque.
    Position {
        /// The goal.
        goal: Radians,
        /// The maximum torque; infinite for the motor's own limit.
        max_torque: f64,
    },
    /// A torque, Nm.
    Torque(f64),
}

/// One joint in motion.
#[derive(Clone, Debug)]
pub(crate) struct JointDynamics {
    /// The position of the output, where the encoder is.
    position: f64,
    velocity: f64,
    /// The position of the motor within the backlash: 0 pushes the output down, [`BACKLASH`] pushes it up.
    backlash_position: f64,
    /// The goal after the lag.
    lagged_goal: f64,
    /// The torque of the weight.
    load: f64,
    /// The motor's torque in the last step.
    torque: f64,
    /// The sum of the position error, for the integral gain.
    sum: f64,

    stiffness: f64,
    damping: f64,
    integral: f64,
    goal_lag_gain: f64,
    top_speed: f64,
    top_acceleration: f64,
    /// The supply voltage, as a fraction of the rated one.
    supply_ratio: f64,

    variation: Variation,
    /// The stiffness at a proportional gain of 1, nominal.
    stiffness_per_gain: f64,
    inertia: f64,
    /// The acceleration per Nm.
    acceleration_per_torque: f64,
    /// The acceleration by the load beyond the static friction.
    excess_load_acceleration: f64,
    viscous_friction: f64,
    static_friction: f64,
    kinetic_friction: f64,
    stops: (f64, f64),
}

impl JointDynamics {
    /// Returns a joint at rest, with the gains that a controller writes at start.
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
            backlash_position: BACKLASH / 2.0,
            lagged_goal: start.value(),
            load: 0.0,
            torque: 0.0,
            sum: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            integral: 0.0,
            goal_lag_gain: 1.0 - (-STEP / (variation.delay * GOAL_LAG_S)).exp(),
            top_speed,
            top_acceleration: top_speed / SPIN_UP_S,
            supply_ratio: 1.0,
            variation,
            stiffness_per_gain: frequency * frequency / gain,
            acceleration_per_torque: full_effort_error * frequency * frequency / stall_torque,
            excess_load_acceleration: 0.0,
            inertia: stall_torque / full_effort_error / (frequency * frequency),
            viscous_friction: stall_torque / top_speed,
            static_friction: STATIC_FRICTION * stall_torque,
            kinetic_friction: KINETIC_FRICTION * stall_torque,
            // Assumed to be where the arms meet the body; joints that turn freely have no stop.
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

    /// Sets the gains of the position loop.
    pub(crate) fn set_gains(&mut self, gains: Gains) {
        let stiffness = self.stiffness_per_gain * f64::from(gains.p);
        // The e-Manual's units of the three gains: 128, 16 and 65,536. The loop is assumed to run every step.
        let per_unit_gain = self.stiffness_per_gain * 128.0;
        let derivative = per_unit_gain * f64::from(gains.d) / 16.0 * STEP;
        self.stiffness = self.variation.gain * stiffness;
        self.damping = self.variation.friction * 2.0 * stiffness.sqrt() + derivative;
        self.integral = per_unit_gain * f64::from(gains.i) / 65_536.0;
        if gains.i == 0 {
            self.sum = 0.0;
        }
    }

    /// Sets the load by the weight, Nm.
    pub(crate) fn set_load(&mut self, load: f64) {
        self.load = load;
        self.excess_load_acceleration =
            excess_over_friction(load, self.static_friction) * self.acceleration_per_torque;
    }

    /// Sets the supply voltage, volts; it limits velocity and torque.
    pub(crate) const fn supply(&mut self, volts: f64) {
        self.supply_ratio = volts / RATED_VOLTS;
    }

    /// Returns the position.
    pub(crate) const fn position(&self) -> Radians {
        Radians(self.position)
    }

    /// Returns the velocity, rad/s.
    pub(crate) const fn velocity(&self) -> Radians {
        Radians(self.velocity)
    }

    /// Returns the motor's torque, Nm.
    pub(crate) const fn torque(&self) -> f64 {
        self.torque
    }

    /// Runs one step. Returns false if nothing moves and nothing will until drive, load or supply changes.
    #[inline]
    pub(crate) fn step(&mut self, drive: &Drive) -> bool {
        match drive {
            Drive::Position { goal, max_torque: most } => self.step_position(goal.value(), *most),
            Drive::TorqueOff => self.step_torque_off(),
            Drive::Torque(torque) => self.step_torque(*torque),
        }
    }

    #[inline]
    fn step_position(&mut self, goal: f64, most: f64) -> bool {
        self.lagged_goal += (goal - self.lagged_goal) * self.goal_lag_gain;
        let error = self.lagged_goal - self.position;
        let beyond_friction = if most > self.kinetic_friction { most - self.kinetic_friction } else { 0.0 };
        let bound =
            lesser(self.top_acceleration * self.supply_ratio, beyond_friction * self.acceleration_per_torque);
        if self.integral > 0.0 && error.abs() > 1e-9 {
            // Bounded to prevent windup while the joint moves.
            self.sum = clamp_symmetric(self.sum + error, bound / self.integral);
        }
        let spring = self.stiffness * error + self.integral * self.sum;
        let effort = clamp_symmetric(spring - self.damping * self.velocity, bound);
        let acceleration = effort + self.excess_load_acceleration;
        if self.velocity.abs() < 1e-9 && acceleration.abs() < 1e-6 && (goal - self.lagged_goal).abs() < 1e-9 {
            // Exactly at rest, so that the next step finds the same.
            self.velocity = 0.0;
            self.lagged_goal = goal;
            let spring = self.stiffness * (goal - self.position) + self.integral * self.sum;
            self.torque = clamp_symmetric(spring, bound) * self.inertia;
            return self.integral > 0.0 && error.abs() > 1e-9;
        }
        // For a joint that creeps to its goal, friction carries most of the torque.
        self.torque =
            effort * self.inertia + self.kinetic_friction * clamp_symmetric(self.velocity / CREEP_SPEED, 1.0);
        self.velocity =
            clamp_symmetric(self.velocity + acceleration * STEP, self.top_speed * self.supply_ratio);
        self.move_output();
        true
    }

    fn step_torque_off(&mut self) -> bool {
        self.torque = 0.0;
        self.sum = 0.0;
        let sinks =
            self.load.abs() > if self.velocity == 0.0 { self.static_friction } else { self.kinetic_friction };
        let sinking = excess_over_friction(self.load, self.kinetic_friction) / self.viscous_friction;
        // Motion from an earlier drive stops first.
        self.velocity = if sinks { clamp_symmetric(sinking, self.top_speed) } else { 0.0 };
        self.move_output();
        self.lagged_goal = self.position;
        self.velocity != 0.0
    }

    fn step_torque(&mut self, torque: f64) -> bool {
        self.torque = torque;
        self.sum = 0.0;
        let net = torque + self.load;
        if self.velocity == 0.0 && net.abs() <= self.static_friction {
            self.lagged_goal = self.position;
            return false;
        }
        let against = if self.velocity == 0.0 { net } else { self.velocity };
        let slowing = self.kinetic_friction.copysign(against) + self.viscous_friction * self.velocity;
        let before = self.velocity;
        self.velocity = clamp_symmetric(
            before + (net - slowing) * self.acceleration_per_torque * STEP,
            self.top_speed * self.supply_ratio,
        );
        if before * self.velocity < 0.0 && net.abs() <= self.static_friction {
            self.velocity = 0.0;
        }
        self.move_output();
        self.lagged_goal = self.position;
        true
    }

    /// Moves the motor, which takes the output along at the ends of the backlash. At a stop both end.
    fn move_output(&mut self) {
        let target = self.backlash_position + self.velocity * STEP;
        let inside = if target > BACKLASH { BACKLASH } else { target };
        let inside = if inside < 0.0 { 0.0 } else { inside };
        self.backlash_position = inside;
        self.position += target - inside;
        let (low, high) = self.stops;
        if self.position < low || self.position > high {
            self.position = self.position.clamp(low, high);
            self.velocity = 0.0;
        }
    }
}

/// Returns the part of a load that friction does not carry.
fn excess_over_friction(load: f64, friction: f64) -> f64 {
    load - clamp_symmetric(load, friction)
}

fn lesser(one: f64, other: f64) -> f64 {
    if one < other { one } else { other }
}

/// Returns the nearest value in `-bound..=bound`. In this innermost loop, the handling of not-a-number in `f64::min`
/// and `f64::max` would cost a fifth of the time.
fn clamp_symmetric(value: f64, bound: f64) -> f64 {
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
        Drive::Position { goal: Radians(goal), max_torque: f64::INFINITY }
    }

    fn run(body: &mut JointDynamics, drive: Drive, millis: u32) {
        for _ in 0..millis {
            body.step(&drive);
        }
    }

    #[test]
    fn step_response_has_no_overshoot_and_respects_the_limits() {
        for which in [Joint::BodyYaw, Joint::Stewart1, Joint::LeftAntenna] {
            let mut body = joint(which);
            let top = Motor::of(which).model.top_speed();
            let mut last = 0.0;
            for _ in 0..2_000 {
                body.step(&towards(1.0));
                let velocity = body.velocity().value();
                assert!(velocity <= top + 1e-12, "{which} turns at {velocity}");
                assert!((velocity - last).abs() <= top / SPIN_UP_S * 0.001 + 1e-12);
                assert!(body.position().value() <= 1.0 + 1e-9, "{which} overshoots");
                last = velocity;
            }
            let position = body.position().value();
            assert!((position - 1.0).abs() < 1e-6, "{which} is at {position}");
            assert!(!body.step(&towards(1.0)), "{which} rests");
        }
    }

    #[test]
    fn antenna_is_faster_than_leg_and_leg_faster_than_body() {
        let [body, leg, antenna] = [Joint::BodyYaw, Joint::Stewart1, Joint::LeftAntenna].map(|which| {
            let mut joint = joint(which);
            run(&mut joint, towards(0.5), 60);
            joint.position().value()
        });
        assert!(body < leg && leg < antenna, "{body} {leg} {antenna}");
    }

    #[test]
    fn joint_without_torque_and_load_stays() {
        let mut body = joint(Joint::Stewart1);
        run(&mut body, towards(0.5), 40);
        let at = body.position();
        assert!(at.value() > 0.01);
        run(&mut body, Drive::TorqueOff, 5_000);
        assert_eq!(body.position(), at);
        assert_eq!((body.velocity(), body.torque()), (Radians::ZERO, 0.0));
    }

    #[test]
    fn leg_without_torque_is_held_by_friction_or_sinks_to_its_stop() {
        let mut held = joint(Joint::Stewart1);
        held.set_load(-0.9 * STATIC_FRICTION * 0.52);
        run(&mut held, Drive::TorqueOff, 5_000);
        assert_eq!(held.position(), Radians::ZERO);

        let mut sinking = joint(Joint::Stewart1);
        sinking.set_load(-1.3 * STATIC_FRICTION * 0.52);
        run(&mut sinking, Drive::TorqueOff, 300);
        let after = sinking.position().value();
        assert!((-0.5..-0.05).contains(&after), "{after} rad after 0.3 s");
        run(&mut sinking, Drive::TorqueOff, 5_000);
        let lowest = angle_from_counts(Motor::of(Joint::Stewart1).lowest);
        assert_eq!(sinking.position(), lowest);
        // Kinetic friction is less than static friction.
        let mut slowing = joint(Joint::Stewart1);
        slowing.set_load(-1.1 * STATIC_FRICTION * 0.52);
        run(&mut slowing, Drive::TorqueOff, 10);
        slowing.set_load(-0.9 * STATIC_FRICTION * 0.52);
        assert!(slowing.step(&Drive::TorqueOff), "it moves on under a load that static friction would hold");
        slowing.set_load(-0.9 * KINETIC_FRICTION * 0.52);
        assert!(!slowing.step(&Drive::TorqueOff));
    }

    #[test]
    fn load_beyond_friction_displaces_by_the_stiffness() {
        let sag = |gain: u16| {
            let mut body = joint(Joint::Stewart1);
            body.set_gains(Gains { p: gain, i: 0, d: 0 });
            body.set_load(-(STATIC_FRICTION * 0.52 + 0.02));
            run(&mut body, towards(0.0), 3_000);
            body.position().value()
        };
        // 885 of PWM at 300 / 128 per count: an error of 0.579 rad demands the full 0.52 Nm.
        assert!((sag(300) + 0.02 * 0.579 / 0.52).abs() < 1e-4, "{}", sag(300));
        assert!((sag(600) - sag(300) / 2.0).abs() < 1e-4, "{}", sag(600));
        let mut with_integral = joint(Joint::Stewart1);
        with_integral.set_gains(Gains { p: 300, i: 400, d: 0 });
        with_integral.set_load(-(STATIC_FRICTION * 0.52 + 0.02));
        run(&mut with_integral, towards(0.0), 10_000);
        assert!(with_integral.position().value().abs() < 1e-3, "{:?}", with_integral.position());
    }

    #[test]
    fn limited_torque_holds_only_its_limit() {
        let mut body = joint(Joint::Stewart1);
        body.set_load(-0.2);
        let weak = Drive::Position { goal: Radians::ZERO, max_torque: 0.1 };
        run(&mut body, weak, 2_000);
        assert!(body.position().value() < -0.5, "{:?}", body.position());
        let strong = Drive::Position { goal: Radians::ZERO, max_torque: 0.3 };
        run(&mut body, strong, 3_000);
        assert!(body.position().value().abs() < 0.16, "{:?}", body.position());
    }

    #[test]
    fn torque_overcomes_friction_and_balances_a_load() {
        let mut body = joint(Joint::RightAntenna);
        run(&mut body, Drive::Torque(0.9 * STATIC_FRICTION * 0.215), 500);
        assert_eq!(body.position(), Radians::ZERO);
        run(&mut body, Drive::Torque(0.1), 100);
        assert!(body.position().value() > 0.1);
        run(&mut body, Drive::Torque(0.0), 2_000);
        assert_eq!(body.velocity(), Radians::ZERO);

        let mut leg = joint(Joint::Stewart1);
        leg.set_load(-0.1);
        run(&mut leg, Drive::Torque(0.1), 1_000);
        assert_eq!(leg.position(), Radians::ZERO);
        run(&mut leg, Drive::Torque(0.0), 1_000);
        assert!(leg.position().value() < -0.1);
    }

    #[test]
    fn gears_have_backlash() {
        let mut body = joint(Joint::LeftAntenna);
        run(&mut body, towards(0.3), 2_000);
        assert_eq!(body.backlash_position, BACKLASH, "the output was pushed up");
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
    fn less_friction_overshoots_and_more_lag_starts_later() {
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

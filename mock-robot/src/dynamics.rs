//! How one joint moves: second-order tracking of a goal, with bounded speed and acceleration.
//!
//! Units: radians, seconds. Time passes in whole substeps of 1 ms, so a result does not depend on how the time was
//! cut, as long as the cuts are at whole substeps. There is no gravity: without torque a joint stays where it is.
//!
//! Where the numbers come from. An X-series servo in position mode drives its motor with `gain / 128` of PWM per
//! count of error, 885 being all there is, and an unloaded motor turns in proportion; so the error closes at a rate
//! `k` = top speed / (error that asks for all of it), and a goal moving at speed `v` is followed `v / k` behind.
//! Critically damped tracking of natural frequency `w` follows `2 v / w` behind, hence `w = 2 k`. The greatest
//! acceleration assumes that the motor takes 20 ms to reach its top speed. Nothing of this was measured on a robot.

use std::f64::consts::TAU;
use std::time::Duration;

use firmware_bridge::joint::Joint;
use firmware_bridge::units::Radians;

use crate::motor::Motor;

/// The step of integration.
const SUBSTEP_NANOS: u64 = 1_000_000;
const SUBSTEP_SECONDS: f64 = 0.001;
/// How long a motor takes to its top speed at full effort, in seconds.
const SPIN_UP: f64 = 0.02;
/// The lag with which a new goal is taken up, in seconds.
const TAKE_UP: f64 = 0.002;

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

/// One joint in motion.
#[derive(Clone, Debug)]
pub(crate) struct JointDynamics {
    position: f64,
    velocity: f64,
    /// The goal as far as it has been taken up.
    taken_up: f64,
    /// Time that has passed and is not yet integrated, in nanoseconds; less than a substep.
    owed: u64,
    stiffness: f64,
    damping: f64,
    take_up: f64,
    top_speed: f64,
    top_acceleration: f64,
}

impl JointDynamics {
    /// A joint at rest.
    pub(crate) fn new(joint: Joint, start: Radians, variation: Variation) -> Self {
        let motor = Motor::of(joint);
        let top_speed = motor.model.top_speed();
        let full_effort_error = 885.0 / (f64::from(motor.position_gain) / 128.0) * TAU / 4096.0;
        let frequency = 2.0 * top_speed / full_effort_error;
        JointDynamics {
            position: start.value(),
            velocity: 0.0,
            taken_up: start.value(),
            owed: 0,
            stiffness: variation.gain * frequency * frequency,
            damping: variation.friction * 2.0 * frequency,
            take_up: 1.0 - (-SUBSTEP_SECONDS / (variation.delay * TAKE_UP)).exp(),
            top_speed,
            top_acceleration: top_speed / SPIN_UP,
        }
    }

    /// Lets time pass: towards `goal`, or without torque.
    pub(crate) fn advance(&mut self, goal: Option<Radians>, over: Duration) {
        let passed = self.owed.saturating_add(u64::try_from(over.as_nanos()).unwrap_or(u64::MAX));
        self.owed = passed % SUBSTEP_NANOS;
        let Some(goal) = goal else {
            self.velocity = 0.0;
            self.taken_up = self.position;
            return;
        };
        for _ in 0..passed / SUBSTEP_NANOS {
            if self.rests_at(goal.value()) {
                break;
            }
            self.step(goal.value());
        }
    }

    /// Where the joint is.
    pub(crate) const fn position(&self) -> Radians {
        Radians(self.position)
    }

    /// How fast it turns, in rad/s.
    pub(crate) const fn velocity(&self) -> Radians {
        Radians(self.velocity)
    }

    fn rests_at(&self, goal: f64) -> bool {
        (goal - self.position).abs() < 1e-9
            && (goal - self.taken_up).abs() < 1e-9
            && self.velocity.abs() < 1e-9
    }

    fn step(&mut self, goal: f64) {
        self.taken_up += (goal - self.taken_up) * self.take_up;
        let wanted = self.stiffness * (self.taken_up - self.position) - self.damping * self.velocity;
        let acceleration = bounded(wanted, self.top_acceleration);
        self.velocity = bounded(self.velocity + acceleration * SUBSTEP_SECONDS, self.top_speed);
        self.position += self.velocity * SUBSTEP_SECONDS;
    }
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
    use proptest::prelude::*;

    const SUBSTEP: Duration = Duration::from_nanos(SUBSTEP_NANOS);

    fn joint(joint: Joint) -> JointDynamics {
        JointDynamics::new(joint, Radians::ZERO, Variation::default())
    }

    #[test]
    fn a_step_arrives_without_overshoot_within_speed_and_acceleration() {
        for which in [Joint::BodyYaw, Joint::Stewart1, Joint::LeftAntenna] {
            let mut body = joint(which);
            let top = Motor::of(which).model.top_speed();
            let mut last = 0.0;
            for _ in 0..2_000 {
                body.advance(Some(Radians(1.0)), SUBSTEP);
                let velocity = body.velocity().value();
                assert!(velocity <= top + 1e-12, "{which} turns at {velocity}");
                assert!((velocity - last).abs() <= top / SPIN_UP * 0.001 + 1e-12);
                assert!(body.position().value() <= 1.0 + 1e-9, "{which} overshoots");
                last = velocity;
            }
            assert!(
                (body.position().value() - 1.0).abs() < 1e-6,
                "{which} is at {}",
                body.position().value()
            );
        }
    }

    #[test]
    fn the_antenna_is_quicker_than_the_leg_and_the_leg_than_the_body() {
        let [body, leg, antenna] = [Joint::BodyYaw, Joint::Stewart1, Joint::LeftAntenna].map(|which| {
            let mut joint = joint(which);
            joint.advance(Some(Radians(0.5)), Duration::from_millis(60));
            joint.position().value()
        });
        assert!(body < leg && leg < antenna, "{body} {leg} {antenna}");
    }

    #[test]
    fn without_torque_it_stays_and_goes_on_from_rest() {
        let mut body = joint(Joint::Stewart1);
        body.advance(Some(Radians(0.5)), Duration::from_millis(40));
        let at = body.position();
        assert!(at.value() > 0.01);
        body.advance(None, Duration::from_secs(5));
        assert_eq!(body.position(), at);
        assert_eq!(body.velocity(), Radians::ZERO);
    }

    #[test]
    fn less_friction_overshoots_and_more_delay_starts_later() {
        let peak = |variation| {
            let mut body = JointDynamics::new(Joint::Stewart1, Radians::ZERO, variation);
            (0..500).fold(0.0_f64, |peak, _| {
                body.advance(Some(Radians(0.1)), SUBSTEP);
                peak.max(body.position().value())
            })
        };
        assert!(peak(Variation::default()) <= 0.1 + 1e-9);
        assert!(peak(Variation { friction: 0.7, ..Variation::default() }) > 0.101);
        let early = |delay| {
            let variation = Variation { delay, ..Variation::default() };
            let mut body = JointDynamics::new(Joint::Stewart1, Radians::ZERO, variation);
            body.advance(Some(Radians(0.1)), Duration::from_millis(10));
            body.position().value()
        };
        assert!(early(1.3) < early(1.0) && early(1.0) < early(0.7));
    }

    proptest! {
        #[test]
        fn the_result_does_not_depend_on_the_cuts(
            goal in -3.0..3.0_f64,
            cuts in proptest::collection::vec(0..40_u64, 1..20),
        ) {
            let mut whole = joint(Joint::Stewart2);
            let mut cut = joint(Joint::Stewart2);
            whole.advance(Some(Radians(goal)), Duration::from_millis(cuts.iter().sum()));
            for millis in &cuts {
                cut.advance(Some(Radians(goal)), Duration::from_millis(*millis));
            }
            prop_assert_eq!(whole.position(), cut.position());
            prop_assert_eq!(whole.velocity(), cut.velocity());
        }
    }
}

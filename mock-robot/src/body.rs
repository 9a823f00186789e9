//! Nine joints on one supply, with the head's weight on six of them.
//!
//! Time passes in whole steps of 1 ms of the clock, so a result does not depend on how the time was cut. Heat, supply and weight change slowly, and are looked at each ten steps.
//!
//! Assumed, not measured: the supply and its cables have 0.1 ohm; a servo warms by 12 kelvin for each watt in its
//! winding, two thirds of that within two minutes; idle in a room it has 31 degrees Celsius inside.

use firmware_bridge::clock::Tick;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::servo::{Gains, Milliamps};
use firmware_bridge::units::Radians;

use crate::dynamics::{Drive, JointDynamics, STEP, Variation};
use crate::gravity::Gravity;
use crate::motor::{Motor, STANDBY, Specification};

/// [`STEP`], in nanoseconds.
const STEP_NANOS: u64 = 1_000_000;
/// Steps between two looks at what changes slowly.
const LOOK_EVERY: u64 = 10;
/// Of the supply and its cables, in ohms.
const SUPPLY_RESISTANCE: f64 = 0.1;
/// What a servo warms by, in kelvin for each watt in its winding.
const KELVIN_PER_WATT: f64 = 12.0;
/// How long it takes to two thirds of that, in seconds.
const WARMS_IN: f64 = 120.0;
/// What a servo's warmth closes of the way to where it is going, until the next look.
const SHARE: f64 = LOOK_EVERY as f64 * STEP / WARMS_IN;
/// Inside an idle servo, in degrees Celsius.
pub(crate) const IDLE_CELSIUS: f64 = 31.0;

/// What a motor's current goes through, and heats.
#[derive(Clone, Copy, Debug)]
struct Winding {
    /// Inside the servo.
    celsius: f64,
    /// Amperes for each Nm.
    draws: f64,
    /// By how much it warms until the next look for each square ampere, in kelvin.
    warms: f64,
}

impl Winding {
    const fn of(motor: Specification) -> Winding {
        Winding {
            celsius: IDLE_CELSIUS,
            draws: 1.0 / motor.torque_per_ampere(),
            warms: motor.resistance() * KELVIN_PER_WATT * SHARE,
        }
    }

    fn amperes(&self, torque: f64) -> f64 {
        torque * self.draws
    }

    fn warm(&mut self, torque: f64) {
        let amperes = self.amperes(torque);
        self.celsius += self.warms * amperes * amperes + (IDLE_CELSIUS - self.celsius) * SHARE;
    }
}

/// The nine.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// In the order of [`Joint::ALL`].
    joints: [JointDynamics; 9],
    windings: [Winding; 9],
    gravity: Gravity,
    /// What the supply gives without load, in volts.
    supply: f64,
    /// What is left of it at the servos.
    volts: f64,
}

impl Body {
    /// Nine joints at rest.
    pub(crate) fn new(start: Joints, variation: &Joints<Variation>, supply: f64) -> Body {
        let mut body = Body {
            joints: Joint::ALL.map(|joint| JointDynamics::new(joint, start[joint], variation[joint])),
            windings: Joint::ALL.map(|joint| Winding::of(Motor::of(joint).model.specification())),
            gravity: Gravity::on(start.stewart()),
            supply,
            volts: supply,
        };
        body.burden();
        body.feed();
        body
    }

    /// Lets time pass from one moment to another, each joint driven like this.
    pub(crate) fn advance(&mut self, drives: &Joints<Drive>, from: Tick, to: Tick) {
        let (mut step, last) = (from.0 / STEP_NANOS, to.0 / STEP_NANOS);
        while step < last {
            let look = (step / LOOK_EVERY + 1) * LOOK_EVERY;
            let still = self.run(drives, look.min(last) - step);
            step = look.min(last);
            if step == look {
                self.look(still);
            }
        }
    }

    /// Some steps; whether all joints rest at their end. The joints take turns in each step: they do not depend on one
    /// another, and a processor works on several at once.
    fn run(&mut self, drives: &Joints<Drive>, steps: u64) -> bool {
        let mut moving = [true; 9];
        for _ in 0..steps {
            let mut any = false;
            let driven = self.joints.iter_mut().zip(drives.as_array());
            for ((joint, drive), moving) in driven.zip(&mut moving) {
                if *moving {
                    *moving = joint.step(drive);
                    any |= *moving;
                }
            }
            if !any {
                return true;
            }
        }
        false
    }

    fn look(&mut self, still: bool) {
        let legs = Joint::STEWART.map(|joint| self.position(joint));
        if self.gravity.follow(&legs, still) {
            self.burden();
        }
        for (joint, winding) in self.joints.iter().zip(&mut self.windings) {
            winding.warm(joint.torque());
        }
        self.feed();
    }

    fn burden(&mut self) {
        for (joint, load) in Joint::STEWART.into_iter().zip(*self.gravity.loads()) {
            self.joint_mut(joint).bear(load);
        }
    }

    /// The supply gives way under all currents together.
    fn feed(&mut self) {
        let each = self.joints.iter().zip(&self.windings);
        let drawn: f64 = each.map(|(joint, winding)| STANDBY + winding.amperes(joint.torque()).abs()).sum();
        self.volts = (self.supply - SUPPLY_RESISTANCE * drawn).max(0.0);
        for joint in &mut self.joints {
            joint.supply(self.volts);
        }
    }

    // A joint's index is below nine, as in `Joints`.
    #[allow(clippy::indexing_slicing)]
    fn joint(&self, joint: Joint) -> &JointDynamics {
        &self.joints[joint.index()]
    }

    #[allow(clippy::indexing_slicing)]
    fn joint_mut(&mut self, joint: Joint) -> &mut JointDynamics {
        &mut self.joints[joint.index()]
    }

    #[allow(clippy::indexing_slicing)]
    fn winding(&self, joint: Joint) -> &Winding {
        &self.windings[joint.index()]
    }

    #[allow(clippy::indexing_slicing)]
    fn winding_mut(&mut self, joint: Joint) -> &mut Winding {
        &mut self.windings[joint.index()]
    }

    /// What the supply gives without load from now on, in volts.
    pub(crate) fn supply(&mut self, volts: f64) {
        self.supply = volts;
        self.feed();
    }

    /// Makes a joint's position loop as stiff as these gains do.
    pub(crate) fn set_gains(&mut self, joint: Joint, gains: Gains) {
        self.joint_mut(joint).set_gains(gains);
    }

    /// Makes a servo so hot.
    pub(crate) fn heat(&mut self, joint: Joint, celsius: f64) {
        self.winding_mut(joint).celsius = celsius;
    }

    /// Where a joint is.
    pub(crate) fn position(&self, joint: Joint) -> Radians {
        self.joint(joint).position()
    }

    /// How fast it turns, in rad/s.
    pub(crate) fn velocity(&self, joint: Joint) -> Radians {
        self.joint(joint).velocity()
    }

    /// Through its motor.
    pub(crate) fn current(&self, joint: Joint) -> Milliamps {
        Milliamps(1000.0 * self.winding(joint).amperes(self.joint(joint).torque()))
    }

    /// Inside its servo, in degrees Celsius.
    pub(crate) fn celsius(&self, joint: Joint) -> f64 {
        self.winding(joint).celsius
    }

    /// The supply at the servos.
    pub(crate) const fn volts(&self) -> f64 {
        self.volts
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use firmware_bridge::kinematics::joints_from_posture;
    use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
    use proptest::prelude::*;

    fn standing() -> Joints {
        joints_from_posture(&Posture::init()).unwrap()
    }

    fn body(start: Joints) -> Body {
        Body::new(start, &Joints::all(Variation::default()), 5.0)
    }

    fn advance(body: &mut Body, drives: &Joints<Drive>, over: Duration) {
        body.advance(drives, Tick::ZERO, Tick::ZERO + over);
    }

    fn at(goals: Joints) -> Joints<Drive> {
        goals.map(|goal| Drive::Position { goal, most: f64::INFINITY })
    }

    /// How far the legs are from there.
    fn apart(body: &Body, there: &Joints) -> f64 {
        let off = Joint::STEWART.map(|joint| (body.position(joint) - there[joint]).abs().value());
        off.into_iter().fold(0.0, f64::max)
    }

    #[test]
    fn an_upright_head_stays_when_it_is_let_go_and_a_tilted_one_sinks() {
        let mut upright = body(standing());
        advance(&mut upright, &Joints::all(Drive::Limp), Duration::from_secs(20));
        assert_eq!(apart(&upright, &standing()), 0.0);

        let angles = RollPitchYaw { pitch: Radians::from_degrees(39.0), ..RollPitchYaw::default() };
        let head = HeadPose::new(0.0, 0.0, 0.0, angles);
        let nodding = joints_from_posture(&Posture { head, ..Posture::init() }).unwrap();
        let mut tilted = body(nodding);
        advance(&mut tilted, &Joints::all(Drive::Limp), Duration::from_secs(20));
        assert!(apart(&tilted, &nodding) > 0.1, "{}", apart(&tilted, &nodding));
        assert_eq!(tilted.position(Joint::BodyYaw), nodding[Joint::BodyYaw]);
        assert_eq!(tilted.position(Joint::LeftAntenna), nodding[Joint::LeftAntenna]);
    }

    #[test]
    fn motion_draws_current_which_warms_and_weakens_the_supply() {
        let start = standing();
        let mut moving = body(start);
        let rest = moving.volts();
        assert!((4.9..5.0).contains(&rest), "{rest} V at rest");
        let mut there = start;
        for joint in [Joint::BodyYaw, Joint::RightAntenna, Joint::LeftAntenna] {
            there[joint] = Radians(1.5);
        }
        advance(&mut moving, &at(there), Duration::from_millis(30));
        assert!(moving.current(Joint::BodyYaw).0 > 500.0, "{}", moving.current(Joint::BodyYaw));
        assert!(moving.volts() < rest - 0.1, "{} V", moving.volts());
        for round in 0..3_000 {
            let goals = if round % 2 == 0 { start } else { there };
            advance(&mut moving, &at(goals), Duration::from_millis(150));
        }
        let (worked, idle) = (moving.celsius(Joint::BodyYaw), moving.celsius(Joint::Stewart1));
        assert!(worked > IDLE_CELSIUS + 5.0 && worked < 90.0, "{worked} after minutes of work");
        assert!((idle - IDLE_CELSIUS).abs() < 1.0, "{idle}");
        advance(&mut moving, &at(there), Duration::from_secs(1_000));
        assert!((moving.celsius(Joint::BodyYaw) - IDLE_CELSIUS).abs() < 0.5, "it cools");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_result_does_not_depend_on_the_cuts(
            goal in -1.0..1.0_f64,
            cuts in proptest::collection::vec(0..40_000_u64, 1..20),
        ) {
            let (mut whole, mut cut) = (body(standing()), body(standing()));
            let mut goals = standing();
            for joint in Joint::ALL {
                goals[joint] += Radians(goal);
            }
            let mut now = Tick::ZERO;
            advance(&mut whole, &at(goals), Duration::from_micros(cuts.iter().sum()));
            for micros in &cuts {
                let next = now + Duration::from_micros(*micros);
                cut.advance(&at(goals), now, next);
                now = next;
            }
            for joint in Joint::ALL {
                prop_assert_eq!(whole.position(joint), cut.position(joint));
                prop_assert_eq!(whole.velocity(joint), cut.velocity(joint));
                prop_assert_eq!(whole.celsius(joint), cut.celsius(joint));
            }
        }
    }
}

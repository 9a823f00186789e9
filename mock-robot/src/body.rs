//! Nine joints on one supply, six of which carry the weight of the head.
//!
//! Time advances in whole steps of 1 ms of the clock, so a result does not depend on how the time is divided.
//! Temperature, supply and load change slowly and are updated every ten steps.
//!
//! Assumptions, not measured: the supply and its cables have 0.1 ohm. A servo warms by 12 kelvin per watt in its
//! winding, two thirds of that within two minutes. An idle servo in a room has 31 degrees Celsius inside.

use firmware_bridge::clock::Timestamp;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::servo::{Gains, Milliamps};
use firmware_bridge::units::Radians;

use crate::dynamics::{Drive, JointDynamics, STEP, Variation};
use crate::gravity::Gravity;
use crate::motor::{Motor, STANDBY, Specification};

/// [`STEP`], in nanoseconds.
const STEP_NANOS: u64 = 1_000_000;
/// Steps between two updates of the slow variables.
const SLOW_UPDATE_STEPS: u64 = 10;
/// Resistance of the supply and its cables, ohms.
const SUPPLY_RESISTANCE: f64 = 0.1;
/// Warming of a servo, kelvin per watt in its winding.
const KELVIN_PER_WATT: f64 = 12.0;
/// Time to two thirds of that warming, seconds.
const WARMING_TIME_S: f64 = 120.0;
/// The fraction by which a servo's temperature approaches its final value until the next update.
const WARMING_FRACTION: f64 = SLOW_UPDATE_STEPS as f64 * STEP / WARMING_TIME_S;
/// Temperature inside an idle servo, degrees Celsius.
pub(crate) const IDLE_TEMPERATURE_C: f64 = 31.0;

/// The winding of a motor, which its current heats.
#[derive(Clone, Copy, Debug)]
struct Winding {
    /// Temperature inside the servo, degrees Celsius.
    celsius: f64,
    /// Current, amperes per Nm.
    amperes_per_nm: f64,
    /// Warming until the next update, kelvin per square ampere.
    kelvin_per_square_ampere: f64,
}

impl Winding {
    const fn of(motor: Specification) -> Winding {
        Winding {
            celsius: IDLE_TEMPERATURE_C,
            amperes_per_nm: 1.0 / motor.torque_per_ampere(),
            kelvin_per_square_ampere: motor.resistance() * KELVIN_PER_WATT * WARMING_FRACTION,
        }
    }

    fn amperes(&self, torque: f64) -> f64 {
        torque * self.amperes_per_nm
    }

    fn update_temperature(&mut self, torque: f64) {
        let amperes = self.amperes(torque);
        self.celsius += self.kelvin_per_square_ampere * amperes * amperes
            + (IDLE_TEMPERATURE_C - self.celsius) * WARMING_FRACTION;
    }
}

/// The nine joints.
#[derive(Clone, Debug)]
pub(crate) struct RobotRuntime {
    /// The joints in the order of [`Joint::ALL`].
    joints: [JointDynamics; 9],
    windings: [Winding; 9],
    gravity: Gravity,
    /// Voltage of the supply without load, volts.
    supply: f64,
    /// Voltage at the servos under load, volts.
    volts: f64,
}

impl RobotRuntime {
    /// Returns nine joints at rest.
    pub(crate) fn new(start: Joints, variation: &Joints<Variation>, supply: f64) -> RobotRuntime {
        let mut body = RobotRuntime {
            joints: Joint::ALL.map(|joint| JointDynamics::new(joint, start[joint], variation[joint])),
            windings: Joint::ALL.map(|joint| Winding::of(Motor::of(joint).model.specification())),
            gravity: Gravity::on(start.stewart()),
            supply,
            volts: supply,
        };
        body.update_loads();
        body.update_volts();
        body
    }

    /// Advances from one time to another, with these drives.
    pub(crate) fn advance(&mut self, drives: &Joints<Drive>, from: Timestamp, to: Timestamp) {
        let (mut step, last) = (from.0 / STEP_NANOS, to.0 / STEP_NANOS);
        while step < last {
            let next_update = (step / SLOW_UPDATE_STEPS + 1) * SLOW_UPDATE_STEPS;
            let still = self.run(drives, next_update.min(last) - step);
            step = next_update.min(last);
            if step == next_update {
                self.update_slow_state(still);
            }
        }
    }

    /// Runs some steps and returns whether all joints rest at their end. Each step updates all joints in turn: they are
    /// independent, so a processor computes several at once.
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

    fn update_slow_state(&mut self, still: bool) {
        let legs = Joint::STEWART.map(|joint| self.position(joint));
        if self.gravity.follow(&legs, still) {
            self.update_loads();
        }
        for (joint, winding) in self.joints.iter().zip(&mut self.windings) {
            winding.update_temperature(joint.torque());
        }
        self.update_volts();
    }

    fn update_loads(&mut self) {
        for (joint, load) in Joint::STEWART.into_iter().zip(*self.gravity.loads()) {
            self.joint_mut(joint).set_load(load);
        }
    }

    /// The supply voltage drops with the sum of all currents.
    fn update_volts(&mut self) {
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

    /// Sets the voltage of the supply without load, volts.
    pub(crate) fn supply(&mut self, volts: f64) {
        self.supply = volts;
        self.update_volts();
    }

    /// Sets the gains of a joint's position loop.
    pub(crate) fn set_gains(&mut self, joint: Joint, gains: Gains) {
        self.joint_mut(joint).set_gains(gains);
    }

    /// Sets the temperature of a servo, degrees Celsius.
    pub(crate) fn heat(&mut self, joint: Joint, celsius: f64) {
        self.winding_mut(joint).celsius = celsius;
    }

    /// Returns the position of a joint.
    pub(crate) fn position(&self, joint: Joint) -> Radians {
        self.joint(joint).position()
    }

    /// Returns the velocity of a joint, rad/s.
    pub(crate) fn velocity(&self, joint: Joint) -> Radians {
        self.joint(joint).velocity()
    }

    /// Returns the current through a joint's motor.
    pub(crate) fn current(&self, joint: Joint) -> Milliamps {
        Milliamps(1000.0 * self.winding(joint).amperes(self.joint(joint).torque()))
    }

    /// Returns the temperature inside a joint's servo, degrees Celsius.
    pub(crate) fn celsius(&self, joint: Joint) -> f64 {
        self.winding(joint).celsius
    }

    /// Returns the supply voltage at the servos, volts.
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

    fn body(start: Joints) -> RobotRuntime {
        RobotRuntime::new(start, &Joints::all(Variation::default()), 5.0)
    }

    fn advance(body: &mut RobotRuntime, drives: &Joints<Drive>, over: Duration) {
        body.advance(drives, Timestamp::ZERO, Timestamp::ZERO + over);
    }

    fn at(goals: Joints) -> Joints<Drive> {
        goals.map(|goal| Drive::Position { goal, max_torque: f64::INFINITY })
    }

    /// Returns the maximum distance of the legs from these positions.
    fn distance(body: &RobotRuntime, there: &Joints) -> f64 {
        let off = Joint::STEWART.map(|joint| (body.position(joint) - there[joint]).abs().value());
        off.into_iter().fold(0.0, f64::max)
    }

    #[test]
    fn released_head_stays_when_upright_and_sinks_when_tilted() {
        let mut upright = body(standing());
        advance(&mut upright, &Joints::all(Drive::TorqueOff), Duration::from_secs(20));
        assert_eq!(distance(&upright, &standing()), 0.0);

        let angles = RollPitchYaw { pitch: Radians::from_degrees(39.0), ..RollPitchYaw::default() };
        let head = HeadPose::new(0.0, 0.0, 0.0, angles);
        let nodding = joints_from_posture(&Posture { head, ..Posture::init() }).unwrap();
        let mut tilted = body(nodding);
        advance(&mut tilted, &Joints::all(Drive::TorqueOff), Duration::from_secs(20));
        assert!(distance(&tilted, &nodding) > 0.1, "{}", distance(&tilted, &nodding));
        assert_eq!(tilted.position(Joint::BodyYaw), nodding[Joint::BodyYaw]);
        assert_eq!(tilted.position(Joint::LeftAntenna), nodding[Joint::LeftAntenna]);
    }

    #[test]
    fn motion_draws_current_that_warms_and_lowers_the_supply() {
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
        assert!(worked > IDLE_TEMPERATURE_C + 5.0 && worked < 90.0, "{worked} after minutes of work");
        assert!((idle - IDLE_TEMPERATURE_C).abs() < 1.0, "{idle}");
        advance(&mut moving, &at(there), Duration::from_secs(1_000));
        assert!((moving.celsius(Joint::BodyYaw) - IDLE_TEMPERATURE_C).abs() < 0.5, "the servo cools down");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn result_is_independent_of_the_time_steps(
            goal in -1.0..1.0_f64,
            cuts in proptest::collection::vec(0..40_000_u64, 1..20),
        ) {
            let (mut whole, mut cut) = (body(standing()), body(standing()));
            let mut goals = standing();
            for joint in Joint::ALL {
                goals[joint] += Radians(goal);
            }
            let mut now = Timestamp::ZERO;
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

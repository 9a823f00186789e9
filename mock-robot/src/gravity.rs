//! What the head's weight asks of the six legs: static equilibrium by virtual work.
//!
//! The pose of the head follows from the legs by the public forward kinematics; how the legs turn when the head moves
//! a little, from the public inverse kinematics by differences. A small move of the head changes the height of its
//! weight, and that work is done by the legs' torques. Units: radians, metres, Nm. Frame: the body's.

use firmware_bridge::joint::Joint;
use firmware_bridge::kinematics::{head_in_body, joints_from_posture};
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::units::Radians;
use nalgebra::{Matrix6, Point3, Translation3, UnitQuaternion, Vector3, Vector6};

/// Head and antennas, in kg, and where their weight acts in the head's frame, in metres: the links `xl_330` and
/// `dc15_a01_horn_dummy_7`, `_8` of the official `robot.urdf` (reachy-mini 1.13.0), antennas upright.
const MASS: f64 = 0.280;
const CENTRE: Point3<f64> = Point3::new(0.0, 0.0, 0.056);
const GRAVITY: f64 = 9.81;
/// The head's height, in metres from neutral, at which it lies on the body and weighs on no leg: that of the official
/// sleep pose. Over the last two millimetres before, the body takes the weight on little by little.
const LIES_AT: f64 = -0.044;
const TAKES_ON: f64 = 0.002;
/// The step of the differences, metres and radians.
const STEP: f64 = 1e-4;
/// How far a leg turns, in radians, before its load is looked at again. It changes the load by less than a fifth of
/// what the gears' friction holds.
const MOVED: f64 = 0.15;
/// The same for legs that have come to rest.
const SETTLED: f64 = 0.001;

/// The legs' loads, kept until the legs have moved.
#[derive(Clone, Debug)]
pub(crate) struct Gravity {
    loads: [f64; 6],
    /// The legs for which they hold.
    legs: [f64; 6],
    head: HeadPose,
}

impl Gravity {
    /// The loads of these legs.
    pub(crate) fn on(legs: [Radians; 6]) -> Gravity {
        let mut gravity =
            Gravity { loads: [0.0; 6], legs: legs.map(Radians::value), head: HeadPose::neutral() };
        gravity.weigh(&legs);
        gravity
    }

    /// Looks at the loads again if the legs are elsewhere by now; whether it did.
    pub(crate) fn follow(&mut self, legs: &[Radians; 6], at_rest: bool) -> bool {
        let bound = if at_rest { SETTLED } else { MOVED };
        let moved = self.legs.iter().zip(legs).any(|(then, now)| (then - now.value()).abs() > bound);
        if moved {
            self.weigh(legs);
        }
        moved
    }

    /// The torque with which the weight turns each leg, in Nm.
    pub(crate) const fn loads(&self) -> &[f64; 6] {
        &self.loads
    }

    /// Legs that no head fits bear none.
    fn weigh(&mut self, legs: &[Radians; 6]) {
        self.legs = legs.map(Radians::value);
        let found = head_in_body(legs, &self.head).ok();
        self.loads = found.and_then(|head| loads(legs, &head)).unwrap_or([0.0; 6]);
        self.head = found.unwrap_or_else(HeadPose::neutral);
    }
}

/// The loads of legs that hold the head here; none where the legs can't follow a small move of it.
fn loads(legs: &[Radians; 6], head: &HeadPose) -> Option<[f64; 6]> {
    let carried = ((head.0.translation.z - LIES_AT) / TAKES_ON).clamp(0.0, 1.0);
    let arm = head.0.rotation * CENTRE.coords;
    // The height of the weight grows with a move up, and with a turn about x or y by its arm.
    let work = Vector6::new(0.0, 0.0, 1.0, arm.y, -arm.x, 0.0) * (MASS * GRAVITY * carried);
    let mut turns = Matrix6::zeros();
    for (axis, mut row) in turns.row_iter_mut().enumerate() {
        let mut way = Vector6::<f64>::zeros();
        *way.get_mut(axis)? = STEP;
        let moved = legs_of(head, &way)?;
        for (turn, (after, before)) in row.iter_mut().zip(moved.iter().zip(legs)) {
            *turn = (*after - *before).wrapped().value() / STEP;
        }
    }
    turns.lu().solve(&(-work)).map(Into::into)
}

fn legs_of(head: &HeadPose, way: &Vector6<f64>) -> Option<[Radians; 6]> {
    let (shift, turn): (Vector3<f64>, Vector3<f64>) =
        (way.fixed_rows::<3>(0).into(), way.fixed_rows::<3>(3).into());
    let mut moved = *head;
    moved.0.translation = Translation3::from(head.0.translation.vector + shift);
    moved.0.rotation = UnitQuaternion::from_scaled_axis(turn) * head.0.rotation;
    joints_from_posture(&Posture { head: moved, body_yaw: Radians::ZERO, ..Posture::init() })
        .ok()
        .map(|joints| Joint::STEWART.map(|joint| joints[joint]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_bridge::posture::RollPitchYaw;
    use proptest::prelude::*;

    fn legs(head: HeadPose) -> Option<[Radians; 6]> {
        legs_of(&head, &Vector6::zeros())
    }

    fn tilted(z: f64, roll: f64, pitch: f64, yaw: f64) -> HeadPose {
        let [roll, pitch, yaw] = [roll, pitch, yaw].map(Radians::from_degrees);
        HeadPose::new(0.0, 0.0, z, RollPitchYaw { roll, pitch, yaw })
    }

    #[test]
    fn upright_it_weighs_on_both_sides_alike_and_pulls_every_leg_down() {
        let up = legs(tilted(0.0, 0.0, 0.0, 0.0)).unwrap();
        let loads = *Gravity::on(up).loads();
        for (left, right) in [(0, 5), (1, 4), (2, 3)] {
            assert!((loads[left] + loads[right]).abs() < 5e-4, "{loads:?}");
        }
        // Downwards is towards zero for a leg that stands at 36 degrees.
        assert!(loads.iter().zip(up).all(|(load, leg)| load * leg.value() < 0.0), "{loads:?}");
        // The robot's own gravity compensation gives 13 to 16 mA here, a quarter of what the torque asks for.
        assert!(loads.iter().all(|load| (0.004..0.05).contains(&load.abs())), "{loads:?}");
    }

    #[test]
    fn a_head_that_lies_down_or_fits_no_legs_weighs_nothing() {
        let lies = *Gravity::on(legs(tilted(-0.044, 0.0, 0.0, 0.0)).unwrap()).loads();
        assert!(lies.iter().all(|load| load.abs() < 1e-9), "{lies:?}");
        assert_eq!(*Gravity::on([Radians(0.6); 6]).loads(), [0.0; 6]);
        assert_eq!(*Gravity::on([Radians(f64::NAN); 6]).loads(), [0.0; 6]);
    }

    proptest! {
        /// The work of the loads on a way of the legs is what the weight loses in height on it.
        #[test]
        fn the_legs_do_the_work_that_the_weight_loses(
            z in -0.01..0.01_f64, roll in -15.0..15.0_f64, pitch in -20.0..20.0_f64, yaw in -20.0..20.0_f64,
            way in proptest::array::uniform6(-1.0..1.0_f64),
        ) {
            let start = legs(tilted(z, roll, pitch, yaw)).unwrap();
            let loads = *Gravity::on(start).loads();
            let height = |part: f64| {
                let mut there = start;
                for (leg, way) in there.iter_mut().zip(way) {
                    *leg += Radians(way * part);
                }
                (head_in_body(&there, &tilted(z, roll, pitch, yaw)).unwrap().0 * CENTRE).z
            };
            let step = 1e-4;
            let lost = -MASS * GRAVITY * (height(step) - height(-step)) / (2.0 * step);
            let done: f64 = loads.iter().zip(way).map(|(load, way)| load * way).sum();
            prop_assert!((lost - done).abs() < 1e-3, "{lost} and {done}");
        }
    }
}

//! The load of the head's weight on the six legs: static equilibrium by virtual work.
//!
//! The pose of the head follows from the legs by the public forward kinematics. The motion of the legs for a small
//! motion of the head follows from the public inverse kinematics, by finite differences. A small motion of the head
//! changes the height of its weight, and the legs' torques do that work. Units: radians, metres, Nm. Frame: the body's.

use firmware_bridge::joint::Joint;
use firmware_bridge::kinematics::{head_in_body, joints_from_posture};
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::units::Radians;
use nalgebra::{Matrix6, Point3, Translation3, UnitQuaternion, Vector3, Vector6};

/// Mass of head and antennas, in kg, and its centre in the head's frame, in metres: the links `xl_330` and
/// `dc15_a01_horn_dummy_7`, `_8` of the official `robot.urdf` (reachy-mini 1.13.0), antennas upright.
const MASS: f64 = 0.280;
const CENTRE: Point3<f64> = Point3::new(0.0, 0.0, 0.056);
const GRAVITY: f64 = 9.81;
/// The height of the head, in metres from neutral, at which it rests on the body and loads no leg: that of the official
/// sleep pose. Over the last two millimetres above, the body gradually takes the weight.
const RESTING_HEIGHT_M: f64 = -0.044;
const CONTACT_BAND_M: f64 = 0.002;
/// The step of the finite differences, metres and radians.
const STEP: f64 = 1e-4;
/// The motion of a leg, in radians, after which the loads are computed again. It changes the load by less than a fifth
/// of the gears' friction.
const UPDATE_ANGLE: f64 = 0.15;
/// The same for legs at rest.
const UPDATE_ANGLE_AT_REST: f64 = 0.001;

/// The loads of the legs, cached until the legs have moved.
#[derive(Clone, Debug)]
pub(crate) struct Gravity {
    loads: [f64; 6],
    /// The leg angles of these loads.
    legs: [f64; 6],
    head: HeadPose,
}

impl Gravity {
    /// Returns the loads for these leg angles.
    pub(crate) fn on(legs: [Radians; 6]) -> Gravity {
        let mut gravity =
            Gravity { loads: [0.0; 6], legs: legs.map(Radians::value), head: HeadPose::neutral() };
        gravity.compute_loads(&legs);
        gravity
    }

    /// Computes the loads again if the legs have moved. Returns whether it did.
    pub(crate) fn follow(&mut self, legs: &[Radians; 6], at_rest: bool) -> bool {
        let bound = if at_rest { UPDATE_ANGLE_AT_REST } else { UPDATE_ANGLE };
        let moved = self.legs.iter().zip(legs).any(|(then, now)| (then - now.value()).abs() > bound);
        if moved {
            self.compute_loads(legs);
        }
        moved
    }

    /// Returns the torque of the weight on each leg, Nm.
    pub(crate) const fn loads(&self) -> &[f64; 6] {
        &self.loads
    }

    /// Computes the loads. Legs that fit no head pose have none.
    fn compute_loads(&mut self, legs: &[Radians; 6]) {
        self.legs = legs.map(Radians::value);
        let found = head_in_body(legs, &self.head).ok();
        self.loads = found.and_then(|head| loads(legs, &head)).unwrap_or([0.0; 6]);
        self.head = found.unwrap_or_else(HeadPose::neutral);
    }
}

/// Returns the loads of legs with this head pose, or `None` if the legs cannot follow a small motion of it.
fn loads(legs: &[Radians; 6], head: &HeadPose) -> Option<[f64; 6]> {
    let carried = ((head.0.translation.z - RESTING_HEIGHT_M) / CONTACT_BAND_M).clamp(0.0, 1.0);
    let arm = head.0.rotation * CENTRE.coords;
    // The height of the weight changes with a vertical motion, and with a rotation about x or y by its lever arm.
    let work = Vector6::new(0.0, 0.0, 1.0, arm.y, -arm.x, 0.0) * (MASS * GRAVITY * carried);
    let mut jacobian = Matrix6::zeros();
    for (axis, mut row) in jacobian.row_iter_mut().enumerate() {
        let mut motion = Vector6::<f64>::zeros();
        *motion.get_mut(axis)? = STEP;
        let moved = legs_after(head, &motion)?;
        for (turn, (after, before)) in row.iter_mut().zip(moved.iter().zip(legs)) {
            *turn = (*after - *before).wrapped().value() / STEP;
        }
    }
    jacobian.lu().solve(&(-work)).map(Into::into)
}

fn legs_after(head: &HeadPose, motion: &Vector6<f64>) -> Option<[Radians; 6]> {
    let (shift, turn): (Vector3<f64>, Vector3<f64>) =
        (motion.fixed_rows::<3>(0).into(), motion.fixed_rows::<3>(3).into());
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
        legs_after(&head, &Vector6::zeros())
    }

    fn tilted(z: f64, roll: f64, pitch: f64, yaw: f64) -> HeadPose {
        let [roll, pitch, yaw] = [roll, pitch, yaw].map(Radians::from_degrees);
        HeadPose::new(0.0, 0.0, z, RollPitchYaw { roll, pitch, yaw })
    }

    #[test]
    fn upright_head_loads_both_sides_equally_and_downwards() {
        let up = legs(tilted(0.0, 0.0, 0.0, 0.0)).unwrap();
        let loads = *Gravity::on(up).loads();
        for (left, right) in [(0, 5), (1, 4), (2, 3)] {
            assert!((loads[left] + loads[right]).abs() < 5e-4, "{loads:?}");
        }
        // Downwards means towards zero for a leg at 36 degrees.
        assert!(loads.iter().zip(up).all(|(load, leg)| load * leg.value() < 0.0), "{loads:?}");
        // The robot's own gravity compensation uses 13 to 16 mA here, a quarter of what the torque requires.
        assert!(loads.iter().all(|load| (0.004..0.05).contains(&load.abs())), "{loads:?}");
    }

    #[test]
    fn resting_or_impossible_head_causes_no_load() {
        let lies = *Gravity::on(legs(tilted(-0.044, 0.0, 0.0, 0.0)).unwrap()).loads();
        assert!(lies.iter().all(|load| load.abs() < 1e-9), "{lies:?}");
        assert_eq!(*Gravity::on([Radians(0.6); 6]).loads(), [0.0; 6]);
        assert_eq!(*Gravity::on([Radians(f64::NAN); 6]).loads(), [0.0; 6]);
    }

    proptest! {
        /// The work of the loads along a motion of the legs equals the weight's loss of height.
        #[test]
        fn work_of_the_legs_equals_the_potential_energy(
            z in -0.01..0.01_f64, roll in -15.0..15.0_f64, pitch in -20.0..20.0_f64, yaw in -20.0..20.0_f64,
            motion in proptest::array::uniform6(-1.0..1.0_f64),
        ) {
            let start = legs(tilted(z, roll, pitch, yaw)).unwrap();
            let loads = *Gravity::on(start).loads();
            let height = |part: f64| {
                let mut there = start;
                for (leg, motion) in there.iter_mut().zip(motion) {
                    *leg += Radians(motion * part);
                }
                (head_in_body(&there, &tilted(z, roll, pitch, yaw)).unwrap().0 * CENTRE).z
            };
            let step = 1e-4;
            let lost = -MASS * GRAVITY * (height(step) - height(-step)) / (2.0 * step);
            let done: f64 = loads.iter().zip(motion).map(|(load, motion)| load * motion).sum();
            prop_assert!((lost - done).abs() < 1e-3, "{lost} and {done}");
        }
    }
}

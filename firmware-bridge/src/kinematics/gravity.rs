//! Gravity compensation: the motor torques that hold the head, from the static equilibrium of the six rods.

use nalgebra::Vector3;

use super::geometry::CRANK_LENGTH;
use super::platform::{Arms, Platform};
use super::solver::{Factors, transposed};
use crate::posture::HeadPose;
use crate::servo::Milliamps;
use crate::units::Radians;

/// The mass that the six rods carry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadMass {
    /// The mass of all parts that move with the head, kilograms.
    pub kilograms: f64,
    /// The centre of that mass in the head frame, metres.
    pub centre: Vector3<f64>,
}

/// Source: descriptions/reachy_mini/urdf/robot.urdf of reachy-mini 1.13.0. Its link `xl_330` is the head with shells,
/// eyes, camera and antenna motors (0.259259 kg). Each antenna is a separate link (0.0105926 kg), here at its position
/// in [`crate::posture::Posture::init`].
impl Default for HeadMass {
    fn default() -> Self {
        HeadMass { kilograms: 0.2804442, centre: Vector3::new(-0.000226, -0.000895, 0.055735) }
    }
}

/// Standard gravity, metres per second squared.
const GRAVITY: f64 = 9.80665;
/// The mass of one rod, kilograms (links `stewart_link_rod` of the same file). Its weight acts in its centre, so each
/// end carries half of it.
const ROD_MASS: f64 = 0.00503424;
/// The mass of one arm times its distance from the motor's axis, kilogram metres (links `dc15_a01_horn_dummy` to
/// `dc15_a01_horn_dummy_6` of the same file).
const CRANK_MOMENT: f64 = 0.00366675 * 0.0237505;
/// Below this [`super::singularity_margin`], regardless of sign, no motor is strong enough and the equations give meaningless
/// results.
const MIN_SINGULARITY_MARGIN: f64 = 1e-3;

/// Returns the torque (N m) about the axis of each of the six motors that holds head, rods and arms against gravity. A
/// torque is positive if the motor pushes towards larger angles. The body stands upright.
///
/// Returns `None` near a singularity, where no torque holds the head, and for numbers that are not finite.
#[must_use]
pub fn gravity_torques(legs: &[Radians; 6], body_from_head: &HeadPose, head: &HeadMass) -> Option<[f64; 6]> {
    let arms = Arms::at(legs);
    let rods = Platform::under(body_from_head).rods(&arms.ends);
    // Written so that not-a-number fails the comparison.
    let is_supported = rods.singularity_margin().abs() >= MIN_SINGULARITY_MARGIN;
    if !is_supported {
        return None;
    }
    let spokes: Vector3<f64> = rods.anchors.iter().sum();
    let gravity = Vector3::new(0.0, 0.0, -GRAVITY);
    let weight = gravity * (head.kilograms + 3.0 * ROD_MASS);
    let moment = (body_from_head.0.rotation * head.centre * head.kilograms + spokes * (ROD_MASS / 2.0))
        .cross(&gravity);
    // Six forces along the rods carry the weight and its moment about the head's origin. Each is per metre of rod.
    let rod_forces = Factors::of(transposed(&rods.jacobian()))?
        .solve(&[-weight.x, -weight.y, -weight.z, -moment.x, -moment.y, -moment.z]);
    let mut torques = [0.0; 6];
    for ((torque, rod_force), (rod, tangent)) in
        torques.iter_mut().zip(rod_forces).zip(rods.along.iter().zip(&arms.tangents))
    {
        let carried_mass = ROD_MASS / 2.0 + CRANK_MOMENT / CRANK_LENGTH;
        *torque = rod_force * rod.dot(tangent) - carried_mass * gravity.dot(tangent);
    }
    torques.iter().all(|torque| torque.is_finite()).then_some(torques)
}

/// The motor's stall current and stall torque: XL330-M288-T at 5 V (ROBOTIS e-Manual).
const STALL_AMPERES: f64 = 1.47;
const STALL_TORQUE: f64 = 0.52;
/// The ratio of the real torque at a small current to the torque that the stall values predict. Source: the official
/// gravity compensation (daemon/backend/robot/backend.py of reachy-mini 1.13.0), found by experiment. The ratio is
/// about 4 below 30 mA and falls to 1 at 1.5 A.
const SMALL_CURRENT_GAIN: f64 = 4.0;

/// Returns the goal current at which a leg's motor gives this torque, by the official relation. It is valid for
/// currents of a few tens of milliamperes, as needed against gravity. A high torque needs up to four times as much.
#[must_use]
pub fn current_from_torque(newton_metres: f64) -> Milliamps {
    Milliamps(newton_metres * (STALL_AMPERES / STALL_TORQUE * 1000.0) / SMALL_CURRENT_GAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinematics::geometry::LEGS;
    use crate::kinematics::head_in_body;
    use crate::kinematics::inverse::legs_from_head;
    use crate::kinematics::pose;

    /// Returns the energy of head, rods and arms above the body's origin, joules, from heights alone, without forces.
    fn energy(legs: &[Radians; 6], near: &HeadPose, mass: &HeadMass) -> f64 {
        let head = head_in_body(legs, near).unwrap();
        let at = |point: &Vector3<f64>| head.0.rotation * point + head.0.translation.vector;
        let mut sum = mass.kilograms * at(&mass.centre).z;
        for (leg, angle) in LEGS.iter().zip(legs) {
            let arm = leg.zero_direction * angle.value().cos() + leg.quarter_direction * angle.value().sin();
            let rod = (leg.origin.z + 0.04 * arm.z + at(&leg.ball_joint).z) / 2.0;
            sum += 0.00366675 * (leg.origin.z + 0.0237505 * arm.z) + 0.00503424 * rod;
        }
        sum * 9.80665
    }

    #[test]
    fn torques_equal_the_gradient_of_the_energy() {
        let off_centre = HeadMass { kilograms: 0.5, centre: Vector3::new(0.03, -0.02, 0.08) };
        for (head, mass) in [
            (pose([0.0; 3], [0.0; 3]), HeadMass::default()),
            (pose([10.0, -5.0, 8.0], [0.0, 20.0, 0.0]), HeadMass::default()),
            (pose([0.0, 10.0, -20.0], [15.0, -10.0, 30.0]), HeadMass::default()),
            (pose([0.0; 3], [0.0, 0.0, 50.0]), HeadMass::default()),
            (pose([-10.0, 0.0, 5.0], [-20.0, 10.0, -25.0]), off_centre),
            (pose([0.0; 3], [10.0, 0.0, 10.0]), HeadMass { kilograms: 0.0, ..off_centre }),
        ] {
            let legs = legs_from_head(&head).unwrap();
            let torques = gravity_torques(&legs, &head, &mass).unwrap();
            for (leg, torque) in torques.into_iter().enumerate() {
                let moved = |by: f64| {
                    let mut moved = legs;
                    moved[leg] += Radians(by);
                    energy(&moved, &head, &mass)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!(
                    (torque - slope).abs() < 1e-8,
                    "{head:?}, leg {leg}: {torque} N m, from the energy {slope}"
                );
            }
        }
    }

    #[test]
    fn currents_at_rest_match_the_official_daemon() {
        let head = HeadPose::neutral();
        let legs = legs_from_head(&head).unwrap();
        let torques = gravity_torques(&legs, &head, &HeadMass::default()).unwrap();
        // With its Placo engine, the daemon writes goal currents of 13 to 16 mA at the neutral pose, pushing upwards.
        for (torque, leg) in torques.into_iter().zip(&LEGS) {
            let Milliamps(current) = current_from_torque(torque);
            assert!((13.0..=16.0).contains(&current.abs().trunc()), "{}: {current} mA", leg.joint);
            assert!(current * leg.quarter_direction.z > 0.0, "{}: {current} mA", leg.joint);
        }
    }

    #[test]
    fn torques_are_none_for_non_finite_input() {
        let rest = HeadPose::neutral();
        let legs = legs_from_head(&rest).unwrap();
        let mass = HeadMass::default();
        let mut torn = legs;
        torn[3] = Radians(f64::NAN);
        assert_eq!(gravity_torques(&torn, &rest, &mass), None);
        assert_eq!(gravity_torques(&legs, &pose([f64::INFINITY, 0.0, 0.0], [0.0; 3]), &mass), None);
        assert_eq!(gravity_torques(&legs, &rest, &HeadMass { kilograms: f64::NAN, ..mass }), None);
    }
}

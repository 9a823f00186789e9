//! The singularity margin: how well the legs support the head.

use super::platform::{Arms, Platform};
use crate::posture::HeadPose;
use crate::units::Radians;

/// Returns the singularity margin of these legs with a head at `body_from_head`: 1 at the neutral pose, 0 at a
/// singularity.
///
/// It is the determinant of the Jacobian, divided by its value at the neutral pose. The Jacobian relates a small
/// translation (metres) and rotation (radians) of the head to the change of the six distances between arm and head. The
/// result is a pure number and depends neither on the frame nor on the centre of rotation.
///
/// At 0, the platform's parallel singularity, the head can move while all motors stand still. Close to it, a small
/// angle error moves the head far, and the motors need high torques to hold it. Beyond it, where the number is
/// negative, the head has flopped over.
///
/// The legs and the head must match, as in the result of [`super::head_in_body`]. The result is 0 if either contains a
/// number that is not finite.
#[must_use]
pub fn singularity_margin(legs: &[Radians; 6], body_from_head: &HeadPose) -> f64 {
    let singularity_margin = Platform::under(body_from_head).rods(&Arms::at(legs).ends).singularity_margin();
    if singularity_margin.is_finite() { singularity_margin } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix6, Translation3, UnitQuaternion, Vector3};

    use super::*;
    use crate::kinematics::geometry::{HEAD_Z_OFFSET, LEGS};
    use crate::kinematics::inverse::{legs_from_head, solve_rods};
    use crate::kinematics::pose;
    use crate::kinematics::{head_and_singularity_margin, head_in_body};

    /// Returns the derivative of the six distances between arms and head by the head's pose, numerically, without the
    /// platform's formulas.
    fn numeric_jacobian(legs: &[Radians; 6], head: &HeadPose) -> Matrix6<f64> {
        let distances = |head: &HeadPose| {
            let mut distances = [0.0; 6];
            for ((distance, leg), angle) in distances.iter_mut().zip(&LEGS).zip(legs) {
                let (sin, cos) = angle.value().sin_cos();
                let end = leg.origin + (leg.zero_direction * cos + leg.quarter_direction * sin) * 0.04;
                let ball =
                    head.0 * nalgebra::Point3::from(leg.ball_joint) + Vector3::new(0.0, 0.0, HEAD_Z_OFFSET);
                *distance = (ball.coords - end).norm();
            }
            distances
        };
        let moved = |axis: usize, by: f64| {
            let mut moved = *head;
            let mut change = Vector3::zeros();
            change[axis % 3] = by;
            if axis < 3 {
                moved.0.translation = Translation3::from(head.0.translation.vector + change);
            } else {
                moved.0.rotation = UnitQuaternion::from_scaled_axis(change) * head.0.rotation;
            }
            distances(&moved)
        };
        let step = 1e-5;
        Matrix6::from_fn(|leg, axis| (moved(axis, step)[leg] - moved(axis, -step)[leg]) / (2.0 * step))
    }

    #[test]
    fn margin_is_one_at_rest_and_decreases_with_tilt_and_yaw() {
        let at = |head: HeadPose| singularity_margin(&legs_from_head(&head).unwrap(), &head);
        let rest = at(HeadPose::neutral());
        assert!((rest - 1.0).abs() < 1e-12, "{rest:e}");
        for axis in 0..3 {
            for way in [-1.0, 1.0] {
                let mut last = rest;
                for step in 1..=8 {
                    let mut angles = [0.0; 3];
                    angles[axis] = way * f64::from(step) * 5.0;
                    let here = at(pose([0.0; 3], angles));
                    assert!(here > 0.0 && here < last, "{angles:?}: {here} after {last}");
                    last = here;
                }
            }
        }
    }

    #[test]
    fn margin_matches_the_numeric_determinant() {
        let rest = HeadPose::neutral();
        let unit = numeric_jacobian(&legs_from_head(&rest).unwrap(), &rest).determinant();
        for head in [
            pose([0.0; 3], [0.0, 30.0, 0.0]),
            pose([5.0, -10.0, -15.0], [10.0, -20.0, 40.0]),
            pose([0.0, 0.0, 15.0], [-10.0, 5.0, -20.0]),
            pose([0.0; 3], [0.0, 0.0, 85.0]),
        ] {
            let (legs, _) = solve_rods(&head).unwrap();
            let found = singularity_margin(&legs, &head);
            let known = numeric_jacobian(&legs, &head).determinant() / unit;
            assert!((found - known).abs() < 1e-6, "{head:?}: {found}, numerically {known}");
        }
    }

    #[test]
    fn margin_is_zero_exactly_at_the_singularity() {
        // Paths of the head from a supported pose to one that inverse kinematics rejects as unsupported.
        for (from, to) in [
            (pose([0.0; 3], [0.0, 0.0, 60.0]), pose([0.0; 3], [0.0, 0.0, 95.0])),
            (pose([0.0; 3], [0.0, 0.0, -60.0]), pose([0.0; 3], [0.0, 0.0, -95.0])),
            (HeadPose::neutral(), pose([25.0, 24.0, -38.0], [-34.0, -39.0, 68.0])),
            (HeadPose::neutral(), pose([1.0, 28.0, -40.0], [28.0, 38.0, -69.0])),
            (HeadPose::neutral(), pose([-28.0, -21.0, -37.0], [-39.0, 8.0, -70.0])),
        ] {
            let between = |share: f64| {
                let head = HeadPose(from.0.lerp_slerp(&to.0, share));
                let (legs, _) = solve_rods(&head).unwrap();
                (singularity_margin(&legs, &head), legs, head)
            };
            assert!(
                between(0.0).0 > 0.0 && between(1.0).0 < 0.0,
                "{from:?}: {} {}",
                between(0.0).0,
                between(1.0).0
            );
            assert!(legs_from_head(&to).is_err());
            let (mut held, mut loose) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = (held + loose) / 2.0;
                if between(middle).0 > 0.0 { held = middle } else { loose = middle }
            }
            let (_, legs, head) = between(loose);
            // The smallest singular value is zero: some motion of the head changes none of the six lengths.
            let least = numeric_jacobian(&legs, &head).singular_values().min();
            assert!(least < 1e-8, "{head:?}: {least:e}");
            let (_, legs, head) = between(held - 0.05);
            let least = numeric_jacobian(&legs, &head).singular_values().min();
            assert!(least > 1e-4, "{head:?}: {least:e}");
        }
    }

    #[test]
    fn margin_matches_forward_kinematics() {
        for head in [
            pose([0.0; 3], [0.0; 3]),
            pose([5.0, -10.0, -15.0], [10.0, -20.0, 40.0]),
            pose([0.0; 3], [0.0, 0.0, 75.0]),
        ] {
            let legs = legs_from_head(&head).unwrap();
            let (found, steady) = head_and_singularity_margin(&legs, &HeadPose::neutral()).unwrap();
            assert_eq!(head_in_body(&legs, &HeadPose::neutral()), Ok(found));
            assert!((steady - singularity_margin(&legs, &found)).abs() < 1e-9);
        }
    }

    #[test]
    fn margin_is_zero_for_non_finite_input() {
        let head = HeadPose::neutral();
        let mut legs = legs_from_head(&head).unwrap();
        assert_eq!(singularity_margin(&legs, &pose([f64::INFINITY, 0.0, 0.0], [0.0; 3])), 0.0);
        legs[2] = Radians(f64::NAN);
        assert_eq!(singularity_margin(&legs, &head), 0.0);
    }
}

//! The rods between arms and head: their errors of length, how these change, and which places of the head are real.

use nalgebra::{Matrix6, Vector3, Vector6};

use super::geometry::{ARM_LENGTH, HEAD_Z_OFFSET, LEGS, ROD_LENGTH};
use crate::posture::HeadPose;
use crate::units::Radians;

/// The far ends of the six rods, seen from the head's origin and from the body's, both in the body frame.
pub(super) fn balls(body_from_head: &HeadPose) -> [(Vector3<f64>, Vector3<f64>); 6] {
    let rotation = body_from_head.0.rotation.to_rotation_matrix();
    let centre = body_from_head.0.translation.vector + Vector3::new(0.0, 0.0, HEAD_Z_OFFSET);
    LEGS.each_ref().map(|leg| {
        let spoke = rotation * leg.ball;
        (spoke, spoke + centre)
    })
}

/// Where the six arms end, in the body frame.
pub(super) fn arm_ends(legs: &[Radians; 6]) -> [Vector3<f64>; 6] {
    let mut ends = [Vector3::zeros(); 6];
    for ((end, angle), leg) in ends.iter_mut().zip(legs).zip(&LEGS) {
        let (sin, cos) = angle.value().sin_cos();
        *end = leg.origin + leg.axes.tr_mul(&Vector3::new(ARM_LENGTH * cos, ARM_LENGTH * sin, 0.0));
    }
    ends
}

/// Each rod's error of length (metres), and how a small move and turn of the head, in the body frame, change it.
pub(super) fn rods(ends: &[Vector3<f64>; 6], body_from_head: &HeadPose) -> (Vector6<f64>, Matrix6<f64>) {
    let mut errors = Vector6::zeros();
    let mut changes = Matrix6::zeros();
    let rows = errors.iter_mut().zip(changes.row_iter_mut());
    for ((error, mut change), (end, (spoke, ball))) in rows.zip(ends.iter().zip(balls(body_from_head))) {
        let rod = ball - end;
        let length = rod.norm();
        let along = rod / length;
        let turning = spoke.cross(&along);
        *error = length - ROD_LENGTH;
        change.tr_copy_from(&Vector6::new(along.x, along.y, along.z, turning.x, turning.y, turning.z));
    }
    (errors, changes)
}

/// Whether the arms hold the head here as the robot was built: upright, facing ahead of the body, and on this side
/// of the singular places where the rods' changes cease to be independent and the head may flop over.
///
/// The determinant is positive at rest and changes its sign at a singular place. Within 30 mm and 40 degrees of rest,
/// one set of arm angles has exactly one such place.
pub(super) fn is_held(changes: &Matrix6<f64>, body_from_head: &HeadPose) -> bool {
    let up = body_from_head.0.rotation * Vector3::z();
    let nose = body_from_head.0.rotation * Vector3::x();
    up.z > LEAST_UP && nose.x > LEAST_AHEAD && changes.determinant() > 0.0
}

/// Cosine of the greatest lean, 72 degrees; the arms reach about 52 from rest.
const LEAST_UP: f64 = 0.3;
/// The least part of the nose's direction that points ahead of the body: turned aside by up to 78 degrees.
const LEAST_AHEAD: f64 = 0.2;

//! The arms and rods of the Stewart platform: length errors, their Jacobian, and which head poses are physically
//! possible.

use nalgebra::Vector3;

use super::geometry::{CRANK_LENGTH, HEAD_Z_OFFSET, LEGS, ROD_LENGTH};
use super::solver::Matrix;
use crate::posture::HeadPose;
use crate::units::Radians;

/// Six vectors, one per leg.
pub(super) type Six = [Vector3<f64>; 6];

/// The ball joints of a head pose, in the body frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Platform {
    /// From the head's origin to the far end of each rod.
    pub anchors: Six,
    /// The far ends of the rods.
    pub ball_joints: Six,
}

impl Platform {
    /// Returns the ball joints of this head.
    #[inline]
    pub fn under(body_from_head: &HeadPose) -> Platform {
        let rotation = body_from_head.0.rotation.to_rotation_matrix().into_inner();
        let centre = body_from_head.0.translation.vector + Vector3::new(0.0, 0.0, HEAD_Z_OFFSET);
        let (mut spokes, mut balls) = ([Vector3::zeros(); 6], [Vector3::zeros(); 6]);
        for ((spoke, ball), leg) in spokes.iter_mut().zip(&mut balls).zip(&LEGS) {
            *spoke = rotation * leg.ball_joint;
            *ball = *spoke + centre;
        }
        Platform { anchors: spokes, ball_joints: balls }
    }

    /// Returns the rods from the ends of the arms to the head.
    #[inline]
    pub fn rods(&self, ends: &Six) -> Rods {
        let mut along = self.ball_joints;
        for (rod, end) in along.iter_mut().zip(ends) {
            *rod -= end;
        }
        Rods { anchors: self.anchors, along }
    }
}

/// The six arms at their angles, in the body frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arms {
    /// The end of each arm, where its rod begins.
    pub ends: Six,
    /// The derivative of that position by the arm's angle, metres per radian.
    pub tangents: Six,
}

impl Arms {
    /// Returns the arms at these angles.
    pub fn at(legs: &[Radians; 6]) -> Arms {
        let mut arms = Arms { ends: [Vector3::zeros(); 6], tangents: [Vector3::zeros(); 6] };
        let places = arms.ends.iter_mut().zip(&mut arms.tangents);
        for ((end, tangent), (angle, leg)) in places.zip(legs.iter().zip(&LEGS)) {
            let (sin, cos) = angle.value().sin_cos();
            let (sin, cos) = (CRANK_LENGTH * sin, CRANK_LENGTH * cos);
            *end = leg.origin + leg.zero_direction * cos + leg.quarter_direction * sin;
            *tangent = leg.quarter_direction * cos - leg.zero_direction * sin;
        }
        arms
    }
}

/// The six rods of one head pose, in the body frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rods {
    /// From the head's origin to the far end of each rod.
    pub anchors: Six,
    /// From the end of each arm to the far end of its rod. Arms and head fit if each vector is as long as a rod.
    pub along: Six,
}

impl Rods {
    /// Returns half the excess of each rod's squared length, an error measure that needs no square root.
    #[inline]
    pub fn length_errors(&self) -> [f64; 6] {
        let mut excess = [0.0; 6];
        for (excess, rod) in excess.iter_mut().zip(&self.along) {
            *excess = 0.5 * (rod.norm_squared() - ROD_LENGTH * ROD_LENGTH);
        }
        excess
    }

    /// Returns the largest error of a rod's length, metres.
    pub fn residual(&self) -> f64 {
        self.along.iter().fold(0.0, |most: f64, rod| most.max((rod.norm() - ROD_LENGTH).abs()))
    }

    /// Returns the Jacobian of [`Rods::length_errors`] for a small translation and rotation of the head in the body frame: one
    /// row per rod.
    #[inline]
    pub fn jacobian(&self) -> Matrix {
        let mut changes = [[0.0; 6]; 6];
        for (change, (rod, spoke)) in changes.iter_mut().zip(self.along.iter().zip(&self.anchors)) {
            let turning = spoke.cross(rod);
            *change = [rod.x, rod.y, rod.z, turning.x, turning.y, turning.z];
        }
        changes
    }

    /// Returns the determinant of [`Rods::jacobian`].
    ///
    /// It does not depend on the centre of rotation. About the first rod's own end, the rotation part of that rod is
    /// zero. Laplace's expansion by the translation and rotation columns then has only ten products, those with the
    /// first rod among the translations.
    pub fn determinant(&self) -> f64 {
        let [first, a, b, c, d, e] = &self.along;
        let [hub, spokes @ ..] = &self.anchors;
        let mut turning = [Vector3::zeros(); 5];
        for (turning, (spoke, rod)) in turning.iter_mut().zip(spokes.iter().zip([a, b, c, d, e])) {
            *turning = (spoke - hub).cross(rod);
        }
        let [ta, tb, tc, td, te] = &turning;
        let (fa, fb, fc, fd) = (first.cross(a), first.cross(b), first.cross(c), first.cross(d));
        let (bc, bd, be) = (tb.cross(tc), tb.cross(td), tb.cross(te));
        let (cd, ce, de) = (tc.cross(td), tc.cross(te), td.cross(te));
        // In each term, the first rod and two others contribute their translation and the remaining three their
        // rotation.
        fa.dot(b) * tc.dot(&de) - fa.dot(c) * tb.dot(&de) + fa.dot(d) * tb.dot(&ce) - fa.dot(e) * tb.dot(&cd)
            + fb.dot(c) * ta.dot(&de)
            - fb.dot(d) * ta.dot(&ce)
            + fb.dot(e) * ta.dot(&cd)
            + fc.dot(d) * ta.dot(&be)
            - fc.dot(e) * ta.dot(&bd)
            + fd.dot(e) * ta.dot(&bc)
    }

    /// Returns the determinant for rods of length one, divided by its value at rest.
    pub fn singularity_margin(&self) -> f64 {
        let squares: f64 = self.along.iter().map(Vector3::norm_squared).product();
        self.determinant() / (squares.sqrt() * NEUTRAL_DETERMINANT)
    }
}

/// The determinant at rest for rods of length one, cubic metres.
const NEUTRAL_DETERMINANT: f64 = 6.137729386264233e-5;

/// Returns whether the head is upright and faces ahead of the body, as assembled.
pub(super) fn faces_forward(body_from_head: &HeadPose) -> bool {
    let turn = body_from_head.0.rotation.quaternion();
    let up = 1.0 - 2.0 * (turn.i * turn.i + turn.j * turn.j);
    let ahead = 1.0 - 2.0 * (turn.j * turn.j + turn.k * turn.k);
    up > MIN_UPWARD && ahead > MIN_FORWARD
}

/// Cosine of the maximum tilt, 72 degrees; the arms reach about 52 from the neutral pose.
const MIN_UPWARD: f64 = 0.3;
/// Minimum forward component of the nose's direction; it corresponds to a turn of up to 78 degrees.
const MIN_FORWARD: f64 = 0.2;

#[cfg(test)]
mod tests {
    use nalgebra::Matrix6;

    use super::*;
    use crate::posture::RollPitchYaw;

    /// The rods of an arbitrary head pose and arbitrary arm angles.
    fn rods(x: f64, roll: f64, yaw: f64, arm: f64) -> Rods {
        let [roll, pitch, yaw] = [roll, 0.2, yaw].map(Radians);
        let head = HeadPose::new(x, 0.005, -0.01, RollPitchYaw { roll, pitch, yaw });
        let legs = [arm, -0.6, 0.3, 0.1, -arm, -0.2].map(Radians);
        Platform::under(&head).rods(&Arms::at(&legs).ends)
    }

    #[test]
    fn determinant_matches_the_jacobian() {
        for (x, roll, yaw, arm) in [
            (0.0, 0.0, 0.0, 0.6),
            (0.02, 0.4, -0.3, 0.2),
            (-0.02, -0.7, 1.3, -0.5),
            (0.0, 0.3, 2.5, 1.5),
            (0.05, 3.0, -1.0, 3.0),
        ] {
            let rods = rods(x, roll, yaw, arm);
            let changes = rods.jacobian();
            let known = Matrix6::from_fn(|row, column| changes[row][column]).determinant();
            let off = rods.determinant() / known - 1.0;
            assert!(off.abs() < 1e-12, "{x} {roll} {yaw} {arm}: {} and {known}", rods.determinant());
        }
    }
}

//! The pose that fits joints best when no pose fits them exactly: by the method of Levenberg and Marquardt on the lengths of the
//! six rods.
//!
//! The measured angles of a head that hangs, or of a servo that is mounted one tooth off, may fit no rigid head. For a display
//! the nearest pose is better than none. It is no basis for motion: nothing that plans uses it.

use super::forward::{ForwardKinematicsError, apply_correction, posture_from_joints};
use super::inverse::turned;
use super::platform::{Arms, Platform, Rods, faces_forward};
use super::solver::{Factors, Matrix};
use crate::joint::{Joint, Joints};
use crate::posture::{Antennas, HeadPose, Posture};

/// Far from any pose that fits, the method takes some hundred steps; after these, what it has found is near enough.
const MAX_STEPS: usize = 300;
/// The damping at the start, as a fraction of the diagonal.
const FIRST_DAMPING: f64 = 1e-3;
/// With this damping, a step is too small to matter.
const MAX_DAMPING: f64 = 1e6;
/// A step that improves the fit by less than this fraction is the last one.
const MIN_IMPROVEMENT: f64 = 1e-12;

/// A posture with the error of its fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedPosture {
    /// The posture; the head's pose is `world_from_head`.
    pub posture: Posture,
    /// The largest error of a rod's length, metres; zero for a posture that fits.
    pub residual: f64,
}

/// Returns the posture of these joints, or the nearest one if none fits them. `seed` is an estimate of `world_from_head`.
///
/// # Errors
/// [`ForwardKinematicsError::NotFinite`] if a joint angle is not a finite number.
pub fn nearest_posture(joints: &Joints, seed: &HeadPose) -> Result<FittedPosture, ForwardKinematicsError> {
    match posture_from_joints(joints, seed) {
        Ok(posture) => return Ok(FittedPosture { posture, residual: 0.0 }),
        Err(error @ ForwardKinematicsError::NotFinite) => return Err(error),
        Err(_) => {}
    }
    let body_yaw = joints[Joint::BodyYaw];
    let (body_from_head, residual) = fit(&Arms::at(&joints.stewart()), &turned(seed, -body_yaw));
    let antennas = Antennas { right: joints[Joint::RightAntenna], left: joints[Joint::LeftAntenna] };
    let posture = Posture { head: turned(&body_from_head, body_yaw), body_yaw, antennas };
    Ok(FittedPosture { posture, residual })
}

/// Returns the pose with the least sum of squared errors that can be reached from the seed without passing a singularity, and the
/// largest error of a rod's length, metres.
fn fit(arms: &Arms, seed: &HeadPose) -> (HeadPose, f64) {
    let mut head = *seed;
    let mut rods = Platform::under(&head).rods(&arms.ends);
    let mut damping = FIRST_DAMPING;
    for _ in 0..MAX_STEPS {
        let Some(correction) = damped_step(&rods, damping) else { break };
        let mut next = head;
        apply_correction(&mut next, &correction);
        let tried = Platform::under(&next).rods(&arms.ends);
        let (before, after) = (error(&rods), error(&tried));
        // Beyond a singularity the rods may fit better, but no robot is assembled like that.
        if after < before && faces_forward(&next) && tried.singularity_margin() > 0.0 {
            (head, rods) = (next, tried);
            damping *= 0.25;
            if before - after < before * MIN_IMPROVEMENT {
                break;
            }
        } else {
            damping *= 4.0;
            if damping > MAX_DAMPING {
                break;
            }
        }
    }
    (head, rods.residual())
}

fn error(rods: &Rods) -> f64 {
    rods.length_errors().iter().map(|one| one * one).sum()
}

/// Returns the step of the damped normal equations.
fn damped_step(rods: &Rods, damping: f64) -> Option<[f64; 6]> {
    let (jacobian, excess) = (rods.jacobian(), rods.length_errors());
    let mut normal: Matrix = [[0.0; 6]; 6];
    let mut side = [0.0; 6];
    for (changes, excess) in jacobian.iter().zip(excess) {
        for ((row, side), a) in normal.iter_mut().zip(&mut side).zip(changes) {
            *side += a * excess;
            for (entry, b) in row.iter_mut().zip(changes) {
                *entry += a * b;
            }
        }
    }
    for (place, row) in normal.iter_mut().enumerate() {
        if let Some(entry) = row.get_mut(place) {
            *entry *= 1.0 + damping;
        }
    }
    Some(Factors::of(normal)?.solve(&side))
}

#[cfg(test)]
mod tests {
    use super::super::{joints_from_posture, pose};
    use super::*;
    use crate::units::Radians;

    #[test]
    fn joints_that_fit_give_their_own_posture() {
        let head = pose([5.0, -3.0, 8.0], [10.0, -12.0, 20.0]);
        let posture = Posture { head, body_yaw: Radians(0.3), antennas: Antennas::default() };
        let fitted = nearest_posture(&joints_from_posture(&posture).unwrap(), &HeadPose::neutral()).unwrap();
        assert_eq!(fitted.residual, 0.0);
        assert!((fitted.posture.head.0.inv_mul(&head.0)).translation.vector.norm() < 1e-9);
    }

    #[test]
    fn joints_that_fit_no_head_give_the_nearest_one() {
        let posture =
            Posture { head: HeadPose::neutral(), body_yaw: Radians(0.2), antennas: Antennas::default() };
        let mut joints = joints_from_posture(&posture).unwrap();
        for (leg, angle) in [(Joint::Stewart1, -0.8), (Joint::Stewart2, -1.3), (Joint::Stewart4, 0.8)] {
            joints[leg] = Radians(angle);
        }
        assert!(posture_from_joints(&joints, &HeadPose::neutral()).is_err());
        let fitted = nearest_posture(&joints, &HeadPose::neutral()).unwrap();
        assert!(fitted.residual > 1e-3 && fitted.residual < 0.05, "{fitted:?}");
        assert_eq!(fitted.posture.body_yaw, Radians(0.2));
        let arms = Arms::at(&joints.stewart());
        let error_at = |head: &HeadPose| error(&Platform::under(head).rods(&arms.ends));
        let best = turned(&fitted.posture.head, Radians(-0.2));
        assert!(error_at(&best) < 0.5 * error_at(&HeadPose::neutral()), "{fitted:?}");
        let angles = best.angles();
        assert!(
            [angles.roll, angles.pitch, angles.yaw]
                .iter()
                .all(|angle| angle.abs() < Radians::from_degrees(90.0))
        );
    }

    #[test]
    fn angle_that_is_no_number_gives_no_posture() {
        let mut joints = Joints::all(Radians::ZERO);
        joints[Joint::Stewart5] = Radians(f64::NAN);
        assert_eq!(nearest_posture(&joints, &HeadPose::neutral()), Err(ForwardKinematicsError::NotFinite));
    }
}

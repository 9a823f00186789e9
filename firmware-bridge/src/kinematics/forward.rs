//! Forward kinematics: from the joints to the posture, by Newton's method on the lengths of the six rods.
//!
//! Six arm angles fit several head poses, among them mirror images that the mechanism cannot reach. A solution is valid
//! only if it is the assembled robot: the legs support the head ([`super::platform`]) and inverse kinematics returns
//! the same joints. If the search from the seed ends elsewhere, it starts again from the neutral pose. As a last resort
//! it follows the joints from the neutral pose in small steps.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::geometry::{LEGS, Side};
use super::inverse::{legs_from_head, turned};
use super::platform::{Arms, Platform, Rods, faces_forward};
use super::solver::Factors;
use crate::joint::{Joint, Joints};
use crate::posture::{Antennas, HeadPose, Posture};
use crate::units::Radians;

/// Below this [`Rods::length_errors`], square metres, only rounding errors are left and no correction helps.
const ROUNDING_TOLERANCE: f64 = 1e-17;
/// The squared error (metres and radians) that counts as converged, as predicted by the last two corrections.
const CONVERGED_SQUARE: f64 = 1e-24;
/// From the neutral pose, the method reaches any nearby pose in two or three rounds of two corrections. A search that
/// needs more rounds has failed.
const MAX_ROUNDS: usize = 20;
/// The maximum translation of one correction, metres. A longer one is shortened, since the method is local.
const MAX_TRANSLATION_STEP: f64 = 0.03;
/// The maximum rotation of one correction, radians.
const MAX_ROTATION_STEP: f64 = 0.6;
/// The tolerance for an arm on the wrong side of its rod, square metres. Its angle is then wrong by less than 1e-6
/// radians, where rod and arm are almost in line.
const SIDE_TOLERANCE: f64 = 1e-9;
/// The step of the joints when the search follows them from the neutral pose, radians.
const CONTINUATION_STEP: f64 = 0.05;

/// Forward kinematics found no posture for these joints.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ForwardKinematicsError {
    /// The rods do not fit between these arms and the head.
    #[error("no head pose fits these leg angles: rod lengths are off by {:.2} mm; check the motors' readings and mounting", .residual * 1e3)]
    DidNotConverge {
        /// The largest error of a rod's length where the search ended, metres.
        residual: f64,
    },
    /// The rods fit only in poses where the motors do not support the head, or which need other joint angles.
    #[error("the head seems to have flopped over; turn the motors off, move it back by hand and try again")]
    Singular,
    /// A joint angle is infinite or not a number.
    #[error("a joint angle is not a finite number; read the motors again")]
    NotFinite,
}

/// Returns the posture of these joints. `seed` is an estimate of `world_from_head`, such as the previous result.
///
/// # Errors
/// [`ForwardKinematicsError`] if no posture fits the joints.
pub fn posture_from_joints(joints: &Joints, seed: &HeadPose) -> Result<Posture, ForwardKinematicsError> {
    let body_yaw = joints[Joint::BodyYaw];
    let antennas = Antennas { right: joints[Joint::RightAntenna], left: joints[Joint::LeftAntenna] };
    if ![body_yaw, antennas.right, antennas.left].into_iter().all(Radians::is_finite) {
        return Err(ForwardKinematicsError::NotFinite);
    }
    let body_from_head = head_in_body(&joints.stewart(), &turned(seed, -body_yaw))?;
    Ok(Posture { head: turned(&body_from_head, body_yaw), body_yaw, antennas })
}

/// Returns the pose of the head relative to the body (`body_from_head`) for six leg angles. `seed` is an estimate of
/// it.
///
/// # Errors
/// [`ForwardKinematicsError`] if no head pose fits the legs.
pub fn head_in_body(legs: &[Radians; 6], seed: &HeadPose) -> Result<HeadPose, ForwardKinematicsError> {
    head_and_singularity_margin(legs, seed).map(|(head, _)| head)
}

/// Returns [`head_in_body`] together with its singularity margin ([`super::singularity_margin`]), at no extra cost.
///
/// # Errors
/// [`ForwardKinematicsError`] if no head pose fits the legs.
pub fn head_and_singularity_margin(
    legs: &[Radians; 6],
    seed: &HeadPose,
) -> Result<(HeadPose, f64), ForwardKinematicsError> {
    if !legs.iter().all(|angle| angle.is_finite()) {
        return Err(ForwardKinematicsError::NotFinite);
    }
    let arms = Arms::at(legs);
    for start in [seed, &HeadPose::neutral()] {
        if let Ok((head, rods)) = solve(&arms, start)
            && let Some(singularity_margin) = margin_if_assembled(&head, &rods, &arms)
        {
            return Ok((head, singularity_margin));
        }
    }
    follow_from_neutral(legs)
}

/// Follows the joints from the neutral pose to `legs` in small steps, each starting from the previous solution. This is
/// slow, but close to the path that the head itself took.
fn follow_from_neutral(legs: &[Radians; 6]) -> Result<(HeadPose, f64), ForwardKinematicsError> {
    let mut head = HeadPose::neutral();
    let rest = legs_from_head(&head).map_err(|_| ForwardKinematicsError::Singular)?;
    let mut differences = [Radians::ZERO; 6];
    for (difference, (to, from)) in differences.iter_mut().zip(legs.iter().zip(rest)) {
        *difference = (*to - from).wrapped();
    }
    let farthest = differences.iter().fold(0.0, |most: f64, difference| most.max(difference.abs().value()));
    let steps = (farthest / CONTINUATION_STEP).ceil().max(1.0);
    let mut done = 0.0;
    let mut held = None;
    while done < steps {
        done += 1.0;
        let mut intermediate = rest;
        for (angle, difference) in intermediate.iter_mut().zip(differences) {
            *angle += difference * (done / steps);
        }
        let arms = Arms::at(&intermediate);
        let (next, rods) = solve(&arms, &head)?;
        head = next;
        held = margin_if_assembled(&head, &rods, &arms);
    }
    held.map(|singularity_margin| (head, singularity_margin)).ok_or(ForwardKinematicsError::Singular)
}

/// Newton's method on the squared lengths of the rods. The Jacobian is factorised once per two corrections. The second
/// correction costs little, and with it the error shrinks to its cube instead of its square.
fn solve(arms: &Arms, start: &HeadPose) -> Result<(HeadPose, Rods), ForwardKinematicsError> {
    let mut head = *start;
    let mut rods = Platform::under(&head).rods(&arms.ends);
    let mut excess = rods.length_errors();
    let mut last = 0.0;
    for _ in 0..MAX_ROUNDS {
        if is_rounding(&excess) {
            return Ok((head, rods));
        }
        let Some(factors) = Factors::of(rods.jacobian()) else { break };
        for _ in 0..2 {
            let (square, is_full) = apply_correction(&mut head, &factors.solve(&excess));
            rods = Platform::under(&head).rods(&arms.ends);
            excess = rods.length_errors();
            // The next correction relates to this one at most as this one does to the previous one.
            if is_rounding(&excess) || square * square < last * CONVERGED_SQUARE {
                return Ok((head, rods));
            }
            last = square;
            if !is_full {
                break;
            }
        }
    }
    Err(ForwardKinematicsError::DidNotConverge { residual: rods.residual() })
}

fn is_rounding(excess: &[f64; 6]) -> bool {
    excess.iter().all(|one| one.abs() < ROUNDING_TOLERANCE)
}

/// Applies a correction to the head, limited to the range where the method is valid. Returns the square of the
/// correction, and whether it was applied in full.
///
/// The rotation is applied as a quaternion, so the head stays a rigid body. It uses Cayley's map, which differs from
/// the rotation about that axis and angle only in the third order.
pub(super) fn apply_correction(head: &mut HeadPose, correction: &[f64; 6]) -> (f64, bool) {
    let [x, y, z, roll, pitch, yaw] = *correction;
    let (mut shift, mut turn) = (Vector3::new(x, y, z), Vector3::new(roll, pitch, yaw));
    let (moves, turns) = (shift.norm_squared(), turn.norm_squared());
    let is_full = moves <= MAX_TRANSLATION_STEP * MAX_TRANSLATION_STEP
        && turns <= MAX_ROTATION_STEP * MAX_ROTATION_STEP;
    if !is_full {
        let scale = (MAX_TRANSLATION_STEP / moves.sqrt()).min(MAX_ROTATION_STEP / turns.sqrt());
        shift *= scale;
        turn *= scale;
    }
    head.0.translation.vector -= shift;
    let half = turn * -0.5;
    let turned = Quaternion::new(1.0, half.x, half.y, half.z) * head.0.rotation.quaternion();
    head.0.rotation = UnitQuaternion::new_normalize(turned);
    (moves + turns, is_full)
}

/// Returns the singularity margin here, if this pose is the one in which the robot is assembled. The head must be
/// upright, face ahead of the body and be on this side of every singularity. Each arm must be on its own side of its
/// rod.
///
/// The determinant is positive at the neutral pose and changes its sign at a singularity. Within 30 mm and 40 degrees
/// of the neutral pose, exactly one pose with these properties exists for one set of arm angles.
fn margin_if_assembled(head: &HeadPose, rods: &Rods, arms: &Arms) -> Option<f64> {
    let singularity_margin = rods.singularity_margin();
    let sides = LEGS.iter().zip(rods.along.iter().zip(&arms.tangents)).all(|(leg, (rod, tangent))| {
        // Inverse kinematics must return this angle, not the second solution.
        match leg.side {
            Side::Greater => rod.dot(tangent) < SIDE_TOLERANCE,
            Side::Lesser => rod.dot(tangent) > -SIDE_TOLERANCE,
        }
    });
    (sides && faces_forward(head) && singularity_margin > 0.0).then_some(singularity_margin)
}

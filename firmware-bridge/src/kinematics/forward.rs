//! From the joints back to the posture: Newton's method on the six rods' lengths.
//!
//! Six arm angles fit several places of the head, among them mirror images that the mechanism cannot take. An answer
//! counts only when it is the robot as it was built: the head is held ([`super::platform`]) and inverse kinematics
//! gives the same joints back. A start that ends elsewhere is thrown away; the search begins again from rest, and at
//! last follows the joints from rest in small steps.

use nalgebra::{Translation3, UnitQuaternion, Vector3};

use super::inverse::{legs_from_head, turned};
use super::platform::{arm_ends, rods};
use crate::joint::{Joint, Joints};
use crate::posture::{Antennas, HeadPose, Posture};
use crate::units::Radians;

/// A correction smaller than this (metres and radians) leaves an error of about its square, so it is the last.
const LAST_STEP: f64 = 1e-8;
/// Newton needs 3 to 5 corrections from any near start; one that needs more is lost.
const MOST_STEPS: usize = 20;
/// The farthest that one correction moves the head, metres; a longer one is shortened, since the method is local.
const LONGEST_MOVE: f64 = 0.03;
/// The farthest that one correction turns the head, radians.
const LONGEST_TURN: f64 = 0.6;
/// Two sets of joints are the same within this, radians.
const SAME_JOINT: f64 = 1e-6;
/// The joints' step when the search follows them from rest, radians.
const SMALL_STEP: f64 = 0.05;

/// Joints for which no posture was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotConverged {
    /// The rods do not fit between these arms and the head as it was built.
    #[error("no head pose fits these leg angles (rods off by {:.2} mm); a motor's reading or mounting is wrong", .residual * 1e3)]
    NoPose {
        /// The largest error of a rod's length where the search gave up, metres.
        residual: f64,
    },
    /// The rods fit, but only in places where the motors do not hold the head, or not by these joints.
    #[error("the head seems to have flopped over; bring it back by hand with the motors off, then try again")]
    NotHeld,
    /// A joint is infinite or not a number.
    #[error("a joint's angle is not a finite number; read the motors again")]
    NotFinite,
}

/// The posture that the joints put the body into. `seed` is a guess of `world_from_head`, such as the last one.
///
/// # Errors
/// [`NotConverged`] when the joints do not fit together.
pub fn posture_from_joints(joints: &Joints, seed: &HeadPose) -> Result<Posture, NotConverged> {
    let body_yaw = joints[Joint::BodyYaw];
    let antennas = Antennas { right: joints[Joint::RightAntenna], left: joints[Joint::LeftAntenna] };
    if ![body_yaw, antennas.right, antennas.left].into_iter().all(Radians::is_finite) {
        return Err(NotConverged::NotFinite);
    }
    let body_from_head = head_in_body(&joints.stewart(), &turned(seed, -body_yaw))?;
    Ok(Posture { head: turned(&body_from_head, body_yaw), body_yaw, antennas })
}

/// The head relative to the body (`body_from_head`) for six leg angles, from a guess of the same.
///
/// # Errors
/// [`NotConverged`] when the legs do not fit together.
pub fn head_in_body(legs: &[Radians; 6], seed: &HeadPose) -> Result<HeadPose, NotConverged> {
    if !legs.iter().all(|angle| angle.is_finite()) {
        return Err(NotConverged::NotFinite);
    }
    let ends = arm_ends(legs);
    for start in [seed, &HeadPose::neutral()] {
        if let Ok(head) = solve(&ends, start)
            && as_built(&head, legs)
        {
            return Ok(head);
        }
    }
    follow(legs)
}

/// From rest to `legs` in small steps, each solved from the one before: slow, but near to what the head itself did.
fn follow(legs: &[Radians; 6]) -> Result<HeadPose, NotConverged> {
    let mut head = HeadPose::neutral();
    let rest = legs_from_head(&head).map_err(|_| NotConverged::NotHeld)?;
    let mut ways = [Radians::ZERO; 6];
    for (way, (to, from)) in ways.iter_mut().zip(legs.iter().zip(rest)) {
        *way = (*to - from).wrapped();
    }
    let farthest = ways.iter().fold(0.0, |most: f64, way| most.max(way.abs().value()));
    let steps = (farthest / SMALL_STEP).ceil().max(1.0);
    let mut done = 0.0;
    while done < steps {
        done += 1.0;
        let mut on_the_way = rest;
        for (angle, way) in on_the_way.iter_mut().zip(ways) {
            *angle += way * (done / steps);
        }
        head = solve(&arm_ends(&on_the_way), &head)?;
    }
    if as_built(&head, legs) { Ok(head) } else { Err(NotConverged::NotHeld) }
}

/// Newton's method; the turn is applied as a rotation, so the head stays a rigid body.
fn solve(ends: &[Vector3<f64>; 6], start: &HeadPose) -> Result<HeadPose, NotConverged> {
    let mut head = *start;
    let mut residual = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        let (errors, changes) = rods(ends, &head);
        residual = errors.amax();
        let Some(step) = changes.lu().solve(&errors) else { break };
        let (shift, turn) = (step.fixed_rows::<3>(0).into_owned(), step.fixed_rows::<3>(3).into_owned());
        let size = step.norm();
        if !size.is_finite() {
            break;
        }
        let part = (LONGEST_MOVE / shift.norm()).min(LONGEST_TURN / turn.norm()).min(1.0);
        let mut rotation = UnitQuaternion::from_scaled_axis(-turn * part) * head.0.rotation;
        rotation.renormalize_fast();
        head.0.translation = Translation3::from(head.0.translation.vector - shift * part);
        head.0.rotation = rotation;
        if size < LAST_STEP {
            return Ok(head);
        }
    }
    Err(NotConverged::NoPose { residual })
}

/// Whether this place of the head is the one that the robot was built in: it is held, by these very joints.
fn as_built(head: &HeadPose, legs: &[Radians; 6]) -> bool {
    legs_from_head(head).is_ok_and(|given| {
        given.iter().zip(legs).all(|(a, b)| (*a - *b).wrapped().abs().value() < SAME_JOINT)
    })
}

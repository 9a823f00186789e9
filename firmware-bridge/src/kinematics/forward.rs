//! From the joints back to the posture: Newton's method on the six rods' lengths.
//!
//! Six arm angles fit several places of the head, among them mirror images that the mechanism cannot take. An answer
//! counts only when it is the robot as it was built: the head is held ([`super::platform`]) and inverse kinematics
//! gives the same joints back. A start that ends elsewhere is thrown away; the search begins again from rest, and at
//! last follows the joints from rest in small steps.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::geometry::{LEGS, Side};
use super::inverse::{legs_from_head, turned};
use super::platform::{Arms, Platform, Rods, faces_ahead};
use super::solver::Factors;
use crate::joint::{Joint, Joints};
use crate::posture::{Antennas, HeadPose, Posture};
use crate::units::Radians;

/// No correction helps any more when the rods' [`Rods::excess`] is rounding, square metres.
const ROUNDING: f64 = 1e-17;
/// The square of how far a head may still be off (metres and radians) by what the last two corrections foretell.
const CLOSE: f64 = 1e-24;
/// From rest it takes two or three rounds of two corrections to any place near it; a start that needs more is lost.
const MOST_ROUNDS: usize = 20;
/// The farthest that one correction moves the head, metres; a longer one is shortened, since the method is local.
const LONGEST_MOVE: f64 = 0.03;
/// The farthest that one correction turns the head, radians.
const LONGEST_TURN: f64 = 0.6;
/// How far an arm may seem to stand on the wrong side of its rod, square metres: its angle is then off by less than
/// 1e-6 radians, where the rod is all but in line with the arm.
const SAME_SIDE: f64 = 1e-9;
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
    head_and_steadiness(legs, seed).map(|(head, _)| head)
}

/// [`head_in_body`], and how steadily the legs hold the head there ([`super::steadiness`]), which costs nothing more.
///
/// # Errors
/// [`NotConverged`] when the legs do not fit together.
pub fn head_and_steadiness(legs: &[Radians; 6], seed: &HeadPose) -> Result<(HeadPose, f64), NotConverged> {
    if !legs.iter().all(|angle| angle.is_finite()) {
        return Err(NotConverged::NotFinite);
    }
    let arms = Arms::at(legs);
    for start in [seed, &HeadPose::neutral()] {
        if let Ok((head, rods)) = solve(&arms, start)
            && let Some(steadiness) = as_built(&head, &rods, &arms)
        {
            return Ok((head, steadiness));
        }
    }
    follow(legs)
}

/// From rest to `legs` in small steps, each solved from the one before: slow, but near to what the head itself did.
fn follow(legs: &[Radians; 6]) -> Result<(HeadPose, f64), NotConverged> {
    let mut head = HeadPose::neutral();
    let rest = legs_from_head(&head).map_err(|_| NotConverged::NotHeld)?;
    let mut ways = [Radians::ZERO; 6];
    for (way, (to, from)) in ways.iter_mut().zip(legs.iter().zip(rest)) {
        *way = (*to - from).wrapped();
    }
    let farthest = ways.iter().fold(0.0, |most: f64, way| most.max(way.abs().value()));
    let steps = (farthest / SMALL_STEP).ceil().max(1.0);
    let mut done = 0.0;
    let mut held = None;
    while done < steps {
        done += 1.0;
        let mut on_the_way = rest;
        for (angle, way) in on_the_way.iter_mut().zip(ways) {
            *angle += way * (done / steps);
        }
        let arms = Arms::at(&on_the_way);
        let (next, rods) = solve(&arms, &head)?;
        head = next;
        held = as_built(&head, &rods, &arms);
    }
    held.map(|steadiness| (head, steadiness)).ok_or(NotConverged::NotHeld)
}

/// Newton's method on the squares of the rods' lengths. How the head changes them is taken apart once for every two
/// corrections: the second costs little, and with it an error shrinks to its cube instead of its square.
fn solve(arms: &Arms, start: &HeadPose) -> Result<(HeadPose, Rods), NotConverged> {
    let mut head = *start;
    let mut rods = Platform::under(&head).rods(&arms.ends);
    let mut excess = rods.excess();
    let mut last = 0.0;
    for _ in 0..MOST_ROUNDS {
        if is_rounding(&excess) {
            return Ok((head, rods));
        }
        let Some(factors) = Factors::of(rods.changes()) else { break };
        for _ in 0..2 {
            let (square, whole) = correct(&mut head, &factors.solve(&excess));
            rods = Platform::under(&head).rods(&arms.ends);
            excess = rods.excess();
            // The next correction would be to this one as this one to the last, or smaller.
            if is_rounding(&excess) || square * square < last * CLOSE {
                return Ok((head, rods));
            }
            last = square;
            if !whole {
                break;
            }
        }
    }
    Err(NotConverged::NoPose { residual: rods.residual() })
}

fn is_rounding(excess: &[f64; 6]) -> bool {
    excess.iter().all(|one| one.abs() < ROUNDING)
}

/// Takes a correction away from the head, or as much of it as the method is good for. Returns the square of the
/// correction, and whether it was taken whole.
///
/// The turn is applied as a rotation, so the head stays a rigid body; by Cayley's map, which differs from the
/// rotation about that axis and angle only in the third order.
fn correct(head: &mut HeadPose, correction: &[f64; 6]) -> (f64, bool) {
    let [x, y, z, roll, pitch, yaw] = *correction;
    let (mut shift, mut turn) = (Vector3::new(x, y, z), Vector3::new(roll, pitch, yaw));
    let (moves, turns) = (shift.norm_squared(), turn.norm_squared());
    let whole = moves <= LONGEST_MOVE * LONGEST_MOVE && turns <= LONGEST_TURN * LONGEST_TURN;
    if !whole {
        let part = (LONGEST_MOVE / moves.sqrt()).min(LONGEST_TURN / turns.sqrt());
        shift *= part;
        turn *= part;
    }
    head.0.translation.vector -= shift;
    let half = turn * -0.5;
    let turned = Quaternion::new(1.0, half.x, half.y, half.z) * head.0.rotation.quaternion();
    head.0.rotation = UnitQuaternion::new_normalize(turned);
    (moves + turns, whole)
}

/// How steadily the head is held here, if this place is the one that the robot was built in: upright, facing ahead
/// of the body, on this side of the singular places, and each arm on its own side of its rod.
///
/// The determinant is positive at rest and changes its sign at a singular place. Within 30 mm and 40 degrees of rest,
/// one set of arm angles has exactly one place with all of this.
fn as_built(head: &HeadPose, rods: &Rods, arms: &Arms) -> Option<f64> {
    let steadiness = rods.steadiness();
    let sides = LEGS.iter().zip(rods.along.iter().zip(&arms.tangents)).all(|(leg, (rod, tangent))| {
        // Inverse kinematics gives this angle back, and not the other one that fits.
        match leg.side {
            Side::Greater => rod.dot(tangent) < SAME_SIDE,
            Side::Lesser => rod.dot(tangent) > -SAME_SIDE,
        }
    });
    (sides && faces_ahead(head) && steadiness > 0.0).then_some(steadiness)
}

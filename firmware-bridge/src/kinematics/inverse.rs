//! Inverse kinematics: from a posture to the nine joints, in closed form, leg by leg.

use nalgebra::{UnitQuaternion, Vector3};

use super::geometry::{CRANK_LENGTH, LEGS, Leg, ROD_LENGTH, Side};
use super::platform::{Platform, Rods, Six, faces_forward};
use crate::joint::{Joint, Joints};
use crate::posture::{HeadPose, Posture};
use crate::units::Radians;

/// A posture that the robot cannot reach, and the cause.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InverseKinematicsError {
    /// The head is too far from the motor for arm and rod.
    #[error("the head cannot reach this pose: {leg} would need a rod {:.1} mm longer; move or tilt the head less", .distance * 1e3)]
    TooFar {
        /// The leg with the largest error.
        leg: Joint,
        /// How much its rod is too short, metres.
        distance: f64,
    },
    /// The head is so close to the motor that the rod does not fit in between.
    #[error("the head cannot reach this pose: {leg} would need a rod {:.1} mm shorter; move or tilt the head less", .distance * 1e3)]
    TooNear {
        /// The leg with the largest error.
        leg: Joint,
        /// How much its rod is too long, metres.
        distance: f64,
    },
    /// Every rod fits, but beyond a singularity: the motors no longer support the head there, so it would flop over.
    #[error(
        "the head cannot reach this pose: the legs cannot support a head this far tilted and turned; tilt or turn it less"
    )]
    Singular,
    /// A number of the posture is infinite or not a number.
    #[error(
        "the posture contains a number that is not finite; use finite numbers for head, body and antennas"
    )]
    NotFinite,
}

/// Returns the joints for `posture`. Body yaw and antennas pass through unchanged.
///
/// # Errors
/// [`InverseKinematicsError`] names the leg with the largest error. The result never contains a number that is not finite.
pub fn joints_from_posture(posture: &Posture) -> Result<Joints, InverseKinematicsError> {
    let Posture { head, body_yaw, antennas } = posture;
    if ![*body_yaw, antennas.right, antennas.left].into_iter().all(Radians::is_finite) {
        return Err(InverseKinematicsError::NotFinite);
    }
    let [one, two, three, four, five, six] = legs_from_head(&turned(head, -*body_yaw))?;
    Ok(Joints::new([*body_yaw, one, two, three, four, five, six, antennas.right, antennas.left]))
}

/// Returns the six legs for a head pose relative to the body (`body_from_head`).
pub(super) fn legs_from_head(body_from_head: &HeadPose) -> Result<[Radians; 6], InverseKinematicsError> {
    let (legs, rods) = solve_rods(body_from_head)?;
    if faces_forward(body_from_head) && rods.determinant() > 0.0 {
        Ok(legs)
    } else {
        Err(InverseKinematicsError::Singular)
    }
}

/// Returns the arm angles and the rods that fit the lengths, whether or not they support the head.
pub(super) fn solve_rods(body_from_head: &HeadPose) -> Result<([Radians; 6], Rods), InverseKinematicsError> {
    let platform = Platform::under(body_from_head);
    let mut ends = [Vector3::zeros(); 6];
    let mut angles = [Radians::ZERO; 6];
    for (((angle, end), leg), ball) in angles.iter_mut().zip(&mut ends).zip(&LEGS).zip(&platform.ball_joints)
    {
        let Some((sin, cos)) = arm_direction(leg, ball) else {
            return Err(largest_length_error(&platform.ball_joints));
        };
        *angle = Radians(sin.atan2(cos));
        *end = leg.origin + (leg.zero_direction * cos + leg.quarter_direction * sin) * CRANK_LENGTH;
    }
    Ok((angles, platform.rods(&ends)))
}

/// Turns the head about the world's z axis. With the negative body yaw, this converts `world_from_head` to
/// `body_from_head`.
pub(super) fn turned(head: &HeadPose, yaw: Radians) -> HeadPose {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw.value());
    HeadPose(turn * head.0)
}

/// Returns sine and cosine of the angle at which a leg's arm meets the rod that ends at `ball`, or `None` if they never
/// meet.
///
/// The end of the arm moves on a circle about the motor's axis. With the ball at `(x, y, z)` in the motor's frame, the
/// rod fits where `x cos a + y sin a = along = (x2 + y2 + z2 + arm2 - rod2) / (2 arm)`. There are two solutions, one on
/// each side of the ball's direction, or none. `y cos a - x sin a` is then the positive or negative root of `x2 + y2 -
/// along2`. These two equations are linear in sine and cosine.
fn arm_direction(leg: &Leg, ball: &Vector3<f64>) -> Option<(f64, f64)> {
    let offset = ball - leg.origin;
    let (x, y) = (leg.zero_direction.dot(&offset), leg.quarter_direction.dot(&offset));
    let across = x * x + y * y;
    let along = (offset.norm_squared() + CRANK_LENGTH * CRANK_LENGTH - ROD_LENGTH * ROD_LENGTH)
        / (2.0 * CRANK_LENGTH);
    let discriminant = across - along * along;
    // Written so that not-a-number fails the comparison.
    if discriminant >= 0.0 && across.is_finite() {
        let root = match leg.side {
            Side::Greater => -discriminant.sqrt(),
            Side::Lesser => discriminant.sqrt(),
        };
        Some(((along * y - root * x) / across, (along * x + root * y) / across))
    } else {
        None
    }
}

/// Returns the error for a head pose in which at least one rod does not fit.
#[cold]
fn largest_length_error(balls: &Six) -> InverseKinematicsError {
    let mut worst: Option<(f64, InverseKinematicsError)> = None;
    for (leg, ball) in LEGS.iter().zip(balls) {
        if arm_direction(leg, ball).is_some() {
            continue;
        }
        let offset = ball - leg.origin;
        let axis = leg.zero_direction.cross(&leg.quarter_direction);
        let (x, y) = (leg.zero_direction.dot(&offset), leg.quarter_direction.dot(&offset));
        let across = (x * x + y * y).sqrt();
        let aside = axis.dot(&offset);
        let nearest = (across - CRANK_LENGTH).hypot(aside);
        let farthest = (across + CRANK_LENGTH).hypot(aside);
        if !farthest.is_finite() {
            return InverseKinematicsError::NotFinite;
        }
        let (by, miss) = if nearest > ROD_LENGTH {
            let by = nearest - ROD_LENGTH;
            (by, InverseKinematicsError::TooFar { leg: leg.joint, distance: by })
        } else {
            let by = (ROD_LENGTH - farthest).max(0.0);
            (by, InverseKinematicsError::TooNear { leg: leg.joint, distance: by })
        };
        if worst.as_ref().is_none_or(|(most, _)| by > *most) {
            worst = Some((by, miss));
        }
    }
    worst.map_or(InverseKinematicsError::NotFinite, |(_, miss)| miss)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posture::{Antennas, RollPitchYaw};

    fn head(x: f64, y: f64, z: f64, roll: f64, pitch: f64) -> HeadPose {
        let [roll, pitch] = [roll, pitch].map(Radians::from_degrees);
        HeadPose::new(x * 1e-3, y * 1e-3, z * 1e-3, RollPitchYaw { roll, pitch, yaw: Radians::ZERO })
    }

    #[test]
    fn rest_and_sleep_match_the_official_package() {
        let official = [0.626547, -0.626543, 0.62654, -0.626536, 0.626537, -0.626539];
        for (angle, known) in legs_from_head(&HeadPose::neutral()).unwrap().iter().zip(official) {
            assert!((angle.value() - known).abs() < 1e-6);
        }
        #[rustfmt::skip]
        let sleep = HeadPose::from_row_major(&[
            0.911, 0.004, 0.413, -0.021, -0.004, 1.0, -0.001, 0.001, -0.413, -0.001, 0.911, -0.044, 0.0, 0.0, 0.0, 1.0,
        ]).unwrap();
        let official = [-0.1706, 0.8365, -0.1234, 0.0876, -0.8122, 0.1785];
        for (angle, known) in legs_from_head(&sleep).unwrap().iter().zip(official) {
            assert!((angle.value() - known).abs() < 2e-3);
        }
    }

    #[test]
    fn reach_matches_the_official_package() {
        // The last reachable and the first unreachable pose along each axis, measured with the official package.
        for (inside, outside) in [
            (head(52.0, 0.0, 0.0, 0.0, 0.0), head(53.0, 0.0, 0.0, 0.0, 0.0)),
            (head(0.0, 54.5, 0.0, 0.0, 0.0), head(0.0, 55.5, 0.0, 0.0, 0.0)),
            (head(0.0, 0.0, 24.0, 0.0, 0.0), head(0.0, 0.0, 25.0, 0.0, 0.0)),
            (head(0.0, 0.0, -55.5, 0.0, 0.0), head(0.0, 0.0, -56.5, 0.0, 0.0)),
            (head(0.0, 0.0, 0.0, 51.5, 0.0), head(0.0, 0.0, 0.0, 52.5, 0.0)),
            (head(0.0, 0.0, 0.0, 0.0, 50.5), head(0.0, 0.0, 0.0, 0.0, 51.5)),
        ] {
            assert!(legs_from_head(&inside).is_ok(), "{inside:?}");
            assert!(legs_from_head(&outside).is_err(), "{outside:?}");
        }
    }

    #[test]
    fn error_names_the_worst_leg_and_the_missing_length() {
        for pose in [
            head(80.0, 0.0, 0.0, 0.0, 0.0),
            head(0.0, 70.0, 0.0, 10.0, 0.0),
            head(0.0, 0.0, 40.0, 0.0, 5.0),
            head(0.0, 0.0, -90.0, 0.0, 0.0),
        ] {
            // The error of every leg, found by trying the arm's whole circle instead of by the formula.
            let misses = LEGS.iter().zip(Platform::under(&pose).ball_joints).map(|(leg, ball)| {
                let distances = (0..36_000).map(|step| {
                    let (sin, cos) = Radians::from_degrees(f64::from(step) * 0.01).value().sin_cos();
                    let end = (leg.zero_direction * cos + leg.quarter_direction * sin) * CRANK_LENGTH;
                    (leg.origin + end - ball).norm()
                });
                let (low, high) = distances.fold((f64::MAX, 0.0_f64), |(l, h), d| (l.min(d), h.max(d)));
                (leg.joint, low - ROD_LENGTH, ROD_LENGTH - high)
            });
            let worst = misses.max_by(|a, b| a.1.max(a.2).total_cmp(&b.1.max(b.2))).unwrap();
            let found = legs_from_head(&pose).unwrap_err();
            match found {
                InverseKinematicsError::TooFar { leg, distance: by } => {
                    assert!(leg == worst.0 && (by - worst.1).abs() < 1e-6)
                }
                InverseKinematicsError::TooNear { leg, distance: by } => {
                    assert!(leg == worst.0 && (by - worst.2).abs() < 1e-6)
                }
                InverseKinematicsError::Singular | InverseKinematicsError::NotFinite => panic!("{found}"),
            }
        }
    }

    #[test]
    fn non_finite_postures_are_rejected() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut postures = [Posture::init(); 5];
            postures[0].body_yaw = Radians(bad);
            postures[1].antennas = Antennas { right: Radians(bad), left: Radians::ZERO };
            postures[2].antennas = Antennas { right: Radians::ZERO, left: Radians(bad) };
            postures[3].head = head(0.0, bad, 0.0, 0.0, 0.0);
            postures[4].head = head(0.0, 0.0, 0.0, 0.0, bad);
            for posture in postures {
                assert_eq!(
                    joints_from_posture(&posture),
                    Err(InverseKinematicsError::NotFinite),
                    "{posture:?}"
                );
            }
        }
    }
}

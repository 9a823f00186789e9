//! Poses and targets in messages.

use firmware_bridge::control_loop::LoopSnapshot;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::{FittedPosture, nearest_posture};
use firmware_bridge::motion::{MotionError, Target};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use serde::{Deserialize, Serialize};

/// A head pose in one of the two official forms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a pose is {x, y, z, roll, pitch, yaw}, metres and radians, or {m: [16 numbers, row by row]}"
)]
pub(super) enum AnyPose {
    /// A 4x4 matrix, row by row.
    Matrix(Matrix),
    /// A position and angles.
    Angles(Angles),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Matrix {
    m: [f64; 16],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Angles {
    x: f64,
    y: f64,
    z: f64,
    roll: f64,
    pitch: f64,
    yaw: f64,
}

impl AnyPose {
    pub(super) fn of(head: &HeadPose, as_matrix: bool) -> Self {
        if as_matrix {
            return AnyPose::Matrix(Matrix { m: head.to_row_major() });
        }
        let RollPitchYaw { roll, pitch, yaw } = head.angles();
        let at = head.0.translation;
        AnyPose::Angles(Angles {
            x: at.x,
            y: at.y,
            z: at.z,
            roll: roll.value(),
            pitch: pitch.value(),
            yaw: yaw.value(),
        })
    }

    pub(super) fn pose(&self) -> Result<HeadPose, MotionError> {
        match *self {
            AnyPose::Matrix(Matrix { m }) => Ok(HeadPose::from_row_major(&m)?),
            AnyPose::Angles(Angles { x, y, z, roll, pitch, yaw }) => {
                if ![x, y, z, roll, pitch, yaw].into_iter().all(f64::is_finite) {
                    return Err(MotionError::NotFinite { what: "the head pose" });
                }
                let [roll, pitch, yaw] = [roll, pitch, yaw].map(Radians);
                Ok(HeadPose::new(x, y, z, RollPitchYaw { roll, pitch, yaw }))
            }
        }
    }
}

/// Returns the target for these parts.
///
/// # Errors
/// When a number is not finite.
pub(super) fn target(
    head: Option<HeadPose>,
    antennas: Option<[f64; 2]>,
    body_yaw: Option<f64>,
) -> Result<Target, MotionError> {
    let finite = |what, numbers: &[f64]| {
        if numbers.iter().all(|number| number.is_finite()) {
            Ok(())
        } else {
            Err(MotionError::NotFinite { what })
        }
    };
    finite("an antenna's target", &antennas.unwrap_or_default())?;
    finite("the body's target", &[body_yaw.unwrap_or_default()])?;
    Ok(Target {
        head,
        body_yaw: body_yaw.map(Radians),
        antennas: antennas.map(|[right, left]| Antennas { right: Radians(right), left: Radians(left) }),
    })
}

/// Returns the posture from the motors' present positions, or the nearest one if no head fits them: clients of the official
/// daemon always get numbers.
///
/// # Errors
/// Why the positions are unknown.
pub(super) fn present(snapshot: &LoopSnapshot) -> Result<FittedPosture, String> {
    let joints = snapshot.state.present().map_err(|fault| fault.to_string())?;
    nearest_posture(&joints, &HeadPose::neutral()).map_err(|why| why.to_string())
}

/// Returns the posture of the goal positions, or the nearest one if no head fits them.
pub(super) fn commanded(snapshot: &LoopSnapshot) -> Option<Posture> {
    nearest_posture(&snapshot.goal, &HeadPose::neutral()).ok().map(|fitted| fitted.posture)
}

/// `[body_yaw, stewart_1 .. stewart_6]`.
pub(super) fn head_joints(joints: &Joints) -> [f64; 7] {
    let [s1, s2, s3, s4, s5, s6] = joints.stewart().map(Radians::value);
    [joints[Joint::BodyYaw].value(), s1, s2, s3, s4, s5, s6]
}

/// `[right, left]`.
pub(super) fn antennas(antennas: &Antennas) -> [f64; 2] {
    [antennas.right.value(), antennas.left.value()]
}

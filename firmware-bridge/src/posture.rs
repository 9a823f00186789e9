//! The posture of head, body and antennas, in user terms.
//!
//! Frames: the world frame is in the base, x forward, y left, z up, metres. A head pose is `world_from_head` relative
//! to the neutral head (0.177 m above the base), so the identity is the head at rest. Euler angles are extrinsic xyz:
//! `R = Rz(yaw) Ry(pitch) Rx(roll)`; positive pitch looks down.

use nalgebra::{Isometry3, Matrix4, Rotation3, Translation3, UnitQuaternion};
use serde::{Deserialize, Serialize};

use crate::units::Radians;

/// The pose of the head: `world_from_head`, relative to the neutral head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadPose(pub Isometry3<f64>);

/// Roll, pitch and yaw of a rotation `Rz(yaw) Ry(pitch) Rx(roll)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RollPitchYaw {
    /// About x (forward): positive tilts to the robot's right.
    pub roll: Radians,
    /// About y (left): positive looks down.
    pub pitch: Radians,
    /// About z (up): positive turns left.
    pub yaw: Radians,
}

/// The matrix is not a rigid transform.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PoseError {
    /// One of the sixteen numbers is infinite or not a number.
    #[error("the head pose contains a number that is not finite")]
    NotFinite,
    /// The upper left 3x3 matrix is too far from a rotation to be rounded to one.
    #[error(
        "the head pose's rotation is not orthonormal (off by {deviation:.3}); build it with create_head_pose"
    )]
    InvalidRotation {
        /// The largest absolute entry of `R R^T - I`.
        deviation: f64,
    },
    /// The last row is not `0 0 0 1`.
    #[error("the last row of the head pose is not 0 0 0 1")]
    NotAffine,
}

impl HeadPose {
    /// Returns the pose of the head at rest above the body.
    #[must_use]
    pub fn neutral() -> Self {
        HeadPose(Isometry3::identity())
    }

    /// Creates a pose from a translation in metres and angles.
    #[must_use]
    pub fn new(x: f64, y: f64, z: f64, angles: RollPitchYaw) -> Self {
        let rotation =
            UnitQuaternion::from_euler_angles(angles.roll.value(), angles.pitch.value(), angles.yaw.value());
        HeadPose(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
    }

    /// Creates a pose from a 4x4 matrix in row-major order, as the official SDK sends it.
    ///
    /// A rotation within 1e-2 of orthonormal is rounded to the nearest rotation: the official sleep pose itself is off
    /// by 2.5e-4.
    ///
    /// # Errors
    /// [`PoseError`] describes what is wrong with the matrix.
    pub fn from_row_major(matrix: &[f64; 16]) -> Result<Self, PoseError> {
        if matrix.iter().any(|value| !value.is_finite()) {
            return Err(PoseError::NotFinite);
        }
        let matrix = Matrix4::from_row_slice(matrix);
        let last = matrix.row(3) - nalgebra::RowVector4::new(0.0, 0.0, 0.0, 1.0);
        if last.amax() > 1e-6 {
            return Err(PoseError::NotAffine);
        }
        let rotation = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let off = (rotation * rotation.transpose() - nalgebra::Matrix3::identity()).amax();
        if off > 1e-2 || rotation.determinant() < 0.0 {
            return Err(PoseError::InvalidRotation { deviation: off });
        }
        let rotation = Rotation3::from_matrix(&rotation);
        let translation = matrix.fixed_view::<3, 1>(0, 3).into_owned();
        Ok(HeadPose(Isometry3::from_parts(
            translation.into(),
            UnitQuaternion::from_rotation_matrix(&rotation),
        )))
    }

    /// Returns the neutral head turned so that its x axis points towards a point in the world frame (metres). It uses
    /// the shortest rotation, as the official `look_at_world` does. Returns `None` if the point gives no direction.
    #[must_use]
    pub fn looking_at([x, y, z]: [f64; 3]) -> Option<Self> {
        let point = nalgebra::Vector3::new(x, y, z);
        let length = point.norm();
        if !length.is_finite() || length < 1e-6 {
            return None;
        }
        // To look at a point exactly behind, the head turns left.
        let rotation = UnitQuaternion::rotation_between(&nalgebra::Vector3::x(), &point)
            .unwrap_or_else(|| UnitQuaternion::from_euler_angles(0.0, 0.0, std::f64::consts::PI));
        Some(HeadPose(Isometry3::from_parts(Translation3::identity(), rotation)))
    }

    /// Returns the pose as a 4x4 matrix in row-major order.
    #[must_use]
    pub fn to_row_major(&self) -> [f64; 16] {
        let columns: [[f64; 4]; 4] = self.0.to_homogeneous().transpose().into();
        let [a, b, c, d] = columns;
        let mut rows = [0.0; 16];
        for (slot, value) in rows.iter_mut().zip([a, b, c, d].into_iter().flatten()) {
            *slot = value;
        }
        rows
    }

    /// Returns roll, pitch and yaw.
    #[must_use]
    pub fn angles(&self) -> RollPitchYaw {
        let (roll, pitch, yaw) = self.0.rotation.euler_angles();
        RollPitchYaw { roll: Radians(roll), pitch: Radians(pitch), yaw: Radians(yaw) }
    }
}

/// The two antennas; right comes first, as in the official protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Antennas {
    /// The robot's right antenna.
    pub right: Radians,
    /// The robot's left antenna.
    pub left: Radians,
}

/// Head, body and antennas together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posture {
    /// `world_from_head`, relative to the neutral head.
    pub head: HeadPose,
    /// The body yaw, about z; positive turns left.
    pub body_yaw: Radians,
    /// The antennas.
    pub antennas: Antennas,
}

impl Posture {
    /// Returns the awake posture at rest: neutral head, body ahead, antennas slightly apart (the official INIT pose, 10
    /// degrees).
    #[must_use]
    pub fn init() -> Self {
        Posture {
            head: HeadPose::neutral(),
            body_yaw: Radians::ZERO,
            antennas: Antennas { right: Radians(-0.1745), left: Radians(0.1745) },
        }
    }

    /// Returns the sleep posture: head low and forward, antennas folded. Torque may be released here (the official
    /// SLEEP pose).
    #[must_use]
    pub fn sleep() -> Self {
        Posture {
            head: HeadPose::from_row_major(&SLEEP_HEAD).unwrap_or_else(|_| HeadPose::neutral()),
            body_yaw: Radians::ZERO,
            antennas: Antennas { right: Radians(-3.05), left: Radians(3.05) },
        }
    }
}

/// The official SDK's sleep pose, row-major (reachy-mini 1.13.0); [`HeadPose::from_row_major`] rounds it to the nearest
/// rotation.
const SLEEP_HEAD: [f64; 16] = [
    0.911, 0.004, 0.413, -0.021, -0.004, 1.0, -0.001, 0.001, -0.413, -0.001, 0.911, -0.044, 0.0, 0.0, 0.0,
    1.0,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_round_trips() {
        let angles = RollPitchYaw { roll: Radians(0.1), pitch: Radians(-0.2), yaw: Radians(0.3) };
        let pose = HeadPose::new(0.01, -0.02, 0.005, angles);
        let rows = pose.to_row_major();
        assert!((rows[3] - 0.01).abs() < 1e-15 && (rows[7] + 0.02).abs() < 1e-15);
        let back = HeadPose::from_row_major(&rows).unwrap();
        assert!((back.0.to_homogeneous() - pose.0.to_homogeneous()).amax() < 1e-12);
        assert!((back.angles().yaw.value() - 0.3).abs() < 1e-12);
    }

    #[test]
    fn looking_at_a_point_turns_the_x_axis_towards_it() {
        let head = HeadPose::looking_at([0.5, 0.5, -0.2]).unwrap();
        let forward = head.0.rotation * nalgebra::Vector3::x();
        assert!((forward - nalgebra::Vector3::new(0.5, 0.5, -0.2).normalize()).norm() < 1e-12);
        assert!(head.angles().yaw.value() > 0.0 && head.angles().pitch.value() > 0.0);
        assert!(
            (HeadPose::looking_at([-1.0, 0.0, 0.0]).unwrap().angles().yaw.degrees() - 180.0).abs() < 1e-9
        );
        assert_eq!(HeadPose::looking_at([0.0, 0.0, 0.0]), None);
        assert_eq!(HeadPose::looking_at([f64::NAN, 0.0, 0.0]), None);
    }

    #[test]
    fn invalid_matrices_are_rejected_with_their_cause() {
        let mut rows = HeadPose::neutral().to_row_major();
        rows[0] = f64::NAN;
        assert_eq!(HeadPose::from_row_major(&rows), Err(PoseError::NotFinite));
        rows[0] = 2.0;
        assert!(matches!(HeadPose::from_row_major(&rows), Err(PoseError::InvalidRotation { .. })));
        let mut rows = HeadPose::neutral().to_row_major();
        rows[12] = 1.0;
        assert_eq!(HeadPose::from_row_major(&rows), Err(PoseError::NotAffine));
    }
}

//! Kinematics between a posture in user terms and the nine joint angles.
//!
//! The head stands on six rods, each driven by one motor's arm: a Stewart platform on the rotating body. Inverse
//! kinematics has a fast closed form; forward kinematics is an iterative search ([`head_in_body`]). All functions are
//! pure.
//!
//! The module also computes:
//!
//! * how well the legs support the head ([`singularity_margin`]);
//! * the motor torques that carry its weight ([`gravity_torques`]);
//! * the body yaw that follows the head ([`automatic_body_yaw`]).
//!
//! Units: metres, radians, newton metres. Frames: the body frame is the world frame rotated by the body yaw.
//! `body_from_head` is a [`crate::posture::HeadPose`] in it, relative to the neutral head.

mod body_yaw;
mod forward;
mod geometry;
mod gravity;
mod inverse;
mod nearest;
mod platform;
mod singularity_margin;
mod solver;

pub use body_yaw::automatic_body_yaw;
pub use forward::{ForwardKinematicsError, head_and_singularity_margin, head_in_body, posture_from_joints};
pub use geometry::{CRANK_LENGTH, HEAD_Z_OFFSET, Leg, Side, legs};
pub use gravity::{HeadMass, current_from_torque, gravity_torques};
pub use inverse::{InverseKinematicsError, joints_from_posture};
pub use nearest::{FittedPosture, nearest_posture};
pub use singularity_margin::singularity_margin;

/// Returns a pose from millimetres along, and degrees about, x, y and z, for tests.
#[cfg(test)]
fn pose(millimetres: [f64; 3], degrees: [f64; 3]) -> crate::posture::HeadPose {
    let [x, y, z] = millimetres.map(|one| one * 1e-3);
    let [roll, pitch, yaw] = degrees.map(crate::units::Radians::from_degrees);
    crate::posture::HeadPose::new(x, y, z, crate::posture::RollPitchYaw { roll, pitch, yaw })
}

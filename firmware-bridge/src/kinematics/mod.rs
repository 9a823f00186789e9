//! Between the posture that a person names and the nine angles that the motors take.
//!
//! The head stands on six rods, each driven by one motor's arm: a Stewart platform on the turning body. The way to
//! the joints is closed and cheap; the way back is a search ([`head_in_body`]). All of it is pure.
//!
//! Besides the two ways: how firmly the legs hold the head ([`steadiness`]), what its weight asks of the motors
//! ([`gravity_torques`]), and which way the body turns when it follows the head ([`automatic_body_yaw`]).
//!
//! Units: metres, radians, newton metres. Frames: the body frame is the world frame turned by the body's yaw;
//! `body_from_head` is a [`crate::posture::HeadPose`] in it, relative to the neutral head.

mod body_yaw;
mod forward;
mod geometry;
mod gravity;
mod inverse;
mod platform;
mod solver;
mod steadiness;

pub use body_yaw::automatic_body_yaw;
pub use forward::{NotConverged, head_and_steadiness, head_in_body, posture_from_joints};
pub use geometry::{ARM_LENGTH, HEAD_Z_OFFSET, Leg, Side, legs};
pub use gravity::{HeadMass, current_from_torque, gravity_torques};
pub use inverse::{Unreachable, joints_from_posture};
pub use steadiness::steadiness;

/// A pose from millimetres along and degrees about x, y and z, for tests.
#[cfg(test)]
fn pose(millimetres: [f64; 3], degrees: [f64; 3]) -> crate::posture::HeadPose {
    let [x, y, z] = millimetres.map(|one| one * 1e-3);
    let [roll, pitch, yaw] = degrees.map(crate::units::Radians::from_degrees);
    crate::posture::HeadPose::new(x, y, z, crate::posture::RollPitchYaw { roll, pitch, yaw })
}

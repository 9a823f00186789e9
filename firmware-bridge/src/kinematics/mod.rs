//! Between the posture that a person names and the nine angles that the motors take.
//!
//! The head stands on six rods, each driven by one motor's arm: a Stewart platform on the turning body. The way to
//! the joints is closed and cheap; the way back is a search. Both are pure.

mod body_yaw;
mod forward;
mod geometry;
mod inverse;
mod platform;

pub use body_yaw::automatic_body_yaw;
pub use forward::{NotConverged, head_in_body, posture_from_joints};
pub use geometry::HEAD_Z_OFFSET;
pub use inverse::{Unreachable, joints_from_posture};

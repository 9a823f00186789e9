//! The body of a Reachy Mini: what a motion is, what the body allows, and how it reaches nine servos.
//!
//! Reading order: [`units`] and [`joint`] (the nine motors), [`posture`] (head, body, antennas),
//! [`kinematics`] (between the two), [`robot`] (the door to any body), [`envelope`] (what may pass that door).

pub mod clock;
pub mod envelope;
pub mod joint;
pub mod kinematics;
pub mod posture;
pub mod robot;
pub mod units;

//! The body of a Reachy Mini: what a motion is, what the body allows, and how it reaches nine servos.
//!
//! Reading order: [`units`] and [`joint`] (the nine motors), [`posture`] (head, body, antennas), [`kinematics`] (between the
//! two), [`camera`] (the eye in the head), [`clock`], [`servo`] (what a motor can be told and tells), [`robot`] (the door to
//! any body), [`limits`] and [`envelope`] (what may pass that door), [`motion`] (what is asked), [`fault`] (what can go
//! wrong), [`pulse`] (the beat that carries it out), [`trace`] (what was sent and done), [`bus`] (the servos on a serial
//! line).

pub mod bus;
pub mod camera;
pub mod clock;
pub mod envelope;
pub mod fault;
pub mod joint;
pub mod kinematics;
pub mod limits;
pub mod motion;
pub mod posture;
pub mod pulse;
pub mod robot;
pub mod servo;
pub mod trace;
pub mod units;

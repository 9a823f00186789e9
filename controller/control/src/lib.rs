//! Moves a robot: opens it, decides who is in control, executes motions, looks through its camera, records what it does.

pub mod arbiter;
pub mod attention;
pub mod body;
pub mod calibration;
pub mod chronicle;
pub mod eyes;
pub mod gaze;
pub mod mover;
pub mod outgoing;
pub mod recorder;
pub mod recording;
pub mod seen;
pub mod snapshot;
pub mod stage;
pub mod trace;

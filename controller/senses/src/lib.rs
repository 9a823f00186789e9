//! What the robot perceives: cameras, pictures, models that find things in them, and tracks of what was found. Nothing here
//! moves a motor or asks the network.
//!
//! Reading order: [`frame`] (a picture, with when and from where it was taken), [`camera`] (who takes them), [`models`]
//! (files and the runtime), [`detect`] (faces and things in a picture), [`track`] (which of them is which over time),
//! [`gaze`] (where the head looks).

pub mod camera;
pub mod detect;
pub mod frame;
pub mod gaze;
pub mod models;
pub mod track;

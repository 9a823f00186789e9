//! Perception: cameras, images, detection models and tracking. It moves no motors and accesses no network.
//!
//! Reading order: [`frame`] (an image with its time and head pose), [`camera`] (image sources), [`models`] (model files and the
//! runtime), [`detect`] (faces and objects in an image), [`track`] (identities over time), [`gaze`] (head poses that look at a
//! target), [`resample`] (an image as another camera model would take it).

pub mod camera;
pub mod detect;
pub mod frame;
pub mod gaze;
pub mod models;
pub mod resample;
pub mod track;

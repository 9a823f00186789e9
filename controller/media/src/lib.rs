//! Camera frames and sound for clients, as the official daemon serves them, so that the media classes of the official SDK get
//! them. It moves nothing.
//!
//! Reading order: [`camera_model`] (which camera the SDK takes it for), `unix_fd` (the messages), [`camera_socket`] (who gets
//! which frame), [`sounds`] (sounds that clients play, and the volume), [`talk`] (a client at the speaker), [`listen`] (clients at the
//! microphone), [`tool_sound`] (what tools hear and play).

pub mod camera_model;
pub mod camera_socket;
pub mod listen;
pub mod sounds;
pub mod talk;
pub mod tool_sound;
mod unix_fd;

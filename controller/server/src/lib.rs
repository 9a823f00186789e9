//! The HTTP and WebSocket server, and conversations by voice.

pub mod api;
pub mod gate;
pub mod voice;

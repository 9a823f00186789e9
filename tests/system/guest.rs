//! Real guests in real sandboxes: what tools can do, what attacks cannot do, and what is left when a process dies.

// All of this is test code; a helper may panic as a test may.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

pub mod context;
mod corpus;
mod crashes;
mod hostile;
mod motion;
mod prefork;
mod sdk;
mod shared_frames;
mod termination;
mod time;

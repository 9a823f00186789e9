//! Real guests in real cages: what tools can do, what attacks can't, and what is left when a process dies.

// All of this is test code; a helper may give up as a test may.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod corpus;
mod crashes;
mod hostile;
mod killing;
mod sdk;
mod spare;
pub mod stage;
mod time;
mod window;

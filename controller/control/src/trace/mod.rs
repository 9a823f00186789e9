//! Traces: the recorded cycles of a motion. They are read, compared, and replayed on the simulated robot.
//!
//! Reading order: `read` (parses a file into a [`RecordedTrace`]), [`compare`], [`replay`], `to_recorded_move` (converts a trace to a
//! recorded move), [`display_units`] and `head` (convert cycles to [`minismith_protocol::trace_format`]).

pub mod compare;
pub mod display_units;
mod head;
mod read;
pub mod replay;
mod to_recorded_move;

pub use self::head::{Finder, Head};
pub use self::read::{RecordedTrace, TraceReadError, joints};
pub use self::to_recorded_move::PositionSource;

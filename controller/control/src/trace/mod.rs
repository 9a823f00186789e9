//! Traces: the recorded cycles of a motion. They are read, compared, and replayed on the simulated robot.
//!
//! Reading order: `read` (parses a file into a [`Taken`]), [`compare`], [`replay`], `moved` (converts a trace to a
//! recorded move), [`words`] and `head` (convert cycles to [`minismith_wire::recording`]).

pub mod compare;
mod head;
mod moved;
mod read;
pub mod replay;
pub mod words;

pub use self::head::{Finder, Head};
pub use self::moved::Of;
pub use self::read::{NotATrace, Taken, joints};

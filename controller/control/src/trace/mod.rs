//! What was kept of a motion, beat by beat: read, compared, and played again on the mock.
//!
//! Reading order: `read` (a file becomes a [`Taken`]), [`compare`] (how far two are apart), [`replay`], `moved` (a trace as a
//! recorded move), [`words`] and `head` (beats in the words of [`minismith_wire::recording`]).

pub mod compare;
mod head;
mod moved;
mod read;
pub mod replay;
pub mod words;

pub use self::head::{Finder, Head};
pub use self::moved::Of;
pub use self::read::{NotATrace, Taken, joints};

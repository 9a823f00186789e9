//! Files that a tool is given and files that it writes. The cage opens none: what is read is copied in beforehand, what
//! is written comes out piece by piece, and both are looked at here.
//!
//! Reading order: [`kind`] (which types there are), [`mod@inspect`] (what bytes are, and what can be said of them),
//! `text`, `table`, `document`, `media` (each type's own reading), [`input`] (from an argument to a job), [`output`] (from
//! pieces to files).
//!
//! All bytes here are somebody else's. Nothing that is read from them is a size to allocate or a place to look without a
//! check.

mod excerpt;
pub mod input;
pub mod inspect;
pub mod kind;
pub mod output;

mod document;
mod media;
mod table;
mod text;

#[cfg(test)]
mod tests;

pub use input::BadFile;
pub use kind::Kind;
pub use output::{Output, Outputs};

//! Files that a tool receives and files that it writes. The sandbox opens no file: inputs are copied in
//! beforehand and outputs come out piece by piece. This module checks both.
//!
//! Reading order:
//!
//! * [`kind`]: the known types;
//! * [`mod@inspect`]: the type and properties of bytes;
//! * `text`, `table`, `document`, `media`: the readers of each type;
//! * [`input`]: from an argument to a job;
//! * [`output`]: from pieces to files.
//!
//! All bytes here are untrusted. No number that is read from them becomes an allocation size or an offset
//! without a check.

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

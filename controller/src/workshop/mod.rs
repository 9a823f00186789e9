//! The workshop: where a tool is drafted, read, rehearsed and admitted.
//!
//! Reading order: [`finding`] (what a reader of a tool may say), [`draft`] (the exact bytes of one tool), [`policy`]
//! (reads a draft and never runs it), [`manifest`] (what is written beside an admitted tool).

pub mod draft;
pub mod finding;
pub mod manifest;
pub mod policy;

//! Composes a tool from a person's request in ordinary English, without a language model.
//!
//! A request is split into words, phrases get their meaning from tables, clauses become acts, and acts become the steps
//! of a [`Score`]. A clause that is not understood is named, and the rest is offered. Reading order: `words`, `tag`,
//! `lexicon`, `tagger`, `clause`, `act`, `build`, `arrange`, `emit`, `compose`, `modify`. Whether a text asks for a tool, and how
//! it calls it, tell `request_kind`, `opening`, `sayings` and `keeping`.

mod act;
mod arrange;
mod build;
mod clause;
mod compose;
mod described;
mod emit;
mod feelings;
mod figures;
mod guard;
mod keeping;
mod lexicon;
mod library;
mod modify;
mod name;
mod opening;
mod request_kind;
mod sayings;
mod tag;
mod tagger;
#[cfg(test)]
mod tests;

mod words;

pub use compose::{Composed, Declined, Outcome, compose, given_name, narrowed};
pub use library::{Known, Library, NoLibrary};
pub use minismith_score::Score;
pub use modify::modify;
pub use opening::plain_request;
pub use request_kind::{is_correction, is_lasting_reaction, is_reactive, is_tool_request};

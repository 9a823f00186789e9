//! Reads from a person's request alone what a motion must do, and judges a measured motion by it.
//!
//! The reader knows nothing of the code that serves the request, and shares nothing with what writes it, so a
//! misunderstanding of one is seen by the other. Reading order:
//!
//! * `tokens`, `lexicon`, `meaning`, `phrases` and `atoms`: words and what they mean.
//! * `clause`: one verb with what belongs to it.
//! * `aims`: the axes that a verb with a part and a direction can mean.
//! * `reading` and `reader`: what moves, how often, how far, in which order, and what does not move.
//! * `conflict`: what can't be.
//! * `emit`: the expectations.
//! * [`Contract`]: the result, and the verdict about a motion.

mod account;
mod aims;
mod alternative;
mod atoms;
mod clause;
mod conflict;
mod contract;
mod emit;
mod lexicon;
mod meaning;
mod phrases;
mod reader;
mod reading;
#[cfg(test)]
mod tests;
mod tokens;

pub use account::{Account, Accounted};
pub use contract::{Contract, Verdict};

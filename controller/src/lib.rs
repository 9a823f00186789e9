//! The program `minismith`: the command line, and what only it does: measure, and export datasets.
//!
//! Reading order: `main` and `cli` (one module for each command), [`mod@bench`] (measures against the official packages),
//! [`datasets`] (makes the videos of a dataset). All else lies in the crates beside this one.

pub mod bench;
pub mod datasets;

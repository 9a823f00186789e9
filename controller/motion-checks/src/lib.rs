//! Checks that people write of what a motion must do, and their judgement of a recorded motion.
//!
//! The checks are independent of the program that they judge. They read a recorded motion and the case's own data, and
//! share no code with what understands requests, writes tools or derives expectations.
//!
//! Reading order: [`axis`], [`trace`], [`signal`], [`cases`], [`checks`], [`effects`], [`judge`], [`sentences`].

pub mod axis;
pub mod cases;
pub mod checks;
pub mod effects;
pub mod finding;
pub mod judge;
pub mod sentences;
pub mod signal;
#[cfg(test)]
mod tests;
pub mod trace;

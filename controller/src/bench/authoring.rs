//! The cases of `tests/cases/authoring.yaml` and their checks: whether the measured motion of a tool that was made
//! from a request is what the request says.
//!
//! The checks are independent of the program that they judge. They read a recorded motion and the case's own data, and
//! share no code with what understands requests, writes tools or derives expectations.
//!
//! Reading order: [`cases`], [`trace`], [`checks`], [`judge`], [`harness`] (has a conversation make each tool, and
//! measures it).

pub mod axis;
pub mod cases;
pub mod checks;
pub mod effects;
pub mod finding;
pub mod harness;
pub mod judge;
pub mod signal;
#[cfg(test)]
mod tests;
pub mod trace;

//! The cases of `tests/cases/authoring.yaml`: whether the measured motion of a tool that was made from a request is what
//! the request says.

pub mod harness;
#[cfg(test)]
mod stimuli_tests;

//! Whole-system tests.

mod official_motor;
mod guest;
mod policy;
mod sentences;

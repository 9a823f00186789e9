//! Whole-system tests.

mod bus;
mod official_motor;
mod guest;
mod policy;
mod sentences;

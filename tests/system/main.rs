//! Whole-system tests.

mod bus;
mod guest;
mod official_motor;
mod policy;
mod sentences;

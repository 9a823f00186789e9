//! The mind.

pub mod config;

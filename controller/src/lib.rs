//! The mind.

pub mod config;
pub mod guest;
pub mod processes;
pub mod workshop;
pub mod author;
pub mod brain;
pub mod doctor;

//! Old spellings that are still read: one table per interface, from the old name to the new one.
//!
//! The code that reads an interface takes its old names from here and from nowhere else, so that a table is complete and
//! can be deleted in one piece.

pub mod command_line;
pub mod config;
pub mod files;
pub mod http;
pub mod metrics;

//! What a tool is, and what can be known of it without running it.

pub mod arguments;
pub mod digest;
pub mod draft;
pub mod files;
pub mod finding;
pub mod manifest;
pub mod margins;
pub mod policy;
pub mod report;
pub mod samples;
pub mod submission;

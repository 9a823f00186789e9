//! Takes tools from a draft to a registered version, and runs them in the sandbox.

pub mod guest;
pub mod performance;
pub mod repl;
pub mod workshop;

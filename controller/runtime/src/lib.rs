//! What the rest of the controller stands on: configuration, roles, reports, the journal, logs, network and subprocesses.

pub mod agent_spec;
pub mod bounded;
pub mod chance;
pub mod config;
pub mod journal;
pub mod logs;
pub mod net;
pub mod outcome;
pub mod processes;
pub mod role;
pub mod tokens;

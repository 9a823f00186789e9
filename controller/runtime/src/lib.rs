//! What the rest of the controller stands on: configuration, roles and tokens, reports, the journal, logs, the network
//! and subprocesses.
//!
//! Reading order: [`config`] (the keys of `config.yaml` as typed values), [`agent_spec`] (agents as the configuration describes
//! them), [`role`] and [`tokens`] (who may do what), [`outcome`] (what a motion or a turn reports), [`journal`] (one JSON line for
//! each thing that was asked and done), [`logs`] (stderr, a file, OpenTelemetry spans). Doors: [`processes`] starts every process,
//! [`net`] opens every listener and connection. Helpers: [`bounded`], [`chance`].
//!
//! # Configuration
//!
//! `config::file` lists the keys, and the type of each value judges the text where it stands, so an error names its line.
//! `config::resolve` fills in what was left out from the built-in `config.yaml` and turns degrees, milliseconds and relative paths
//! into `Radians`, `Duration` and absolute paths. Nothing is checked again after that.
//!
//! # Identifiers and spans
//!
//! A request has one id. It is the id of its journal entries and the field `id` of its outermost span. Spans carry ids, names,
//! kinds of motion, outcomes and times; the text of a request is only in the journal, and secrets are nowhere. A span goes along
//! when work moves to another thread, but never into the control loop. The exporter's queue and sender are written here because
//! sending goes through [`net`], nothing may wait for it, and what it drops has to be counted.
//!
//! # Journal
//!
//! Lines are written under a file lock, all of a batch or none. The checksum is the last key, so any JSON reader can read a line.
//! Entries are numbered within a run of the program, so a missing entry shows. Tokens are 256 random bits, of which the file keeps
//! the SHA-256; the file is read again when it changes.

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

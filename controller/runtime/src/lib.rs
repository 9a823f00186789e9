//! The foundation of the other crates: configuration, roles and tokens, reports, the journal, logs, the network and
//! subprocesses.
//!
//! Reading order: [`paths`] (where files are), [`config`] (the keys of `config.yaml` as typed values), [`agent_spec`] (agents in the configuration),
//! [`role`] and [`tokens`] (permissions), [`report`] (reports of motions and turns), [`journal`] (one JSON line per
//! request and action), [`logs`] (stderr, a file, OpenTelemetry spans). [`subprocess`] starts every process, [`child_program`] those that live as long as the server, and [`net`]
//! opens every listener and connection. Helpers: [`bounded`], [`chance`], [`rate_limiter`].
//!
//! # Configuration
//!
//! `config::file` lists the keys, and the type of each value validates its text, so an error names its line.
//! `config::resolve` takes missing keys from the built-in `config.yaml`. It converts degrees, milliseconds and relative
//! paths into `Radians`, `Duration` and absolute paths. Nothing is checked again after that.
//!
//! # Identifiers and spans
//!
//! A request has one id. It is the id of its journal entries and the field `id` of its outermost span. Spans carry ids,
//! names, kinds of motion, outcomes and times; the text of a request is only in the journal, and secrets are nowhere. A
//! span follows its work to another thread, but never into the control loop. The exporter's queue and sender are
//! implemented here because sending goes through [`net`], no thread may wait for it, and dropped spans are counted.
//!
//! # Journal
//!
//! A batch of lines is written under a file lock, completely or not at all. The checksum is the last key, so any JSON
//! reader can read a line. Entries are numbered within a process, so a missing entry is detected. Tokens are 256 random
//! bits, and the file stores their SHA-256; it is read again when it changes.

pub mod agent_spec;
pub mod bounded;
pub mod chance;
pub mod child_program;
pub mod config;
pub mod journal;
pub mod logs;
pub mod net;
pub mod paths;
pub mod rate_limiter;
pub mod report;
pub mod role;
pub mod subprocess;
pub mod tokens;

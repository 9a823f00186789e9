//! Whole-system tests.

// All of this is test code; a helper may panic as a test may.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod agents;
mod attack_coverage;
mod auth;
mod bench;
mod browser;
mod bus;
mod chat;
mod cli;
mod code;
mod control_loop;
mod dances;
mod dashboard;
mod data;
mod dataset_export;
mod detectors;
mod determinism;
mod docs;
mod files;
mod gaze;
mod guest;
mod hardware_cli;
mod imports;
mod injection;
mod journal_and_traces;
mod kill;
mod mcp;
mod model;
mod official_api;
mod official_daemon;
mod official_motor;
mod old_files;
mod old_names;
mod openai_client;
mod openapi;
mod parsers;
mod policy;
mod realtime_under_load;
mod registry;
mod repl;
mod replays;
mod report;
mod repository_rules;
mod rest_api;
mod sentences;
mod server_fixture;
mod similar_tools;
mod small_model;
mod toolkits;
mod tools;
mod tracing_export;
mod viewer;
mod voice;
mod voice_websocket;

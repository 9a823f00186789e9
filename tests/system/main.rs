//! Whole-system tests.

// All of this is test code; a helper may panic as a test may.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod bench;
mod browser;
mod bus;
mod chat;
mod cli;
mod code;
mod dances;
mod dashboard;
mod data;
mod docs;
mod engineer;
mod files;
mod gate;
mod gaze;
mod guest;
mod house;
mod imports;
mod injection;
mod kept;
mod kill;
mod likeness;
mod live;
mod mcp;
mod mind;
mod model;
mod official_daemon;
mod official_motor;
mod official_wire;
mod old_files;
mod old_names;
mod openai_client;
mod openapi;
mod own_api;
mod parsers;
mod policy;
mod pulse;
mod recorded;
mod registry;
mod repl;
mod replays;
mod report;
mod rhythm;
mod score;
mod sentences;
mod served;
mod sight;
mod spans;
mod streams;
mod toolkits;
mod tools;
mod viewer;
mod voice;
mod voice_ws;

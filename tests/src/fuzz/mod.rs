//! Fuzzing targets: what Minismith reads from outside, each as a function of any bytes. `tests/fuzz` drives these functions,
//! and `make test` replays its corpus through them.
//!
//! - [`tools`]: a tool's source, and the messages of a running tool
//! - [`robot`]: what servos answer, on a disturbed line
//! - [`files`]: configuration, signed bundles, traces, recorded moves, the journal, images and sounds
//! - [`text`]: sentences, and steps that a language model writes
//! - [`server`]: requests, and messages of MCP, of OpenAI chat and of WebSockets

pub mod files;
pub mod robot;
pub mod server;
pub mod text;
pub mod tools;

/// Reads some bytes.
pub type Target = fn(&[u8]);

/// All targets by name, in the order in which they run.
pub const TARGETS: [(&str, Target); 16] = [
    ("policy", tools::policy),
    ("wire", tools::wire),
    ("bus", robot::bus),
    ("configuration", files::configuration),
    ("bundle", files::bundle),
    ("trace", files::trace),
    ("recorded_move", files::recorded_move),
    ("image", files::image),
    ("sound", files::sound),
    ("sentence", text::sentence),
    ("steps", text::steps),
    ("journal", files::journal),
    ("rest", server::rest),
    ("openai", server::openai),
    ("mcp", server::mcp),
    ("socket", server::socket),
];

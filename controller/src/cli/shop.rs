//! Sets up what commands share: the workshop and the body.

use minismith_assistant::conversation::Mind;
use minismith_assistant::memory::Memory;
use minismith_assistant::model::Client;
use minismith_control::body::Body;
use minismith_runtime::config::Config;
use minismith_runtime::journal::JournalThread;
use minismith_toolchain::workshop::Workshop;

use super::OnRobot;

/// The workshop of the configuration.
pub fn workshop(config: &Config) -> anyhow::Result<Workshop> {
    Ok(Workshop::open(config)?)
}

/// The journal, for what is done without a body. What was noted is written when this is dropped.
pub fn journal(config: &Config) -> anyhow::Result<JournalThread> {
    Ok(JournalThread::start(&config.recording.journal)?)
}

/// The body that the command line or the configuration names; all that it does is kept.
pub fn body(config: &Config, on: &OnRobot) -> anyhow::Result<Body> {
    Ok(Body::open_and_keep(on.robot.as_ref().unwrap_or(&config.robot), config)?)
}

/// What a conversation thinks with, where the configuration names a language model.
pub fn mind(config: &Config) -> anyhow::Result<Option<Mind>> {
    Ok(Client::configured(config)?.map(|client| Mind::new(config, Box::new(client))))
}

/// The file of sessions, without those that are too old.
pub fn memory(config: &Config) -> anyhow::Result<Memory> {
    Ok(Memory::of(config)?)
}

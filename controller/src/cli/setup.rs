//! Sets up what commands share: the workshop and the robot.

use minismith_assistant::conversation::Mind;
use minismith_assistant::memory::Memory;
use minismith_control::robot::RobotRuntime;
use minismith_language_model::Client;
use minismith_runtime::config::Config;
use minismith_runtime::journal::JournalThread;
use minismith_toolchain::workshop::Workshop;

use super::OnRobot;

/// Returns the workshop of the configuration.
pub fn workshop(config: &Config) -> anyhow::Result<Workshop> {
    Ok(Workshop::open(config)?)
}

/// Opens the journal, for commands without a robot. Dropping it writes pending entries.
pub fn journal(config: &Config) -> anyhow::Result<JournalThread> {
    Ok(JournalThread::start(&config.recording.journal)?)
}

/// Opens the robot of the command line or the configuration; its actions are recorded.
pub fn body(config: &Config, on: &OnRobot) -> anyhow::Result<RobotRuntime> {
    Ok(RobotRuntime::open_recorded(on.robot.as_ref().unwrap_or(&config.robot), config)?)
}

/// Returns the language model and the agents, where the configuration names a model.
pub fn mind(config: &Config) -> anyhow::Result<Option<Mind>> {
    Ok(Client::configured(config)?.map(|client| Mind::new(config, Box::new(client))))
}

/// Opens the session database, without expired sessions.
pub fn memory(config: &Config) -> anyhow::Result<Memory> {
    Ok(Memory::of(config)?)
}

//! `session`: stored conversations.

use clap::Subcommand;
use minismith_assistant::memory::{Memory, MemoryError};
use minismith_runtime::config::Config;

use super::{CommandStatus, print, setup};

/// Commands for sessions.
#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// List the sessions, the last used first.
    #[command(after_help = "Example:\n  minismith session list --json")]
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show the messages of a session.
    #[command(after_help = "Example:\n  minismith session show evening")]
    Show {
        /// Name of the session.
        name: String,
    },
    /// Export all data of a session as one JSON document.
    #[command(after_help = "Example:\n  minismith session export evening > evening.json")]
    Export {
        /// Name of the session.
        name: String,
    },
    /// Delete a session.
    #[command(after_help = "Example:\n  minismith session delete evening")]
    Delete {
        /// Name of the session.
        name: String,
    },
}

/// Runs the command.
pub fn run(config: &Config, command: SessionCommand) -> anyhow::Result<CommandStatus> {
    let memory = setup::memory(config)?;
    let done = match command {
        SessionCommand::List { json } => list(&memory, json),
        SessionCommand::Show { name } => show(&memory, &name),
        SessionCommand::Export { name } => {
            memory.export(&name).map(|document| print::line(&document.to_string()))
        }
        SessionCommand::Delete { name } => {
            memory.delete(&name).map(|()| print::line(&format!("The session {name} is forgotten.")))
        }
    };
    match done {
        Ok(()) => Ok(CommandStatus::Success),
        // An unknown name is a result, not an error of the machine.
        Err(error @ (MemoryError::NoSession { .. } | MemoryError::InvalidName { .. })) => {
            eprintln!("minismith: {error}");
            Ok(CommandStatus::Failure)
        }
        Err(error) => Err(error.into()),
    }
}

fn list(memory: &Memory, json: bool) -> Result<(), MemoryError> {
    let entries = memory.list()?;
    if json {
        print::line(&serde_json::json!({ "sessions": entries }).to_string());
        return Ok(());
    }
    if entries.is_empty() {
        print::line("There are no sessions; `minismith chat --session NAME` begins one.");
    }
    for entry in entries {
        let first: String =
            entry.first.chars().map(|c| if c.is_control() { ' ' } else { c }).take(60).collect();
        print::line(&format!("{}  {} turns  {first}", entry.id, entry.turns));
    }
    Ok(())
}

fn show(memory: &Memory, name: &str) -> Result<(), MemoryError> {
    let document = memory.export(name)?;
    let turns = document.get("turns").and_then(serde_json::Value::as_array);
    for turn in turns.into_iter().flatten() {
        let text = |key: &str| turn.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        print::line(&format!("> {}\n{}", text("said"), text("answer")));
    }
    Ok(())
}

//! `journal`: requests, actions, decisions and rejections.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_runtime::config::Config;
use minismith_runtime::journal::{Entry, EntryFilter, Health, Lines, RotatingFile, latest, read};
use serde_json::json;

use super::{CommandStatus, print};

/// The polling interval for new entries.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Commands for the journal.
#[derive(Debug, Subcommand)]
pub enum JournalCommand {
    /// Show the latest entries, one line each.
    #[command(
        after_help = "Examples:\n  minismith journal tail -n 50\n  minismith journal tail --kind tool --follow\n  \
minismith journal tail --contains refused --since 2026-11-23T10 --json"
    )]
    Tail {
        /// Number of entries.
        #[arg(short = 'n', long, value_name = "NUMBER", default_value = "20")]
        lines: usize,
        /// Follow the journal until Ctrl-C.
        #[arg(short, long)]
        follow: bool,
        #[command(flatten)]
        which: Which,
        /// Print one JSON document. With --follow, print one per entry.
        #[arg(long)]
        json: bool,
    },
    /// Show all entries of one request in full.
    #[command(
        after_help = "Examples:\n  minismith journal show 3fa9c1\n  minismith journal show 3fa9c1 --json"
    )]
    Show {
        /// Id of the request or its first characters, as `journal tail` shows it.
        id: String,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Export all entries, including rotated files, as one JSON document per line.
    #[command(after_help = "Examples:\n  minismith journal export > journal.jsonl\n  \
minismith journal export --kind tool --to tools.jsonl\n  minismith journal export --since 2026-11 --json")]
    Export {
        /// File to write, which must not exist. Default: standard output.
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
        #[command(flatten)]
        which: Which,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Check for damaged lines and missing entries.
    #[command(after_help = "Examples:\n  minismith journal check\n  minismith journal check --json")]
    Check {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

/// A filter for entries.
#[derive(Debug, Args)]
pub struct Which {
    /// Only entries of this kind: http_request, message, utterance, question, step, tool, check, answer, robot, program.
    #[arg(long)]
    kind: Option<String>,
    /// Only entries of the request with this id, or an id that starts with it.
    #[arg(long)]
    id: Option<String>,
    /// Only entries of this user, token or agent.
    #[arg(long)]
    actor: Option<String>,
    /// Only entries that contain this text.
    #[arg(long, value_name = "TEXT")]
    contains: Option<String>,
    /// Only entries from this time on, UTC: 2026-11-23T10:15, or a prefix such as 2026-11.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only entries before this time.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

impl From<Which> for EntryFilter {
    fn from(which: Which) -> Self {
        let Which { kind, id, actor, contains, since, until } = which;
        EntryFilter { kind, id, who: actor, text: contains, since, until }
    }
}

/// Runs the command.
pub fn run(config: &Config, command: JournalCommand) -> anyhow::Result<CommandStatus> {
    let position = &config.recording.journal;
    match command {
        JournalCommand::Tail { lines, follow, which, json } => {
            let wanted = which.into();
            let (entries, health) = latest(position, &wanted, lines)?;
            if follow {
                entries.iter().try_for_each(|entry| print_entry(entry, json))?;
                return watch(position, &wanted, json);
            }
            print_entries(&entries, &health, json)?;
            Ok(CommandStatus::Success)
        }
        JournalCommand::Show { id, json } => {
            let wanted = EntryFilter { id: Some(id.clone()), ..EntryFilter::default() };
            let (entries, health) = latest(position, &wanted, usize::MAX)?;
            if entries.is_empty() {
                eprintln!("minismith: no journal entry has the id {id}; `minismith journal tail` shows ids");
                return Ok(CommandStatus::Failure);
            }
            if json {
                print_entries(&entries, &health, true)?;
            } else {
                for entry in &entries {
                    print_entry(entry, false)?;
                    if !entry.detail.is_null() {
                        let detail = serde_json::to_string_pretty(&entry.detail)?;
                        detail
                            .lines()
                            .for_each(|line| print::line(&format!("    {}", print::harmless(line))));
                    }
                }
            }
            Ok(CommandStatus::Success)
        }
        JournalCommand::Export { to, which, json } => export(position, to, &which.into(), json),
        JournalCommand::Check { json } => {
            let health = read(position, |_| {})?;
            if json {
                print::json(&json!({ "file": position.path, "health": health }))?;
            } else {
                print_health(position, &health);
            }
            Ok(CommandStatus::when(health.damaged == 0 && health.missing == 0))
        }
    }
}

fn print_entries(entries: &[Entry], health: &Health, json: bool) -> anyhow::Result<()> {
    if json {
        return print::json(&json!({ "entries": entries, "health": health }));
    }
    if entries.is_empty() {
        print::line("Nothing of that kind is in the journal.");
    }
    entries.iter().try_for_each(|entry| print_entry(entry, false))?;
    if health.damaged + health.missing > 0 {
        print::line("Parts of it are damaged or missing: see `minismith journal check`.");
    }
    Ok(())
}

/// Formats an entry as one line. Foreign text cannot control the terminal.
fn print_entry(entry: &Entry, json: bool) -> anyhow::Result<()> {
    if json {
        print::line(&serde_json::to_string(entry)?);
        return Ok(());
    }
    let id = entry.id.as_deref().and_then(|id| id.get(..8)).unwrap_or("-");
    let context = entry.robot_time_s.map_or_else(String::new, |seconds| format!(" {seconds:.2}s"));
    let Entry { at, kind, actor: who, action: what, outcome, .. } = entry;
    let line = format!("{at}{context} {id:8} {kind:12} {who}: {what} -> {outcome}");
    print::line(&print::harmless(&line.replace('\n', " ")));
    Ok(())
}

fn print_health(position: &RotatingFile, health: &Health) {
    let Health { entries, damaged, missing, lost, places } = health;
    print::line(&format!(
        "{}: {entries} entries, {damaged} damaged lines, {missing} missing, {lost} that could not be written",
        position.path.display()
    ));
    places.iter().for_each(|position| print::line(&format!("  damaged: {position}")));
}

fn export(
    position: &RotatingFile,
    to: Option<PathBuf>,
    wanted: &EntryFilter,
    json: bool,
) -> anyhow::Result<CommandStatus> {
    let mut entries = Vec::new();
    let health = read(position, |entry| {
        if wanted.takes(&entry) {
            entries.push(entry);
        }
    })?;
    if json && to.is_none() {
        print::json(&json!({ "entries": entries, "health": health }))?;
        return Ok(CommandStatus::Success);
    }
    match to {
        None => entries.iter().try_for_each(|entry| print_entry(entry, true))?,
        Some(path) => {
            let mut lines = Vec::new();
            for entry in &entries {
                lines.extend(entry.line()?);
            }
            let mut file = File::create_new(&path).map_err(|error| {
                anyhow::anyhow!("cannot write {}: {error}; choose another name", path.display())
            })?;
            file.write_all(&lines)?;
            file.sync_all()?;
            if json {
                print::json(&json!({ "file": path, "entries": entries.len(), "health": health }))?;
            } else {
                print::line(&format!("{}: {} entries", path.display(), entries.len()));
            }
        }
    }
    Ok(CommandStatus::Success)
}

/// Prints new entries until the program is ended.
fn watch(position: &RotatingFile, wanted: &EntryFilter, json: bool) -> anyhow::Result<CommandStatus> {
    let clock = MonotonicClock::start();
    let mut at = std::fs::metadata(&position.path).map_or(0, |about| about.len());
    loop {
        clock.wait_until(clock.now() + POLL_INTERVAL);
        let Ok(mut file) = File::open(&position.path) else { continue };
        let length = file.metadata()?.len();
        if length < at {
            // The file was rotated, and a new one begun.
            at = 0;
        }
        file.seek(SeekFrom::Start(at))?;
        let mut lines = Lines::new(BufReader::new(file));
        while let Some((_, line)) = lines.line()? {
            // An incomplete line is read the next time.
            let Some(entry) = Entry::of_line(&line) else { break };
            at += line.len() as u64 + 1;
            if wanted.takes(&entry) {
                print_entry(&entry, json)?;
            }
        }
    }
}

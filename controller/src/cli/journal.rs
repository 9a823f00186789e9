//! `journal`: what was asked, done, decided and refused.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use firmware_bridge::clock::{Clock, WallClock};
use minismith_runtime::config::Config;
use minismith_runtime::journal::{Entry, Health, Lines, Place, Wanted, latest, read};
use serde_json::json;

use super::{Done, print};

/// How often it is looked whether something was added.
const LOOK: Duration = Duration::from_millis(200);

/// What to do with the journal.
#[derive(Debug, Subcommand)]
pub enum JournalCommand {
    /// The latest entries, a line each.
    #[command(
        after_help = "Examples:\n  minismith journal tail -n 50\n  minismith journal tail --kind tool --follow\n  \
minismith journal tail --text refused --since 2026-11-23T10 --json"
    )]
    Tail {
        /// How many.
        #[arg(short = 'n', long, value_name = "NUMBER", default_value = "20")]
        lines: usize,
        /// Go on with what is added, until Ctrl-C.
        #[arg(short, long)]
        follow: bool,
        #[command(flatten)]
        which: Which,
        /// Print one JSON document; with --follow one for each entry.
        #[arg(long)]
        json: bool,
    },
    /// All that belongs to one request, in full.
    Show {
        /// Its id, or the beginning of it, as `journal tail` tells it.
        id: String,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Everything, also what was put aside: one JSON document a line, or with --json one in all.
    #[command(after_help = "Examples:\n  minismith journal export > journal.jsonl\n  \
minismith journal export --kind tool --to tools.jsonl\n  minismith journal export --since 2026-11 --json")]
    Export {
        /// Into this file, which must not be there.
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
        #[command(flatten)]
        which: Which,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Whether it is whole: lines that are damaged, entries that are missing.
    Check {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

/// Which entries.
#[derive(Debug, Args)]
pub struct Which {
    /// Of this kind: http_request, message, utterance, question, step, tool, check, answer, robot, program.
    #[arg(long)]
    kind: Option<String>,
    /// Of the request with this id, or one that begins so.
    #[arg(long)]
    id: Option<String>,
    /// From this person, token or agent.
    #[arg(long)]
    who: Option<String>,
    /// With these words in them.
    #[arg(long)]
    text: Option<String>,
    /// From this moment on, UTC: 2026-11-23T10:15, or the beginning of one.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Before this moment.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

impl From<Which> for Wanted {
    fn from(which: Which) -> Self {
        let Which { kind, id, who, text, since, until } = which;
        Wanted { kind, id, who, text, since, until }
    }
}

/// Carries it out.
pub fn run(config: &Config, command: JournalCommand) -> anyhow::Result<Done> {
    let place = &config.kept.journal;
    match command {
        JournalCommand::Tail { lines, follow, which, json } => {
            let wanted = which.into();
            let (entries, health) = latest(place, &wanted, lines)?;
            if follow {
                entries.iter().try_for_each(|entry| tell(entry, json))?;
                return watch(place, &wanted, json);
            }
            tell_all(&entries, &health, json)?;
            Ok(Done::Well)
        }
        JournalCommand::Show { id, json } => {
            let wanted = Wanted { id: Some(id.clone()), ..Wanted::default() };
            let (entries, health) = latest(place, &wanted, usize::MAX)?;
            if entries.is_empty() {
                eprintln!(
                    "minismith: nothing in the journal has the id {id}; `minismith journal tail` tells ids"
                );
                return Ok(Done::Badly);
            }
            if json {
                tell_all(&entries, &health, true)?;
            } else {
                for entry in &entries {
                    tell(entry, false)?;
                    if !entry.detail.is_null() {
                        let detail = serde_json::to_string_pretty(&entry.detail)?;
                        detail
                            .lines()
                            .for_each(|line| print::line(&format!("    {}", print::harmless(line))));
                    }
                }
            }
            Ok(Done::Well)
        }
        JournalCommand::Export { to, which, json } => export(place, to, &which.into(), json),
        JournalCommand::Check { json } => {
            let health = read(place, |_| {})?;
            if json {
                print::json(&json!({ "file": place.path, "health": health }))?;
            } else {
                tell_health(place, &health);
            }
            Ok(Done::when(health.damaged == 0 && health.missing == 0))
        }
    }
}

fn tell_all(entries: &[Entry], health: &Health, json: bool) -> anyhow::Result<()> {
    if json {
        return print::json(&json!({ "entries": entries, "health": health }));
    }
    if entries.is_empty() {
        print::line("Nothing of that kind is in the journal.");
    }
    entries.iter().try_for_each(|entry| tell(entry, false))?;
    if health.damaged + health.missing > 0 {
        print::line("Parts of it are damaged or missing: see `minismith journal check`.");
    }
    Ok(())
}

/// One line of an entry. What came from outside can't drive the terminal.
fn tell(entry: &Entry, json: bool) -> anyhow::Result<()> {
    if json {
        print::line(&serde_json::to_string(entry)?);
        return Ok(());
    }
    let id = entry.id.as_deref().and_then(|id| id.get(..8)).unwrap_or("-");
    let stage = entry.stage_s.map_or_else(String::new, |seconds| format!(" {seconds:.2}s"));
    let Entry { at, kind, who, what, outcome, .. } = entry;
    let line = format!("{at}{stage} {id:8} {kind:12} {who}: {what} -> {outcome}");
    print::line(&print::harmless(&line.replace('\n', " ")));
    Ok(())
}

fn tell_health(place: &Place, health: &Health) {
    let Health { entries, damaged, missing, lost, places } = health;
    print::line(&format!(
        "{}: {entries} entries, {damaged} damaged lines, {missing} missing, {lost} that could not be written",
        place.path.display()
    ));
    places.iter().for_each(|place| print::line(&format!("  damaged: {place}")));
}

fn export(place: &Place, to: Option<PathBuf>, wanted: &Wanted, json: bool) -> anyhow::Result<Done> {
    let mut entries = Vec::new();
    let health = read(place, |entry| {
        if wanted.takes(&entry) {
            entries.push(entry);
        }
    })?;
    if json && to.is_none() {
        print::json(&json!({ "entries": entries, "health": health }))?;
        return Ok(Done::Well);
    }
    match to {
        None => entries.iter().try_for_each(|entry| tell(entry, true))?,
        Some(path) => {
            let mut lines = Vec::new();
            for entry in &entries {
                lines.extend(entry.line()?);
            }
            let mut file = File::create_new(&path).map_err(|error| {
                anyhow::anyhow!("{} can't be written: {error}; choose another name", path.display())
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
    Ok(Done::Well)
}

/// Tells what is added, until the program is ended.
fn watch(place: &Place, wanted: &Wanted, json: bool) -> anyhow::Result<Done> {
    let clock = WallClock::start();
    let mut at = std::fs::metadata(&place.path).map_or(0, |about| about.len());
    loop {
        clock.wait_until(clock.now() + LOOK);
        let Ok(mut file) = File::open(&place.path) else { continue };
        let length = file.metadata()?.len();
        if length < at {
            // It was put aside, and a new one begun.
            at = 0;
        }
        file.seek(SeekFrom::Start(at))?;
        let mut lines = Lines::new(BufReader::new(file));
        while let Some((_, line)) = lines.line()? {
            // A line that is not ended yet is read the next time.
            let Some(entry) = Entry::of_line(&line) else { break };
            at += line.len() as u64 + 1;
            if wanted.takes(&entry) {
                tell(&entry, json)?;
            }
        }
    }
}

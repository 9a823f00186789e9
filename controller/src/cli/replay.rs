//! `replay`: plays a recorded motion on the mock, or rehearses a tool run of the journal again.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use minismith_control::recorded_move;
use minismith_control::recorder;
use minismith_control::trace::compare::{Comparison, compare};
use minismith_control::trace::replay::{ReplayTarget, replay};
use minismith_control::trace::{RecordedTrace, TraceReadError};
use minismith_runtime::config::Config;
use minismith_runtime::journal::{Entry, EntryFilter, latest};
use minismith_toolchain::workshop::reproduce::{Reproduction, Run, reproduce};
use serde_json::{Value, json};

use super::{CommandStatus, dataset, print, setup};

/// What to replay, and what to compare it with.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Trace, or recorded move in the official format. A name without a folder is also searched in `traces.directory`.
    #[arg(required_unless_present_any = ["id", "last_failed"], conflicts_with_all = ["id", "last_failed"])]
    file: Option<PathBuf>,
    /// Repeat the tool run of the request with this journal id.
    #[arg(long, conflicts_with = "last_failed")]
    id: Option<String>,
    /// Repeat the last tool run that failed.
    #[arg(long)]
    last_failed: bool,
    /// Simulated robot.
    #[arg(long, value_enum, default_value = "mock")]
    robot: ReplayRobot,
    /// Compare with this trace, and run nothing.
    #[arg(long, value_name = "FILE", requires = "file")]
    compare_with: Option<PathBuf>,
    /// Write the replay to this trace file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Convert the input trace to a recording for the Rerun viewer.
    #[arg(long, value_name = "FILE", requires = "file")]
    rrd: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// The simulated robot.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ReplayRobot {
    /// Inside this process, in virtual time.
    Mock,
    /// Emulated servos on a pseudo-terminal, in real time.
    MockBus,
}

/// Runs the replay, and prints its deviation from the recording.
pub fn run(config: &Config, arguments: &ReplayArgs) -> anyhow::Result<CommandStatus> {
    let Some(file) = &arguments.file else { return again(config, arguments) };
    let (path, taken) = read(config, file)?;
    if let Some(rrd) = &arguments.rrd {
        let bytes = recorder::record(taken.messages())?;
        recorded_move::NewFile::begin(rrd, false)?.finish(&bytes)?;
    }
    let on = match arguments.robot {
        ReplayRobot::Mock => ReplayTarget::Mock,
        ReplayRobot::MockBus => ReplayTarget::MockBus,
    };
    let other = match &arguments.compare_with {
        Some(against) => read(config, against)?.1,
        None => replay(&taken, on, config)?,
    };
    if let Some(out) = &arguments.out {
        keep(out, &other)?;
    }
    let comparison = compare(&taken, &other);
    if arguments.json {
        print::json(&json!({
            "file": path, "seconds": taken.seconds(), "whole": taken.is_whole, "comparison": comparison,
            "within": comparison.is_within(), "out": arguments.out, "rrd": arguments.rrd,
        }))?;
    } else {
        print::line(&format!("{}: {:.2} s", path.display(), taken.seconds()));
        print_comparison(&comparison);
        if !taken.is_whole {
            print::line("  whoever wrote it died: only what was written is there");
        }
    }
    Ok(CommandStatus::when(comparison.is_within()))
}

fn print_comparison(comparison: &Comparison) {
    print::line(&format!("  {comparison}"));
    if !comparison.is_within() {
        print::line(
            "  that is more than the way to the motors explains: the body was another, or the limits are",
        );
    }
}

/// Reads a trace, or a recorded move as a trace.
fn read(config: &Config, file: &Path) -> anyhow::Result<(PathBuf, RecordedTrace)> {
    let path = dataset::found(config, file);
    let shown = || path.display().to_string();
    match RecordedTrace::read(&path) {
        Ok(taken) => Ok((path, taken)),
        Err(TraceReadError::Io(error)) => Err(error).with_context(shown),
        // A recorded move is one JSON document.
        Err(no) => match recorded_move::read(&path) {
            Ok(moved) => Ok((
                path.clone(),
                minismith_control::trace::replay::planned(&moved, config).with_context(shown)?,
            )),
            Err(_) => bail!("{}: {no}", path.display()),
        },
    }
}

fn keep(out: &Path, taken: &RecordedTrace) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    for message in taken.messages() {
        serde_json::to_writer(&mut bytes, &message)?;
        bytes.push(b'\n');
    }
    Ok(recorded_move::NewFile::begin(out, false)?.finish(&bytes)?)
}

/// Rehearses a tool run again from its journal entry.
fn again(config: &Config, arguments: &ReplayArgs) -> anyhow::Result<CommandStatus> {
    let wanted =
        EntryFilter { kind: Some("tool".into()), id: arguments.id.clone(), ..EntryFilter::default() };
    let (entries, _) = latest(&config.recording.journal, &wanted, usize::MAX)?;
    let ended = |entry: &&Entry| entry.detail.get("outcome").is_some();
    let returned =
        |entry: &Entry| entry.detail.pointer("/outcome/ended").is_some_and(|ended| ended == "returned");
    let failed = |entry: &&Entry| !arguments.last_failed || !returned(entry);
    let Some(entry) = entries.iter().rev().filter(ended).find(failed) else {
        eprintln!(
            "minismith: the journal holds no such run of a tool; `minismith journal tail --kind tool` tells those that there are"
        );
        return Ok(CommandStatus::Failure);
    };
    let run: Run =
        serde_json::from_value(entry.detail.clone()).context("the journal entry is from another version")?;
    let workshop = setup::workshop(config)?;
    let redone = reproduce(&workshop, &run)?;
    let taken = redone.trace(&run, config);
    if let Some(out) = &arguments.out {
        keep(out, &taken)?;
    }
    let before = config
        .recording
        .traces
        .as_ref()
        .and_then(|folder| RecordedTrace::read(&folder.join(&run.trace)).ok());
    let comparison = before.map(|before| compare(&before, &taken));
    let Reproduction { repeated: again, same_motion, same_outcome } = &redone;
    if arguments.json {
        let was: &Value = &entry.detail;
        print::json(&json!({
            "at": entry.at, "was": was, "outcome": again.outcome, "command_digest": again.command_digest,
            "took_s": again.duration_s, "printed": again.printed, "same_motion": same_motion, "same_outcome": same_outcome,
            "comparison": comparison, "out": arguments.out,
        }))?;
    } else {
        print::line(&format!("{} v{} of {}, rehearsed again:", run.tool, run.version, entry.at));
        print::line(&print::harmless(&format!("  was: {}", serde_json::to_string(&run.outcome)?)));
        print::line(&print::harmless(&format!("  now: {}", serde_json::to_string(&again.outcome)?)));
        print::line(match (same_outcome, same_motion) {
            (true, true) => "  the same end, and the same motion to the bit",
            (true, false) => "  the same end, by another motion",
            (false, true) => "  another end, by the same motion",
            (false, false) => "  another end, by another motion",
        });
        if let Some(comparison) = &comparison {
            print_comparison(comparison);
        }
    }
    Ok(CommandStatus::when(*same_outcome))
}

//! `tool from-recording` and `run_dataset`: recordings as tools and as files for other programs.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, Subcommand, ValueEnum};
use firmware_bridge::joint::Joint;
use minismith::datasets::{
    DatasetError, Ffmpeg, McapReport, Options, Plan, Report, VideoEncoder, VideoError, write_mcap,
};
use minismith_analysis::submission::Submission;
use minismith_control::recorded_move::{self, NewFile, RecordedMove};
use minismith_control::trace::{
    Finder, PositionSource, RecordedTrace, TraceReadError, display_units, joints,
};
use minismith_runtime::config::Config;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::from_recording::{GeneratedTool, generate_tool};
use serde_json::json;

use super::{CommandStatus, admission, print};

/// The recording, and the tool to make of it.
#[derive(Debug, Args)]
pub struct FromRecordingArgs {
    /// Recorded move or trace. A name without a folder is also searched in `traces.directory`.
    file: PathBuf,
    /// Name of the tool.
    #[arg(long)]
    name: String,
    /// Description of the tool. Default: the description in the recording.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    description: String,
    /// Which positions of a trace to use.
    #[arg(long, value_enum, default_value = "goal")]
    positions: Which,
    /// Only write the source of the tool to this file, which must not exist.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Which positions of a trace.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Which {
    /// Goal positions.
    Goal,
    /// Measured positions.
    Present,
}

/// What to convert.
#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// Export traces as a LeRobot dataset (layout 2.1), one episode per trace.
    #[command(
        after_help = "If the traces contain images (`traces.camera_fps`), ffmpeg encodes them as videos.\n\
Examples:\n  minismith dataset export --all --to nods\n  \
minismith dataset export 20261123T101500.250-3fa9c1.trace.jsonl --to nod --fps 50 --json"
    )]
    Export {
        /// Traces. A name without a folder is also searched in `traces.directory`.
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        traces: Vec<PathBuf>,
        /// Export all stored traces, the oldest first.
        #[arg(long)]
        all: bool,
        /// Folder to create. It must not exist.
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
        /// Rows per second, 1 to 240.
        #[arg(long, value_name = "NUMBER", default_value = "30")]
        fps: u32,
        /// Leave out images.
        #[arg(long)]
        #[arg(id = "no_pictures", long = "no-pictures", value_name = "NO_PICTURES")]
        no_images: bool,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Convert a trace to an MCAP file, for Foxglove and other viewers.
    #[command(
        after_help = "Example:\n  minismith dataset convert-mcap 20261123T101500.250-3fa9c1.trace.jsonl --to nod.mcap"
    )]
    ConvertMcap {
        /// Trace. A name without a folder is also searched in `traces.directory`.
        trace: PathBuf,
        /// File to write. It must not exist.
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Convert a trace, or the result of the SDK's `stop_recording`, to a move in the official format.
    #[command(
        after_help = "Examples:\n  minismith dataset convert-move 20261123T101500.250-3fa9c1.trace.jsonl --to nod.json\n  \
minismith dataset convert-move frames.json --to nod.json --description \"a slow nod\""
    )]
    ConvertMove {
        /// Trace, list of frames, or recorded move.
        file: PathBuf,
        /// File to write. It must not exist.
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
        /// Which positions of a trace to use.
        #[arg(long, value_enum, default_value = "goal")]
        positions: Which,
        /// Maximum number of frames per second, 1 to 200.
        #[arg(long, value_name = "HZ", default_value = "100", value_parser = clap::value_parser!(u32).range(1..=200))]
        rate: u32,
        /// Description of the move. Default: the description in the file.
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        description: String,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

impl From<Which> for PositionSource {
    fn from(which: Which) -> Self {
        match which {
            Which::Goal => PositionSource::Goal,
            Which::Present => PositionSource::Present,
        }
    }
}

/// Frames per second of a tool.
const TOOL_RATE: f64 = 50.0;

/// Creates a tool from a recording.
pub fn run(
    config: &Config,
    workshop: &Workshop,
    arguments: &FromRecordingArgs,
) -> anyhow::Result<CommandStatus> {
    let FromRecordingArgs { file, name, description, positions, out, json } = arguments;
    let retold = match moved(config, file, (*positions).into(), TOOL_RATE)
        .map(|moved| generate_tool(&moved, name, description))
    {
        Ok(Ok(retold)) => retold,
        Ok(Err(refusal)) => return refused(*json, &refusal.to_string()),
        Err(MoveConversionError::Refused(refusal)) => return refused(*json, &refusal),
        Err(MoveConversionError::Environment(error)) => return Err(error),
    };
    let GeneratedTool { source, frames, tolerance, seconds } = &retold;
    eprintln!(
        "minismith: {} as {frames} frames over {seconds:.2} s; between them it differs by {tolerance:.2} mm or degrees at most",
        file.display()
    );
    if let Some(out) = out {
        NewFile::begin(out, false)?.finish(source.as_bytes())?;
        if *json {
            let tolerance = (tolerance * 1e4).round() / 1e4;
            print::json(
                &json!({ "file": out, "frames": frames, "seconds": seconds, "tolerance": tolerance }),
            )?;
        } else {
            print::line(&format!("{}: check it with `minismith tool check`", out.display()));
        }
        return Ok(CommandStatus::Success);
    }
    let submission =
        Submission { name: name.clone(), main: source.clone().into_bytes(), ..Submission::default() };
    admission::accept(
        config,
        workshop,
        &PathBuf::from(format!("{name}.py")),
        &submission.from(admission::origin()),
        *json,
    )
}

/// Exports recordings to files for other programs.
pub fn run_dataset(config: &Config, command: DatasetCommand) -> anyhow::Result<CommandStatus> {
    match command {
        DatasetCommand::Export { traces, all, to, fps, no_images, json } => {
            let traces =
                if all { stored(config)? } else { traces.iter().map(|name| found(config, name)).collect() };
            let options = Options { fps, images: !no_images, ..Options::default() };
            match export(&traces, options, &to) {
                Ok(report) => {
                    reported(&report, &to, json)?;
                    Ok(CommandStatus::Success)
                }
                Err(error) => match error.downcast::<DatasetError>()? {
                    error @ (DatasetError::Output { .. } | DatasetError::Input { .. }) => Err(error.into()),
                    refusal => refused(json, &refusal.to_string()),
                },
            }
        }
        DatasetCommand::ConvertMcap { trace, to, json } => match convert_mcap(&found(config, &trace), &to) {
            Ok(report) => {
                if json {
                    print::json(&json!({ "file": to, "report": report }))?;
                } else {
                    let messages: u64 = report.topics.values().sum();
                    let end = if report.complete { "" } else { "; the trace ended early or lost messages" };
                    print::line(&format!(
                        "{}: {messages} messages of {} topics{end}",
                        to.display(),
                        report.topics.len()
                    ));
                }
                Ok(CommandStatus::Success)
            }
            Err(error @ (DatasetError::Output { .. } | DatasetError::Input { .. })) => Err(error.into()),
            Err(refusal) => refused(json, &refusal.to_string()),
        },
        DatasetCommand::ConvertMove { file, to, positions, rate, description, json } => {
            let begun = NewFile::begin(&to, false)?;
            let moved = match moved(config, &file, positions.into(), rate.into()) {
                Ok(moved) => moved,
                Err(MoveConversionError::Refused(refusal)) => return refused(json, &refusal),
                Err(MoveConversionError::Environment(error)) => return Err(error),
            };
            let moved = if description.is_empty() { moved } else { moved.described(description) };
            begun.finish(&moved.to_json()?)?;
            let (frames, seconds) = (moved.count(), moved.duration().as_secs_f64());
            if json {
                print::json(&json!({ "file": to, "frames": frames, "seconds": seconds }))?;
            } else {
                let name = to.display();
                print::line(&format!(
                    "{name}: {frames} frames over {seconds:.2} s; play it with `minismith play {name}`"
                ));
            }
            Ok(CommandStatus::Success)
        }
    }
}

/// Converts a trace to an MCAP file, with the poses of the head.
fn convert_mcap(trace: &Path, to: &Path) -> Result<McapReport, DatasetError> {
    let (mut goal, mut present) = (Finder::default(), Finder::default());
    write_mcap(trace, to, &mut |cycle| {
        // A trace of another robot has other motors.
        if cycle.goal_deg.len() == Joint::ALL.len() {
            cycle.goal_head = goal.find(&joints(&cycle.goal_deg)).as_ref().map(display_units::head);
            cycle.present_head = present.find(&joints(&cycle.present_deg)).as_ref().map(display_units::head);
        }
    })
}

fn export(traces: &[PathBuf], options: Options, to: &Path) -> anyhow::Result<Report> {
    let plan = Plan::read(traces, options)?;
    let report = plan.report();
    eprintln!("minismith: {} episodes of {:.1} s in all", report.episodes, report.seconds);
    let mut film: Box<dyn VideoEncoder> = match plan.video_size() {
        None => Box::new(VideoError),
        Some(_) => Box::new(Ffmpeg::find()?),
    };
    Ok(plan.write(to, film.as_mut())?)
}

fn reported(report: &Report, to: &Path, json: bool) -> anyhow::Result<()> {
    if json {
        return print::json(&json!({ "dataset": to, "report": report }));
    }
    let Report { episodes, frames, seconds, videos, notes, .. } = report;
    print::line(&format!(
        "{}: {episodes} episodes, {frames} rows, {seconds:.1} s, {videos} videos; LeRobot reads it (layout 2.1)",
        to.display()
    ));
    notes.iter().for_each(|note| print::line(&print::harmless(&format!("  {note}"))));
    Ok(())
}

/// Why there is no move.
enum MoveConversionError {
    /// The file is no recording.
    Refused(String),
    /// The file cannot be read.
    Environment(anyhow::Error),
}

/// Reads a trace or a recorded move as a move.
fn moved(
    config: &Config,
    file: &Path,
    of: PositionSource,
    rate: f64,
) -> Result<RecordedMove, MoveConversionError> {
    let path = found(config, file);
    let shown = path.display();
    match RecordedTrace::read(&path) {
        Ok(taken) => taken
            .to_recorded_move(of, rate)
            .map_err(|why| MoveConversionError::Refused(format!("{shown}: {why}"))),
        Err(TraceReadError::Io(error)) => {
            Err(MoveConversionError::Environment(anyhow::Error::new(error).context(format!("{shown}"))))
        }
        // A recorded move is one JSON document.
        Err(no) => recorded_move::read(&path).map_err(|why| {
            let is_trace = path.to_string_lossy().ends_with(minismith_control::run_recorder::SUFFIX);
            let why = if is_trace { no.to_string() } else { why.to_string() };
            MoveConversionError::Refused(format!("{shown}: {why}"))
        }),
    }
}

/// Returns the path of this name, or of the stored trace.
pub(super) fn found(config: &Config, file: &Path) -> PathBuf {
    let stored = config.recording.traces.as_ref().map(|folder| folder.join(file));
    let is_name = file.components().count() == 1 && !file.exists();
    stored.filter(|_| is_name).unwrap_or_else(|| file.to_owned())
}

/// Returns all stored traces; their names begin with the time.
fn stored(config: &Config) -> anyhow::Result<Vec<PathBuf>> {
    let Some(folder) = &config.recording.traces else {
        bail!("no traces are stored: `traces.directory` is none")
    };
    let is_trace = |path: &PathBuf| path.to_string_lossy().ends_with(minismith_control::run_recorder::SUFFIX);
    let listed =
        std::fs::read_dir(folder).map_err(|error| anyhow::anyhow!("{}: {error}", folder.display()))?;
    let mut traces: Vec<PathBuf> =
        listed.filter_map(|entry| Some(entry.ok()?.path())).filter(is_trace).collect();
    traces.sort();
    Ok(traces)
}

fn refused(json: bool, refusal: &str) -> anyhow::Result<CommandStatus> {
    print::report_answer(json, Err::<(), String>(refusal.into()), |()| (json!(null), String::new()))
}

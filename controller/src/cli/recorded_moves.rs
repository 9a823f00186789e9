//! `record` and `play`: moves stored in files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use firmware_bridge::control_loop::{ControlMode, LoopClient, LoopCommand};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::motion::{Interpolation, MAX_DURATION, Motion, Ramps, Target};
use minismith_assistant::conversation::{Conversation, Reply, TurnOutcome};
use minismith_control::execution::ExecutionContext;
use minismith_control::recorded_move::{self, NewFile, RecordedMove, RecordedMoveError, Sampled, Sampling};
use minismith_control::robot::RobotRuntime;
use minismith_runtime::config::Config;
use minismith_runtime::report::{Step, merge};
use serde::Serialize;
use serde_json::json;

use super::{CommandStatus, OnRobot, interrupt, print, setup};

/// The recording, and the mode of the motors during it.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// File for the move.
    file: PathBuf,
    /// Duration of the recording, seconds. Default: until Ctrl-C, at most ten minutes.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,
    /// Frames per second, 1 to 100.
    #[arg(long, value_name = "HZ", default_value = "50", value_parser = rate)]
    rate: f64,
    /// Mode of the motors. Guide the robot by hand in the first two.
    #[arg(long, value_enum, value_name = "MODE", default_value = "position")]
    mode: RecordMode,
    /// Carry out this sentence and record it. Only with `--mode position`.
    #[arg(long = "say", value_name = "TEXT", conflicts_with = "seconds")]
    sentence: Option<String>,
    /// Description of the move, stored in the file. Default: the sentence of --say.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    description: String,
    /// Confirm that the head is supported, for `--mode torque-off`.
    #[arg(long)]
    yes: bool,
    /// Overwrite the file.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    on: OnRobot,
}

/// The move to play.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// Recorded move.
    file: PathBuf,
    /// Speed factor, 0.1 to 4.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = factor)]
    speed: f64,
    /// Record the actual motion to this file.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Overwrite the file of --record.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    on: OnRobot,
}

/// Frames per second in the file of `play --record`.
const PLAYED_RATE: f64 = 50.0;
/// After its last goal, the robot moves on a little: the recording continues for this long.
const AFTERWARDS: Duration = Duration::from_millis(200);

fn within(text: &str, least: f64, most: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("a number from {least} to {most} is allowed")),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    within(text, 0.1, MAX_DURATION.as_secs_f64()).map(Duration::from_secs_f64)
}

fn rate(text: &str) -> Result<f64, String> {
    within(text, 1.0, 100.0)
}

fn factor(text: &str) -> Result<f64, String> {
    within(text, 0.1, 4.0)
}

/// The mode of the motors during a recording. The JSON document has other names for two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
enum RecordMode {
    /// Disable torque. The head sinks: support it. Requires --yes.
    #[serde(rename = "released")]
    TorqueOff,
    /// The legs carry only the weight of the head.
    GravityCompensation,
    /// The motors hold their positions.
    #[serde(rename = "stiff")]
    Position,
}

/// Records until Ctrl-C, the end of the time, or the end of the sentence.
pub fn record(config: &Config, arguments: &RecordArgs) -> anyhow::Result<CommandStatus> {
    let RecordArgs { file, seconds, rate, mode, sentence, description, yes, force, on } = arguments;
    let mode = *mode;
    if mode != RecordMode::Position && sentence.is_some() {
        bail!("--say requires that the motors hold their positions; remove --mode");
    }
    if mode == RecordMode::TorqueOff && !yes {
        bail!("`--mode torque-off` disables torque, and the head sinks; support it and add --yes");
    }
    let workshop = sentence.as_ref().map(|_| setup::workshop(config)).transpose()?;
    let stored = NewFile::begin(file, *force).map_err(|error| advised(error, "--force"))?;
    let body = setup::body(config, on)?;
    if let Err(refusal) = hold_as(&mut body.execution_context(), mode) {
        return refused(on, file, &refusal);
    }
    let recorder =
        Recorder::start(&body, Sampling { rate: *rate, max_duration: seconds.unwrap_or(MAX_DURATION) })?;
    let mut reply: Option<Reply> = None;
    let sampled = match (sentence, &workshop) {
        (Some(sentence), Some(workshop)) => {
            interrupt::stop_epoch(body.handle())?;
            reply = Some(Conversation::new(&body, workshop).hear(sentence));
            pass(&mut body.execution_context(), AFTERWARDS);
            recorder.finish()?
        }
        _ => {
            recorder.end_on_interrupt()?;
            eprintln!("minismith: recording; Ctrl-C ends it");
            recorder.await_end()?
        }
    };
    if mode == RecordMode::GravityCompensation {
        // The robot holds the position to which it was guided.
        let mut handle = body.handle();
        handle.send_command(LoopCommand::ControlMode(ControlMode::Position));
        handle.wait(&|_| true);
    }
    if let Some(reply) = reply.as_ref().filter(|reply| reply.outcome != TurnOutcome::Done) {
        return refused(on, file, &reply.text);
    }
    let missed = sampled.missed;
    let description =
        if description.is_empty() { sentence.clone().unwrap_or_default() } else { description.clone() };
    let recording = match sampled.into_recording(description) {
        Ok(recording) => recording,
        Err(error) => return refused(on, file, &error.to_string()),
    };
    stored.finish(&recording.to_json()?)?;
    let (frames, seconds) = (recording.count(), recording.duration().as_secs_f64());
    if on.json {
        print::json(&json!({
            "file": file, "frames": frames, "seconds": seconds, "rate_hz": rate, "hold": mode, "missed": missed,
            "reply": reply,
        }))?;
    } else {
        let name = file.display();
        print::line(&format!(
            "{name}: {frames} frames in {seconds:.2} s; play it with `minismith play {name}`"
        ));
        if missed > 0 {
            print::line(&format!("  {missed} moments are missing: it could not be told where the head was"));
        }
        if mode == RecordMode::TorqueOff {
            print::line("  the motors are off; \"wake up\" drives them again");
        }
    }
    Ok(CommandStatus::Success)
}

/// Sets the motor mode from the next cycle.
fn hold_as(context: &mut ExecutionContext, mode: RecordMode) -> Result<(), String> {
    match mode {
        RecordMode::Position => Ok(()),
        RecordMode::TorqueOff => {
            eprintln!("minismith: the motors lose torque now; hold the head");
            context.torque(Joints::all(false)).map(|_| ()).map_err(|refusal| refusal.to_string())
        }
        RecordMode::GravityCompensation => {
            context.control.send_command(LoopCommand::ControlMode(ControlMode::GravityCompensation));
            let snapshot = context.control.wait(&|_| true);
            if snapshot.control_mode == ControlMode::GravityCompensation {
                return Ok(());
            }
            let why =
                snapshot.fault.map_or("this robot does not support its own head".into(), |f| f.to_string());
            Err(format!("no gravity compensation: {why}; use `--mode torque-off --yes` and support the head"))
        }
    }
}

/// Plays a move: goes to its first pose, then follows it.
pub fn play(config: &Config, arguments: &PlayArgs) -> anyhow::Result<CommandStatus> {
    let PlayArgs { file, speed, record, force, on } = arguments;
    let recording = match recorded_move::read(file) {
        Ok(recording) => recording,
        Err(RecordedMoveError::Unreadable(error)) => {
            return Err(error).with_context(|| format!("cannot read {}", file.display()));
        }
        Err(error) => return refused(on, file, &format!("{}: {error}", file.display())),
    };
    let stored = record.as_ref().map(|path| NewFile::begin(path, *force)).transpose();
    let stored = stored.map_err(|error| advised(error, "--force"))?;
    let body = setup::body(config, on)?;
    interrupt::stop_epoch(body.handle())?;
    let mut context = body.execution_context();
    if let Err(refusal) = playable(&mut context, &recording, *speed) {
        return refused(on, file, &refusal);
    }
    let doing = body.recorder().begin(&format!("play {}", file.display()));
    let mut steps = vec![tidied(context.carry_out("go to its beginning", &approach(&context, &recording)))];
    let mut sampled = None;
    if steps.iter().all(|step| step.refusal.is_none()) {
        let recorder = match &stored {
            None => None,
            Some(_) => {
                Some(Recorder::start(&body, Sampling { rate: PLAYED_RATE, max_duration: MAX_DURATION })?)
            }
        };
        let mut played = tidied(context.carry_out("play", &recording.motion(*speed)));
        pass(&mut context, AFTERWARDS);
        sampled = recorder.map(Recorder::finish).transpose()?;
        played.achieved = context.posture().map(|posture| (&posture).into()).or(played.achieved);
        steps.push(played);
    }
    doing.end(if steps.iter().all(|step| step.refusal.is_none()) { "done" } else { "refused" });
    if let (Some(stored), Some(sampled)) = (stored, sampled) {
        stored.finish(&sampled.into_recording(recording.description().to_owned())?.to_json()?)?;
    }
    let refusal = steps.iter().find_map(|step| step.refusal.clone());
    let (frames, seconds) = (recording.count(), recording.duration().div_f64(*speed).as_secs_f64());
    if on.json {
        print::json(&json!({
            "file": file, "description": recording.description(), "frames": frames, "seconds": seconds,
            "speed": speed, "steps": steps, "refusal": refusal, "recorded": record,
        }))?;
    } else {
        let name = file.display();
        match &refusal {
            None => print::line(&format!("{name}: {frames} frames were played in {seconds:.2} s")),
            Some(refusal) => print::line(&format!("{name} was not played to its end: {refusal}")),
        }
        for clamp in steps.iter().flat_map(|step| &step.clamps) {
            print::line(&format!("  trimmed: {clamp}"));
        }
    }
    Ok(CommandStatus::when(refusal.is_none()))
}

/// Checks that the whole move can be planned; otherwise returns the cause with the frame.
fn playable(context: &mut ExecutionContext, recording: &RecordedMove, speed: f64) -> Result<(), String> {
    let Err(refusal) = context.plan(&recording.motion(speed)) else { return Ok(()) };
    let over = context.control.period();
    let mut refused = |target| context.plan(&Motion::SetTarget { target, ramps: Ramps::all(over) }).err();
    let mut frames = recording.frames().enumerate();
    let culprit = frames.find(|(_, frame)| refused(Target::of(&frame.posture)).as_ref() == Some(&refusal));
    Err(match culprit {
        Some((position, frame)) => {
            format!("frame {position} (at {:.2} s): {refusal}", frame.at.as_secs_f64())
        }
        None => refusal.to_string(),
    })
}

/// Returns the path to the first pose of a move: no joint is faster than a radian per second on average.
fn approach(context: &ExecutionContext, recording: &RecordedMove) -> Motion {
    let there = joints_from_posture(recording.first()).unwrap_or_default();
    let here = context.control.snapshot().goal;
    let farthest = Joint::ALL.into_iter().map(|joint| (there[joint] - here[joint]).abs().value());
    let seconds = farthest.fold(0.0, f64::max).clamp(0.3, 4.0);
    Motion::Goto {
        target: Target::of(recording.first()),
        duration: Duration::from_secs_f64(seconds),
        interpolation: Interpolation::Minjerk,
    }
}

/// Merges clamps of the same joint and cause, since each frame has its own.
fn tidied(mut step: Step) -> Step {
    let mut clamps = Vec::new();
    step.clamps.drain(..).for_each(|clamp| merge(&mut clamps, clamp));
    Step { clamps, ..step }
}

fn pass(context: &mut ExecutionContext, time: Duration) {
    let until = context.control.robot_time() + time;
    context.advance_to(until);
}

fn refused(on: &OnRobot, file: &Path, refusal: &str) -> anyhow::Result<CommandStatus> {
    if on.json {
        print::json(&json!({ "file": file, "refusal": refusal }))?;
    } else {
        print::line(refusal);
    }
    Ok(CommandStatus::Failure)
}

fn advised(error: recorded_move::WriteError, flag: &str) -> anyhow::Error {
    match error {
        recorded_move::WriteError::Exists { .. } => anyhow::anyhow!("{error}, or add {flag}"),
        recorded_move::WriteError::Io { .. } => error.into(),
    }
}

/// A thread that samples while another thread moves the robot.
struct Recorder {
    done: Arc<AtomicBool>,
    thread: JoinHandle<Sampled>,
}

impl Recorder {
    fn start(body: &RobotRuntime, sampling: Sampling) -> anyhow::Result<Self> {
        let done = Arc::new(AtomicBool::new(false));
        let mut handle = body.handle();
        let thread = std::thread::Builder::new().name("recorder".into()).spawn({
            let done = done.clone();
            move || recorded_move::sample(&mut handle, sampling, &done)
        })?;
        Ok(Recorder { done, thread })
    }

    fn end_on_interrupt(&self) -> std::io::Result<()> {
        let done = self.done.clone();
        interrupt::on_interrupt(move || done.store(true, Ordering::Relaxed))
    }

    fn await_end(self) -> anyhow::Result<Sampled> {
        self.thread.join().map_err(|_| anyhow::anyhow!("the recording failed; please report it"))
    }

    fn finish(self) -> anyhow::Result<Sampled> {
        self.done.store(true, Ordering::Relaxed);
        self.await_end()
    }
}

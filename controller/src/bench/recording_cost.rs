//! `recording_off`, `recording_file` and `recording_viewer`: the cost of a robot that moves at 100 cycles per second
//! with 30 frames per second. The three rows are without a recording, with a trace and a recording, and with a viewer.
//! `recording_drops`: the messages that were not recorded or shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::control_loop::LoopClient;
use firmware_bridge::motion::{Interpolation, Motion, Target};
use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use minismith_protocol::trace_format::{Footer, Message};

use super::jitter::free_port;
use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_control::robot::RobotRuntime;
use minismith_runtime::config::{Config, RecordingConfig, RerunConfig, RobotChoice};
use minismith_runtime::journal::RotatingFile;
use minismith_runtime::net::loopback_client::LocalSession;
use minismith_runtime::subprocess;
use minismith_runtime::subprocess::Program;

pub(super) const NAMES: [&str; 4] =
    ["recording_off", "recording_file", "recording_viewer", "recording_drops"];

/// Frames per second.
const IMAGES_PER_SECOND: u32 = 30;

/// The timeout for a viewer to listen.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// The polling interval for that.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The recordings of a robot.
#[derive(Clone, Copy, PartialEq)]
enum By {
    None,
    File,
    Viewer,
}

/// The result.
struct Cost {
    /// Processor time per cycle in microseconds, including the recorder's.
    cycle_us: f64,
    /// Messages that were dropped.
    dropped: u64,
}

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    let [off, file, viewer, drops] = NAMES;
    let measured = |by, what: &str| {
        (context.progress)(&format!("a body in motion: {what}"));
        cost(context, by)
    };
    let bare = measured(By::None, "nothing is kept");
    let filed = measured(By::File, "a trace and a recording are written");
    let shown = measured(By::Viewer, "a viewer looks on");
    let dropped = match (&filed, &shown) {
        (Ok(filed), Ok(shown)) => Ok((filed.dropped + shown.dropped) as f64),
        (Err(failed), _) | (_, Err(failed)) => Err(failed.clone()),
    };
    let peer = bare.as_ref().ok().map(|cost| cost.cycle_us);
    let us = |cost: Result<Cost, Failed>| cost.map(|cost| cost.cycle_us);
    let against = |name, cost| Row::alone(name, "us", us(cost)).against(off, peer, Better::Lower);
    vec![
        Row::alone(off, "us", us(bare))
            .noting("processor time for each cycle of a moving robot, whose camera draws its scene"),
        against(file, filed).noting("a trace and a recording, with the recorder's own process"),
        against(viewer, shown)
            .noting("a trace and a viewer, with the recorder's own process but without the viewer"),
        Row::alone(drops, "messages", dropped).noting("of both, at 100 cycles and 30 frames a second"),
    ]
}

fn cost(context: &BenchContext<'_>, by: By) -> Result<Cost, Failed> {
    let at = Failed::at("recording");
    let folder = tempfile::tempdir().map_err(|error| at(&error))?;
    let _viewer;
    let mut rerun = RerunConfig {
        file: None,
        connect: None,
        listen: None,
        sample_rate_hz: 100,
        camera_fps: IMAGES_PER_SECOND,
    };
    match by {
        By::None => {}
        By::File => rerun.file = Some(folder.path().join("live.rrd")),
        By::Viewer => {
            let (viewer, port) = Viewer::start()?;
            rerun.connect = Some(format!("rerun+http://127.0.0.1:{port}/proxy"));
            _viewer = viewer;
        }
    }
    let recording = RecordingConfig {
        journal: RotatingFile { path: folder.path().join("journal.jsonl"), max_bytes: 1 << 24, retained: 1 },
        traces: Some(folder.path().join("traces")),
        camera_fps: IMAGES_PER_SECOND,
        rerun,
        ..context.config.recording.clone()
    };
    let config = Config { recording, ..context.config.clone() };
    let before = processor()?;
    let body = match by {
        By::None => RobotRuntime::open(&RobotChoice::Mock, &config),
        By::File | By::Viewer => RobotRuntime::open_recorded(&RobotChoice::Mock, &config),
    };
    let body = body.map_err(|error| at(&error))?;
    let doing = body.recorder().begin("a body in motion");
    let cycles = sway(&body, context.pick(2, 10), by)?;
    doing.end("done");
    drop(body);
    let cycle_us = (processor()? - before) * 1e6 / cycles;
    let dropped = match by {
        By::None => 0,
        By::File | By::Viewer => dropped(&folder.path().join("traces"))?,
    };
    Ok(Cost { cycle_us, dropped })
}

/// Moves for this many one-second motions, and returns the cycles. Without another reader, frames are taken
/// nevertheless, so that the difference is the cost of recording them.
fn sway(body: &RobotRuntime, ways: u32, by: By) -> Result<f64, Failed> {
    let moving = AtomicBool::new(true);
    let begun = body.handle().snapshot().cycles;
    std::thread::scope(|scope| {
        let looking = scope.spawn(|| look(body, by, &moving));
        let moved = (0..ways).try_for_each(|way| turn(body, way));
        moving.store(false, Ordering::Relaxed);
        looking.join().unwrap_or_else(|_| Err(Failed("whoever looked failed".into()))).and(moved)
    })?;
    Ok((body.handle().snapshot().cycles - begun) as f64)
}

fn look(body: &RobotRuntime, by: By, moving: &AtomicBool) -> Result<(), Failed> {
    let (observer, clock) = (body.observer(), MonotonicClock::start());
    let every = Duration::from_secs(1) / IMAGES_PER_SECOND;
    while by == By::None && moving.load(Ordering::Relaxed) {
        observer.frame().map_err(|error| Failed(error.to_string()))?;
        clock.wait_until(clock.now() + every);
    }
    Ok(())
}

fn turn(body: &RobotRuntime, way: u32) -> Result<(), Failed> {
    let side = if way.is_multiple_of(2) { 1.0 } else { -1.0 };
    let angles = RollPitchYaw { yaw: Radians::from_degrees(20.0 * side), ..RollPitchYaw::default() };
    let target = Posture { head: HeadPose::new(0.0, 0.0, 0.0, angles), ..Posture::init() };
    let motion = Motion::Goto {
        target: Target::of(&target),
        duration: Duration::from_secs(1),
        interpolation: Interpolation::default(),
    };
    let step = body.execution_context().carry_out("sway", &motion);
    step.refusal.map_or(Ok(()), |refusal| Err(Failed(format!("it does not move: {refusal}"))))
}

/// Returns the dropped messages that the only trace reports.
fn dropped(traces: &Path) -> Result<u64, Failed> {
    let at = Failed::at("the trace");
    let mut dropped = None;
    for entry in fs::read_dir(traces).map_err(|error| at(&error))?.flatten() {
        let text = fs::read_to_string(entry.path()).map_err(|error| at(&error))?;
        if let Some(Ok(Message::Footer(Footer { dropped: some, .. }))) =
            text.lines().last().map(serde_json::from_str)
        {
            dropped = Some(dropped.unwrap_or(0) + some);
        }
    }
    dropped.ok_or_else(|| Failed("there is no whole trace".into()))
}

/// Returns the processor time of this process and of the children that it has waited for, seconds.
fn processor() -> Result<f64, Failed> {
    let text =
        fs::read_to_string("/proc/self/stat").map_err(|error| Failed::at("/proc/self/stat")(&error))?;
    // After the name in brackets: user and system time, own and of children, are the 12th to the 15th.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(4);
    let ticks: f64 = fields.filter_map(|field| field.parse::<f64>().ok()).sum();
    Ok(ticks / rustix::param::clock_ticks_per_second() as f64)
}

/// Rerun's own server, to which programs send data for viewers.
struct Viewer(Child);

impl Viewer {
    /// Starts it, and returns the port on which it listens.
    fn start() -> Result<(Viewer, u16), Failed> {
        let at = Failed::at("the viewer");
        let (path, port) = (program()?, free_port()?);
        let words = ["--serve-grpc", "--bind", "127.0.0.1", "--port", &port.to_string()];
        let program = Program {
            path,
            arguments: words.map(Into::into).into(),
            environment: vec![("HOME", "/nonexistent".into())],
            input: fs::File::open("/dev/null").map_err(|error| at(&error))?.into(),
        };
        let viewer = Viewer(subprocess::start(program).map_err(|error| at(&error))?);
        let clock = MonotonicClock::start();
        while LocalSession::begin(port).is_err() {
            if clock.now().seconds() > START_TIMEOUT.as_secs_f64() {
                return Err(Failed("Rerun does not listen".into()));
            }
            clock.wait_until(clock.now() + POLL_INTERVAL);
        }
        Ok((viewer, port))
    }
}

/// Returns Rerun's program in the environment of the clients, in this folder or one above. The one on its path is a
/// script, which would leave the program running.
fn program() -> Result<PathBuf, Failed> {
    let here = std::env::current_dir().unwrap_or_default();
    let within = |folder: PathBuf| {
        let versions = fs::read_dir(folder.join("lib")).ok()?.flatten();
        let mut programs =
            versions.map(|python| python.path().join("site-packages/rerun_sdk/rerun_cli/rerun"));
        programs.find(|program| program.is_file())
    };
    let found = here.ancestors().find_map(|folder| within(folder.join(".cache/clients")));
    found.ok_or_else(|| Failed("there is no Rerun to look on: `make clients` installs it".into()))
}

impl Drop for Viewer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

//! `calibrate`: compares the servos' settings with the official ones, and backs up, writes and restores them.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use firmware_bridge::bus::eeprom::{EepromLine, ServoSnapshot, Setting};
use firmware_bridge::clock::unix_seconds;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::posture::{Antennas, Posture};
use minismith_control::calibration::{
    Backup, Difference, Refusal, angle_of, carry_out, differences, homing, off_by, official, restoring,
};
use minismith_control::recorded_move::NewFile;
use minismith_control::robot::{RobotRuntime, bus_options};
use minismith_runtime::bounded::read_at_most;
use minismith_runtime::config::{Config, RobotChoice};
use minismith_runtime::report::round_for_display;
use serde_json::{Value, json};

use super::{CommandStatus, print};

/// What to back up and write.
#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// Serial device.
    port: PathBuf,
    /// File for the backup of the current settings. Default: minismith-servos-TIME.yaml in the current folder.
    #[arg(long, value_name = "FILE")]
    backup: Option<PathBuf>,
    /// Write homing offsets so that the current position, set by hand, reads as the pose of --pose.
    #[arg(long, conflicts_with = "restore")]
    apply: bool,
    /// Pose for --apply.
    #[arg(long, value_enum, default_value = "neutral")]
    pose: Pose,
    /// Only this joint, for --apply. May be repeated. Default: all nine joints.
    #[arg(long = "joint", value_name = "JOINT", value_parser = joint)]
    joints: Vec<Joint>,
    /// Restore the settings of a backup.
    #[arg(long, value_name = "FILE")]
    restore: Option<PathBuf>,
    /// Skip the prompts: the head is supported, or the robot is in the pose.
    #[arg(long)]
    yes: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// A pose that a user can set by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Pose {
    /// Head level at its middle height, body forward, antennas straight up.
    Neutral,
    /// Head laid down (stowed), body forward, antennas folded down.
    Rest,
}

impl Pose {
    fn joints(self) -> anyhow::Result<Joints> {
        let up = Antennas::default();
        let posture = match self {
            Pose::Neutral => Posture { antennas: up, ..Posture::init() },
            Pose::Rest => Posture::sleep(),
        };
        joints_from_posture(&posture).context("the pose is unreachable; please report it")
    }

    const fn name(self) -> &'static str {
        match self {
            Pose::Neutral => "neutral",
            Pose::Rest => "rest",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Pose::Neutral => "head level, straight above the base and looking ahead, antennas straight up",
            Pose::Rest => "head laid down and looking ahead, antennas folded down",
        }
    }
}

fn joint(name: &str) -> Result<Joint, String> {
    Joint::from_name(name).ok_or_else(|| "the joints are those that `minismith scan PORT` names".to_owned())
}

/// The maximum size of a backup in bytes; a typical one has five thousand.
const MAX_BYTES: u64 = 64 << 10;

/// The result.
#[derive(Default)]
struct Report {
    stored: PathBuf,
    written: Vec<Difference>,
    refusal: Option<String>,
}

/// Reads, backs up and compares the settings, and writes the requested ones.
pub fn run(config: &Config, arguments: &CalibrateArgs) -> anyhow::Result<CommandStatus> {
    let CalibrateArgs { port, backup, pose, restore, json, .. } = arguments;
    let expected = pose.joints()?;
    // A backup to restore is read before anything else.
    let restored = restore.as_deref().map(read_backup).transpose()?;
    let options = bus_options(config);
    let mut line = EepromLine::open(port, &options)?;
    let mut servos = line.read()?;
    let mut report = Report { stored: keep(&servos, backup.as_deref())?, ..Report::default() };
    let writes = arguments.apply || restored.is_some();
    if writes && servos.iter().any(|(_, servo)| servo.torque) {
        drop(line);
        agreed(arguments, "torque is enabled. Hold the head: it sinks when torque is disabled")?;
        release(config, port)?;
        line = EepromLine::open(port, &options)?;
        servos = line.read()?;
    }
    if arguments.apply {
        agreed(arguments, &format!("put the robot into its {} pose by hand: {}", pose.name(), pose.words()))?;
        servos = line.read()?;
    }
    let joints = if arguments.joints.is_empty() { &Joint::ALL[..] } else { &arguments.joints };
    let changes = match &restored {
        Some(backup) => restoring(&servos, backup),
        None if arguments.apply => homing(&servos, &expected, joints),
        None => Ok(Vec::new()),
    };
    match changes.and_then(|changes| carry_out(&mut line, &changes).map(|after| (changes, after))) {
        Ok((changes, after)) => {
            report.written = changes;
            servos = after;
        }
        Err(Refusal::Fault(fault)) => return Err(fault.into()),
        Err(refusal) => report.refusal = Some(refusal.to_string()),
    }
    let differ = differences(&servos, official);
    if *json {
        print::json(&document(arguments, &servos, &expected, &report, &differ))?;
    } else {
        show(arguments, &servos, &expected, &report, &differ);
    }
    Ok(CommandStatus::when(report.refusal.is_none()))
}

fn document(
    arguments: &CalibrateArgs,
    servos: &Joints<ServoSnapshot>,
    expected: &Joints,
    report: &Report,
    differ: &[Difference],
) -> Value {
    let reported = servos.iter().map(|(joint, servo)| {
        let off =
            arguments.apply.then(|| round_for_display(angle_of(-off_by(servo, expected[joint])).degrees()));
        json!({ "joint": joint, "settings": servo, "off_deg": off })
    });
    json!({
        "port": arguments.port, "backup": report.stored, "servos": reported.collect::<Vec<_>>(),
        "differences": differ, "written": report.written, "refusal": report.refusal,
    })
}

fn show(
    arguments: &CalibrateArgs,
    servos: &Joints<ServoSnapshot>,
    expected: &Joints,
    report: &Report,
    differ: &[Difference],
) {
    print::line(&format!("the previous settings are stored in {}", report.stored.display()));
    match &report.refusal {
        Some(refusal) => print::line(&format!("not done: {refusal}")),
        None if report.written.is_empty() => {}
        None => print::line("written and read back:"),
    }
    for Difference { joint, is, should } in &report.written {
        print::line(&format!("  {joint}: {should} (was {is})"));
    }
    if arguments.apply {
        for (joint, servo) in servos.iter() {
            let off = round_for_display(angle_of(-off_by(servo, expected[joint])).degrees());
            print::line(&format!("  {joint} reads {off} deg from its {} pose", arguments.pose.name()));
        }
        print::line("where that is more than 2 deg, switch the robot off and on, and read again");
    }
    let (gains, others): (Vec<&Difference>, Vec<&Difference>) =
        differ.iter().partition(|difference| matches!(difference.is, Setting::Gains(_)));
    if others.is_empty() {
        print::line("all stored settings match the official ones");
    } else {
        print::line("settings that differ from the official ones:");
    }
    for difference in others {
        print::line(&format!("  {difference}"));
    }
    if !gains.is_empty() {
        let joints: Vec<&str> = gains.iter().map(|difference| difference.joint.name()).collect();
        print::line(&format!(
            "other gains than the official ones: {} (servos forget them without power; the official software writes \
             them at each start)",
            joints.join(", ")
        ));
    }
}

fn read_backup(path: &Path) -> anyhow::Result<Backup> {
    let read = || -> anyhow::Result<Backup> {
        Ok(Backup::from_yaml(&String::from_utf8(read_at_most(path, MAX_BYTES)?)?)?)
    };
    read().with_context(|| format!("cannot restore {}", path.display()))
}

/// Backs up the settings, always before a write.
fn keep(servos: &Joints<ServoSnapshot>, path: Option<&Path>) -> anyhow::Result<PathBuf> {
    let now = unix_seconds();
    let path = path.map_or_else(|| PathBuf::from(format!("minismith-servos-{now}.yaml")), Path::to_owned);
    NewFile::begin(&path, false)?.finish(Backup::of(servos, now).to_yaml()?.as_bytes())?;
    Ok(path)
}

/// Prompts the user for the next step and waits for confirmation.
fn agreed(arguments: &CalibrateArgs, what: &str) -> anyhow::Result<()> {
    if arguments.yes {
        return Ok(());
    }
    eprintln!("minismith: {what}; then press Enter (Ctrl-C leaves everything as it is)");
    if std::io::stdin().lock().skip_until(b'\n')? == 0 {
        bail!("nothing was written: Enter was not pressed; add --yes where there is no terminal");
    }
    Ok(())
}

/// Disables the torque of all motors, through the control loop like every motion.
fn release(config: &Config, port: &Path) -> anyhow::Result<()> {
    let body = RobotRuntime::open(&RobotChoice::Serial(port.to_owned()), config)?;
    body.execution_context().torque(Joints::all(false))?;
    Ok(())
}

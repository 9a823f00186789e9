//! `first-run`: the guided examination of a robot that has just been connected.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, bail};
use clap::Args;
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient, LoopCommand};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::posture::Posture;
use minismith_control::recorded_move::NewFile;
use minismith_diagnostics::examine;
use minismith_diagnostics::first_run::{
    self, FirstRun, Line, Part, Person, Step, Verdict, find_port, markdown,
};
use minismith_runtime::config::{Config, RobotChoice};
use mock_robot::firmware::{Emulator, EmulatorOptions};
use serde::Serialize;

use super::{CommandStatus, hardware, interrupt, print};

/// Which robot, and what to leave out.
#[derive(Debug, Args)]
pub struct FirstRunArgs {
    /// Robot: a serial device such as /dev/ttyACM0, or mock-bus (emulated servos). Default: `robot` in config.yaml, or
    /// the port of the robot's own USB adapter.
    #[arg(long, value_name = "ROBOT")]
    robot: Option<RobotChoice>,
    /// With --robot mock-bus: a YAML file of faults, as for `minismith mock`.
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// Leave these out: motion, camera, microphone or speaker. May be repeated, or separated by commas.
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    skip: Vec<Part>,
    /// Move without asking first. Nobody is asked anything, so what needs eyes or ears is reported as not judged.
    #[arg(long)]
    yes: bool,
    /// File for the report, which is replaced if it exists.
    #[arg(long, value_name = "FILE", default_value = "minismith-first-run.md")]
    report: PathBuf,
    /// Print one JSON document; the steps go to stderr meanwhile.
    #[arg(long)]
    json: bool,
}

/// The JSON document.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    run: &'a FirstRun,
    report: &'a Path,
}

/// Examines the robot and writes the report.
pub fn run(config: &Config, arguments: &FirstRunArgs) -> anyhow::Result<CommandStatus> {
    let FirstRunArgs { robot, faults, skip, yes, report, json } = arguments;
    let (line, _emulator) = open(config, robot.as_ref(), faults.as_deref())?;
    // A report that cannot be written is an error before anything moves.
    let file = NewFile::begin(report, true).with_context(|| format!("cannot write {}", report.display()))?;
    let skip: BTreeSet<Part> = skip.iter().copied().collect();
    let mut terminal = Terminal::new(*yes, *json)?;
    let result = first_run::run(config, &line, &skip, &mut terminal);
    // The servos have been examined; what `doctor` says of this computer needs no robot.
    let checks = examine(&Config { robot: RobotChoice::Mock, ..config.clone() });
    file.finish(markdown(&result, &checks).as_bytes())
        .with_context(|| format!("cannot write {}", report.display()))?;
    if *json {
        print::json(&Document { run: &result, report })?;
    } else {
        let verdict = match result.verdict {
            Verdict::Good => "every step is good",
            Verdict::Incomplete => "nothing has failed; some steps were left out or need a person",
            Verdict::Faulty => "at least one step has failed; see what to do there, then start again",
            Verdict::Stopped => "stopped; the robot rests",
        };
        print::line(&format!("{verdict}\nthe report is {}; attach it to a bug report", report.display()));
    }
    Ok(CommandStatus::when(matches!(result.verdict, Verdict::Good | Verdict::Incomplete)))
}

/// Returns the line to the robot, and the emulated servos that must outlive it.
fn open(
    config: &Config,
    robot: Option<&RobotChoice>,
    faults: Option<&Path>,
) -> anyhow::Result<(Line, Option<Emulator>)> {
    if faults.is_some() && robot != Some(&RobotChoice::MockBus) {
        bail!("--faults is for emulated servos; add --robot mock-bus");
    }
    match robot {
        Some(RobotChoice::MockBus) => {
            // A robot that has not been used lies down.
            let start = joints_from_posture(&Posture::sleep())?;
            let options =
                EmulatorOptions { link: None, faults: hardware::faults(faults)?, start, paced: true };
            let emulator = Emulator::start(options)?;
            Ok((Line { port: emulator.path().to_owned(), emulated: true }, Some(emulator)))
        }
        Some(RobotChoice::Mock) => {
            bail!(
                "the simulated robot `mock` has no servos to examine; use --robot mock-bus, or a serial port"
            )
        }
        Some(RobotChoice::Serial(port)) => Ok((Line { port: port.clone(), emulated: false }, None)),
        None => match find_port(config) {
            Some(port) => Ok((Line { port, emulated: false }, None)),
            None => bail!(
                "no robot found: switch its power on, plug its USB cable in, and look with `ls /dev/ttyACM*`; then name \
                 the port, such as --robot /dev/ttyACM0 (--robot mock-bus tries this without a robot)"
            ),
        },
    }
}

/// A person at the terminal: the questions go to stderr, and the answers come from stdin.
struct Terminal {
    asks: bool,
    json: bool,
    lines: Receiver<String>,
    listening: Arc<Mutex<Listening>>,
}

/// What a line on stdin means at the moment.
#[derive(Default)]
struct Listening {
    /// It answers a question.
    to_answer: bool,
    /// Otherwise it stops this robot.
    robot: Option<ControlLoopHandle>,
}

impl Terminal {
    fn new(yes: bool, json: bool) -> io::Result<Terminal> {
        let (sender, lines) = channel();
        let listening: Arc<Mutex<Listening>> = Arc::default();
        let shared = Arc::clone(&listening);
        std::thread::Builder::new().name("keys".into()).spawn(move || {
            for line in io::stdin().lock().lines().map_while(Result::ok) {
                let mut listening = lock(&shared);
                if listening.to_answer {
                    if sender.send(line).is_err() {
                        return;
                    }
                } else if let Some(robot) = &mut listening.robot {
                    robot.send_command(LoopCommand::Stop);
                }
            }
        })?;
        Ok(Terminal { asks: !yes, json, lines, listening })
    }
}

fn lock(listening: &Mutex<Listening>) -> MutexGuard<'_, Listening> {
    listening.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Person for Terminal {
    fn begins(&mut self, name: &str) {
        if self.json {
            eprintln!("minismith: {name} ...");
        }
    }

    fn ends(&mut self, step: &Step) {
        if self.json {
            eprintln!("{}", print::harmless(&step.to_string()));
        } else {
            print::line(&step.to_string());
        }
    }

    fn asks(&mut self, question: &str) -> Option<bool> {
        if !self.asks {
            return None;
        }
        lock(&self.listening).to_answer = true;
        let answer = loop {
            eprint!("{question} [y/n] ");
            let _flushed = io::stderr().flush();
            match self.lines.recv().as_deref().map(str::trim) {
                Ok("y" | "Y" | "yes") => break Some(true),
                Ok("n" | "N" | "no") => break Some(false),
                Ok(_) => {}
                // Nobody is there.
                Err(_) => {
                    eprintln!();
                    break None;
                }
            }
        };
        lock(&self.listening).to_answer = false;
        answer
    }

    fn permits_motion(&mut self) -> bool {
        const QUESTION: &str = "Each joint will now move by a few degrees. Is the space around the robot free, and may \
                                it move?";
        !self.asks || self.asks(QUESTION) == Some(true)
    }

    fn may_stop(&mut self, handle: ControlLoopHandle) -> io::Result<()> {
        interrupt::stop_epoch(handle.clone())?;
        lock(&self.listening).robot = Some(handle);
        eprintln!("minismith: Enter or Ctrl-C stops the robot at once");
        Ok(())
    }
}

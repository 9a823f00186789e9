//! `minismith first-run`: examines a robot that has just been connected, step by step, from its cable to its speaker.
//!
//! [`run`] goes through the steps in order: `line` and `servos` measure without torque, `sound` opens the microphone
//! and the speaker, `motion` moves one joint after another by a few degrees, and `report` writes the result to a file.
//!
//! Safety: no joint moves unless every earlier step on which a safe motion depends has passed. Each motion goes
//! through the control loop and its envelope. After the first torque the robot is laid down and released in any case.
//!
//! A step is only `good` if it was measured, or if a person has confirmed it. What neither shows is `not_judged`.

mod line;
mod motion;
mod report;
mod servos;
mod sound;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use firmware_bridge::control_loop::ControlLoopHandle;
use firmware_bridge::joint::Joint;
use minismith_runtime::config::{Config, RobotChoice};
use serde::Serialize;

pub use report::markdown;

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// It was measured and is as expected, or a person has confirmed it.
    Good,
    /// It was measured, or could not be measured although it should, and is not as expected.
    Failed,
    /// It was not tried.
    Skipped,
    /// It needs a person's eyes or ears, and nobody has answered.
    NotJudged,
}

/// One step and its result. All texts are for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Name, such as `voltage`.
    pub name: &'static str,
    /// The joints that the result is about: those that moved, or those with a fault.
    pub joints: Vec<Joint>,
    /// Result.
    pub state: StepState,
    /// What a healthy robot shows.
    pub expected: String,
    /// What was measured, or why nothing was.
    pub measured: String,
    /// What to do; `None` if there is nothing to do.
    pub advice: Option<String>,
}

impl Step {
    fn new(name: &'static str, state: StepState, expected: &str, measured: String) -> Step {
        Step { name, joints: Vec::new(), state, expected: expected.to_owned(), measured, advice: None }
    }

    fn good(name: &'static str, expected: &str, measured: String) -> Step {
        Step::new(name, StepState::Good, expected, measured)
    }

    fn failed(name: &'static str, expected: &str, measured: String, advice: &str) -> Step {
        Step { advice: Some(advice.to_owned()), ..Step::new(name, StepState::Failed, expected, measured) }
    }

    fn skipped(name: &'static str, expected: &str, why: &str) -> Step {
        Step::new(name, StepState::Skipped, expected, why.to_owned())
    }

    fn about(mut self, joints: impl IntoIterator<Item = Joint>) -> Step {
        self.joints = joints.into_iter().collect();
        self
    }
}

/// Writes `[good] voltage: 5.0 V`, with expectation and advice on lines of their own where there is something to do.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            StepState::Good => "good",
            StepState::Failed => "FAIL",
            StepState::Skipped => "skip",
            StepState::NotJudged => " ?  ",
        };
        write!(f, "[{state}] {}", self.name)?;
        if let ("move", [joint]) = (self.name, self.joints.as_slice()) {
            write!(f, " {joint}")?;
        }
        write!(f, ": {}", self.measured)?;
        if self.state == StepState::Failed {
            write!(f, "\n       expected: {}", self.expected)?;
        }
        match &self.advice {
            Some(advice) => write!(f, "\n       to do: {advice}"),
            None => Ok(()),
        }
    }
}

/// A part that a person may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Everything that switches torque on: the joints and the camera in the head.
    Motion,
    /// The camera.
    Camera,
    /// The microphone.
    Microphone,
    /// The speaker.
    Speaker,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        match text {
            "motion" => Ok(Part::Motion),
            "camera" => Ok(Part::Camera),
            "microphone" => Ok(Part::Microphone),
            "speaker" => Ok(Part::Speaker),
            _ => Err("the parts are motion, camera, microphone and speaker".to_owned()),
        }
    }
}

/// A person at the robot, or a script that can only read the results.
pub trait Person {
    /// Shows that a step begins, which may take some seconds.
    fn begins(&mut self, name: &str);

    /// Shows the result of a step.
    fn ends(&mut self, step: &Step);

    /// Asks a question that is answered with yes or no. `None` if nobody can answer.
    fn asks(&mut self, question: &str) -> Option<bool>;

    /// Returns whether the joints may move: a person has cleared the space around the robot.
    fn permits_motion(&mut self) -> bool;

    /// Says that the robot can move from now on, and that this handle stops it.
    ///
    /// # Errors
    /// Returns an error if the robot could not be stopped; then it must not move.
    fn may_stop(&mut self, handle: ControlLoopHandle) -> io::Result<()>;
}

/// The result of all steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirstRun {
    /// The serial port.
    pub port: String,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// The result as a whole.
    pub verdict: Verdict,
}

/// The result as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every step is good.
    Good,
    /// Nothing has failed, but some steps were left out or not judged by a person.
    Incomplete,
    /// At least one step has failed.
    Faulty,
    /// A person has stopped the robot before the end.
    Stopped,
}

impl Verdict {
    fn of(steps: &[Step], stopped: bool) -> Verdict {
        let any = |state| steps.iter().any(|step| step.state == state);
        match (any(StepState::Failed), stopped) {
            (true, _) => Verdict::Faulty,
            (false, true) => Verdict::Stopped,
            (false, false) if any(StepState::Skipped) || any(StepState::NotJudged) => Verdict::Incomplete,
            (false, false) => Verdict::Good,
        }
    }
}

/// Returns the port of the robot: the configured one, or else that of the robot's own USB adapter.
#[must_use]
pub fn find_port(config: &Config) -> Option<PathBuf> {
    if let RobotChoice::Serial(path) = &config.robot {
        return Some(path.clone());
    }
    let ports = super::machine::serial_ports(Path::new("/dev"), &config.robot);
    super::robot::adapters(Path::new("/sys/class/tty"), &ports).into_iter().next()
}

/// The line to the servos.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The path of the serial port.
    pub port: PathBuf,
    /// Whether emulated servos are at its other end; their robot has the camera of the simulation.
    pub emulated: bool,
}

/// The steps so far.
struct Progress<'a> {
    person: &'a mut dyn Person,
    port: String,
    steps: Vec<Step>,
}

impl Progress<'_> {
    fn begin(&mut self, name: &str) {
        self.person.begins(name);
    }

    /// Adds a step. Advice for `PORT` becomes advice for this port.
    fn add(&mut self, mut step: Step) {
        step.advice = step.advice.map(|advice| advice.replace("PORT", &self.port));
        self.person.ends(&step);
        self.steps.push(step);
    }
}

/// The steps whose failure does not make a motion unsafe.
const HARMLESS: [&str; 5] = ["firmware", "fast read", "camera", "microphone", "speaker"];

/// Goes through all steps but those that are left out.
pub fn run(config: &Config, line: &Line, skip: &BTreeSet<Part>, person: &mut dyn Person) -> FirstRun {
    let port = line.port.display().to_string();
    let mut progress = Progress { person, port: port.clone(), steps: Vec::new() };
    line::examine(&mut progress, config, &line.port);
    servos::examine(&mut progress, config, &line.port);
    sound::examine(&mut progress, config, skip);
    let fault = progress
        .steps
        .iter()
        .find(|step| step.state == StepState::Failed && !HARMLESS.contains(&step.name))
        .map(|step| format!("not tried, since `{}` has failed", step.name));
    let obstacle = if skip.contains(&Part::Motion) { Some("left out by --skip".to_owned()) } else { fault };
    let stopped = match obstacle {
        Some(why) => {
            motion::skip(&mut progress, &why);
            false
        }
        None => motion::examine(&mut progress, config, line, skip),
    };
    let verdict = Verdict::of(&progress.steps, stopped);
    FirstRun { port, steps: progress.steps, verdict }
}

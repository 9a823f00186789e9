//! A minimal execution context: it answers every cue immediately, and advances robot time as the cue requires.

use minismith_toolchain::guest::{Guest, GuestFault, ToolHost, locate};
use minismith_wire::zygote::Level;
use minismith_wire::{Answer, CUE_COST, Cue, Face, Facts, Job, Limits, RefusalKind, State, Turn};
use serde_json::{Map, Value};

/// Robot time in seconds after which every cue is rejected.
const BUDGET: f64 = 120.0;

/// What a test runs.
pub struct Call<'a> {
    pub source: &'a str,
    pub entry: &'a str,
    pub arguments: Value,
    pub seed: u64,
    pub coverage: bool,
    pub limits: Limits,
}

impl<'a> Call<'a> {
    pub fn new(source: &'a str, entry: &'a str) -> Self {
        let limits = Limits { turn_seconds: 10.0, ..Limits::default() };
        Call { source, entry, arguments: Value::Object(Map::new()), seed: 7, coverage: false, limits }
    }

    pub fn with(self, arguments: Value) -> Self {
        Call { arguments, ..self }
    }

    pub fn within(self, limits: Limits) -> Self {
        Call { limits, ..self }
    }

    /// Runs it in a new guest.
    pub fn run(self, host: &ToolHost) -> Played {
        let mut guest = host.fork(self.limits).unwrap();
        let takes_robot = self.source.contains(&format!("def {}(robot", self.entry));
        let Value::Object(arguments) = self.arguments else { panic!("arguments are an object") };
        let job = Job {
            source: self.source.to_owned(),
            module: self.entry.to_owned(),
            entry: self.entry.to_owned(),
            takes_robot,
            arguments,
            seed: self.seed,
            coverage: self.coverage,
            now: 0,
            epoch: 1_700_000_000.0,
            limits: self.limits,
            ..Job::default()
        };
        let mut played = Played {
            end: Err(GuestFault::Died { how: String::new() }),
            cues: vec![],
            printed: String::new(),
            now: 0,
            facts: Err(String::new()),
        };
        played.end = played.drive(&mut guest, job);
        played
    }
}

/// The result.
pub struct Played {
    pub end: Result<Turn, GuestFault>,
    pub cues: Vec<Cue>,
    pub printed: String,
    /// Robot time at the end, nanoseconds.
    pub now: u64,
    pub facts: Result<Facts, String>,
}

impl Played {
    fn drive(&mut self, guest: &mut dyn Guest, job: Job) -> Result<Turn, GuestFault> {
        let mut turn = guest.turn(&Answer::Start { job: Box::new(job) }, None)?;
        loop {
            let (answer, raw) = match turn {
                Turn::Parsed { facts } => {
                    self.facts = facts.map(|facts| facts.into_values().next().unwrap_or_default());
                    (Answer::Proceed, None)
                }
                Turn::Printed { printed, spent } => {
                    self.pass(&printed, spent);
                    (Answer::Done { now: self.now }, None)
                }
                Turn::Asks { cue, spent, printed } => {
                    self.pass(&printed, spent);
                    self.now += CUE_COST;
                    let answered = self.answer(&cue);
                    self.cues.push(cue);
                    answered
                }
                Turn::Result { .. } => panic!("nobody gives it lines"),
                Turn::Done { ref printed, spent, .. } | Turn::Raised { ref printed, spent, .. } => {
                    self.pass(&printed.clone(), spent);
                    return Ok(turn);
                }
            };
            turn = guest.turn(&answer, raw.as_deref())?;
        }
    }

    fn pass(&mut self, printed: &str, spent: u64) {
        self.printed.push_str(printed);
        self.now = self.now.saturating_add(spent);
    }

    fn answer(&mut self, cue: &Cue) -> (Answer, Option<Vec<u8>>) {
        let seconds = match cue {
            Cue::Sleep { seconds } => *seconds,
            Cue::Goto { duration, .. } | Cue::LookAt { duration, .. } => *duration,
            Cue::Play { keyframes, initial_goto } => {
                keyframes.last().map_or(0.0, |last| last.time) + initial_goto
            }
            Cue::Wake | Cue::Rest => 2.0,
            _ => 0.0,
        };
        let now = self.now.saturating_add((seconds * 1e9) as u64);
        if now as f64 > BUDGET * 1e9 {
            let message = "the stage is closed".to_owned();
            return (Answer::Refused { now: self.now, kind: RefusalKind::Timeout, message }, None);
        }
        self.now = now;
        match cue {
            Cue::State => (Answer::State { now, state: Box::new(state()) }, None),
            Cue::Face => {
                let face = Face { detected: true, x: Some(0.25), y: Some(-0.5), roll: None };
                (Answer::Face { now, face }, None)
            }
            Cue::Frame { slot } => {
                // Left column blue, right column red.
                let picture = [255, 0, 0, 0, 0, 255].repeat(2);
                (Answer::Frame { now, height: 2, width: 2, slot: *slot }, Some(picture))
            }
            Cue::Ray { .. } => {
                let message = "the pixel is not in the picture".to_owned();
                (Answer::Refused { now, kind: RefusalKind::Value, message }, None)
            }
            Cue::Sound { .. } => {
                let message = "no loudspeaker".to_owned();
                (Answer::Refused { now, kind: RefusalKind::Runtime, message }, None)
            }
            _ => (Answer::Done { now }, None),
        }
    }

    /// Returns the value of the entry function.
    pub fn value(&self) -> &Value {
        match &self.end {
            Ok(Turn::Done { value, .. }) => value,
            other => panic!("it did not return: {other:?}"),
        }
    }

    /// Returns the exception's name and text.
    pub fn raised(&self) -> (&str, &str) {
        match &self.end {
            Ok(Turn::Raised { kind, message, .. }) => (kind, message),
            other => panic!("it did not raise: {other:?}"),
        }
    }

    /// Returns the fault of the guest.
    pub fn fault(&self) -> &GuestFault {
        match &self.end {
            Err(fault) => fault,
            other => panic!("it did not fail: {other:?}"),
        }
    }
}

fn state() -> State {
    State {
        head: [1.0, 0.0, 0.0, 0.01, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        head_joints: [0.1, 0.6, -0.6, 0.6, -0.6, 0.6, -0.6],
        antennas: [-0.2, 0.3],
        torque: true,
    }
}

/// Returns a warm host with the best sandbox of this machine.
pub fn host() -> ToolHost {
    host_at_most(Level::Namespaces)
}

/// Returns a warm host with a sandbox of at most this level.
pub fn host_at_most(level: Level) -> ToolHost {
    let (program, python) = locate(std::path::Path::new(".venv/bin/python")).unwrap();
    ToolHost::start_at_most(&program, &python, level).unwrap()
}

/// Returns a job for a source whose function `tool` has no parameters.
pub fn plain_job(source: &str, limits: Limits) -> Job {
    Job { source: source.into(), module: "tool".into(), entry: "tool".into(), limits, ..Job::default() }
}

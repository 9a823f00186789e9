//! A minimal execution context: it answers every cue immediately, and advances robot time as the cue requires.

use std::sync::OnceLock;

use minismith_protocol::zygote::Level;
use minismith_protocol::{
    Face, GuestMessage, HOST_CALL_COST, HostCall, HostReply, Job, Limits, RefusalKind, State, SyntaxFacts,
};
use minismith_toolchain::guest::{Guest, GuestError, ToolHost, locate};
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
            end: Err(GuestError::Died { how: String::new() }),
            cues: vec![],
            times: vec![],
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
    pub end: Result<GuestMessage, GuestError>,
    pub cues: Vec<HostCall>,
    /// Robot time of each host call, nanoseconds.
    pub times: Vec<u64>,
    pub printed: String,
    /// Robot time at the end, nanoseconds.
    pub now: u64,
    pub facts: Result<SyntaxFacts, String>,
}

impl Played {
    fn drive(&mut self, guest: &mut dyn Guest, job: Job) -> Result<GuestMessage, GuestError> {
        let mut turn = guest.turn(&HostReply::Start { job: Box::new(job) }, None)?;
        loop {
            let (answer, raw) = match turn {
                GuestMessage::Parsed { facts } => {
                    self.facts = facts.map(|facts| facts.into_values().next().unwrap_or_default());
                    (HostReply::Proceed, None)
                }
                GuestMessage::Printed { printed, spent } => {
                    self.pass(&printed, spent);
                    (HostReply::Done { now: self.now }, None)
                }
                GuestMessage::Asks { cue, spent, printed } => {
                    self.pass(&printed, spent);
                    self.now += HOST_CALL_COST;
                    self.times.push(self.now);
                    let answered = self.answer(&cue);
                    self.cues.push(cue);
                    answered
                }
                GuestMessage::Result { .. } => panic!("nobody gives it lines"),
                GuestMessage::Done { ref printed, spent, .. }
                | GuestMessage::Raised { ref printed, spent, .. } => {
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

    fn answer(&mut self, cue: &HostCall) -> (HostReply, Option<Vec<u8>>) {
        let seconds = match cue {
            HostCall::Sleep { seconds } => *seconds,
            HostCall::Goto { duration, .. } | HostCall::LookAt { duration, .. } => *duration,
            HostCall::Play { keyframes, initial_goto } => {
                keyframes.last().map_or(0.0, |last| last.time) + initial_goto
            }
            HostCall::Wake | HostCall::Rest => 2.0,
            _ => 0.0,
        };
        let now = self.now.saturating_add((seconds * 1e9) as u64);
        if now as f64 > BUDGET * 1e9 {
            let message = "the stage is closed".to_owned();
            return (HostReply::Refused { now: self.now, kind: RefusalKind::Timeout, message }, None);
        }
        self.now = now;
        match cue {
            HostCall::State => (HostReply::State { now, state: Box::new(state()) }, None),
            HostCall::Face => {
                let face = Face { detected: true, x: Some(0.25), y: Some(-0.5), roll: None };
                (HostReply::Face { now, face }, None)
            }
            HostCall::Frame { slot } => {
                // Left column blue, right column red.
                let image = [255, 0, 0, 0, 0, 255].repeat(2);
                (HostReply::Frame { now, height: 2, width: 2, slot: *slot }, Some(image))
            }
            HostCall::Ray { .. } => {
                let message = "the pixel is not in the picture".to_owned();
                (HostReply::Refused { now, kind: RefusalKind::Value, message }, None)
            }
            HostCall::Record { .. } => {
                let message = "no microphone".to_owned();
                (HostReply::Refused { now, kind: RefusalKind::Runtime, message }, None)
            }
            HostCall::VoiceDirection => (HostReply::Value { now, value: Value::Null }, None),
            HostCall::Sound { .. } => {
                let message = "no loudspeaker".to_owned();
                (HostReply::Refused { now, kind: RefusalKind::Runtime, message }, None)
            }
            _ => (HostReply::Done { now }, None),
        }
    }

    /// Returns the value of the entry function.
    pub fn value(&self) -> &Value {
        match &self.end {
            Ok(GuestMessage::Done { value, .. }) => value,
            other => panic!("it did not return: {other:?}"),
        }
    }

    /// Returns the exception's name and text.
    pub fn raised(&self) -> (&str, &str) {
        match &self.end {
            Ok(GuestMessage::Raised { kind, message, .. }) => (kind, message),
            other => panic!("it did not raise: {other:?}"),
        }
    }

    /// Returns the fault of the guest.
    pub fn fault(&self) -> &GuestError {
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

/// Returns the warm host that all calls of this test share.
pub fn shared_host() -> &'static ToolHost {
    static HOST: OnceLock<ToolHost> = OnceLock::new();
    HOST.get_or_init(host)
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

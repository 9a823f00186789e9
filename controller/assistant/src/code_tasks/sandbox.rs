//! Runs a script in the sandbox with the code profile, and collects its result, output and files.
//!
//! A script has no execution context. Requests for a robot are rejected, and its sleeps only advance its own
//! clock.

use std::collections::BTreeMap;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp, unix_seconds};
use minismith_protocol::zygote::Profile;
use minismith_protocol::{
    GuestMessage, HostCall, HostReply, InputFile, Job, Limits, RefusalKind, SyntaxFacts,
};
use serde_json::Value;

use minismith_analysis::files::output::Collector;
use minismith_analysis::files::{Output, Outputs};
use minismith_toolchain::guest::{Guest, GuestError};
use minismith_toolchain::workshop::rehearsal::GuestStarter;

/// The limits of a script: more memory than a tool, and time to compute.
pub const LIMITS: Limits = Limits {
    cpu_seconds: 60,
    memory_bytes: 1536 << 20,
    output_bytes: 64 << 10,
    turn_seconds: 90.0,
    wall_seconds: 120.0,
    frames: 0,
    frames_per_second: 0,
    motions_per_second: 0,
    open_files: 0,
    processes: 0,
};

/// The result of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// Its return value, or why there is none.
    pub value: Result<Value, Failure>,
    /// What it printed.
    pub printed: String,
    /// The files that it wrote.
    pub outputs: Vec<Output>,
    /// Notes about those files.
    pub notes: Vec<String>,
    /// Wall-clock time, in seconds.
    pub seconds: f64,
}

/// The reason why a script returned nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// It raised an exception.
    #[error("{kind}: {message}{}", at(.line))]
    Raised {
        /// Its type.
        kind: String,
        /// Its text.
        message: String,
        /// The line of the script.
        line: Option<u32>,
    },
    /// It was ended, since it exceeded a limit or its process failed.
    #[error("{reason}")]
    Stopped {
        /// The limit.
        limit: &'static str,
        /// The reason as text.
        reason: String,
    },
}

fn at(line: &Option<u32>) -> String {
    line.map(|line| format!(" (line {line})")).unwrap_or_default()
}

/// Runs a script's `answer` on these files. With facts, CPython must parse it the same way as the policy did.
///
/// # Errors
/// Fails only without a sandbox; errors of the script are in the result.
pub fn run(
    sandbox: &dyn GuestStarter,
    source: &str,
    facts: Option<&BTreeMap<String, SyntaxFacts>>,
    files: &[InputFile],
    limits: Limits,
) -> Result<RunResult, GuestError> {
    let mut guest = sandbox.guest(Profile::Code, limits)?;
    let clock = MonotonicClock::start();
    let job = Job {
        source: source.to_owned(),
        module: "answer".into(),
        entry: "answer".into(),
        epoch: epoch(),
        files: files.to_vec(),
        output_parameter: Some("outputs".into()),
        limits,
        ..Job::default()
    };
    let mut talk = TaskSession {
        printed: String::new(),
        files: Collector::new(Some(Outputs::of_task())),
        now: 0,
        facts,
    };
    let value = talk.hold(&mut *guest, job);
    let (outputs, notes) = talk.files.finish(value.is_ok());
    Ok(RunResult {
        value,
        printed: talk.printed,
        outputs,
        notes,
        seconds: (clock.now() - Timestamp::ZERO).as_secs_f64(),
    })
}

struct TaskSession<'a> {
    printed: String,
    files: Collector,
    now: u64,
    facts: Option<&'a BTreeMap<String, SyntaxFacts>>,
}

impl TaskSession<'_> {
    fn hold(&mut self, guest: &mut dyn Guest, job: Job) -> Result<Value, Failure> {
        let mut answer = HostReply::Start { job: Box::new(job) };
        loop {
            let turn = guest
                .turn(&answer, None)
                .map_err(|fault| Failure::Stopped { limit: fault.limit(), reason: reason(&fault) })?;
            answer = match turn {
                GuestMessage::Parsed { facts } => self.compare(facts)?,
                GuestMessage::Asks { cue, spent, printed } => {
                    self.printed.push_str(&printed);
                    self.now = self.now.saturating_add(spent);
                    self.asked(&cue)
                }
                GuestMessage::Printed { printed, spent } => {
                    self.printed.push_str(&printed);
                    self.now = self.now.saturating_add(spent);
                    HostReply::Done { now: self.now }
                }
                GuestMessage::Done { value, printed, .. } => {
                    self.printed.push_str(&printed);
                    return Ok(value);
                }
                GuestMessage::Raised { kind, message, line, printed, .. } => {
                    self.printed.push_str(&printed);
                    return Err(Failure::Raised { kind, message, line });
                }
                GuestMessage::Result { .. } => {
                    let reason = "the script's process broke the protocol and was stopped".into();
                    return Err(Failure::Stopped { limit: "forged", reason });
                }
            };
        }
    }

    fn compare(&self, read: Result<BTreeMap<String, SyntaxFacts>, String>) -> Result<HostReply, Failure> {
        let syntax = |message: String| Failure::Raised { kind: "SyntaxError".into(), message, line: None };
        let read = read.map_err(syntax)?;
        if self.facts.is_some_and(|vetted| *vetted != read) {
            let reason = "two parsers disagree about this script; write it more plainly".into();
            return Err(Failure::Stopped { limit: "parser", reason });
        }
        Ok(HostReply::Proceed)
    }

    fn asked(&mut self, cue: &HostCall) -> HostReply {
        let now = self.now;
        match cue {
            HostCall::Write { file, piece } => match self.files.write(file, piece) {
                Ok(()) => HostReply::Done { now },
                Err((kind, message)) => HostReply::Refused { now, kind, message },
            },
            HostCall::Sleep { seconds } => {
                let passed = std::time::Duration::try_from_secs_f64(*seconds).unwrap_or_default();
                self.now = now.saturating_add(u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX));
                HostReply::Done { now: self.now }
            }
            _ => HostReply::Refused {
                now,
                kind: RefusalKind::Permission,
                message: "a code task has no robot; it computes on its files".into(),
            },
        }
    }
}

/// Returns the reason as text. A script has no robot, so the text mentions none.
fn reason(fault: &GuestError) -> String {
    match fault {
        GuestError::Deadline { limit, used } | GuestError::Wall { limit, used } => format!(
            "script exceeded its time limit: {used:.1} s used, {limit} s allowed; let it compute less, or read less"
        ),
        fault => fault.to_string(),
    }
}

// The value is far below what a float counts exactly.
#[allow(clippy::cast_precision_loss)]
fn epoch() -> f64 {
    unix_seconds() as f64
}

//! Runs a guest on an execution context, in a rehearsal and on the robot alike: see [`perform`].
//!
//! Responsibilities: strict alternation with the guest, its capabilities and budget, robot time, and an accurate
//! record.
//! Threads: runs on the caller's thread. The control loop of the context runs on its own.
//! Units: robot time in ticks from the start of the run, so a tool reads the same clock in a rehearsal and on the
//! motors.
//! Safety: a guest only makes requests. They are parsed here and planned by the context, and all motion passes the
//! envelope. A guest that breaks the protocol, its budget or its deadline is killed, and motion brakes.
//!
//! Host calls advance robot time: each costs a millisecond, and each clock read 20 microseconds. Sleeps and motions
//! cost their duration. On the motors, the robot holds while a guest computes for longer than a cycle. That is a stall,
//! and the run counts it. It also counts a command that the control loop takes later than it was due. Without stalls,
//! the goals are bit for bit those of the rehearsal.

mod budget;
mod cues;
mod exec;
mod lines;
mod tracking;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::camera::Picture;
use firmware_bridge::clock::Tick;
use firmware_bridge::pulse::{Snapshot, TrimLog};
use minismith_wire::{Answer, CUE_COST, Cue, Facts, Job, Limits, RefusalKind, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use self::budget::{Over, Used};
use self::cues::needs;
pub use self::exec::{About, Callee, Callees};
pub use self::lines::{Lines, Said};
use self::tracking::Tracking;
use crate::guest::Guest;
use minismith_analysis::files::output::Collector;
use minismith_analysis::files::{Output, Outputs};
use minismith_analysis::manifest::Capability;
use minismith_control::arbiter::Rank;
use minismith_control::stage::Stage;
use minismith_runtime::outcome::{self, Step};

/// The permissions of a tool during a run.
#[derive(Clone, Default)]
pub struct Permit<'a> {
    /// Capabilities that the tool may use.
    pub capabilities: BTreeSet<Capability>,
    /// Facts that the policy's parser found in the source. CPython must find the same. `None` disables the comparison.
    pub facts: Option<BTreeMap<String, Facts>>,
    /// Budget of robot time, seconds.
    pub stage_seconds: f64,
    /// Names of the other tools that it may call.
    pub tools: BTreeSet<String>,
    /// Capabilities that the called tools may have at most.
    pub lends: BTreeSet<Capability>,
    /// Finds the called tools. `None` if no other tool can be called.
    pub callees: Option<&'a dyn Callees>,
    /// Number of callers above this tool.
    pub depth: u8,
    /// Files that the tool may write.
    pub outputs: Option<Outputs>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "ended", rename_all = "snake_case")]
pub enum Outcome {
    /// The tool returned.
    Returned {
        /// Return value.
        value: Value,
    },
    /// The tool raised an exception.
    Raised {
        /// Type of the exception.
        kind: String,
        /// Message of the exception.
        message: String,
        /// Line in the tool's source.
        line: Option<u32>,
    },
    /// The tool was stopped from outside.
    Stopped {
        /// Name of the broken limit or rule.
        limit: String,
        /// The reason as text, with what to do.
        reason: String,
    },
}

impl Outcome {
    fn stopped(limit: &str, reason: impl ToString) -> Self {
        Outcome::Stopped { limit: limit.into(), reason: reason.to_string() }
    }
}

/// The record of one run.
#[derive(Clone, Debug)]
pub struct Performance {
    /// How the run ended.
    pub outcome: Outcome,
    /// Printed output.
    pub printed: String,
    /// Motions, in order. A stream of targets is one step.
    pub steps: Vec<Step>,
    /// All clamps.
    pub trims: TrimLog,
    /// Duration in robot time.
    pub took: Duration,
    /// Number of camera frames read.
    pub frames: u64,
    /// Number of stalls: the tool computed for longer than a cycle.
    pub slips: u64,
    /// Source lines that ran, by module, if requested.
    pub lines: BTreeMap<String, BTreeSet<u32>>,
    /// Requests that this context does not support.
    pub notes: Vec<String>,
    /// Files that the tool wrote.
    pub outputs: Vec<Output>,
}

/// Maximum number of recorded steps. A note reports any further ones.
const STEPS_KEPT: usize = 200;

/// Maximum recorded length of an exception's message, bytes. It becomes part of findings, and so of the manifest.
const MAX_MESSAGE_BYTES: usize = 4_000;

/// Runs `job` in `guest` on `stage`, within `permit`.
pub fn perform(guest: &mut dyn Guest, job: Job, stage: &mut Stage, permit: &Permit<'_>) -> Performance {
    let mut execution = Execution::new(stage, permit);
    execution.epoch = job.epoch;
    execution.used = Used::of(job.limits);
    execution.stage.automatic_body_yaw = true;
    let rank = execution.stage.raise(Rank::Tool);
    let mut reply = Reply::plain(Answer::Start { job: Box::new(Job { now: 0, ..job }) });
    let outcome = loop {
        let turn = match guest.turn(&reply.answer, reply.raw()) {
            Ok(turn) => turn,
            Err(fault) => {
                execution.stage.brake();
                break Outcome::stopped(fault.limit(), fault);
            }
        };
        match execution.handle_turn(turn) {
            Next::Answer(answer) => reply = answer,
            Next::End(outcome) => break outcome,
        }
    };
    execution.stage.raise(rank);
    execution.finish(outcome)
}

struct Reply {
    answer: Answer,
    /// Shared with the context. It is copied once, on its way to the guest.
    picture: Option<Arc<Picture>>,
}

impl Reply {
    const fn plain(answer: Answer) -> Self {
        Reply { answer, picture: None }
    }

    fn raw(&self) -> Option<&[u8]> {
        self.picture.as_ref().map(|picture| picture.bgr.as_slice())
    }
}

enum Next {
    Answer(Reply),
    End(Outcome),
}

struct Execution<'a> {
    stage: &'a mut Stage,
    permit: &'a Permit<'a>,
    /// System time at robot time zero, seconds.
    epoch: f64,
    /// Robot time when the run began.
    base: Tick,
    /// Robot time since then.
    now: Tick,
    begun: bool,
    last_set: Option<Tick>,
    /// The face that is followed, if any.
    tracking: Option<Tracking>,
    /// The last detections, and their time.
    found: Option<(Tick, Value)>,
    /// The cycle after which the last command should be taken, until the result is known.
    due: Option<u64>,
    writes: Collector,
    used: Used,
    record: Performance,
}

impl<'a> Execution<'a> {
    /// Creates the state before the first message.
    fn new(stage: &'a mut Stage, permit: &'a Permit<'a>) -> Self {
        Execution {
            base: stage.conductor.stage_now(),
            stage,
            permit,
            epoch: 0.0,
            now: Tick::ZERO,
            begun: false,
            last_set: None,
            tracking: None,
            found: None,
            due: None,
            writes: Collector::new(permit.outputs.clone()),
            used: Used::of(Limits::USUAL),
            record: Performance {
                outcome: Outcome::stopped("nothing", "the run has not ended"),
                printed: String::new(),
                steps: Vec::new(),
                trims: TrimLog::default(),
                took: Duration::ZERO,
                frames: 0,
                slips: 0,
                lines: BTreeMap::new(),
                notes: Vec::new(),
                outputs: Vec::new(),
            },
        }
    }

    fn handle_turn(&mut self, turn: Turn) -> Next {
        match turn {
            Turn::Parsed { facts: Ok(facts) } => self.compare(&facts),
            Turn::Parsed { facts: Err(complaint) } => {
                Next::End(Outcome::stopped("parser", format!("CPython cannot parse the tool: {complaint}")))
            }
            Turn::Printed { printed, spent } => {
                self.begin();
                self.record.printed.push_str(&printed);
                self.spend(spent);
                self.budget_violation().map_or_else(|| self.done(), Next::End)
            }
            Turn::Asks { cue, spent, printed } => {
                self.begin();
                self.record.printed.push_str(&printed);
                self.spend(spent.saturating_add(CUE_COST));
                self.cue(cue)
            }
            Turn::Result { .. } => Next::End(Outcome::stopped(
                "forged",
                "it sent a line result outside of an interactive session",
            )),
            Turn::Done { value, printed, spent, lines } => {
                self.close(&printed, spent, lines);
                Next::End(self.violation().unwrap_or(Outcome::Returned { value }))
            }
            Turn::Raised { kind, message, line, printed, spent, lines } => {
                self.close(&printed, spent, lines);
                let [kind, message] =
                    [(kind, 100), (message, MAX_MESSAGE_BYTES)].map(|(text, most)| cut(text, most));
                Next::End(self.violation().unwrap_or(Outcome::Raised { kind, message, line }))
            }
        }
    }

    /// Starts the run's clock with the tool's first message, at the beginning of a cycle.
    ///
    /// Loading the tool therefore costs no robot time. The same part of the tool runs before the next cycle as in a
    /// rehearsal.
    fn begin(&mut self) {
        if !self.begun {
            self.begun = true;
            self.stage.pass_until(self.stage.conductor.stage_now() + self.stage.conductor.period());
            self.base = self.stage.conductor.stage_now();
        }
    }

    /// Checks that both parsers read the same text in the same way.
    fn compare(&self, seen: &BTreeMap<String, Facts>) -> Next {
        let Some(vetted) = &self.permit.facts else { return Next::Answer(Reply::plain(Answer::Proceed)) };
        if vetted.keys().ne(seen.keys()) {
            return Next::End(Outcome::stopped("parser", "the parsed modules are not those that were sent"));
        }
        let differs = vetted.values().zip(seen.values()).find_map(|(vetted, seen)| {
            let parts = [
                ("imports", vetted.imports == seen.imports),
                ("names", vetted.names == seen.names),
                ("attributes", vetted.attributes == seen.attributes),
                ("calls", vetted.calls == seen.calls),
                ("structure", vetted.tree == seen.tree),
            ];
            parts.into_iter().find(|(_, same)| !same)
        });
        match differs {
            None => Next::Answer(Reply::plain(Answer::Proceed)),
            Some((what, _)) => Next::End(Outcome::stopped(
                "parser",
                format!("two parsers disagree about the {what} of this source; write it more plainly"),
            )),
        }
    }

    fn close(&mut self, printed: &str, spent: u64, lines: BTreeMap<String, BTreeSet<u32>>) {
        self.begin();
        self.record.printed.push_str(printed);
        self.record.lines = lines;
        self.spend(spent);
    }

    /// Advances robot time, and the robot with it.
    fn spend(&mut self, nanos: u64) {
        self.now = Tick(self.now.0.saturating_add(nanos));
        let real = self.elapsed();
        if real > self.now {
            self.record.slips += 1;
            self.now = real;
        }
        self.catch_up();
    }

    /// Returns the cycles since the run began, as time.
    fn elapsed(&self) -> Tick {
        Tick::ZERO + self.stage.conductor.stage_now().since(self.base)
    }

    fn catch_up(&mut self) {
        let until = self.stage_time();
        self.track(until);
        let snapshot = self.stage.pass_until(until);
        self.count_late_command(&snapshot);
    }

    /// Returns the time that the context's clock should show.
    fn stage_time(&self) -> Tick {
        Tick(self.base.0.saturating_add(self.now.0.min(self.budget().0)))
    }

    /// Notes that a command given now should act on the next cycle.
    fn expect_on_next_cycle(&mut self) {
        let period = u64::try_from(self.stage.conductor.period().as_nanos()).unwrap_or(u64::MAX).max(1);
        self.due = Some(self.stage_time().0 / period);
    }

    /// Once that cycle has passed, counts a stall if the command came too late for it.
    fn count_late_command(&mut self, snapshot: &Snapshot) {
        if let Some(due) = self.due
            && snapshot.beats > due
        {
            self.due = None;
            self.record.slips += u64::from(snapshot.taken != due);
        }
    }

    fn budget(&self) -> Tick {
        Tick::ZERO + Duration::from_secs_f64(self.permit.stage_seconds.clamp(0.0, 86_400.0))
    }

    fn stopped(&self) -> Option<Outcome> {
        self.stage.is_stopped().then(|| Outcome::stopped("stop", "stop was said; motion has been braked"))
    }

    /// Returns the violation that a normal end does not cancel.
    fn violation(&self) -> Option<Outcome> {
        self.stopped().or_else(|| self.used.broken())
    }

    /// Returns the reason why the tool may not continue.
    fn budget_violation(&self) -> Option<Outcome> {
        self.stopped().or_else(|| {
            (self.now > self.budget()).then(|| {
                let reason = format!(
                    "the tool took {} s of robot time, its budget is {} s; make it shorter, or ask for a longer one",
                    rounded(self.now.seconds()),
                    self.permit.stage_seconds
                );
                Outcome::stopped("stage_seconds", reason)
            })
        })
    }

    fn cue(&mut self, cue: Cue) -> Next {
        if let Some(outcome) = self.budget_violation() {
            return Next::End(outcome);
        }
        if let Some(capability) = needs(&cue)
            && !self.permit.capabilities.contains(&capability)
        {
            let name = outcome::word(&capability);
            return self.refuse(RefusalKind::Permission, &format!("this tool has no capability `{name}`"));
        }
        match self.used.count(&cue, self.now) {
            Ok(()) => self.act(cue),
            Err(Over::Told(reason)) => self.refuse(RefusalKind::Timeout, &reason),
            Err(Over::Stopped(outcome)) => Next::End(outcome),
        }
    }

    fn finish(mut self, outcome: Outcome) -> Performance {
        // The record describes a robot at rest: a stop finishes braking, and an unfinished stream is played to its end.
        self.stage.rest();
        if self.last_set.is_some() && !self.stage.is_stopped() {
            let snapshot = self.stage.play_out();
            self.count_late_command(&snapshot);
            self.stage.settle();
        }
        self.collect_trims();
        // The next run starts with the robot's default settings.
        self.stage.automatic_body_yaw = true;
        // The guest reports the cost of its clock reads, so the value is not trusted.
        self.record.took = self.now.min(self.budget()).since(Tick::ZERO);
        let (outputs, notes) = self.writes.finish(matches!(outcome, Outcome::Returned { .. }));
        self.record.outputs = outputs;
        self.record.notes.extend(notes);
        self.record.outcome = outcome;
        self.record
    }
}

/// Rounds seconds for a reader. The guest reports the cost of its clock reads, so the value is not trusted.
fn rounded(seconds: f64) -> f64 {
    outcome::tidy(seconds.min(1e9))
}

/// Cuts a guest's text to at most `most` bytes.
fn cut(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}

#[cfg(test)]
mod tests;

//! Runs a guest on an execution context, in a rehearsal and on the robot alike: see [`execute`].
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
mod hearing;
mod host_calls;
mod repl_session;
mod tool_calls;
mod tracking;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::camera::BgrImage;
use firmware_bridge::clock::Timestamp;
use firmware_bridge::control_loop::{ClampLog, LoopSnapshot};
use minismith_protocol::{
    GuestMessage, HOST_CALL_COST, HostCall, HostReply, Job, Limits, RefusalKind, SyntaxFacts,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use self::budget::{BudgetUse, LimitReached};
use self::host_calls::needs;
pub use self::repl_session::{LineResult, ReplSession};
pub use self::tool_calls::{Callee, CalleeInfo, Callees};
use self::tracking::Tracking;
use crate::guest::Guest;
use minismith_analysis::files::output::Collector;
use minismith_analysis::files::{Output, Outputs};
use minismith_analysis::manifest::Capability;
use minismith_control::arbiter::Priority;
use minismith_control::execution::ExecutionContext;
use minismith_runtime::report::{self, Step};

/// The permissions of a tool during a run.
#[derive(Clone, Default)]
pub struct Permissions<'a> {
    /// Capabilities that the tool may use.
    pub capabilities: BTreeSet<Capability>,
    /// Facts that the policy's parser found in the source. CPython must find the same. `None` disables the comparison.
    pub facts: Option<BTreeMap<String, SyntaxFacts>>,
    /// Budget of robot time, seconds.
    pub robot_time_s: f64,
    /// Names of the other tools that it may call.
    pub tools: BTreeSet<String>,
    /// Capabilities that the called tools may have at most.
    pub delegable: BTreeSet<Capability>,
    /// Finds the called tools. `None` if no other tool can be called.
    pub callees: Option<&'a dyn Callees>,
    /// Number of callers above this tool.
    pub depth: u8,
    /// Files that the tool may write.
    pub outputs: Option<Outputs>,
    /// Data that the run may hand out after it has read the camera or the microphones, bytes; see [`ToolRun::recorded_data`]. `None`: any amount.
    pub max_recorded_data: Option<usize>,
}

/// The data that a tool may hand out after it has read the camera or the microphones, unless a person has approved it, bytes.
///
/// Measurements and names of what was seen take some hundred bytes. A grey picture of 27 by 27 pixels in base64 takes as much
/// as this, and hardly shows more than that somebody is there; sound of telephone quality lasts an eighth of a second.
pub const MAX_RECORDED_DATA: usize = 1_000;

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
pub struct ToolRun {
    /// How the run ended.
    pub outcome: Outcome,
    /// Printed output.
    pub printed: String,
    /// Motions, in order. A stream of targets is one step.
    pub steps: Vec<Step>,
    /// All clamps.
    pub clamps: ClampLog,
    /// Duration in robot time.
    pub duration: Duration,
    /// Number of camera frames read.
    pub frames: u64,
    /// When sounds were asked for, seconds of robot time from the start; at most [`MAX_EVENTS`].
    pub sounds: Vec<f64>,
    /// Number of recorded samples that the tool has heard.
    pub heard: u64,
    /// When camera frames were read, seconds of robot time from the start; at most [`MAX_EVENTS`].
    pub photos: Vec<f64>,
    /// Number of stalls: the tool computed for longer than a cycle.
    pub stalls: u64,
    /// Source lines that ran, by module, if requested.
    pub lines: BTreeMap<String, BTreeSet<u32>>,
    /// Requests that this context does not support.
    pub notes: Vec<String>,
    /// Files that the tool wrote.
    pub outputs: Vec<Output>,
}

impl ToolRun {
    /// Returns the amount of data that leaves the tool, bytes, and could be an image or sound: what it returned, printed, raised
    /// and wrote. Zero if it has read no camera frame and heard nothing.
    #[must_use]
    pub fn recorded_data(&self) -> usize {
        if self.frames == 0 && self.heard == 0 {
            return 0;
        }
        let ended = match &self.outcome {
            Outcome::Returned { value } => value.to_string().len(),
            Outcome::Raised { message, .. } => message.len(),
            Outcome::Stopped { .. } => 0,
        };
        let of_tool = self.outputs.iter().filter(|output| !output.is_photo);
        let written: u64 = of_tool.map(|output| output.name.len() as u64 + output.bytes).sum();
        (ended + self.printed.len()).saturating_add(usize::try_from(written).unwrap_or(usize::MAX))
    }
}

/// Maximum number of recorded steps. A note reports any further ones.
const MAX_STEPS_KEPT: usize = 200;

/// Maximum number of sounds, and of camera frames, whose times are recorded.
pub const MAX_EVENTS: usize = 1_000;

/// Maximum recorded length of an exception's message, bytes. It becomes part of findings, and so of the manifest.
const MAX_MESSAGE_BYTES: usize = 4_000;

/// Runs `job` in `guest` on `stage`, within `permit`.
pub fn execute(
    guest: &mut dyn Guest,
    job: Job,
    context: &mut ExecutionContext,
    permit: &Permissions<'_>,
) -> ToolRun {
    let mut execution = Execution::new(context, permit);
    execution.epoch = job.epoch;
    execution.used = BudgetUse::of(job.limits);
    execution.context.automatic_body_yaw = true;
    let rank = execution.context.raise_priority(Priority::Tool);
    let mut reply = Reply::plain(HostReply::Start { job: Box::new(Job { now: 0, ..job }) });
    let outcome = loop {
        let turn = match guest.turn(&reply.answer, reply.raw()) {
            Ok(turn) => turn,
            Err(fault) => {
                execution.context.brake();
                break Outcome::stopped(fault.limit(), fault);
            }
        };
        match execution.handle_turn(turn) {
            Next::Answer(answer) => reply = answer,
            Next::End(outcome) => break outcome,
        }
    };
    execution.context.raise_priority(rank);
    execution.finish(outcome)
}

struct Reply {
    answer: HostReply,
    raw: Raw,
}

/// The bytes that belong to a reply.
enum Raw {
    None,
    /// Shared with the context. It is copied once, on its way to the guest.
    Image(Arc<BgrImage>),
    Sound(Vec<u8>),
}

impl Reply {
    const fn plain(answer: HostReply) -> Self {
        Reply { answer, raw: Raw::None }
    }

    const fn image(answer: HostReply, image: Arc<BgrImage>) -> Self {
        Reply { answer, raw: Raw::Image(image) }
    }

    fn sound(answer: HostReply, bytes: Vec<u8>) -> Self {
        Reply { answer, raw: if bytes.is_empty() { Raw::None } else { Raw::Sound(bytes) } }
    }

    fn raw(&self) -> Option<&[u8]> {
        match &self.raw {
            Raw::None => None,
            Raw::Image(image) => Some(&image.bgr),
            Raw::Sound(bytes) => Some(bytes),
        }
    }
}

enum Next {
    Answer(Reply),
    End(Outcome),
}

struct Execution<'a> {
    context: &'a mut ExecutionContext,
    permit: &'a Permissions<'a>,
    /// System time at robot time zero, seconds.
    epoch: f64,
    /// Robot time when the run began.
    base: Timestamp,
    /// Robot time since then.
    now: Timestamp,
    begun: bool,
    last_set: Option<Timestamp>,
    /// The face that is followed, if any.
    tracking: Option<Tracking>,
    /// The last detections, and their time.
    found: Option<(Timestamp, Value)>,
    /// The cycle after which the last command should be taken, until the result is known.
    due: Option<u64>,
    writes: Collector,
    used: BudgetUse,
    /// When the samples that the tool plays end, seconds of the run.
    playing_until_s: f64,
    record: ToolRun,
}

impl<'a> Execution<'a> {
    /// Creates the state before the first message.
    fn new(context: &'a mut ExecutionContext, permit: &'a Permissions<'a>) -> Self {
        Execution {
            base: context.control.robot_time(),
            context,
            permit,
            epoch: 0.0,
            now: Timestamp::ZERO,
            begun: false,
            last_set: None,
            tracking: None,
            found: None,
            due: None,
            writes: Collector::new(permit.outputs.clone()),
            used: BudgetUse::of(Limits::DEFAULT),
            playing_until_s: 0.0,
            record: ToolRun {
                outcome: Outcome::stopped("nothing", "the run has not ended"),
                printed: String::new(),
                steps: Vec::new(),
                clamps: ClampLog::default(),
                duration: Duration::ZERO,
                frames: 0,
                sounds: Vec::new(),
                heard: 0,
                photos: Vec::new(),
                stalls: 0,
                lines: BTreeMap::new(),
                notes: Vec::new(),
                outputs: Vec::new(),
            },
        }
    }

    fn handle_turn(&mut self, turn: GuestMessage) -> Next {
        match turn {
            GuestMessage::Parsed { facts: Ok(facts) } => self.compare(&facts),
            GuestMessage::Parsed { facts: Err(complaint) } => {
                Next::End(Outcome::stopped("parser", format!("CPython cannot parse the tool: {complaint}")))
            }
            GuestMessage::Printed { printed, spent } => {
                self.begin();
                self.record.printed.push_str(&printed);
                self.spend(spent);
                self.budget_violation().map_or_else(|| self.done(), Next::End)
            }
            GuestMessage::Asks { cue, spent, printed } => {
                self.begin();
                self.record.printed.push_str(&printed);
                self.spend(spent.saturating_add(HOST_CALL_COST));
                self.cue(cue)
            }
            GuestMessage::Result { .. } => Next::End(Outcome::stopped(
                "forged",
                "it sent a line result outside of an interactive session",
            )),
            GuestMessage::Done { value, printed, spent, lines } => {
                self.close(&printed, spent, lines);
                Next::End(self.violation().unwrap_or(Outcome::Returned { value }))
            }
            GuestMessage::Raised { kind, message, line, printed, spent, lines } => {
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
            self.context.advance_to(self.context.control.robot_time() + self.context.control.period());
            self.base = self.context.control.robot_time();
        }
    }

    /// Checks that both parsers read the same text in the same way.
    fn compare(&self, seen: &BTreeMap<String, SyntaxFacts>) -> Next {
        let Some(vetted) = &self.permit.facts else { return Next::Answer(Reply::plain(HostReply::Proceed)) };
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
            None => Next::Answer(Reply::plain(HostReply::Proceed)),
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
        self.now = Timestamp(self.now.0.saturating_add(nanos));
        let real = self.elapsed();
        if real > self.now {
            self.record.stalls += 1;
            self.now = real;
        }
        self.catch_up();
    }

    /// Returns the cycles since the run began, as time.
    fn elapsed(&self) -> Timestamp {
        Timestamp::ZERO + self.context.control.robot_time().since(self.base)
    }

    fn catch_up(&mut self) {
        let until = self.robot_time();
        self.track(until);
        let snapshot = self.context.advance_to(until);
        self.count_late_command(&snapshot);
    }

    /// Returns the time that the context's clock should show.
    fn robot_time(&self) -> Timestamp {
        Timestamp(self.base.0.saturating_add(self.now.0.min(self.budget().0)))
    }

    /// Notes that a command given now should act on the next cycle.
    fn expect_on_next_cycle(&mut self) {
        let period = u64::try_from(self.context.control.period().as_nanos()).unwrap_or(u64::MAX).max(1);
        self.due = Some(self.robot_time().0 / period);
    }

    /// Once that cycle has passed, counts a stall if the command came too late for it.
    fn count_late_command(&mut self, snapshot: &LoopSnapshot) {
        if let Some(due) = self.due
            && snapshot.cycles > due
        {
            self.due = None;
            self.record.stalls += u64::from(snapshot.move_start_cycle != due);
        }
    }

    fn budget(&self) -> Timestamp {
        Timestamp::ZERO + Duration::from_secs_f64(self.permit.robot_time_s.clamp(0.0, 86_400.0))
    }

    fn stopped(&self) -> Option<Outcome> {
        self.context.is_stopped().then(|| Outcome::stopped("stop", "stop was said; motion has been braked"))
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
                    self.permit.robot_time_s
                );
                Outcome::stopped("stage_seconds", reason)
            })
        })
    }

    fn cue(&mut self, cue: HostCall) -> Next {
        if let Some(outcome) = self.budget_violation() {
            return Next::End(outcome);
        }
        if let Some(capability) = needs(&cue)
            && !self.permit.capabilities.contains(&capability)
        {
            let name = report::serde_name(&capability);
            return self.refuse(RefusalKind::Permission, &format!("this tool has no capability `{name}`"));
        }
        match self.used.count(&cue, self.now) {
            Ok(()) => self.act(cue),
            Err(LimitReached::Warned(reason)) => self.refuse(RefusalKind::Timeout, &reason),
            Err(LimitReached::Stopped(outcome)) => Next::End(outcome),
        }
    }

    fn finish(mut self, outcome: Outcome) -> ToolRun {
        // The record describes a robot at rest: a stop finishes braking, and an unfinished stream is played to its end.
        self.context.rest();
        if self.last_set.is_some() && !self.context.is_stopped() {
            let snapshot = self.context.play_to_end();
            self.count_late_command(&snapshot);
            self.context.settle();
        }
        self.collect_clamps();
        self.context.sound.end(self.context.is_stopped());
        // The next run starts with the robot's default settings.
        self.context.automatic_body_yaw = true;
        // The guest reports the cost of its clock reads, so the value is not trusted.
        self.record.duration = self.now.min(self.budget()).since(Timestamp::ZERO);
        let (outputs, notes) = self.writes.finish(matches!(outcome, Outcome::Returned { .. }));
        self.record.outputs = outputs;
        self.record.notes.extend(notes);
        self.record.outcome = outcome;
        withhold_recorded_data(&mut self.record, self.permit.max_recorded_data);
        self.record
    }
}

/// Drops what the tool hands out if that is more than it may after it has seen or heard something: it could be that.
fn withhold_recorded_data(record: &mut ToolRun, most: Option<usize>) {
    let handed_out = record.recorded_data();
    let Some(most) = most.filter(|most| handed_out > *most) else { return };
    record.printed.clear();
    record.outputs.clear();
    record.outcome = Outcome::stopped(
        "image_data",
        format!(
            "the tool read the camera or the microphones and then handed out {handed_out} bytes, which could be an image \
             or speech; without a person's approval it may hand out {most}"
        ),
    );
}

/// Rounds seconds for a reader. The guest reports the cost of its clock reads, so the value is not trusted.
fn rounded(seconds: f64) -> f64 {
    report::round_for_display(seconds.min(1e9))
}

/// Cuts a guest's text to at most `most` bytes.
fn cut(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}

#[cfg(test)]
mod tests;

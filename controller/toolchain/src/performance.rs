//! One function for rehearsal and for performance: [`perform`] lets a caged guest act on a stage.
//!
//! Responsibilities: strict alternation with the guest, its capabilities and budget, stage time, the honest record.
//! Threads: runs on the caller's; the stage's conductor beats on its own.
//! Units: stage time in ticks from the beginning of the performance, so that a tool reads the same clock in a
//! rehearsal and on the motors.
//! Safety: a guest only ever asks. What it asks is parsed here and planned by the stage; everything that moves
//! passes the envelope. A guest that breaks the protocol, its budget or its deadline is killed, and motion brakes.
//!
//! Stage time moves by cues: each costs a millisecond, each clock read 20 microseconds, sleeps and motions what they
//! last. On the motors a guest that thinks for longer than a beat lets the robot hold meanwhile; that is a slip, and
//! it is counted. So is an order that the beat takes later than it was due: what is commanded without slips is what
//! was commanded in rehearsal, bit for bit.

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

/// What a tool may do while it performs.
#[derive(Clone, Default)]
pub struct Permit<'a> {
    /// What it may ask for.
    pub capabilities: BTreeSet<Capability>,
    /// What the policy's parser saw in its source; CPython must see the same. None switches the comparison off.
    pub facts: Option<BTreeMap<String, Facts>>,
    /// How much stage time it may take.
    pub stage_seconds: f64,
    /// Which other tools it may call.
    pub tools: BTreeSet<String>,
    /// What those may do at most.
    pub lends: BTreeSet<Capability>,
    /// Who finds them; none where no other tool can be called.
    pub callees: Option<&'a dyn Callees>,
    /// How many callers there are above this one.
    pub depth: u8,
    /// Which files it may write.
    pub outputs: Option<Outputs>,
}

/// How a performance ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "ended", rename_all = "snake_case")]
pub enum Outcome {
    /// The tool returned.
    Returned {
        /// Its value.
        value: Value,
    },
    /// The tool raised an exception.
    Raised {
        /// Its type.
        kind: String,
        /// Its text.
        message: String,
        /// Where in the tool's source.
        line: Option<u32>,
    },
    /// The tool was stopped from outside.
    Stopped {
        /// Which limit or rule.
        limit: String,
        /// In words, with what to do.
        reason: String,
    },
}

impl Outcome {
    fn stopped(limit: &str, reason: impl ToString) -> Self {
        Outcome::Stopped { limit: limit.into(), reason: reason.to_string() }
    }
}

/// The record of one performance.
#[derive(Clone, Debug)]
pub struct Performance {
    /// How it ended.
    pub outcome: Outcome,
    /// What it printed.
    pub printed: String,
    /// Its motions, in order; a stream of targets is one step.
    pub steps: Vec<Step>,
    /// Everything that was trimmed.
    pub trims: TrimLog,
    /// Stage time that it took.
    pub took: Duration,
    /// How many pictures it read.
    pub frames: u64,
    /// How often it thought for longer than a beat.
    pub slips: u64,
    /// The source lines that ran, module by module, when asked for.
    pub lines: BTreeMap<String, BTreeSet<u32>>,
    /// What it asked for that this stage could not do.
    pub notes: Vec<String>,
    /// The files that it wrote.
    pub outputs: Vec<Output>,
}

/// Steps that are kept in a record; what comes after is counted in the last one.
const STEPS_KEPT: usize = 200;

/// Bytes that are kept of what an exception says: it stands in findings, and so in the manifest.
const LONGEST_MESSAGE: usize = 4_000;

/// Lets `guest` run `job` on `stage`, within `permit`.
pub fn perform(guest: &mut dyn Guest, job: Job, stage: &mut Stage, permit: &Permit<'_>) -> Performance {
    let mut performing = Performing::new(stage, permit);
    performing.epoch = job.epoch;
    performing.used = Used::of(job.limits);
    performing.stage.automatic_body_yaw = true;
    let rank = performing.stage.raise(Rank::Tool);
    let mut reply = Reply::plain(Answer::Start { job: Box::new(Job { now: 0, ..job }) });
    let outcome = loop {
        let turn = match guest.turn(&reply.answer, reply.raw()) {
            Ok(turn) => turn,
            Err(fault) => {
                performing.stage.brake();
                break Outcome::stopped(fault.limit(), fault);
            }
        };
        match performing.hear(turn) {
            Heard::Answer(answer) => reply = answer,
            Heard::End(outcome) => break outcome,
        }
    };
    performing.stage.raise(rank);
    performing.finish(outcome)
}

struct Reply {
    answer: Answer,
    /// Shared with the stage: it is copied once, on its way to the guest.
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

enum Heard {
    Answer(Reply),
    End(Outcome),
}

struct Performing<'a> {
    stage: &'a mut Stage,
    permit: &'a Permit<'a>,
    /// What the calendar shows at stage time zero.
    epoch: f64,
    /// Stage time when the performance began.
    base: Tick,
    /// Stage time since then.
    now: Tick,
    begun: bool,
    last_set: Option<Tick>,
    /// Who follows faces, while somebody does.
    tracking: Option<Tracking>,
    /// What the detectors found last, and when.
    found: Option<(Tick, Value)>,
    /// The beat after which the last order should be taken, until it is known whether it was.
    due: Option<u64>,
    writes: Collector,
    used: Used,
    record: Performance,
}

impl<'a> Performing<'a> {
    /// Before the first word.
    fn new(stage: &'a mut Stage, permit: &'a Permit<'a>) -> Self {
        Performing {
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
                outcome: Outcome::stopped("nothing", "the performance has not ended"),
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

    fn hear(&mut self, turn: Turn) -> Heard {
        match turn {
            Turn::Parsed { facts: Ok(facts) } => self.compare(&facts),
            Turn::Parsed { facts: Err(complaint) } => {
                Heard::End(Outcome::stopped("parser", format!("CPython can't parse the tool: {complaint}")))
            }
            Turn::Printed { printed, spent } => {
                self.begin();
                self.record.printed.push_str(&printed);
                self.spend(spent);
                self.over().map_or_else(|| self.done(), Heard::End)
            }
            Turn::Asks { cue, spent, printed } => {
                self.begin();
                self.record.printed.push_str(&printed);
                self.spend(spent.saturating_add(CUE_COST));
                self.cue(cue)
            }
            Turn::Result { .. } => Heard::End(Outcome::stopped("forged", "nobody gave it a line")),
            Turn::Done { value, printed, spent, lines } => {
                self.close(&printed, spent, lines);
                Heard::End(self.broke().unwrap_or(Outcome::Returned { value }))
            }
            Turn::Raised { kind, message, line, printed, spent, lines } => {
                self.close(&printed, spent, lines);
                let [kind, message] =
                    [(kind, 100), (message, LONGEST_MESSAGE)].map(|(text, most)| cut(text, most));
                Heard::End(self.broke().unwrap_or(Outcome::Raised { kind, message, line }))
            }
        }
    }

    /// The clock starts with the tool's first word, so that loading it costs no stage time; and with a beat, so that as
    /// much of the tool comes before the next one on the wall clock as in a rehearsal.
    fn begin(&mut self) {
        if !self.begun {
            self.begun = true;
            self.stage.pass_until(self.stage.conductor.stage_now() + self.stage.conductor.period());
            self.base = self.stage.conductor.stage_now();
        }
    }

    /// Both parsers must have read the same text the same way.
    fn compare(&self, seen: &BTreeMap<String, Facts>) -> Heard {
        let Some(vetted) = &self.permit.facts else { return Heard::Answer(Reply::plain(Answer::Proceed)) };
        if vetted.keys().ne(seen.keys()) {
            return Heard::End(Outcome::stopped(
                "parser",
                "the modules that were read are not those that came",
            ));
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
            None => Heard::Answer(Reply::plain(Answer::Proceed)),
            Some((what, _)) => Heard::End(Outcome::stopped(
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

    /// Moves stage time on, and the body with it.
    fn spend(&mut self, nanos: u64) {
        self.now = Tick(self.now.0.saturating_add(nanos));
        let real = self.elapsed();
        if real > self.now {
            self.record.slips += 1;
            self.now = real;
        }
        self.catch_up();
    }

    /// The beats since the performance began, as time.
    fn elapsed(&self) -> Tick {
        Tick::ZERO + self.stage.conductor.stage_now().since(self.base)
    }

    fn catch_up(&mut self) {
        let until = self.stage_time();
        self.track(until);
        let snapshot = self.stage.pass_until(until);
        self.was_on_time(&snapshot);
    }

    /// Where the stage's clock should be.
    fn stage_time(&self) -> Tick {
        Tick(self.base.0.saturating_add(self.now.0.min(self.budget().0)))
    }

    /// What is ordered now should act on the next beat.
    fn is_due(&mut self) {
        let period = u64::try_from(self.stage.conductor.period().as_nanos()).unwrap_or(u64::MAX).max(1);
        self.due = Some(self.stage_time().0 / period);
    }

    /// Once that beat has passed, it shows whether the order came in time for it.
    fn was_on_time(&mut self, snapshot: &Snapshot) {
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

    /// What its last word can't undo.
    fn broke(&self) -> Option<Outcome> {
        self.stopped().or_else(|| self.used.broken())
    }

    /// Why the tool may not go on.
    fn over(&self) -> Option<Outcome> {
        self.stopped().or_else(|| {
            (self.now > self.budget()).then(|| {
                let reason = format!(
                    "the tool took {} s of stage time, its budget is {} s; make it shorter, or ask for a longer one",
                    rounded(self.now.seconds()),
                    self.permit.stage_seconds
                );
                Outcome::stopped("stage_seconds", reason)
            })
        })
    }

    fn cue(&mut self, cue: Cue) -> Heard {
        if let Some(outcome) = self.over() {
            return Heard::End(outcome);
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
            Err(Over::Stopped(outcome)) => Heard::End(outcome),
        }
    }

    fn finish(mut self, outcome: Outcome) -> Performance {
        // What came of it is told of a body at rest: a halt is braked, a stream that ends in mid-air is played out.
        self.stage.rest();
        if self.last_set.is_some() && !self.stage.is_stopped() {
            let snapshot = self.stage.play_out();
            self.was_on_time(&snapshot);
            self.stage.settle();
        }
        self.collect_trims();
        // The next one finds the body's own manners.
        self.stage.automatic_body_yaw = true;
        // What a guest says that its clock reads cost may be any number.
        self.record.took = self.now.min(self.budget()).since(Tick::ZERO);
        let (outputs, notes) = self.writes.finish(matches!(outcome, Outcome::Returned { .. }));
        self.record.outputs = outputs;
        self.record.notes.extend(notes);
        self.record.outcome = outcome;
        self.record
    }
}

/// Seconds for a person to read. What a guest says that its clock reads cost may be any number.
fn rounded(seconds: f64) -> f64 {
    outcome::tidy(seconds.min(1e9))
}

/// At most so many bytes of a guest's text.
fn cut(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}

#[cfg(test)]
mod tests;

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

use std::collections::BTreeSet;
use std::time::Duration;

use firmware_bridge::clock::Tick;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::motion::{self, Motion, Refusal, Target};
use firmware_bridge::posture::{Antennas, HeadPose};
use firmware_bridge::pulse::{Order, Snapshot, TrimLog};
use firmware_bridge::units::Radians;
use minismith_wire::{Answer, CUE_COST, Cue, Face, Facts, Job, RefusalKind, State, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::guest::Guest;
use crate::outcome::{self, PostureView, Step};
use crate::stage::{Stage, interpolation, look_at};
use crate::workshop::manifest::Capability;

/// What a tool may do while it performs.
#[derive(Clone, Debug)]
pub struct Permit {
    /// What it may ask for.
    pub capabilities: BTreeSet<Capability>,
    /// What the policy's parser saw in its source; CPython must see the same. None switches the comparison off.
    pub facts: Option<Facts>,
    /// How much stage time it may take.
    pub stage_seconds: f64,
}

/// How a performance ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The source lines that ran, when asked for.
    pub lines: BTreeSet<u32>,
    /// What it asked for that this stage could not do.
    pub notes: Vec<String>,
}

/// Steps that are kept in a record; what comes after is counted in the last one.
const STEPS_KEPT: usize = 200;

/// Bytes that are kept of what an exception says: it stands in findings, and so in the manifest.
const LONGEST_MESSAGE: usize = 4_000;

/// The greatest time over which a streamed target is reached; the least is a beat.
const LONGEST_RAMP: Duration = Duration::from_millis(50);

/// Lets `guest` run `job` on `stage`, within `permit`.
pub fn perform(guest: &mut dyn Guest, job: Job, stage: &mut Stage, permit: &Permit) -> Performance {
    let base = stage.conductor.stage_now();
    let mut performing = Performing {
        stage,
        permit,
        base,
        now: Tick::ZERO,
        begun: false,
        last_set: None,
        due: None,
        record: Performance {
            outcome: Outcome::stopped("nothing", "the performance has not ended"),
            printed: String::new(),
            steps: Vec::new(),
            trims: TrimLog::default(),
            took: Duration::ZERO,
            frames: 0,
            slips: 0,
            lines: BTreeSet::new(),
            notes: Vec::new(),
        },
    };
    performing.stage.automatic_body_yaw = true;
    let mut reply = Reply::plain(Answer::Start { job: Box::new(Job { now: 0, ..job }) });
    let outcome = loop {
        let turn = match guest.turn(&reply.answer, reply.raw.as_deref()) {
            Ok(turn) => turn,
            Err(fault) => {
                performing.stage.conductor.order(Order::Halt);
                break Outcome::stopped(fault.limit(), fault);
            }
        };
        match performing.hear(turn) {
            Heard::Answer(answer) => reply = answer,
            Heard::End(outcome) => break outcome,
        }
    };
    performing.finish(outcome)
}

struct Reply {
    answer: Answer,
    raw: Option<Vec<u8>>,
}

impl Reply {
    const fn plain(answer: Answer) -> Self {
        Reply { answer, raw: None }
    }
}

enum Heard {
    Answer(Reply),
    End(Outcome),
}

struct Performing<'a> {
    stage: &'a mut Stage,
    permit: &'a Permit,
    /// Stage time when the performance began.
    base: Tick,
    /// Stage time since then.
    now: Tick,
    begun: bool,
    last_set: Option<Tick>,
    /// The beat after which the last order should be taken, until it is known whether it was.
    due: Option<u64>,
    record: Performance,
}

impl Performing<'_> {
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
            Turn::Done { value, printed, spent, lines } => {
                self.close(&printed, spent, lines);
                Heard::End(self.stopped().unwrap_or(Outcome::Returned { value }))
            }
            Turn::Raised { kind, message, line, printed, spent, lines } => {
                self.close(&printed, spent, lines);
                let [kind, message] =
                    [(kind, 100), (message, LONGEST_MESSAGE)].map(|(text, most)| cut(text, most));
                Heard::End(self.stopped().unwrap_or(Outcome::Raised { kind, message, line }))
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
    fn compare(&self, seen: &Facts) -> Heard {
        let Some(vetted) = &self.permit.facts else { return Heard::Answer(Reply::plain(Answer::Proceed)) };
        let differs = [
            ("imports", vetted.imports == seen.imports),
            ("names", vetted.names == seen.names),
            ("attributes", vetted.attributes == seen.attributes),
            ("calls", vetted.calls == seen.calls),
        ];
        match differs.iter().find(|(_, same)| !same) {
            None => Heard::Answer(Reply::plain(Answer::Proceed)),
            Some((what, _)) => Heard::End(Outcome::stopped(
                "parser",
                format!("two parsers disagree about the {what} of this source; write it more plainly"),
            )),
        }
    }

    fn close(&mut self, printed: &str, spent: u64, lines: BTreeSet<u32>) {
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
        let snapshot = self.stage.pass_until(self.stage_time());
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

    /// Why the tool may not go on.
    fn over(&self) -> Option<Outcome> {
        self.stopped().or_else(|| {
            (self.now > self.budget()).then(|| {
                let reason = format!(
                    "the tool took more than its budget of {} s; make it shorter, or ask for a longer budget",
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
        self.act(cue)
    }

    fn act(&mut self, cue: Cue) -> Heard {
        match cue {
            Cue::Goto { head, antennas, body_yaw, duration, method } => {
                let planned = self
                    .target(head, antennas, body_yaw)
                    .and_then(|target| Ok((target, motion::duration_from_seconds(duration)?)));
                match planned {
                    Ok((target, duration)) => {
                        let interpolation = interpolation(method);
                        self.play("goto", &Motion::Goto { target, duration, interpolation })
                    }
                    Err(refusal) => self.refused_step("goto", &refusal),
                }
            }
            Cue::LookAt { point, duration } => {
                let planned =
                    motion::duration_from_seconds(duration).and_then(|duration| look_at(point, duration));
                match planned {
                    Ok(motion) => self.play("look_at", &motion),
                    Err(refusal) => self.refused_step("look_at", &refusal),
                }
            }
            Cue::SetTarget { head, antennas, body_yaw } => {
                match self.target(head, antennas, body_yaw).and_then(|target| self.follow(target)) {
                    Ok(()) => self.done(),
                    Err(refusal) => self.refused_step("set_target", &refusal),
                }
            }
            Cue::Play { keyframes, initial_goto } => match self.keyframes(&keyframes, initial_goto) {
                Ok(motion) => self.play("play", &motion),
                Err(refusal) => self.refused_step("play", &refusal),
            },
            Cue::Sleep { seconds } => self.sleep(seconds),
            Cue::State => self.state(),
            Cue::Frame => self.frame(),
            Cue::Track { .. } => {
                self.note("there is no tracking: get_tracked_face() answers detected=False");
                self.done()
            }
            Cue::Face => Heard::Answer(Reply::plain(Answer::Face { now: self.now.0, face: Face::default() })),
            Cue::Motors { on, ids } => self.motors(on, ids),
            Cue::AutomaticBodyYaw { on } => {
                self.stage.automatic_body_yaw = on;
                self.done()
            }
            Cue::Wake => {
                self.switch(Joints::all(true));
                self.sequence("wake", &Stage::waking())
            }
            Cue::Rest => self.sequence("rest", &Stage::resting()),
            Cue::Sound { file } => {
                self.note(&format!("there is no speaker: the sound {:?} was not played", cut(file, 100)));
                self.done()
            }
            Cue::Gravity { on: false } => self.done(),
            Cue::Gravity { on: true } => {
                self.refuse(RefusalKind::Runtime, "gravity compensation is not available on this robot")
            }
        }
    }

    fn done(&self) -> Heard {
        Heard::Answer(Reply::plain(Answer::Done { now: self.now.0 }))
    }

    fn refuse(&self, kind: RefusalKind, message: &str) -> Heard {
        Heard::Answer(Reply::plain(Answer::Refused { now: self.now.0, kind, message: message.into() }))
    }

    fn refused_step(&mut self, kind: &str, refusal: &Refusal) -> Heard {
        self.keep(Step::refused(kind, refusal));
        let kind = match refusal {
            Refusal::Limp | Refusal::Stopped | Refusal::Fault { .. } | Refusal::Lost(_) => {
                RefusalKind::Runtime
            }
            Refusal::Unreachable(_)
            | Refusal::BeyondServo { .. }
            | Refusal::NotFinite { .. }
            | Refusal::NotAPose(_)
            | Refusal::BadDuration { .. }
            | Refusal::OutOfOrder { .. } => RefusalKind::Value,
        };
        self.refuse(kind, &refusal.to_string())
    }

    fn target(
        &self,
        head: Option<[f64; 16]>,
        antennas: Option<[f64; 2]>,
        body_yaw: Option<f64>,
    ) -> Result<Target, Refusal> {
        let head = head.map(|rows| HeadPose::from_row_major(&rows)).transpose()?;
        let antennas = antennas.map(|[right, left]| Antennas { right: Radians(right), left: Radians(left) });
        Ok(Target { head, body_yaw: body_yaw.map(Radians), antennas })
    }

    fn keyframes(
        &self,
        keyframes: &[minismith_wire::Keyframe],
        initial_goto: f64,
    ) -> Result<Motion, Refusal> {
        let lead =
            if initial_goto > 0.0 { motion::duration_from_seconds(initial_goto)? } else { Duration::ZERO };
        let frames = keyframes.iter().map(|frame| {
            let at =
                if frame.time > 0.0 { motion::duration_from_seconds(frame.time)? } else { Duration::ZERO };
            Ok(motion::Keyframe {
                at: lead + at,
                target: self.target(frame.head, frame.antennas, frame.body_yaw)?,
            })
        });
        Ok(Motion::Play(frames.collect::<Result<_, Refusal>>()?))
    }

    /// Plays a motion to its end within the budget.
    fn play(&mut self, kind: &str, motion: &Motion) -> Heard {
        self.collect_trims();
        let trajectory = match self.stage.plan(motion) {
            Ok(trajectory) => trajectory,
            Err(refusal) => return self.refused_step(kind, &refusal),
        };
        let beats = u32::try_from(trajectory.wishes.len()).unwrap_or(u32::MAX);
        if self.now + self.stage.conductor.period() * beats > self.budget() {
            let seconds = self.permit.stage_seconds;
            self.keep(Step::refused(
                kind,
                format!("would take longer than the tool's budget of {seconds} s"),
            ));
            return Heard::End(Outcome::stopped(
                "stage_seconds",
                format!("the tool's motions would take more than its budget of {seconds} s; make it shorter"),
            ));
        }
        self.is_due();
        let (trims, step) = self.stage.play(kind, trajectory);
        self.was_on_time(&self.stage.conductor.snapshot());
        self.record.trims.merge(&trims);
        self.last_set = None;
        self.now = self.elapsed().max(self.now);
        let refusal = step.refusal.clone();
        self.keep(step);
        match refusal {
            None => self.done(),
            Some(why) if self.stage.is_stopped() => Heard::End(Outcome::stopped("stop", why)),
            Some(why) => self.refuse(RefusalKind::Runtime, &why),
        }
    }

    fn sequence(&mut self, kind: &str, motions: &[Motion]) -> Heard {
        for motion in motions {
            match self.play(kind, motion) {
                Heard::Answer(Reply { answer: Answer::Done { .. }, .. }) => {}
                other => return other,
            }
        }
        self.done()
    }

    /// A streamed target: reached over the stream's own interval, so that a 50 Hz stream is smooth at 100 Hz.
    fn follow(&mut self, target: Target) -> Result<(), Refusal> {
        let gap = self.last_set.map_or(LONGEST_RAMP, |last| self.now.since(last));
        let over = gap.clamp(self.stage.conductor.period(), LONGEST_RAMP);
        let trajectory = self.stage.plan(&Motion::SetTarget { target, over })?;
        let requested = PostureView::from(&trajectory.target);
        let trims = outcome::adjustments(&trajectory.adjustments);
        let fresh = self.last_set.is_none();
        self.is_due();
        self.stage.follow(trajectory, fresh);
        self.last_set = Some(self.now);
        match self.record.steps.last_mut() {
            Some(step) if step.kind == "set_target" && step.refusal.is_none() => {
                step.requested = Some(requested);
                for trim in trims {
                    outcome::merge(&mut step.trims, trim);
                }
            }
            _ => self.keep(Step {
                kind: "set_target".into(),
                requested: Some(requested),
                trims,
                ..Step::default()
            }),
        }
        Ok(())
    }

    /// Takes over what was trimmed of a stream of targets, before the count starts anew.
    fn collect_trims(&mut self) {
        if self.last_set.take().is_none() {
            return;
        }
        let log = self.stage.conductor.snapshot().trims;
        self.record.trims.merge(&log);
        let achieved = self.stage.posture().as_ref().map(PostureView::from);
        if let Some(step) = self.record.steps.iter_mut().rev().find(|step| step.kind == "set_target") {
            step.achieved = achieved;
            for trim in outcome::trims(&log) {
                outcome::merge(&mut step.trims, trim);
            }
        }
    }

    fn sleep(&mut self, seconds: f64) -> Heard {
        if !seconds.is_finite() || seconds < 0.0 {
            return self.refuse(RefusalKind::Value, "sleep length must be a non-negative number");
        }
        let until = self.now + Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        if until > self.budget() {
            return Heard::End(Outcome::stopped(
                "stage_seconds",
                format!(
                    "sleeping {seconds} s would exceed the tool's budget of {} s",
                    self.permit.stage_seconds
                ),
            ));
        }
        self.now = until;
        self.catch_up();
        self.done()
    }

    fn state(&self) -> Heard {
        let snapshot = self.stage.conductor.snapshot();
        let (Ok(present), Some(posture)) = (snapshot.state.present(), self.stage.posture()) else {
            return self
                .refuse(RefusalKind::Runtime, "the robot's position is not known; see `minismith doctor`");
        };
        let [s1, s2, s3, s4, s5, s6] = present.stewart().map(Radians::value);
        let state = State {
            head: posture.head.to_row_major(),
            head_joints: [present[Joint::BodyYaw].value(), s1, s2, s3, s4, s5, s6],
            antennas: [present[Joint::RightAntenna].value(), present[Joint::LeftAntenna].value()],
            torque: snapshot.state.torque.iter().all(|(_, on)| *on),
        };
        Heard::Answer(Reply::plain(Answer::State { now: self.now.0, state: Box::new(state) }))
    }

    fn frame(&mut self) -> Heard {
        self.record.frames += 1;
        match self.stage.picture() {
            Some(picture) => {
                let [height, width] =
                    [picture.height, picture.width].map(|pixels| u32::try_from(pixels).unwrap_or(0));
                let answer = Answer::Frame { now: self.now.0, height, width };
                Heard::Answer(Reply { answer, raw: Some(picture.bgr) })
            }
            None => Heard::Answer(Reply::plain(Answer::Frame { now: self.now.0, height: 0, width: 0 })),
        }
    }

    fn motors(&mut self, on: bool, ids: Option<Vec<String>>) -> Heard {
        let mut torque = self.stage.conductor.snapshot().state.torque;
        match ids {
            None => torque = Joints::all(on),
            Some(ids) => {
                for name in ids {
                    let Some(joint) = Joint::from_name(&name) else {
                        let known: Vec<_> = Joint::ALL.iter().map(|joint| joint.name()).collect();
                        let message =
                            format!("there is no motor {name:?}; the motors are {}", known.join(", "));
                        return self.refuse(RefusalKind::Value, &message);
                    };
                    torque[joint] = on;
                }
            }
        }
        self.switch(torque);
        let kind = if on { "motors on" } else { "motors off" };
        self.keep(Step { kind: kind.into(), ..Step::default() });
        self.done()
    }

    fn switch(&mut self, torque: Joints<bool>) {
        self.collect_trims();
        self.stage.torque(torque);
        self.now = self.elapsed().max(self.now);
    }

    fn keep(&mut self, step: Step) {
        if self.record.steps.len() < STEPS_KEPT {
            self.record.steps.push(step);
        } else {
            self.note(&format!("only the first {STEPS_KEPT} steps are kept"));
        }
    }

    fn note(&mut self, note: &str) {
        if !self.record.notes.iter().any(|known| known == note) && self.record.notes.len() < 20 {
            self.record.notes.push(note.into());
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
        self.record.outcome = outcome;
        self.record
    }
}

/// At most so many bytes of a guest's text.
fn cut(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}

const fn needs(cue: &Cue) -> Option<Capability> {
    match cue {
        Cue::Goto { .. }
        | Cue::SetTarget { .. }
        | Cue::Play { .. }
        | Cue::LookAt { .. }
        | Cue::AutomaticBodyYaw { .. }
        | Cue::Wake
        | Cue::Rest => Some(Capability::Motion),
        Cue::Motors { .. } | Cue::Gravity { .. } => Some(Capability::Motors),
        Cue::Frame => Some(Capability::Camera),
        Cue::Track { .. } | Cue::Face => Some(Capability::Tracking),
        Cue::Sound { .. } => Some(Capability::Sound),
        Cue::Sleep { .. } | Cue::State => None,
    }
}

#[cfg(test)]
mod tests;

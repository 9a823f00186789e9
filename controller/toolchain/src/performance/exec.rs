//! One tool calls another: on the same stage, within the caller's time and with no more than the caller may lend.
//!
//! The callee is a guest of its own, admitted and caged like any other; caller and callee share nothing but the
//! arguments and the result, both plain JSON.

use std::collections::BTreeSet;

use firmware_bridge::limits::Limits;
use minismith_wire::{Answer, Job, RefusalKind};
use serde_json::{Map, Value};

use super::{Heard, Outcome, Performing, Permit, Reply, STEPS_KEPT, perform};
use crate::guest::Guest;
use minismith_analysis::manifest::Capability;

/// How many tools may wait for one another.
const DEEPEST: u8 = 4;

/// Finds tools that other tools call.
pub trait Callees: Sync {
    /// What is known of a tool, without running anything.
    ///
    /// # Errors
    /// In words for the caller's author, when there is no such tool or it may not be called.
    fn about(&self, name: &str) -> Result<About, String>;

    /// A fresh guest for this call.
    ///
    /// # Errors
    /// In words for the caller's author.
    fn callee(&self, name: &str, arguments: &Map<String, Value>) -> Result<Callee<'_>, String>;
}

/// What a caller's proof rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// What it may do, the tools that it calls included.
    pub capabilities: BTreeSet<Capability>,
    /// The hash of its code.
    pub sha256: String,
}

/// A tool that is about to be called.
pub struct Callee<'a> {
    /// Where it runs.
    pub guest: Box<dyn Guest>,
    /// What is run.
    pub job: Job,
    /// What it may do by itself.
    pub permit: Permit<'a>,
    /// The limits of its motion, when they are narrower than the body's: those of a tool that nobody approved.
    pub limits: Option<Limits>,
}

impl<'a> Performing<'a> {
    pub(super) fn exec(&mut self, name: &str, arguments: &Map<String, Value>) -> Heard {
        match self.callee(name, arguments) {
            Ok(callee) => self.call(name, callee),
            Err((kind, complaint)) => self.refuse(kind, &complaint),
        }
    }

    fn callee(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Callee<'a>, (RefusalKind, String)> {
        let name: String = name.chars().take(100).collect();
        let denied = |complaint: String| Err((RefusalKind::Permission, complaint));
        let Some(callees) = self.permit.callees else {
            return Err((RefusalKind::Runtime, "no other tool can be called here".into()));
        };
        if !self.permit.tools.contains(&name) {
            return denied(format!("{name:?} is not among the tools that this one was proved with"));
        }
        if self.permit.depth >= DEEPEST {
            return denied(format!(
                "{name} is called by a tool that is called by a tool, {DEEPEST} times over"
            ));
        }
        let about = callees.about(&name).map_err(|complaint| (RefusalKind::Runtime, complaint))?;
        let beyond: Vec<String> =
            about.capabilities.difference(&self.permit.lends).map(minismith_runtime::outcome::word).collect();
        if !beyond.is_empty() {
            let beyond = beyond.join(", ");
            return denied(format!("{name} needs {beyond}, which it did not when its caller was proved"));
        }
        let mut callee =
            callees.callee(&name, arguments).map_err(|complaint| (RefusalKind::Value, complaint))?;
        let left = self.budget().since(self.now).as_secs_f64();
        callee.permit.stage_seconds = callee.permit.stage_seconds.min(left);
        callee.permit.depth = self.permit.depth + 1;
        // Whole seconds, as for its caller.
        callee.job.epoch = self.epoch + self.now.seconds().floor();
        Ok(callee)
    }

    fn call(&mut self, name: &str, callee: Callee<'_>) -> Heard {
        let Callee { mut guest, job, permit, limits } = callee;
        self.collect_trims();
        let own_limits = self.stage.conductor.snapshot().limits;
        let own_manners = self.stage.automatic_body_yaw;
        if let Some(limits) = limits {
            self.stage.limit(limits);
        }
        let called = perform(&mut *guest, job, self.stage, &permit);
        drop(guest);
        if limits.is_some() {
            self.stage.limit(own_limits);
        }
        self.stage.automatic_body_yaw = own_manners;
        self.now = self.elapsed().max(self.now);
        let record = &mut self.record;
        record.trims.merge(&called.trims);
        record.printed.push_str(&called.printed);
        record.frames += called.frames;
        record.slips += called.slips;
        record.notes.extend(called.notes.into_iter().map(|note| format!("{name}: {note}")));
        let room = STEPS_KEPT.saturating_sub(record.steps.len());
        record.steps.extend(called.steps.into_iter().take(room));
        match called.outcome {
            Outcome::Returned { value } => {
                Heard::Answer(Reply::plain(Answer::Value { now: self.now.0, value }))
            }
            Outcome::Raised { kind, message, .. } => {
                self.refuse(RefusalKind::Runtime, &format!("{name} raised {kind}: {message}"))
            }
            outcome @ Outcome::Stopped { .. } if self.stage.is_stopped() => Heard::End(outcome),
            Outcome::Stopped { reason, .. } => {
                self.refuse(RefusalKind::Runtime, &format!("{name} was stopped: {reason}"))
            }
        }
    }
}

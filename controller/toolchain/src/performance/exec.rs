//! Lets one tool call another in the same context, within the caller's time and delegable capabilities.
//!
//! The callee is a guest of its own, accepted and sandboxed like any other. Caller and callee share only the
//! arguments and the result, both plain JSON.

use std::collections::BTreeSet;

use firmware_bridge::limits::Limits;
use minismith_wire::{Answer, Job, RefusalKind};
use serde_json::{Map, Value};

use super::{Execution, Next, Outcome, Permit, Reply, STEPS_KEPT, perform};
use crate::guest::Guest;
use minismith_analysis::manifest::Capability;

/// Maximum depth of nested tool calls.
const MAX_CALL_DEPTH: u8 = 4;

/// Finds the tools that other tools call.
pub trait Callees: Sync {
    /// Returns the description of a tool, without running anything.
    ///
    /// # Errors
    /// Returns a message for the caller's author if the tool does not exist or may not be called.
    fn about(&self, name: &str) -> Result<About, String>;

    /// Returns a new guest for this call.
    ///
    /// # Errors
    /// Returns a message for the caller's author.
    fn callee(&self, name: &str, arguments: &Map<String, Value>) -> Result<Callee<'_>, String>;
}

/// The facts about a callee on which its caller's verification depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Capabilities of the tool and of the tools that it calls.
    pub capabilities: BTreeSet<Capability>,
    /// SHA-256 hash of its code.
    pub sha256: String,
}

/// A tool that is ready to be called.
pub struct Callee<'a> {
    /// Guest in which it runs.
    pub guest: Box<dyn Guest>,
    /// Job to run.
    pub job: Job,
    /// Permissions of its own.
    pub permit: Permit<'a>,
    /// Limits of motion, if they are narrower than the robot's. An unapproved tool has such limits.
    pub limits: Option<Limits>,
}

impl<'a> Execution<'a> {
    pub(super) fn exec(&mut self, name: &str, arguments: &Map<String, Value>) -> Next {
        match self.callee(name, arguments) {
            Ok(callee) => self.call(name, callee),
            Err((kind, message)) => self.refuse(kind, &message),
        }
    }

    fn callee(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Callee<'a>, (RefusalKind, String)> {
        let name: String = name.chars().take(100).collect();
        let denied = |message: String| Err((RefusalKind::Permission, message));
        let Some(callees) = self.permit.callees else {
            return Err((RefusalKind::Runtime, "no other tool can be called here".into()));
        };
        if !self.permit.tools.contains(&name) {
            return denied(format!("{name:?} is not among the tools that this one was verified with"));
        }
        if self.permit.depth >= MAX_CALL_DEPTH {
            return denied(format!(
                "cannot call {name}: tool calls are nested at most {MAX_CALL_DEPTH} deep"
            ));
        }
        let about = callees.about(&name).map_err(|message| (RefusalKind::Runtime, message))?;
        let beyond: Vec<String> =
            about.capabilities.difference(&self.permit.lends).map(minismith_runtime::outcome::word).collect();
        if !beyond.is_empty() {
            let beyond = beyond.join(", ");
            return denied(format!(
                "{name} needs {beyond}, which it did not need when its caller was verified"
            ));
        }
        let mut callee = callees.callee(&name, arguments).map_err(|message| (RefusalKind::Value, message))?;
        let left = self.budget().since(self.now).as_secs_f64();
        callee.permit.stage_seconds = callee.permit.stage_seconds.min(left);
        callee.permit.depth = self.permit.depth + 1;
        // Whole seconds, as for the caller.
        callee.job.epoch = self.epoch + self.now.seconds().floor();
        Ok(callee)
    }

    fn call(&mut self, name: &str, callee: Callee<'_>) -> Next {
        let Callee { mut guest, job, permit, limits } = callee;
        self.collect_trims();
        let own_limits = self.stage.conductor.snapshot().limits;
        let own_body_yaw = self.stage.automatic_body_yaw;
        if let Some(limits) = limits {
            self.stage.limit(limits);
        }
        let called = perform(&mut *guest, job, self.stage, &permit);
        drop(guest);
        if limits.is_some() {
            self.stage.limit(own_limits);
        }
        self.stage.automatic_body_yaw = own_body_yaw;
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
                Next::Answer(Reply::plain(Answer::Value { now: self.now.0, value }))
            }
            Outcome::Raised { kind, message, .. } => {
                self.refuse(RefusalKind::Runtime, &format!("{name} raised {kind}: {message}"))
            }
            outcome @ Outcome::Stopped { .. } if self.stage.is_stopped() => Next::End(outcome),
            Outcome::Stopped { reason, .. } => {
                self.refuse(RefusalKind::Runtime, &format!("{name} was stopped: {reason}"))
            }
        }
    }
}

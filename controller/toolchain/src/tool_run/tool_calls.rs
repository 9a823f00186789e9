//! Lets one tool call another in the same context, within the caller's time and delegable capabilities.
//!
//! The callee is a guest of its own, accepted and sandboxed like any other. Caller and callee share only the
//! arguments and the result, both plain JSON.

use std::collections::BTreeSet;

use firmware_bridge::limits::Limits;
use minismith_protocol::{HostReply, Job, RefusalKind};
use serde_json::{Map, Value};

use super::{Execution, MAX_STEPS_KEPT, Next, Outcome, Permissions, Reply, execute};
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
    fn callee_info(&self, name: &str) -> Result<CalleeInfo, String>;

    /// Returns a new guest for this call.
    ///
    /// # Errors
    /// Returns a message for the caller's author.
    fn callee(&self, name: &str, arguments: &Map<String, Value>) -> Result<Callee<'_>, String>;
}

/// The facts about a callee on which its caller's verification depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalleeInfo {
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
    pub permit: Permissions<'a>,
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
        let about = callees.callee_info(&name).map_err(|message| (RefusalKind::Runtime, message))?;
        let beyond: Vec<String> = about
            .capabilities
            .difference(&self.permit.delegable)
            .map(minismith_runtime::report::serde_name)
            .collect();
        if !beyond.is_empty() {
            let beyond = beyond.join(", ");
            return denied(format!(
                "{name} needs {beyond}, which it did not need when its caller was verified"
            ));
        }
        let mut callee = callees.callee(&name, arguments).map_err(|message| (RefusalKind::Value, message))?;
        let left = self.budget().since(self.now).as_secs_f64();
        callee.permit.robot_time_s = callee.permit.robot_time_s.min(left);
        callee.permit.depth = self.permit.depth + 1;
        // What the called tool hands out stays in this run, which counts its frames too.
        callee.permit.max_recorded_data = None;
        // Whole seconds, as for the caller.
        callee.job.epoch = self.epoch + self.now.seconds().floor();
        Ok(callee)
    }

    fn call(&mut self, name: &str, callee: Callee<'_>) -> Next {
        let Callee { mut guest, job, permit, limits } = callee;
        self.collect_clamps();
        let own_limits = self.context.control.snapshot().limits;
        let own_body_yaw = self.context.automatic_body_yaw;
        if let Some(limits) = limits {
            self.context.limit(limits);
        }
        let called = execute(&mut *guest, job, self.context, &permit);
        drop(guest);
        if limits.is_some() {
            self.context.limit(own_limits);
        }
        self.context.automatic_body_yaw = own_body_yaw;
        self.now = self.elapsed().max(self.now);
        let record = &mut self.record;
        record.clamps.merge(&called.clamps);
        record.printed.push_str(&called.printed);
        record.frames += called.frames;
        record.stalls += called.stalls;
        record.notes.extend(called.notes.into_iter().map(|note| format!("{name}: {note}")));
        let room = MAX_STEPS_KEPT.saturating_sub(record.steps.len());
        record.steps.extend(called.steps.into_iter().take(room));
        match called.outcome {
            Outcome::Returned { value } => {
                Next::Answer(Reply::plain(HostReply::Value { now: self.now.0, value }))
            }
            Outcome::Raised { kind, message, .. } => {
                self.refuse(RefusalKind::Runtime, &format!("{name} raised {kind}: {message}"))
            }
            outcome @ Outcome::Stopped { .. } if self.context.is_stopped() => Next::End(outcome),
            Outcome::Stopped { reason, .. } => {
                self.refuse(RefusalKind::Runtime, &format!("{name} was stopped: {reason}"))
            }
        }
    }
}

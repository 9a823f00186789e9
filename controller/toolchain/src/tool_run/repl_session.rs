//! Runs a user's lines instead of a tool, with the same host calls, checks and clock, in one guest.

use std::collections::BTreeMap;

use firmware_bridge::clock::Timestamp;
use firmware_bridge::control_loop::LoopCommand;
use minismith_protocol::{GuestMessage, HostReply, Job, RefusalKind};
use serde_json::Value;

use super::{Execution, Next, Outcome, Permissions, Reply, ToolRun};
use crate::guest::{Guest, GuestError};
use minismith_control::execution::ExecutionContext;

/// The state of an interactive session on the context's clock. It outlives its guests.
pub struct ReplSession {
    permit: Permissions<'static>,
    /// Robot time that one line may take, seconds.
    seconds: f64,
    base: Option<Timestamp>,
    now: Timestamp,
}

/// The result of a line.
#[derive(Debug)]
pub struct LineResult {
    /// Value of the last expression, as Python writes it.
    pub repr: Option<String>,
    /// The exception, as a short traceback.
    pub error: Option<String>,
    /// Whether the statement continues in the next line.
    pub incomplete: bool,
    /// The record. If its outcome is `Stopped`, the guest is no longer usable.
    pub run: ToolRun,
}

impl ReplSession {
    /// Creates a session whose lines have these permissions.
    #[must_use]
    pub const fn new(permit: Permissions<'static>) -> Self {
        ReplSession { seconds: permit.robot_time_s, permit, base: None, now: Timestamp::ZERO }
    }

    /// Returns the robot time since the first line.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// Prepares a guest for lines.
    ///
    /// # Errors
    /// Returns an error if the guest fails or sends an unexpected message.
    pub fn begin(&self, guest: &mut dyn Guest, job: Job) -> Result<(), GuestError> {
        let job = Job { interactive: true, now: self.now.0, ..job };
        guest.turn(&HostReply::Start { job: Box::new(job) }, None)?;
        match guest.turn(&HostReply::Proceed, None)? {
            GuestMessage::Result { .. } => Ok(()),
            _ => Err(GuestError::ProtocolViolation { what: "it was not ready for lines".into() }),
        }
    }

    /// Runs a line in a guest on the execution context.
    ///
    /// A host call beyond the robot time of the line is refused like any other, so the guest stays alive.
    pub fn line(
        &mut self,
        guest: &mut dyn Guest,
        source: &str,
        context: &mut ExecutionContext,
    ) -> LineResult {
        context.begin(context.control.stop_epoch());
        let follows = context.automatic_body_yaw;
        let base = self.base;
        let start = base.map_or(Timestamp::ZERO, |base| {
            self.now.max(Timestamp::ZERO + context.control.robot_time().since(base))
        });
        let permit = Permissions { robot_time_s: start.seconds() + self.seconds, ..self.permit.clone() };
        let mut execution = Execution::new(context, &permit);
        if let Some(base) = base {
            (execution.base, execution.begun, execution.now) = (base, true, start);
        }
        let mut reply = Reply::plain(HostReply::Line { now: start.0, source: source.into() });
        let mut result = (None, None, false);
        let outcome = loop {
            let turn = match guest.turn(&reply.answer, reply.raw()) {
                Ok(turn) => turn,
                Err(fault) => {
                    execution.context.control.send_command(LoopCommand::Stop);
                    break Outcome::stopped(fault.limit(), fault);
                }
            };
            if let GuestMessage::Result { repr: shown, error, incomplete: more, printed, spent } = turn {
                execution.close(&printed, spent, BTreeMap::new());
                result = (shown, error, more);
                break Outcome::Returned { value: Value::Null };
            }
            reply = match execution.handle_turn(turn) {
                Next::Answer(answer) => answer,
                Next::End(Outcome::Stopped { limit, reason })
                    if matches!(limit.as_str(), "stage_seconds" | "frames_per_second") =>
                {
                    let reason = if limit == "stage_seconds" {
                        format!("this takes more than the {} s of robot time of one line", self.seconds)
                    } else {
                        reason
                    };
                    match execution.refuse(RefusalKind::Timeout, &reason) {
                        Next::Answer(answer) => answer,
                        Next::End(outcome) => break outcome,
                    }
                }
                Next::End(outcome) => break outcome,
            };
        };
        let (base, now) = (execution.base, execution.now.min(execution.budget()));
        let mut tool_run = execution.finish(outcome);
        context.automatic_body_yaw = follows;
        self.base = Some(base);
        self.now = now.max(Timestamp::ZERO + context.control.robot_time().since(base));
        tool_run.duration = self.now.since(start);
        let (shown, error, more) = result;
        LineResult { repr: shown, error, incomplete: more, run: tool_run }
    }
}

//! Runs a user's lines instead of a tool, with the same host calls, checks and clock, in one guest.

use std::collections::BTreeMap;

use firmware_bridge::clock::Tick;
use firmware_bridge::pulse::Order;
use minismith_wire::{Answer, Job, RefusalKind, Turn};
use serde_json::Value;

use super::{Execution, Next, Outcome, Performance, Permit, Reply};
use crate::guest::{Guest, GuestFault};
use minismith_control::stage::Stage;

/// The state of an interactive session on the context's clock. It outlives its guests.
pub struct Lines {
    permit: Permit<'static>,
    /// Robot time that one line may take, seconds.
    seconds: f64,
    base: Option<Tick>,
    now: Tick,
}

/// The result of a line.
#[derive(Debug)]
pub struct Said {
    /// Value of the last expression, as Python writes it.
    pub shown: Option<String>,
    /// The exception, as a short traceback.
    pub trouble: Option<String>,
    /// Whether the statement continues in the next line.
    pub more: bool,
    /// The record. If its outcome is `Stopped`, the guest is no longer usable.
    pub performance: Performance,
}

impl Lines {
    /// Creates a session whose lines have these permissions.
    #[must_use]
    pub const fn new(permit: Permit<'static>) -> Self {
        Lines { seconds: permit.stage_seconds, permit, base: None, now: Tick::ZERO }
    }

    /// Returns the robot time since the first line.
    #[must_use]
    pub const fn now(&self) -> Tick {
        self.now
    }

    /// Prepares a guest for lines.
    ///
    /// # Errors
    /// Returns an error if the guest fails or sends an unexpected message.
    pub fn begin(&self, guest: &mut dyn Guest, job: Job) -> Result<(), GuestFault> {
        let job = Job { interactive: true, now: self.now.0, ..job };
        guest.turn(&Answer::Start { job: Box::new(job) }, None)?;
        match guest.turn(&Answer::Proceed, None)? {
            Turn::Result { .. } => Ok(()),
            _ => Err(GuestFault::Forged { what: "it was not ready for lines".into() }),
        }
    }

    /// Runs a line in a guest on the execution context.
    ///
    /// A host call beyond the robot time of the line is refused like any other, so the guest stays alive.
    pub fn line(&mut self, guest: &mut dyn Guest, source: &str, stage: &mut Stage) -> Said {
        stage.begin(stage.conductor.halts());
        let follows = stage.automatic_body_yaw;
        let base = self.base;
        let start = base
            .map_or(Tick::ZERO, |base| self.now.max(Tick::ZERO + stage.conductor.stage_now().since(base)));
        let permit = Permit { stage_seconds: start.seconds() + self.seconds, ..self.permit.clone() };
        let mut execution = Execution::new(stage, &permit);
        if let Some(base) = base {
            (execution.base, execution.begun, execution.now) = (base, true, start);
        }
        let mut reply = Reply::plain(Answer::Line { now: start.0, source: source.into() });
        let mut result = (None, None, false);
        let outcome = loop {
            let turn = match guest.turn(&reply.answer, reply.raw()) {
                Ok(turn) => turn,
                Err(fault) => {
                    execution.stage.conductor.order(Order::Halt);
                    break Outcome::stopped(fault.limit(), fault);
                }
            };
            if let Turn::Result { shown, trouble, more, printed, spent } = turn {
                execution.close(&printed, spent, BTreeMap::new());
                result = (shown, trouble, more);
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
        let mut performance = execution.finish(outcome);
        stage.automatic_body_yaw = follows;
        self.base = Some(base);
        self.now = now.max(Tick::ZERO + stage.conductor.stage_now().since(base));
        performance.took = self.now.since(start);
        let (shown, trouble, more) = result;
        Said { shown, trouble, more, performance }
    }
}

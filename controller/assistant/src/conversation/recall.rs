//! Stores the turns of a session, and restores from them what "again" and "undo that" refer to.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Conversation, Reply, TurnOutcome, dry_run};
use crate::memory::Record;
use firmware_bridge::posture::Posture;
use minismith_nlu::{Aim, Known, PastTurn, Understanding};
use minismith_runtime::report::{PostureReport, Step, serde_name};

/// How many turns of a stored session are read again. Each may change the one before it: "a bit more", "the other way".
const RECALLED_TURNS: usize = 20;

impl Conversation<'_> {
    /// Stores a turn in the session. `from` is the commanded posture before it.
    pub(super) fn keep_turn(&self, said: &str, from: Option<&Posture>, reply: &Reply) {
        let record = Record {
            at: firmware_bridge::clock::unix_seconds(),
            said: said.into(),
            answer: reply.text.clone(),
            ending: serde_name(&reply.outcome),
            log: json!({"plan": reply.plan, "from": from.map(PostureReport::from), "steps": reply.steps,
                "tool": reply.tool, "spent": reply.spent, "read": reply.read}),
        };
        self.session(|session| session.remember(&record));
    }

    /// Reads the last turns of the stored session again. Nothing moves.
    pub(super) fn recall_turns(&mut self) {
        let turns = self.session(|session| session.turns()).unwrap_or_default();
        let known = self.known_tools().unwrap_or_default();
        for turn in turns.into_iter().rev().take(RECALLED_TURNS).rev() {
            let context = Known { tools: &known, before: Some(&self.dialog_context) };
            let plan = match dry_run::understood(&turn.said, &context) {
                Understanding::Plan(plan) => plan,
                _ => Vec::new(),
            };
            let steps: Vec<Step> = stored(&turn.log, "steps").unwrap_or_default();
            // A language model read what moved the robot in this turn, so "again" must not reach past it.
            let is_unknown = plan.is_empty() && !steps.is_empty();
            let outcome = serde_json::from_value(Value::from(turn.ending)).ok().filter(|_| !is_unknown);
            let from: Option<PostureReport> = stored(&turn.log, "from");
            self.dialog_context.remember(PastTurn {
                said: turn.said,
                answer: turn.answer,
                plan,
                steps,
                ending: outcome.unwrap_or(TurnOutcome::NotUnderstood),
                from: from.as_ref().map(|report| Aim::of(&Posture::from(report))),
            });
        }
    }
}

fn stored<T: DeserializeOwned>(log: &Value, key: &str) -> Option<T> {
    serde_json::from_value(log.get(key)?.clone()).ok()
}

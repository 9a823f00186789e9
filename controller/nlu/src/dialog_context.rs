//! The dialog context: what "again", "the other way", "undo that" and "what happened?" refer to.
//!
//! It is made from outcomes. A turn that did nothing is recorded with its reason and leaves nothing to
//! repeat.

use minismith_commands::Past;
use minismith_score::AxisValues;
use serde_json::{Map, Value};

use super::aim::Aim;
use super::intent::Intent;
use minismith_runtime::report::{Step, TurnOutcome};

/// One turn of a conversation: the user's words and the outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct PastTurn {
    /// The user's words.
    pub said: String,
    /// The answer.
    pub answer: String,
    /// The plan; empty if the words were not understood.
    pub plan: Vec<Intent>,
    /// For each motion, what was requested and achieved, or why not.
    pub steps: Vec<Step>,
    /// How it ended.
    pub ending: TurnOutcome,
    /// The commanded posture of the robot before the turn, if known.
    pub from: Option<Aim>,
}

/// The turns that a conversation may refer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DialogContext {
    last: Option<PastTurn>,
    last_action: Option<PastTurn>,
    /// What the last action did, and the one before it; read once, when it is recorded.
    past: Option<Past>,
    /// The posture in which the last action left the robot, if it is known.
    posture: Option<AxisValues>,
    tool: Option<(String, Map<String, Value>)>,
    /// What the robot said last: the text that it was asked to say, or its answer.
    said: Option<String>,
}

impl DialogContext {
    /// Returns the posture in which the last action left the robot; neutral where it is not known.
    pub(super) fn posture(&self) -> AxisValues {
        self.posture.unwrap_or_else(AxisValues::neutral)
    }

    /// Returns the last turn that was not a question about an earlier one.
    #[must_use]
    pub fn last(&self) -> Option<&PastTurn> {
        self.last.as_ref()
    }

    /// Returns the last turn that asked for an action; none if a later request could not be done.
    #[must_use]
    pub fn last_action(&self) -> Option<&PastTurn> {
        self.last_action.as_ref()
    }

    /// Returns what a text may refer to.
    pub(super) fn past(&self) -> Option<&Past> {
        self.past.as_ref()
    }

    /// Returns what was done last, in plain English: "look left 20 degrees, then nod".
    #[must_use]
    pub fn last_done(&self) -> Option<String> {
        let steps: Vec<String> = self.last_action.as_ref()?.plan.iter().map(ToString::to_string).collect();
        (!steps.is_empty()).then(|| steps.join(", then "))
    }

    /// Returns the tool that was made or run last, with its last arguments.
    #[must_use]
    pub fn tool(&self) -> Option<&(String, Map<String, Value>)> {
        self.tool.as_ref()
    }

    /// Returns what the robot said last.
    #[must_use]
    pub fn said_last(&self) -> Option<&str> {
        self.said.as_deref()
    }

    /// Returns the code of the language in which a motion was asked for last, if the reader of commands understood it.
    #[must_use]
    pub fn language(&self) -> Option<&'static str> {
        self.last_action.as_ref()?.plan.iter().find_map(|intent| match intent {
            Intent::Spoken(spoken) => Some(spoken.language),
            _ => None,
        })
    }

    /// Records a turn. `refers` states whether its words refer to an earlier action. `posture`: where it leaves the robot.
    /// `done` returns what an action did, which may refer to what was done before.
    pub(super) fn record(
        &mut self,
        turn: PastTurn,
        refers: bool,
        posture: Option<AxisValues>,
        done: impl FnOnce(&PastTurn, Option<&Past>) -> Option<Past>,
    ) {
        let tool = turn.plan.iter().rev().find_map(|intent| match intent {
            Intent::RunTool { name, arguments } => Some((name.clone(), arguments.clone())),
            Intent::MakeTool { name, .. } => Some((name.clone(), Map::new())),
            _ => None,
        });
        if tool.is_some() {
            self.tool = tool;
        }
        let texts = turn.plan.iter().filter_map(|intent| match intent {
            Intent::Say(text) => Some(text.as_str()),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join(" ");
        let said = if text.is_empty() { &turn.answer } else { &text };
        if !said.is_empty() {
            self.said = Some(said.clone());
        }
        if turn.plan.iter().any(acts) {
            let before = self.past.take();
            let now = done(&turn, before.as_ref());
            self.posture = posture;
            let earlier = before.map(Into::into);
            self.past = now.map(|past| Past { earlier, ..past });
            self.last_action = Some(turn.clone());
        } else if turn.plan.is_empty() && turn.ending != TurnOutcome::Done && !refers {
            // After "nod" and "fly", a following "again" would refer to the flight.
            (self.last_action, self.past) = (None, None);
        }
        // "what happened?" twice asks about the same turn.
        let only_talk = !turn.plan.is_empty() && turn.plan.iter().all(is_talk);
        if !only_talk {
            self.last = Some(turn);
        }
    }
}

/// Returns whether an intent is an action that can be reported as done.
fn acts(intent: &Intent) -> bool {
    matches!(
        intent,
        Intent::Motion(_)
            | Intent::Spoken(_)
            | Intent::See(_)
            | Intent::RunTool { .. }
            | Intent::MakeTool { .. }
    )
}

fn is_talk(intent: &Intent) -> bool {
    matches!(
        intent,
        Intent::Say(_)
            | Intent::Report(_)
            | Intent::Help
            | Intent::ListTools
            | Intent::State
            | Intent::Courtesy(..)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Known, Understanding, interpret};

    fn turn(said: &str) -> PastTurn {
        let (plan, ending) = match interpret(said, &Known::default()) {
            Understanding::Plan(plan) => (plan, TurnOutcome::Done),
            _ => (Vec::new(), TurnOutcome::NotUnderstood),
        };
        PastTurn { said: said.into(), answer: String::new(), plan, steps: Vec::new(), ending, from: None }
    }

    #[test]
    fn questions_preserve_the_last_action_and_refusals_clear_it() {
        let mut before = DialogContext::default();
        before.remember(turn("nod"));
        before.remember(turn("what happened?"));
        assert_eq!(before.last().map(|turn| turn.said.as_str()), Some("nod"));
        assert_eq!(before.last_action().map(|turn| turn.said.as_str()), Some("nod"));
        before.remember(turn("no"));
        assert_eq!(before.last_action().map(|turn| turn.said.as_str()), Some("nod"));
        before.remember(turn("fly"));
        assert_eq!(before.last().map(|turn| turn.said.as_str()), Some("fly"));
        assert_eq!(before.last_action(), None);
    }

    #[test]
    fn last_tool_persists_after_motions() {
        let mut before = DialogContext::default();
        before.remember(turn("make a tool called blip that nods"));
        before.remember(turn("nod"));
        assert_eq!(before.tool().map(|(name, _)| name.as_str()), Some("blip"));
    }

    #[test]
    fn what_was_said_last_is_said_again() {
        let mut before = DialogContext::default();
        let again = |before: &DialogContext| {
            interpret("say that again", &Known { before: Some(before), ..Known::default() })
        };
        assert!(matches!(again(&before), Understanding::Unclear { .. }));
        before.remember(turn("say good morning"));
        assert_eq!(again(&before), Understanding::Plan(vec![Intent::Say("good morning".into())]));
        before.remember(PastTurn { answer: "I see a cup.".into(), ..turn("what do you see") });
        assert_eq!(again(&before), Understanding::Plan(vec![Intent::Say("I see a cup.".into())]));
    }
}

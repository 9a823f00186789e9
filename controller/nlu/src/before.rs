//! What was said and done before: what "again", "the other way", "undo that" and "what happened?" refer to.
//!
//! It is made from outcomes. A turn that did nothing is remembered for its reason, and leaves nothing to repeat.

use serde_json::{Map, Value};

use super::aim::Aim;
use super::intent::Intent;
use minismith_runtime::outcome::{Ending, Step};

/// One turn of a conversation: what was said, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The person's words.
    pub said: String,
    /// What was answered.
    pub answer: String,
    /// What was understood; empty when nothing was.
    pub plan: Vec<Intent>,
    /// What was requested and achieved, or why not, motion by motion.
    pub steps: Vec<Step>,
    /// How it ended.
    pub ending: Ending,
    /// Where the body was told to be before it began, where that is known.
    pub from: Option<Aim>,
}

/// What a conversation may refer back to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Before {
    last: Option<Turn>,
    acted: Option<Turn>,
    tool: Option<(String, Map<String, Value>)>,
}

impl Before {
    /// The last turn that was no question about an earlier one.
    #[must_use]
    pub fn last(&self) -> Option<&Turn> {
        self.last.as_ref()
    }

    /// The last turn in which something was to be done; none if what was said since could not be done.
    #[must_use]
    pub fn acted(&self) -> Option<&Turn> {
        self.acted.as_ref()
    }

    /// The tool that was made or run last, with its last arguments.
    #[must_use]
    pub fn tool(&self) -> Option<&(String, Map<String, Value>)> {
        self.tool.as_ref()
    }

    /// Remembers one more turn. `refers` says whether its words refer to what was done before them.
    pub(super) fn record(&mut self, turn: Turn, refers: bool) {
        let tool = turn.plan.iter().rev().find_map(|intent| match intent {
            Intent::RunTool { name, arguments } => Some((name.clone(), arguments.clone())),
            Intent::MakeTool { name, .. } => Some((name.clone(), Map::new())),
            _ => None,
        });
        if tool.is_some() {
            self.tool = tool;
        }
        if turn.plan.iter().any(acts) {
            self.acted = Some(turn.clone());
        } else if turn.plan.is_empty() && turn.ending != Ending::Done && !refers {
            // After "nod", "fly", the next "again" would be about the flight.
            self.acted = None;
        }
        // "what happened?" twice is about the same thing.
        let only_talk = !turn.plan.is_empty() && turn.plan.iter().all(is_talk);
        if !only_talk {
            self.last = Some(turn);
        }
    }
}

/// Whether this is something that can be said to have been done.
fn acts(intent: &Intent) -> bool {
    matches!(intent, Intent::Motion(_) | Intent::See(_) | Intent::RunTool { .. } | Intent::MakeTool { .. })
}

fn is_talk(intent: &Intent) -> bool {
    matches!(
        intent,
        Intent::Tell(_) | Intent::Help | Intent::ListTools | Intent::State | Intent::Greet | Intent::Thanks
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Known, Understanding, understand};

    fn turn(said: &str) -> Turn {
        let (plan, ending) = match understand(said, &Known::default()) {
            Understanding::Plan(plan) => (plan, Ending::Done),
            _ => (Vec::new(), Ending::NotUnderstood),
        };
        Turn { said: said.into(), answer: String::new(), plan, steps: Vec::new(), ending, from: None }
    }

    #[test]
    fn talk_leaves_what_was_done_in_place_and_a_refusal_does_not() {
        let mut before = Before::default();
        before.remember(turn("nod"));
        before.remember(turn("what happened?"));
        assert_eq!(before.last().map(|turn| turn.said.as_str()), Some("nod"));
        assert_eq!(before.acted().map(|turn| turn.said.as_str()), Some("nod"));
        before.remember(turn("no"));
        assert_eq!(before.acted().map(|turn| turn.said.as_str()), Some("nod"));
        before.remember(turn("fly"));
        assert_eq!(before.last().map(|turn| turn.said.as_str()), Some("fly"));
        assert_eq!(before.acted(), None);
    }

    #[test]
    fn the_last_tool_outlives_motions() {
        let mut before = Before::default();
        before.remember(turn("make a tool called blip that nods"));
        before.remember(turn("nod"));
        assert_eq!(before.tool().map(|(name, _)| name.as_str()), Some("blip"));
    }
}

//! The entry points: turns a text into a plan or a reason. Pure, and well under a
//! millisecond.

use serde_json::Map;

use minismith_commands::{Told, asked_sight, called_tool, told};

use super::combine::combined;
use super::dialog_context::{DialogContext, PastTurn};
use super::grammar;
use super::intent::{Intent, MAX_STEPS, MAX_TEXT_LEN, Reason, Sight, Understanding};
use super::known::Known;
use super::primitive::OutOfRange;
use super::speech;
use super::stop::is_stop;
use super::suggestions::nearest;
use super::vision_intent::PERSON;

/// Returns the meaning of a text in a conversation: by the grammar, and where it declines or sees single steps in what
/// belongs together, by the reader of commands.
#[must_use]
pub fn interpret(text: &str, known: &Known<'_>) -> Understanding {
    let understood = understand(text, known);
    let may_speak = match &understood {
        Understanding::Plan(plan) => plan.iter().all(|intent| matches!(intent, Intent::Motion(_))),
        Understanding::Unclear { reason, .. } => {
            !matches!(reason, Reason::NotText | Reason::Rules | Reason::Motors | Reason::Unkind)
        }
        _ => false,
    };
    let read = |part: &str| ordered(part, understand(part, known), known);
    let took_photo = known
        .before
        .and_then(DialogContext::last)
        .is_some_and(|turn| turn.plan.iter().any(|intent| matches!(intent, Intent::See(Sight::Photo))));
    let spoken = if may_speak { speech::plan(text, took_photo, &read) } else { None };
    let ordered = spoken.unwrap_or_else(|| ordered(text, understood, known));
    let is_open = match &ordered {
        Understanding::Unclear { .. } | Understanding::Foreign { .. } => true,
        Understanding::Plan(plan) => {
            plan.iter().all(|intent| matches!(intent, Intent::Motion(_) | Intent::Spoken(_)))
        }
        _ => false,
    };
    if !is_open {
        return ordered;
    }
    let asked = asked_sight(text).filter(|_| !matches!(ordered, Understanding::Plan(_)));
    if let Some(sight) = asked.and_then(|(name, _)| sight_named(name)) {
        return Understanding::Plan(vec![Intent::See(sight)]);
    }
    // "Be angry", "wave goodbye": a tool made for it does it better.
    let is_known = |name: &str| known.tools.iter().any(|tool| tool.name == name);
    match called_tool(text, is_known) {
        Some(name) => {
            Understanding::Plan(vec![Intent::RunTool { name: name.to_owned(), arguments: Map::new() }])
        }
        None => ordered,
    }
}

/// Returns what a question of a language's file asks the camera for.
fn sight_named(name: &str) -> Option<Sight> {
    match name {
        "scene" => Some(Sight::Scene),
        "person" => Some(Sight::Where(PERSON)),
        "people" => Some(Sight::Count(PERSON)),
        _ => None,
    }
}

/// Returns what a text orders: what it only tells moves nothing, though it names a motion.
fn ordered(text: &str, understood: Understanding, known: &Known<'_>) -> Understanding {
    let combined = combined(text, understood, known.before);
    let may_move = match &combined {
        Understanding::Plan(plan) => {
            plan.iter().any(|intent| matches!(intent, Intent::Motion(_) | Intent::Spoken(_)))
        }
        Understanding::Unclear { reason, .. } => {
            !matches!(reason, Reason::NotText | Reason::Rules | Reason::Motors | Reason::Unkind)
        }
        _ => false,
    };
    if !may_move {
        return combined;
    }
    match told(text) {
        Told::Nothing => combined,
        Told::Everything if matches!(combined, Understanding::Unclear { .. }) => combined,
        Told::Everything => unclear(text, Reason::Hearsay, known),
        Told::AllBut(order) => super::combine::combined(&order, understand(&order, known), known.before),
    }
}

/// Returns the meaning of a text by the grammar: of all of it, or nothing.
#[must_use]
pub fn understand(text: &str, known: &Known<'_>) -> Understanding {
    if is_stop(text) {
        return Understanding::Stop;
    }
    let characters = text.chars().count();
    if characters > MAX_TEXT_LEN {
        return Understanding::TooLong { characters, allowed: MAX_TEXT_LEN };
    }
    if text.trim().is_empty() {
        return Understanding::Empty;
    }
    if text.chars().any(|c| (c.is_control() && !c.is_whitespace()) || c == char::REPLACEMENT_CHARACTER) {
        return unclear(text, Reason::NotText, known);
    }
    match grammar::parse(text, known) {
        Ok(plan) if plan.len() > MAX_STEPS => Understanding::OutOfRange(OutOfRange {
            what: format!("a plan of {} steps", plan.len()),
            allowed: format!("up to {MAX_STEPS} steps in one sentence"),
        }),
        Ok(plan) => Understanding::Plan(plan),
        Err(grammar::Refused::Unclear { heard, reason }) => unclear(&heard, reason, known),
        Err(grammar::Refused::Range(range)) => Understanding::OutOfRange(range),
    }
}

fn unclear(heard: &str, reason: Reason, known: &Known<'_>) -> Understanding {
    let nearest = match reason {
        Reason::Unknown | Reason::Body | Reason::Knowledge => nearest(heard, known),
        Reason::WhichTool => known.tools.iter().take(3).map(|tool| tool.name.clone()).collect(),
        _ => Vec::new(),
    };
    Understanding::Unclear { text: printable(heard), reason, nearest }
}

/// Makes a quotation safe to print: one short line without control characters.
fn printable(heard: &str) -> String {
    let mut line: String = heard
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .take(MAX_QUOTE_LENGTH + 1)
        .collect();
    if line.chars().count() > MAX_QUOTE_LENGTH {
        line.pop();
        line.push_str("...");
    }
    line.trim().to_owned()
}

/// Maximum length of a quotation of the user's words, in characters.
const MAX_QUOTE_LENGTH: usize = 80;

impl DialogContext {
    /// Records a turn.
    pub fn remember(&mut self, turn: PastTurn) {
        let refers = grammar::refers(&turn.said, self);
        self.record(turn, refers, super::combine::done);
    }
}

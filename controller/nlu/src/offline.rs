//! The entry point: turns a text into a plan or a reason. Pure, and well under a
//! millisecond.

use minismith_commands::{Told, asked_sight, called_tool, courtesy, told};
use serde_json::Map;

use super::decline_reason::why;
use super::dialog_context::{DialogContext, PastTurn};
use super::grammar::{self, Refused};
use super::intent::{Intent, MAX_STEPS, MAX_TEXT_LEN, Reason, Sight, Understanding};
use super::known::Known;
use super::motion::{done, left_in, motion};
use super::primitive::OutOfRange;
use super::speech;
use super::stop::is_stop;
use super::suggestions::nearest;
use super::tokenize::tokenize;
use super::vision_intent::PERSON;

/// Returns the meaning of a text in a conversation: of all of it, or nothing.
#[must_use]
pub fn interpret(text: &str, known: &Known<'_>) -> Understanding {
    if let Some(plan) = speech::in_order(text, &|part| ordered(part, known)) {
        return plan;
    }
    if let Some((courtesy, language)) = courtesy(text).filter(|_| !is_stop(text)) {
        return Understanding::Plan(vec![Intent::Courtesy(courtesy, language)]);
    }
    let understood = ordered(text, known);
    let is_open = |understood: &Understanding| match understood {
        Understanding::Unclear { reason, .. } => !is_final(*reason),
        Understanding::Foreign { .. } | Understanding::Impossible { .. } => true,
        Understanding::Plan(plan) => {
            plan.iter().all(|intent| matches!(intent, Intent::Motion(_) | Intent::Spoken(_)))
        }
        _ => false,
    };
    if !is_open(&understood) {
        return understood;
    }
    let took_photo = known
        .before
        .and_then(DialogContext::last)
        .is_some_and(|turn| turn.plan.iter().any(|intent| matches!(intent, Intent::See(Sight::Photo))));
    let spoken = speech::plan(text, took_photo, &|part| ordered(part, known));
    let understood = spoken.unwrap_or(understood);
    if !is_open(&understood) {
        return understood;
    }
    let asked = asked_sight(text).filter(|_| !matches!(understood, Understanding::Plan(_)));
    if let Some(sight) = asked.and_then(|(name, _)| sight_named(name)) {
        return Understanding::Plan(vec![Intent::See(sight)]);
    }
    // "Be angry", "wave goodbye": a tool made for it does it better.
    let is_known = |name: &str| known.tools.iter().any(|tool| tool.name == name);
    match called_tool(text, is_known) {
        Some(name) => {
            Understanding::Plan(vec![Intent::RunTool { name: name.to_owned(), arguments: Map::new() }])
        }
        None if does_nothing(&understood) => unclear(text, Reason::Negated, known),
        None => understood,
    }
}

/// Returns whether a plan does nothing, whatever happens: "don't nod when you see me".
fn does_nothing(understood: &Understanding) -> bool {
    let Understanding::Plan(plan) = understood else { return false };
    matches!(plan.as_slice(), [Intent::Spoken(spoken)]
        if spoken.meaning.is_none() && !matches!(spoken.if_event, Some((_, Some(_)))))
}

/// Returns whether nothing of a text is done for this reason, whatever else it says.
const fn is_final(reason: Reason) -> bool {
    matches!(reason, Reason::NotText | Reason::Rules | Reason::Motors | Reason::Unkind)
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
fn ordered(text: &str, known: &Known<'_>) -> Understanding {
    let understood = whole(text, known);
    let may_move = match &understood {
        Understanding::Plan(plan) => {
            plan.iter().any(|intent| matches!(intent, Intent::Motion(_) | Intent::Spoken(_)))
        }
        Understanding::Unclear { reason, .. } => !is_final(*reason),
        Understanding::Impossible { .. } => true,
        _ => false,
    };
    if !may_move {
        return understood;
    }
    match told(text) {
        Told::Nothing => understood,
        Told::Everything if !matches!(understood, Understanding::Plan(_)) => understood,
        Told::Everything => unclear(text, Reason::Hearsay, known),
        Told::AllBut(order) => whole(&order, known),
    }
}

/// Returns the meaning of a text: clauses of several kinds by the grammar, motions by the reader of commands.
fn whole(text: &str, known: &Known<'_>) -> Understanding {
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
    let refused = match grammar::parse(text, known) {
        Ok(plan) if plan.len() > MAX_STEPS => {
            return Understanding::OutOfRange(OutOfRange::steps(plan.len(), MAX_STEPS));
        }
        Ok(plan) => return Understanding::Plan(plan),
        Err(refused) => refused,
    };
    let (reason, _) = why(&tokenize(text));
    if is_final(reason) {
        return unclear(text, reason, known);
    }
    let moves = motion(text, known.before);
    match (&moves, refused) {
        // The motion is not all that was said.
        (Understanding::Plan(plan), Refused::Unclear { heard, reason, is_mixed: true })
            if !plan.iter().any(is_conditional) =>
        {
            unclear(&heard, reason, known)
        }
        (Understanding::OutOfRange(OutOfRange { what, allowed }), _) => {
            Understanding::OutOfRange(OutOfRange { what: printable(what), allowed: allowed.clone() })
        }
        (Understanding::Plan(_), _) => moves,
        (_, Refused::Range(range)) => Understanding::OutOfRange(range),
        (_, Refused::Unclear { heard, reason, .. }) => unclear(&heard, reason, known),
        (Understanding::Unclear { text, reason, .. }, _) => unclear(text, *reason, known),
        (Understanding::Impossible { text, why, language }, _) => {
            Understanding::Impossible { text: printable(text), why: *why, language }
        }
        _ => moves,
    }
}

fn is_conditional(intent: &Intent) -> bool {
    matches!(intent, Intent::Spoken(spoken) if spoken.if_event.is_some())
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
        let refers = grammar::refers(&turn.said, self) || minismith_commands::refers(&turn.said);
        let posture = turn.from.as_ref().and_then(|from| {
            left_in(&turn.plan, &minismith_score::AxisValues::from_posture(&from.posture()))
        });
        self.record(turn, refers, posture, |turn, earlier| done(turn, earlier, posture));
    }
}

//! Reads what a text orders to move, by the reader of commands: motions of one part or several, references, and all
//! languages.

use std::ops::Range;

use minismith_commands::{Meaning, Past, Phrase, Reading, Refusal, is_saying, read, timeline};
use minismith_score::{AxisValues, Event};

use super::decline_reason::why;
use super::dialog_context::{DialogContext, PastTurn};
use super::from_meaning::{posture_after, primitives};
use super::intent::{Intent, Reason, Understanding};
use super::lexicon::is_negation;
use super::primitive::{OutOfRange, Primitive};
use super::spoken::Spoken;
use super::tokenize::{Token, tokenize};

/// Returns what a text orders to move, or why it orders nothing that can be done. `before`: what it may refer to.
pub(super) fn motion(text: &str, before: Option<&DialogContext>) -> Understanding {
    let past = before.and_then(DialogContext::past);
    let language = before.and_then(DialogContext::language).unwrap_or("en");
    let (reading, language) = read(text, past, language);
    let unclear = |heard: &str, reason: Reason| Understanding::Unclear {
        text: heard.trim().to_owned(),
        reason,
        nearest: Vec::new(),
    };
    match reading {
        Reading::Motion { meaning, act, parts, phrase, heard } => {
            let start = before.map_or_else(AxisValues::neutral, DialogContext::posture);
            let spoken =
                Spoken { meaning: Some(meaning), if_event: None, language, heard, act, parts, phrase };
            plan_of(spoken, &start)
        }
        Reading::Conditional { event: Event::Face, then, otherwise } => {
            Understanding::Plan(vec![Intent::Spoken(Box::new(Spoken {
                meaning: otherwise,
                if_event: Some((Event::Face, then)),
                language,
                heard: Vec::new(),
                act: None,
                parts: Vec::new(),
                phrase: Phrase::default(),
            }))])
        }
        Reading::Conditional { .. } => unclear(text, Reason::Conditional),
        Reading::NotUnderstood(ranges) if is_foreign(text, language, &ranges) => {
            let words: Vec<&str> = ranges.iter().filter_map(|range| text.get(range.clone())).collect();
            Understanding::Foreign { language, words: words.join(" ") }
        }
        Reading::NotUnderstood(ranges) => match indicated(text) {
            (Reason::Unknown, _) => unclear(covered(text, &ranges), Reason::Unknown),
            (reason, clause) => unclear(clause, reason),
        },
        Reading::Impossible(why) => match (why, indicated(text)) {
            _ if language != "en" => {
                Understanding::Impossible { text: text.trim().to_owned(), why, language }
            }
            (Refusal::NothingBefore, _) => unclear(text, Reason::NothingToRepeat),
            (Refusal::NoSuchChange, _) => unclear(text, Reason::NoSuchChange),
            (limit, _) if limit.is_limit() => Understanding::OutOfRange(OutOfRange {
                what: text.trim().to_owned(),
                allowed: limit.told(language),
            }),
            (Refusal::NoWay, _) => unclear(text, Reason::WhichWay),
            (_, (Reason::Unknown, _)) => {
                Understanding::Impossible { text: text.trim().to_owned(), why, language }
            }
            (_, (reason, clause)) => unclear(clause, reason),
        },
        // An idiom that names what could move: "ear to the ground".
        Reading::Nothing if is_saying(text) => unclear(text, Reason::Hearsay),
        Reading::Nothing => {
            let tokens = tokenize(text);
            let is_negated = tokens.iter().filter_map(Token::word).any(is_negation);
            unclear(text, if is_negated { Reason::Negated } else { why(&tokens).0 })
        }
    }
}

/// Returns why a text orders nothing that can be done, as far as its words tell, and the clause that tells it.
fn indicated(text: &str) -> (Reason, &str) {
    let tokens = tokenize(text);
    let (reason, at) = why(&tokens);
    let is_clause = matches!(reason, Reason::Conditional | Reason::Negated);
    let Some(at) = at.filter(|_| is_clause) else { return (reason, text) };
    let end =
        tokens.iter().skip(at).position(|token| token.word().is_none()).map_or(tokens.len(), |end| at + end);
    let span = |at: usize| tokens.get(at).map(|token| token.span.clone());
    let clause = span(at).zip(end.checked_sub(1).and_then(span));
    (reason, clause.and_then(|(first, last)| text.get(first.start..last.end)).unwrap_or(text))
}

/// Returns the part of a text in which these ranges lie, up to the ends of words: "run hapy_helo".
fn covered<'a>(text: &'a str, ranges: &[Range<usize>]) -> &'a str {
    let start = ranges.iter().map(|range| range.start).min().unwrap_or(0);
    let end = ranges.iter().map(|range| range.end).max().unwrap_or(text.len());
    let is_inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let start = before.trim_end_matches(is_inside).len();
    let end = text.len() - after.trim_start_matches(is_inside).len();
    text.get(start..end).unwrap_or(text)
}

/// Returns the plan of a motion from a posture: single motions in English, where they are such, or all of it as one.
fn plan_of(spoken: Spoken, start: &AxisValues) -> Understanding {
    let steps = spoken.meaning.as_ref().map_or(0, steps_of);
    if steps > MOST_REPEATED_STEPS {
        return Understanding::OutOfRange(OutOfRange::steps(steps, MOST_REPEATED_STEPS));
    }
    // "Outward by thirty degrees" counts from the upright rest, "to thirty degrees" as the primitive does.
    let is_primitive = |meaning: &&Meaning| !meaning.says_antenna_angle() || spoken.phrase.says_angle_alone();
    let whole = spoken.meaning.as_ref().filter(|_| spoken.language == "en" && spoken.heard.is_empty());
    let whole = whole.filter(is_primitive);
    let Some(plan) = whole.and_then(|meaning| primitives(meaning, start)) else {
        return Understanding::Plan(vec![Intent::Spoken(Box::new(spoken))]);
    };
    match plan.iter().find_map(|primitive| primitive.check().err()) {
        Some(range) => Understanding::OutOfRange(range),
        None => Understanding::Plan(plan.into_iter().map(Intent::Motion).collect()),
    }
}

/// Returns how many steps a motion has.
fn steps_of(meaning: &Meaning) -> usize {
    match meaning {
        Meaning::Sequence(inner) => inner.iter().map(steps_of).sum(),
        Meaning::Repeat(count, inner) => (*count as usize).saturating_mul(steps_of(inner)),
        Meaning::Gesture(gesture) => gesture.count as usize,
        _ => 1,
    }
}

/// More steps are not done at one sentence, though a few of them are repeated: "twenty times".
const MOST_REPEATED_STEPS: usize = 120;

/// Returns the single motions that a text orders, from neutral.
///
/// # Errors
/// What is out of range; nothing if the text orders something else.
pub(super) fn steps(text: &str) -> Result<Vec<Primitive>, Option<OutOfRange>> {
    match motion(text, None) {
        Understanding::Plan(plan) => {
            let step = |intent| if let Intent::Motion(primitive) = intent { Some(primitive) } else { None };
            plan.into_iter().map(step).collect::<Option<_>>().ok_or(None)
        }
        Understanding::OutOfRange(range) => Err(Some(range)),
        _ => Err(None),
    }
}

/// Returns the motion of plain commands in English; none if the reader of commands does not understand all of them. Its
/// answers are in the language with this code.
#[must_use]
pub fn commanded(commands: &str, language: &'static str) -> Option<Spoken> {
    match read(commands, None, "en").0 {
        Reading::Motion { meaning, act, parts, phrase, heard } if heard.is_empty() => {
            Some(Spoken { meaning: Some(meaning), if_event: None, language, heard, act, parts, phrase })
        }
        _ => None,
    }
}

/// Returns whether a text is in another language than English, by the larger part of it.
fn is_foreign(text: &str, language: &str, unknown: &[Range<usize>]) -> bool {
    let unknown: usize = unknown.iter().map(ExactSizeIterator::len).sum();
    language != "en" && 2 * unknown < text.len()
}

/// Returns what a turn did, to which a later text may refer. `earlier`: what was done before it. `after`: where it left the
/// robot.
pub(super) fn done(turn: &PastTurn, earlier: Option<&Past>, after: Option<AxisValues>) -> Option<Past> {
    let PastTurn { plan, said, from, .. } = turn;
    let start = AxisValues::from_posture(&from.as_ref()?.posture());
    if let [Intent::Spoken(spoken)] = plan.as_slice() {
        return spoken.past(start, after);
    }
    match read(said, earlier, "en").0 {
        Reading::Motion { meaning, act, parts, phrase, .. } => {
            Some(Past { meaning, act, parts, phrase, before: start, after, earlier: None })
        }
        _ => None,
    }
}

/// Returns the posture in which a plan leaves the robot, if all of it is known.
pub(super) fn left_in(plan: &[Intent], from: &AxisValues) -> Option<AxisValues> {
    let mut now = *from;
    for intent in plan {
        now = match intent {
            Intent::Motion(primitive) => posture_after(primitive, &now)?,
            Intent::Spoken(spoken) if spoken.if_event.is_none() => ends(spoken.meaning.as_ref()?, &now)?,
            Intent::Spoken(_) | Intent::RunTool { .. } => return None,
            _ => now,
        };
    }
    Some(now)
}

fn ends(meaning: &Meaning, start: &AxisValues) -> Option<AxisValues> {
    let timeline = timeline(meaning, start).ok()?;
    Some(timeline.axes_at(timeline.seconds()))
}

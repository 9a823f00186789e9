//! Parses one motion clause: a verb with its modifiers in any order, each into its slot.

use std::ops::Range;

use firmware_bridge::units::Radians;

use super::intent::Reason;
use super::lexicon::{Direction, Pace, Part, Verb, direction, is_small, pace, part, verb};
use super::numbers::{Quantity, number, quantity};
use super::parser::Error;
use super::phrases::longest;
use super::tokenize::Token;

/// A value and the tokens that express it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SlotValue<T>(pub T, pub Range<usize>);

/// An extent in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Half the default distance.
    Slight,
    /// Twice the default distance.
    Much,
    /// The whole range.
    Full,
}

/// The slots of a motion clause.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    pub part: Option<Part>,
    pub directions: Vec<SlotValue<Direction>>,
    pub angle: Option<SlotValue<Radians>>,
    pub times: Option<SlotValue<f64>>,
    pub metres: Option<SlotValue<f64>>,
    /// "in 2 seconds", or a duration without a preposition.
    pub within: Option<SlotValue<f64>>,
    /// "for 2 seconds".
    pub lasting: Option<SlotValue<f64>>,
    pub bare: Option<SlotValue<f64>>,
    pub pace: Option<SlotValue<Pace>>,
    pub extent: Option<SlotValue<Extent>>,
    pub point: Option<SlotValue<[f64; 3]>>,
    pub answer: Option<SlotValue<()>>,
}

/// Puts a value into an empty slot. A second value for the same slot is an error.
fn fill<T>(slot: &mut Option<SlotValue<T>>, value: T, at: Range<usize>) -> Result<usize, Error> {
    if slot.is_some() {
        return Err(Error::unclear(at, Reason::Unknown));
    }
    let end = at.end;
    *slot = Some(SlotValue(value, at));
    Ok(end)
}

impl Slots {
    /// Parses modifiers from `at` on. Returns the index of the first token that is not a modifier.
    pub fn read(verb: Verb, tokens: &[Token], mut at: usize) -> Result<(Slots, usize), Error> {
        let mut frame = Slots::default();
        while let Some(token) = tokens.get(at) {
            let rest = tokens.get(at..).unwrap_or_default();
            let next = if let Some(taken) = idiom(verb, rest) {
                at + taken
            } else if token.word() == Some("at") && rest.get(1).and_then(Token::word) == Some("a") {
                // "at a 20 degree angle"
                at + 2
            } else if is_approximation(verb, rest)
                || (verb == Verb::Turn && token.word() == Some("turn") && frame.ends_with_angle(at))
            {
                // "the antenna at 45 degrees", "rotate by a 90 degree turn"
                at + 1
            } else if verb == Verb::Look && token.word() == Some("at") {
                frame.read_point(tokens, at)?
            } else if let Some((extent, taken)) = extent(rest) {
                fill(&mut frame.extent, extent, at..at + taken)?
            } else if let Some(after) = trailing_modifier(verb, tokens, at) {
                after
            } else if let Some((slot, quantity, taken)) = preposition(verb, rest) {
                match slot {
                    TimeExpression::For => fill(&mut frame.lasting, quantity, at..at + taken)?,
                    TimeExpression::In => fill(&mut frame.within, quantity, at..at + taken)?,
                    TimeExpression::Often => fill(&mut frame.times, quantity, at..at + taken)?,
                }
            } else if let Some((quantity, taken)) = quantity(rest) {
                let more = usize::from(
                    matches!(quantity, Quantity::Times(_))
                        && tokens.get(at + taken).and_then(Token::word) == Some("more"),
                );
                frame.put(quantity, at..at + taken)? + more
            } else {
                match token.word() {
                    Some(word) => match frame.word(verb, word, at)? {
                        Some(next) => next,
                        None => break,
                    },
                    None => break,
                }
            };
            at = next;
        }
        Ok((frame, at))
    }

    fn ends_with_angle(&self, at: usize) -> bool {
        self.angle.as_ref().is_some_and(|said| said.1.end == at)
    }

    fn word(&mut self, verb: Verb, word: &str, at: usize) -> Result<Option<usize>, Error> {
        let here = at..at + 1;
        if let Some(found) = part(word) {
            // "one antenna" is not a count.
            if let Some(SlotValue(_, at)) = self.bare.take_if(|said| said.1.end == here.start) {
                return Err(Error::unclear(at.start..here.end, Reason::Unknown));
            }
            if self.part.replace(found).is_some() {
                return Err(Error::unclear(here, Reason::Unknown));
            }
        } else if let Some(found) = direction(word) {
            // "straight ahead" is one direction.
            if self.directions.last().is_none_or(|last| last.0 != found) {
                self.directions.push(SlotValue(found, here));
            }
        } else if let Some(found) = pace(word) {
            fill(&mut self.pace, found, here)?;
        } else if matches!((verb, word), (Verb::Nod, "yes") | (Verb::Shake, "no")) {
            fill(&mut self.answer, (), here)?;
        } else if !is_small(word) {
            return Ok(None);
        }
        Ok(Some(at + 1))
    }

    fn put(&mut self, quantity: Quantity, at: Range<usize>) -> Result<usize, Error> {
        match quantity {
            Quantity::Angle(angle) => fill(&mut self.angle, angle, at),
            Quantity::Seconds(seconds) => fill(&mut self.within, seconds, at),
            Quantity::Metres(metres) => fill(&mut self.metres, metres, at),
            Quantity::Times(times) => fill(&mut self.times, times, at),
            Quantity::Bare(number) => fill(&mut self.bare, number, at),
        }
    }

    /// Parses a point: "at 0.5, 0.1, 0.2", "at the point (50 cm, 0, 10 cm)", "at x 0.5 y 0 z 0.2".
    fn read_point(&mut self, tokens: &[Token], start: usize) -> Result<usize, Error> {
        let mut at = start + 1;
        let filler = |token: &Token| {
            let word = token.word();
            word.is_some_and(|word| matches!(word, "the" | "point" | "position" | "x" | "y" | "z" | "and"))
                || ['(', ')', ',', '=', '[', ']'].iter().any(|&mark| token.is_mark(mark))
        };
        let mut point = [0.0; 3];
        for coordinate in &mut point {
            while tokens.get(at).is_some_and(filler) {
                at += 1;
            }
            let rest = tokens.get(at..).unwrap_or_default();
            let (value, taken) = match quantity(rest) {
                Some((Quantity::Bare(value) | Quantity::Metres(value), taken)) => (value, taken),
                _ => return Err(Error::unclear(start..at + 1, Reason::Unknown)),
            };
            *coordinate = value;
            at += taken;
        }
        while tokens.get(at).is_some_and(|token| token.is_mark(')') || token.is_mark(']')) {
            at += 1;
        }
        fill(&mut self.point, point, start..at)
    }

    /// Parses the modifiers before a verb: "a quick 20 degree turn", "three nods", "a slight left tilt", "a
    /// head shake".
    pub fn read_before(
        &mut self,
        verb: Verb,
        tokens: &[Token],
        mut at: usize,
        end: usize,
    ) -> Result<(), Error> {
        while at < end {
            let rest = tokens.get(at..end).unwrap_or_default();
            let word = rest.first().and_then(Token::word).unwrap_or_default();
            at = if let Some((quantity, taken)) = quantity(rest) {
                self.put(quantity, at..at + taken)?
            } else if let Some(found) = adjective(word) {
                fill(&mut self.extent, found, at..at + 1)?
            } else if is_article(word) || rest.first().is_some_and(|token| token.is_mark(',')) {
                at + 1
            } else {
                match self.word(verb, word, at)? {
                    Some(next) => next,
                    None => return Err(Error::unclear(at..end, Reason::Unknown)),
                }
            };
        }
        Ok(())
    }

    /// Returns whether the clause names a direction.
    pub fn aims(&self) -> bool {
        !self.directions.is_empty() || self.angle.is_some() || self.bare.is_some() || self.metres.is_some()
    }
}

/// Returns the extent of an adjective before a motion that is named as a noun.
fn adjective(word: &str) -> Option<Extent> {
    match word {
        "slight" | "tiny" => Some(Extent::Slight),
        "big" | "large" | "wide" | "deep" => Some(Extent::Much),
        "full" => Some(Extent::Full),
        _ => None,
    }
}

/// Returns whether a word before a noun has no meaning: "a little dance" is a dance.
fn is_article(word: &str) -> bool {
    matches!(
        word,
        "a" | "an"
            | "the"
            | "your"
            | "little"
            | "small"
            | "short"
            | "nice"
            | "friendly"
            | "simple"
            | "single"
            | "good"
    )
}

/// Returns the index of the verb with which a clause begins, if only its modifiers precede it.
pub(super) fn verb_at(tokens: &[Token], start: usize) -> Option<(Verb, usize)> {
    let mut at = start;
    let mut counted = false;
    loop {
        let rest = tokens.get(at..)?;
        let word = rest.first().and_then(Token::word);
        if let Some(verb) = word.and_then(verb) {
            return Some((verb, at));
        }
        if !counted && let Some((_, taken)) = quantity(rest) {
            (at, counted) = (at + taken, true);
            continue;
        }
        // "slowly, look down"
        let after_pace = at > start && tokens.get(at - 1).and_then(Token::word).and_then(pace).is_some();
        if after_pace && rest.first().is_some_and(|token| token.is_mark(',')) {
            at += 1;
            continue;
        }
        let word = word?;
        let modifies = is_article(word)
            || adjective(word).is_some()
            || pace(word).is_some()
            || direction(word).is_some();
        // "a head shake" is one, but "head left" is not.
        let part_of = part(word).is_some() && rest.get(1).and_then(Token::word).and_then(verb).is_some();
        if !(modifies || part_of) {
            return None;
        }
        at += 1;
    }
}

/// Matches idioms that only describe how the motion goes: "nod your head up and down", "shake from side to
/// side", "wiggle back and forth".
fn idiom(verb: Verb, rest: &[Token]) -> Option<usize> {
    let phrases: &[&[&str]] = match verb {
        Verb::Nod => &[&["up", "and", "down"]],
        Verb::Shake | Verb::Wiggle => &[
            &["left", "and", "right"],
            &["from", "side", "to", "side"],
            &["side", "to", "side"],
            &["from", "left", "to", "right"],
            &["left", "to", "right"],
            &["back", "and", "forth"],
        ],
        Verb::Turn | Verb::Look | Verb::Move | Verb::Point => &[&["back", "to"], &["back"]],
        _ => &[],
    };
    let matches = |phrase: &&&[&str]| {
        phrase.iter().enumerate().all(|(i, w)| rest.get(i).and_then(Token::word) == Some(w))
    };
    phrases.iter().find(matches).map(|phrase| phrase.len())
}

/// Matches "at" and "around" before a number. A look at a number is a look at a point, unless it is an
/// angle.
fn is_approximation(verb: Verb, rest: &[Token]) -> bool {
    let after = rest.get(1..).and_then(quantity).map(|(found, _)| found);
    match (rest.first().and_then(Token::word), after) {
        (Some("around"), Some(_)) | (Some("at"), Some(Quantity::Angle(_))) => true,
        (Some("at"), Some(_)) => verb != Verb::Look,
        _ => false,
    }
}

const EXTENTS: &[(&str, Extent)] = &[
    ("a little bit", Extent::Slight),
    ("a tiny bit", Extent::Slight),
    ("a small bit", Extent::Slight),
    ("a little", Extent::Slight),
    ("a bit", Extent::Slight),
    ("a touch", Extent::Slight),
    ("a tad", Extent::Slight),
    ("slightly", Extent::Slight),
    ("somewhat", Extent::Slight),
    ("a lot", Extent::Much),
    ("far", Extent::Much),
    ("deeply", Extent::Much),
    ("deep", Extent::Much),
    ("widely", Extent::Much),
    ("all the way", Extent::Full),
    ("fully", Extent::Full),
    ("completely", Extent::Full),
    ("as far as you can", Extent::Full),
    ("as far as possible", Extent::Full),
];

fn extent(rest: &[Token]) -> Option<(Extent, usize)> {
    let words: Vec<Option<&str>> = rest.iter().take(5).map(Token::word).collect();
    if let Some((position, taken)) = longest(EXTENTS.iter().map(|(phrase, _)| *phrase), &words) {
        return EXTENTS.get(position).map(|(_, extent)| (*extent, taken));
    }
    None
}

/// Returns the index after a comma before the last modifier: "nod 4 times, slowly", "look up, in 2
/// seconds".
fn trailing_modifier(verb: Verb, tokens: &[Token], at: usize) -> Option<usize> {
    if !tokens.get(at)?.is_mark(',') {
        return None;
    }
    let rest = tokens.get(at + 1..)?;
    let taken = match preposition(verb, rest) {
        Some((TimeExpression::For | TimeExpression::In, _, taken)) => taken,
        _ => usize::from(rest.first()?.word().and_then(pace).is_some()),
    };
    let last = rest.get(taken).is_none_or(|token| token.word().is_none());
    (taken > 0 && last).then_some(at + 1)
}

/// The meaning of a number after a preposition.
enum TimeExpression {
    For,
    In,
    Often,
}

/// Parses "for 2 seconds", "in half a second" or "for 3 times": the meaning, the number, and how many
/// tokens they take.
fn preposition(verb: Verb, rest: &[Token]) -> Option<(TimeExpression, f64, usize)> {
    let word = rest.first()?.word()?;
    let (found, taken) = quantity(rest.get(1..)?)?;
    let (slot, value) = match (word, found) {
        ("for", Quantity::Seconds(seconds)) => (TimeExpression::For, seconds),
        ("for", Quantity::Bare(seconds)) if matches!(verb, Verb::Wait | Verb::Dance) => {
            (TimeExpression::For, seconds)
        }
        ("for", Quantity::Times(times)) => (TimeExpression::Often, times),
        // "dance in 5 seconds" may mean later.
        ("in", Quantity::Seconds(_)) if matches!(verb, Verb::Dance | Verb::Wait) => return None,
        // A swing has no final position: "nod over 2 seconds" gives its whole duration.
        ("over", Quantity::Seconds(seconds)) if matches!(verb, Verb::Nod | Verb::Shake | Verb::Wiggle) => {
            (TimeExpression::For, seconds)
        }
        ("in" | "over" | "within" | "during", Quantity::Seconds(seconds)) => (TimeExpression::In, seconds),
        _ => return None,
    };
    Some((slot, value, taken + 1))
}

/// Returns whether a clause may begin with a direction, a part of the body, or a small word before one of
/// them.
pub(super) fn begins_inside(tokens: &[Token]) -> bool {
    // "angle your head left" may be a tilt or a look.
    if tokens.first().and_then(Token::word) == Some("angle") {
        return false;
    }
    let words =
        tokens.iter().map_while(Token::word).skip_while(|word| is_small(word) || *word == "back").take(1);
    let known = words.into_iter().any(|word| direction(word).is_some() || part(word).is_some());
    known
        || number(tokens).is_some_and(|(_, taken)| {
            let after: Vec<&str> = tokens.iter().skip(taken).map_while(Token::word).take(4).collect();
            after.iter().any(|word| direction(word).is_some())
        })
}

//! One motion clause: a verb with its modifiers in any order, each read into its slot.

use std::ops::Range;

use firmware_bridge::units::Radians;

use super::grammar::Trouble;
use super::lexicon::{Direction, Pace, Part, Verb, direction, is_small, pace, part};
use super::numbers::{Quantity, number, quantity};
use super::offline::Reason;
use super::tokenize::Token;

/// A value and the tokens that said it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said<T>(pub T, pub Range<usize>);

/// The slots of a motion clause.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub part: Option<Part>,
    pub directions: Vec<Said<Direction>>,
    pub angle: Option<Said<Radians>>,
    pub times: Option<Said<f64>>,
    pub metres: Option<Said<f64>>,
    /// "in 2 seconds", or seconds without a preposition.
    pub within: Option<Said<f64>>,
    /// "for 2 seconds".
    pub lasting: Option<Said<f64>>,
    pub bare: Option<Said<f64>>,
    pub pace: Option<Said<Pace>>,
    pub slightly: Option<Said<()>>,
    pub point: Option<Said<[f64; 3]>>,
    pub answer: Option<Said<()>>,
}

/// Puts a value into an empty slot; a second value for the same slot is not understood.
fn fill<T>(slot: &mut Option<Said<T>>, value: T, at: Range<usize>) -> Result<usize, Trouble> {
    if slot.is_some() {
        return Err(Trouble::unclear(at, Reason::Unknown));
    }
    let end = at.end;
    *slot = Some(Said(value, at));
    Ok(end)
}

impl Frame {
    /// Reads modifiers from `at` on; returns where it stopped: at the first token that is none.
    pub fn read(verb: Verb, tokens: &[Token], mut at: usize) -> Result<(Frame, usize), Trouble> {
        let mut frame = Frame::default();
        while let Some(token) = tokens.get(at) {
            let rest = tokens.get(at..).unwrap_or_default();
            let next = if let Some(taken) = idiom(verb, rest) {
                at + taken
            } else if verb == Verb::Look && token.word() == Some("at") {
                frame.read_point(tokens, at)?
            } else if let Some(taken) = slightly(rest) {
                fill(&mut frame.slightly, (), at..at + taken)?
            } else if let Some((slot, quantity, taken)) = preposition(verb, rest) {
                match slot {
                    Timed::For => fill(&mut frame.lasting, quantity, at..at + taken)?,
                    Timed::In => fill(&mut frame.within, quantity, at..at + taken)?,
                    Timed::Often => fill(&mut frame.times, quantity, at..at + taken)?,
                }
            } else if let Some((quantity, taken)) = quantity(rest) {
                frame.put(quantity, at..at + taken)?
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

    fn word(&mut self, verb: Verb, word: &str, at: usize) -> Result<Option<usize>, Trouble> {
        let here = at..at + 1;
        if let Some(found) = part(word) {
            // "one antenna" is no count.
            if let Some(Said(_, at)) = self.bare.take_if(|said| said.1.end == here.start) {
                return Err(Trouble::unclear(at.start..here.end, Reason::Unknown));
            }
            if self.part.replace(found).is_some() {
                return Err(Trouble::unclear(here, Reason::Unknown));
            }
        } else if let Some(found) = direction(word) {
            // "straight ahead" is one direction.
            if self.directions.last().is_none_or(|last| last.0 != found) {
                self.directions.push(Said(found, here));
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

    fn put(&mut self, quantity: Quantity, at: Range<usize>) -> Result<usize, Trouble> {
        match quantity {
            Quantity::Angle(angle) => fill(&mut self.angle, angle, at),
            Quantity::Seconds(seconds) => fill(&mut self.within, seconds, at),
            Quantity::Metres(metres) => fill(&mut self.metres, metres, at),
            Quantity::Times(times) => fill(&mut self.times, times, at),
            Quantity::Bare(number) => fill(&mut self.bare, number, at),
        }
    }

    /// "at 0.5, 0.1, 0.2", "at the point (50 cm, 0, 10 cm)", "at x 0.5 y 0 z 0.2".
    fn read_point(&mut self, tokens: &[Token], start: usize) -> Result<usize, Trouble> {
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
                _ => return Err(Trouble::unclear(start..at + 1, Reason::Unknown)),
            };
            *coordinate = value;
            at += taken;
        }
        while tokens.get(at).is_some_and(|token| token.is_mark(')') || token.is_mark(']')) {
            at += 1;
        }
        fill(&mut self.point, point, start..at)
    }

    /// A pace that was said before the verb.
    pub fn set_pace(&mut self, pace: Pace, at: usize) -> Result<(), Trouble> {
        fill(&mut self.pace, pace, at..at + 1).map(drop)
    }

    /// Whether anything says where to.
    pub fn aims(&self) -> bool {
        !self.directions.is_empty() || self.angle.is_some() || self.bare.is_some() || self.metres.is_some()
    }
}

/// "nod your head up and down", "shake from side to side", "wiggle back and forth": how it is done anyway.
fn idiom(verb: Verb, rest: &[Token]) -> Option<usize> {
    let phrases: &[&[&str]] = match verb {
        Verb::Nod => &[&["up", "and", "down"]],
        Verb::Shake | Verb::Wiggle => &[
            &["left", "and", "right"],
            &["from", "side", "to", "side"],
            &["side", "to", "side"],
            &["back", "and", "forth"],
        ],
        Verb::Turn | Verb::Look | Verb::Move => &[&["back", "to"], &["back"]],
        _ => &[],
    };
    let matches = |phrase: &&&[&str]| {
        phrase.iter().enumerate().all(|(i, w)| rest.get(i).and_then(Token::word) == Some(w))
    };
    phrases.iter().find(matches).map(|phrase| phrase.len())
}

fn slightly(rest: &[Token]) -> Option<usize> {
    let word = |at: usize| rest.get(at).and_then(Token::word);
    match (word(0)?, word(1), word(2)) {
        ("a", Some("little"), Some("bit")) => Some(3),
        ("a", Some("little" | "bit"), _) => Some(2),
        ("slightly", ..) => Some(1),
        _ => None,
    }
}

/// What a number after a preposition says.
enum Timed {
    For,
    In,
    Often,
}

/// "for 2 seconds", "in half a second", "for 3 times": what it says, the number, and how many tokens it takes.
fn preposition(verb: Verb, rest: &[Token]) -> Option<(Timed, f64, usize)> {
    let word = rest.first()?.word()?;
    let (found, taken) = quantity(rest.get(1..)?)?;
    let (slot, value) = match (word, found) {
        ("for", Quantity::Seconds(seconds)) => (Timed::For, seconds),
        ("for", Quantity::Bare(seconds)) if matches!(verb, Verb::Wait | Verb::Dance) => (Timed::For, seconds),
        ("for", Quantity::Times(times)) => (Timed::Often, times),
        ("in" | "over" | "within" | "during", Quantity::Seconds(seconds)) => (Timed::In, seconds),
        _ => return None,
    };
    Some((slot, value, taken + 1))
}

/// Whether a clause may begin with this: a direction, a part of the body, or a small word before one of them.
pub(super) fn begins_inside(tokens: &[Token]) -> bool {
    let words =
        tokens.iter().map_while(Token::word).skip_while(|word| is_small(word) || *word == "back").take(1);
    let known = words.into_iter().any(|word| direction(word).is_some() || part(word).is_some());
    known
        || number(tokens).is_some_and(|(_, taken)| {
            let after: Vec<&str> = tokens.iter().skip(taken).map_while(Token::word).take(4).collect();
            after.iter().any(|word| direction(word).is_some())
        })
}

//! One motion clause: a verb with its modifiers in any order, and the primitives that it means.
//!
//! Every modifier goes into a slot and is taken out again when the primitive is built. What nobody took was said
//! about something else, and is reported rather than dropped.

use std::ops::Range;
use std::time::Duration;

use firmware_bridge::units::Radians;

use super::grammar::Trouble;
use super::lexicon::{Direction, Pace, Part, Verb, direction, is_small, pace, part};
use super::numbers::{Quantity, number, quantity};
use super::offline::Reason;
use super::primitive::{self as p, Look, OutOfRange, Primitive, Side};
use super::tokenize::Token;

/// A value and the tokens that said it.
#[derive(Clone, Debug, PartialEq)]
struct Said<T>(T, Range<usize>);

/// The slots of a motion clause.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub part: Option<Part>,
    directions: Vec<Said<Direction>>,
    angle: Option<Said<Radians>>,
    times: Option<Said<f64>>,
    metres: Option<Said<f64>>,
    /// "in 2 seconds", or seconds without a preposition.
    within: Option<Said<f64>>,
    /// "for 2 seconds".
    lasting: Option<Said<f64>>,
    bare: Option<Said<f64>>,
    pace: Option<Said<Pace>>,
    slightly: Option<Said<()>>,
    point: Option<Said<[f64; 3]>>,
    answer: Option<Said<()>>,
    /// How often the built motions are to be repeated as a whole.
    pub repeat: Option<u32>,
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
            } else if let Some(found) = preposition(rest) {
                match found {
                    Timed::For(seconds, taken) => fill(&mut frame.lasting, seconds, at..at + taken)?,
                    Timed::In(seconds, taken) => fill(&mut frame.within, seconds, at..at + taken)?,
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

    /// The primitives that the clause means.
    pub fn build(
        mut self,
        verb: Verb,
        clause: Range<usize>,
    ) -> Result<(Vec<Primitive>, Option<u32>), Trouble> {
        self.place_bare(verb);
        let unclear = || Trouble::unclear(clause.clone(), Reason::Unknown);
        let mut built = match (verb, self.part) {
            (Verb::Nod, None | Some(Part::Head)) => vec![self.nod()?],
            (Verb::Shake, None | Some(Part::Head)) => vec![self.shake()?],
            (Verb::Shake | Verb::Wiggle, Some(Part::Antennas)) | (Verb::Wiggle, None) => vec![self.wiggle()?],
            (Verb::Dance, None) => vec![self.dance()?],
            (Verb::Wait, None) => vec![self.wait(&clause)?],
            (Verb::Look, None | Some(Part::Head)) | (Verb::Turn | Verb::Tilt, Some(Part::Head))
                if verb != Verb::Tilt || self.level() =>
            {
                vec![self.look().ok_or_else(unclear)??]
            }
            (Verb::Tilt, None | Some(Part::Head)) => vec![self.tilt().ok_or_else(unclear)??],
            (Verb::Turn, None | Some(Part::Body)) | (Verb::Move, Some(Part::Body)) => {
                vec![self.turn().ok_or_else(unclear)??]
            }
            (Verb::Raise | Verb::Lower, Some(Part::Head)) => vec![self.height(verb, &clause)?],
            (Verb::Move, Some(Part::Head)) => match self.directions.first() {
                Some(Said(Direction::Up | Direction::Down, _)) if self.angle.is_none() => {
                    vec![self.height(verb, &clause)?]
                }
                _ => vec![self.look().ok_or_else(unclear)??],
            },
            (Verb::Raise | Verb::Lower | Verb::Move, Some(Part::Antennas)) => {
                vec![self.antennas(verb).ok_or_else(unclear)??]
            }
            _ => return Err(unclear()),
        };
        for primitive in &built {
            primitive.check().map_err(Trouble::Range)?;
        }
        if let Some(Said(seconds, _)) = self.lasting.take() {
            let wait = Primitive::Wait { duration: duration(seconds, "waiting")? };
            wait.check().map_err(Trouble::Range)?;
            built.push(wait);
        }
        if let Some(Said(times, _)) = self.times.take() {
            self.repeat = Some(count(times, "repeating a motion")?);
        }
        match self.left_over() {
            Some(at) => Err(Trouble::unclear(at, Reason::Unknown)),
            None => Ok((built, self.repeat)),
        }
    }

    /// What a number without a unit means depends on the verb.
    fn place_bare(&mut self, verb: Verb) {
        let Some(Said(value, at)) = self.bare.take() else { return };
        let angle = Said(Radians::from_degrees(value), at.clone());
        match verb {
            Verb::Look | Verb::Turn | Verb::Tilt | Verb::Move if self.angle.is_none() => {
                self.angle = Some(angle)
            }
            Verb::Nod | Verb::Shake | Verb::Wiggle if self.times.is_none() => {
                self.times = Some(Said(value, at))
            }
            Verb::Dance | Verb::Wait if self.within.is_none() && self.lasting.is_none() => {
                self.within = Some(Said(value, at));
            }
            _ => self.bare = Some(Said(value, at)),
        }
    }

    /// The tokens of a slot that no primitive took.
    fn left_over(&self) -> Option<Range<usize>> {
        let spans = [
            self.directions.first().map(|said| &said.1),
            self.angle.as_ref().map(|said| &said.1),
            self.metres.as_ref().map(|said| &said.1),
            self.within.as_ref().map(|said| &said.1),
            self.bare.as_ref().map(|said| &said.1),
            self.pace.as_ref().map(|said| &said.1),
            self.slightly.as_ref().map(|said| &said.1),
            self.point.as_ref().map(|said| &said.1),
        ];
        spans.into_iter().flatten().min_by_key(|at| at.start).cloned()
    }

    /// A tilt up or down is a look.
    fn level(&self) -> bool {
        matches!(self.directions.first(), Some(Said(Direction::Up | Direction::Down, _)))
    }

    fn turn_to(&mut self) -> Option<Direction> {
        if self.directions.is_empty() { None } else { Some(self.directions.remove(0).0) }
    }

    fn angle_or(&mut self, usual: Radians) -> Radians {
        let usual = if self.slightly.take().is_some() { usual / 2.0 } else { usual };
        self.angle.take().map_or(usual, |said| said.0)
    }

    /// How long a motion takes: as said, or its calm duration at the pace that was said.
    fn time_or(&mut self, usual: Duration, what: &str) -> Result<Duration, Trouble> {
        match self.within.take() {
            Some(Said(seconds, _)) => duration(seconds, what),
            None => Ok(self.paced(usual)),
        }
    }

    fn paced(&mut self, usual: Duration) -> Duration {
        match self.pace.take() {
            Some(Said(Pace::Slow, _)) => usual * 2,
            Some(Said(Pace::Fast, _)) => usual / 2,
            None => usual,
        }
    }

    /// Counted swings: how often, and how long each way takes.
    fn swings(&mut self, usual: u32, what: &str) -> Result<(u32, Duration), Trouble> {
        let seconds = self.within.take().or_else(|| self.lasting.take()).map(|said| said.0);
        let half = self.paced(p::HALF);
        let times = self.times.take().map(|said| count(said.0, what)).transpose()?;
        let Some(seconds) = seconds else { return Ok((times.unwrap_or(usual), half)) };
        let whole = duration(seconds, what)?;
        let fitting = (whole.as_secs_f64() / (2.0 * half.as_secs_f64())).round().max(1.0) as u32;
        let times = times.unwrap_or(fitting);
        Ok((times, whole / times.saturating_mul(2).max(1)))
    }

    fn nod(&mut self) -> Result<Primitive, Trouble> {
        let (times, half) = self.swings(1, "nodding")?;
        Ok(Primitive::Nod { times, angle: self.angle_or(p::SWING), half })
    }

    fn shake(&mut self) -> Result<Primitive, Trouble> {
        let (times, half) = self.swings(p::SWINGS, "shaking the head")?;
        Ok(Primitive::Shake { times, angle: self.angle_or(p::SWING), half })
    }

    fn wiggle(&mut self) -> Result<Primitive, Trouble> {
        let (times, half) = self.swings(p::SWINGS, "wiggling the antennas")?;
        Ok(Primitive::WiggleAntennas { times, half })
    }

    fn dance(&mut self) -> Result<Primitive, Trouble> {
        let seconds = self.within.take().or_else(|| self.lasting.take());
        let duration = seconds.map_or(Ok(p::DANCE), |Said(seconds, _)| duration(seconds, "dancing"))?;
        Ok(Primitive::Dance { duration })
    }

    fn wait(&mut self, clause: &Range<usize>) -> Result<Primitive, Trouble> {
        let seconds = self.within.take().or_else(|| self.lasting.take());
        let Said(seconds, _) = seconds.ok_or_else(|| Trouble::unclear(clause.clone(), Reason::Unknown))?;
        Ok(Primitive::Wait { duration: duration(seconds, "waiting")? })
    }

    fn look(&mut self) -> Option<Result<Primitive, Trouble>> {
        if let Some(Said(point, _)) = self.point.take() {
            return Some(
                self.time_or(p::AIMED, "looking").map(|duration| Primitive::LookAt { point, duration }),
            );
        }
        let direction = match self.turn_to()? {
            Direction::Left => Look::Left,
            Direction::Right => Look::Right,
            Direction::Up => Look::Up,
            Direction::Down => Look::Down,
            Direction::Ahead => Look::Ahead,
            Direction::Outwards | Direction::Inwards => return None,
        };
        let angle = if direction == Look::Ahead { Radians::ZERO } else { self.angle_or(p::LOOK) };
        let time = self.time_or(p::head_duration(angle), "looking");
        Some(time.map(|duration| Primitive::Look { direction, angle, duration }))
    }

    fn tilt(&mut self) -> Option<Result<Primitive, Trouble>> {
        let side = match self.turn_to()? {
            Direction::Left => Side::Left,
            Direction::Right => Side::Right,
            _ => return None,
        };
        let angle = self.angle_or(p::TILT);
        let time = self.time_or(p::head_duration(angle), "tilting the head");
        Some(time.map(|duration| Primitive::Tilt { side, angle, duration }))
    }

    fn turn(&mut self) -> Option<Result<Primitive, Trouble>> {
        let direction = self.turn_to()?;
        let angle = match direction {
            Direction::Ahead => Radians::ZERO,
            Direction::Left => self.angle_or(p::TURN),
            Direction::Right => -self.angle_or(p::TURN),
            _ => return None,
        };
        let time = self.time_or(p::body_duration(angle), "turning the body");
        Some(time.map(|duration| Primitive::TurnBody { angle, duration }))
    }

    fn height(&mut self, verb: Verb, clause: &Range<usize>) -> Result<Primitive, Trouble> {
        // "raise your head 10 degrees" is a look, not a lift.
        let up = match (verb, self.turn_to()) {
            (Verb::Raise | Verb::Move, Some(Direction::Up)) | (Verb::Raise, None) => true,
            (Verb::Lower | Verb::Move, Some(Direction::Down)) | (Verb::Lower, None) => false,
            _ => return Err(Trouble::unclear(clause.clone(), Reason::Unknown)),
        };
        if self.angle.is_some() {
            let direction = if up { Look::Up } else { Look::Down };
            let angle = self.angle_or(p::LOOK);
            let duration = self.time_or(p::head_duration(angle), "looking")?;
            return Ok(Primitive::Look { direction, angle, duration });
        }
        let slight = if self.slightly.take().is_some() { 0.5 } else { 1.0 };
        let metres = self.metres.take().map_or(p::HEIGHT * slight, |said| said.0);
        if metres < 0.0 {
            return Err(negative("a length for the head's height"));
        }
        let duration = self.time_or(p::AIMED, "moving the head")?;
        Ok(Primitive::Height { metres: if up { metres } else { -metres }, duration })
    }

    fn antennas(&mut self, verb: Verb) -> Option<Result<Primitive, Trouble>> {
        let mut side = None;
        let mut inwards = false;
        let mut named = match verb {
            Verb::Raise => Some(ANTENNAS_UP),
            Verb::Lower => Some(ANTENNAS_DOWN),
            _ => None,
        };
        for Said(direction, _) in std::mem::take(&mut self.directions) {
            match direction {
                Direction::Left if side.is_none() => side = Some(Side::Left),
                Direction::Right if side.is_none() => side = Some(Side::Right),
                Direction::Up | Direction::Ahead if verb != Verb::Lower => named = Some(ANTENNAS_UP),
                Direction::Down if verb != Verb::Raise => named = Some(ANTENNAS_DOWN),
                Direction::Outwards if verb == Verb::Move => named = Some(ANTENNAS_OUT),
                Direction::Inwards if verb == Verb::Move => (named, inwards) = (Some(ANTENNAS_IN), true),
                _ => return None,
            }
        }
        let said = self.angle.take().map(|Said(angle, _)| if inwards { -angle } else { angle });
        let angle = said.or(named)?;
        let (left, right) = match side {
            Some(Side::Left) => (Some(angle), None),
            Some(Side::Right) => (None, Some(angle)),
            None => (Some(angle), Some(angle)),
        };
        let time = self.time_or(p::ANTENNAS.max(antenna_time(angle)), "moving the antennas");
        Some(time.map(|duration| Primitive::SetAntennas { right, left, duration }))
    }
}

const ANTENNAS_UP: Radians = Radians::ZERO;
const ANTENNAS_OUT: Radians = Radians::from_degrees(90.0);
const ANTENNAS_IN: Radians = Radians::from_degrees(-30.0);
const ANTENNAS_DOWN: Radians = Radians::from_degrees(150.0);

/// 90 degrees per second.
fn antenna_time(angle: Radians) -> Duration {
    Duration::try_from_secs_f64(angle.abs().degrees() / 90.0).unwrap_or(p::ANTENNAS).min(p::ANTENNAS * 2)
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

enum Timed {
    For(f64, usize),
    In(f64, usize),
}

/// "for 2 seconds", "in half a second".
fn preposition(rest: &[Token]) -> Option<Timed> {
    let word = rest.first()?.word()?;
    let (found, taken) = quantity(rest.get(1..)?)?;
    match (word, found) {
        ("for", Quantity::Seconds(seconds)) => Some(Timed::For(seconds, taken + 1)),
        ("in" | "over" | "within" | "during", Quantity::Seconds(seconds)) => {
            Some(Timed::In(seconds, taken + 1))
        }
        _ => None,
    }
}

fn duration(seconds: f64, what: &str) -> Result<Duration, Trouble> {
    Duration::try_from_secs_f64(seconds).ok().filter(|duration| duration.as_secs() < 86_400).ok_or_else(
        || {
            let what = format!("{what} for {} s", p::plain(seconds));
            Trouble::Range(OutOfRange { what, allowed: "a duration of up to 300 s".to_owned() })
        },
    )
}

fn negative(what: &str) -> Trouble {
    Trouble::Range(OutOfRange {
        what: format!("a negative number as {what}"),
        allowed: "a positive number and the other direction".to_owned(),
    })
}

/// A whole number of times.
pub(super) fn count(times: f64, what: &str) -> Result<u32, Trouble> {
    let most = f64::from(p::MOST_TIMES);
    if times.fract() == 0.0 && (1.0..=most).contains(&times) {
        return Ok(times as u32);
    }
    let what = format!("{what} {} times", p::plain(times));
    Err(Trouble::Range(OutOfRange { what, allowed: format!("a whole number from 1 to {}", p::MOST_TIMES) }))
}

/// Whether a clause may begin with this: a direction, a part of the body, or a small word before one of them.
pub(super) fn begins_inside(tokens: &[Token]) -> bool {
    let words = tokens.iter().map_while(Token::word).skip_while(|word| is_small(word)).take(1);
    let known = words.into_iter().any(|word| direction(word).is_some() || part(word).is_some());
    known
        || number(tokens).is_some_and(|(_, taken)| {
            let after: Vec<&str> = tokens.iter().skip(taken).map_while(Token::word).take(4).collect();
            after.iter().any(|word| direction(word).is_some())
        })
}

//! Parses an order to look at a point in space.

use std::time::Duration;

use super::intent::Reason;
use super::numbers::{Quantity, quantity};
use super::parser::{Error, Parser};
use super::primitive::{DEFAULT_AIM_TIME, Primitive};
use super::tokenize::Token;

impl Parser<'_> {
    /// Parses "look at 0.5, 0.1, 0.2" or "look at the point (50 cm, 0, 10 cm) in 2 seconds": the motion, and how many tokens
    /// it takes. None if the clause names no point.
    pub fn point_here(&self) -> Result<Option<(Primitive, usize)>, Error> {
        let is_look = matches!(self.word(self.at), Some("look" | "gaze" | "looking"));
        if !is_look || self.word(self.at + 1) != Some("at") {
            return Ok(None);
        }
        let mut at = self.at + 2;
        let mut point = [0.0; 3];
        for (number, coordinate) in point.iter_mut().enumerate() {
            while self.tokens.get(at).is_some_and(leads) {
                at += 1;
            }
            let rest = self.tokens.get(at..).unwrap_or_default();
            let (value, taken) = match quantity(rest) {
                Some((Quantity::Bare(value) | Quantity::Metres(value), taken)) => (value, taken),
                _ if number == 0 => return Ok(None),
                _ => return Err(Error::unclear(self.at..at + 1, Reason::Unknown)),
            };
            *coordinate = value;
            at += taken;
        }
        while self.tokens.get(at).is_some_and(|token| token.is_mark(')') || token.is_mark(']')) {
            at += 1;
        }
        let mut duration = DEFAULT_AIM_TIME;
        if matches!(self.word(at), Some("in" | "over" | "within"))
            && let Some((Quantity::Seconds(seconds), taken)) = self.tokens.get(at + 1..).and_then(quantity)
        {
            duration = Duration::try_from_secs_f64(seconds)
                .map_err(|_| Error::unclear(at..at + 1 + taken, Reason::Unknown))?;
            at += 1 + taken;
        }
        let motion = Primitive::LookAt { point, duration };
        motion.check().map_err(Error::Range)?;
        Ok(Some((motion, at - self.at)))
    }
}

/// Returns whether a token may stand before a coordinate.
fn leads(token: &Token) -> bool {
    let word = token.word();
    word.is_some_and(|word| matches!(word, "the" | "point" | "position" | "x" | "y" | "z" | "and"))
        || ['(', ')', ',', '=', '[', ']'].iter().any(|&mark| token.is_mark(mark))
}

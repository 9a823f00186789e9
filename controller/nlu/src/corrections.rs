//! Parses sentences that repeat, undo or pace what was done last where that was more than a motion: a tool, a photo, words
//! that were said.
//!
//! The reader of commands knows what refers to a motion.

use std::ops::Range;

use super::intent::{Intent, MAX_STEPS, Reason};
use super::parser::{Error, Parser};
use super::phrases::{hesitation, longest, opener};
use super::primitive::{CENTER, OutOfRange, Primitive};
use super::tokenize::Token;

/// Words before a repetition or a change.
const LEADS: &[&str] = &[
    "but",
    "and",
    "now",
    "oh",
    "ok",
    "okay",
    "well",
    "so",
    "do it",
    "do that",
    "run it",
    "again but",
    "make it",
];

const REPEATS: &[&str] =
    &["one more", "another", "another one", "encore", "go again", "and one more", "run it again"];

const UNDO: &[&str] = &[
    "undo",
    "undo that",
    "undo it",
    "undo this",
    "undo the last move",
    "take that back",
    "take it back",
    "go back",
    "back",
    "come back",
    "go back to where you were",
    "revert",
    "revert that",
];

/// Changes of the pace, as factors of the duration.
const PACES: &[(&str, f64)] = &[
    ("slower", 2.0),
    ("a bit slower", 1.5),
    ("a little slower", 1.5),
    ("much slower", 3.0),
    ("more slowly", 2.0),
    ("not so fast", 2.0),
    ("too fast", 2.0),
    ("that was too fast", 2.0),
    ("slow down", 2.0),
    ("half as fast", 2.0),
    ("faster", 0.5),
    ("a bit faster", 1.0 / 1.5),
    ("a little faster", 1.0 / 1.5),
    ("much faster", 1.0 / 3.0),
    ("more quickly", 0.5),
    ("quicker", 0.5),
    ("not so slow", 0.5),
    ("too slow", 0.5),
    ("that was too slow", 0.5),
    ("speed up", 0.5),
    ("hurry up", 0.5),
    ("twice as fast", 0.5),
];

impl Parser<'_> {
    /// Returns the plan of a sentence that refers to an earlier action other than a motion; none if it does not.
    pub fn correction(&mut self) -> Result<Option<Vec<Intent>>, Error> {
        let Some(acted) = self.known.before.and_then(|before| before.last_action()) else { return Ok(None) };
        if acted.plan.iter().all(|intent| matches!(intent, Intent::Motion(_) | Intent::Spoken(_))) {
            return Ok(None);
        }
        let end = self.tokens.iter().rposition(|token| !is_pause(token)).map_or(0, |last| last + 1);
        let mut at = 0;
        while at < end {
            let words = self.window(at);
            let is_whole = |phrases: &[&str]| {
                longest(phrases.iter().copied(), &words).is_some_and(|(_, taken)| at + taken == end)
            };
            if is_whole(UNDO) {
                return self.return_to_previous(at..end).map(Some);
            }
            if is_whole(REPEATS) {
                return self.once_more(1, at..end).map(Some);
            }
            if let Some((times, ends)) = self.repetition_at(at)?
                && ends >= end
            {
                return self.once_more(times, at..end).map(Some);
            }
            let pace = longest(PACES.iter().map(|(phrase, _)| *phrase), &words);
            if let Some((position, taken)) = pace
                && at + taken == end
                && let [Intent::RunTool { name, arguments }] = acted.plan.as_slice()
            {
                let slower = PACES.get(position).map_or(1.0, |(_, slower)| *slower);
                let run = self.paced_run(name, arguments, slower)?;
                let unchangeable = || Error::unclear(at..end, Reason::NoSuchChange);
                return run.map(|run| Some(vec![run])).ok_or_else(unchangeable);
            }
            at += match self.introduction(at) {
                Some(taken) => taken,
                None => return Ok(None),
            };
        }
        Ok(None)
    }

    /// Returns how many tokens introduce a repetition or a change.
    fn introduction(&self, at: usize) -> Option<usize> {
        if self.tokens.get(at).is_some_and(is_pause) {
            return Some(1);
        }
        let words = self.window(at);
        let lead = longest(LEADS.iter().copied(), &words).map(|(_, taken)| taken);
        lead.or_else(|| opener(&words)).or_else(|| hesitation(&words))
    }

    /// Repeats everything that was done last this many times.
    fn once_more(&self, times: u32, at: Range<usize>) -> Result<Vec<Intent>, Error> {
        let acted = self.known.before.and_then(|before| before.last_action());
        let plan = acted.map(|turn| turn.plan.as_slice()).unwrap_or_default();
        let again: Vec<Intent> =
            plan.iter().filter(|intent| !matches!(intent, Intent::MakeTool { .. })).cloned().collect();
        let steps = again.len().saturating_mul(times as usize);
        if steps > MAX_STEPS {
            return Err(Error::Range(OutOfRange::steps(steps, MAX_STEPS)));
        }
        if again.is_empty() {
            return Err(Error::unclear(at, Reason::NoSuchChange));
        }
        Ok(again.iter().cycle().take(steps).cloned().collect())
    }

    /// Returns to the posture before the last tool.
    fn return_to_previous(&self, at: Range<usize>) -> Result<Vec<Intent>, Error> {
        let acted = self.known.before.and_then(|before| before.last_action());
        let is_run = |intent: &Intent| matches!(intent, Intent::RunTool { .. } | Intent::Motion(_));
        match acted.and_then(|acted| acted.from.filter(|_| acted.plan.iter().any(is_run))) {
            Some(to) => Ok(vec![Intent::Motion(Primitive::Return { to, duration: CENTER })]),
            None => Err(Error::unclear(at, Reason::NoSuchChange)),
        }
    }
}

/// Returns whether a token is a mark that only separates.
fn is_pause(token: &Token) -> bool {
    [',', ';', ':', '.', '!', '?'].iter().any(|&mark| token.is_mark(mark))
}

//! The parser's position in its tokens, and the ends of clauses.

use std::ops::Range;

use super::intent::Reason;
use super::parser::{Error, Parser};
use super::phrases;
use super::tokenize::Token;

/// The separator between two clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// A comma, "and", "then", or nothing.
    Clause,
    /// A full stop.
    Sentence,
}

/// Maximum number of words in a phrase of the lexicon.
const MAX_PHRASE_WORDS: usize = 9;

impl Parser<'_> {
    /// Consumes the separator between two clauses.
    pub fn joint(&mut self) -> Joint {
        let mut joint = Joint::Clause;
        while let Some(token) = self.tokens.get(self.at) {
            if ['.', '!', '?'].iter().any(|&mark| token.is_mark(mark)) {
                joint = Joint::Sentence;
                self.at += 1;
            } else if [',', ';', ':'].iter().any(|&mark| token.is_mark(mark)) {
                self.at += 1;
            } else if let Some(count) = phrases::joiner(&self.window(self.at)) {
                self.at += count;
            } else {
                break;
            }
        }
        joint
    }

    /// Returns whether a clause ends here.
    pub fn clause_ended(&self) -> bool {
        self.at >= self.tokens.len() || self.at_joint()
    }

    pub fn at_joint(&self) -> bool {
        self.is_joint(self.at)
    }

    pub fn is_joint(&self, at: usize) -> bool {
        let mark = |token: &Token| [',', ';', ':', '.', '!', '?'].iter().any(|&mark| token.is_mark(mark));
        self.tokens.get(at).is_some_and(mark) || phrases::joiner(&self.window(at)).is_some()
    }

    /// Returns the first separator at or after a token, or the end.
    pub fn clause_end(&self, from: usize) -> usize {
        (from..self.tokens.len()).find(|&at| self.is_joint(at)).unwrap_or(self.tokens.len())
    }

    /// Returns the error for a clause that is not understood from here to its end.
    pub fn rest_unclear(&self) -> Error {
        Error::unclear(self.at..self.clause_end(self.at).max(self.at + 1), Reason::Unknown)
    }

    pub fn word(&self, at: usize) -> Option<&str> {
        self.tokens.get(at).and_then(Token::word)
    }

    /// Returns the next few words, for matching phrases.
    pub fn window(&self, at: usize) -> Vec<Option<&str>> {
        self.tokens.iter().skip(at).take(MAX_PHRASE_WORDS).map(Token::word).collect()
    }

    /// Returns the user's own words for these tokens.
    pub fn words_of(&self, at: Range<usize>) -> String {
        let start = self.tokens.get(at.start).map_or(0, |token| token.span.start);
        let last = at.end.min(self.tokens.len()).checked_sub(1).and_then(|last| self.tokens.get(last));
        let end = last.map_or(self.text.len(), |token| token.span.end);
        self.text.get(start..end).unwrap_or(self.text).to_owned()
    }
}

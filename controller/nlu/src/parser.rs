//! The parser of one text: its tokens, the position in them, and what the text may refer to.

use std::ops::Range;

use serde_json::{Map, Value};

use super::intent::Reason;
use super::known::Known;
use super::normalize::reword;
use super::primitive::OutOfRange;
use super::tokenize::Token;

/// The reason why a clause gives no plan. Ranges are indices of tokens.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Error {
    Unclear {
        at: Range<usize>,
        reason: Reason,
    },
    Range(OutOfRange),
    /// All of the text orders a motion, or nothing.
    Motion,
}

impl Error {
    pub fn unclear(at: Range<usize>, reason: Reason) -> Self {
        Error::Unclear { at, reason }
    }
}

/// The state of parsing a text.
pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    pub at: usize,
    pub known: &'a Known<'a>,
    /// Tools that this text has made so far.
    pub made: Vec<String>,
    /// The tool that "it" means, and the arguments of its last run.
    pub last_tool: Option<(String, Map<String, Value>)>,
    /// Whether a clause was understood that orders something else than a motion.
    pub is_mixed: bool,
    /// The tool that "it" means when this text names none.
    pub earlier_tool: Option<(String, Map<String, Value>)>,
}

impl<'a> Parser<'a> {
    /// Creates a parser for the normalized tokens of a text.
    pub fn new(text: &'a str, known: &'a Known<'a>) -> Self {
        let tokens = reword(text, known);
        Parser {
            text,
            tokens,
            at: 0,
            known,
            made: Vec::new(),
            last_tool: None,
            is_mixed: false,
            earlier_tool: None,
        }
    }
}

//! The parser of one text: its tokens, where it stands in them, and what it may refer to.

use std::ops::Range;

use serde_json::{Map, Value};

use super::intent::Reason;
use super::known::Known;
use super::primitive::OutOfRange;
use super::reword::reword;
use super::tokenize::Token;

/// Why a clause gives no plan; tokens are named by their place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    Unclear { at: Range<usize>, reason: Reason },
    Range(OutOfRange),
}

impl Trouble {
    pub fn unclear(at: Range<usize>, reason: Reason) -> Self {
        Trouble::Unclear { at, reason }
    }
}

/// What is read, and how far.
pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    pub at: usize,
    pub known: &'a Known<'a>,
    /// Tools made so far in this text.
    pub made: Vec<String>,
    /// The tool that "it" means, and the arguments of its last run.
    pub last_tool: Option<(String, Map<String, Value>)>,
    /// The tool that "it" means when nothing in this text does.
    pub earlier_tool: Option<(String, Map<String, Value>)>,
}

impl<'a> Parser<'a> {
    /// Reads the words of a text, in the fewest.
    pub fn new(text: &'a str, known: &'a Known<'a>) -> Self {
        let tokens = reword(text, known);
        Parser { text, tokens, at: 0, known, made: Vec::new(), last_tool: None, earlier_tool: None }
    }
}

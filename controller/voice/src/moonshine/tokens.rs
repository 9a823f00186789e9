//! The pieces of words by number: byte strings one after the other, each behind its length.

use std::collections::HashMap;

/// No piece that stands for a text is longer, bytes.
const LONGEST_PIECE: usize = 48;

/// The mark that stands for a space before a word.
const SPACE: &str = "\u{2581}";

/// How many pieces are read at most.
const MOST: usize = 1 << 20;

/// A file of pieces that can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its pieces of words end in the middle of one")]
pub struct NoTokens;

/// All pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pieces: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, i64>,
}

impl Tokens {
    /// Reads them. A length of 128 or more has two bytes, the smaller part first.
    ///
    /// # Errors
    /// When the bytes end within a piece.
    pub fn read(mut bytes: &[u8]) -> Result<Self, NoTokens> {
        let mut pieces = Vec::new();
        while let Some((&first, rest)) = bytes.split_first() {
            let (length, rest) = if first < 128 {
                (usize::from(first), rest)
            } else {
                let (&second, rest) = rest.split_first().ok_or(NoTokens)?;
                (usize::from(first) - 128 + usize::from(second) * 128, rest)
            };
            let (piece, rest) = rest.split_at_checked(length).ok_or(NoTokens)?;
            if pieces.len() == MOST {
                return Err(NoTokens);
            }
            pieces.push(piece.to_vec());
            bytes = rest;
        }
        let numbers =
            pieces.iter().enumerate().map(|(number, piece)| (piece.clone(), number as i64)).collect();
        Ok(Tokens { pieces, numbers })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// A text as tokens: each time the longest piece that fits.
    #[must_use]
    pub fn of_text(&self, text: &str) -> Vec<i64> {
        let text = format!(" {text}").replace(' ', SPACE);
        let mut rest = text.as_bytes();
        let mut tokens = Vec::new();
        while !rest.is_empty() {
            let longest = (1..=rest.len().min(LONGEST_PIECE)).rev().find_map(|length| {
                let piece = rest.get(..length)?;
                let (token, length) = (self.numbers.get(piece)?, length);
                Some((*token, length))
            });
            let Some((token, length)) = longest else { break };
            tokens.push(token);
            rest = rest.get(length..).unwrap_or_default();
        }
        tokens
    }

    /// The text of tokens, without those that mark its beginning and end.
    #[must_use]
    pub fn text(&self, tokens: impl IntoIterator<Item = i64>) -> String {
        let mut bytes = Vec::new();
        for token in tokens.into_iter().filter(|token| *token > 2) {
            if let Some(piece) = usize::try_from(token).ok().and_then(|token| self.pieces.get(token)) {
                bytes.extend_from_slice(piece);
            }
        }
        String::from_utf8_lossy(&bytes).replace(SPACE, " ").trim().to_owned()
    }
}

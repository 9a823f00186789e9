//! Tokenizer vocabulary: byte strings one after the other, each after its length ([`Tokens`]).

use std::collections::HashMap;

/// Maximum number of tokenizations of a word.
const MAX_TOKENIZATIONS: usize = 12;

/// Character that stands for a space before a word.
const SPACE: &str = "\u{2581}";

/// Maximum number of tokens.
const MAX_TOKENS: usize = 1 << 20;

/// Reports a damaged vocabulary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the vocabulary file is truncated or too large")]
pub struct TokensError;

/// The vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pieces: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, i64>,
}

impl Tokens {
    /// Parses the file. A length of 128 or more has two bytes, the low part first.
    ///
    /// # Errors
    /// Returns an error when the bytes end within a token, or when there are too many tokens.
    pub fn read(mut bytes: &[u8]) -> Result<Self, TokensError> {
        let mut pieces = Vec::new();
        while let Some((&first, rest)) = bytes.split_first() {
            let (length, rest) = if first < 128 {
                (usize::from(first), rest)
            } else {
                let (&second, rest) = rest.split_first().ok_or(TokensError)?;
                (usize::from(first) - 128 + usize::from(second) * 128, rest)
            };
            let (piece, rest) = rest.split_at_checked(length).ok_or(TokensError)?;
            if pieces.len() == MAX_TOKENS {
                return Err(TokensError);
            }
            pieces.push(piece.to_vec());
            bytes = rest;
        }
        let numbers =
            pieces.iter().enumerate().map(|(number, piece)| (piece.clone(), number as i64)).collect();
        Ok(Tokens { pieces, numbers })
    }

    /// Returns the number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the tokenizations of a word with one, two or three tokens, the shortest first, or none if it takes more. A
    /// leading space is part of the word.
    #[must_use]
    pub fn ways(&self, word: &str) -> Vec<Vec<i64>> {
        let word = word.replace(' ', SPACE);
        let bytes = word.as_bytes();
        let number = |from: usize, to: usize| self.numbers.get(bytes.get(from..to)?).copied();
        if let Some(whole) = number(0, bytes.len()) {
            return vec![vec![whole]];
        }
        let (mut two, mut three) = (Vec::new(), Vec::new());
        for first in (1..bytes.len()).rev() {
            let Some(one) = number(0, first) else { continue };
            two.extend(number(first, bytes.len()).map(|other| vec![one, other]));
            for second in (first + 1..bytes.len()).rev() {
                let pieces = number(first, second).zip(number(second, bytes.len()));
                three.extend(pieces.map(|(middle, last)| vec![one, middle, last]));
            }
        }
        two.extend(three);
        two.truncate(MAX_TOKENIZATIONS);
        two
    }

    /// Returns the text of tokens, without the begin and end tokens.
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

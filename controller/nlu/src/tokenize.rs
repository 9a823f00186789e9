//! Splits a text into tokens with their position in the text, so that an answer can quote the part that it
//! is about.

use std::ops::Range;

/// A token and its position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub kind: Kind,
    /// Its range in the text, in bytes.
    pub span: Range<usize>,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Letters, digits and underscores; lower case, without apostrophes (`don't` is `dont`).
    Word(String),
    /// A decimal number in digits.
    Number(f64),
    /// The text between quotation marks.
    Quoted(String),
    /// Any other character.
    Mark(char),
}

impl Token {
    /// Returns the word, if it is one.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Returns whether it is this character.
    pub fn is_mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

/// Words that only make a sentence polite, or address the robot.
const POLITE: &[&str] = &[
    "please",
    "pls",
    "plz",
    "kindly",
    "just",
    "simply",
    "reachy",
    "now",
    "immediately",
    "basically",
    "politely",
    "currently",
];

/// Returns the tokens of a text, without polite words.
pub(super) fn tokenize(text: &str) -> Vec<Token> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut scanner = Scanner { text, chars: &chars, at: 0 };
    let mut tokens: Vec<Token> = Vec::new();
    while let Some(token) = scanner.token() {
        // "right now" and "right away" are not directions.
        if matches!(token.word(), Some("now" | "away"))
            && tokens.last().and_then(Token::word) == Some("right")
        {
            tokens.pop();
            continue;
        }
        if !token.word().is_some_and(|word| POLITE.contains(&word)) {
            tokens.push(token);
        }
    }
    tokens
}

struct Scanner<'a> {
    text: &'a str,
    chars: &'a [(usize, char)],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).map(|&(_, c)| c)
    }

    fn previous(&self) -> Option<char> {
        self.at.checked_sub(1).and_then(|before| self.chars.get(before)).map(|&(_, c)| c)
    }

    fn offset(&self) -> usize {
        self.chars.get(self.at).map_or(self.text.len(), |&(offset, _)| offset)
    }

    fn token(&mut self) -> Option<Token> {
        while self.peek(0).is_some_and(char::is_whitespace) || self.between_words() {
            self.at += 1;
        }
        let start = self.offset();
        let first = self.peek(0)?;
        let kind = if self.number_begins() {
            self.number()
        } else if is_letter(first) {
            self.word()
        } else {
            self.quoted(first).unwrap_or_else(|| {
                self.at += 1;
                mark(first)
            })
        };
        Some(Token { kind, span: start..self.offset() })
    }

    /// Returns whether a hyphen joins two words and so counts as a space: `twenty-five`.
    fn between_words(&self) -> bool {
        self.peek(0) == Some('-')
            && self.previous().is_some_and(is_letter)
            && self.peek(1).is_some_and(is_letter)
    }

    fn number_begins(&self) -> bool {
        let mut ahead = 0;
        if self.peek(0) == Some('-') && !self.previous().is_some_and(char::is_alphanumeric) {
            ahead = 1;
        }
        if self.peek(ahead) == Some('.') && !self.previous().is_some_and(char::is_alphanumeric) {
            ahead += 1;
        }
        self.peek(ahead).is_some_and(|c| c.is_ascii_digit())
    }

    fn number(&mut self) -> Kind {
        let start = self.offset();
        let mut dots = 0;
        self.at += usize::from(self.peek(0) == Some('-'));
        while let Some(c) = self.peek(0) {
            let decimal = c == '.' && dots == 0 && self.peek(1).is_some_and(|c| c.is_ascii_digit());
            if !c.is_ascii_digit() && !decimal {
                break;
            }
            dots += usize::from(decimal);
            self.at += 1;
        }
        let digits = self.text.get(start..self.offset()).unwrap_or_default();
        digits.parse().map_or_else(|_| Kind::Word(digits.to_owned()), Kind::Number)
    }

    fn word(&mut self) -> Kind {
        let mut word = String::new();
        while let Some(c) = self.peek(0) {
            let apostrophe = matches!(c, '\'' | '\u{2019}') && self.peek(1).is_some_and(char::is_alphabetic);
            if !is_letter(c) && !c.is_ascii_digit() && !apostrophe {
                break;
            }
            if !apostrophe {
                word.extend(c.to_lowercase());
            }
            self.at += 1;
        }
        Kind::Word(word)
    }

    /// Reads the text from a quotation mark to its partner; none if there is no partner.
    fn quoted(&mut self, open: char) -> Option<Kind> {
        let close = match open {
            '"' | '`' | '\'' => open,
            '\u{201c}' => '\u{201d}',
            '\u{2018}' => '\u{2019}',
            _ => return None,
        };
        let inside = self.chars.get(self.at + 1..)?;
        let length = inside.iter().position(|&(_, c)| c == close)?;
        let text = inside.iter().take(length).map(|&(_, c)| c).collect();
        self.at += length + 2;
        Some(Kind::Quoted(text))
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn mark(c: char) -> Kind {
    match c {
        '\u{b0}' => Kind::Word("deg".to_owned()),
        '&' => Kind::Word("and".to_owned()),
        '\u{2013}' | '\u{2014}' => Kind::Mark(','),
        c => Kind::Mark(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        tokenize(text).into_iter().map(|token| token.kind).collect()
    }

    fn word(text: &str) -> Kind {
        Kind::Word(text.to_owned())
    }

    #[test]
    fn numbers_units_and_signs_are_split() {
        assert_eq!(
            kinds("-20deg 1.5s .5, 20\u{b0}. 3x"),
            [
                Kind::Number(-20.0),
                word("deg"),
                Kind::Number(1.5),
                word("s"),
                Kind::Number(0.5),
                Kind::Mark(','),
                Kind::Number(20.0),
                word("deg"),
                Kind::Mark('.'),
                Kind::Number(3.0),
                word("x"),
            ]
        );
        assert_eq!(kinds("2-3"), [Kind::Number(2.0), Kind::Mark('-'), Kind::Number(3.0)]);
        assert_eq!(kinds("1.2.3"), [Kind::Number(1.2), Kind::Mark('.'), Kind::Number(3.0)]);
    }

    #[test]
    fn quotes_are_stored_and_polite_words_are_dropped() {
        assert_eq!(kinds("Please DON\u{2019}T twenty-five"), [word("dont"), word("twenty"), word("five")]);
        assert_eq!(
            kinds("name='Bob B' \"x"),
            [word("name"), Kind::Mark('='), Kind::Quoted("Bob B".to_owned()), Kind::Mark('"'), word("x")]
        );
    }

    #[test]
    fn spans_match_the_text_of_their_tokens() {
        let text = "dr\u{e4}h dich \u{1f600} 90\u{b0}";
        for token in tokenize(text) {
            assert!(text.get(token.span.clone()).is_some_and(|cut| !cut.trim().is_empty()), "{token:?}");
        }
    }
}

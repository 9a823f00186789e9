//! Splits a text into words, numbers and punctuation, in a form in which spelling varies less.

use std::ops::Range;

/// One word, number or sign.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The word in lower case and without accents, or the sign.
    pub text: String,
    /// The number that it is, if it is written in digits.
    pub number: Option<f64>,
    /// Its bytes in the text.
    pub span: Range<usize>,
}

impl Word {
    /// Returns whether it is a sign of punctuation.
    #[must_use]
    pub fn is_sign(&self) -> bool {
        self.number.is_none()
            && !self.text.starts_with(char::is_alphanumeric)
            && self.text != "°"
            && self.text != "%"
    }
}

/// The sign after a word that was not said to its end: "look ri- left".
pub(crate) const CUT_OFF: &str = "-";

/// Splits a text. `has_elisions`: an apostrophe ends a word, as in French.
#[must_use]
pub fn split(text: &str, has_elisions: bool) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut current = String::new();
    let mut start = 0;
    let flush = |current: &mut String, range: Range<usize>, words: &mut Vec<Word>| {
        if !current.is_empty() {
            let text = std::mem::take(current);
            words.push(Word { number: None, text, span: range });
        }
    };
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter.is_ascii_digit() || fullwidth(letter).is_some() {
            flush(&mut current, start..at, &mut words);
            let mut digits = String::new();
            digits.push(fullwidth(letter).unwrap_or(letter));
            let mut end = at + letter.len_utf8();
            while let Some((next_at, next)) = letters.peek().copied() {
                let after = text.get(next_at + next.len_utf8()..).and_then(|rest| rest.chars().next());
                let is_point = matches!(next, '.' | ',')
                    && !digits.contains('.')
                    && after.is_some_and(|after| after.is_ascii_digit());
                if let Some(digit) = next.is_ascii_digit().then_some(next).or_else(|| fullwidth(next)) {
                    digits.push(digit);
                } else if is_point {
                    digits.push('.');
                } else {
                    break;
                }
                end = next_at + next.len_utf8();
                letters.next();
            }
            words.push(Word { number: digits.parse().ok(), text: digits, span: at..end });
            start = end;
            continue;
        }
        let is_apostrophe = matches!(letter, '\'' | '\u{2019}' | '`' | '\u{2bc}');
        if is_joined(letter) {
            flush(&mut current, start..at, &mut words);
            let end = at + letter.len_utf8();
            words.push(Word { text: letter.to_string(), number: None, span: at..end });
            start = end;
        } else if letter.is_alphanumeric() || is_mark(letter) {
            if current.is_empty() {
                start = at;
            }
            fold(letter, &mut current);
        } else if is_apostrophe && !has_elisions {
            // "Don't" is one word.
        } else {
            let is_cut_off = letter == '-'
                && !current.is_empty()
                && letters.peek().is_some_and(|(_, next)| next.is_whitespace() || *next == ',');
            flush(&mut current, start..at, &mut words);
            let end = at + letter.len_utf8();
            if is_cut_off {
                words.push(Word { text: CUT_OFF.to_owned(), number: None, span: at..end });
            }
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let is_minus = letter == '-'
                && before.is_none_or(|before| before.is_whitespace() || before == '(')
                && letters.peek().is_some_and(|(_, next)| next.is_ascii_digit());
            if is_minus {
                words.push(Word { text: "minus".to_owned(), number: None, span: at..end });
            }
            if (!letter.is_whitespace() || letter == '\n') && !is_apostrophe && letter != '-' && letter != '_'
            {
                words.push(Word { text: letter.to_string(), number: None, span: at..end });
            }
            start = end;
        }
    }
    flush(&mut current, start..text.len(), &mut words);
    words
}

fn fullwidth(letter: char) -> Option<char> {
    let offset = u32::from(letter).checked_sub(0xff10)?;
    char::from_digit(offset, 10)
}

/// Whether words with this letter are written without spaces.
#[must_use]
pub const fn is_joined(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

const fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

/// Appends a letter in lower case and without its accent. German umlauts become two letters, as they are often typed.
fn fold(letter: char, to: &mut String) {
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    let folded = match lower {
        'à' | 'á' | 'â' | 'ã' | 'å' => "a",
        'ä' => "ae",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' => "o",
        'ö' => "oe",
        'œ' => "oe",
        'ù' | 'ú' | 'û' => "u",
        'ü' => "ue",
        'ß' => "ss",
        mark if is_mark(mark) => "",
        other => {
            to.push(other);
            return;
        }
    };
    to.push_str(folded);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        split(text, false).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_numbers_and_signs_are_apart() {
        assert_eq!(
            texts("Don't look 2.5cm left, please!"),
            ["dont", "look", "2.5", "cm", "left", ",", "please", "!"]
        );
        assert_eq!(texts("-20, 2-3 - 4"), ["minus", "20", ",", "2", "3", "4"]);
        assert_eq!(texts("20° à droite"), ["20", "°", "a", "droite"]);
        assert_eq!(texts("Schüttle 3,5 s"), ["schuettle", "3.5", "s"]);
        assert_eq!(texts("点头两次。"), ["点", "头", "两", "次", "。"]);
    }
}

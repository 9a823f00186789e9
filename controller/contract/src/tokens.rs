//! Splits a request into words, numbers and punctuation, each with its place in the text.

/// How many tokens are read; what comes after them counts as not understood.
pub(crate) const MAX_TOKENS: usize = 1_000;

/// A word, a number or a punctuation mark.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    /// The word in lower case without a possessive `'s`, or the mark.
    pub(crate) word: String,
    /// The value of a number in digits.
    pub(crate) number: Option<f64>,
    /// Where it begins, in bytes.
    pub(crate) start: usize,
    /// Where it ends, in bytes.
    pub(crate) end: usize,
    pub(crate) is_mark: bool,
}

/// What a run of characters consists of.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Blank,
    Letter,
    Digit,
    Mark,
}

fn class(character: char, next: Option<char>, before: Class) -> Class {
    match character {
        '0'..='9' if before == Class::Letter => Class::Letter,
        '0'..='9' => Class::Digit,
        '.' if before == Class::Digit && next.is_some_and(|next| next.is_ascii_digit()) => Class::Digit,
        '\'' | '’' if before == Class::Letter && next.is_some_and(char::is_alphabetic) => Class::Letter,
        '_' => Class::Letter,
        // Hyphens join words that are read one by one: `half-second`.
        '-' | '‐' | '‑' if before == Class::Letter && next.is_some_and(char::is_alphabetic) => {
            Class::Blank
        }
        _ if character.is_alphanumeric() => Class::Letter,
        _ if character.is_whitespace() || character.is_control() => Class::Blank,
        _ => Class::Mark,
    }
}

/// Splits a text. A number that is followed by letters without a blank is a token of its own: `10mm`.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut before = Class::Blank;
    let mut characters = text.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let class = class(character, next, before);
        let end = start + character.len_utf8();
        match found.last_mut() {
            Some(last) if class == before && matches!(class, Class::Letter | Class::Digit) => {
                last.end = end;
                last.word.extend(character.to_lowercase());
            }
            _ if class != Class::Blank => {
                if found.len() == MAX_TOKENS {
                    break;
                }
                let word = character.to_lowercase().collect();
                found.push(Token { word, number: None, start, end, is_mark: class == Class::Mark });
            }
            _ => {}
        }
        before = class;
    }
    for token in &mut found {
        finish(token);
    }
    let mut found: Vec<Token> = found.into_iter().flat_map(times).collect();
    more_of_them(&mut found);
    // "The right hand ear" is the right ear.
    let words: Vec<String> = found.iter().map(|token| token.word.clone()).collect();
    let is_side = |at: usize| {
        let near = |place: Option<usize>| place.and_then(|place| words.get(place)).map_or("", String::as_str);
        matches!(near(at.checked_sub(1)), "left" | "right")
            && matches!(near(Some(at)), "hand" | "side")
            && matches!(near(Some(at + 1)), "antenna" | "ear" | "feeler" | "one")
    };
    let mut at = 0;
    found.retain(|_| {
        at += 1;
        !is_side(at - 1)
    });
    found
}

/// "And eight more", "three more times": another eight, not larger ones.
fn more_of_them(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let is_last = tokens.get(at + 2).is_none_or(|after| {
            after.is_mark || matches!(after.word.as_str(), "times" | "and" | "then" | "after" | "before")
        });
        let Some([count, more, ..]) = tokens.get_mut(at..) else { return };
        let is_count = count.number.is_some() || crate::lexicon::number(&count.word).is_some();
        if is_last && is_count && more.word == "more" {
            more.word = std::mem::replace(&mut count.word, "another".to_owned());
            more.number = count.number.take();
        }
    }
}

/// "Nod x4": the number and what it counts.
fn times(token: Token) -> Vec<Token> {
    let number = token.word.strip_prefix('x').filter(|number| (1..=3).contains(&number.len()));
    let Some(value) = number.and_then(|number| number.parse::<u16>().ok()) else { return vec![token] };
    let count = Token { word: value.to_string(), number: Some(f64::from(value)), ..token.clone() };
    vec![count, Token { word: "times".to_owned(), ..token }]
}

fn finish(token: &mut Token) {
    if token.word == "°" {
        token.word = "degrees".to_owned();
        token.is_mark = false;
    }
    if token.word.starts_with(|first: char| first.is_ascii_digit()) {
        token.number = token.word.parse().ok().filter(|number: &f64| number.is_finite());
    }
    token.word = token.word.replace('’', "'");
    let keeps = ["it's", "that's", "let's", "there's", "what's"];
    if !keeps.contains(&token.word.as_str())
        && let Some(stem) = token.word.strip_suffix("'s")
    {
        token.word = stem.to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_marks_are_apart() {
        let text = "The head's tilt: 10mm, 1.5 seconds – left-right, don’t go_on 3x.";
        let words: Vec<String> = tokens(text).into_iter().map(|token| token.word).collect();
        let expected = [
            "the", "head", "tilt", ":", "10", "mm", ",", "1.5", "seconds", "–", "left", "right", ",",
            "don't", "go_on", "3", "x", ".",
        ];
        assert_eq!(words, expected);
        for token in tokens(text) {
            assert!(text.get(token.start..token.end).is_some(), "{token:?}");
        }
        assert_eq!(tokens("1.5").first().and_then(|token| token.number), Some(1.5));
    }
}

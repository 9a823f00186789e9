//! Splits a request into words and punctuation with their places in the text.

use std::ops::Range;

/// The base forms of irregular verbs, for words that the rules of inflection do not reach.
const IRREGULAR: [(&str, &str); 61] = [
    ("went", "go"),
    ("gone", "go"),
    ("goes", "go"),
    ("does", "do"),
    ("did", "do"),
    ("done", "do"),
    ("held", "hold"),
    ("kept", "keep"),
    ("shook", "shake"),
    ("shaken", "shake"),
    ("bent", "bend"),
    ("swung", "swing"),
    ("stuck", "stick"),
    ("leant", "lean"),
    ("drew", "draw"),
    ("rose", "rise"),
    ("risen", "rise"),
    ("fell", "fall"),
    ("fallen", "fall"),
    ("came", "come"),
    ("sees", "see"),
    ("saw", "see"),
    ("seen", "see"),
    ("heard", "hear"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("said", "say"),
    ("says", "say"),
    ("made", "make"),
    ("taught", "teach"),
    ("brought", "bring"),
    ("sank", "sink"),
    ("sunk", "sink"),
    ("spun", "spin"),
    ("slept", "sleep"),
    ("felt", "feel"),
    ("begun", "begin"),
    ("began", "begin"),
    ("froze", "freeze"),
    ("frozen", "freeze"),
    ("lain", "lie"),
    ("lying", "lie"),
    ("stood", "stand"),
    ("took", "take"),
    ("taken", "take"),
    ("gave", "give"),
    ("given", "give"),
    ("hung", "hang"),
    ("wove", "weave"),
    ("spreads", "spread"),
    ("colour", "color"),
    ("centred", "center"),
    ("centre", "center"),
    ("centring", "center"),
    ("grey", "gray"),
    ("met", "meet"),
    ("seeing", "see"),
    ("being", "be"),
    ("leapt", "leap"),
    ("crept", "creep"),
    ("ears'", "ears"),
];

/// A word or a punctuation mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// In lower case.
    pub text: String,
    /// Its bytes in the request.
    pub span: Range<usize>,
    /// Whether it is a word or a number, and not punctuation.
    pub is_word: bool,
}

/// Splits a text. Contractions become their two words; signs for units and for repetition become words.
pub(crate) fn split(request: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut current = String::new();
    let mut start = 0;
    let characters: Vec<(usize, char)> = request.char_indices().collect();
    for (place, (at, character)) in characters.iter().enumerate() {
        let next = characters.get(place + 1).map(|(_, next)| *next);
        let is_apostrophe = matches!(character, '\'' | '\u{2019}');
        let is_inside = !current.is_empty() && next.is_some_and(char::is_alphanumeric);
        let is_decimal = *character == '.'
            && current.chars().all(|c| c.is_ascii_digit())
            && next.is_some_and(|next| next.is_ascii_digit());
        let digits_end = current.chars().next_back().is_some_and(|last| last.is_ascii_digit());
        let is_first_unit_letter = character.is_alphabetic()
            && digits_end
            && current.chars().all(|c| c.is_ascii_digit() || c == '.');
        if is_first_unit_letter {
            push(&mut words, &mut current, start..*at);
        }
        if character.is_alphanumeric() || *character == '_' || (is_apostrophe && is_inside) || is_decimal {
            if current.is_empty() {
                start = *at;
            }
            if is_apostrophe {
                current.push('\'');
            } else {
                current.extend(character.to_lowercase());
            }
            continue;
        }
        push(&mut words, &mut current, start..*at);
        let span = *at..*at + character.len_utf8();
        let word = |text: &str| Word { text: text.to_owned(), span: span.clone(), is_word: true };
        match character {
            '°' => words.push(word("degrees")),
            '×' => words.push(word("times")),
            '%' => words.push(word("percent")),
            '½' => words.push(word("half")),
            '"' => words.push(word("inches_or_quote")),
            '\u{2013}' | '\u{2014}' => {
                words.push(Word { text: ",".to_owned(), span, is_word: false });
            }
            _ if character.is_whitespace() && *character != '\n' => {}
            // A dash between blanks separates, a hyphen joins.
            '-' if next.is_some_and(char::is_whitespace)
                && place
                    .checked_sub(1)
                    .and_then(|before| characters.get(before))
                    .is_some_and(|(_, c)| c.is_whitespace()) =>
            {
                words.push(Word { text: ",".to_owned(), span, is_word: false });
            }
            '-' => {}
            _ => {
                let text = if *character == '\n' { ".".to_owned() } else { character.to_string() };
                words.push(Word { text, span, is_word: false });
            }
        }
    }
    push(&mut words, &mut current, start..request.len());
    words.retain(|word| word.text != "inches_or_quote");
    more_of_them(&mut words);
    words
}

/// "And eight more", "three more times": another eight, not larger ones.
fn more_of_them(words: &mut [Word]) {
    for at in 0..words.len() {
        let is_last = words.get(at + 2).is_none_or(|after| {
            !after.is_word || matches!(after.text.as_str(), "times" | "and" | "then" | "after" | "before")
        });
        let Some([count, more, ..]) = words.get_mut(at..) else { return };
        if is_last
            && more.text == "more"
            && (number_word(&count.text).is_some() || count.text.parse::<f64>().is_ok())
        {
            more.text = std::mem::replace(&mut count.text, "another".to_owned());
        }
    }
}

fn push(words: &mut Vec<Word>, current: &mut String, span: Range<usize>) {
    if current.is_empty() {
        return;
    }
    let text = std::mem::take(current);
    let parts: Vec<String> = match text.as_str() {
        "can't" | "cannot" => vec!["can".to_owned(), "not".to_owned()],
        "won't" => vec!["will".to_owned(), "not".to_owned()],
        "let's" => vec!["let".to_owned(), "us".to_owned()],
        "dont" => vec!["do".to_owned(), "not".to_owned()],
        // "Nod x4".
        text if is_times(text) => vec![text.get(1..).unwrap_or("").to_owned(), "times".to_owned()],
        _ => match text.split_once('\'') {
            Some((stem, "t")) if stem.ends_with('n') => {
                vec![stem.strip_suffix('n').unwrap_or(stem).to_owned(), "not".to_owned()]
            }
            Some((stem, "re")) => vec![stem.to_owned(), "are".to_owned()],
            Some((stem, "s")) if matches!(stem, "it" | "that" | "he" | "she" | "there" | "what") => {
                vec![stem.to_owned(), "is".to_owned()]
            }
            Some((stem, "d")) => vec![stem.to_owned(), "would".to_owned()],
            Some((stem, "ll")) => vec![stem.to_owned(), "will".to_owned()],
            Some((stem, "ve")) => vec![stem.to_owned(), "have".to_owned()],
            Some((stem, "m")) => vec![stem.to_owned(), "am".to_owned()],
            Some((stem, "s")) => vec![stem.to_owned()],
            _ => vec![text.replace('\'', "")],
        },
    };
    words.extend(parts.into_iter().filter(|part| !part.is_empty()).map(|text| Word {
        text,
        span: span.clone(),
        is_word: true,
    }));
}

/// Returns whether a word is `x` and a number of times.
fn is_times(text: &str) -> bool {
    text.strip_prefix('x').is_some_and(|number| {
        (1..=3).contains(&number.len()) && number.chars().all(|digit| digit.is_ascii_digit())
    })
}

/// Returns the base form of a word: the first candidate that is known, or the word itself.
pub(crate) fn base_form(word: &str, is_known: impl Fn(&str) -> bool) -> String {
    if let Some((_, base)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return (*base).to_owned();
    }
    let mut candidates: Vec<String> = Vec::new();
    for ending in ["ies", "ied"] {
        candidates.extend(word.strip_suffix(ending).map(|stem| format!("{stem}y")));
    }
    for ending in ["s", "es", "ed", "d", "ing", "er", "ly"] {
        let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() >= 2) else { continue };
        candidates.push(stem.to_owned());
        if matches!(ending, "ing" | "ed" | "er") {
            candidates.push(format!("{stem}e"));
            let mut letters = stem.chars().rev();
            if letters.next() == letters.next() {
                candidates.extend(
                    stem.char_indices().next_back().and_then(|(at, _)| stem.get(..at)).map(str::to_owned),
                );
            }
        }
    }
    candidates.into_iter().find(|candidate| is_known(candidate)).unwrap_or_else(|| word.to_owned())
}

/// Returns the number that a word says.
pub(crate) fn number_word(text: &str) -> Option<f64> {
    const SMALL: [&str; 21] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    const TENS: [(&str, f64); 7] = [
        ("thirty", 30.0),
        ("forty", 40.0),
        ("fourty", 40.0),
        ("fifty", 50.0),
        ("sixty", 60.0),
        ("seventy", 70.0),
        ("eighty", 80.0),
    ];
    if text.chars().all(|c| c.is_ascii_digit() || c == '.') && text.len() <= 9 {
        return text.parse().ok();
    }
    let small = SMALL.iter().position(|word| *word == text).and_then(|index| u32::try_from(index).ok());
    let tens = TENS.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    small.map(f64::from).or(tens).or(if text == "ninety" { Some(90.0) } else { None })
}

/// Reads a number from the beginning of words, and returns how many words it takes.
pub(crate) fn read_number(words: &[Word]) -> Option<(f64, usize)> {
    let text = |index: usize| words.get(index).map_or("", |word| word.text.as_str());
    match (text(0), text(1), text(2)) {
        ("half", "a", "dozen") | ("a", "half", "dozen") => return Some((6.0, 3)),
        ("half", "dozen", _) => return Some((6.0, 2)),
        ("half", "a" | "an", _) => return Some((0.5, 2)),
        ("a", "half", _) => return Some((0.5, 2)),
        ("one", "half", _) => return Some((0.5, 2)),
        ("half", _, _) => return Some((0.5, 1)),
        ("a" | "one", "dozen", _) => return Some((12.0, 2)),
        ("a", "pair", "of") => return Some((2.0, 3)),
        ("two", "dozen", _) => return Some((24.0, 2)),
        ("a", "couple", "of") => return Some((2.0, 3)),
        ("a", "couple", _) => return Some((2.0, 2)),
        ("a", "few", _) => return Some((3.0, 2)),
        ("several" | "some", "times" | "seconds", _) => return Some((4.0, 1)),
        ("a" | "one", "hundred", _) => return Some((100.0, 2)),
        _ => {}
    }
    let first = number_word(text(0))?;
    let mut value = first;
    let mut used = 1;
    let is_tens = (20.0..100.0).contains(&first) && first % 10.0 == 0.0;
    if let Some(ones) = number_word(text(1)).filter(|ones| is_tens && (1.0..10.0).contains(ones))
        && !text(0).starts_with(|c: char| c.is_ascii_digit())
        && !text(1).starts_with(|c: char| c.is_ascii_digit())
    {
        value += ones;
        used = 2;
    }
    if text(used) == "hundred" {
        value *= 100.0;
        used += 1;
        let and = usize::from(text(used) == "and");
        if let Some((rest, more)) = words.get(used + and..).and_then(read_number)
            && rest < 100.0
        {
            value += rest;
            used += and + more;
        }
    }
    if (text(used), text(used + 1), text(used + 2)) == ("and", "a", "half") {
        return Some((value + 0.5, used + 3));
    }
    if text(used) == "point"
        && let Some(tenths) = number_word(text(used + 1)).filter(|tenths| *tenths < 10.0)
    {
        return Some((value + tenths / 10.0, used + 2));
    }
    Some((value, used))
}

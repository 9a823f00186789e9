//! Compares what a page shows with what a command printed.

/// Whether the output is what the page shows.
pub(super) fn matches(expected: &[String], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((line, rest)) if line.trim() == "..." => {
            (1..=actual.len()).any(|omitted| matches(rest, &actual[omitted..]))
        }
        Some((line, rest)) => match actual.split_first() {
            Some((found, others)) => line_matches(line, found) && matches(rest, others),
            None => false,
        },
    }
}

/// Returns why expected output is too vague to be compared, or none.
pub(super) fn vague(expected: &[String]) -> Option<&'static str> {
    if expected.is_empty() {
        return None;
    }
    let own = |line: &String| {
        let literal: usize = parts(line)
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.chars().filter(|letter| letter.is_alphanumeric()).count(),
                Part::Number(_) | Part::Word | Part::Rest { .. } => 0,
            })
            .sum();
        literal >= 4
    };
    (!expected.iter().any(own)).then_some("no line of the output has text of its own")
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Text(String),
    /// A number from half to twice this one.
    Number(f64),
    /// Text without spaces.
    Word,
    /// All that is left of the line. After a word, it does not continue that word.
    Rest {
        after_word: bool,
    },
}

fn line_matches(expected: &str, actual: &str) -> bool {
    parts_match(&parts(expected), actual.trim_end())
}

fn parts_match(parts: &[Part], actual: &str) -> bool {
    let Some((part, rest)) = parts.split_first() else { return actual.is_empty() };
    match part {
        Part::Text(text) => actual.strip_prefix(text.as_str()).is_some_and(|left| parts_match(rest, left)),
        Part::Rest { after_word } => !(*after_word && actual.starts_with(char::is_alphanumeric)),
        Part::Number(value) => {
            let end =
                actual.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(actual.len());
            // A full stop after a number ends the sentence.
            let number = actual[..end].trim_end_matches('.');
            let near = |found: f64| found >= value / 2.0 && found <= value * 2.0;
            number.parse().is_ok_and(near) && parts_match(rest, &actual[number.len()..])
        }
        Part::Word => {
            let end = actual.find(char::is_whitespace).unwrap_or(actual.len());
            let ends = actual[..end].char_indices().map(|(at, letter)| at + letter.len_utf8());
            ends.into_iter().any(|end| parts_match(rest, &actual[end..]))
        }
    }
}

fn parts(line: &str) -> Vec<Part> {
    let line = line.trim_end();
    let (mut left, rest) = match line.strip_suffix(" ...") {
        Some(line) => (line, true),
        None => (line, false),
    };
    let mut parts = Vec::new();
    let mut text = String::new();
    while let Some(letter) = left.chars().next() {
        if let Some((part, length)) = placeholder(left) {
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            parts.push(part);
            left = &left[length..];
        } else {
            text.push(letter);
            left = &left[letter.len_utf8()..];
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    if rest {
        parts.push(Part::Rest { after_word: line.trim_end_matches(" ...").ends_with(char::is_alphanumeric) });
    }
    parts
}

/// Returns the placeholder at the beginning of a text, and its length in bytes.
fn placeholder(text: &str) -> Option<(Part, usize)> {
    if let Some(number) = text.strip_prefix('~') {
        let end =
            number.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(number.len());
        let number = number[..end].trim_end_matches('.');
        return Some((Part::Number(number.parse().ok()?), 1 + number.len()));
    }
    let word = text.strip_prefix('<')?;
    let end = word.find('>')?;
    let lower = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    (end > 0 && word[..end].chars().all(lower)).then_some((Part::Word, end + 2))
}

#[test]
fn expected_output_matches_by_the_convention() {
    let check = |expected: &str, actual: &str| {
        let expected: Vec<String> = expected.lines().map(str::to_owned).collect();
        matches(&expected, &actual.lines().collect::<Vec<_>>())
    };
    assert!(check("one\n...\nfour", "one\ntwo\nthree\nfour"));
    assert!(!check("one\n...\ntwo", "one\ntwo"), "an omission stands for a line at least");
    assert!(!check("one", "one\ntwo") && !check("one\ntwo", "one"));
    assert!(check("took ~0.4 s.", "took 0.21 s.") && check("took ~2.", "took 3."));
    assert!(!check("took ~0.4 s", "took 1.2 s") && !check("took ~0.4 s", "took s"));
    assert!(check("at -~5 deg", "at -4.2 deg") && !check("at -~5 deg", "at 4.2 deg"));
    assert!(
        check("id <id>, done", "id 3fa9-1, done") && !check("id <id>", "id a b") && !check("id <id>", "id ")
    );
    assert!(check("{\"doing\": ...", "{\"doing\": \"holding\"}") && !check("{\"did ...", "{\"doing\"}"));
    assert!(check("head yaw 4 ...", "head yaw 4, 5") && !check("head yaw 4 ...", "head yaw 45"));
    assert!(check("<70 x> FILE", "<70 x> FILE") && !check("<70 x>", "y"));
}

#[test]
fn output_pattern_that_matches_anything_is_vague() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for text in ["...", "<id>", "<id> ~3\n...", "ok ..."] {
        assert!(vague(&lines(text)).is_some(), "{text}");
    }
    assert!(vague(&lines("...\nDone: nod once.")).is_none() && vague(&[]).is_none());
}

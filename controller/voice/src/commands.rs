//! Searches transcripts for stop words, the wake phrase ([`Wake`]) and misrecognised command words ([`Vocabulary`]). It works
//! on text alone.

mod phonetic_similarity;
mod vocabulary;

use phonetic_similarity::phonetic_similarity;
pub use vocabulary::{Repair, Vocabulary, similarity};

/// Words that stop the robot.
pub const STOP_WORDS: [&str; 3] = ["stop", "halt", "freeze"];

/// Words before a stop word that cancel it: "don't stop", "the bus stop".
const CANCELLING_BEFORE: [&str; 27] = [
    "don't",
    "dont",
    "not",
    "never",
    "won't",
    "wont",
    "cannot",
    "can't",
    "cant",
    "didn't",
    "didnt",
    "doesn't",
    "doesnt",
    "shouldn't",
    "wouldn't",
    "couldn't",
    "non",
    "no",
    "without",
    "bus",
    "truck",
    "train",
    "pit",
    "full",
    "the",
    "a",
    "this",
];

/// Words after a stop word that change its meaning: "stop watch", "freeze frame".
const CHANGING_AFTER: [&str; 18] = [
    "watch", "watches", "sign", "signs", "light", "lights", "gap", "over", "motion", "frame", "frames",
    "dried", "drying", "time", "word", "words", "button", "bath",
];

/// Words allowed between a negation and the stop word, as in "do not ever stop".
const ALLOWED_BETWEEN: [&str; 6] = ["ever", "just", "you", "to", "please", "ever,"];

/// Misrecognitions of a stop word that is the whole utterance. A false stop is better than a missed one.
const LONE_STOP_ERRORS: [(&str, &str); 24] = [
    ("stopped", "stop"),
    ("stops", "stop"),
    ("stock", "stop"),
    ("top", "stop"),
    ("stuff", "stop"),
    ("stopping", "stop"),
    ("held", "halt"),
    ("hold", "halt"),
    ("holt", "halt"),
    ("hult", "halt"),
    ("alt", "halt"),
    ("out", "halt"),
    ("pout", "halt"),
    ("hall", "halt"),
    ("halts", "halt"),
    ("old", "halt"),
    ("pile", "halt"),
    ("piled", "halt"),
    ("hauled", "halt"),
    ("paul", "halt"),
    ("frees", "freeze"),
    ("fees", "freeze"),
    ("frieze", "freeze"),
    ("breeze", "freeze"),
];

/// Filler words that may precede such a misrecognition.
const FILLERS: [&str; 9] = ["it's", "its", "please", "oh", "uh", "um", "okay", "ok", "just"];

/// A stop word found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spotted {
    /// The word.
    pub word: String,
    /// Number of words before it.
    pub before: usize,
    /// Number of words after it.
    pub after: usize,
}

/// Splits a text into lower-case words without punctuation. Apostrophes within words stay.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let text: String = text
        .chars()
        .map(|c| match c {
            '\u{2019}' | '\u{2018}' => '\'',
            c if c.is_alphanumeric() || c == '\'' => c,
            _ => ' ',
        })
        .collect();
    text.split_whitespace()
        .map(|word| word.trim_matches('\'').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Finds the first stop word that means a stop. Words in `more`, in lower case, always count.
#[must_use]
pub fn stop_word(text: &str, more: &[String]) -> Option<Spotted> {
    let words = words(text);
    if let Some(position) = words.iter().position(|word| more.contains(word)) {
        let word = words.get(position)?.clone();
        return Some(Spotted { word, before: position, after: words.len() - position - 1 });
    }
    let (last, before) = words.split_last()?;
    if before.iter().all(|word| FILLERS.contains(&word.as_str()))
        && let Some((_, word)) = LONE_STOP_ERRORS.iter().find(|(written, _)| written == last)
        && (before.is_empty() || *word == "stop")
    {
        return Some(Spotted { word: (*word).to_owned(), before: before.len(), after: 0 });
    }
    // A negation does not reach across a sentence end: "no. stop" stops.
    let ends = sentence_ends(text);
    words.iter().enumerate().find_map(|(position, word)| {
        let spotted = STOP_WORDS.into_iter().find(|stop| stop == word)?;
        let preceding =
            words.get(..position)?.iter().enumerate().rev().take_while(|(at, _)| !ends.contains(at));
        let negated = preceding
            .map(|(_, word)| word.as_str())
            .find(|word| !ALLOWED_BETWEEN.contains(word))
            .is_some_and(|word| CANCELLING_BEFORE.contains(&word));
        let follower = (!ends.contains(&position)).then(|| words.get(position + 1)).flatten();
        let is_other = follower.is_some_and(|word| CHANGING_AFTER.contains(&word.as_str()));
        (!negated && !is_other).then_some(Spotted {
            word: spotted.to_owned(),
            before: position,
            after: words.len() - position - 1,
        })
    })
}

/// Returns the indices of words that are followed by punctuation.
fn sentence_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut seen = 0;
    for part in text.split_inclusive(['.', ',', '!', '?', ';', ':']) {
        seen += words(part).len();
        if seen > 0 && part.ends_with(['.', ',', '!', '?', ';', ':']) {
            ends.push(seen - 1);
        }
    }
    ends
}

/// Detects the wake phrase, including common misrecognitions.
#[derive(Clone, Debug)]
pub struct Wake {
    names: Vec<String>,
}

/// Misrecognitions of the robot's name.
const NAME_VARIANTS: [&str; 28] = [
    "reachy", "reachie", "reachi", "reechy", "reachey", "reaching", "reach", "richie", "richy", "ritchie",
    "ritchy", "ricci", "reacy", "peachy", "preachy", "reachee", "reiki", "reachies", "reachy's", "breachy",
    "reeky", "richey", "ricky", "riki", "rickey", "reachly", "rici", "rikki",
];

/// First words of the wake phrase, with misrecognitions.
const WAKE_VARIANTS: [&str; 12] =
    ["hey", "hay", "hi", "hello", "okay", "ok", "a", "hate", "he", "they", "hei", "eh"];

impl Wake {
    /// Creates a detector for "hey reachy" and the same with each of these names.
    #[must_use]
    pub fn new<S: AsRef<str>>(names: &[S]) -> Self {
        let names = names.iter().map(|name| words(name.as_ref()).join(" ")).filter(|name| !name.is_empty());
        Wake { names: names.collect() }
    }

    /// Returns the text after the wake phrase at its beginning, or `None` without one. "Hey reachy, look left" gives "look
    /// left", and "hey reachy" an empty text.
    #[must_use]
    pub fn spot(&self, text: &str) -> Option<String> {
        // Skip fillers such as "um" or "so".
        let spans = spans(text);
        (0..spans.len().min(4)).find_map(|position| {
            let heard = |offset: usize| spans.get(position + offset).map(|(word, _)| word.as_str());
            let is_called = heard(0).is_some_and(|word| WAKE_VARIANTS.contains(&word));
            let (name_at, first) = if is_called { (1, heard(1)?) } else { (0, heard(0)?) };
            let taken = self.name(first, heard(name_at + 1), is_called)?;
            // A bare name is a wake phrase only at the very beginning.
            if !is_called && position > 0 {
                return None;
            }
            let end = spans.get(position + name_at + taken - 1)?.1;
            let rest = text.get(end..)?.trim_start_matches(|c: char| !c.is_alphanumeric());
            Some(rest.trim().to_owned())
        })
    }

    /// Returns how many words at this position form the name.
    fn name(&self, first: &str, second: Option<&str>, is_called: bool) -> Option<usize> {
        let joined = second.map(|second| format!("{first}{second}"));
        if let Some(joined) = &joined
            && is_called
            && ["reache", "reachy", "reachie", "richie", "reachi", "reachhe", "reachme"]
                .contains(&joined.as_str())
        {
            return Some(2);
        }
        if first == "reachy" || (is_called && NAME_VARIANTS.contains(&first)) {
            return Some(1);
        }
        self.names.iter().find_map(|name| {
            let count = name.split(' ').count();
            let heard = match (count, second) {
                (1, _) => first.to_owned(),
                (2, Some(second)) => format!("{first} {second}"),
                _ => return None,
            };
            (heard == *name || (is_called && phonetic_similarity(&heard, name) > 0.9)).then_some(count)
        })
    }
}

/// Splits a text into words, each with the byte offset of its end.
fn spans(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut word = String::new();
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if !word.is_empty() {
            found.push((std::mem::take(&mut word), at));
        }
    }
    if !word.is_empty() {
        found.push((word, text.len()));
    }
    found
}

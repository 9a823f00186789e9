//! Corrects a transcript with the vocabulary of commands ([`Vocabulary`]).

use std::collections::BTreeSet;

use super::phonetic_similarity::phonetic_similarity;
use super::words;

/// Minimum similarity for replacing one word.
const MIN_SIMILARITY: f64 = 0.74;
/// Minimum similarity for replacing two words with one.
const MIN_PAIR_SIMILARITY: f64 = 0.82;

/// Words that are never replaced, because they are common around commands.
const COMMON: &str = "a about above after again all also am an and any are as at be been but by can could did do does down each \
    for from get go good great had has have he hello help her here hey hi him his hold how i if in into is it its just know like \
    made make me mine more much must my need new nice no not now of off ok okay old on once one or other our out over own please \
    put really right said say see she should so some something such sure tell than thank thanks that the their them then there \
    these they thing think this those time times to today told too two under until up us very want was way we well were what when \
    where which while who why will with would yes yet you your yourself zero three four five six seven eight nine ten eleven \
    twelve fifteen twenty thirty forty fifty sixty ninety hundred degrees degree seconds second minutes minute half quarter";

/// Errors of Moonshine tiny that spelling does not explain, observed with synthetic voices: output and actual word.
const KNOWN_ERRORS: [(&str, &str); 14] = [
    ("gnaw", "nod"),
    ("not", "nod"),
    ("knowed", "nod"),
    ("tilled", "tilt"),
    ("till", "tilt"),
    ("tail", "tilt"),
    ("lick", "look"),
    ("luck", "look"),
    ("lock", "look"),
    ("waive", "wave"),
    ("weak", "wake"),
    ("weight", "wait"),
    ("fees", "freeze"),
    ("hall", "halt"),
];

/// A closed vocabulary.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    known: BTreeSet<String>,
    common: BTreeSet<&'static str>,
}

/// A corrected text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// The words, in lower case and without punctuation.
    pub text: String,
    /// Replacements: original and new word.
    pub taken: Vec<(String, String)>,
}

impl Vocabulary {
    /// Creates a vocabulary from the words of these phrases.
    pub fn new<S: AsRef<str>>(phrases: impl IntoIterator<Item = S>) -> Self {
        let known = phrases.into_iter().flat_map(|phrase| words(phrase.as_ref())).collect();
        Vocabulary { known, common: COMMON.split_whitespace().collect() }
    }

    /// Replaces unknown words, or pairs of them, with similar-sounding words of the vocabulary.
    ///
    /// Words without a similar one stay. Known and common words stay too, with one exception: a known recognition error at the
    /// beginning of a part that is followed by a command word. So "not twice" is corrected, but "not now" is not.
    #[must_use]
    pub fn repair(&self, text: &str) -> Repair {
        let heard = words(text);
        let mut repair = Repair::default();
        let mut said: Vec<String> = Vec::new();
        let mut position = 0;
        while let Some(word) = heard.get(position) {
            let begins =
                said.last().is_none_or(|before| ["then", "and", "please", "now"].contains(&before.as_str()));
            position += 1;
            if self.known.contains(word) {
                said.push(word.clone());
                continue;
            }
            let pair = heard.get(position).map(|next| format!("{word}{next}"));
            let for_two = pair.as_ref().and_then(|pair| {
                let next = heard.get(position)?;
                if self.known.contains(next) {
                    return None;
                }
                self.nearest(pair, MIN_PAIR_SIMILARITY)
            });
            if let Some(known) = for_two {
                repair.taken.push((pair.unwrap_or_default(), known.clone()));
                said.push(known);
                position += 1;
                continue;
            }
            let taken = if self.common.contains(word.as_str()) {
                let is_followed = heard
                    .get(position)
                    .is_some_and(|next| self.known.contains(next) && !self.common.contains(next.as_str()));
                (begins && is_followed).then(|| self.known_error(word)).flatten()
            } else {
                self.known_error(word).or_else(|| self.nearest(word, MIN_SIMILARITY))
            };
            if let Some(known) = taken {
                repair.taken.push((word.clone(), known.clone()));
                said.push(known);
            } else {
                said.push(word.clone());
            }
        }
        repair.text = said.join(" ");
        repair
    }

    fn known_error(&self, word: &str) -> Option<String> {
        KNOWN_ERRORS
            .iter()
            .find(|(wrote, said)| *wrote == word && self.known.contains(*said))
            .map(|(_, said)| (*said).to_owned())
    }

    fn nearest(&self, word: &str, min_similarity: f64) -> Option<String> {
        // "Don't" must never become "down".
        if word.chars().count() < 3 || word.contains('\'') || word.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        self.known
            .iter()
            .filter(|known| known.chars().count() >= 3 && !self.common.contains(known.as_str()))
            .map(|known| (known, phonetic_similarity(word, known)))
            .filter(|(_, alike)| *alike >= min_similarity)
            .max_by(|one, other| one.1.total_cmp(&other.1))
            .map(|(known, _)| known.clone())
    }
}

/// Returns the word-level similarity of two texts, from 0 to 1.
#[must_use]
pub fn similarity(one: &[String], other: &[String]) -> f64 {
    match one.len().max(other.len()) {
        0 => 0.0,
        longest => 1.0 - distance(one, other) / longest as f64,
    }
}

/// Returns the edit distance in words. Replacing a word with a similar-sounding one costs less than 1.
fn distance(one: &[String], other: &[String]) -> f64 {
    let mut row: Vec<f64> = (0..=other.len()).map(|number| number as f64).collect();
    for (number, word) in one.iter().enumerate() {
        let mut next = vec![number as f64 + 1.0];
        for (position, said) in other.iter().enumerate() {
            let changed =
                row.get(position).copied().unwrap_or(f64::MAX) + 1.0 - phonetic_similarity(word, said);
            let left_out = row.get(position + 1).copied().unwrap_or(f64::MAX) + 1.0;
            let put_in = next.last().copied().unwrap_or(f64::MAX) + 1.0;
            next.push(changed.min(left_out).min(put_in));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0.0)
}

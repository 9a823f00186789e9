//! The words that commands are made of, and a transcript mended by them.

use std::collections::BTreeSet;

use super::sound::alike;
use super::words;

/// How much alike a word has to sound to be taken for another.
const ENOUGH: f64 = 0.74;
/// The same for two words that are taken for one.
const ENOUGH_FOR_TWO: f64 = 0.82;

/// Words that are never taken for others, because people say them around a command.
const COMMON: &str = "a about above after again all also am an and any are as at be been but by can could did do does down each \
    for from get go good great had has have he hello help her here hey hi him his hold how i if in into is it its just know like \
    made make me mine more much must my need new nice no not now of off ok okay old on once one or other our out over own please \
    put really right said say see she should so some something such sure tell than thank thanks that the their them then there \
    these they thing think this those time times to today told too two under until up us very want was way we well were what when \
    where which while who why will with would yes yet you your yourself zero three four five six seven eight nine ten eleven \
    twelve fifteen twenty thirty forty fifty sixty ninety hundred degrees degree seconds second minutes minute half quarter";

/// Slips of Moonshine tiny that letters do not explain, as heard of synthetic voices: what it wrote, and what was said.
const SLIPS: [(&str, &str); 14] = [
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

/// A text after it was mended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// The words, in small letters and without punctuation.
    pub text: String,
    /// What was taken for what.
    pub taken: Vec<(String, String)>,
}

impl Vocabulary {
    /// All words of these phrases.
    pub fn new<S: AsRef<str>>(phrases: impl IntoIterator<Item = S>) -> Self {
        let known = phrases.into_iter().flat_map(|phrase| words(phrase.as_ref())).collect();
        Vocabulary { known, common: COMMON.split_whitespace().collect() }
    }

    /// Takes words that are not known for those that sound like them, one for one or one for two; what sounds like nothing
    /// stays. A word that is known, or that people say around commands, is never touched, unless the model is known to
    /// write it for a command at the beginning of a part, and a word of commands follows: "not twice", but not "not now".
    #[must_use]
    pub fn repair(&self, text: &str) -> Repair {
        let heard = words(text);
        let mut repair = Repair::default();
        let mut said: Vec<String> = Vec::new();
        let mut place = 0;
        while let Some(word) = heard.get(place) {
            let begins =
                said.last().is_none_or(|before| ["then", "and", "please", "now"].contains(&before.as_str()));
            place += 1;
            if self.known.contains(word) {
                said.push(word.clone());
                continue;
            }
            let pair = heard.get(place).map(|next| format!("{word}{next}"));
            let for_two = pair.as_ref().and_then(|pair| {
                let next = heard.get(place)?;
                if self.known.contains(next) {
                    return None;
                }
                self.nearest(pair, ENOUGH_FOR_TWO)
            });
            if let Some(known) = for_two {
                repair.taken.push((pair.unwrap_or_default(), known.clone()));
                said.push(known);
                place += 1;
                continue;
            }
            let taken = if self.common.contains(word.as_str()) {
                let is_followed = heard
                    .get(place)
                    .is_some_and(|next| self.known.contains(next) && !self.common.contains(next.as_str()));
                (begins && is_followed).then(|| self.slip(word)).flatten()
            } else {
                self.slip(word).or_else(|| self.nearest(word, ENOUGH))
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

    fn slip(&self, word: &str) -> Option<String> {
        SLIPS
            .iter()
            .find(|(wrote, said)| *wrote == word && self.known.contains(*said))
            .map(|(_, said)| (*said).to_owned())
    }

    fn nearest(&self, word: &str, enough: f64) -> Option<String> {
        // "Don't" is never taken for "down".
        if word.chars().count() < 3 || word.contains('\'') || word.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        self.known
            .iter()
            .filter(|known| known.chars().count() >= 3 && !self.common.contains(known.as_str()))
            .map(|known| (known, alike(word, known)))
            .filter(|(_, alike)| *alike >= enough)
            .max_by(|one, other| one.1.total_cmp(&other.1))
            .map(|(known, _)| known.clone())
    }
}

/// How alike two texts are word by word, from 0 to 1.
#[must_use]
pub fn likeness(one: &[String], other: &[String]) -> f64 {
    match one.len().max(other.len()) {
        0 => 0.0,
        longest => 1.0 - distance(one, other) / longest as f64,
    }
}

/// How many words two texts are apart; words that sound alike are less than one apart.
fn distance(one: &[String], other: &[String]) -> f64 {
    let mut row: Vec<f64> = (0..=other.len()).map(|number| number as f64).collect();
    for (number, word) in one.iter().enumerate() {
        let mut next = vec![number as f64 + 1.0];
        for (place, said) in other.iter().enumerate() {
            let changed = row.get(place).copied().unwrap_or(f64::MAX) + 1.0 - alike(word, said);
            let left_out = row.get(place + 1).copied().unwrap_or(f64::MAX) + 1.0;
            let put_in = next.last().copied().unwrap_or(f64::MAX) + 1.0;
            next.push(changed.min(left_out).min(put_in));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0.0)
}

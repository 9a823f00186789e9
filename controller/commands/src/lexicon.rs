//! The words of each language, read from `lexicon/*.yaml`: what a phrase means.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use serde::Deserialize;

use crate::concept::Concept;
use crate::keys::concepts;
use crate::phrases::{KnownPhrase, MeaningIndex, Phrases, PhrasesBuilder};
use crate::sound;
use crate::words::{Word, split};

/// A file of a lexicon.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The language's code: `en`.
    code: String,
    /// The language's name in itself.
    name: String,
    /// Whether an apostrophe ends a word.
    #[serde(default)]
    elisions: bool,
    /// Whether units stand before tens in one word, joined by this: `und` in German.
    #[serde(default)]
    units_before_tens: Option<String>,
    /// Whether "left" after "antenna" belongs to it: "antenne gauche".
    #[serde(default)]
    side_follows_part: bool,
    /// Whether "not" stands after the verb that it negates: "tourne pas la tête".
    #[serde(default)]
    not_follows_verb: bool,
    /// Verbs that say how something is: "is".
    #[serde(default)]
    states: Vec<String>,
    /// How adverbs of manner end: "gracefully".
    #[serde(default)]
    manner: Option<String>,
    /// Words before an order that follows from what was told: "so".
    #[serde(default)]
    so: Vec<String>,
    /// Verbs of orders for which this robot has no motion: "sing", "open".
    #[serde(default)]
    other_orders: Vec<String>,
    /// How speech and photos are ordered.
    #[serde(default)]
    speech: Speech,
    /// Everyday words for tools, by their names; under `verbs`, what may stand before them.
    #[serde(default)]
    tools: BTreeMap<String, Vec<String>>,
    /// What people say to be polite: `thanks` and `greeting`.
    #[serde(default)]
    courtesies: BTreeMap<String, Vec<String>>,
    /// Questions about what the camera shows, by what they ask for.
    #[serde(default)]
    sights: BTreeMap<String, Vec<String>>,
    /// Pairs of letters of a script without spaces, "頭头 點点": the first one reads as the second one.
    #[serde(default)]
    variants: String,
    /// How words are typed in haste or by ear: `u` for "you".
    #[serde(default)]
    spellings: BTreeMap<String, String>,
    /// A word that is said between the digits of a number and means something else elsewhere: "point".
    #[serde(default)]
    decimal: Option<String>,
    /// The phrases of each concept.
    words: BTreeMap<String, Vec<String>>,
}

/// How speech and photos are ordered in a language. English has its own in the grammar of conversations.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Speech {
    /// Verbs before what is to be said: "sag".
    pub verbs: Vec<String>,
    /// What may stand before such a verb in its clause: "und dann".
    pub before: Vec<String>,
    /// What may stand between the verb and what is to be said: "laut".
    pub introductions: Vec<String>,
    /// What is a gesture after the verb, or refers to something: "ja", "das".
    pub refused: Vec<String>,
    /// What joins what is said with the next order: "und dann".
    pub joints: Vec<String>,
    /// Orders to take a photo, which say more than a verb and a noun: "fotografier mich".
    pub photos: Vec<String>,
    /// Verbs before a photo: "mach", "mach bitte".
    photo_verbs: Vec<String>,
    /// What is made after such a verb: "ein Foto".
    photo_nouns: Vec<String>,
    /// Orders of one more photo, after one was taken: "noch eins".
    pub more_photos: Vec<String>,
}

impl Speech {
    /// Returns whether a word means a photo.
    pub(crate) fn is_photo(&self, word: &str) -> bool {
        self.photo_nouns.iter().any(|noun| noun.split(' ').next_back() == Some(word))
    }

    /// Returns it with each order of a photo as one phrase.
    fn with_photos(mut self) -> Self {
        let pairs =
            self.photo_verbs.iter().flat_map(|verb| self.photo_nouns.iter().map(move |noun| (verb, noun)));
        // Chinese writes them without a space.
        let joint =
            |verb: &str| if verb.is_ascii() || verb.chars().all(|c| c < '\u{2e80}') { " " } else { "" };
        let phrases: Vec<String> = pairs.map(|(verb, noun)| format!("{verb}{}{noun}", joint(verb))).collect();
        self.photos.extend(phrases);
        self
    }
}

/// The key of the verbs among the tools of a language's file.
const VERBS: &str = "verbs";

/// What marks a phrase that means its tool only after a verb: "angry" may also tell how somebody feels.
const AFTER_A_VERB: char = '+';

/// Everyday words for tools, or for questions, in one language.
#[derive(Debug, Default)]
pub(crate) struct Everyday {
    /// What may stand before them.
    pub(crate) verbs: Vec<Vec<String>>,
    /// What they are called.
    pub(crate) phrases: Vec<EverydayPhrase>,
}

/// Everyday words for one tool or question.
#[derive(Debug)]
pub(crate) struct EverydayPhrase {
    pub(crate) words: Vec<String>,
    /// The name of the tool or question.
    pub(crate) name: String,
    /// Whether a verb has to stand before them.
    pub(crate) needs_verb: bool,
}

impl Everyday {
    /// Reads the phrases of each tool; `words` splits one.
    fn new(mut file: BTreeMap<String, Vec<String>>, words: impl Fn(&str) -> Vec<String>) -> Everyday {
        let verbs = file.remove(VERBS).unwrap_or_default().iter().map(|verb| words(verb)).collect();
        let mut read = Vec::new();
        for (name, phrases) in file {
            read.extend(phrases.iter().map(|phrase| EverydayPhrase {
                words: words(phrase.trim_start_matches(AFTER_A_VERB)),
                name: name.clone(),
                needs_verb: phrase.starts_with(AFTER_A_VERB),
            }));
        }
        Everyday { verbs, phrases: read }
    }
}

/// The words of one language.
#[derive(Debug)]
pub struct Lexicon {
    /// The language's code: `en`.
    pub code: String,
    /// The language's name in itself.
    pub name: String,
    /// Whether an apostrophe ends a word.
    pub has_elisions: bool,
    /// Whether "left" after "antenna" belongs to it.
    pub side_follows_part: bool,
    /// Whether "not" stands after the verb that it negates.
    pub not_follows_verb: bool,
    /// A word that is said between the digits of a number and means something else elsewhere.
    pub decimal: Option<String>,
    /// The single words that mean something that moves, with how they sound, once they were needed.
    sounds: OnceLock<Vec<Sounding>>,
    units_before_tens: Option<String>,
    /// Verbs that say how something is: "the floor is wet".
    states: Vec<String>,
    other_orders: Vec<String>,
    /// How speech and photos are ordered.
    pub speech: Speech,
    /// Everyday words for tools.
    pub(crate) everyday: Everyday,
    /// Questions about what the camera shows.
    pub(crate) sights: Everyday,
    manner: Option<String>,
    /// The words of what people say to be polite, by what it is.
    pub(crate) courtesies: Vec<(Courtesy, Vec<String>)>,
    pub(crate) so: Vec<String>,
    variants: HashMap<String, String>,
    phrases: Phrases,
}

/// A word with how it sounds.
#[derive(Debug)]
pub(crate) struct Sounding {
    pub word: Box<str>,
    pub sound: Box<[char]>,
    pub meaning: MeaningIndex,
}

/// What an adverb of manner has before its ending at least: nouns such as "family" and "moment" have less.
const SHORTEST_STEM: usize = 5;

/// So many words of no importance may stand between the words of a phrase.
const MOST_JUMPED: usize = 4;

/// The files by the language's code; the first language is taken where two fit equally.
const FILES: [(&str, &str); 6] = [
    ("en", include_str!("../lexicon/en.yaml")),
    ("de", include_str!("../lexicon/de.yaml")),
    ("fr", include_str!("../lexicon/fr.yaml")),
    ("es", include_str!("../lexicon/es.yaml")),
    ("it", include_str!("../lexicon/it.yaml")),
    ("zh", include_str!("../lexicon/zh.yaml")),
];

/// What people say to be polite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Courtesy {
    /// "Thank you".
    Thanks,
    /// "Hello".
    Greeting,
}

/// The languages that were needed so far; a file is read when it is needed first.
static LEXICONS: [OnceLock<Option<Lexicon>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

/// Returns all languages, the ones that are read already and the others as they come.
pub fn lexicons() -> impl Iterator<Item = &'static Lexicon> {
    LEXICONS
        .iter()
        .zip(FILES)
        .filter_map(|(lexicon, (_, file))| lexicon.get_or_init(|| Lexicon::read(file).ok()).as_ref())
}

/// Returns the language with a code, or English.
#[must_use]
pub fn lexicon(code: &str) -> Option<&'static Lexicon> {
    let at = FILES.iter().position(|(known, _)| *known == code).unwrap_or(0);
    let (place, (_, file)) = LEXICONS.get(at).zip(FILES.get(at))?;
    place.get_or_init(|| Lexicon::read(file).ok()).as_ref()
}

impl Lexicon {
    /// Reads a lexicon.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(yaml: &str) -> Result<Lexicon, String> {
        let file: File = serde_yaml::from_str(yaml).map_err(|error| error.to_string())?;
        let mut phrases = PhrasesBuilder::default();
        let pairs = file.variants.split_whitespace().filter_map(|pair| {
            let mut letters = pair.chars();
            Some((letters.next()?.to_string(), letters.next()?.to_string()))
        });
        let variants: HashMap<String, String> = pairs.chain(file.spellings).collect();
        for (key, own) in &file.words {
            let meaning =
                concepts(key).ok_or_else(|| format!("{}: no concept is called \"{key}\"", file.code))?;
            let meaning = phrases.meaning(meaning);
            for phrase in own {
                let words = usual_words(phrase, file.elisions, &variants);
                if words.is_empty() {
                    return Err(format!("{}: an empty phrase for \"{key}\"", file.code));
                }
                phrases.add(&words, meaning).map_err(|_two| {
                    format!("{}: \"{phrase}\" has two meanings, one is \"{key}\"", file.code)
                })?;
            }
        }
        let words = |phrase: &str| usual_words(phrase, file.elisions, &variants);
        let polite = |(kind, own): (&String, &Vec<String>)| -> Vec<(Courtesy, Vec<String>)> {
            let kind = if kind == "thanks" { Courtesy::Thanks } else { Courtesy::Greeting };
            own.iter().map(|phrase| (kind, words(phrase))).collect()
        };
        let courtesies = file.courtesies.iter().flat_map(polite).collect();
        let everyday = Everyday::new(file.tools, words);
        let sights = Everyday::new(file.sights, words);
        Ok(Lexicon {
            code: file.code,
            name: file.name,
            has_elisions: file.elisions,
            side_follows_part: file.side_follows_part,
            not_follows_verb: file.not_follows_verb,
            decimal: file.decimal,
            sounds: OnceLock::new(),
            units_before_tens: file.units_before_tens,
            states: file.states,
            other_orders: file.other_orders,
            speech: file.speech.with_photos(),
            everyday,
            sights,
            manner: file.manner,
            so: file.so,
            courtesies,
            variants,
            phrases: phrases.build(),
        })
    }

    /// Returns whether a word says how something is.
    pub(crate) fn tells_a_state(&self, word: &Word) -> bool {
        self.states.contains(&word.text)
    }

    /// Returns whether an order for which this robot has no motion may begin with a word.
    pub(crate) fn is_other_order(&self, word: &str) -> bool {
        self.other_orders.iter().any(|order| order == word)
    }

    /// Returns whether a word that stands in no list says how something is done: "gracefully".
    pub(crate) fn is_manner(&self, word: &str) -> bool {
        let stem = self.manner.as_deref().and_then(|ending| word.strip_suffix(ending));
        stem.is_some_and(|stem| stem.chars().count() >= SHORTEST_STEM)
    }

    /// Returns the single words that mean something that moves, with how they sound.
    pub(crate) fn sounds(&self) -> &[Sounding] {
        self.sounds.get_or_init(|| {
            let taken = self.phrases.singles().filter(|(_, meaning)| sound::is_taken(self.meaning(*meaning)));
            let sounds = taken.map(|(word, meaning)| Sounding {
                word: word.into(),
                sound: sound::of(word).into(),
                meaning,
            });
            sounds.collect()
        })
    }

    /// Returns the concepts of a meaning.
    pub(crate) fn meaning(&self, meaning: MeaningIndex) -> &[Concept] {
        self.phrases.concepts(meaning)
    }

    /// Returns the words of a text, each in its usual form.
    #[must_use]
    pub fn words(&self, text: &str) -> Vec<Word> {
        let usual = |word: Word| Word { text: self.shortened(usual_form(word.text, &self.variants)), ..word };
        split(text, self.has_elisions).into_iter().map(usual).collect()
    }

    /// "Sloooowly": a letter that is written three times or more stands once or twice in the word that is meant.
    fn shortened(&self, word: String) -> String {
        let letters: Vec<char> = word.chars().collect();
        let is_long = letters
            .windows(3)
            .any(|run| run.first().is_some_and(|first| run.iter().all(|letter| letter == first)));
        if !is_long || self.phrases.single(&word).is_some() {
            return word;
        }
        let with_runs_of = |most: usize| {
            let mut out: Vec<char> = Vec::new();
            for letter in &letters {
                if !out.iter().rev().take(most).all(|before| before == letter) || out.len() < most {
                    out.push(*letter);
                }
            }
            out.into_iter().collect::<String>()
        };
        let known = |word: &String| self.phrases.single(word).is_some();
        [with_runs_of(1), with_runs_of(2)].into_iter().find(known).unwrap_or(word)
    }

    /// Returns the longest phrase with which these words begin: what it means, and how many words it takes. Between the
    /// words of a phrase may stand words of no importance: "wach doch bitte mal auf".
    #[must_use]
    pub fn longest(&self, words: &[Word]) -> Option<(Vec<Concept>, usize)> {
        let first = words.first()?;
        if let Some(number) = first.number {
            return Some((vec![Concept::Number(number)], 1));
        }
        let mut best: Option<(KnownPhrase<'_>, usize)> = None;
        // Words of no importance may stand before the second word of a phrase.
        let seconds = words.iter().skip(1).take(1 + MOST_JUMPED);
        for second in seconds.map(|word| word.text.as_str()).chain([""]) {
            for phrase in self.phrases.beginning(&first.text, second) {
                if best.is_some_and(|(longer, _)| phrase.length < longer.length) {
                    break;
                }
                let Some(used) = self.matched(phrase, words) else { continue };
                if best.is_none_or(|(longer, fewest)| phrase.length > longer.length || used < fewest) {
                    best = Some((phrase, used));
                }
            }
        }
        best.map(|(phrase, used)| (self.phrases.concepts(phrase.meaning).to_vec(), used))
    }

    /// Returns how many words a phrase takes, with the words of no importance between its own.
    fn matched(&self, phrase: KnownPhrase<'_>, words: &[Word]) -> Option<usize> {
        let mut used = 0;
        let mut jumped = 0;
        for one in phrase.words() {
            loop {
                let word = words.get(used)?;
                used += 1;
                if word.number.is_none() && one == word.text {
                    break;
                }
                jumped += 1;
                if used == 1 || jumped > MOST_JUMPED || !self.is_skipped(word) {
                    return None;
                }
            }
        }
        Some(used)
    }

    fn is_skipped(&self, word: &Word) -> bool {
        matches!(self.phrases.single(&word.text), Some([Concept::Skip]))
    }

    /// Returns the number that a compound word is, units before tens.
    #[must_use]
    pub fn compound(&self, word: &Word) -> Option<f64> {
        let joint = self.units_before_tens.as_deref()?;
        let value = |text: &str| match self.phrases.single(text)? {
            [Concept::Number(number)] => Some(*number),
            _ => None,
        };
        word.text.match_indices(joint).find_map(|(at, _)| {
            let units = value(word.text.get(..at)?)?;
            let tens = value(word.text.get(at + joint.len()..)?)?;
            (units < 10.0 && tens >= 20.0).then_some(units + tens)
        })
    }
}

/// Returns the words of a phrase, each in the form that stands for all its variants.
fn usual_words(phrase: &str, has_elisions: bool, variants: &HashMap<String, String>) -> Vec<String> {
    split(phrase, has_elisions).into_iter().map(|word| usual_form(word.text, variants)).collect()
}

/// Returns the form of a word that stands for all its variants.
fn usual_form(word: String, variants: &HashMap<String, String>) -> String {
    variants.get(&word).cloned().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read() {
        for (code, file) in FILES {
            let _each_key_once: serde_yaml::Value = serde_yaml::from_str(file).unwrap();
            let lexicon = Lexicon::read(file).unwrap();
            assert!(lexicon.code == code && lexicon.phrases.len() > 100, "{code}");
        }
    }
}

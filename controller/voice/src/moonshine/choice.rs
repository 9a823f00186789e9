//! Which of a list of sentences a sound is, as the model itself judges: it may only say what is on the list, and how likely
//! that is is compared with what it would have said freely. For commands this understands voices and noise in which the words
//! alone are lost.

use std::collections::HashMap;
use std::rc::Rc;

use ort::value::DynValue;

use super::{BEGIN, END, Moonshine, Seen, Tokens, WHAT, prepared};
use crate::VoiceFault;
use crate::commands::words;
use crate::transcriber::Transcript;

/// How many beginnings are followed at once.
const BREADTH: usize = 5;

/// Sentences to choose from: a tree of tokens.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// What may follow: token and node.
    next: Vec<(i64, usize)>,
    /// Where a word from here leads.
    words: HashMap<String, usize>,
    /// The sentence that ends here.
    sentence: Option<String>,
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The sentence, as it stands on the list.
    pub sentence: String,
    /// How likely the model finds each piece of it, from 0 to 1: the geometric mean.
    pub confidence: f32,
}

/// Below this a sentence was not said, whatever else was.
const LEAST: f32 = 0.1;
/// How much less sure than of what was understood freely the model may be.
const BESIDE_FREE: f32 = 0.2;

impl Choice {
    /// Whether the sentence was meant, beside what was understood freely of the same sound.
    #[must_use]
    pub fn is_meant(&self, freely: &Transcript) -> bool {
        self.confidence >= LEAST.max(BESIDE_FREE * freely.confidence)
    }
}

/// A beginning that is followed.
struct Path {
    node: usize,
    token: i64,
    likely: f32,
    length: usize,
    remembered: Vec<Rc<DynValue>>,
}

impl Choices {
    fn grow(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    fn lead(&mut self, from: usize, token: i64, to: usize) {
        if let Some(node) = self.nodes.get_mut(from)
            && !node.next.contains(&(token, to))
        {
            node.next.push((token, to));
        }
    }

    /// The node behind a word, which may be written in several ways.
    fn word(&mut self, from: usize, word: &str, ways: &[Vec<i64>]) -> usize {
        let known = self.nodes.get(from).and_then(|node| node.words.get(word));
        if let Some(&known) = known {
            return known;
        }
        let behind = self.grow();
        if let Some(node) = self.nodes.get_mut(from) {
            node.words.insert(word.to_owned(), behind);
        }
        for way in ways {
            let Some((last, before)) = way.split_last() else { continue };
            let mut at = from;
            for &token in before {
                let within = self.grow();
                self.lead(at, token, within);
                at = within;
            }
            self.lead(at, *last, behind);
        }
        behind
    }

    /// The tree of these sentences, written as the model writes: with a capital letter and a mark at the end, and without;
    /// numbers in letters and in digits.
    fn of<S: AsRef<str>>(tokens: &Tokens, sentences: impl IntoIterator<Item = S>) -> Self {
        let mut choices = Choices::default();
        let root = choices.grow();
        for sentence in sentences {
            let sentence = sentence.as_ref();
            let mut at = root;
            for (place, word) in words(sentence).iter().enumerate() {
                let mut written = if place == 0 { capital(word) } else { word.clone() };
                let mut ways = tokens.ways(&format!(" {written}"));
                if let Some((_, digits)) = NUMBERS.iter().find(|(number, _)| number == word) {
                    ways.extend(tokens.ways(&format!(" {digits}")));
                }
                if place > 0 && sentence.contains(&format!("{word},")) {
                    ways.extend(ways.clone().into_iter().filter_map(|mut way| {
                        way.push(*tokens.ways(",").first()?.first()?);
                        Some(way)
                    }));
                    written.push(',');
                }
                at = choices.word(at, &written, &ways);
            }
            let end = choices.grow();
            choices.lead(at, END, end);
            for mark in [".", "!", "?"] {
                let behind = choices.word(at, mark, &tokens.ways(mark));
                choices.lead(behind, END, end);
            }
            if let Some(node) = choices.nodes.get_mut(end) {
                node.sentence = Some(sentence.to_owned());
            }
        }
        choices
    }
}

/// Numbers, as a model may write them.
const NUMBERS: [(&str, &str); 18] = [
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("eighty", "80"),
    ("ninety", "90"),
    ("hundred", "100"),
];

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

impl Moonshine {
    /// Prepares sentences to choose from.
    pub fn choices<S: AsRef<str>>(&self, sentences: impl IntoIterator<Item = S>) -> Choices {
        Choices::of(&self.tokens, sentences)
    }

    /// The likeliest of the sentences for samples of [`crate::HEARD_RATE`]; none when there are none to choose from. It is for
    /// the caller to compare its confidence with that of what was understood freely.
    ///
    /// # Errors
    /// When the model fails.
    pub fn choose(&mut self, samples: &[f32], choices: &Choices) -> Result<Option<Choice>, VoiceFault> {
        self.follow(samples, choices).map_err(|error| VoiceFault::failed(WHAT, error))
    }

    fn follow(&mut self, samples: &[f32], choices: &Choices) -> Result<Option<Choice>, ort::Error> {
        let heard = prepared(samples);
        let mask = vec![1_i64; heard.len()];
        let seen = Seen { states: self.encode(&heard, &mask)?, mask: &mask };
        let mut paths =
            vec![Path { node: 0, token: BEGIN, likely: 0.0, length: 0, remembered: self.nothing()? }];
        let mut best: Option<(f32, usize)> = None;
        while !paths.is_empty() {
            let mut longer: Vec<Path> = Vec::new();
            for path in paths {
                let Some(node) = choices.nodes.get(path.node) else { continue };
                let (logits, kept) = self.step(&seen, path.token, path.length == 0, &path.remembered)?;
                let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let all = largest + logits.iter().map(|logit| (logit - largest).exp()).sum::<f32>().ln();
                for &(token, next) in &node.next {
                    let Some(logit) = usize::try_from(token).ok().and_then(|token| logits.get(token)) else {
                        continue;
                    };
                    let (likely, length) = (path.likely + logit - all, path.length + 1);
                    let mean = likely / length as f32;
                    if token == END {
                        if best.is_none_or(|(known, _)| mean > known) {
                            best = Some((mean, next));
                        }
                    } else {
                        longer.push(Path { node: next, token, likely, length, remembered: kept.clone() });
                    }
                }
            }
            longer.sort_by(|one, other| other.likely.total_cmp(&one.likely));
            longer.truncate(BREADTH);
            paths = longer;
        }
        Ok(best.and_then(|(mean, node)| {
            let sentence = choices.nodes.get(node)?.sentence.clone()?;
            Some(Choice { sentence, confidence: mean.exp() })
        }))
    }
}

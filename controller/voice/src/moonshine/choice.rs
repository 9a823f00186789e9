//! Which of a list of sentences a sound is, as the model itself judges: it may only say what is on the list, and how likely
//! that is is compared with what it would have said freely. For commands this understands voices and noise in which the words
//! alone are lost.

use std::rc::Rc;

use ort::value::DynValue;

use super::{BEGIN, END, Moonshine, Seen, Tokens, WHAT, prepared};
use crate::VoiceFault;

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

/// A beginning that is followed.
struct Path {
    node: usize,
    token: i64,
    likely: f32,
    length: usize,
    remembered: Vec<Rc<DynValue>>,
}

impl Choices {
    fn add(&mut self, tokens: &[i64], sentence: &str) {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut at = 0;
        for &token in tokens.iter().chain(&[END]) {
            let known = self.nodes.get(at).and_then(|node| node.next.iter().find(|(next, _)| *next == token));
            at = if let Some((_, node)) = known {
                *node
            } else {
                let added = self.nodes.len();
                self.nodes.push(Node::default());
                if let Some(node) = self.nodes.get_mut(at) {
                    node.next.push((token, added));
                }
                added
            };
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.sentence = Some(sentence.to_owned());
        }
    }

    /// The tree of these sentences, written as the model writes: with a capital letter and a full stop, and without.
    fn of<S: AsRef<str>>(tokens: &Tokens, sentences: impl IntoIterator<Item = S>) -> Self {
        let mut choices = Choices::default();
        for sentence in sentences {
            let sentence = sentence.as_ref();
            let mut letters = sentence.chars();
            let capital: String =
                letters.next().into_iter().flat_map(char::to_uppercase).chain(letters.clone()).collect();
            for mark in [".", "", "!", "?"] {
                choices.add(&tokens.of_text(&format!("{capital}{mark}")), sentence);
            }
        }
        choices
    }
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

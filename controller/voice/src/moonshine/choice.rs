//! Constrained decoding: chooses the command that a sound most likely is ([`Choices`]).
//!
//! The model may only produce listed commands, and the probability is compared with that of free decoding. This works for
//! voices and noise in which free decoding fails. Commands may follow one another, after an optional wake phrase.

use std::collections::HashMap;
use std::rc::Rc;

use ort::value::DynValue;

use super::{
    BEGIN_TOKEN, END_TOKEN, Encoded, Moonshine, Tokens, WHAT, log_probability, max_tokens, pad_or_truncate,
};
use crate::VoiceError;
use crate::commands::{similarity, words};
use crate::transcriber::{Choice, Transcript};

/// Beam width.
const BEAM_WIDTH: usize = 5;
/// Number of commands, those most similar to the free transcript, that are scored in addition.
const NEAREST: usize = 8;
/// Weight of the similarity against the log probability.
const SIMILARITY_WEIGHT: f32 = 2.0;

/// What the model writes between two commands.
const CONJUNCTIONS: [&str; 6] = [" and then", " and", " then", ", and then", ", and", ", then"];

/// Log penalty for each further command. Without it, a long sequence of short commands would fit any noise.
const COMMAND_PENALTY: f32 = 3.0;

/// Commands to choose from: a graph of tokens in which each path from the root to the end is a valid utterance.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    nodes: Vec<Node>,
    /// Each command on its own.
    sentences: Vec<Command>,
}

/// A command on its own.
#[derive(Clone, Debug)]
struct Command {
    sentence: String,
    /// Its tokenizations.
    ways: Vec<Vec<i64>>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// Log penalty for entering this node.
    penalty: f32,
    /// Outgoing edges: token and node.
    next: Vec<(i64, usize)>,
    /// Node after each word.
    words: HashMap<String, usize>,
}

/// A hypothesis of the beam search.
struct Path {
    node: usize,
    said: Vec<i64>,
    likely: f32,
    cache: Vec<Rc<DynValue>>,
}

impl Choices {
    fn add_node(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    fn add_edge(&mut self, from: usize, token: i64, to: usize) {
        if let Some(node) = self.nodes.get_mut(from)
            && !node.next.contains(&(token, to))
        {
            node.next.push((token, to));
        }
    }

    /// Connects two nodes by each of these token sequences.
    fn ways(&mut self, from: usize, ways: &[Vec<i64>], to: usize) {
        for way in ways {
            let Some((last, before)) = way.split_last() else { continue };
            let mut at = from;
            for &token in before {
                let within = self.add_node();
                self.add_edge(at, token, within);
                at = within;
            }
            self.add_edge(at, *last, to);
        }
    }

    /// Returns the node after a word, which may have several tokenizations.
    fn word(&mut self, from: usize, word: &str, ways: &[Vec<i64>]) -> usize {
        let known = self.nodes.get(from).and_then(|node| node.words.get(word));
        if let Some(&known) = known {
            return known;
        }
        let behind = self.add_node();
        if let Some(node) = self.nodes.get_mut(from) {
            node.words.insert(word.to_owned(), behind);
        }
        self.ways(from, ways, behind);
        behind
    }

    /// Returns the node after a sentence. The first letter may be a capital, and numbers may be words or digits.
    fn sentence(&mut self, tokens: &Tokens, from: usize, sentence: &[String], is_first: bool) -> usize {
        let mut at = from;
        for (position, word) in sentence.iter().enumerate() {
            let tokenize = if position == 0 && is_first { capitalize(word) } else { word.clone() };
            let mut ways = tokens.ways(&format!(" {tokenize}"));
            if let Some((_, digits)) = NUMBERS.iter().find(|(number, _)| number == word) {
                ways.extend(tokens.ways(&format!(" {digits}")));
            }
            at = self.word(at, &tokenize, &ways);
        }
        at
    }

    /// Builds the graph: commands with and without each wake phrase, and sentences that stand alone.
    fn of<S: AsRef<str>>(tokens: &Tokens, calls: &[S], sentences: &[S], alone: &[S]) -> Self {
        let mut choices = Choices::default();
        let (root, called, going_on, end) =
            (choices.add_node(), choices.add_node(), choices.add_node(), choices.add_node());
        let conjunctions: Vec<Vec<i64>> =
            CONJUNCTIONS.iter().filter_map(|conjunction| tokenize(tokens, conjunction)).collect();
        let marks: Vec<Vec<i64>> = [".", "!", "?"].iter().filter_map(|mark| tokenize(tokens, mark)).collect();
        let commas: Vec<Vec<i64>> = tokenize(tokens, ",").into_iter().collect();
        let ended = choices.add_node();
        choices.add_edge(ended, END_TOKEN, end);
        if let Some(node) = choices.nodes.get_mut(going_on) {
            node.penalty = COMMAND_PENALTY;
        }
        for call in calls {
            let names: Vec<String> = words(call.as_ref()).iter().map(|word| capitalize(word)).collect();
            let behind = choices.sentence(tokens, root, &names, false);
            choices.add_edge(behind, END_TOKEN, end);
            choices.ways(behind, &marks, ended);
            choices.ways(behind, &commas, called);
        }
        let both = sentences.iter().chain(alone).map(|sentence| words(sentence.as_ref()));
        choices.sentences = both
            .map(|sentence| Command {
                sentence: sentence.join(" "),
                ways: tokenize_sentence(tokens, &sentence),
            })
            .collect();
        for sentence in sentences {
            let sentence = words(sentence.as_ref());
            for (from, is_first) in [(root, true), (called, false), (going_on, false)] {
                let behind = choices.sentence(tokens, from, &sentence, is_first);
                choices.add_edge(behind, END_TOKEN, end);
                choices.ways(behind, &marks, ended);
                choices.ways(behind, &conjunctions, going_on);
            }
        }
        for sentence in alone {
            let sentence = words(sentence.as_ref());
            for (from, is_first) in [(root, true), (called, false)] {
                let behind = choices.sentence(tokens, from, &sentence, is_first);
                choices.add_edge(behind, END_TOKEN, end);
                choices.ways(behind, &marks, ended);
            }
        }
        choices
    }
}

/// Tokenizes a whole sentence, with numbers as words and, if it has any, also as digits.
fn tokenize_sentence(tokens: &Tokens, sentence: &[String]) -> Vec<Vec<i64>> {
    let as_digits =
        |word: &String| NUMBERS.iter().find(|(number, _)| number == word).map(|(_, digits)| *digits);
    let text = |with_digits: bool| {
        let mut text = String::new();
        for (position, word) in sentence.iter().enumerate() {
            let digits = as_digits(word).filter(|_| with_digits).map(str::to_owned);
            text.push(' ');
            text.push_str(
                &digits.unwrap_or_else(|| if position == 0 { capitalize(word) } else { word.clone() }),
            );
        }
        text
    };
    let has_numbers = sentence.iter().any(|word| as_digits(word).is_some());
    let whole = |with_digits| {
        let mut all = tokenize(tokens, &text(with_digits))?;
        all.extend(tokens.ways(".").into_iter().next()?);
        all.push(END_TOKEN);
        Some(all)
    };
    [Some(whole(false)), has_numbers.then(|| whole(true))].into_iter().flatten().flatten().collect()
}

/// Tokenizes a text word by word, with as few tokens as possible.
fn tokenize(tokens: &Tokens, text: &str) -> Option<Vec<i64>> {
    let mut all = Vec::new();
    let comma = text.strip_prefix(',');
    if comma.is_some() {
        all.extend(tokens.ways(",").into_iter().next()?);
    }
    let rest = comma.unwrap_or(text);
    if !rest.starts_with(' ') {
        all.extend(if rest.is_empty() { Vec::new() } else { tokens.ways(rest).into_iter().next()? });
        return Some(all);
    }
    for word in rest.split_whitespace() {
        all.extend(tokens.ways(&format!(" {word}")).into_iter().next()?);
    }
    Some(all)
}

/// Numbers as the model may write them.
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

fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

impl Moonshine {
    /// Prepares commands to choose from.
    ///
    /// `sentences` may follow one another, joined by "and" or "then". Each of `calls` may precede them or stand alone. A
    /// sentence of `alone` may only follow a call.
    pub fn choices<S: AsRef<str>>(&self, calls: &[S], sentences: &[S], alone: &[S]) -> Choices {
        Choices::of(&self.tokens, calls, sentences, alone)
    }

    /// Returns the most likely command for samples of [`crate::HEARD_RATE`], given their free transcript, or `None` when there
    /// are no commands.
    ///
    /// # Errors
    /// Returns an error when the model fails.
    pub fn choose(
        &mut self,
        samples: &[f32],
        freely: &Transcript,
        choices: &Choices,
    ) -> Result<Option<Choice>, VoiceError> {
        self.best_command(samples, freely, choices).map_err(|error| VoiceError::failed(WHAT, error))
    }

    fn best_command(
        &mut self,
        samples: &[f32],
        freely: &Transcript,
        choices: &Choices,
    ) -> Result<Option<Choice>, ort::Error> {
        if choices.nodes.is_empty() {
            return Ok(None);
        }
        let heard = pad_or_truncate(samples);
        let mask = vec![1_i64; heard.len()];
        let seen = Encoded { states: self.encode(&heard, &mask)?, mask: &mask };
        let followed = self.beam_search(&seen, max_tokens(samples), choices)?;
        let said = words(&freely.text);
        let alike = |sentence: &str| similarity(&said, &words(sentence)) as f32;
        let mut best = followed.map(|(mean, tokens)| {
            let sentence = words(&self.tokens.text(tokens)).join(" ");
            (mean, alike(&sentence), sentence)
        });
        let mut nearest: Vec<(f32, &Command)> =
            choices.sentences.iter().map(|command| (alike(&command.sentence), command)).collect();
        nearest.sort_by(|one, other| other.0.total_cmp(&one.0));
        for (alike, Command { sentence, ways }) in nearest.into_iter().take(NEAREST) {
            for way in ways {
                let likely = self.likelihood(&seen, way)?;
                let mean = likely.iter().sum::<f32>() / likely.len().max(1) as f32;
                let worth = |mean: f32, alike: f32| mean + SIMILARITY_WEIGHT * alike;
                if best.as_ref().is_none_or(|known| worth(mean, alike) > worth(known.0, known.1)) {
                    best = Some((mean, alike, sentence.clone()));
                }
            }
        }
        Ok(best.map(|(mean, alike, sentence)| Choice { sentence, confidence: mean.exp(), alike }))
    }

    /// Beam search: returns the mean log probability and the tokens of the best path through the graph.
    fn beam_search(
        &mut self,
        seen: &Encoded<'_>,
        most: usize,
        choices: &Choices,
    ) -> Result<Option<(f32, Vec<i64>)>, ort::Error> {
        let mut paths = vec![Path { node: 0, said: Vec::new(), likely: 0.0, cache: self.empty_cache()? }];
        let mut best: Option<(f32, Vec<i64>)> = None;
        for _ in 0..most {
            let mut longer: Vec<Path> = Vec::new();
            for path in paths {
                let Some(node) = choices.nodes.get(path.node) else { continue };
                let token = path.said.last().copied().unwrap_or(BEGIN_TOKEN);
                let (logits, next_cache) = self.step(seen, token, path.said.is_empty(), &path.cache)?;
                for &(token, next) in &node.next {
                    let penalty = choices.nodes.get(next).map_or(0.0, |node| node.penalty);
                    let likely = path.likely + log_probability(&logits, token) - penalty;
                    let mean = likely / (path.said.len() + 1) as f32;
                    let mut said = path.said.clone();
                    said.push(token);
                    if token == END_TOKEN {
                        if best.as_ref().is_none_or(|(known, _)| mean > *known) {
                            best = Some((mean, said));
                        }
                    } else {
                        longer.push(Path { node: next, said, likely, cache: next_cache.clone() });
                    }
                }
            }
            longer.sort_by(|one, other| other.likely.total_cmp(&one.likely));
            longer.truncate(BEAM_WIDTH);
            paths = longer;
            if paths.is_empty() {
                break;
            }
        }
        Ok(best)
    }
}

//! Which of a list of commands a sound is, as the model itself judges: it may only say what is on the list, and how likely that
//! is is compared with what it would have said freely. For commands this understands voices and noise in which the words alone
//! are lost. Commands may follow one another, and a call may stand before them.

use std::collections::HashMap;
use std::rc::Rc;

use ort::value::DynValue;

use super::{BEGIN, END, Moonshine, Seen, Tokens, WHAT, logarithm, most_pieces, prepared};
use crate::VoiceFault;
use crate::commands::{likeness, words};
use crate::transcriber::{Choice, Transcript};

/// How many beginnings are followed at once.
const BREADTH: usize = 5;
/// How many of the commands whose words are most like what was understood freely are looked at besides.
const NEAREST: usize = 8;
/// How much that counts beside what the sound says, logarithm.
const LIKENESS: f32 = 2.0;

/// What stands between two commands, as the model writes it.
const JOINTS: [&str; 6] = [" and then", " and", " then", ", and then", ", and", ", then"];

/// How much less likely each command more is than the sound alone says, logarithm: without it a long row of short commands fits
/// any noise.
const DOUBT: f32 = 3.0;

/// Commands to choose from: a graph of tokens, in which each way from the root to the end is something that may be said.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    nodes: Vec<Node>,
    /// Each of them by itself.
    sentences: Vec<Command>,
}

/// A command by itself.
#[derive(Clone, Debug)]
struct Command {
    sentence: String,
    /// The ways to write it.
    ways: Vec<Vec<i64>>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// How much less likely it is to come here than the sound alone says, logarithm.
    doubt: f32,
    /// What may follow: token and node.
    next: Vec<(i64, usize)>,
    /// Where a word from here leads.
    words: HashMap<String, usize>,
}

/// A beginning that is followed.
struct Path {
    node: usize,
    said: Vec<i64>,
    likely: f32,
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

    /// Leads from one node to another by each of these ways.
    fn ways(&mut self, from: usize, ways: &[Vec<i64>], to: usize) {
        for way in ways {
            let Some((last, before)) = way.split_last() else { continue };
            let mut at = from;
            for &token in before {
                let within = self.grow();
                self.lead(at, token, within);
                at = within;
            }
            self.lead(at, *last, to);
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
        self.ways(from, ways, behind);
        behind
    }

    /// The nodes behind a sentence, written with a capital letter or without, numbers in letters and in digits.
    fn sentence(&mut self, tokens: &Tokens, from: usize, sentence: &[String], is_first: bool) -> usize {
        let mut at = from;
        for (place, word) in sentence.iter().enumerate() {
            let written = if place == 0 && is_first { capital(word) } else { word.clone() };
            let mut ways = tokens.ways(&format!(" {written}"));
            if let Some((_, digits)) = NUMBERS.iter().find(|(number, _)| number == word) {
                ways.extend(tokens.ways(&format!(" {digits}")));
            }
            at = self.word(at, &written, &ways);
        }
        at
    }

    /// The graph of these commands, after each of these calls and without one, and of what is said alone.
    fn of<S: AsRef<str>>(tokens: &Tokens, calls: &[S], sentences: &[S], alone: &[S]) -> Self {
        let mut choices = Choices::default();
        let (root, called, going_on, end) = (choices.grow(), choices.grow(), choices.grow(), choices.grow());
        let joints: Vec<Vec<i64>> = JOINTS.iter().filter_map(|joint| written(tokens, joint)).collect();
        let marks: Vec<Vec<i64>> = [".", "!", "?"].iter().filter_map(|mark| written(tokens, mark)).collect();
        let commas: Vec<Vec<i64>> = written(tokens, ",").into_iter().collect();
        let ended = choices.grow();
        choices.lead(ended, END, end);
        if let Some(node) = choices.nodes.get_mut(going_on) {
            node.doubt = DOUBT;
        }
        for call in calls {
            let names: Vec<String> = words(call.as_ref()).iter().map(|word| capital(word)).collect();
            let behind = choices.sentence(tokens, root, &names, false);
            choices.lead(behind, END, end);
            choices.ways(behind, &marks, ended);
            choices.ways(behind, &commas, called);
        }
        let both = sentences.iter().chain(alone).map(|sentence| words(sentence.as_ref()));
        choices.sentences = both
            .map(|sentence| Command { sentence: sentence.join(" "), ways: tokens_of(tokens, &sentence) })
            .collect();
        for sentence in sentences {
            let sentence = words(sentence.as_ref());
            for (from, is_first) in [(root, true), (called, false), (going_on, false)] {
                let behind = choices.sentence(tokens, from, &sentence, is_first);
                choices.lead(behind, END, end);
                choices.ways(behind, &marks, ended);
                choices.ways(behind, &joints, going_on);
            }
        }
        for sentence in alone {
            let sentence = words(sentence.as_ref());
            for (from, is_first) in [(root, true), (called, false)] {
                let behind = choices.sentence(tokens, from, &sentence, is_first);
                choices.lead(behind, END, end);
                choices.ways(behind, &marks, ended);
            }
        }
        choices
    }
}

/// A whole sentence as the model writes it: numbers in letters, and in digits where there are any.
fn tokens_of(tokens: &Tokens, sentence: &[String]) -> Vec<Vec<i64>> {
    let as_digits =
        |word: &String| NUMBERS.iter().find(|(number, _)| number == word).map(|(_, digits)| *digits);
    let text = |with_digits: bool| {
        let mut text = String::new();
        for (place, word) in sentence.iter().enumerate() {
            let digits = as_digits(word).filter(|_| with_digits).map(str::to_owned);
            text.push(' ');
            text.push_str(&digits.unwrap_or_else(|| if place == 0 { capital(word) } else { word.clone() }));
        }
        text
    };
    let has_numbers = sentence.iter().any(|word| as_digits(word).is_some());
    let whole = |with_digits| {
        let mut all = written(tokens, &text(with_digits))?;
        all.extend(tokens.ways(".").into_iter().next()?);
        all.push(END);
        Some(all)
    };
    [Some(whole(false)), has_numbers.then(|| whole(true))].into_iter().flatten().flatten().collect()
}

/// The tokens of a text, word by word in the shortest way.
fn written(tokens: &Tokens, text: &str) -> Option<Vec<i64>> {
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
    /// Prepares commands to choose from. They may follow one another, joined by "and" or "then", and each call may stand
    /// before them or alone. Of the last nothing stands beside them but a call.
    pub fn choices<S: AsRef<str>>(&self, calls: &[S], sentences: &[S], alone: &[S]) -> Choices {
        Choices::of(&self.tokens, calls, sentences, alone)
    }

    /// The likeliest of the commands for samples of [`crate::HEARD_RATE`], of which this was understood freely; none when there
    /// are none to choose from.
    ///
    /// # Errors
    /// When the model fails.
    pub fn choose(
        &mut self,
        samples: &[f32],
        freely: &Transcript,
        choices: &Choices,
    ) -> Result<Option<Choice>, VoiceFault> {
        self.chosen(samples, freely, choices).map_err(|error| VoiceFault::failed(WHAT, error))
    }

    fn chosen(
        &mut self,
        samples: &[f32],
        freely: &Transcript,
        choices: &Choices,
    ) -> Result<Option<Choice>, ort::Error> {
        if choices.nodes.is_empty() {
            return Ok(None);
        }
        let heard = prepared(samples);
        let mask = vec![1_i64; heard.len()];
        let seen = Seen { states: self.encode(&heard, &mask)?, mask: &mask };
        let followed = self.follow(&seen, most_pieces(samples), choices)?;
        let said = words(&freely.text);
        let alike = |sentence: &str| likeness(&said, &words(sentence)) as f32;
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
                let worth = |mean: f32, alike: f32| mean + LIKENESS * alike;
                if best.as_ref().is_none_or(|known| worth(mean, alike) > worth(known.0, known.1)) {
                    best = Some((mean, alike, sentence.clone()));
                }
            }
        }
        Ok(best.map(|(mean, alike, sentence)| Choice { sentence, confidence: mean.exp(), alike }))
    }

    /// The likeliest way through the graph that a few beginnings lead to: the mean logarithm of its tokens, and these.
    fn follow(
        &mut self,
        seen: &Seen<'_>,
        most: usize,
        choices: &Choices,
    ) -> Result<Option<(f32, Vec<i64>)>, ort::Error> {
        let mut paths = vec![Path { node: 0, said: Vec::new(), likely: 0.0, remembered: self.nothing()? }];
        let mut best: Option<(f32, Vec<i64>)> = None;
        for _ in 0..most {
            let mut longer: Vec<Path> = Vec::new();
            for path in paths {
                let Some(node) = choices.nodes.get(path.node) else { continue };
                let token = path.said.last().copied().unwrap_or(BEGIN);
                let (logits, kept) = self.step(seen, token, path.said.is_empty(), &path.remembered)?;
                for &(token, next) in &node.next {
                    let doubt = choices.nodes.get(next).map_or(0.0, |node| node.doubt);
                    let likely = path.likely + logarithm(&logits, token) - doubt;
                    let mean = likely / (path.said.len() + 1) as f32;
                    let mut said = path.said.clone();
                    said.push(token);
                    if token == END {
                        if best.as_ref().is_none_or(|(known, _)| mean > *known) {
                            best = Some((mean, said));
                        }
                    } else {
                        longer.push(Path { node: next, said, likely, remembered: kept.clone() });
                    }
                }
            }
            longer.sort_by(|one, other| other.likely.total_cmp(&one.likely));
            longer.truncate(BREADTH);
            paths = longer;
            if paths.is_empty() {
                break;
            }
        }
        Ok(best)
    }
}

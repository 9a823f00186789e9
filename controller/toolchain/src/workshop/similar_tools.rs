//! Decides whether a requested tool exists already, by its name, by the words of its purpose, and by its meaning if a
//! model is installed.
//!
//! The search ranks the existing tools. This module decides whether the best one is similar enough to ask the person
//! first. The thresholds were chosen on `tests/cases/similar_tools.yaml`, and a test there checks the accuracy that they reach.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Number, Value};

use super::registry::{Entry, Registry, RegistryError};
use minismith_analysis::arguments::accept;

/// Number of search results that are compared.
const MAX_COMPARED: usize = 6;

/// Minimum similarity of meaning. Texts below it have another purpose, whatever words they share.
const MIN_MEANING: f32 = 0.45;

/// Minimum sum of both similarities, with a model.
const MIN_WITH_MEANING: f32 = 0.8;

/// Minimum share of common words, without a model.
const MIN_WORDS: f32 = 0.5;

/// Pairs of opposites. Two tools are not similar if one has the first word and the other has the second.
const OPPOSITES: &[(&str, &str)] = &[
    ("left", "right"),
    ("up", "down"),
    ("nod", "shake"),
    ("yes", "no"),
    ("raise", "lower"),
    ("wake", "sleep"),
    ("happy", "sad"),
    ("forward", "back"),
];

/// A tool that does nearly what was requested.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarTool {
    /// Name of the tool.
    pub name: String,
    /// Current version.
    pub version: u32,
    /// First sentence of its description.
    pub purpose: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// Whether its name or its purpose matches the request exactly.
    pub exact: bool,
    /// Whether a new version may be written: the tool is not predefined, and has one module.
    pub changeable: bool,
    /// Whether its author's text may be shown to a language model ([`Entry::is_description_shown`]).
    pub described: bool,
}

impl Registry {
    /// Returns the tool that does what was requested, or nearly. Deactivated tools do not count.
    ///
    /// # Errors
    /// Returns an error if the registry cannot be read.
    pub fn similar_tools(
        &self,
        name: &str,
        purpose: &str,
        models: &Path,
    ) -> Result<Option<SimilarTool>, RegistryError> {
        let entries = self.list()?;
        let tool = |entry: &Entry, exact: bool| {
            let others = self.texts(&entry.name, entry.version).map(|(_, others)| others);
            SimilarTool {
                name: entry.name.clone(),
                version: entry.version,
                purpose: first_sentence(&entry.description).into(),
                parameters: entry.parameters.clone(),
                exact,
                changeable: !entry.predefined && others.is_ok_and(|others| others.is_empty()),
                described: entry.is_description_shown(),
            }
        };
        let mut in_use = entries.iter().filter(|entry| entry.is_callable());
        let wanted = plain(purpose);
        let is_exact = |entry: &&Entry| {
            let same = plain(first_sentence(&entry.description)) == wanted && !wanted.is_empty();
            same || (!name.is_empty() && plain(&entry.name) == plain(name))
        };
        if let Some(entry) = in_use.clone().find(|entry| entry.name == name).or_else(|| in_use.find(is_exact))
        {
            // Nobody chose the name of a predefined tool for what is requested now: "salute" may mean another motion.
            let is_same = !entry.predefined
                || wanted.is_empty()
                || plain(first_sentence(&entry.description)) == wanted
                || similarity(purpose, &entry.name, &entry.description, None).is_some();
            return Ok(Some(tool(entry, is_same)));
        }
        let found = self.search(purpose, MAX_COMPARED, models)?;
        let near = found.results.iter().filter(|hit| hit.callable).filter_map(|hit| {
            let entry = entries.iter().find(|entry| entry.name == hit.name)?;
            let likeness = similarity(
                purpose,
                &hit.name,
                &hit.description,
                found.is_semantic_available.then_some(hit.similarity),
            );
            // So many tools are predefined that one of them is close in meaning to nearly every request: that alone is no
            // reason to ask.
            let shares_words = || similarity(purpose, &hit.name, &hit.description, None).is_some();
            likeness.filter(|_| !entry.predefined || shares_words()).map(|likeness| (entry, likeness))
        });
        let best = near.max_by(|(_, one), (_, other)| one.total_cmp(other));
        Ok(best.map(|(entry, _)| tool(entry, false)))
    }
}

/// Returns the similarity of a request and a tool, or `None` if they are not similar.
///
/// `meaning` is the similarity of their meanings. The outer `None` means that there is no model. The inner one means
/// that they are too far apart for the search.
#[must_use]
pub fn similarity(request: &str, name: &str, description: &str, meaning: Option<Option<f32>>) -> Option<f32> {
    let wanted = stems(request);
    let there = stems(&format!("{} {}", name.replace('_', " "), first_sentence(description)));
    if is_opposite(&wanted, &there) {
        return None;
    }
    let words = common_share(&wanted, &there);
    match meaning {
        None => (words >= MIN_WORDS).then_some(words),
        Some(meaning) => {
            let meaning = meaning.unwrap_or_default();
            let sum = meaning + words / 2.0;
            (meaning >= MIN_MEANING && sum >= MIN_WITH_MEANING).then_some(sum)
        }
    }
}

/// Returns the number of significant words that both texts have.
#[must_use]
pub fn shared(one: &str, other: &str) -> usize {
    stems(one).intersection(&stems(other)).count()
}

/// Returns the mean share of common words: of the words of one text, and of the other.
fn common_share(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f32 {
    let both = one.intersection(other).count() as f32;
    let all = (one.len() + other.len()).max(1) as f32;
    2.0 * both / all
}

fn is_opposite(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let only = |words: &BTreeSet<String>, a: &str, b: &str| words.contains(a) && !words.contains(b);
    OPPOSITES
        .iter()
        .any(|(a, b)| (only(one, a, b) && only(other, b, a)) || (only(one, b, a) && only(other, a, b)))
}

/// Returns the significant words of a text, without their endings.
fn stems(text: &str) -> BTreeSet<String> {
    words(text).filter(|word| !super::search::is_filler(word)).map(|word| stem(&word)).collect()
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn stem(word: &str) -> String {
    let ends =
        [("ying", "y"), ("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("ly", ""), ("s", ""), ("e", "")];
    let cut = ends.iter().find_map(|(end, instead)| {
        let rest = word.strip_suffix(end).filter(|rest| rest.len() >= 3)?;
        Some(format!("{rest}{instead}"))
    });
    let mut cut = cut.unwrap_or_else(|| word.to_owned());
    // "nodding" becomes "nod", "waving" and "wave" become "wav".
    let last: Vec<char> = cut.chars().rev().take(2).collect();
    if let [one, other] = last.as_slice()
        && one == other
        && cut.len() > 3
        && !matches!(one, 'l' | 's' | 'e' | 'o')
    {
        cut.pop();
    }
    cut
}

/// Normalises case, punctuation and filler words.
fn plain(text: &str) -> String {
    words(&text.replace('_', " "))
        .filter(|word| !super::search::is_filler(word))
        .collect::<Vec<_>>()
        .join(" ")
}

fn first_sentence(description: &str) -> &str {
    description.lines().next().unwrap_or_default()
}

/// Extracts the arguments for these parameters from a request ("5 waves", "speed 1.5"). Values that do not fit are
/// dropped.
///
/// A parameter whose count is part of the tool's own purpose ("nod 3 times") keeps its default.
#[must_use]
pub fn arguments_in(request: &str, tool: &SimilarTool) -> Map<String, Value> {
    let counted: BTreeSet<String> = words(&tool.purpose).collect();
    let said: Vec<String> = request
        .split(|c: char| !(c.is_alphanumeric() || c == '.' || c == '-'))
        .map(|word| word.trim_end_matches('.').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let number = |position: usize| said.get(position).and_then(|word| word.parse::<f64>().ok());
    let mut given = Map::new();
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten().filter(|(name, _)| !counted.contains(*name)) {
        let position = said.iter().position(|word| word == name);
        let found = position.and_then(|at| number(at + 1).or_else(|| number(at.checked_sub(1)?)));
        let value = found.and_then(|found| match schema.get("type").and_then(Value::as_str) {
            Some("integer") if found.fract() == 0.0 => Some(Value::from(found as i64)),
            Some("number") => Number::from_f64(found).map(Value::Number),
            _ => None,
        });
        given.extend(value.map(|value| (name.clone(), value)));
    }
    if accept(&tool.parameters, &given).is_ok() { given } else { Map::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn stems_ignores_word_endings() {
        assert_eq!(stems("Nods, nodded; NODDING"), stems("nod"));
        assert_eq!(stems("waves both antennas"), stems("wave both antenna"));
        assert!(stems("the of to").is_empty());
        assert_eq!(plain("nod_yes"), plain("Nod, yes!"));
    }

    #[test]
    fn similarity_rejects_opposites() {
        let alike = |request: &str| similarity(request, "look_left", "Look left by 30 degrees.", None);
        assert!(alike("look left by 20 degrees").is_some());
        assert!(alike("look right by 30 degrees").is_none());
    }

    #[test]
    fn arguments_in_extracts_named_values() {
        let tool = |purpose: &str| SimilarTool {
            name: "greet".into(),
            version: 1,
            purpose: purpose.into(),
            parameters: json!({"type": "object", "additionalProperties": false, "properties": {
                "waves": {"type": "integer", "minimum": 1, "maximum": 6},
                "speed": {"type": "number"},
            }}),
            exact: false,
            changeable: true,
            described: true,
        };
        let given = |request: &str| Value::Object(arguments_in(request, &tool("Greet somebody.")));
        assert_eq!(given("greet with 4 waves at speed 1.5."), json!({"waves": 4, "speed": 1.5}));
        assert_eq!(given("greet with 40 waves"), json!({}), "a value that does not fit is dropped");
        assert_eq!(given("greet 3 people"), json!({}));
        assert_eq!(arguments_in("greet with 4 waves", &tool("Greet with 2 waves.")), Map::new());
    }
}

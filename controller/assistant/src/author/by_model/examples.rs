//! Requests with the answers that a model should give, and the ones that are nearest to a request.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// How many examples a model gets.
const SHOWN: usize = 3;

/// A request and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Example {
    /// The request.
    pub request: &'static str,
    /// The answer, in the form that the grammar demands.
    pub answer: &'static str,
}

/// All examples.
pub(super) static EXAMPLES: LazyLock<Vec<Example>> = LazyLock::new(|| {
    let entries = include_str!("examples.txt").split("\n\n");
    entries
        .filter_map(|entry| entry.trim().split_once('\n'))
        .map(|(request, answer)| Example { request, answer })
        .collect()
});

/// How many examples contain each word.
static FREQUENCIES: LazyLock<HashMap<String, usize>> = LazyLock::new(|| {
    let mut frequencies = HashMap::new();
    for example in EXAMPLES.iter() {
        for word in words(example.request) {
            *frequencies.entry(word).or_insert(0) += 1;
        }
    }
    frequencies
});

/// Returns the examples that share most with the request, the nearest one last. Rare words count more.
pub(super) fn nearest(request: &str) -> Vec<&'static Example> {
    let asked = words(request);
    let total = EXAMPLES.len() as f64;
    let weight = |word: &String| {
        FREQUENCIES
            .get(word)
            .map_or(0.0, |count| (1.0 + total / f64::from(u32::try_from(*count).unwrap_or(1))).ln())
    };
    let mut ranked: Vec<(f64, &Example)> = EXAMPLES
        .iter()
        .map(|example| {
            let own = words(example.request);
            let shared: f64 = own.intersection(&asked).map(weight).sum();
            (shared / (1.0 + own.len() as f64).sqrt(), example)
        })
        .collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut nearest: Vec<&Example> = ranked.into_iter().take(SHOWN).map(|(_, example)| example).collect();
    nearest.reverse();
    nearest
}

/// Words of a text by their stems: "nods" and "nod" are one.
fn words(text: &str) -> HashSet<String> {
    let stem = |word: &str| {
        let word = word.to_lowercase();
        let ends = ["ing", "es", "ed", "s"];
        let cut = ends.iter().find_map(|end| word.strip_suffix(end).filter(|rest| rest.len() >= 3));
        cut.map_or_else(|| word.clone(), str::to_owned)
    };
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 2 && !COMMON.contains(&word.to_lowercase().as_str()))
        .map(stem)
        .collect()
}

/// Words that say nothing about a motion.
const COMMON: [&str; 32] = [
    "the", "and", "that", "then", "tool", "make", "with", "its", "for", "please", "create", "which",
    "called", "you", "write", "build", "your", "robot", "this", "one", "two", "three", "four", "five", "six",
    "seven", "eight", "ten", "times", "them", "once", "twice",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_example_is_about_the_same() {
        for (request, name) in [
            ("make a tool that flicks the left antenna once a second, four times", "ticks"),
            ("bow to each face that you see", "face_nods"),
            ("nods that get bigger each time, four of them", "growing_nods"),
        ] {
            let nearest = nearest(request);
            assert_eq!(nearest.len(), SHOWN);
            let names: Vec<bool> =
                nearest.iter().map(|example| example.answer.contains(&format!("name: {name}\n"))).collect();
            assert!(names.contains(&true), "{request}: {nearest:?}");
        }
    }
}

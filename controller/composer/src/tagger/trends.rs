//! How the rounds of a repetition differ: "each nod a little deeper", "harder and harder".

use super::Tagger;
use crate::tag::{Growth, Tag};

impl Tagger<'_> {
    /// "Harder and harder", "ever harder": each more than the one before.
    pub(super) fn ever_more(&self, at: usize) -> Option<(Tag, usize)> {
        let text = self.text(at);
        let used = match (text, self.text(at + 1)) {
            ("ever", next) if next.ends_with("er") => 2,
            (_, "and") if text.ends_with("er") && text == self.text(at + 2) => 3,
            _ => return None,
        };
        let word = if text == "ever" { self.text(at + 1) } else { text };
        if word.len() < 5 || matches!(word, "never" | "after" | "other" | "under" | "over" | "together") {
            return None;
        }
        Some((Tag::Grow(growth_of(word)), used))
    }

    /// "Every time higher than before", "each nod a little deeper", "quicker every time".
    pub(super) fn each_more(&self, at: usize) -> Option<(Tag, usize)> {
        let is_each = |at: usize| matches!(self.text(at), "each" | "every");
        let is_round = |at: usize| matches!(self.text(at), "time" | "one" | "round" | "go" | "turn");
        let skips = |from: usize, words: &[&str]| {
            (from..from + 4).find(|at| !words.contains(&self.text(*at))).unwrap_or(from + 4)
        };
        let (compared, end) = if is_each(at) {
            let noun = skips(at + 1, &["new", "next", "further", "following", "subsequent", "single"]);
            let noun = if self.is_trend(noun) { noun } else { noun + 1 };
            let about =
                ["is", "being", "was", "a", "bit", "little", "touch", "slightly", "even", "still", "getting"];
            let compared = skips(noun, &about);
            (compared, compared + 1)
        } else if is_each(at + 1) && is_round(at + 2) {
            (at, at + 3)
        } else {
            return None;
        };
        if !self.is_trend(compared) {
            return None;
        }
        Some((Tag::Grow(growth_of(self.text(compared))), self.end_of_comparison(end) - at))
    }

    /// Returns the end of "than the one before", if it begins here.
    fn end_of_comparison(&self, at: usize) -> usize {
        let is_before = |at: &usize| {
            matches!(self.text(*at), "before" | "last" | "previous" | "preceding" | "earlier" | "former")
        };
        if self.text(at) != "than" {
            return at;
        }
        let Some(end) = (at + 1..at + 5).find(is_before) else { return at };
        end + 1 + usize::from(matches!(self.text(end + 1), "one" | "time" | "round" | "go"))
    }

    /// Returns whether a word compares sizes or tempos.
    fn is_trend(&self, at: usize) -> bool {
        matches!(
            self.text(at),
            "bigger"
                | "larger"
                | "wider"
                | "deeper"
                | "higher"
                | "further"
                | "farther"
                | "stronger"
                | "broader"
        ) || growth_of(self.text(at)) != Growth::Bigger
    }
}

/// Returns what a comparative says of the rounds of a repetition.
fn growth_of(compared: &str) -> Growth {
    match compared {
        "faster" | "quicker" | "swifter" | "brisker" | "speedier" | "snappier" => Growth::Faster,
        "slower" | "calmer" | "lazier" => Growth::Slower,
        "smaller" | "narrower" | "weaker" | "shallower" | "softer" | "gentler" | "milder" | "tinier"
        | "shorter" | "fainter" | "subtler" | "finer" | "lighter" => Growth::Smaller,
        _ => Growth::Bigger,
    }
}

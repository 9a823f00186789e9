//! How much is told of what stands in a foreign file.

/// Names (columns, keys) that are told of one file at most.
pub(super) const MOST_NAMES: usize = 100;

/// Characters of one of them that are told at most.
const LONGEST_NAME: usize = 200;

/// A part of a foreign text that is short enough to be told.
pub(super) fn short(text: &str) -> String {
    text.chars().take(LONGEST_NAME).collect()
}

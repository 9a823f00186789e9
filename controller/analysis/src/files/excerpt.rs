//! Limits how much of a foreign file is quoted.

/// Maximum number of names (columns, keys) that are quoted from one file.
pub(super) const MAX_NAMES: usize = 100;

/// Maximum length of a quoted name, in characters.
const MAX_NAME_LENGTH: usize = 200;

/// Returns the part of a foreign text that is short enough to quote.
pub(super) fn short(text: &str) -> String {
    text.chars().take(MAX_NAME_LENGTH).collect()
}

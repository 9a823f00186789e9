//! Numbers as text, in the source and for people.

use crate::score::Number;

/// The largest number in a source.
const MAX_NUMBER: f64 = 10_000.0;
/// The smallest number in a source, besides zero.
const MIN_NUMBER: f64 = 1e-3;

/// Returns whether a number can be written without a sign and without an exponent.
pub(crate) fn is_plain_number(value: f64) -> bool {
    (value == 0.0 && value.is_sign_positive()) || (MIN_NUMBER..=MAX_NUMBER).contains(&value)
}

/// Returns a number as it is written in a source: `20`, `0.5`.
pub(crate) fn format_number(value: f64) -> String {
    format!("{value}")
}

/// Returns a measured number for people: at most one decimal.
pub(crate) fn rounded(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    // Minus zero is zero.
    format!("{}", tenths + 0.0)
}

/// Returns a text with its first letter in upper case.
#[must_use]
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Returns how often something happened: "once", "twice", "3 times".
pub(crate) fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    }
}

/// Joins items as a person does: "a, b and c".
pub(crate) fn join_and(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

impl Number {
    /// Returns the number as it is written in a source.
    #[must_use]
    pub fn source(&self) -> String {
        match self {
            Number::Value(value) => format_number(*value),
            Number::Parameter(name) => name.clone(),
            Number::Product(factor, name) => format!("{} * {name}", format_number(*factor)),
            // A ramp has no ramps inside, and a wrong one is shown only in part.
            Number::Ramp(first, last) => format!("ramp({}, {})", end_source(first), end_source(last)),
        }
    }
}

fn end_source(end: &Number) -> String {
    match end {
        Number::Ramp(..) => "ramp(...)".to_owned(),
        other => other.source(),
    }
}

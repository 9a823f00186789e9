//! The result of a check in words, and the limits that checks hold numbers to.

use std::fmt;

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether the motion does what the check says.
    pub is_held: bool,
    /// What the check expects.
    pub expected: String,
    /// What was measured.
    pub measured: String,
}

impl Finding {
    /// Creates a finding.
    #[must_use]
    pub fn new(is_held: bool, expected: impl Into<String>, measured: impl Into<String>) -> Finding {
        Finding { is_held, expected: expected.into(), measured: measured.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, measured {}", self.expected, self.measured)
    }
}

/// The range that a number has to lie in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The smallest permitted number.
    pub at_least: Option<f64>,
    /// The largest permitted number.
    pub at_most: Option<f64>,
}

impl Limits {
    /// Creates limits.
    #[must_use]
    pub fn new(at_least: Option<f64>, at_most: Option<f64>) -> Limits {
        Limits { at_least, at_most }
    }

    /// Returns whether a number lies in the range.
    #[must_use]
    pub fn contains(&self, number: f64) -> bool {
        self.at_least.is_none_or(|least| number >= least) && self.at_most.is_none_or(|most| number <= most)
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.at_least, self.at_most) {
            (Some(least), Some(most)) => write!(f, "{least} to {most}"),
            (Some(least), None) => write!(f, "at least {least}"),
            (None, Some(most)) => write!(f, "at most {most}"),
            (None, None) => f.write_str("any"),
        }
    }
}

//! The rules as data: id, verdict, reason, advice, and a good and a bad example each.
//!
//! Reading order: [`source`] (the bytes), [`reach`] (what a tool could get hold of), [`shape`] (what makes a tool
//! callable), [`conduct`] (how it behaves). An example is a function body, with its imports in front; one that
//! defines `def example` itself is a whole tool. `<byte FF>`, `<U+202E>` and `<80 (>` (that character, eighty times)
//! stand for what should not be printed.

pub mod conduct;
pub mod reach;
pub mod shape;
pub mod source;

#[cfg(test)]
mod examples;

use std::fmt;
use std::sync::LazyLock;

use serde::Serialize;
use utoipa::ToSchema;

use super::super::finding::{Finding, Verdict};

/// Raised by one whenever a rule or an allow-list changes its meaning: tools admitted under another version are
/// rehearsed again.
pub const RULES_VERSION: u32 = 2;

/// One rule of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rule {
    /// What findings, cases and people call it.
    pub id: &'static str,
    /// What follows when it is broken.
    pub verdict: Verdict,
    /// Why it exists.
    pub reason: &'static str,
    /// What to do instead.
    pub advice: &'static str,
    /// An example that keeps it.
    pub good: &'static str,
    /// An example that breaks it.
    pub bad: &'static str,
}

impl Rule {
    /// A finding of this rule: `what` is there, on `line`; the hint is the rule's advice.
    #[must_use]
    pub fn at(&self, line: u32, what: impl Into<String>) -> Finding {
        self.hinted(line, what, self.advice)
    }

    /// A finding of this rule with a hint of its own.
    #[must_use]
    pub fn hinted(&self, line: u32, what: impl Into<String>, hint: impl Into<String>) -> Finding {
        Finding {
            rule: self.id.into(),
            module: None,
            line,
            verdict: self.verdict,
            reason: what.into(),
            hint: hint.into(),
        }
    }
}

/// One rule as a paragraph, for people.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { id, verdict, reason, advice, good, bad } = self;
        writeln!(f, "{id} ({})", verdict.word())?;
        writeln!(f, "  why:  {reason}")?;
        writeln!(f, "  do:   {advice}")?;
        for (name, example) in [("good", good), ("bad", bad)] {
            for (place, line) in example.lines().enumerate() {
                let name = if place == 0 { format!("{name}:") } else { String::new() };
                writeln!(f, "  {name:5} {line}")?;
            }
        }
        Ok(())
    }
}

/// Every rule, in reading order.
#[must_use]
pub fn rules() -> &'static [Rule] {
    static ALL: LazyLock<Vec<Rule>> =
        LazyLock::new(|| [source::RULES, reach::RULES, shape::RULES, conduct::RULES].concat());
    &ALL
}

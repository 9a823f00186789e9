//! The rules as data: id, verdict, reason, advice, and a good and a bad example each.
//!
//! Reading order: [`source`] (the bytes), [`name_access`] (what a tool could get access to), [`shape`] (what
//! makes a tool callable), [`resource_use`] (how it behaves).
//!
//! An example is a function body with its imports in front. One that defines `def example` itself is a
//! whole tool. `<byte FF>`, `<U+202E>` and `<80 (>` (that character, eighty times) replace characters that
//! should not be printed.

pub mod name_access;
pub mod resource_use;
pub mod shape;
pub mod source;

#[cfg(test)]
mod examples;

use std::fmt;
use std::sync::LazyLock;

use serde::Serialize;
use utoipa::ToSchema;

use super::super::finding::{Finding, Verdict};

/// Version of the rules. Raise it by one when a rule or an allow-list changes its meaning: tools registered
/// under another version are rehearsed again.
pub const RULES_VERSION: u32 = 3;

/// One rule of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rule {
    /// The id by which findings, test cases and people refer to it.
    pub id: &'static str,
    /// The consequence of breaking it.
    pub verdict: Verdict,
    /// Why the rule exists.
    pub reason: &'static str,
    /// What to do instead.
    pub advice: &'static str,
    /// An example that follows it.
    pub good: &'static str,
    /// An example that breaks it.
    pub bad: &'static str,
}

impl Rule {
    /// Returns a finding of this rule on `line`. `what` describes the code; the hint is the rule's advice.
    #[must_use]
    pub fn at(&self, line: u32, what: impl Into<String>) -> Finding {
        self.hinted(line, what, self.advice)
    }

    /// Returns a finding of this rule with a specific hint.
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

/// Formats a rule as a paragraph for people.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { id, verdict, reason, advice, good, bad } = self;
        writeln!(f, "{id} ({})", verdict.word())?;
        writeln!(f, "  why:  {reason}")?;
        writeln!(f, "  do:   {advice}")?;
        for (name, example) in [("good", good), ("bad", bad)] {
            for (position, line) in example.lines().enumerate() {
                let name = if position == 0 { format!("{name}:") } else { String::new() };
                writeln!(f, "  {name:5} {line}")?;
            }
        }
        Ok(())
    }
}

/// Returns every rule, in reading order.
#[must_use]
pub fn rules() -> &'static [Rule] {
    static ALL: LazyLock<Vec<Rule>> =
        LazyLock::new(|| [source::RULES, name_access::RULES, shape::RULES, resource_use::RULES].concat());
    &ALL
}

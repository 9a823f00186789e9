//! Findings about a tool: one rule, one line and one verdict each.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The consequence of a finding. The most severe one decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Advice without any consequence.
    #[serde(rename = "admit")]
    Pass,
    /// A person must approve the tool before its first run on real motors.
    #[serde(rename = "ask")]
    NeedsApproval,
    /// The tool is rejected.
    #[serde(rename = "refuse")]
    Reject,
}

impl Verdict {
    /// Returns the verdict as written in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "admit",
            Verdict::NeedsApproval => "ask",
            Verdict::Reject => "refuse",
        }
    }
}

/// One finding about a tool, for its author: a person or a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The rule's id, such as `dunder-attribute`.
    pub rule: String,
    /// The module of a toolkit that contains it; none means the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// The line of the source, from 1.
    pub line: u32,
    /// The consequence.
    pub verdict: Verdict,
    /// What the code contains.
    pub reason: String,
    /// What to do instead.
    pub hint: String,
}

impl Finding {
    /// Returns the finding with another module than the main one.
    #[must_use]
    pub fn within(self, module: &str) -> Self {
        Finding { module: Some(module.to_owned()), ..self }
    }
}

/// A finding with the place of its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The finding.
    pub finding: Finding,
    /// The offset in the source at which the code begins, in bytes; none if only the line is known.
    pub offset: Option<usize>,
}

impl From<Finding> for Located {
    fn from(finding: Finding) -> Self {
        Located { finding, offset: None }
    }
}

/// Returns the most severe verdict of `findings`; no findings mean acceptance.
#[must_use]
pub fn most_severe(findings: &[Finding]) -> Verdict {
    findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Pass)
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(module) = &self.module {
            write!(f, "{module}.py, ")?;
        }
        write!(f, "line {}: {} [{}]; {}", self.line, self.reason, self.rule, self.hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(verdict: Verdict) -> Finding {
        Finding { rule: "x".into(), module: None, line: 3, verdict, reason: "r".into(), hint: "h".into() }
    }

    #[test]
    fn the_most_severe_verdict_wins() {
        assert_eq!(most_severe(&[]), Verdict::Pass);
        assert_eq!(
            most_severe(&[finding(Verdict::NeedsApproval), finding(Verdict::Pass)]),
            Verdict::NeedsApproval
        );
        assert_eq!(
            most_severe(&[finding(Verdict::Reject), finding(Verdict::NeedsApproval)]),
            Verdict::Reject
        );
    }

    #[test]
    fn findings_round_trip_through_json() {
        let json = serde_json::to_value(finding(Verdict::NeedsApproval)).unwrap();
        assert_eq!(json["verdict"], "ask");
        assert_eq!(serde_json::from_value::<Finding>(json).unwrap(), finding(Verdict::NeedsApproval));
    }
}

//! The last step before a tool is accepted: it combines code, findings and report into one verdict.
//!
//! Without a model the rules alone decide, and the manifest says so.

use std::collections::{BTreeMap, BTreeSet};

use super::rehearsal::{CaseResult, RehearsalOptions, Rehearsed};
use firmware_bridge::motion_log::LoggedCycle;
use minismith_analysis::finding::{Finding, Verdict, most_severe};
use minismith_analysis::manifest::{Budget, Capability, Evidence, Example, Provenance, Review, ToolManifest};
use minismith_analysis::submission::Declared;

/// A tool that may enter the registry. Only [`review`] creates one.
#[derive(Debug)]
pub struct Reviewed {
    source: String,
    others: Option<BTreeMap<String, String>>,
    manifest: ToolManifest,
    cycles: Vec<LoggedCycle>,
    cases: Vec<CaseResult>,
    conditions: RehearsalOptions,
}

impl Reviewed {
    /// Returns the exact source.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the other modules of a toolkit.
    #[must_use]
    pub const fn others(&self) -> Option<&BTreeMap<String, String>> {
        self.others.as_ref()
    }

    /// Returns the manifest.
    #[must_use]
    pub const fn manifest(&self) -> &ToolManifest {
        &self.manifest
    }

    /// Returns every cycle of the rehearsal's first case, for the image and the recording.
    #[must_use]
    pub fn cycles(&self) -> &[LoggedCycle] {
        &self.cycles
    }

    /// Adds the opinion of another reviewer, who can only be stricter than the rules.
    #[must_use]
    pub fn reviewed_by(mut self, reviewer: &str, risks: Vec<String>, ask: bool) -> Self {
        self.manifest.review.by = format!("rules, then {reviewer}");
        self.manifest.review.risks.extend(risks);
        self.manifest.needs_approval |= ask;
        self
    }

    /// Returns the results of the rehearsed calls.
    #[must_use]
    pub fn cases(&self) -> &[CaseResult] {
        &self.cases
    }

    /// Returns the conditions of the rehearsal.
    #[must_use]
    pub const fn conditions(&self) -> &RehearsalOptions {
        &self.conditions
    }
}

/// Reviews a rehearsed tool by the rules.
///
/// # Errors
/// Returns the findings if one of them refuses the tool. Policy and rehearsal refuse earlier, but a model may refuse
/// here.
pub fn review(
    rehearsed: &Rehearsed,
    declared: &Declared,
    origin: Provenance,
    conditions: &RehearsalOptions,
) -> Result<Reviewed, Vec<Finding>> {
    let findings = rehearsed.findings().to_vec();
    if most_severe(&findings) == Verdict::Reject {
        return Err(findings);
    }
    let vetted = rehearsed.vetted();
    let foreign = origin.is_foreign();
    let mut manifest = vetted.manifest(origin);
    let first = rehearsed.cases().first();
    let first = first.map(|case| Example { function: None, arguments: case.arguments.clone() });
    manifest.examples = declared.examples.clone();
    if manifest.examples.is_empty() {
        manifest.examples.extend(first);
    }
    manifest.test_cases = declared.test_cases.clone();
    manifest.expects = declared.expects.clone();
    manifest.capabilities = rehearsed.capabilities();
    manifest.verified_range = rehearsed.verified_ranges().clone();
    manifest.budget = Budget { robot_time_s: conditions.robot_time_s, limits: conditions.guest };
    manifest.needs_approval = foreign || most_severe(&findings) == Verdict::NeedsApproval;
    manifest.findings = findings;
    manifest.report = Some(rehearsed.report().clone());
    manifest.evidence = Evidence { tools: rehearsed.tools(), ..conditions.evidence() };
    manifest.review = Review { by: "rules".into(), risks: risks(&rehearsed.capabilities()) };
    Ok(Reviewed {
        source: vetted.draft().source().to_owned(),
        others: vetted.draft().others().cloned(),
        manifest,
        cycles: rehearsed.cycles().to_vec(),
        cases: rehearsed.cases().to_vec(),
        conditions: conditions.clone(),
    })
}

fn risks(capabilities: &BTreeSet<Capability>) -> Vec<String> {
    let mut risks = Vec::new();
    if capabilities.contains(&Capability::Motors) {
        risks.push("switches motors: the head may fall when it is up".into());
    }
    if capabilities.contains(&Capability::Camera) {
        risks.push("reads the camera".into());
    }
    if capabilities.contains(&Capability::Microphone) {
        risks.push("listens to the microphones".into());
    }
    risks
}

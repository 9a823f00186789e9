//! The whole check of a tool: policy, rehearsal, review. It registers nothing.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rehearsal::{Cage, CaseResult, Conditions, NoRehearsal, rehearse};
use super::review::{Admissible, review};
use minismith_analysis::draft::Draft;
use minismith_analysis::finding::Finding;
use minismith_analysis::policy;
use minismith_analysis::report::{PhysicalReport, with_old_names};
use minismith_analysis::samples;
use minismith_analysis::submission::{Declared, Submission};

/// The last step that a tool reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Refused by the policy.
    Policy,
    /// Refused because of its behaviour on the simulated robot.
    Rehearsal,
    /// Refused by the reviewer.
    Review,
    /// Accepted.
    #[serde(rename = "admitted")]
    Admitted,
}

/// The result of a tool's check.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Checked {
    /// Name of the tool, or the file's stem if it has none.
    pub name: String,
    /// Whether it may be registered.
    #[serde(rename = "admitted")]
    pub admitted: bool,
    /// Whether a person must confirm before its first run on real motors.
    pub needs_approval: bool,
    /// The last step: the layer that refused it, or `admitted`.
    #[serde(rename = "stage")]
    pub stage: Layer,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Measurements, if a rehearsal ran.
    #[serde(serialize_with = "with_old_names")]
    #[schema(value_type = Option<Object>)]
    pub report: Option<PhysicalReport>,
    /// Rehearsed calls.
    pub cases: Vec<CaseResult>,
}

/// Progress of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checking {
    /// Name of the tool.
    pub tool: String,
    /// Current step.
    pub stage: Layer,
    /// Number of rehearsed calls.
    pub done: usize,
    /// Total number of calls. 0 while it is unknown.
    pub of: usize,
}

/// Checks a tool with policy, rehearsal and review. `watch` receives the progress.
///
/// # Errors
/// Returns an error only if no rehearsal can run here. A refused tool is not an error.
pub fn check(
    submission: &Submission,
    cage: &dyn Cage,
    conditions: &Conditions,
    watch: &mut dyn FnMut(Checking),
) -> Result<(Checked, Option<Admissible>), NoRehearsal> {
    let Submission { name: stem, declared, origin, .. } = submission;
    let refused = |name: &str, stage, findings, report, cases| {
        let checked = Checked {
            name: name.into(),
            admitted: false,
            needs_approval: false,
            stage,
            findings,
            report,
            cases,
        };
        Ok((checked, None))
    };
    let mut at = |tool: &str, stage, done, of| watch(Checking { tool: tool.into(), stage, done, of });
    at(stem, Layer::Policy, 0, 0);
    let draft = match Draft::of(submission) {
        Ok(draft) => draft,
        Err(findings) => return refused(stem, Layer::Policy, findings, None, Vec::new()),
    };
    let vetted = match policy::vet(draft) {
        Ok(vetted) => vetted,
        Err(no) => return refused(stem, Layer::Policy, no.into_findings(), None, Vec::new()),
    };
    let name = vetted.name().to_owned();
    let test_cases = match samples::embed(&vetted, &declared.test_cases, declared.folder.as_deref()) {
        Ok(tests) => tests,
        Err(finding) => return refused(&name, Layer::Rehearsal, vec![finding], None, Vec::new()),
    };
    let declared = &Declared { test_cases, ..declared.clone() };
    let mut rehearsed = |done, of| at(&name, Layer::Rehearsal, done, of);
    let rehearsed = match rehearse(vetted, declared, cage, conditions, &mut rehearsed)? {
        Ok(rehearsed) => rehearsed,
        Err(no) => return refused(&name, Layer::Rehearsal, no.findings, no.report, no.cases),
    };
    let report = Some(rehearsed.report().clone());
    let cases = rehearsed.cases().to_vec();
    at(&name, Layer::Review, cases.len(), cases.len());
    match review(&rehearsed, declared, origin.clone(), conditions) {
        Ok(admissible) => {
            let findings = rehearsed.findings().to_vec();
            let needs_approval = admissible.manifest().needs_approval;
            let stage = Layer::Admitted;
            let checked = Checked { name, admitted: true, needs_approval, stage, findings, report, cases };
            Ok((checked, Some(admissible)))
        }
        Err(findings) => refused(&name, Layer::Review, findings, report, cases),
    }
}

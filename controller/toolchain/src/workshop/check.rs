//! The whole way of a tool through the workshop: policy, rehearsal, review. Registers nothing.

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

/// How far a tool came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Refused as it was read.
    Policy,
    /// Refused for what it did on the mock.
    Rehearsal,
    /// Refused by the reviewer.
    Review,
    /// Nothing refused it.
    #[serde(rename = "admitted")]
    Admitted,
}

/// What the workshop says of one tool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Checked {
    /// The tool's name; the file's stem when it has none.
    pub name: String,
    /// Whether it may be registered.
    #[serde(rename = "admitted")]
    pub admitted: bool,
    /// Whether a person confirms before its first performance on real motors.
    pub needs_approval: bool,
    /// How far it came: the layer that refused it, or `admitted`.
    #[serde(rename = "stage")]
    pub stage: Layer,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What was measured, if it came to that.
    #[serde(serialize_with = "with_old_names")]
    #[schema(value_type = Option<Object>)]
    pub report: Option<PhysicalReport>,
    /// The calls that were rehearsed.
    pub cases: Vec<CaseResult>,
}

/// How far a check is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checking {
    /// The tool's name.
    pub tool: String,
    /// Who reads it now.
    pub stage: Layer,
    /// Calls that were rehearsed.
    pub done: usize,
    /// How many there are in all; 0 while that is not known.
    pub of: usize,
}

/// Takes a tool through policy, rehearsal and review; `watch` hears how far it is.
///
/// # Errors
/// Only when no rehearsal can be held here; a refused tool is data.
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

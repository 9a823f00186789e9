//! The whole check of a tool: policy, rehearsal, review. It registers nothing.

use firmware_bridge::motion_log::LoggedCycle;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rehearsal::{CaseResult, GuestStarter, RehearsalError, RehearsalOptions, rehearse};
use super::review::{Reviewed, review};
use minismith_analysis::draft::Draft;
use minismith_analysis::finding::Finding;
use minismith_analysis::policy;
use minismith_analysis::report::{PhysicalReport, with_old_names};
use minismith_analysis::samples;
use minismith_analysis::submission::{Declared, Submission};
use minismith_score::expects::Measured;

/// The last step that a tool reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckPhase {
    /// Refused by the policy.
    Policy,
    /// Refused because of its behaviour on the simulated robot.
    Rehearsal,
    /// Refused by the reviewer.
    Review,
    /// Accepted.
    #[serde(rename = "admitted")]
    Accepted,
}

/// The result of a tool's check.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Checked {
    /// Name of the tool, or the file's stem if it has none.
    pub name: String,
    /// Whether it may be registered.
    #[serde(rename = "admitted")]
    pub accepted: bool,
    /// Whether a person must confirm before its first run on real motors.
    pub needs_approval: bool,
    /// The last step: the layer that refused it, or `accepted`.
    #[serde(rename = "stage")]
    pub phase: CheckPhase,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Measurements, if a rehearsal ran.
    #[serde(serialize_with = "with_old_names")]
    #[schema(required)]
    pub report: Option<PhysicalReport>,
    /// Rehearsed calls.
    pub cases: Vec<CaseResult>,
    /// What was measured of the expectations about the motion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<Measured>,
    /// Motion of the default call of a tool that did not pass its rehearsal.
    #[serde(skip)]
    pub rejected_motion: Vec<LoggedCycle>,
}

/// Progress of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckProgress {
    /// Name of the tool.
    pub tool: String,
    /// Current step.
    #[serde(rename = "stage")]
    pub phase: CheckPhase,
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
    sandbox: &dyn GuestStarter,
    conditions: &RehearsalOptions,
    watch: &mut dyn FnMut(CheckProgress),
) -> Result<(Checked, Option<Reviewed>), RehearsalError> {
    let Submission { name: stem, declared, origin, .. } = submission;
    let refused = |name: &str, context, findings, report, cases, expectations| {
        let checked = Checked {
            name: name.into(),
            accepted: false,
            needs_approval: false,
            phase: context,
            findings,
            report,
            cases,
            expectations,
            rejected_motion: Vec::new(),
        };
        Ok((checked, None))
    };
    let mut at =
        |tool: &str, context, done, of| watch(CheckProgress { tool: tool.into(), phase: context, done, of });
    at(stem, CheckPhase::Policy, 0, 0);
    let draft = match Draft::of(submission) {
        Ok(draft) => draft,
        Err(findings) => return refused(stem, CheckPhase::Policy, findings, None, Vec::new(), Vec::new()),
    };
    let vetted = match policy::vet(draft) {
        Ok(vetted) => vetted,
        Err(no) => {
            return refused(stem, CheckPhase::Policy, no.into_findings(), None, Vec::new(), Vec::new());
        }
    };
    let name = vetted.name().to_owned();
    let test_cases = match samples::embed(&vetted, &declared.test_cases, declared.folder.as_deref()) {
        Ok(tests) => tests,
        Err(finding) => {
            return refused(&name, CheckPhase::Rehearsal, vec![finding], None, Vec::new(), Vec::new());
        }
    };
    let declared = &Declared { test_cases, ..declared.clone() };
    let mut rehearsed = |done, of| at(&name, CheckPhase::Rehearsal, done, of);
    let rehearsed = match rehearse(vetted, declared, sandbox, conditions, &mut rehearsed)? {
        Ok(rehearsed) => rehearsed,
        Err(no) => {
            let phase = CheckPhase::Rehearsal;
            let (checked, none) = refused(&name, phase, no.findings, no.report, no.cases, no.expectations)?;
            return Ok((Checked { rejected_motion: no.cycles, ..checked }, none));
        }
    };
    let report = Some(rehearsed.report().clone());
    let cases = rehearsed.cases().to_vec();
    let expectations = rehearsed.expectations().to_vec();
    at(&name, CheckPhase::Review, cases.len(), cases.len());
    match review(&rehearsed, declared, origin.clone(), conditions) {
        Ok(reviewed) => {
            let findings = rehearsed.findings().to_vec();
            let needs_approval = reviewed.manifest().needs_approval;
            let context = CheckPhase::Accepted;
            let checked = Checked {
                name,
                accepted: true,
                needs_approval,
                phase: context,
                findings,
                report,
                cases,
                expectations,
                rejected_motion: Vec::new(),
            };
            Ok((checked, Some(reviewed)))
        }
        Err(findings) => refused(&name, CheckPhase::Review, findings, report, cases, expectations),
    }
}

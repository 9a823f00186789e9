//! Asks the person in the conversation to approve a tool before it moves real motors.
//!
//! Only a plain yes of the person counts, through the single channel for questions. No model and no tool can
//! give it. It approves the version in question, as `minismith tool approve` does.

use super::{Conversation, ToolRunError, TurnOutcome};
use crate::agents::turn::is_yes;
use minismith_analysis::finding::Verdict;
use minismith_analysis::manifest::ToolManifest;

impl Conversation<'_> {
    /// Asks the person to approve a version of a tool, and records the approval.
    ///
    /// # Errors
    /// Returns the answer for the person when the tool is not approved, with what to do.
    pub(super) fn ask_approval(&mut self, refused: &ToolRunError) -> Result<(), (String, TurnOutcome)> {
        let ToolRunError::Approval { name, version, unproved } = refused else {
            return Err((refused.to_string(), TurnOutcome::Refused));
        };
        let not_run = |why: &str| (format!("I did not run {name}: {why}."), TurnOutcome::Refused);
        if !self.role.approves() {
            let why = format!("it needs an owner's approval, and {} has the role {}", self.person, self.role);
            return Err(not_run(&why));
        }
        let accepted = self.workshop.registry().load(name, Some(*version));
        let accepted = accepted.map_err(|error| not_run(&error.to_string()))?;
        let reply = self.ask(&question(accepted.manifest(), unproved.as_deref()));
        if self.context.is_stopped() {
            return Err(("I was stopped.".into(), TurnOutcome::Stopped));
        }
        match reply {
            None => Err(not_run(&refused.to_string())),
            Some(reply) if is_yes(&reply) => {
                match self.workshop.approve(name, Some(*version), &self.person) {
                    Ok(_) => Ok(()),
                    Err(error) => Err(not_run(&error.to_string())),
                }
            }
            Some(_) => Err(not_run(&format!(
                "you did not say yes; when you have read it (`minismith tool show {name}`), say so again or use \
                 `minismith tool approve {name}`"
            ))),
        }
    }
}

/// Returns the question for the person. Of the tool it contains only the name, the version and the findings
/// of this program's rules.
fn question(manifest: &ToolManifest, unproved: Option<&str>) -> String {
    let ToolManifest { name, version, provenance, findings, .. } = manifest;
    let origin = match (&provenance.model, provenance.author.as_str()) {
        (Some(_), _) => "was written by a model",
        (None, "offline author") => "was written by me",
        (None, _) => "was not written by me",
    };
    let asking = findings.iter().find(|finding| finding.verdict == Verdict::NeedsApproval);
    let why = asking.map(|finding| finding.reason.clone()).or(unproved.map(ToOwned::to_owned));
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    format!(
        "`{name}` v{version} {origin} and has no person's approval to move real motors yet{why}; may it? (yes or no)"
    )
}

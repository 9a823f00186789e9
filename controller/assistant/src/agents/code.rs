//! Takes tools that were written without a model through the toolchain. Rejections return to the author as data.

use minismith_contract::{Contract, Verdict};
use serde::Serialize;

use crate::author::Authored;
use minismith_analysis::manifest::{Provenance, ToolManifest};
use minismith_analysis::submission::{Declared, Submission};
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::check::{CheckProgress, Checked};
use minismith_toolchain::workshop::registry::RegistryError;
use minismith_toolchain::workshop::rehearsal::RehearsalError;

/// The result of a commission.
#[derive(Debug, Serialize)]
pub struct AuthoredTool {
    /// The tool's name.
    pub name: String,
    /// The planned steps.
    pub plan: Vec<String>,
    /// The code that was written.
    pub code: String,
    /// What the toolchain found.
    pub checked: Checked,
    /// Whether the motion does what was asked for.
    pub verdict: Verdict,
    /// What was measured of the request, in one or two lines.
    pub account: String,
    /// The manifest of the registered tool; `None` when it was rejected.
    pub registered: Option<ToolManifest>,
}

/// An error that keeps a commission from being worked on at all.
#[derive(Debug, thiserror::Error)]
pub enum AuthoringError {
    /// No execution context is available here for rehearsals.
    #[error(transparent)]
    Rehearsal(#[from] RehearsalError),
    /// The tool was accepted but could not be stored.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// Verifies the first tool, and where its motion is not what was asked for, the next one; registers the first that
/// passes. `request` is the person's own text, and the contract was read from it. `watch` receives the progress of the
/// checks. The result is about the tool that passed, or else about the last one.
///
/// # Errors
/// Fails when a tool can't be rehearsed or stored here.
pub fn commission(
    workshop: &Workshop,
    name: &str,
    first: Authored,
    others: Vec<Authored>,
    (request, contract): (&str, &Contract),
    watch: &mut dyn FnMut(CheckProgress),
) -> Result<AuthoredTool, AuthoringError> {
    let _authoring = tracing::info_span!("authoring", tool = name).entered();
    let mut tool = verify(workshop, name, first, (request, contract), watch)?;
    for other in others {
        if tool.registered.is_some() {
            break;
        }
        tool = verify(workshop, name, other, (request, contract), watch)?;
    }
    Ok(tool)
}

fn verify(
    workshop: &Workshop,
    name: &str,
    authored: Authored,
    (request, contract): (&str, &Contract),
    watch: &mut dyn FnMut(CheckProgress),
) -> Result<AuthoredTool, AuthoringError> {
    let origin = Provenance {
        author: if authored.model.is_some() { "code agent" } else { "offline author" }.into(),
        request: request.into(),
        plan: authored.plan.clone(),
        model: authored.model.clone(),
        ..Provenance::default()
    };
    let declared =
        Declared { test_cases: authored.test_cases, expects: contract.expectations(), ..Declared::default() };
    let submission = Submission::of(name, authored.source.as_bytes()).declaring(declared).from(origin);
    let (checked, reviewed) = workshop.check_watched(&submission, watch)?;
    let registered = reviewed.map(|reviewed| workshop.accept(&reviewed)).transpose()?;
    let verdict = contract.verdict(&checked.expectations).without(authored.left_out);
    let account = contract.account(&checked.expectations);
    let (plan, code) = (authored.plan, authored.source);
    Ok(AuthoredTool { name: name.into(), plan, code, checked, verdict, account, registered })
}

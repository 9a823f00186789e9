//! Writes a new tool and passes it through the toolchain. Rejections return to the author as data.

use serde::Serialize;

use crate::author;
use minismith_analysis::manifest::{Provenance, ToolManifest};
use minismith_analysis::submission::{Declared, Submission};
use minismith_nlu::Primitive;
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

/// Writes the tool, verifies it, and registers it when nothing rejects it.
///
/// The offline author writes the same code for the same request, so it has one attempt. `watch` receives the
/// progress of the check.
///
/// # Errors
/// Fails when the tool can't be rehearsed or stored here.
pub fn commission(
    workshop: &Workshop,
    name: &str,
    body: &[Primitive],
    request: &str,
    watch: &mut dyn FnMut(CheckProgress),
) -> Result<AuthoredTool, AuthoringError> {
    let _authoring = tracing::info_span!("authoring", tool = name).entered();
    let authored = author::compose(name, body, request);
    let origin = Provenance {
        author: "offline author".into(),
        request: request.into(),
        plan: authored.plan.clone(),
        ..Provenance::default()
    };
    let declared = Declared { test_cases: authored.test_cases, ..Declared::default() };
    let submission = Submission::of(name, authored.source.as_bytes()).declaring(declared).from(origin);
    let (checked, reviewed) = workshop.check_watched(&submission, watch)?;
    let registered = reviewed.map(|reviewed| workshop.accept(&reviewed)).transpose()?;
    Ok(AuthoredTool { name: name.into(), plan: authored.plan, code: authored.source, checked, registered })
}

//! Writes a new tool and takes it through the workshop; what is refused comes back to the author as data.

use serde::Serialize;

use crate::author;
use minismith_analysis::manifest::{Provenance, ToolManifest};
use minismith_analysis::submission::{Declared, Submission};
use minismith_nlu::Primitive;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::check::{Checked, Checking};
use minismith_toolchain::workshop::registry::RegistryError;
use minismith_toolchain::workshop::rehearsal::NoRehearsal;

/// What became of a commission.
#[derive(Debug, Serialize)]
pub struct Commissioned {
    /// The tool's name.
    pub name: String,
    /// What was meant to be done, step by step.
    pub plan: Vec<String>,
    /// The code that was written.
    pub code: String,
    /// What the workshop said of it.
    pub checked: Checked,
    /// What was registered; none when it was refused.
    pub registered: Option<ToolManifest>,
}

/// A commission that could not be worked on at all.
#[derive(Debug, thiserror::Error)]
pub enum NoCommission {
    /// The workshop has no stage for rehearsals here.
    #[error(transparent)]
    Rehearsal(#[from] NoRehearsal),
    /// The tool was admitted but could not be kept.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// Writes the tool, proves it, and registers it when nothing refuses it.
///
/// The offline author writes the same code for the same request, so it has one try. `watch` hears how far the check is.
///
/// # Errors
/// When it can't be rehearsed or kept here.
pub fn commission(
    workshop: &Workshop,
    name: &str,
    body: &[Primitive],
    request: &str,
    watch: &mut dyn FnMut(Checking),
) -> Result<Commissioned, NoCommission> {
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
    let (checked, admissible) = workshop.check_watched(&submission, watch)?;
    let registered = admissible.map(|admissible| workshop.admit(&admissible)).transpose()?;
    Ok(Commissioned { name: name.into(), plan: authored.plan, code: authored.source, checked, registered })
}

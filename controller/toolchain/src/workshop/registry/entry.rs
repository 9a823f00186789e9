//! What a reader of the shelf gets: a tool that may be looked at or called, and a line of the list.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::shelf::versions_in;
use super::state::{Approval, Deactivation, Quarantine, State};
use super::{RegistryError, read_manifest};
use minismith_analysis::manifest::{Capability, Evidence, Function, ToolManifest};
use minismith_analysis::policy::Vetted;

/// A version whose code is what was admitted, and still passes the policy. Only the registry makes one.
#[derive(Debug)]
pub struct Admitted {
    vetted: Vetted,
    manifest: ToolManifest,
    approval: Option<Approval>,
    quarantine: Option<Quarantine>,
    deactivation: Option<Deactivation>,
}

impl Admitted {
    pub(super) const fn new(
        vetted: Vetted,
        manifest: ToolManifest,
        approval: Option<Approval>,
        quarantine: Option<Quarantine>,
        deactivation: Option<Deactivation>,
    ) -> Self {
        Admitted { vetted, manifest, approval, quarantine, deactivation }
    }

    /// The tool, read again just now.
    #[must_use]
    pub const fn vetted(&self) -> &Vetted {
        &self.vetted
    }

    /// Takes the tool out, to rehearse it again.
    #[must_use]
    pub fn into_vetted(self) -> Vetted {
        self.vetted
    }

    /// What was written beside it.
    #[must_use]
    pub const fn manifest(&self) -> &ToolManifest {
        &self.manifest
    }

    /// Whether a person has approved this version: then it moves at full speed.
    #[must_use]
    pub const fn is_approved(&self) -> bool {
        self.approval.is_some()
    }

    /// Who has approved this version, and when.
    #[must_use]
    pub const fn approval(&self) -> Option<&Approval> {
        self.approval.as_ref()
    }

    /// Why this version does not run, if it has misbehaved.
    #[must_use]
    pub const fn quarantine(&self) -> Option<&Quarantine> {
        self.quarantine.as_ref()
    }

    /// Who has taken the tool out of use, if somebody has.
    #[must_use]
    pub const fn deactivation(&self) -> Option<&Deactivation> {
        self.deactivation.as_ref()
    }

    /// What the proof of this version rests on: its approval's evidence, or else its admission's.
    #[must_use]
    pub const fn evidence(&self) -> &Evidence {
        match &self.approval {
            Some(approval) => &approval.evidence,
            None => &self.manifest.evidence,
        }
    }
}

/// One line of the list of tools.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ToolEntry)]
pub struct Entry {
    /// The tool's name.
    pub name: String,
    /// The version that is called.
    pub version: u32,
    /// All versions.
    pub versions: Vec<u32>,
    /// Whether it comes with the program.
    pub predefined: bool,
    /// Whether a person has approved the version that is called.
    pub approved: bool,
    /// Whether it is in use: nobody has deactivated it.
    pub active: bool,
    /// Why the version that is called does not run, if it has misbehaved.
    pub quarantine: Option<Quarantine>,
    /// What it does.
    pub description: String,
    /// Whether this program wrote it, from a person's words alone.
    #[serde(skip)]
    pub is_own: bool,
    /// What it may do on a stage.
    #[serde(skip)]
    pub capabilities: BTreeSet<Capability>,
    /// The JSON Schema of its arguments.
    #[schema(value_type = Object)]
    pub parameters: Value,
    /// The functions of a toolkit, each callable as `toolkit.function`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<Function>,
}

impl Entry {
    /// Whether its description may be told to a model: it comes with the program, or was written by it, or a person has
    /// approved it. Any other may be made to lead a model astray.
    #[must_use]
    pub const fn is_told(&self) -> bool {
        self.predefined || self.is_own || self.approved
    }

    /// Whether it runs when it is called.
    #[must_use]
    pub const fn is_callable(&self) -> bool {
        self.active && self.quarantine.is_none()
    }
}

/// The line of one tool; none where no version was ever finished.
pub(super) fn entry(folder: &Path, name: &str, predefined: bool) -> Result<Option<Entry>, RegistryError> {
    let versions = versions_in(folder)?;
    if versions.is_empty() {
        return Ok(None);
    }
    let mut state = State::read(folder)?;
    let manifest = read_manifest(folder, state.current)?;
    Ok(Some(Entry {
        name: name.into(),
        version: state.current,
        versions,
        predefined,
        approved: state.approved.contains_key(&state.current),
        active: state.deactivated.is_none(),
        quarantine: state.quarantine.remove(&state.current),
        description: manifest.description,
        is_own: manifest.provenance.is_own(),
        capabilities: manifest.capabilities,
        parameters: manifest.parameters,
        functions: manifest.functions,
    }))
}

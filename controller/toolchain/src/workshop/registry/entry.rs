//! The registry's view of a tool: a loaded version, and an entry of the list.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::layers::ToolFolder;
use super::state::{Approval, Deactivation, Quarantine};
use super::storage::versions_in;
use super::{RegistryError, read_manifest};
use minismith_analysis::manifest::{Capability, Evidence, Function, ToolManifest};
use minismith_analysis::policy::PolicyChecked;

/// A version whose code is unchanged since it was accepted, and still passes the policy. Only the registry creates one.
#[derive(Debug)]
pub struct RegisteredTool {
    checked: PolicyChecked,
    manifest: ToolManifest,
    approval: Option<Approval>,
    quarantine: Option<Quarantine>,
    deactivation: Option<Deactivation>,
}

impl RegisteredTool {
    pub(super) const fn new(
        vetted: PolicyChecked,
        manifest: ToolManifest,
        approval: Option<Approval>,
        quarantine: Option<Quarantine>,
        deactivation: Option<Deactivation>,
    ) -> Self {
        RegisteredTool { checked: vetted, manifest, approval, quarantine, deactivation }
    }

    /// Returns the tool, as just read.
    #[must_use]
    pub const fn checked(&self) -> &PolicyChecked {
        &self.checked
    }

    /// Returns the tool, so that it can be rehearsed again.
    #[must_use]
    pub fn into_checked(self) -> PolicyChecked {
        self.checked
    }

    /// Returns the manifest.
    #[must_use]
    pub const fn manifest(&self) -> &ToolManifest {
        &self.manifest
    }

    /// Returns whether a person has approved this version. It then moves at full speed.
    #[must_use]
    pub const fn is_approved(&self) -> bool {
        self.approval.is_some()
    }

    /// Returns who approved this version, and when.
    #[must_use]
    pub const fn approval(&self) -> Option<&Approval> {
        self.approval.as_ref()
    }

    /// Returns why this version is in quarantine, if it is.
    #[must_use]
    pub const fn quarantine(&self) -> Option<&Quarantine> {
        self.quarantine.as_ref()
    }

    /// Returns who deactivated the tool, if anyone has.
    #[must_use]
    pub const fn deactivation(&self) -> Option<&Deactivation> {
        self.deactivation.as_ref()
    }

    /// Returns the evidence of this version's approval, or else of its acceptance.
    #[must_use]
    pub const fn evidence(&self) -> &Evidence {
        match &self.approval {
            Some(approval) => &approval.evidence,
            None => &self.manifest.evidence,
        }
    }
}

/// An entry in the list of tools.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ToolEntry)]
pub struct Entry {
    /// Name of the tool.
    pub name: String,
    /// Current version.
    pub version: u32,
    /// All versions.
    pub versions: Vec<u32>,
    /// Whether the tool is part of the program.
    pub predefined: bool,
    /// Whether a person has approved the current version.
    pub approved: bool,
    /// Whether the tool is active, i.e. not deactivated.
    pub active: bool,
    /// The reason why the current version is in quarantine, if it is.
    #[schema(required)]
    pub quarantine: Option<Quarantine>,
    /// Description.
    pub description: String,
    /// Whether this program wrote it, from a person's request alone.
    #[serde(skip)]
    pub is_own: bool,
    /// Capabilities of the tool.
    #[serde(skip)]
    pub capabilities: BTreeSet<Capability>,
    /// JSON Schema of the arguments.
    #[schema(value_type = Object)]
    pub parameters: Value,
    /// Functions of a toolkit, each callable as `toolkit.function`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<Function>,
}

impl Entry {
    /// Returns whether the description may be shown to a language model.
    ///
    /// This holds for tools that are predefined, written by this program, or approved by a person. Any other
    /// description may try to mislead a model.
    #[must_use]
    pub const fn is_description_shown(&self) -> bool {
        self.predefined || self.is_own || self.approved
    }

    /// Returns whether a call runs the tool.
    #[must_use]
    pub const fn is_callable(&self) -> bool {
        self.active && self.quarantine.is_none()
    }
}

/// Returns the entry of one tool, or `None` if it has no complete version.
pub(super) fn entry(
    place: &ToolFolder,
    name: &str,
    predefined: bool,
) -> Result<Option<Entry>, RegistryError> {
    let folder = place.files();
    let versions = versions_in(folder)?;
    if versions.is_empty() {
        return Ok(None);
    }
    let mut state = place.state()?;
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

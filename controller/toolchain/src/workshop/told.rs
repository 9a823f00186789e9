//! What is told of tools, as data: the same documents at the command line and over the network.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use utoipa::ToSchema;

use super::check::Checked;
use super::preview::Motion;
use super::registry::{Approval, Deactivation, Entry, Quarantine, Registry, RegistryError};
use super::search::{Found, Hit};
use super::usage::Usage;
use minismith_analysis::manifest::{ToolManifest, with_old_names};
use minismith_analysis::policy::{self, Rule};

/// All tools.
#[derive(Debug, Serialize, ToSchema)]
pub struct Listing {
    /// By name.
    pub tools: Vec<Listed>,
}

/// One tool, and what it has done.
#[derive(Debug, Serialize, ToSchema)]
pub struct Listed {
    /// Its line of the shelf.
    #[serde(flatten)]
    pub entry: Entry,
    /// What all its versions have done.
    pub usage: Usage,
}

/// One version of a tool, with its code and all that is known of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Shown {
    /// As it stands in `vN.json`, with old names beside the new ones.
    #[serde(serialize_with = "with_old_names")]
    #[schema(value_type = Object)]
    pub manifest: ToolManifest,
    /// Whether a person has approved this version: then it moves at full speed.
    pub approved: bool,
    /// Who has, when, and on which evidence.
    #[schema(value_type = Option<Object>)]
    pub approval: Option<Approval>,
    /// Whether the tool is in use.
    pub active: bool,
    /// Who has taken it out of use, if somebody has.
    pub deactivated: Option<Deactivation>,
    /// Why this version does not run, if it has misbehaved.
    pub quarantine: Option<Quarantine>,
    /// What it has done.
    pub usage: Used,
    /// The files beside it, by suffix: page, picture and recording.
    #[schema(value_type = BTreeMap<String, String>)]
    pub files: BTreeMap<&'static str, PathBuf>,
    /// Its main module.
    pub code: String,
    /// The other modules of a toolkit, by stem.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub modules: BTreeMap<String, String>,
}

/// What a version and all versions have done.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Used {
    /// This one.
    pub version: Usage,
    /// All of them.
    pub tool: Usage,
}

/// What a search came to.
#[derive(Debug, Serialize, ToSchema)]
pub struct Search {
    /// What was looked for.
    pub query: String,
    /// Whether meaning was looked at too.
    pub semantic: bool,
    /// The tools, the best first.
    pub results: Vec<Hit>,
    /// Why words alone were looked at, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}

/// What the workshop says of what was handed in.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileChecked {
    /// The file, or the name under which it was handed in.
    pub file: String,
    /// What was found.
    #[serde(flatten)]
    pub checked: Checked,
    /// Whether it was found before, and only told again.
    pub cached: bool,
    /// How long it took, seconds.
    pub seconds: f64,
    /// What its default call did, where that was asked for and it was admitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Files that were written about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub written: Vec<PathBuf>,
}

/// What came of adding a tool.
#[derive(Debug, Serialize, ToSchema)]
pub struct Added {
    /// Its manifest, as it stands in `vN.json`, with old names beside the new ones; null when it was refused.
    #[serde(serialize_with = "with_old_names")]
    #[schema(value_type = Option<Object>)]
    pub registered: Option<ToolManifest>,
    /// What policy, rehearsal and review found.
    pub checked: Checked,
}

/// That a version is approved.
#[derive(Debug, Serialize, ToSchema)]
pub struct Approved {
    /// The tool.
    pub name: String,
    /// Which version.
    pub approved: u32,
}

/// That another version is called.
#[derive(Debug, Serialize, ToSchema)]
pub struct RolledBack {
    /// The tool.
    pub name: String,
    /// The version that was called before.
    pub from: u32,
    /// The version that is called now.
    pub to: u32,
}

/// Whether a tool is in use.
#[derive(Debug, Serialize, ToSchema)]
pub struct InUse {
    /// The tool.
    pub name: String,
    /// Whether it is.
    pub active: bool,
    /// Whether that is new.
    pub changed: bool,
}

/// The rules of the policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct Rules {
    /// Their version.
    pub version: u32,
    /// All of them.
    pub rules: &'static [Rule],
}

/// All tools of a shelf.
///
/// # Errors
/// When it can't be read.
pub fn list(registry: &Registry) -> Result<Listing, RegistryError> {
    let statistics = registry.statistics();
    let listed = |entry: Entry| Listed { usage: statistics.of_tool(&entry.name), entry };
    Ok(Listing { tools: registry.list()?.into_iter().map(listed).collect() })
}

/// A version of a tool, or the one that is called.
///
/// # Errors
/// When there is none, its files were changed, or it no longer passes the policy.
pub fn show(registry: &Registry, name: &str, version: Option<u32>) -> Result<Shown, RegistryError> {
    let admitted = registry.load(name, version)?;
    let manifest = admitted.manifest().clone();
    let version = manifest.version;
    let modules = registry.texts(name, version).map(|(_, others)| others).unwrap_or_default();
    let statistics = registry.statistics();
    Ok(Shown {
        approved: admitted.is_approved(),
        approval: admitted.approval().cloned(),
        active: admitted.deactivation().is_none(),
        deactivated: admitted.deactivation().cloned(),
        quarantine: admitted.quarantine().cloned(),
        usage: Used { version: statistics.of_version(name, version), tool: statistics.of_tool(name) },
        files: registry.attachments(name, version).unwrap_or_default(),
        code: admitted.vetted().draft().source().to_owned(),
        modules,
        manifest,
    })
}

/// What was found for a request.
#[must_use]
pub fn found(query: &str, found: Found) -> Search {
    let Found { semantic, why_not, results } = found;
    Search { query: query.into(), semantic, results, why_not }
}

/// The rules of the policy.
#[must_use]
pub fn rules() -> Rules {
    Rules { version: policy::RULES_VERSION, rules: policy::rules() }
}

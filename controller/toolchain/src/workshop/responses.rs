//! Response types for tools, shared by the CLI's `--json` output and the HTTP API.

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
pub struct ToolList {
    /// Sorted by name.
    pub tools: Vec<ToolSummary>,
}

/// One tool, and its usage.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolSummary {
    /// Its entry in the registry.
    #[serde(flatten)]
    pub entry: Entry,
    /// Usage of all its versions.
    pub usage: Usage,
}

/// One version of a tool, with its code and all available details.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToolDetails {
    /// The manifest, as stored in `vN.json`.
    #[serde(serialize_with = "with_old_names")]
    pub manifest: ToolManifest,
    /// Whether a person has approved this version. It then moves at full speed.
    pub approved: bool,
    /// The approval: person, time and evidence.
    #[schema(required)]
    pub approval: Option<Approval>,
    /// Whether the tool is active.
    pub active: bool,
    /// Who deactivated the tool, if anyone has.
    #[schema(required)]
    pub deactivated: Option<Deactivation>,
    /// The reason why this version is in quarantine, if it is.
    #[schema(required)]
    pub quarantine: Option<Quarantine>,
    /// Usage.
    pub usage: UsageReport,
    /// Its attachments, by suffix: page, image and recording.
    #[schema(value_type = BTreeMap<String, String>)]
    pub files: BTreeMap<&'static str, PathBuf>,
    /// Main module.
    pub code: String,
    /// The other modules of a toolkit, by stem.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub modules: BTreeMap<String, String>,
}

/// The usage of one version and of all versions.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct UsageReport {
    /// This version.
    pub version: Usage,
    /// All versions.
    pub tool: Usage,
}

/// The result of a search.
#[derive(Debug, Serialize, ToSchema)]
pub struct Search {
    /// The request.
    pub query: String,
    /// Whether the search used meaning too.
    pub semantic: bool,
    /// The tools, the best first.
    pub results: Vec<Hit>,
    /// The reason why it used words alone, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}

/// The result of the check of a submitted file.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileChecked {
    /// The file, or the name under which it was submitted.
    pub file: String,
    /// The result.
    #[serde(flatten)]
    pub checked: Checked,
    /// Whether the result comes from the cache.
    #[serde(rename = "cached")]
    pub is_cached: bool,
    /// Duration, seconds.
    pub seconds: f64,
    /// Motion of the default call, if requested and rehearsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// Files that were written about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub written: Vec<PathBuf>,
}

/// The result of adding a tool.
#[derive(Debug, Serialize, ToSchema)]
pub struct AddResult {
    /// The manifest, as stored in `vN.json`. Null if the tool was refused.
    #[serde(serialize_with = "with_old_names")]
    #[schema(required)]
    pub registered: Option<ToolManifest>,
    /// The result of policy, rehearsal and review.
    pub checked: Checked,
}

/// The approval of a version.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApproveResult {
    /// Name of the tool.
    pub name: String,
    /// Version.
    pub approved: u32,
}

/// A change of the current version.
#[derive(Debug, Serialize, ToSchema)]
pub struct RolledBack {
    /// Name of the tool.
    pub name: String,
    /// The version that was current before.
    pub from: u32,
    /// The current version.
    pub to: u32,
}

/// The activation state of a tool.
#[derive(Debug, Serialize, ToSchema)]
pub struct ActivationResult {
    /// Name of the tool.
    pub name: String,
    /// Whether it is active.
    pub active: bool,
    /// Whether this changed its state.
    pub changed: bool,
}

/// The rules of the policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct Rules {
    /// Version of the rules.
    pub version: u32,
    /// All rules.
    pub rules: &'static [Rule],
}

/// Returns all tools of a registry.
///
/// # Errors
/// Returns an error if it cannot be read.
pub fn list(registry: &Registry) -> Result<ToolList, RegistryError> {
    let statistics = registry.statistics();
    let listed = |entry: Entry| ToolSummary { usage: statistics.of_tool(&entry.name), entry };
    Ok(ToolList { tools: registry.list()?.into_iter().map(listed).collect() })
}

/// Returns a version of a tool, or the current one.
///
/// # Errors
/// Returns an error if it does not exist, its files were changed, or it no longer passes the policy.
pub fn show(registry: &Registry, name: &str, version: Option<u32>) -> Result<ToolDetails, RegistryError> {
    let accepted = registry.load(name, version)?;
    let manifest = accepted.manifest().clone();
    let version = manifest.version;
    let modules = registry.texts(name, version).map(|(_, others)| others).unwrap_or_default();
    let statistics = registry.statistics();
    Ok(ToolDetails {
        approved: accepted.is_approved(),
        approval: accepted.approval().cloned(),
        active: accepted.deactivation().is_none(),
        deactivated: accepted.deactivation().cloned(),
        quarantine: accepted.quarantine().cloned(),
        usage: UsageReport { version: statistics.of_version(name, version), tool: statistics.of_tool(name) },
        files: registry.attachments(name, version).unwrap_or_default(),
        code: accepted.checked().draft().source().to_owned(),
        modules,
        manifest,
    })
}

/// Returns the response for a search.
#[must_use]
pub fn found(query: &str, found: Found) -> Search {
    let Found { is_semantic_available: semantic, unavailable_reason: why_not, results } = found;
    Search { query: query.into(), semantic, results, why_not }
}

/// Returns the rules of the policy.
#[must_use]
pub fn rules() -> Rules {
    Rules { version: policy::RULES_VERSION, rules: policy::rules() }
}

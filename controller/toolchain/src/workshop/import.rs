//! Import of a bundle: all of its tools are checked here, and registered only if all pass.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;
use utoipa::ToSchema;

use super::Workshop;
use super::bundle::Bundle;
use super::check::{Checked, check};
use super::registry::{Registry, RegistryError};
use super::rehearsal::RehearsalError;
use super::tool_runtime::ToolRuntime;
use minismith_analysis::manifest::ToolManifest;
use minismith_analysis::submission::Submission;

/// A tool that was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ImportedTool {
    /// Name of the tool.
    pub name: String,
    /// Its version here.
    pub version: u32,
    /// Whether a person must approve it before it may run.
    pub needs_approval: bool,
}

/// The outcome of an import.
#[derive(Debug)]
pub struct Imported {
    /// The tools that were registered, or the reason why none was.
    pub result: Result<Vec<ImportedTool>, String>,
    /// The results of policy, rehearsal and review, up to the first tool that was rejected.
    pub checked: Vec<Checked>,
}

/// The result of an import.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportResult {
    /// The tools that were registered, the called ones before their callers.
    pub imported: Vec<ImportedTool>,
    /// The public key of the signer, 64 hexadecimal digits.
    pub signer: String,
    /// Whether this controller trusts the signer. Other tools need an approval before they run.
    pub trusted: bool,
    /// The results of policy, rehearsal and review.
    pub checked: Vec<Checked>,
}

/// The reason why nothing was imported.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotImported {
    /// The reason, as a sentence.
    pub detail: String,
    /// The public key of the signer, 64 hexadecimal digits; null if the file is not a valid bundle.
    #[schema(required)]
    pub signer: Option<String>,
    /// Whether this controller trusts the signer.
    pub trusted: bool,
    /// The results of policy, rehearsal and review, up to the first tool that was rejected.
    pub checked: Vec<Checked>,
}

/// The reason why an import did not come to a result.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The registry cannot be written.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// No rehearsal can run here.
    #[error(transparent)]
    Rehearsal(#[from] RehearsalError),
    /// There is no folder for the time of the import.
    #[error("can't make a temporary folder: {0}; free some space, or set TMPDIR to another folder")]
    Staging(#[source] io::Error),
}

impl Workshop {
    /// Checks every tool of a bundle, and then registers all of them.
    ///
    /// # Errors
    /// Returns an error if no rehearsal can run here or the registry cannot be written. A rejected tool is a result.
    pub fn import(&self, bundle: &Bundle) -> Result<Imported, ImportError> {
        let (mut checked, mut reviewed) = (Vec::new(), Vec::new());
        // The tools that are called come before their callers, whose checks call them here.
        let folder = tempfile::tempdir().map_err(ImportError::Staging)?;
        let staged = Registry::open(folder.path())?;
        let runtime = ToolRuntime::staged(self, &staged);
        for submission in &bundle.tools {
            if let Err(refusal) = self.registry().may_be_given(&submission.name) {
                if self.has(submission) {
                    continue;
                }
                return Ok(Imported { result: Err(refusal.to_string()), checked });
            }
            let (one_checked, accepted) = check(submission, &runtime, &self.conditions(false), &mut |_| {})?;
            let found = one_checked.findings.first().map(ToString::to_string).unwrap_or_default();
            // The name is its function's; the hash covers the file's bytes.
            let refusal = match &accepted {
                None => Some(format!("{} was refused: {found}", submission.name)),
                Some(one) if one.manifest().name != submission.name => {
                    Some(format!("{} holds a tool of another name, {}", submission.name, one.manifest().name))
                }
                Some(one) => self.would_replace(one.manifest()),
            };
            checked.push(one_checked);
            if let Some(refusal) = refusal {
                return Ok(Imported { result: Err(refusal), checked });
            }
            if let Some(one) = accepted {
                staged.accept(&one, &|_| Vec::new())?;
                reviewed.push(one);
            }
        }
        let mut imported = Vec::new();
        for one in &reviewed {
            let ToolManifest { name, version, needs_approval, .. } = self.accept(one)?;
            imported.push(ImportedTool { name, version, needs_approval });
        }
        Ok(Imported { result: Ok(imported), checked })
    }

    /// Returns whether this very code is registered, as for a predefined tool that an imported one calls.
    fn has(&self, submission: &Submission) -> bool {
        let Ok(known) = self.registry().load(&submission.name, None) else { return false };
        let Ok((main, others)) = self.registry().texts(&submission.name, known.manifest().version) else {
            return false;
        };
        let others: BTreeMap<String, Vec<u8>> =
            others.into_iter().map(|(stem, text)| (stem, text.into_bytes())).collect();
        main.as_bytes() == submission.main && others == submission.others.clone().unwrap_or_default()
    }

    /// Returns why a tool of a signer that is not trusted may not become the next version of a tool: other tools would call
    /// it instead of the code that they were made for.
    fn would_replace(&self, new: &ToolManifest) -> Option<String> {
        let known = self.registry().load(&new.name, None).ok()?;
        let known = known.manifest();
        let signer =
            |manifest: &ToolManifest| manifest.provenance.signer.as_ref().map(|signer| signer.key.clone());
        let is_its_own = known.code_sha256 == new.code_sha256 || signer(known) == signer(new);
        (new.provenance.is_foreign() && !is_its_own).then(|| {
            format!(
                "{} is a tool of another author here; ask the sender for another name, or put the signer into \
                 `workshop: {{trusted_signers: [...]}}`",
                new.name
            )
        })
    }
}

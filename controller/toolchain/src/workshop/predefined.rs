//! Makes the tools that come with the program from their sources in `tools/sources`: for developers.

use super::attachments::Prepared;
use super::review::Reviewed;
use super::{ApprovalError, Workshop};
use minismith_analysis::manifest::{Evidence, ToolManifest};
use minismith_analysis::submission::Submission;

impl Workshop {
    /// Returns whether a predefined tool has this code and these declarations, and whether both its rehearsals, before and
    /// for its approval, were made under the conditions of today.
    #[must_use]
    pub fn is_predefined_current(&self, submission: &Submission) -> bool {
        let Submission { name, main, declared, .. } = submission;
        let Ok(tool) = self.registry.load(name, None) else { return false };
        let manifest = tool.manifest();
        let today = |approved: bool| Evidence {
            tools: manifest.evidence.tools.clone(),
            ..self.conditions(approved).for_tool(&manifest.budget).evidence()
        };
        self.registry.is_predefined(name)
            && tool.checked().draft().source().as_bytes() == main
            && manifest.expects == declared.expects
            && manifest.test_cases == declared.test_cases
            && (declared.examples.is_empty() || manifest.examples == declared.examples)
            && manifest.evidence == today(false)
            && tool.approval().is_some_and(|approval| approval.evidence == today(true))
    }

    /// Registers a tool among those that come with the program, with an image and a page, and approves it.
    ///
    /// # Errors
    /// Returns an error if the registry cannot be written, or the tool does not pass at full speed.
    pub fn accept_predefined(&self, reviewed: &Reviewed, by: &str) -> Result<ToolManifest, ApprovalError> {
        let prepared = Prepared::without_recording(reviewed);
        let files = |version| prepared.files(version, &format!("v{version}"));
        let manifest = self.registry.accept_predefined(reviewed, &files)?;
        self.approve(&manifest.name, Some(manifest.version), by)?;
        Ok(manifest)
    }
}

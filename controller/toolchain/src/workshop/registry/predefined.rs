//! Writes the tools that come with the program. Only developers do this, from the sources of these tools.

use super::sources::remove_version;
use super::storage::{lock, make_folder, remove_leftovers, versions_in};
use super::{Registry, RegistryError, State, read_manifest, write_version};
use crate::workshop::attachments::Attachment;
use crate::workshop::review::Reviewed;
use minismith_analysis::manifest::ToolManifest;

impl Registry {
    /// Registers a tool among those that come with the program.
    ///
    /// The version stays while the code does, and its declarations and evidence are renewed in place. Other code is a new
    /// version, and the older ones are removed: the program comes with one.
    ///
    /// # Errors
    /// Returns an error if the registry cannot be written.
    pub(in crate::workshop) fn accept_predefined(
        &self,
        reviewed: &Reviewed,
        attachments: &dyn Fn(u32) -> Vec<Attachment>,
    ) -> Result<ToolManifest, RegistryError> {
        let mut manifest = reviewed.manifest().clone();
        let _lock = lock(&self.root)?;
        let folder = self.root.join("predefined").join(&manifest.name);
        make_folder(&folder)?;
        let versions = versions_in(&folder)?;
        remove_leftovers(&folder, &versions)?;
        let mut state = State::read(&folder)?;
        let last = versions.last().map(|version| read_manifest(&folder, *version)).transpose()?;
        manifest.version = match last {
            Some(last) if last.code_sha256 == manifest.code_sha256 => last.version,
            _ => state.next(&versions),
        };
        let version = manifest.version;
        state.current = version;
        state.approved.retain(|approved, _| *approved == version);
        write_version(&folder, &manifest, reviewed, attachments, &state)?;
        for older in versions.into_iter().filter(|older| *older != version) {
            remove_version(&folder, older)?;
        }
        Ok(manifest)
    }

    /// Returns whether a tool of this name comes with the program.
    pub(in crate::workshop) fn is_predefined(&self, name: &str) -> bool {
        self.predefined_folder(name).files().is_dir()
    }
}

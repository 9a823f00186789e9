//! The tool registry: tools become callable only through it.
//!
//! ```text
//! tools/predefined/NAME/   v1.py v1.json state.json     comes with the program; or only state.json
//! tools/.built-in/HASH/    NAME/v1.py ...               a copy of the tools built into the program
//! tools/generated/NAME/    v1.py v1.json v1.sha256 v2/ v2.json v2.sha256 v2.svg state.json
//! tools/.lock              one writer at a time
//! tools/.shelf.sqlite      statistics and the index of the search
//! tools/.checked/          what checks have found
//! ```
//!
//! Reading order: `storage` (atomic reads and writes), `sources` (the code of a version), `state` (current version,
//! approvals, deactivation), `layers` (predefined tools that are only read), `entry` (the result of a read), then this
//! module, `difference` and `database`.
//!
//! A version is never overwritten, and its number is never used again. A version exists once its `vN.json` exists. That
//! file is written last: to a temporary file, synced and renamed. A crash at any point therefore leaves the old state
//! or the new one, and the next writer removes the leftovers. `state.json` holds the current version, the approvals,
//! and any deactivation. A lock on the registry allows one writer at a time.
//!
//! A hash shows what was changed past the program: by hand, by another program, or by a disk. Such a version is named, and
//! does not run. It is no protection from a user who may write these files: that user may also approve tools.

mod built_in;
pub(super) mod database;
mod difference;
mod embedded;
mod entry;
mod error;
mod known_entries;
mod layers;
mod predefined;
mod sources;
mod state;
mod storage;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use firmware_bridge::clock::unix_seconds;
use minismith_protocol::old_names::files;

use super::attachments::{Attachment, SUFFIXES};
use super::review::Reviewed;
use minismith_analysis::digest::hex_sha256;
use minismith_analysis::draft::Draft;
use minismith_analysis::manifest::{Evidence, ToolManifest};
use minismith_analysis::policy::{self, skeleton};
use minismith_runtime::config::{Config, Predefined};

pub use difference::{Change, Difference, ModuleChange};
pub use entry::{Entry, RegisteredTool};
pub use error::RegistryError;
pub use state::{Approval, Deactivation, Quarantine};

pub(super) use storage::write_atomic;

use known_entries::KnownEntries;
use layers::ToolFolder;
use sources::{main_file, read_sources, write_sources};
use state::{MAX_FAULTS, State};
use storage::{
    check_folder, io, json_bytes, lock, make_folder, parse_json, read_checked, remove_leftovers, versions_in,
};

/// The tool registry.
#[derive(Clone, Debug)]
pub struct Registry {
    root: PathBuf,
    /// The folder of predefined tools that are only read, if those are not below `root`.
    shared: Option<PathBuf>,
    known: KnownEntries,
}

impl Registry {
    /// Opens the registry that a configuration describes.
    ///
    /// # Errors
    /// Returns an error if the folders cannot be created.
    pub fn of(config: &Config) -> Result<Self, RegistryError> {
        let registry = Registry::open(&config.tools)?;
        let shared = match &config.predefined {
            Predefined::InTools => None,
            Predefined::Folder(folder) => Some(folder.clone()),
            Predefined::BuiltIn => Some(built_in::unpacked(&config.tools)?),
        };
        Ok(Registry { shared, ..registry })
    }

    /// Opens a registry whose predefined tools are all in its own folder, and creates its folders.
    ///
    /// # Errors
    /// Returns an error if the folders cannot be created.
    pub fn open(root: &Path) -> Result<Self, RegistryError> {
        for registry in ["predefined", "generated"] {
            let path = root.join(registry);
            fs::create_dir_all(&path).map_err(|source| io("make", &path, source))?;
        }
        Ok(Registry { root: root.to_owned(), shared: None, known: KnownEntries::default() })
    }

    /// Returns the folder of the registry.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Registers a tool as a new version, or returns the current one if code, declarations and evidence are the same.
    ///
    /// Attachments are written before the manifest, so every version has its attachments.
    ///
    /// # Errors
    /// Returns an error if a predefined tool has this name, or if the registry cannot be written. Then nothing has
    /// changed.
    pub fn accept(
        &self,
        reviewed: &Reviewed,
        attachments: &dyn Fn(u32) -> Vec<Attachment>,
    ) -> Result<ToolManifest, RegistryError> {
        let mut manifest = reviewed.manifest().clone();
        let name = manifest.name.clone();
        self.may_be_given(&name)?;
        let _lock = lock(&self.root)?;
        let folder = self.root.join("generated").join(&name);
        make_folder(&folder)?;
        let versions = versions_in(&folder)?;
        remove_leftovers(&folder, &versions)?;
        let state = State::read(&folder)?;
        for version in versions.iter().rev() {
            let known = read_manifest(&folder, *version)?;
            if is_the_same(&known, &manifest) {
                State { current: *version, ..state }.write(&folder)?;
                return Ok(known);
            }
        }
        let version = state.next(&versions);
        manifest.version = version;
        let state = State { current: version, ..state };
        if let Err(error) = write_version(&folder, &manifest, reviewed, attachments, &state) {
            // Nothing has changed then, and the space of the written files is freed.
            let marker = folder.join(format!("v{version}.json"));
            let _undone = storage::remove(&marker).map(|()| remove_leftovers(&folder, &versions));
            return Err(error);
        }
        Ok(manifest)
    }

    /// Checks whether a tool of this name may be registered.
    ///
    /// # Errors
    /// Returns an error if a predefined tool has this name, or if another tool has one that looks the same.
    pub fn may_be_given(&self, name: &str) -> Result<(), RegistryError> {
        if self.predefined_folder(name).files().is_dir() {
            return Err(RegistryError::Predefined { name: name.into() });
        }
        let looks = skeleton(name);
        for (folder, known, _) in self.folders()? {
            let is_alike = known != name && skeleton(&known) == looks;
            if is_alike && !versions_in(folder.files())?.is_empty() {
                return Err(RegistryError::LooksLike { name: name.into(), known });
            }
        }
        Ok(())
    }

    /// Returns all tools, sorted by name. A generated tool with the name of a predefined one is left out: it is not called.
    ///
    /// # Errors
    /// Returns an error if the registry cannot be read. A damaged tool is skipped and logged.
    pub fn list(&self) -> Result<Vec<Entry>, RegistryError> {
        let mut entries: Vec<Entry> = Vec::new();
        for (folder, name, predefined) in self.folders()? {
            match self.known.entry(&folder, &name, predefined) {
                Ok(Some(entry)) => entries.push(entry),
                Ok(None) => {}
                Err(error) => tracing::warn!(tool = name, %error, "left out of the list"),
            }
        }
        // The sort is stable, so the predefined tool of two with one name comes first.
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries.dedup_by(|later, first| later.name == first.name);
        Ok(entries)
    }

    /// Returns the folder and the name of each tool, and whether it is predefined; the predefined ones come first.
    fn folders(&self) -> Result<Vec<(ToolFolder, String, bool)>, RegistryError> {
        let mut found = Vec::new();
        let predefined = self.shared.clone().unwrap_or_else(|| self.root.join("predefined"));
        for (path, predefined) in [(predefined, true), (self.root.join("generated"), false)] {
            for folder in fs::read_dir(&path).map_err(|source| io("read", &path, source))?.flatten() {
                let Some(name) = folder.file_name().to_str().map(ToOwned::to_owned) else { continue };
                if !folder.path().is_dir() || name.starts_with('.') {
                    continue;
                }
                if path.starts_with(&self.root)
                    && let Err(error) = check_folder(&folder.path())
                {
                    tracing::warn!(tool = name, %error, "left out of the list");
                    continue;
                }
                let folder =
                    if predefined { self.predefined_folder(&name) } else { ToolFolder::at(folder.path()) };
                found.push((folder, name, predefined));
            }
        }
        Ok(found)
    }

    /// Loads the current version of a tool, or a given one, for display.
    ///
    /// # Errors
    /// Returns an error if it does not exist, its files were changed, or it no longer passes the policy.
    pub fn load(&self, name: &str, version: Option<u32>) -> Result<RegisteredTool, RegistryError> {
        let place = self.folder(name)?;
        let mut state = place.state()?;
        let folder = place.files();
        let version = the_version(name, version.unwrap_or(state.current), folder)?;
        let manifest = read_manifest(folder, version)?;
        let (main, others) = read_sources(folder, version, name)?;
        let refused = |findings| RegistryError::Refused { name: name.into(), findings };
        let draft = Draft::read_all(name, &main, others.as_ref()).map_err(refused)?;
        if draft.sha256() != manifest.code_sha256 {
            return Err(RegistryError::Tampered { path: main_file(folder, version, name) });
        }
        let vetted = policy::vet(draft).map_err(|no| refused(no.into_findings()))?;
        Ok(RegisteredTool::new(
            vetted,
            manifest,
            state.approved.remove(&version),
            state.quarantine.remove(&version),
            state.deactivated,
        ))
    }

    /// Loads the current version of a tool to run it.
    ///
    /// # Errors
    /// As for [`Self::load`], and if the tool is deactivated or its version is in quarantine.
    pub fn callable(&self, name: &str) -> Result<RegisteredTool, RegistryError> {
        let accepted = self.load(name, None)?;
        if accepted.deactivation().is_some() {
            return Err(RegistryError::Deactivated { name: name.into() });
        }
        match accepted.quarantine() {
            None => Ok(accepted),
            Some(quarantine) => Err(RegistryError::Quarantined {
                name: name.into(),
                version: accepted.manifest().version,
                reason: quarantine.reason.clone(),
            }),
        }
    }

    /// Rolls back to the version before the current one, or to a given earlier one.
    ///
    /// # Errors
    /// Returns an error if there is no such version.
    pub fn roll_back(&self, name: &str, to: Option<u32>) -> Result<(u32, u32), RegistryError> {
        self.change(name, |state, folder| {
            let from = state.current;
            let to = match to {
                Some(to) if the_version(name, to, folder)? >= from => {
                    return Err(RegistryError::NotBefore { name: name.into(), current: from, to });
                }
                Some(to) => to,
                None => versions_in(folder)?
                    .into_iter()
                    .rfind(|version| *version < from)
                    .ok_or_else(|| RegistryError::FirstVersion { name: name.into(), version: from })?,
            };
            state.current = to;
            Ok((from, to))
        })
    }

    /// Activates or deactivates a tool. Returns whether that changed its state.
    ///
    /// # Errors
    /// Returns an error if the tool does not exist or the registry cannot be written.
    pub fn set_active(&self, name: &str, active: bool, by: &str) -> Result<bool, RegistryError> {
        self.change(name, |state, _| {
            let changes = state.deactivated.is_none() != active;
            if active {
                state.deactivated = None;
            } else if changes {
                state.deactivated = Some(Deactivation { at: unix_seconds(), by: by.into() });
            }
            Ok(changes)
        })
    }

    /// Records the approval of a version with the evidence of its rehearsal. This ends a quarantine.
    ///
    /// # Errors
    /// Returns an error if the tool does not exist or the registry cannot be written.
    pub(super) fn approve(
        &self,
        name: &str,
        version: u32,
        evidence: Evidence,
        by: &str,
    ) -> Result<(), RegistryError> {
        self.change(name, |state, _| {
            state.quarantine.remove(&version);
            state.faults.remove(&version);
            let approval = Approval { evidence, at: unix_seconds(), by: by.into() };
            state.approved.insert(version, approval);
            Ok(())
        })
    }

    /// Records a fault of a version. A severe fault puts it in quarantine at once, other faults on the third time in a
    /// row.
    pub(super) fn fault(
        &self,
        name: &str,
        version: u32,
        grave: bool,
        reason: &str,
    ) -> Result<Option<Quarantine>, RegistryError> {
        self.change(name, |state, _| {
            let faults = state.faults.entry(version).or_default();
            *faults = faults.saturating_add(1);
            if !grave && *faults < MAX_FAULTS {
                return Ok(None);
            }
            let times = if grave { String::new() } else { format!(" ({faults} times in a row)") };
            let quarantine = Quarantine { reason: format!("{reason}{times}"), at: unix_seconds() };
            Ok(Some(state.quarantine.entry(version).or_insert(quarantine).clone()))
        })
    }

    /// Records a good run of a version. It resets the count of faults in a row.
    pub(super) fn no_fault(&self, name: &str, version: u32) -> Result<(), RegistryError> {
        if !self.folder(name)?.state()?.faults.contains_key(&version) {
            return Ok(());
        }
        self.change(name, |state, _| {
            state.faults.remove(&version);
            Ok(())
        })
    }

    /// Reads a tool's state, changes it and writes it, under the lock.
    fn change<T>(
        &self,
        name: &str,
        change: impl FnOnce(&mut State, &Path) -> Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        let folder = self.folder(name)?;
        let _lock = lock(&self.root)?;
        let before = folder.state()?;
        let mut state = before.clone();
        let answer = change(&mut state, folder.files())?;
        if state != before {
            folder.write_state(&state)?;
        }
        Ok(answer)
    }

    /// Returns the folder of a predefined tool, which may not exist.
    fn predefined_folder(&self, name: &str) -> ToolFolder {
        let own = self.root.join("predefined").join(name);
        match &self.shared {
            Some(shared) => ToolFolder::layered(shared.join(name), own),
            None => ToolFolder::at(own),
        }
    }

    /// Returns the folder of a tool that has a version.
    fn folder(&self, name: &str) -> Result<ToolFolder, RegistryError> {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        for folder in [self.predefined_folder(name), ToolFolder::at(self.root.join("generated").join(name))] {
            let files = folder.files();
            if plain && !name.is_empty() && files.is_dir() && !versions_in(files)?.is_empty() {
                if files.starts_with(&self.root) {
                    check_folder(files)?;
                }
                return Ok(folder);
            }
        }
        let names = self.list()?.into_iter().map(|entry| entry.name);
        let near = names.filter(|known| strsim::jaro_winkler(known, name) > 0.85).take(3).collect();
        Err(RegistryError::Unknown { name: name.chars().take(60).collect(), near })
    }

    /// Returns the texts of a version's modules as stored: the main one, and the others by stem. They are not verified.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn texts(
        &self,
        name: &str,
        version: u32,
    ) -> Result<(String, BTreeMap<String, String>), RegistryError> {
        let (main, others) = read_sources(self.folder(name)?.files(), version, name)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok((text(main), others.into_iter().flatten().map(|(stem, bytes)| (stem, text(bytes))).collect()))
    }

    /// Returns the attachments of a version, by suffix.
    ///
    /// # Errors
    /// Returns an error if the tool does not exist.
    pub fn attachments(
        &self,
        name: &str,
        version: u32,
    ) -> Result<BTreeMap<&'static str, PathBuf>, RegistryError> {
        let folder = self.folder(name)?;
        let files = SUFFIXES.map(|suffix| (suffix, folder.files().join(format!("v{version}.{suffix}"))));
        Ok(files.into_iter().filter(|(_, file)| file.is_file()).collect())
    }

    /// Returns the bytes of a version's attachment, if it exists and is not too large.
    #[must_use]
    pub fn attachment(&self, name: &str, version: u32, suffix: &str) -> Option<Vec<u8>> {
        let path = self.folder(name).ok()?.files().join(format!("v{version}.{suffix}"));
        minismith_runtime::bounded::read_at_most(&path, storage::MAX_FILE_BYTES).ok()
    }
}

/// Returns whether accepting `new` would only repeat `known`. A version that needed no approval does not need one when
/// it is registered again.
fn is_the_same(known: &ToolManifest, new: &ToolManifest) -> bool {
    known.code_sha256 == new.code_sha256
        && known.evidence == new.evidence
        && known.examples == new.examples
        && known.test_cases == new.test_cases
        && known.expects == new.expects
        && known.needs_approval <= new.needs_approval
}

/// Writes a version's sources, attachments, the hash of its manifest, the manifest, and the state of the tool, in this order.
/// A predefined version that is renewed in place has no hash.
fn write_version(
    folder: &Path,
    manifest: &ToolManifest,
    reviewed: &Reviewed,
    attachments: &dyn Fn(u32) -> Vec<Attachment>,
    state: &State,
) -> Result<(), RegistryError> {
    let version = manifest.version;
    write_sources(folder, version, &manifest.name, reviewed.source(), reviewed.others())?;
    for Attachment { suffix, bytes } in attachments(version) {
        write_atomic(&folder.join(format!("v{version}.{suffix}")), &bytes)?;
    }
    let path = folder.join(format!("v{version}.json"));
    let bytes = json_bytes(&path, manifest)?;
    let hash = hash_file(folder, version);
    if path.exists() {
        // The hash is that of the manifest which is replaced.
        storage::remove(&hash).map_err(|source| io("remove", &hash, source))?;
    } else {
        write_atomic(&hash, format!("{}\n", hex_sha256(&bytes)).as_bytes())?;
    }
    write_atomic(&path, &bytes)?;
    state.write(folder)
}

/// Checks that a version exists and returns its number.
fn the_version(name: &str, version: u32, folder: &Path) -> Result<u32, RegistryError> {
    let versions = versions_in(folder)?;
    if versions.contains(&version) {
        return Ok(version);
    }
    Err(RegistryError::NoVersion { name: name.into(), version, versions })
}

/// Reads a manifest, which has to be that of this tool and version, as it was written.
fn read_manifest(folder: &Path, version: u32) -> Result<ToolManifest, RegistryError> {
    let path = folder.join(format!("v{version}.json"));
    let bytes = read_checked(&path)?;
    // Versions that an older program registered have no hash beside the manifest.
    match read_checked(&hash_file(folder, version)) {
        Ok(hash) if hash.trim_ascii_end() != hex_sha256(&bytes).as_bytes() => {
            return Err(RegistryError::Tampered { path });
        }
        Err(RegistryError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    let manifest: ToolManifest = parse_json(&path, &bytes, files::manifest)?;
    let is_of_folder = folder.file_name().is_some_and(|name| *name == *manifest.name);
    if is_of_folder && manifest.version == version {
        return Ok(manifest);
    }
    Err(RegistryError::Misplaced {
        path,
        name: manifest.name.chars().take(60).collect(),
        version: manifest.version,
    })
}

/// Returns the path of the file with a manifest's hash.
fn hash_file(folder: &Path, version: u32) -> PathBuf {
    folder.join(format!("v{version}.sha256"))
}

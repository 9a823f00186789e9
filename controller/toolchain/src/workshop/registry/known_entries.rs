//! Entries of the list that were read before, as long as their files stay as they are. The list is needed for every sentence
//! that somebody says; without this, each one would parse the manifests of all tools.
//!
//! An entry describes a tool and runs nothing: to load a tool is to read and verify its files again.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use firmware_bridge::clock::unix_seconds;

use super::RegistryError;
use super::entry::{Entry, entry};
use super::layers::ToolFolder;

/// A file that changed this recently may change again within the resolution of its time stamp, seconds.
const SETTLED_AFTER_S: i64 = 2;

/// What changes with a file: its status change time (which nobody can set), its inode and its size; none if it is missing.
type Stamp = Option<(i64, i64, u64, u64)>;

/// The stamps of a tool's files on which its entry depends.
type Stamps = [Stamp; 5];

/// The known entries, by the folder of their tool. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownEntries(Arc<Mutex<HashMap<PathBuf, (Stamps, Entry)>>>);

impl KnownEntries {
    /// Returns the entry of one tool, or `None` if it has no complete version.
    pub(super) fn entry(
        &self,
        place: &ToolFolder,
        name: &str,
        predefined: bool,
    ) -> Result<Option<Entry>, RegistryError> {
        let key = place.files();
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        if let Some((stamps, entry)) = known
            && entry.predefined == predefined
            && stamps_of(place, entry.version) == stamps
        {
            return Ok(Some(entry));
        }
        let Some(entry) = entry(place, name, predefined)? else { return Ok(None) };
        let stamps = stamps_of(place, entry.version);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_settled(&stamps) {
            known.insert(key.to_owned(), (stamps, entry.clone()));
        } else {
            known.remove(key);
        }
        Ok(Some(entry))
    }
}

fn stamps_of(place: &ToolFolder, version: u32) -> Stamps {
    let file = |folder: &Path, name: &str| stamp(&folder.join(name));
    let files = place.files();
    [
        stamp(files),
        file(files, "state.json"),
        file(files, &format!("v{version}.json")),
        file(files, &format!("v{version}.sha256")),
        place.over().and_then(|over| file(over, "state.json")),
    ]
}

fn stamp(path: &Path) -> Stamp {
    let about = fs::symlink_metadata(path).ok()?;
    Some((about.ctime(), about.ctime_nsec(), about.ino(), about.size()))
}

fn is_settled(stamps: &Stamps) -> bool {
    let now = i64::try_from(unix_seconds()).unwrap_or_default();
    // A clock that was set back makes files of the future, which are never settled.
    stamps.iter().flatten().all(|(changed, ..)| changed.saturating_add(SETTLED_AFTER_S) < now)
}

#[cfg(test)]
mod tests {
    use minismith_analysis::manifest::ToolManifest;

    use super::super::state::{Deactivation, State};
    use super::*;

    fn write_manifest(folder: &Path, description: &str) {
        let mut manifest: serde_json::Value = serde_json::from_str(MANIFEST).unwrap();
        manifest["description"] = description.into();
        // Written in place, as by someone who tampers with it.
        fs::write(folder.join("v1.json"), manifest.to_string()).unwrap();
    }

    /// A predefined tool's manifest.
    const MANIFEST: &str = include_str!("../../../../../tools/predefined/greet/v1.json");

    #[test]
    fn entry_is_read_again_as_soon_as_a_file_of_it_changes() {
        let registry = tempfile::tempdir().unwrap();
        let folder = registry.path().join("greet");
        fs::create_dir(&folder).unwrap();
        let place = ToolFolder::at(folder.clone());
        let known = KnownEntries::default();
        let read = |known: &KnownEntries| known.entry(&place, "greet", false).unwrap().unwrap();
        assert!(serde_json::from_str::<ToolManifest>(MANIFEST).is_ok());
        assert!(known.entry(&place, "greet", false).unwrap().is_none(), "no version yet");
        write_manifest(&folder, "one");
        State { current: 1, ..State::default() }.write(&folder).unwrap();
        assert_eq!(read(&known).description, "one");
        // Changes within the resolution of time stamps: files that changed just now are not known yet.
        assert!(known.0.lock().unwrap().is_empty());
        write_manifest(&folder, "two");
        assert_eq!(read(&known).description, "two");

        // Known, as after some seconds.
        let stamps = stamps_of(&place, 1);
        let stale = Entry { description: "known".into(), ..read(&known) };
        known.0.lock().unwrap().insert(folder.clone(), (stamps, stale));
        assert_eq!(read(&known).description, "known");
        write_manifest(&folder, "three");
        assert_eq!(read(&known).description, "three");
        let deactivated = Some(Deactivation { at: 1, by: "ada".into() });
        State { current: 1, deactivated, ..State::default() }.write(&folder).unwrap();
        assert!(!read(&known).active);
    }
}

//! The one door through which a tool becomes callable, and the shelf behind it.
//!
//! ```text
//! tools/predefined/NAME/   v1.py v1.json state.json     comes with the program
//! tools/generated/NAME/    v1.py v1.json v2.py v2.json state.json
//! ```
//!
//! A version is never overwritten. It exists when its `vN.json` does, which is written last, beside its place, synced
//! and renamed; so a crash at any point leaves the old state or the new one. `state.json` says which version is
//! called and which ones a person has approved. One writer at a time, by a lock on the shelf.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::draft::Draft;
use super::finding::Finding;
use super::manifest::{Evidence, ToolManifest};
use super::policy::{self, Vetted};
use super::review::Admissible;

/// The largest file that is read from the shelf.
const MAX_FILE: u64 = 4 << 20;

/// Something is wrong with the shelf or with a tool on it.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// There is no such tool.
    #[error("there is no tool {name:?}{}", did_you_mean(.near))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Names that are close.
        near: Vec<String>,
    },
    /// There is no such version.
    #[error("{name} has no version {version}; it has {}", numbers(.versions))]
    NoVersion {
        /// The tool.
        name: String,
        /// What was asked for.
        version: u32,
        /// What there is.
        versions: Vec<u32>,
    },
    /// There is nothing to go back to.
    #[error("{name} is at its first version, {version}; there is nothing to roll back to")]
    FirstVersion {
        /// The tool.
        name: String,
        /// Its version.
        version: u32,
    },
    /// The name belongs to a tool that comes with the program.
    #[error("{name} comes with the program; give your tool another name")]
    Predefined {
        /// The name.
        name: String,
    },
    /// The code is not what was admitted.
    #[error("{} has changed since it was admitted; put the original back, or `minismith tool add` it as a new version", .path.display())]
    Tampered {
        /// The file.
        path: PathBuf,
    },
    /// The code no longer passes the policy.
    #[error("{name} no longer passes the policy ({}); mend it and `minismith tool add` it again", .findings.first().map(ToString::to_string).unwrap_or_default())]
    Refused {
        /// The tool.
        name: String,
        /// Why.
        findings: Vec<Finding>,
    },
    /// A file on the shelf can't be understood.
    #[error("{} can't be understood ({reason}); remove that version's two files, or put back their originals", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The shelf can't be read or written.
    #[error("can't {doing} {}: {source}; check that the tools directory exists and is yours to write", .path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

fn did_you_mean(names: &[String]) -> String {
    if names.is_empty() {
        "; see `minismith tool list`".into()
    } else {
        format!("; did you mean {}?", names.join(" or "))
    }
}

fn numbers(versions: &[u32]) -> String {
    versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Which version is called, and what a person has approved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    current: u32,
    /// Each approved version, with the evidence at full speed that was found when it was approved.
    #[serde(default)]
    approved: BTreeMap<u32, Evidence>,
}

/// A tool that may be called: its code is what was admitted, and still passes the policy. Only the registry makes one.
#[derive(Debug)]
pub struct Admitted {
    vetted: Vetted,
    manifest: ToolManifest,
    approval: Option<Evidence>,
}

impl Admitted {
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

    /// What the proof of this version rests on: its approval's evidence, or else its admission's.
    #[must_use]
    pub const fn evidence(&self) -> &Evidence {
        match &self.approval {
            Some(evidence) => evidence,
            None => &self.manifest.evidence,
        }
    }
}

/// One line of the list of tools.
#[derive(Clone, Debug, Serialize)]
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
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// The shelf of tools.
#[derive(Clone, Debug)]
pub struct Registry {
    root: PathBuf,
}

impl Registry {
    /// Opens the shelf, and makes its folders.
    ///
    /// # Errors
    /// When the folders can't be made.
    pub fn open(root: &Path) -> Result<Self, RegistryError> {
        for shelf in ["predefined", "generated"] {
            let path = root.join(shelf);
            fs::create_dir_all(&path).map_err(|source| io("make", &path, source))?;
        }
        Ok(Registry { root: root.to_owned() })
    }

    /// Admits a tool: a new version, or the present one when the code is the same.
    ///
    /// # Errors
    /// When the name is taken by a predefined tool, or the shelf can't be written.
    pub fn admit(&self, admissible: &Admissible) -> Result<ToolManifest, RegistryError> {
        let mut manifest = admissible.manifest().clone();
        let name = manifest.name.clone();
        if self.root.join("predefined").join(&name).is_dir() {
            return Err(RegistryError::Predefined { name });
        }
        let _lock = self.lock()?;
        let folder = self.root.join("generated").join(&name);
        fs::create_dir_all(&folder).map_err(|source| io("make", &folder, source))?;
        let versions = versions_in(&folder)?;
        for version in versions.iter().rev() {
            let known = read_manifest(&folder, *version)?;
            if known.code_sha256 == manifest.code_sha256 && known.evidence == manifest.evidence {
                let state = State { current: *version, ..read_state(&folder)? };
                write_json(&folder.join("state.json"), &state)?;
                return Ok(known);
            }
        }
        let version = versions.last().map_or(1, |last| last + 1);
        manifest.version = version;
        write_whole(&folder.join(format!("v{version}.py")), admissible.source().as_bytes())?;
        write_json(&folder.join(format!("v{version}.json")), &manifest)?;
        write_json(&folder.join("state.json"), &State { current: version, ..read_state(&folder)? })?;
        Ok(manifest)
    }

    /// All tools, by name.
    ///
    /// # Errors
    /// When the shelf can't be read. A damaged tool is left out and logged.
    pub fn list(&self) -> Result<Vec<Entry>, RegistryError> {
        let mut entries = Vec::new();
        for (shelf, predefined) in [("predefined", true), ("generated", false)] {
            let path = self.root.join(shelf);
            for folder in fs::read_dir(&path).map_err(|source| io("read", &path, source))?.flatten() {
                let Some(name) = folder.file_name().to_str().map(ToOwned::to_owned) else { continue };
                if !folder.path().is_dir() || name.starts_with('.') {
                    continue;
                }
                match entry(&folder.path(), &name, predefined) {
                    Ok(Some(entry)) => entries.push(entry),
                    Ok(None) => {}
                    Err(error) => tracing::warn!(tool = name, %error, "left out of the list"),
                }
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Loads the version of a tool that is called, or a given one.
    ///
    /// # Errors
    /// When there is none, its files were changed, or it no longer passes the policy.
    pub fn load(&self, name: &str, version: Option<u32>) -> Result<Admitted, RegistryError> {
        let folder = self.folder(name)?;
        let state = read_state(&folder)?;
        let versions = versions_in(&folder)?;
        let version = version.unwrap_or(state.current);
        if !versions.contains(&version) {
            return Err(RegistryError::NoVersion { name: name.into(), version, versions });
        }
        let manifest = read_manifest(&folder, version)?;
        let path = folder.join(format!("v{version}.py"));
        let bytes = read_kept(&path)?;
        let refused = |findings| RegistryError::Refused { name: name.into(), findings };
        let draft = Draft::read(name, &bytes).map_err(refused)?;
        if draft.sha256() != manifest.code_sha256 {
            return Err(RegistryError::Tampered { path });
        }
        let vetted = policy::vet(draft).map_err(|no| refused(no.into_findings()))?;
        Ok(Admitted { vetted, manifest, approval: state.approved.get(&version).cloned() })
    }

    /// Goes back to the version before the one that is called.
    ///
    /// # Errors
    /// When there is none before it.
    pub fn roll_back(&self, name: &str) -> Result<(u32, u32), RegistryError> {
        let folder = self.folder(name)?;
        let _lock = self.lock()?;
        let state = read_state(&folder)?;
        let before = versions_in(&folder)?.into_iter().rfind(|version| *version < state.current);
        let Some(before) = before else {
            return Err(RegistryError::FirstVersion { name: name.into(), version: state.current });
        };
        write_json(&folder.join("state.json"), &State { current: before, ..state.clone() })?;
        Ok((state.current, before))
    }

    /// Records that a person approves the version that is called, and what was rehearsed for that.
    ///
    /// # Errors
    /// When there is no such tool or the shelf can't be written.
    pub(super) fn approve(&self, name: &str, version: u32, evidence: Evidence) -> Result<(), RegistryError> {
        let folder = self.folder(name)?;
        let _lock = self.lock()?;
        let mut state = read_state(&folder)?;
        state.approved.insert(version, evidence);
        write_json(&folder.join("state.json"), &state)
    }

    fn folder(&self, name: &str) -> Result<PathBuf, RegistryError> {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        for shelf in ["predefined", "generated"] {
            let folder = self.root.join(shelf).join(name);
            if plain && !name.is_empty() && folder.is_dir() && !versions_in(&folder)?.is_empty() {
                return Ok(folder);
            }
        }
        let names = self.list()?.into_iter().map(|entry| entry.name);
        let near = names.filter(|known| strsim::jaro_winkler(known, name) > 0.85).take(3).collect();
        Err(RegistryError::Unknown { name: name.chars().take(60).collect(), near })
    }

    /// One writer at a time; the lock goes with the value.
    fn lock(&self) -> Result<File, RegistryError> {
        let path = self.root.join(".lock");
        let file = File::create(&path).map_err(|source| io("open", &path, source))?;
        rustix::fs::flock(&file, FlockOperation::LockExclusive)
            .map_err(|error| io("lock", &path, error.into()))?;
        Ok(file)
    }
}

fn entry(folder: &Path, name: &str, predefined: bool) -> Result<Option<Entry>, RegistryError> {
    let versions = versions_in(folder)?;
    if versions.is_empty() {
        return Ok(None);
    }
    let state = read_state(folder)?;
    let manifest = read_manifest(folder, state.current)?;
    Ok(Some(Entry {
        name: name.into(),
        version: state.current,
        versions,
        predefined,
        approved: state.approved.contains_key(&state.current),
        description: manifest.description,
        parameters: manifest.parameters,
    }))
}

fn versions_in(folder: &Path) -> Result<Vec<u32>, RegistryError> {
    // Only names as they are written here count: `v01.json` is none, and after the last number there is no next one.
    let version = |name: &str| {
        let version: u32 = name.strip_prefix('v')?.strip_suffix(".json")?.parse().ok()?;
        (version < u32::MAX && name == format!("v{version}.json")).then_some(version)
    };
    let mut versions: Vec<u32> = fs::read_dir(folder)
        .map_err(|source| io("read", folder, source))?
        .flatten()
        .filter_map(|file| version(file.file_name().to_str()?))
        .collect();
    versions.sort_unstable();
    Ok(versions)
}

/// Without a state (a crash before its first write) the newest version is called.
fn read_state(folder: &Path) -> Result<State, RegistryError> {
    let path = folder.join("state.json");
    match read_kept(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| RegistryError::Damaged { path, reason: error.to_string() }),
        Err(RegistryError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Ok(State { current: versions_in(folder)?.last().copied().unwrap_or(0), ..State::default() })
        }
        Err(error) => Err(error),
    }
}

fn read_manifest(folder: &Path, version: u32) -> Result<ToolManifest, RegistryError> {
    let path = folder.join(format!("v{version}.json"));
    let damaged = |reason: String| RegistryError::Damaged { path: path.clone(), reason };
    serde_json::from_slice(&read_kept(&path)?).map_err(|error| damaged(error.to_string()))
}

/// A file of the shelf.
fn read_kept(path: &Path) -> Result<Vec<u8>, RegistryError> {
    read_at_most(path, MAX_FILE).map_err(|source| match source.kind() {
        std::io::ErrorKind::FileTooLarge => {
            RegistryError::Damaged { path: path.to_owned(), reason: source.to_string() }
        }
        _ => io("read", path, source),
    })
}

/// A whole file, whatever it is: what is longer, or never ends, is an error.
///
/// # Errors
/// As the system says, or when it is longer than `most`.
pub fn read_at_most(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let complaint = format!("it is too long, more than {most} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, complaint));
    }
    Ok(bytes)
}

fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), RegistryError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| io("write", path, error.into()))?;
    bytes.push(b'\n');
    write_whole(path, &bytes)
}

/// Writes beside, syncs, renames, and syncs the folder: readers see the old file or the new one.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RegistryError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let written = (|| {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        File::open(path.parent().unwrap_or(path))?.sync_all()
    })();
    written.map_err(|source| io("write", path, source))
}

fn io(doing: &'static str, path: &Path, source: std::io::Error) -> RegistryError {
    RegistryError::Io { doing, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_an_end_is_an_error() {
        assert!(read_at_most(Path::new("/dev/zero"), 1000).is_err());
        assert_eq!(read_at_most(Path::new("/dev/null"), 1000).unwrap(), b"");
    }

    #[test]
    fn only_names_as_they_are_written_are_versions() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["v1.json", "v01.json", "v+1.json", "v4294967295.json", "v2.json.new", "v3.py", "vx.json"]
        {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(versions_in(folder.path()).unwrap(), [1]);
    }
}

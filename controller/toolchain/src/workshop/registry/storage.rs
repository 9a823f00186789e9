//! Files and folders of the registry, with bounded reads and atomic writes. A crash at any point leaves the old or the
//! new content.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use minismith_runtime::bounded::read_at_most;

use super::{RegistryError, embedded};

/// Maximum size of a file in the registry, bytes.
pub(in crate::workshop) const MAX_FILE_BYTES: u64 = 4 << 20;

/// Suffix of a file or folder that is being written.
const TEMP_SUFFIX: &str = ".new";

/// Reads a file of the registry. A link is not followed: what it names may change between two looks, and a pipe would never
/// end. A file of the tools that are built into the program has to be as it was built in.
pub(super) fn read_checked(path: &Path) -> Result<Vec<u8>, RegistryError> {
    let about = fs::symlink_metadata(path).map_err(|source| io("read", path, source))?;
    if !about.is_file() {
        return Err(RegistryError::Damaged {
            path: path.to_owned(),
            reason: "it is not a plain file".into(),
        });
    }
    let bytes = read_at_most(path, MAX_FILE_BYTES).map_err(|source| match source.kind() {
        std::io::ErrorKind::FileTooLarge => {
            RegistryError::Damaged { path: path.to_owned(), reason: source.to_string() }
        }
        _ => io("read", path, source),
    })?;
    if embedded::is_original(path, &bytes) {
        Ok(bytes)
    } else {
        Err(RegistryError::Poisoned { path: path.to_owned() })
    }
}

/// Checks that a folder of the registry is no link.
pub(super) fn check_folder(path: &Path) -> Result<(), RegistryError> {
    if path.is_symlink() {
        return Err(RegistryError::Damaged { path: path.to_owned(), reason: "it is a link".into() });
    }
    Ok(())
}

/// Reads and parses a file of the registry. One that an older program wrote is converted first.
pub(super) fn read_json<T: DeserializeOwned>(
    path: &Path,
    convert: fn(&mut Value),
) -> Result<T, RegistryError> {
    parse_json(path, &read_checked(path)?, convert)
}

/// Parses what was read of a file.
pub(super) fn parse_json<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    convert: fn(&mut Value),
) -> Result<T, RegistryError> {
    serde_json::from_slice(bytes)
        .or_else(|_| {
            let mut value = serde_json::from_slice(bytes)?;
            convert(&mut value);
            serde_json::from_value(value)
        })
        .map_err(|error: serde_json::Error| RegistryError::Damaged {
            path: path.to_owned(),
            reason: error.to_string(),
        })
}

/// Writes a value beside its place, and puts it there.
pub(super) fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), RegistryError> {
    write_atomic(path, &json_bytes(path, value)?)
}

/// Returns a value as the bytes of a file.
pub(super) fn json_bytes<T: Serialize>(path: &Path, value: &T) -> Result<Vec<u8>, RegistryError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| io("write", path, error.into()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Writes a file atomically: to a temporary file, which is synced and renamed, followed by a sync of the folder.
///
/// Readers see the old file or the new one. If the write fails, the temporary file is removed.
pub(in crate::workshop) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), RegistryError> {
    let beside = temp_path(path);
    let written = (|| {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)?;
        sync_folder(path.parent().unwrap_or(path))
    })();
    written.map_err(|source| {
        // A crash would leave the file too. The next writer removes it.
        let _swept_later = fs::remove_file(&beside);
        io("write", path, source)
    })
}

/// Writes a folder of files atomically: all of them exist, or none.
pub(super) fn write_folder(path: &Path, files: &[(String, &[u8])]) -> Result<(), RegistryError> {
    let beside = temp_path(path);
    let written = (|| {
        remove(&beside)?;
        fs::create_dir(&beside)?;
        for (name, bytes) in files {
            let mut file = File::create(beside.join(name))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        sync_folder(&beside)?;
        // A rename replaces only an empty folder.
        remove(path)?;
        fs::rename(&beside, path)?;
        sync_folder(path.parent().unwrap_or(path))
    })();
    written.map_err(|source| {
        let _swept_later = remove(&beside);
        io("write", path, source)
    })
}

/// Creates a tool's folder and syncs its parent, so that it survives a crash.
pub(super) fn make_folder(path: &Path) -> Result<(), RegistryError> {
    if path.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(path)
        .and_then(|()| sync_folder(path.parent().unwrap_or(path)))
        .map_err(|source| io("make", path, source))
}

/// Removes the leftovers of crashed writers from a tool's folder: temporary files, and parts of incomplete versions.
///
/// The caller holds the lock, so no other writer is active.
pub(super) fn remove_leftovers(folder: &Path, versions: &[u32]) -> Result<(), RegistryError> {
    let last = versions.last().copied().unwrap_or(0);
    let unfinished = |name: &str| {
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let number = stem.strip_prefix('v').and_then(|number| number.parse::<u32>().ok());
        number.is_some_and(|number| number > last && stem == format!("v{number}"))
    };
    for entry in fs::read_dir(folder).map_err(|source| io("read", folder, source))?.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if name.ends_with(TEMP_SUFFIX) || unfinished(name) {
            let path = entry.path();
            remove(&path).map_err(|source| io("sweep", &path, source))?;
            tracing::debug!(path = %path.display(), "swept what a crash has left");
        }
    }
    Ok(())
}

/// Locks the registry for one writer. Dropping the file releases the lock.
pub(super) fn lock(root: &Path) -> Result<File, RegistryError> {
    let path = root.join(".lock");
    let file = File::create(&path).map_err(|source| io("open", &path, source))?;
    rustix::fs::flock(&file, FlockOperation::LockExclusive)
        .map_err(|error| io("lock", &path, error.into()))?;
    Ok(file)
}

/// Returns the versions in a tool's folder that have a manifest, in order.
pub(super) fn versions_in(folder: &Path) -> Result<Vec<u32>, RegistryError> {
    // Only names in the canonical spelling count: not `v01.json`, and not the greatest number, which has no successor.
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

pub(super) fn io(doing: &'static str, path: &Path, source: std::io::Error) -> RegistryError {
    RegistryError::Io { doing, path: path.to_owned(), source }
}

/// Removes a file, a link or a whole folder. A missing path is not an error.
pub(super) fn remove(path: &Path) -> std::io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn temp_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(TEMP_SUFFIX);
    path.with_file_name(name)
}

fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
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

    #[test]
    fn a_sweep_takes_what_was_never_finished_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let stored =
            ["state.json", "v1.json", "v1.py", "v2.json", "v2.svg", "v03.py", "notes.txt", "values.py"];
        for name in stored.iter().chain(&["v3.py", "v3.svg", "v7.py", "v3.json.new", "state.json.new"]) {
            fs::write(path(name), "").unwrap();
        }
        write_folder(&path("v2"), &[("a.py".into(), b"x")]).unwrap();
        write_folder(&path("v3"), &[("a.py".into(), b"x")]).unwrap();
        fs::create_dir(path("v4.new")).unwrap();
        remove_leftovers(folder.path(), &[1, 2]).unwrap();
        let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: std::collections::BTreeSet<_> = left.map(|name| name.into_string().unwrap()).collect();
        assert_eq!(left, stored.iter().chain(&["v2"]).map(ToString::to_string).collect());
    }
}

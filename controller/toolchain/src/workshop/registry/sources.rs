//! The sources of one version: `vN.py`, or for a toolkit the folder `vN/` with one file per module.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::RegistryError;
use super::storage::{check_folder, io, read_checked, remove, write_atomic, write_folder};
use crate::workshop::attachments::SUFFIXES;

/// Maximum number of modules besides the main one.
const MAX_OTHER_MODULES: usize = 64;

/// The main module, and the further modules of a toolkit by stem.
pub(super) type Sources = (Vec<u8>, Option<BTreeMap<String, Vec<u8>>>);

/// Writes a version's sources: the main module, and the further modules of a toolkit by stem.
pub(super) fn write_sources(
    folder: &Path,
    version: u32,
    name: &str,
    main: &str,
    others: Option<&BTreeMap<String, String>>,
) -> Result<(), RegistryError> {
    let (file, modules) = (folder.join(format!("v{version}.py")), folder.join(format!("v{version}")));
    // A version has one form. The other form would be a leftover of an incomplete version.
    let other_form = if others.is_none() { &modules } else { &file };
    remove(other_form).map_err(|source| io("remove", other_form, source))?;
    let Some(others) = others else {
        return write_atomic(&file, main.as_bytes());
    };
    let mut files = vec![(format!("{name}.py"), main.as_bytes())];
    files.extend(others.iter().map(|(stem, source)| (format!("{stem}.py"), source.as_bytes())));
    write_folder(&modules, &files)
}

/// Removes all files of a version, first the manifest that makes it one.
pub(super) fn remove_version(folder: &Path, version: u32) -> Result<(), RegistryError> {
    let names =
        ["json", "py", "sha256"].into_iter().chain(SUFFIXES).map(|suffix| format!("v{version}.{suffix}"));
    for path in names.chain([format!("v{version}")]).map(|name| folder.join(name)) {
        remove(&path).map_err(|source| io("remove", &path, source))?;
    }
    Ok(())
}

/// Reads a version's sources as bytes: the main module, and the further modules of a toolkit by stem.
pub(super) fn read_sources(folder: &Path, version: u32, name: &str) -> Result<Sources, RegistryError> {
    let modules = folder.join(format!("v{version}"));
    check_folder(&modules)?;
    if !modules.is_dir() {
        return Ok((read_checked(&folder.join(format!("v{version}.py")))?, None));
    }
    let mut others = BTreeMap::new();
    for entry in fs::read_dir(&modules).map_err(|source| io("read", &modules, source))?.flatten() {
        let path = entry.path();
        let stem = path.file_name().and_then(|file| file.to_str()).and_then(|file| file.strip_suffix(".py"));
        let Some(stem) = stem.filter(|stem| *stem != name) else { continue };
        if others.len() == MAX_OTHER_MODULES {
            let reason = format!("it has more than {MAX_OTHER_MODULES} modules");
            return Err(RegistryError::Damaged { path: modules, reason });
        }
        others.insert(stem.to_owned(), read_checked(&path)?);
    }
    Ok((read_checked(&modules.join(format!("{name}.py")))?, Some(others)))
}

/// Returns the path of a version's main module, for messages.
pub(super) fn main_file(folder: &Path, version: u32, name: &str) -> std::path::PathBuf {
    let modules = folder.join(format!("v{version}"));
    if modules.is_dir() { modules.join(format!("{name}.py")) } else { folder.join(format!("v{version}.py")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_both_forms() {
        let folder = tempfile::tempdir().unwrap();
        let others = BTreeMap::from([("poses".to_owned(), "BOW = 1\n".to_owned())]);
        write_sources(folder.path(), 1, "kit", "x = 1\n", None).unwrap();
        write_sources(folder.path(), 2, "kit", "x = 2\n", Some(&others)).unwrap();
        assert_eq!(read_sources(folder.path(), 1, "kit").unwrap(), (b"x = 1\n".to_vec(), None));
        let bytes = BTreeMap::from([("poses".to_owned(), b"BOW = 1\n".to_vec())]);
        assert_eq!(read_sources(folder.path(), 2, "kit").unwrap(), (b"x = 2\n".to_vec(), Some(bytes)));
        // Leftovers of the other form, from a crash, are ignored.
        write_sources(folder.path(), 2, "kit", "x = 3\n", None).unwrap();
        assert_eq!(read_sources(folder.path(), 2, "kit").unwrap().0, b"x = 3\n");
        write_sources(folder.path(), 2, "kit", "x = 4\n", Some(&others)).unwrap();
        assert_eq!(read_sources(folder.path(), 2, "kit").unwrap().0, b"x = 4\n");
    }
}

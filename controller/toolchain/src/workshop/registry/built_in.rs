//! The predefined tools are built into the program. [`unpacked`] writes them into the tools folder, once for each program.
//!
//! The copy is complete when its folder exists. Its name is the hash of its content, so each version of the program reads
//! its own. Whatever is read of it is compared with what was built in.

use std::fs;
use std::path::{Path, PathBuf};

use super::RegistryError;
use super::embedded::{FOLDER, each, name};
use super::storage::{io, lock, remove};

/// Returns the folder of the tools that are built into the program, and writes it first if necessary.
pub(super) fn unpacked(root: &Path) -> Result<PathBuf, RegistryError> {
    let copies = root.join(FOLDER);
    let folder = copies.join(name());
    if folder.is_dir() {
        return Ok(folder);
    }
    let _lock = lock(root)?;
    // Another process may have written it meanwhile.
    if folder.is_dir() {
        return Ok(folder);
    }
    let beside = folder.with_extension("new");
    let written = (|| {
        remove(&beside)?;
        each(|path, bytes| {
            let place = beside.join(path);
            fs::create_dir_all(place.parent().unwrap_or(&beside))?;
            fs::write(&place, &bytes)
        })?;
        // One sync for all files, before the name that says that they are complete.
        rustix::fs::syncfs(fs::File::open(&beside)?)?;
        fs::rename(&beside, &folder)?;
        fs::File::open(&copies)?.sync_all()
    })();
    written.map_err(|source| {
        // A crash would leave it too. The next attempt removes it.
        let _swept_later = remove(&beside);
        io("write", &folder, source)
    })?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacks_what_lies_in_the_source_tree_once() {
        let folder = tempfile::tempdir().unwrap();
        let written = unpacked(folder.path()).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/predefined");
        let tools = |folder: &Path| {
            let mut names: Vec<_> =
                fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(tools(&written), tools(&source));
        let name = tools(&source).remove(0);
        let state = |folder: &Path| fs::read(folder.join(&name).join("state.json")).unwrap();
        assert_eq!(state(&written), state(&source));

        // It is not written again, and leftovers of a crash are no obstacle.
        fs::remove_dir_all(written.join(&name)).unwrap();
        assert_eq!(unpacked(folder.path()).unwrap(), written);
        assert!(!written.join(&name).exists());
        fs::rename(&written, written.with_extension("new")).unwrap();
        assert_eq!(tools(&unpacked(folder.path()).unwrap()), tools(&source));
        assert!(!written.with_extension("new").exists());
    }
}

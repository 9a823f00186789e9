//! The predefined tools are built into the program. [`unpacked`] writes them into the tools folder, once for each program.
//!
//! The copy is complete when its folder exists. Its name is the hash of its content, so each version of the program reads
//! its own. Whatever is read of it is compared with what was built in.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rust_embed::Embed;
use sha2::{Digest, Sha256};

use super::RegistryError;
use super::storage::{io, lock, remove};

/// The files below `tools/predefined`.
#[derive(Embed)]
#[folder = "../../tools/predefined"]
struct Files;

/// The folder of the copies, in the tools folder.
const FOLDER: &str = ".built-in";

static NAME: OnceLock<String> = OnceLock::new();

/// Returns the folder of the tools that are built into the program, and writes it first if necessary.
pub(super) fn unpacked(root: &Path) -> Result<PathBuf, RegistryError> {
    let all = root.join(FOLDER);
    let folder = all.join(NAME.get_or_init(name_of_all));
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
        for path in Files::iter() {
            let Some(file) = Files::get(&path) else { continue };
            let place = beside.join(&*path);
            fs::create_dir_all(place.parent().unwrap_or(&beside))?;
            fs::write(&place, &file.data)?;
        }
        // One sync for all files, before the name that says that they are complete.
        rustix::fs::syncfs(fs::File::open(&beside)?)?;
        fs::rename(&beside, &folder)?;
        fs::File::open(&all)?.sync_all()
    })();
    written.map_err(|source| {
        // A crash would leave it too. The next attempt removes it.
        let _swept_later = remove(&beside);
        io("write", &folder, source)
    })?;
    Ok(folder)
}

/// Returns whether the bytes of a file are those that were built in. Any other file than that of such a tool is.
pub(super) fn is_original(path: &Path, bytes: &[u8]) -> bool {
    let mut above = path.ancestors().skip(1);
    let (Some(tool), Some(copy), Some(all)) = (above.next(), above.next(), above.next()) else { return true };
    let is_copy = all.file_name().is_some_and(|name| name == FOLDER)
        && copy.file_name().is_some_and(|name| name == NAME.get_or_init(name_of_all).as_str());
    let names = tool.file_name().zip(path.file_name()).and_then(|(tool, file)| Some((tool.to_str()?, file.to_str()?)));
    let Some((tool, file)) = names.filter(|_| is_copy) else { return true };
    Files::get(&format!("{tool}/{file}")).is_some_and(|original| *original.data == *bytes)
}

/// Returns a name for the content of all files.
fn name_of_all() -> String {
    let mut paths: Vec<_> = Files::iter().collect();
    paths.sort_unstable();
    let mut hash = Sha256::new();
    for path in paths {
        hash.update(path.as_bytes());
        hash.update([0]);
        if let Some(file) = Files::get(&path) {
            hash.update(file.metadata.sha256_hash());
        }
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
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

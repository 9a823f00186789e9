//! The files of the predefined tools, as they were built into the program.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

/// The files below `tools/predefined`, packed by the build script.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/predefined.tar.gz"));

/// The path and the SHA-256 of each of the files, in the order of the paths.
const HASHES: &[(&str, [u8; 32])] = &include!(concat!(env!("OUT_DIR"), "/predefined.rs"));

/// The folder of the copies, in the tools folder.
pub(super) const FOLDER: &str = ".built-in";

/// Calls `take` with the path and the bytes of each file.
pub(super) fn each(mut take: impl FnMut(PathBuf, Vec<u8>) -> io::Result<()>) -> io::Result<()> {
    let mut archive = tar::Archive::new(GzDecoder::new(PACKED));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        take(path, bytes)?;
    }
    Ok(())
}

/// Returns whether the bytes of a file are those that were built in. Any other file than that of such a tool is.
pub(super) fn is_original(path: &Path, bytes: &[u8]) -> bool {
    let mut above = path.ancestors().skip(1);
    let (Some(tool), Some(copy), Some(all)) = (above.next(), above.next(), above.next()) else { return true };
    let is_copy = all.file_name().is_some_and(|name| name == FOLDER)
        && copy.file_name().is_some_and(|folder| folder == name());
    let names = tool
        .file_name()
        .zip(path.file_name())
        .and_then(|(tool, file)| Some((tool.to_str()?, file.to_str()?)));
    let Some((tool, file)) = names.filter(|_| is_copy) else { return true };
    let path = format!("{tool}/{file}");
    let known = HASHES.binary_search_by_key(&&*path, |(path, _)| path).ok().and_then(|at| HASHES.get(at));
    known.is_some_and(|(_, hash)| hash[..] == Sha256::digest(bytes)[..])
}

/// Returns a name for the content of all files.
pub(super) fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(hash_of_all)
}

fn hash_of_all() -> String {
    let mut hash = Sha256::new();
    for (path, of_file) in HASHES {
        hash.update(path.as_bytes());
        hash.update([0]);
        hash.update(of_file);
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

//! The files of the predefined tools, as they were built into the program.

use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

use rust_embed::Embed;
use sha2::{Digest, Sha256};

/// The files below `tools/predefined`.
#[derive(Embed)]
#[folder = "../../tools/predefined"]
struct Files;

/// The folder of the copies, in the tools folder.
pub(super) const FOLDER: &str = ".built-in";

/// Returns the path and the bytes of each file.
pub(super) fn all() -> impl Iterator<Item = (Cow<'static, str>, Cow<'static, [u8]>)> {
    Files::iter().filter_map(|path| Files::get(&path).map(|file| (path, file.data)))
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
    Files::get(&format!("{tool}/{file}")).is_some_and(|original| *original.data == *bytes)
}

/// Returns a name for the content of all files.
pub(super) fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(hash_of_all)
}

fn hash_of_all() -> String {
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

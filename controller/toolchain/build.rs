//! Packs the predefined tools into one compressed archive, which the crate embeds, and lists the hash of each of their files.
//!
//! Uncompressed, they would be a tenth of the program.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

const TOOLS: &str = "../../tools/predefined";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed={TOOLS}");
    let mut files = Vec::new();
    list(Path::new(TOOLS), &mut files)?;
    // By their text, as the crate searches them.
    files.sort_unstable_by_key(|file| file.to_string_lossy().into_owned());

    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    // The archive has no time and no owner, so that the same files always give the same bytes.
    let packed = fs::File::create(folder.join("predefined.tar.gz"))?;
    let mut archive = tar::Builder::new(GzBuilder::new().mtime(0).write(packed, Compression::best()));
    let mut hashes = String::from("[");
    for file in &files {
        let bytes = fs::read(file)?;
        let name = file.strip_prefix(TOOLS).map_err(io::Error::other)?;
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, &*bytes)?;
        hashes += &format!("({name:?}, {:?}),\n", <[u8; 32]>::from(Sha256::digest(&bytes)));
    }
    archive.into_inner()?.finish()?;
    fs::write(folder.join("predefined.rs"), hashes + "]")
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            list(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

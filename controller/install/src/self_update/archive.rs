//! Unpacks a signed archive: only files and folders, only below the folder that it is unpacked to, within bounds.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

use super::{Limits, UpdateError};

const MAX_DEPTH: usize = 16;

/// The most that headers and padding take for each file, bytes.
const BETWEEN_FILES: u64 = 4 << 10;

/// The most that the end of an archive takes, bytes.
const SPARE: u64 = 1 << 20;

/// Unpacks an archive into an empty folder, durably, and returns the folder in it that holds the program.
pub fn unpack(archive: &mut File, folder: &Path, limits: &Limits) -> Result<PathBuf, UpdateError> {
    archive.rewind().map_err(UpdateError::Read)?;
    // What lies between the files counts too: it could be endless.
    let between = u64::try_from(limits.entries).unwrap_or(u64::MAX).saturating_mul(BETWEEN_FILES);
    let bounded =
        GzDecoder::new(archive).take(limits.unpacked_bytes.saturating_add(between).saturating_add(SPARE));
    let mut archive = Archive::new(bounded);
    let damaged = |error: io::Error| UpdateError::Archive(format!("it is damaged: {error}"));
    let (mut entries, mut bytes) = (0_usize, 0_u64);
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        entries += 1;
        if entries > limits.entries {
            return Err(UpdateError::Archive(format!("it has more than {} entries", limits.entries)));
        }
        let path = entry.path().map_err(damaged)?.into_owned();
        let kind = entry.header().entry_type();
        if kind == EntryType::XGlobalHeader {
            continue;
        }
        let Some(inside) = inside(&path) else {
            return Err(UpdateError::Archive(format!("the path {} leads out of it", path.display())));
        };
        let target = folder.join(inside);
        match kind {
            EntryType::Directory => fs::create_dir_all(&target).map_err(UpdateError::store(&target))?,
            EntryType::Regular | EntryType::Continuous => {
                bytes = bytes.saturating_add(entry.size());
                if bytes > limits.unpacked_bytes {
                    let most = limits.unpacked_bytes;
                    return Err(UpdateError::Archive(format!("it unpacks to more than {most} bytes")));
                }
                let is_program = entry.header().mode().map_err(damaged)? & 0o100 != 0;
                let above = target.parent().unwrap_or(folder);
                fs::create_dir_all(above).map_err(UpdateError::store(above))?;
                let mode = if is_program { 0o755 } else { 0o644 };
                let opened = OpenOptions::new().write(true).create_new(true).mode(mode).open(&target);
                let mut file = opened.map_err(UpdateError::store(&target))?;
                // Which side has failed is told by the copied length.
                let copied = io::copy(&mut entry, &mut file).map_err(damaged)?;
                if copied != entry.size() {
                    return Err(UpdateError::Archive("it is damaged: a file is cut off".into()));
                }
                file.sync_all().map_err(UpdateError::store(&target))?;
            }
            other => {
                return Err(UpdateError::Archive(format!(
                    "{} is neither a file nor a folder ({other:?})",
                    path.display()
                )));
            }
        }
    }
    sync_folders(folder)?;
    program_folder(folder)
}

/// Returns a path that stays within the folder it is joined to.
fn inside(path: &Path) -> Option<PathBuf> {
    let mut inside = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => inside.push(name),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => return None,
        }
    }
    (inside.components().count() <= MAX_DEPTH).then_some(inside)
}

/// Finds the program: in the only folder of the archive, or in `bin` below that.
fn program_folder(folder: &Path) -> Result<PathBuf, UpdateError> {
    let inner = fs::read_dir(folder).map_err(UpdateError::Read)?.flatten().map(|entry| entry.path());
    let folders: Vec<PathBuf> = inner.filter(|path| path.is_dir()).collect();
    let candidates = folders.iter().flat_map(|inner| [inner.clone(), inner.join("bin")]);
    let mut found = candidates.filter(|candidate| candidate.join(super::PROGRAM).is_file());
    match (folders.len(), found.next()) {
        (1, Some(found)) => Ok(found),
        _ => Err(UpdateError::Archive(
            "it does not consist of one folder with the program `minismith` in it".into(),
        )),
    }
}

fn sync_folders(folder: &Path) -> Result<(), UpdateError> {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).map_err(UpdateError::Read)?.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(entry.path());
            }
        }
        super::store::sync(&folder)?;
    }
    Ok(())
}

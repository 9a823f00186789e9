//! Keeps a file as a whole or not at all: it is written beside its place, synced and then renamed, and what stands
//! there already is not overwritten unasked.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

/// A file that was not written.
#[derive(Debug, thiserror::Error)]
pub enum NotKept {
    /// Something is there.
    #[error("{} is there already, and is not overwritten; choose another name", .path.display())]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// The system said no.
    #[error("{} can't be written: {source}", .path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

/// A file on its way. Its place is tried when it is begun, so that nothing is done in vain; dropped before
/// [`NewFile::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    beside: PathBuf,
    file: File,
    overwrite: bool,
}

impl NewFile {
    /// Begins a file.
    ///
    /// # Errors
    /// [`NotKept`] when there is a file already and it is not to be overwritten, or the folder takes none.
    pub fn begin(path: &Path, overwrite: bool) -> Result<Self, NotKept> {
        let failed = |source| NotKept::Io { path: path.to_owned(), source };
        if path.is_dir() || path.file_name().is_none() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        if !overwrite && path.symlink_metadata().is_ok() {
            return Err(NotKept::Exists { path: path.to_owned() });
        }
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.new", std::process::id()));
        let beside = path.with_file_name(name);
        let file = File::create_new(&beside).map_err(failed)?;
        Ok(NewFile { path: path.to_owned(), beside, file, overwrite })
    }

    /// Writes it and puts it into its place.
    ///
    /// # Errors
    /// [`NotKept`]; then its place is as it was.
    pub fn finish(mut self, bytes: &[u8]) -> Result<(), NotKept> {
        let written = self.file.write_all(bytes).and_then(|()| self.file.sync_all());
        match written.and_then(|()| self.rename()) {
            Ok(()) => Ok(()),
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                Err(NotKept::Exists { path: self.path.clone() })
            }
            Err(source) => Err(NotKept::Io { path: self.path.clone(), source }),
        }
    }

    fn rename(&self) -> io::Result<()> {
        if self.overwrite {
            fs::rename(&self.beside, &self.path)?;
        } else {
            match renameat_with(CWD, &self.beside, CWD, &self.path, RenameFlags::NOREPLACE) {
                // A file system that does not know this word.
                Err(Errno::INVAL) if self.path.symlink_metadata().is_err() => {
                    fs::rename(&self.beside, &self.path)?;
                }
                Err(Errno::INVAL) => return Err(io::ErrorKind::AlreadyExists.into()),
                renamed => renamed?,
            }
        }
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // After the renaming there is nothing there any more.
        let _gone = fs::remove_file(&self.beside);
    }
}

//! Writes a file atomically: to a temporary file, which is synced and renamed. An existing file is replaced only on
//! request.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

/// The reason why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file exists already.
    #[error("{} exists already and is not overwritten; choose another name", .path.display())]
    Exists {
        /// Its path.
        path: PathBuf,
    },
    /// The system reports an error.
    #[error("{} can't be written: {source}", .path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

/// A file that is being written.
///
/// Creation already tests whether its path is writable, so that no work is wasted. Without [`NewFile::finish`],
/// dropping it leaves no file.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    beside: PathBuf,
    file: File,
    overwrite: bool,
}

impl NewFile {
    /// Starts a file.
    ///
    /// # Errors
    /// Returns [`WriteError`] if a file exists that must not be replaced, or if the folder is not writable.
    pub fn begin(path: &Path, overwrite: bool) -> Result<Self, WriteError> {
        let failed = |source| WriteError::Io { path: path.to_owned(), source };
        if path.is_dir() || path.file_name().is_none() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        if !overwrite && path.symlink_metadata().is_ok() {
            return Err(WriteError::Exists { path: path.to_owned() });
        }
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.new", std::process::id()));
        let beside = path.with_file_name(name);
        let file = File::create_new(&beside).map_err(failed)?;
        Ok(NewFile { path: path.to_owned(), beside, file, overwrite })
    }

    /// Writes the file and renames it to its final path.
    ///
    /// # Errors
    /// Returns [`WriteError`]. The path is unchanged then.
    pub fn finish(mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let written = self.file.write_all(bytes).and_then(|()| self.file.sync_all());
        match written.and_then(|()| self.rename()) {
            Ok(()) => Ok(()),
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                Err(WriteError::Exists { path: self.path.clone() })
            }
            Err(source) => Err(WriteError::Io { path: self.path.clone(), source }),
        }
    }

    fn rename(&self) -> io::Result<()> {
        if self.overwrite {
            fs::rename(&self.beside, &self.path)?;
        } else {
            match renameat_with(CWD, &self.beside, CWD, &self.path, RenameFlags::NOREPLACE) {
                // The file system does not support this flag.
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
        // After the rename there is no temporary file.
        let _gone = fs::remove_file(&self.beside);
    }
}

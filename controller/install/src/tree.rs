//! [`Tree`]: the files below a root folder. Nothing leads out of it, whatever its symbolic links point at.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, ResolveFlags, fsync, mkdirat, open, openat, openat2,
    readlinkat, renameat_with, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

/// What went wrong with a file of the tree.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {reason}{}", .path.display(), advice(*.reason))]
pub struct TreeError {
    action: &'static str,
    path: PathBuf,
    reason: Errno,
}

fn advice(reason: Errno) -> &'static str {
    match reason {
        Errno::ACCESS | Errno::PERM => "; run the command with sudo",
        Errno::NOSYS => "; this needs Linux 5.6 or newer",
        Errno::NOSPC | Errno::DQUOT => "; free some space and repeat the command",
        Errno::ROFS => "; mount it writable and repeat the command",
        _ => "",
    }
}

/// What a path is, without following it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing.
    Missing,
    /// A folder.
    Folder,
    /// A symbolic link with this target.
    Link(String),
    /// A file, or anything else.
    File,
}

/// The files below a root folder. Paths are relative to it, without `..`.
#[derive(Debug)]
pub struct Tree {
    root: OwnedFd,
    path: PathBuf,
}

impl Tree {
    /// Opens a root folder.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn open(path: &Path) -> Result<Self, TreeError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = open(path, flags, Mode::empty()).map_err(|reason| TreeError {
            action: "open",
            path: path.to_owned(),
            reason,
        })?;
        Ok(Tree { root, path: path.to_owned() })
    }

    /// Returns the path of a file, for messages.
    pub fn shown(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    fn failed<'a>(&'a self, action: &'static str, path: &'a str) -> impl Fn(Errno) -> TreeError + 'a {
        move |reason| TreeError { action, path: self.shown(path), reason }
    }

    /// Opens a path as if the root folder were `/`: the kernel resolves links within it.
    fn resolve(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let path = if path.is_empty() { "." } else { path };
        loop {
            match openat2(&self.root, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
                // The kernel says so when something was renamed meanwhile.
                Err(Errno::AGAIN | Errno::INTR) => {}
                other => return other,
            }
        }
    }

    /// Opens the folder of a path, and returns the last part of the path beside it.
    fn parent<'a>(&self, path: &'a str) -> Result<(OwnedFd, &'a str), Errno> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok((self.resolve(folder, OFlags::RDONLY | OFlags::DIRECTORY)?, name))
    }

    /// Returns what a path is. The links on the way to it are followed within the tree, the last part is not.
    pub fn entry(&self, path: &str) -> Result<Entry, TreeError> {
        let failed = self.failed("look at", path);
        let (folder, name) = match self.parent(path) {
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Entry::Missing),
            found => found.map_err(&failed)?,
        };
        let about = match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(Entry::Missing),
            found => found.map_err(&failed)?,
        };
        match FileType::from_raw_mode(about.st_mode) {
            FileType::Directory => Ok(Entry::Folder),
            FileType::Symlink => {
                let target = readlinkat(&folder, name, Vec::new()).map_err(failed)?;
                Ok(Entry::Link(target.to_string_lossy().into_owned()))
            }
            _ => Ok(Entry::File),
        }
    }

    /// Reads a file of at most this many bytes; none if there is no file. Links are followed within the tree.
    pub fn read(&self, path: &str, max_bytes: u64) -> Result<Option<String>, TreeError> {
        let failed = self.failed("read", path);
        // Not blocked by a pipe in the place of a file.
        let opened = match self.resolve(path, OFlags::RDONLY | OFlags::NONBLOCK) {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NXIO) => return Ok(None),
            opened => opened.map_err(&failed)?,
        };
        let file = File::from(opened);
        if !file.metadata().is_ok_and(|about| about.is_file()) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        file.take(max_bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| failed(errno(&error)))?;
        if bytes.len() as u64 > max_bytes {
            return Err(failed(Errno::FBIG));
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Returns the names in a folder in their order; none if there is no folder.
    pub fn names(&self, path: &str) -> Result<Vec<String>, TreeError> {
        let failed = self.failed("list", path);
        let folder = match self.resolve(path, OFlags::RDONLY | OFlags::DIRECTORY) {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(Vec::new()),
            opened => opened.map_err(&failed)?,
        };
        let mut names = Vec::new();
        for entry in Dir::read_from(folder).map_err(&failed)? {
            let name = entry.map_err(&failed)?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Makes a folder, unless it is there.
    pub fn make_folder(&self, path: &str) -> Result<(), TreeError> {
        let failed = self.failed("make the folder", path);
        let (folder, name) = self.parent(path).map_err(&failed)?;
        match mkdirat(&folder, name, Mode::from_raw_mode(0o755)) {
            Err(Errno::EXIST) => Ok(()),
            made => made.and_then(|()| fsync(&folder)).map_err(failed),
        }
    }

    /// Writes a file as a whole: what is read is the old content or the new one, also after a loss of power.
    pub fn write(&self, path: &str, content: &str, mode: u32) -> Result<(), TreeError> {
        let failed = self.failed("write", path);
        let (folder, name) = self.parent(path).map_err(&failed)?;
        // A fixed name, so that the rest of an interrupted command is replaced and not left.
        let beside = format!(".{name}.new");
        match unlinkat(&folder, beside.as_str(), AtFlags::empty()) {
            Err(Errno::NOENT) => {}
            removed => removed.map_err(&failed)?,
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(&folder, beside.as_str(), flags, Mode::from_raw_mode(mode)).map_err(&failed)?;
        let mut file = File::from(opened);
        let written = file.write_all(content.as_bytes()).and_then(|()| file.sync_all());
        written
            .map_err(|error| errno(&error))
            .and_then(|()| renameat_with(&folder, beside.as_str(), &folder, name, RenameFlags::empty()))
            .and_then(|()| fsync(&folder))
            .map_err(failed)
    }

    /// Makes a symbolic link where nothing is.
    pub fn link(&self, path: &str, target: &str) -> Result<(), TreeError> {
        let failed = self.failed("link", path);
        let (folder, name) = self.parent(path).map_err(&failed)?;
        symlinkat(target, &folder, name).and_then(|()| fsync(&folder)).map_err(failed)
    }

    /// Removes a file or a link, if it is there.
    pub fn remove(&self, path: &str) -> Result<(), TreeError> {
        self.unlink("remove", path, AtFlags::empty()).map(|_| ())
    }

    /// Removes a folder if it is there and empty. Returns whether it is gone.
    pub fn remove_empty_folder(&self, path: &str) -> Result<bool, TreeError> {
        self.unlink("remove the folder", path, AtFlags::REMOVEDIR)
    }

    fn unlink(&self, action: &'static str, path: &str, flags: AtFlags) -> Result<bool, TreeError> {
        let failed = self.failed(action, path);
        let (folder, name) = match self.parent(path) {
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(true),
            found => found.map_err(&failed)?,
        };
        match unlinkat(&folder, name, flags) {
            Err(Errno::NOENT) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST) if flags == AtFlags::REMOVEDIR => Ok(false),
            removed => removed.and_then(|()| fsync(&folder)).map(|()| true).map_err(failed),
        }
    }
}

fn errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(match error.kind() {
        ErrorKind::WriteZero => Errno::NOSPC,
        _ => Errno::IO,
    })
}

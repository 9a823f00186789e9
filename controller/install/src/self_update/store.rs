//! [`Store`]: the versions of the program in a folder, and which one is in use.
//!
//! `versions/VERSION-HASH/` holds a version, `current` links to the folder of its program, and `state.json` says which
//! one was in use before. A version appears by a rename, and is in use by a rename of the link. So after a loss of power
//! `current` is one whole version or the other.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::UpdateError;

const VERSIONS: &str = "versions";
const CURRENT: &str = "current";
const STATE: &str = "state.json";
const LOCK: &str = "lock";
/// Where an archive is fetched to and unpacked.
const STAGING: &str = "staging";

/// The folder of the versions, locked while this lives.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    _lock: File,
}

/// What is remembered between commands. Paths are the targets of `current`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The version before the current one.
    pub previous: Option<PathBuf>,
    /// A change that has not been confirmed by an answer of the new program.
    pub pending: Option<Pending>,
}

/// A change of the version that is not confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pending {
    /// The version in use before; none if there was none.
    pub from: Option<PathBuf>,
    /// The version in use afterwards.
    pub to: PathBuf,
}

impl Store {
    /// Opens the folder, and makes it if it is missing.
    pub fn open(folder: &Path) -> Result<Self, UpdateError> {
        let versions = folder.join(VERSIONS);
        let made = fs::DirBuilder::new().recursive(true).mode(0o755).create(&versions);
        made.map_err(UpdateError::store(&versions))?;
        let path = folder.join(LOCK);
        let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let lock = opened.map_err(UpdateError::store(&path))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|_| UpdateError::Busy)?;
        Ok(Store { folder: folder.to_owned(), _lock: lock })
    }

    /// Returns an empty folder to work in. What an interrupted command has left there is gone.
    pub fn work(&self) -> Result<PathBuf, UpdateError> {
        let work = self.folder.join(STAGING);
        self.clear_work()?;
        fs::DirBuilder::new().mode(0o700).create(&work).map_err(UpdateError::store(&work))?;
        Ok(work)
    }

    /// Removes the folder to work in.
    pub fn clear_work(&self) -> Result<(), UpdateError> {
        let work = self.folder.join(STAGING);
        match fs::remove_dir_all(&work) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(UpdateError::store(&work)(error)),
            _ => Ok(()),
        }
    }

    /// Returns the target of `current`, if it is one of the versions.
    pub fn current(&self) -> Option<PathBuf> {
        fs::read_link(self.folder.join(CURRENT)).ok().filter(|target| self.is_version(target))
    }

    /// Returns whether a target of `current` is a version with a program.
    pub fn is_version(&self, target: &Path) -> bool {
        let mut parts = target.components();
        let is_within = parts.next() == Some(Component::Normal(OsStr::new(VERSIONS)))
            && parts.all(|part| matches!(part, Component::Normal(_)));
        is_within && self.program(target).is_file()
    }

    /// Returns the program of a version.
    pub fn program(&self, target: &Path) -> PathBuf {
        self.folder.join(target).join(super::PROGRAM)
    }

    /// Returns the program in use, by the path that stays the same.
    pub fn current_program(&self) -> PathBuf {
        self.folder.join(CURRENT).join(super::PROGRAM)
    }

    /// Returns the version of a target, such as `1.2.3` of `versions/1.2.3-0123456789abcdef/folder`.
    pub fn version_of(target: &Path) -> Option<&str> {
        let name = target.components().nth(1)?.as_os_str().to_str()?;
        name.rsplit_once('-').map(|(version, _)| version)
    }

    /// Moves an unpacked folder to the versions. Returns the target for `current`; `program` is the folder of the program
    /// in it.
    pub fn add(&self, name: &str, unpacked: &Path, program: &Path) -> Result<PathBuf, UpdateError> {
        let inner = program.strip_prefix(unpacked).unwrap_or(Path::new(""));
        let target = Path::new(VERSIONS).join(name).join(inner);
        let place = self.folder.join(VERSIONS).join(name);
        if place.exists() {
            // It appeared as a whole, with this hash of its archive: the same files. It may be the version before.
            return Ok(target);
        }
        fs::rename(unpacked, &place).map_err(UpdateError::store(&place))?;
        sync(&self.folder.join(VERSIONS))?;
        Ok(target)
    }

    /// Lets `current` link to a version, or to none.
    pub fn switch(&self, target: Option<&Path>) -> Result<(), UpdateError> {
        let link = self.folder.join(CURRENT);
        let failed = UpdateError::store(&link);
        match target {
            None => match fs::remove_file(&link) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
                _ => {}
            },
            Some(target) => {
                let beside = self.folder.join("current.new");
                let _of_a_crash = fs::remove_file(&beside);
                symlink(target, &beside).and_then(|()| fs::rename(&beside, &link)).map_err(failed)?;
            }
        }
        sync(&self.folder)
    }

    /// Reads what is remembered.
    pub fn state(&self) -> Result<State, UpdateError> {
        let path = self.folder.join(STATE);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::default()),
            read => read.map_err(UpdateError::Read)?,
        };
        serde_json::from_str(&text).map_err(|error| UpdateError::State { path, reason: error.to_string() })
    }

    /// Remembers something, durably.
    pub fn remember(&self, state: &State) -> Result<(), UpdateError> {
        let path = self.folder.join(STATE);
        let failed = UpdateError::store(&path);
        let beside = self.folder.join("state.json.new");
        let text = serde_json::to_vec_pretty(state).map_err(io::Error::from).map_err(&failed)?;
        let written = File::create(&beside).and_then(|mut file| {
            file.write_all(&text)?;
            file.sync_all()
        });
        written.and_then(|()| fs::rename(&beside, &path)).map_err(failed)?;
        sync(&self.folder)
    }

    /// Removes the versions that are neither of these.
    pub fn prune(&self, keep: &[Option<&Path>]) -> Result<(), UpdateError> {
        let kept = |name: &OsStr| {
            keep.iter()
                .flatten()
                .any(|target| target.components().nth(1).is_some_and(|of| of.as_os_str() == name))
        };
        let versions = self.folder.join(VERSIONS);
        for entry in fs::read_dir(&versions).map_err(UpdateError::Read)?.flatten() {
            if !kept(&entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                fs::remove_dir_all(entry.path()).map_err(UpdateError::store(&entry.path()))?;
            }
        }
        Ok(())
    }
}

/// Makes the entries of a folder durable.
pub fn sync(folder: &Path) -> Result<(), UpdateError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(UpdateError::store(folder))
}

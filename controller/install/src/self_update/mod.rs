//! Replaces the program by a newer one from a signed archive, and goes back to the one before.
//!
//! Reading order: this file (the steps), `release` (signature and signed comment), `archive` (unpacking), `trial` (whether
//! a program works), `store` (the versions in a folder), `package` (what belongs to a package manager).
//!
//! Safety: nothing of an archive is read before its signature is checked, and it is unpacked from the very file that was
//! checked. A program is used only after it has answered, both before and after the switch.

mod archive;
mod package;
mod release;
mod store;
mod trial;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minismith_runtime::bounded::read_at_most;
use minismith_runtime::net::download::{Bounds, DownloadError, download};
use semver::Version;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::take_over::OnStep;
use release::Release;
use store::{Pending, State, Store};

/// Name of the program in an archive.
const PROGRAM: &str = "minismith";

/// What is added to the name of an archive for its signature, as minisign does.
const SIGNATURE: &str = ".minisig";

const MAX_SIGNATURE_BYTES: u64 = 4 << 10;

/// The bounds of an update.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The size of an archive.
    pub archive_bytes: u64,
    /// The size of what it contains.
    pub unpacked_bytes: u64,
    /// The number of files and folders in it.
    pub entries: usize,
    /// The time to download it.
    pub download: Duration,
    /// The time for a program to answer.
    pub answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            archive_bytes: 512 << 20,
            unpacked_bytes: 2 << 30,
            entries: 10_000,
            download: Duration::from_mins(30),
            answer: Duration::from_mins(1),
        }
    }
}

/// Where an archive comes from. Its signature lies beside it, with `.minisig` added to its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// An address that begins with `http://` or `https://`.
    Url(String),
}

/// What an update needs to know.
#[derive(Clone, Debug)]
pub struct Updater<'a> {
    /// The public key (`update.public_key`).
    pub key: Option<&'a str>,
    /// The folder of the versions (`update.directory`).
    pub folder: PathBuf,
    /// The program that runs.
    pub program: &'a Path,
    /// Its version.
    pub version: Version,
    /// The architecture of this computer.
    pub architecture: &'a str,
    /// Whether an older version may be installed.
    pub allow_downgrade: bool,
    /// The bounds.
    pub limits: Limits,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Updated {
    /// The version in use now.
    pub version: String,
    /// The version in use before, to which `--roll-back` goes; none if there is none.
    pub previous: Option<String>,
    /// The program in use, by a path that stays the same.
    pub program: PathBuf,
}

/// An update that was refused or has failed. The program in use is the one before.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// There is no key.
    #[error(
        "no key is set, so no update can be trusted; put the publisher's public key into config.yaml as \
         `update: {{public_key: ...}}`: it is the second line of a .pub file of minisign"
    )]
    NoKey,
    /// The key is not one.
    #[error("update.public_key is no key of minisign: {0}")]
    Key(String),
    /// A package manager owns the program.
    #[error(
        "{} belongs to the Debian package {package}; update it with `sudo apt update && sudo apt install --only-upgrade {package}`",
        .program.display()
    )]
    Packaged {
        /// The program.
        program: PathBuf,
        /// Its package.
        package: String,
    },
    /// Another update runs.
    #[error("another update runs; repeat the command when it has ended")]
    Busy,
    /// A file cannot be read.
    #[error("cannot read the update: {0}; look at the path of the archive and of its .minisig beside it")]
    Read(io::Error),
    /// A file cannot be written.
    #[error("cannot write {}: {source}; free some space or set update.directory, and repeat the command", .path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// What is remembered is damaged.
    #[error("{} is damaged: {reason}; remove it, and repeat the command", .path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// The archive was not downloaded.
    #[error(transparent)]
    Download(#[from] DownloadError),
    /// The signature is wrong.
    #[error(
        "the signature does not fit the archive and update.public_key: {0}; nothing was unpacked; get both files again from \
         the publisher"
    )]
    Signature(String),
    /// The signed comment is unknown.
    #[error(
        "the signed comment is `{0}`, and should be `minismith VERSION ARCHITECTURE`; this archive is no update of Minismith"
    )]
    Comment(String),
    /// The archive is for other computers.
    #[error("the archive is for {given}, and this computer is {here}; get the one for {here}")]
    Architecture {
        /// Of the archive.
        given: String,
        /// Of this computer.
        here: String,
    },
    /// The archive is older.
    #[error(
        "the archive has version {given}, and {installed} is installed; --allow-downgrade installs it all the same"
    )]
    Downgrade {
        /// Of the archive.
        given: Version,
        /// The installed one.
        installed: Version,
    },
    /// There is nothing to do.
    #[error("version {0} is installed already")]
    Installed(Version),
    /// The archive is not as it should be.
    #[error("the archive cannot be used: {0}; nothing was installed")]
    Archive(String),
    /// The new program does not work.
    #[error("version {version} does not work on this computer: {reason}; nothing was installed")]
    Trial {
        /// Its version.
        version: Version,
        /// The cause.
        reason: String,
    },
    /// The new program did not work after the switch.
    #[error("{version} did not answer after the switch: {reason}; {} is in use again", .back.as_deref().unwrap_or("no version"))]
    RolledBack {
        /// Its version.
        version: Version,
        /// The cause.
        reason: String,
        /// The version in use.
        back: Option<String>,
    },
    /// There is no version before.
    #[error(
        "there is no version to go back to; `minismith self-update FILE --allow-downgrade` installs an older one"
    )]
    NoPrevious,
    /// The command was ended.
    #[error("interrupted: {0}; repeat the command")]
    Interrupted(io::Error),
}

impl UpdateError {
    /// Returns whether it is an answer, and no error of usage or environment.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        !matches!(
            self,
            UpdateError::Key(_)
                | UpdateError::Busy
                | UpdateError::Read(_)
                | UpdateError::Store { .. }
                | UpdateError::State { .. }
                | UpdateError::Download(_)
                | UpdateError::Interrupted(_)
        )
    }

    fn store(path: &Path) -> impl Fn(io::Error) -> UpdateError + use<> {
        let path = path.to_owned();
        move |source| UpdateError::Store { path: path.clone(), source }
    }
}

/// Returns the folder of the versions that a program belongs to; none if it does not.
#[must_use]
pub fn folder_of(program: &Path) -> Option<&Path> {
    let versions = program.ancestors().find(|folder| folder.ends_with("versions"))?;
    versions.parent().filter(|folder| fs::read_link(folder.join("current")).is_ok())
}

impl Updater<'_> {
    /// Installs a newer version and lets it be used. The one before stays.
    ///
    /// # Errors
    /// When it is refused or fails; the program in use is then the one before.
    pub fn update(&self, source: &Source, on_step: OnStep<'_>) -> Result<Updated, UpdateError> {
        if let Some(package) = package::package_of(self.program) {
            return Err(UpdateError::Packaged { program: self.program.to_owned(), package });
        }
        let key = self.key.ok_or(UpdateError::NoKey)?;
        let store = Store::open(&self.folder)?;
        let mut step = |done: &str| on_step(done).map_err(UpdateError::Interrupted);
        let ended = self.update_in(&store, source, key, &mut step);
        match ended {
            // As after a crash, nothing is tidied up.
            Err(UpdateError::Interrupted(_)) => {}
            _ => store.clear_work()?,
        }
        ended
    }

    fn update_in(
        &self,
        store: &Store,
        source: &Source,
        key: &str,
        step: &mut dyn FnMut(&str) -> Result<(), UpdateError>,
    ) -> Result<Updated, UpdateError> {
        let state = self.recover(store, step)?;
        let work = store.work()?;
        let mut archive = self.fetch(source, &work)?;
        let signature = self.signature(source)?;
        step("fetched")?;

        let release = Release::verify(&mut archive, &signature, key)?;
        let name = format!("{}-{}", release.version, hash(&mut archive)?);
        let from = store.current();
        self.check_release(&release, from.as_deref(), &name)?;
        step("verified")?;

        let unpacked = work.join("unpacked");
        fs::create_dir(&unpacked).map_err(UpdateError::store(&unpacked))?;
        let program = archive::unpack(&mut archive, &unpacked, &self.limits)?;
        step("unpacked")?;

        let version = release.version;
        self.try_out(&program.join(PROGRAM), &version, &work)
            .map_err(|reason| UpdateError::Trial { version: version.clone(), reason })?;
        step("tried")?;

        let to = store.add(&name, &unpacked, &program)?;
        step("stored")?;
        self.change(store, &state, Pending { from, to }, &version, &work, step)
    }

    /// Goes back to the version before.
    ///
    /// # Errors
    /// When there is none, or it does not work; the program in use is then the one before the command.
    pub fn roll_back(&self, on_step: OnStep<'_>) -> Result<Updated, UpdateError> {
        let store = Store::open(&self.folder)?;
        let mut step = |done: &str| on_step(done).map_err(UpdateError::Interrupted);
        let state = self.recover(&store, &mut step)?;
        let to = state.previous.clone().filter(|target| store.is_version(target));
        let to = to.ok_or(UpdateError::NoPrevious)?;
        let version = Store::version_of(&to).and_then(|version| Version::parse(version).ok());
        let version = version.ok_or(UpdateError::NoPrevious)?;
        let work = store.work()?;
        let ended =
            self.change(&store, &state, Pending { from: store.current(), to }, &version, &work, &mut step);
        match ended {
            Err(UpdateError::Interrupted(_)) => {}
            _ => store.clear_work()?,
        }
        ended
    }

    /// Lets another version be used, and the one before if that one does not answer.
    fn change(
        &self,
        store: &Store,
        before: &State,
        pending: Pending,
        version: &Version,
        work: &Path,
        step: &mut dyn FnMut(&str) -> Result<(), UpdateError>,
    ) -> Result<Updated, UpdateError> {
        store.remember(&State { pending: Some(pending.clone()), ..before.clone() })?;
        step("remembered")?;
        store.switch(Some(&pending.to))?;
        step("switched")?;
        if let Err(reason) = self.try_out(&store.current_program(), version, work) {
            store.switch(pending.from.as_deref())?;
            step("switched back")?;
            store.remember(&State { pending: None, ..before.clone() })?;
            let back = pending.from.as_deref().and_then(Store::version_of).map(str::to_owned);
            return Err(UpdateError::RolledBack { version: version.clone(), reason, back });
        }
        step("answered")?;
        store.remember(&State { previous: pending.from.clone(), pending: None })?;
        step("confirmed")?;
        store.prune(&[pending.from.as_deref(), Some(&pending.to)])?;
        step("pruned")?;
        let previous = pending.from.as_deref().and_then(Store::version_of);
        Ok(Updated {
            version: version.to_string(),
            previous: previous.map(str::to_owned),
            program: store.current_program(),
        })
    }

    /// Decides about a change that was interrupted: the new version stays if it answers.
    fn recover(
        &self,
        store: &Store,
        step: &mut dyn FnMut(&str) -> Result<(), UpdateError>,
    ) -> Result<State, UpdateError> {
        let state = store.state()?;
        let Some(Pending { from, to }) = state.pending.clone() else { return Ok(state) };
        let mut after = State { pending: None, ..state };
        if store.current().as_ref() == Some(&to) {
            let work = store.work()?;
            let version = Store::version_of(&to).and_then(|version| Version::parse(version).ok());
            let answers = version
                .is_some_and(|version| self.try_out(&store.current_program(), &version, &work).is_ok());
            if answers {
                after.previous = from;
            } else {
                store.switch(from.as_deref())?;
            }
        }
        store.remember(&after)?;
        step("recovered")?;
        Ok(after)
    }

    fn check_release(
        &self,
        release: &Release,
        current: Option<&Path>,
        name: &str,
    ) -> Result<(), UpdateError> {
        let Release { version, architecture } = release;
        if architecture != self.architecture {
            let here = self.architecture.to_owned();
            return Err(UpdateError::Architecture { given: architecture.clone(), here });
        }
        let is_same = current.is_some_and(|target| target.components().any(|part| part.as_os_str() == name));
        let installed = current.and_then(Store::version_of).and_then(|version| Version::parse(version).ok());
        let installed = installed.unwrap_or_else(|| self.version.clone());
        match version.cmp_precedence(&installed) {
            _ if is_same => Err(UpdateError::Installed(version.clone())),
            std::cmp::Ordering::Equal if !self.allow_downgrade => {
                Err(UpdateError::Installed(version.clone()))
            }
            std::cmp::Ordering::Less if !self.allow_downgrade => {
                Err(UpdateError::Downgrade { given: version.clone(), installed })
            }
            _ => Ok(()),
        }
    }

    /// Fetches an archive into the folder, so that nobody changes it after its signature is checked.
    fn fetch(&self, source: &Source, work: &Path) -> Result<File, UpdateError> {
        let path = work.join("archive");
        let failed = UpdateError::store(&path);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let mut file = options.open(&path).map_err(&failed)?;
        let max = self.limits.archive_bytes;
        match source {
            Source::Url(url) => {
                download(url, Bounds { bytes: max, whole: self.limits.download }, &mut file)?;
            }
            Source::File(from) => {
                let from = File::open(from).map_err(UpdateError::Read)?;
                if !from.metadata().map_err(UpdateError::Read)?.is_file() {
                    return Err(UpdateError::Read(io::Error::other("it is no file")));
                }
                let copied = io::copy(&mut from.take(max.saturating_add(1)), &mut file).map_err(&failed)?;
                if copied > max {
                    return Err(UpdateError::Archive(format!("it is longer than {max} bytes")));
                }
            }
        }
        Ok(file)
    }

    fn signature(&self, source: &Source) -> Result<String, UpdateError> {
        let bytes = match source {
            Source::Url(url) => {
                let bounds = Bounds { bytes: MAX_SIGNATURE_BYTES, whole: self.limits.download };
                let mut bytes = Vec::new();
                download(&format!("{url}{SIGNATURE}"), bounds, &mut bytes)?;
                bytes
            }
            Source::File(path) => {
                let mut beside = path.clone().into_os_string();
                beside.push(SIGNATURE);
                let beside = PathBuf::from(beside);
                let named = |error: io::Error| {
                    UpdateError::Read(io::Error::new(error.kind(), format!("{}: {error}", beside.display())))
                };
                read_at_most(&beside, MAX_SIGNATURE_BYTES).map_err(named)?
            }
        };
        String::from_utf8(bytes).map_err(|_| UpdateError::Signature("it is no text".into()))
    }

    fn try_out(&self, program: &Path, version: &Version, work: &Path) -> Result<(), String> {
        let home = tempfile::tempdir_in(work).map_err(|error| format!("no folder to try it in: {error}"))?;
        trial::try_out(program, version, home.path(), self.limits.answer)
    }
}

/// Returns a part of the hash of an archive, which tells two archives of one version apart.
fn hash(archive: &mut File) -> Result<String, UpdateError> {
    use std::fmt::Write as _;
    use std::io::Seek as _;
    archive.rewind().map_err(UpdateError::Read)?;
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        let length = archive.read(&mut buffer).map_err(UpdateError::Read)?;
        match buffer.get(..length) {
            None | Some([]) => break,
            Some(bytes) => hasher.update(bytes),
        }
    }
    Ok(hasher.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    }))
}

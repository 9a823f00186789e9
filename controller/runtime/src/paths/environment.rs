//! [`Environment`]: what decides where files are looked for, and whether a file may be trusted.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The variables that are read.
const VARIABLES: [&str; 7] = [
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "RUNTIME_DIRECTORY",
    "STATE_DIRECTORY",
    "CONFIGURATION_DIRECTORY",
    super::PYTHON_VARIABLE,
];

/// Name of the program's folder below those of the system.
pub(super) const NAME: &str = "minismith";

/// What decides where files are looked for. Tests make one of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// The variables that are set.
    pub variables: BTreeMap<&'static str, OsString>,
    /// The current folder.
    pub current: PathBuf,
    /// The folder of this program.
    pub program: Option<PathBuf>,
    /// The users whose files are trusted: the one that runs the program, and root.
    pub trusted: Vec<u32>,
    /// Configuration of the system: `/etc/minismith`.
    pub etc: PathBuf,
    /// Files of packages that every user shares: `/usr/share/minismith`.
    pub share: PathBuf,
    /// State of a service: `/var/lib/minismith`.
    pub var: PathBuf,
}

impl Environment {
    /// Returns the environment of this process.
    #[must_use]
    pub fn of_this_process() -> Self {
        let set = |name: &'static str| env::var_os(name).map(|value| (name, value));
        let program = env::current_exe().ok();
        Environment {
            variables: VARIABLES.into_iter().filter_map(set).collect(),
            current: env::current_dir().unwrap_or_default(),
            program: program.and_then(|file| file.parent().map(Path::to_owned)),
            trusted: vec![rustix::process::geteuid().as_raw(), 0],
            etc: Path::new("/etc").join(NAME),
            share: Path::new("/usr/share").join(NAME),
            var: Path::new("/var/lib").join(NAME),
        }
    }

    /// Returns the value of a variable that holds a path; none if it is empty.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// Returns the folder in a variable. A relative one is ignored, as the XDG specification asks.
    #[must_use]
    pub fn folder(&self, name: &str) -> Option<PathBuf> {
        self.path(name).filter(|folder| folder.is_absolute())
    }

    /// Returns the first folder that systemd names in a variable, which may hold several with colons between them.
    #[must_use]
    pub fn service_folder(&self, name: &str) -> Option<PathBuf> {
        let all = self.variables.get(name)?;
        env::split_paths(all).next().filter(|folder| folder.is_absolute())
    }

    /// Returns whether a file or folder belongs to a trusted user, and not every user may write it.
    #[must_use]
    pub fn trusts(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|about| is_trusted(about.uid(), about.mode(), &self.trusted))
    }

    /// Returns whether the configuration file of a folder may be used without being named. Its folder counts too, since
    /// what the file leaves out is looked for beside it, and so does the owner of a link.
    #[must_use]
    pub(super) fn trusts_project(&self, folder: &Path, file: &Path) -> bool {
        let is_ours = fs::symlink_metadata(file).is_ok_and(|about| self.trusted.contains(&about.uid()));
        is_ours && self.trusts(file) && self.trusts(folder)
    }

    /// Returns whether a folder is the root of the source tree: it has `Cargo.toml`, `config.yaml` and `tools/sources`,
    /// and a trusted user owns it.
    #[must_use]
    pub fn is_source_tree(&self, folder: &Path) -> bool {
        let marks = folder.join("Cargo.toml").is_file()
            && folder.join("config.yaml").is_file()
            && folder.join("tools/sources").is_dir();
        marks && self.trusts(folder)
    }

    /// Returns the source tree that this program was built in, if it was not moved elsewhere.
    #[must_use]
    pub fn source_tree(&self) -> Option<PathBuf> {
        let above = self.program.as_ref()?.ancestors();
        above.map(Path::to_owned).find(|folder| self.is_source_tree(folder))
    }

    /// Returns the folders that may hold files of a package: two beside the program, then the system's.
    pub(super) fn shared(&self) -> Vec<(PathBuf, &'static str)> {
        let beside = self.program.iter().flat_map(|folder| {
            let above = folder.parent().map(|above| above.join("share").join(NAME));
            [Some(folder.join("share").join(NAME)), above]
        });
        let beside = beside.flatten().map(|folder| (folder, "beside the program"));
        beside.chain([(self.share.clone(), "shared by all users")]).collect()
    }
}

/// Returns whether a file of this owner and mode may decide what runs.
fn is_trusted(owner: u32, mode: u32, trusted: &[u32]) -> bool {
    const WRITABLE_BY_ALL: u32 = 0o002;
    trusted.contains(&owner) && mode & WRITABLE_BY_ALL == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_others_and_files_that_anybody_may_write_are_not_trusted() {
        assert!(is_trusted(1000, 0o100_644, &[1000, 0]) && is_trusted(0, 0o100_664, &[1000, 0]));
        assert!(!is_trusted(1001, 0o100_644, &[1000, 0]));
        assert!(!is_trusted(1000, 0o100_666, &[1000, 0]) && !is_trusted(0, 0o40_777, &[1000, 0]));
    }
}

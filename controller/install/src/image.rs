//! [`OfficialImage`]: what of the official software starts the daemon on this computer, and its version.
//!
//! Source: pollen-robotics/reachy_mini at 70a7c0b, `src/reachy_mini/daemon/app/services/` (units and launchers) and
//! `src/reachy_mini/utils/wireless_version/startup_check.py` (what is rewritten at each start).

use std::collections::BTreeSet;

use super::tree::{Entry, Tree, TreeError};
use super::units::{Unit, is_name};

/// The unit of the official daemon.
pub const DAEMON: &str = "reachy-mini-daemon.service";

/// Our own unit.
pub const SERVICE: &str = "minismith.service";

/// The folder of units that belong to the administrator. The official software installs its own there.
pub const UNITS: &str = "etc/systemd/system";

/// The folders of units, in the order in which systemd looks for a unit.
const UNIT_FOLDERS: [&str; 4] =
    [UNITS, "usr/local/lib/systemd/system", "usr/lib/systemd/system", "lib/systemd/system"];

/// The virtual environment of the official daemon.
const ENVIRONMENT: &str = "venvs/mini_daemon/lib";

/// What in a command starts the daemon: its launcher, its module, and its entry point.
const STARTERS: [&str; 3] =
    ["services/wireless/launcher.sh", "reachy_mini.daemon.app.main", "/bin/reachy-mini-daemon"];

/// The longest unit file that is read.
const MAX_UNIT_BYTES: u64 = 64 << 10;

/// What the official software has on this computer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfficialImage {
    /// The version of the daemon's package; none if it is not installed.
    pub version: Option<String>,
    /// The units that start the daemon: [`DAEMON`], and copies of it.
    pub starters: Vec<String>,
}

impl OfficialImage {
    /// Looks for it; none if there is no unit of the daemon.
    pub fn find(tree: &Tree) -> Result<Option<Self>, TreeError> {
        if find(tree, DAEMON)?.is_none() {
            return Ok(None);
        }
        let mut names = BTreeSet::new();
        for folder in UNIT_FOLDERS {
            names.extend(tree.names(folder)?.into_iter().filter(|name| is_name(name, ".service")));
        }
        names.remove(DAEMON);
        names.remove(SERVICE);
        let mut starters = vec![DAEMON.to_owned()];
        for name in names {
            if find(tree, &name)?.is_some_and(|unit| starts_daemon(&unit)) {
                starters.push(name);
            }
        }
        Ok(Some(OfficialImage { version: version(tree)?, starters }))
    }

    /// Returns whether this version of the official software was looked at.
    pub fn is_known(&self) -> bool {
        self.version.as_deref().is_some_and(|version| version.starts_with("1."))
    }
}

/// Reads a unit: the first in the folders of units. One that is masked has no assignments.
pub fn find(tree: &Tree, name: &str) -> Result<Option<Unit>, TreeError> {
    for folder in UNIT_FOLDERS {
        let path = format!("{folder}/{name}");
        match tree.entry(&path)? {
            Entry::Missing | Entry::Folder => {}
            Entry::Link(target) if target == "/dev/null" => return Ok(Some(Unit::default())),
            Entry::Link(_) | Entry::File => {
                if let Some(text) = tree.read(&path, MAX_UNIT_BYTES)? {
                    return Ok(Some(Unit::parse(&text)));
                }
            }
        }
    }
    Ok(None)
}

/// Returns the path of a unit's file, as a link to it names it.
pub fn path_of(tree: &Tree, name: &str) -> Result<Option<String>, TreeError> {
    for folder in UNIT_FOLDERS {
        if matches!(tree.entry(&format!("{folder}/{name}"))?, Entry::Link(_) | Entry::File) {
            return Ok(Some(format!("/{folder}/{name}")));
        }
    }
    Ok(None)
}

fn starts_daemon(unit: &Unit) -> bool {
    let is_start = |command: &str| {
        !command.contains("systemctl") && STARTERS.iter().any(|starter| command.contains(starter))
    };
    unit.values("Service", "ExecStart").into_iter().any(is_start)
}

/// Reads the version from the folder that pip makes for the package.
fn version(tree: &Tree) -> Result<Option<String>, TreeError> {
    for python in tree.names(ENVIRONMENT)?.iter().filter(|name| name.starts_with("python3")) {
        for name in tree.names(&format!("{ENVIRONMENT}/{python}/site-packages"))? {
            let version = name.strip_prefix("reachy_mini-").and_then(|rest| rest.strip_suffix(".dist-info"));
            if let Some(version) = version {
                return Ok(Some(version.to_owned()));
            }
        }
    }
    Ok(None)
}

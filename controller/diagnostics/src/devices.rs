//! Finds devices that this user may or may not open, and the capabilities of this process.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access as Permission, access};
use rustix::process::{getegid, getgroups};

/// One device: a serial port, a camera, a sound card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Port {
    pub path: PathBuf,
    /// Whether this user may read and write it.
    pub open_to_me: bool,
    /// The name of its group, if it has one.
    pub group: Option<String>,
    /// Whether this process is in that group.
    pub in_group: bool,
}

/// Returns the devices in a folder whose names begin like this, ordered by name.
pub(super) fn devices(folder: &Path, starts: &[&str]) -> Vec<Port> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        starts.iter().any(|start| name.starts_with(start))
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_one).collect();
    paths.sort();
    paths.into_iter().map(port).collect()
}

/// Examines one device.
pub(super) fn port(path: PathBuf) -> Port {
    let owner = fs::metadata(&path).map(|metadata| metadata.gid()).ok();
    let mine: Vec<u32> =
        getgroups().unwrap_or_default().into_iter().chain([getegid()]).map(|group| group.as_raw()).collect();
    Port {
        open_to_me: access(&path, Permission::READ_OK | Permission::WRITE_OK).is_ok(),
        group: owner.and_then(|id| group_name(&fs::read_to_string("/etc/group").unwrap_or_default(), id)),
        in_group: owner.is_some_and(|id| mine.contains(&id)),
        path,
    }
}

/// Returns whether this process has the capability with this bit.
pub(super) fn capable(status: &str, bit: u32) -> bool {
    status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .is_some_and(|set| set >> bit & 1 == 1)
}

/// Returns the name that `/etc/group` gives to this id.
pub(super) fn group_name(groups: &str, id: u32) -> Option<String> {
    groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(id)).then(|| name.to_owned())
    })
}

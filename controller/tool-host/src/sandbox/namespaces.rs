//! Namespaces of the zygote: an empty read-only root, no network, no other processes, no host name.
//!
//! They are created once, and guests inherit them. Root creates them directly. Another user needs a user namespace of its own.

use std::fs;
use std::io::{Error, Result};

use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;

use crate::process;

/// Host name inside.
const HOST_NAME: &[u8] = b"stage";

/// Enters new namespaces. The next forked process is the first of the new process namespace.
pub fn leave() -> Result<()> {
    leave_some(
        UnshareFlags::NEWNS
            | UnshareFlags::NEWPID
            | UnshareFlags::NEWNET
            | UnshareFlags::NEWIPC
            | UnshareFlags::NEWUTS,
    )
}

/// Enters some new namespaces.
pub fn leave_some(flags: UnshareFlags) -> Result<()> {
    match process::unshare(flags) {
        Err(Errno::PERM) => leave_in_user_namespace(flags)?,
        other => other?,
    }
    if flags.contains(UnshareFlags::NEWUTS) {
        rustix::system::sethostname(HOST_NAME)?;
    }
    Ok(())
}

fn leave_in_user_namespace(flags: UnshareFlags) -> Result<()> {
    let (user, group) = (geteuid(), getegid());
    process::unshare(flags | UnshareFlags::NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1", user = user.as_raw()))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1", group = group.as_raw()))
}

/// Replaces the root with an empty read-only one. Everything needed later is already in memory.
pub fn empty_root() -> Result<()> {
    // Keep the new mounts invisible to the host.
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let mount_point = ["/tmp", "/var", "/usr"]
        .into_iter()
        .find(|mount_point| fs::metadata(mount_point).is_ok_and(|it| it.is_dir()));
    let mount_point = mount_point.ok_or_else(|| Error::other("no directory to mount on"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("none", mount_point, "tmpfs", flags, c"size=4k,nr_inodes=2,mode=0555")?;
    rustix::process::chdir(mount_point)?;
    rustix::process::pivot_root(".", ".")?;
    // The old root now covers the new one. The current directory is still the new one.
    rustix::mount::unmount(".", UnmountFlags::DETACH)?;
    rustix::process::chdir("/")?;
    Ok(rustix::mount::mount_remount("/", flags | MountFlags::RDONLY, "")?)
}

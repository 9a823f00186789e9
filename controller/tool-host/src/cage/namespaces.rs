//! The zygote's own namespaces: an empty read-only root, no network, no other processes, no name of the machine.
//!
//! They are made once, and guests inherit them. Root makes them as itself; anybody else needs a user namespace, in
//! which that user is alone.

use std::fs;
use std::io::{Error, Result};

use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;

use crate::process;

/// What the machine is called inside.
const NAME: &[u8] = b"stage";

/// Leaves the common namespaces. The process that is forked next is the first of the new process namespace.
pub fn leave() -> Result<()> {
    leave_some(
        UnshareFlags::NEWNS
            | UnshareFlags::NEWPID
            | UnshareFlags::NEWNET
            | UnshareFlags::NEWIPC
            | UnshareFlags::NEWUTS,
    )
}

/// Leaves some of them.
pub fn leave_some(flags: UnshareFlags) -> Result<()> {
    match process::unshare(flags) {
        Err(Errno::PERM) => leave_as_anybody(flags)?,
        other => other?,
    }
    if flags.contains(UnshareFlags::NEWUTS) {
        rustix::system::sethostname(NAME)?;
    }
    Ok(())
}

fn leave_as_anybody(flags: UnshareFlags) -> Result<()> {
    let (user, group) = (geteuid(), getegid());
    process::unshare(flags | UnshareFlags::NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1", user = user.as_raw()))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1", group = group.as_raw()))
}

/// Exchanges the root for an empty one that nobody can write to. Everything that will be needed is in memory by now.
pub fn empty_root() -> Result<()> {
    // The machine must not see what is mounted here.
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let place =
        ["/tmp", "/var", "/usr"].into_iter().find(|place| fs::metadata(place).is_ok_and(|it| it.is_dir()));
    let place = place.ok_or_else(|| Error::other("no directory to mount on"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("none", place, "tmpfs", flags, c"size=4k,nr_inodes=2,mode=0555")?;
    rustix::process::chdir(place)?;
    rustix::process::pivot_root(".", ".")?;
    // The old root now lies over the new one; the present directory is the new one still.
    rustix::mount::unmount(".", UnmountFlags::DETACH)?;
    rustix::process::chdir("/")?;
    Ok(rustix::mount::mount_remount("/", flags | MountFlags::RDONLY, "")?)
}

//! Forking, and what only a freshly forked process may do.
//!
//! The unsafe code here is sound because this program has one thread (the zygote asserts it before it first forks with
//! an interpreter inside), so a forked child owns a consistent copy of everything, and because descriptors are
//! replaced by number only in a child that keeps nothing but the numbers that it has just placed.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use pyo3::ffi;
use rustix::process::Pid;

/// The guest's channel to the controller.
pub const CHANNEL: i32 = 3;
/// Where a guest says that its cage is closed; shut afterwards.
pub const REPORT: i32 = 4;

/// Which side of a fork this is.
pub enum Fork {
    /// The parent, and its new child.
    Parent(Pid),
    /// The child.
    Child,
}

/// Forks a process in which Python does not run yet, or never will.
pub fn fork() -> io::Result<Fork> {
    // SAFETY: one thread, so no lock of another thread is copied in a held state.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        pid => {
            Pid::from_raw(pid).map(Fork::Parent).ok_or_else(|| io::Error::other("fork gave no process id"))
        }
    }
}

/// Forks with a running interpreter; the caller is attached to it on both sides.
pub fn fork_python(_py: pyo3::Python<'_>) -> io::Result<Fork> {
    // SAFETY: the caller is attached, as the token shows; each of the three is called on its own side of the fork.
    unsafe { ffi::PyOS_BeforeFork() };
    let forked = fork();
    match &forked {
        // SAFETY: as above.
        Ok(Fork::Child) => unsafe { ffi::PyOS_AfterFork_Child() },
        // SAFETY: as above.
        Ok(Fork::Parent(_)) | Err(_) => unsafe { ffi::PyOS_AfterFork_Parent() },
    }
    forked
}

/// Ends this process at once: no destructors, no flushing, no Python.
pub fn leave(code: i32) -> ! {
    // SAFETY: `_exit` has no conditions.
    unsafe { libc::_exit(code) }
}

/// In a child: puts `/dev/null` on 0, 1 and 2, the channel on 3, the report on 4, and closes everything else.
pub fn keep_only(channel: &impl AsFd, report: &impl AsFd) -> io::Result<()> {
    let places = [
        (0, libc::STDOUT_FILENO),
        (0, libc::STDERR_FILENO),
        (channel.as_fd().as_raw_fd(), CHANNEL),
        (report.as_fd().as_raw_fd(), REPORT),
    ];
    for (from, to) in places {
        // SAFETY: both sides are numbers of descriptors; what `to` was is never used again in this process. Received
        // descriptors lie above 3, so that the channel is not overwritten before it is placed.
        if from != to && unsafe { libc::dup2(from, to) } == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    // SAFETY: nothing above `REPORT` is used again in this process; owners there are forgotten, not dropped, because
    // a guest ends by `leave`.
    if unsafe { libc::syscall(libc::SYS_close_range, REPORT + 1, u32::MAX, 0) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// The descriptor that [`keep_only`] has placed as the channel. Called once in a guest.
pub fn channel() -> std::fs::File {
    // SAFETY: in a guest, `CHANNEL` is open and owned by nobody else.
    unsafe { std::os::fd::FromRawFd::from_raw_fd(CHANNEL) }
}

/// The descriptor that [`keep_only`] has placed as the report. Called once in a guest.
pub fn report() -> std::fs::File {
    // SAFETY: in a guest, `REPORT` is open and owned by nobody else.
    unsafe { std::os::fd::FromRawFd::from_raw_fd(REPORT) }
}

/// Leaves the namespaces named by `flags`; see [`crate::cage::namespaces`].
pub fn unshare(flags: rustix::thread::UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: only `FILES` is unsafe to unshare, and it is never among the flags.
    unsafe { rustix::thread::unshare_unsafe(flags - rustix::thread::UnshareFlags::FILES) }
}

/// How a child ended, its processor seconds and the most memory that it held.
pub struct Ended {
    /// The status as `waitpid` gives it.
    pub status: i32,
    /// User and system seconds.
    pub cpu_seconds: f64,
    /// Peak resident bytes.
    pub peak_bytes: u64,
}

/// Waits for a child.
pub fn wait(pid: i32) -> io::Result<Ended> {
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which zero is a value; both pointers are valid for the call.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    while unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) } == -1 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    #[allow(clippy::cast_precision_loss)]
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    Ok(Ended {
        status,
        cpu_seconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peak_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024),
    })
}

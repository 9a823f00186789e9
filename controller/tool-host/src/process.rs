//! Forking, what only a freshly forked process may do, and the bare system calls that attempts on the cage make.
//!
//! The unsafe code here is sound because this program has one thread (the zygote asserts it before it first forks with
//! an interpreter inside), so a forked child owns a consistent copy of everything, because descriptors are replaced
//! by number only in a child that keeps nothing but the numbers that it has just placed, and because the bare calls
//! are made in throw-away children and hand over no pointers but to texts that outlive them.

use std::ffi::CStr;
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

#[allow(clippy::cast_precision_loss)]
fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}

/// Ends this process at once: no destructors, no flushing, no Python.
pub fn leave(code: i32) -> ! {
    // SAFETY: `_exit` has no conditions.
    unsafe { libc::_exit(code) }
}

/// In a child: puts `/dev/null`, which standard input is, on 1 and 2 as well.
pub fn hush() -> io::Result<()> {
    place(libc::STDIN_FILENO, libc::STDOUT_FILENO)?;
    place(libc::STDIN_FILENO, libc::STDERR_FILENO)
}

/// In a child: puts the channel on 3 and the report on 4.
pub fn keep(channel: &impl AsFd, report: &impl AsFd) -> io::Result<()> {
    // The control socket and the zygote's accounting lie on 3 and 4, so that neither is overwritten before it is placed.
    place(channel.as_fd().as_raw_fd(), CHANNEL)?;
    place(report.as_fd().as_raw_fd(), REPORT)
}

fn place(from: i32, to: i32) -> io::Result<()> {
    // SAFETY: both sides are numbers of descriptors; what `to` was is never used again in this process.
    if from != to && unsafe { libc::dup2(from, to) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// In a child: closes everything above the report.
pub fn close_others() -> io::Result<()> {
    // SAFETY: nothing above `REPORT` is used again in this process; owners there are forgotten, not dropped, because
    // a guest ends by `leave`.
    checked(unsafe { libc::syscall(libc::SYS_close_range, REPORT + 1, u32::MAX, 0) })
}

/// Forgets every environment variable. What Python has copied of them it keeps.
pub fn clear_environment() -> io::Result<()> {
    // SAFETY: one thread, and nobody holds a pointer into the environment.
    checked(unsafe { libc::clearenv() }.into())
}

fn checked(status: libc::c_long) -> io::Result<()> {
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The descriptor that [`keep`] has placed as the channel. Called once in a guest.
pub fn channel() -> std::fs::File {
    // SAFETY: in a guest, `CHANNEL` is open and owned by nobody else.
    unsafe { std::os::fd::FromRawFd::from_raw_fd(CHANNEL) }
}

/// The descriptor that [`keep`] has placed as the report. Called once in a guest.
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
    Ok(Ended {
        status,
        cpu_seconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peak_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024),
    })
}

/// Whether a child has ended; then it is buried.
pub fn has_ended(pid: i32) -> io::Result<bool> {
    // SAFETY: the kernel is asked for no status.
    match unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) } {
        -1 => Err(io::Error::last_os_error()),
        ended => Ok(ended != 0),
    }
}

/// Becomes another program; the error says why not.
pub fn execute(program: &CStr, arguments: &[&CStr], environment: &[&CStr]) -> io::Error {
    let list = |texts: &[&CStr]| -> Vec<*const libc::c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (arguments, environment) = (list(arguments), list(environment));
    // SAFETY: the texts and the lists, each with its null at the end, outlive the call.
    unsafe {
        libc::syscall(libc::SYS_execve, program.as_ptr(), arguments.as_ptr(), environment.as_ptr());
    }
    io::Error::last_os_error()
}

/// Makes the signal of a file that is too big an error of the call.
pub fn ignore_file_size_signal() {
    // SAFETY: ignoring a signal runs no code.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Processor seconds that this process has used.
#[cfg(test)]
pub fn processor_seconds() -> f64 {
    // SAFETY: `rusage` is plain numbers, for which zero is a value; the pointer is valid for the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Asks to be traced by the parent.
pub fn be_traced() -> io::Result<()> {
    // SAFETY: this request takes no pointers.
    checked(unsafe { libc::syscall(libc::SYS_ptrace, libc::PTRACE_TRACEME, 0, 0, 0) })
}

/// Asks for a new process by the newest call, without saying what kind: without a filter the kernel finds the
/// arguments wrong.
pub fn clone_by_nothing() -> io::Result<()> {
    // SAFETY: the kernel reads nothing of a structure of size zero.
    checked(unsafe { libc::syscall(libc::SYS_clone3, 0, 0) })
}

/// Maps a page that is both new and executable.
pub fn executable_page() -> io::Result<()> {
    let rights = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a fresh page at a place of the kernel's choice; nobody uses it.
    let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, rights, kind, -1, 0) };
    if page == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes a fresh page executable after the fact.
pub fn page_made_executable() -> io::Result<()> {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: as above; the page stays as it is when its rights change.
    unsafe {
        let page = libc::mmap(std::ptr::null_mut(), 4096, rights, kind, -1, 0);
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        checked(libc::mprotect(page, 4096, libc::PROT_READ | libc::PROT_EXEC).into())
    }
}

/// A queue of messages of System V, which a namespace of its own hides. It goes when this is dropped.
pub struct Queue(i32);

impl Queue {
    /// Makes one that nobody else may use.
    pub fn new() -> io::Result<Queue> {
        // SAFETY: no pointers.
        match unsafe { libc::msgget(libc::IPC_PRIVATE, 0o600) } {
            -1 => Err(io::Error::last_os_error()),
            queue => Ok(Queue(queue)),
        }
    }

    /// Whether it is there for this process.
    pub fn look(&self) -> io::Result<()> {
        // SAFETY: the structure is plain numbers, and valid for the call.
        let looked = unsafe {
            let mut about: libc::msqid_ds = std::mem::zeroed();
            libc::msgctl(self.0, libc::IPC_STAT, &raw mut about)
        };
        checked(looked.into())
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: removing takes no structure.
        unsafe { libc::msgctl(self.0, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}

/// Makes a call in the manner of 32-bit programs, whose numbers mean other calls.
#[cfg(target_arch = "x86_64")]
pub fn call_as_32_bit() {
    // SAFETY: number 20 is `getpid` there; it has no arguments, and changes nothing but the register of its result.
    unsafe { std::arch::asm!("int 0x80", inout("eax") 20 => _, options(nostack)) };
}

/// Makes a call with the bit that marks numbers of the x32 manner.
#[cfg(target_arch = "x86_64")]
pub fn call_as_x32() -> io::Result<()> {
    const MARK: libc::c_long = 0x4000_0000;
    // SAFETY: `getpid` has no arguments.
    match unsafe { libc::syscall(MARK | libc::SYS_getpid) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

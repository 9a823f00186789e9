//! Forks, operations for newly forked processes, and raw system calls for the self-tests of the sandbox.
//!
//! The unsafe code is sound for these reasons:
//!
//! * This program has one thread, which the zygote asserts before its first fork with an interpreter. A forked child therefore
//!   owns a consistent copy of everything.
//! * Only a child replaces descriptors by number, and it uses no others than those it has just placed.
//! * The raw calls run in disposable children, and pass no pointers except to strings that outlive them.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd};

use pyo3::ffi;
use rustix::process::Pid;

/// The guest's channel to the controller.
pub const CHANNEL: i32 = 3;
/// Descriptor on which a guest reports that its sandbox is active. It is closed afterwards.
pub const REPORT: i32 = 4;

/// Side of a fork.
pub enum Fork {
    /// The parent, with its new child.
    Parent(Pid),
    /// The child.
    Child,
}

/// Forks a process in which Python does not run.
pub fn fork() -> io::Result<Fork> {
    // SAFETY: there is one thread, so no lock is copied while another thread holds it.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        pid => {
            Pid::from_raw(pid).map(Fork::Parent).ok_or_else(|| io::Error::other("fork gave no process id"))
        }
    }
}

/// Forks with a running interpreter. The caller is attached on both sides.
pub fn fork_python(_py: pyo3::Python<'_>) -> io::Result<Fork> {
    // SAFETY: the token shows that the caller is attached. Each function is called on its own side of the fork.
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

/// Exits at once, without destructors, flushing or Python.
pub fn leave(code: i32) -> ! {
    // SAFETY: `_exit` has no conditions.
    unsafe { libc::_exit(code) }
}

/// In a child: redirects 1 and 2 to standard input, which is `/dev/null`.
pub fn hush() -> io::Result<()> {
    move_descriptor(libc::STDIN_FILENO, libc::STDOUT_FILENO)?;
    move_descriptor(libc::STDIN_FILENO, libc::STDERR_FILENO)
}

/// In a child: moves the channel to 3 and the report to 4.
pub fn keep(channel: &impl AsFd, report: &impl AsFd) -> io::Result<()> {
    // The control socket and the zygote's statistics are on 3 and 4, so neither argument is overwritten before it is moved.
    move_descriptor(channel.as_fd().as_raw_fd(), CHANNEL)?;
    move_descriptor(report.as_fd().as_raw_fd(), REPORT)
}

fn move_descriptor(from: i32, to: i32) -> io::Result<()> {
    // SAFETY: both are descriptor numbers. This process never uses the old `to` again.
    if from != to && unsafe { libc::dup2(from, to) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// In a child: closes everything above the report.
pub fn close_others() -> io::Result<()> {
    // SAFETY: this process uses nothing above `REPORT` again. Owners are never dropped, because a guest ends with `leave`.
    check_status(unsafe { libc::syscall(libc::SYS_close_range, REPORT + 1, u32::MAX, 0) })
}

/// Closes everything from this number on, before anything else was opened.
pub fn close_from(first: u32) -> io::Result<()> {
    // SAFETY: the caller owns no descriptor above the standard ones yet.
    check_status(unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) })
}

/// Returns another descriptor of standard input, for writing to the socket there.
pub fn standard_input() -> io::Result<std::fs::File> {
    Ok(rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 3)?.into())
}

/// Yields the processor to every other process.
pub fn be_idle() -> io::Result<()> {
    let lowest = libc::sched_param { sched_priority: 0 };
    // SAFETY: the pointer is valid for the call.
    check_status(unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const lowest) }.into())
}

/// Returns whether it does.
pub fn is_idle() -> io::Result<bool> {
    // SAFETY: the call takes no pointers.
    match unsafe { libc::sched_getscheduler(0) } {
        -1 => Err(io::Error::last_os_error()),
        policy => Ok(policy == libc::SCHED_IDLE),
    }
}

/// Becomes another program, with this process's environment. It returns only on failure, with the error.
pub fn become_program(words: &[String]) -> io::Error {
    let words: Result<Vec<CString>, _> = words.iter().map(|word| CString::new(word.as_str())).collect();
    let environment = std::env::vars_os().map(|(name, value)| {
        let mut entry = name.into_encoded_bytes();
        entry.push(b'=');
        entry.extend(value.into_encoded_bytes());
        CString::new(entry)
    });
    let environment: Result<Vec<CString>, _> = environment.collect();
    match (words, environment) {
        (Ok(words), Ok(environment)) => {
            let words: Vec<&CStr> = words.iter().map(CString::as_c_str).collect();
            let environment: Vec<&CStr> = environment.iter().map(CString::as_c_str).collect();
            match words.first() {
                Some(program) => execute(program, &words, &environment),
                None => io::Error::other("no program is named"),
            }
        }
        (Err(error), _) | (_, Err(error)) => io::Error::other(error),
    }
}

/// Clears the environment. Python keeps its own copies.
pub fn clear_environment() -> io::Result<()> {
    // SAFETY: there is one thread and no pointer into the environment.
    check_status(unsafe { libc::clearenv() }.into())
}

fn check_status(status: libc::c_long) -> io::Result<()> {
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the channel that [`keep`] placed. Called once in a guest.
pub fn channel() -> std::fs::File {
    // SAFETY: in a guest, `CHANNEL` is open and has no other owner.
    unsafe { std::os::fd::FromRawFd::from_raw_fd(CHANNEL) }
}

/// Returns the report that [`keep`] placed. Called once in a guest.
pub fn report() -> std::fs::File {
    // SAFETY: in a guest, `REPORT` is open and has no other owner.
    unsafe { std::os::fd::FromRawFd::from_raw_fd(REPORT) }
}

/// Enters new namespaces. See [`crate::sandbox::namespaces`].
pub fn unshare(flags: rustix::thread::UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: only `FILES` is unsafe to unshare, and it is removed here.
    unsafe { rustix::thread::unshare_unsafe(flags - rustix::thread::UnshareFlags::FILES) }
}

/// Exit status and resource usage of a child.
pub struct Ended {
    /// Status from `waitpid`.
    pub status: i32,
    /// User and system CPU time in seconds.
    pub cpu_seconds: f64,
    /// Peak resident bytes.
    pub peak_bytes: u64,
}

/// Waits for a child.
pub fn wait(pid: i32) -> io::Result<Ended> {
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which zero is valid. Both pointers are valid for the call.
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

/// Returns whether a child has exited, and reaps it then.
pub fn has_ended(pid: i32) -> io::Result<bool> {
    // SAFETY: the kernel writes no status.
    match unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) } {
        -1 => Err(io::Error::last_os_error()),
        ended => Ok(ended != 0),
    }
}

/// Executes another program. It returns only on failure, with the error.
pub fn execute(program: &CStr, arguments: &[&CStr], environment: &[&CStr]) -> io::Error {
    let list = |texts: &[&CStr]| -> Vec<*const libc::c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (arguments, environment) = (list(arguments), list(environment));
    // SAFETY: the strings and the null-terminated lists outlive the call.
    unsafe {
        libc::syscall(libc::SYS_execve, program.as_ptr(), arguments.as_ptr(), environment.as_ptr());
    }
    io::Error::last_os_error()
}

/// Turns the signal for an oversized file into an error of the call.
pub fn ignore_file_size_signal() {
    // SAFETY: ignoring a signal runs no code.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Returns the CPU time of this process in seconds.
#[cfg(test)]
pub fn processor_seconds() -> f64 {
    // SAFETY: `rusage` is plain numbers, for which zero is valid. The pointer is valid for the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Requests tracing by the parent.
pub fn be_traced() -> io::Result<()> {
    // SAFETY: this request takes no pointers.
    check_status(unsafe { libc::syscall(libc::SYS_ptrace, libc::PTRACE_TRACEME, 0, 0, 0) })
}

/// Calls clone3 with an empty request. Without a filter the kernel rejects the arguments.
pub fn clone_by_nothing() -> io::Result<()> {
    // SAFETY: the kernel reads nothing from a structure of size zero.
    check_status(unsafe { libc::syscall(libc::SYS_clone3, 0, 0) })
}

/// Maps a page that is both new and executable.
pub fn executable_page() -> io::Result<()> {
    let rights = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new page at an address of the kernel's choice, without a user.
    let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, rights, kind, -1, 0) };
    if page == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes a new page executable afterwards.
pub fn page_made_executable() -> io::Result<()> {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: as above. The contents stay unchanged when the protection changes.
    unsafe {
        let page = libc::mmap(std::ptr::null_mut(), 4096, rights, kind, -1, 0);
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        check_status(libc::mprotect(page, 4096, libc::PROT_READ | libc::PROT_EXEC).into())
    }
}

/// A System V message queue, which another namespace does not see. Dropping it removes it.
pub struct Queue(i32);

impl Queue {
    /// Creates a private queue.
    pub fn new() -> io::Result<Queue> {
        // SAFETY: no pointers.
        match unsafe { libc::msgget(libc::IPC_PRIVATE, 0o600) } {
            -1 => Err(io::Error::last_os_error()),
            queue => Ok(Queue(queue)),
        }
    }

    /// Checks that the queue is visible to this process.
    pub fn look(&self) -> io::Result<()> {
        // SAFETY: the structure is plain numbers, and valid for the call.
        let looked = unsafe {
            let mut about: libc::msqid_ds = std::mem::zeroed();
            libc::msgctl(self.0, libc::IPC_STAT, &raw mut about)
        };
        check_status(looked.into())
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: removal takes no structure.
        unsafe { libc::msgctl(self.0, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}

/// Makes a system call with the 32-bit convention, in which the numbers denote other calls.
#[cfg(target_arch = "x86_64")]
pub fn call_as_32_bit() {
    // SAFETY: number 20 is `getpid` in that convention. It takes no arguments and changes only the result register.
    unsafe { std::arch::asm!("int 0x80", inout("eax") 20 => _, options(nostack)) };
}

/// Makes a system call with the bit that marks x32 numbers.
#[cfg(target_arch = "x86_64")]
pub fn call_as_x32() -> io::Result<()> {
    const X32_BIT: libc::c_long = 0x4000_0000;
    // SAFETY: `getpid` takes no arguments.
    match unsafe { libc::syscall(X32_BIT | libc::SYS_getpid) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

//! Forbidden actions for the self-tests of the sandbox. Each prepares its resources, applies a mechanism and then does what
//! that forbids.

use std::fs::File;
use std::io::{self, Error, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::os::fd::AsFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketType};
use rustix::process::{DumpableBehavior, PidfdFlags, PidfdGetfdFlags, Signal};
use rustix::thread::Uid;

use super::{Open, become_nobody};
use crate::process::{self, Fork};

/// Memory limit in bytes for the test, which requests four times as much.
pub const SMALL_BYTES: usize = 64 << 20;

/// Applies the mechanism, or does nothing.
pub type Close<'a> = &'a dyn Fn() -> Result<(), Open>;

/// Performs a forbidden action. It returns `Ok` when the action succeeded.
pub type ForbiddenAction = fn(Close<'_>) -> Result<(), Failure>;

/// Reports why an action did not succeed.
pub enum Failure {
    /// The mechanism cannot be applied.
    Open(Open),
    /// The action itself detects that it was stopped, and how.
    Held(String),
    /// The system refused. The error tells whether this mechanism did.
    Failed(Error),
}

impl From<Open> for Failure {
    fn from(open: Open) -> Self {
        Failure::Open(open)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Failed(error)
    }
}

impl From<Errno> for Failure {
    fn from(error: Errno) -> Self {
        Failure::Failed(error.into())
    }
}

/// A local port without a listener. A refused connection counts as success.
const CLOSED_PORT: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 9);

pub fn connect(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    match TcpStream::connect(CLOSED_PORT) {
        Err(error) if error.kind() != ErrorKind::ConnectionRefused => Err(error.into()),
        _ => Ok(()),
    }
}

pub fn bind(close: Close<'_>) -> Result<(), Failure> {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None)?;
    close()?;
    // Any free port, without a listener.
    Ok(rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0))?)
}

pub fn connect_abstract(close: Close<'_>) -> Result<(), Failure> {
    let name = format!("minismith-trial-{:?}", rustix::process::getpid());
    let position = SocketAddr::from_abstract_name(name)?;
    let _listener = UnixListener::bind_addr(&position)?;
    close()?;
    UnixStream::connect_addr(&position)?;
    Ok(())
}

pub fn socket(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    UnixStream::pair()?;
    Ok(())
}

/// Signals from the first process of a new namespace, if there is one.
pub fn signal_outside(close: Close<'_>) -> Result<(), Failure> {
    let outside = rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())?;
    close()?;
    // This signal has no effect on a running process.
    in_kid(|| Ok(rustix::process::pidfd_send_signal(&outside, Signal::CONT)?))
}

pub fn signal_parent(close: Close<'_>) -> Result<(), Failure> {
    let parent = rustix::process::getppid().ok_or_else(|| Error::other("no parent"))?;
    close()?;
    Ok(rustix::process::test_kill_process(parent)?)
}

pub fn signal_self(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    Ok(rustix::process::test_kill_process(rustix::process::getpid())?)
}

pub fn find_queue(close: Close<'_>) -> Result<(), Failure> {
    let queue = match process::Queue::new() {
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            return Err(Failure::Held("this machine has no message queues".into()));
        }
        queue => queue?,
    };
    // Only the child enters the new namespace. The queue belongs to the original one.
    in_kid(|| {
        close().map_err(Error::other)?;
        queue.look()
    })
}

pub fn read_name(close: Close<'_>) -> Result<(), Failure> {
    let outside = rustix::system::uname().nodename().to_owned();
    close()?;
    if rustix::system::uname().nodename() == outside.as_c_str() {
        return Ok(());
    }
    Err(Failure::Held("the name differs inside".into()))
}

pub fn list_root(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    match std::fs::read_dir("/")?.count() {
        0 => Err(Failure::Held("the root is empty".into())),
        _ => Ok(()),
    }
}

/// Writes to the directory for temporary files, or to the root if there is none.
pub fn write_anywhere(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    let temporary = std::env::temp_dir();
    let position = if temporary.is_dir() { temporary.as_path() } else { Path::new("/") };
    let file = position.join(format!("minismith-trial-{:?}", rustix::process::getpid()));
    File::create_new(&file)?;
    Ok(std::fs::remove_file(&file)?)
}

pub fn use_descriptor(close: Close<'_>) -> Result<(), Failure> {
    let before = rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 20)?;
    close()?;
    let used = rustix::io::fcntl_getfd(&before).map(drop);
    // The descriptor may be closed already and must not be closed twice.
    std::mem::forget(before);
    Ok(used?)
}

/// Sets up standard input as in the zygote, and writes to output and error.
pub fn write_to_output(close: Close<'_>) -> Result<(), Failure> {
    rustix::stdio::dup2_stdin(File::options().read(true).write(true).open("/dev/null")?)?;
    let (mut heard, speaker) = io::pipe()?;
    rustix::stdio::dup2_stdout(&speaker)?;
    rustix::stdio::dup2_stderr(&speaker)?;
    drop(speaker);
    close()?;
    rustix::io::write(io::stdout(), b"o")?;
    rustix::io::write(io::stderr(), b"e")?;
    let mut byte = [0];
    match heard.read(&mut byte)? {
        0 => Err(Failure::Held("the output goes nowhere".into())),
        _ => Ok(()),
    }
}

pub fn read_environment(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    match std::env::vars_os().next() {
        None => Err(Failure::Held("the environment is empty".into())),
        Some(_) => Ok(()),
    }
}

pub fn allow_new_privileges(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    if !rustix::thread::no_new_privs()? {
        return Ok(());
    }
    Ok(rustix::thread::set_no_new_privs(false)?)
}

pub fn become_another(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    let another = Uid::from_raw(rustix::process::getuid().as_raw() ^ 1);
    Ok(rustix::thread::set_thread_res_uid(another, another, another)?)
}

pub fn change_root(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    Ok(rustix::process::chroot("/")?)
}

/// Takes a descriptor from a child of the same user, without capabilities. A process that gave up root is not dumpable, so this
/// is reverted first.
pub fn look_into(close: Close<'_>) -> Result<(), Failure> {
    become_nobody()?;
    let (mut reader, report) = io::pipe()?;
    match process::fork()? {
        Fork::Child => {
            let ready =
                rustix::process::set_dumpable_behavior(DumpableBehavior::Dumpable).is_ok() && close().is_ok();
            if ready && (&report).write_all(b".").is_ok() {
                let _ = wait_for_parent();
            }
            process::leave(0)
        }
        Fork::Parent(kid) => {
            drop(report);
            let ready = reader.read_exact(&mut [0]);
            let looked = rustix::process::pidfd_open(kid, PidfdFlags::empty())
                .and_then(|pidfd| rustix::process::pidfd_getfd(pidfd, 0, PidfdGetfdFlags::empty()));
            rustix::process::kill_process(kid, Signal::KILL)?;
            process::wait(kid.as_raw_nonzero().get())?;
            ready?;
            looked?;
            Ok(())
        }
    }
}

/// Tests whether a grandchild outlives its parent.
pub fn outlive(close: Close<'_>) -> Result<(), Failure> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let (mut reader, report) = io::pipe()?;
    let (mut started, start) = io::pipe()?;
    if let Fork::Child = process::fork()? {
        match process::fork() {
            Ok(Fork::Child) => {
                process::leave(i32::from(survive(close, start, &report).is_err()));
            }
            Ok(Fork::Parent(_)) => {
                drop((start, report));
                let _ = started.read(&mut [0]);
                process::leave(0);
            }
            Err(_) => process::leave(1),
        }
    }
    drop((started, start, report));
    let mut text = String::new();
    reader.read_to_string(&mut text)?;
    process::wait(-1)?;
    process::wait(-1)?;
    match text.as_str() {
        "closed" => Err(Failure::Held("killed with the parent".into())),
        "closed and alive" => Ok(()),
        why => Err(Error::other(format!("the grandchild reported {why:?}")).into()),
    }
}

fn survive(close: Close<'_>, mut start: io::PipeWriter, mut report: &io::PipeWriter) -> io::Result<()> {
    match close() {
        Ok(()) => report.write_all(b"closed")?,
        Err(open) => return report.write_all(open.to_string().as_bytes()),
    }
    let parent = parent_descriptor()?;
    start.write_all(b".")?;
    wait_for(&parent, 10)?;
    // The signal arrives shortly after the parent's end.
    let short = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
    poll(&mut [], Some(&short))?;
    report.write_all(b" and alive")
}

fn parent_descriptor() -> io::Result<std::os::fd::OwnedFd> {
    let parent = rustix::process::getppid().ok_or_else(|| Error::other("no parent"))?;
    Ok(rustix::process::pidfd_open(parent, PidfdFlags::empty())?)
}

fn wait_for_parent() -> io::Result<()> {
    wait_for(&parent_descriptor()?, 10)
}

fn wait_for(descriptor: &impl AsFd, seconds: i64) -> io::Result<()> {
    let limit = Timespec { tv_sec: seconds, tv_nsec: 0 };
    poll(&mut [PollFd::new(descriptor, PollFlags::IN)], Some(&limit))?;
    Ok(())
}

pub fn take_memory(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    let mut taken = Vec::<u8>::new();
    let reserved = taken.try_reserve_exact(4 * SMALL_BYTES);
    // The optimizer would remove an unused allocation, and the test with it.
    std::hint::black_box(&taken);
    reserved.map_err(|error| Failure::Held(error.to_string()))
}

#[cfg(test)]
pub fn compute(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    while process::processor_seconds() < 1.5 {}
    Ok(())
}

pub fn write_file(close: Close<'_>) -> Result<(), Failure> {
    let file = rustix::fs::memfd_create("trial", rustix::fs::MemfdFlags::CLOEXEC)?;
    process::ignore_file_size_signal();
    close()?;
    rustix::io::write(&file, b".")?;
    Ok(())
}

pub fn open_many(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    let opened: io::Result<Vec<_>> =
        (0..64).map(|_| Ok(rustix::io::fcntl_dupfd_cloexec(io::stdin(), 0)?)).collect();
    Ok(opened.map(drop)?)
}

/// Forks as an unprivileged user, because the limit does not apply to root.
pub fn fork_as_nobody(close: Close<'_>) -> Result<(), Failure> {
    become_nobody()?;
    fork(close)
}

pub fn open(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    Ok(File::open("/").map(drop)?)
}

pub fn fork(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    in_kid(|| Ok(()))
}

pub fn clone(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    through_to_kernel(process::clone_by_nothing(), &[libc::EINVAL, libc::ENOSYS])
}

pub fn execute(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    let error = process::execute(c"/no/such/program", &[c"program"], &[]);
    through_to_kernel(Err(error), &[libc::ENOENT])
}

pub fn trace(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    Ok(process::be_traced()?)
}

pub fn outlive_by_asking(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    Ok(rustix::process::set_parent_process_death_signal(None)?)
}

pub fn map_executable(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    Ok(process::executable_page()?)
}

pub fn make_executable(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    Ok(process::page_made_executable()?)
}

#[cfg(target_arch = "x86_64")]
pub fn call_as_x32(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    through_to_kernel(process::call_as_x32(), &[libc::ENOSYS])
}

#[cfg(target_arch = "x86_64")]
pub fn call_as_32_bit(close: Close<'_>) -> Result<(), Failure> {
    close()?;
    process::call_as_32_bit();
    Ok(())
}

/// Treats these errors as success: they come from the kernel's own handling of the call.
fn through_to_kernel(tried: io::Result<()>, errors: &[i32]) -> Result<(), Failure> {
    match tried {
        Err(error) if !error.raw_os_error().is_some_and(|number| errors.contains(&number)) => {
            Err(error.into())
        }
        _ => Ok(()),
    }
}

/// Acts in a child, whose exit status is the error number.
fn in_kid(act: impl FnOnce() -> io::Result<()>) -> Result<(), Failure> {
    match process::fork()? {
        Fork::Child => process::leave(act().err().map_or(0, |error| error.raw_os_error().unwrap_or(255))),
        Fork::Parent(kid) => {
            let ended = process::wait(kid.as_raw_nonzero().get())?;
            match libc::WEXITSTATUS(ended.status) {
                0 if libc::WIFEXITED(ended.status) => Ok(()),
                number => Err(Error::from_raw_os_error(number).into()),
            }
        }
    }
}

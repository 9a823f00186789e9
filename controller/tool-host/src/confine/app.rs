//! The sandbox of an app that was made for the official daemon ([`run`]).
//!
//! Unlike a guest, an app is a program with files, threads, processes and sockets of its own. It lives in namespaces: a root
//! with nothing but the system's programs and its own folder, its own processes, and a network in which there is nothing but a
//! socket that the controller serves. So it needs no relay, and the controller knows whose a request is. The other way, the
//! process that waits for the app connects the controller with what the app serves.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use minismith_protocol::app_sandbox::{AppSandbox, CONNECTED, NOT_CONNECTED, PORT};
use minismith_protocol::confinement::Report;
use minismith_protocol::zygote::Mechanism;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::StatVfsMountFlags;
use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use rustix::net::{AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketType};
use rustix::process::{PidfdFlags, Resource, Rlimit, Signal, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};

use super::{Applied, die_with_number, filter};
use crate::process::{self, Fork};
use crate::sandbox::{namespaces, no_new_privileges};

/// What programs read on any machine; what is missing is left out. A link stays a link.
const SYSTEM: [&str; 16] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/alsa",
    "/etc/fonts",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/pulse",
    "/etc/ssl",
    "/etc/asound.conf",
];

/// What an app on this computer's network needs to find other computers.
const NAMES: &str = "/etc/resolv.conf";

const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Folders for the new root while it is made.
const ROOTS: [&str; 6] = ["/mnt", "/media", "/srv", "/opt", "/var", "/tmp"];

/// Processes and threads of an app, descriptors, and megabytes of its temporary files.
const MAX_PROCESSES: u64 = 512;
const MAX_DESCRIPTORS: u64 = 1024;
const TEMPORARY: &std::ffi::CStr = c"size=256m,nr_inodes=16k,mode=1777";

/// The index of the loopback device in a new network.
const LOOPBACK: u32 = 1;

/// A file that exists on every machine and that an app has no use for.
const FORBIDDEN: &str = "/etc/passwd";

/// Makes the sandbox that `json` says, reports to standard input, and runs the app in it to its end.
pub fn run(json: &str) -> ExitCode {
    let mut mechanisms = Vec::new();
    let sandbox: AppSandbox = match serde_json::from_str(json) {
        Ok(sandbox) => sandbox,
        Err(error) => return refuse(mechanisms, format!("it is not JSON: {error}")),
    };
    let listener = match outside(&sandbox, &mut mechanisms) {
        Ok(listener) => listener,
        Err(why) => return refuse(mechanisms, why),
    };
    // Its other end is closed when this process has ended.
    let (alive, parent) = match rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC) {
        Ok(pipe) => pipe,
        Err(error) => return refuse(mechanisms, format!("pipe: {error}")),
    };
    // The first process of the new process namespace: when it ends, the kernel ends all others there.
    match process::fork() {
        Err(error) => refuse(mechanisms, format!("fork: {error}")),
        Ok(Fork::Child) => {
            drop(parent);
            inside(&sandbox, listener.as_ref(), &alive, mechanisms)
        }
        Ok(Fork::Parent(app)) => {
            if sandbox.only_robot {
                connect_on_request(app);
            }
            wait(app)
        }
    }
}

/// Connects the controller with what the app serves, for each port that it asks for, until the app or the controller has ended.
/// This process has the app's network. It cannot have a thread for this, since its children have process numbers of their own.
fn connect_on_request(app: rustix::process::Pid) {
    let Ok(ended) = rustix::process::pidfd_open(app, PidfdFlags::empty()) else { return };
    let requests = std::io::stdin();
    loop {
        let mut watched = [PollFd::new(&ended, PollFlags::IN), PollFd::new(&requests, PollFlags::IN)];
        match rustix::event::poll(&mut watched, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return,
        }
        let [app, _] = &watched;
        if !app.revents().is_empty() || answer_request().is_err() {
            return;
        }
    }
}

fn answer_request() -> Result<()> {
    let mut port = [0; 2];
    // Both bytes are written at once.
    if rustix::io::read(std::io::stdin(), &mut port)? != port.len() {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    match connect(u16::from_be_bytes(port)) {
        Ok(stream) => send(&[CONNECTED], &[stream.as_fd()]),
        Err(_) => send(&[NOT_CONNECTED], &[]),
    }
}

fn connect(port: u16) -> Result<OwnedFd> {
    let stream = stream_socket()?;
    rustix::net::connect(&stream, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))?;
    Ok(stream)
}

fn stream_socket() -> Result<OwnedFd> {
    let flags = rustix::net::SocketFlags::CLOEXEC;
    Ok(rustix::net::socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?)
}

/// Waits for the app, and ends as it did.
fn wait(app: rustix::process::Pid) -> ExitCode {
    // The app has the controller's end of the socket for itself.
    match process::wait(app.as_raw_nonzero().get()) {
        Ok(ended) if libc::WIFEXITED(ended.status) => {
            ExitCode::from(u8::try_from(libc::WEXITSTATUS(ended.status)).unwrap_or(u8::MAX))
        }
        // As a shell says it.
        Ok(ended) => ExitCode::from(u8::try_from(128 + libc::WTERMSIG(ended.status)).unwrap_or(u8::MAX)),
        Err(error) => {
            eprintln!("minismith-tool-host: cannot wait for the app: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Applies a mechanism and remembers it.
fn apply(mechanisms: &mut Vec<Mechanism>, name: &str, applied: Applied) -> std::result::Result<(), String> {
    let enforced = applied.is_ok();
    let detail = applied.unwrap_or_else(|why| why);
    let refusal = if enforced { Ok(()) } else { Err(format!("{name}: {detail}")) };
    mechanisms.push(Mechanism { name: name.into(), enforced, detail });
    refusal
}

/// Makes the namespaces, the network and the files. Returns the listening socket for the controller.
fn outside(
    sandbox: &AppSandbox,
    mechanisms: &mut Vec<Mechanism>,
) -> std::result::Result<Option<OwnedFd>, String> {
    let text = |error: Error| error.to_string();
    process::close_from(3).map_err(text)?;
    let dies = die_with_number(sandbox.parent).map(|()| "it dies with the controller".into());
    apply(mechanisms, "parent_death_signal", dies)?;
    let mut flags = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    if sandbox.only_robot {
        flags |= UnshareFlags::NEWNET;
    }
    let left =
        namespaces::leave_some(flags).map(|()| "files, processes, messages and host name of its own".into());
    apply(mechanisms, "namespaces", left.map_err(text))?;
    let mut listener = None;
    let network = if sandbox.only_robot {
        serve().map(|socket| {
            listener = Some(socket);
            format!("nothing but the robot, at port {PORT}")
        })
    } else {
        Ok("that of this computer, as was granted".into())
    };
    apply(mechanisms, "network", network.map_err(text))?;
    let files = new_root(sandbox).map_err(text).and_then(|()| match File::open(FORBIDDEN) {
        Err(_) => Ok("the system's programs, read-only, and its own folder".into()),
        Ok(_) => Err(format!("{FORBIDDEN} can be opened")),
    });
    apply(mechanisms, "files", files)?;
    Ok(listener)
}

/// Switches on the loopback device, and listens there.
fn serve() -> Result<OwnedFd> {
    let kernel = rustix::net::socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    // RTM_NEWLINK with NLM_F_REQUEST | NLM_F_ACK: a header of 16 bytes, and an `ifinfomsg` that sets IFF_UP.
    let mut request = Vec::with_capacity(32);
    request.extend_from_slice(&32_u32.to_ne_bytes());
    request.extend_from_slice(&16_u16.to_ne_bytes());
    request.extend_from_slice(&5_u16.to_ne_bytes());
    for word in [1_u32, 0, 0, LOOPBACK, 1, 1] {
        request.extend_from_slice(&word.to_ne_bytes());
    }
    rustix::net::send(&kernel, &request, SendFlags::empty())?;
    let mut reply = [0; 64];
    let (length, _) = rustix::net::recv(&kernel, &mut reply, rustix::net::RecvFlags::empty())?;
    // The reply is an error message, whose number follows the header; zero means success.
    match reply.get(16..20).and_then(|word| word.try_into().ok()).map(i32::from_ne_bytes) {
        Some(0) if length >= 20 => {}
        Some(error) => return Err(Error::from_raw_os_error(-error)),
        None => return Err(Error::other("the kernel gave no answer")),
    }
    let socket = stream_socket()?;
    rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, PORT))?;
    rustix::net::listen(&socket, 128)?;
    Ok(socket)
}

/// Replaces the root with one of the app's own.
fn new_root(sandbox: &AppSandbox) -> Result<()> {
    // Keep the new mounts invisible to the host.
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let sources = || {
        sandbox.readable.iter().chain(&sandbox.writable).chain(sandbox.devices.iter().map(|(from, _)| from))
    };
    // The place must not hide what is to be shown.
    let fits =
        |place: &&&str| Path::new(place).is_dir() && !sources().any(|source| source.starts_with(place));
    let root = ROOTS.iter().find(fits).ok_or_else(|| Error::other("no folder for its root"))?;
    let root = Path::new(root);
    rustix::mount::mount(
        "none",
        root,
        "tmpfs",
        MountFlags::NOSUID | MountFlags::NODEV,
        c"size=1m,nr_inodes=4k,mode=0755",
    )?;
    // First, as what is shown may lie below.
    for (folder, options) in [("tmp", TEMPORARY), ("dev/shm", TEMPORARY)] {
        let place = root.join(folder);
        fs::create_dir_all(&place)?;
        rustix::mount::mount("none", &place, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options)?;
    }
    for path in SYSTEM.iter().map(Path::new).chain(sandbox.readable.iter().map(PathBuf::as_path)) {
        show(root, path, path, true)?;
    }
    if !sandbox.only_robot {
        show(root, Path::new(NAMES), Path::new(NAMES), true)?;
    }
    for path in &sandbox.writable {
        show(root, path, path, false)?;
    }
    for path in DEVICES.iter().map(Path::new) {
        bind(root, path, path)?;
    }
    for (from, to) in &sandbox.devices {
        bind(root, from, to)?;
    }
    fs::create_dir_all(root.join("proc"))?;
    rustix::process::chdir(root)?;
    rustix::process::pivot_root(".", ".")?;
    // The old root now covers the new one. The current directory is still the new one.
    rustix::mount::unmount(".", UnmountFlags::DETACH)?;
    rustix::process::chdir("/")?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY;
    Ok(rustix::mount::mount_remount("/", flags, "")?)
}

/// Shows a file or a folder in the new root, or a link as it is; nothing where there is nothing.
fn show(root: &Path, from: &Path, to: &Path, read_only: bool) -> Result<()> {
    let Ok(kind) = fs::symlink_metadata(from).map(|about| about.file_type()) else { return Ok(()) };
    if kind.is_symlink() && from.parent() == Some(Path::new("/")) {
        return symlink(fs::read_link(from)?, inner(root, to));
    }
    if fs::metadata(from).is_err() {
        return Ok(());
    }
    let place = bind(root, from, to)?;
    let mut flags = MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV;
    if read_only {
        flags |= MountFlags::RDONLY;
    }
    // What the system has forbidden for a mount, a user cannot permit.
    let kept = rustix::fs::statvfs(&place)?.f_flag;
    for (held, flag) in [
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
        (StatVfsMountFlags::RDONLY, MountFlags::RDONLY),
    ] {
        if kept.contains(held) {
            flags |= flag;
        }
    }
    Ok(rustix::mount::mount_remount(&place, flags, "")?)
}

fn inner(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// Mounts a file or a folder in the new root, and returns where.
fn bind(root: &Path, from: &Path, to: &Path) -> Result<PathBuf> {
    let place = inner(root, to);
    if fs::metadata(from)?.is_dir() {
        fs::create_dir_all(&place)?;
    } else {
        fs::create_dir_all(place.parent().unwrap_or(root))?;
        // It may be there from a folder that was shown before.
        if fs::symlink_metadata(&place).is_err() {
            File::create(&place)?;
        }
    }
    rustix::mount::mount_bind(from, &place)?;
    Ok(place)
}

/// Becomes the app. It returns only on failure.
fn inside(
    sandbox: &AppSandbox,
    listener: Option<&OwnedFd>,
    parent: &OwnedFd,
    mut mechanisms: Vec<Mechanism>,
) -> ExitCode {
    let ready = restrict(sandbox, parent, &mut mechanisms).and_then(|()| {
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(|error| format!("pipe: {error}"))
    });
    let (printed, prints) = match ready {
        Ok(pipe) => pipe,
        Err(why) => return refuse(mechanisms, why),
    };
    let mut descriptors: Vec<BorrowedFd<'_>> = listener.iter().map(AsFd::as_fd).collect();
    descriptors.push(printed.as_fd());
    if let Err(error) = report(&Report { mechanisms, refusal: None }, &descriptors) {
        eprintln!("minismith-tool-host: cannot report: {error}");
        return ExitCode::FAILURE;
    }
    if let Err(error) = become_app(sandbox, &prints) {
        eprintln!("minismith-tool-host: {error}");
        return ExitCode::FAILURE;
    }
    let error = process::become_program(&sandbox.program);
    eprintln!("minismith-tool-host: cannot execute {:?}: {error}", sandbox.program.first());
    ExitCode::FAILURE
}

fn become_app(sandbox: &AppSandbox, prints: &OwnedFd) -> Result<()> {
    let null = File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(null)?;
    rustix::stdio::dup2_stdout(prints)?;
    rustix::stdio::dup2_stderr(prints)?;
    Ok(rustix::process::chdir(&sandbox.folder)?)
}

fn restrict(
    sandbox: &AppSandbox,
    parent: &OwnedFd,
    mechanisms: &mut Vec<Mechanism>,
) -> std::result::Result<(), String> {
    // With the process that waits for it, and so with the controller.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| error.to_string())?;
    // No signal comes if it had ended before.
    let mut watched = [PollFd::new(parent, PollFlags::IN)];
    if rustix::event::poll(&mut watched, Some(&Timespec::default())) != Ok(0) {
        return Err("the process that waits for it has ended".into());
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    if let Err(error) = rustix::mount::mount("proc", "/proc", "proc", flags, None) {
        // Some containers do not permit it. Most apps do without.
        mechanisms.push(Mechanism {
            name: "proc".into(),
            enforced: true,
            detail: format!("it has no /proc ({error})"),
        });
    }
    apply(mechanisms, "rlimits", limits(sandbox))?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    let without = rustix::thread::set_capabilities(None, sets)
        .map_err(|error| format!("capset: {error}"))
        .and_then(|()| no_new_privileges().map_err(|open| open.to_string()))
        .map(|()| "no capabilities, and no program that it executes has any".into());
    apply(mechanisms, "no_new_privs", without)?;
    apply(mechanisms, "seccomp", without_calls())
}

fn limits(sandbox: &AppSandbox) -> Applied {
    let rows = [
        (Resource::Core, 0),
        (Resource::Fsize, sandbox.file_bytes),
        (Resource::Nofile, MAX_DESCRIPTORS),
        (Resource::Nproc, MAX_PROCESSES),
        (Resource::Memlock, 0),
        (Resource::As, sandbox.memory_bytes),
        // It can't have real-time priority, which the control loop has.
        (Resource::Rtprio, 0),
        (Resource::Nice, 0),
    ];
    for (resource, most) in rows {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
            .map_err(|error| format!("{resource:?}: {error}"))?;
    }
    // Behind everything that moves the robot.
    rustix::process::nice(5).map_err(|error| format!("nice: {error}"))?;
    Ok(format!("at most {} MB of address space, {MAX_PROCESSES} processes", sandbox.memory_bytes >> 20))
}

fn without_calls() -> Applied {
    for program in &filter::compile_app().map_err(|error| error.to_string())? {
        seccompiler::apply_filter(program).map_err(|error| error.to_string())?;
    }
    if rustix::net::socket(AddressFamily::NETLINK, SocketType::RAW, None).is_ok() {
        return Err("a socket to the kernel could be made".into());
    }
    if rustix::process::chroot("/").is_ok() {
        return Err("the root could be changed".into());
    }
    Ok("no changes to the system, no tracing, no sockets but Unix and Internet".into())
}

fn refuse(mechanisms: Vec<Mechanism>, why: String) -> ExitCode {
    // Without the socket there is no one to tell.
    let _told = report(&Report { mechanisms, refusal: Some(why) }, &[]);
    ExitCode::FAILURE
}

/// Sends the report with these descriptors.
fn report(report: &Report, descriptors: &[BorrowedFd<'_>]) -> Result<()> {
    send(format!("{}\n", serde_json::to_string(report)?).as_bytes(), descriptors)
}

/// Sends bytes to the controller, with these descriptors.
fn send(bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut attached = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        attached.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    rustix::net::sendmsg(std::io::stdin(), &[IoSlice::new(bytes)], &mut attached, SendFlags::NOSIGNAL)?;
    Ok(())
}

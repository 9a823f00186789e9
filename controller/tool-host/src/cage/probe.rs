//! Tries, in throw-away children, what each mechanism forbids, and decides by that how guests are caged.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

use minismith_wire::Limits;
use minismith_wire::zygote::{Level, Mechanism};
use rustix::process::Signal;
use rustix::thread::Uid;
use seccompiler::BpfProgram;

use super::{Open, become_nobody, die_with, limits, no_new_privileges, ruleset};
use crate::process::{self, Fork};

/// Without these no tool is run at all.
const NEEDED: [&str; 5] = ["no_new_privs", "user", "parent_death_signal", "rlimits", "seccomp"];

/// What one attempt showed: how it was stopped, or how it got through.
type Shown = Result<String, String>;

/// Tries everything. `own_namespaces` says how leaving the common ones went, where that was tried.
pub fn all(
    own_namespaces: Result<(), String>,
    address_space: &limits::AddressSpace,
    program: &BpfProgram,
) -> Vec<Mechanism> {
    let shut_out = |attempt: fn() -> Shown| own_namespaces.clone().and_then(|()| in_child(attempt));
    let base = address_space.now().map_err(|error| error.to_string());
    [
        ("namespaces", shut_out(network)),
        ("pivot_root", shut_out(files)),
        ("no_new_privs", in_child(privileges)),
        ("user", in_child(user)),
        ("parent_death_signal", in_child(parent_death)),
        ("rlimits", base.and_then(|base| in_child(|| memory(base)))),
        ("landlock", in_child(rules)),
        ("seccomp", in_child(|| calls(program))),
    ]
    .map(|(name, shown)| Mechanism {
        name: name.to_owned(),
        enforced: shown.is_ok(),
        detail: shown.unwrap_or_else(|open| open),
    })
    .into()
}

/// The level that these mechanisms are worth; an error when they are worth nothing.
pub fn level(mechanisms: &[Mechanism], at_most: Level) -> Result<Level, String> {
    let enforced = |name: &str| mechanisms.iter().any(|it| it.name == name && it.enforced);
    if let Some(missing) = mechanisms.iter().find(|it| NEEDED.contains(&it.name.as_str()) && !it.enforced) {
        return Err(format!(
            "tools can't be caged here: {} does not hold ({}). Run on a Linux kernel with seccomp, outside of \
             emulators and of containers that forbid it",
            missing.name, missing.detail
        ));
    }
    let best = if enforced("namespaces") && enforced("pivot_root") {
        Level::Namespaces
    } else if enforced("landlock") {
        Level::Landlock
    } else {
        Level::NoOpen
    };
    Ok(best.max(at_most))
}

/// Runs an attempt in a child of its own.
pub fn in_child(attempt: impl FnOnce() -> Shown) -> Shown {
    let failed = |error: io::Error| format!("the probe failed: {error}");
    let (mut said, report) = io::pipe().map_err(failed)?;
    match process::fork().map_err(failed)? {
        Fork::Child => {
            let mut report = report;
            let (sign, text) = match attempt() {
                Ok(stopped) => ('+', stopped),
                Err(open) => ('-', open),
            };
            process::leave(i32::from(write!(report, "{sign}{text}").is_err()))
        }
        Fork::Parent(pid) => {
            drop(report);
            let mut text = String::new();
            let read = said.read_to_string(&mut text);
            process::wait(pid.as_raw_nonzero().get()).map_err(failed)?;
            read.map_err(failed)?;
            match text.split_at_checked(1) {
                Some(("+", stopped)) => Ok(stopped.to_owned()),
                Some(("-", open)) => Err(open.to_owned()),
                _ => Err("the probe died".to_owned()),
            }
        }
    }
}

/// Expects a refusal with one of these errors.
fn refused<T>(what: &str, tried: io::Result<T>, with: &[io::ErrorKind]) -> Shown {
    match tried {
        Ok(_) => Err(format!("{what} succeeded")),
        Err(error) if with.contains(&error.kind()) => Ok(format!("{what}: {error}")),
        Err(error) => Err(format!("{what} failed for another reason: {error}")),
    }
}

fn network() -> Shown {
    // Port 9 of this very machine: nobody listens, but only an own network says that there is no way to it.
    refused(
        "connecting to this machine",
        TcpStream::connect("127.0.0.1:9"),
        &[io::ErrorKind::NetworkUnreachable],
    )
}

fn files() -> Shown {
    let read =
        refused("reading /proc/self/status", File::open("/proc/self/status"), &[io::ErrorKind::NotFound])?;
    let wrong = [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied];
    Ok(format!("{read}; {}", refused("creating a file", File::create("/probe"), &wrong)?))
}

fn closed(tried: Result<(), Open>) -> Result<(), String> {
    tried.map_err(|open| open.to_string())
}

fn privileges() -> Shown {
    closed(no_new_privileges())?;
    match rustix::thread::no_new_privs() {
        Ok(true) => Ok("set".into()),
        Ok(false) => Err("set, but reads back as not set".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn user() -> Shown {
    closed(become_nobody())?;
    let held = rustix::thread::capabilities(None).map_err(|error| error.to_string())?;
    if !held.permitted.is_empty() {
        return Err(format!("capabilities remain: {:?}", held.permitted));
    }
    let another = Uid::from_raw(rustix::process::getuid().as_raw() ^ 1);
    let back = rustix::thread::set_thread_res_uid(another, another, another).map_err(io::Error::from);
    let wrong = [io::ErrorKind::PermissionDenied, io::ErrorKind::InvalidInput];
    refused("becoming another user", back, &wrong)
}

fn parent_death() -> Shown {
    closed(become_nobody())?;
    let parent = rustix::process::getppid().ok_or("no parent")?;
    closed(die_with(parent))?;
    match rustix::process::parent_process_death_signal() {
        Ok(Some(Signal::KILL)) => Ok("set, after the change of user".into()),
        other => Err(format!("reads back as {other:?}")),
    }
}

fn memory(base: u64) -> Shown {
    let limits = Limits { memory_bytes: 64 << 20, ..Limits::default() };
    limits::set(&limits, base).map_err(|error| error.to_string())?;
    let much: Result<(), _> = Vec::<u8>::new().try_reserve_exact(1 << 30);
    match much {
        Ok(()) => Err("a gigabyte was allocated under a limit of 64 MiB".into()),
        Err(error) => Ok(format!("allocating a gigabyte under a limit of 64 MiB: {error}")),
    }
}

fn rules() -> Shown {
    closed(no_new_privileges())?;
    closed(ruleset::restrict())?;
    refused("opening /", File::open("/"), &[io::ErrorKind::PermissionDenied])
}

fn calls(program: &BpfProgram) -> Shown {
    closed(no_new_privileges())?;
    seccompiler::apply_filter(program).map_err(|error| error.to_string())?;
    let wrong = [io::ErrorKind::PermissionDenied];
    refused("a socket", UnixStream::pair(), &wrong)?;
    refused("forking", process::fork(), &wrong)?;
    let signal = rustix::process::set_parent_process_death_signal(None).map_err(io::Error::from);
    refused("surviving the parent", signal, &wrong)?;
    let open = refused("opening /", File::open("/"), &wrong)?;
    Ok(format!("{open}; so are sockets, forks and prctl"))
}

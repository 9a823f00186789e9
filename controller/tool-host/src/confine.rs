//! Confines a program other than a guest and becomes it: the server of a local language model ([`run`]), or an app ([`app`]).
//!
//! Unlike a guest, this program opens files and a socket of its own after the sandbox is active, and starts threads. So
//! it gets a list of folders instead of an empty root, and [`filter`] forbids single system calls instead of allowing
//! few. It has no network: by a network namespace where the system permits one, and in any case because it can make no
//! socket but a Unix socket, and can connect none. It can start no process.

pub mod app;
mod filter;

use std::fs::{self, File};
use std::io::{Error, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, path_beneath_rules,
};
use minismith_protocol::confinement::{Confinement, OPTIONAL_MECHANISMS, Report};
use minismith_protocol::zygote::Mechanism;
use rustix::net::{AddressFamily, SocketType};
use rustix::process::{Pid, Resource, Rlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, CpuSet, UnshareFlags};

use crate::process;
use crate::sandbox::{die_with, namespaces, no_new_privileges};

/// Latest version of Landlock requested. Older kernels enforce the part that they support.
const NEWEST: ABI = ABI::V6;

/// What a Python interpreter and its libraries read, on any machine.
const SYSTEM: [&str; 13] = [
    "/usr",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/ssl/openssl.cnf",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system",
    "/sys/kernel/mm/transparent_hugepage",
    "/dev/null",
    "/dev/urandom",
    "/dev/random",
];

/// The least urgent priority among ordinary processes.
const NICEST: i32 = 19;

/// A file that exists on every machine and is in none of the permitted folders.
const FORBIDDEN: &str = "/etc/passwd";

type Applied = Result<String, String>;

/// Confines this process as `json` says, reports to standard input, and becomes the program.
pub fn run(json: &str) -> ExitCode {
    let confinement: Confinement = match serde_json::from_str(json) {
        Ok(confinement) => confinement,
        Err(error) => {
            return report(&Report {
                mechanisms: Vec::new(),
                refusal: Some(format!("it is not JSON: {error}")),
            });
        }
    };
    let mechanisms = confine(&confinement);
    let is_needed = |it: &&Mechanism| !it.enforced && !OPTIONAL_MECHANISMS.contains(&it.name.as_str());
    let refusal = mechanisms.iter().find(is_needed).map(|it| format!("{}: {}", it.name, it.detail));
    let may_start = refusal.is_none();
    let reported = report(&Report { mechanisms, refusal });
    if !may_start || confinement.program.is_empty() {
        return reported;
    }
    // A change of rights may have cleared it.
    if let Err(open) = die_with_number(confinement.parent) {
        eprintln!("minismith-tool-host: {open}");
        return ExitCode::FAILURE;
    }
    let error = process::become_program(&confinement.program);
    eprintln!("minismith-tool-host: cannot execute {:?}: {error}", confinement.program.first());
    ExitCode::FAILURE
}

fn report(report: &Report) -> ExitCode {
    let line = serde_json::to_string(report).unwrap_or_default();
    let sent =
        process::standard_input().and_then(|mut socket| socket.write_all(format!("{line}\n").as_bytes()));
    if report.refusal.is_none() && sent.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Applies each mechanism and tests it.
fn confine(confinement: &Confinement) -> Vec<Mechanism> {
    let mut mechanisms = Vec::new();
    let mut apply = |name: &str, applied: Applied| {
        let enforced = applied.is_ok();
        let detail = applied.unwrap_or_else(|why| why);
        mechanisms.push(Mechanism { name: name.into(), enforced, detail });
    };
    apply("parent_death_signal", dies_with(confinement.parent));
    apply("priority", lowest_priority());
    apply("processors", processors(&confinement.processors));
    // The tests of the files and the socket need a descriptor or two; nothing else may be inherited.
    let closed = process::close_from(3).map_err(|error| error.to_string());
    apply("rlimits", closed.and_then(|()| limits(confinement)));
    apply("no_new_privs", without_privileges());
    apply("network_namespace", without_network());
    apply("landlock", without_files(confinement));
    apply("seccomp", without_calls());
    mechanisms
}

fn dies_with(parent: i32) -> Applied {
    die_with_number(parent)?;
    Ok("it dies with the controller".into())
}

fn die_with_number(parent: i32) -> Result<(), String> {
    let parent = Pid::from_raw(parent).ok_or("there is no such process")?;
    die_with(parent).map_err(|open| open.to_string())
}

/// Yields the processor to everything else, and is the first to die when memory runs out.
fn lowest_priority() -> Applied {
    let at = |what: &'static str| move |error: Error| format!("{what}: {error}");
    rustix::process::nice(NICEST).map_err(|error| at("nice")(error.into()))?;
    process::be_idle().map_err(at("SCHED_IDLE"))?;
    fs::write("/proc/self/oom_score_adj", "1000").map_err(at("oom_score_adj"))?;
    if process::is_idle().map_err(at("SCHED_IDLE"))? {
        Ok("SCHED_IDLE, nice 19, first to go when memory is short".into())
    } else {
        Err("the kernel kept another policy".into())
    }
}

fn processors(wanted: &[usize]) -> Applied {
    if wanted.is_empty() {
        return Ok("all".into());
    }
    let mut set = CpuSet::new();
    for &processor in wanted.iter().filter(|processor| **processor < CpuSet::MAX_CPU) {
        set.set(processor);
    }
    rustix::thread::sched_setaffinity(None, &set).map_err(|error| error.to_string())?;
    let held = rustix::thread::sched_getaffinity(None).map_err(|error| error.to_string())?;
    let names: Vec<String> = wanted.iter().map(usize::to_string).collect();
    if held.count() == set.count() {
        Ok(format!("only {}", names.join(", ")))
    } else {
        Err("the kernel chose others".into())
    }
}

fn limits(confinement: &Confinement) -> Applied {
    let rows = [
        (Resource::Core, 0),
        (Resource::Fsize, confinement.file_bytes),
        (Resource::Nofile, 256),
        // Locked memory would not be given back when the controller needs it.
        (Resource::Memlock, 0),
        (Resource::As, confinement.memory_bytes),
    ];
    for (resource, most) in rows {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
            .map_err(|error| format!("{resource:?}: {error}"))?;
    }
    let more = usize::try_from(confinement.memory_bytes).unwrap_or(usize::MAX);
    match Vec::<u8>::new().try_reserve_exact(more) {
        Err(_) => Ok(format!("at most {} MB of address space", confinement.memory_bytes >> 20)),
        Ok(()) => Err("more memory than that was given".into()),
    }
}

fn without_privileges() -> Applied {
    no_new_privileges().map_err(|open| open.to_string())?;
    Ok("no program that it becomes has more rights".into())
}

/// Leaves the network, and then all capabilities.
fn without_network() -> Applied {
    let name = || fs::read_link("/proc/self/ns/net").map_err(|error| error.to_string());
    let before = name()?;
    let left = namespaces::leave_some(UnshareFlags::NEWNET | UnshareFlags::NEWIPC);
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, sets).map_err(|error| format!("capset: {error}"))?;
    left.map_err(|error| error.to_string())?;
    if name()? == before {
        Err("it is still the same network".into())
    } else {
        Ok("a network without devices".into())
    }
}

fn without_files(confinement: &Confinement) -> Applied {
    let status = restrict(confinement).map_err(|error| error.to_string())?;
    if status == RulesetStatus::NotEnforced {
        return Err("this kernel does not support it, or it is disabled".into());
    }
    match File::open(FORBIDDEN) {
        Err(_) => Ok("no files but the model, its runtime and its own folder".into()),
        Ok(_) => Err(format!("{FORBIDDEN} can be opened")),
    }
}

fn restrict(confinement: &Confinement) -> Result<RulesetStatus, RulesetError> {
    let reading = AccessFs::from_read(NEWEST);
    let writing =
        AccessFs::from_all(NEWEST) & !(AccessFs::Execute | AccessFs::MakeBlock | AccessFs::MakeChar);
    let readable = SYSTEM.iter().map(Path::new).chain(confinement.readable.iter().map(AsRef::as_ref));
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(readable, reading))?
        .add_rules(path_beneath_rules(&confinement.writable, writing))?
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::WriteFile | AccessFs::ReadFile))?;
    Ok(ruleset.restrict_self()?.ruleset)
}

fn without_calls() -> Applied {
    let programs = filter::compile().map_err(|error| error.to_string())?;
    for program in &programs {
        seccompiler::apply_filter(program).map_err(|error| error.to_string())?;
    }
    if rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).is_ok() {
        return Err("a network socket could be made".into());
    }
    // The file is this process's own; only the call counts.
    let null = File::open("/dev/null").map_err(|error| error.to_string())?;
    match rustix::net::listen(null.as_fd(), 1) {
        Err(rustix::io::Errno::NOTSOCK) => {
            Ok("no network sockets, connections, processes or signals to others".into())
        }
        other => Err(format!("the filter holds back what it must permit: {other:?}")),
    }
}

#[cfg(test)]
mod tests;

//! Sandbox for guests: restricts them no matter what their Python code does.
//!
//! A guest has one channel, its memory and limited CPU time. It opens nothing: all importable modules are in memory before the
//! fork, so it needs no files later. Independent mechanisms enforce this, each sufficient against most attacks:
//!
//! 1. an environment without variables
//! 2. [`namespaces`]: an empty read-only root, no network, no other processes (set up once, for the zygote)
//! 3. no inherited descriptors, and the three standard ones lead nowhere
//! 4. no new privileges through executed programs
//! 5. an unprivileged user without capabilities, whose processes are closed to others
//! 6. death with the parent
//! 7. [`limits`]: memory, CPU time, descriptors, processes
//! 8. [`landlock`]: Landlock, without any path or TCP port
//! 9. [`filter`]: a short allow-list of system calls, without any that opens, connects, forks, executes or signals
//!
//! [`self_test`] tests what each forbids (the [`attempts`]). From the results, [`probe`] determines the
//! [`Level`](minismith_protocol::zygote::Level) of guests.

pub mod attempts;
pub mod filter;
pub mod landlock;
pub mod limits;
pub mod namespaces;
pub mod probe;
pub mod self_test;

use minismith_protocol::Limits;
use rustix::process::{DumpableBehavior, Pid, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets, Gid, Uid};
use seccompiler::BpfProgram;

/// The user and group `nobody`, which a guest becomes when root started the host.
const NOBODY: u32 = 65534;

/// Reports a mechanism that cannot be applied, and why.
#[derive(Debug, thiserror::Error)]
#[error("{mechanism}: {reason}")]
pub struct Open {
    mechanism: &'static str,
    reason: String,
}

impl Open {
    fn of<E: std::fmt::Display>(mechanism: &'static str) -> impl FnOnce(E) -> Open {
        move |error| Open { mechanism, reason: error.to_string() }
    }
}

/// Sandbox configuration, determined once and applied in each guest.
pub struct Sandbox {
    /// The zygote's process id. A guest must have it as parent, and dies with it.
    pub parent: Pid,
    /// Whether Landlock is used.
    pub landlock: bool,
    /// The system call filter, compiled once.
    pub program: BpfProgram,
}

impl Sandbox {
    /// Applies the sandbox permanently to the calling process, which already uses `base` bytes of address space.
    pub fn enter(&self, limits: &Limits, base: u64) -> Result<(), Open> {
        no_new_privileges()?;
        rustix::process::chdir("/").map_err(Open::of("chdir"))?;
        become_nobody()?;
        be_undumpable()?;
        // After the change of user, which clears the signal.
        die_with(self.parent)?;
        limits::set(limits, base).map_err(Open::of("rlimits"))?;
        if self.landlock {
            landlock::restrict()?;
        }
        seccompiler::apply_filter(&self.program).map_err(Open::of("seccomp"))
    }
}

/// Prevents executed programs from gaining privileges.
pub fn no_new_privileges() -> Result<(), Open> {
    rustix::thread::set_no_new_privs(true).map_err(Open::of("no_new_privs"))
}

/// Gives up root, if this is root, and all capabilities.
pub fn become_nobody() -> Result<(), Open> {
    let (uid, gid) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    // A user namespace may have no other user. Its root has no rights outside.
    if rustix::process::geteuid().is_root() && rustix::thread::set_thread_groups(&[]).is_ok() {
        rustix::thread::set_thread_res_gid(gid, gid, gid).map_err(Open::of("setresgid"))?;
        rustix::thread::set_thread_res_uid(uid, uid, uid).map_err(Open::of("setresuid"))?;
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, sets).map_err(Open::of("capset"))
}

/// Prevents access to this process by others of the same user, and core dumps.
pub fn be_undumpable() -> Result<(), Open> {
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(Open::of("dumpable"))
}

/// Requests `SIGKILL` on the parent's death, and checks that the parent is still alive.
pub fn die_with(parent: Pid) -> Result<(), Open> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(Open::of("parent_death_signal"))?;
    if rustix::process::getppid() == Some(parent) {
        return Ok(());
    }
    Err(Open { mechanism: "parent_death_signal", reason: "the parent has already exited".into() })
}

//! The cage: what a guest can't do, whatever its Python does.
//!
//! A guest owns one channel, its memory, and some processor time. It opens nothing: everything that a tool may import
//! is in memory before the fork, so no file need be found afterwards, not even for reading. Independent mechanisms
//! say so one behind the other, each enough by itself for most attacks:
//!
//! 1. an environment without a variable;
//! 2. [`namespaces`]: an empty read-only root, no network, no other processes (made once, for the zygote);
//! 3. no descriptor from before, and nobody at the ends of the three standard ones;
//! 4. no privileges that could be gained by a program;
//! 5. an unprivileged user without capabilities, into whose processes no other may look;
//! 6. death with the parent;
//! 7. [`limits`]: memory, processor, descriptors, processes;
//! 8. [`ruleset`]: Landlock, no path and no TCP port at all;
//! 9. [`filter`]: a short list of system calls, without any that opens, connects, forks, executes or signals.
//!
//! [`trial`] tries what each forbids (the [`attempts`]), and [`probe`] decides by that which
//! [`Level`](minismith_wire::zygote::Level) guests get.

pub mod attempts;
pub mod filter;
pub mod limits;
pub mod namespaces;
pub mod probe;
pub mod ruleset;
pub mod trial;

use minismith_wire::Limits;
use rustix::process::{DumpableBehavior, Pid, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets, Gid, Uid};
use seccompiler::BpfProgram;

/// The user and group `nobody`: who a guest is when the host was started by root.
const NOBODY: u32 = 65534;

/// What can't be closed, and why.
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

/// How guests will be caged: decided once, closed in each guest.
pub struct Cage {
    /// The zygote's process id: the parent that a guest must have, and die with.
    pub parent: Pid,
    /// Whether Landlock is among the mechanisms.
    pub landlock: bool,
    /// The system call filter, compiled once.
    pub program: BpfProgram,
}

impl Cage {
    /// Closes the cage around the calling process, which holds `base` bytes of address space already, for good.
    pub fn close(&self, limits: &Limits, base: u64) -> Result<(), Open> {
        no_new_privileges()?;
        rustix::process::chdir("/").map_err(Open::of("chdir"))?;
        become_nobody()?;
        be_undumpable()?;
        // After the user has changed: that clears the signal.
        die_with(self.parent)?;
        limits::set(limits, base).map_err(Open::of("rlimits"))?;
        if self.landlock {
            ruleset::restrict()?;
        }
        seccompiler::apply_filter(&self.program).map_err(Open::of("seccomp"))
    }
}

/// From here on no program that is executed gains rights.
pub fn no_new_privileges() -> Result<(), Open> {
    rustix::thread::set_no_new_privs(true).map_err(Open::of("no_new_privs"))
}

/// Gives up root, if this is root, and every capability.
pub fn become_nobody() -> Result<(), Open> {
    let (uid, gid) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    // Inside a user namespace there may be no second user to become; its root owns nothing but that namespace.
    if rustix::process::geteuid().is_root() && rustix::thread::set_thread_groups(&[]).is_ok() {
        rustix::thread::set_thread_res_gid(gid, gid, gid).map_err(Open::of("setresgid"))?;
        rustix::thread::set_thread_res_uid(uid, uid, uid).map_err(Open::of("setresuid"))?;
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, sets).map_err(Open::of("capset"))
}

/// From here on no process of the same user may look into this one, and no core is left of it.
pub fn be_undumpable() -> Result<(), Open> {
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(Open::of("dumpable"))
}

/// Asks the kernel for `SIGKILL` when the parent dies, and makes sure that it has not died already.
pub fn die_with(parent: Pid) -> Result<(), Open> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(Open::of("parent_death_signal"))?;
    if rustix::process::getppid() == Some(parent) {
        return Ok(());
    }
    Err(Open { mechanism: "parent_death_signal", reason: "the parent has already gone".into() })
}

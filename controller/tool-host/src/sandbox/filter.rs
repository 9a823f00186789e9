//! Allow-list of system calls for guests: those that CPython and numpy need to compute.
//!
//! It excludes:
//!
//! * everything that opens, finds, changes or lists files, and sockets
//! * new processes and threads, other programs, and signals to other processes
//! * `prctl`, `ioctl`, `ptrace`, namespaces, keys, `io_uring`, `bpf` and `userfaultfd`
//! * memory that is both new and executable
//!
//! A call that is not listed fails with `EPERM`, which Python turns into an exception. A call of another architecture kills the
//! process.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// Calls that are allowed with any arguments.
const PLAIN: &[libc::c_long] = &[
    // The channel.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_close,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_futex,
    // The process's own signals.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // Time, sleep, random numbers, and information about itself.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    // Exit.
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Calls that are allowed unless their third argument requests executable memory.
const MEMORY: &[libc::c_long] = &[libc::SYS_mmap, libc::SYS_mprotect];

/// Compiles the filter.
pub fn compile() -> Result<BpfProgram, BackendError> {
    let not_executable = SeccompCondition::new(
        2,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::MaskedEq(u64::from(libc::PROT_EXEC.unsigned_abs())),
        0,
    )?;
    let mut rules = BTreeMap::new();
    for &call in PLAIN {
        rules.insert(call, vec![]);
    }
    for &call in MEMORY {
        rules.insert(call, vec![SeccompRule::new(vec![not_executable.clone()])?]);
    }
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules, refuse, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?.try_into()
}

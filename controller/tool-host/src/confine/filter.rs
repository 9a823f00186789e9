//! Deny-list of system calls for a confined program: it serves at a Unix socket, with threads, and does nothing else to
//! the rest of the machine.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// Calls that reach other programs: as a client, by messages with an address, by signals, by shared memory. A server at a Unix
/// socket may not make them; an app may, since its namespaces hold nothing but itself.
const REACHING_OTHERS: &[libc::c_long] = &[
    libc::SYS_connect,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
];

/// Calls that fail with any arguments, for all.
const DENIED: &[libc::c_long] = &[
    // Other programs, from inside.
    libc::SYS_pidfd_getfd,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    // What the kernel does for all.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    // Interfaces with many errors in the past, which no server needs.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_fanotify_init,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
];

/// Compiles the filters, which hold together. A call of another architecture ends the process.
///
/// # Errors
/// Only where this architecture is unknown.
pub fn compile() -> Result<[BpfProgram; 2], BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        DENIED.iter().chain(REACHING_OTHERS).map(|&call| (call, vec![])).collect();
    // Sockets of other families than Unix.
    rules.insert(libc::SYS_socket, vec![when(0, SeccompCmpOp::Ne, libc::AF_UNIX.unsigned_abs().into())?]);
    // Messages with an address, in the fifth argument.
    rules.insert(libc::SYS_sendto, vec![when(4, SeccompCmpOp::Ne, 0)?]);
    // A process that is no thread.
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    rules.insert(libc::SYS_clone, vec![when(0, SeccompCmpOp::MaskedEq(thread), 0)?]);
    #[cfg(target_arch = "x86_64")]
    for call in [libc::SYS_fork, libc::SYS_vfork] {
        rules.insert(call, vec![]);
    }
    // Its arguments cannot be examined. The C library then uses the older call.
    let unknown = BTreeMap::from([(libc::SYS_clone3, vec![])]);
    Ok([filter(unknown, libc::ENOSYS)?, filter(rules, libc::EPERM)?])
}

/// The namespaces that a new process may ask for.
const NAMESPACES: i32 = libc::CLONE_NEWNS
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWCGROUP;

/// Compiles the filters for an app, which hold together.
///
/// # Errors
/// Only where this architecture is unknown.
pub fn compile_app() -> Result<[BpfProgram; 2], BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = DENIED.iter().map(|&call| (call, vec![])).collect();
    let families = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6];
    let others = families.map(|family| {
        let family = u64::from(family.unsigned_abs());
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
    });
    let others = others.into_iter().collect::<Result<Vec<_>, _>>()?;
    rules.insert(libc::SYS_socket, vec![SeccompRule::new(others)?]);
    let mut new_namespaces = Vec::new();
    for bit in (0..32).map(|bit| 1_u64 << bit).filter(|bit| u64::from(NAMESPACES.unsigned_abs()) & bit != 0) {
        new_namespaces.push(when(0, SeccompCmpOp::MaskedEq(bit), bit)?);
    }
    rules.insert(libc::SYS_clone, new_namespaces);
    // Its arguments cannot be examined. The C library then uses the older call.
    let unknown = BTreeMap::from([(libc::SYS_clone3, vec![])]);
    Ok([filter(unknown, libc::ENOSYS)?, filter(rules, libc::EPERM)?])
}

fn when(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Qword, is, value)?])
}

fn filter(rules: BTreeMap<i64, Vec<SeccompRule>>, error: i32) -> Result<BpfProgram, BackendError> {
    let refuse = SeccompAction::Errno(error.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, std::env::consts::ARCH.try_into()?)?.try_into()
}

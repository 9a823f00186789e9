//! Checks that each mechanism alone blocks its actions, and that they succeed without it.
//!
//! Actions that an ordinary user may never do, or that this kernel does not support, are skipped with a message.

use std::io::Read;
use std::os::unix::fs::MetadataExt;

use super::*;
use crate::sandbox::filter;

/// Actions that only root may do, with or without the mechanism.
const ROOT_ONLY: [(&str, &str); 2] = [("user", "becoming another user"), ("user", "changing the root")];
/// Actions that some machines do not support.
const NOT_EVERYWHERE: [(&str, &str); 2] =
    [("seccomp", "a call of another architecture"), ("namespaces", "finding a message queue")];

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs the tests of one mechanism, or a single one, with and without it.
#[track_caller]
fn check_mechanism(mechanism: &str, what: Option<&str>) {
    let base = limits::AddressSpace::open().unwrap().now().unwrap();
    let ground = TestSetup { base, program: &filter::compile().unwrap() };
    let all = TESTS.iter().chain(LATE_TESTS).chain(SLOW_TESTS);
    let wanted = |trial: &&SandboxTest| {
        trial.mechanism == mechanism
            && what.map_or(trial.signals != [Signal::XCPU], |what| trial.what == what)
    };
    let mut count = 0;
    for trial in all.filter(wanted) {
        count += 1;
        let position = (mechanism, trial.what);
        let (behind, without) = (trial.run(&ground, true), trial.run(&ground, false));
        println!("{mechanism}, {}: behind it {behind:?}, without it {without:?}", trial.what);
        if let TestResult::Missing(reason) = &behind {
            println!("skipped: not available on this machine: {reason}");
            continue;
        }
        if mechanism == "landlock" && behind == TestResult::Passed && landlock::is_partial() {
            println!("skipped: not supported by this kernel's Landlock");
            continue;
        }
        assert!(matches!(behind, TestResult::Stopped(_)), "{position:?}: {behind:?}");
        if without != TestResult::Passed && !is_root() && ROOT_ONLY.contains(&position) {
            println!("skipped: only root may do this");
        } else if without != TestResult::Passed && NOT_EVERYWHERE.contains(&position) {
            println!("skipped: not supported by this kernel");
        } else {
            assert_eq!(without, TestResult::Passed, "{position:?}");
        }
    }
    assert!(count > 0, "no tests for {mechanism}");
}

#[test]
fn namespaces_hide_network_processes_queues_and_name() {
    check_mechanism("namespaces", None);
}

#[test]
fn pivoted_root_is_empty_and_read_only() {
    check_mechanism("pivot_root", None);
}

#[test]
fn inherited_descriptors_are_closed() {
    check_mechanism("descriptors", None);
}

#[test]
fn standard_output_leads_nowhere() {
    check_mechanism("stdio", None);
}

#[test]
fn environment_is_empty() {
    check_mechanism("environment", None);
}

#[test]
fn new_privileges_are_impossible() {
    check_mechanism("no_new_privs", None);
}

#[test]
fn unprivileged_user_cannot_act_as_root() {
    check_mechanism("user", None);
}

#[test]
fn processes_of_the_same_user_are_inaccessible() {
    check_mechanism("dumpable", None);
}

#[test]
fn guest_dies_with_its_parent() {
    check_mechanism("parent_death_signal", None);
}

#[test]
fn memory_files_and_processes_are_limited() {
    check_mechanism("rlimits", None);
}

#[test]
fn cpu_time_is_limited() {
    check_mechanism("rlimits", Some("computing for more than a second"));
}

#[test]
fn landlock_blocks_files_ports_sockets_and_signals() {
    check_mechanism("landlock", None);
}

#[test]
fn filter_blocks_every_external_call() {
    check_mechanism("seccomp", None);
}

#[test]
fn every_mechanism_has_a_test() {
    let tried: Vec<&str> = TESTS.iter().chain(LATE_TESTS).map(|trial| trial.mechanism).collect();
    for name in minismith_protocol::zygote::MECHANISMS {
        assert!(tried.contains(&name), "{name}");
    }
}

/// Runs a set-user-id program and detects whether it gained root. In secure mode the dynamic linker shows no auxiliary vector.
fn set_user_id_program_gains_root(privileged: bool) -> Option<bool> {
    let is_set_user_id = |path: &&&std::ffi::CStr| {
        std::fs::metadata(path.to_str().unwrap()).is_ok_and(|it| it.mode() & 0o4000 != 0 && it.uid() == 0)
    };
    let program = [c"/usr/bin/su", c"/bin/su", c"/usr/bin/mount", c"/bin/mount"];
    let program = *program.iter().find(is_set_user_id)?;
    let (mut said, speaker) = io::pipe().unwrap();
    let Fork::Parent(child) = process::fork().unwrap() else {
        let ready = become_nobody().is_ok()
            && (privileged || super::super::no_new_privileges().is_ok())
            && rustix::stdio::dup2_stdout(&speaker).is_ok();
        if ready {
            process::execute(program, &[program, c"--version"], &[c"LD_SHOW_AUXV=1"]);
        }
        process::leave(99);
    };
    drop(speaker);
    let mut text = String::new();
    said.read_to_string(&mut text).unwrap();
    assert_eq!(process::wait(child.as_raw_nonzero().get()).unwrap().status, 0, "{text}");
    Some(!text.contains("AT_SECURE"))
}

#[test]
fn set_user_id_programs_do_not_make_a_guest_root() {
    match (set_user_id_program_gains_root(true), set_user_id_program_gains_root(false)) {
        (Some(true), Some(gained)) => assert!(!gained),
        (without, _) => println!("skipped: no set-user-id program found ({without:?})"),
    }
}

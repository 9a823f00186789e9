//! Each mechanism alone stops what it forbids, with all others off; and without it, that gets through.
//!
//! What an ordinary user could not do anyhow can't be shown as one, nor what this kernel does not have: that is said.

use std::io::Read;
use std::os::unix::fs::MetadataExt;

use super::*;
use crate::cage::filter;

/// Things that an ordinary user may not do with or without the mechanism.
const FOR_ROOT_ONLY: [(&str, &str); 2] = [("user", "becoming another user"), ("user", "changing the root")];
/// Things that need more than the machine may have.
const FOR_SOME_MACHINES: [(&str, &str); 2] =
    [("seccomp", "a call of another architecture"), ("namespaces", "finding a message queue")];

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs the trials of one mechanism, or one of them, behind it and without it.
#[track_caller]
fn alone(mechanism: &str, what: Option<&str>) {
    let base = limits::AddressSpace::open().unwrap().now().unwrap();
    let ground = Ground { base, program: &filter::compile().unwrap() };
    let all = TRIALS.iter().chain(LATE).chain(SLOW);
    let wanted = |trial: &&Trial| {
        trial.mechanism == mechanism
            && what.map_or(trial.signals != [Signal::XCPU], |what| trial.what == what)
    };
    let mut count = 0;
    for trial in all.filter(wanted) {
        count += 1;
        let place = (mechanism, trial.what);
        let (behind, without) = (trial.run(&ground, true), trial.run(&ground, false));
        println!("{mechanism}, {}: behind it {behind:?}, without it {without:?}", trial.what);
        if let Shown::Missing(reason) = &behind {
            println!("skipped: this machine lacks it: {reason}");
            continue;
        }
        if mechanism == "landlock" && behind == Shown::Passed && ruleset::is_partial() {
            println!("skipped: the Landlock of this kernel does not know it");
            continue;
        }
        assert!(matches!(behind, Shown::Stopped(_)), "{place:?}: {behind:?}");
        if without != Shown::Passed && !is_root() && FOR_ROOT_ONLY.contains(&place) {
            println!("skipped: only root has something to lose here");
        } else if without != Shown::Passed && FOR_SOME_MACHINES.contains(&place) {
            println!("skipped: this kernel has no such thing");
        } else {
            assert_eq!(without, Shown::Passed, "{place:?}");
        }
    }
    assert!(count > 0, "nothing is tried of {mechanism}");
}

#[test]
fn namespaces_hide_network_processes_queues_and_name() {
    alone("namespaces", None);
}

#[test]
fn a_root_of_its_own_is_empty_and_read_only() {
    alone("pivot_root", None);
}

#[test]
fn no_descriptor_from_before_is_left() {
    alone("descriptors", None);
}

#[test]
fn nobody_is_at_the_other_end_of_the_standard_output() {
    alone("stdio", None);
}

#[test]
fn no_variable_is_left() {
    alone("environment", None);
}

#[test]
fn no_new_privileges_are_gained() {
    alone("no_new_privs", None);
}

#[test]
fn nobody_can_do_what_root_can() {
    alone("user", None);
}

#[test]
fn processes_of_the_same_user_are_closed_to_each_other() {
    alone("dumpable", None);
}

#[test]
fn a_guest_dies_with_its_parent() {
    alone("parent_death_signal", None);
}

#[test]
fn memory_files_and_processes_are_limited() {
    alone("rlimits", None);
}

#[test]
fn processor_time_is_limited() {
    alone("rlimits", Some("computing for more than a second"));
}

#[test]
fn landlock_stops_files_ports_sockets_and_signals() {
    alone("landlock", None);
}

#[test]
fn the_filter_stops_every_call_that_reaches_out() {
    alone("seccomp", None);
}

#[test]
fn every_mechanism_is_tried() {
    let tried: Vec<&str> = TRIALS.iter().chain(LATE).map(|trial| trial.mechanism).collect();
    for name in minismith_wire::zygote::MECHANISMS {
        assert!(tried.contains(&name), "{name}");
    }
}

/// A program that makes whoever runs it root tells by the dynamic linker whether it did: a linker that distrusts its
/// user shows no auxiliary vector.
fn gained_by_a_set_user_id_program(privileged: bool) -> Option<bool> {
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
fn no_program_makes_a_guest_root() {
    match (gained_by_a_set_user_id_program(true), gained_by_a_set_user_id_program(false)) {
        (Some(true), Some(gained)) => assert!(!gained),
        (without, _) => println!("skipped: no program here makes anybody root ({without:?})"),
    }
}

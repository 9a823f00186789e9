//! After a process is killed, none of its children is left, and everything else continues.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use minismith_protocol::zygote::Level;
use minismith_protocol::{HostReply, Limits};
use minismith_toolchain::guest::{Guest, GuestError, ToolHost, locate};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::context::{Call, host, plain_job};

const SUPERVISOR: &str = "guest::crashes::acts_as_supervisor_until_killed";
const ENDLESS: &str = "import time\ndef tool():\n    time.sleep(0)\n    while True: pass\n";

// This test starts other processes to see them die.
#[allow(clippy::disallowed_methods)]
fn command(program: &Path) -> Command {
    Command::new(program)
}

/// Returns every process below `ancestor`, by the parents in `/proc`.
pub(super) fn below(ancestor: u32) -> Vec<OwnedFd> {
    let parent_of = |pid: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
    };
    let all: Vec<(u32, u32)> = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, parent_of(pid)?)))
        .collect();
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(all.iter().filter(|(_, its)| *its == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    let open = |pid: &u32| pidfd_open(Pid::from_raw(i32::try_from(*pid).ok()?)?, PidfdFlags::empty()).ok();
    found.iter().skip(1).filter_map(open).collect()
}

pub(super) fn has_ended(process: impl AsFd, within_seconds: i64) -> bool {
    let limit = Timespec { tv_sec: within_seconds, tv_nsec: 0 };
    poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&limit)).unwrap() == 1
}

/// Returns a guest that computes for ever after its first cue.
fn busy_guest(host: &ToolHost) -> minismith_toolchain::guest::SandboxedGuest {
    let limits = Limits { cpu_seconds: 600, turn_seconds: 600.0, ..Limits::default() };
    let mut guest = host.fork(limits).unwrap();
    let job = plain_job(ENDLESS, limits);
    guest.turn(&HostReply::Start { job: Box::new(job) }, None).unwrap();
    guest.turn(&HostReply::Proceed, None).unwrap();
    guest
}

/// Not a test: the next test starts this function.
#[test]
#[ignore = "run by supervisor_death_leaves_no_process"]
fn acts_as_supervisor_until_killed() {
    let host = host();
    let mut guest = busy_guest(&host);
    println!("ready");
    // Blocks until the kill: the guest never answers.
    let _ = guest.turn(&HostReply::Done { now: 0 }, None);
}

#[test]
fn supervisor_death_leaves_no_process() {
    let mut supervisor: Child = command(&std::env::current_exe().unwrap())
        .args(["--exact", SUPERVISOR, "--ignored", "--nocapture"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(supervisor.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with("ready")));
    let processes = below(supervisor.id());
    // The waiting process and the zygote (or the zygote alone), and the guest.
    assert!(processes.len() >= 2, "{} processes", processes.len());
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    for process in processes {
        assert!(has_ended(&process, 10));
    }
}

/// Returns a host under a name of its own, so that this test finds its process and no other's.
fn named_host(folder: &Path) -> (ToolHost, PathBuf) {
    let (program, python) = locate(std::path::Path::new(".venv/bin/python")).unwrap();
    let link = folder.join("host-under-test");
    std::os::unix::fs::symlink(program, &link).unwrap();
    (ToolHost::start(&link, &python).unwrap(), link)
}

fn running(program: &Path) -> Vec<OwnedFd> {
    let runs = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).next() == Some(program.as_os_str().as_encoded_bytes())
    };
    let pids =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(runs).filter_map(|pid| pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()).collect()
}

#[test]
fn dead_host_ends_its_guests_and_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let (host, program) = named_host(folder.path());
    let mut orphan = busy_guest(&host);
    let old = running(&program);
    for process in &old {
        let _ = pidfd_send_signal(process, Signal::KILL);
    }
    assert!(old.iter().all(|process| has_ended(process, 10)));
    assert!(matches!(
        orphan.turn(&HostReply::Done { now: 0 }, None),
        Err(GuestError::NoHost { .. } | GuestError::Died { .. })
    ));
    assert_eq!(Call::new("def tool():\n    return 5\n", "tool").run(&host).value(), &serde_json::json!(5));
    let fresh = running(&program);
    assert!(!fresh.is_empty());
    drop((orphan, host));
    assert!(fresh.iter().all(|process| has_ended(process, 10)), "a dropped host ends");
}

#[test]
fn dropped_guest_is_dead() {
    let folder = tempfile::tempdir().unwrap();
    let (host, program) = named_host(folder.path());
    let without = running(&program).len();
    let guest = busy_guest(&host);
    assert_eq!(running(&program).len(), without + 1);
    drop(guest);
    // Killed and reaped: not even a zombie is left.
    assert_eq!(running(&program).len(), without);
}

#[test]
fn unprivileged_user_gets_the_same_sandbox() {
    const NOBODY: [&str; 3] = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let (program, python) = locate(std::path::Path::new(".venv/bin/python")).unwrap();
    let as_nobody = |program: &Path, arguments: &[&str]| {
        let mut setpriv = command(Path::new("setpriv"));
        setpriv.args(NOBODY).arg(program).args(arguments).stdin(Stdio::null());
        setpriv.output().ok().and_then(|output| output.status.code())
    };
    // Started by hand, the host explains itself and exits with status 2, if it can be started at all.
    if (as_nobody(&python, &["-c", ""]), as_nobody(&program, &[])) != (Some(0), Some(2)) {
        println!("skipped: this is not root, or {} can't be used by nobody", python.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("unprivileged");
    // A shell adds variables of its own; the host accepts none.
    let text = format!(
        "#!/bin/sh\nexec env -u PWD -u OLDPWD -u SHLVL -u _ setpriv {} {} \"$@\"\n",
        NOBODY.join(" "),
        program.display()
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let host = ToolHost::start(&script, &python).unwrap();
    println!("{:?}", host.mechanisms());
    assert_eq!(host.level(), ToolHost::start(&program, &python).unwrap().level());
    assert_eq!(Call::new("def tool():\n    return 5\n", "tool").run(&host).value(), &serde_json::json!(5));
    let attack = Call::new("def tool():\n    open('/etc/passwd')\n", "tool").run(&host);
    assert_eq!(attack.fault().limit(), "open_files");
}

#[test]
fn missing_mechanism_is_named() {
    let (program, python) = locate(std::path::Path::new(".venv/bin/python")).unwrap();
    let start =
        |program: &Path, python: &Path| ToolHost::start_at_most(program, python, Level::NoOpen).unwrap_err();
    let nowhere = Path::new("/nowhere/at/all");
    for (fault, says) in [
        (start(nowhere, &python), "cannot start /nowhere/at/all"),
        (start(&program, Path::new("/bin/false")), "minismith setup"),
        (start(Path::new("/bin/true"), &python), "the tool host has ended"),
    ] {
        assert!(matches!(fault, GuestError::NoHost { .. }) && fault.to_string().contains(says), "{fault}");
    }
    let by_hand = command(&program).stdin(Stdio::null()).args(["--python", "x"]).output().unwrap();
    assert_eq!(by_hand.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&by_hand.stderr).contains("minismith tool check"));
}

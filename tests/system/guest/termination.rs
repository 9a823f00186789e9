//! Whatever a guest holds, it is dead when the call that found the fault returns.
//!
//! No time is asserted except by the watchdog over all tests. The call must return, and the process must have ended by
//! then.

use std::path::Path;

use minismith_protocol::zygote::Level;
use minismith_protocol::{HostReply, Limits};
use minismith_toolchain::guest::{Guest, GuestError, SandboxedGuest, ToolHost, locate};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, pidfd_send_signal};

use super::context::plain_job;

const QUICK: Limits = Limits { turn_seconds: 0.5, cpu_seconds: 60, ..Limits::DEFAULT };

/// Whether a process has ended: its descriptor is readable then.
fn has_ended(guest: &SandboxedGuest) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(&guest.process(), PollFlags::IN)], Some(&now)).unwrap() == 1
}

/// Starts a guest with this body and lets it run.
fn begun(
    host: &ToolHost,
    body: &str,
) -> (SandboxedGuest, Result<minismith_protocol::GuestMessage, GuestError>) {
    let source = format!("def tool():\n    {}\n", body.replace('\n', "\n    "));
    let mut guest = host.fork(QUICK).unwrap();
    guest.turn(&HostReply::Start { job: Box::new(plain_job(&source, QUICK)) }, None).unwrap();
    assert!(!has_ended(&guest));
    let turn = guest.turn(&HostReply::Proceed, None);
    (guest, turn)
}

const HOLDS: &[(&str, &str, &[&str])] = &[
    ("the interpreter's lock, in C", "return 7 ** (10 ** 9)", &["turn_seconds"]),
    (
        "the lock, in a sort that calls back",
        "[0] * 3 + sorted(range(10 ** 5), key=lambda _: sum(range(10 ** 6)))",
        &["turn_seconds"],
    ),
    ("a search that never ends", "import re; re.match('(a+)+$', 'a' * 64 + 'b')", &["turn_seconds"]),
    (
        "every signal, blocked and ignored",
        "import signal
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
for number in set(range(1, 65)) - {9, 19, 32, 33}: signal.signal(number, signal.SIG_IGN)
while True: pass",
        &["turn_seconds"],
    ),
    (
        "every exception",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        &["turn_seconds"],
    ),
    (
        "a full pipe",
        "import os\nos.write(3, b'\\x00\\x00\\x10\\x00')\nwhile True: os.write(3, b'[' * 65536)",
        &["forged", "turn_seconds"],
    ),
    ("the channel, for ever", "import os\nwhile True: os.write(3, b'x' * 65536)", &["forged"]),
    ("frame upon frame", "import os\nwhile True: os.write(3, b'\\x02\\x00\\x00\\x00{}')", &["forged"]),
    ("nothing to speak with", "import os\nos.close(3)\nwhile True: pass", &["died"]),
    ("a wait in the kernel", "import ctypes\nctypes.CDLL(None).sleep(1000)", &["turn_seconds"]),
    (
        "a lock that nobody opens",
        "import threading\nlock = threading.Lock(); lock.acquire(); lock.acquire()",
        &["turn_seconds"],
    ),
    (
        "thousands of objects that resist their end",
        "class Stubborn:
    def __del__(self):
        while True: pass
kept = [Stubborn() for _ in range(10_000)]
for one in kept: one.ring = kept
return 1",
        &["turn_seconds", "returned"],
    ),
    ("much memory", "kept = [bytearray(4096) for _ in range(40_000)]\nwhile True: pass", &["turn_seconds"]),
    (
        "a deep stack",
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef down(): return down()\ndown()",
        &["turn_seconds", "died", "memory_bytes"],
    ),
    (
        "an exit that waits",
        "import atexit, os\natexit.register(lambda: [0 for _ in iter(int, 1)])\nraise SystemExit",
        &["returned"],
    ),
];

#[test]
fn guest_is_dead_when_kill_returns() {
    for level in [Level::Namespaces, Level::NoOpen] {
        let (program, python) = locate(Path::new(".venv/bin/python")).unwrap();
        let host = ToolHost::start_at_most(&program, &python, level).unwrap();
        for (name, body, expected) in HOLDS {
            let (mut guest, turn) = begun(&host, body);
            let limit = match &turn {
                Err(fault) => {
                    assert!(has_ended(&guest), "{name} at {level:?}: alive after {fault}");
                    fault.limit()
                }
                // It may hang while exiting: waiting for its end kills it.
                Ok(_) => {
                    guest.finish().unwrap();
                    assert!(has_ended(&guest), "{name} at {level:?}: alive after its last word");
                    "returned"
                }
            };
            assert!(expected.contains(&limit), "{name} at {level:?}: {turn:?}");
            assert!(guest.turn(&HostReply::Proceed, None).is_err(), "{name}");
        }
    }
}

#[test]
fn suspended_process_is_killed() {
    let (program, python) = locate(Path::new(".venv/bin/python")).unwrap();
    let host = ToolHost::start(&program, &python).unwrap();
    let mut guest = host.fork(QUICK).unwrap();
    // A guest cannot stop itself, but another process may.
    pidfd_send_signal(guest.process(), Signal::STOP).unwrap();
    let job = plain_job("def tool(): pass\n", QUICK);
    let fault = guest.turn(&HostReply::Start { job: Box::new(job) }, None).unwrap_err();
    assert!(matches!(fault, GuestError::Deadline { .. }) && has_ended(&guest), "{fault:?}");
}

#[test]
fn budget_covers_all_turns_together() {
    let (program, python) = locate(Path::new(".venv/bin/python")).unwrap();
    let host = ToolHost::start(&program, &python).unwrap();
    let limits = Limits { wall_seconds: 0.6, turn_seconds: 5.0, ..Limits::DEFAULT };
    let source = "import ctypes, time\ndef tool():\n    while True:\n        ctypes.CDLL(None).usleep(50_000)\n        time.sleep(0)\n";
    let mut guest = host.fork(limits).unwrap();
    let mut turn = guest.turn(&HostReply::Start { job: Box::new(plain_job(source, limits)) }, None);
    let mut answer = HostReply::Proceed;
    let mut turns = 0;
    let fault = loop {
        match turn {
            Ok(_) => turn = guest.turn(&std::mem::replace(&mut answer, HostReply::Done { now: 0 }), None),
            Err(fault) => break fault,
        }
        turns += 1;
    };
    assert!(matches!(fault, GuestError::Wall { limit: 0.6, used } if used >= 0.6), "{fault:?}");
    assert!(turns > 2 && has_ended(&guest), "{turns} turns");
}

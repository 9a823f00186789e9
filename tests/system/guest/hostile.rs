//! Attempts of a tool against its sandbox, without a policy, at every sandbox level.

use minismith_protocol::zygote::{Ending, Level};
use minismith_protocol::{HostReply, Limits};
use minismith_toolchain::guest::{GuestError, ToolHost};
use serde_json::json;

use super::context::{Call, Played, host, host_at_most, plain_job};
use minismith_toolchain::guest::Guest;

const QUICK: Limits = Limits { turn_seconds: 0.5, ..Limits::DEFAULT };

/// Runs the body of a function without a robot.
fn attempt(host: &ToolHost, limits: Limits, body: &str) -> Played {
    let body = body.replace('\n', "\n    ");
    Call::new(&format!("def tool():\n    {body}\n"), "tool").within(limits).run(host)
}

#[test]
fn every_sandbox_level_denies_system_access() {
    for level in [Level::Namespaces, Level::Landlock, Level::NoOpen] {
        let host = host_at_most(level);
        assert!(host.level() >= level);
        for (body, kind) in [
            ("import os; os.kill(1, 9)", "PermissionError"),
            ("import os; os.kill(os.getpid(), 0)", "PermissionError"),
            ("import os; os.setsid()", "PermissionError"),
            ("import os; os.stat('/etc/passwd')", "PermissionError"),
            ("import os; os.memfd_create('x')", "PermissionError"),
            ("import os; os.pipe()", "PermissionError"),
            // CPython reports it only when it has it.
            ("import socket; socket.socketpair()", "PermissionError"),
            ("import timeit", "ModuleNotFoundError"),
            ("import os; os.environ['PATH']", "KeyError"),
            ("input()", "EOFError"),
        ] {
            let played = attempt(&host, QUICK, body);
            let (raised, message) = played.raised();
            assert_eq!(raised, kind, "{body} at {level:?}: {message}");
        }
        for (body, limit) in [
            ("import os; os.fork()", "processes"),
            ("import os; os.execv('/bin/sh', ['sh'])", "processes"),
            ("import os; os.posix_spawn('/bin/sh', ['sh'], {})", "processes"),
            ("import os; os.system('true')", "processes"),
            ("import threading; threading.Thread(target=print).start()", "processes"),
            ("import subprocess; subprocess.run(['true'])", "processes"),
            ("import os; os.listdir('/')", "open_files"),
            ("import os; os.mkdir('/tmp/PWNED')", "open_files"),
            ("import os; os.symlink('/etc', 'x')", "open_files"),
            ("import socket; socket.socket()", "open_files"),
            ("import socket; socket.socket(socket.AF_UNIX)", "open_files"),
            ("open('/etc/passwd').read()", "open_files"),
            ("open('/tmp/PWNED', 'w')", "open_files"),
            ("open('/proc/self/mem', 'rb')", "open_files"),
            ("import os; os.open('/', 0)", "open_files"),
        ] {
            let played = attempt(&host, QUICK, body);
            assert_eq!(played.fault().limit(), limit, "{body} at {level:?}: {}", played.fault());
        }
    }
}

#[test]
fn exceeded_budget_reports_limit_use_and_line() {
    let host = host();
    let said = |body: &str| attempt(&host, QUICK, body).fault().to_string();
    let files = said("x = 1\nopen('/etc/passwd')");
    assert!(files.contains("open files and sockets: 1 requested in line 3, 0 allowed"), "{files}");
    let processes = said("import os; os.fork()");
    assert!(
        processes.contains("processes and threads: 1 requested") && processes.contains("0 allowed"),
        "{processes}"
    );
    let limits = Limits { memory_bytes: 64 << 20, ..QUICK };
    let GuestError::Memory { limit, peak, line } =
        *attempt(&host, limits, "return bytearray(1 << 30)").fault()
    else {
        panic!("no memory")
    };
    assert_eq!((limit, line), (64 << 20, Some(2)));
    // The interpreter itself uses some memory; a gigabyte was never allocated.
    assert!((1 << 20..256 << 20).contains(&peak), "{peak}");
}

#[test]
fn guest_continues_after_a_denied_call() {
    // A library tries a file and continues without it. The hook is out of reach.
    let body = "import sys
try:
    open('/etc/passwd')
except PermissionError as error:
    kind = type(error).__name__
sys.addaudithook(lambda event, arguments: None)
return [kind, isinstance(error, OSError) if 'error' in dir() else True]";
    assert_eq!(attempt(&host(), QUICK, body).value(), &json!(["OpenFilesExceeded", true]));
}

#[test]
fn kernel_denies_access_that_bypasses_python() {
    let body = "import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def error_of(name, *arguments):
    ctypes.set_errno(0)
    return ctypes.get_errno() if getattr(libc, name)(*arguments) == -1 else 0
return [error_of('open', b'/', 0), error_of('fork'), error_of('socket', 1, 1, 0), error_of('syscall', 435, 0, 0)]";
    for level in [Level::Namespaces, Level::Landlock, Level::NoOpen] {
        assert_eq!(attempt(&host_at_most(level), QUICK, body).value(), &json!([1, 1, 1, 1]), "{level:?}");
    }
}

#[test]
fn raw_system_calls_are_denied() {
    let body = "import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def error_of(name, *arguments):
    ctypes.set_errno(0)
    return ctypes.get_errno() if getattr(libc, name)(*arguments) == -1 else 0
return [(name, error_of(name, *arguments)) for name, *arguments in [
    ('prctl', 1, 0), ('ptrace', 0, 0, 0, 0), ('unshare', 0x10000000), ('syscall', 425, 1, 0), ('syscall', 321, 0, 0, 0),
    ('mprotect', ctypes.cast(libc.getpid, ctypes.c_void_p).value & -4096, 4096, 7), ('setns', 0, 0), ('chroot', b'/'),
    ('setrlimit', 7, bytes(16)), ('personality', 0), ('fcntl', 3, 1), ('ioctl', 0, 0x5401), ('setresuid', 0, 0, 0),
]]";
    let played = attempt(&host(), QUICK, body);
    let refused = played.value().as_array().unwrap();
    assert_eq!(refused.len(), 13);
    for call in refused {
        assert_eq!(call[1], json!(1), "{call}");
    }
}

#[test]
fn host_survives_greedy_and_broken_guests() {
    let host = host();
    for body in [
        "while True: pass",
        "sum(range(10**12))",
        "10**10**8",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    ] {
        let played = attempt(&host, QUICK, body);
        assert!(
            matches!(played.fault(), GuestError::Deadline { limit: 0.5, used } if *used >= 0.5),
            "{body}: {:?}",
            played.fault()
        );
    }
    for body in [
        "bytearray(100 << 30)",
        "import numpy; numpy.ones(10**11)",
        "kept = [0]\nwhile True: kept = kept * 2",
    ] {
        let played = attempt(&host, Limits { turn_seconds: 10.0, ..QUICK }, body);
        assert_eq!(played.fault().limit(), "memory_bytes", "{body}: {:?}", played.fault());
    }
    let slow = Limits { cpu_seconds: 1, turn_seconds: 20.0, ..QUICK };
    for body in ["", "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"] {
        let played = attempt(&host, slow, &format!("{body}while True: pass"));
        assert!(
            matches!(played.fault(), GuestError::Cpu { limit: 1, used } if *used >= 0.9),
            "{:?}",
            played.fault()
        );
    }
    for (body, how) in [
        ("import ctypes; ctypes.string_at(8)", "an invalid memory access"),
        ("import os; os._exit(0)", "it exited with status 0"),
        ("import os; os.close(3); os._exit(9)", "it exited with status 9"),
        ("import os; os.close(3)\nwhile True: pass", "killed"),
    ] {
        let played = attempt(&host, QUICK, body);
        assert!(
            matches!(played.fault(), GuestError::Died { how: said } if said.contains(how)),
            "{body}: {:?}",
            played.fault()
        );
    }
    assert_eq!(attempt(&host, QUICK, "return 1").value(), &json!(1));
}

#[test]
fn forged_frames_end_the_guest() {
    let host = host();
    for frame in [
        r"b'\xff\xff\xff\xff'",
        r"b'\x03\x00\x00\x00{}}'",
        r#"b'\x1f\x00\x00\x00{"turn":"parsed","facts":{"a":1}}'"#,
        r#"frame(b'{"turn":"parsed","facts":{"Err":"again"}}')"#,
        r#"frame(b'{"turn":"asks","cue":{"cue":"launch"},"spent":0,"printed":""}')"#,
        r#"frame(b'{"turn":"asks","cue":{"cue":"sleep","seconds":1e999},"spent":0,"printed":""}')"#,
        r#"frame(b'{"turn":"asks","cue":{"cue":"state"},"spent":-1,"printed":""}')"#,
        r#"frame(b'{"turn":"printed","printed":"","spent":0,"more":1}')"#,
    ] {
        let body = format!(
            "import os, struct\ndef frame(text): return struct.pack('<I', len(text)) + text\n\
             os.write(3, {frame})\nwhile True: pass"
        );
        let played = attempt(&host, QUICK, &body);
        assert!(
            matches!(played.fault(), GuestError::ProtocolViolation { .. }),
            "{frame}: {:?}",
            played.fault()
        );
    }
}

#[test]
fn guest_usage_is_reported() {
    let host = host();
    let source = "def tool():\n    sum(range(3_000_000))\n    return len(bytearray(64 << 20))\n";
    let limits = Limits::default();
    let mut guest = host.fork(limits).unwrap();
    let job = plain_job(source, limits);
    guest.turn(&HostReply::Start { job: Box::new(job) }, None).unwrap();
    let before = guest.cpu();
    guest.turn(&HostReply::Proceed, None).unwrap();
    assert!(guest.cpu() > before);
    let usage = guest.finish().unwrap();
    assert_eq!(usage.ending, Ending::Exit { code: 0 });
    assert!(usage.cpu_seconds > 0.01 && usage.peak_bytes > 64 << 20, "{usage:?}");
    assert_eq!(guest.finish().unwrap(), usage);
    assert!(guest.turn(&HostReply::Proceed, None).is_err());
}

//! The Python REPL: its output and its errors. A guest's death or an interrupt loses nothing but the variables.

use minismith_tests::{CommandOutput, TestDir};
use rustix::process::Signal;
use serde_json::Value;

/// Runs these lines and returns the result of each.
fn play(bench: &TestDir, lines: &str) -> (Vec<Value>, CommandOutput) {
    let script = bench.write("lines.txt", lines);
    let ran = bench.run(&["repl", "--json-lines", "--script", script.to_str().unwrap()]);
    let replies = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (replies, ran)
}

/// Returns a reply with this text.
#[track_caller]
fn said<'a>(replies: &'a [Value], source: &str) -> &'a Value {
    let found = replies.iter().rev().find(|reply| reply["source"] == source);
    found.unwrap_or_else(|| panic!("{source} is not among {replies:#?}"))
}

#[test]
fn lines_share_names_and_the_robot() {
    let bench = TestDir::new();
    let lines = "x = 20\nx + 22\n_ + 1\nfor i in range(2):\n    print(i)\n\nimport asyncio\n\
                 await asyncio.sleep(0.5)\nrobot.goto_target(body_yaw=0.5, duration=1)\n\
                 round(robot.get_current_joint_positions()[0][0], 1)\n:state\n:limits\n:help\n\
                 x = [\n1,\n2]\nx\nrobot.media.get_frame().shape\n'\\x1b' * 2\n:quit\nnever";
    let (replies, ran) = play(&bench, lines);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    assert_eq!(said(&replies, "x + 22")["shown"], "42");
    assert_eq!(said(&replies, "_ + 1")["shown"], "43");
    assert_eq!(
        (&said(&replies, "    print(i)")["more"], &said(&replies, "")["printed"]),
        (&true.into(), &"0\n1\n".into())
    );
    assert_eq!(said(&replies, "round(robot.get_current_joint_positions()[0][0], 1)")["shown"], "0.5");
    let moved = said(&replies, "robot.goto_target(body_yaw=0.5, duration=1)");
    assert_eq!(moved["steps"][0]["kind"], "goto");
    assert!(moved["clock_s"].as_f64().unwrap() >= 1.5);
    assert!(said(&replies, ":state")["printed"].as_str().unwrap().contains("motors on"));
    assert_eq!(said(&replies, "x")["shown"], "[1, 2]");
    assert!(said(&replies, "robot.media.get_frame().shape")["shown"].as_str().unwrap().ends_with(", 3)"));
    assert!(!ran.out.contains("never"));
}

#[test]
fn errors_are_short_and_lose_no_state() {
    let bench = TestDir::new();
    let lines = "x = 1\n1 / 0\ndef f(): return y\n\nf()\nif x\nopen('/etc/passwd')\nimport socket; socket.socket()\n\
                 import time; time.sleep(500)\n:nothing\nexit()\nrobot.goto_target(body_yaw=99.0)\n\
                 def g(): g()\n\ng()\nx";
    let (replies, ran) = play(&bench, lines);
    assert_eq!(ran.code, Some(1));
    for (source, word) in [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("f()", "NameError: name 'y' is not defined"),
        ("if x", "SyntaxError"),
        ("open('/etc/passwd')", "OpenFilesExceeded: open_files"),
        ("import socket; socket.socket()", "OpenFilesExceeded: open_files"),
        ("import time; time.sleep(500)", "TimeoutError: this takes more than the 120 s"),
        (":nothing", "no command :nothing"),
        ("exit()", ":quit"),
        ("g()", "RecursionError"),
    ] {
        let error = said(&replies, source)["trouble"].as_str().unwrap();
        assert!(error.contains(word), "{source}: {error}");
        assert!(error.len() < 1_500 && !error.contains("console") && !error.contains("codeop"), "{error}");
        assert_eq!(said(&replies, source)["lost"], Value::Null);
    }
    assert_eq!(said(&replies, "x")["shown"], "1");
}

#[test]
fn failed_guest_is_replaced() {
    let bench = TestDir::configured("workshop: {budget: {cpu_time_s: 1}}\n");
    let kill = [
        "exec('while True: pass')",
        "import ctypes; ctypes.string_at(0)",
        "import os; os._exit(0)",
        "print('x' * 100_000)",
        "import os; os.write(3, b'\\xff' * 100)",
        "import time\nexec('while True:\\n  try: time.sleep(1e9)\\n  except TimeoutError: pass')",
    ];
    let turn = "robot.goto_target(body_yaw=0.5, duration=1)\n";
    let lines: String = kill.iter().map(|kill| format!("x = 1\n{kill}\n'x' in globals()\n")).collect();
    let yaw = "round(robot.get_current_joint_positions()[0][0], 1)";
    let (replies, ran) = play(&bench, &format!("{turn}{lines}{yaw}\n:reset\n{yaw}"));
    assert_eq!(ran.code, Some(1));
    for kill in kill {
        let lost = said(&replies, kill.lines().last().unwrap())["lost"].as_str().unwrap();
        assert!(lost.contains("the variables are gone"), "{kill}: {lost}");
    }
    let gone: Vec<&Value> = replies
        .iter()
        .filter(|reply| reply["source"] == "'x' in globals()")
        .map(|reply| &reply["shown"])
        .collect();
    assert_eq!(gone, ["False"; 6]);
    // The robot's position has not changed.
    let yaws: Vec<&Value> =
        replies.iter().filter(|reply| reply["source"] == yaw).map(|reply| &reply["shown"]).collect();
    assert_eq!(yaws, ["0.5", "0.5"]);
}

#[test]
fn long_session_is_limited_line_by_line() {
    let bench = TestDir::configured("workshop: {budget: {robot_time_s: 10, max_output_kb: 1}}\n");
    let lines = "import time; time.sleep(9); print('x' * 900)\n".repeat(20);
    let (replies, ran) = play(&bench, &lines);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    assert!(replies[19]["clock_s"].as_f64().unwrap() > 180.0);
}

#[test]
fn interrupt_ends_only_the_current_line() {
    let bench = TestDir::new();
    for robot in [&["repl"][..], &["repl", "--robot", "mock"]] {
        let mut repl = bench.start(robot);
        repl.write_stdin("x = 1\nexec('print(\"begun\")\\nwhile True: robot.get_current_head_pose()')\n");
        assert_eq!(repl.line().as_deref(), Some("begun"));
        repl.signal(Signal::INT);
        assert!(repl.line().unwrap().starts_with("interrupted; a fresh Python begins"));
        repl.write_stdin("'x' in globals()\n");
        assert_eq!(repl.line().as_deref(), Some("False"));
        assert_eq!(repl.end().code, Some(1));
    }
}

#[test]
fn real_motors_are_rejected_with_a_reason() {
    let bench = TestDir::new();
    bench.run(&["repl", "--robot", "/dev/ttyACM0"]).is_error(&["never moves real motors", "/dev/ttyACM0"]);
    bench.run(&["repl", "--script", "nowhere.txt"]).is_error(&["nowhere.txt"]);
    let script = bench.write("lines.txt", &format!("{}\n1 + 1\nif True:\n    5", "x".repeat(70_000)));
    let ran = bench.run(&["repl", "--script", script.to_str().unwrap()]).exits(1);
    assert!(
        ran.out.contains("at most 65536 bytes") && ran.out.contains("0.00 s >>> 1 + 1\n2\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.ends_with("...     5\n5\n"), "{}", ran.out);
}

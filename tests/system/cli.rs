//! The program as a user or a script meets it: text in, one JSON document out, and correct exit codes.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::ffi::OsStrExt;

use minismith_tests::{CommandOutput, RunningCommand, TestDir};
use rustix::process::Signal;
use serde_json::{Value, json};

/// The tolerance of angles in degrees.
const CLOSE: f64 = 1.0;

#[track_caller]
fn is_close(angle: &Value, degrees: f64) {
    let found = angle.as_f64().unwrap();
    assert!((found - degrees).abs() < CLOSE, "{found} instead of {degrees}");
}

/// Starts the emulated servos in a process of their own and returns the path of their line.
fn mock(bench: &TestDir, options: &[&str]) -> (RunningCommand, String) {
    let mut mock = bench.start(&[&["mock"], options].concat());
    let path = mock.line().unwrap();
    (mock, path)
}

#[test]
fn sentence_moves_the_emulated_servos_and_reports_positions() {
    let bench = TestDir::new();
    let said = ["say", "nod twice, then look left 20 degrees", "--robot", "mock-bus", "--json"];
    let reply = bench.run(&said).exits(0).json();
    let steps = reply["steps"].as_array().unwrap();
    let kinds: Vec<&str> = steps.iter().map(|step| step["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["nod twice", "look left 20 deg"]);
    assert_eq!((&reply["outcome"], &reply["tool"]), (&json!("done"), &Value::Null));
    for step in steps {
        assert_eq!((&step["refusal"], &step["trims"]), (&Value::Null, &json!([])));
    }
    is_close(&steps[1]["requested"]["yaw_deg"], 20.0);
    is_close(&steps[1]["achieved"]["yaw_deg"], 20.0);
    is_close(&steps[1]["achieved"]["pitch_deg"], 0.0);
}

#[test]
fn take_over_answers_in_one_document_and_with_exit_codes() {
    let bench = TestDir::new();
    let root = bench.path("root");
    std::fs::create_dir(&root).unwrap();
    let root = root.to_str().unwrap();
    let refused = bench.run(&["take-over", "--root", root, "--json"]).exits(1).json();
    assert!(refused["refusal"].as_str().unwrap().contains("reachy-mini-daemon.service"), "{refused}");
    let nothing = bench.run(&["give-back", "--root", root, "--json"]).exits(0).json();
    assert_eq!((&nothing["owner"], &nothing["steps"]), (&json!("nobody"), &json!([])));
    // The start of our service runs it as root, and the log file belongs to the service's user.
    assert!(!bench.path(".share/minismith/log.jsonl").exists());
    bench.run(&["take-over", "--root", "missing"]).is_error(&["missing", "No such file"]);
    bench.run(&["take-over", "--check", "--dry-run"]).is_error(&["--check"]);
}

#[test]
fn tool_is_created_verified_run_and_run_again_in_the_next_conversation() {
    let bench = TestDir::new();
    let setpoint =
        "make a tool called happy_hello that nods three times and wiggles the antennas, then run it";
    let reply = bench.run(&["say", setpoint, "--json"]).exits(0).json();
    let tool = &reply["tool"];
    assert_eq!((&tool["name"], &tool["version"]), (&json!("happy_hello"), &json!(1)));
    assert_eq!(tool["plan"][0], "nod 3 times");
    assert!(tool["code"].as_str().unwrap().contains("def happy_hello(robot: ReachyMini"));
    assert!(tool["findings"].is_array());
    let report = &tool["report"];
    assert!(report["cases"].as_u64().unwrap() > 5 && report["line_coverage"].as_f64().unwrap() > 0.9);
    assert!(report["joints"]["stewart_1"]["peak_speed_dps"].as_f64().unwrap() > 10.0);
    assert!(report["joints"]["body_rotation"]["peak_speed_dps"].as_f64().unwrap() < 1.0);
    assert_eq!((&tool["performance"]["ended"], &reply["outcome"]), (&json!("returned"), &json!("done")));
    let lowest = |reply: &Value| {
        let steps = reply["steps"].as_array().unwrap().clone();
        steps.iter().filter_map(|step| step["achieved"]["pitch_deg"].as_f64()).fold(0.0, f64::max)
    };
    assert!(lowest(&reply) > 10.0, "it nodded: {reply}");
    assert!(bench.path("tools/generated/happy_hello/v1.py").is_file());

    let again = bench.run(&["say", "happy_hello", "--robot", "mock-bus", "--json"]).exits(0).json();
    assert_eq!((&again["tool"]["version"], &again["tool"]["code"]), (&json!(1), &Value::Null));
    assert_eq!(again["tool"]["performance"]["ended"], "returned");
    assert_eq!(again["steps"].as_array().unwrap().len(), reply["steps"].as_array().unwrap().len());
    assert!(lowest(&again) > 10.0, "it nodded: {again}");
}

/// Asserts that a sentence is declined with all these words in the JSON answer, and that nothing moves.
#[track_caller]
fn declines(bench: &TestDir, text: &str, outcome: &str, words: &[&str]) {
    let reply = bench.run(&["say", text, "--json"]).exits(1).json();
    assert_eq!((&reply["outcome"], &reply["steps"]), (&json!(outcome), &json!([])), "{reply}");
    let said = reply["text"].as_str().unwrap();
    assert!(words.iter().all(|word| said.contains(word)), "{words:?} are not all in {said:?}");
}

#[test]
fn sentence_is_declined_as_a_whole_when_any_part_fails() {
    let bench = TestDir::new();
    declines(&bench, "", "not_understood", &["heard nothing", "help"]);
    declines(&bench, " \n\t ", "not_understood", &["heard nothing"]);
    declines(&bench, &"look left ".repeat(1_000), "not_understood", &["10000 characters", "2000"]);
    declines(&bench, "nod\u{7}\u{1b}[31m", "not_understood", &["no text"]);
    declines(&bench, "nodd twise and flurb", "not_understood", &["twise and flurb"]);
    declines(&bench, "fly to the moon", "not_understood", &["fly to the moon", "\"look left 20 degrees\""]);
    declines(&bench, "nod, then fly to the moon", "not_understood", &["fly to the moon"]);
    declines(&bench, "raise your head 20 cm", "refused", &["200 mm", "0 to 20 mm"]);
    declines(&bench, "nod, then turn left 300 degrees", "refused", &["300 deg", "0 to 160 deg"]);
    declines(&bench, "run happy_helo", "not_understood", &["happy_helo"]);
}

#[test]
fn word_that_sounds_like_a_known_one_is_taken_and_said_back() {
    let reply = TestDir::new().run(&["say", "nod twise", "--json"]).exits(0).json();
    assert!(reply["text"].as_str().unwrap().starts_with("I heard \"twice\". Done: nod"), "{reply}");
}

#[test]
fn invalid_utf8_is_a_usage_error() {
    let bench = TestDir::new();
    let mut command = bench.command(&["say", "--json"]);
    command.arg(OsStr::from_bytes(b"nod \xff\xfe\x80"));
    CommandOutput::from(command).is_error(&["UTF-8"]);
}

#[test]
fn unreachable_pose_is_rejected_with_leg_and_distance() {
    let bench = TestDir::new();
    let source = "from reachy_mini import ReachyMini\nfrom reachy_mini.utils import create_head_pose\n\n\n\
        def lift(robot: ReachyMini, height: float = 5.0) -> str:\n    \"\"\"Lift the head.\n\n    Args:\n        \
        robot: The robot.\n        height: Millimetres, between 0 and 200.\n\n    Returns:\n        A word.\n    \"\"\"\n    \
        robot.goto_target(create_head_pose(z=height, mm=True), duration=0.5)\n    return \"done\"\n";
    let file = bench.write("lift.py", source);
    let added = bench.run(&["tool", "add", file.to_str().unwrap(), "--json"]).exits(0).json();
    assert_eq!(added["registered"]["version"], 1);
    let ran = bench.run(&["tool", "run", "lift", "--args", r#"{"height": 180}"#, "--json"]).exits(1).json();
    let tool_run = &ran["performance"];
    assert_eq!((&tool_run["ended"], &tool_run["kind"]), (&json!("raised"), &json!("ValueError")));
    let refusal = tool_run["steps"][0]["refusal"].as_str().unwrap();
    assert!(refusal.contains("stewart_") && refusal.contains(" mm longer"), "{refusal}");
    assert_eq!(tool_run["steps"][0]["achieved"], Value::Null);
}

#[test]
fn missing_robot_is_reported_with_a_remedy() {
    let bench = TestDir::new();
    let robot = |name: &str| bench.run(&["say", "nod", "--json", "--robot", name]);
    robot("/dev/nonexistent").is_error(&["/dev/nonexistent", "plug the robot in", "doctor"]);
    robot("mokc").is_error(&["mokc", "mock-bus"]);
    let file = bench.write("plain.txt", "no serial port");
    robot(file.to_str().unwrap()).is_error(&["plain.txt"]);
    bench.run(&["scan", "/dev/nonexistent", "--json"]).is_error(&["/dev/nonexistent"]);
}

#[test]
fn port_is_held_by_one_program_at_a_time() {
    let bench = TestDir::new();
    let (_mock, path) = mock(&bench, &[]);
    let mut holder = bench.start(&["serve", "--robot", &path, "--port", "0", "--json"]);
    assert!(holder.line().unwrap().contains("listening"));
    bench.run(&["say", "nod", "--robot", &path]).is_error(&[&path, "held by another program"]);
    bench.run(&["scan", &path]).is_error(&["held by another program"]);
    holder.signal(Signal::TERM);
    assert_eq!(holder.end().code, Some(0));
    assert_eq!(bench.run(&["scan", &path]).code, Some(0));
}

#[test]
fn servo_faults_are_named_with_a_remedy() {
    let bench = TestDir::new();
    for (fault, words) in [
        ("silent: [stewart_3, left_antenna]", ["stewart_3, left_antenna", "cable"]),
        ("voltage: 4.0", ["4.0 V", "power supply"]),
    ] {
        let faults = bench.write("faults.yaml", fault);
        let (_mock, path) = mock(&bench, &["--faults", faults.to_str().unwrap()]);
        bench.run(&["say", "nod", "--robot", &path, "--json"]).is_error(&words);
    }
    let faults = bench.write("faults.yaml", "voltage: 5.0\nsilnt: [stewart_3]\n");
    let mock = ["mock", "--faults", faults.to_str().unwrap()];
    bench.run(&mock).is_error(&["faults.yaml", "line 2", "`silent`"]);
}

#[test]
fn configuration_error_names_file_line_and_key() {
    let bench = TestDir::new();
    bench.write("config.yaml", "robot: mock\ncontrol_loop:\n  rate: 50\n");
    let say = ["say", "nod", "--json"];
    bench.run(&say).is_error(&["config.yaml:3", "control_loop.rate", "rate_hz"]);
    bench.write("other.yaml", "control_loop: {rate_hz: 5000}\n");
    let other = [&say[..], &["--config", "other.yaml"]].concat();
    bench.run(&other).is_error(&["other.yaml:1", "control_loop.rate_hz", "10 to 400"]);
    bench.run(&["doctor", "--config", "nowhere.yaml"]).is_error(&["nowhere.yaml", "--config"]);
}

#[test]
fn old_keys_and_flags_are_read_and_old_keys_warn() {
    let bench = TestDir::new();
    bench.write("config.yaml", "pulse: {rate_hz: 50}\nbrain: offline\n");
    let run = |flag: &str| {
        bench.run(&["move", "--joint", "body_rotation", "--to", "5deg", flag, "200ms", "--json"]).exits(0)
    };
    let old = run("--over");
    let warnings = "warning: config.yaml:1: `pulse.rate_hz` is now `control_loop.rate_hz`; rename it\n\
                    warning: config.yaml:2: `brain: offline` is now `nlu: grammar`; rename it\n";
    assert!(old.err.starts_with(warnings), "{}", old.err);
    bench.write("config.yaml", "control_loop: {rate_hz: 50}\nnlu: grammar\n");
    let new = run("--duration");
    assert!(!new.err.contains("warning"), "{}", new.err);
    let (old, new) = (old.json(), new.json());
    assert_eq!(old["joints"][0]["requested_deg"], new["joints"][0]["requested_deg"]);
    assert_eq!(
        old.as_object().unwrap().keys().collect::<Vec<_>>(),
        new.as_object().unwrap().keys().collect::<Vec<_>>()
    );
    bench.write("config.yaml", "pulse: {rate_hz: 50}\ncontrol_loop: {rate_hz: 50}\n");
    bench.run(&["rules"]).is_error(&["config.yaml:2", "`pulse` on line 1", "keep `control_loop`"]);
}

#[test]
fn conversation_continues_after_a_stop() {
    let bench = TestDir::new();
    let mut chat = bench.start(&["chat", "--robot", "mock", "--json"]);
    chat.write_stdin("look left 20 degrees\n");
    let looked: Value = serde_json::from_str(&chat.line().unwrap()).unwrap();
    assert_eq!(looked["outcome"], "done");
    chat.write_stdin("dance for 30 seconds, then look right 50 degrees\nstop\n");
    let [danced, stopped] = [(); 2].map(|()| serde_json::from_str::<Value>(&chat.line().unwrap()).unwrap());
    assert_eq!(danced["outcome"], "stopped", "{danced}");
    assert_eq!(stopped["steps"][0]["kind"], "stop");
    chat.write_stdin("center\nbye\n");
    let ran = chat.end().exits(0);
    let centred: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(centred["outcome"], "done", "{centred}");
    is_close(&centred["steps"][0]["achieved"]["yaw_deg"], 0.0);
}

pub(super) fn listening(line: &str) -> String {
    let line: Value = serde_json::from_str(line).unwrap();
    line["listening"].as_str().unwrap().to_owned()
}

/// Sends one request, with a Host header unless `headers` has one. Returns the status and the JSON of the response, if
/// any.
fn http(address: &str, what: &str, headers: &[&str]) -> (u16, Value) {
    send(address, what, headers, "")
}

/// The same with a body.
pub(super) fn send(address: &str, what: &str, headers: &[&str], body: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(address).unwrap();
    let host = format!("Host: {address}");
    let host = if headers.iter().any(|header| header.starts_with("Host:")) { vec![] } else { vec![&*host] };
    let length = format!("Content-Length: {}", body.len());
    let lines = [&[&*format!("{what} HTTP/1.1"), "Connection: close", &*length], &*host, headers];
    stream.write_all(format!("{}\r\n\r\n{body}", lines.concat().join("\r\n")).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    (status, if body.is_empty() { Value::Null } else { serde_json::from_str(body).unwrap() })
}

#[test]
fn server_answers_local_requests_only_and_shuts_down_cleanly() {
    let bench = TestDir::new();
    let mut server = bench.start(&["serve", "--robot", "mock-bus", "--port", "0", "--json"]);
    let address = listening(&server.line().unwrap());
    let (status, health) = http(&address, "GET /health", &[]);
    assert_eq!((status, &health["status"], &health["fault"]), (200, &json!("ok"), &Value::Null));
    let (status, state) = http(&address, "GET /api/v1/state", &[]);
    assert_eq!((status, state["joints"].as_array().unwrap().len()), (200, 9));
    assert_eq!((&state["doing"], &state["joints"][0]["name"]), (&json!("holding"), &json!("body_rotation")));
    is_close(&state["posture"]["yaw_deg"], 0.0);
    assert_eq!(http(&address, "POST /api/v1/stop", &[]).0, 200);
    assert_eq!(http(&address, "GET /api/v1/stop", &[]).0, 405);
    assert_eq!(http(&address, "GET /nowhere", &[]).0, 404);
    assert_eq!(http(&address, "POST /api/v1/stop", &["Host: robot.example"]).0, 400);
    assert_eq!(http(&address, "POST /api/v1/stop", &["Origin: https://robot.example"]).0, 403);
    assert_eq!(http(&address, "POST /api/v1/stop", &["Origin: null"]).0, 403);
    assert_eq!(http(&address, "GET /health", &["Origin: http://localhost:3000"]).0, 200);
    let cycles = http(&address, "GET /health", &[]).1["beats"].as_u64().unwrap();
    assert!(cycles > health["beats"].as_u64().unwrap(), "the control loop runs on");
    server.signal(Signal::TERM);
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn server_requires_a_token_to_listen_beyond_localhost() {
    let bench = TestDir::new();
    for host in ["0.0.0.0", "192.0.2.1", "::"] {
        let serve = ["serve", "--robot", "mock", "--port", "0", "--host", host];
        bench.run(&serve).is_error(&[host, "127.0.0.1"]);
    }
    let mut server = bench.start(&["serve", "--robot", "mock", "--port", "0", "--json"]);
    let address = listening(&server.line().unwrap());
    let port = address.rsplit(':').next().unwrap();
    bench.run(&["serve", "--robot", "mock", "--port", port]).is_error(&[&address, "--port"]);
    bench.write("config.yaml", "server: {host: 0.0.0.0}\n");
    bench.run(&["serve"]).is_error(&["0.0.0.0", "minismith token add", "127.0.0.1"]);
}

#[test]
fn emulated_servos_are_found_by_their_link_and_remove_it() {
    let bench = TestDir::new();
    let link = bench.path("reachy");
    let (mock, path) = mock(&bench, &["--link", link.to_str().unwrap()]);
    assert_eq!(std::fs::canonicalize(&link).unwrap(), std::fs::canonicalize(&path).unwrap());
    let scan = bench.run(&["scan", link.to_str().unwrap(), "--json"]).exits(0).json();
    let motors = scan["motors"].as_array().unwrap();
    let ids: Vec<u64> = motors.iter().map(|motor| motor["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [10, 11, 12, 13, 14, 15, 16, 17, 18]);
    assert_eq!((&motors[8]["joint"], &motors[8]["volts"]), (&json!("left_antenna"), &json!(5.0)));
    mock.signal(Signal::INT);
    let ran = mock.end();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(std::fs::symlink_metadata(&link).is_err(), "the link is still there");
}

#[test]
fn status_shows_the_machine_and_the_rules() {
    let bench = TestDir::new();
    let doctor = bench.run(&["doctor", "--json"]);
    let checks = doctor.json()["checks"].as_array().unwrap().clone();
    let bad = checks.iter().any(|check| check["state"] == "bad");
    assert_eq!(doctor.code, Some(i32::from(bad)), "{}", doctor.out);
    let well = |check: &&Value| check["state"] == "good" || check["remedy"].is_string();
    assert!(checks.len() >= 4 && checks.iter().all(|check| well(&check)), "{checks:?}");

    let rules = bench.run(&["rules", "--json"]).exits(0).json();
    for rule in rules["rules"].as_array().unwrap() {
        for key in ["id", "reason", "advice"] {
            assert!(rule[key].as_str().is_some_and(|text| !text.is_empty()), "{key} is missing: {rule}");
        }
    }
    assert!(rules["rules"].as_array().unwrap().len() > 30);
}

#[test]
fn every_command_has_help() {
    let bench = TestDir::new();
    let tool = [
        "check",
        "add",
        "list",
        "show",
        "run",
        "approve",
        "rollback",
        "deactivate",
        "activate",
        "diff",
        "search",
        "export",
        "import",
    ];
    let plain = ["say", "chat", "serve", "tool", "mock", "scan", "doctor", "rules"].map(|name| vec![name]);
    for words in plain.into_iter().chain(tool.map(|name| vec!["tool", name])) {
        let help = bench.run(&[&*words, &["--help"]].concat()).exits(0).out;
        let first = help.lines().next().unwrap();
        assert!(!first.starts_with("Usage") && first.contains(' '), "{words:?}: {help}");
        assert!(help.contains(&format!("minismith {}", words.join(" "))), "{words:?}: {help}");
    }
    assert_eq!(bench.run(&[]).code, Some(2));
    bench.run(&["serv"]).is_error(&["'serv'", "'serve'"]);
    bench.run(&["say"]).is_error(&["<TEXT>"]);
    assert_eq!(bench.run(&["--version"]).exits(0).out, format!("minismith {}\n", env!("CARGO_PKG_VERSION")));
}

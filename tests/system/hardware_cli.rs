//! The hardware commands as a user or a script meets them: joints, recorded moves, packets, settings and the machine.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use minismith_tests::{CommandOutput, RunningCommand, TestDir, workspace};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::cli::{listening, send};

/// Starts the emulated servos in a process of their own and returns the path of their line.
fn mock(bench: &TestDir) -> (RunningCommand, String) {
    let mut mock = bench.start(&["mock"]);
    let path = mock.line().unwrap();
    (mock, path)
}

/// Runs the program with this text on its standard input.
fn fed(bench: &TestDir, arguments: &[&str], input: &str) -> CommandOutput {
    let file = bench.write("input", input);
    let mut command = bench.command(arguments);
    command.stdin(Stdio::from(std::fs::File::open(file).unwrap()));
    CommandOutput::from(command)
}

/// Returns a move of this many frames at 50 Hz, in which the head turns by `turn` radians and the antennas wave.
fn wave(frames: usize, turn: f64) -> Value {
    let share = |frame: usize| (1.0 - (frame as f64 / frames as f64 * std::f64::consts::TAU).cos()) / 2.0;
    let frame = |frame: usize| {
        let (sin, cos) = (turn * share(frame)).sin_cos();
        let head = [[cos, -sin, 0.0, 0.0], [sin, cos, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
        let antennas = [-0.2 - share(frame), 0.2 + share(frame)];
        json!({ "head": head, "antennas": antennas, "body_yaw": 0.0, "check_collision": false })
    };
    let times: Vec<f64> = (0..frames).map(|frame| frame as f64 * 0.02).collect();
    json!({
        "description": "a wave", "time": times,
        "set_target_data": (0..frames).map(frame).collect::<Vec<_>>(),
    })
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the time, the head yaw and the right antenna of each frame.
fn track(recording: &Value) -> Vec<(f64, f64, f64)> {
    let times = recording["time"].as_array().unwrap();
    let frames = recording["set_target_data"].as_array().unwrap();
    let of_one = |(time, frame): (&Value, &Value)| {
        let head = |row: usize| frame["head"][row][0].as_f64().unwrap();
        (time.as_f64().unwrap(), head(1).atan2(head(0)), frame["antennas"][0].as_f64().unwrap())
    };
    times.iter().zip(frames).map(of_one).collect()
}

#[test]
fn joint_moves_to_and_by_angles() {
    let bench = TestDir::new();
    for robot in ["mock", "mock-bus"] {
        let words = ["move", "--joint", "stewart_1", "--to", "40deg", "--joint", "left_antenna", "--to"];
        let more = ["-0.5rad", "--duration", "500ms", "--robot", robot, "--json"];
        let report = bench.run(&[&words[..], &more].concat()).exits(0).json();
        assert_eq!((&report["refusal"], &report["trims"]), (&Value::Null, &json!([])));
        for (position, name, degrees) in [(0, "stewart_1", 40.0), (1, "left_antenna", -28.65)] {
            let joint = &report["joints"][position];
            assert_eq!((&joint["joint"], &joint["requested_deg"]), (&json!(name), &json!(degrees)));
            let achieved = joint["achieved_deg"].as_f64().unwrap();
            assert!((achieved - degrees).abs() < 1.0, "{robot}: {joint}");
        }
    }
    let fast = ["move", "--joint", "body_rotation", "--by", "-40deg", "--duration", "10ms", "--json"];
    let report = bench.run(&fast).exits(0).json();
    assert_eq!(
        (&report["trims"][0]["what"], &report["trims"][0]["cause"]),
        (&json!("body_rotation"), &json!("speed"))
    );

    let far = bench.run(&["move", "--joint", "stewart_1", "--to", "85deg", "--json"]).exits(1).json();
    let refusal = far["refusal"].as_str().unwrap();
    assert!(refusal.contains("85.0 deg") && refusal.contains("-47.0 deg to 79.0 deg"), "{refusal}");
    bench.run(&["move", "--joint", "nose", "--to", "1deg"]).is_error(&["nose", "left_antenna"]);
    bench.run(&["move", "--joint", "stewart_1", "--to", "10"]).is_error(&["10deg"]);
    bench.run(&["move", "--joint", "stewart_1"]).is_error(&["--to", "--by"]);
}

#[test]
fn recording_plays_back_unchanged() {
    let bench = TestDir::new();
    let wave = wave(75, 0.4);
    bench.write("wave.json", &wave.to_string());
    let play = ["play", "wave.json", "--record", "did.json", "--robot", "mock-bus", "--json"];
    let played = bench.run(&play).exits(0).json();
    assert_eq!(
        (&played["frames"], &played["description"], &played["refusal"]),
        (&json!(75), &json!("a wave"), &Value::Null)
    );
    let did = read(&bench.path("did.json"));
    let (asked, did) = (track(&wave), track(&did));
    assert!(did.len() >= asked.len());
    // The robot follows a command some cycles later: within 100 ms it reaches the recorded position.
    for (time, yaw, antenna) in asked {
        let near = did.iter().filter(|(when, ..)| (time..time + 0.1).contains(when));
        let off = near.map(|(_, y, a)| (y - yaw).abs().max((a - antenna).abs())).fold(f64::MAX, f64::min);
        assert!(off < 0.04, "{time} s: {off} rad away");
    }

    // Playback faster than the recorded speed, and recording from a sentence.
    let twice = bench.run(&["play", "wave.json", "--speed", "2", "--json"]).exits(0).json();
    assert_eq!(twice["seconds"], 0.74);
    let nod = bench.run(&["record", "nod.json", "--say", "nod", "--json"]).exits(0).json();
    assert_eq!((&nod["hold"], &nod["missed"]), (&json!("stiff"), &json!(0)));
    assert_eq!(read(&bench.path("nod.json"))["description"], "nod");
    assert_eq!(bench.run(&["play", "nod.json"]).code, Some(0));
}

#[test]
fn recording_is_stored_completely_or_not_at_all() {
    let bench = TestDir::new();
    let still =
        bench.run(&["record", "still.json", "--seconds", "0.3", "--rate", "100", "--json"]).exits(0).json();
    assert!((20..=31).contains(&still["frames"].as_u64().unwrap()), "{still}");
    bench.run(&["record", "still.json", "--seconds", "0.2"]).is_error(&["still.json", "--force"]);
    assert_eq!(bench.run(&["record", "still.json", "--seconds", "0.2", "--force"]).code, Some(0));
    bench.run(&["record", "no/such/folder.json", "--seconds", "0.2"]).is_error(&["folder.json"]);
    bench
        .run(&["record", "limp.json", "--mode", "torque-off", "--seconds", "0.2"])
        .is_error(&["--yes", "sinks"]);
    let torque_off = ["record", "limp.json", "--mode", "torque-off", "--yes", "--seconds", "0.2", "--json"];
    assert_eq!(bench.run(&torque_off).exits(0).json()["hold"], "released");
    // A motion that did not run is not stored.
    assert_eq!(bench.run(&["record", "no.json", "--say", "fly away"]).code, Some(1));
    assert!(!bench.path("no.json").exists());
    let names = std::fs::read_dir(bench.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.filter(|name| name.to_string_lossy().ends_with(".new")).count(), 0);
}

#[test]
fn recording_is_stored_when_ctrl_c_ends_it() {
    let bench = TestDir::new();
    let mut command = bench.command(&["record", "led.json"]);
    let mut recorder = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut reported = BufReader::new(recorder.stderr.take().unwrap());
    let mut line = String::new();
    reported.read_line(&mut line).unwrap();
    assert!(line.contains("recording"), "{line}");
    kill_process(Pid::from_child(&recorder), Signal::INT).unwrap();
    assert_eq!(recorder.wait().unwrap().code(), Some(0));
    assert!(!track(&read(&bench.path("led.json"))).is_empty());
}

#[test]
fn hostile_recordings_are_rejected_with_the_frame_number() {
    let bench = TestDir::new();
    let check = |name: &str, change: &dyn Fn(&mut Value), words: &[&str]| {
        let mut file = wave(10, 0.1);
        change(&mut file);
        bench.write(name, &file.to_string());
        let refusal = bench.run(&["play", name, "--json"]).exits(1).json()["refusal"].clone();
        let refusal = refusal.as_str().unwrap();
        assert!(words.iter().all(|word| refusal.contains(word)), "{words:?} are not in {refusal:?}");
    };
    check("far.json", &|file| file["set_target_data"][3]["head"][2][3] = json!(5.0), &["frame 3"]);
    check(
        "skew.json",
        &|file| file["set_target_data"][4]["head"][0][0] = json!(9.0),
        &["frame 4", "orthonormal"],
    );
    check(
        "huge.json",
        &|file| file["set_target_data"][5]["body_yaw"] = json!(1e300),
        &["frame 5", "body_yaw"],
    );
    check("back.json", &|file| file["time"][6] = json!(-1.0), &["frame 6", "sort"]);
    check("late.json", &|file| file["time"][9] = json!(1e9), &["frame 9", "600 s"]);
    check("none.json", &|file| file["time"] = json!([]), &["0 times for 10 frames"]);
    for (name, text) in
        [("text.json", "nod twice"), ("deep.json", &*"[".repeat(200_000)), ("nan.json", r#"{"time": [NaN]}"#)]
    {
        bench.write(name, text);
        assert_eq!(bench.run(&["play", name]).code, Some(1), "{name}");
    }
    assert_eq!(bench.run(&["play", "/dev/zero"]).code, Some(1));
    assert_eq!(bench.run(&["play", "."]).code, Some(1));
    bench.run(&["play", "nowhere.json"]).is_error(&["nowhere.json"]);
    bench.run(&["play", "text.json", "--speed", "nan"]).is_error(&["0.1 to 4"]);
}

/// Returns a Python with the whole official library: the configured one, or that of the official daemon.
fn official_python() -> Option<PathBuf> {
    let installed = || Some(workspace().join(".cache/official/bin/python")).filter(|path| path.exists());
    let python = std::env::var_os("MINISMITH_SDK_PYTHON").map(PathBuf::from).or_else(installed);
    if python.is_none() {
        println!("skipped: the official library is not installed (make official)");
    }
    python
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "the official library is Python's: it needs a process of its own"
)]
fn the_official_library_plays_our_files_and_we_play_its() {
    let Some(python) = official_python() else { return };
    let bench = TestDir::new();
    let wave = wave(50, 0.4);
    bench.write("wave.json", &wave.to_string());
    let play = ["play", "wave.json", "--record", "ours.json"];
    assert_eq!(bench.run(&play).code, Some(0));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("support/official/recorded_move.py");
    let mut command = std::process::Command::new(python);
    command.arg(script).arg(bench.path("ours.json")).arg(bench.path("theirs.json"));
    let seen = CommandOutput::from(command).exits(0).json();
    let ours = track(&read(&bench.path("ours.json")));
    assert_eq!(seen["frames"].as_u64().unwrap(), ours.len() as u64);
    assert!((seen["duration"].as_f64().unwrap() - ours.last().unwrap().0).abs() < 0.05, "{seen}");
    for sample in seen["samples"].as_array().unwrap() {
        let time = sample["time"].as_f64().unwrap();
        let (_, yaw, antenna) = ours.iter().find(|(when, ..)| (when - time).abs() < 1e-9).unwrap();
        assert!((sample["yaw"].as_f64().unwrap() - yaw).abs() < 1e-6, "{sample}");
        assert!((sample["antennas"][0].as_f64().unwrap() - antenna).abs() < 1e-9, "{sample}");
    }
    let theirs = bench.run(&["play", "theirs.json", "--json"]).exits(0).json();
    assert_eq!((&theirs["description"], &theirs["refusal"]), (&json!("written by Python"), &Value::Null));
}

#[test]
fn raw_packets_are_sent_and_responses_shown() {
    let bench = TestDir::new();
    let (_mock, port) = mock(&bench);
    let ask = |words: &[&str]| bench.run(&[&["raw", &port, "--json"], words].concat());
    let ping = ask(&["--ping", "11"]).exits(0).json();
    assert_eq!(ping["exchanges"][0]["sent"], "ff ff fd 00 0b 03 00 01 19 c6");
    assert!(
        ping["exchanges"][0]["heard_words"][0].as_str().unwrap().contains("answer from 11 (stewart_1): done")
    );
    let offset = ask(&["--read", "12", "20", "4"]).exits(0).json();
    assert!(offset["exchanges"][0]["heard_words"][0].as_str().unwrap().ends_with("= -1024"), "{offset}");
    assert_eq!(ask(&["--write", "12", "65", "01"]).code, Some(0));
    let led = ask(&["--read", "12", "65", "1"]).exits(0).json();
    assert!(led["exchanges"][0]["heard_words"][0].as_str().unwrap().ends_with("= 1"), "{led}");
    // The address of a read-only register.
    let refused = ask(&["--write", "12", "146", "01"]).exits(0).json();
    assert!(refused["exchanges"][0]["heard_words"][0].as_str().unwrap().contains("cannot be written"));
    assert_eq!(ask(&["--ping", "42"]).exits(1).json()["exchanges"][0]["heard"], "");

    let lines = "# a ping, twice\nff ff fd 00 0b 03 00 01 19 c6\n\nfffffd000b03000119c6\n";
    let reported = fed(&bench, &["raw", &port], lines).exits(0).out;
    assert_eq!(reported.matches("answer from 11 (stewart_1): done").count(), 2, "{reported}");
    fed(&bench, &["raw", &port], "ff fg\n").is_error(&["line 1", "fg"]);
    bench.run(&["raw", &port, "--ping", "300"]).is_error(&["300"]);
    bench.run(&["raw", "/dev/nonexistent", "--ping", "1"]).is_error(&["/dev/nonexistent"]);
}

#[test]
fn clients_of_the_official_api_get_the_nearest_pose_if_no_head_fits() {
    let bench = TestDir::new();
    let (_mock, port) = mock(&bench);
    // Three arms are where no rigid head lets them be.
    for (id, steps) in
        [("11", ["f6", "05", "00", "00"]), ("12", ["b1", "04", "00", "00"]), ("14", ["0a", "0a", "00", "00"])]
    {
        assert_eq!(bench.run(&["raw", &port, "--write", id, "64", "01"]).code, Some(0));
        assert_eq!(bench.run(&[&["raw", &port, "--write", id, "116"], &steps[..]].concat()).code, Some(0));
    }
    let mut server = bench.start(&["serve", "--json", "--port", "0", "--robot", &port]);
    let address = listening(&server.line().unwrap());
    // The servos may still be on their way.
    let state = (0..100).find_map(|_| {
        std::thread::park_timeout(std::time::Duration::from_millis(50));
        let (status, state) = send(&address, "GET /api/state/full?with_head_joints=true", &[], "");
        assert_eq!(status, 200, "{state}");
        state["head_pose_error"].is_f64().then_some(state)
    });
    let state = state.unwrap();
    assert!(state["head_pose_error"].as_f64().unwrap() > 1e-3, "{state}");
    for part in ["x", "y", "z", "roll", "pitch", "yaw"] {
        assert!(state["head_pose"][part].is_f64(), "{state}");
    }
    assert_eq!(send(&address, "GET /api/state/present_head_pose", &[], "").0, 200);
    // It is for display only: nothing plans from it.
    assert_eq!(send(&address, "GET /api/v1/state", &[], "").1["posture"], Value::Null);
    let goto = send(
        &address,
        "POST /api/move/goto",
        &["Content-Type: application/json"],
        r#"{"antennas": [0.5, -0.5], "duration": 0.5}"#,
    );
    assert_eq!(goto.0, 409, "{}", goto.1);
    server.signal(Signal::INT);
}

#[test]
fn scan_prints_a_table_with_baud_rates() {
    let bench = TestDir::new();
    let (_mock, port) = mock(&bench);
    let table = bench.run(&["scan", &port]).exits(0).out;
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!((lines.len(), lines[0].split_whitespace().next()), (10, Some("id")));
    let first: Vec<&str> = lines[2].split_whitespace().collect();
    assert_eq!(first[..5], ["11", "stewart_1", "1000000", "1200", "51"], "{table}");
    let all = bench.run(&["scan", &port, "--all-baudrates", "--json"]).exits(0).json();
    let motors = all["motors"].as_array().unwrap();
    assert_eq!((motors.len(), &motors[0]["baud"], &motors[8]["id"]), (9, &json!(1_000_000), &json!(18)));
}

#[test]
fn raw_commands_refuse_a_line_held_by_a_controller() {
    let bench = TestDir::new();
    let (_mock, port) = mock(&bench);
    let mut holder = bench.start(&["serve", "--robot", &port, "--port", "0"]);
    holder.line().unwrap();
    bench.run(&["raw", &port, "--ping", "11"]).is_error(&[&port, "held by another program"]);
    bench.run(&["calibrate", &port]).is_error(&[&port, "held by another program"]);
    bench.run(&["scan", &port, "--all-baudrates"]).is_error(&[&port, "held by another program"]);
    bench
        .run(&["move", "--joint", "stewart_1", "--to", "9deg", "--robot", &port])
        .is_error(&["held by another"]);
    holder.signal(Signal::TERM);
    assert_eq!(holder.end().code, Some(0));
    assert_eq!(bench.run(&["raw", &port, "--ping", "11"]).code, Some(0));
}

/// Returns the homing offset of each servo in the output of `calibrate --json`.
fn offsets(answer: &Value) -> Vec<i64> {
    let servos = answer["servos"].as_array().unwrap();
    servos.iter().map(|servo| servo["settings"]["homing_offset_steps"].as_i64().unwrap()).collect()
}

#[test]
fn settings_are_saved_corrected_and_restored() {
    const OFFICIAL: [i64; 9] = [0, 1024, -1024, 1024, -1024, 1024, -1024, 0, 0];
    let bench = TestDir::new();
    let (_mock, port) = mock(&bench);
    let calibrate = |words: &[&str]| bench.run(&[&["calibrate", &port, "--json"], words].concat());
    let first = calibrate(&["--backup", "first.yaml"]).exits(0).json();
    assert_eq!((offsets(&first), &first["written"]), (OFFICIAL.to_vec(), &json!([])));
    let kinds: Vec<&str> = first["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["is"]["what"].as_str().unwrap())
        .collect();
    assert!(kinds.iter().all(|kind| *kind == "gains"), "{kinds:?}");
    calibrate(&["--backup", "first.yaml"]).is_error(&["first.yaml", "not overwritten"]);

    // A homing offset and a limit that differ from the official ones are reported. In the neutral pose, the antennas
    // point straight up.
    for (id, address, bytes) in
        [("14", "20", ["38", "fc", "ff", "ff"]), ("14", "48", ["ff", "0f", "00", "00"])]
    {
        let write = [&["raw", &port, "--write", id, address], &bytes[..]].concat();
        assert_eq!(bench.run(&write).code, Some(0));
    }
    let second = calibrate(&["--backup", "second.yaml"]).exits(0).json();
    let differs = |what: &str, value: i64| {
        let all = second["differences"].as_array().unwrap();
        all.iter()
            .any(|one| one["joint"] == "stewart_4" && one["is"] == json!({ "what": what, "value": value }))
    };
    assert!(differs("homing_offset_steps", -968) && differs("max_position_steps", 4095), "{second}");

    // The user did not press Enter, so nothing was written.
    calibrate(&["--apply", "--backup", "third.yaml"]).is_error(&["Enter", "--yes"]);
    assert!(bench.path("third.yaml").is_file());
    let applied = calibrate(&["--apply", "--yes", "--joint", "right_antenna", "--backup", "fourth.yaml"])
        .exits(0)
        .json();
    let written = applied["written"].as_array().unwrap();
    assert_eq!((written.len(), &written[0]["joint"]), (1, &json!("right_antenna")), "{applied}");
    assert_eq!(written[0]["should"], json!({ "what": "homing_offset_steps", "value": offsets(&applied)[7] }));
    assert!((100..130).contains(&offsets(&applied)[7]), "10 degrees are 114 steps: {applied}");

    let restored = calibrate(&["--restore", "first.yaml", "--backup", "fifth.yaml"]).exits(0).json();
    assert_eq!((offsets(&restored), restored["written"].as_array().unwrap().len()), (OFFICIAL.to_vec(), 3));
    let again = calibrate(&["--restore", "first.yaml", "--backup", "sixth.yaml"]).exits(0).json();
    assert_eq!(again["written"], json!([]));

    // Torque is switched off first, after the user agrees.
    assert_eq!(bench.run(&["say", "center", "--robot", &port]).code, Some(0));
    let unasked = fed(&bench, &["calibrate", &port, "--restore", "second.yaml", "--backup", "a.yaml"], "");
    unasked.is_error(&["Hold the head", "--yes"]);
    let agreed = ["calibrate", &port, "--restore", "second.yaml", "--backup", "b.yaml"];
    let agreed = fed(&bench, &agreed, "\n").exits(0);
    assert!(agreed.out.contains("stewart_4: homing offset -968"), "{}", agreed.out);

    let damaged = std::fs::read_to_string(bench.path("first.yaml")).unwrap().replacen("1240", "1190", 1);
    bench.write("other.yaml", &damaged);
    let other = calibrate(&["--restore", "other.yaml", "--backup", "c.yaml"]).exits(1).json();
    assert!(other["refusal"].as_str().unwrap().contains("another motor: body_rotation"), "{other}");
    bench.write("text.yaml", "nine servos");
    calibrate(&["--restore", "text.yaml"]).is_error(&["text.yaml", "not a backup"]);
    calibrate(&["--restore", "/dev/zero"]).is_error(&["/dev/zero", "too long"]);
}

#[test]
fn doctor_reports_findings_with_remedies() {
    let bench = TestDir::new();
    let (_mock, port) = mock(&bench);
    let python = minismith_tests::workspace().join(".venv/bin/python");
    bench.write("config.yaml", &format!("robot: {port}\ntool_host: {{python: {}}}\n", python.display()));
    let doctor = bench.run(&["doctor", "--json"]).json();
    let checks = doctor["checks"].as_array().unwrap();
    let named = |name: &str| checks.iter().find(|check| check["name"] == name);
    for name in [
        "serial port",
        "udev rule",
        "power",
        "camera",
        "microphone",
        "loudspeaker",
        "language model",
        "models",
        "real-time priority",
        "locked memory",
        "real-time share",
        "kernel",
        "processor clock",
        "disk space",
    ] {
        let check = named(name).unwrap_or_else(|| panic!("{name} is missing"));
        for key in ["name", "state", "detail"] {
            assert!(check[key].as_str().is_some_and(|text| !text.is_empty()), "{check}");
        }
        assert!(check["state"] == "good" || check["remedy"].is_string(), "{check}");
    }
    assert_eq!(named("power").unwrap()["detail"], "5.0 to 5.0 V at 9 servos");
    assert!(named("udev rule").unwrap().to_string().contains("1a86"));
}

#[test]
fn every_hardware_command_has_examples() {
    let bench = TestDir::new();
    for command in ["move", "record", "play", "calibrate", "raw", "scan"] {
        let help = bench.run(&[command, "--help"]).exits(0).out;
        let example = format!("  minismith {command} ");
        assert!(help.contains("Example") && help.contains(&example), "{command}: {help}");
        assert!(help.contains("--json"), "{command}: {help}");
    }
}

#[test]
fn motors_report_measurements_and_obey_torque_commands() {
    let bench = TestDir::new();
    let run = |words: &[&str]| bench.run(&[&["motors", "--robot", "mock-bus", "--json"], words].concat());
    let all = run(&[]).exits(0).json();
    assert_eq!((all["motors"].as_array().unwrap().len(), &all["control"]), (9, &json!("position")));
    for motor in all["motors"].as_array().unwrap() {
        let volts = motor["voltage_v"].as_f64().unwrap();
        assert!((4.5..5.5).contains(&volts) && motor["temperature_c"].as_f64().unwrap() > 10.0, "{motor}");
        assert_eq!((&motor["torque"], &motor["errors"]), (&json!(true), &json!([])));
    }

    let one = run(&["--joint", "left_antenna", "--torque", "off"]).exits(0).json();
    let left = &one["motors"][0];
    assert_eq!((&left["joint"], &left["torque"]), (&json!("left_antenna"), &json!(false)));

    let led = run(&["--mode", "gravity-compensation", "--duration", "1s"]).exits(0).json();
    assert_eq!(led["control"], "gravity_compensation");
    let leg = &led["motors"][1];
    assert_eq!((&leg["mode"], &leg["torque"]), (&json!("current"), &json!(true)));
    let before = all["motors"][1]["present_deg"].as_f64().unwrap();
    assert!((leg["present_deg"].as_f64().unwrap() - before).abs() < 3.0, "the head is carried: {leg}");
    assert_eq!(led["motors"][8]["torque"], false, "antennas are released");

    let soft = run(&["--mode", "400mA", "--duration", "500ms"]).exits(0).json();
    assert_eq!(soft["motors"][2]["mode"], "current_based_position");
    let stiffer = run(&["--gains", "400,0,0", "--joint", "stewart_2"]).exits(0).json();
    assert_eq!((&stiffer["refusal"], &stiffer["motors"][0]["joint"]), (&Value::Null, &json!("stewart_2")));
    assert!(run(&["--mode", "limp"]).exits(2).err.contains("gravity"));

    let stowed = run(&["--stow"]).exits(0).json();
    assert!(stowed["motors"].as_array().unwrap().iter().all(|motor| motor["torque"] == false));
}

//! Recordings for other programs: tools, datasets for third-party readers, and moves shared with the official library.

use std::path::{Path, PathBuf};
use std::process::Command;

use minismith_tests::{CommandOutput, TestDir, workspace};
use serde_json::{Value, json};

use super::journal_and_traces::{bench, cycles, does, lines, traces};
use super::server_fixture::Served;

/// Returns the Python of another environment; prints a note and returns none where there is none.
fn python(environment: &str, by: &str) -> Option<PathBuf> {
    let python = workspace().join(environment).join("bin/python");
    if python.is_file() {
        return Some(python);
    }
    println!("skipped: there is no {environment} ({by})");
    None
}

// The reference is a third-party program.
#[allow(clippy::disallowed_methods)]
fn runs(python: &Path, arguments: &[&str]) -> CommandOutput {
    let mut command = Command::new(python);
    command.args(arguments);
    CommandOutput::from(command).exits(0)
}

/// Returns the ffmpeg of the clients' environment.
fn ffmpeg(python: &Path) -> String {
    runs(python, &["-c", "import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())"])
        .out
        .trim()
        .to_owned()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn motion_becomes_a_tool_that_repeats_it() {
    let bench = bench("");
    does(&bench, &["say", "look up 12 degrees, then look left 20 degrees", "--json"]);
    let [trace] = traces(&bench).try_into().unwrap();
    let made = ["tool", "from-recording", &trace, "--name", "up_and_left", "--json"];
    let made = bench.run(&made).exits(0).json();
    assert_eq!(made["registered"]["version"], 1, "{made}");
    let ran = bench.run(&["say", "up_and_left", "--json"]).exits(0).json();
    assert_eq!(ran["tool"]["performance"]["ended"], "returned", "{ran}");
    let last = ran["steps"].as_array().unwrap().last().unwrap();
    for (angle, wanted) in [("yaw_deg", 20.0), ("roll_deg", 0.0), ("pitch_deg", 0.0)] {
        let found = number(&last["achieved"][angle]);
        let near = angle == "pitch_deg" || (found - wanted).abs() < 1.0;
        assert!(near, "{angle} is {found}: {last}");
    }
    // After one second of lead-in it took the recorded path, cycle by cycle.
    let again = traces(&bench).pop().unwrap();
    let moves = [&trace, &again].map(|trace| {
        let to = format!("{}.json", trace.replace('/', "_"));
        does(&bench, &["dataset", "convert-move", trace, "--to", &to, "--rate", "50", "--json"]);
        let text = std::fs::read_to_string(bench.path(&to)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["set_target_data"].as_array().unwrap().clone()
    });
    let row = |frame: &Value, row: usize| number(&frame["head"][row][0]);
    let end = |frames: &[Value]| (row(frames.last().unwrap(), 1), row(frames.last().unwrap(), 2));
    let (one, other) = (end(&moves[0]), end(&moves[1]));
    assert!((one.0 - other.0).abs() < 0.01 && (one.1 - other.1).abs() < 0.01, "{one:?} {other:?}");
    assert!(moves[1].len() > moves[0].len() + 40);

    // An invalid name, an invalid file, an existing file.
    let refused = bench.run(&["tool", "from-recording", &trace, "--name", "Bad Name"]).exits(1);
    assert!(refused.out.contains("small letters"), "{}", refused.out);
    bench.write("x.json", "{}");
    let refused = bench.run(&["tool", "from-recording", "x.json", "--name", "x"]).exits(1);
    assert!(refused.out.contains("not a recorded move"), "{}", refused.out);
    let twice = ["tool", "from-recording", &trace, "--name", "y", "--out", "x.json"];
    assert_eq!(bench.run(&twice).code, Some(2));
}

#[test]
fn hand_guided_motion_becomes_a_tool() {
    let bench = bench("");
    let record = [
        "record",
        "led.json",
        "--mode",
        "gravity-compensation",
        "--seconds",
        "1",
        "--description",
        "led by hand",
        "--robot",
        "mock-bus",
    ];
    does(&bench, &record);
    let made = bench.run(&["tool", "from-recording", "led.json", "--name", "led", "--json"]).exits(0).json();
    assert_eq!(made["registered"]["version"], 1, "{made}");
    let code = bench.run(&["tool", "show", "led"]).exits(0).out;
    assert!(code.contains("Do again what was recorded: led by hand."), "{code}");
}

#[test]
fn mcap_is_read_by_its_makers_library() {
    let Some(python) = python(".cache/clients", "make clients") else { return };
    let bench = TestDir::configured(
        "journal: {file: journal.jsonl}\ntraces: {directory: traces, camera_fps: 15}\ncamera: {scene: room}\n",
    );
    does(&bench, &["say", "look left 20 degrees", "--json"]);
    let [trace] = traces(&bench).try_into().unwrap();
    let convert = ["dataset", "convert-mcap", &trace, "--to", "look.mcap", "--json"];
    let report = bench.run(&convert).exits(0).json()["report"].clone();
    assert_eq!(report["complete"], true, "{report}");
    let script = workspace().join("tests/support/read_mcap.py");
    let file = bench.path("look.mcap");
    let read: Value =
        serde_json::from_str(&runs(&python, &[script.to_str().unwrap(), file.to_str().unwrap()]).out)
            .unwrap();

    assert_eq!(read["topics"], report["topics"], "{read}");
    let all: u64 = read["topics"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(read["count"], all);
    for (topic, schema) in [
        ("/tf", "foxglove.FrameTransform"),
        ("/camera", "foxglove.CompressedImage"),
        ("/log", "foxglove.Log"),
        ("/joints/goal", "minismith.JointState"),
        ("/joints/present", "minismith.JointState"),
    ] {
        assert_eq!(read["schemas"][topic], schema, "{topic}");
    }
    // The head looks to the left in the end: a turn by 20 degrees about the vertical axis.
    let last = &read["last"]["/tf"];
    let turn = 2.0 * number(&last["rotation"]["z"]).atan2(number(&last["rotation"]["w"]));
    assert!((turn.to_degrees() - 20.0).abs() < 2.0, "{last}");
    assert!((number(&last["translation"]["z"]) - 0.177).abs() < 0.02, "{last}");
    // Each cycle of the trace is there, in radians.
    let lines = lines(&bench, &trace);
    let of_trace: Vec<&Value> = lines.iter().filter(|line| line["type"] == "cycle").collect();
    assert_eq!(read["topics"]["/joints/goal"], of_trace.len());
    let (goal, degrees) = (&read["last"]["/joints/goal"], &of_trace.last().unwrap()["goal_deg"]);
    for (radians, degrees) in goal["position"].as_array().unwrap().iter().zip(degrees.as_array().unwrap()) {
        assert!((number(radians).to_degrees() - number(degrees)).abs() < 1e-9, "{goal}");
    }
    assert_eq!(
        (&goal["name"][0], &read["first"]["/camera"]["data"]),
        (&json!("body_rotation"), &json!("ffd8"))
    );
    // Times are those of the calendar, and as long as the recording.
    let [begin, end] = [0, 1].map(|at| number(&read["times"][at]) / 1e9);
    assert!(begin > 1.7e9 && (0.5..60.0).contains(&(end - begin)), "{}", read["times"]);

    // An existing file stays, and what is no trace is refused.
    assert!(bench.run(&convert).exits(1).out.contains("look.mcap"));
    bench.write("odd.trace.jsonl", "{}\n");
    let refused =
        bench.run(&["dataset", "convert-mcap", "odd.trace.jsonl", "--to", "odd.mcap", "--json"]).exits(1);
    assert!(!bench.path("odd.mcap").exists(), "{}", refused.out);
}

#[test]
fn dataset_is_read_by_third_party_libraries() {
    let Some(python) = python(".cache/clients", "make clients") else { return };
    let bench = TestDir::configured(
        "journal: {file: journal.jsonl}\ntraces: {directory: traces, camera_fps: 15}\ncamera: {scene: room}\n",
    );
    for sentence in ["nod twice", "look left 20 degrees"] {
        does(&bench, &["say", sentence, "--json"]);
    }
    let mut command = bench.command(&["dataset", "export", "--all", "--to", "set", "--fps", "20", "--json"]);
    command.env("MINISMITH_FFMPEG", ffmpeg(&python));
    let report = CommandOutput::from(command).exits(0).json()["report"].clone();
    assert_eq!((&report["episodes"], &report["videos"]), (&json!(2), &json!(2)), "{report}");
    let script = workspace().join("tests/support/read_dataset.py");
    let read: Value = serde_json::from_str(
        &runs(&python, &[script.to_str().unwrap(), bench.path("set").to_str().unwrap()]).out,
    )
    .unwrap();
    assert_eq!((&read["info"]["codebase_version"], &read["info"]["fps"]), (&json!("v2.1"), &json!(20)));
    assert_eq!(read["info"]["total_frames"], report["frames"]);
    let episodes = read["episodes"].as_array().unwrap();
    for (episode, sentence) in episodes.iter().zip(["nod twice", "look left 20 degrees"]) {
        assert_eq!(episode["tasks"], json!([sentence]), "{episode}");
        let (table, video) = (&episode["table"], &episode["videos"]["observation.images.head"]);
        let rows = episode["length"].as_u64().unwrap();
        assert_eq!((&table["rows"], &table["nulls"]), (&json!(rows), &json!(0)), "{table}");
        assert_eq!((&video["frames"], &video["codec"]), (&json!(rows), &json!("h264")), "{video}");
        assert!(number(&video["worst_time_s"]) < 1e-4 && number(&video["key_frames"]) * 2.0 >= rows as f64);
    }
    // The last row is the robot's position: it looks 20 degrees to the left, with the base at rest.
    let last = &episodes[1]["table"]["last"];
    assert!(number(&last["action"][0]).abs() < 0.01, "{last}");
    let state = last["observation.state"].as_array().unwrap();
    assert_eq!(state.len(), 9);
    let lines = lines(&bench, &traces(&bench)[1]);
    let end = cycles(&lines).last().unwrap()["present_deg"].clone();
    for (state, degrees) in state.iter().zip(end.as_array().unwrap()) {
        assert!((number(state).to_degrees() - number(degrees)).abs() < 0.5, "{state} {degrees}");
    }

    // Without ffmpeg the error says how to install it. Without images there is nothing to film.
    let mut command = bench.command(&["dataset", "export", "--all", "--to", "none"]);
    command.env("PATH", "/nowhere");
    let none = CommandOutput::from(command);
    none.is_error(&["ffmpeg", "--no-pictures"]);
    assert!(!bench.path("none").exists());
    does(&bench, &["dataset", "export", "--all", "--to", "bare", "--no-pictures"]);
    let there = bench.run(&["dataset", "export", "--all", "--to", "bare", "--no-pictures"]).exits(1);
    assert!(there.out.contains("already exists"), "{}", there.out);
}

/// A script that streams targets through the unmodified SDK, which records them, and stores its recording.
const RECORD: &str = r#"
import json, sys, time
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose
with ReachyMini(port=int(sys.argv[1]), connection_mode="localhost_only", media_backend="no_media") as robot:
    robot.goto_target(create_head_pose(), antennas=[0.0, 0.0], duration=0.5, body_yaw=0.0)
    robot.start_recording()
    for step in range(100):
        robot.set_target(create_head_pose(yaw=step / 5, pitch=step / 10), antennas=[step / 200, -step / 200], body_yaw=0.0)
        time.sleep(0.02)
    frames = robot.stop_recording()
with open(sys.argv[2], "w") as file:
    json.dump(frames, file)
"#;

/// A script that loads a move with the unmodified library and prints both ends of it.
const LOAD: &str = r#"
import json, sys
from reachy_mini.motion.recorded_move import RecordedMove
move = RecordedMove(json.load(open(sys.argv[1])))
def told(at):
    head, antennas, body = move.evaluate(at)
    return {"head": head.tolist(), "antennas": list(map(float, antennas)), "body": float(body)}
print(json.dumps({"seconds": move.duration, "first": told(0.0), "last": told(move.duration - 1e-3)}))
"#;

#[test]
fn recordings_are_exchanged_with_the_official_sdk() {
    let Some(python) = python(".cache/official", "make official") else { return };
    let served = Served::on(bench(""));
    let port = served.address.rsplit_once(':').unwrap().1.to_owned();
    let bench = &served.bench;
    let frames = bench.path("frames.json");
    let _recorded = runs(&python, &["-c", RECORD, &port, frames.to_str().unwrap()]);
    let made = bench.run(&[
        "dataset",
        "convert-move",
        "frames.json",
        "--to",
        "move.json",
        "--description",
        "turn",
        "--json",
    ]);
    let made = made.exits(0).json();
    assert_eq!(made["frames"], 100, "{made}");
    assert!(number(&made["seconds"]) > 1.9, "{made}");
    let loads = |file: &str| {
        let file = bench.path(file);
        serde_json::from_str::<Value>(&runs(&python, &["-c", LOAD, file.to_str().unwrap()]).out).unwrap()
    };
    let loaded = loads("move.json");
    assert!((number(&loaded["seconds"]) - number(&made["seconds"])).abs() < 1e-6, "{loaded} {made}");
    let yaw = |reported: &Value| number(&reported["head"][1][0]).asin().to_degrees();
    assert!(yaw(&loaded["first"]).abs() < 0.1 && (yaw(&loaded["last"]) - 19.8).abs() < 0.5, "{loaded}");
    assert!((number(&loaded["last"]["antennas"][0]) - 0.495).abs() < 0.01, "{loaded}");

    // Both forms are played and turned into a tool.
    for file in ["frames.json", "move.json"] {
        let played = bench.run(&["play", file, "--json", "--robot", "mock"]).exits(0).json();
        let achieved = &played["steps"][1]["achieved"];
        assert!((number(&achieved["yaw_deg"]) - 19.8).abs() < 1.0, "{played}");
    }
    let tool =
        bench.run(&["tool", "from-recording", "frames.json", "--name", "turn_slowly", "--json"]).exits(0);
    assert_eq!(tool.json()["registered"]["version"], 1);

    // The reverse: a trace of ours becomes a move of theirs.
    let trace = traces(bench).pop().unwrap();
    does(bench, &["dataset", "convert-move", &trace, "--to", "ours.json", "--json"]);
    let ours = loads("ours.json");
    assert!((yaw(&ours["last"]) - 19.8).abs() < 1.0, "{ours}");
}

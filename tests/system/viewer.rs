//! Data for the Rerun viewer: recordings of rehearsals and runs, read by Rerun's own Python SDK. Viewers that are slow,
//! absent or gone cost no control cycle.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use minismith_tests::{CommandOutput, TestDir, program, workspace};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::journal_and_traces::{cycles, does, lines, traces};
use super::server_fixture::Served;

/// Returns Rerun's Python SDK and the recorder; prints a note and returns none where one is missing.
fn reader() -> Option<PathBuf> {
    let python = workspace().join(".cache/clients/bin/python");
    if !python.is_file() || !program("minismith").with_file_name("minismith-recorder").is_file() {
        println!("skipped: there is no .cache/clients or no minismith-recorder (make clients recorder)");
        return None;
    }
    Some(python)
}

/// Returns the contents of a recording.
// Rerun's own reader is Python code.
#[allow(clippy::disallowed_methods)]
fn read(python: &PathBuf, recording: &PathBuf) -> Value {
    let mut command = Command::new(python);
    command.arg(workspace().join("tests/support/read_rrd.py")).arg(recording);
    serde_json::from_str(&CommandOutput::from(command).exits(0).out).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn stored(rerun: &str) -> TestDir {
    TestDir::configured(&format!(
        "journal: {{file: journal.jsonl}}\ntraces: {{directory: traces}}\ncamera: {{scene: room}}\nrerun: {{{rerun}}}\n"
    ))
}

#[test]
fn run_is_recorded_and_read_by_rerun() {
    let Some(python) = reader() else { return };
    let bench = stored("file: live.rrd, camera_fps: 15");
    let said = bench.run(&["say", "nod twice, then look left 20 degrees", "--json"]).exits(0);
    assert_eq!(said.err, "");
    let read = read(&python, &bench.path("live.rrd"));
    assert_eq!((&read["recordings"], &read["blueprints"]), (&json!(["minismith"]), &json!(1)));
    let entity = |path: &str| {
        let found = &read["entities"][path];
        assert!(found.is_object(), "there is no {path}");
        found.clone()
    };
    // The recording has every cycle of the trace, and its last goals are those of the trace.
    let [trace] = traces(&bench).try_into().unwrap();
    let lines = lines(&bench, &trace);
    let logged_cycles = cycles(&lines);
    let names = lines[0]["motors"].as_array().unwrap();
    for (position, name) in names.iter().enumerate() {
        let name = name["name"].as_str().unwrap();
        let part = match name {
            "body_rotation" => "body",
            "right_antenna" | "left_antenna" => "antennas",
            _ => "legs",
        };
        let curve = entity(&format!("/{part}/{name}"));
        assert!(curve["rows"].as_u64().unwrap() >= logged_cycles.len() as u64, "{name}: {curve}");
        assert_eq!(curve["timelines"], json!(["beat", "stage_time", "utc"]));
        let last = &curve["last"]["Scalars:scalars"][1];
        let [goal, present, setpoint] = [0, 1, 2].map(|of| number(&last[of]));
        let end = number(&logged_cycles.last().unwrap()["goal_deg"][position]);
        assert!(
            (goal - end).abs() < 0.2 && (present - goal).abs() < 0.5 && (setpoint - goal).abs() < 0.2,
            "{name}: {last}"
        );
    }
    // The head ends 20 degrees to the left: the quaternion contains half of that.
    let head = entity("/robot/head")["last"]["Transform3D:quaternion"][1].clone();
    let [z, w] = [2, 3].map(|of| number(&head[0][of]));
    assert!(((2.0 * z.atan2(w)).to_degrees() - 20.0).abs() < 0.5, "{head}");
    // Texts with their sources, tool runs, the state of motors and control loop, and detections.
    let said = |path: &str| entity(path)["last"]["TextLog:text"][1][0].as_str().unwrap().to_owned();
    assert_eq!(said("/said/person"), "nod twice, then look left 20 degrees");
    assert!(said("/spans").contains("ended: done"), "{}", said("/spans"));
    assert!(entity("/control_loop/jitter")["rows"].as_u64().unwrap() >= 2);
    assert_eq!(number(&entity("/control_loop/dropped")["last"]["Scalars:scalars"][1][0]), 0.0);
    let camera = entity("/camera");
    assert!(camera["rows"].as_u64().unwrap() > 15, "{camera}");
    assert_eq!(camera["last"]["EncodedImage:blob"][1][0]["begins"], "ffd8ffe0");
    assert!(entity("/robot/rods")["rows"].as_u64().unwrap() >= logged_cycles.len() as u64);
}

#[test]
fn rehearsal_is_recorded_and_read_by_rerun() {
    let Some(python) = reader() else { return };
    let bench = stored("file: none");
    let setpoint = "make a tool called happy_hello that nods three times and wiggles the antennas";
    does(&bench, &["say", setpoint, "--json"]);
    let code = bench.path("tools/generated/happy_hello/v1.py");
    fs::copy(&code, bench.path("happy_hello.py")).unwrap();
    let check = ["tool", "check", "happy_hello.py", "--json", "--report", "reports"];
    let checked = bench.run(&check).exits(0).json()["results"][0].clone();
    let read = read(&python, &bench.path("reports/happy_hello.rrd"));
    assert_eq!((&read["recordings"], &read["blueprints"]), (&json!(["minismith"]), &json!(1)));
    let entities = read["entities"].as_object().unwrap();
    let rows = |path: &str| entities.get(path).map_or(0, |entity| entity["rows"].as_u64().unwrap());
    let cycles = rows("/legs/stewart_1");
    let seconds = number(&checked["report"]["duration_s"]);
    assert!((cycles as f64 / 100.0 - seconds).abs() < 0.5, "{cycles} logged_cycles in {seconds} s");
    for path in
        ["/robot/head", "/robot/rods", "/antennas/left_antenna", "/margins/motors", "/body/body_rotation"]
    {
        assert_eq!(rows(path), cycles, "{path}");
    }
    // The report's values of a joint are those at the ends of its curve.
    for end in ["first", "last"] {
        let scalars = &entities["/antennas/left_antenna"][end]["Scalars:scalars"][1];
        assert!((number(&scalars[0]) - 10.0).abs() < 0.5, "{end}: {scalars}");
    }
    let about = &entities["/about"]["last"]["TextDocument:text"][1][0];
    assert!(about.as_str().unwrap().contains("happy_hello"), "{about}");
}

/// Returns the overruns in the journal of a served robot, and its answer to a sentence.
fn moves(served: &Served) -> Value {
    let (status, reply) =
        served.post("/api/v1/chat", &json!({ "text": "nod twice, then look left 20 degrees" }));
    assert_eq!(status, 200, "{reply}");
    let steps = reply["steps"].as_array().unwrap();
    assert_eq!(reply["outcome"], "done");
    json!(steps.iter().map(|step| [&step["kind"], &step["requested"], &step["trims"]]).collect::<Vec<_>>())
}

#[test]
fn absent_or_stalled_viewer_is_reported_once_and_changes_nothing() {
    if reader().is_none() {
        return;
    }
    let sentence = ["say", "nod twice, then look left 20 degrees", "--json"];
    let steps = |ran: &CommandOutput| {
        let reply = ran.json();
        let reported = |step: &Value| json!([step["kind"], step["requested"], step["trims"]]);
        json!(reply["steps"].as_array().unwrap().iter().map(reported).collect::<Vec<_>>())
    };
    let usual = stored("file: none").run(&sentence).exits(0);
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for address in [deaf.local_addr().unwrap(), nobody] {
        let bench = stored(&format!("connect: 'rerun+http://{address}/proxy'"));
        let ran = bench.run(&sentence).exits(0);
        assert_eq!(steps(&ran), steps(&usual));
        assert!(ran.err.matches("did not reach the viewer").count() <= 1, "{}", ran.err);
        assert!(ran.err.contains("the viewer"), "{}", ran.err);
        // The trace still has every cycle.
        let [trace] = traces(&bench).try_into().unwrap();
        let lines = lines(&bench, &trace);
        assert!(cycles(&lines).len() > 200, "{address}");
    }
    // A missing recorder is reported too.
    let bench = stored("file: live.rrd");
    let mut command = bench.command(&sentence);
    // With the old name of the variable.
    command.env("MINISMITH_RECORDER", "/nowhere/recorder");
    let ran = CommandOutput::from(command).exits(0);
    assert_eq!(steps(&ran), steps(&usual));
    assert_eq!(ran.err.matches("/nowhere/recorder").count(), 1, "{}", ran.err);
}

/// Returns the process that records for a served robot.
fn recorder_of(bench: &TestDir) -> Pid {
    let name = bench.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    for _ in 0..200 {
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let line = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
            if line.contains("minismith-recorder")
                && fs::read_link(entry.path().join("cwd"))
                    .is_ok_and(|cwd| cwd.to_str() == Some(name.as_str()))
            {
                return Pid::from_raw(pid).unwrap();
            }
        }
        std::thread::park_timeout(Duration::from_millis(25));
    }
    panic!("no recorder runs in {name}");
}

#[test]
fn killed_or_stalled_recorder_changes_nothing() {
    if reader().is_none() {
        return;
    }
    for signal in [Signal::STOP, Signal::KILL] {
        let served = Served::on(stored("file: live.rrd, camera_fps: 30"));
        // The first one begins elsewhere.
        moves(&served);
        let usual = moves(&served);
        let pid = recorder_of(&served.bench);
        kill_process(pid, signal).unwrap();
        assert_eq!(moves(&served), usual);
        assert_eq!(moves(&served), usual);
        if signal == Signal::STOP {
            kill_process(pid, Signal::CONT).unwrap();
        }
        // A trace is complete only after the controller has ended.
        let bench = served.stop();
        for trace in traces(&bench) {
            let lines = lines(&bench, &trace);
            assert!(cycles(&lines).len() > 200, "{trace}");
        }
    }
}

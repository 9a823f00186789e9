//! An operator for another program: `operate` by its pipes, and a server that is one (`fleet.operator`) over HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that fails shows where"
)]
#![allow(clippy::disallowed_methods, reason = "tests measure time")]

mod support;

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Fleet, Robot, outcomes, until};

const SOON: Duration = Duration::from_secs(15);

fn operate(fleet: &Fleet, more: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_minismith-fleet"));
    command.args(["--folder", fleet.folder.path().to_str().unwrap(), "--as", "desk"]);
    command.args(more).arg("operate").stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(Stdio::null()).spawn().unwrap()
}

/// What the program prints, by kind.
struct Output {
    lines: BufReader<ChildStdout>,
    waiting: BTreeMap<String, VecDeque<Value>>,
}

impl Output {
    /// Returns the next document of a kind; the others wait.
    fn next(&mut self, kind: &str) -> Value {
        loop {
            if let Some(document) = self.waiting.get_mut(kind).and_then(VecDeque::pop_front) {
                return document;
            }
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the program ended before {kind}");
            let document: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
            let kind = document["kind"].as_str().unwrap().to_owned();
            self.waiting.entry(kind).or_default().push_back(document);
        }
    }
}

#[test]
fn a_program_acts_through_one_session() {
    let Some(fleet) = Fleet::on_zenohd() else { return };
    let mut robot = Robot::start("kitchen", "");
    robot.join(&fleet.endpoint, &["--camera-hz", "5"]);
    let mut child = operate(&fleet, &["--router", &fleet.endpoint]);
    let mut input = child.stdin.take().unwrap();
    let mut output = Output { lines: BufReader::new(child.stdout.take().unwrap()), waiting: BTreeMap::new() };
    let mut next = |kind: &str| output.next(kind);
    let robots = next("robots");
    assert_eq!((&robots["fleet"], &robots["caller"]), (&json!("lab"), &json!("desk")));
    let known = |document: &Value| {
        let robot = document["robots"][0].clone();
        (robot["name"] == "kitchen" && robot["status"].is_object()).then_some(robot)
    };
    let mut robot_seen = known(&robots);
    while robot_seen.is_none() {
        robot_seen = known(&next("robots"));
    }
    assert_eq!(robot_seen.unwrap()["present"], true);
    let picture = next("picture");
    // JPEG begins with FF D8 FF.
    assert!(picture["jpeg"].as_str().unwrap().starts_with("/9j/"), "{picture}");

    // Wrong lines are answered, and harm nothing.
    for (line, id, reason) in [
        ("not JSON", Value::Null, "not a request"),
        (r#"{"id": 3, "request": {"command": "revoke", "member": "kitchen"}}"#, json!(3), "unknown variant"),
        (r#"{"id": 4, "request": {"command": "share", "tool": "../x"}}"#, json!(4), "not the name of a tool"),
        (r#"{"id": 5, "request": {"command": "stop", "to": ["a/b"]}}"#, json!(5), "invalid name"),
    ] {
        writeln!(input, "{line}").unwrap();
        let answer = next("answer");
        assert_eq!(answer["id"], id, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(reason), "{answer}");
    }
    writeln!(
        input,
        r#"{{"id": 6, "request": {{"command": "say", "to": ["all"], "text": "look left 20 degrees"}}}}"#
    )
    .unwrap();
    let answer = next("answer");
    assert_eq!(
        (&answer["id"], outcomes(&answer["answer"])),
        (&json!(6), vec![("kitchen".into(), "done".into())])
    );
    assert!((robot.yaw_deg() - 20.0).abs() < 2.0, "{}", robot.yaw_deg());
    assert_eq!(next("event")["data"]["event"], "command_done");

    // A stop overtakes a motion, and who asked for that learns it.
    let long =
        r#"{"id": 7, "request": {"command": "say", "to": ["kitchen"], "text": "shake your head ten times"}}"#;
    writeln!(input, "{long}").unwrap();
    until("the motion", SOON, || !robot.is_at_rest());
    writeln!(input, r#"{{"id": 8, "request": {{"command": "stop", "to": ["kitchen"]}}}}"#).unwrap();
    let mut answers = [next("answer"), next("answer")];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(outcomes(&answers[0]["answer"]), [("kitchen".into(), "failed".into())], "{answers:?}");
    assert_eq!(outcomes(&answers[1]["answer"]), [("kitchen".into(), "done".into())], "{answers:?}");

    // A robot that has gone stays in the list.
    robot.agent = None;
    while next("robots")["robots"][0]["present"] == true {}

    // The last request is answered after the input has ended.
    writeln!(input, r#"{{"id": 9, "request": {{"command": "release", "to": ["kitchen"]}}}}"#).unwrap();
    drop(input);
    let answer = next("answer");
    assert_eq!(outcomes(&answer["answer"]), [("kitchen".into(), "absent".into())], "{answer}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_fleet_that_cannot_be_reached_is_named() {
    let Some(mut fleet) = Fleet::on_zenohd() else { return };
    fleet.router = None;
    let output = operate(&fleet, &["--router", &fleet.endpoint]).wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["kind"], "error");
    assert!(document["error"].as_str().unwrap().contains(&fleet.endpoint), "{text}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_server_is_an_operator_of_a_fleet() {
    let Some(fleet) = Fleet::on_zenohd() else { return };
    let router = &fleet.endpoint;
    let keys = format!(
        "fleet: {{robot: kitchen, groups: [dancers], camera_fps: 5, operator: desk, router: {router}, directory: fleet}}\n"
    );
    let kitchen = Robot::start("kitchen", &keys);
    let mut hall = Robot::start("hall", "");
    hall.join(router, &[]);
    assert_eq!(kitchen.get("/api/v1/me")["fleet"], "lab");
    let robot = |view: &Value, name: &str| {
        let robots = view["robots"].as_array().unwrap();
        robots.iter().find(|robot| robot["name"] == name).cloned().unwrap_or_default()
    };
    let mut view = Value::Null;
    until("both robots and an image", SOON, || {
        view = kitchen.get("/api/v1/fleet");
        robot(&view, "hall")["status"].is_object() && robot(&view, "kitchen")["picture"].is_number()
    });
    assert_eq!(
        (&view["fleet"], &view["operator"], &view["error"]),
        (&json!("lab"), &json!("desk"), &Value::Null)
    );
    assert_eq!(robot(&view, "kitchen")["status"]["groups"], json!(["dancers"]));
    assert_eq!(robot(&view, "hall")["picture"], Value::Null, "its agent was not told to send any");
    let (status, _) = kitchen.request("GET", "/api/v1/fleet/pictures/hall", "");
    assert_eq!(status, 404);

    let ask = |command: &str, body: &Value| {
        let path = format!("/api/v1/fleet/{command}");
        kitchen.request("POST", &path, &body.to_string())
    };
    let (status, said) = ask("say", &json!({ "to": ["hall"], "text": "look left 20 degrees" }));
    assert_eq!((status, outcomes(&said)), (200, vec![("hall".into(), "done".into())]), "{said}");
    assert!((hall.yaw_deg() - 20.0).abs() < 2.0 && kitchen.yaw_deg().abs() < 2.0);
    let (status, said) = ask("say", &json!({ "to": ["all"], "text": "nod", "together": true }));
    assert_eq!((status, outcomes(&said).len()), (200, 2), "{said}");
    assert!(said["skew_ms"].as_f64().unwrap() < 1000.0, "{said}");
    let begun = Instant::now();
    let (status, said) = ask("stop", &json!({ "to": ["all"] }));
    println!("a stop of all by the server was answered after {:?}", begun.elapsed());
    assert!(status == 200 && outcomes(&said).iter().all(|(_, outcome)| outcome == "done"), "{said}");
    until("both are shown stopped", SOON, || {
        view = kitchen.get("/api/v1/fleet");
        ["kitchen", "hall"].iter().all(|name| robot(&view, name)["status"]["stopped"]["caller"] == "desk")
    });
    let (_, said) = ask("say", &json!({ "to": ["hall"], "text": "nod" }));
    assert_eq!(outcomes(&said), [("hall".into(), "refused".into())], "{said}");
    assert_eq!(ask("release", &json!({ "to": ["all"] })).0, 200);
    let events = view["events"].as_array().unwrap();
    assert!(events.iter().any(|event| event["event"] == "stopped" && event["caller"] == "desk"), "{view}");

    // What is wrong is refused here, with a reason.
    for (command, body, expected) in [
        ("say", json!({ "to": ["a/b"], "text": "nod" }), 422),
        ("say", json!({ "to": ["hall"] }), 422),
        ("share", json!({ "tool": "../x", "from": "hall" }), 422),
        ("stop", json!({ "to": ["hall"], "more": 1 }), 422),
        ("revoke", json!({ "member": "hall" }), 404),
    ] {
        let (status, answer) = ask(command, &body);
        assert_eq!(status, expected, "{command} {answer}");
        assert!(!answer["detail"].is_null(), "{answer}");
    }
    let (status, said) = ask("withdraw", &json!({ "tool": "unknown_tool" }));
    assert!(status == 200 && said["refusal"].is_string(), "{said}");

    // Another server is no operator by default.
    assert_eq!(hall.get("/api/v1/me")["fleet"], Value::Null);
    assert_eq!(hall.get("/api/v1/fleet")["operator"], Value::Null);
    let (status, answer) = hall.request("POST", "/api/v1/fleet/stop", r#"{"to": ["all"]}"#);
    assert_eq!(status, 409);
    assert!(answer["detail"].as_str().unwrap().contains("fleet.operator"), "{answer}");
}

#[test]
fn a_server_shows_when_the_fleet_is_lost_and_found() {
    let Some(mut fleet) = Fleet::on_zenohd() else { return };
    let router = fleet.endpoint.clone();
    let keys = format!("fleet: {{operator: desk, router: {router}, directory: fleet}}\n");
    let server = Robot::start("desk", &keys);
    let mut hall = Robot::start("hall", "");
    hall.join(&router, &[]);
    let is_present = || server.get("/api/v1/fleet")["robots"][0]["present"] == true;
    until("the robot", SOON, is_present);
    fleet.router = None;
    until("its absence", SOON, || !is_present());
    fleet.start_router().unwrap();
    until("its return", SOON, is_present);
}

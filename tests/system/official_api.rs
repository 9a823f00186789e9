//! The official daemon's API: the unmodified official SDK, its routes, its WebSockets, and hostile clients.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use minismith_tests::workspace;
use serde_json::{Value, json};
use tungstenite::Message;

use super::official_routes::groups;
use super::server_fixture::{Served, Socket, served};

/// The tolerance to the official mock-up, metres and radians. The mock here has encoders with counts of 0.0015, and a
/// goal is reached through the safety envelope.
const CLOSE: f64 = 0.013;

/// Steps after which the official mock-up has moved the head unasked: head tracking, once started and stopped, leaves
/// it elsewhere.
const MOVED_BY_ITSELF: [&str; 5] =
    ["stop_head_tracking", "enable_wobbling", "disable_wobbling", "release_media", "acquire_media"];

impl Served {
    fn yaw(&self) -> f64 {
        self.value("/api/state/full")["head_pose"]["yaw"].as_f64().unwrap()
    }
}

/// Returns the next JSON message of this type.
fn next(socket: &mut Socket, kind: &str) -> Value {
    loop {
        let message = socket.read().unwrap();
        if let Message::Text(text) = message {
            let value: Value = serde_json::from_str(&text).unwrap();
            if value["type"] == kind {
                return value;
            }
        }
    }
}

fn say(socket: &mut Socket, value: &Value) {
    socket.send(Message::text(value.to_string())).unwrap();
}

/// Returns the Python with the official SDK; prints a note and returns none where there is none.
fn official_python() -> Option<PathBuf> {
    let python = workspace().join(".cache/official/bin/python");
    if python.is_file() {
        return Some(python);
    }
    println!("skipped: the official package is not installed (make official)");
    None
}

#[test]
// The list is read with the interpreter that has the official package.
#[allow(clippy::disallowed_methods)]
fn table_has_every_route_of_the_official_daemon() {
    let Some(python) = official_python() else { return };
    let script = workspace().join("tests/support/official/list_routes.py");
    let output = std::process::Command::new(python).arg(script).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let official = String::from_utf8(output.stdout).unwrap();
    let official: BTreeSet<&str> = official.lines().collect();
    let groups = groups();
    let ours: Vec<&str> = groups.iter().flat_map(|group| &group.routes).map(String::as_str).collect();
    assert!(official.len() > 100, "{official:?}");
    let once: BTreeSet<&str> = ours.iter().copied().collect();
    assert_eq!(once.len(), ours.len(), "a route stands twice in tests/cases/official_routes.yaml");
    let missing: Vec<_> = official.difference(&once).collect();
    let unknown: Vec<_> = once.difference(&official).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing: {missing:?}; unknown: {unknown:?}");
}

#[test]
// The official SDK is Python code and needs a process of its own.
#[allow(clippy::disallowed_methods)]
fn official_sdk_reads_the_same_state_as_from_the_official_daemon() {
    let Some(python) = official_python() else { return };
    let served = served();
    let port = served.address.rsplit_once(':').unwrap().1.to_owned();
    let script = workspace().join("tests/support/official/exercise_sdk.py");
    let output = std::process::Command::new(python).arg(script).arg(port).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    let ours: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("the script printed no JSON ({error}): {complaints}"));
    let theirs: Value = serde_json::from_str(include_str!("../cases/official_sdk_1.13.0.json")).unwrap();
    let theirs = theirs.as_object().unwrap();
    assert!(theirs.len() > 50 && ours.as_object().unwrap().len() == theirs.len(), "{ours}");
    for (step, expected) in theirs {
        let found = &ours[step];
        if step == "imu" {
            // The official simulation has no such sensor; ours has the one of the Wireless.
            assert!(found["value"]["imu"]["accelerometer"][2].as_f64().unwrap() > 9.0, "{found}");
            continue;
        }
        for part in expected.as_object().unwrap().keys() {
            match part.as_str() {
                "pose" | "head" | "antennas" | "value" => {
                    if !MOVED_BY_ITSELF.contains(&step.as_str()) {
                        let apart = distance(&expected[part], &found[part]);
                        assert!(apart < CLOSE, "{step}: {part} is {apart} apart\n{expected}\n{found}");
                    }
                }
                _ => assert_eq!(found[part], expected[part], "{step}: {part}"),
            }
        }
    }
}

/// Returns the greatest difference between the numbers of two values of the same shape. Any other difference counts as
/// infinite.
fn distance(one: &Value, other: &Value) -> f64 {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => (one.as_f64().unwrap() - other.as_f64().unwrap()).abs(),
        (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => {
            ones.iter().zip(others).map(|(one, other)| distance(one, other)).fold(0.0, f64::max)
        }
        (Value::Object(ones), Value::Object(others)) if ones.len() == others.len() => ones
            .iter()
            .map(|(key, one)| others.get(key).map_or(f64::INFINITY, |other| distance(one, other)))
            .fold(0.0, f64::max),
        _ if one == other => 0.0,
        _ => f64::INFINITY,
    }
}

#[test]
fn move_is_started_reported_stopped_and_exclusive() {
    let served = served();
    let mut updates = served.socket("/api/move/ws/updates");
    // The subscriber connects before the move.
    std::thread::park_timeout(Duration::from_millis(200));
    let goto = json!({ "head_pose": { "yaw": 0.5 }, "antennas": [0.3, -0.3], "duration": 0.4, "interpolation": "linear" });
    let (status, begun) = served.post("/api/move/goto", &goto);
    assert_eq!(status, 200, "{begun}");
    assert_eq!(next(&mut updates, "move_started")["uuid"], begun["uuid"]);
    assert_eq!(next(&mut updates, "move_completed")["uuid"], begun["uuid"]);
    served.until("/api/state/full", |state| (state["head_pose"]["yaw"].as_f64().unwrap() - 0.5).abs() < 0.02);
    assert_eq!(served.value("/api/move/running"), json!([]));

    let (_, long) = served.post("/api/move/goto", &json!({ "head_pose": { "yaw": -0.5 }, "duration": 30 }));
    assert_eq!(served.value("/api/move/running"), json!([{ "uuid": long["uuid"] }]));
    // A later client waits, and receives the reason.
    let (status, busy) = served.post("/api/move/goto", &goto);
    assert_eq!((status, busy["detail"].as_str().unwrap().contains("a move is running")), (409, true));
    let target = json!({ "target_antennas": [0.0, 0.0] });
    assert_eq!(
        served.post("/api/move/set_target", &target),
        (200, json!({ "status": "ignored", "reason": "move_running" }))
    );
    let (status, none) =
        served.post("/api/move/stop", &json!({ "uuid": "00000000-0000-4000-8000-000000000000" }));
    assert_eq!(status, 404, "{none}");
    let (status, _) = served.post("/api/move/stop", &json!({ "uuid": long["uuid"] }));
    assert_eq!(status, 200);
    assert_eq!(next(&mut updates, "move_cancelled")["uuid"], long["uuid"]);
    assert!(served.yaw() > 0.0, "stopped half way, and not at {}", served.yaw());
    assert_eq!(served.post("/api/move/set_target", &target), (200, json!({ "status": "ok" })));
    served.until("/api/state/full", |state| state["antennas_position"][0].as_f64().unwrap().abs() < 0.01);
}

#[test]
fn impossible_requests_are_rejected_with_a_reason() {
    let served = served();
    for (body, word) in [
        (json!({ "duration": 0.0 }), "duration"),
        (json!({ "duration": -1 }), "duration"),
        (json!({ "duration": 1e9 }), "duration"),
        (json!({ "duration": "soon" }), "duration"),
        (json!({}), "duration"),
        (json!({ "duration": 1, "head_pose": { "foo": 1 } }), "a pose is"),
        (json!({ "duration": 1, "head_pose": { "m": [1, 2, 3] } }), "a pose is"),
        (json!({ "duration": 1, "head_pose": { "m": [2,0,0,0, 0,2,0,0, 0,0,2,0, 0,0,0,1] } }), "orthonormal"),
        (json!({ "duration": 1, "head_pose": { "x": 0.5 } }), "cannot reach this pose"),
        (json!({ "duration": 1, "antennas": [0.1, 0.2, 0.3] }), "antennas"),
        (json!({ "duration": 1, "interpolation": "wild" }), "wild"),
    ] {
        let (status, answer) = served.post("/api/move/goto", &body);
        assert_eq!(status, 422, "{body}: {answer}");
        let reported = answer["detail"].to_string();
        assert!(reported.contains(word) && answer["detail"][0]["loc"][0] == "body", "{body}: {reported}");
    }
    for raw in
        [r#"{"uuid": NaN, "duration": NaN}"#, r#"{"target_antennas": [Infinity, 0]}"#, "{", "[]", "\u{0}"]
    {
        for path in ["/api/move/goto", "/api/move/set_target", "/api/move/stop"] {
            let (status, answer) = served.ask(&format!("POST {path}"), raw);
            assert_eq!(status, 422, "{path} {raw}: {answer}");
        }
    }
    for (path, raw) in [
        ("/api/move/goto", r#"{"duration": 1e999}"#),
        ("/api/move/goto", r#"{"duration": 1, "body_yaw": -1e999}"#),
        ("/api/move/set_target", r#"{"target_body_yaw": 1e999}"#),
    ] {
        let (status, answer) = served.ask(&format!("POST {path}"), raw);
        assert_eq!(status, 422, "{path} {raw}: {answer}");
    }
    let (status, far) = served.post("/api/move/set_target", &json!({ "target_head_pose": { "z": 0.4 } }));
    assert_eq!((status, far["status"].as_str()), (200, Some("ignored")));
    assert!(far["reason"].as_str().unwrap().contains("cannot reach this pose"), "{far}");
    let (status, answer) = served.ask("POST /api/motors/set_mode/floating", "");
    assert_eq!(status, 422, "{answer}");
    let (status, answer) = served.ask("GET /api/move/ws/raw/write", "");
    assert_eq!(status, 403, "{answer}");
    for (what, expected) in [
        ("GET /api/media/wobbling/enable", 405),
        ("GET /api/kinematics/urdf", 503),
        ("GET /api/move/recorded-move-datasets/list/nobody/nothing", 404),
        ("GET /api/move/recorded-move-datasets/list/../../etc", 404),
        ("POST /api/move/play/recorded-move-dataset/nobody/nothing/dance", 404),
        ("POST /api/daemon/start", 422),
        ("POST /api/daemon/stop?goto_sleep=perhaps", 422),
        ("GET /api/state/ws/full?frequency=0", 400),
        ("GET /api/state/full?with_head_pose=perhaps", 400),
        ("POST /api/state/full", 405),
        ("GET /api/no/such/thing", 404),
    ] {
        let (status, answer) = served.ask(what, "");
        assert!(status == expected && answer["detail"] != Value::Null, "{what}: {status} {answer}");
    }
    let specs = served.value("/api/camera/specs");
    assert_eq!((&specs["name"], specs["D"].as_array().unwrap().len()), (&json!("wireless"), 12), "{specs}");
    assert_eq!(served.value("/api/hf-auth/status"), json!({ "is_logged_in": false, "username": null }));
    assert_eq!(served.post("/api/hf-auth/save-token", &json!({ "token": "x" })).0, 501);
    assert_eq!(served.value("/api/apps/current-app-status"), Value::Null);
    assert_eq!(served.value("/api/apps/startup-app"), json!({ "startup_app": null }));
    assert_eq!(served.value("/api/apps/list-available/installed"), json!([]));
    let reports = served.ask("PUT /api/telemetry", r#"{"enabled": true}"#);
    assert_eq!(reports, (200, json!({ "enabled": false, "disabled_by_env": true })));
    // None of these requests has moved anything.
    let state = served.value("/api/state/full?with_target_head_pose=true");
    assert!(state["target_head_pose"]["yaw"].as_f64().unwrap().abs() < 1e-4, "{state}");
    assert!(served.yaw().abs() < 1e-3);
}

#[test]
fn robot_rests_when_the_daemon_stops_and_wakes_when_it_starts() {
    let served = served();
    let (status, job) = served.ask("POST /api/daemon/stop?goto_sleep=true", "");
    assert!(status == 200 && job["job_id"].is_string(), "{job}");
    let (status, busy) = served.ask("POST /api/daemon/start?wake_up=true", "");
    assert_eq!((status, busy), (409, json!({ "detail": "Daemon is busy." })));
    let stopped = served.until("/api/daemon/status", |status| status["state"] == "stopped");
    assert_eq!(stopped["backend_status"], Value::Null);
    for what in [
        "GET /api/state/full",
        "GET /api/motors/status",
        "POST /api/move/play/wake_up",
        "POST /api/motors/set_mode/enabled",
    ] {
        assert_eq!(served.ask(what, ""), (503, json!({ "detail": "Backend not running" })), "{what}");
    }
    let (status, _) = served.ask("POST /api/daemon/start?wake_up=true", "");
    assert_eq!(status, 200);
    served.until("/api/daemon/status", |status| status["state"] == "running");
    assert_eq!(served.value("/api/motors/status"), json!({ "mode": "enabled" }));
    let antennas = served.value("/api/state/present_antenna_joint_positions");
    assert!(distance(&antennas, &json!([-0.1745, 0.1745])) < 0.01, "{antennas}");

    for (mode, reported) in [
        ("disabled", "disabled"),
        ("enabled", "enabled"),
        ("gravity_compensation", "gravity_compensation"),
        ("enabled", "enabled"),
    ] {
        let (status, answer) = served.ask(&format!("POST /api/motors/set_mode/{mode}"), "");
        assert_eq!((status, answer), (200, json!({ "status": format!("motors changed to {mode} mode") })));
        assert_eq!(served.value("/api/motors/status"), json!({ "mode": reported }));
        if mode == "disabled" {
            let (status, answer) = served.post("/api/move/goto", &json!({ "duration": 1 }));
            assert!(
                status == 409 && answer["detail"].as_str().unwrap().contains("motors are off"),
                "{answer}"
            );
        }
    }
    let (status, named) = served.post("/api/daemon/robot-name", &json!({ "name": " Ada " }));
    assert_eq!((status, named), (200, json!({ "name": "Ada" })));
    assert_eq!(served.value("/api/daemon/status")["robot_name"], "Ada");
    let (status, _) = served.post("/api/daemon/robot-name", &json!({ "name": "\u{7}" }));
    assert_eq!(status, 422);
}

#[test]
fn garbage_on_the_sdk_socket_is_harmless() {
    let served = served();
    let mut quiet = served.socket("/ws/sdk");
    // The status comes immediately, then positions.
    assert_eq!(next(&mut quiet, "daemon_status")["no_media"], true);
    next(&mut quiet, "joint_positions");
    let mut wild = served.socket("/ws/sdk");
    for garbage in [
        r#"{"type":"set_antennas","antennas":[0.1,0.2,0.3]}"#,
        r#"{"type":"set_head_joints","joints":[0,0,0]}"#,
        r#"{"type":"set_head_joints","joints":[9,9,9,9,9,9,9]}"#,
        r#"{"type":"set_target","head":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0]}"#,
        r#"{"type":"set_target","head":[5,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}"#,
        r#"{"type":"set_full_target","head":null,"antennas":[null,null],"body_yaw":null}"#,
        r#"{"type":"set_antennas","antennas":[NaN,0]}"#,
        r#"{"type":"set_antennas","antennas":[1e999,0]}"#,
        r#"{"type":"set_torque","on":false,"ids":["no_such_motor"]}"#,
        r#"{"type":"set_motor_mode","mode":"wild"}"#,
        r#"{"type":"what is this"}"#,
        r#"{"type":"append_record","record":{}}"#,
        "[[[[[[",
        "",
        "null",
    ] {
        wild.send(Message::text(garbage)).unwrap();
    }
    wild.send(Message::binary(vec![0_u8; 1000])).unwrap();
    let deep = "[".repeat(100_000);
    wild.send(Message::text(deep)).unwrap();
    // An impossible task gets a response, sent to all clients.
    let id = "b52f76d0-fa08-474a-bfff-056b19e4916e";
    for (req, why) in [
        (json!({ "duration": 0 }), "duration"),
        (json!({ "move_name": "dance" }), "duration"),
        (json!({ "head": [1,0,0,0.4, 0,1,0,0, 0,0,1,0, 0,0,0,1], "duration": 1 }), "cannot reach this pose"),
    ] {
        say(
            &mut wild,
            &json!({ "type": "task", "uuid": id, "req": req, "timestamp": "2026-11-21T20:19:04" }),
        );
        let reported = next(&mut quiet, "task_progress");
        assert!(
            reported["finished"] == true && reported["error"].as_str().unwrap().contains(why),
            "{reported}"
        );
    }
    // The valid one still works, and the robot has not moved.
    say(&mut wild, &json!({ "type": "set_body_yaw", "body_yaw": 0.2 }));
    say(&mut wild, &json!({ "type": "set_antennas", "antennas": [0.5, -0.5] }));
    served.until("/api/state/full", |state| {
        (state["body_yaw"].as_f64().unwrap() - 0.2).abs() < 0.01
            && (state["antennas_position"][0].as_f64().unwrap() - 0.5).abs() < 0.01
    });
    next(&mut quiet, "joint_positions");
    // An oversized message ends its sender's connection, and no other.
    let _cut = wild.send(Message::text("x".repeat(2 << 20)));
    next(&mut quiet, "joint_positions");
    assert_eq!(served.value("/health")["status"], "ok");
}

#[test]
fn robot_holds_when_a_client_disconnects() {
    let served = served();
    let mut client = served.socket("/ws/sdk");
    let id = "b52f76d0-fa08-474a-bfff-056b19e4916e";
    let target = json!([0.7648, -0.6442, 0, 0, 0.6442, 0.7648, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    say(
        &mut client,
        &json!({ "type": "task", "uuid": id, "req": { "head": target, "duration": 20 }, "timestamp": "2026-11-21T20:19:04" }),
    );
    served.until("/api/move/running", |running| running[0]["uuid"] == id);
    served.until("/api/state/full", |state| state["head_pose"]["yaw"].as_f64().unwrap() > 0.002);
    let mut other = served.socket("/ws/sdk");
    drop(client);
    let reported = next(&mut other, "task_progress");
    assert!(reported["uuid"] == id && reported["error"].as_str().unwrap().contains("stopped"), "{reported}");
    assert_eq!(served.value("/api/move/running"), json!([]));
    assert!(served.yaw() < 0.6, "{}", served.yaw());
}

#[test]
fn state_is_streamed_as_requested() {
    let served = served();
    let mut stream =
        served.socket("/api/state/ws/full?frequency=200&with_head_joints=true&use_pose_matrix=true");
    let mut seen = Vec::new();
    while seen.len() < 20 {
        if let Message::Text(text) = stream.read().unwrap() {
            seen.push(serde_json::from_str::<Value>(&text).unwrap());
        }
    }
    for state in &seen {
        assert_eq!(state["head_pose"]["m"].as_array().unwrap().len(), 16);
        assert_eq!(state["head_joints"].as_array().unwrap().len(), 7);
        assert_eq!(state["control_mode"], "enabled");
    }
    assert!(seen[0]["timestamp"].as_str() < seen[19]["timestamp"].as_str());
    let mut targets = served.socket("/api/move/ws/set_target");
    targets.send(Message::text(r#"{"target_body_yaw": "left"}"#)).unwrap();
    let Message::Text(answer) = targets.read().unwrap() else { panic!("no text") };
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["status"], "error");
    for step in 1..=20 {
        targets
            .send(Message::text(json!({ "target_body_yaw": f64::from(step) / 100.0 }).to_string()))
            .unwrap();
    }
    served.until("/api/state/full", |state| (state["body_yaw"].as_f64().unwrap() - 0.2).abs() < 0.01);
}

//! Apps as the official package makes them from its template: built, installed and run in the sandbox, with the official SDK.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;

use minismith_tests::{TestDir, workspace};
use serde_json::{Value, json};

use super::server_fixture::Served;

/// Returns the interpreter of the official package; prints a note and returns none where there is none.
fn official() -> Option<PathBuf> {
    let python = workspace().join(".cache/official/bin/python");
    if python.is_file() {
        return Some(python);
    }
    println!("skipped: the official package is not installed (make official)");
    None
}

/// The address of the page that the template gives an app, whose own network has it.
const PAGE: &str = "127.0.0.1:8042";

/// Returns a whole response.
fn bytes(address: &str, path: &str) -> Vec<u8> {
    let mut connection = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).unwrap();
    answer
}

fn yaw(state: &Value) -> f64 {
    state["head_pose"]["yaw"].as_f64().unwrap()
}

#[test]
// The official assistant is Python code and needs a process of its own.
#[allow(clippy::disallowed_methods)]
fn official_template_app_runs_in_the_sandbox() {
    let Some(python) = official() else { return };
    // The first app brings the SDK with it, from PyPI.
    let folder = TestDir::configured("compat: {app_directory: apps}\n");
    let made = std::process::Command::new(python)
        .args(["-m", "reachy_mini.apps.app", "create", "first_app"])
        .arg(folder.path(""))
        .env("DO_NOT_TRACK", "1")
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));

    // One requirement is for every Python here, the other one for none.
    let project = std::fs::read_to_string(folder.path("first_app/pyproject.toml")).unwrap();
    let more = r#"dependencies = ["six; python_version >= '3.8'", "tomli; python_version < '3.8'", "#;
    assert!(project.contains("dependencies = ["), "{project}");
    folder.write("first_app/pyproject.toml", &project.replacen("dependencies = [", more, 1));

    let served = Served::on(folder);
    served.value("/health");
    // Installed over the official API, as a client of the official daemon does it.
    let wanted = json!({ "name": "first_app", "source_kind": "local", "extra": { "path": served.bench.path("first_app") } });
    let (status, job) = served.post("/api/apps/install", &wanted);
    assert_eq!(status, 200, "{job}");
    let job = format!("/api/apps/job-status/{}", job["job_id"].as_str().unwrap());
    let done = served.until_in(12_000, &job, |job| job["status"] != "in_progress");
    assert_eq!(done["status"], "done", "{done}");
    let own = served.bench.path("apps/first_app/venv/lib");
    let site = std::fs::read_dir(own).unwrap().flatten().next().unwrap().path().join("site-packages");
    assert!(site.join("six.py").is_file() && !site.join("tomli").exists());
    assert!(served.bench.path("apps/.sdk/reachy_mini").is_dir());
    // The SDK has the robot's description, with a mesh for each name in it.
    let urdf = served.value("/api/kinematics/urdf")["urdf"].as_str().unwrap().to_owned();
    let joints = ["yaw_body", "stewart_1", "right_antenna"].map(|joint| urdf.contains(joint));
    assert_eq!(joints, [true; 3]);
    let mesh = urdf.split_once("package://assets/").unwrap().1.split('"').next().unwrap();
    let answer = bytes(&served.address, &format!("/api/kinematics/stl/{mesh}"));
    assert!(answer.starts_with(b"HTTP/1.1 200") && answer.len() > 1_000, "{mesh}");
    for outside in ["..%2Frobot.urdf", "%2Fetc%2Fpasswd", "nothing.stl", "robot.urdf"] {
        let (status, _) = served.get(&format!("/api/kinematics/stl/{outside}"));
        assert!(matches!(status, 404 | 422), "{outside}: {status}");
    }
    served.post("/api/move/play/wake_up", &json!({}));
    served.until("/api/move/running", |running| running == &json!([]));

    let (status, started) = served.post("/api/apps/start-app/first_app", &json!({}));
    assert_eq!((status, &started["state"]), (200, &json!("running")), "{started}");
    // It turns the head by 30 degrees to both sides, and the antennas.
    // Its first start takes a while: Python loads the SDK.
    served.until_in(1_200, "/api/state/full", |state| yaw(state) > 0.3);
    served.until("/api/state/full", |state| yaw(state) < -0.3);
    let status = served.value("/api/apps/current-app-status");
    assert_eq!((&status["state"], &status["error"]), (&json!("running"), &Value::Null), "{status}");
    // Its page is there for a browser, and what is set there has an effect.
    let page = String::from_utf8(bytes(PAGE, "/")).unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("/static/main.js"), "{page}");
    assert!(bytes(PAGE, "/static/main.js").starts_with(b"HTTP/1.1 200"));
    let json = ["Content-Type: application/json"];
    let (status, set) = super::cli::send(PAGE, "POST /antennas", &json, r#"{"enabled": false}"#);
    assert_eq!((status, set), (200, json!({ "antennas_enabled": false })));
    let at_rest = |state: &Value| {
        let antennas = state["antennas_position"].as_array().unwrap();
        antennas.iter().all(|angle| angle.as_f64().unwrap().abs() < 0.05)
    };
    served.until("/api/state/full", at_rest);
    // Without a grant there is no camera for it, and so no failure to open one.
    assert_eq!(served.post("/api/apps/stop-current-app", &json!({})).0, 200);
    assert_eq!(served.value("/api/apps/current-app-status"), Value::Null);
    // Then the robot returns to its initial posture.
    served.until("/api/state/full", |state| yaw(state).abs() < 0.02);
    let (_, job) = served.post("/api/apps/remove/first_app", &json!({}));
    let job = format!("/api/apps/job-status/{}", job["job_id"].as_str().unwrap());
    assert_eq!(served.until(&job, |job| job["status"] != "in_progress")["status"], "done");
    assert_eq!(served.value("/api/apps/list-available/installed"), json!([]));
}

//! Apps as the official package makes them from its template: built, installed and run in the sandbox, with the official SDK.

use std::path::PathBuf;

use minismith_tests::{TestDir, workspace};
use serde_json::{Value, json};

use super::server_fixture::Served;

/// Returns the environment of the official package; prints a note and returns none where there is none.
fn official() -> Option<(PathBuf, PathBuf)> {
    let environment = workspace().join(".cache/official");
    let python = environment.join("bin/python");
    let lib = std::fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    let packages =
        lib.map(|entry| entry.path().join("site-packages")).find(|path| path.join("reachy_mini").is_dir());
    if let Some(packages) = packages.filter(|_| python.is_file()) {
        return Some((python, packages));
    }
    println!("skipped: the official package is not installed (make official)");
    None
}

fn yaw(state: &Value) -> f64 {
    state["head_pose"]["yaw"].as_f64().unwrap()
}

#[test]
// The official assistant is Python code and needs a process of its own.
#[allow(clippy::disallowed_methods)]
fn official_template_app_runs_in_the_sandbox() {
    let Some((python, packages)) = official() else { return };
    let folder =
        TestDir::configured(&format!("compat: {{app_directory: apps, app_sdk: {}}}\n", packages.display()));
    let made = std::process::Command::new(python)
        .args(["-m", "reachy_mini.apps.app", "create", "first_app"])
        .arg(folder.path(""))
        .env("DO_NOT_TRACK", "1")
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));

    let served = Served::on(folder);
    served.value("/health");
    // Installed over the official API, as a client of the official daemon does it.
    let wanted = json!({ "name": "first_app", "source_kind": "local", "extra": { "path": served.bench.path("first_app") } });
    let (status, job) = served.post("/api/apps/install", &wanted);
    assert_eq!(status, 200, "{job}");
    let job = format!("/api/apps/job-status/{}", job["job_id"].as_str().unwrap());
    let done = served.until(&job, |job| job["status"] != "in_progress");
    assert_eq!(done["status"], "done", "{done}");
    served.post("/api/move/play/wake_up", &json!({}));
    served.until("/api/move/running", |running| running == &json!([]));

    let (status, started) = served.post("/api/apps/start-app/first_app", &json!({}));
    assert_eq!((status, &started["state"]), (200, &json!("running")), "{started}");
    // It turns the head by 30 degrees to both sides, and the antennas.
    served.until("/api/state/full", |state| yaw(state) > 0.3);
    served.until("/api/state/full", |state| yaw(state) < -0.3);
    let status = served.value("/api/apps/current-app-status");
    assert_eq!((&status["state"], &status["error"]), (&json!("running"), &Value::Null), "{status}");
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

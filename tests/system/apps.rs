//! Apps that were made for the official daemon: their life, their sandbox, and the stop that ends them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use minismith_tests::{CommandOutput, TestDir, workspace};
use serde_json::{Value, json};

use super::server_fixture::Served;

/// A server with these apps installed; they are files of `tests/support/apps`.
fn with_apps(names: &[&str]) -> Served {
    with_apps_at(names, 0, "")
}

/// The same, where the page of an app is at this port; `server` is more configuration.
fn with_apps_at(names: &[&str], port: u16, server: &str) -> Served {
    let sdk = TestDir::new();
    sdk.write("reachy_mini/__init__.py", "");
    let folder = TestDir::configured(&format!(
        "compat: {{app_directory: apps, app_sdk: {}}}\nlimits: {{unapproved_tool_scale: 1}}\n{server}",
        sdk.path("").display()
    ));
    for name in names {
        assert_eq!(
            folder.run(&["app", "install", &wheel_at(&folder, name, port).display().to_string()]).code,
            Some(0)
        );
    }
    let served = Served::on(folder);
    served.value("/health");
    // The folder of the SDK is needed until the test ends.
    std::mem::forget(sdk);
    served
}

fn wheel(folder: &TestDir, name: &str) -> PathBuf {
    wheel_at(folder, name, 0)
}

fn wheel_at(folder: &TestDir, name: &str, port: u16) -> PathBuf {
    let support = workspace().join("tests/support/apps");
    let source = std::fs::read_to_string(support.join(format!("{name}.py"))).unwrap();
    let source = folder.write(&format!("{name}.py"), &source.replace("@PORT@", &port.to_string()));
    let script = format!(
        "{} {} {name} {} .",
        workspace().join(".venv/bin/python").display(),
        support.join("wheel.py").display(),
        source.display(),
    );
    let output = folder.shell(&script).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.path(String::from_utf8(output.stdout).unwrap().trim())
}

fn start(served: &Served, name: &str) {
    let (status, reply) = served.post(&format!("/api/apps/start-app/{name}"), &json!({}));
    assert_eq!(
        (status, &reply["state"], &reply["info"]["name"]),
        (200, &json!("running"), &json!(name)),
        "{reply}"
    );
}

fn lines(served: &Served, name: &str) -> Vec<String> {
    serde_json::from_value(served.value(&format!("/api/apps/log/{name}"))["lines"].clone()).unwrap()
}

/// Waits until an app has printed a line that begins so, and returns the rest of it.
fn printed(served: &Served, name: &str, beginning: &str) -> String {
    for _ in 0..600 {
        let lines = lines(served, name);
        if let Some(rest) = lines.iter().find_map(|line| line.strip_prefix(beginning)) {
            return rest.to_owned();
        }
        std::thread::park_timeout(Duration::from_millis(50));
    }
    panic!(
        "the app {name} printed {:?}; its status is {}",
        lines(served, name),
        served.value("/api/apps/current-app-status")
    );
}

fn ended(served: &Served) -> Value {
    served.until("/api/apps/current-app-status", |status| {
        !matches!(status["state"].as_str(), Some("running" | "stopping"))
    })
}

/// Returns whether a process runs whose command line has this text in it.
fn is_running(text: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.into_iter().any(|process| {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(text)
    })
}

#[test]
fn an_app_reaches_the_robot_and_nothing_else() {
    let served = with_apps(&["escape", "stubborn"]);
    let home = served.bench.path("apps/escape/home");
    std::fs::create_dir_all(&home).unwrap();
    // A program of this computer that an app has nothing to do with.
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    std::fs::write(home.join("port"), other.local_addr().unwrap().port().to_string()).unwrap();
    std::fs::write(home.join("pid"), std::process::id().to_string()).unwrap();
    start(&served, "escape");
    let result: Value = serde_json::from_str(&printed(&served, "escape", "RESULT ")).unwrap();
    let got = |name: &str| &result[name]["got"];

    // What it may do.
    assert_eq!(
        (got("status"), got("own_file"), got("move")),
        (&json!(200), &json!(4), &json!(200)),
        "{result}"
    );
    // What fails: files, network, processes and the kernel.
    for name in [
        "read_passwd",
        "read_host_home",
        "read_config",
        "write_usr",
        "write_root",
        "write_venv",
        "write_etc",
        "big_file",
        "other_port",
        "outside",
        "names",
        "netlink",
        "packets",
        "abstract",
        "kill_all",
        "mount",
        "unshare",
        "chroot",
        "hostname",
        "clock",
        "priority",
        "nice",
        "memory",
    ] {
        assert!(result[name]["got"].is_null(), "{name}: {}", result[name]);
    }
    let root: Vec<String> = serde_json::from_value(got("list_root").clone()).unwrap();
    assert!(!root.iter().any(|name| ["home", "var", "boot", "sys"].contains(&name.as_str())), "{root:?}");
    assert_eq!(got("list_apps"), &json!(["escape"]));
    assert!(got("interfaces").is_null() || got("interfaces") == &json!(["lo"]), "{}", got("interfaces"));
    assert_eq!(got("devices"), &json!(["full", "null", "random", "shm", "urandom", "zero"]));
    // It sees its own processes alone.
    assert!(got("processes").is_null() || got("processes") == &json!([1]), "{}", got("processes"));
    assert!(!got("child").as_str().unwrap().contains("root:"), "{}", got("child"));
    assert_ne!(got("setuid"), &json!(0));
    // What the server refuses, with a reason that names the app.
    for name in ["own_api", "tools", "mcp", "page", "install", "start_other", "torque", "token"] {
        assert_eq!(got(name)[0], 403, "{name}: {}", result[name]);
        assert!(got(name)[1]["detail"].as_str().unwrap().contains("app escape"), "{name}: {}", result[name]);
    }
    assert_eq!((&got("far")[0], &got("nan")[0]), (&json!(200), &json!(422)), "{result}");
    // The motors are on; what was asked for beyond their limits is clamped.
    let state = served.value("/api/state/full");
    assert_eq!(state["control_mode"], "enabled");
    assert!(state["antennas_position"][0].as_f64().unwrap().abs() < std::f64::consts::PI, "{state}");
    // The journal says whose requests they were.
    let journal = std::fs::read_to_string(served.bench.path("journal.jsonl")).unwrap_or_default();
    assert!(journal.is_empty() || journal.contains("app escape"), "the journal does not name the app");
    assert_eq!(served.post("/api/apps/stop-current-app", &json!({})).0, 200);
}

#[test]
fn apps_run_one_at_a_time_and_end_when_they_are_told() {
    let served = with_apps(&["stubborn", "streams"]);
    let listed = served.value("/api/apps/list-available/installed");
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|app| app["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["streams", "stubborn"]);
    assert_eq!(served.value("/api/apps/current-app-status"), Value::Null);
    assert_eq!(served.post("/api/apps/start-app/nothing", &json!({})).0, 404);
    assert_eq!(served.post("/api/apps/start-app/..%2Fx", &json!({})).0, 400);
    assert_eq!(served.post("/api/apps/stop-current-app", &json!({})).0, 400);

    start(&served, "streams");
    printed(&served, "streams", "READY");
    let (status, busy) = served.post("/api/apps/start-app/stubborn", &json!({}));
    assert_eq!(status, 400);
    assert!(busy["detail"].as_str().unwrap().contains("streams is running"), "{busy}");
    let (status, busy) = served.post("/api/apps/remove/streams", &json!({}));
    assert_eq!(status, 400, "{busy}");
    let (status, again) = served.post("/api/apps/restart-current-app", &json!({}));
    assert_eq!((status, &again["state"]), (200, &json!("running")), "{again}");
    assert_eq!(served.post("/api/apps/stop-current-app", &json!({})).0, 200);
    assert_eq!(served.value("/api/apps/current-app-status"), Value::Null);

    // One that ignores it is killed, with everything that it started, and named.
    start(&served, "stubborn");
    printed(&served, "stubborn", "READY");
    let own = served.bench.path("apps/stubborn/venv").display().to_string();
    assert!(is_running(&own));
    assert_eq!(served.post("/api/apps/stop-current-app", &json!({})).0, 200);
    assert!(!is_running(&own) && !is_running("trap '' INT TERM HUP"));

    // Removed, it is gone with its files.
    let (status, job) = served.post("/api/apps/remove/stubborn", &json!({}));
    assert_eq!(status, 200, "{job}");
    let job = job["job_id"].as_str().unwrap();
    served.until(&format!("/api/apps/job-status/{job}"), |job| job["status"] == "done");
    assert!(!served.bench.path("apps/stubborn").exists());
}

#[test]
fn a_stop_of_the_robot_ends_the_app() {
    let served = with_apps(&["streams"]);
    start(&served, "streams");
    printed(&served, "streams", "READY");
    let at = |served: &Served| served.value("/api/state/full")["antennas_position"].clone();
    let before = at(&served);
    served.until("/api/state/full", |state| state["antennas_position"] != before);
    assert_eq!(served.post("/api/v1/stop", &json!({})).0, 200);
    ended(&served);
    served.until("/api/v1/state", |state| state["motion_state"] == "holding");
    // The joints follow their goals a moment later.
    std::thread::park_timeout(Duration::from_millis(300));
    let rest = at(&served);
    std::thread::park_timeout(Duration::from_millis(600));
    assert_eq!(at(&served), rest);
    // It may be started again.
    start(&served, "streams");
    printed(&served, "streams", "READY");
}

/// Returns a port of this computer that nothing uses.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn page_of_an_app_is_served_without_the_network() {
    let port = free_port();
    let served = with_apps_at(&["settings"], port, "");
    let page = format!("127.0.0.1:{port}");
    let ask = |what: &str, headers: &[&str], body: &str| super::cli::send(&page, what, headers, body);
    let listed = served.value("/api/apps/list-available/installed");
    assert_eq!(listed[0]["extra"]["custom_app_url"], format!("http://0.0.0.0:{port}"));
    assert!(TcpStream::connect(&page).is_err());
    start(&served, "settings");
    printed(&served, "settings", "READY");

    let token = "Authorization: Bearer minismith_secret";
    let (status, seen) = ask("GET /static/page.js?x=1", &[token, "X-Own: yes"], "");
    assert_eq!(
        (status, &seen["path"], &seen["headers"]["x-own"]),
        (200, &json!("/static/page.js?x=1"), &json!("yes"))
    );
    assert!(seen["headers"]["authorization"].is_null(), "{seen}");
    let own = format!("Origin: http://{page}");
    let antennas = json!({ "antennas": [0.5, -0.5], "duration": 0.2 }).to_string();
    assert_eq!(ask("POST /move", &[&own], &antennas), (200, json!({ "robot": 200 })));
    served.until("/api/state/full", |state| {
        (state["antennas_position"][0].as_f64().unwrap() - 0.5).abs() < 0.05
    });

    // An upgraded connection, as that of a WebSocket, goes both ways.
    let mut stream = TcpStream::connect(&page).unwrap();
    write!(stream, "GET /ws HTTP/1.1\r\nHost: {page}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
        .unwrap();
    let mut text = String::new();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while !text.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut text).unwrap(), 0, "{text}");
    }
    assert!(text.starts_with("HTTP/1.1 101 "), "{text}");
    stream.write_all(b"over the upgrade").unwrap();
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "OVER THE UPGRADE");

    // Pages of others reach neither it nor, from there, this server; and the page has no rights here.
    for (header, status) in [
        ("Origin: https://evil.example", 403),
        ("Host: evil.example", 400),
        ("Host: 192.0.2.7", 401),
        ("X-Forwarded-For: 192.0.2.7", 401),
    ] {
        assert_eq!(ask("GET /", &[header], "").0, status, "{header}");
    }
    let as_page = |origin: &str| super::cli::send(&served.address, "POST /api/v1/stop", &[origin], "").0;
    for name in ["127.0.0.1", "localhost", "[::1]"] {
        assert_eq!(as_page(&format!("Origin: http://{name}:{port}")), 403, "{name}");
    }
    assert_eq!(served.post("/api/apps/stop-current-app", &json!({})).0, 200);
    for _ in 0..200 {
        if TcpStream::connect(&page).is_err() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(25));
    }
    panic!("the page is served after the end of the app");
}

#[test]
fn page_of_an_app_is_only_for_those_who_may_move_the_robot() {
    let port = free_port();
    let served = with_apps_at(&["settings"], port, "server: {anonymous_role: viewer}\n");
    let token = served.bench.run(&["token", "add", "desk", "--role", "operator", "--json"]).exits(0).json();
    let bearer = format!("Authorization: Bearer {}", token["token"].as_str().unwrap());
    let (status, started) =
        super::cli::send(&served.address, "POST /api/apps/start-app/settings", &[&bearer], "");
    assert_eq!(status, 200, "{started}");
    printed(&served, "settings", "READY");
    let (status, refused) = super::cli::send(&format!("127.0.0.1:{port}"), "GET /", &[], "");
    assert_eq!(status, 403, "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("operator"), "{refused}");
}

#[test]
fn a_crash_is_named_and_output_is_bounded() {
    let served = with_apps(&["greedy"]);
    start(&served, "greedy");
    let status = ended(&served);
    assert_eq!(status["state"], "error", "{status}");
    let error = status["error"].as_str().unwrap();
    assert!(error.contains("exited with code 1") && error.contains("it broke on purpose"), "{error}");
    assert!(lines(&served, "greedy").len() <= 500);
    let log = std::fs::metadata(served.bench.path("apps/greedy/log")).unwrap().len();
    assert!(log < 6 << 20, "{log} bytes");
}

#[test]
fn an_app_dies_with_a_server_that_is_killed() {
    let served = with_apps(&["stubborn"]);
    start(&served, "stubborn");
    printed(&served, "stubborn", "READY");
    let own = served.bench.path("apps/stubborn/venv").display().to_string();
    let keep = served.kill();
    for _ in 0..200 {
        if !is_running(&own) {
            drop(keep);
            return;
        }
        std::thread::park_timeout(Duration::from_millis(50));
    }
    panic!("the app lives on");
}

#[test]
fn an_app_can_start_with_the_server_and_media_need_a_grant() {
    let served = with_apps(&["streams"]);
    assert_eq!(served.value("/api/apps/startup-app"), json!({ "startup_app": null }));
    let set = |name: Value| {
        super::cli::send(
            &served.address,
            "PUT /api/apps/startup-app",
            &["Content-Type: application/json"],
            &json!({ "startup_app": name }).to_string(),
        )
    };
    assert_eq!(set(json!("nothing")).0, 400);
    assert_eq!(set(json!("streams")), (200, json!({ "startup_app": "streams" })));
    assert_eq!(served.bench.run(&["app", "grant", "streams", "camera"]).code, Some(0));
    let listed = served.value("/api/apps/list-available/installed");
    assert_eq!(listed[0]["extra"]["grants"], json!(["camera"]));
    let folder = served.stop();
    let again = Served::on(folder);
    again.until("/api/apps/current-app-status", |status| status["state"] == "running");
}

#[test]
fn what_is_no_app_is_refused_with_a_reason() {
    let folder = TestDir::configured("compat: {app_directory: apps, app_sdk: sdk}\n");
    folder.write("sdk/reachy_mini/__init__.py", "");
    folder.write("empty/readme", "");
    let refused = |path: &str| {
        folder.run(&["app", "install", path, "--json"]).exits(1).json()["error"].as_str().unwrap().to_owned()
    };
    assert!(refused("nowhere").contains("No such file"));
    assert!(refused("empty").contains("pyproject.toml"));
    let wheel = wheel(&folder, "greedy");
    assert!(
        refused(&folder.write("broken-1.0-py3-none-any.whl", "no archive").display().to_string())
            .contains("failed")
    );
    assert_eq!(folder.run(&["app", "install", &wheel.display().to_string()]).code, Some(0));
    assert!(refused(&wheel.display().to_string()).contains("installed already"));
    // Nothing is left of what failed.
    let left: Vec<_> =
        std::fs::read_dir(folder.path("apps")).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["greedy"]);
    assert!(folder.run(&["app", "list", "--json"]).exits(0).json()["apps"][0]["description"] == "A test");
    assert_eq!(folder.run(&["app", "remove", "greedy"]).code, Some(0));
    assert_eq!(folder.run(&["app", "remove", "greedy"]).code, Some(1));
    assert!(!Path::new(&folder.path("apps/greedy")).exists());
}

/// Lays an app into a Python environment as an installation does, and returns the environment.
fn official_environment(folder: &TestDir, name: &str) -> PathBuf {
    let wheel = wheel(folder, name);
    let site = folder.path("official/lib/python3.11/site-packages");
    std::fs::create_dir_all(&site).unwrap();
    let python = workspace().join(".venv/bin/python");
    let unpack = format!("{} -m zipfile -e {} {}", python.display(), wheel.display(), site.display());
    assert!(folder.shell(&unpack).output().unwrap().status.success());
    folder.path("official")
}

#[test]
fn apps_of_the_official_daemon_are_imported_with_the_one_that_starts() {
    let sdk = TestDir::new();
    sdk.write("reachy_mini/__init__.py", "");
    let folder = TestDir::configured(&format!(
        "compat: {{app_directory: apps, app_sdk: {}}}\n",
        sdk.path("").display()
    ));
    let environment = official_environment(&folder, "stubborn");
    // A record may name files elsewhere, and links may lead there.
    let site = environment.join("lib/python3.11/site-packages");
    let secret = folder.write("secret", "not part of the app");
    std::os::unix::fs::symlink(&secret, site.join("stubborn_link.txt")).unwrap();
    let record = std::fs::read_dir(&site).unwrap().flatten().map(|entry| entry.path().join("RECORD"));
    let record = record.into_iter().find(|path| path.is_file()).unwrap();
    let listed = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, format!("{listed}stubborn_link.txt,,\n../../../../secret,,\n")).unwrap();
    folder
        .write("home/reachy_mini/daemon_config.json", r#"{"startup_app": "stubborn", "turn_enabled": true}"#);

    let environment = environment.to_str().unwrap();
    let import = |words: &[&str]| {
        let mut command = folder.command(&[&["import-official", "--json"], words].concat());
        command.env("XDG_CONFIG_HOME", folder.path("home"));
        CommandOutput::from(command)
    };
    let first = import(&["--environment", environment]).exits(0).json();
    assert_eq!(
        (&first["apps"][0]["name"], &first["apps"][0]["outcome"], &first["startup_app"], &first["error"]),
        (&json!("stubborn"), &json!("installed"), &json!("stubborn"), &Value::Null),
        "{first}"
    );
    let listed = folder.run(&["app", "list", "--json"]).exits(0).json();
    assert_eq!(
        (&listed["apps"][0]["name"], &listed["startup_app"]),
        (&json!("stubborn"), &json!("stubborn"))
    );
    assert!(folder.path("apps/stubborn/venv/own/stubborn/main.py").is_file());
    assert!(!folder.path("apps/stubborn/venv/own/stubborn_link.txt").exists());
    // Again, nothing changes.
    let again = import(&["--environment", environment]).exits(0).json();
    assert_eq!(
        (&again["apps"][0]["outcome"], &again["startup_app"]),
        (&json!("installed already"), &Value::Null)
    );
    let nothing = import(&["--environment", "/nowhere"]).exits(1).json();
    assert!(nothing["error"].as_str().unwrap().contains("--environment"), "{nothing}");
    let left = std::fs::read_dir(folder.path("apps")).unwrap().flatten().map(|entry| entry.file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().starts_with(".importing")));
}

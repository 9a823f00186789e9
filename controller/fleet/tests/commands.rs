//! One robot, then several: join, list, say, stop, release, and what is refused.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that fails shows where"
)]
#![allow(clippy::disallowed_methods, reason = "tests measure time")]

mod support;

use std::time::{Duration, Instant};

use serde_json::json;
use support::{Fleet, Robot, outcomes, until};

const SOON: Duration = Duration::from_secs(15);

#[test]
fn a_robot_joins_is_listed_moves_and_leaves() {
    let Some(fleet) = Fleet::on_zenohd() else { return };
    let mut robot = Robot::start("kitchen", "");
    robot.join(&fleet.endpoint, &["--group", "dancers"]);
    until("the first state", SOON, || fleet.status("kitchen")["motion_state"] == "holding");
    let status = fleet.status("kitchen");
    assert_eq!(status["groups"], json!(["dancers"]));
    assert!(status["temperature_c"].is_number(), "{status}");
    let text = String::from_utf8(fleet.run(&["list"]).stdout).unwrap();
    assert!(text.starts_with("kitchen: holding, clock "), "{text}");

    // The answer is the controller's own document.
    let (said, code) = fleet.json(&["say", "--to", "dancers", "look left 20 degrees"]);
    assert_eq!((outcomes(&said), code), (vec![("kitchen".into(), "done".into())], 0), "{said}");
    let result = &said["replies"][0]["result"];
    assert_eq!(result["outcome"], "done");
    assert!(result["steps"].is_array(), "{result}");
    assert!((robot.yaw_deg() - 20.0).abs() < 2.0, "{}", robot.yaw_deg());

    // An operator that watches sees who asked for what.
    let watched = std::thread::scope(|scope| {
        let watching = scope.spawn(|| fleet.run(&["watch", "--json", "--seconds", "4"]));
        std::thread::park_timeout(Duration::from_millis(1000));
        assert_eq!(fleet.json(&["say", "--to", "kitchen", "look left 20 degrees"]).1, 0);
        watching.join().unwrap()
    });
    let watched = String::from_utf8(watched.stdout).unwrap();
    let events: Vec<serde_json::Value> = watched
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|shown: &serde_json::Value| shown["kind"] == "event")
        .collect();
    assert!(
        events
            .iter()
            .any(|shown| shown["data"]["event"] == "command_done" && shown["data"]["caller"] == "anna"),
        "{watched}"
    );

    // A refusal is data.
    let (said, code) = fleet.json(&["say", "--to", "kitchen", "fly to the moon"]);
    assert_eq!((outcomes(&said), code), (vec![("kitchen".into(), "failed".into())], 1), "{said}");
    assert!(said["replies"][0]["reason"].is_string(), "{said}");
    let (said, code) = fleet.json(&["say", "--to", "hall", "nod"]);
    assert_eq!((outcomes(&said), code), (vec![("hall".into(), "absent".into())], 1), "{said}");

    robot.agent.as_ref().unwrap().signal("TERM");
    until("the end of presence", SOON, || fleet.robots().is_empty());
    let (said, code) = fleet.json(&["say", "--to", "all", "nod"]);
    assert_eq!((outcomes(&said).len(), code), (0, 1), "{said}");
}

#[test]
fn a_stop_holds_until_its_release_also_over_a_restart() {
    let Some(fleet) = Fleet::on_zenohd() else { return };
    let mut robot = Robot::start("kitchen", "");
    robot.join(&fleet.endpoint, &[]);
    // A long motion is stopped in its middle.
    let (address, endpoint) = (robot.address.clone(), fleet.endpoint.clone());
    let moving = std::thread::scope(|scope| {
        let moving = scope.spawn(|| fleet.json(&["say", "--to", "kitchen", "nod 30 times"]));
        until("the motion", SOON, || !robot.is_at_rest());
        let (stopped, code) = fleet.json(&["stop"]);
        assert_eq!((outcomes(&stopped), code), (vec![("kitchen".into(), "done".into())], 0), "{stopped}");
        moving.join().unwrap()
    });
    assert_eq!(moving.1, 1, "{}", moving.0);
    assert!(robot.is_at_rest());
    let refused = || {
        let (said, code) = fleet.json(&["say", "--to", "kitchen", "look left 20 degrees"]);
        assert_eq!(code, 1);
        assert_eq!(said["replies"][0]["refusal"], "stopped", "{said}");
        assert!(said["replies"][0]["reason"].as_str().unwrap().contains("anna stopped the robot"), "{said}");
    };
    refused();
    // Local clients cannot move it either.
    until("the lease", SOON, || fleet.status("kitchen")["stopped"]["holds_lease"] == true);
    let (_, said) =
        robot.request("POST", "/api/v1/chat", &json!({ "text": "look left 20 degrees" }).to_string());
    assert_ne!(said["outcome"], "done", "{said}");
    // The agent is killed and started again.
    robot.agent.take().unwrap().kill();
    robot.join(&endpoint, &[]);
    refused();
    until("the lease", SOON, || fleet.status("kitchen")["stopped"]["holds_lease"] == true);
    // The controller is started again, too.
    robot.controller.take().unwrap().kill();
    let port = address.rsplit_once(':').unwrap().1.to_owned();
    robot.start_controller(&port);
    until("the lease", SOON, || !robot.get("/api/v1/lease")["holder"].is_null());
    assert!(robot.yaw_deg().abs() < 2.0);

    let (released, code) = fleet.json(&["release"]);
    assert_eq!((outcomes(&released), code), (vec![("kitchen".into(), "done".into())], 0), "{released}");
    let (said, code) = fleet.json(&["say", "--to", "kitchen", "look left 20 degrees"]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn usage_errors_exit_with_2() {
    let fleet = Fleet {
        folder: tempfile::tempdir().unwrap(),
        port: 1,
        endpoint: "tcp/127.0.0.1:1".into(),
        router: None,
    };
    let began = Instant::now();
    for (arguments, words) in [
        (&["list"][..], "cannot connect to tcp/127.0.0.1:1"),
        (&["join", "Kitchen"], "invalid name"),
        (&["join", "kitchen", "--state-hz", "1000"], "--state-hz 1 to 200"),
        (&["join", "kitchen", "--listen", "tcp/0.0.0.0:7447"], "no identity in the fleet"),
        (&["join", "kitchen", "--listen", "udp/127.0.0.1:7447"], "invalid endpoint"),
        (&["withdraw", "../x"], "is not the name of a tool"),
        (&["revoke", "kitchen"], "is not the owner's"),
        (&["enrol", "--code", "x"], "this is no code"),
    ] {
        let output = fleet.run(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
    assert!(began.elapsed() < Duration::from_secs(60));
    let help = fleet.run(&["--help"]);
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("Exit codes"));
    // An agent without a controller or a router waits for both.
}

#[test]
fn two_robots_cannot_have_one_name() {
    let Some(fleet) = Fleet::on_zenohd() else { return };
    let mut robot = Robot::start("kitchen", "");
    robot.join(&fleet.endpoint, &[]);
    let output = fleet.run(&["join", "kitchen", "--url", &format!("http://{}", robot.address)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is a robot called kitchen"));
}

#[test]
fn the_agents_token_limits_what_the_fleet_may_do() {
    let Some(fleet) = Fleet::on_zenohd() else { return };
    let mut robot = Robot::start("kitchen", "");
    let made = robot.minismith(&["token", "add", "fleet", "--role", "viewer", "--json"]);
    let made: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
    let token = robot.folder.path().join("token");
    std::fs::write(&token, made["token"].as_str().unwrap()).unwrap();
    robot.join(&fleet.endpoint, &["--token-file", token.to_str().unwrap()]);
    let (said, code) = fleet.json(&["say", "--to", "kitchen", "look left 20 degrees"]);
    assert_eq!((code, said["replies"][0]["refusal"].as_str()), (1, Some("controller")), "{said}");
    assert!(robot.yaw_deg().abs() < 2.0);
    // Everybody who sees a robot may stop it.
    let (stopped, code) = fleet.json(&["stop"]);
    assert_eq!(code, 0, "{stopped}");
    assert!(!robot.log().contains(made["token"].as_str().unwrap()), "a token is in the log");
}

#[test]
fn minismith_runs_the_program_beside_it_and_says_where_it_is_missing() {
    let minismith = support::minismith();
    let run = |program: &std::path::Path, arguments: &[&str]| {
        let output = std::process::Command::new(program).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text) = run(&minismith, &["fleet", "--router", "tcp/127.0.0.1:1", "list", "--json"]);
    assert!(code == Some(2) && text.contains("minismith fleet: cannot connect to tcp/127.0.0.1:1"), "{text}");
    // Two folders deep, because the folder above is searched too.
    let folder = tempfile::tempdir_in(minismith.parent().unwrap()).unwrap();
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    let alone = folder.path().join("bin/minismith");
    std::fs::hard_link(&minismith, &alone).unwrap();
    let (code, text) = run(&alone, &["fleet", "list"]);
    assert!(code == Some(2) && text.contains("build it with `make fleet`"), "{text}");
}

#[test]
fn a_key_of_the_configuration_makes_the_robot_a_member_while_it_is_served() {
    let Some(fleet) = Fleet::on_zenohd() else { return };
    let keys = format!("fleet: {{robot: kitchen, groups: [dancers], router: {:?}}}\n", fleet.endpoint);
    let mut robot = Robot::start("kitchen", &keys);
    until("the first state", SOON, || fleet.status("kitchen")["motion_state"] == "holding");
    assert_eq!(fleet.status("kitchen")["groups"], json!(["dancers"]));
    let (said, code) = fleet.json(&["say", "--to", "dancers", "look left 20 degrees"]);
    assert_eq!((outcomes(&said), code), (vec![("kitchen".into(), "done".into())], 0), "{said}");

    // The agent finds the signing key and the tools of this controller.
    robot.add_peek_left();
    let (shared, code) = fleet.json(&["share", "peek_left"]);
    assert_eq!(code, 0, "{shared}");
    let text = shared.pointer("/replies/0/result/text").unwrap().as_str().unwrap();
    assert!(text.starts_with("peek_left v1 can be imported, signed by "), "{shared}");
    assert!(robot.folder.path().join(".config/minismith/signing.key").is_file());

    // Its agent ends with the controller, even if that is killed.
    robot.controller.take().unwrap().kill();
    until("the end of its membership", SOON, || fleet.robots().is_empty());
}

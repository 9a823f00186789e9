//! A client without a line of ours: Zenoh's own Python library lists the robots, reads state, and asks for a motion.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that fails shows where"
)]
#![allow(clippy::disallowed_methods, reason = "tests start the real programs")]

mod support;

use std::process::Command;

use serde_json::Value;
use support::{Fleet, Robot, workspace};

#[test]
fn a_python_program_sees_and_moves_a_robot() {
    let python = workspace().join(".cache/zenoh/bin/python");
    if !python.is_file() {
        println!("skipped: there is no {}; run `make zenohd` first", python.display());
        return;
    }
    let Some(fleet) = Fleet::on_zenohd() else { return };
    let mut robot = Robot::start("kitchen", "");
    robot.join(&fleet.endpoint, &[]);
    let script = workspace().join("controller/fleet/tests/foreign_client.py");
    let output = Command::new(python).arg(script).arg(&fleet.endpoint).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    let seen: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}\n{err}"));
    assert_eq!(seen["robots"], serde_json::json!(["kitchen"]));
    assert_eq!(seen["state"]["motion_state"], "holding");
    assert_eq!(seen["reply"]["outcome"], "done", "{seen}");
    assert!((robot.yaw_deg() - 20.0).abs() < 2.0);
}

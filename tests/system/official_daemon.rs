//! The official daemon on the emulated servos: its REST interface and the official SDK move them.

use std::path::PathBuf;

use firmware_bridge::joint::{Joint, Joints};
use minismith_control::robot::initial_joints;
use minismith_tests::workspace;
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorOptions};
use serde_json::Value;

/// One encoder count is 0.0015. The daemon's own rounding adds to it.
const CLOSE: f64 = 0.02;

/// Returns the Python with the whole official daemon; prints a note and returns none where there is none.
fn official_python() -> Option<PathBuf> {
    let environment = workspace().join(".cache/official/bin");
    let [python, daemon] = ["python", "reachy-mini-daemon"].map(|name| environment.join(name));
    if python.is_file() && daemon.is_file() {
        return Some(python);
    }
    println!("skipped: the official daemon is not installed (make official)");
    None
}

#[test]
// The official daemon is Python code and needs a process of its own.
#[allow(clippy::disallowed_methods)]
fn official_daemon_and_sdk_move_the_emulated_servos() {
    let Some(python) = official_python() else { return };
    let options =
        EmulatorOptions { link: None, faults: Faults::default(), start: initial_joints(), paced: true };
    let emulator = Emulator::start(options).unwrap();
    let before = emulator.probe();
    assert_eq!(before.map(|view| view.torque), Joints::all(false));

    let output = std::process::Command::new(python)
        .arg(workspace().join("tests/support/official/drive_daemon.py"))
        .arg(emulator.path())
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    let seen: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("the script printed no JSON ({error}): {complaints}"));
    assert!(output.status.success() && seen["failed"] == serde_json::json!([]), "{seen}\n{complaints}");

    // Besides the reports of the script and the daemon, the test reads where the motors are.
    let after = emulator.probe();
    let at = |joint: Joint| after[joint].position.value();
    let goals = [
        (Joint::BodyYaw, &seen["rest"]["goal"][0]),
        (Joint::RightAntenna, &seen["sdk"]["goal"][0]),
        (Joint::LeftAntenna, &seen["sdk"]["goal"][1]),
    ];
    for (joint, goal) in goals {
        let goal = goal.as_f64().unwrap();
        assert!((at(joint) - goal).abs() < CLOSE, "{joint} is at {}, not at {goal}: {seen}", at(joint));
        assert!((before[joint].position.value() - goal).abs() > CLOSE, "{joint} was there before");
    }
    // The head turned too, which takes all six legs.
    for joint in Joint::STEWART {
        assert!((at(joint) - before[joint].position.value()).abs() > CLOSE, "{joint} did not move: {seen}");
    }
}

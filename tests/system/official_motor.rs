//! The official motor controller library, on the serial port of the emulated servos.

// A helper of a test may panic.
#![allow(clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::units::Radians;
use minismith_nlu::primitive::Primitive;
use minismith_nlu::{Aim, MotionSegment, lower};
use mock_robot::faults::{Faults, HardwareError};
use mock_robot::firmware::{Emulator, EmulatorOptions};
use serde_json::{Value, json};

/// One encoder count is 0.0015. The library rounds towards zero, the servo to the nearest count.
const CLOSE: f64 = 0.004;

/// Returns the Python with the official packages; none if they are to be skipped.
pub fn peers_python() -> Option<PathBuf> {
    let given = std::env::var_os("MINISMITH_PEERS_PYTHON").map(PathBuf::from);
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/peers/bin/python");
    let python = given.unwrap_or(made);
    if python.exists() {
        return Some(python);
    }
    let skip = std::env::var_os("MINISMITH_SKIP_PEERS").is_some_and(|skip| skip == "1");
    assert!(
        skip,
        "there is no {}: run `make peers` to install the official packages, or set MINISMITH_SKIP_PEERS=1",
        python.display()
    );
    eprintln!("skipped: MINISMITH_SKIP_PEERS=1 and there is no {}", python.display());
    None
}

/// Runs the script on the emulator's port and returns its parsed output.
#[allow(clippy::disallowed_methods)] // The official library is Python code and needs a process of its own.
fn official(python: &Path, emulator: &Emulator, verb: &str, more: &[String]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("support/official/motor_controller.py");
    let output = std::process::Command::new(python)
        .arg(script)
        .arg(verb)
        .arg(emulator.path())
        .args(more)
        .output()
        .expect("the interpreter starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the script failed ({}): {errors}", output.status);
    serde_json::from_slice(&output.stdout).expect("the script prints JSON")
}

fn nine(value: &Value) -> [f64; 9] {
    serde_json::from_value(value.clone()).expect("nine numbers")
}

fn close(one: &[f64], other: &[f64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < CLOSE)
}

fn emulator(faults: Faults) -> (Emulator, [f64; 9]) {
    let start = Joints::from_fn(|joint| Radians(0.05 * joint.index() as f64 - 0.2));
    let emulator =
        Emulator::start(EmulatorOptions { link: None, faults, start, paced: true }).expect("an emulator");
    (emulator, start.as_array().map(Radians::value))
}

#[test]
fn official_motor_controller_moves_and_reads_all_servos() {
    let Some(python) = peers_python() else { return };
    let (emulator, start) = emulator(Faults::default());
    let goals = [1.2, 0.5, -0.4, 0.3, -0.6, 0.45, -0.5, -2.5, 2.0];

    let seen = official(&python, &emulator, "drive", &[json!(goals).to_string()]);

    assert!(close(&nine(&seen["start"]), &start), "{seen}");
    assert_eq!((&seen["torque_before"], &seen["torque_after"]), (&json!(false), &json!(true)));
    assert!(close(&nine(&seen["arrived"]), &goals), "{seen}");
    let body: Vec<f64> = serde_json::from_value(seen["body_on_the_way"].clone()).expect("numbers");
    assert!(body.is_sorted(), "the body goes straight to its goal: {body:?}");
    assert_eq!((&seen["modes"], &seen["modes_under_torque"]), (&json!(vec![3; 6]), &json!(vec![3; 6])));
    assert_eq!(seen["modes_when_limp"], json!(vec![0; 6]));
    // On the last thousandths of the way, a leg still draws the current that friction in its gears takes.
    let currents: [i32; 6] = serde_json::from_value(seen["currents"].clone()).expect("six currents");
    assert!(currents.iter().all(|milliamps| milliamps.abs() < 300), "{seen}");

    let probe = emulator.probe();
    let really = Joints::from_fn(|joint| probe[joint].position.value());
    assert!(close(really.as_array(), &goals), "{probe:?}");
    for (joint, view) in probe.iter() {
        assert_eq!(view.torque, !Joint::STEWART.contains(&joint), "{joint}");
    }
}

#[test]
fn official_start_up_accepts_a_healthy_robot() {
    let Some(python) = peers_python() else { return };
    let (emulator, start) = emulator(Faults::default());
    let seen = official(&python, &emulator, "start_up", &[]);
    for joint in Joint::ALL {
        assert_eq!(seen["ids"][joint.name()], json!(joint.motor_id()), "{seen}");
    }
    assert!(close(&nine(&seen["position"]), &start), "{seen}");
    assert_eq!(
        (&seen["torque"], &seen["mode"], &seen["gains"]),
        (&json!(false), &json!(3), &json!([300, 0, 0]))
    );
    // Register 48: maximum and minimum position of stewart_1, 2958 and 1502.
    assert_eq!(seen["limits"], json!([0x8E, 0x0B, 0, 0, 0xDE, 0x05, 0, 0]));
    assert_eq!(seen["hardware_errors"], json!(vec![0; 9]));
}

#[test]
fn official_start_up_reboots_a_servo_with_a_hardware_error() {
    let Some(python) = peers_python() else { return };
    let hardware_error = [(Joint::Stewart4, HardwareError::Overload)].into();
    let (emulator, _) = emulator(Faults { hardware_error, ..Faults::default() });
    assert_eq!(emulator.probe()[Joint::Stewart4].hardware_error, 0x20);
    let seen = official(&python, &emulator, "start_up", &[]);
    assert_eq!(seen["hardware_errors"], json!(vec![0; 9]), "{seen}");
    assert_eq!(emulator.probe()[Joint::Stewart4].hardware_error, 0);
}

#[test]
fn official_start_up_names_a_silent_servo() {
    let Some(python) = peers_python() else { return };
    let (emulator, _) = emulator(Faults { silent: vec![Joint::Stewart3], ..Faults::default() });
    let seen = official(&python, &emulator, "start_up", &[]);
    let error = seen["error"].as_str().expect("an error");
    assert!(error.contains("Missing motors") && error.contains("stewart_3"), "{error}");
}

/// "Outwards" is away from the head, by the geometry that the official package publishes.
#[test]
#[allow(clippy::disallowed_methods)] // The official package is Python code and needs a process of its own.
fn outward_antennas_lean_away_from_the_head_in_the_official_description() {
    let Some(python) = peers_python() else { return };
    let angle = Some(Radians(0.5));
    let outwards = Primitive::SetAntennas { right: angle, left: angle, duration: Duration::from_secs(1) };
    let segments = lower(&[outwards], Aim::neutral());
    let [MotionSegment::Goto { antennas: Some(antennas), .. }] = segments.as_slice() else {
        panic!("{segments:?}")
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("support/official/antenna_tips.py");
    let angles = [antennas.right.value(), antennas.left.value(), 0.0].map(|angle| angle.to_string());
    let output =
        std::process::Command::new(python).arg(script).args(angles).output().expect("the interpreter starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let distances: Value = serde_json::from_slice(&output.stdout).expect("the script prints JSON");
    for (side, moved) in [("right", 0), ("left", 1)] {
        let [turned, upright] = [moved, 2].map(|at| distances[side][at].as_f64().expect("a distance"));
        assert!(turned > upright + 0.01, "{side}: {turned} m is not further out than {upright} m");
    }
}

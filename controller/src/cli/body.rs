//! `mock`, `scan` and `doctor`: the body and the machine it stands on.

use std::path::{Path, PathBuf};

use anyhow::Context;
use firmware_bridge::bus::MotorReport;
use firmware_bridge::joint::Joint;
use minismith::body::{bus_options, initial_joints};
use minismith::config::Config;
use minismith::doctor::{self, State};
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorOptions};
use serde::Serialize;

use super::{Done, line, print};

/// Runs the emulated servos until interrupted.
pub fn mock(link: Option<PathBuf>, faults: Option<&Path>, paced: bool) -> anyhow::Result<Done> {
    let faults = match faults {
        None => Faults::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("can't read the faults in {}", path.display()))?;
            Faults::from_yaml(&text, &path.display().to_string())?
        }
    };
    let emulator = Emulator::start(EmulatorOptions { link, faults, start: initial_joints(), paced })?;
    print::line(&emulator.path().display().to_string());
    eprintln!("minismith: nine emulated servos at 1,000,000 baud; Ctrl-C ends them");
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(super::serve::interrupted())?;
    Ok(Done::Well)
}

/// Lists the servos on a line.
pub fn scan(config: &Config, port: &Path, all_bauds: bool, json: bool) -> anyhow::Result<Done> {
    let found = line::scan(port, &bus_options(config), all_bauds)?;
    if json {
        let motors: Vec<Scanned> = found.iter().map(|(baud, motor)| Scanned { baud: *baud, motor }).collect();
        print::json(&serde_json::json!({ "port": port, "motors": motors }))?;
    } else if found.is_empty() {
        let advice = if all_bauds { "" } else { ", or try --all-bauds" };
        print::line(&format!("no servo answers; check the robot's power and cables{advice}"));
    } else {
        print::table(&HEADS, &found.iter().map(|(baud, motor)| row(*baud, motor)).collect::<Vec<_>>());
    }
    Ok(Done::when(!found.is_empty()))
}

/// A servo and the baud rate at which it answers.
#[derive(Serialize)]
struct Scanned<'a> {
    #[serde(flatten)]
    motor: &'a MotorReport,
    baud: u32,
}

const HEADS: [&str; 11] =
    ["id", "joint", "baud", "model", "firmware", "volts", "temp", "mode", "torque", "position", "errors"];

fn row(baud: u32, motor: &MotorReport) -> [String; 11] {
    let errors = motor.hardware_error.join(", ");
    [
        motor.id.to_string(),
        motor.joint.map_or("(not this robot's)", Joint::name).to_owned(),
        baud.to_string(),
        motor.model.to_string(),
        motor.firmware.to_string(),
        format!("{:.1} V", motor.volts),
        format!("{} C", motor.temperature),
        motor.mode.to_string(),
        if motor.torque { "on" } else { "off" }.to_owned(),
        motor.position_raw.to_string(),
        if errors.is_empty() { "none".to_owned() } else { errors },
    ]
}

/// Examines the machine.
pub fn doctor(config: &Config, json: bool) -> anyhow::Result<Done> {
    let checks = doctor::examine(config);
    let well = checks.iter().all(|check| check.state != State::Bad);
    if json {
        print::json(&serde_json::json!({ "checks": checks }))?;
    } else {
        for check in &checks {
            print::line(&check.to_string());
        }
    }
    Ok(Done::when(well))
}

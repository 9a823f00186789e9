//! `mock`, `scan` and `doctor`: the robot and the machine that it is connected to.

use std::path::{Path, PathBuf};

use anyhow::Context;
use firmware_bridge::bus::{self, BAUDS, MotorReport};
use firmware_bridge::joint::Joint;
use minismith_control::robot::{bus_options, initial_joints};
use minismith_diagnostics::{CheckStatus, examine};
use minismith_runtime::config::Config;
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorOptions};

use super::{CommandStatus, print};

/// Runs the emulated servos until interrupted.
pub fn mock(link: Option<PathBuf>, faults: Option<&Path>, paced: bool) -> anyhow::Result<CommandStatus> {
    let faults = self::faults(faults)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // A process that reads the path may end this one immediately.
    let interrupted = runtime.block_on(async { super::serve::interrupted() })?;
    let emulator = Emulator::start(EmulatorOptions { link, faults, start: initial_joints(), paced })?;
    print::line(&emulator.path().display().to_string());
    eprintln!("minismith: nine emulated servos at 1,000,000 baud; Ctrl-C ends them");
    runtime.block_on(interrupted);
    Ok(CommandStatus::Success)
}

/// Reads the faults of the emulated servos; without a file there are none.
pub fn faults(file: Option<&Path>) -> anyhow::Result<Faults> {
    match file {
        None => Ok(Faults::default()),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read the faults in {}", path.display()))?;
            Ok(Faults::from_yaml(&text, &path.display().to_string())?)
        }
    }
}

/// Lists the servos on a line.
pub fn scan(config: &Config, port: &Path, all_baudrates: bool, json: bool) -> anyhow::Result<CommandStatus> {
    let options = bus_options(config);
    // The robot's own rate comes first, since a servo is reported at the first rate at which it responds.
    let others = BAUDS.into_iter().filter(|baud| all_baudrates && *baud != options.baud);
    let bauds: Vec<u32> = std::iter::once(options.baud).chain(others).collect();
    let found = bus::scan_all(port, &options, &bauds)?;
    if json {
        print::json(&serde_json::json!({ "port": port, "motors": found }))?;
    } else if found.is_empty() {
        let advice = if all_baudrates { "" } else { ", or try --all-baudrates" };
        print::line(&format!("no servo responds; check the robot's power and cables{advice}"));
    } else {
        print::table(&HEADS, &found.iter().map(row).collect::<Vec<_>>());
    }
    Ok(CommandStatus::when(!found.is_empty()))
}

const HEADS: [&str; 11] =
    ["id", "joint", "baud", "model", "firmware", "volts", "temp", "mode", "torque", "position", "errors"];

fn row(motor: &MotorReport) -> [String; 11] {
    let errors = motor.hardware_error.join(", ");
    [
        motor.id.to_string(),
        motor.joint.map_or("(not this robot's)", Joint::name).to_owned(),
        motor.baud.to_string(),
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

/// Checks the machine.
pub fn doctor(config: &Config, json: bool) -> anyhow::Result<CommandStatus> {
    let checks = examine(config);
    let well = checks.iter().all(|check| check.status != CheckStatus::Error);
    if json {
        print::json(&serde_json::json!({ "checks": checks }))?;
    } else {
        for check in &checks {
            print::line(&check.to_string());
        }
    }
    Ok(CommandStatus::when(well))
}

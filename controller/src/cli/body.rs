//! `mock`, `scan` and `doctor`: the body and the machine it stands on.

use std::path::{Path, PathBuf};

use anyhow::Context;
use firmware_bridge::bus;
use minismith::body::{bus_options, initial_joints};
use minismith::config::Config;
use minismith::doctor::{self, State};
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorOptions};

use super::{Done, print};

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
pub fn scan(config: &Config, port: &Path, json: bool) -> anyhow::Result<Done> {
    let motors = bus::scan(port, &bus_options(config))?;
    if json {
        print::json(&serde_json::json!({ "port": port, "motors": motors }))?;
    } else {
        for motor in &motors {
            print::line(&motor.to_string());
        }
        if motors.is_empty() {
            print::line("no servo answers; check the robot's power and the baud rate");
        }
    }
    Ok(Done::when(!motors.is_empty()))
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

//! Collects the facts about the computer, without changing anything.
//!
//! It opens only the serial port of a robot, if it is free, to read the servos' measurements. It starts only
//! the tool host, and `systemctl` where the official software is installed.

use std::fs;
use std::path::{Path, PathBuf};

use firmware_bridge::control_loop::TimingStats;
use rustix::fs::{Access as Permission, access, statvfs};

use super::devices::{Port, devices, port};
use super::local_model::LocalModelFacts;
use super::owner::Ownership;
use super::perception::Sight;
use super::real_time::RealTime;
use super::robot::{Peripherals, Supply};
use super::sandbox;
use super::speech::Voice;
use minismith_runtime::config::{Config, RobotChoice};

/// The facts about a computer.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// Serial ports that could be a robot's.
    pub ports: Vec<Port>,
    /// The interpreter of the tool host.
    pub packages: Packages,
    /// The path of the tool host next to this program, or where it should be.
    pub tool_host: Result<PathBuf, PathBuf>,
    /// Whether the tools folder is writable; `None` when it does not exist.
    pub tools_writable: Option<bool>,
    /// The tested mechanisms of the sandbox for tools.
    pub sandbox: sandbox::SandboxProbe,
    /// The language model on this computer.
    pub local_model: LocalModelFacts,
    /// The settings that let the control loop run in time.
    pub real_time: RealTime,
    /// The measured timing of the control loop.
    pub control_loop: Option<TimingStats>,
    /// Camera and vision models.
    pub sight: Sight,
    /// Microphone, speaker and speech models.
    pub voice: Voice,
    /// The facts about a real robot.
    pub periphery: Peripherals,
    /// Who starts at boot, or why that cannot be read.
    pub ownership: Result<Ownership, String>,
    /// The number of the server's tokens, or why none can be used.
    pub tokens: Result<usize, String>,
    /// The free space of the tools folder, in bytes.
    pub free: Option<u64>,
}

/// The state of an interpreter, found without running it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packages {
    NoInterpreter,
    NotAVenv,
    WithoutNumpy,
    WithNumpy,
}

impl Machine {
    /// Collects the facts once. `own` is the supply that this program has measured itself, if it holds the robot's port.
    pub(super) fn look(config: &Config, own: Option<Vec<Supply>>) -> Machine {
        let beside = std::env::current_exe().unwrap_or_default().with_file_name("minismith-tool-host");
        let ports = serial_ports(Path::new("/dev"), &config.robot);
        Machine {
            periphery: Peripherals::look(config, &ports, own),
            ports,
            packages: packages(&config.tool_host.python),
            tool_host: if runnable(&beside) { Ok(beside) } else { Err(beside) },
            tools_writable: tools_writable(&config.tools),
            sandbox: sandbox::look(config),
            local_model: LocalModelFacts::look(config),
            real_time: RealTime::look(),
            control_loop: super::control_loop::look(config),
            sight: Sight::look(config),
            voice: Voice::look(config),
            ownership: Ownership::look(),
            tokens: super::server::look(&config.server.token_file),
            free: statvfs(&config.tools).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize)),
        }
    }
}

/// Returns the ports that can belong to a robot, and the configured one whatever its name, ordered by name.
pub(super) fn serial_ports(folder: &Path, robot: &RobotChoice) -> Vec<Port> {
    let mut ports = devices(folder, &["ttyACM", "ttyUSB", "ttyAMA3"]);
    if let RobotChoice::Serial(path) = robot
        && path.exists()
        && !ports.iter().any(|port| port.path == *path)
    {
        ports.push(port(path.clone()));
    }
    ports.sort_by(|one, other| one.path.cmp(&other.path));
    ports
}

/// Returns whether the interpreter exists, and numpy in its virtual environment.
pub(super) fn packages(interpreter: &Path) -> Packages {
    if !runnable(interpreter) {
        return Packages::NoInterpreter;
    }
    let Some(environment) = interpreter.parent().and_then(Path::parent) else { return Packages::NotAVenv };
    if !environment.join("pyvenv.cfg").is_file() {
        return Packages::NotAVenv;
    }
    let versions = fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    let has_numpy =
        versions.into_iter().any(|entry| entry.path().join("site-packages/numpy/__init__.py").is_file());
    if has_numpy { Packages::WithNumpy } else { Packages::WithoutNumpy }
}

fn runnable(path: &Path) -> bool {
    path.is_file() && access(path, Permission::EXEC_OK).is_ok()
}

/// Returns whether new tools can be written. They go to `generated`; where that is missing, it must be
/// possible to create it.
pub(super) fn tools_writable(directory: &Path) -> Option<bool> {
    let generated = directory.join("generated");
    let position = if generated.is_dir() { &generated } else { directory };
    position.is_dir().then(|| access(position, Permission::WRITE_OK | Permission::EXEC_OK).is_ok())
}

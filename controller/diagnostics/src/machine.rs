//! Looks at the machine: what is there, without changing anything. The one thing that is opened is the serial port of a
//! robot, if it is free, to ask what its servos measure; the one process that is started is the tool host.

use std::fs;
use std::path::{Path, PathBuf};

use firmware_bridge::pulse::Regularity;
use rustix::fs::{Access as Permission, access, statvfs};

use super::cage;
use super::devices::{Port, devices, port};
use super::real_time::RealTime;
use super::robot::Periphery;
use super::sight::Sight;
use super::voice::Voice;
use minismith_runtime::config::{Config, RobotChoice};

/// What was seen.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// Serial ports that could be a robot's.
    pub ports: Vec<Port>,
    /// The interpreter of the tool host.
    pub packages: Packages,
    /// The tool host beside this program, or where it should be.
    pub tool_host: Result<PathBuf, PathBuf>,
    /// Whether the tools folder may be written; none when it is not there.
    pub tools_writable: Option<bool>,
    /// What held of the cage for tools.
    pub cage: cage::Tried,
    /// Whether the pulse can beat in time.
    pub real_time: RealTime,
    /// How regularly it did.
    pub beat: Option<Regularity>,
    /// What it sees with.
    pub sight: Sight,
    /// What it hears and speaks with.
    pub voice: Voice,
    /// What belongs to a real robot.
    pub periphery: Periphery,
    /// How many tokens the server knows, or why none.
    pub tokens: Result<usize, String>,
    /// Bytes that are free where tools are kept.
    pub free: Option<u64>,
}

/// What can be seen of an interpreter without running it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packages {
    NoInterpreter,
    NotAVenv,
    WithoutNumpy,
    WithNumpy,
}

impl Machine {
    /// Looks once.
    pub(super) fn look(config: &Config) -> Machine {
        let beside = std::env::current_exe().unwrap_or_default().with_file_name("minismith-tool-host");
        let ports = serial_ports(Path::new("/dev"), &config.robot);
        Machine {
            periphery: Periphery::look(config, &ports),
            ports,
            packages: packages(&config.tool_host.python),
            tool_host: if runnable(&beside) { Ok(beside) } else { Err(beside) },
            tools_writable: tools_writable(&config.tools),
            cage: cage::look(config),
            real_time: RealTime::look(),
            beat: super::beat::look(config),
            sight: Sight::look(config),
            voice: Voice::look(config),
            tokens: super::server::look(&config.serve.tokens),
            free: statvfs(&config.tools).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize)),
        }
    }
}

/// The ports that a robot can be behind, and the configured one whatever its name, in order of their names.
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

/// Whether the interpreter is there, and numpy in its virtual environment.
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

/// New tools go to `generated`; where that is not there yet, it must be possible to make it.
pub(super) fn tools_writable(directory: &Path) -> Option<bool> {
    let generated = directory.join("generated");
    let place = if generated.is_dir() { &generated } else { directory };
    place.is_dir().then(|| access(place, Permission::WRITE_OK | Permission::EXEC_OK).is_ok())
}

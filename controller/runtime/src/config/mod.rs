//! The configuration: [`Config`] is read once from `config.yaml` and checked completely; after that, all values are typed.
//!
//! Reading order: [`Config`] and its sections, `old_spelling` (keys of earlier versions), `file` (the keys as written),
//! `choice` and `quantity` (the allowed values), `signing` (keys and a secret), `language_model` (endpoints and a key),
//! `logs`, `places` (files and folders), `resolve` (from keys to their meaning), `error` (messages for the user). Degrees and milliseconds end here:
//! inside, angles are [`Radians`] and times are [`Duration`]. The file at the root of the project is built into the
//! program; it supplies the values that a user's file leaves out.

mod agents;
mod bar;
mod camera;
mod choice;
mod error;
mod file;
mod fleet;
mod language_model;
mod logs;
mod old_spelling;
mod places;
mod quantity;
mod recording;
mod resolve;
mod roster;
mod serve;
mod signing;
mod voice;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::units::Radians;

pub use agents::Agents;
pub use bar::{Bar, Lowerable, NotLowerable};
pub use camera::{Camera, CameraSource, SceneChoice, Vision};
pub use choice::{InvalidValue, Nlu, RobotChoice};
pub use error::ConfigError;
pub use fleet::{Fleet, FleetMembership, FleetName, FleetOperator};
pub use language_model::{Endpoint, Key, KeyError, KeyName, LanguageModel, LocalModel};
pub use logs::{Levels, Logs};
pub use old_spelling::OldSpelling;
pub use places::Predefined;
pub use quantity::{Rate, Scale};
pub use recording::{RecordingConfig, RerunConfig};
pub use serve::{Apps, CameraSocket, HostName, Origin, Peers, Server, WebRtc};
pub use signing::{PublicKey, SigningKeyError, SigningSecret, bytes_of};
pub use voice::{Service, TtsEngine, Voice, WakeWordMode};

use crate::net::Address;
use crate::paths::{Environment, Layout, Location};
use file::File;
use old_spelling::modernize;
use resolve::{has_endpoint, resolve};

/// The file at the root of the project.
const BUILT_IN: &str = include_str!("../../../../config.yaml");

/// Name of the built-in file in messages.
const BUILT_IN_NAME: &str = "built-in config.yaml";

/// Largest size of a file, bytes.
const MAX_FILE_BYTES: usize = 32 << 10;

/// The whole configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The file; `None` if only built-in values are used.
    pub source: Option<PathBuf>,
    /// The robot to control.
    pub robot: RobotChoice,
    /// Control cycles per second.
    pub rate: Rate,
    /// Limits of the safety envelope.
    pub limits: Limits,
    /// The serial line to the servos.
    pub bus: Bus,
    /// The HTTP server.
    pub server: Server,
    /// The folder that contains `predefined` and `generated` tools.
    pub tools: PathBuf,
    /// Where the predefined tools are.
    pub predefined: Predefined,
    /// The folder of installed models.
    pub models: PathBuf,
    /// How new tools are created and verified.
    pub workshop: Workshop,
    /// Apps that were made for the official daemon.
    pub apps: Apps,
    /// Whether the robot is a member of a fleet, and the server an operator of it.
    pub fleet: Fleet,
    /// How the program is replaced by a newer one.
    pub update: Update,
    /// The program that runs tools.
    pub tool_host: ToolHost,
    /// How text is understood and tools are written.
    pub nlu: Nlu,
    /// The language model, for [`Nlu::Llm`].
    pub language_model: LanguageModel,
    /// The language model on this computer, for [`Nlu::Local`].
    pub local_model: LocalModel,
    /// The agents and their limits.
    pub agents: Agents,
    /// Stored conversations.
    pub memory: Memory,
    /// The camera in the head.
    pub camera: Camera,
    /// Object detection and vision models.
    pub vision: Vision,
    /// Speech recognition and speech output.
    pub voice: Voice,
    /// The journal, the traces and the Rerun recording.
    pub recording: RecordingConfig,
    /// The log file.
    pub logs: Logs,
    /// The OpenTelemetry collector that receives spans.
    pub otlp_endpoint: Option<Address>,
    /// Old spellings in the file, in the order of their lines.
    pub old_spellings: Vec<OldSpelling>,
    /// Where everything is, and why.
    pub locations: Vec<Location>,
    /// Configuration files that exist, but belong to others and were not read.
    pub untrusted: Vec<PathBuf>,
}

/// Stored conversations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The session file.
    pub file: PathBuf,
    /// Sessions unused for this many days are deleted; never if zero.
    pub retention_days: u32,
}

/// Limits of the safety envelope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The base that turns the body.
    pub body_rotation: Group,
    /// The six legs. Their ranges are those of the servos, minus a margin.
    pub stewart: Stewart,
    /// Both antennas.
    pub antennas: Group,
    /// The head as a whole.
    pub head: Head,
    /// Factor on velocity and acceleration for tools that no person has approved.
    pub unapproved_tool_scale: Scale,
}

/// Limits of motors with a symmetric range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Largest angle to either side.
    pub max_angle: Radians,
    /// Radians per second.
    pub max_velocity: Radians,
    /// Radians per second squared.
    pub max_acceleration: Radians,
    /// Radians per second cubed.
    pub max_jerk: Radians,
}

/// Limits of the six legs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stewart {
    /// Margin at each end of the range of each servo.
    pub soft_limit_margin: Radians,
    /// Radians per second.
    pub max_velocity: Radians,
    /// Radians per second squared.
    pub max_acceleration: Radians,
    /// Radians per second cubed.
    pub max_jerk: Radians,
}

/// Limits of the head, by forward kinematics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// Largest pitch to either side.
    pub max_pitch: Radians,
    /// Largest roll to either side.
    pub max_roll: Radians,
    /// Largest yaw relative to the body, to either side.
    pub max_relative_yaw: Radians,
    /// Smallest singularity margin of the legs: 1 is the neutral pose, at 0 they no longer hold the head.
    pub min_singularity_margin: f64,
}

/// The serial line to the servos.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bus {
    /// Bits per second.
    pub baud: u32,
    /// Smallest supply voltage of each motor at start, volts.
    pub min_voltage_v: f64,
    /// Bus watchdog timeout; `None` disables it.
    pub watchdog: Option<Duration>,
    /// Time limit for the reply of one servo.
    pub reply_timeout: Duration,
}

/// How new tools are created and verified.
#[derive(Clone, Debug, PartialEq)]
pub struct Workshop {
    /// How many times the author may repair a rejected draft.
    pub max_repair_attempts: u32,
    /// The file of the private key that signs exported bundles.
    pub signing_key: PathBuf,
    /// Public keys whose bundles need no approval.
    pub trusted_signers: Vec<PublicKey>,
    /// Resource limits for one run of a tool.
    pub budget: Budget,
}

/// How the program is replaced by a newer one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The public key that signs updates (minisign, Base64); without one, all are refused.
    pub public_key: Option<String>,
    /// The folder of the versions of the program.
    pub directory: PathBuf,
}

/// Resource limits for one run of a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Robot time.
    pub robot_time: Duration,
    /// Limits that the kernel and the supervisor enforce on the guest.
    pub guest: minismith_protocol::Limits,
}

/// The program that runs tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolHost {
    /// The interpreter whose packages tools may import.
    pub python: PathBuf,
    /// The sandbox mechanisms that must be active.
    pub sandbox_requirements: Bar,
}

impl Config {
    /// Reads `path`. Without a path, reads the configuration file that [`Layout`] finds, or uses the built-in values.
    ///
    /// # Errors
    /// A [`ConfigError`] that names the file, the line, the key and the allowed values.
    pub fn load(path: Option<&Path>) -> Result<Config, ConfigError> {
        Config::load_in(Environment::of_this_process(), path)
    }

    /// Does what [`load`](Self::load) does, in another environment.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_in(environment: Environment, path: Option<&Path>) -> Result<Config, ConfigError> {
        let layout = Layout::find(environment, path);
        let Some(path) = layout.configuration().path.clone() else {
            return resolve(&File::default(), BUILT_IN_NAME, Path::new(""), &layout);
        };
        let name = path.display().to_string();
        let bytes = read(&path)
            .map_err(|error| ConfigError::Unreadable { file: name.clone(), reason: error.to_string() })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let config = read_own(&name, &bytes, folder, &layout)?;
        Ok(Config { source: Some(path), ..config })
    }

    /// Returns the configuration with another value of `nlu`, as the command line asks for it.
    ///
    /// # Errors
    /// If this needs an endpoint and none is configured.
    pub fn with_nlu(self, nlu: Nlu) -> Result<Config, ConfigError> {
        let config = Config { nlu, ..self };
        let name = config.source.as_ref().map_or(BUILT_IN_NAME.to_owned(), |path| path.display().to_string());
        has_endpoint(&config, &name)?;
        Ok(config)
    }

    /// Returns the values built into the program. Relative paths start at the current folder, and only the predefined tools
    /// there count.
    ///
    /// # Errors
    /// Never in a program that passed its tests.
    pub fn built_in() -> Result<Config, ConfigError> {
        let folder = Path::new("");
        let layout = Layout::of_project(Environment::of_this_process(), folder);
        let config = resolve(&File::default(), BUILT_IN_NAME, folder, &layout)?;
        Ok(Config { predefined: Predefined::InTools, ..config })
    }
}

/// Reads at most one byte more than [`MAX_FILE_BYTES`], so that the caller notices a larger file.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a user's file. Old spellings are accepted.
fn read_own(name: &str, bytes: &[u8], folder: &Path, layout: &Layout) -> Result<Config, ConfigError> {
    let (text, old_spellings) = modernize(name, text_of(name, bytes)?)?;
    let config = resolve(&parse(name, &text)?, name, folder, layout)?;
    Ok(Config { old_spellings, ..config })
}

/// Parses the keys of a file and checks each value.
fn parse(name: &str, text: &str) -> Result<File, ConfigError> {
    serde_yaml::from_str(text).map_err(|error| error::explain(name, &error))
}

/// Returns the text of a file, if it is small enough and not empty.
fn text_of<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str, ConfigError> {
    let file = name.to_owned();
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ConfigError::TooLong { file, limit: MAX_FILE_BYTES });
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = bytes.iter().take(error.valid_up_to());
            return Err(ConfigError::NotText {
                file,
                line: 1 + before.filter(|byte| **byte == b'\n').count(),
            });
        }
    };
    if text.trim().is_empty() {
        return Err(ConfigError::Empty { file });
    }
    Ok(text)
}

#[cfg(test)]
mod tests;

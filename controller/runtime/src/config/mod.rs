//! The configuration: read once from `config.yaml`, checked completely, and from then on only typed values.
//!
//! Reading order: [`Config`] and its sections, `file` (the keys as written), `choice` and `quantity` (what each value
//! may be), `signing` (keys and a secret), `language_model` (endpoints and a key), `logs`, `resolve` (from keys to meaning), `error` (what is said when one is not). Degrees and milliseconds end here: inside, angles are [`Radians`]
//! and times are [`Duration`]. The file at the root of the project is built into the program; what a person's own
//! file leaves out has its value from there.

mod agents;
mod bar;
mod camera;
mod choice;
mod error;
mod file;
mod kept;
mod language_model;
mod logs;
mod quantity;
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
pub use choice::{Brain, NotAllowed, RobotChoice};
pub use error::ConfigError;
pub use kept::{Kept, Live};
pub use language_model::{Endpoint, Key, KeyName, LanguageModel, NoKey};
pub use logs::{Levels, Logs};
pub use quantity::{Rate, Scale};
pub use serve::{HostName, Origin, Peers, Serve};
pub use signing::{NoSecret, PublicKey, SigningSecret, bytes_of};
pub use voice::{Call, Engine, Service, Voice};

use crate::net::Address;
use file::File;
use resolve::resolve;

/// The file at the root of the project.
const BUILT_IN: &str = include_str!("../../../../config.yaml");

/// How the built-in file is called in messages.
const BUILT_IN_NAME: &str = "built-in config.yaml";

/// The most that is read of a file, bytes.
const LONGEST: usize = 32 << 10;

/// The whole configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The file it was read from; none when only built-in values are used.
    pub source: Option<PathBuf>,
    /// Which body moves.
    pub robot: RobotChoice,
    /// Beats of the pulse per second.
    pub rate: Rate,
    /// What the safety envelope lets through.
    pub limits: Limits,
    /// The serial line to the servos.
    pub bus: Bus,
    /// The HTTP server.
    pub serve: Serve,
    /// The folder with `predefined` and `generated` tools inside.
    pub tools: PathBuf,
    /// The folder of installed models.
    pub models: PathBuf,
    /// How new tools are made and proved.
    pub workshop: Workshop,
    /// The program that runs tools.
    pub tool_host: ToolHost,
    /// Who understands text and writes tools.
    pub brain: Brain,
    /// Where and how a language model is asked, for the brain that uses one.
    pub language_model: LanguageModel,
    /// The agents, and how far they may go.
    pub agents: Agents,
    /// What is remembered of conversations.
    pub memory: Memory,
    /// The camera in the head.
    pub camera: Camera,
    /// Who is shown pictures, and how they are searched.
    pub vision: Vision,
    /// Hearing and speaking.
    pub voice: Voice,
    /// What is kept of all that happens.
    pub kept: Kept,
    /// The log besides standard error.
    pub logs: Logs,
    /// Who is told of spans, if anybody is.
    pub collector: Option<Address>,
}

/// What is remembered of conversations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The file of sessions.
    pub file: PathBuf,
    /// After so many days without use a session is forgotten; never when zero.
    pub keep_days: u32,
}

/// What the safety envelope lets through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The base that turns the body.
    pub body_rotation: Group,
    /// The six legs; their ranges are the servos' own, less a margin.
    pub stewart: Stewart,
    /// Both antennas.
    pub antennas: Group,
    /// The head as a whole.
    pub head: Head,
    /// The factor for speed and acceleration of tools that are not yet trusted.
    pub untrusted_scale: Scale,
}

/// Limits of motors with a symmetric range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Largest angle to either side.
    pub range: Radians,
    /// Radians per second.
    pub speed: Radians,
    /// Radians per second squared.
    pub acceleration: Radians,
    /// Radians per second cubed.
    pub jerk: Radians,
}

/// Limits of the six legs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stewart {
    /// Kept free at each end of each servo's own range.
    pub margin: Radians,
    /// Radians per second.
    pub speed: Radians,
    /// Radians per second squared.
    pub acceleration: Radians,
    /// Radians per second cubed.
    pub jerk: Radians,
}

/// Limits of the head, by forward kinematics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// Largest pitch to either side.
    pub pitch: Radians,
    /// Largest roll to either side.
    pub roll: Radians,
    /// Largest yaw against the body to either side.
    pub yaw_from_body: Radians,
    /// Least steadiness of the legs: 1 at rest, 0 where they no longer hold the head.
    pub least_steadiness: f64,
}

/// The serial line to the servos.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bus {
    /// Bits per second.
    pub baud: u32,
    /// Least supply of each motor at start, volts.
    pub least_volts: f64,
    /// The servos' own watchdog; none is off.
    pub watchdog: Option<Duration>,
    /// How long one servo may take to answer.
    pub reply_timeout: Duration,
}

/// How new tools are made and proved.
#[derive(Clone, Debug, PartialEq)]
pub struct Workshop {
    /// How often a refused draft may be mended.
    pub max_iterations: u32,
    /// The file of the secret that signs exported bundles.
    pub signing_key: PathBuf,
    /// Whose bundles need no approval for being foreign.
    pub trusted_signers: Vec<PublicKey>,
    /// What one run of a tool may use.
    pub budget: Budget,
}

/// What one run of a tool may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Time on the stage's clock.
    pub simulated: Duration,
    /// What the kernel and the supervisor enforce in the guest.
    pub guest: minismith_wire::Limits,
}

/// The program that runs tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolHost {
    /// The interpreter whose packages tools may import.
    pub python: PathBuf,
    /// What the machine may lack of the cage.
    pub bar: Bar,
}

impl Config {
    /// Reads `path`; without one, `config.yaml` in the current folder if it is there, else the built-in values.
    ///
    /// # Errors
    /// A [`ConfigError`] that names the file, the line, the key and what is allowed.
    pub fn load(path: Option<&Path>) -> Result<Config, ConfigError> {
        let own = Path::new("config.yaml");
        let (path, bytes) = match path {
            Some(path) => (path, read(path)),
            None => match read(own) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Config::built_in(),
                bytes => (own, bytes),
            },
        };
        let name = path.display().to_string();
        let bytes = bytes
            .map_err(|error| ConfigError::Unreadable { file: name.clone(), reason: error.to_string() })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let config = resolve(&parse(&name, &bytes)?, &name, folder)?;
        Ok(Config { source: Some(path.to_owned()), ..config })
    }

    /// The values built into the program; relative paths start at the current folder.
    ///
    /// # Errors
    /// Never in a program that passed its tests.
    pub fn built_in() -> Result<Config, ConfigError> {
        resolve(&File::default(), BUILT_IN_NAME, Path::new(""))
    }
}

/// At most one byte over [`LONGEST`], so that the caller sees that there is more.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The keys of a file, each value checked.
fn parse(name: &str, bytes: &[u8]) -> Result<File, ConfigError> {
    let file = name.to_owned();
    if bytes.len() > LONGEST {
        return Err(ConfigError::TooLong { file, limit: LONGEST });
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
    serde_yaml::from_str(text).map_err(|error| error::explain(name, &error))
}

#[cfg(test)]
mod tests;

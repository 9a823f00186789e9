//! Text values of the file: the robot, language understanding, sandbox mechanisms and paths.

use std::path::PathBuf;
use std::str::FromStr;

use minismith_protocol::zygote::OPTIONAL_MECHANISMS;

use super::bar::{Lowerable, NotLowerable};

/// A value that is not allowed for its key. The message lists the allowed values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not allowed; allowed: {allowed}{}", .suggestion.as_ref().map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default())]
pub struct InvalidValue {
    given: String,
    allowed: String,
    suggestion: Option<String>,
}

impl InvalidValue {
    /// Creates the error without a suggestion.
    pub(super) fn new(given: &str, allowed: impl Into<String>) -> Self {
        InvalidValue { given: quoted(given), allowed: allowed.into(), suggestion: None }
    }

    /// Adds a suggestion.
    pub(super) fn meaning(self, meant: Option<impl Into<String>>) -> Self {
        InvalidValue { suggestion: meant.map(Into::into), ..self }
    }
}

/// Returns user input for a message: short, on one line, without control characters.
pub(super) fn quoted(text: &str) -> String {
    const MAX_QUOTED_CHARS: usize = 60;
    let mut short = String::new();
    for character in text.chars().take(MAX_QUOTED_CHARS) {
        if character.is_control() {
            short.extend(character.escape_default());
        } else {
            short.push(character);
        }
    }
    if text.chars().nth(MAX_QUOTED_CHARS).is_some() {
        short.push_str("...");
    }
    short
}

/// Returns the candidate most similar to `given`, if it is similar enough to be a typing error.
pub(super) fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A longer text is not a typing error, and comparing it takes time.
    if given.chars().nth(40).is_some() {
        return None;
    }
    let given = given.trim().to_lowercase().replace('-', "_");
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&given, &candidate.replace('-', "_")), candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}

/// Parses one of a closed set of values.
pub(super) fn one_of<T: Copy>(given: &str, words: &[(&'static str, T)]) -> Result<T, InvalidValue> {
    let names = || words.iter().map(|(name, _)| *name);
    words.iter().find(|(name, _)| *name == given).map(|(_, value)| *value).ok_or_else(|| {
        InvalidValue::new(given, names().collect::<Vec<_>>().join(", ")).meaning(nearest(given, names()))
    })
}

/// The robot to control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RobotChoice {
    /// The simulated robot inside this program.
    Mock,
    /// The simulated robot as emulated servos behind a pseudo-terminal.
    MockBus,
    /// A real robot behind this serial device.
    Serial(PathBuf),
}

impl FromStr for RobotChoice {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "mock" => Ok(RobotChoice::Mock),
            "mock-bus" => Ok(RobotChoice::MockBus),
            path if path.contains('/') => Ok(RobotChoice::Serial(PathBuf::from(path))),
            other => {
                let meant = nearest(other, ["mock", "mock-bus"]).map(str::to_owned);
                let meant = meant.or_else(|| other.starts_with("tty").then(|| format!("/dev/{other}")));
                Err(InvalidValue::new(
                    other,
                    "mock, mock-bus, or the path of a serial device such as /dev/ttyACM0",
                )
                .meaning(meant))
            }
        }
    }
}

/// How text is understood and tools are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nlu {
    /// The built-in command grammar and motion composer.
    Grammar,
    /// A language model behind an endpoint with the OpenAI API.
    Llm,
    /// A language model on this computer, in a process that this program starts.
    Local,
}

impl FromStr for Nlu {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        one_of(text, &[("grammar", Nlu::Grammar), ("llm", Nlu::Llm), ("local", Nlu::Local)])
    }
}

/// A boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flag(pub(super) bool);

impl FromStr for Flag {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        one_of(text, &[("true", Flag(true)), ("false", Flag(false))])
    }
}

/// A sandbox mechanism that may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OptionalMechanismName(pub(super) Lowerable);

impl FromStr for OptionalMechanismName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        text.parse().map(OptionalMechanismName).map_err(|why| {
            let known = OPTIONAL_MECHANISMS.join(", ");
            match why {
                NotLowerable::Unknown => {
                    InvalidValue::new(text, known).meaning(nearest(text, OPTIONAL_MECHANISMS))
                }
                NotLowerable::Needed => {
                    InvalidValue::new(text, format!("{known} (no tool runs without {text}, on any machine)"))
                }
            }
        })
    }
}

/// A path that is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SomePath(pub(super) PathBuf);

impl FromStr for SomePath {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        if text.is_empty() || text.contains('\0') {
            return Err(InvalidValue::new(text, "a path"));
        }
        Ok(SomePath(PathBuf::from(text)))
    }
}

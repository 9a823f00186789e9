//! The values of the file that are words: which robot, which brain, which cage, which address.

use std::path::PathBuf;
use std::str::FromStr;

use minismith_wire::zygote::LOWERABLE;

use super::bar::{Lowerable, NotLowerable};

/// A value that is not allowed where it stands; the message says what is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not allowed; allowed: {allowed}{}", .meant.as_ref().map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default())]
pub struct NotAllowed {
    given: String,
    allowed: String,
    meant: Option<String>,
}

impl NotAllowed {
    /// A value that nothing comes near to.
    pub(super) fn new(given: &str, allowed: impl Into<String>) -> Self {
        NotAllowed { given: quoted(given), allowed: allowed.into(), meant: None }
    }

    /// The same, with what was probably meant.
    pub(super) fn meaning(self, meant: Option<impl Into<String>>) -> Self {
        NotAllowed { meant: meant.map(Into::into), ..self }
    }
}

/// What a person wrote, fit to stand in a message: short, on one line, without control characters.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short = String::new();
    for character in text.chars().take(LONGEST) {
        if character.is_control() {
            short.extend(character.escape_default());
        } else {
            short.push(character);
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        short.push_str("...");
    }
    short
}

/// The candidate that is so near to `given` that it was probably meant.
pub(super) fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A longer text is no typing error; comparing it would only cost time.
    if given.chars().nth(40).is_some() {
        return None;
    }
    let given = given.trim().to_lowercase().replace('-', "_");
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&given, &candidate.replace('-', "_")), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}

/// One of a closed set of words.
pub(super) fn one_of<T: Copy>(given: &str, words: &[(&'static str, T)]) -> Result<T, NotAllowed> {
    let names = || words.iter().map(|(name, _)| *name);
    words.iter().find(|(name, _)| *name == given).map(|(_, value)| *value).ok_or_else(|| {
        NotAllowed::new(given, names().collect::<Vec<_>>().join(", ")).meaning(nearest(given, names()))
    })
}

/// Which body moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RobotChoice {
    /// The simulated body inside this program.
    Mock,
    /// The simulated body as servo firmware behind a pseudo-terminal.
    MockBus,
    /// A real robot behind this serial device.
    Serial(PathBuf),
}

impl FromStr for RobotChoice {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        match text {
            "mock" => Ok(RobotChoice::Mock),
            "mock-bus" => Ok(RobotChoice::MockBus),
            path if path.contains('/') => Ok(RobotChoice::Serial(PathBuf::from(path))),
            other => {
                let meant = nearest(other, ["mock", "mock-bus"]).map(str::to_owned);
                let meant = meant.or_else(|| other.starts_with("tty").then(|| format!("/dev/{other}")));
                Err(NotAllowed::new(
                    other,
                    "mock, mock-bus, or the path of a serial device such as /dev/ttyACM0",
                )
                .meaning(meant))
            }
        }
    }
}

/// Who understands text and writes tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brain {
    /// The built-in grammar and composer.
    Offline,
    /// A language model, behind an endpoint that speaks as OpenAI's does.
    Openai,
}

impl FromStr for Brain {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        one_of(text, &[("offline", Brain::Offline), ("openai", Brain::Openai)])
    }
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flag(pub(super) bool);

impl FromStr for Flag {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        one_of(text, &[("true", Flag(true)), ("false", Flag(false))])
    }
}

/// A mechanism of the cage that the machine may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MayLack(pub(super) Lowerable);

impl FromStr for MayLack {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        text.parse().map(MayLack).map_err(|why| {
            let known = LOWERABLE.join(", ");
            match why {
                NotLowerable::Unknown => NotAllowed::new(text, known).meaning(nearest(text, LOWERABLE)),
                NotLowerable::Needed => {
                    NotAllowed::new(text, format!("{known} (no tool runs without {text}, on any machine)"))
                }
            }
        })
    }
}

/// A path that is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SomePath(pub(super) PathBuf);

impl FromStr for SomePath {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        if text.is_empty() || text.contains('\0') {
            return Err(NotAllowed::new(text, "a path"));
        }
        Ok(SomePath(PathBuf::from(text)))
    }
}

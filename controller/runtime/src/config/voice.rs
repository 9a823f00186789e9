//! The key `voice`: where sound comes from and goes to, when the robot listens, and who understands and speaks.

use std::str::FromStr;
use std::time::Duration;

use super::choice::{NotAllowed, nearest, one_of};
use super::language_model::Endpoint;
use crate::role::Role;

/// Hearing and speaking.
#[derive(Clone, Debug, PartialEq)]
pub struct Voice {
    /// The microphone, as ALSA calls it; none listens to nobody.
    pub microphone: Option<String>,
    /// The speaker, likewise.
    pub speaker: Option<String>,
    /// Names by which the robot is called, besides "reachy".
    pub names: Vec<String>,
    /// Words that stop it, besides "stop", "halt" and "freeze", in small letters.
    pub stop_words: Vec<String>,
    /// When it has to be called.
    pub call: Call,
    /// What whoever speaks to a server's own microphone may have done.
    pub role: Role,
    /// For how long it listens without being called again.
    pub attentive: Duration,
    /// Whether people are heard while it speaks.
    pub barge_in: bool,
    /// Whether somebody who speaks over it also ends its motion.
    pub cuts_motion: bool,
    /// What was heard less surely than this is asked back, from 0 to 1.
    pub unsure_below: f64,
    /// How loud it speaks, from 0 to 1.
    pub volume: f64,
    /// How much the head moves with speech, from 0 to 1.
    pub sway: f64,
    /// Whether the antennas show that it hears somebody, and that it thinks.
    pub antennas: bool,
    /// The language of its own voice, as espeak-ng calls it.
    pub language: String,
    /// Its own voice.
    pub engine: Engine,
    /// Who writes down what was said, where it is not this machine.
    pub transcription: Option<Service>,
    /// Who speaks, where it is not this machine.
    pub speech: Option<Service>,
}

/// A service for speech.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Where it is, its model and its key.
    pub endpoint: Endpoint,
    /// The voice, where it speaks.
    pub voice: String,
}

/// When the robot has to be called by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// At the beginning of every sentence.
    Always,
    /// At first, and again when nothing was said for a while.
    First,
    /// Never: all that is said is for the robot.
    Never,
}

impl FromStr for Call {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        match text {
            "always" => Ok(Call::Always),
            "first" => Ok(Call::First),
            "never" => Ok(Call::Never),
            other => Err(NotAllowed::new(other, "always, first or never")
                .meaning(nearest(other, ["always", "first", "never"]))),
        }
    }
}

/// The role of whoever speaks to the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpokenRole(pub(super) Role);

impl FromStr for SpokenRole {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        one_of(text, &Role::ALL.map(|role| (role.name(), SpokenRole(role))))
    }
}

/// The robot's own voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A small network, for English.
    Hibari,
    /// espeak-ng by itself, for every language that it knows.
    Espeak,
}

impl FromStr for Engine {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        match text {
            "hibari" => Ok(Engine::Hibari),
            "espeak" => Ok(Engine::Espeak),
            other => {
                Err(NotAllowed::new(other, "hibari or espeak").meaning(nearest(other, ["hibari", "espeak"])))
            }
        }
    }
}

/// The name of a device of ALSA, or `none`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Device(pub(super) Option<String>);

impl FromStr for Device {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let is_name = |text: &str| {
            !text.is_empty() && text.len() <= 200 && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
        };
        match text {
            "none" => Ok(Device(None)),
            name if is_name(name) => Ok(Device(Some(name.to_owned()))),
            other => Err(NotAllowed::new(other, "none, or a device's name such as default or plughw:1,0")),
        }
    }
}

/// A word of a language or of a voice: letters, digits and `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VoiceWord(pub(super) String);

impl FromStr for VoiceWord {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        // It stands on the command line of a program.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+');
        let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        if begins && text.len() <= 40 && text.chars().all(is_plain) {
            return Ok(VoiceWord(text.to_owned()));
        }
        Err(NotAllowed::new(text, "letters, digits, `-`, `_` and `+`, such as en-us"))
    }
}

/// A name by which the robot is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallName(pub(super) String);

impl FromStr for CallName {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let words = text.split_whitespace().count();
        let is_plain = text.chars().all(|c| c.is_alphabetic() || c == ' ');
        if (1..=2).contains(&words) && is_plain && text.len() <= 60 {
            return Ok(CallName(text.to_lowercase()));
        }
        Err(NotAllowed::new(text, "one or two words of letters, such as marvin"))
    }
}

/// A word that stops the robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StopWord(pub(super) String);

impl FromStr for StopWord {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        if (2..=40).contains(&text.len()) && text.chars().all(char::is_alphabetic) {
            return Ok(StopWord(text.to_lowercase()));
        }
        Err(NotAllowed::new(text, "one word of two letters or more, such as basta"))
    }
}

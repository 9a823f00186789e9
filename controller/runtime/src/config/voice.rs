//! The section `voice`: audio devices, wake words, speech recognition and speech output.

use std::str::FromStr;
use std::time::Duration;

use super::choice::{InvalidValue, nearest, one_of};
use super::language_model::Endpoint;
use crate::role::Role;

/// Speech recognition and speech output.
#[derive(Clone, Debug, PartialEq)]
pub struct Voice {
    /// The microphone, as ALSA names it.
    pub microphone: Option<String>,
    /// The speaker, as ALSA names it.
    pub speaker: Option<String>,
    /// Wake words besides "reachy".
    pub wake_words: Vec<String>,
    /// Stop words besides "stop", "halt" and "freeze", in lower case.
    pub stop_words: Vec<String>,
    /// When a wake word is required.
    pub wake_word_mode: WakeWordMode,
    /// The role of requests through the microphone of a server.
    pub role: Role,
    /// How long the robot listens without another wake word.
    pub attention_timeout: Duration,
    /// Whether the robot listens during speech output.
    pub barge_in: bool,
    /// Whether a person who speaks during speech output also stops the motion.
    pub barge_in_stops_motion: bool,
    /// Below this recognition confidence the robot asks for confirmation, from 0 to 1.
    pub min_confidence: f64,
    /// Volume of speech output, from 0 to 1.
    pub volume: f64,
    /// Amplitude of head motion during speech output, from 0 to 1.
    pub head_wobble: f64,
    /// Whether the antennas show that the robot is listening or computing an answer.
    pub antenna_cues: bool,
    /// Language of speech output, as espeak-ng names it.
    pub language: String,
    /// The built-in speech synthesizer.
    pub tts_engine: TtsEngine,
    /// Remote speech recognition.
    pub transcription: Option<Service>,
    /// Remote speech output.
    pub speech: Option<Service>,
}

/// A service for speech.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// URL, model and key.
    pub endpoint: Endpoint,
    /// The voice, for speech output.
    pub voice: String,
}

/// When a wake word is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeWordMode {
    /// Before every sentence.
    Always,
    /// Once, and again after a silence.
    Once,
    /// Never: every sentence is a request.
    Never,
}

impl FromStr for WakeWordMode {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "always" => Ok(WakeWordMode::Always),
            "once" => Ok(WakeWordMode::Once),
            "never" => Ok(WakeWordMode::Never),
            other => Err(InvalidValue::new(other, "always, once or never")
                .meaning(nearest(other, ["always", "once", "never"]))),
        }
    }
}

/// The role of requests by voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpokenRole(pub(super) Role);

impl FromStr for SpokenRole {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        one_of(text, &Role::ALL.map(|role| (role.name(), SpokenRole(role))))
    }
}

/// The built-in speech synthesizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TtsEngine {
    /// A small neural network for English.
    Hibari,
    /// espeak-ng, for every language that it supports.
    Espeak,
}

impl FromStr for TtsEngine {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "hibari" => Ok(TtsEngine::Hibari),
            "espeak" => Ok(TtsEngine::Espeak),
            other => {
                Err(InvalidValue::new(other, "hibari or espeak")
                    .meaning(nearest(other, ["hibari", "espeak"])))
            }
        }
    }
}

/// The name of an ALSA device, or `none`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Device(pub(super) Option<String>);

impl FromStr for Device {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let is_name = |text: &str| {
            !text.is_empty() && text.len() <= 200 && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
        };
        match text {
            "none" => Ok(Device(None)),
            name if is_name(name) => Ok(Device(Some(name.to_owned()))),
            other => Err(InvalidValue::new(other, "none, or a device's name such as default or plughw:1,0")),
        }
    }
}

/// The name of a language or a voice: letters, digits and `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VoiceWord(pub(super) String);

impl FromStr for VoiceWord {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        // The name becomes an argument of espeak-ng.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+');
        let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        if begins && text.len() <= 40 && text.chars().all(is_plain) {
            return Ok(VoiceWord(text.to_owned()));
        }
        Err(InvalidValue::new(text, "letters, digits, `-`, `_` and `+`, such as en-us"))
    }
}

/// A wake word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WakeWord(pub(super) String);

impl FromStr for WakeWord {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let words = text.split_whitespace().count();
        let is_plain = text.chars().all(|c| c.is_alphabetic() || c == ' ');
        if (1..=2).contains(&words) && is_plain && text.len() <= 60 {
            return Ok(WakeWord(text.to_lowercase()));
        }
        Err(InvalidValue::new(text, "one or two words of letters, such as marvin"))
    }
}

/// A stop word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StopWord(pub(super) String);

impl FromStr for StopWord {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        if (2..=40).contains(&text.len()) && text.chars().all(char::is_alphabetic) {
            return Ok(StopWord(text.to_lowercase()));
        }
        Err(InvalidValue::new(text, "one word of two letters or more, such as basta"))
    }
}

//! What the robot hears and says: speech found in sound, words found in speech, and speech made of words. Nothing here moves
//! a motor, asks the network or starts a process; only [`devices`] opens microphones and speakers.
//!
//! Reading order: [`audio`] (samples and files), [`vad`] (is this speech?), [`endpoint`] (when it began and ended),
//! [`transcriber`] and [`moonshine`] (its words), [`commands`] (wake phrase, stop words, slips of the model), [`echo`] and
//! [`ear`] (all of that over time), [`hibari`] (speech of words), [`mouth`] (sentence by sentence), [`devices`], [`states`].

pub mod audio;
pub mod commands;
pub mod devices;
pub mod ear;
pub mod echo;
pub mod endpoint;
pub mod hibari;
pub mod moonshine;
pub mod mouth;
pub mod states;
pub mod transcriber;
pub mod vad;

use minismith_senses::models::NoModel;

/// The rate at which the robot hears, samples a second.
pub const HEARD_RATE: u32 = 16_000;

/// What keeps the voice from its work. The texts are for a person.
#[derive(Debug, thiserror::Error)]
pub enum VoiceFault {
    /// A model is not installed or can't be used.
    #[error(transparent)]
    Model(#[from] NoModel),
    /// A model, or the program behind a voice, failed on what it was given.
    #[error("{what} failed: {reason}")]
    Failed {
        /// What was attempted, as the beginning of a sentence.
        what: &'static str,
        /// What was said about it.
        reason: String,
    },
}

impl VoiceFault {
    /// One that says what was attempted and what came of it.
    pub fn failed(what: &'static str, reason: impl ToString) -> Self {
        VoiceFault::Failed { what, reason: reason.to_string() }
    }
}

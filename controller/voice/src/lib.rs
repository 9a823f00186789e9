//! Speech: detection, recognition, echo cancellation and synthesis. It moves no motors, accesses no network and starts no
//! processes. Only [`devices`] opens microphones and speakers.
//!
//! Reading order: [`audio`] (samples and files), [`vad`] (voice activity), [`endpoint`] (beginning and end of an utterance),
//! [`transcriber`] and [`moonshine`] (its words), [`commands`] (wake phrase, stop words, recognition errors), [`echo`] and
//! [`ear`] (all of this over time), [`hibari`] (text to speech), [`mouth`] (sentence by sentence), [`devices`], [`states`].

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

/// Sample rate of speech recognition in Hz.
pub const HEARD_RATE: u32 = 16_000;

/// Reports why speech recognition or synthesis failed. The messages are for the user.
#[derive(Debug, thiserror::Error)]
pub enum VoiceFault {
    /// A model is not installed or unusable.
    #[error(transparent)]
    Model(#[from] NoModel),
    /// A model failed, or the program behind a voice.
    #[error("{what} failed: {reason}")]
    Failed {
        /// Task that failed, as the subject of the message.
        what: &'static str,
        /// Cause.
        reason: String,
    },
}

impl VoiceFault {
    /// Creates an error from a task and a cause.
    pub fn failed(what: &'static str, reason: impl ToString) -> Self {
        VoiceFault::Failed { what, reason: reason.to_string() }
    }
}

//! Speech: detection, recognition, echo cancellation and synthesis. It moves no motors, accesses no network and starts no
//! processes. Only [`devices`] opens microphones and speakers.
//!
//! Reading order: [`audio`] (samples and files), [`beat`] (of a sound), [`vad`] (voice activity), [`endpoint`] (beginning and end of an utterance),
//! [`transcriber`] and [`moonshine`] (its words), [`commands`] (wake phrase, stop words, recognition errors), [`echo_cancellation`] and
//! [`recognizer`] (all of this over time), [`hibari`] (text to speech), [`synthesizer`] (sentence by sentence), [`devices`], [`dialog`].

pub mod audio;
pub mod beat;
pub mod commands;
pub mod devices;
pub mod dialog;
pub mod echo_cancellation;
pub mod endpoint;
pub mod hibari;
pub mod moonshine;
pub mod recognizer;
pub mod synthesizer;
pub mod transcriber;
pub mod vad;

use minismith_perception::models::ModelError;

/// Sample rate of speech recognition in Hz.
pub const HEARD_RATE: u32 = 16_000;

/// Reports why speech recognition or synthesis failed. The messages are for the user.
#[derive(Debug, thiserror::Error)]
pub enum VoiceError {
    /// A model is not installed or unusable.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A model failed, or the program behind a voice.
    #[error("{what} failed: {reason}")]
    Failed {
        /// Task that failed, as the subject of the message.
        what: &'static str,
        /// Cause.
        reason: String,
    },
}

impl VoiceError {
    /// Creates an error from a task and a cause.
    pub fn failed(what: &'static str, reason: impl ToString) -> Self {
        VoiceError::Failed { what, reason: reason.to_string() }
    }
}

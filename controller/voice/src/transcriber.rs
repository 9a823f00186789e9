//! Words out of speech, whoever finds them: a model on this machine, or a service.

use crate::VoiceFault;

/// What was understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// The words, as the model writes them, without spaces at either end.
    pub text: String,
    /// How sure the model is, from 0 to 1: the geometric mean of what it gave each piece of a word.
    pub confidence: f32,
    /// The piece that it was least sure of, from 0 to 1.
    pub least: f32,
}

/// What understands speech.
pub trait Transcriber {
    /// The words in samples of [`crate::HEARD_RATE`]; none in silence.
    ///
    /// # Errors
    /// When the model or the service fails.
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceFault>;
}

impl<T: Transcriber + ?Sized> Transcriber for Box<T> {
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceFault> {
        (**self).transcribe(samples)
    }
}

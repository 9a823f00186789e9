//! The [`Transcriber`] trait for speech recognition by a local model or a service.

use crate::VoiceError;

/// Result of free decoding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// The text as the model writes it, without spaces at either end.
    pub text: String,
    /// Confidence, 0 to 1: the geometric mean of the token probabilities.
    pub confidence: f32,
    /// Lowest token probability, 0 to 1.
    pub min_confidence: f32,
}

/// A command chosen from a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Its words in lower case. The transcriber decides whether numbers are words or digits.
    pub sentence: String,
    /// Confidence, 0 to 1: the geometric mean of the token probabilities.
    pub confidence: f32,
    /// Similarity to the free transcript, 0 to 1.
    pub alike: f32,
}

impl Choice {
    /// Returns whether the command was meant, given the free transcript of the same sound. The less similar the two are, the
    /// higher the required confidence, both absolute and relative.
    #[must_use]
    pub fn is_meant(&self, freely: &Transcript) -> bool {
        let (least, beside) = match self.alike {
            alike if alike >= 0.6 => (0.04, 0.08),
            alike if alike >= 0.25 => (0.1, 0.2),
            _ => (0.2, 0.3),
        };
        self.confidence >= f32::max(least, beside * freely.confidence)
    }
}

/// Speech recognition.
pub trait Transcriber {
    /// Transcribes samples of [`crate::HEARD_RATE`]. Silence gives an empty text.
    ///
    /// # Errors
    /// Returns an error when the model or the service fails.
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceError>;

    /// Transcribes samples, and reports partial transcripts if the implementation has any.
    ///
    /// # Errors
    /// Returns the same errors as [`transcribe`](Self::transcribe).
    fn transcribe_with_partials(
        &mut self,
        samples: &[f32],
        _so_far: &mut dyn FnMut(&Transcript),
    ) -> Result<Transcript, VoiceError> {
        self.transcribe(samples)
    }

    /// Returns the known command that the samples match best, given their free transcript, or `None` when it knows no commands.
    /// [`Choice::is_meant`] decides whether to accept it.
    ///
    /// # Errors
    /// Returns the same errors as [`transcribe`](Self::transcribe).
    fn command(&mut self, _samples: &[f32], _freely: &Transcript) -> Result<Option<Choice>, VoiceError> {
        Ok(None)
    }
}

impl<T: Transcriber + ?Sized> Transcriber for Box<T> {
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceError> {
        (**self).transcribe(samples)
    }

    fn transcribe_with_partials(
        &mut self,
        samples: &[f32],
        so_far: &mut dyn FnMut(&Transcript),
    ) -> Result<Transcript, VoiceError> {
        (**self).transcribe_with_partials(samples, so_far)
    }

    fn command(&mut self, samples: &[f32], freely: &Transcript) -> Result<Option<Choice>, VoiceError> {
        (**self).command(samples, freely)
    }
}

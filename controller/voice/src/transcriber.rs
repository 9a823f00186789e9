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

/// A command that was chosen among those that are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Its words, in small letters; numbers as whoever chose writes them.
    pub sentence: String,
    /// How sure that is, from 0 to 1: the geometric mean of what each piece of it was given.
    pub confidence: f32,
}

/// Below this a sentence was not said, whatever else was.
const LEAST: f32 = 0.1;
/// How much less sure than of what was understood freely a choice may be.
const BESIDE_FREE: f32 = 0.2;

impl Choice {
    /// Whether the sentence was meant, beside what was understood freely of the same sound.
    #[must_use]
    pub fn is_meant(&self, freely: &Transcript) -> bool {
        self.confidence >= LEAST.max(BESIDE_FREE * freely.confidence)
    }
}

/// What understands speech.
pub trait Transcriber {
    /// The words in samples of [`crate::HEARD_RATE`]; none in silence.
    ///
    /// # Errors
    /// When the model or the service fails.
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceFault>;

    /// Which of the commands that it was told of the samples are most like; none where it knows none. The caller compares how
    /// sure it is with how sure it is of what it understands freely.
    ///
    /// # Errors
    /// As [`transcribe`](Self::transcribe).
    fn command(&mut self, _samples: &[f32]) -> Result<Option<Choice>, VoiceFault> {
        Ok(None)
    }
}

impl<T: Transcriber + ?Sized> Transcriber for Box<T> {
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceFault> {
        (**self).transcribe(samples)
    }

    fn command(&mut self, samples: &[f32]) -> Result<Option<Choice>, VoiceFault> {
        (**self).command(samples)
    }
}

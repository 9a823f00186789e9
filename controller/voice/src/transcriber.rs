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
    /// How alike its words and those that were understood freely are, from 0 to 1.
    pub alike: f32,
}

impl Choice {
    /// Whether the sentence was meant, beside what was understood freely of the same sound: the less its words are like those,
    /// the surer it has to be, by itself and beside what was understood.
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

/// What understands speech.
pub trait Transcriber {
    /// The words in samples of [`crate::HEARD_RATE`]; none in silence.
    ///
    /// # Errors
    /// When the model or the service fails.
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceFault>;

    /// The same; what is written so far is told meanwhile by those who know it before the end.
    ///
    /// # Errors
    /// As [`transcribe`](Self::transcribe).
    fn transcribe_telling(
        &mut self,
        samples: &[f32],
        _so_far: &mut dyn FnMut(&Transcript),
    ) -> Result<Transcript, VoiceFault> {
        self.transcribe(samples)
    }

    /// Which of the commands that it was told of the samples are most like, beside what it understood of them freely; none
    /// where it knows none. [`Choice::is_meant`] says whether it counts.
    ///
    /// # Errors
    /// As [`transcribe`](Self::transcribe).
    fn command(&mut self, _samples: &[f32], _freely: &Transcript) -> Result<Option<Choice>, VoiceFault> {
        Ok(None)
    }
}

impl<T: Transcriber + ?Sized> Transcriber for Box<T> {
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceFault> {
        (**self).transcribe(samples)
    }

    fn transcribe_telling(
        &mut self,
        samples: &[f32],
        so_far: &mut dyn FnMut(&Transcript),
    ) -> Result<Transcript, VoiceFault> {
        (**self).transcribe_telling(samples, so_far)
    }

    fn command(&mut self, samples: &[f32], freely: &Transcript) -> Result<Option<Choice>, VoiceFault> {
        (**self).command(samples, freely)
    }
}

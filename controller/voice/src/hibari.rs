//! Text to speech with hibari, a small network with one American English voice ([`Hibari`]).
//!
//! A [`Phonemizer`] such as espeak-ng converts text to phonemes. The network predicts spectra for each 12.5 ms, and [`dsp`]
//! converts them to samples.

pub mod dsp;
pub mod phonemes;

use minismith_perception::models::{ModelError, ModelFile, Models};
use ort::session::Session;
use ort::value::TensorRef;

use crate::VoiceError;
use crate::audio::Clip;
use crate::synthesizer::TextToSpeech;

/// The model, with the voice "heart".
pub const MODEL: ModelFile = ModelFile {
    what: "text to speech",
    file: "hibari.onnx",
    sha256: "5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8",
};

/// Maximum number of phonemes per run. Longer text is split between words.
const MAX_PHONEMES: usize = 400;

/// Converts text to phonemes. This crate starts no processes, so the caller implements it.
pub trait Phonemizer {
    /// Returns the phonemes of a text without punctuation, in IPA as `espeak-ng -v en-us -q --ipa --tie=^` writes them.
    ///
    /// # Errors
    /// Returns an error when conversion fails, for example because the program is not installed.
    fn ipa(&mut self, text: &str) -> Result<String, VoiceError>;
}

impl<P: Phonemizer + ?Sized> Phonemizer for Box<P> {
    fn ipa(&mut self, text: &str) -> Result<String, VoiceError> {
        (**self).ipa(text)
    }
}

/// Text-to-speech engine. It belongs to one thread.
pub struct Hibari<P> {
    session: Session,
    phonemizer: P,
    synthesis: dsp::Synthesis,
    speaking_rate: f32,
}

impl<P: Phonemizer> Hibari<P> {
    /// Opens the model.
    ///
    /// # Errors
    /// Returns an error when the model is not installed or unusable.
    pub fn open(models: &Models, phonemizer: P) -> Result<Self, ModelError> {
        Ok(Hibari {
            session: models.session(&MODEL)?,
            phonemizer,
            synthesis: dsp::Synthesis::new(),
            speaking_rate: 1.0,
        })
    }

    /// Sets the speaking rate: 0.5 is slow, 2 is fast.
    #[must_use]
    pub fn with_pace(self, speaking_rate: f32) -> Self {
        Hibari { speaking_rate: speaking_rate.clamp(0.5, 2.0), ..self }
    }

    /// Converts a text to the model's phonemes, split into chunks that the model can process.
    ///
    /// # Errors
    /// Returns an error when the phonemizer fails.
    pub fn sounds(&mut self, text: &str) -> Result<Vec<String>, VoiceError> {
        let mut sounds = String::new();
        for (clause, mark) in phonemes::clauses(text) {
            let ipa = self.phonemizer.ipa(&phonemes::respelt(&clause))?;
            let said = phonemes::of_ipa(&ipa);
            if said.is_empty() {
                continue;
            }
            if !sounds.is_empty() {
                sounds.push(' ');
            }
            sounds.push_str(&said);
            sounds.push(mark);
        }
        Ok(phonemes::pieces(&sounds, MAX_PHONEMES))
    }

    fn speak(&mut self, piece: &str) -> Result<Vec<f32>, VoiceError> {
        let failed = |error: ort::Error| VoiceError::failed(MODEL.what, error);
        let ids = phonemes::ids(piece);
        let speaking_rate = [self.speaking_rate];
        let outputs = self
            .session
            .run(ort::inputs![
                "ids" => TensorRef::from_array_view(([1, ids.len()], ids.as_slice())).map_err(failed)?,
                "speed" => TensorRef::from_array_view(([1_usize], speaking_rate.as_slice())).map_err(failed)?,
            ])
            .map_err(failed)?;
        let numbers = |name: &'static str| {
            let value = outputs
                .get(name)
                .ok_or_else(|| VoiceError::failed(MODEL.what, format!("the model has no output `{name}`")))?;
            Ok::<_, VoiceError>(value.try_extract_tensor::<f32>().map_err(failed)?.1)
        };
        let spectra = dsp::Spectra {
            harmonics: numbers("lh")?,
            turn: numbers("theta")?,
            noise: numbers("ln")?,
            rest: numbers("lr")?,
            phase: numbers("phi")?,
            pitch: numbers("f0")?,
        };
        self.synthesis.sound(&spectra).map_err(|reason| VoiceError::failed(MODEL.what, reason))
    }
}

impl<P: Phonemizer> TextToSpeech for Hibari<P> {
    fn rate(&self) -> u32 {
        dsp::RATE
    }

    fn synthesize(&mut self, sentence: &str) -> Result<Clip, VoiceError> {
        let mut samples = Vec::new();
        for piece in self.sounds(sentence)? {
            samples.extend(self.speak(&piece)?);
        }
        Ok(Clip::new(dsp::RATE, samples))
    }
}

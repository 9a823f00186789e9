//! Voice activity detection with Silero's network, on frames of 32 ms ([`Vad`]).

use minismith_perception::models::{ModelError, ModelFile, Models};
use ort::session::Session;
use ort::value::TensorRef;

use crate::VoiceError;
use crate::audio::sane;

/// The model: Silero VAD for 16 kHz.
pub const MODEL: ModelFile = ModelFile {
    what: "voice activity detection",
    file: "silero_vad_16k.onnx",
    sha256: "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49",
};

/// Samples per frame: 32 ms.
pub const FRAME: usize = 512;

/// Samples of the previous frame that precede the input.
const CONTEXT: usize = 64;

/// Size of the model's recurrent state.
const STATE_SIZE: usize = 2 * 128;

/// Voice activity detector.
pub trait SpeechDetector {
    /// Returns the probability that a frame of [`FRAME`] samples is speech, 0 to 1.
    ///
    /// # Errors
    /// Returns an error when the model fails.
    fn probability(&mut self, frame: &[f32]) -> Result<f32, VoiceError>;

    /// Clears the recurrent state.
    fn reset(&mut self);
}

/// Silero's model. It belongs to one thread.
pub struct Vad {
    session: Session,
    /// End of the previous frame, then this frame.
    input: Vec<f32>,
    recurrent_state: Vec<f32>,
}

impl Vad {
    /// Opens the model.
    ///
    /// # Errors
    /// Returns an error when the model is not installed or unusable.
    pub fn open(models: &Models) -> Result<Self, ModelError> {
        Ok(Vad {
            session: models.session(&MODEL)?,
            input: vec![0.0; CONTEXT + FRAME],
            recurrent_state: vec![0.0; STATE_SIZE],
        })
    }
}

impl SpeechDetector for Vad {
    fn probability(&mut self, frame: &[f32]) -> Result<f32, VoiceError> {
        let failed = |error: ort::Error| VoiceError::failed(MODEL.what, error);
        self.input.copy_within(FRAME.., 0);
        let mut samples = frame.iter().copied().map(sane);
        for slot in self.input.iter_mut().skip(CONTEXT) {
            *slot = samples.next().unwrap_or(0.0);
        }
        let rate = [i64::from(crate::HEARD_RATE)];
        let outputs = self
            .session
            .run(ort::inputs![
                "input" => TensorRef::from_array_view(([1, CONTEXT + FRAME], self.input.as_slice())).map_err(failed)?,
                "state" => TensorRef::from_array_view(([2_usize, 1, 128], self.recurrent_state.as_slice())).map_err(failed)?,
                "sr" => TensorRef::from_array_view(([0_usize; 0], rate.as_slice())).map_err(failed)?,
            ])
            .map_err(failed)?;
        let output = |name: &'static str| {
            let value = outputs
                .get(name)
                .ok_or_else(|| VoiceError::failed(MODEL.what, format!("the model has no output `{name}`")))?;
            Ok::<_, VoiceError>(value.try_extract_tensor::<f32>().map_err(failed)?.1)
        };
        let probability = output("output")?.first().copied().unwrap_or(0.0);
        let recurrent_state = output("stateN")?;
        if recurrent_state.len() == STATE_SIZE && recurrent_state.iter().all(|number| number.is_finite()) {
            self.recurrent_state.copy_from_slice(recurrent_state);
        } else {
            self.recurrent_state.fill(0.0);
        }
        Ok(sane(probability).max(0.0))
    }

    fn reset(&mut self) {
        self.input.fill(0.0);
        self.recurrent_state.fill(0.0);
    }
}

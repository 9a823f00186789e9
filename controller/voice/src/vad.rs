//! Whether a moment of sound is speech: Silero's network for voice activity, on frames of 32 ms.

use minismith_senses::models::{ModelFile, Models, NoModel};
use ort::session::Session;
use ort::value::TensorRef;

use crate::VoiceFault;
use crate::audio::sane;

/// The model: Silero VAD for 16 kHz.
pub const MODEL: ModelFile = ModelFile {
    what: "telling speech from other sound",
    file: "silero_vad_16k.onnx",
    sha256: "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49",
};

/// The samples of one frame: 32 ms.
pub const FRAME: usize = 512;

/// How many samples of the frame before the model sees again.
const CONTEXT: usize = 64;

/// The numbers that the model remembers from frame to frame.
const MEMORY: usize = 2 * 128;

/// What tells speech from other sound.
pub trait SpeechDetector {
    /// How surely a frame of [`FRAME`] samples is speech, from 0 to 1.
    ///
    /// # Errors
    /// When the model fails.
    fn probability(&mut self, frame: &[f32]) -> Result<f32, VoiceFault>;

    /// Forgets what came before.
    fn reset(&mut self);
}

/// Silero's model; for one thread.
pub struct Vad {
    session: Session,
    /// The end of the frame before, then this frame.
    seen: Vec<f32>,
    memory: Vec<f32>,
}

impl Vad {
    /// Opens the model.
    ///
    /// # Errors
    /// When it is not installed or can't be used.
    pub fn open(models: &Models) -> Result<Self, NoModel> {
        Ok(Vad {
            session: models.session(&MODEL)?,
            seen: vec![0.0; CONTEXT + FRAME],
            memory: vec![0.0; MEMORY],
        })
    }
}

impl SpeechDetector for Vad {
    fn probability(&mut self, frame: &[f32]) -> Result<f32, VoiceFault> {
        let failed = |error: ort::Error| VoiceFault::failed(MODEL.what, error);
        self.seen.copy_within(FRAME.., 0);
        let mut samples = frame.iter().copied().map(sane);
        for place in self.seen.iter_mut().skip(CONTEXT) {
            *place = samples.next().unwrap_or(0.0);
        }
        let rate = [i64::from(crate::HEARD_RATE)];
        let outputs = self
            .session
            .run(ort::inputs![
                "input" => TensorRef::from_array_view(([1, CONTEXT + FRAME], self.seen.as_slice())).map_err(failed)?,
                "state" => TensorRef::from_array_view(([2_usize, 1, 128], self.memory.as_slice())).map_err(failed)?,
                "sr" => TensorRef::from_array_view(([0_usize; 0], rate.as_slice())).map_err(failed)?,
            ])
            .map_err(failed)?;
        let output = |name: &'static str| {
            let value =
                outputs.get(name).ok_or_else(|| VoiceFault::failed(MODEL.what, format!("no {name}")))?;
            Ok::<_, VoiceFault>(value.try_extract_tensor::<f32>().map_err(failed)?.1)
        };
        let probability = output("output")?.first().copied().unwrap_or(0.0);
        let memory = output("stateN")?;
        if memory.len() == MEMORY && memory.iter().all(|number| number.is_finite()) {
            self.memory.copy_from_slice(memory);
        } else {
            self.memory.fill(0.0);
        }
        Ok(sane(probability).max(0.0))
    }

    fn reset(&mut self) {
        self.seen.fill(0.0);
        self.memory.fill(0.0);
    }
}

//! Sound that comes piece by piece, brought to another rate as it comes.

use std::collections::VecDeque;

use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, Resampler};

use super::{AudioFault, HIGHEST_RATE, LOWEST_RATE, sane};

/// How many samples are brought to another rate at a time.
const STEP: usize = 480;

/// A resampler for a stream: samples of any number go in, and what is ready comes out, some milliseconds later.
pub struct Flow {
    resampler: Option<Fft<f32>>,
    waiting: VecDeque<f32>,
}

impl Flow {
    /// From one rate to another.
    ///
    /// # Errors
    /// When one of them is not taken.
    pub fn new(from: u32, to: u32) -> Result<Self, AudioFault> {
        if let Some(rate) = [from, to].into_iter().find(|rate| !(LOWEST_RATE..=HIGHEST_RATE).contains(rate)) {
            return Err(AudioFault::Rate(rate));
        }
        let resampler = (from != to)
            .then(|| Fft::<f32>::new(from as usize, to as usize, STEP, 1, FixedSync::Input))
            .transpose()
            .map_err(|error| AudioFault::Resampling(error.to_string()))?;
        Ok(Flow { resampler, waiting: VecDeque::new() })
    }

    /// Takes samples and gives those that are ready.
    pub fn push(&mut self, samples: &[f32]) -> Vec<f32> {
        let Some(resampler) = &mut self.resampler else {
            return samples.iter().copied().map(sane).collect();
        };
        self.waiting.extend(samples.iter().copied().map(sane));
        let mut ready = Vec::new();
        loop {
            let step = resampler.input_frames_next();
            if self.waiting.len() < step {
                return ready;
            }
            let piece: Vec<f32> = self.waiting.drain(..step).collect();
            let Ok(given) = InterleavedSlice::new(&piece, 1, step) else { return ready };
            match resampler.process(&given, None) {
                Ok(made) => ready.extend(made.take_data()),
                Err(error) => {
                    tracing::warn!("a piece of sound could not be brought to another rate ({error})");
                    return ready;
                }
            }
        }
    }
}

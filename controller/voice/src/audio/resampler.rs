//! Resamples a stream chunk by chunk ([`StreamResampler`]).

use std::collections::VecDeque;

use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, Resampler};

use super::{AudioFault, MAX_RATE_HZ, MIN_RATE_HZ, sane};

/// Number of samples per resampling step.
const CHUNK_SIZE: usize = 480;

/// Streaming resampler. It accepts any number of samples and delivers the output a few milliseconds later.
pub struct StreamResampler {
    resampler: Option<Fft<f32>>,
    pending: VecDeque<f32>,
}

impl StreamResampler {
    /// Creates a resampler from one rate to another, in Hz.
    ///
    /// # Errors
    /// Returns an error when one of the rates is out of range.
    pub fn new(from: u32, to: u32) -> Result<Self, AudioFault> {
        if let Some(rate) = [from, to].into_iter().find(|rate| !(MIN_RATE_HZ..=MAX_RATE_HZ).contains(rate)) {
            return Err(AudioFault::Rate(rate));
        }
        let resampler = (from != to)
            .then(|| Fft::<f32>::new(from as usize, to as usize, CHUNK_SIZE, 1, FixedSync::Input))
            .transpose()
            .map_err(|error| AudioFault::Resampling(error.to_string()))?;
        Ok(StreamResampler { resampler, pending: VecDeque::new() })
    }

    /// Appends samples and returns the output that is ready.
    pub fn push(&mut self, samples: &[f32]) -> Vec<f32> {
        let Some(resampler) = &mut self.resampler else {
            return samples.iter().copied().map(sane).collect();
        };
        self.pending.extend(samples.iter().copied().map(sane));
        let mut ready = Vec::new();
        loop {
            let step = resampler.input_frames_next();
            if self.pending.len() < step {
                return ready;
            }
            let chunk: Vec<f32> = self.pending.drain(..step).collect();
            let Ok(input) = InterleavedSlice::new(&chunk, 1, step) else { return ready };
            match resampler.process(&input, None) {
                Ok(output) => ready.extend(output.take_data()),
                Err(error) => {
                    tracing::warn!("cannot resample a chunk of sound ({error})");
                    return ready;
                }
            }
        }
    }
}

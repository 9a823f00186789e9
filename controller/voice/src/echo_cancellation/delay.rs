//! Estimates how much earlier or later an echo arrives than predicted ([`DelayEstimator`]).
//!
//! When playback restarts, its time is known only to a few milliseconds. The filter needs it to the sample.

use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

use crate::audio::{level, power};
use crate::vad::FRAME;

/// Number of frames compared: 0.2 s.
const FRAMES: usize = 6;
/// Level from which a prediction counts, in dBFS.
const MIN_LEVEL_DB: f32 = -55.0;
/// Number of frames after which the estimator gives up.
const SEARCH_TIMEOUT: usize = 60;
/// Maximum shift in samples: a tenth of a second.
const MAX_DELAY: usize = 1600;
/// Minimum normalised cross-correlation at its peak.
const MIN_CORRELATION: f32 = 0.5;

const WINDOW: usize = FRAMES * FRAME;
const SPAN: usize = 2 * WINDOW;

/// Result of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// More frames are needed.
    NotYet,
    /// The echo is later by this many samples, or earlier if negative.
    Later(i64),
    /// The shift cannot be determined.
    Never,
}

/// Correlates the microphone with the predicted echo.
pub struct DelayEstimator {
    forward: Arc<dyn RealToComplex<f32>>,
    back: Arc<dyn ComplexToReal<f32>>,
    microphone: Vec<f32>,
    predicted: Vec<f32>,
    waited: usize,
}

impl Default for DelayEstimator {
    fn default() -> Self {
        let mut planner = RealFftPlanner::new();
        DelayEstimator {
            forward: planner.plan_fft_forward(SPAN),
            back: planner.plan_fft_inverse(SPAN),
            microphone: Vec::with_capacity(SPAN),
            predicted: Vec::with_capacity(SPAN),
            waited: 0,
        }
    }
}

impl DelayEstimator {
    /// Discards all input.
    pub fn reset(&mut self) {
        self.microphone.clear();
        self.predicted.clear();
        self.waited = 0;
    }

    /// Processes a frame of both signals. After a result it must begin again.
    pub fn compare(&mut self, microphone: &[f32], predicted: &[f32]) -> Estimate {
        self.waited += 1;
        if self.microphone.is_empty() && level(predicted) < MIN_LEVEL_DB {
            return if self.waited > SEARCH_TIMEOUT { Estimate::Never } else { Estimate::NotYet };
        }
        self.microphone.extend_from_slice(microphone);
        self.predicted.extend_from_slice(predicted);
        if self.microphone.len() < WINDOW {
            return Estimate::NotYet;
        }
        self.estimate().map_or(Estimate::Never, Estimate::Later)
    }

    fn estimate(&mut self) -> Option<i64> {
        let loud = (power(&self.microphone) * power(&self.predicted)).sqrt() * WINDOW as f32;
        let microphone = spectrum(&*self.forward, &mut self.microphone)?;
        let predicted = spectrum(&*self.forward, &mut self.predicted)?;
        let mut both: Vec<Complex32> = microphone
            .iter()
            .zip(&predicted)
            .map(|(microphone, predicted)| microphone * predicted.conj())
            .collect();
        let mut correlation = self.back.make_output_vec();
        self.back.process(&mut both, &mut correlation).ok()?;
        let later = correlation.iter().take(MAX_DELAY).zip(0_i64..);
        let earlier =
            correlation.iter().rev().take(MAX_DELAY).zip(1_i64..).map(|(correlation, by)| (correlation, -by));
        let (peak, by) = later.chain(earlier).max_by(|(one, _), (other, _)| one.total_cmp(other))?;
        // A larger shift leaves less overlap of the two signals.
        let common = 1.0 - by.unsigned_abs() as f32 / WINDOW as f32;
        (peak / SPAN as f32 > MIN_CORRELATION * common * loud).then_some(by)
    }
}

fn spectrum(forward: &dyn RealToComplex<f32>, samples: &mut Vec<f32>) -> Option<Vec<Complex32>> {
    samples.resize(SPAN, 0.0);
    let mut spectrum = forward.make_output_vec();
    forward.process(samples, &mut spectrum).ok()?;
    Some(spectrum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(count: usize, seed: u64) -> Vec<f32> {
        let mut state = seed;
        let mut roll = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
        };
        (0..count).map(|_| roll()).collect()
    }

    /// Estimates a known shift, with another sound on top.
    fn estimate(by: i64, other: f32) -> Estimate {
        let predicted = noise(10 * FRAME, 7);
        let over = noise(10 * FRAME, 8);
        let microphone: Vec<f32> = (0_i64..)
            .zip(&over)
            .map(|(at, over)| {
                let played = usize::try_from(at - by).ok().and_then(|at| predicted.get(at)).copied();
                0.3 * (played.unwrap_or_default() + other * over)
            })
            .collect();
        let mut shift = DelayEstimator::default();
        let mut frames = microphone.chunks(FRAME).zip(predicted.chunks(FRAME));
        frames
            .find_map(|(microphone, predicted)| {
                Some(shift.compare(microphone, predicted)).filter(|estimate| *estimate != Estimate::NotYet)
            })
            .unwrap()
    }

    #[test]
    fn shift_is_estimated_to_the_sample_even_during_speech() {
        for by in [0, 1, -1, 37, -640, 1500, -1500] {
            assert_eq!(estimate(by, 0.0), Estimate::Later(by));
            assert_eq!(estimate(by, 0.7), Estimate::Later(by));
        }
    }

    #[test]
    fn unrelated_or_silent_signals_give_no_shift() {
        assert_eq!(estimate(5000, 1.0), Estimate::Never);
        let mut shift = DelayEstimator::default();
        let estimate: Vec<Estimate> =
            (0..=SEARCH_TIMEOUT).map(|_| shift.compare(&[0.1; FRAME], &[0.0; FRAME])).collect();
        assert_eq!((estimate[0], estimate[SEARCH_TIMEOUT]), (Estimate::NotYet, Estimate::Never));
    }
}

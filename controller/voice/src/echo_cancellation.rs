//! Echo cancellation ([`Canceller`]): removes the robot's own voice from the microphone signal.
//!
//! An adaptive filter models the path from speaker to microphone. Its prediction from the played signal is subtracted. There
//! are two filters:
//!
//! * One adapts all the time, even to a person who speaks at the same time, which misleads it.
//! * The other is used for output, and copies the first only when that one is better.

pub mod delay;

use std::collections::VecDeque;
use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

use crate::audio::{SILENCE_DB, decibels, level, power, sane};
use crate::vad::FRAME;

/// Samples per block: a quarter of a frame, so that the filter adapts four times per frame.
const BLOCK: usize = FRAME / 4;
/// Maximum length of an echo in blocks, including the delay of both devices: 256 ms.
const PARTITIONS: usize = 32;
/// The same in frames.
const ECHO_FRAMES: usize = PARTITIONS * BLOCK / FRAME;

const SPAN: usize = 2 * BLOCK;
const BINS: usize = SPAN / 2 + 1;

/// Adaptation rate of the filter.
const ADAPTATION_RATE: f32 = 0.6;
/// Number of adaptation steps per block.
const STEPS_PER_BLOCK: usize = 2;
/// Level below which playback counts as silent, in dBFS.
const MIN_PLAYED_DB: f32 = -65.0;
/// The filter counts as adapted after this many frames of playback, 0.8 s, if it leaves less than `LEARNED_AT` of the power.
const LEARNED_AFTER: u32 = 25;
const LEARNED_RATIO: f32 = 0.15;
/// After this many frames of playback, 3 s, there is no echo if the prediction has less than `NONE_AT` of the power.
const NO_ECHO_AFTER: u32 = 94;
const NO_ECHO_RATIO: f32 = 0.01;

/// Result of cleaning a frame.
#[derive(Clone, Debug)]
pub struct CleanedFrame {
    /// The frame without the echo.
    pub samples: Vec<f32>,
    /// The predicted echo, whether or not it was subtracted.
    pub predicted: Vec<f32>,
    /// Estimated level of the echo in dBFS.
    pub echo: f32,
    /// Whether something was played that may still be audible.
    pub is_played: bool,
}

/// Echo canceller.
pub struct Canceller {
    forward: Arc<dyn RealToComplex<f32>>,
    back: Arc<dyn ComplexToReal<f32>>,
    /// Spectra of the last played blocks, the newest first.
    played: VecDeque<Vec<Complex32>>,
    before: Vec<f32>,
    learner: Vec<Vec<Complex32>>,
    active: Vec<Vec<Complex32>>,
    /// Recent mean squares: of the microphone, and of the residues of both filters.
    microphone: f32,
    residue: f32,
    learner_residue: f32,
    better: u32,
    /// Mean squares of microphone, residue and prediction over the last one or two seconds of playback.
    long: [f32; 3],
    /// Number of frames with playback.
    played_frames: u32,
    is_learned: bool,
    /// Number of frames since the last playback.
    idle_frames: usize,
    echo: f32,
}

impl Default for Canceller {
    fn default() -> Self {
        Canceller::new()
    }
}

impl Canceller {
    /// Creates a canceller that has not adapted yet.
    #[must_use]
    pub fn new() -> Self {
        let mut planner = RealFftPlanner::new();
        let filter = vec![vec![Complex32::default(); BINS]; PARTITIONS];
        Canceller {
            forward: planner.plan_fft_forward(SPAN),
            back: planner.plan_fft_inverse(SPAN),
            played: filter.clone().into(),
            before: vec![0.0; BLOCK],
            learner: filter.clone(),
            active: filter,
            microphone: 0.0,
            residue: 0.0,
            learner_residue: 0.0,
            better: 0,
            long: [0.0; 3],
            played_frames: 0,
            is_learned: false,
            idle_frames: ECHO_FRAMES + 1,
            echo: SILENCE_DB,
        }
    }

    /// Returns whether the echo is known well enough to distinguish it from a person.
    #[must_use]
    pub fn is_learned(&self) -> bool {
        self.is_learned
    }

    /// Replaces the history of played samples.
    pub fn recall(&mut self, played: &[f32]) {
        let blocks: Vec<&[f32]> = played.rchunks_exact(BLOCK).take(PARTITIONS + 1).collect();
        self.before.fill(0.0);
        for block in blocks.into_iter().rev() {
            if self.remember(block).is_none() {
                return;
            }
        }
    }

    /// Returns how many played samples the filter uses.
    #[must_use]
    pub fn recalls() -> usize {
        (PARTITIONS + 1) * BLOCK
    }

    /// Cleans a frame of the microphone, given the samples played at the same time. With `learns` false it does not adapt,
    /// because the time of playback is uncertain.
    pub fn clean(&mut self, microphone: &[f32], played: &[f32], learns: bool) -> CleanedFrame {
        let is_now = level(played) > MIN_PLAYED_DB;
        self.idle_frames = if is_now { 0 } else { (self.idle_frames + 1).min(ECHO_FRAMES + 1) };
        if self.idle_frames > ECHO_FRAMES {
            // The last echo has decayed.
            self.before.fill(0.0);
            for spectrum in &mut self.played {
                spectrum.fill(Complex32::default());
            }
            self.echo = SILENCE_DB;
            let foreseen = vec![0.0; microphone.len()];
            return CleanedFrame {
                samples: microphone.to_vec(),
                predicted: foreseen,
                echo: SILENCE_DB,
                is_played: false,
            };
        }
        let (mut samples, mut predicted) = (Vec::with_capacity(FRAME), Vec::with_capacity(FRAME));
        for (microphone, played) in microphone.chunks(BLOCK).zip(played.chunks(BLOCK)) {
            match self.filter(microphone, played, learns) {
                Some((residue, echo)) => {
                    samples.extend(residue);
                    predicted.extend(echo);
                }
                None => {
                    samples.extend_from_slice(microphone);
                    predicted.resize(samples.len(), 0.0);
                }
            }
        }
        self.update_is_learned(microphone, &samples, &predicted);
        // Earlier sound remains audible for a while.
        self.echo = level(&predicted).max(self.echo - 3.0);
        let helps = power(&samples) <= power(microphone);
        let samples = if helps { samples } else { microphone.to_vec() };
        CleanedFrame { samples, predicted, echo: self.echo, is_played: true }
    }

    /// Filters one block, and returns the residue and the prediction.
    fn filter(&mut self, microphone: &[f32], played: &[f32], learns: bool) -> Option<(Vec<f32>, Vec<f32>)> {
        self.remember(played)?;
        let predicted = self.predict(&self.active)?;
        let residue_of = |predicted: &[f32]| -> Vec<f32> {
            microphone
                .iter()
                .zip(predicted)
                .map(|(microphone, predicted)| sane(microphone - predicted))
                .collect()
        };
        let residue = residue_of(&predicted);
        if !learns {
            return Some((residue, predicted));
        }
        let by_learner = residue_of(&self.predict(&self.learner)?);
        self.learn(&by_learner)?;
        for _ in 1..STEPS_PER_BLOCK {
            let again = residue_of(&self.predict(&self.learner)?);
            self.learn(&again)?;
        }
        self.compare(power(microphone), power(&residue), power(&by_learner));
        Some((residue, predicted))
    }

    /// Appends a block of played samples.
    fn remember(&mut self, played: &[f32]) -> Option<()> {
        let mut span: Vec<f32> = self.before.iter().chain(played).copied().map(sane).collect();
        span.resize(SPAN, 0.0);
        self.before = span.get(BLOCK..)?.to_vec();
        let mut newest = self.played.pop_back()?;
        self.forward.process(&mut span, &mut newest).ok()?;
        self.played.push_front(newest);
        Some(())
    }

    /// Updates whether the echo is known.
    fn update_is_learned(&mut self, microphone: &[f32], residue: &[f32], predicted: &[f32]) {
        for (mean, now) in self.long.iter_mut().zip([power(microphone), power(residue), power(predicted)]) {
            *mean += 0.05 * (now - *mean);
        }
        self.played_frames = self.played_frames.saturating_add(1);
        let [microphone, residue, predicted] = self.long;
        self.is_learned |= (self.played_frames >= LEARNED_AFTER && residue < LEARNED_RATIO * microphone)
            || (self.played_frames >= NO_ECHO_AFTER && predicted < NO_ECHO_RATIO * microphone);
    }

    /// Predicts the echo with a filter.
    fn predict(&self, filter: &[Vec<Complex32>]) -> Option<Vec<f32>> {
        let mut sum = vec![Complex32::default(); BINS];
        for (part, played) in filter.iter().zip(&self.played) {
            for ((sum, part), played) in sum.iter_mut().zip(part).zip(played) {
                *sum += part * played;
            }
        }
        let span = self.to_samples(&mut sum)?;
        Some(span.get(BLOCK..)?.to_vec())
    }

    /// Adapts the learning filter to its residue.
    fn learn(&mut self, residue: &[f32]) -> Option<()> {
        let mut span = vec![0.0; BLOCK];
        span.extend_from_slice(residue);
        span.resize(SPAN, 0.0);
        let mut error = self.forward.make_output_vec();
        self.forward.process(&mut span, &mut error).ok()?;
        let mut band_power = vec![1e-3_f32; BINS];
        for played in &self.played {
            for (band_power, played) in band_power.iter_mut().zip(played) {
                *band_power += played.norm_sqr();
            }
        }
        let mut learner = std::mem::take(&mut self.learner);
        for (part, played) in learner.iter_mut().zip(&self.played) {
            let mut step: Vec<Complex32> = played
                .iter()
                .zip(&error)
                .zip(&band_power)
                .map(|((played, error), band_power)| played.conj() * error * (ADAPTATION_RATE / band_power))
                .collect();
            // Constrain each partition of the filter to one block.
            let mut span = self.to_samples(&mut step)?;
            span.iter_mut().skip(BLOCK).for_each(|sample| *sample = 0.0);
            self.forward.process(&mut span, &mut step).ok()?;
            for (part, step) in part.iter_mut().zip(&step) {
                *part += step;
            }
        }
        self.learner = learner;
        Some(())
    }

    /// Copies the learning filter for output when it is better, and resets it from there when it has diverged.
    fn compare(&mut self, microphone: f32, residue: f32, by_learner: f32) {
        let follow = |mean: &mut f32, now: f32| *mean += 0.1 * (now - *mean);
        follow(&mut self.microphone, microphone);
        follow(&mut self.residue, residue);
        follow(&mut self.learner_residue, by_learner);
        let is_better = self.learner_residue < 0.8 * self.residue && self.learner_residue < self.microphone;
        self.better = if is_better { self.better + 1 } else { 0 };
        if self.better >= 3 {
            self.active.clone_from(&self.learner);
            self.residue = self.learner_residue;
            self.better = 0;
        } else if self.learner_residue > 4.0 * self.residue.max(1e-9) && self.is_learned {
            self.learner.clone_from(&self.active);
            self.learner_residue = self.residue;
        }
    }

    fn to_samples(&self, spectrum: &mut [Complex32]) -> Option<Vec<f32>> {
        if let [first, .., last] = spectrum {
            (first.im, last.im) = (0.0, 0.0);
        }
        let mut span = vec![0.0; SPAN];
        self.back.process(spectrum, &mut span).ok()?;
        for sample in &mut span {
            *sample /= SPAN as f32;
        }
        Some(span)
    }
}

/// Returns by how many decibels cleaning reduced a frame.
#[must_use]
pub fn reduction(microphone: &[f32], cleaned: &[f32]) -> f32 {
    decibels(power(microphone)) - decibels(power(cleaned))
}

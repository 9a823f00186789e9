//! What the microphone hears of the robot's own voice, taken out again: the way from speaker to microphone is learned as a
//! filter from what was played, and what it predicts is subtracted. Two filters are kept: one learns all the time, also from
//! what confuses it, such as a person who speaks meanwhile; the other is used, and takes over what the first has learned
//! only when that is better.

pub mod shift;

use std::collections::VecDeque;
use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

use crate::audio::{SILENCE_DB, decibels, level, power, sane};
use crate::vad::FRAME;

/// How many samples are worked on at a time: a quarter of a frame, so that the filter learns four times in each.
const BLOCK: usize = FRAME / 4;
/// How many blocks an echo lasts at most, with its way through both devices: 256 ms.
const PARTS: usize = 32;
/// The same in frames.
const LASTS: usize = PARTS * BLOCK / FRAME;

const SPAN: usize = 2 * BLOCK;
const BINS: usize = SPAN / 2 + 1;

/// How quickly the filter learns.
const PACE: f32 = 0.6;
/// How often it learns from the same block.
const STEPS: usize = 2;
/// Below this nothing was played, decibels.
const PLAYED_FROM: f32 = -65.0;
/// After how many frames of something played the filter may count as learned, 0.8 s: when it leaves a seventh.
const LEARNED_AFTER: u32 = 25;
const LEARNED_AT: f32 = 0.15;
/// After how many frames, 3 s, there is no echo to be learned: when it is a hundredth of what is heard.
const NONE_AFTER: u32 = 94;
const NONE_AT: f32 = 0.01;

/// What is left of a frame.
#[derive(Clone, Debug)]
pub struct Cleaned {
    /// The frame without the echo.
    pub samples: Vec<f32>,
    /// The echo that was taken out, or would have been, had that helped.
    pub foreseen: Vec<f32>,
    /// How loud the echo is in it, as far as it is known; decibels.
    pub echo: f32,
    /// Whether something was played that may still be heard.
    pub is_played: bool,
}

/// Takes echoes out of frames.
pub struct Canceller {
    forward: Arc<dyn RealToComplex<f32>>,
    back: Arc<dyn ComplexToReal<f32>>,
    /// The spectra of what was played last, the newest first.
    played: VecDeque<Vec<Complex32>>,
    before: Vec<f32>,
    learner: Vec<Vec<Complex32>>,
    used: Vec<Vec<Complex32>>,
    /// The mean squares of late: what was heard, what either filter leaves.
    heard: f32,
    left: f32,
    left_by_learner: f32,
    better: u32,
    /// The same over a second or two in which something was played, and what was predicted.
    long: [f32; 3],
    /// How many frames something was played for.
    listened: u32,
    is_learned: bool,
    /// Frames since something was played.
    still: usize,
    echo: f32,
}

impl Default for Canceller {
    fn default() -> Self {
        Canceller::new()
    }
}

impl Canceller {
    /// One that knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        let mut planner = RealFftPlanner::new();
        let filter = vec![vec![Complex32::default(); BINS]; PARTS];
        Canceller {
            forward: planner.plan_fft_forward(SPAN),
            back: planner.plan_fft_inverse(SPAN),
            played: filter.clone().into(),
            before: vec![0.0; BLOCK],
            learner: filter.clone(),
            used: filter,
            heard: 0.0,
            left: 0.0,
            left_by_learner: 0.0,
            better: 0,
            long: [0.0; 3],
            listened: 0,
            is_learned: false,
            still: LASTS + 1,
            echo: SILENCE_DB,
        }
    }

    /// Whether the echo is known well enough to tell it from somebody else.
    #[must_use]
    pub fn is_learned(&self) -> bool {
        self.is_learned
    }

    /// What was played last was something else: this.
    pub fn recall(&mut self, played: &[f32]) {
        let blocks: Vec<&[f32]> = played.rchunks_exact(BLOCK).take(PARTS + 1).collect();
        self.before.fill(0.0);
        for block in blocks.into_iter().rev() {
            if self.remember(block).is_none() {
                return;
            }
        }
    }

    /// How many samples of what was played last matter.
    #[must_use]
    pub fn recalls() -> usize {
        (PARTS + 1) * BLOCK
    }

    /// Takes a frame of the microphone and what was played meanwhile. It learns nothing where that may have been played at
    /// another time.
    pub fn clean(&mut self, heard: &[f32], played: &[f32], learns: bool) -> Cleaned {
        let is_now = level(played) > PLAYED_FROM;
        self.still = if is_now { 0 } else { (self.still + 1).min(LASTS + 1) };
        if self.still > LASTS {
            // Nothing of what was played can still be on its way.
            self.before.fill(0.0);
            for spectrum in &mut self.played {
                spectrum.fill(Complex32::default());
            }
            self.echo = SILENCE_DB;
            let foreseen = vec![0.0; heard.len()];
            return Cleaned { samples: heard.to_vec(), foreseen, echo: SILENCE_DB, is_played: false };
        }
        let (mut samples, mut predicted) = (Vec::with_capacity(FRAME), Vec::with_capacity(FRAME));
        for (heard, played) in heard.chunks(BLOCK).zip(played.chunks(BLOCK)) {
            match self.filter(heard, played, learns) {
                Some((left, echo)) => {
                    samples.extend(left);
                    predicted.extend(echo);
                }
                None => {
                    samples.extend_from_slice(heard);
                    predicted.resize(samples.len(), 0.0);
                }
            }
        }
        self.judge(heard, &samples, &predicted);
        // What came before is still heard for a while.
        self.echo = level(&predicted).max(self.echo - 3.0);
        let helps = power(&samples) <= power(heard);
        let samples = if helps { samples } else { heard.to_vec() };
        Cleaned { samples, foreseen: predicted, echo: self.echo, is_played: true }
    }

    /// One block: what is left of it, and what was predicted.
    fn filter(&mut self, heard: &[f32], played: &[f32], learns: bool) -> Option<(Vec<f32>, Vec<f32>)> {
        self.remember(played)?;
        let predicted = self.predict(&self.used)?;
        let remains = |predicted: &[f32]| -> Vec<f32> {
            heard.iter().zip(predicted).map(|(heard, predicted)| sane(heard - predicted)).collect()
        };
        let left = remains(&predicted);
        if !learns {
            return Some((left, predicted));
        }
        let by_learner = remains(&self.predict(&self.learner)?);
        self.learn(&by_learner)?;
        for _ in 1..STEPS {
            let again = remains(&self.predict(&self.learner)?);
            self.learn(&again)?;
        }
        self.compare(power(heard), power(&left), power(&by_learner));
        Some((left, predicted))
    }

    /// A block more was played.
    fn remember(&mut self, played: &[f32]) -> Option<()> {
        let mut span: Vec<f32> = self.before.iter().chain(played).copied().map(sane).collect();
        span.resize(SPAN, 0.0);
        self.before = span.get(BLOCK..)?.to_vec();
        let mut newest = self.played.pop_back()?;
        self.forward.process(&mut span, &mut newest).ok()?;
        self.played.push_front(newest);
        Some(())
    }

    /// Whether the echo is known by now.
    fn judge(&mut self, heard: &[f32], left: &[f32], predicted: &[f32]) {
        for (mean, now) in self.long.iter_mut().zip([power(heard), power(left), power(predicted)]) {
            *mean += 0.05 * (now - *mean);
        }
        self.listened = self.listened.saturating_add(1);
        let [heard, left, predicted] = self.long;
        self.is_learned |= (self.listened >= LEARNED_AFTER && left < LEARNED_AT * heard)
            || (self.listened >= NONE_AFTER && predicted < NONE_AT * heard);
    }

    /// What a filter makes of what was played.
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

    /// A step of the learner against what it left.
    fn learn(&mut self, left: &[f32]) -> Option<()> {
        let mut span = vec![0.0; BLOCK];
        span.extend_from_slice(left);
        span.resize(SPAN, 0.0);
        let mut error = self.forward.make_output_vec();
        self.forward.process(&mut span, &mut error).ok()?;
        let mut loudness = vec![1e-3_f32; BINS];
        for played in &self.played {
            for (loudness, played) in loudness.iter_mut().zip(played) {
                *loudness += played.norm_sqr();
            }
        }
        let mut learner = std::mem::take(&mut self.learner);
        for (part, played) in learner.iter_mut().zip(&self.played) {
            let mut step: Vec<Complex32> = played
                .iter()
                .zip(&error)
                .zip(&loudness)
                .map(|((played, error), loudness)| played.conj() * error * (PACE / loudness))
                .collect();
            // A part of the filter spans one block: what would reach further is left out.
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

    /// Lets what the learner knows be used when it is better, and lets it begin anew from there when it has gone astray.
    fn compare(&mut self, heard: f32, left: f32, by_learner: f32) {
        let follow = |mean: &mut f32, now: f32| *mean += 0.1 * (now - *mean);
        follow(&mut self.heard, heard);
        follow(&mut self.left, left);
        follow(&mut self.left_by_learner, by_learner);
        let is_better = self.left_by_learner < 0.8 * self.left && self.left_by_learner < self.heard;
        self.better = if is_better { self.better + 1 } else { 0 };
        if self.better >= 3 {
            self.used.clone_from(&self.learner);
            self.left = self.left_by_learner;
            self.better = 0;
        } else if self.left_by_learner > 4.0 * self.left.max(1e-9) && self.is_learned {
            self.learner.clone_from(&self.used);
            self.left_by_learner = self.left;
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

/// How much softer a frame became by what was taken out, decibels.
#[must_use]
pub fn reduction(heard: &[f32], cleaned: &[f32]) -> f32 {
    decibels(power(heard)) - decibels(power(cleaned))
}

//! By how much an echo comes earlier or later than foreseen: where playing began anew, its time is known to some milliseconds
//! only, and a filter that is right to the sample is of no use until that is found out.

use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

use crate::audio::{level, power};
use crate::vad::FRAME;

/// How many frames are compared: 0.2 s.
const FRAMES: usize = 6;
/// What is foreseen counts from here on, decibels.
const AUDIBLE: f32 = -55.0;
/// How many frames are waited through for those.
const PATIENCE: usize = 60;
/// How far it may be off, samples: a tenth of a second.
const MOST: usize = 1600;
/// How alike both have to be where they are most alike, 1 being the same.
const ALIKE: f32 = 0.5;

const WINDOW: usize = FRAMES * FRAME;
const SPAN: usize = 2 * WINDOW;

/// What was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing yet.
    NotYet,
    /// It comes so many samples later; earlier where that is negative.
    Later(i64),
    /// It can't be told.
    Never,
}

/// Compares what is heard with what was foreseen, again and again.
pub struct Shift {
    forward: Arc<dyn RealToComplex<f32>>,
    back: Arc<dyn ComplexToReal<f32>>,
    heard: Vec<f32>,
    foreseen: Vec<f32>,
    waited: usize,
}

impl Default for Shift {
    fn default() -> Self {
        let mut planner = RealFftPlanner::new();
        Shift {
            forward: planner.plan_fft_forward(SPAN),
            back: planner.plan_fft_inverse(SPAN),
            heard: Vec::with_capacity(SPAN),
            foreseen: Vec::with_capacity(SPAN),
            waited: 0,
        }
    }
}

impl Shift {
    /// Forgets what it was told.
    pub fn begin_anew(&mut self) {
        self.heard.clear();
        self.foreseen.clear();
        self.waited = 0;
    }

    /// Takes a frame of both. After it has told, it has to begin anew.
    pub fn compare(&mut self, heard: &[f32], foreseen: &[f32]) -> Found {
        self.waited += 1;
        if self.heard.is_empty() && level(foreseen) < AUDIBLE {
            return if self.waited > PATIENCE { Found::Never } else { Found::NotYet };
        }
        self.heard.extend_from_slice(heard);
        self.foreseen.extend_from_slice(foreseen);
        if self.heard.len() < WINDOW {
            return Found::NotYet;
        }
        self.found().map_or(Found::Never, Found::Later)
    }

    fn found(&mut self) -> Option<i64> {
        let loud = (power(&self.heard) * power(&self.foreseen)).sqrt() * WINDOW as f32;
        let heard = spectrum(&*self.forward, &mut self.heard)?;
        let foreseen = spectrum(&*self.forward, &mut self.foreseen)?;
        let mut both: Vec<Complex32> =
            heard.iter().zip(&foreseen).map(|(heard, foreseen)| heard * foreseen.conj()).collect();
        let mut alike = self.back.make_output_vec();
        self.back.process(&mut both, &mut alike).ok()?;
        let later = alike.iter().take(MOST).zip(0_i64..);
        let earlier = alike.iter().rev().take(MOST).zip(1_i64..).map(|(alike, by)| (alike, -by));
        let (most, by) = later.chain(earlier).max_by(|(one, _), (other, _)| one.total_cmp(other))?;
        // The further off, the less of both is about the same sound.
        let common = 1.0 - by.unsigned_abs() as f32 / WINDOW as f32;
        (most / SPAN as f32 > ALIKE * common * loud).then_some(by)
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

    /// Where one is heard that was foreseen so many samples earlier, with something else over it.
    fn found(by: i64, other: f32) -> Found {
        let foreseen = noise(10 * FRAME, 7);
        let over = noise(10 * FRAME, 8);
        let heard: Vec<f32> = (0_i64..)
            .zip(&over)
            .map(|(at, over)| {
                let played = usize::try_from(at - by).ok().and_then(|at| foreseen.get(at)).copied();
                0.3 * (played.unwrap_or_default() + other * over)
            })
            .collect();
        let mut shift = Shift::default();
        let mut frames = heard.chunks(FRAME).zip(foreseen.chunks(FRAME));
        frames
            .find_map(|(heard, foreseen)| {
                Some(shift.compare(heard, foreseen)).filter(|found| *found != Found::NotYet)
            })
            .unwrap()
    }

    #[test]
    fn a_shift_is_found_to_the_sample_also_while_somebody_speaks() {
        for by in [0, 1, -1, 37, -640, 1500, -1500] {
            assert_eq!(found(by, 0.0), Found::Later(by));
            assert_eq!(found(by, 0.7), Found::Later(by));
        }
    }

    #[test]
    fn what_is_not_alike_or_not_foreseen_tells_nothing() {
        assert_eq!(found(5000, 1.0), Found::Never);
        let mut shift = Shift::default();
        let found: Vec<Found> = (0..=PATIENCE).map(|_| shift.compare(&[0.1; FRAME], &[0.0; FRAME])).collect();
        assert_eq!((found[0], found[PATIENCE]), (Found::NotYet, Found::Never));
    }
}

//! Converts hibari's spectra to samples ([`Synthesis`]).
//!
//! A pulse train at the pitch is shaped by one spectrum and noise by another. A third has explicit phases. Overlap-add joins
//! the frames.

use std::f32::consts::PI;
use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

/// Sample rate in Hz.
pub const RATE: u32 = 24_000;
/// Samples per frame.
const SPAN: usize = 1200;
/// Samples between frames: 12.5 ms.
const HOP: usize = 300;
/// Number of frequency bins.
const BINS: usize = SPAN / 2 + 1;
/// Pitch below which a frame is unvoiced, in Hz.
const MIN_PITCH_HZ: f32 = 40.0;
/// Maximum frequency of a harmonic, in Hz.
const MAX_HARMONIC_HZ: f32 = 11_000.0;
/// Maximum logarithm of a magnitude.
const MAX_LOG_MAGNITUDE: f32 = 7.0;
/// Maximum number of frames: one minute.
const MAX_FRAMES: usize = 4800;

/// Output of the network: for each frequency the values of all frames, and the pitch of each frame.
pub struct Spectra<'a> {
    /// Log magnitudes of the voiced part.
    pub harmonics: &'a [f32],
    /// Phase rotation of the voiced part; through tanh, in units of pi.
    pub turn: &'a [f32],
    /// Log magnitudes of the noise.
    pub noise: &'a [f32],
    /// Log magnitudes of the remainder.
    pub rest: &'a [f32],
    /// Phases of the remainder in radians.
    pub phase: &'a [f32],
    /// Pitch of each frame in Hz.
    pub pitch: &'a [f32],
}

/// Synthesiser.
pub struct Synthesis {
    forward: Arc<dyn RealToComplex<f32>>,
    back: Arc<dyn ComplexToReal<f32>>,
    window: Vec<f32>,
    noise: Noise,
}

impl Default for Synthesis {
    fn default() -> Self {
        Synthesis::new()
    }
}

impl Synthesis {
    /// Creates a synthesiser. Its noise has a fixed seed, so the output is reproducible.
    #[must_use]
    pub fn new() -> Self {
        let mut planner = RealFftPlanner::new();
        Synthesis {
            forward: planner.plan_fft_forward(SPAN),
            back: planner.plan_fft_inverse(SPAN),
            window: (0..SPAN).map(|n| 0.5 - 0.5 * (2.0 * PI * n as f32 / SPAN as f32).cos()).collect(),
            noise: Noise(0x9e37_79b9_7f4a_7c15),
        }
    }

    /// Synthesises samples.
    ///
    /// # Errors
    /// Returns an error when the spectra differ in size or are too long.
    pub fn sound(&mut self, spectra: &Spectra<'_>) -> Result<Vec<f32>, String> {
        let frames = spectra.pitch.len();
        if frames > MAX_FRAMES {
            return Err(format!("too many frames: {frames}, allowed {MAX_FRAMES}"));
        }
        let all = [spectra.harmonics, spectra.turn, spectra.noise, spectra.rest, spectra.phase];
        if all.iter().any(|one| one.len() != BINS * frames) {
            return Err("the spectra differ in size".to_owned());
        }
        let source = pulses(spectra.pitch);
        let mut sum = vec![0.0_f32; (frames + SPAN / HOP - 1) * HOP];
        let mut weight = vec![0.0_f32; sum.len()];
        let mut span = vec![0.0_f32; SPAN];
        let mut bins = vec![Complex32::default(); BINS];
        for frame in 0..frames {
            // A cosine of full scale has a magnitude of one.
            for (position, (sample, window)) in span.iter_mut().zip(&self.window).enumerate() {
                let at = (frame * HOP + position) as isize - (SPAN / 2) as isize;
                *sample = mirrored(&source, at) * window / (SPAN / 4) as f32;
            }
            self.forward.process(&mut span, &mut bins).map_err(|error| error.to_string())?;
            for (bin, value) in bins.iter_mut().enumerate() {
                let of = |numbers: &[f32]| numbers.get(bin * frames + frame).copied().unwrap_or(0.0);
                let turned =
                    Complex32::from_polar(magnitude(of(spectra.harmonics)), PI * of(spectra.turn).tanh());
                let noise = self.noise.pair() * magnitude(of(spectra.noise));
                let rest = Complex32::from_polar(magnitude(of(spectra.rest)), of(spectra.phase));
                *value = *value * turned + noise + rest;
            }
            // The first and last bin have no phase.
            if let [first, .., last] = bins.as_mut_slice() {
                (first.im, last.im) = (0.0, 0.0);
            }
            self.back.process(&mut bins, &mut span).map_err(|error| error.to_string())?;
            let places = sum.iter_mut().zip(&mut weight).skip(frame * HOP);
            for ((sum, weight), (sample, window)) in places.zip(span.iter().zip(&self.window)) {
                *sum += sample / SPAN as f32 * window;
                *weight += window * window;
            }
        }
        let speech = sum.iter().zip(&weight).map(|(sum, weight)| sum / weight.max(1e-11));
        Ok(speech.skip(SPAN / 2).take(frames * HOP).map(crate::audio::sane).collect())
    }
}

fn magnitude(logarithm: f32) -> f32 {
    logarithm.min(MAX_LOG_MAGNITUDE).exp()
}

/// Returns a sample by index, with the signal mirrored at both ends.
fn mirrored(samples: &[f32], at: isize) -> f32 {
    let last = samples.len() as isize - 1;
    if last < 1 {
        return samples.first().copied().unwrap_or(0.0);
    }
    let at = at.rem_euclid(2 * last);
    let at = if at > last { 2 * last - at } else { at };
    samples.get(at as usize).copied().unwrap_or(0.0)
}

/// Generates a pulse train with a varying pitch: the sum of all harmonics up to the maximum, each at full scale. Unvoiced parts
/// are silent.
fn pulses(pitch: &[f32]) -> Vec<f32> {
    let mut train = Vec::with_capacity(pitch.len() * HOP);
    let mut phase_turns = 0.0_f64;
    for frame in 0..pitch.len() {
        let of = |frame: usize| pitch.get(frame).copied().unwrap_or(0.0);
        let here = of(frame);
        let (before, after) = (of(frame.saturating_sub(1)), of((frame + 1).min(pitch.len() - 1)));
        for position in 0..HOP {
            // The pitch of a frame applies at its centre.
            let from_middle = (position as f32 + 0.5) / HOP as f32 - 0.5;
            let other = if from_middle < 0.0 { before } else { after };
            let now = here + (other - here) * from_middle.abs();
            let voiced = now > MIN_PITCH_HZ;
            let now = if now.is_finite() { now.max(MIN_PITCH_HZ) } else { MIN_PITCH_HZ };
            phase_turns = (phase_turns + f64::from(now) / f64::from(RATE)).fract();
            if !voiced {
                train.push(0.0);
                continue;
            }
            let angle = (phase_turns * 2.0 * std::f64::consts::PI) as f32;
            let harmonics = (MAX_HARMONIC_HZ / now).floor() + 0.5;
            let below = 2.0 * (angle / 2.0).sin();
            let sum = if below.abs() <= 2e-3 { harmonics } else { (harmonics * angle).sin() / below };
            train.push(sum - 0.5);
        }
    }
    train
}

/// Normally distributed pseudorandom numbers.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 40) as f32 + 0.5) / (1_u64 << 24) as f32
    }

    fn pair(&mut self) -> Complex32 {
        let (distance, angle) = ((-2.0 * self.uniform().ln()).sqrt(), 2.0 * PI * self.uniform());
        Complex32::from_polar(distance, angle)
    }
}

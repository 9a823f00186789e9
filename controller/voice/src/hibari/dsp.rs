//! From spectra to sound, as hibari does it: a train of pulses at the pitch of the voice, shaped by one spectrum, with noise
//! shaped by another, and a third that says its phases itself; each frame becomes samples, and frames overlap.

use std::f32::consts::PI;
use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

/// The rate of the speech, samples a second.
pub const RATE: u32 = 24_000;
/// How many samples a frame spans.
const SPAN: usize = 1200;
/// How many samples lie between frames: 12.5 ms.
const HOP: usize = 300;
/// How many frequencies a spectrum has.
const BINS: usize = SPAN / 2 + 1;
/// Below this pitch there is no voice, hertz.
const LOWEST_PITCH: f32 = 40.0;
/// Above this there are no harmonics, hertz.
const HIGHEST_HARMONIC: f32 = 11_000.0;
/// No magnitude is beyond e to this.
const LOUDEST: f32 = 7.0;
/// The longest speech that is made at once, frames: one minute.
const MOST_FRAMES: usize = 4800;

/// What the network says of a piece of speech: for each frequency the numbers of all frames, and the pitch of each frame.
pub struct Spectra<'a> {
    /// The magnitudes of the voice, logarithms.
    pub harmonics: &'a [f32],
    /// How far the phases of the voice are turned; through tanh, in half turns.
    pub turn: &'a [f32],
    /// The magnitudes of the noise, logarithms.
    pub noise: &'a [f32],
    /// The magnitudes of the rest, logarithms.
    pub rest: &'a [f32],
    /// The phases of the rest.
    pub phase: &'a [f32],
    /// The pitch of each frame, hertz.
    pub pitch: &'a [f32],
}

/// Makes sound of spectra.
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
    /// The same every time: its noise has a fixed beginning.
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

    /// The samples of a piece of speech.
    ///
    /// # Errors
    /// When the spectra are not of one size, or too long.
    pub fn sound(&mut self, spectra: &Spectra<'_>) -> Result<Vec<f32>, String> {
        let frames = spectra.pitch.len();
        if frames > MOST_FRAMES {
            return Err(format!("{frames} frames are too many"));
        }
        let all = [spectra.harmonics, spectra.turn, spectra.noise, spectra.rest, spectra.phase];
        if all.iter().any(|one| one.len() != BINS * frames) {
            return Err("its spectra are not of one size".to_owned());
        }
        let source = pulses(spectra.pitch);
        let mut sum = vec![0.0_f32; (frames + SPAN / HOP - 1) * HOP];
        let mut weight = vec![0.0_f32; sum.len()];
        let mut span = vec![0.0_f32; SPAN];
        let mut bins = vec![Complex32::default(); BINS];
        for frame in 0..frames {
            // A cosine of full scale has a magnitude of one.
            for (place, (sample, window)) in span.iter_mut().zip(&self.window).enumerate() {
                let at = (frame * HOP + place) as isize - (SPAN / 2) as isize;
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
            // These two have no phase.
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
    logarithm.min(LOUDEST).exp()
}

/// The sample at a place; beyond the ends there is what lies before them, mirrored.
fn mirrored(samples: &[f32], at: isize) -> f32 {
    let last = samples.len() as isize - 1;
    if last < 1 {
        return samples.first().copied().unwrap_or(0.0);
    }
    let at = at.rem_euclid(2 * last);
    let at = if at > last { 2 * last - at } else { at };
    samples.get(at as usize).copied().unwrap_or(0.0)
}

/// A train of pulses at a pitch that changes: the sum of all harmonics up to a highest one, each of full scale. Without voice
/// there is nothing.
fn pulses(pitch: &[f32]) -> Vec<f32> {
    let mut train = Vec::with_capacity(pitch.len() * HOP);
    let mut turns = 0.0_f64;
    for frame in 0..pitch.len() {
        let of = |frame: usize| pitch.get(frame).copied().unwrap_or(0.0);
        let here = of(frame);
        let (before, after) = (of(frame.saturating_sub(1)), of((frame + 1).min(pitch.len() - 1)));
        for place in 0..HOP {
            // The pitch is that of a frame in its middle.
            let from_middle = (place as f32 + 0.5) / HOP as f32 - 0.5;
            let other = if from_middle < 0.0 { before } else { after };
            let now = here + (other - here) * from_middle.abs();
            let voiced = now > LOWEST_PITCH;
            let now = if now.is_finite() { now.max(LOWEST_PITCH) } else { LOWEST_PITCH };
            turns = (turns + f64::from(now) / f64::from(RATE)).fract();
            if !voiced {
                train.push(0.0);
                continue;
            }
            let angle = (turns * 2.0 * std::f64::consts::PI) as f32;
            let harmonics = (HIGHEST_HARMONIC / now).floor() + 0.5;
            let below = 2.0 * (angle / 2.0).sin();
            let sum = if below.abs() <= 2e-3 { harmonics } else { (harmonics * angle).sin() / below };
            train.push(sum - 0.5);
        }
    }
    train
}

/// Numbers of a normal distribution, the same every time.
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

//! The brightness of surfaces, and the noise of the camera.

use std::f64::consts::TAU;
use std::time::Duration;

use firmware_bridge::posture::HeadPose;
use nalgebra::Vector3;

/// The light of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Light {
    /// Ambient light.
    pub ambient: f64,
    /// The direction towards the directional light, of length one.
    pub towards: Vector3<f64>,
    /// The strength of the directional light.
    pub strength: f64,
    /// The amplitude of the flicker, and its frequency in Hz.
    pub flicker: (f64, f64),
}

impl Default for Light {
    /// Full brightness on every surface, whatever its orientation.
    fn default() -> Self {
        Light { ambient: 1.0, towards: Vector3::z(), strength: 0.0, flicker: (0.0, 0.0) }
    }
}

impl Light {
    /// Returns the light at this time.
    pub fn at(&self, at: Duration) -> Light {
        let (amount, hertz) = self.flicker;
        let factor = 1.0 + amount * (TAU * hertz * at.as_secs_f64()).sin();
        Light { ambient: self.ambient * factor, strength: self.strength * factor, ..*self }
    }

    /// Returns the brightness of sky and floor.
    pub fn level(&self) -> f64 {
        self.on(&Vector3::z())
    }

    /// Returns the brightness of a surface with this normal.
    pub fn on(&self, normal: &Vector3<f64>) -> f64 {
        self.ambient + self.strength * normal.dot(&self.towards).max(0.0)
    }
}

/// Returns a colour component under this brightness.
pub(super) fn scale_brightness(part: u8, level: f64) -> u8 {
    (f64::from(part) * level).round().clamp(0.0, 255.0) as u8
}

/// Returns every value of a colour component under this brightness.
pub(super) fn brightness_table(level: f64) -> [u8; 256] {
    std::array::from_fn(|part| scale_brightness(part as u8, level))
}

/// The number of noise samples. Each line of an image starts at another sample.
const NOISE_SAMPLES: usize = 1 << 13;

/// The noise of the camera, which is added to each component of each pixel.
#[derive(Clone, Debug, Default)]
pub(super) struct Noise {
    samples: Vec<i8>,
    seed: u64,
}

impl Noise {
    /// Returns normal noise with this standard deviation, in steps of brightness.
    pub fn new(sigma: f64, seed: u64) -> Self {
        if sigma <= 0.0 {
            return Noise::default();
        }
        let mut state = seed;
        let mut uniform = || {
            state = mix_bits(state);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let normal = |one: f64, other: f64| (-2.0 * (1.0 - one).ln()).sqrt() * (TAU * other).cos();
        let samples = (0..NOISE_SAMPLES)
            .map(|_| (sigma * normal(uniform(), uniform())).round().clamp(-127.0, 127.0) as i8)
            .collect();
        Noise { samples, seed }
    }

    /// Returns whether there is no noise.
    pub const fn is_none(&self) -> bool {
        self.samples.is_empty()
    }

    /// Adds the noise to an image, line by line. The same time and pose always give the same noise.
    pub fn add(&self, at: Duration, head: &HeadPose, line: usize, bgr: &mut [u8]) {
        if self.is_none() {
            return;
        }
        let mut state = mix_bits(self.seed ^ at.as_nanos() as u64);
        for number in head.to_row_major() {
            state = mix_bits(state ^ number.to_bits());
        }
        for row in bgr.chunks_mut(line) {
            state = mix_bits(state);
            let mut from = state as usize % NOISE_SAMPLES;
            let mut rest = row;
            while !rest.is_empty() {
                let samples = self.samples.get(from..).unwrap_or_default();
                let (now, later) = rest.split_at_mut(rest.len().min(samples.len()));
                for (part, noise) in now.iter_mut().zip(samples) {
                    *part = part.saturating_add_signed(*noise);
                }
                (rest, from) = (later, 0);
            }
        }
    }
}

/// Returns a well-mixed hash of the number (the finalizer of `SplitMix64`).
fn mix_bits(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

//! How bright surfaces are, and the grain of the camera.

use std::f64::consts::TAU;
use std::time::Duration;

use firmware_bridge::posture::HeadPose;
use nalgebra::Vector3;

/// The light of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Light {
    /// From everywhere.
    pub ambient: f64,
    /// From one side: to where it comes from, of length one.
    pub towards: Vector3<f64>,
    /// How strong that is.
    pub strength: f64,
    /// How much it goes up and down, and how often in a second.
    pub flicker: (f64, f64),
}

impl Default for Light {
    /// As bright as the colours say, wherever a surface looks.
    fn default() -> Self {
        Light { ambient: 1.0, towards: Vector3::z(), strength: 0.0, flicker: (0.0, 0.0) }
    }
}

impl Light {
    /// The light at a moment.
    pub fn at(&self, at: Duration) -> Light {
        let (amount, hertz) = self.flicker;
        let factor = 1.0 + amount * (TAU * hertz * at.as_secs_f64()).sin();
        Light { ambient: self.ambient * factor, strength: self.strength * factor, ..*self }
    }

    /// How bright it is where no surface is, and on the floor.
    pub fn level(&self) -> f64 {
        self.on(&Vector3::z())
    }

    /// How bright a surface is that looks in this direction.
    pub fn on(&self, normal: &Vector3<f64>) -> f64 {
        self.ambient + self.strength * normal.dot(&self.towards).max(0.0)
    }
}

/// A part of a colour in a light.
pub(super) fn scaled(part: u8, level: f64) -> u8 {
    (f64::from(part) * level).round().clamp(0.0, 255.0) as u8
}

/// Every part of a colour in a light.
pub(super) fn table(level: f64) -> [u8; 256] {
    std::array::from_fn(|part| scaled(part as u8, level))
}

/// So many samples of noise are made; a picture takes them from another place on each line.
const SAMPLES: usize = 1 << 13;

/// The grain of the camera: added to each part of each pixel.
#[derive(Clone, Debug, Default)]
pub(super) struct Noise {
    samples: Vec<i8>,
    seed: u64,
}

impl Noise {
    /// Normal noise with this standard deviation, in steps of brightness.
    pub fn new(sigma: f64, seed: u64) -> Self {
        if sigma <= 0.0 {
            return Noise::default();
        }
        let mut chance = seed;
        let mut uniform = || {
            chance = scramble(chance);
            (chance >> 11) as f64 / (1_u64 << 53) as f64
        };
        let normal = |one: f64, other: f64| (-2.0 * (1.0 - one).ln()).sqrt() * (TAU * other).cos();
        let samples = (0..SAMPLES)
            .map(|_| (sigma * normal(uniform(), uniform())).round().clamp(-127.0, 127.0) as i8)
            .collect();
        Noise { samples, seed }
    }

    /// Adds it to a picture, line by line: always the same at the same moment from the same pose.
    pub fn add(&self, at: Duration, head: &HeadPose, line: usize, bgr: &mut [u8]) {
        if self.samples.is_empty() {
            return;
        }
        let mut chance = scramble(self.seed ^ at.as_nanos() as u64);
        for number in head.to_row_major() {
            chance = scramble(chance ^ number.to_bits());
        }
        for row in bgr.chunks_mut(line) {
            chance = scramble(chance);
            let mut from = chance as usize % SAMPLES;
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

/// Another number, by which nobody would guess the first (the finalizer of `SplitMix64`).
fn scramble(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

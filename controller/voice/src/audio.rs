//! Mono sound as samples between -1 and 1 ([`Clip`]): WAV files, resampling and levels.

mod resampler;
mod wav;

use std::time::Duration;

use rubato::Resampler;
use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, WindowFunction};

pub use resampler::StreamResampler;

/// Minimum supported sample rate in Hz.
pub const MIN_RATE_HZ: u32 = 8_000;
/// Maximum supported sample rate in Hz.
pub const MAX_RATE_HZ: u32 = 192_000;
/// Maximum duration of a clip that is read.
pub const MAX_DURATION: Duration = Duration::from_secs(600);
/// Level that stands for silence, in dBFS.
pub const SILENCE_DB: f32 = -120.0;

/// Number of samples per resampling step.
const CHUNK: usize = 2048;

/// Reports an unusable sound. The messages are for the user.
#[derive(Debug, thiserror::Error)]
pub enum AudioFault {
    /// The data is not a WAV file, or it is damaged.
    #[error("cannot read the WAV file: {0}")]
    NotWav(String),
    /// The file has too many channels.
    #[error("unsupported number of channels: {0}; use mono or stereo")]
    Channels(u16),
    /// The sample rate is out of range.
    #[error("unsupported sample rate: {0} Hz, allowed {MIN_RATE_HZ} to {MAX_RATE_HZ} Hz")]
    Rate(u32),
    /// The sample rate differs from the required one.
    #[error("wrong sample rate: {found} Hz, required {needed} Hz")]
    OtherRate {
        /// Actual rate in Hz.
        found: u32,
        /// Required rate in Hz.
        needed: u32,
    },
    /// The resampler failed.
    #[error("cannot resample the sound: {0}")]
    Resampling(String),
    /// The file contains no samples.
    #[error("the file contains no sound")]
    Empty,
    /// The sound is too long.
    #[error("the sound is too long: at most {} s are allowed", MAX_DURATION.as_secs())]
    TooLong,
    /// A file cannot be opened or written.
    #[error("cannot open or write the file: {0}")]
    File(#[from] std::io::Error),
}

/// A mono sound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// Sample rate in Hz.
    pub rate: u32,
    /// Samples from -1 to 1.
    pub samples: Vec<f32>,
}

impl Clip {
    /// Creates a clip from samples at a rate in Hz.
    #[must_use]
    pub fn new(rate: u32, samples: Vec<f32>) -> Self {
        Clip { rate, samples }
    }

    /// Creates a silent clip.
    #[must_use]
    pub fn silence(rate: u32, duration: Duration) -> Self {
        Clip::new(rate, vec![0.0; samples_in(duration, rate)])
    }

    /// Returns its duration.
    #[must_use]
    pub fn duration(&self) -> Duration {
        time_of(self.samples.len() as u64, self.rate)
    }

    /// Returns the largest absolute sample value.
    #[must_use]
    pub fn peak(&self) -> f32 {
        self.samples.iter().fold(0.0, |peak: f32, sample| peak.max(sample.abs()))
    }

    /// Resamples it. The duration stays the same to within one sample.
    ///
    /// # Errors
    /// Returns an error when one of the rates is out of range.
    pub fn resampled(&self, rate: u32) -> Result<Clip, AudioFault> {
        for rate in [self.rate, rate] {
            if !(MIN_RATE_HZ..=MAX_RATE_HZ).contains(&rate) {
                return Err(AudioFault::Rate(rate));
            }
        }
        if rate == self.rate || self.samples.is_empty() {
            return Ok(Clip::new(rate, self.samples.clone()));
        }
        let length = self.samples.len();
        // In one pass: the longer the filter, the wider its pass band.
        let (from, to, window) = (self.rate as usize, rate as usize, WindowFunction::BlackmanHarris2);
        let mut resampler = Fft::<f32>::new_custom(from, to, CHUNK, 1, 1, window, FixedSync::Input)
            .map_err(|error| AudioFault::Resampling(error.to_string()))?;
        let input = InterleavedSlice::new(&self.samples, 1, length)
            .map_err(|error| AudioFault::Resampling(error.to_string()))?;
        let output = resampler
            .process_all(&input, length, None)
            .map_err(|error| AudioFault::Resampling(error.to_string()))?;
        Ok(Clip::new(rate, output.take_data()))
    }

    /// Returns the clip if it has this rate.
    ///
    /// # Errors
    /// Returns an error when its rate differs.
    pub fn at_rate(self, needed: u32) -> Result<Clip, AudioFault> {
        if self.rate == needed { Ok(self) } else { Err(AudioFault::OtherRate { found: self.rate, needed }) }
    }

    /// Applies a gain and clips at full scale.
    pub fn scale(&mut self, gain: f32) {
        for sample in &mut self.samples {
            *sample = (*sample * gain).clamp(-1.0, 1.0);
        }
    }
}

/// Returns the level in dBFS, or [`SILENCE_DB`] for no samples.
#[must_use]
pub fn level(samples: &[f32]) -> f32 {
    decibels(power(samples))
}

/// Returns the mean square.
#[must_use]
pub fn power(samples: &[f32]) -> f32 {
    if samples.is_empty() {
        return 0.0;
    }
    samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32
}

/// Converts a mean square to decibels, at least [`SILENCE_DB`]. NaN counts as silence.
#[must_use]
pub fn decibels(power: f32) -> f32 {
    let level = 10.0 * power.log10();
    if level.is_nan() { SILENCE_DB } else { level.max(SILENCE_DB) }
}

/// Returns the number of samples in a duration.
#[must_use]
pub fn samples_in(duration: Duration, rate: u32) -> usize {
    (duration.as_secs_f64() * f64::from(rate)).round() as usize
}

/// Returns the duration of this many samples.
#[must_use]
pub fn time_of(samples: u64, rate: u32) -> Duration {
    let rate = u64::from(rate.max(1));
    Duration::new(samples / rate, ((samples % rate) * 1_000_000_000 / rate) as u32)
}

/// Clips a sample to full scale. NaN and infinite values become silence.
#[must_use]
pub fn sane(sample: f32) -> f32 {
    if sample.is_finite() { sample.clamp(-1.0, 1.0) } else { 0.0 }
}

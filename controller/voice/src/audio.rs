//! Sound as samples: one channel of numbers between -1 and 1, how they are read from and written to WAV files, brought to
//! another rate, and how loud they are.

mod flow;
mod wav;

use std::time::Duration;

use rubato::Resampler;
use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Fft, FixedSync, WindowFunction};

pub use flow::Flow;

/// The lowest rate that is taken, samples a second.
pub const LOWEST_RATE: u32 = 8_000;
/// The highest rate that is taken, samples a second.
pub const HIGHEST_RATE: u32 = 192_000;
/// The longest clip that is read.
pub const LONGEST: Duration = Duration::from_secs(600);
/// What silence is said to be, decibels below full scale.
pub const SILENCE_DB: f32 = -120.0;

/// How many samples the resampler works on at a time.
const CHUNK: usize = 2048;

/// What is wrong with a sound. The texts are for a person.
#[derive(Debug, thiserror::Error)]
pub enum AudioFault {
    /// It is no WAV file, or a broken one.
    #[error("this is no WAV file that can be read ({0})")]
    NotWav(String),
    /// It has more channels than are taken.
    #[error("it has {0} channels; one or two are taken")]
    Channels(u16),
    /// Its rate is beyond what is taken.
    #[error("its rate of {0} Hz can't be used; from {LOWEST_RATE} to {HIGHEST_RATE} Hz is taken")]
    Rate(u32),
    /// Its rate is another than the one that is needed.
    #[error("its rate is {found} Hz and not {needed} Hz")]
    OtherRate {
        /// What it is.
        found: u32,
        /// What it had to be.
        needed: u32,
    },
    /// It can't be brought to another rate.
    #[error("it can't be brought to another rate ({0})")]
    Resampling(String),
    /// There is no sound in it.
    #[error("there is no sound in it")]
    Empty,
    /// It is longer than is read.
    #[error("it is longer than {} s", LONGEST.as_secs())]
    TooLong,
    /// A file could not be opened or written.
    #[error("the file could not be used ({0})")]
    File(#[from] std::io::Error),
}

/// A sound of one channel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// Samples a second.
    pub rate: u32,
    /// The samples, from -1 to 1.
    pub samples: Vec<f32>,
}

impl Clip {
    /// These samples at this rate.
    #[must_use]
    pub fn new(rate: u32, samples: Vec<f32>) -> Self {
        Clip { rate, samples }
    }

    /// Silence.
    #[must_use]
    pub fn silence(rate: u32, duration: Duration) -> Self {
        Clip::new(rate, vec![0.0; samples_in(duration, rate)])
    }

    /// How long it is.
    #[must_use]
    pub fn duration(&self) -> Duration {
        time_of(self.samples.len() as u64, self.rate)
    }

    /// The loudest sample.
    #[must_use]
    pub fn peak(&self) -> f32 {
        self.samples.iter().fold(0.0, |peak: f32, sample| peak.max(sample.abs()))
    }

    /// The same sound at another rate, as long as before to within one sample.
    ///
    /// # Errors
    /// When one of the rates is beyond what is taken.
    pub fn resampled(&self, rate: u32) -> Result<Clip, AudioFault> {
        for rate in [self.rate, rate] {
            if !(LOWEST_RATE..=HIGHEST_RATE).contains(&rate) {
                return Err(AudioFault::Rate(rate));
            }
        }
        if rate == self.rate || self.samples.is_empty() {
            return Ok(Clip::new(rate, self.samples.clone()));
        }
        let length = self.samples.len();
        // In one part: the longer the filter, the nearer to half the rate it lets everything through.
        let (from, to, window) = (self.rate as usize, rate as usize, WindowFunction::BlackmanHarris2);
        let mut resampler = Fft::<f32>::new_custom(from, to, CHUNK, 1, 1, window, FixedSync::Input)
            .map_err(|error| AudioFault::Resampling(error.to_string()))?;
        let given = InterleavedSlice::new(&self.samples, 1, length)
            .map_err(|error| AudioFault::Resampling(error.to_string()))?;
        let made = resampler
            .process_all(&given, length, None)
            .map_err(|error| AudioFault::Resampling(error.to_string()))?;
        Ok(Clip::new(rate, made.take_data()))
    }

    /// The same, if it has this rate.
    ///
    /// # Errors
    /// When it has another.
    pub fn at_rate(self, needed: u32) -> Result<Clip, AudioFault> {
        if self.rate == needed { Ok(self) } else { Err(AudioFault::OtherRate { found: self.rate, needed }) }
    }

    /// Makes it louder or softer; what would be beyond full scale is cut there.
    pub fn scale(&mut self, gain: f32) {
        for sample in &mut self.samples {
            *sample = (*sample * gain).clamp(-1.0, 1.0);
        }
    }
}

/// The level of samples, decibels below full scale; [`SILENCE_DB`] for none.
#[must_use]
pub fn level(samples: &[f32]) -> f32 {
    decibels(power(samples))
}

/// The mean square of samples.
#[must_use]
pub fn power(samples: &[f32]) -> f32 {
    if samples.is_empty() {
        return 0.0;
    }
    samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32
}

/// A mean square in decibels, never below [`SILENCE_DB`]; what is not a number is silence.
#[must_use]
pub fn decibels(power: f32) -> f32 {
    let level = 10.0 * power.log10();
    if level.is_nan() { SILENCE_DB } else { level.max(SILENCE_DB) }
}

/// How many samples there are in a time.
#[must_use]
pub fn samples_in(duration: Duration, rate: u32) -> usize {
    (duration.as_secs_f64() * f64::from(rate)).round() as usize
}

/// How long so many samples take.
#[must_use]
pub fn time_of(samples: u64, rate: u32) -> Duration {
    let rate = u64::from(rate.max(1));
    Duration::new(samples / rate, ((samples % rate) * 1_000_000_000 / rate) as u32)
}

/// A sample that is a number of full scale at most; what is not a number is silence.
#[must_use]
pub fn sane(sample: f32) -> f32 {
    if sample.is_finite() { sample.clamp(-1.0, 1.0) } else { 0.0 }
}

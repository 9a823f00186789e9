//! Defines [`Sink`], the output for sound: a speaker, a file, a client, or nothing.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use minismith_voice::audio::{Clip, time_of};
use minismith_voice::devices::{DeviceError, Pace, Speaker};

/// The capacity of the playback buffer.
const BUFFER_CAPACITY: Duration = Duration::from_secs(2);

/// An output for sound.
pub trait Sink: Send {
    /// Returns the sample rate, in hertz.
    fn rate(&self) -> u32;

    /// Plays samples after those that wait.
    fn play(&mut self, samples: &[f32]);

    /// Returns the remaining playing time of the waiting samples.
    fn waiting(&self) -> Duration;

    /// Drops the waiting samples.
    fn cut(&mut self);
}

/// A speaker.
pub struct Played(Speaker);

impl Played {
    /// Opens a speaker by its ALSA name.
    ///
    /// # Errors
    /// Fails when it does not exist or can't be used.
    pub fn open(name: &str) -> Result<Self, DeviceError> {
        Speaker::open(name, Pace::Device, BUFFER_CAPACITY).map(Played)
    }
}

impl Sink for Played {
    fn rate(&self) -> u32 {
        self.0.rate()
    }

    fn play(&mut self, samples: &[f32]) {
        // The speaker counts samples without room.
        let _taken = self.0.play(samples);
    }

    fn waiting(&self) -> Duration {
        time_of(self.0.queued() as u64, self.0.rate())
    }

    fn cut(&mut self) {
        let _forgotten = self.0.stop();
    }
}

/// The default sample rate, in hertz.
pub const DEFAULT_RATE_HZ: u32 = 24_000;

/// Plays at the pace of a speaker without one, and passes the samples on.
pub struct RealTimeSink<F> {
    hand_on: F,
    clock: MonotonicClock,
    silent_at: Timestamp,
}

impl<F: FnMut(Sound<'_>) + Send> RealTimeSink<F> {
    /// Returns a sink that passes samples on.
    pub fn to(hand_on: F) -> Self {
        let clock = MonotonicClock::start();
        let silent_at = clock.now();
        RealTimeSink { hand_on, clock, silent_at }
    }
}

/// A message to the receiver of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sound<'a> {
    /// Samples of [`DEFAULT_RATE_HZ`], to be played after the earlier ones.
    Samples(&'a [f32]),
    /// Drops the samples that were not played yet.
    Cut,
}

impl<F: FnMut(Sound<'_>) + Send> Sink for RealTimeSink<F> {
    fn rate(&self) -> u32 {
        DEFAULT_RATE_HZ
    }

    fn play(&mut self, samples: &[f32]) {
        (self.hand_on)(Sound::Samples(samples));
        let from = self.silent_at.max(self.clock.now());
        self.silent_at = from + time_of(samples.len() as u64, DEFAULT_RATE_HZ);
    }

    fn waiting(&self) -> Duration {
        self.silent_at.since(self.clock.now().min(self.silent_at))
    }

    fn cut(&mut self) {
        self.silent_at = self.clock.now();
        (self.hand_on)(Sound::Cut);
    }
}

/// Returns a sink that drops all samples.
#[must_use]
pub fn nowhere() -> impl Sink {
    RealTimeSink::to(|_| {})
}

/// Returns a sink that sends its samples to a channel.
#[must_use]
pub fn sent(to: Sender<Option<Vec<f32>>>) -> impl Sink {
    RealTimeSink::to(move |sound| {
        let reported = match sound {
            Sound::Samples(samples) => Some(samples.to_vec()),
            Sound::Cut => None,
        };
        // The receiver may have ended.
        let _heard = to.send(reported);
    })
}

/// A WAV file, written when this value is dropped. After a cut, it keeps the samples that were already passed
/// on.
pub struct Stored {
    path: PathBuf,
    samples: Vec<f32>,
}

impl Stored {
    /// Returns a recording that will be written to this file.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Stored { path: path.to_owned(), samples: Vec::new() }
    }

    /// Adds samples.
    pub fn add(&mut self, samples: &[f32]) {
        self.samples.extend_from_slice(samples);
    }
}

impl Drop for Stored {
    fn drop(&mut self) {
        let clip = Clip::new(DEFAULT_RATE_HZ, std::mem::take(&mut self.samples));
        if let Err(error) = clip.save(&self.path) {
            tracing::warn!(%error, "the speech was not saved");
        }
    }
}

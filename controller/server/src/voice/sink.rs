//! Where sound goes to: a speaker, a file, somebody to whom it is sent, or nowhere.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::time::Duration;

use firmware_bridge::clock::{Clock, Tick, WallClock};
use minismith_voice::audio::{Clip, time_of};
use minismith_voice::devices::{NoDevice, Pace, Speaker};

/// How much of what is to be played may wait.
const ROOM: Duration = Duration::from_secs(2);

/// Where sound goes to.
pub trait Sink: Send {
    /// The rate at which it takes samples.
    fn rate(&self) -> u32;

    /// Takes samples to be played after those that wait.
    fn play(&mut self, samples: &[f32]);

    /// How long what waits will still sound.
    fn waiting(&self) -> Duration;

    /// Forgets what waits.
    fn cut(&mut self);
}

/// A speaker.
pub struct Played(Speaker);

impl Played {
    /// Opens one by the name that ALSA gives it.
    ///
    /// # Errors
    /// When it is not there or can't be used.
    pub fn open(name: &str) -> Result<Self, NoDevice> {
        Speaker::open(name, Pace::Device, ROOM).map(Played)
    }
}

impl Sink for Played {
    fn rate(&self) -> u32 {
        self.0.rate()
    }

    fn play(&mut self, samples: &[f32]) {
        // What finds no room is counted there.
        let _taken = self.0.play(samples);
    }

    fn waiting(&self) -> Duration {
        time_of(self.0.waiting() as u64, self.0.rate())
    }

    fn cut(&mut self) {
        let _forgotten = self.0.cut();
    }
}

/// The rate where nobody asks for another one.
pub const USUAL_RATE: u32 = 24_000;

/// Plays at the pace of a speaker without one: what is played is handed on to somebody.
pub struct Paced<F> {
    hand_on: F,
    clock: WallClock,
    silent_at: Tick,
}

impl<F: FnMut(Sound<'_>) + Send> Paced<F> {
    /// Hands on what is played.
    pub fn to(hand_on: F) -> Self {
        let clock = WallClock::start();
        let silent_at = clock.now();
        Paced { hand_on, clock, silent_at }
    }
}

/// What is handed on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sound<'a> {
    /// Samples of [`USUAL_RATE`], to be played after those before.
    Samples(&'a [f32]),
    /// What was not played yet is not to be played.
    Cut,
}

impl<F: FnMut(Sound<'_>) + Send> Sink for Paced<F> {
    fn rate(&self) -> u32 {
        USUAL_RATE
    }

    fn play(&mut self, samples: &[f32]) {
        (self.hand_on)(Sound::Samples(samples));
        let from = self.silent_at.max(self.clock.now());
        self.silent_at = from + time_of(samples.len() as u64, USUAL_RATE);
    }

    fn waiting(&self) -> Duration {
        self.silent_at.since(self.clock.now().min(self.silent_at))
    }

    fn cut(&mut self) {
        self.silent_at = self.clock.now();
        (self.hand_on)(Sound::Cut);
    }
}

/// Nobody listens.
#[must_use]
pub fn nowhere() -> impl Sink {
    Paced::to(|_| {})
}

/// A channel to somebody who plays it.
#[must_use]
pub fn sent(to: Sender<Option<Vec<f32>>>) -> impl Sink {
    Paced::to(move |sound| {
        let told = match sound {
            Sound::Samples(samples) => Some(samples.to_vec()),
            Sound::Cut => None,
        };
        // Whoever listened may have gone.
        let _heard = to.send(told);
    })
}

/// A WAV file that is written when this is dropped. What is cut stays as far as it was handed out.
pub struct Kept {
    path: PathBuf,
    samples: Vec<f32>,
}

impl Kept {
    /// Will be written there.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Kept { path: path.to_owned(), samples: Vec::new() }
    }

    /// More of it.
    pub fn add(&mut self, samples: &[f32]) {
        self.samples.extend_from_slice(samples);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let clip = Clip::new(USUAL_RATE, std::mem::take(&mut self.samples));
        if let Err(error) = clip.save(&self.path) {
            tracing::warn!(%error, "what was said is in no file");
        }
    }
}

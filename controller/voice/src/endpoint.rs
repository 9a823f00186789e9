//! Detects the beginning and end of an utterance from speech probability and level ([`Endpointer`]). It sees no samples and has
//! no clock.

use std::time::Duration;

use crate::audio::{SILENCE_DB, time_of};
use crate::vad::FRAME;

/// Thresholds for the beginning and end of speech.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Endpoints {
    /// Minimum probability of a frame at the beginning.
    pub onset: f32,
    /// Probability below which a frame counts as a pause.
    pub release: f32,
    /// Minimum level of the first frames above the noise, in dB.
    pub above_noise: f32,
    /// Number of consecutive frames that begin speech.
    pub frames: u32,
    /// Duration of the pause that ends speech.
    pub pause: Duration,
    /// Maximum duration, so that speech without a pause is recognised too.
    pub max_duration: Duration,
}

impl Default for Endpoints {
    fn default() -> Self {
        Endpoints {
            onset: 0.5,
            release: 0.3,
            above_noise: 3.0,
            frames: 3,
            pause: Duration::from_millis(600),
            max_duration: Duration::from_secs(20),
        }
    }
}

/// Change that a frame caused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Speech began.
    Began {
        /// Start of the first speech frame.
        at: Duration,
    },
    /// Speech ended.
    Ended {
        /// Its beginning.
        began: Duration,
        /// End of the last speech frame.
        ended: Duration,
    },
}

/// Processes the frames of one stream.
#[derive(Clone, Debug)]
pub struct Endpointer {
    endpoints: Endpoints,
    /// Noise level in dBFS.
    noise: f32,
    /// Number of consecutive frames that look like speech, and start of the first.
    onset: (u32, Duration),
    speech: Option<Speech>,
}

#[derive(Clone, Copy, Debug)]
struct Speech {
    began: Duration,
    last: Duration,
}

impl Endpointer {
    /// Creates an endpointer with these thresholds.
    #[must_use]
    pub fn new(endpoints: Endpoints) -> Self {
        Endpointer { endpoints, noise: SILENCE_DB, onset: (0, Duration::ZERO), speech: None }
    }

    /// Returns the noise level in dBFS.
    #[must_use]
    pub fn noise(&self) -> f32 {
        self.noise
    }

    /// Returns the beginning of the current speech, if any.
    #[must_use]
    pub fn began(&self) -> Option<Duration> {
        self.speech.map(|speech| speech.began)
    }

    /// Returns the end of the last speech frame of the current speech.
    #[must_use]
    pub fn last(&self) -> Option<Duration> {
        self.speech.map(|speech| speech.last)
    }

    /// Discards the current speech. The noise level stays.
    pub fn reset(&mut self) {
        self.onset.0 = 0;
        self.speech = None;
    }

    /// Processes the frame that began at `at`, with its speech probability and its level in dBFS.
    pub fn push(&mut self, at: Duration, probability: f32, level: f32) -> Option<Edge> {
        let end = at + time_of(FRAME as u64, crate::HEARD_RATE);
        let endpoints = self.endpoints;
        if let Some(speech) = &mut self.speech {
            if probability >= endpoints.release {
                speech.last = end;
            }
            let Speech { began, last } = *speech;
            if end.saturating_sub(last) >= endpoints.pause
                || end.saturating_sub(began) >= endpoints.max_duration
            {
                self.reset();
                return Some(Edge::Ended { began, ended: last });
            }
            return None;
        }
        if probability < endpoints.onset {
            self.follow_noise(level);
        }
        if probability < endpoints.onset || level < self.noise + endpoints.above_noise {
            self.onset.0 = 0;
            return None;
        }
        let since = if self.onset.0 == 0 { at } else { self.onset.1 };
        self.onset = (self.onset.0 + 1, since);
        if self.onset.0 < endpoints.frames {
            return None;
        }
        self.onset.0 = 0;
        self.speech = Some(Speech { began: since, last: end });
        Some(Edge::Began { at: since })
    }

    /// Updates the noise level: it falls at once and rises slowly, by a few decibels per second.
    fn follow_noise(&mut self, level: f32) {
        let level = if level.is_finite() { level } else { SILENCE_DB };
        if self.noise <= SILENCE_DB || level < self.noise {
            self.noise = level;
        } else {
            self.noise += (level - self.noise).min(0.3);
        }
    }
}

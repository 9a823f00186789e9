//! When somebody began to speak and when they had ended, out of how surely each frame is speech and how loud it is. Pure: it
//! knows no sound and no clock, only what it is told of each frame.

use std::time::Duration;

use crate::audio::{SILENCE_DB, time_of};
use crate::vad::FRAME;

/// From when on something is speech, and from when on it is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Endpoints {
    /// How surely a frame has to be speech for speech to begin.
    pub onset: f32,
    /// Below which sureness a frame is a pause.
    pub release: f32,
    /// How far above the noise the first frames have to be, decibels.
    pub above_noise: f32,
    /// How many frames in a row begin speech.
    pub frames: u32,
    /// The pause after which speech is over.
    pub pause: Duration,
    /// What is longer is cut, so that somebody who never pauses is heard as well.
    pub longest: Duration,
}

impl Default for Endpoints {
    fn default() -> Self {
        Endpoints {
            onset: 0.5,
            release: 0.3,
            above_noise: 3.0,
            frames: 3,
            pause: Duration::from_millis(600),
            longest: Duration::from_secs(20),
        }
    }
}

/// What a frame changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Somebody speaks, since then.
    Began {
        /// When the first frame of speech began.
        at: Duration,
    },
    /// It is over.
    Ended {
        /// When it began.
        began: Duration,
        /// When the last frame of speech ended.
        ended: Duration,
    },
}

/// Follows the frames of one stream.
#[derive(Clone, Debug)]
pub struct Endpointer {
    endpoints: Endpoints,
    /// The level of what is no speech, decibels.
    noise: f32,
    /// How many frames in a row seemed to be speech, and when the first of them began.
    onset: (u32, Duration),
    speech: Option<Speech>,
}

#[derive(Clone, Copy, Debug)]
struct Speech {
    began: Duration,
    last: Duration,
}

impl Endpointer {
    /// With these bounds.
    #[must_use]
    pub fn new(endpoints: Endpoints) -> Self {
        Endpointer { endpoints, noise: SILENCE_DB, onset: (0, Duration::ZERO), speech: None }
    }

    /// The level of the noise, decibels below full scale.
    #[must_use]
    pub fn noise(&self) -> f32 {
        self.noise
    }

    /// Since when somebody speaks, if somebody does.
    #[must_use]
    pub fn began(&self) -> Option<Duration> {
        self.speech.map(|speech| speech.began)
    }

    /// When the last frame of the speech that goes on had ended.
    #[must_use]
    pub fn last(&self) -> Option<Duration> {
        self.speech.map(|speech| speech.last)
    }

    /// Forgets the speech that goes on; what the noise is like stays known.
    pub fn reset(&mut self) {
        self.onset.0 = 0;
        self.speech = None;
    }

    /// Takes the frame that began at `at`: how surely it is speech, and its level in decibels.
    pub fn hear(&mut self, at: Duration, probability: f32, level: f32) -> Option<Edge> {
        let end = at + time_of(FRAME as u64, crate::HEARD_RATE);
        let endpoints = self.endpoints;
        if let Some(speech) = &mut self.speech {
            if probability >= endpoints.release {
                speech.last = end;
            }
            let Speech { began, last } = *speech;
            if end.saturating_sub(last) >= endpoints.pause || end.saturating_sub(began) >= endpoints.longest {
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

    /// Falls at once with the level, and rises with it slowly: some decibels a second.
    fn follow_noise(&mut self, level: f32) {
        let level = if level.is_finite() { level } else { SILENCE_DB };
        if self.noise <= SILENCE_DB || level < self.noise {
            self.noise = level;
        } else {
            self.noise += (level - self.noise).min(0.3);
        }
    }
}

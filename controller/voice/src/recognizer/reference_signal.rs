//! Reference signal for echo cancellation: the samples and sentences that the robot plays ([`ReferenceSignal`]).

use std::collections::VecDeque;
use std::time::Duration;

use crate::HEARD_RATE;
use crate::audio::{samples_in, time_of};
use crate::commands::words;

/// Maximum number of stored samples. No single playback is longer.
const MAX_SAMPLES: usize = HEARD_RATE as usize * 60;
/// Number of stored samples that are already over.
const RETAINED: usize = HEARD_RATE as usize / 2;
/// Maximum number of stored sentences.
const SENTENCES: usize = 8;

/// Samples of the playback, indexed from time zero.
#[derive(Debug, Default)]
pub struct ReferenceSignal {
    first: u64,
    samples: VecDeque<f32>,
    sentences: VecDeque<(Duration, Vec<String>)>,
}

impl ReferenceSignal {
    /// Adds samples that are played from a time on. They replace earlier ones for that time.
    pub fn add(&mut self, at: Duration, samples: &[f32], sentence: &str) {
        self.cut(at);
        let at = samples_in(at, HEARD_RATE) as u64;
        let end = self.first + self.samples.len() as u64;
        if self.samples.is_empty() || at.saturating_sub(end) > MAX_SAMPLES as u64 {
            self.samples.clear();
            self.first = at;
        } else {
            self.samples.extend((end..at).map(|_| 0.0));
        }
        self.samples.extend(samples.iter().take(MAX_SAMPLES));
        let too_many = self.samples.len().saturating_sub(MAX_SAMPLES);
        self.samples.drain(..too_many);
        self.first += too_many as u64;
        let words = words(sentence);
        if !words.is_empty() {
            let until = time_of(self.first + self.samples.len() as u64, HEARD_RATE);
            self.sentences.push_back((until, words));
            if self.sentences.len() > SENTENCES {
                self.sentences.pop_front();
            }
        }
    }

    /// Returns the time after the last stored sample.
    #[must_use]
    pub fn end(&self) -> Duration {
        time_of(self.first + self.samples.len() as u64, HEARD_RATE)
    }

    /// Ends playback at this time.
    pub fn cut(&mut self, at: Duration) {
        let at = samples_in(at, HEARD_RATE) as u64;
        self.samples.truncate(usize::try_from(at.saturating_sub(self.first)).unwrap_or(usize::MAX));
    }

    /// Shifts the playback to later by this many samples, or to earlier if negative.
    pub fn shift(&mut self, later: i64) {
        self.first = self.first.saturating_add_signed(later);
    }

    /// Returns `count` samples from a time on. It discards samples and sentences that ended long before.
    pub fn take(&mut self, at: Duration, count: usize) -> Vec<f32> {
        let from = samples_in(at, HEARD_RATE) as u64;
        let over = self.position(from.saturating_sub(RETAINED as u64));
        self.samples.drain(..over);
        self.first += over as u64;
        if self.samples.is_empty() {
            self.first = from;
        }
        self.sentences.retain(|(until, _)| *until + Duration::from_secs(25) > at);
        self.samples_of(from, count)
    }

    /// Returns the `count` samples before a time, with silence where they are no longer stored.
    #[must_use]
    pub fn before(&self, at: Duration, count: usize) -> Vec<f32> {
        self.samples_of((samples_in(at, HEARD_RATE) as u64).saturating_sub(count as u64), count)
    }

    fn samples_of(&self, from: u64, count: usize) -> Vec<f32> {
        let wait = usize::try_from(self.first.saturating_sub(from)).unwrap_or(usize::MAX).min(count);
        let mut played = vec![0.0; wait];
        played.extend(self.samples.iter().skip(self.position(from)).take(count - wait));
        played.resize(count, 0.0);
        played
    }

    fn position(&self, at: u64) -> usize {
        usize::try_from(at.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.samples.len())
    }

    /// Returns whether a text matches a recent sentence: nearly all of its words occur there in the same order. Texts of up to
    /// three words never match.
    #[must_use]
    pub fn is_said(&self, text: &str) -> bool {
        let heard = words(text);
        heard.len() > 3
            && self.sentences.iter().any(|(_, said)| {
                let mut rest = said.iter();
                let found = heard.iter().filter(|heard| {
                    rest.clone().any(|said| said == *heard) && {
                        rest.by_ref().find(|said| said == heard).is_some()
                    }
                });
                found.count() as f32 >= 0.85 * heard.len() as f32
            })
    }

    /// Returns the number of stored samples.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.samples.len()
    }
}

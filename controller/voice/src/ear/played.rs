//! What the robot plays and says, remembered for as long as it may be heard.

use std::collections::VecDeque;
use std::time::Duration;

use crate::HEARD_RATE;
use crate::audio::{samples_in, time_of};
use crate::commands::words;

/// How much is remembered at most: what is played at once is never longer.
const MOST: usize = HEARD_RATE as usize * 60;
/// How much of what is over is remembered.
const KEPT: usize = HEARD_RATE as usize / 2;
/// How many sentences are remembered.
const SENTENCES: usize = 8;

/// The samples that are played, by the number of the sample since the beginning of time.
#[derive(Debug, Default)]
pub struct Played {
    first: u64,
    samples: VecDeque<f32>,
    sentences: VecDeque<(Duration, Vec<String>)>,
}

impl Played {
    /// From then on these samples are played; what was told for that time before is replaced.
    pub fn add(&mut self, at: Duration, samples: &[f32], sentence: &str) {
        self.cut(at);
        let at = samples_in(at, HEARD_RATE) as u64;
        let end = self.first + self.samples.len() as u64;
        if self.samples.is_empty() || at.saturating_sub(end) > MOST as u64 {
            self.samples.clear();
            self.first = at;
        } else {
            self.samples.extend((end..at).map(|_| 0.0));
        }
        self.samples.extend(samples.iter().take(MOST));
        let too_many = self.samples.len().saturating_sub(MOST);
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

    /// When what is remembered ends.
    #[must_use]
    pub fn end(&self) -> Duration {
        time_of(self.first + self.samples.len() as u64, HEARD_RATE)
    }

    /// From then on nothing is played.
    pub fn cut(&mut self, at: Duration) {
        let at = samples_in(at, HEARD_RATE) as u64;
        self.samples.truncate(usize::try_from(at.saturating_sub(self.first)).unwrap_or(usize::MAX));
    }

    /// All of it is played so many samples later than was told; earlier where that is negative.
    pub fn shift(&mut self, later: i64) {
        self.first = self.first.saturating_add_signed(later);
    }

    /// What is played from then on, so many samples; what was over well before is forgotten, and so are sentences that were
    /// over long ago.
    pub fn take(&mut self, at: Duration, count: usize) -> Vec<f32> {
        let from = samples_in(at, HEARD_RATE) as u64;
        let over = self.place(from.saturating_sub(KEPT as u64));
        self.samples.drain(..over);
        self.first += over as u64;
        if self.samples.is_empty() {
            self.first = from;
        }
        self.sentences.retain(|(until, _)| *until + Duration::from_secs(25) > at);
        self.samples_of(from, count)
    }

    /// What was played before then, so many samples, as far as it is remembered.
    #[must_use]
    pub fn before(&self, at: Duration, count: usize) -> Vec<f32> {
        self.samples_of((samples_in(at, HEARD_RATE) as u64).saturating_sub(count as u64), count)
    }

    fn samples_of(&self, from: u64, count: usize) -> Vec<f32> {
        let wait = usize::try_from(self.first.saturating_sub(from)).unwrap_or(usize::MAX).min(count);
        let mut played = vec![0.0; wait];
        played.extend(self.samples.iter().skip(self.place(from)).take(count - wait));
        played.resize(count, 0.0);
        played
    }

    fn place(&self, at: u64) -> usize {
        usize::try_from(at.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.samples.len())
    }

    /// Whether a text is what was said of late: nearly all of its words come in a sentence, in their order. A few words may be
    /// anybody's.
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

    /// How many samples are remembered.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.samples.len()
    }
}

//! Buffers sound that a client sends at any pace.
//!
//! The buffer has a fixed capacity. When it is full, the oldest samples are dropped, since a stop may be the
//! last word.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::{samples_in, time_of};

use super::source::{AudioChunk, Counter, Source};

/// The length of a chunk: a stop takes effect at the end of one.
const CHUNK_TIME: Duration = Duration::from_millis(60);

/// How long it waits for the next samples.
const READ_TIMEOUT: Duration = Duration::from_millis(100);

/// The minimum time between two reports of lost sound.
const REPORT_INTERVAL: Duration = Duration::from_secs(2);

#[derive(Default)]
struct Waiting {
    samples: VecDeque<f32>,
    lost: u64,
    is_over: bool,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The input of the buffer. Dropping it ends the sound at once.
pub struct AudioWriter {
    shared: Arc<Shared>,
    capacity: usize,
}

/// The output of the buffer.
pub struct AudioReader {
    shared: Arc<Shared>,
    counter: Counter,
    clock: MonotonicClock,
    reported: Option<Timestamp>,
}

/// Returns both ends of a buffer with this capacity.
#[must_use]
pub fn feed(room: Duration) -> (AudioWriter, AudioReader) {
    let shared = Arc::<Shared>::default();
    let feeder = AudioWriter { shared: shared.clone(), capacity: samples_in(room, HEARD_RATE).max(1) };
    (
        feeder,
        AudioReader { shared, counter: Counter::default(), clock: MonotonicClock::start(), reported: None },
    )
}

impl AudioWriter {
    /// Adds samples of [`HEARD_RATE`] without blocking.
    pub fn push(&self, samples: &[f32]) {
        let newest = samples.get(samples.len().saturating_sub(self.capacity)..).unwrap_or_default();
        let mut waiting = self.shared.lock();
        let excess = (waiting.samples.len() + newest.len()).saturating_sub(self.capacity);
        waiting.samples.drain(..excess);
        waiting.samples.extend(newest);
        waiting.lost += (excess + samples.len() - newest.len()) as u64;
        drop(waiting);
        self.shared.changed.notify_one();
    }
}

impl Drop for AudioWriter {
    fn drop(&mut self) {
        let mut waiting = self.shared.lock();
        waiting.is_over = true;
        waiting.samples.clear();
        drop(waiting);
        self.shared.changed.notify_one();
    }
}

impl Source for AudioReader {
    fn take(&mut self) -> Option<AudioChunk> {
        let nothing = |waiting: &mut Waiting| waiting.samples.is_empty() && !waiting.is_over;
        let waited = self.shared.changed.wait_timeout_while(self.shared.lock(), READ_TIMEOUT, nothing);
        let (mut waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if waiting.samples.is_empty() && waiting.is_over {
            return None;
        }
        let most = samples_in(CHUNK_TIME, HEARD_RATE).min(waiting.samples.len());
        let samples = waiting.samples.drain(..most).collect();
        drop(waiting);
        Some(self.counter.stamped(samples))
    }

    fn error(&mut self) -> Option<String> {
        let now = self.clock.now();
        if self.reported.is_some_and(|reported| now < reported + REPORT_INTERVAL) {
            return None;
        }
        let lost = std::mem::take(&mut self.shared.lock().lost);
        if lost == 0 {
            return None;
        }
        self.reported = Some(now);
        let lost = time_of(lost, HEARD_RATE).as_secs_f64();
        Some(format!("{lost:.1} s of sound were lost: more was sent than can be processed"))
    }

    /// The source's clock stands still while nothing is sent. The sender removes the echo of its own
    /// playback.
    fn hears_mouth(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(fed: &mut AudioReader) -> Vec<f32> {
        let mut samples = Vec::new();
        loop {
            let piece = fed.take().unwrap();
            assert_eq!(piece.at, time_of(samples.len() as u64, HEARD_RATE));
            if piece.samples.is_empty() {
                return samples;
            }
            assert!(piece.samples.len() <= 960, "{}", piece.samples.len());
            samples.extend(piece.samples);
        }
    }

    #[test]
    fn samples_come_out_in_order_and_end_with_the_feeder() {
        let (feeder, mut fed) = feed(Duration::from_secs(1));
        feeder.push(&[0.1, 0.2]);
        feeder.push(&[0.3; 2000]);
        let samples = all(&mut fed);
        assert_eq!((samples.len(), &samples[..3]), (2002, &[0.1, 0.2, 0.3][..]));
        assert_eq!(fed.error(), None);
        feeder.push(&[0.4]);
        drop(feeder);
        assert!(fed.take().is_none());
    }

    #[test]
    fn a_full_buffer_keeps_the_newest_samples_and_reports_the_loss_once() {
        let (feeder, mut fed) = feed(Duration::from_millis(100));
        let count = |from: u16, to: u16| (from..to).map(f32::from).collect::<Vec<_>>();
        feeder.push(&count(0, 1000));
        feeder.push(&count(1000, 2000));
        // More at once than the capacity.
        feeder.push(&count(2000, 5000));
        assert_eq!(all(&mut fed), count(3400, 5000));
        assert_eq!(fed.error().unwrap(), "0.2 s of sound were lost: more was sent than can be processed");
        feeder.push(&count(0, 3000));
        assert_eq!(fed.error(), None, "it is reported too often");
    }
}

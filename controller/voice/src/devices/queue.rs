//! Bounded queue of samples between the program and a device ([`Queue`]).

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Health, Pace};

/// How often a waiting device without a clock checks whether the queue was closed.
const CLOSE_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// A queue with one producer and one consumer.
pub(super) struct Queue {
    inner: Mutex<Inner>,
    changed: Condvar,
    capacity: usize,
    pace: Pace,
}

#[derive(Default)]
struct Inner {
    samples: VecDeque<f32>,
    health: Health,
    is_closed: bool,
}

impl Queue {
    pub(super) fn new(room: usize, pace: Pace) -> Self {
        Queue {
            inner: Mutex::new(Inner { samples: VecDeque::with_capacity(room), ..Inner::default() }),
            changed: Condvar::new(),
            capacity: room,
            pace,
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, inner: MutexGuard<'a, Inner>, patience: Duration) -> MutexGuard<'a, Inner> {
        self.changed.wait_timeout(inner, patience).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Appends samples from a device. When the queue is full, the oldest are dropped, or the device waits.
    pub(super) fn put(&self, samples: impl Iterator<Item = f32>) {
        let mut inner = self.inner();
        for sample in samples {
            while inner.samples.len() >= self.capacity && self.pace == Pace::Program && !inner.is_closed {
                self.changed.notify_all();
                inner = self.wait(inner, CLOSE_CHECK_INTERVAL);
            }
            if inner.samples.len() >= self.capacity {
                inner.samples.pop_front();
                inner.health.dropped += 1;
            }
            inner.samples.push_back(sample);
        }
        self.changed.notify_all();
    }

    /// Takes all samples for the program.
    pub(super) fn take(&self, patience: Duration) -> Vec<f32> {
        let mut inner = self.inner();
        if inner.samples.is_empty() && !inner.health.is_lost {
            inner = self.wait(inner, patience);
        }
        let taken = inner.samples.drain(..).collect();
        self.changed.notify_all();
        taken
    }

    /// Appends samples for playback, and returns how many fit. The rest is dropped and counted, because truncated speech is
    /// better than speech with gaps.
    pub(super) fn offer(&self, samples: &[f32]) -> usize {
        let mut inner = self.inner();
        let room = self.capacity.saturating_sub(inner.samples.len()).min(samples.len());
        inner.samples.extend(samples.iter().take(room).copied().map(crate::audio::sane));
        inner.health.dropped += (samples.len() - room) as u64;
        self.changed.notify_all();
        room
    }

    /// Takes up to `count` samples for a device to play.
    pub(super) fn play(&self, count: usize) -> Vec<f32> {
        let mut inner = self.inner();
        while inner.samples.is_empty() && self.pace == Pace::Program && !inner.is_closed {
            inner = self.wait(inner, CLOSE_CHECK_INTERVAL);
        }
        let count = count.min(inner.samples.len());
        let played = inner.samples.drain(..count).collect();
        self.changed.notify_all();
        played
    }

    pub(super) fn wait_until_empty(&self, patience: Duration) -> bool {
        let inner = self.inner();
        let (inner, _) = self
            .changed
            .wait_timeout_while(inner, patience, |inner| !inner.samples.is_empty() && !inner.health.is_lost)
            .unwrap_or_else(PoisonError::into_inner);
        inner.samples.is_empty()
    }

    pub(super) fn clear(&self) -> usize {
        let mut inner = self.inner();
        let cut = inner.samples.len();
        inner.samples.clear();
        self.changed.notify_all();
        cut
    }

    pub(super) fn len(&self) -> usize {
        self.inner().samples.len()
    }

    pub(super) fn health(&self) -> Health {
        self.inner().health.clone()
    }

    /// Records an error of the device.
    pub(super) fn record_error(&self, error: &cpal::Error) {
        let mut inner = self.inner();
        inner.health.faults += 1;
        inner.health.latest = Some(error.to_string());
        inner.health.is_lost |=
            matches!(error.kind(), cpal::ErrorKind::DeviceNotAvailable | cpal::ErrorKind::StreamInvalidated);
        self.changed.notify_all();
    }

    /// Wakes all waiting threads for good.
    pub(super) fn close(&self) {
        self.inner().is_closed = true;
        self.changed.notify_all();
    }
}

//! Defines [`Source`], the input of sound: a microphone, a file, or a client.
//!
//! Each chunk contains the time of its first sample, counted in samples from the beginning.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::{AudioFault, Clip, samples_in, time_of};
use minismith_voice::devices::mic_array::{MicArray, MicArrayError};
use minismith_voice::devices::{DeviceError, Health, Microphone, Pace};

/// The length of a chunk of a file.
const CHUNK_TIME: Duration = Duration::from_millis(20);

/// The capacity of a microphone's buffer.
const BUFFER_CAPACITY: Duration = Duration::from_secs(4);

/// How long it waits for a microphone's next samples.
const READ_TIMEOUT: Duration = Duration::from_millis(100);

/// A chunk of sound.
#[derive(Clone, Debug, PartialEq)]
pub struct AudioChunk {
    /// The time of its first sample.
    pub at: Duration,
    /// Samples of [`HEARD_RATE`]; empty while there are none.
    pub samples: Vec<f32>,
}

/// An input of sound.
pub trait Source: Send {
    /// Returns the next chunk, after a short wait at most, or `None` at the end.
    fn take(&mut self) -> Option<AudioChunk>;

    /// Returns an error of the source, for a person; each is returned once.
    fn error(&mut self) -> Option<String> {
        None
    }

    /// Returns the direction of the last speech, in degrees from the head's centre, left positive, or `None`
    /// where it is unknown.
    fn bearing(&mut self) -> Option<f64> {
        None
    }

    /// Returns whether the robot's own speech may return through this source, at the time at which it is
    /// played.
    fn hears_mouth(&self) -> bool {
        true
    }
}

/// The minimum time for which the smallest delay is remembered.
const OFFSET_WINDOW: Duration = Duration::from_secs(5);

/// Estimates how far a source's time is behind a clock.
///
/// Samples arrive late for many reasons, and never early, so the smallest recent delay is the estimate.
#[derive(Debug, Default)]
pub(super) struct ClockOffset {
    /// The smallest delay of the end of a chunk behind its own time, in nanoseconds: of the recent span, and
    /// of the one before.
    least: [Option<i128>; 2],
    since: Timestamp,
}

impl ClockOffset {
    /// Records the arrival of a chunk.
    pub(super) fn came(&mut self, now: Timestamp, piece: &AudioChunk) {
        if piece.samples.is_empty() {
            return;
        }
        if now.since(self.since) > OFFSET_WINDOW {
            let [of_late, _] = self.least;
            self.least = [None, of_late];
            self.since = now;
        }
        let end = piece.at + time_of(piece.samples.len() as u64, HEARD_RATE);
        let by = nanos(now.since(Timestamp::ZERO)) - nanos(end);
        let [of_late, _] = &mut self.least;
        *of_late = Some(of_late.map_or(by, |least| least.min(by)));
    }

    /// Converts a time of playback to the source's time.
    pub(super) fn heard_at(&self, at: Timestamp) -> Duration {
        let by = self.least.iter().flatten().min().copied().unwrap_or_default();
        let at = nanos(at.since(Timestamp::ZERO)) - by;
        Duration::from_nanos(u64::try_from(at).unwrap_or_default())
    }
}

fn nanos(time: Duration) -> i128 {
    i128::try_from(time.as_nanos()).unwrap_or(i128::MAX)
}

/// Counts samples.
#[derive(Debug, Default)]
pub(super) struct Counter(u64);

impl Counter {
    pub(super) fn stamped(&mut self, samples: Vec<f32>) -> AudioChunk {
        let at = time_of(self.0, HEARD_RATE);
        self.0 += samples.len() as u64;
        AudioChunk { at, samples }
    }
}

/// A microphone.
pub struct Heard {
    microphone: Microphone,
    counter: Counter,
    reported: Health,
    /// The robot's own microphones, where they report directions.
    array: Option<MicArray>,
    unreported: Option<MicArrayError>,
}

impl Heard {
    /// Opens a microphone by its ALSA name.
    ///
    /// # Errors
    /// Fails when it does not exist or can't be used.
    pub fn open(name: &str) -> Result<Self, DeviceError> {
        let microphone = Microphone::open(name, Pace::Device, BUFFER_CAPACITY)?;
        let (array, unreported) = match MicArray::find() {
            Ok(array) => (array, None),
            Err(error) => (None, Some(error)),
        };
        Ok(Heard { microphone, counter: Counter::default(), reported: Health::default(), array, unreported })
    }
}

impl Source for Heard {
    fn take(&mut self) -> Option<AudioChunk> {
        if self.microphone.health().is_lost {
            return None;
        }
        Some(self.counter.stamped(self.microphone.take(READ_TIMEOUT)))
    }

    fn error(&mut self) -> Option<String> {
        if let Some(unreported) = self.unreported.take() {
            return Some(unreported.to_string());
        }
        let now = self.microphone.health();
        let before = std::mem::replace(&mut self.reported, now.clone());
        if now.is_lost && !before.is_lost {
            return Some("the microphone is gone; plug it in again, and restart".into());
        }
        if now.dropped > before.dropped {
            let lost = time_of(now.dropped - before.dropped, HEARD_RATE).as_secs_f64();
            return Some(format!("{lost:.1} s of sound were lost: the processor is too busy"));
        }
        now.latest.filter(|_| now.faults > before.faults)
    }

    fn bearing(&mut self) -> Option<f64> {
        let arrival = self.array.as_ref()?.direction().filter(|arrival| arrival.is_speech)?;
        Some(f64::from(arrival.yaw.to_degrees()))
    }
}

/// A file, at the pace of its recording.
pub struct File {
    samples: Vec<f32>,
    next: usize,
    clock: MonotonicClock,
    began: Option<Timestamp>,
}

impl File {
    /// Reads a WAV file of any common sample rate; silence of this length follows.
    ///
    /// # Errors
    /// Fails when the file can't be read.
    pub fn open(path: &Path, silence: Duration) -> Result<Self, AudioFault> {
        Ok(File::of(&Clip::open(path)?.resampled(HEARD_RATE)?, silence))
    }

    /// Returns a source of samples at [`HEARD_RATE`].
    #[must_use]
    pub fn of(clip: &Clip, silence: Duration) -> Self {
        let mut samples = clip.samples.clone();
        samples.resize(samples.len() + samples_in(silence, HEARD_RATE), 0.0);
        File { samples, next: 0, clock: MonotonicClock::start(), began: None }
    }
}

impl Source for File {
    fn take(&mut self) -> Option<AudioChunk> {
        let began = *self.began.get_or_insert_with(|| self.clock.now());
        let at = time_of(self.next as u64, HEARD_RATE);
        let end = (self.next + samples_in(CHUNK_TIME, HEARD_RATE)).min(self.samples.len());
        let samples = self.samples.get(self.next..end).filter(|samples| !samples.is_empty())?.to_vec();
        self.next = end;
        // A chunk is available once its last sample has sounded.
        self.clock.wait_until(began + time_of(end as u64, HEARD_RATE));
        Some(AudioChunk { at, samples })
    }
}

/// Sound from a client.
pub struct Sent {
    inbox: Receiver<Vec<f32>>,
    counter: Counter,
}

impl Sent {
    /// Returns a source of these chunks, which ends when the sender is dropped.
    #[must_use]
    pub fn by(inbox: Receiver<Vec<f32>>) -> Self {
        Sent { inbox, counter: Counter::default() }
    }
}

impl Source for Sent {
    fn take(&mut self) -> Option<AudioChunk> {
        match self.inbox.recv_timeout(READ_TIMEOUT) {
            Ok(samples) => Some(self.counter.stamped(samples)),
            Err(RecvTimeoutError::Timeout) => Some(self.counter.stamped(Vec::new())),
            Err(RecvTimeoutError::Disconnected) => None,
        }
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

    #[test]
    fn late_chunks_do_not_change_the_clock_offset() {
        let millis = Duration::from_millis;
        // Opened a second before the clock began, or with it.
        for (opened, now, heard) in [(1000, 500, 1500), (0, 500, 500)] {
            let mut behind = ClockOffset::default();
            let mut source = Counter::default();
            let mut at = 0;
            for late in [30, 0, 12, 55, 4].into_iter().cycle().take(1000) {
                let piece = source.stamped(vec![0.0; 160]);
                at += 10;
                if at >= opened {
                    behind.came(Timestamp::ZERO + millis(at - opened + late), &piece);
                }
                behind.came(Timestamp::ZERO, &AudioChunk { at: piece.at, samples: Vec::new() });
            }
            assert_eq!(behind.heard_at(Timestamp::ZERO + millis(now)), millis(heard));
        }
    }

    #[test]
    fn a_changed_clock_offset_is_adopted_after_a_while() {
        let mut behind = ClockOffset::default();
        let piece = |at| AudioChunk { at: Duration::from_secs(at), samples: vec![0.0; 16_000] };
        for at in 0..10 {
            behind.came(Timestamp::ZERO + Duration::from_secs(at + 1), &piece(at));
        }
        assert_eq!(behind.heard_at(Timestamp::ZERO + Duration::from_secs(20)), Duration::from_secs(20));
        // Samples were lost: from now on its time is two seconds behind.
        for at in 10..30 {
            behind.came(Timestamp::ZERO + Duration::from_secs(at + 3), &piece(at));
        }
        assert_eq!(behind.heard_at(Timestamp::ZERO + Duration::from_secs(40)), Duration::from_secs(38));
    }
}

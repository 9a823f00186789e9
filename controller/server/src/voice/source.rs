//! Where sound comes from: a microphone, a file, or somebody who sends it. Each piece comes with the time of its first sample,
//! counted in samples from the beginning.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use firmware_bridge::clock::{Clock, Tick, WallClock};
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::{AudioFault, Clip, samples_in, time_of};
use minismith_voice::devices::array::{Array, NoArray};
use minismith_voice::devices::{Health, Microphone, NoDevice, Pace};

/// How much a piece of a file is.
const PIECE: Duration = Duration::from_millis(20);

/// How much of a microphone may wait for whoever hears.
const ROOM: Duration = Duration::from_secs(4);

/// How long is waited for a microphone's next samples.
const PATIENCE: Duration = Duration::from_millis(100);

/// A piece of sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// When its first sample was heard.
    pub at: Duration,
    /// Samples of [`HEARD_RATE`]; none where there is nothing yet.
    pub samples: Vec<f32>,
}

/// Where sound comes from.
pub trait Source: Send {
    /// The next piece, after a short while at most; none when there is no more.
    fn take(&mut self) -> Option<Piece>;

    /// What went wrong on the way, for a person; each trouble is told once.
    fn trouble(&mut self) -> Option<String> {
        None
    }

    /// Where what was said last came from, degrees from the head's middle, left positive; none where that is not known.
    fn bearing(&mut self) -> Option<f64> {
        None
    }

    /// Whether what the robot says may come back this way, at the time at which it is played.
    fn hears_mouth(&self) -> bool {
        true
    }
}

/// For how long what came at once is remembered, at least.
const REMEMBERED: Duration = Duration::from_secs(5);

/// How far the time of a source's sound is behind a clock. Samples come late for many reasons, and never early: what came
/// soonest of late tells it.
#[derive(Debug, Default)]
pub(super) struct Behind {
    /// The least by which the end of a piece came behind its own time, nanoseconds: of late, and of the span before.
    least: [Option<i128>; 2],
    since: Tick,
}

impl Behind {
    /// A piece came.
    pub(super) fn came(&mut self, now: Tick, piece: &Piece) {
        if piece.samples.is_empty() {
            return;
        }
        if now.since(self.since) > REMEMBERED {
            let [of_late, _] = self.least;
            self.least = [None, of_late];
            self.since = now;
        }
        let end = piece.at + time_of(piece.samples.len() as u64, HEARD_RATE);
        let by = nanos(now.since(Tick::ZERO)) - nanos(end);
        let [of_late, _] = &mut self.least;
        *of_late = Some(of_late.map_or(by, |least| least.min(by)));
    }

    /// When what sounds then is heard, by the source's time.
    pub(super) fn heard_at(&self, at: Tick) -> Duration {
        let by = self.least.iter().flatten().min().copied().unwrap_or_default();
        let at = nanos(at.since(Tick::ZERO)) - by;
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
    pub(super) fn stamped(&mut self, samples: Vec<f32>) -> Piece {
        let at = time_of(self.0, HEARD_RATE);
        self.0 += samples.len() as u64;
        Piece { at, samples }
    }
}

/// A microphone.
pub struct Heard {
    microphone: Microphone,
    counter: Counter,
    told: Health,
    /// The robot's own, where they tell directions.
    array: Option<Array>,
    untold: Option<NoArray>,
}

impl Heard {
    /// Opens one by the name that ALSA gives it.
    ///
    /// # Errors
    /// When it is not there or can't be used.
    pub fn open(name: &str) -> Result<Self, NoDevice> {
        let microphone = Microphone::open(name, Pace::Device, ROOM)?;
        let (array, untold) = match Array::find() {
            Ok(array) => (array, None),
            Err(error) => (None, Some(error)),
        };
        Ok(Heard { microphone, counter: Counter::default(), told: Health::default(), array, untold })
    }
}

impl Source for Heard {
    fn take(&mut self) -> Option<Piece> {
        if self.microphone.health().is_lost {
            return None;
        }
        Some(self.counter.stamped(self.microphone.take(PATIENCE)))
    }

    fn trouble(&mut self) -> Option<String> {
        if let Some(untold) = self.untold.take() {
            return Some(untold.to_string());
        }
        let now = self.microphone.health();
        let before = std::mem::replace(&mut self.told, now.clone());
        if now.is_lost && !before.is_lost {
            return Some("the microphone is gone; plug it in again, and begin anew".into());
        }
        if now.dropped > before.dropped {
            let lost = time_of(now.dropped - before.dropped, HEARD_RATE).as_secs_f64();
            return Some(format!("{lost:.1} s of sound were lost: the processor is too busy"));
        }
        now.latest.filter(|_| now.faults > before.faults)
    }

    fn bearing(&mut self) -> Option<f64> {
        let arrival = self.array.as_ref()?.arrival().filter(|arrival| arrival.is_speech)?;
        Some(f64::from(arrival.yaw.to_degrees()))
    }
}

/// A file, at the pace of what is recorded there.
pub struct File {
    samples: Vec<f32>,
    next: usize,
    clock: WallClock,
    began: Option<Tick>,
}

impl File {
    /// Reads a WAV file of any usual rate; silence of this length follows.
    ///
    /// # Errors
    /// When it is none that can be read.
    pub fn open(path: &Path, silence: Duration) -> Result<Self, AudioFault> {
        Ok(File::of(&Clip::open(path)?.resampled(HEARD_RATE)?, silence))
    }

    /// The same of samples at [`HEARD_RATE`].
    #[must_use]
    pub fn of(clip: &Clip, silence: Duration) -> Self {
        let mut samples = clip.samples.clone();
        samples.resize(samples.len() + samples_in(silence, HEARD_RATE), 0.0);
        File { samples, next: 0, clock: WallClock::start(), began: None }
    }
}

impl Source for File {
    fn take(&mut self) -> Option<Piece> {
        let began = *self.began.get_or_insert_with(|| self.clock.now());
        let at = time_of(self.next as u64, HEARD_RATE);
        let end = (self.next + samples_in(PIECE, HEARD_RATE)).min(self.samples.len());
        let samples = self.samples.get(self.next..end).filter(|samples| !samples.is_empty())?.to_vec();
        self.next = end;
        // A piece is there when its last sample was heard.
        self.clock.wait_until(began + time_of(end as u64, HEARD_RATE));
        Some(Piece { at, samples })
    }
}

/// What somebody sends.
pub struct Sent {
    inbox: Receiver<Vec<f32>>,
    counter: Counter,
}

impl Sent {
    /// What comes this way, until nobody can send any more.
    #[must_use]
    pub fn by(inbox: Receiver<Vec<f32>>) -> Self {
        Sent { inbox, counter: Counter::default() }
    }
}

impl Source for Sent {
    fn take(&mut self) -> Option<Piece> {
        match self.inbox.recv_timeout(PATIENCE) {
            Ok(samples) => Some(self.counter.stamped(samples)),
            Err(RecvTimeoutError::Timeout) => Some(self.counter.stamped(Vec::new())),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Its clock stands while nothing is sent; whoever sends takes out what he plays himself.
    fn hears_mouth(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_that_come_late_leave_the_time_of_a_source_as_it_is() {
        let millis = Duration::from_millis;
        // Opened a second before the clock began, or with it.
        for (opened, now, heard) in [(1000, 500, 1500), (0, 500, 500)] {
            let mut behind = Behind::default();
            let mut source = Counter::default();
            let mut at = 0;
            for late in [30, 0, 12, 55, 4].into_iter().cycle().take(1000) {
                let piece = source.stamped(vec![0.0; 160]);
                at += 10;
                if at >= opened {
                    behind.came(Tick::ZERO + millis(at - opened + late), &piece);
                }
                behind.came(Tick::ZERO, &Piece { at: piece.at, samples: Vec::new() });
            }
            assert_eq!(behind.heard_at(Tick::ZERO + millis(now)), millis(heard));
        }
    }

    #[test]
    fn a_time_that_changed_is_known_after_a_while() {
        let mut behind = Behind::default();
        let piece = |at| Piece { at: Duration::from_secs(at), samples: vec![0.0; 16_000] };
        for at in 0..10 {
            behind.came(Tick::ZERO + Duration::from_secs(at + 1), &piece(at));
        }
        assert_eq!(behind.heard_at(Tick::ZERO + Duration::from_secs(20)), Duration::from_secs(20));
        // Samples were lost on the way: from now on its time is two seconds behind.
        for at in 10..30 {
            behind.came(Tick::ZERO + Duration::from_secs(at + 3), &piece(at));
        }
        assert_eq!(behind.heard_at(Tick::ZERO + Duration::from_secs(40)), Duration::from_secs(38));
    }
}

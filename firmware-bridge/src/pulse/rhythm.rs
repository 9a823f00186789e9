//! How regularly a pulse beats: histograms of its intervals, its lateness and its own work, since it began.
//!
//! The beat never waits for a reader: while one copies the histograms, a few beats are kept aside.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

use super::privilege::Privilege;
use crate::clock::Tick;

/// Longer than this is told as this, nanoseconds.
const LONGEST: u64 = 10_000_000_000;
/// Beats that are kept aside while a reader copies; a reader needs less than one.
const ASIDE: usize = 16;

/// What one beat showed, nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    /// How far the time since the beat before was from the period.
    jitter: u64,
    /// How long after its due moment it began.
    lateness: u64,
    /// How long its own work took, with the robot's answer.
    work: u64,
}

#[derive(Debug)]
struct Histograms {
    jitter: Histogram<u64>,
    lateness: Histogram<u64>,
    work: Histogram<u64>,
    /// Somebody has begun anew, so the time since the beat before is none of theirs.
    anew: bool,
}

impl Histograms {
    fn add(&mut self, shown: Shown) {
        self.jitter.saturating_record(shown.jitter);
        self.lateness.saturating_record(shown.lateness);
        self.work.saturating_record(shown.work);
    }
}

/// The histograms, for those who read them.
#[derive(Clone, Debug)]
pub(super) struct Rhythm(Arc<Mutex<Histograms>>);

/// The beat's side of the histograms.
#[derive(Debug)]
pub(super) struct Measure {
    rhythm: Rhythm,
    period: Duration,
    began: Option<Tick>,
    aside: [Shown; ASIDE],
    kept: usize,
}

/// A distribution of times, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Half of the beats are below this.
    pub p50_us: f64,
    /// 99 of 100.
    pub p99_us: f64,
    /// 999 of 1000.
    pub p999_us: f64,
    /// The worst.
    pub max_us: f64,
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread { p50_us, p99_us, p999_us, max_us } = self;
        write!(f, "p50 {p50_us:.0} us, p99 {p99_us:.0} us, p99.9 {p999_us:.0} us, worst {max_us:.0} us")
    }
}

/// How regularly a pulse has beaten since it began, and by what right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regularity {
    /// Beats that were measured.
    pub beats: u64,
    /// The time from one beat to the next that was meant, microseconds.
    pub period_us: f64,
    /// How far intervals were from the period, without sign.
    pub jitter: Spread,
    /// How long after its due moment a beat began.
    pub lateness: Spread,
    /// How long a beat's own work took, with the robot's answer.
    pub work: Spread,
    /// What the system lets the pulse's thread do.
    pub privilege: Privilege,
}

impl Rhythm {
    /// Empty histograms; all memory that they will ever need is taken here.
    pub fn new() -> Option<Rhythm> {
        let empty = || Histogram::new_with_bounds(1, LONGEST, 2).ok();
        let histograms = Histograms { jitter: empty()?, lateness: empty()?, work: empty()?, anew: false };
        Some(Rhythm(Arc::new(Mutex::new(histograms))))
    }

    /// Forgets what was measured so far.
    pub fn begin_anew(&self) {
        let mut histograms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Histograms { jitter, lateness, work, anew } = &mut *histograms;
        [jitter, lateness, work].into_iter().for_each(Histogram::reset);
        *anew = true;
    }

    /// What was measured so far.
    pub fn report(&self, period: Duration, privilege: Privilege) -> Regularity {
        let histograms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let copies = [&histograms.jitter, &histograms.lateness, &histograms.work].map(Histogram::clone);
        drop(histograms);
        let [jitter, lateness, work] = copies.each_ref().map(spread);
        let [beats, ..] = copies.each_ref().map(Histogram::len);
        Regularity { beats, period_us: period.as_secs_f64() * 1e6, jitter, lateness, work, privilege }
    }
}

fn spread(histogram: &Histogram<u64>) -> Spread {
    let at = |quantile: f64| histogram.value_at_quantile(quantile) as f64 / 1e3;
    let max_us = histogram.max() as f64 / 1e3;
    Spread { p50_us: at(0.5), p99_us: at(0.99), p999_us: at(0.999), max_us }
}

impl Measure {
    /// Nothing is measured yet.
    pub fn new(rhythm: Rhythm, period: Duration) -> Measure {
        Measure { rhythm, period, began: None, aside: [Shown::default(); ASIDE], kept: 0 }
    }

    /// One beat: when it was due, when it began, when it had done its work. The first has no interval to show.
    pub fn beat(&mut self, due: Tick, began: Tick, done: Tick) {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let Some(last) = self.began.replace(began) else { return };
        let jitter = nanos(began.since(last).abs_diff(self.period));
        let shown = Shown { jitter, lateness: nanos(began.since(due)), work: nanos(done.since(began)) };
        let mut histograms = match self.rhythm.0.try_lock() {
            Ok(histograms) => histograms,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                if let Some(place) = self.aside.get_mut(self.kept) {
                    *place = shown;
                    self.kept += 1;
                }
                return;
            }
        };
        let kept = std::mem::take(&mut self.kept);
        if std::mem::take(&mut histograms.anew) {
            return;
        }
        self.aside.iter().take(kept).for_each(|kept| histograms.add(*kept));
        histograms.add(shown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(10);

    /// Beats that begin at these milliseconds and are due every ten.
    fn measured(begins: &[u64]) -> (Rhythm, Measure) {
        let rhythm = Rhythm::new().unwrap();
        let mut measure = Measure::new(rhythm.clone(), PERIOD);
        for (place, began) in begins.iter().enumerate() {
            let tick = |millis: u64| Tick(millis * 1_000_000);
            measure.beat(tick(place as u64 * 10), tick(*began), tick(*began + 1));
        }
        (rhythm, measure)
    }

    fn near(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= expected * 0.01
    }

    #[test]
    fn one_late_beat_shows_in_two_intervals_and_one_lateness() {
        let begins: Vec<u64> = (0..1001).map(|beat| beat * 10 + if beat == 500 { 4 } else { 0 }).collect();
        let report = measured(&begins).0.report(PERIOD, Privilege::default());
        assert_eq!(report.beats, 1000);
        assert!(report.jitter.p99_us < 1.0 && near(report.jitter.max_us, 4000.0), "{}", report.jitter);
        assert!(near(report.lateness.max_us, 4000.0) && near(report.work.p50_us, 1000.0));
    }

    #[test]
    fn what_was_before_a_new_beginning_does_not_count() {
        let (rhythm, mut measure) = measured(&[0, 10, 90]);
        rhythm.begin_anew();
        for millis in [100, 110, 120] {
            let at = Tick(millis * 1_000_000);
            measure.beat(at, at, at);
        }
        let report = rhythm.report(PERIOD, Privilege::default());
        assert_eq!(report.beats, 2);
        assert!(report.jitter.max_us < 1.0, "{}", report.jitter);
    }

    #[test]
    fn beats_while_somebody_reads_are_not_lost() {
        let (rhythm, mut measure) = measured(&[0, 10]);
        let reading = rhythm.0.lock().unwrap();
        measure.beat(Tick(20_000_000), Tick(20_000_000), Tick(21_000_000));
        measure.beat(Tick(30_000_000), Tick(30_000_000), Tick(31_000_000));
        drop(reading);
        measure.beat(Tick(40_000_000), Tick(40_000_000), Tick(41_000_000));
        assert_eq!(rhythm.report(PERIOD, Privilege::default()).beats, 4);
    }
}

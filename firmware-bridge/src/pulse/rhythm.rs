//! Timing statistics of the control loop: histograms of its jitter, wake-up latency and cycle time.
//!
//! The control loop never waits for a reader: while one copies the histograms, a few cycles are buffered.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

use super::privilege::Privilege;
use crate::clock::Tick;

/// The maximum that is recorded, nanoseconds. Longer times count as this.
const LONGEST: u64 = 10_000_000_000;
/// Capacity of the buffer for cycles during a copy; a copy takes less than one cycle.
const ASIDE: usize = 16;

/// The timing of one cycle, nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct CycleTiming {
    /// Difference between the time since the previous cycle and the period.
    jitter: u64,
    /// Time from the deadline to the start.
    lateness: u64,
    /// Time for the cycle's own work, including the robot's answer.
    work: u64,
}

#[derive(Debug)]
struct Histograms {
    jitter: Histogram<u64>,
    lateness: Histogram<u64>,
    work: Histogram<u64>,
    /// Whether the histograms were reset, so the time since the previous cycle does not count.
    was_reset: bool,
}

impl Histograms {
    fn add(&mut self, timing: CycleTiming) {
        self.jitter.saturating_record(timing.jitter);
        self.lateness.saturating_record(timing.lateness);
        self.work.saturating_record(timing.work);
    }
}

/// The readers' side of the histograms.
#[derive(Clone, Debug)]
pub(super) struct Rhythm(Arc<Mutex<Histograms>>);

/// The control loop's side of the histograms.
#[derive(Debug)]
pub(super) struct Measure {
    rhythm: Rhythm,
    period: Duration,
    began: Option<Tick>,
    buffer: [CycleTiming; ASIDE],
    buffered: usize,
}

/// A distribution of times, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// 50 % of the cycles are below this.
    pub p50_us: f64,
    /// 99 % of the cycles are below this.
    pub p99_us: f64,
    /// 99.9 % of the cycles are below this.
    pub p999_us: f64,
    /// The maximum.
    pub max_us: f64,
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread { p50_us, p99_us, p999_us, max_us } = self;
        write!(f, "p50 {p50_us:.0} us, p99 {p99_us:.0} us, p99.9 {p999_us:.0} us, worst {max_us:.0} us")
    }
}

/// The timing of the control loop since its start or the last reset.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regularity {
    /// The number of measured cycles.
    pub beats: u64,
    /// The nominal time between cycles, microseconds.
    pub period_us: f64,
    /// Absolute difference between interval and period.
    pub jitter: Spread,
    /// Time from the deadline to the start of a cycle.
    pub lateness: Spread,
    /// Time for a cycle's own work, including the robot's answer.
    pub work: Spread,
    /// The scheduling of the control loop's thread.
    pub privilege: Privilege,
}

impl Rhythm {
    /// Creates empty histograms and allocates all memory that they will ever need.
    pub fn new() -> Option<Rhythm> {
        let empty = || Histogram::new_with_bounds(1, LONGEST, 2).ok();
        let histograms =
            Histograms { jitter: empty()?, lateness: empty()?, work: empty()?, was_reset: false };
        Some(Rhythm(Arc::new(Mutex::new(histograms))))
    }

    /// Resets the histograms.
    pub fn reset(&self) {
        let mut histograms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Histograms { jitter, lateness, work, was_reset } = &mut *histograms;
        [jitter, lateness, work].into_iter().for_each(Histogram::reset);
        *was_reset = true;
    }

    /// Returns the statistics so far.
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
    /// Creates a timer without measurements.
    pub fn new(rhythm: Rhythm, period: Duration) -> Measure {
        Measure { rhythm, period, began: None, buffer: [CycleTiming::default(); ASIDE], buffered: 0 }
    }

    /// Records one cycle: its deadline, its start and its end. The first cycle has no interval and is not recorded.
    pub fn beat(&mut self, due: Tick, began: Tick, done: Tick) {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let Some(last) = self.began.replace(began) else { return };
        let jitter = nanos(began.since(last).abs_diff(self.period));
        let timing =
            CycleTiming { jitter, lateness: nanos(began.since(due)), work: nanos(done.since(began)) };
        let mut histograms = match self.rhythm.0.try_lock() {
            Ok(histograms) => histograms,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                if let Some(slot) = self.buffer.get_mut(self.buffered) {
                    *slot = timing;
                    self.buffered += 1;
                }
                return;
            }
        };
        let buffered = std::mem::take(&mut self.buffered);
        if std::mem::take(&mut histograms.was_reset) {
            return;
        }
        self.buffer.iter().take(buffered).for_each(|buffered| histograms.add(*buffered));
        histograms.add(timing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(10);

    /// Records cycles that start at these milliseconds, with a deadline every ten.
    fn record_cycles(begins: &[u64]) -> (Rhythm, Measure) {
        let rhythm = Rhythm::new().unwrap();
        let mut measure = Measure::new(rhythm.clone(), PERIOD);
        for (slot, began) in begins.iter().enumerate() {
            let tick = |millis: u64| Tick(millis * 1_000_000);
            measure.beat(tick(slot as u64 * 10), tick(*began), tick(*began + 1));
        }
        (rhythm, measure)
    }

    fn is_close(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= expected * 0.01
    }

    #[test]
    fn late_cycle_affects_two_intervals_and_one_latency() {
        let begins: Vec<u64> = (0..1001).map(|beat| beat * 10 + if beat == 500 { 4 } else { 0 }).collect();
        let report = record_cycles(&begins).0.report(PERIOD, Privilege::default());
        assert_eq!(report.beats, 1000);
        assert!(report.jitter.p99_us < 1.0 && is_close(report.jitter.max_us, 4000.0), "{}", report.jitter);
        assert!(is_close(report.lateness.max_us, 4000.0) && is_close(report.work.p50_us, 1000.0));
    }

    #[test]
    fn reset_discards_earlier_cycles() {
        let (rhythm, mut measure) = record_cycles(&[0, 10, 90]);
        rhythm.reset();
        for millis in [100, 110, 120] {
            let at = Tick(millis * 1_000_000);
            measure.beat(at, at, at);
        }
        let report = rhythm.report(PERIOD, Privilege::default());
        assert_eq!(report.beats, 2);
        assert!(report.jitter.max_us < 1.0, "{}", report.jitter);
    }

    #[test]
    fn cycles_during_a_read_are_not_lost() {
        let (rhythm, mut measure) = record_cycles(&[0, 10]);
        let reading = rhythm.0.lock().unwrap();
        measure.beat(Tick(20_000_000), Tick(20_000_000), Tick(21_000_000));
        measure.beat(Tick(30_000_000), Tick(30_000_000), Tick(31_000_000));
        drop(reading);
        measure.beat(Tick(40_000_000), Tick(40_000_000), Tick(41_000_000));
        assert_eq!(rhythm.report(PERIOD, Privilege::default()).beats, 4);
    }
}

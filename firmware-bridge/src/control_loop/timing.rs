//! Timing statistics of the control loop: histograms of its jitter, wake-up latency and cycle time.
//!
//! The control loop never waits for a reader: while one copies the histograms, a few cycles are buffered.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

use super::realtime::RealtimeScheduling;
use crate::clock::Timestamp;

/// The maximum that is recorded, nanoseconds. Longer times count as this.
const MAX_SAMPLE_NS: u64 = 10_000_000_000;
/// Capacity of the buffer for cycles during a copy; a copy takes less than one cycle.
const PENDING_CAPACITY: usize = 16;

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
    wakeup_latency: Histogram<u64>,
    cycle_time: Histogram<u64>,
    /// Whether the histograms were reset, so the time since the previous cycle does not count.
    was_reset: bool,
}

impl Histograms {
    fn add(&mut self, timing: CycleTiming) {
        self.jitter.saturating_record(timing.jitter);
        self.wakeup_latency.saturating_record(timing.lateness);
        self.cycle_time.saturating_record(timing.work);
    }
}

/// The readers' side of the histograms.
#[derive(Clone, Debug)]
pub(super) struct TimingHistograms(Arc<Mutex<Histograms>>);

/// The control loop's side of the histograms.
#[derive(Debug)]
pub(super) struct CycleTimer {
    histograms: TimingHistograms,
    period: Duration,
    started_at: Option<Timestamp>,
    buffer: [CycleTiming; PENDING_CAPACITY],
    buffered: usize,
}

/// A distribution of times, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Percentiles {
    /// 50 % of the cycles are below this.
    pub p50_us: f64,
    /// 99 % of the cycles are below this.
    pub p99_us: f64,
    /// 99.9 % of the cycles are below this.
    pub p999_us: f64,
    /// The maximum.
    pub max_us: f64,
}

impl fmt::Display for Percentiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Percentiles { p50_us, p99_us, p999_us, max_us } = self;
        write!(f, "p50 {p50_us:.0} us, p99 {p99_us:.0} us, p99.9 {p999_us:.0} us, worst {max_us:.0} us")
    }
}

/// The timing of the control loop since its start or the last reset.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimingStats {
    /// The number of measured cycles.
    #[serde(rename = "beats")]
    pub cycles: u64,
    /// The nominal time between cycles, microseconds.
    pub period_us: f64,
    /// Absolute difference between interval and period.
    pub jitter: Percentiles,
    /// Time from the deadline to the start of a cycle.
    #[serde(rename = "lateness")]
    pub wakeup_latency: Percentiles,
    /// Time for a cycle's own work, including the robot's answer.
    #[serde(rename = "work")]
    pub cycle_time: Percentiles,
    /// The scheduling of the control loop's thread.
    #[serde(rename = "privilege")]
    pub scheduling: RealtimeScheduling,
}

impl TimingHistograms {
    /// Creates empty histograms and allocates all memory that they will ever need.
    pub fn new() -> Option<TimingHistograms> {
        let empty = || Histogram::new_with_bounds(1, MAX_SAMPLE_NS, 2).ok();
        let histograms =
            Histograms { jitter: empty()?, wakeup_latency: empty()?, cycle_time: empty()?, was_reset: false };
        Some(TimingHistograms(Arc::new(Mutex::new(histograms))))
    }

    /// Resets the histograms.
    pub fn reset(&self) {
        let mut histograms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Histograms { jitter, wakeup_latency: lateness, cycle_time: work, was_reset } = &mut *histograms;
        [jitter, lateness, work].into_iter().for_each(Histogram::reset);
        *was_reset = true;
    }

    /// Returns the statistics so far.
    pub fn report(&self, period: Duration, privilege: RealtimeScheduling) -> TimingStats {
        let histograms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let copies =
            [&histograms.jitter, &histograms.wakeup_latency, &histograms.cycle_time].map(Histogram::clone);
        drop(histograms);
        let [jitter, lateness, work] = copies.each_ref().map(percentiles);
        let [cycles, ..] = copies.each_ref().map(Histogram::len);
        TimingStats {
            cycles,
            period_us: period.as_secs_f64() * 1e6,
            jitter,
            wakeup_latency: lateness,
            cycle_time: work,
            scheduling: privilege,
        }
    }
}

fn percentiles(histogram: &Histogram<u64>) -> Percentiles {
    let at = |quantile: f64| histogram.value_at_quantile(quantile) as f64 / 1e3;
    let max_us = histogram.max() as f64 / 1e3;
    Percentiles { p50_us: at(0.5), p99_us: at(0.99), p999_us: at(0.999), max_us }
}

impl CycleTimer {
    /// Creates a timer without measurements.
    pub fn new(rhythm: TimingHistograms, period: Duration) -> CycleTimer {
        CycleTimer {
            histograms: rhythm,
            period,
            started_at: None,
            buffer: [CycleTiming::default(); PENDING_CAPACITY],
            buffered: 0,
        }
    }

    /// Records one cycle: its deadline, its start and its end. The first cycle has no interval and is not recorded.
    pub fn record_cycle(&mut self, due: Timestamp, began: Timestamp, done: Timestamp) {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let Some(last) = self.started_at.replace(began) else { return };
        let jitter = nanos(began.since(last).abs_diff(self.period));
        let timing =
            CycleTiming { jitter, lateness: nanos(began.since(due)), work: nanos(done.since(began)) };
        let mut histograms = match self.histograms.0.try_lock() {
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
    fn record_cycles(begins: &[u64]) -> (TimingHistograms, CycleTimer) {
        let rhythm = TimingHistograms::new().unwrap();
        let mut measure = CycleTimer::new(rhythm.clone(), PERIOD);
        for (slot, began) in begins.iter().enumerate() {
            let tick = |millis: u64| Timestamp(millis * 1_000_000);
            measure.record_cycle(tick(slot as u64 * 10), tick(*began), tick(*began + 1));
        }
        (rhythm, measure)
    }

    fn is_close(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= expected * 0.01
    }

    #[test]
    fn late_cycle_affects_two_intervals_and_one_latency() {
        let begins: Vec<u64> = (0..1001).map(|cycle| cycle * 10 + if cycle == 500 { 4 } else { 0 }).collect();
        let report = record_cycles(&begins).0.report(PERIOD, RealtimeScheduling::default());
        assert_eq!(report.cycles, 1000);
        assert!(report.jitter.p99_us < 1.0 && is_close(report.jitter.max_us, 4000.0), "{}", report.jitter);
        assert!(is_close(report.wakeup_latency.max_us, 4000.0) && is_close(report.cycle_time.p50_us, 1000.0));
    }

    #[test]
    fn reset_discards_earlier_cycles() {
        let (rhythm, mut measure) = record_cycles(&[0, 10, 90]);
        rhythm.reset();
        for millis in [100, 110, 120] {
            let at = Timestamp(millis * 1_000_000);
            measure.record_cycle(at, at, at);
        }
        let report = rhythm.report(PERIOD, RealtimeScheduling::default());
        assert_eq!(report.cycles, 2);
        assert!(report.jitter.max_us < 1.0, "{}", report.jitter);
    }

    #[test]
    fn cycles_during_a_read_are_not_lost() {
        let (rhythm, mut measure) = record_cycles(&[0, 10]);
        let reading = rhythm.0.lock().unwrap();
        measure.record_cycle(Timestamp(20_000_000), Timestamp(20_000_000), Timestamp(21_000_000));
        measure.record_cycle(Timestamp(30_000_000), Timestamp(30_000_000), Timestamp(31_000_000));
        drop(reading);
        measure.record_cycle(Timestamp(40_000_000), Timestamp(40_000_000), Timestamp(41_000_000));
        assert_eq!(rhythm.report(PERIOD, RealtimeScheduling::default()).cycles, 4);
    }
}

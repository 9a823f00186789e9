//! The only module that reads the time or sleeps on the motion path.
//!
//! A [`Timestamp`] is a time on a clock, in nanoseconds since that clock started. [`MonotonicClock`] follows the machine's
//! monotonic clock. [`VirtualClock`] advances only when a caller waits, and then immediately.

use std::ops::{Add, Sub};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// A time: nanoseconds since the start of its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The start of a clock.
    pub const ZERO: Timestamp = Timestamp(0);

    /// Returns the seconds since the start of the clock.
    #[must_use]
    pub fn seconds(self) -> f64 {
        Duration::from_nanos(self.0).as_secs_f64()
    }

    /// Returns the time from `earlier` to this one, or zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Timestamp;
    fn add(self, duration: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub<Timestamp> for Timestamp {
    type Output = Duration;
    fn sub(self, earlier: Timestamp) -> Duration {
        self.since(earlier)
    }
}

/// A source of time.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
    /// Blocks until `until`; returns immediately if it has passed.
    fn wait_until(&self, until: Timestamp);
    /// Blocks until `until` without a busy wait. On the machine's clock, the thread wakes some microseconds late with real-time
    /// scheduling, and later without.
    fn sleep_until(&self, until: Timestamp) {
        self.wait_until(until);
    }
}

/// The machine's monotonic clock, with absolute deadlines.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    started_at: u64,
}

impl MonotonicClock {
    /// Starts a clock at the current time.
    #[must_use]
    pub fn start() -> Self {
        MonotonicClock { started_at: monotonic_nanos() }
    }
}

/// Time to wake a sleeping thread, nanoseconds. A sleep ends this long before its deadline, and the rest is a busy
/// wait. At 100 Hz that costs one percent of a processor, so the control loop does it only while the robot moves.
const WAKEUP_MARGIN_NS: u64 = 100_000;

fn monotonic_nanos() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

/// Returns the calendar time in whole seconds since 1970. No motion depends on it.
#[must_use]
pub fn unix_seconds() -> u64 {
    system_time().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the calendar time, for users and logs. No motion depends on it.
#[must_use]
pub fn system_time() -> SystemTime {
    SystemTime::now()
}

impl Clock for MonotonicClock {
    fn now(&self) -> Timestamp {
        Timestamp(monotonic_nanos().saturating_sub(self.started_at))
    }

    fn wait_until(&self, until: Timestamp) {
        self.sleep_until(Timestamp(until.0.saturating_sub(WAKEUP_MARGIN_NS)));
        while self.now() < until {
            std::hint::spin_loop();
        }
    }

    fn sleep_until(&self, until: Timestamp) {
        let wake = self.started_at.saturating_add(until.0);
        let deadline = rustix::time::Timespec {
            tv_sec: i64::try_from(wake / 1_000_000_000).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(wake % 1_000_000_000).unwrap_or(0),
        };
        // A signal may interrupt the sleep; the deadline is absolute, so the same call continues it.
        while rustix::thread::clock_nanosleep_absolute(rustix::thread::ClockId::Monotonic, &deadline).is_err()
        {
        }
    }
}

/// A clock that stands still until a caller waits, and then jumps.
#[derive(Debug, Default)]
pub struct VirtualClock {
    now: AtomicU64,
}

impl VirtualClock {
    /// Returns a clock at zero.
    #[must_use]
    pub const fn new() -> Self {
        VirtualClock { now: AtomicU64::new(0) }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::Acquire))
    }

    fn wait_until(&self, until: Timestamp) {
        self.now.fetch_max(until.0, Ordering::AcqRel);
    }
}

impl<C: Clock + ?Sized> Clock for std::sync::Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }

    fn wait_until(&self, until: Timestamp) {
        (**self).wait_until(until);
    }

    fn sleep_until(&self, until: Timestamp) {
        (**self).sleep_until(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_clock_advances_only_on_wait_and_never_back() {
        let clock = VirtualClock::new();
        clock.wait_until(Timestamp(5_000));
        clock.wait_until(Timestamp(10));
        assert_eq!(clock.now(), Timestamp(5_000));
    }

    #[test]
    fn wait_until_returns_after_the_deadline() {
        let clock = MonotonicClock::start();
        let until = clock.now() + Duration::from_millis(2);
        clock.wait_until(until);
        assert!(clock.now() >= until);
        clock.wait_until(Timestamp::ZERO);
    }
}

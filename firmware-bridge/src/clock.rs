//! The one place where time on the motion path is read or slept.
//!
//! A [`Tick`] is a moment on a clock, in nanoseconds since that clock began. [`WallClock`] follows the machine's
//! monotonic clock; [`VirtualClock`] moves only when somebody waits, and then at once.

use std::ops::{Add, Sub};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// A moment: nanoseconds since its clock began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tick(pub u64);

impl Tick {
    /// The moment a clock began.
    pub const ZERO: Tick = Tick(0);

    /// Seconds since the clock began.
    #[must_use]
    pub fn seconds(self) -> f64 {
        Duration::from_nanos(self.0).as_secs_f64()
    }

    /// The time from `earlier` to here; zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Tick) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Tick {
    type Output = Tick;
    fn add(self, duration: Duration) -> Tick {
        Tick(self.0.saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)))
    }
}

impl Sub<Tick> for Tick {
    type Output = Duration;
    fn sub(self, earlier: Tick) -> Duration {
        self.since(earlier)
    }
}

/// A source of time.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Tick;
    /// Returns at `until`, or at once when that has passed.
    fn wait_until(&self, until: Tick);
}

/// The machine's monotonic clock, with absolute deadlines.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    began: u64,
}

impl WallClock {
    /// A clock that begins now.
    #[must_use]
    pub fn start() -> Self {
        WallClock { began: monotonic_nanos() }
    }
}

/// What a sleeping thread needs to wake up, nanoseconds: a sleep ends so much before its deadline, and the rest is spent
/// looking at the clock. At 100 Hz that is one percent of a processor.
const WAKING: u64 = 100_000;

fn monotonic_nanos() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

/// The calendar: whole seconds since 1970. Nothing moves by it.
#[must_use]
pub fn unix_seconds() -> u64 {
    calendar().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The calendar, to tell people and logs. Nothing moves by it.
#[must_use]
pub fn calendar() -> SystemTime {
    SystemTime::now()
}

impl Clock for WallClock {
    fn now(&self) -> Tick {
        Tick(monotonic_nanos().saturating_sub(self.began))
    }

    fn wait_until(&self, until: Tick) {
        let wake = self.began.saturating_add(until.0.saturating_sub(WAKING));
        let deadline = rustix::time::Timespec {
            tv_sec: i64::try_from(wake / 1_000_000_000).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(wake % 1_000_000_000).unwrap_or(0),
        };
        // A signal may cut the sleep short; the deadline is absolute, so it is simply asked for again.
        while rustix::thread::clock_nanosleep_absolute(rustix::thread::ClockId::Monotonic, &deadline).is_err()
        {
        }
        while self.now() < until {
            std::hint::spin_loop();
        }
    }
}

/// A clock that stands still until somebody waits, and then jumps.
#[derive(Debug, Default)]
pub struct VirtualClock {
    now: AtomicU64,
}

impl VirtualClock {
    /// A clock at zero.
    #[must_use]
    pub const fn new() -> Self {
        VirtualClock { now: AtomicU64::new(0) }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Tick {
        Tick(self.now.load(Ordering::Acquire))
    }

    fn wait_until(&self, until: Tick) {
        self.now.fetch_max(until.0, Ordering::AcqRel);
    }
}

impl<C: Clock + ?Sized> Clock for std::sync::Arc<C> {
    fn now(&self) -> Tick {
        (**self).now()
    }

    fn wait_until(&self, until: Tick) {
        (**self).wait_until(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_time_moves_only_by_waiting_and_never_back() {
        let clock = VirtualClock::new();
        clock.wait_until(Tick(5_000));
        clock.wait_until(Tick(10));
        assert_eq!(clock.now(), Tick(5_000));
    }

    #[test]
    fn the_wall_clock_waits_until_the_deadline() {
        let clock = WallClock::start();
        let until = clock.now() + Duration::from_millis(2);
        clock.wait_until(until);
        assert!(clock.now() >= until);
        clock.wait_until(Tick::ZERO);
    }
}

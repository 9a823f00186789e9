//! Measures the timing of the control loop on this computer: it runs for a second on the simulated robot in
//! this process.

use std::time::Duration;

use firmware_bridge::clock::WallClock;
use firmware_bridge::joint::Joints;
use firmware_bridge::pulse::{Conductor, Order, Pulse, PulseThread, Regularity};
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;

use super::Check;
use minismith_control::body::{initial_joints, limits_of};
use minismith_runtime::config::Config;

/// The duration of the measurement.
const TRIAL: Duration = Duration::from_secs(1);
/// The fraction of a period by which 99 of 100 cycles may deviate without effect.
const MAX_JITTER_FRACTION: f64 = 0.1;

/// Measures the timing at the configured rate. Returns `None` when the system gives no thread.
pub(super) fn look(config: &Config) -> Option<Regularity> {
    let robot = MockRobot::new(initial_joints(), Variation::default());
    let mut pulse = Pulse::new(robot, WallClock::start(), limits_of(config), config.rate.period()).ok()?;
    pulse.take(Order::Torque(Joints::all(true)));
    let thread = PulseThread::start(pulse).ok()?;
    let beats = TRIAL.as_nanos() / config.rate.period().as_nanos().max(1);
    let beats = u64::try_from(beats).unwrap_or(u64::MAX);
    let mut handle = thread.handle();
    handle.watch(&|snapshot| snapshot.beats > beats);
    Some(handle.regularity())
}

/// Judges the measured timing.
pub(super) fn judge(tried: Option<&Regularity>) -> Check {
    const NAME: &str = "control loop";
    let Some(tried) = tried else {
        return Check::bad(
            NAME,
            "it could not be measured: no thread could be started",
            "end other programs, and try again",
        );
    };
    let seen = format!(
        "{:.0} Hz under {}: {} between cycles; {} late",
        1e6 / tried.period_us,
        tried.privilege,
        tried.jitter,
        tried.lateness
    );
    if tried.jitter.p99_us <= tried.period_us * MAX_JITTER_FRACTION {
        Check::good(NAME, seen)
    } else {
        let fallback =
            "end programs that keep the processor busy, or lower control_loop.rate_hz in the configuration";
        let remedy = tried.privilege.notes.first().map_or(fallback, String::as_str);
        Check::warn(NAME, seen, remedy)
    }
}

/// Returns good timing, for the tests of other checks.
#[cfg(test)]
pub(super) fn healthy() -> Regularity {
    tests::tried(20.0, &[])
}

#[cfg(test)]
mod tests {
    use firmware_bridge::pulse::{Privilege, Spread};

    use super::super::State;
    use super::*;

    pub fn tried(p99_us: f64, notes: &[&str]) -> Regularity {
        let spread = Spread { p50_us: 5.0, p99_us, p999_us: p99_us, max_us: p99_us };
        let notes = notes.iter().map(ToString::to_string).collect();
        let privilege = Privilege { realtime_priority: None, memory_locked: false, notes };
        let period_us = 10_000.0;
        Regularity { beats: 100, period_us, jitter: spread, lateness: spread, work: spread, privilege }
    }

    #[test]
    fn irregular_timing_gets_a_remedy() {
        assert_eq!(judge(Some(&tried(900.0, &[]))).state, State::Good);
        let restless = judge(Some(&tried(1_100.0, &["allow rtprio"])));
        assert_eq!((restless.state, restless.remedy.as_deref()), (State::Warn, Some("allow rtprio")));
        assert!(judge(Some(&tried(1_100.0, &[]))).remedy.unwrap().contains("control_loop.rate_hz"));
        assert_eq!(judge(None).state, State::Bad);
    }

    #[test]
    fn the_timing_is_measured() {
        let tried = look(&Config::built_in().unwrap()).unwrap();
        assert!(tried.beats >= 100 && tried.period_us == 10_000.0, "{tried:?}");
    }
}

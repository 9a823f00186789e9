//! Measures the timing of the control loop on this computer: it runs for a second on the simulated robot in
//! this process.

use std::time::Duration;

use firmware_bridge::clock::MonotonicClock;
use firmware_bridge::control_loop::{ControlLoop, ControlLoopThread, LoopClient, LoopCommand, TimingStats};
use firmware_bridge::joint::Joints;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;

use super::Check;
use minismith_control::robot::{initial_joints, limits_of};
use minismith_runtime::config::Config;

/// The duration of the measurement.
const MEASUREMENT_TIME: Duration = Duration::from_secs(1);
/// The fraction of a period by which 99 of 100 cycles may deviate without effect.
const MAX_JITTER_FRACTION: f64 = 0.1;

/// Measures the timing at the configured rate. Returns `None` when the system gives no thread.
pub(super) fn look(config: &Config) -> Option<TimingStats> {
    let robot = MockRobot::new(initial_joints(), Variation::default());
    let mut control_loop =
        ControlLoop::new(robot, MonotonicClock::start(), limits_of(config), config.rate.period()).ok()?;
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    let thread = ControlLoopThread::start(control_loop).ok()?;
    let cycles = MEASUREMENT_TIME.as_nanos() / config.rate.period().as_nanos().max(1);
    let cycles = u64::try_from(cycles).unwrap_or(u64::MAX);
    let mut handle = thread.handle();
    handle.watch(&|snapshot| snapshot.cycles > cycles);
    Some(handle.timing_stats())
}

/// Judges the measured timing.
pub(super) fn judge(tried: Option<&TimingStats>) -> Check {
    const NAME: &str = "control loop";
    let Some(tried) = tried else {
        return Check::error(
            NAME,
            "it could not be measured: no thread could be started",
            "end other programs, and try again",
        );
    };
    let seen = format!(
        "{:.0} Hz under {}: {} between cycles; {} late",
        1e6 / tried.period_us,
        tried.scheduling,
        tried.jitter,
        tried.wakeup_latency
    );
    if tried.jitter.p99_us <= tried.period_us * MAX_JITTER_FRACTION {
        Check::ok(NAME, seen)
    } else {
        let fallback =
            "end programs that keep the processor busy, or lower control_loop.rate_hz in the configuration";
        let remedy = tried.scheduling.notes.first().map_or(fallback, String::as_str);
        Check::warning(NAME, seen, remedy)
    }
}

/// Returns good timing, for the tests of other checks.
#[cfg(test)]
pub(super) fn healthy() -> TimingStats {
    tests::tried(20.0, &[])
}

#[cfg(test)]
mod tests {
    use firmware_bridge::control_loop::{Percentiles, RealtimeScheduling};

    use super::super::CheckStatus;
    use super::*;

    pub fn tried(p99_us: f64, notes: &[&str]) -> TimingStats {
        let spread = Percentiles { p50_us: 5.0, p99_us, p999_us: p99_us, max_us: p99_us };
        let notes = notes.iter().map(ToString::to_string).collect();
        let privilege = RealtimeScheduling { realtime_priority: None, memory_locked: false, notes };
        let period_us = 10_000.0;
        TimingStats {
            cycles: 100,
            period_us,
            jitter: spread,
            wakeup_latency: spread,
            cycle_time: spread,
            scheduling: privilege,
        }
    }

    #[test]
    fn irregular_timing_gets_a_remedy() {
        assert_eq!(judge(Some(&tried(900.0, &[]))).status, CheckStatus::Ok);
        let restless = judge(Some(&tried(1_100.0, &["allow rtprio"])));
        assert_eq!(
            (restless.status, restless.remedy.as_deref()),
            (CheckStatus::Warning, Some("allow rtprio"))
        );
        assert!(judge(Some(&tried(1_100.0, &[]))).remedy.unwrap().contains("control_loop.rate_hz"));
        assert_eq!(judge(None).status, CheckStatus::Error);
    }

    #[test]
    fn the_timing_is_measured() {
        let tried = look(&Config::built_in().unwrap()).unwrap();
        assert!(tried.cycles >= 100 && tried.period_us == 10_000.0, "{tried:?}");
    }
}

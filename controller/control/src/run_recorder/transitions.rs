//! Converts the robot's state changes to journal entries: motion state, stops, faults and torque.

use std::time::Duration;

use firmware_bridge::control_loop::{CycleRecord, MotionState};
use serde_json::json;

use minismith_runtime::journal::Entry;
use minismith_runtime::report::{round_for_display, serde_name};

/// Minimum interval between two entries about overruns, robot time.
const OVERRUN_REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Detects changes from cycle to cycle.
pub struct TransitionLogger {
    period: Duration,
    last: Option<Known>,
    overruns_reported_at: u64,
}

#[derive(Clone, Copy, PartialEq)]
struct Known {
    motion_state: MotionState,
    stop_epoch: u64,
    is_faulty: bool,
    is_driven: bool,
    overruns: u64,
}

impl TransitionLogger {
    /// Creates a detector for a control loop with this period.
    pub const fn new(period: Duration) -> Self {
        TransitionLogger { period, last: None, overruns_reported_at: 0 }
    }

    /// Returns the changes of this cycle. `fault` describes the present fault, if known.
    pub fn observe(&mut self, cycle: &CycleRecord, fault: &dyn Fn() -> String) -> Vec<Entry> {
        let mut now = Known {
            motion_state: cycle.motion_state,
            stop_epoch: cycle.stop_epoch,
            is_faulty: cycle.is_faulty,
            is_driven: cycle.is_driven,
            overruns: cycle.is_overrun,
        };
        let Some(last) = self.last.replace(now) else { return Vec::new() };
        if last == now {
            return Vec::new();
        }
        let mut entries = Vec::new();
        let mut report = |what: &str, outcome: &str| {
            let robot_time_s = round_for_display(self.period.as_secs_f64() * cycle.cycle as f64);
            let entry =
                Entry::now("robot", "the control loop", what, outcome).with(json!({ "beat": cycle.cycle }));
            entries.push(Entry { robot_time_s: Some(robot_time_s), ..entry });
        };
        if now.stop_epoch != last.stop_epoch {
            report("halt", "braking");
        }
        if now.is_driven != last.is_driven {
            report("torque", if now.is_driven { "on" } else { "off" });
        }
        if now.is_faulty != last.is_faulty {
            if now.is_faulty {
                report("fault", &fault());
            } else {
                report("fault", "over");
            }
        }
        if now.motion_state != last.motion_state {
            report("doing", &serde_name(&now.motion_state));
        }
        if now.overruns != last.overruns {
            let rarely = OVERRUN_REPORT_INTERVAL.as_nanos() / self.period.as_nanos().max(1);
            if u128::from(cycle.cycle.saturating_sub(self.overruns_reported_at)) >= rarely {
                self.overruns_reported_at = cycle.cycle;
                report(
                    "late",
                    &format!("{} beats began more than a period late", now.overruns - last.overruns),
                );
            } else {
                // They are reported with the next ones.
                now.overruns = last.overruns;
                self.last = Some(now);
            }
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use firmware_bridge::clock::Timestamp;
    use firmware_bridge::joint::Joints;

    use super::*;

    fn cycle(cycle: u64, doing: MotionState) -> CycleRecord {
        CycleRecord {
            cycle,
            time: Timestamp::ZERO,
            wakeup_latency: Timestamp::ZERO,
            motion_state: doing,
            stop_epoch: 0,
            setpoint: Joints::default(),
            goal: Joints::default(),
            present: Joints::all(None),
            clamps: Joints::all(None),
            is_faulty: false,
            is_driven: true,
            is_overrun: 0,
        }
    }

    #[test]
    fn only_changes_are_reported_each_with_its_time() {
        let mut logger = TransitionLogger::new(Duration::from_millis(10));
        let mut see = |record| -> Vec<(String, String, f64)> {
            let entries = logger.observe(&record, &|| "stewart_1 is silent".into());
            entries
                .into_iter()
                .map(|entry| (entry.action, entry.outcome, entry.robot_time_s.unwrap()))
                .collect()
        };
        assert_eq!(see(cycle(0, MotionState::Holding)), []);
        assert_eq!(see(cycle(1, MotionState::Holding)), []);
        assert_eq!(see(cycle(200, MotionState::Moving)), [("doing".into(), "playing".into(), 2.0)]);
        let stopped = CycleRecord {
            stop_epoch: 1,
            is_faulty: true,
            is_overrun: 3,
            ..cycle(201, MotionState::Stopping)
        };
        let reported = see(stopped);
        let words: Vec<&str> = reported
            .iter()
            .map(|(what, outcome, _)| if what == "fault" { outcome } else { what }.as_str())
            .collect();
        assert_eq!(words, ["halt", "stewart_1 is silent", "doing", "late"]);
        // Later overruns are reported together after a second.
        let later = |cycle, is_overrun| CycleRecord { cycle, is_overrun, ..stopped };
        assert_eq!(see(later(202, 4)), []);
        assert_eq!(see(later(203, 5)), []);
        assert_eq!(see(later(301, 5))[0].1, "2 beats began more than a period late");
    }
}

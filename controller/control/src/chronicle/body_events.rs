//! Converts the robot's state changes to journal entries: motion state, stops, faults and torque.

use std::time::Duration;

use firmware_bridge::pulse::{BeatRecord, Doing};
use serde_json::json;

use minismith_runtime::journal::Entry;
use minismith_runtime::outcome::{tidy, word};

/// Minimum interval between two entries about overruns, robot time.
const LATE_EVERY: Duration = Duration::from_secs(1);

/// Detects changes from cycle to cycle.
pub struct Witness {
    period: Duration,
    last: Option<Known>,
    late_told_at: u64,
}

#[derive(Clone, Copy, PartialEq)]
struct Known {
    doing: Doing,
    halts: u64,
    is_faulty: bool,
    is_driven: bool,
    late: u64,
}

impl Witness {
    /// Creates a detector for a control loop with this period.
    pub const fn new(period: Duration) -> Self {
        Witness { period, last: None, late_told_at: 0 }
    }

    /// Returns the changes of this cycle. `fault` describes the present fault, if known.
    pub fn see(&mut self, beat: &BeatRecord, fault: &dyn Fn() -> String) -> Vec<Entry> {
        let mut now = Known {
            doing: beat.doing,
            halts: beat.halts,
            is_faulty: beat.is_faulty,
            is_driven: beat.is_driven,
            late: beat.late,
        };
        let Some(last) = self.last.replace(now) else { return Vec::new() };
        if last == now {
            return Vec::new();
        }
        let mut entries = Vec::new();
        let mut tell = |what: &str, outcome: &str| {
            let stage_s = tidy(self.period.as_secs_f64() * beat.beat as f64);
            let entry =
                Entry::now("robot", "the control loop", what, outcome).with(json!({ "beat": beat.beat }));
            entries.push(Entry { stage_s: Some(stage_s), ..entry });
        };
        if now.halts != last.halts {
            tell("halt", "braking");
        }
        if now.is_driven != last.is_driven {
            tell("torque", if now.is_driven { "on" } else { "off" });
        }
        if now.is_faulty != last.is_faulty {
            if now.is_faulty {
                tell("fault", &fault());
            } else {
                tell("fault", "over");
            }
        }
        if now.doing != last.doing {
            tell("doing", &word(&now.doing));
        }
        if now.late != last.late {
            let rarely = LATE_EVERY.as_nanos() / self.period.as_nanos().max(1);
            if u128::from(beat.beat.saturating_sub(self.late_told_at)) >= rarely {
                self.late_told_at = beat.beat;
                tell("late", &format!("{} beats began more than a period late", now.late - last.late));
            } else {
                // They are reported with the next ones.
                now.late = last.late;
                self.last = Some(now);
            }
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use firmware_bridge::clock::Tick;
    use firmware_bridge::joint::Joints;

    use super::*;

    fn beat(beat: u64, doing: Doing) -> BeatRecord {
        BeatRecord {
            beat,
            at: Tick::ZERO,
            lateness: Tick::ZERO,
            doing,
            halts: 0,
            wish: Joints::default(),
            goal: Joints::default(),
            present: Joints::all(None),
            trims: Joints::all(None),
            is_faulty: false,
            is_driven: true,
            late: 0,
        }
    }

    #[test]
    fn only_changes_are_told_each_with_its_time() {
        let mut witness = Witness::new(Duration::from_millis(10));
        let mut see = |record| -> Vec<(String, String, f64)> {
            let entries = witness.see(&record, &|| "stewart_1 is silent".into());
            entries.into_iter().map(|entry| (entry.what, entry.outcome, entry.stage_s.unwrap())).collect()
        };
        assert_eq!(see(beat(0, Doing::Holding)), []);
        assert_eq!(see(beat(1, Doing::Holding)), []);
        assert_eq!(see(beat(200, Doing::Playing)), [("doing".into(), "playing".into(), 2.0)]);
        let halted = BeatRecord { halts: 1, is_faulty: true, late: 3, ..beat(201, Doing::Braking) };
        let told = see(halted);
        let words: Vec<&str> = told
            .iter()
            .map(|(what, outcome, _)| if what == "fault" { outcome } else { what }.as_str())
            .collect();
        assert_eq!(words, ["halt", "stewart_1 is silent", "doing", "late"]);
        // Later overruns are reported together after a second.
        let later = |beat, late| BeatRecord { beat, late, ..halted };
        assert_eq!(see(later(202, 4)), []);
        assert_eq!(see(later(203, 5)), []);
        assert_eq!(see(later(301, 5))[0].1, "2 beats began more than a period late");
    }
}

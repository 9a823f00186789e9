//! Compares two traces and bounds their expected deviation.

use std::fmt;

use minismith_protocol::trace_format::Cycle;
use serde::Serialize;
use utoipa::ToSchema;

use super::RecordedTrace;

/// Step of a servo's encoder, degrees: 4096 per turn.
pub const ENCODER_STEP_DEG: f64 = 360.0 / 4096.0;

/// Tolerance for equal angles, degrees: the rounding error of writing them in degrees.
const ANGLE_TOLERANCE_DEG: f64 = 1e-9;

/// Maximum shift between the starts of two traces, cycles.
const MAX_SHIFT: i64 = 30;

/// The deviation of one kind of angles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Deviation {
    /// Maximum difference, degrees.
    pub worst_deg: f64,
    /// Root mean square difference, degrees.
    pub rms_deg: f64,
    /// The joint with the maximum difference.
    pub joint: String,
    /// Time of the maximum, seconds from the first cycle.
    pub at_s: f64,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Comparison {
    /// Number of cycles in both traces.
    #[serde(rename = "beats")]
    pub cycles: usize,
    /// Number of cycles that only the longer trace has.
    pub only_in_one: usize,
    /// Delay of the second trace, cycles. It is removed before the comparison.
    pub shift: i64,
    /// Goal positions.
    pub goal: Deviation,
    /// Present positions.
    pub present: Deviation,
    /// Whether all angles are equal.
    pub identical: bool,
    /// Time of the first cycle with different goals, seconds. `None` if all goals are equal.
    pub differs_from_s: Option<f64>,
    /// Maximum expected difference of present positions if only the path to the motors differs, degrees.
    ///
    /// It is one encoder step per trace, plus the travel of the fastest joint in a cycle.
    pub bound_deg: f64,
}

impl Comparison {
    /// Returns whether the path to the motors explains all differences.
    #[must_use]
    pub fn is_within(&self) -> bool {
        self.present.worst_deg <= self.bound_deg && self.goal.worst_deg <= self.bound_deg
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.identical {
            return write!(f, "identical in {} cycles", self.cycles);
        }
        let Comparison { cycles, goal, present, bound_deg, .. } = self;
        write!(
            f,
            "{cycles} cycles; goals differ by up to {:.3} deg ({} at {:.2} s), present positions by up to {:.3} deg ({} at \
             {:.2} s), where {bound_deg:.3} deg are explained",
            goal.worst_deg, goal.joint, goal.at_s, present.worst_deg, present.joint, present.at_s
        )
    }
}

/// Compares two traces cycle by cycle, from their first cycles on. A delay of one trace is removed.
#[must_use]
pub fn compare(one: &RecordedTrace, other: &RecordedTrace) -> Comparison {
    let shift = shift(&one.cycles, &other.cycles);
    let (first, second) = aligned(&one.cycles, &other.cycles, shift);
    let cycles = first.len().min(second.len());
    let period = one.description.period_s;
    let mut comparison = Comparison {
        cycles,
        only_in_one: one.cycles.len().max(other.cycles.len()).saturating_sub(cycles),
        shift,
        bound_deg: 2.0 * ENCODER_STEP_DEG + fastest(first).max(fastest(second)),
        ..Comparison::default()
    };
    let names: Vec<&str> = one.description.motors.iter().map(|motor| motor.name.as_str()).collect();
    let of = |list: fn(&Cycle) -> &Vec<f64>| {
        let mut deviation = Deviation::default();
        let mut squares = 0.0;
        for (position, (one, other)) in first.iter().zip(second).enumerate() {
            for ((one, other), name) in list(one).iter().zip(list(other)).zip(&names) {
                let apart = (one - other).abs();
                squares += apart * apart;
                if apart > deviation.worst_deg {
                    deviation = Deviation {
                        worst_deg: apart,
                        joint: (*name).to_owned(),
                        at_s: position as f64 * period,
                        ..deviation
                    };
                }
            }
        }
        deviation.rms_deg = (squares / (cycles.max(1) * names.len().max(1)) as f64).sqrt();
        deviation
    };
    comparison.goal = of(|cycle| &cycle.goal_deg);
    comparison.present = of(|cycle| &cycle.present_deg);
    let differs = first.iter().zip(second).position(|(one, other)| {
        one.goal_deg.iter().zip(&other.goal_deg).any(|(one, other)| (one - other).abs() > ANGLE_TOLERANCE_DEG)
    });
    comparison.differs_from_s = differs.map(|position| position as f64 * period);
    comparison.identical = comparison.only_in_one == 0
        && comparison.goal.worst_deg <= ANGLE_TOLERANCE_DEG
        && comparison.present.worst_deg <= ANGLE_TOLERANCE_DEG;
    comparison
}

/// Returns the maximum change of any joint's goal in one cycle, degrees.
fn fastest(cycles: &[Cycle]) -> f64 {
    let pairs = cycles.iter().zip(cycles.iter().skip(1));
    let steps = pairs.flat_map(|(one, next)| {
        one.goal_deg.iter().zip(&next.goal_deg).map(|(one, next)| (next - one).abs()).collect::<Vec<_>>()
    });
    steps.fold(0.0, f64::max)
}

/// Returns the delay of the second trace's goals, cycles, if a shift makes the traces more similar.
fn shift(one: &[Cycle], other: &[Cycle]) -> i64 {
    let cost = |shift: i64| {
        let (first, second) = aligned(one, other, shift);
        let pairs = first.iter().zip(second);
        let squares: f64 = pairs
            .flat_map(|(one, other)| one.goal_deg.iter().zip(&other.goal_deg))
            .map(|(one, other)| (one - other).powi(2))
            .sum();
        squares / first.len().min(second.len()).max(1) as f64
    };
    let mut shifts: Vec<i64> = (-MAX_SHIFT..=MAX_SHIFT).collect();
    shifts.sort_by_key(|shift| shift.abs());
    let mut best = (0, cost(0));
    for shift in shifts {
        let costs = cost(shift);
        // A trace that fits as well without a shift is not shifted.
        if costs < best.1 * 0.999 - ANGLE_TOLERANCE_DEG {
            best = (shift, costs);
        }
    }
    best.0
}

fn aligned<'a>(one: &'a [Cycle], other: &'a [Cycle], shift: i64) -> (&'a [Cycle], &'a [Cycle]) {
    let skip = usize::try_from(shift.unsigned_abs()).unwrap_or(usize::MAX);
    if shift >= 0 {
        (one, other.get(skip..).unwrap_or_default())
    } else {
        (one.get(skip..).unwrap_or_default(), other)
    }
}

#[cfg(test)]
mod tests {
    use firmware_bridge::limits::Limits;
    use minismith_protocol::trace_format::Message;

    use super::*;
    use crate::trace::display_units;

    /// Returns a trace in which joint `position` sways, after `late` cycles of rest.
    fn swaying(late: u64, position: usize) -> RecordedTrace {
        let begin = display_units::begin(
            "sway".into(),
            String::new(),
            std::time::Duration::from_millis(10),
            &Limits::default(),
        );
        let cycles = (0..200 + late).map(|cycle| {
            let mut degrees = vec![0.0; 9];
            degrees[position] = (cycle.saturating_sub(late) as f64 * 0.1).sin() * 10.0;
            Cycle { cycle, goal_deg: degrees.clone(), present_deg: degrees, ..Cycle::default() }
        });
        let lines = std::iter::once(Message::Header(begin))
            .chain(cycles.map(|cycle| Message::Cycle(Box::new(cycle))));
        let text: String = lines.map(|line| serde_json::to_string(&line).unwrap() + "\n").collect();
        RecordedTrace::from_lines(text.as_bytes()).unwrap()
    }

    #[test]
    fn compare_removes_a_delay() {
        let one = swaying(0, 2);
        assert!(compare(&one, &one).identical);
        let late = compare(&one, &swaying(7, 2));
        assert_eq!(late.shift, 7);
        assert!(!late.identical && late.is_within());
        assert_eq!(late.goal.worst_deg, 0.0);
    }

    #[test]
    fn compare_names_the_joint_and_time_of_a_difference() {
        let (one, mut other) = (swaying(0, 2), swaying(0, 2));
        other.cycles[50].present_deg[7] += 5.0;
        let apart = compare(&one, &other);
        assert_eq!(
            (apart.present.joint.as_str(), apart.present.at_s, apart.present.worst_deg),
            ("right_antenna", 0.5, 5.0)
        );
        assert!(!apart.is_within() && apart.differs_from_s.is_none(), "{apart}");
        assert!(!compare(&one, &swaying(0, 3)).is_within());
    }
}

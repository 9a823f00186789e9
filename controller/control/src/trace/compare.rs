//! How far two traces are apart, and how far they may be.

use std::fmt;

use minismith_wire::recording::Beat;
use serde::Serialize;
use utoipa::ToSchema;

use super::Taken;

/// The step of a servo's encoder, degrees: 4096 to a turn.
pub const ENCODER_STEP_DEG: f64 = 360.0 / 4096.0;

/// Angles that are as near as this are the same: what writing them in degrees costs.
const SAME_DEG: f64 = 1e-9;

/// Beats by which one trace may have begun earlier than the other.
const MOST_SHIFT: i64 = 30;

/// How far angles of one kind are apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Deviation {
    /// The greatest difference, degrees.
    pub worst_deg: f64,
    /// The root of the mean of the squares, degrees.
    pub rms_deg: f64,
    /// The joint with the greatest.
    pub joint: String,
    /// When it was greatest, seconds from the first beat.
    pub at_s: f64,
}

/// What comparing two traces gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Comparison {
    /// Beats that both have.
    pub beats: usize,
    /// Beats that only the longer one has.
    pub only_in_one: usize,
    /// By how many beats the second one is later; it is moved by as many before it is compared.
    pub shift: i64,
    /// The goal positions.
    pub goal: Deviation,
    /// The present positions.
    pub present: Deviation,
    /// Whether all angles are the same.
    pub identical: bool,
    /// The first beat's time on which goals are not the same, seconds; none where they are.
    pub differs_from_s: Option<f64>,
    /// How far present positions may be apart where only the way to the motors differs, degrees: a step of the encoder on
    /// each side, and what the fastest joint goes in a beat.
    pub bound_deg: f64,
}

impl Comparison {
    /// Whether nothing differs by more than the way to the motors explains.
    #[must_use]
    pub fn is_within(&self) -> bool {
        self.present.worst_deg <= self.bound_deg && self.goal.worst_deg <= self.bound_deg
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.identical {
            return write!(f, "identical in {} beats", self.beats);
        }
        let Comparison { beats, goal, present, bound_deg, .. } = self;
        write!(
            f,
            "{beats} beats; goals differ by up to {:.3} deg ({} at {:.2} s), present positions by up to {:.3} deg ({} at \
             {:.2} s), where {bound_deg:.3} deg are explained",
            goal.worst_deg, goal.joint, goal.at_s, present.worst_deg, present.joint, present.at_s
        )
    }
}

/// Compares two traces, beat by beat from their first ones on. One that began some beats later is moved by as many.
#[must_use]
pub fn compare(one: &Taken, other: &Taken) -> Comparison {
    let shift = shift(&one.beats, &other.beats);
    let (first, second) = aligned(&one.beats, &other.beats, shift);
    let beats = first.len().min(second.len());
    let period = one.about.period_s;
    let mut comparison = Comparison {
        beats,
        only_in_one: one.beats.len().max(other.beats.len()).saturating_sub(beats),
        shift,
        bound_deg: 2.0 * ENCODER_STEP_DEG + fastest(first).max(fastest(second)),
        ..Comparison::default()
    };
    let names: Vec<&str> = one.about.motors.iter().map(|motor| motor.name.as_str()).collect();
    let of = |list: fn(&Beat) -> &Vec<f64>| {
        let mut deviation = Deviation::default();
        let mut squares = 0.0;
        for (place, (one, other)) in first.iter().zip(second).enumerate() {
            for ((one, other), name) in list(one).iter().zip(list(other)).zip(&names) {
                let apart = (one - other).abs();
                squares += apart * apart;
                if apart > deviation.worst_deg {
                    deviation = Deviation {
                        worst_deg: apart,
                        joint: (*name).to_owned(),
                        at_s: place as f64 * period,
                        ..deviation
                    };
                }
            }
        }
        deviation.rms_deg = (squares / (beats.max(1) * names.len().max(1)) as f64).sqrt();
        deviation
    };
    comparison.goal = of(|beat| &beat.goal_deg);
    comparison.present = of(|beat| &beat.present_deg);
    let differs = first.iter().zip(second).position(|(one, other)| {
        one.goal_deg.iter().zip(&other.goal_deg).any(|(one, other)| (one - other).abs() > SAME_DEG)
    });
    comparison.differs_from_s = differs.map(|place| place as f64 * period);
    comparison.identical = comparison.only_in_one == 0
        && comparison.goal.worst_deg <= SAME_DEG
        && comparison.present.worst_deg <= SAME_DEG;
    comparison
}

/// The most that any joint was told to go in one beat, degrees.
fn fastest(beats: &[Beat]) -> f64 {
    let pairs = beats.iter().zip(beats.iter().skip(1));
    let steps = pairs.flat_map(|(one, next)| {
        one.goal_deg.iter().zip(&next.goal_deg).map(|(one, next)| (next - one).abs()).collect::<Vec<_>>()
    });
    steps.fold(0.0, f64::max)
}

/// By how many beats the second's goals are behind those of the first, as far as that makes them more alike.
fn shift(one: &[Beat], other: &[Beat]) -> i64 {
    let cost = |shift: i64| {
        let (first, second) = aligned(one, other, shift);
        let pairs = first.iter().zip(second);
        let squares: f64 = pairs
            .flat_map(|(one, other)| one.goal_deg.iter().zip(&other.goal_deg))
            .map(|(one, other)| (one - other).powi(2))
            .sum();
        squares / first.len().min(second.len()).max(1) as f64
    };
    let mut shifts: Vec<i64> = (-MOST_SHIFT..=MOST_SHIFT).collect();
    shifts.sort_by_key(|shift| shift.abs());
    let mut best = (0, cost(0));
    for shift in shifts {
        let costs = cost(shift);
        // What is as alike without is not moved.
        if costs < best.1 * 0.999 - SAME_DEG {
            best = (shift, costs);
        }
    }
    best.0
}

fn aligned<'a>(one: &'a [Beat], other: &'a [Beat], shift: i64) -> (&'a [Beat], &'a [Beat]) {
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
    use minismith_wire::recording::Message;

    use super::*;
    use crate::trace::words;

    /// Joint `place` sways; `late` beats of rest come first.
    fn swaying(late: u64, place: usize) -> Taken {
        let begin = words::begin(
            "sway".into(),
            String::new(),
            std::time::Duration::from_millis(10),
            &Limits::default(),
        );
        let beats = (0..200 + late).map(|beat| {
            let mut degrees = vec![0.0; 9];
            degrees[place] = (beat.saturating_sub(late) as f64 * 0.1).sin() * 10.0;
            Beat { beat, goal_deg: degrees.clone(), present_deg: degrees, ..Beat::default() }
        });
        let lines =
            std::iter::once(Message::Begin(begin)).chain(beats.map(|beat| Message::Beat(Box::new(beat))));
        let text: String = lines.map(|line| serde_json::to_string(&line).unwrap() + "\n").collect();
        Taken::from_lines(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_same_is_identical_and_a_later_one_is_moved() {
        let one = swaying(0, 2);
        assert!(compare(&one, &one).identical);
        let late = compare(&one, &swaying(7, 2));
        assert_eq!(late.shift, 7);
        assert!(!late.identical && late.is_within());
        assert_eq!(late.goal.worst_deg, 0.0);
    }

    #[test]
    fn what_differs_is_named_with_its_joint_and_time() {
        let (one, mut other) = (swaying(0, 2), swaying(0, 2));
        other.beats[50].present_deg[7] += 5.0;
        let apart = compare(&one, &other);
        assert_eq!(
            (apart.present.joint.as_str(), apart.present.at_s, apart.present.worst_deg),
            ("right_antenna", 0.5, 5.0)
        );
        assert!(!apart.is_within() && apart.differs_from_s.is_none(), "{apart}");
        assert!(!compare(&one, &swaying(0, 3)).is_within());
    }
}

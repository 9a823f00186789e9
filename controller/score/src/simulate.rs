//! Simulates roughly what the robot would do, to rank candidates: each axis follows its goal with a lag.
//!
//! The verdict about a tool comes from its rehearsal, never from this.

use crate::axis::{Axis, AxisValues};
use crate::stimuli::Stimuli;
use crate::timeline::Timeline;
use crate::trace::MotionTrace;

/// The time constant of an axis' first-order lag, seconds.
const LAG_SECONDS: f64 = 0.08;
/// The time between samples, seconds.
const PERIOD_SECONDS: f64 = 0.02;
/// How long the trace goes on after the end of the call, seconds: the axes arrive.
const SETTLING_SECONDS: f64 = 0.5;

/// Returns the trace that a call would roughly have, with the stimuli that its timeline was compiled with.
#[must_use]
pub fn simulate(timeline: &Timeline, stimuli: &Stimuli) -> MotionTrace {
    let share = 1.0 - (-PERIOD_SECONDS / LAG_SECONDS).exp();
    let count = ((timeline.seconds() + SETTLING_SECONDS) / PERIOD_SECONDS).ceil().clamp(0.0, 1e6) as usize;
    let mut present = timeline.axes_at(-1.0);
    let mut samples: Vec<AxisValues> = Vec::with_capacity(count);
    for index in 0..count {
        let goals = timeline.axes_at(index as f64 * PERIOD_SECONDS);
        for axis in Axis::ALL {
            present[axis] += (goals[axis] - present[axis]) * share;
        }
        samples.push(present);
    }
    MotionTrace {
        period: PERIOD_SECONDS,
        samples,
        events: stimuli.spans().to_vec(),
        sounds: timeline.sounds().iter().map(|(at, _)| *at).collect(),
        photos: timeline.photos().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Arguments, Setting, compile};
    use crate::score::{Move, Score, Step};
    use crate::target::{Part, Target};

    #[test]
    fn axes_follow_their_goals_and_arrive() {
        let turn = Step::Move(Move {
            part: Part::Head,
            targets: vec![(Target::HeadRight, 30.0.into())],
            seconds: Some(1.0.into()),
            easing: None,
        });
        let steps = vec![Step::Sound("a.wav".to_owned()), turn];
        let score =
            Score { name: "t".to_owned(), summary: "Turns.".to_owned(), parameters: Vec::new(), steps };
        let timeline = compile(&score, &Arguments::new(), &Setting::default()).unwrap();
        let trace = simulate(&timeline, &Stimuli::default());
        assert_eq!(trace.samples.len(), 75);
        let middle = trace.samples[25][Axis::HeadTurn];
        assert!((-14.0..-5.0).contains(&middle), "{middle}");
        assert!((trace.samples[74][Axis::HeadTurn] + 30.0).abs() < 0.1);
        assert!((trace.samples[74][Axis::AntennaLeft] + 10.0).abs() < 1e-9);
        assert_eq!(trace.sounds, [0.0]);
    }
}

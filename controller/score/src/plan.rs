//! How a call would run on the robot: what each joint is asked for, and what the safety envelope makes of it.
//!
//! A person who edits a motion sees this while they drag. The verdict about a tool comes from its rehearsal, never from
//! this.

use std::time::Duration;

use firmware_bridge::envelope::{Action, ClampCause, Envelope};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::limits::Limits;

use crate::target::Part;
use crate::timeline::{StepRun, Timeline};

/// The time between samples: a cycle of the control loop at 50 Hz.
pub const PERIOD: Duration = Duration::from_millis(20);
/// How long the plan goes on after the end of the call, seconds: the joints arrive.
const SETTLING_SECONDS: f64 = 0.5;
/// Smaller differences between a setpoint and its command are not reported, degrees.
const REPORTED_DEGREES: f64 = 1.0;
/// Two clamps of a joint are one if the time between them is at most this long, seconds.
const GAP_SECONDS: f64 = 0.2;

/// The course of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The duration of the call, seconds.
    pub seconds: f64,
    /// One sample per [`PERIOD`], from the beginning of the call until shortly after its end.
    pub samples: Vec<PlanSample>,
    /// What the envelope would hold back, in the order of its beginnings.
    pub clamps: Vec<PlannedClamp>,
    /// The first time, seconds, at which a movement ends in a pose that the legs cannot reach.
    pub unreachable: Option<f64>,
}

/// The joints at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanSample {
    /// What the motion asks for; the last reachable pose where it asks for one that the legs cannot reach.
    pub setpoint: Joints,
    /// What the envelope would command.
    pub command: Joints,
    /// The largest velocity that the motion asks of a joint of each part, in the order of [`Part::ALL`], as a fraction of
    /// the joint's limit.
    pub speeds: [f64; 3],
}

impl PlanSample {
    /// Returns the largest of the speeds.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.speeds.iter().copied().fold(0.0, f64::max)
    }
}

/// A time in which the envelope would hold a joint back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedClamp {
    /// The joint.
    pub joint: Joint,
    /// The limit that causes the largest difference.
    pub cause: ClampCause,
    /// When it begins, seconds.
    pub from: f64,
    /// When it ends, seconds.
    pub to: f64,
    /// The largest difference between the setpoint and the command, degrees.
    pub most_deg: f64,
}

impl Plan {
    /// Plans a call under these limits, from the beginning of its timeline.
    #[must_use]
    pub fn new(timeline: &Timeline, limits: &Limits) -> Self {
        let period = PERIOD.as_secs_f64();
        let count = ((timeline.seconds() + SETTLING_SECONDS) / period).ceil().clamp(0.0, 1e5) as usize;
        let setpoint_at = |time: f64| joints_from_posture(&timeline.at(time)).ok();
        let mut last = setpoint_at(-1.0).unwrap_or_default();
        let mut envelope = Envelope::at_rest(*limits, last);
        let mut plan = Plan {
            seconds: timeline.seconds(),
            samples: Vec::with_capacity(count),
            clamps: Vec::new(),
            unreachable: timeline.unreachable(),
        };
        for index in 0..count {
            let time = index as f64 * period;
            let setpoint = setpoint_at(time).unwrap_or(last);
            let speeds = Joints::from_fn(|joint| {
                (setpoint[joint] - last[joint]).abs().value()
                    / (limits.joints[joint].max_velocity.value() * period)
            });
            let limited = envelope.limit(&setpoint, PERIOD);
            let command = match limited.command.action() {
                Action::Targets(targets) => *targets,
                _ => *envelope.position(),
            };
            for joint in Joint::ALL {
                if let Some(clamp) = &limited.clamps[joint] {
                    plan.add_clamp(joint, clamp.cause, time, clamp.amount.abs().degrees());
                }
            }
            let speeds =
                Part::ALL.map(|part| joints_of(part).iter().map(|joint| speeds[*joint]).fold(0.0, f64::max));
            plan.samples.push(PlanSample { setpoint, command, speeds });
            last = setpoint;
        }
        plan.clamps.retain(|clamp| clamp.most_deg >= REPORTED_DEGREES);
        plan.clamps.sort_by(|one, other| one.from.total_cmp(&other.from));
        plan
    }

    /// Returns the largest speed of these parts while a step runs, as a fraction of the limits.
    #[must_use]
    pub fn peak_speed(&self, run: &StepRun, parts: &[Part]) -> f64 {
        let period = PERIOD.as_secs_f64();
        // The speed of a sample is that of the time before it.
        let first = (run.start / period).floor().max(0.0) as usize + 1;
        let last = (run.end / period).ceil().max(0.0) as usize;
        let within = self.samples.get(first..=last.min(self.samples.len().saturating_sub(1)));
        let speeds = within.unwrap_or(&[]).iter().flat_map(|sample| Part::ALL.into_iter().zip(sample.speeds));
        speeds.filter(|(part, _)| parts.contains(part)).map(|(_, speed)| speed).fold(0.0, f64::max)
    }

    fn add_clamp(&mut self, joint: Joint, cause: ClampCause, time: f64, degrees: f64) {
        let same = |clamp: &&mut PlannedClamp| clamp.joint == joint && time - clamp.to <= GAP_SECONDS;
        match self.clamps.iter_mut().rev().find(same) {
            Some(clamp) => {
                clamp.to = time;
                if degrees > clamp.most_deg {
                    (clamp.cause, clamp.most_deg) = (cause, degrees);
                }
            }
            None => self.clamps.push(PlannedClamp { joint, cause, from: time, to: time, most_deg: degrees }),
        }
    }
}

/// Returns the joints that move a part.
const fn joints_of(part: Part) -> &'static [Joint] {
    match part {
        Part::Head => &Joint::STEWART,
        Part::Antennas => &[Joint::RightAntenna, Joint::LeftAntenna],
        Part::Body => &[Joint::BodyYaw],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Arguments, Setting, compile};
    use crate::score::{Move, Score, Step};
    use crate::target::Target;

    fn planned(steps: Vec<Step>) -> (Plan, Timeline) {
        let score =
            Score { name: "t".to_owned(), summary: "Moves.".to_owned(), parameters: Vec::new(), steps };
        let timeline = compile(&score, &Arguments::new(), &Setting::default()).unwrap();
        (Plan::new(&timeline, &Limits::default()), timeline)
    }

    fn turn(target: Target, part: Part, amount: f64, seconds: f64) -> Step {
        let targets = vec![(target, amount.into())];
        Step::Move(Move { part, targets, seconds: Some(seconds.into()), easing: None })
    }

    #[test]
    fn calm_motion_is_not_held_back() {
        let (plan, timeline) = planned(vec![turn(Target::BodyLeft, Part::Body, 40.0, 2.0)]);
        assert_eq!((plan.clamps.len(), plan.unreachable), (0, None));
        let last = plan.samples.last().unwrap();
        assert!((last.command[Joint::BodyYaw].degrees() - 40.0).abs() < 0.1);
        // Minimum jerk: the peak is 15/8 of the mean, 37.5 degrees per second here.
        let limit = Limits::default().joints[Joint::BodyYaw].max_velocity.degrees();
        let peak = plan.peak_speed(&timeline.runs()[0], &[Part::Body]);
        assert!((peak - 37.5 / limit).abs() < 0.02, "{peak}");
        assert_eq!(plan.peak_speed(&timeline.runs()[0], &[Part::Antennas]), 0.0);
    }

    #[test]
    fn motion_beyond_the_velocity_limit_is_named_with_its_time() {
        let still = Step::Wait(1.0.into());
        let (plan, timeline) = planned(vec![still, turn(Target::BodyLeft, Part::Body, 150.0, 0.3)]);
        let clamp = plan.clamps.iter().find(|clamp| clamp.joint == Joint::BodyYaw).unwrap();
        assert!((1.0..1.3).contains(&clamp.from) && clamp.to > 1.3, "{clamp:?}");
        assert!(clamp.most_deg > 20.0, "{clamp:?}");
        assert!(plan.peak_speed(&timeline.runs()[1], &Part::ALL) > 1.5);
        assert!(plan.peak_speed(&timeline.runs()[0], &[Part::Body]) < 0.01);
        for sample in plan.samples.windows(2) {
            let step = (sample[1].command[Joint::BodyYaw] - sample[0].command[Joint::BodyYaw]).abs().value();
            let most = Limits::default().joints[Joint::BodyYaw].max_velocity.value() * PERIOD.as_secs_f64();
            assert!(step <= most * 1.001, "{step} {most}");
        }
    }

    #[test]
    fn steps_run_at_their_times_and_in_each_round() {
        let round =
            vec![turn(Target::HeadLeft, Part::Head, 10.0, 0.5), turn(Target::HeadLeft, Part::Head, 0.0, 0.5)];
        let tracks = Step::Together(vec![
            Step::Repeat { times: 2.0.into(), steps: round },
            turn(Target::BodyLeft, Part::Body, 20.0, 1.5),
        ]);
        let (_, timeline) = planned(vec![Step::Wait(0.5.into()), tracks]);
        let runs: Vec<(usize, f64, f64)> =
            timeline.runs().iter().map(|run| (run.step, run.start, run.end)).collect();
        let expected = [
            (0, 0.0, 0.5),
            (1, 0.5, 2.5),
            (2, 0.5, 2.5),
            (3, 0.5, 1.0),
            (4, 1.0, 1.5),
            (3, 1.5, 2.0),
            (4, 2.0, 2.5),
            (5, 0.5, 2.0),
        ];
        assert_eq!(runs, expected);
    }
}

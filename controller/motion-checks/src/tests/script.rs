//! Synthetic motions from a line of text: minimum-jerk moves, measured with noise and with the servos' lag.

use std::f64::consts::TAU;

use crate::axis::Axis;
use crate::cases::Stimulus;
use crate::judge::stimulus_events;
use crate::trace::{
    EventKind, NEUTRAL_LEFT_ANTENNA_DEG, NEUTRAL_RIGHT_ANTENNA_DEG, Sample, Trace, TraceEvent,
};

/// How a motion is measured.
#[derive(Clone, Copy, Debug)]
pub struct Recording {
    /// The sample period, seconds.
    pub period_s: f64,
    /// The seed of the noise.
    pub seed: u64,
}

/// What most tests use.
pub const USUAL: Recording = Recording { period_s: 0.02, seed: 0x9e37_79b9_7f4a_7c15 };
/// The standard deviation of the measurement, degrees or millimetres.
const NOISE: f64 = 0.3;
/// The servos follow the goal after this time, half as a dead time and half as a first-order lag, seconds.
const LAG_S: f64 = 0.1;
/// The trace goes on after the last step for this time, seconds.
const REST_S: f64 = 0.5;

/// The axes that a script moves, in the order of the numbers in a posture.
const AXES: [Axis; 9] = [
    Axis::HeadTurn,
    Axis::HeadPitch,
    Axis::HeadTilt,
    Axis::HeadForward,
    Axis::HeadSide,
    Axis::HeadRise,
    Axis::BodyTurn,
    Axis::AntennaLeft,
    Axis::AntennaRight,
];

/// What a script does at one moment.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Axes move to deviations from neutral in a time, seconds.
    Move(Vec<(Axis, f64)>, f64),
    /// Nothing happens for a time, seconds.
    Wait(f64),
    /// A signal.
    Signal(EventKind),
}

/// Reads a script; see `tests/cases/authoring_motions.yaml`.
pub fn parse(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (step, after) = match rest.find("x(") {
            Some(at) if rest[..at].chars().all(|character| character.is_ascii_digit()) => {
                let close = rest.find(')').expect("a repetition ends");
                let times: usize = rest[..at].parse().expect("a number of repetitions");
                (vec![parse(&rest[at + 2..close]); times].concat(), &rest[close + 1..])
            }
            _ => {
                let end = rest.find(';').unwrap_or(rest.len());
                (vec![parse_step(rest[..end].trim())], &rest[end..])
            }
        };
        steps.extend(step);
        rest = after.trim_start_matches(';').trim();
    }
    steps
}

fn parse_step(text: &str) -> Step {
    let number = |text: &str| text.trim().parse::<f64>().unwrap_or_else(|_| panic!("`{text}` is no number"));
    match text.split_once(' ') {
        None if text == "sound" => return Step::Signal(EventKind::Sound),
        None if text == "photo" => return Step::Signal(EventKind::Photo),
        Some(("say", words)) => return Step::Signal(EventKind::Speech { text: words.to_owned() }),
        Some(("wait", time)) => return Step::Wait(number(time)),
        _ => {}
    }
    let (moves, time) = text.rsplit_once(" in ").unwrap_or_else(|| panic!("`{text}` has no time"));
    let mut targets = Vec::new();
    for one in moves.split(',') {
        let words: Vec<&str> = one.split_whitespace().collect();
        let sign = match words[1..words.len() - 1] {
            [] | ["left" | "up" | "out"] => 1.0,
            ["right" | "down" | "in" | "back"] => -1.0,
            _ => panic!("`{one}` has no direction"),
        };
        let value = sign * number(words[words.len() - 1]);
        let axes = match words[0] {
            "turn" => vec![Axis::HeadTurn],
            "pitch" => vec![Axis::HeadPitch],
            "tilt" => vec![Axis::HeadTilt],
            "forward" => vec![Axis::HeadForward],
            "side" => vec![Axis::HeadSide],
            "rise" => vec![Axis::HeadRise],
            "body" => vec![Axis::BodyTurn],
            "left" => vec![Axis::AntennaLeft],
            "right" => vec![Axis::AntennaRight],
            "ears" => vec![Axis::AntennaLeft, Axis::AntennaRight],
            axis => panic!("`{axis}` is no axis"),
        };
        targets.extend(axes.into_iter().map(|axis| (axis, value)));
    }
    Step::Move(targets, number(time))
}

/// Returns the steps as if left and right were exchanged.
pub fn mirrored(steps: &[Step]) -> Vec<Step> {
    let mirror = |(axis, value): &(Axis, f64)| match axis {
        Axis::AntennaLeft => (Axis::AntennaRight, *value),
        Axis::AntennaRight => (Axis::AntennaLeft, *value),
        Axis::HeadTurn | Axis::HeadTilt | Axis::HeadSide | Axis::BodyTurn => (*axis, -value),
        _ => (*axis, *value),
    };
    let step = |step: &Step| match step {
        Step::Move(targets, time) => Step::Move(targets.iter().map(mirror).collect(), *time),
        other => other.clone(),
    };
    steps.iter().map(step).collect()
}

/// Measures the motion of steps while something is shown.
pub fn measure(steps: &[Step], shown: &[Stimulus], Recording { period_s, seed }: Recording) -> Trace {
    let mut goals: Vec<[f64; 9]> = vec![[0.0; 9]];
    let mut events = stimulus_events(shown);
    for step in steps {
        let from = *goals.last().expect("a first posture");
        match step {
            Step::Wait(time) => goals.extend(vec![from; (time / period_s).round() as usize]),
            Step::Signal(kind) => {
                events.push(TraceEvent { at_s: goals.len() as f64 * period_s, kind: kind.clone() });
            }
            Step::Move(targets, time) => {
                let count = (time / period_s).round().max(1.0) as usize;
                for index in 1..=count {
                    let s = index as f64 / count as f64;
                    let share = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
                    let mut posture = from;
                    for (axis, value) in targets {
                        let place = AXES.iter().position(|one| one == axis).expect("an axis of a script");
                        posture[place] += share * (value - from[place]);
                    }
                    goals.push(posture);
                }
            }
        }
    }
    let last = *goals.last().expect("a last posture");
    goals.extend(vec![last; (REST_S / period_s) as usize]);
    events.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));

    let dead = (0.5 * LAG_S / period_s) as usize;
    let blend = 1.0 - (-period_s / (0.5 * LAG_S)).exp();
    let mut present = [0.0; 9];
    let mut noise = Noise(seed);
    let samples = (0..goals.len())
        .map(|index| {
            let goal = goals[index.saturating_sub(dead)];
            for (axis, value) in present.iter_mut().enumerate() {
                *value += blend * (goal[axis] - *value);
            }
            sample(present.map(|value| value + NOISE * noise.next()))
        })
        .collect();
    Trace { period_s, samples, events }
}

/// Returns the sample of deviations in the order of [`AXES`], written here a second time in the official signs.
fn sample(deviation: [f64; 9]) -> Sample {
    let [turn, pitch_up, tilt_left, forward, side, rise, body, left_out, right_out] = deviation;
    Sample {
        head_x_mm: forward,
        head_y_mm: side,
        head_z_mm: rise,
        head_roll_deg: -tilt_left,
        head_pitch_deg: -pitch_up,
        head_yaw_deg: (turn + body + 180.0).rem_euclid(360.0) - 180.0,
        body_yaw_deg: body,
        right_antenna_deg: NEUTRAL_RIGHT_ANTENNA_DEG + right_out,
        left_antenna_deg: NEUTRAL_LEFT_ANTENNA_DEG - left_out,
    }
}

/// Measures the motion of a script that nothing is shown to.
pub fn trace(script: &str) -> Trace {
    measure(&parse(script), &[], USUAL)
}

/// Normally distributed numbers, the same in each test.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as f64 + 1.0) / ((1_u64 << 53) as f64 + 1.0)
    }

    fn next(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (TAU * self.uniform()).cos()
    }
}

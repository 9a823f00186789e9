//! From a meaning to the steps of a motion, from the posture in which the robot is.

use minismith_score::target::{Part, Target};
use minismith_score::{Axis, AxisValues, Direction, Move, Number, Score, Setting, Step, Timeline, compile};

use crate::concept::Compared;
use crate::limits::LONGEST_DANCE_S;
use crate::meaning::{Aim, Amount, Gesture, Meaning};
use crate::refusal::Refusal;

/// The shortest and the longest duration of one movement, seconds.
const MOVE_SECONDS: (f64, f64) = (0.15, 30.0);
/// The duration of a bar of a dance, seconds.
const BAR_SECONDS: f64 = 2.0;
/// Seconds for each degree or millimetre of a gesture, at its usual tempo.
const GESTURE_PACE: f64 = 0.02;

/// An antenna within this angle counts as upright, degrees.
const UPRIGHT_DEGREES: f64 = 15.0;
/// Where an upright antenna goes that is raised, degrees outward.
const RAISED_DEGREES: f64 = 45.0;

/// The rest between a gesture of one antenna and a gesture of the other one, so that one sees them apart, seconds.
const BETWEEN_ANTENNAS_SECONDS: f64 = 0.3;

/// Returns the course of a motion from a posture.
///
/// # Errors
/// The reason why the robot can't do it.
pub fn timeline(meaning: &Meaning, start: &AxisValues) -> Result<Timeline, Refusal> {
    steps(meaning, start).map(|(_, timeline)| timeline)
}

/// Returns the steps of a motion from a posture, and their course.
///
/// # Errors
/// The reason why the robot can't do it.
pub fn steps(meaning: &Meaning, start: &AxisValues) -> Result<(Vec<Step>, Timeline), Refusal> {
    // What goes as far as it can goes less far where the legs end first.
    for share in [1.0, 0.9, 0.8, 0.65, 0.5] {
        let steps = steps_within(meaning, start, share)?;
        let score =
            Score { name: "spoken".to_owned(), summary: "Moves.".to_owned(), parameters: Vec::new(), steps };
        let setting = Setting { start: *start, ..Setting::default() };
        let timeline =
            compile(&score, &std::collections::BTreeMap::new(), &setting).map_err(|_| Refusal::TooLong)?;
        if timeline.unreachable().is_none() {
            return Ok((score.steps, timeline));
        }
        if !is_flexible(meaning) {
            break;
        }
    }
    Err(Refusal::OutOfReach)
}

/// Returns whether a part of a motion leaves open how far it goes.
fn is_flexible(meaning: &Meaning) -> bool {
    match meaning {
        Meaning::Go { aims, .. } => aims.iter().any(|aim| !matches!(aim.amount, Amount::Exactly(_))),
        Meaning::Gesture(gesture) => {
            gesture.strokes.iter().flatten().any(|aim| !matches!(aim.amount, Amount::Exactly(_)))
        }
        Meaning::Sequence(inner) | Meaning::Together(inner) => inner.iter().any(is_flexible),
        Meaning::Repeat(_, inner) => is_flexible(inner),
        _ => false,
    }
}

/// Returns the steps of a motion from a posture. `share` scales what is not said exactly.
fn steps_within(meaning: &Meaning, start: &AxisValues, share: f64) -> Result<Vec<Step>, Refusal> {
    let mut builder = Builder { now: *start, share, steps: Vec::new() };
    builder.build(meaning)?;
    Ok(builder.steps)
}

struct Builder {
    now: AxisValues,
    share: f64,
    steps: Vec<Step>,
}

impl Builder {
    fn build(&mut self, meaning: &Meaning) -> Result<(), Refusal> {
        match meaning {
            Meaning::Go { aims, seconds, pace } => {
                let goals = self.goals(aims)?;
                self.go(&goals, *seconds, *pace);
            }
            Meaning::Gesture(gesture) => self.gesture(gesture)?,
            Meaning::Dance(seconds) if *seconds > LONGEST_DANCE_S => {
                return Err(Refusal::DanceSeconds);
            }
            Meaning::Dance(seconds) => self.dance(*seconds),
            Meaning::Wait(seconds) => self.steps.push(Step::Wait(Number::Value(rounded(*seconds)))),
            Meaning::Neutral { axes, seconds, pace } => {
                let goals: Vec<(Axis, f64)> = axes.iter().map(|axis| (*axis, axis.neutral())).collect();
                self.go(&goals, *seconds, *pace);
            }
            Meaning::Posture(posture) => {
                let goals: Vec<(Axis, f64)> = Axis::ALL.iter().map(|axis| (*axis, posture[*axis])).collect();
                self.go(&goals, None, 1.0);
            }
            Meaning::Wake => self.steps.push(Step::Play("wake_up".to_owned())),
            Meaning::Sleep => self.steps.push(Step::Play("go_to_sleep".to_owned())),
            Meaning::Sound => self.steps.push(Step::Sound("wake_up.wav".to_owned())),
            Meaning::Sequence(inner) => {
                for (at, one) in inner.iter().enumerate() {
                    let before = at.checked_sub(1).and_then(|before| inner.get(before));
                    if before.is_some_and(|before| is_other_antenna(before, one)) {
                        self.steps.push(Step::Wait(Number::Value(BETWEEN_ANTENNAS_SECONDS)));
                    }
                    self.build(one)?;
                }
            }
            Meaning::Together(inner) => self.together(inner)?,
            Meaning::Repeat(count, inner) => {
                for _ in 0..*count {
                    self.build(inner)?;
                }
            }
        }
        Ok(())
    }

    /// Returns where axes go.
    fn goals(&self, aims: &[Aim]) -> Result<Vec<(Axis, f64)>, Refusal> {
        let mut goals: Vec<(Axis, f64)> = Vec::new();
        for aim in aims {
            let direction = direction(aim.axis, aim.sign);
            let reach = reach(aim.axis, direction);
            let goal = match aim.amount {
                _ if aim.sign == 0.0 => aim.axis.neutral(),
                // Upright; an antenna that is upright already swings out, so that one sees it.
                Amount::Usual(_) if aim.usual == 0.0 && self.now[aim.axis].abs() > UPRIGHT_DEGREES => {
                    aim.axis.neutral()
                }
                // Beside one that is down, it is up where it is: "one down, the other up".
                Amount::Usual(_) if aim.usual == 0.0 && self.has_other_antenna_away(aim, aims) => {
                    aim.axis.neutral()
                }
                Amount::Usual(_) if aim.usual == 0.0 => RAISED_DEGREES,
                Amount::Usual(factor) => aim.sign * (aim.usual * factor).min(reach) * self.share,
                Amount::Most => aim.sign * reach * self.share,
                Amount::Exactly(amount) if aim.sign * aim.axis.neutral() + amount > reach + 1e-9 => {
                    return Err(too_far(aim.axis, direction));
                }
                Amount::Exactly(amount) => aim.axis.neutral() + aim.sign * amount,
                Amount::Further(amount) => {
                    let goal = self.now[aim.axis] + aim.sign * amount;
                    goal.clamp(
                        -self::reach(aim.axis, self::direction(aim.axis, -1.0)),
                        self::reach(aim.axis, self::direction(aim.axis, 1.0)),
                    )
                }
            };
            goals.push((aim.axis, goal));
        }
        Ok(goals)
    }

    /// Returns whether the other antenna is not upright, or is to go away from there.
    fn has_other_antenna_away(&self, aim: &Aim, aims: &[Aim]) -> bool {
        let other = Axis::ANTENNAS.into_iter().find(|axis| *axis != aim.axis);
        other.is_some_and(|other| {
            self.now[other].abs() > UPRIGHT_DEGREES
                || aims.iter().any(|one| one.axis == other && one.sign != 0.0 && one.usual != 0.0)
        })
    }

    /// Appends a movement to values.
    fn go(&mut self, goals: &[(Axis, f64)], seconds: Option<f64>, pace: f64) {
        let mut moves: Vec<(Part, Vec<(Axis, f64)>)> = Vec::new();
        for (axis, goal) in goals {
            let part = part_of(*axis);
            match moves.iter_mut().find(|(known, _)| *known == part) {
                Some((_, own)) => own.push((*axis, *goal)),
                None => moves.push((part, vec![(*axis, *goal)])),
            }
        }
        let duration = |part: Part, own: &[(Axis, f64)]| {
            let change = |is_shift: bool| {
                own.iter()
                    .filter(|(axis, _)| axis.is_shift() == is_shift)
                    .map(|(axis, goal)| (goal - self.now[*axis]).abs())
                    .fold(0.0, f64::max)
            };
            part.default_seconds(change(false), change(true)) * pace
        };
        let usual = moves.iter().map(|(part, own)| duration(*part, own)).fold(0.0, f64::max);
        let seconds = rounded(seconds.unwrap_or(usual).clamp(MOVE_SECONDS.0, MOVE_SECONDS.1));
        let steps: Vec<Step> = moves
            .iter()
            .map(|(part, own)| {
                let targets = own.iter().filter_map(|(axis, goal)| {
                    let direction = direction(*axis, if *goal < 0.0 { -1.0 } else { 1.0 });
                    Some((target(*axis, direction)?, Number::Value(rounded(goal.abs()))))
                });
                Step::Move(Move {
                    part: *part,
                    targets: targets.collect(),
                    seconds: Some(Number::Value(seconds)),
                    easing: None,
                })
            })
            .collect();
        for (axis, goal) in goals {
            self.now[*axis] = *goal;
        }
        match <[Step; 1]>::try_from(steps) {
            Ok([step]) => self.steps.push(step),
            Err(steps) if steps.is_empty() => {}
            Err(steps) => self.steps.push(Step::Together(steps)),
        }
    }

    fn gesture(&mut self, gesture: &Gesture) -> Result<(), Refusal> {
        let before = self.now;
        // Where both ends of a stroke are within reach.
        let mut middle = self.now;
        let mut largest: f64 = 0.0;
        let mut strokes: Vec<Vec<(Axis, f64)>> = Vec::new();
        let size = |aim: &Aim| match aim.amount {
            Amount::Usual(factor) => {
                (aim.usual * factor * self.share).min(reach(aim.axis, direction(aim.axis, aim.sign)) * 0.9)
            }
            Amount::Exactly(amount) | Amount::Further(amount) => amount,
            Amount::Most => reach(aim.axis, direction(aim.axis, aim.sign)) * 0.9 * self.share,
        };
        for aim in gesture.strokes.iter().flatten() {
            let reach = reach(aim.axis, direction(aim.axis, aim.sign));
            let size = size(aim);
            if matches!(aim.amount, Amount::Exactly(_)) && size > reach {
                return Err(too_far(aim.axis, direction(aim.axis, aim.sign)));
            }
            let furthest = (reach - size).max(0.0);
            if middle[aim.axis] * aim.sign > furthest {
                middle[aim.axis] = aim.sign * furthest;
            }
            // A bow goes below the horizon, also from a look upwards.
            if gesture.hold > 0.0 && aim.axis == Axis::HeadPitch && middle[aim.axis] * aim.sign < 0.0 {
                middle[aim.axis] = Axis::HeadPitch.neutral();
            }
        }
        for stroke in &gesture.strokes {
            strokes.push(
                stroke
                    .iter()
                    .map(|aim| {
                        let size = size(aim).min(2.0 * reach(aim.axis, direction(aim.axis, aim.sign)));
                        largest = largest.max(size * if aim.axis.is_shift() { 2.0 } else { 1.0 });
                        (aim.axis, middle[aim.axis] + aim.sign * size)
                    })
                    .collect(),
            );
        }
        let back: Vec<(Axis, f64)> = {
            let mut axes: Vec<Axis> = strokes.iter().flatten().map(|(axis, _)| *axis).collect();
            axes.sort_unstable();
            axes.dedup();
            axes.iter().map(|axis| (*axis, middle[*axis])).collect()
        };
        let count = gesture.count.max(1);
        let legs = strokes.len() as f64 * if gesture.is_out_and_back { 2.0 } else { 1.0 };
        let is_antenna = back.iter().all(|(axis, _)| part_of(*axis) == Part::Antennas);
        let usual = (largest * GESTURE_PACE * if is_antenna { 0.4 } else { 1.0 }).max(0.3) * gesture.stroke;
        let hold = gesture.hold;
        let mut pause = gesture.pause;
        let mut stroke = usual;
        if let Some(period) = gesture.period {
            stroke = usual.min(((period - hold) / legs).max(MOVE_SECONDS.0));
            pause = (period - legs * stroke - hold).max(0.0);
        }
        if let Some(total) = gesture.total {
            let round = total / f64::from(count);
            if gesture.period.is_none() {
                stroke = ((round - hold - pause) / legs).max(MOVE_SECONDS.0);
            }
        }
        let mut round = Builder { now: middle, share: self.share, steps: Vec::new() };
        let rounds = if gesture.trend.is_some() { count } else { 1 };
        for at in 0..rounds {
            let share = if rounds > 1 { f64::from(at) / f64::from(rounds - 1) } else { 0.0 };
            let (size, tempo) = trend(gesture.trend, share);
            for goals in &strokes {
                let goals: Vec<(Axis, f64)> = goals
                    .iter()
                    .map(|(axis, goal)| (*axis, middle[*axis] + (goal - middle[*axis]) * size))
                    .collect();
                round.go(&goals, Some(stroke * tempo), 1.0);
                if hold > 0.0 {
                    round.steps.push(Step::Wait(Number::Value(rounded(hold))));
                }
                if gesture.is_out_and_back {
                    round.go(&back, Some(stroke * tempo), 1.0);
                }
            }
            if pause > 0.05 {
                round.steps.push(Step::Wait(Number::Value(rounded(pause))));
            }
        }
        if count == 1 || gesture.trend.is_some() {
            self.steps.append(&mut round.steps);
        } else {
            self.steps.push(Step::Repeat { times: Number::Value(f64::from(count)), steps: round.steps });
        }
        self.now = round.now;
        let away: Vec<(Axis, f64)> = back
            .iter()
            .map(|(axis, _)| (*axis, before[*axis]))
            .filter(|(axis, value)| (self.now[*axis] - value).abs() > 0.5)
            .collect();
        if !away.is_empty() {
            self.go(&away, Some(stroke.max(0.3)), 1.0);
        }
        self.now = before;
        Ok(())
    }

    /// Bars of two seconds: lean right, lean left, dip, and up again.
    fn dance(&mut self, seconds: f64) {
        let bars = (seconds / BAR_SECONDS).round().max(1.0);
        let quarter = seconds / (bars * 4.0);
        let neutral = AxisValues::neutral();
        let poses = [
            (10.0, 0.0, 20.0, -20.0),
            (-10.0, 0.0, -20.0, 20.0),
            (0.0, 10.0, 25.0, 25.0),
            (0.0, 0.0, 0.0, 0.0),
        ];
        let mut bar = Builder { now: self.now, share: 1.0, steps: Vec::new() };
        for (tilt, pitch, right, left) in poses {
            let goals = [
                (Axis::HeadTilt, tilt),
                (Axis::HeadPitch, pitch),
                (Axis::HeadTurn, 0.0),
                (Axis::AntennaRight, neutral[Axis::AntennaRight] + right),
                (Axis::AntennaLeft, neutral[Axis::AntennaLeft] + left),
            ];
            bar.go(&goals, Some(quarter), 1.0);
        }
        self.now = bar.now;
        self.steps.push(Step::Repeat { times: Number::Value(bars), steps: bar.steps });
    }

    fn together(&mut self, inner: &[Meaning]) -> Result<(), Refusal> {
        let mut tracks = Vec::new();
        let mut taken: Vec<Axis> = Vec::new();
        let mut after = self.now;
        for one in inner {
            let mut track = Builder { now: self.now, share: self.share, steps: Vec::new() };
            track.build(one)?;
            let axes = one.axes();
            if axes.iter().any(|axis| taken.contains(axis)) {
                return Err(Refusal::TwoThings);
            }
            for axis in &axes {
                after[*axis] = track.now[*axis];
            }
            taken.extend(axes);
            match <[Step; 1]>::try_from(track.steps) {
                Ok([step]) if !matches!(step, Step::Together(_)) => tracks.push(step),
                Ok([step]) => tracks.extend(step.inner().to_vec()),
                Err(steps) if steps.is_empty() => {}
                Err(steps) => tracks.push(Step::Sequence(steps)),
            }
        }
        self.now = after;
        match <[Step; 1]>::try_from(tracks) {
            Ok([step]) => self.steps.push(step),
            Err(steps) if steps.is_empty() => {}
            Err(steps) => self.steps.push(Step::Together(steps)),
        }
        Ok(())
    }
}

/// Returns the factors of the size and of the duration of a round. `share` is 0 for the first and 1 for the last one.
fn trend(trend: Option<Compared>, share: f64) -> (f64, f64) {
    match trend {
        Some(Compared::Faster) => (1.0, 1.6 - share),
        Some(Compared::Slower) => (1.0, 0.8 + 1.2 * share),
        Some(Compared::Bigger) => (0.4 + 0.6 * share, 1.0),
        Some(Compared::Smaller) => (1.0 - 0.6 * share, 1.0),
        _ => (1.0, 1.0),
    }
}

/// Returns whether one antenna makes a gesture after the other one.
fn is_other_antenna(before: &Meaning, meaning: &Meaning) -> bool {
    let (Meaning::Gesture(_), Meaning::Gesture(_)) = (before, meaning) else { return false };
    let (known, own) = (before.axes(), meaning.axes());
    known.iter().chain(&own).all(|axis| part_of(*axis) == Part::Antennas)
        && own.iter().all(|axis| !known.contains(axis))
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Returns the direction of an axis' positive or negative values.
#[must_use]
pub fn direction(axis: Axis, sign: f64) -> Direction {
    let [positive, negative] = axis.directions();
    if sign < 0.0 { negative } else { positive }
}

/// Returns why an axis does not go so far in a direction.
fn too_far(axis: Axis, direction: Direction) -> Refusal {
    let most = target(axis, direction).map_or(0.0, Target::maximum) as u16;
    if axis.is_shift() { Refusal::TooFarMillimetres(most) } else { Refusal::TooFarDegrees(most) }
}

fn target(axis: Axis, direction: Direction) -> Option<Target> {
    Target::ALL.into_iter().find(|target| *target.axes() == [axis] && target.direction() == direction)
}

/// Returns how far an axis goes in a direction, degrees or millimetres.
#[must_use]
pub fn reach(axis: Axis, direction: Direction) -> f64 {
    target(axis, direction).map_or(0.0, Target::maximum)
}

const fn part_of(axis: Axis) -> Part {
    match axis {
        Axis::BodyTurn => Part::Body,
        Axis::AntennaLeft | Axis::AntennaRight => Part::Antennas,
        _ => Part::Head,
    }
}

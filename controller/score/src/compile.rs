//! Computes the course of each axis for one call of a tool, as the Python module `motion` does.

use std::collections::BTreeMap;

use firmware_bridge::motion::Interpolation;
use firmware_bridge::posture::Posture;

use crate::axis::{Axis, AxisValues};
use crate::check::ScoreError;
use crate::score::{
    DEFAULT_EVENT_SECONDS, Kind, MAX_SECONDS, MAX_STEPS, Move, Number, Reaction, SPEED_PARAMETER, Score, Step,
};
use crate::stimuli::Stimuli;
use crate::target::Part;
use crate::timeline::{Piece, Timeline};

/// The values of parameters by name; a parameter without a value has its default.
pub type Arguments = BTreeMap<String, f64>;

/// A recorded move: samples at a fixed period, from its beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMove {
    /// The time between samples, seconds.
    pub period: f64,
    /// The samples.
    pub samples: Vec<AxisValues>,
}

/// What a call meets.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The posture at the beginning; near neutral counts as neutral.
    pub start: AxisValues,
    /// The events.
    pub stimuli: Stimuli,
    /// The recorded moves by name; the official `wake_up` and `go_to_sleep` need no record.
    pub moves: BTreeMap<String, RecordedMove>,
}

impl Default for Setting {
    fn default() -> Self {
        Setting { start: AxisValues::neutral(), stimuli: Stimuli::default(), moves: BTreeMap::new() }
    }
}

/// The shortest time that a round of a loop with an event counts, seconds: an empty one ends, too.
const MIN_ROUND_SECONDS: f64 = 0.1;
/// How long a recorded move that is not known counts, seconds.
const UNKNOWN_MOVE_SECONDS: f64 = 10.0;

/// Checks a score, and that its default call keeps the limits of time and steps.
///
/// # Errors
/// A [`ScoreError`] describes the first violation.
pub fn validate(score: &Score) -> Result<(), ScoreError> {
    compile(score, &Arguments::new(), &Setting::default()).map(|_| ())
}

/// Computes the course of a call.
///
/// # Errors
/// A [`ScoreError`] if the score breaks a rule, if an argument is unknown or outside its range, or if the call takes
/// too long or too many steps, at the latest possible times of events.
pub fn compile(score: &Score, arguments: &Arguments, setting: &Setting) -> Result<Timeline, ScoreError> {
    score.check()?;
    let values = argument_values(score, arguments)?;
    if score.steps.iter().any(has_reaction) {
        let slowest = Setting { stimuli: Stimuli::slowest(), ..setting.clone() };
        run(score, &values, &slowest)?;
    }
    // The longer branch of an `otherwise` may be the one without the event.
    if score.steps.iter().any(has_otherwise) {
        run(score, &values, &Setting { stimuli: Stimuli::default(), ..setting.clone() })?;
    }
    run(score, &values, setting)
}

fn has_otherwise(step: &Step) -> bool {
    matches!(step, Step::Otherwise(_)) || step.inner().iter().any(has_otherwise)
}

fn has_reaction(step: &Step) -> bool {
    step.reaction().is_some() || step.inner().iter().any(has_reaction)
}

fn run(score: &Score, values: &BTreeMap<&str, f64>, setting: &Setting) -> Result<Timeline, ScoreError> {
    let start = setting.start.snapped_to_neutral();
    let speed = values.get(SPEED_PARAMETER).copied().unwrap_or(1.0);
    let mut run = Run { setting, values, speed, goals: start, timeline: Timeline::new(start), steps: 0 };
    let end = run.sequence(&score.steps, 0, 0.0, Scope { round: None, cut: f64::INFINITY })?;
    run.timeline.set_seconds(end);
    Ok(run.timeline)
}

fn argument_values<'a>(
    score: &'a Score,
    arguments: &Arguments,
) -> Result<BTreeMap<&'a str, f64>, ScoreError> {
    if let Some(name) =
        arguments.keys().find(|name| !score.parameters.iter().any(|known| known.name == **name))
    {
        let reason = format!("{} has no parameter {name}", score.name);
        return Err(ScoreError::new(reason, "leave it out"));
    }
    let mut values = BTreeMap::new();
    for parameter in &score.parameters {
        let name = parameter.name.as_str();
        let value = arguments.get(name).copied().unwrap_or(parameter.default);
        let is_whole = parameter.kind == Kind::Float || value.fract() == 0.0;
        if !(parameter.low..=parameter.high).contains(&value) || !is_whole {
            let reason = format!("{name} = {value} is outside its range");
            let hint = format!("{name} must be between {} and {}", parameter.low, parameter.high);
            return Err(ScoreError::new(reason, hint));
        }
        values.insert(name, value);
    }
    Ok(values)
}

/// What holds for the steps inside a step.
#[derive(Clone, Copy)]
struct Scope {
    /// The round of the nearest repeat, from 0, and the number of rounds.
    round: Option<(u32, u32)>,
    /// When the loop with an event around the steps ends, seconds. Movements are finished then, waits end, and the rest
    /// is dropped.
    cut: f64,
}

struct Run<'a> {
    setting: &'a Setting,
    values: &'a BTreeMap<&'a str, f64>,
    speed: f64,
    goals: AxisValues,
    timeline: Timeline,
    steps: usize,
}

impl Run<'_> {
    /// Runs steps one after another from a time, and returns the end. `first` is the index of the first one in the
    /// source.
    fn sequence(
        &mut self,
        steps: &[Step],
        first: usize,
        start: f64,
        scope: Scope,
    ) -> Result<f64, ScoreError> {
        let mut index = first;
        steps.iter().try_fold(start, |time, step| {
            let end = self.step(step, index, time, scope);
            index += step.count();
            end
        })
    }

    fn step(&mut self, step: &Step, index: usize, time: f64, scope: Scope) -> Result<f64, ScoreError> {
        if time >= scope.cut {
            return Ok(time);
        }
        self.steps += 1;
        if self.steps > MAX_STEPS {
            let reason = format!("the call runs more than {MAX_STEPS} steps");
            return Err(ScoreError::new(reason, "repeat less often"));
        }
        let run = self.timeline.begin_step(index, time);
        let inner = index + 1;
        let end = match step {
            Step::Move(movement) => self.movement(movement, time, scope),
            Step::Neutral { seconds, easing } => {
                self.move_to(&AxisValues::neutral(), &Part::ALL, seconds.as_ref(), *easing, time, scope)
            }
            Step::Wait(seconds) => (time + self.number(seconds, scope)).min(scope.cut),
            Step::Repeat { times, steps } => {
                let rounds = self.number(times, scope).round().clamp(0.0, 1e6) as u32;
                let mut end = time;
                for round in 0..rounds {
                    end =
                        self.sequence(steps, inner, end, Scope { round: Some((round, rounds)), ..scope })?;
                }
                end
            }
            Step::Together(tracks) => {
                // The tracks move different axes, so each finds its own goals unchanged by the others.
                let mut end = time;
                let mut index = inner;
                for track in tracks {
                    end = self.step(track, index, time, scope)?.max(end);
                    index += track.count();
                }
                end
            }
            Step::Sequence(steps) => self.sequence(steps, inner, time, scope)?,
            // The check lets it stand in `when` only, which runs its steps.
            Step::Otherwise(_) => time,
            Step::Play(name) => self.play(name, time),
            Step::Sound(name) => {
                self.timeline.push_sound(time, name);
                time
            }
            Step::Photo {} => {
                self.timeline.push_photo(time);
                time
            }
            Step::When(reaction) => {
                let deadline = self.deadline(reaction, time, scope);
                let (steps, others) = reaction.branches();
                match (self.setting.stimuli.next(&reaction.event, time, deadline), others) {
                    (Some(begin), _) => self.sequence(steps, inner, begin, scope)?,
                    (None, Some(others)) => {
                        let first = inner + steps.iter().map(Step::count).sum::<usize>() + 1;
                        self.sequence(others, first, deadline, scope)?
                    }
                    (None, None) => deadline,
                }
            }
            Step::Whenever(reaction) => {
                let deadline = self.deadline(reaction, time, scope);
                let mut now = time;
                while let Some(begin) = self.setting.stimuli.next(&reaction.event, now, deadline) {
                    now = self.round(&reaction.steps, inner, begin, scope, deadline)?;
                }
                now.max(deadline)
            }
            Step::AsLongAs(reaction) => {
                let deadline = self.deadline(reaction, time, scope);
                let cut = self.setting.stimuli.end(&reaction.event, time, deadline);
                self.rounds(&reaction.steps, inner, time, Scope { cut, ..scope })?
            }
            Step::Until(reaction) => {
                let deadline = self.deadline(reaction, time, scope);
                let event = self.setting.stimuli.next(&reaction.event, time, deadline);
                self.rounds(&reaction.steps, inner, time, Scope { cut: event.unwrap_or(deadline), ..scope })?
            }
        };
        self.timeline.end_step(run, end);
        if end > MAX_SECONDS + 1e-6 {
            let reason = format!("the call takes more than {MAX_SECONDS} seconds");
            return Err(ScoreError::new(reason, "repeat less often, or wait less"));
        }
        Ok(end)
    }

    /// Repeats steps until the cut.
    fn rounds(&mut self, steps: &[Step], first: usize, time: f64, scope: Scope) -> Result<f64, ScoreError> {
        let mut now = time;
        while now < scope.cut {
            now = self.round(steps, first, now, scope, scope.cut)?;
        }
        Ok(now)
    }

    /// Runs a round of a loop with an event, which goes on until `end`.
    fn round(
        &mut self,
        steps: &[Step],
        first: usize,
        time: f64,
        scope: Scope,
        end: f64,
    ) -> Result<f64, ScoreError> {
        Ok(self.sequence(steps, first, time, scope)?.max((time + MIN_ROUND_SECONDS).min(end)))
    }

    /// Returns the end of the time that a reaction has.
    fn deadline(&self, reaction: &Reaction, time: f64, scope: Scope) -> f64 {
        let seconds = reaction.seconds.as_ref();
        (time + seconds.map_or(DEFAULT_EVENT_SECONDS, |seconds| self.number(seconds, scope))).min(scope.cut)
    }

    fn movement(&mut self, movement: &Move, time: f64, scope: Scope) -> f64 {
        let mut goals = self.goals;
        if movement.targets.is_empty() {
            for axis in movement.part.axes() {
                goals[*axis] = axis.neutral();
            }
        }
        for (target, number) in &movement.targets {
            let amount = self.number(number, scope);
            for axis in target.axes() {
                goals[*axis] = amount * axis.sign(target.direction()).unwrap_or(1.0);
            }
        }
        self.move_to(&goals, &[movement.part], movement.seconds.as_ref(), movement.easing, time, scope)
    }

    /// Moves parts to goals and returns the end.
    fn move_to(
        &mut self,
        goals: &AxisValues,
        parts: &[Part],
        seconds: Option<&Number>,
        easing: Option<Interpolation>,
        time: f64,
        scope: Scope,
    ) -> f64 {
        let default = |part: &Part| {
            let largest = |is_shift: bool| {
                let axes = part.axes().iter().filter(|axis| axis.is_shift() == is_shift);
                axes.map(|axis| (goals[*axis] - self.goals[*axis]).abs()).fold(0.0, f64::max)
            };
            part.default_seconds(largest(false), largest(true))
        };
        let seconds = match seconds {
            Some(seconds) => self.number(seconds, scope),
            None => parts.iter().map(default).fold(0.0, f64::max),
        };
        let end = time + seconds / self.speed;
        for axis in parts.iter().flat_map(|part| part.axes()) {
            self.push(*axis, time, end, goals[*axis], easing.unwrap_or_default());
        }
        end
    }

    fn push(&mut self, axis: Axis, start: f64, end: f64, to: f64, easing: Interpolation) {
        let from = std::mem::replace(&mut self.goals[axis], to);
        if from != to {
            self.timeline.push(Piece { axis, start, end, from, to, easing });
        }
    }

    fn push_all(&mut self, start: f64, end: f64, goals: &AxisValues, easing: Interpolation) {
        for axis in Axis::ALL {
            self.push(axis, start, end, goals[axis], easing);
        }
    }

    /// Plays a move. The two official moves are those of the SDK, apart from their first approach, whose duration
    /// depends on the measured posture.
    fn play(&mut self, name: &str, time: f64) -> f64 {
        if let Some(recorded) = self.setting.moves.get(name) {
            let mut now = time;
            let period = recorded.period.clamp(0.001, MAX_SECONDS);
            for sample in &recorded.samples {
                if now > time + MAX_SECONDS {
                    break;
                }
                self.push_all(now, now + period, sample, Interpolation::Linear);
                now += period;
            }
            return now;
        }
        match name {
            "wake_up" => {
                let mut nudged = AxisValues::neutral();
                self.push_all(time, time + 2.0, &AxisValues::neutral(), Interpolation::Minjerk);
                nudged[Axis::HeadTilt] = 20.0;
                self.push_all(time + 2.0, time + 2.2, &nudged, Interpolation::Minjerk);
                self.push_all(time + 2.2, time + 2.4, &AxisValues::neutral(), Interpolation::Minjerk);
                self.timeline.push_sound(time + 2.0, "wake_up.wav");
                time + 3.0
            }
            "go_to_sleep" => {
                let asleep = AxisValues::from_posture(&Posture::sleep());
                self.push_all(time, time + 2.0, &asleep, Interpolation::Minjerk);
                self.timeline.push_sound(time, "go_sleep.wav");
                time + 5.0
            }
            _ => {
                self.timeline.push_unknown_move(name);
                time + UNKNOWN_MOVE_SECONDS
            }
        }
    }

    /// Returns the value of a number. The check before has found each parameter and no ramp outside of a repeat.
    fn number(&self, number: &Number, scope: Scope) -> f64 {
        let value = |name: &String| self.values.get(name.as_str()).copied().unwrap_or(0.0);
        match number {
            Number::Value(constant) => *constant,
            Number::Parameter(name) => value(name),
            Number::Product(factor, name) => factor * value(name),
            Number::Ramp(first, last) => {
                let (first, last) = (self.number(first, scope), self.number(last, scope));
                match scope.round {
                    Some((index, rounds)) if rounds > 1 => {
                        first + (last - first) * f64::from(index) / f64::from(rounds - 1)
                    }
                    _ => first,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Writes the nodes of a plan as steps, keeping track of where each axis is.

use std::collections::BTreeSet;

use minismith_score::{
    Arguments, Axis, AxisValues, Number, Parameter, Part, Reaction, Score, Setting, Step, compile,
};

use crate::act::{Act, Aim, Amount, Node, target};
use crate::guard::Refusal;
use crate::tag::{Growth, Shape, Trigger, Unit};

mod parameters;
mod strokes;

use strokes::{Stroke, goals, parts_of, repeat, stroke_step, tidy_signed, track, with_pauses};
pub(crate) use strokes::{limit_sentence, maximum_of, moves, reach, tidy, uses};

/// The sound that is played, one of the official SDK.
pub(crate) const SOUND: &str = "wake_up.wav";
/// How long a posture is held before the tool ends it by itself, seconds.
const SHOWN_SECONDS: f64 = 0.5;
/// How long a posture rests that is reached in steps, seconds.
const STAGE_SECONDS: f64 = 0.5;
/// The share of the usual duration that no movement goes below.
const FASTEST_SHARE: f64 = 0.3;
/// The largest number of rounds.
const MAX_TIMES: u32 = 50;

pub(crate) struct Emitter {
    pub values: AxisValues,
    /// The axes that were moved.
    pub moved: BTreeSet<Axis>,
    pub parameters: Vec<Parameter>,
    pub notes: Vec<String>,
    /// The name of a parameter that the request gives.
    pub parameter_name: Option<String>,
    /// Whether counts are fixed by a duration.
    pub is_timed: bool,
    /// Whether a posture stays at the end.
    pub keeps: bool,
}

/// Returns whether the last thing that steps do is to wait.
fn ends_with_wait(steps: &[Step]) -> bool {
    match steps.last() {
        Some(Step::Wait(_)) => true,
        Some(Step::Repeat { steps, .. } | Step::Sequence(steps)) => ends_with_wait(steps),
        _ => false,
    }
}

impl Emitter {
    pub(crate) fn new() -> Self {
        Emitter {
            values: AxisValues::neutral(),
            moved: BTreeSet::new(),
            parameters: Vec::new(),
            notes: Vec::new(),
            parameter_name: None,
            is_timed: false,
            keeps: false,
        }
    }

    pub(crate) fn nodes(&mut self, nodes: &[Node]) -> Result<Vec<Step>, Refusal> {
        let mut steps = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            steps.extend(self.node(node)?);
            // A sound begins and does not wait; what follows comes after it.
            let is_sound = matches!(node, Node::Sound);
            if is_sound && nodes.get(at + 1).is_some_and(|next| !matches!(next, Node::Pause(_) | Node::Sound))
            {
                steps.push(Step::Wait(Number::Value(SHOWN_SECONDS)));
            }
        }
        Ok(steps)
    }

    /// The steps for the case that the event does not come. They end where they begin.
    fn otherwise(&mut self, trigger: Trigger, nodes: &[Node]) -> Result<Vec<Step>, Refusal> {
        if !matches!(trigger, Trigger::When | Trigger::Listen) {
            return Err((
                "something else is done only if one event does not come".to_owned(),
                "say: when you see a face, nod, otherwise shake your head".to_owned(),
            ));
        }
        self.case(nodes, true)
    }

    /// The steps of one case of a reaction, which may end where they begin.
    fn case(&mut self, nodes: &[Node], returns: bool) -> Result<Vec<Step>, Refusal> {
        let start = self.values;
        let mut steps = self.nodes(nodes)?;
        if returns {
            let end = self.end_return(&steps);
            steps.extend(end);
            self.values = start;
        }
        if steps.is_empty() { Err(crate::guard::nothing_to_do()) } else { Ok(steps) }
    }

    fn node(&mut self, node: &Node) -> Result<Vec<Step>, Refusal> {
        Ok(match node {
            Node::Act(act) => self.act(act)?,
            Node::Pause(amount) => vec![Step::Wait(self.seconds(*amount, 60.0)?)],
            Node::Return { axes, pace, seconds } => self.back(axes.as_deref(), *pace, *seconds),
            Node::Sound => vec![Step::Sound(SOUND.to_owned())],
            Node::Photo => vec![Step::Photo {}],
            Node::Raw { steps, .. } => {
                self.advance(steps);
                steps.clone()
            }
            Node::Sequence(nodes) | Node::Otherwise(nodes) => self.nodes(nodes)?,
            Node::Together(nodes) => self.together(nodes)?,
            Node::Times { count, is_set, pause, nodes } => self.times(*count, *is_set, *pause, nodes)?,
            Node::React { trigger, event, seconds, nodes } => {
                let (nodes, others) = match nodes.split_last() {
                    Some((Node::Otherwise(others), nodes)) => {
                        (nodes, Some(self.otherwise(*trigger, others)?))
                    }
                    _ => (nodes.as_slice(), None),
                };
                let mut steps = self.case(nodes, *trigger == Trigger::Whenever || !self.keeps)?;
                steps.extend(others.map(Step::Otherwise));
                let seconds = match seconds {
                    Some(Amount::Value(value)) if !(0.1..=110.0).contains(value) => {
                        return Err((
                            "a tool takes at most 120 seconds".to_owned(),
                            "choose a shorter time".to_owned(),
                        ));
                    }
                    Some(amount) => Some(self.seconds(*amount, 60.0)?),
                    None => None,
                };
                let reaction = Reaction { event: event.clone(), steps, seconds };
                vec![match trigger {
                    Trigger::When | Trigger::Listen => Step::When(reaction),
                    Trigger::Whenever => Step::Whenever(reaction),
                    Trigger::AsLongAs => Step::AsLongAs(reaction),
                    Trigger::Until => Step::Until(reaction),
                }]
            }
        })
    }

    /// Steps of a library or of a named gesture: where they end is found out by running them.
    fn advance(&mut self, steps: &[Step]) {
        let (_, end) = self.measure(steps, self.values);
        for axis in Axis::ALL {
            if moves(steps, axis) {
                self.moved.insert(axis);
            }
        }
        self.values = end;
    }

    /// Returns the duration of steps and where they end.
    fn measure(&self, steps: &[Step], start: AxisValues) -> (f64, AxisValues) {
        let used = |parameter: &&Parameter| uses(steps, &parameter.name);
        let score = Score {
            name: "part_of_a_tool".to_owned(),
            summary: "Part.".to_owned(),
            parameters: self.parameters.iter().filter(used).cloned().collect(),
            steps: steps.to_vec(),
        };
        let setting = Setting { start, ..Setting::default() };
        match compile(&score, &Arguments::new(), &setting) {
            Ok(timeline) => (timeline.seconds(), timeline.axes_at(timeline.seconds() + 1.0)),
            Err(_) => (0.0, start),
        }
    }

    fn times(
        &mut self,
        count: u32,
        is_set: bool,
        pause: Option<f64>,
        nodes: &[Node],
    ) -> Result<Vec<Step>, Refusal> {
        let start = self.values;
        let mut steps = self.nodes(nodes)?;
        // A round that ends in its only posture has to begin again elsewhere.
        let is_stuck = Axis::ALL
            .into_iter()
            .any(|axis| self.values[axis] != start[axis] && goals(&steps, axis).len() < 2);
        if is_stuck && count > 1 {
            steps.extend(self.back(None, 1.0, None));
        }
        if steps.is_empty() {
            return Ok(steps);
        }
        let times = self.count(count, is_set)?;
        match pause {
            Some(seconds) if count > 1 && !is_set => Ok(with_pauses(steps, count, seconds)),
            _ => Ok(repeat(times, steps)),
        }
    }

    fn together(&mut self, nodes: &[Node]) -> Result<Vec<Step>, Refusal> {
        let start = self.values;
        let mut tracks: Vec<(Vec<Step>, AxisValues, f64)> = Vec::new();
        for node in nodes {
            self.values = start;
            let steps = self.node(node)?;
            let (seconds, _) = self.measure(&steps, start);
            tracks.push((steps, self.values, seconds));
        }
        // A gesture whose number is open goes on as long as the others do.
        let longest = tracks.iter().map(|(_, _, seconds)| *seconds).fold(0.0, f64::max);
        for (node, track) in nodes.iter().zip(&mut tracks) {
            let Node::Act(act) = node else { continue };
            let is_open = act.count.is_none()
                && !act.is_count_set
                && act.total_seconds.is_none()
                && act.beats.is_none()
                && !act.is_go();
            let rounds = f64::from(act.verb.count);
            if is_open && track.2 > 0.0 && longest > 1.3 * track.2 {
                let count = (longest * rounds / track.2).round().clamp(1.0, 20.0) as u32;
                self.values = start;
                let filled = Act { count: Some(count), ..act.clone() };
                track.0 = self.act(&filled)?;
                track.1 = self.values;
            }
        }
        let mut end = start;
        let mut owned = BTreeSet::new();
        for (steps, values, _) in &tracks {
            for axis in Axis::ALL {
                if !moves(steps, axis) {
                    continue;
                }
                if !owned.insert(axis) {
                    return Err((
                        format!("two things at the same time both move the {}", axis.title()),
                        "let them follow one another: first the one, then the other".to_owned(),
                    ));
                }
                end[axis] = values[axis];
            }
        }
        self.values = end;
        if let Some(step) = tracks.iter().flat_map(|(steps, ..)| steps).find(|step| step.reaction().is_some())
        {
            return Err((
                format!("\"{}\" cannot run beside another motion", step.name()),
                "let them follow one another".to_owned(),
            ));
        }
        // Postures that are reached at the same time arrive together.
        let is_open = |steps: &[Step]| matches!(steps, [Step::Move(one)] if one.seconds.is_none());
        let times: Vec<f64> =
            tracks.iter().filter(|(steps, ..)| is_open(steps)).map(|(_, _, seconds)| *seconds).collect();
        let slowest = times.iter().copied().fold(0.0, f64::max);
        if times.len() > 1 && times.iter().any(|seconds| *seconds < slowest && *seconds > 0.4 * slowest) {
            for (steps, ..) in tracks.iter_mut().filter(|(steps, ..)| is_open(steps)) {
                if let [Step::Move(one)] = steps.as_mut_slice() {
                    one.seconds = Some(Number::Value(tidy(slowest)));
                }
            }
        }
        let mut tracks: Vec<Step> = tracks.into_iter().filter_map(|(steps, ..)| track(steps)).collect();
        if tracks.len() == 1 {
            return Ok(tracks.pop().into_iter().collect());
        }
        Ok(if tracks.is_empty() { Vec::new() } else { vec![Step::Together(tracks)] })
    }

    /// Brings axes back to neutral.
    fn back(&mut self, axes: Option<&[Axis]>, pace: f64, seconds: Option<f64>) -> Vec<Step> {
        let stroke: Stroke = Axis::ALL
            .into_iter()
            .filter(|axis| {
                axes.is_none_or(|axes| axes.contains(axis)) && self.values[*axis] != axis.neutral()
            })
            .map(|axis| (axis, axis.neutral(), axis.neutral()))
            .collect();
        if stroke.is_empty() {
            return Vec::new();
        }
        let usual = self.usual_seconds(&stroke, &self.values);
        let seconds =
            seconds.or((pace != 1.0).then_some(usual * pace)).or(parts_of(&stroke).nth(1).map(|_| usual));
        let step =
            stroke_step(&stroke, seconds.map(|seconds| Number::Value(tidy(seconds.clamp(0.1, 60.0)))), None);
        for (axis, _, last) in &stroke {
            self.values[*axis] = *last;
        }
        step.into_iter().collect()
    }

    /// Ends a tool: a posture is shown for a moment, then what was moved goes back.
    pub(crate) fn end_return(&mut self, steps: &[Step]) -> Vec<Step> {
        let back = self.back(None, 1.0, None);
        if back.is_empty() || ends_with_wait(steps) {
            back
        } else {
            [vec![Step::Wait(Number::Value(SHOWN_SECONDS))], back].concat()
        }
    }

    fn usual_seconds(&self, stroke: &Stroke, from: &AxisValues) -> f64 {
        let largest = |part: Part, is_shift: bool| {
            stroke
                .iter()
                .filter(|(axis, ..)| part.axes().contains(axis) && axis.is_shift() == is_shift)
                .map(|(axis, first, last)| (first - from[*axis]).abs().max((last - from[*axis]).abs()))
                .fold(0.0, f64::max)
        };
        parts_of(stroke)
            .map(|part| part.default_seconds(largest(part, false), largest(part, true)))
            .fold(0.0, f64::max)
    }

    fn act(&mut self, act: &Act) -> Result<Vec<Step>, Refusal> {
        if act.count == Some(1) && !act.growth.is_empty() && !act.is_count_set {
            return self.act(&Act { growth: Vec::new(), ..act.clone() });
        }
        if let Some(stages) = act.stages.filter(|stages| (2..=20).contains(stages) && act.is_go()) {
            return self.stages(act, stages);
        }
        let (mut shape, aims) = act.course()?;
        let is_posture = shape == Shape::Go;
        let growth_of = |wanted: &[Growth]| act.growth.iter().copied().find(|growth| wanted.contains(growth));
        let size_growth = growth_of(&[Growth::Bigger, Growth::Smaller]);
        let pace_growth = growth_of(&[Growth::Faster, Growth::Slower]);
        if shape == Shape::Go && (act.is_back || act.is_repeated()) {
            shape = Shape::Beat;
        }
        // "To the left and to the right" names places, and no swings about the posture before.
        let is_place = shape == Shape::Sway && act.verb.shape == Shape::Go;
        let mut base = self.values;
        // "Look left once and right twice": what stands on the other side is no place to come back to.
        if is_posture && shape == Shape::Beat && act.verb.shape == Shape::Go {
            for aim in aims.iter().flatten() {
                let away = base[aim.axis] - aim.axis.neutral();
                if away * aim.axis.sign(aim.direction).unwrap_or(0.0) < 0.0 {
                    base[aim.axis] = aim.axis.neutral();
                }
            }
        }
        let (low, high) = self.factors(act, size_growth);
        let mut strokes: Vec<Stroke> = Vec::new();
        for stroke in &aims {
            let ends: Result<Stroke, Refusal> = stroke
                .iter()
                .map(|aim| {
                    let is_from_neutral =
                        shape == Shape::Go || is_place || base[aim.axis] == aim.axis.neutral();
                    let from = if is_from_neutral { None } else { Some(base[aim.axis]) };
                    let (first, last) = (self.value(act, aim, low, from)?, self.value(act, aim, high, from)?);
                    Ok((aim.axis, first, last))
                })
                .collect();
            let mut ends = ends?;
            if shape == Shape::Go {
                ends.extend(act.resets.iter().map(|axis| (*axis, axis.neutral(), axis.neutral())));
            }
            let back: Stroke = ends.iter().map(|(axis, ..)| (*axis, base[*axis], base[*axis])).collect();
            strokes.push(ends);
            if shape == Shape::Beat {
                strokes.push(back);
            }
        }
        let mut closing: Vec<Stroke> = Vec::new();
        if shape == Shape::Sway {
            let mut axes: Stroke = Vec::new();
            for (axis, ..) in strokes.iter().flatten() {
                if !axes.iter().any(|(one, ..)| one == axis) {
                    let end = if is_place { axis.neutral() } else { base[*axis] };
                    axes.push((*axis, end, end));
                }
            }
            closing.push(axes);
        }
        let rounds_usual = match act.beats {
            Some(beats) if shape == Shape::Sway => (beats / 2).max(1),
            Some(beats) => beats.max(1),
            None if size_growth.is_some() || pace_growth.is_some() => act.verb.count.max(4),
            None if act.period.is_some() && shape != Shape::Go => act.verb.count.max(4),
            None => act.verb.count,
        };
        let mut count = act.count.unwrap_or(
            if (is_posture && act.growth.is_empty() && act.beats.is_none() && act.period.is_none())
                || shape == Shape::Go
            {
                1
            } else {
                rounds_usual
            },
        );
        let hold = match act.hold {
            Some(amount) if shape != Shape::Sway => Some(self.seconds(amount, 60.0)?),
            _ => None,
        };
        let hold_seconds = match act.hold {
            Some(Amount::Value(value)) if hold.is_some() => value,
            _ => 0.0,
        };
        // The durations of the strokes of one round.
        let mut from = base;
        let mut usual: Vec<f64> = Vec::new();
        for stroke in &strokes {
            // Below a fifth of a second, the joints hardly follow.
            usual.push((self.usual_seconds(stroke, &from) * act.pace).max(0.2));
            for (axis, _, last) in stroke {
                from[*axis] = *last;
            }
        }
        let round: f64 = usual.iter().sum();
        let mut fixed: Option<f64> = None;
        if let Some(Amount::Value(total)) = act.total_seconds {
            let pauses = hold_seconds + act.pause.unwrap_or(0.0);
            if let (Some(period), true) = (act.period, shape != Shape::Go) {
                if act.count.is_none() {
                    count = (total / period.max(0.1)).round().clamp(1.0, f64::from(MAX_TIMES)) as u32;
                }
                fixed = Some((period - pauses) / strokes.len().max(1) as f64);
            } else if shape == Shape::Go {
                fixed = Some(total / usual.len().max(1) as f64);
            } else {
                if act.count.is_none() {
                    count =
                        (total / (round + pauses).max(0.1)).round().clamp(1.0, f64::from(MAX_TIMES)) as u32;
                }
                let number = f64::from(count) * strokes.len() as f64 + closing.len() as f64;
                fixed = Some((total - f64::from(count) * pauses) / number);
                self.is_timed = true;
            }
        } else if let Some(Amount::Param(_) | Amount::Default(_)) = act.total_seconds {
            // Only a posture can be held for a time that is not known yet.
            return Err((
                format!("how long it {} cannot be a parameter", act.label()),
                "let the tool have a number of times, or hold a posture for a time".to_owned(),
            ));
        } else if let Some(period) = act.period {
            fixed = Some((period - hold_seconds - act.pause.unwrap_or(0.0)) / strokes.len().max(1) as f64);
        } else if let Some(beat) = act.beat {
            fixed = Some(if shape == Shape::Beat {
                (beat - hold_seconds).max(0.2) / strokes.len().max(1) as f64
            } else {
                beat
            });
        } else if let Some(seconds) = act.stroke_seconds {
            fixed = Some(if shape == Shape::Go {
                seconds
            } else {
                seconds / (f64::from(count) * strokes.len() as f64).max(1.0)
            });
            if act.is_back && act.verb.shape == Shape::Go {
                fixed = Some(seconds);
            }
        }
        if let Some(seconds) = fixed {
            let slowest = usual.iter().map(|usual| usual / act.pace).fold(0.0, f64::max);
            if seconds < FASTEST_SHARE * slowest && seconds < 0.4 * slowest.max(0.3) {
                if act.size.is_none() && act.factor > 0.3 {
                    self.notes.push("the motion is smaller than usual, so it keeps the tempo".to_owned());
                    let smaller = Act { factor: act.factor * 0.6, ..act.clone() };
                    return self.act(&smaller);
                }
                return Err((
                    format!("it {} faster than the robot can move", act.label()),
                    "give it more time, or make the motion smaller".to_owned(),
                ));
            }
        }
        let stroke_seconds = |usual: f64, parts: usize| -> Option<Number> {
            if let Some(seconds) = fixed {
                return Some(Number::Value(tidy(seconds.clamp(0.1, 60.0))));
            }
            let plain = |seconds: f64| Number::Value(tidy(seconds.clamp(0.1, 60.0)));
            match pace_growth {
                Some(Growth::Faster) => {
                    Some(Number::Ramp(Box::new(plain(usual * 1.4)), Box::new(plain((usual * 0.5).max(0.15)))))
                }
                Some(_) => {
                    Some(Number::Ramp(Box::new(plain((usual * 0.6).max(0.2))), Box::new(plain(usual * 1.7))))
                }
                None if act.pace != 1.0 || parts > 1 => Some(plain(usual)),
                None => None,
            }
        };
        let role = act.size_role;
        let mut steps: Vec<Step> = Vec::new();
        for (index, stroke) in strokes.iter().enumerate() {
            let parts = parts_of(stroke).count();
            let seconds = stroke_seconds(usual.get(index).copied().unwrap_or(0.5), parts);
            let is_out = shape != Shape::Beat || index % 2 == 0;
            let named =
                if is_out { role.map(|role| self.size_parameter(role, stroke)).transpose()? } else { None };
            steps.extend(stroke_step(stroke, seconds, named.as_ref()));
            if is_out && shape == Shape::Beat {
                steps.extend(hold.clone().map(Step::Wait));
            }
        }
        if shape == Shape::Go {
            steps.extend(hold.map(Step::Wait));
        }
        self.moved.extend(strokes.iter().flatten().map(|(axis, ..)| *axis));
        for (axis, _, last) in strokes.iter().chain(&closing).flatten() {
            self.values[*axis] = *last;
        }
        if shape == Shape::Go {
            return Ok(steps);
        }
        let times = self.count(count, act.is_count_set)?;
        let mut steps = match act.pause {
            Some(seconds) if !act.is_count_set && count > 1 => with_pauses(steps, count, seconds),
            _ => repeat(times, steps),
        };
        for stroke in &closing {
            let largest = usual.iter().copied().fold(0.0, f64::max) / 2.0;
            let seconds = fixed.or((act.pace != 1.0 || pace_growth.is_some()).then_some(largest));
            steps.extend(stroke_step(
                stroke,
                seconds.map(|seconds| Number::Value(tidy(seconds.clamp(0.2, 60.0)))),
                None,
            ));
        }
        Ok(steps)
    }

    /// A posture that is reached in steps, with a short rest after each.
    fn stages(&mut self, act: &Act, stages: u32) -> Result<Vec<Step>, Refusal> {
        let mut steps = Vec::new();
        for stage in 1..=stages {
            let share = f64::from(stage) / f64::from(stages);
            let part = Act {
                stages: None,
                factor: act.factor * share,
                size: act.size.map(|(size, unit)| (size * share, unit)),
                hold: act.hold.filter(|_| stage == stages),
                ..act.clone()
            };
            steps.extend(self.act(&part)?);
            if stage < stages {
                steps.push(Step::Wait(Number::Value(STAGE_SECONDS)));
            }
        }
        Ok(steps)
    }

    /// The factors of the size in the first and in the last round.
    fn factors(&self, act: &Act, growth: Option<Growth>) -> (f64, f64) {
        let is_explicit = act.size.is_some();
        match (growth, act.first_size, act.size) {
            (Some(_), Some(first), Some((last, _))) if last > 0.0 => (first / last, 1.0),
            (Some(Growth::Bigger), ..) if is_explicit => (0.35, 1.0),
            (Some(Growth::Bigger), ..) => (0.45, 1.4),
            (Some(_), ..) if is_explicit => (1.0, 0.3),
            (Some(_), ..) => (1.3, 0.4),
            _ => (1.0, 1.0),
        }
    }

    /// Returns the value of an axis at the end of a stroke.
    fn value(&self, act: &Act, aim: &Aim, factor: f64, from: Option<f64>) -> Result<f64, Refusal> {
        let axis = aim.axis;
        let sign = axis.sign(aim.direction).unwrap_or(1.0);
        if aim.is_fixed {
            return Ok(0.0);
        }
        let maximum = target(axis, aim.direction).map_or(0.0, maximum_of);
        let mut size = aim.size * act.factor;
        if let Some((asked, unit)) = act.size {
            let is_length = unit == Unit::Millimetres;
            if asked > maximum + 1e-9 || is_length != axis.is_shift() {
                let sentence = target(axis, aim.direction).map(limit_sentence).unwrap_or_default();
                let hint = format!("ask for at most {maximum} {}", axis.unit());
                return Err((sentence, hint));
            }
            size = asked;
        } else if act.is_full {
            // An antenna that is lifted as far as possible does not fold down.
            let maximum =
                if axis.neutral() != 0.0 && act.verb.mode == crate::tag::Mode::Rise { 90.0 } else { maximum };
            size = maximum * if axis.is_shift() { 1.0 } else { 0.95 };
        }
        size *= factor;
        // An angle is counted from where an antenna rests.
        let rest = sign * axis.neutral();
        let absolute = sign * (size + rest).min(maximum);
        let value = from.map_or(absolute, |from| from + sign * size);
        let (low, high) = reach(axis);
        Ok(tidy_signed(value.clamp(low, high)))
    }
}

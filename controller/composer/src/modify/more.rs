//! Corrections of what stays still, how long a posture or the whole motion lasts, and one gesture in place of another.

use std::collections::BTreeSet;

use minismith_score::{Arguments, Axis, Number, Setting, Step, compile};

use super::Editor;
use super::edit::{inner_mut, is_return, remove, remove_gesture, set_waits};
use crate::act::axes_of;
use crate::clause::Clause;
use crate::emit::{moves, tidy};
use crate::guard::Refusal;
use crate::tag::{Tag, Tagged, Unit};

impl Editor {
    /// "Keep the left one still": a part that no longer moves.
    pub(super) fn keep_still(&mut self, clause: &Clause) -> bool {
        let parts = clause.tags.iter().filter_map(|tagged| match tagged.tag {
            Tag::Part(part) => Some(part),
            _ => None,
        });
        let axes: BTreeSet<Axis> = parts.flat_map(axes_of).collect();
        let stays = |axis: &Axis| axes.contains(axis) || !moves(&self.score.steps, *axis);
        if axes.is_empty() || Axis::ALL.iter().all(stays) {
            return false;
        }
        remove(&mut self.score.steps, &axes);
        true
    }

    /// "Hold it for two seconds", "make it last ten seconds".
    pub(super) fn lasts(&mut self, clause: &Clause, seconds: f64) -> bool {
        let seconds = tidy(seconds.clamp(0.0, 60.0));
        let is_held = clause.has(|tag| matches!(tag, Tag::Hold | Tag::StayThere | Tag::Pause));
        let is_whole = !is_held && clause.has(|tag| matches!(tag, Tag::For | Tag::Over | Tag::Last));
        if is_whole && self.whole_lasts(seconds) {
            return true;
        }
        set_waits(&mut self.score.steps, seconds) || (is_held && hold(&mut self.score.steps, seconds))
    }

    /// Lets the whole motion last so long: with more rounds if it has any, otherwise by its speed.
    fn whole_lasts(&mut self, seconds: f64) -> bool {
        let Ok(timeline) = compile(&self.score, &Arguments::new(), &Setting::default()) else { return false };
        let now = timeline.seconds();
        if now < 0.1 || seconds < 0.1 {
            return false;
        }
        let factor = seconds / now;
        if let Some(times) = self.score.parameters.iter_mut().find(|parameter| parameter.name == "times")
            && times.default > 1.0
        {
            times.default = (times.default * factor).round().clamp(1.0, 50.0);
            times.high = times.high.max(times.default);
            return true;
        }
        self.pace(factor)
    }

    /// "Shake instead of nodding": one gesture takes the place of another one, as often.
    pub(super) fn replace(&mut self, clause: &Clause, at: usize, request: &str) -> Result<bool, Refusal> {
        let part = |tags: &[Tagged]| Clause { tags: tags.to_vec(), ..clause.clone() };
        let new = part(clause.tags.get(..at).unwrap_or(&[]));
        let old = part(clause.tags.get(at + 1..).unwrap_or(&[]));
        let is_gesture = |clause: &Clause| {
            clause.has(|tag| {
                matches!(tag, Tag::Verb(verb) if verb.is_gesture_noun)
                    || matches!(tag, Tag::Sound | Tag::Photo | Tag::Feeling(_))
            })
        };
        if !is_gesture(&new) || !is_gesture(&old) {
            return Ok(false);
        }
        let summary = self.score.summary.clone();
        let gone = self.part(&old, request)?;
        self.score.summary = summary;
        let mut steps = self.part(&new, request)?;
        let says_count = new.has(|tag| matches!(tag, Tag::Count(_) | Tag::Number(_)));
        let has_times = self.score.parameters.iter().any(|parameter| parameter.name == "times");
        let mut rest = self.score.steps.clone();
        let is_only = remove_gesture(&mut rest, &gone) && rest.is_empty();
        if has_times && is_only && !says_count {
            match steps.first_mut() {
                Some(Step::Repeat { times, .. }) => *times = Number::Parameter("times".to_owned()),
                _ => {
                    let times = Number::Parameter("times".to_owned());
                    steps = vec![Step::Repeat { times, steps }];
                }
            }
        }
        let is_first = !matches!(self.score.steps.first(), Some(first) if !moves_same(first, &gone));
        if !remove_gesture(&mut self.score.steps, &gone) {
            return Ok(false);
        }
        if is_first {
            steps.append(&mut self.score.steps);
            self.score.steps = steps;
        } else {
            self.score.steps.append(&mut steps);
        }
        Ok(true)
    }

    /// Lets motions of different parts happen at once.
    pub(super) fn at_once(&mut self) -> Result<bool, Refusal> {
        let steps = std::mem::take(&mut self.score.steps);
        let mut tracks: Vec<Vec<Step>> = Vec::new();
        for step in steps {
            let single = std::slice::from_ref(&step);
            let joined = tracks
                .iter_mut()
                .find(|track| Axis::ALL.into_iter().any(|axis| moves(track, axis) && moves(single, axis)));
            match joined {
                Some(track) => track.push(step),
                None => tracks.push(vec![step]),
            }
        }
        if tracks.len() < 2 {
            return Err((
                "one part cannot do both at once".to_owned(),
                "let them follow one another".to_owned(),
            ));
        }
        self.score.steps = vec![Step::Together(tracks.into_iter().map(Step::Sequence).collect())];
        Ok(true)
    }
}

/// Whether a step moves what a gesture moves.
fn moves_same(step: &Step, gesture: &[Step]) -> bool {
    let own = std::slice::from_ref(step);
    Axis::ALL.into_iter().all(|axis| moves(own, axis) == moves(gesture, axis))
}

/// Lets each posture stay for a time before it goes back; returns whether there is one.
fn hold(steps: &mut Vec<Step>, seconds: f64) -> bool {
    let is_away = |step: Option<&Step>| matches!(step, Some(Step::Move(one)) if !is_return(one));
    let goes_back = |step: Option<&Step>| match step {
        None | Some(Step::Neutral { .. }) => true,
        Some(Step::Move(one)) => is_return(one),
        _ => false,
    };
    let places: Vec<usize> =
        (0..steps.len()).filter(|at| is_away(steps.get(*at)) && goes_back(steps.get(at + 1))).collect();
    let mut is_held = !places.is_empty();
    for at in places.into_iter().rev() {
        steps.insert(at + 1, Step::Wait(Number::Value(seconds)));
    }
    for step in steps.iter_mut() {
        if let Some(inner) = inner_mut(step) {
            is_held |= hold(inner, seconds);
        }
    }
    is_held
}

/// Returns the time that a clause tells, seconds.
pub(super) fn seconds_in(clause: &Clause) -> Option<f64> {
    clause.tags.iter().find_map(|tagged| match tagged.tag {
        Tag::Amount(value, Unit::Seconds) => Some(value),
        _ => None,
    })
}

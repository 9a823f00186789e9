//! Which movements are one after another, and which at the same time.

use minismith_score::Axis;
use minismith_score::expects::{Action as Movement, Expect};

use super::{Claim, Emitter};
use crate::lexicon::Verb;
use crate::reading::{Action, Feature};

/// The most combinations of what ambiguous movements can mean.
const MAX_CHOICES: usize = 8;

impl Emitter<'_> {
    pub(super) fn links(&mut self) {
        self.order();
        for (one, other, clause) in self.reading.together.clone() {
            self.together(one, other, clause);
        }
        self.apart();
        self.both_antennas();
        for (last, back, clause) in self.reading.ways_back.clone() {
            let ends = self.beginnings(back).into_iter().map(|movement| match movement {
                Movement::Move { axes, .. } => Movement::Move { axes, direction: None, back: true },
                other => other,
            });
            let starts = self.beginnings(last);
            let choices: Vec<Vec<Claim>> = ends
                .flat_map(|end| {
                    starts.iter().map(move |start| {
                        let actions = vec![start.clone(), end.clone()];
                        let origins = vec![(clause, Feature::Order), (clause, Feature::Return)];
                        vec![Claim { expect: Expect::Order { actions }, origins }]
                    })
                })
                .collect();
            if !choices.is_empty() && choices.len() <= MAX_CHOICES {
                self.claims.choose(choices);
            }
        }
        for (clause, one, other) in self.reading.leads.clone() {
            let actions = [one, other].map(|axis| Movement::of(axis, None)).to_vec();
            let shown = vec![(clause, Feature::Order), (clause, Feature::Motion)];
            self.claims.push(Expect::Order { actions }, shown);
        }
    }

    fn action(&self, at: usize) -> Option<&Action> {
        self.reading.actions.get(at)
    }

    /// The movements of which one begins an action.
    fn beginnings(&self, at: usize) -> Vec<Movement> {
        let Some(action) = self.action(at) else { return Vec::new() };
        match action.verb {
            Verb::Sound => return vec![Movement::Sound],
            Verb::Photo => return vec![Movement::Photo],
            _ => {}
        }
        let Some(target) = action.targets.first() else { return Vec::new() };
        // "Left and right" leaves open which comes first.
        let sides =
            action.targets.iter().flatten().filter(|aim| target.iter().any(|first| first.axis == aim.axis));
        let has_sides = sides.count() > target.len();
        target.iter().map(|aim| Movement::of(aim.axis, aim.direction.filter(|_| !has_sides))).collect()
    }

    /// Returns all actions that are ordered, if their order is one line.
    fn line(&self) -> Option<Vec<usize>> {
        let pairs: Vec<(usize, usize)> =
            self.reading.order.iter().map(|(one, other, _)| (*one, *other)).collect();
        let mut left: Vec<usize> = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
        left.sort_unstable();
        left.dedup();
        let mut line: Vec<usize> = Vec::new();
        while !left.is_empty() {
            let free: Vec<usize> = left
                .iter()
                .copied()
                .filter(|at| !pairs.iter().any(|(one, other)| other == at && left.contains(one)))
                .collect();
            let [next] = free.as_slice() else { return None };
            left.retain(|at| at != next);
            line.push(*next);
        }
        Some(line)
    }

    fn order(&mut self) {
        let pairs = self.reading.order.clone();
        if pairs.is_empty() || self.reading.actions.len() > 40 {
            return;
        }
        let shown = |line: &[usize]| -> Vec<(usize, Feature)> {
            pairs
                .iter()
                .filter(|(one, other, _)| line.contains(one) && line.contains(other))
                .map(|(_, _, clause)| (*clause, Feature::Order))
                .collect()
        };
        let lines = match self.line() {
            Some(line) => vec![line],
            None => pairs.iter().map(|(one, other, _)| vec![*one, *other]).collect(),
        };
        for line in lines {
            let shown = shown(&line);
            let mut choices: Vec<Vec<Movement>> = vec![Vec::new()];
            for at in line {
                let beginnings = self.beginnings(at);
                if beginnings.is_empty() || choices.len() * beginnings.len() > MAX_CHOICES {
                    continue;
                }
                choices = choices
                    .iter()
                    .flat_map(|choice| {
                        beginnings.iter().map(move |movement| {
                            let mut longer = choice.clone();
                            if longer.last() != Some(movement) {
                                longer.push(movement.clone());
                            }
                            longer
                        })
                    })
                    .collect();
            }
            // Two movements of the same antenna, whichever it is, need not be in any order.
            if choices.iter().any(|choice| choice.len() < 2) {
                continue;
            }
            let claims = choices
                .into_iter()
                .map(|actions| vec![Claim { expect: Expect::Order { actions }, origins: shown.clone() }]);
            let claims: Vec<Vec<Claim>> = claims.collect();
            self.claims.choose(claims);
        }
    }

    fn together(&mut self, one: usize, other: usize, clause: usize) {
        let targets = |at: usize| self.action(at).map(|action| action.targets.clone()).unwrap_or_default();
        // A posture is there before what goes along with it.
        let is_state =
            |at: usize| self.action(at).is_some_and(|action| action.is_state && !action.is_oscillation());
        if one != other && (is_state(one) || is_state(other)) {
            return;
        }
        let mut wanted = targets(one);
        if one != other {
            wanted.truncate(1);
            // Both antennas go along, not only one.
            wanted.extend(targets(other));
        }
        // The ways back need not be at the same time.
        let is_plain = [one, other]
            .iter()
            .all(|at| self.action(*at).is_some_and(|action| !action.is_oscillation() && !action.has_sides()));
        let mut choices: Vec<Vec<Movement>> = vec![Vec::new()];
        for target in &wanted {
            if choices.len() * target.len() > MAX_CHOICES {
                continue;
            }
            choices = choices
                .iter()
                .flat_map(|choice| {
                    target.iter().map(move |aim| {
                        let mut longer = choice.clone();
                        let movement = Movement::of(aim.axis, aim.direction.filter(|_| is_plain));
                        if !longer.contains(&movement) {
                            longer.push(movement);
                        }
                        longer
                    })
                })
                .collect();
        }
        choices.retain(|choice| choice.len() > 1);
        let shown = vec![(clause, Feature::Together)];
        let mut claims: Vec<Vec<Claim>> = choices
            .into_iter()
            .map(|actions| vec![Claim { expect: Expect::Together { actions }, origins: shown.clone() }])
            .collect();
        // "Wiggle while looking up": one may be held while the other swings.
        let swings = |at: usize| self.action(at).is_some_and(Action::is_oscillation);
        let held = match (swings(one), swings(other)) {
            (true, false) => Some(other),
            (false, true) => Some(one),
            _ => None,
        };
        // What goes to and fro is not held.
        let goes_once = |at: &usize| {
            self.action(*at)
                .is_some_and(|action| !action.has_sides() && action.count.is_none_or(|count| count < 2.0))
        };
        if let Some(held) = held.filter(goes_once)
            && let Some(target) = targets(held).into_iter().next()
        {
            let swing = self.beginnings(if held == one { other } else { one }).into_iter().next();
            claims.extend(target.iter().map(|aim| {
                let holds = Expect::Holds { axis: aim.axis, direction: aim.direction, seconds: 0.9 };
                let mut choice = vec![Claim { expect: holds, origins: shown.clone() }];
                // It is there before the other one swings, and not after it.
                choice.extend(swing.clone().map(|swing| {
                    let actions = vec![Movement::of(aim.axis, aim.direction), swing];
                    Claim { expect: Expect::Order { actions }, origins: shown.clone() }
                }));
                choice
            }));
        }
        self.claims.choose(claims);
    }

    /// "The left ear wiggles, then the right one, then both": these move at the same time.
    fn both_antennas(&mut self) {
        let axes = |action: &Action| {
            let mut axes = action.axes();
            axes.sort_unstable();
            axes.dedup();
            axes
        };
        let actions = &self.reading.actions;
        let is_single =
            |action: &Action| matches!(axes(action).as_slice(), [axis] if Axis::ANTENNAS.contains(axis));
        if actions.iter().filter(|action| is_single(action)).count() < 2 {
            return;
        }
        let is_both =
            |action: &Action| action.is_oscillation() && !action.alternates && axes(action) == Axis::ANTENNAS;
        let both: Vec<(usize, usize)> = actions
            .iter()
            .enumerate()
            .filter(|(_, action)| is_both(action))
            .map(|(at, action)| (at, action.clause))
            .collect();
        for (at, clause) in both {
            self.together(at, at, clause);
        }
    }

    /// Antennas that take turns.
    fn apart(&mut self) {
        let mut wanted: Vec<(usize, Vec<usize>)> =
            self.reading.apart.iter().map(|(clause, at)| (*clause, vec![*at])).collect();
        let alternating: Vec<usize> = self
            .reading
            .actions
            .iter()
            .enumerate()
            .filter(|(_, action)| action.alternates)
            .map(|(at, _)| at)
            .collect();
        if let Some(first) = alternating.first().and_then(|at| self.action(*at)) {
            wanted.push((first.clause, alternating.clone()));
        }
        for (clause, members) in wanted {
            let mut axes: Vec<Axis> = members
                .iter()
                .filter_map(|at| self.action(*at))
                .flat_map(|action| {
                    action.targets.iter().filter_map(|target| target.first().map(|aim| aim.axis))
                })
                .collect();
            axes.sort();
            axes.dedup();
            if axes.len() < 2 {
                continue;
            }
            let mut shown = vec![(clause, Feature::Together)];
            for action in members.iter().filter_map(|at| self.action(*at)) {
                shown.extend(action.notes.iter().filter(|(_, feature)| *feature == Feature::Together));
            }
            let is_turns = self.reading.apart.iter().all(|(apart, _)| *apart != clause);
            let expect = match axes.as_slice() {
                [one, other] if is_turns => Expect::Alternates { axes: [*one, *other] },
                _ => {
                    Expect::Apart { actions: axes.into_iter().map(|axis| Movement::of(axis, None)).collect() }
                }
            };
            self.claims.push(expect, shown);
        }
    }
}

//! Turns what was read into expectations.

mod amounts;
mod certainty;
mod links;
mod tempo;

use minismith_score::expects::{End, Expect};
use minismith_score::{Axis, Direction};

use self::amounts::{bounds, least, opposite, parameter, with_parameter};
use crate::aims::{Aim, Target};
use crate::lexicon::Verb;
use crate::meaning::{Bound, Change, Role, Trigger};
use crate::reading::{Action, Feature, Reading};

/// An expectation with the clauses that it shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    pub(crate) expect: Expect,
    pub(crate) origins: Vec<(usize, Feature)>,
}

impl Claim {
    /// Returns the expectation, marked if it is only likely.
    fn into_expect(self, is_likely: bool) -> Expect {
        if is_likely { Expect::Likely { expect: Box::new(self.expect) } } else { self.expect }
    }
}

/// The expectations of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claims {
    pub(crate) all: Vec<Claim>,
}

/// The most expectations of a contract.
const MAX_EXPECTS: usize = 90;
/// How much a part may move that the request does not name, degrees or millimetres.
const UNNAMED_WITHIN: f64 = 12.0;
/// How much a part may move that must be still, degrees or millimetres.
pub(crate) const STILL_WITHIN: f64 = 3.0;
/// How soon something happens after an event, seconds.
const REACTION_SECONDS: f64 = 2.5;

impl Claims {
    fn push(&mut self, expect: Expect, origins: Vec<(usize, Feature)>) {
        if let Some(known) = self.all.iter_mut().find(|known| known.expect == expect) {
            known.origins.extend(origins);
        } else if self.all.len() < MAX_EXPECTS {
            self.all.push(Claim { expect, origins });
        }
    }

    /// Adds lists of which one must hold; what all of them contain is expected in any case.
    fn choose(&mut self, mut choices: Vec<Vec<Claim>>) {
        choices.retain(|choice| !choice.is_empty());
        let Some(first) = choices.first().cloned() else { return };
        for claim in first {
            let is_common =
                choices.iter().all(|choice| choice.iter().any(|other| other.expect == claim.expect));
            if is_common {
                choices.iter_mut().for_each(|choice| choice.retain(|other| other.expect != claim.expect));
                self.push(claim.expect, claim.origins);
            }
        }
        // An empty list would hold in any case.
        if choices.iter().any(Vec::is_empty) {
            return;
        }
        let mut origins: Vec<(usize, Feature)> =
            choices.iter().flatten().flat_map(|claim| claim.origins.clone()).collect();
        origins.dedup();
        let of = choices
            .into_iter()
            .map(|choice| choice.into_iter().map(|claim| claim.expect).collect())
            .collect();
        self.push(Expect::Either { of }, origins);
    }
}

/// Returns the expectations of a reading. `is_understood` tells that every word was, and `names_all` that the request
/// names all that moves.
pub(crate) fn claims(reading: &Reading, is_understood: bool, names_all: bool) -> Claims {
    let mut emitter = Emitter { reading, claims: Claims::default() };
    let mut done: Vec<&Target> = Vec::new();
    for action in &reading.actions {
        for target in &action.targets {
            if !done.contains(&target) {
                done.push(target);
                emitter.target(target);
            }
        }
    }
    emitter.links();
    emitter.rests();
    emitter.ends();
    emitter.events();
    if names_all {
        emitter.unnamed();
    }
    let all = emitter.claims.all.into_iter().map(|claim| {
        // With a word that nobody knows, all others can mean something else.
        let is_likely = !is_understood || certainty::is_likely(&claim, reading);
        Claim { origins: claim.origins.clone(), expect: claim.into_expect(is_likely) }
    });
    Claims { all: all.collect() }
}

struct Emitter<'a> {
    reading: &'a Reading,
    claims: Claims,
}

/// Returns the origins of an expectation about a feature of an action.
fn origins(action: &Action, feature: Feature) -> Vec<(usize, Feature)> {
    let mut found = vec![(action.clause, feature)];
    found.extend(action.notes.iter().filter(|(_, noted)| *noted == feature));
    found
}

impl Emitter<'_> {
    fn members(&self, target: &Target) -> Vec<&Action> {
        self.reading.actions.iter().filter(|action| action.targets.contains(target)).collect()
    }

    fn is_whenever(&self) -> bool {
        self.reading.occasions.iter().any(|occasion| occasion.trigger != Trigger::When)
    }

    /// Returns how often a target is seen in all, if the request says so.
    fn count(&self, members: &[&Action]) -> Option<usize> {
        let first = members.first()?;
        if members.iter().any(|action| action.roles.contains(&Role::Times) || action.several)
            || self.is_whenever()
        {
            return None;
        }
        let is_counted = members.iter().any(|action| action.count.is_some());
        // "Wave, rest and wave": a wave has any number of swings.
        let is_open = |action: &&&Action| {
            action.count.is_none()
                && matches!(action.verb, Verb::Wiggle | Verb::Shake | Verb::Sway | Verb::Bob)
        };
        if members.len() > 1 && members.iter().any(|action| is_open(&action)) {
            return None;
        }
        let is_single = !first.is_oscillation()
            && first.returns
            && first.change.is_none()
            && members.len() == 1
            && !self
                .reading
                .actions
                .iter()
                .any(|other| other.is_oscillation() && other.axes() == first.axes());
        if !(is_counted || members.len() > 1 || is_single) {
            return None;
        }
        let continued = self.continued(members) as f64;
        let total = members.iter().map(|action| action.count.unwrap_or(1.0)).sum::<f64>() - continued;
        // A growing chain without a number may have any.
        if !is_counted && members.iter().any(|action| action.change.is_some()) {
            return None;
        }
        (total.fract().abs() < 1e-9 && (0.0..=1000.0).contains(&total)).then_some(total as usize)
    }

    /// "Up left, then up right": how many of these only stay where the one before went, up.
    fn continued(&self, members: &[&Action]) -> usize {
        let is_diagonal = |action: &Action| {
            action.targets.len() > 1 && !action.is_oscillation() && !action.returns && action.count.is_none()
        };
        let follows = |one: &Action, next: &Action| {
            is_diagonal(one) && is_diagonal(next) && one.group + 1 >= next.group && one.clause < next.clause
        };
        members.windows(2).filter(|pair| matches!(pair, [one, next] if follows(one, next))).count()
    }

    fn target(&mut self, target: &Target) {
        let members: Vec<Action> = self.members(target).into_iter().cloned().collect();
        let members: Vec<&Action> = members.iter().collect();
        let count = self.count(&members);
        let mut choices: Vec<Vec<Claim>> = Vec::new();
        for aim in target {
            // An antenna swings about upright as well as about where it rests.
            let is_antenna_count = Axis::ANTENNAS.contains(&aim.axis) && count.is_some();
            let is_either = aim.direction.is_none()
                && (is_antenna_count || members.iter().all(|action| !action.is_oscillation()));
            let directions: Vec<Option<Direction>> =
                if is_either { aim.axis.directions().map(Some).to_vec() } else { vec![aim.direction] };
            for direction in directions {
                let mut choice = Vec::new();
                self.amounts(&members, aim, direction, &mut choice);
                self.counts(&members, aim, direction, count, &mut choice);
                self.shape(&members, aim, direction, &mut choice);
                choices.push(choice);
            }
        }
        self.claims.choose(choices);
        self.tempo(&members, target);
        self.parameters(&members, target);
    }

    fn counts(
        &self,
        members: &[&Action],
        aim: &Aim,
        direction: Option<Direction>,
        count: Option<usize>,
        choice: &mut Vec<Claim>,
    ) {
        let shown: Vec<(usize, Feature)> =
            members.iter().flat_map(|action| origins(action, Feature::Count)).collect();
        let axis = aim.axis;
        let is_set = members.iter().any(|action| action.roles.contains(&Role::Times));
        let several = members.iter().any(|action| action.several) && !is_set;
        let mut add = |direction: Option<Direction>, count: Option<usize>, at_least: Option<usize>| {
            let expect = Expect::Swings { axis, direction, count, at_least, at_most: None };
            choice.push(Claim { expect, origins: shown.clone() });
        };
        let others = self.others_alike(members, aim);
        if let Some(count) = count {
            let direction = if Axis::ANTENNAS.contains(&axis) { direction } else { aim.direction };
            match others {
                Some(others) => add(direction, Some(count + others), None),
                None => add(direction, None, Some(count)),
            }
        } else if several && !self.is_whenever() {
            add(aim.direction, None, Some(2));
        }
        let Some(main) = members.first() else { return };
        let has_sides = aim.direction.is_none()
            && matches!(main.verb, Verb::Shake | Verb::Sway)
            && !Axis::ANTENNAS.contains(&axis);
        if has_sides {
            axis.directions().into_iter().for_each(|direction| add(Some(direction), None, Some(1)));
        }
        let is_plain_wiggle = count.is_none()
            && !several
            && main.verb == Verb::Wiggle
            && !main.returns
            && aim.direction.is_none()
            && main.roles.is_empty();
        if is_plain_wiggle {
            add(None, None, Some(2));
        }
    }

    /// Returns how often other actions swing an axis in the same direction: "nods twice before bowing"; none if that is
    /// not said.
    fn others_alike(&self, members: &[&Action], aim: &Aim) -> Option<usize> {
        let is_same = |own: &Aim| own.axis == aim.axis && own.direction == aim.direction;
        let is_other = |action: &&Action| {
            members.iter().all(|member| member.clause != action.clause)
                && action.targets.iter().flatten().any(is_same)
        };
        let others = self.reading.actions.iter().filter(is_other).filter(|_| aim.direction.is_some());
        let counts: Option<Vec<f64>> = others
            .map(|action| {
                // What may mean another axis as well is no certain swing of this one.
                let is_certain = action.targets.iter().all(|target| target.iter().all(is_same));
                let is_open = action.count.is_none() && action.is_oscillation() && action.verb != Verb::Nod;
                (is_certain && !is_open && !action.several).then(|| action.count.unwrap_or(1.0))
            })
            .collect();
        Some(counts?.iter().sum::<f64>() as usize)
    }

    /// How far, and not to the other side.
    fn amounts(&self, members: &[&Action], aim: &Aim, direction: Option<Direction>, choice: &mut Vec<Claim>) {
        let Some(main) = members.first() else { return };
        let mut low: f64 = 0.0;
        let mut high: Option<f64> = Some(0.0);
        let mut shown = Vec::new();
        for action in members {
            let (at_least, at_most) = bounds(action, aim.axis, direction);
            low = low.max(at_least);
            high = high.and_then(|high| at_most.map(|most| most.max(high)));
            shown.extend(origins(action, Feature::Motion));
            shown.extend(origins(action, Feature::Size));
            shown.extend(action.notes.iter().filter(|(_, noted)| *noted == Feature::Return));
        }
        if main.roles.iter().any(|role| matches!(role, Role::Degrees | Role::Distance | Role::Size)) {
            low = low.min(least(aim.axis, direction));
            high = None;
        }
        // "Both ears go straight up and then wiggle": another motion of the same axis may go further.
        let is_open = self.reading.actions.iter().any(|action| {
            let is_member = members.iter().any(|member| member.clause == action.clause);
            !is_member
                && action
                    .targets
                    .iter()
                    .flatten()
                    .any(|other| other.axis == aim.axis && other.direction.is_none())
        });
        if is_open || high.is_some_and(|high| high < low) {
            high = None;
        }
        choice.push(Claim {
            expect: Expect::Moves { axis: aim.axis, direction, at_least: low, at_most: high },
            origins: shown,
        });
        let swings_both_ways = matches!(main.verb, Verb::Nod | Verb::Bob | Verb::Sway | Verb::Wiggle);
        let has_other = self
            .reading
            .actions
            .iter()
            .flat_map(|action| &action.targets)
            .flatten()
            .any(|other| other.axis == aim.axis && other.direction != aim.direction);
        if let Some(direction) = aim.direction
            && !swings_both_ways
            && !has_other
        {
            let origins = members.iter().map(|action| (action.clause, Feature::Motion)).collect();
            let direction = Some(opposite(aim.axis, direction));
            let at_most = Some(if Axis::ANTENNAS.contains(&aim.axis) { 14.0 } else { 6.0 });
            choice.push(Claim {
                expect: Expect::Moves { axis: aim.axis, direction, at_least: 0.0, at_most },
                origins,
            });
        }
    }

    /// Holding, growing.
    fn shape(&self, members: &[&Action], aim: &Aim, direction: Option<Direction>, choice: &mut Vec<Claim>) {
        let axis = aim.axis;
        for action in members {
            let is_posture = action.stays || action.is_state && !action.is_oscillation();
            if let Some(seconds) = action.hold.or(is_posture.then_some(0.4)) {
                choice.push(Claim {
                    expect: Expect::Holds { axis, direction, seconds: seconds * 0.9 },
                    origins: origins(action, Feature::Hold),
                });
            }
            let expect = match action.change {
                Some(Change::Grows) => Some(Expect::Grows { axis, direction: aim.direction }),
                Some(Change::Shrinks) => Some(Expect::Shrinks { axis, direction: aim.direction }),
                Some(Change::Faster) => Some(Expect::Quicker { axis }),
                Some(Change::Slower) => Some(Expect::Slower { axis }),
                None => None,
            };
            choice.extend(expect.map(|expect| Claim { expect, origins: origins(action, Feature::Change) }));
            let is_last = !self
                .reading
                .actions
                .iter()
                .any(|other| other.clause > action.clause && other.axes().contains(&axis));
            if action.stays
                && is_last
                && !action.returns
                && let (Some((amount, Bound::About)), Some(direction)) = (action.amount, direction)
            {
                // An angle is a deviation from neutral, and an end is a place.
                let amount = amount + axis.neutral() * axis.sign(direction).unwrap_or(1.0);
                choice.push(Claim {
                    expect: Expect::Ends { at: End::Axis { axis, direction, amount: amount.max(0.0) } },
                    origins: origins(action, Feature::Hold),
                });
            }
        }
    }

    /// What calls with another value of a parameter show.
    fn parameters(&mut self, members: &[&Action], target: &Target) {
        // Where several axes may be meant, a call shows nothing of one of them.
        if target.iter().any(|aim| target.first().is_some_and(|first| first.axis != aim.axis)) {
            return;
        }
        for action in members {
            for role in &action.roles {
                let (name, values) = parameter(*role, target.first().map(|aim| aim.axis));
                for value in values {
                    // A call has one expectation; the first aim is what people mean most often.
                    let Some(aim) = target.first() else { continue };
                    let expect = Box::new(with_parameter(*role, action, aim, value));
                    let mut shown = origins(action, Feature::Parameter);
                    shown.extend(self.reading.roles.iter().map(|(clause, _)| (*clause, Feature::Parameter)));
                    self.claims.push(Expect::Parameter { name: name.to_owned(), value, expect }, shown);
                }
            }
        }
    }

    /// What does not move, pauses, durations.
    fn rests(&mut self) {
        let moved: Vec<Axis> = self.reading.actions.iter().flat_map(Action::axes).collect();
        for stillness in &self.reading.stillness {
            let mut axes = stillness.axes.clone();
            if stillness.is_rest {
                axes.retain(|axis| {
                    !moved.contains(axis)
                        && !self
                            .reading
                            .stillness
                            .iter()
                            .any(|other| !other.is_rest && other.axes.contains(axis))
                });
            }
            axes.sort();
            axes.dedup();
            if !axes.is_empty() {
                self.claims.push(
                    Expect::Still { axes, within: STILL_WITHIN },
                    vec![(stillness.clause, Feature::Still)],
                );
            }
        }
        // A sound before a pause is no motion that it could follow.
        let moves_before = |clause: usize| {
            self.reading.actions.iter().any(|action| action.clause < clause && !action.targets.is_empty())
        };
        for (clause, seconds) in &self.reading.pauses {
            let is_followed =
                self.reading.actions.iter().any(|action| {
                    action.clause > *clause
                        || action
                            .notes
                            .iter()
                            .any(|(noted, feature)| noted > clause && *feature == Feature::Return)
                }) || self.reading.actions.iter().any(|action| action.count.is_some_and(|count| count > 1.0))
                    || self.reading.ends_neutral.iter().any(|end| end > clause);
            let shown = vec![(*clause, Feature::Pause)];
            let moves = self.reading.actions.iter().any(|action| !action.targets.is_empty());
            if !moves {
                let rounds =
                    self.reading.actions.iter().map(|action| action.count.unwrap_or(1.0)).sum::<f64>() - 1.0;
                let at_least = Some((seconds * rounds.clamp(1.0, 100.0) * 0.9).max(0.0));
                self.claims.push(Expect::Duration { at_least, at_most: None }, shown);
            } else if is_followed && moves_before(*clause) {
                self.claims.push(Expect::Pauses { seconds: seconds * 0.9 }, shown);
            } else {
                self.claims.push(Expect::Duration { at_least: Some(*seconds), at_most: None }, shown);
            }
        }
        let is_once = self.reading.occasions.iter().any(|occasion| occasion.trigger == Trigger::When);
        for (clause, at_least, at_most) in &self.reading.durations {
            // With other motions or rests, it is not the time of all.
            let is_part = self.reading.actions.len() > 1 || !self.reading.pauses.is_empty();
            let at_most = at_most.filter(|_| at_least.is_none() || !is_part);
            let expect = Expect::Duration { at_least: *at_least, at_most };
            if !is_once && !self.reading.actions.is_empty() {
                self.claims.push(expect, vec![(*clause, Feature::Duration)]);
            }
        }
        self.signals();
    }

    /// Sounds and photos.
    fn signals(&mut self) {
        for (verb, feature) in [(Verb::Sound, Feature::Sound), (Verb::Photo, Feature::Photo)] {
            let signals: Vec<&Action> =
                self.reading.actions.iter().filter(|action| action.verb == verb).collect();
            if signals.is_empty()
                || self.is_whenever()
                || signals.iter().any(|action| action.several || !action.roles.is_empty())
            {
                continue;
            }
            let count =
                signals.iter().map(|action| action.count.unwrap_or(1.0)).sum::<f64>().clamp(0.0, 1000.0)
                    as usize;
            let mut shown = Vec::new();
            for action in signals {
                shown.push((action.clause, feature));
                shown.extend(action.notes.iter().map(|(clause, _)| (*clause, feature)));
            }
            let expect =
                if verb == Verb::Sound { Expect::Sounds { count } } else { Expect::Photos { count } };
            self.claims.push(expect, shown);
        }
    }

    /// Where it ends.
    fn ends(&mut self) {
        if self.reading.actions.iter().any(|action| action.is_reaction) {
            return;
        }
        let last_end = self.reading.ends_neutral.iter().copied().max();
        let last_action = self.reading.actions.iter().map(|action| action.clause).max();
        let stays =
            self.reading.actions.iter().any(|action| action.stays || (action.is_state && !action.returns));
        // "Out and back six times" tells each swing, not where it ends.
        let is_rhythm = self
            .reading
            .actions
            .iter()
            .any(|action| action.count.is_some_and(|count| count > 1.0) && action.returns);
        // A tool that returns from each movement to the same place ends there.
        let all_return = self.reading.actions.iter().all(|action| action.returns || action.is_oscillation());
        if let (Some(end), Some(action)) = (last_end, last_action)
            && (end > action || (end == action && all_return))
            && !stays
            && !is_rhythm
        {
            let shown = self.reading.ends_neutral.iter().map(|clause| (*clause, Feature::Return)).collect();
            self.claims.push(Expect::Ends { at: End::Neutral }, shown);
            return;
        }
        for action in self.reading.actions.clone() {
            let is_last = !self.reading.actions.iter().any(|other| {
                other.clause > action.clause && other.axes().iter().any(|axis| action.axes().contains(axis))
            });
            if !action.returns || !is_last || action.stays {
                continue;
            }
            for target in &action.targets {
                let mut axes: Vec<Axis> = target.iter().map(|aim| aim.axis).collect();
                axes.dedup();
                for axis in axes {
                    if is_rhythm && Axis::ANTENNAS.contains(&axis) {
                        continue;
                    }
                    let direction = axis.direction_of(axis.neutral());
                    let at = End::Axis { axis, direction, amount: axis.neutral().abs() };
                    let mut shown = origins(&action, Feature::Return);
                    shown.extend(self.reading.ends_neutral.iter().map(|clause| (*clause, Feature::Return)));
                    self.claims.push(Expect::Ends { at }, shown);
                }
            }
        }
    }

    /// Reactions, and quiet without the event.
    fn events(&mut self) {
        let has_something = !self.reading.actions.is_empty();
        for occasion in &self.reading.occasions {
            if occasion.trigger == Trigger::Until || !has_something {
                continue;
            }
            let reaction = self.reading.actions.iter().find(|action| action.is_reaction);
            let certain = reaction.and_then(|action| match action.targets.first().map(Vec::as_slice) {
                Some([aim]) => Some(aim.axis),
                _ => None,
            });
            let mut shown = vec![(occasion.clause, Feature::Event)];
            shown.extend(self.reading.durations.iter().map(|(clause, ..)| (*clause, Feature::Event)));
            let event = occasion.event.clone();
            if let Some(reaction) = reaction.filter(|reaction| reaction.verb != Verb::Say) {
                if reaction.verb == Verb::Sound {
                    shown.push((reaction.clause, Feature::Sound));
                }
                self.claims.push(
                    Expect::Reacts { event: event.clone(), within: REACTION_SECONDS, axis: certain },
                    shown.clone(),
                );
            }
            if self.reading.actions.iter().all(|action| action.is_reaction) {
                shown.extend(self.reading.quiet.iter().map(|clause| (*clause, Feature::Still)));
                self.claims.push(Expect::QuietWithout { event }, shown);
            }
        }
    }

    /// What the request doesn't name does not move much.
    fn unnamed(&mut self) {
        if self.reading.actions.iter().all(|action| action.targets.is_empty()) {
            return;
        }
        let named: Vec<Axis> = self.reading.actions.iter().flat_map(Action::axes).collect();
        let is_still = |axis: &Axis| {
            self.claims
                .all
                .iter()
                .any(|claim| matches!(&claim.expect, Expect::Still { axes, .. } if axes.contains(axis)))
        };
        let axes: Vec<Axis> =
            Axis::ALL.into_iter().filter(|axis| !named.contains(axis) && !is_still(axis)).collect();
        if !axes.is_empty() {
            self.claims.push(Expect::Still { axes, within: UNNAMED_WITHIN }, Vec::new());
        }
    }
}

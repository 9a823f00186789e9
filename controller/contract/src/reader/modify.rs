//! What a clause adds to an action: how often, how far, how long, how it changes.

use super::Reader;
use crate::aims;
use crate::clause::{Clause, TimeUse};
use crate::lexicon::Verb;
use crate::meaning::{Bound, Change, Link, Role};
use crate::reading::Feature;

impl Reader {
    /// Adds what the action's own clause says.
    pub(super) fn fill(&mut self, index: usize, clause: &Clause, at: usize) {
        self.times(index, clause);
        let earlier = self.reading.actions.get(..at).unwrap_or(&[]).iter().rev();
        let same = earlier.filter_map(|action| action.amount).next().filter(|_| clause.same_size);
        let Some(action) = self.reading.actions.get_mut(at) else { return };
        let is_parameter =
            clause.choose || clause.roles.iter().any(|role| matches!(role, Role::Degrees | Role::Distance));
        // "Left antenna out 30": an angle, for nobody counts so far.
        let is_angle =
            clause.bare.is_some_and(|bare| bare > 12.0) && clause.has_way() && clause.size.is_none();
        if is_angle && clause.count.is_none() && !action.is_oscillation() {
            action.amount = clause.bare.map(|bare| (bare, Bound::About));
        }
        let is_plain =
            !is_angle && clause.bare.is_some_and(|bare| clause.count.is_none() && bare.fract() == 0.0);
        if !clause.roles.contains(&Role::Times) {
            action.count = clause.count.or(clause.bare.filter(|_| is_plain)).or(action.count);
        }
        if action.count.is_none() && clause.another {
            action.count = Some(1.0);
        }
        // "A wave" has several swings, "a nod" one.
        let is_several = matches!(action.verb, Verb::Wiggle | Verb::Shake | Verb::Sway | Verb::Bob);
        if action.count.is_none() && clause.has_article_noun && !clause.each && !is_several {
            action.count = Some(1.0);
        }
        // "A number of times that I choose".
        let is_chosen = clause.several && clause.choose;
        if is_chosen {
            action.roles.push(Role::Times);
        }
        action.several |= clause.several && !is_chosen;
        if let Some((amount, _)) = clause.size {
            action.amount = Some((amount, clause.bound.unwrap_or(Bound::About)));
        }
        action.amount = same.or(action.amount);
        action.sizes += clause.sizes;
        action.is_small |= clause.small;
        action.is_large |= clause.large;
        action.returns |= clause.back_again || (clause.neutral && clause.verb.is_some());
        action.change = change(clause).or(action.change);
        action.period = clause.period.or(action.period);
        action.is_slow |= clause.slow;
        action.is_fast |= clause.fast;
        action.alternates |= clause.alternate;
        if is_parameter || !clause.roles.is_empty() {
            for role in &clause.roles {
                if !action.roles.contains(role) {
                    action.roles.push(*role);
                }
            }
        }
        if clause.back_again {
            self.reading.ends_neutral.push(index);
        }
        if clause.apart {
            self.reading.apart.push((index, at));
        }
        if clause.together {
            self.joined(index, at);
            if clause.leads_together && at == 0 {
                self.together_next = Some(index);
            }
        }
    }

    /// "At the same time": with the actions of the same group, or both antennas.
    fn joined(&mut self, index: usize, at: usize) {
        let Some(group) = self.reading.actions.get(at).map(|action| action.group) else { return };
        let others: Vec<usize> = self
            .reading
            .actions
            .iter()
            .enumerate()
            .filter(|(other, action)| *other < at && action.group == group)
            .map(|(other, _)| other)
            .collect();
        if let Some(other) = others.last() {
            self.reading.together.push((*other, at, index));
            let (one, other) = (at, *other);
            self.reading.order.retain(|(before, after, _)| (*before, *after) != (other, one));
        } else {
            self.reading.together.push((at, at, index));
        }
    }

    fn times(&mut self, index: usize, clause: &Clause) {
        let Some((seconds, usage)) = clause.seconds else { return };
        if self.holds_next.is_some() {
            return;
        }
        // "Four seconds for each shake".
        if (clause.each || clause.each_time)
            && let Some(action) = self.latest.last().and_then(|at| self.reading.actions.get_mut(*at))
            && action.is_oscillation()
        {
            action.period = action.period.or(Some(seconds));
            action.notes.push((index, Feature::Tempo));
            return;
        }
        let is_single = self.reading.actions.len() == 1;
        let has_occasion = !self.reading.occasions.is_empty();
        let Some(action) = self.latest.last().and_then(|at| self.reading.actions.get_mut(*at)) else {
            return;
        };
        let low = seconds - (0.2 * seconds).max(0.3);
        let high = seconds + (0.2 * seconds).max(0.3);
        match usage {
            _ if clause.bound == Some(Bound::AtMost) => {
                self.reading.durations.push((index, None, Some(seconds)))
            }
            TimeUse::Over => {
                let high = is_single.then_some(high);
                self.reading.durations.push((index, Some(low.max(0.0)), high));
            }
            TimeUse::For | TimeUse::Plain if has_occasion => {
                self.reading.durations.push((index, Some(low.max(0.0)), None));
            }
            TimeUse::For | TimeUse::Plain
                if action.is_oscillation()
                    || action.has_sides()
                    || action.is_state
                    || action.alternates
                    || action.verb == Verb::Flick
                    || action.period.is_some() =>
            {
                let high = is_single.then_some(high);
                self.reading.durations.push((index, Some(low.max(0.0)), high));
            }
            TimeUse::For | TimeUse::Plain => {
                action.hold = Some(seconds);
                action.notes.push((index, Feature::Hold));
            }
        }
    }

    /// A clause without an action of its own adds to the last one.
    pub(super) fn modify(&mut self, index: usize, clause: &Clause) {
        if self.latest.is_empty() {
            if clause.together && clause.parts.is_empty() {
                self.together_next = Some(index);
            }
            if clause.choose || !clause.roles.is_empty() {
                self.reading.roles.extend(clause.roles.iter().map(|role| (index, *role)));
            } else if let Some((seconds, _)) = clause.seconds {
                self.reading.durations.push((index, Some(seconds * 0.8), None));
            } else if clause.count.or(clause.bare).is_some() {
                // "Three times: ..." counts all that follows.
                self.reading.lost.push(index);
            }
            return;
        }
        // "Then faster and faster, six nods": the way of the motion before changes.
        if clause.change.is_some() && self.link == Some(Link::Then) {
            self.link = None;
        }
        self.times(index, clause);
        self.repeat(index, clause);
        let latest = self.latest.clone();
        let group = self.group;
        let is_all = clause.verb == Some(Verb::Repeat) || clause.each;
        for (at, action) in self.reading.actions.iter_mut().enumerate() {
            let is_latest = latest.contains(&at);
            if !(is_latest || is_all && action.group == group) {
                continue;
            }
            let mut note = |feature: Feature| action.notes.push((index, feature));
            if clause.size.is_some() {
                note(Feature::Size);
            }
            if let (Some(factor), Some((amount, bound))) = (clause.scale, action.amount) {
                note(Feature::Size);
                action.amount = Some((amount * factor, bound));
            }
            if clause.small || clause.large {
                note(Feature::Size);
            }
            if change(clause).is_some() {
                note(Feature::Change);
            }
            if clause.period.is_some() || clause.slow || clause.fast {
                note(Feature::Tempo);
            }
            if clause.several {
                note(Feature::Count);
            }
            if !clause.roles.is_empty() {
                note(Feature::Parameter);
            }
            action.sizes += clause.sizes;
            if let Some((amount, is_shift)) = clause.size {
                if action.amount.is_some_and(|(known, _)| known != amount) {
                    action.overridden.push(Feature::Size);
                }
                action.amount = Some((amount, clause.bound.unwrap_or(Bound::About)));
                for target in &mut action.targets {
                    if target.iter().any(|aim| aim.axis.is_shift() == is_shift) {
                        target.retain(|aim| aim.axis.is_shift() == is_shift);
                    }
                }
            }
            let is_chain = clause.more
                && !clause.each_time
                && clause.verb.is_none()
                && clause.noun.is_none()
                && clause.parts.is_empty();
            action.is_small |= clause.small && !clause.each_time && !clause.more;
            action.is_large |= clause.large && !clause.more;
            action.change = change(clause).or(action.change);
            let is_chain = is_chain && (action.returns || action.is_oscillation());
            let is_last = clause.large
                && action.change == Some(Change::Grows)
                && (action.returns || action.is_oscillation());
            if (is_chain || is_last) && clause.change.is_none() && clause.count.is_none() {
                action.count = Some(action.count.unwrap_or(1.0) + 1.0);
                action.is_small = false;
            }
            action.period = clause.period.or(action.period);
            action.tempo_change = match (action.is_slow, action.is_fast) {
                (true, false) if clause.fast => Some(Change::Faster),
                (false, true) if clause.slow => Some(Change::Slower),
                _ => action.tempo_change,
            };
            action.is_slow |= clause.slow;
            action.is_fast |= clause.fast;
            action.several |= clause.several;
            action.alternates |= clause.alternate;
            for role in &clause.roles {
                if !action.roles.contains(role) {
                    action.roles.push(*role);
                }
            }
        }
        if clause.apart {
            for at in &latest {
                self.reading.apart.push((index, *at));
            }
        }
        if clause.together {
            for at in &latest {
                self.joined(index, *at);
            }
        }
        // "The left ear and then the right one, one after the other".
        if clause.alternate && clause.verb.is_none() {
            for at in &latest {
                if let Some(action) = self.reading.actions.get_mut(*at) {
                    action.notes.push((index, Feature::Motion));
                }
            }
        }
        if clause.alternate {
            let members: Vec<usize> = self
                .reading
                .actions
                .iter()
                .enumerate()
                .filter(|(_, action)| action.group == group)
                .map(|(at, _)| at)
                .collect();
            for at in members {
                if let Some(action) = self.reading.actions.get_mut(at) {
                    action.alternates = true;
                    action.notes.push((index, Feature::Together));
                }
            }
        }
        if clause.neutral || clause.back_again {
            self.reading.ends_neutral.push(index);
        }
    }

    /// "Three times each", "do it twice", "eight beats in all".
    fn repeat(&mut self, index: usize, clause: &Clause) {
        // "A parameter for how far, 20 by default": the number is the parameter's.
        if clause.bare.is_some()
            && clause.verb.is_none()
            && let Some(action) = self.latest.last().and_then(|at| self.reading.actions.get_mut(*at))
            && action.roles.iter().any(|role| matches!(role, Role::Degrees | Role::Distance | Role::Size))
            && !action.roles.contains(&Role::Times)
        {
            action.notes.push((index, Feature::Size));
            return;
        }
        // "How far it turns: default 30".
        let is_set = |role: &Role| matches!(role, Role::Degrees | Role::Distance | Role::Size);
        if clause.bare.is_some_and(|bare| bare > 5.0)
            && clause.verb.is_none()
            && clause.noun.is_none()
            && self.reading.roles.iter().any(|(_, role)| is_set(role))
        {
            return;
        }
        // "20 degrees, then 30": a number without a unit continues the sizes.
        if let (Some(number), None, None, None) = (clause.bare, clause.count, clause.noun, clause.verb)
            && let Some(action) = self.latest.last().and_then(|at| self.reading.actions.get_mut(*at))
            && let Some((amount, bound)) = action.amount
        {
            action.amount = Some((amount.max(number), bound));
            action.sizes += 1;
            action.notes.push((index, Feature::Size));
            return;
        }
        let Some(count) = clause.count.or(clause.bare) else { return };
        // "Twice, then three more times": they add up.
        if (clause.more || clause.link == Some(Link::Then) || self.link == Some(Link::Then))
            && clause.verb.is_none()
            && clause.parts.is_empty()
            && !clause.it
            && let Some(action) = self.latest.last().and_then(|at| self.reading.actions.get_mut(*at))
            && let Some(before) = action.count
        {
            action.count = Some(before + count);
            action.notes.push((index, Feature::Count));
            return;
        }
        let group = self.group;
        let latest = self.latest.clone();
        let is_whole = clause.verb == Some(Verb::Repeat) || (clause.it && clause.parts.is_empty());
        if is_whole {
            for action in &mut self.reading.actions {
                action.count = Some(action.count.unwrap_or(1.0) * count);
                action.notes.push((index, Feature::Count));
            }
            return;
        }
        let named: Vec<_> = clause.parts.iter().flat_map(|part| aims::axes(*part)).collect();
        let open: Vec<usize> = self
            .reading
            .actions
            .iter()
            .enumerate()
            .filter(|(at, action)| {
                let is_named = named.is_empty() || action.axes().iter().any(|axis| named.contains(axis));
                is_named
                    && (latest.contains(at) || action.group == group || clause.each || clause.in_all)
                    && (action.count.is_none() || latest.contains(at))
            })
            .map(|(at, _)| at)
            .collect();
        let shared = if clause.in_all && open.len() > 1 { count / open.len() as f64 } else { count };
        let is_single = open.len() == 1 || clause.in_all || clause.each || self.is_pair(&open);
        for at in open {
            if !(is_single || latest.contains(&at)) {
                continue;
            }
            if let Some(action) = self.reading.actions.get_mut(at) {
                if action.count.is_some_and(|known| known != shared) {
                    action.overridden.push(Feature::Count);
                }
                action.count = Some(shared);
                action.notes.push((index, Feature::Count));
            }
        }
    }

    /// Whether the actions are two sides of one movement: "left, then right".
    fn is_pair(&self, open: &[usize]) -> bool {
        let mut verbs = open.iter().filter_map(|at| self.reading.actions.get(*at)).map(|action| action.verb);
        let first = verbs.next();
        verbs.all(|verb| Some(verb) == first)
    }
}

fn change(clause: &Clause) -> Option<Change> {
    if clause.change.is_some() {
        return clause.change;
    }
    let has_round = clause.each_time || clause.each || clause.noun.is_some();
    if let Some(change) = clause.comparative.filter(|_| has_round) {
        return Some(change);
    }
    if clause.more && (has_round || clause.verb.is_none()) {
        Some(Change::Grows)
    } else if clause.less && (has_round || clause.verb.is_none()) {
        Some(Change::Shrinks)
    } else {
        None
    }
}

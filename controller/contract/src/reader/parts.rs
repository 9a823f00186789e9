//! Parts and directions that stand without a verb: they repeat, correct or complete the action before.

use minismith_score::Axis;

use super::Reader;
use crate::aims::{Kind, targets};
use crate::clause::{Clause, Ear, Part};
use crate::lexicon::Verb;
use crate::meaning::{Link, Way};
use crate::reading::{Action, Feature};

impl Reader {
    /// "A left ear" without a verb: it repeats the last action, or waits for its verb.
    pub(super) fn part_alone(&mut self, index: usize, clause: &Clause, parts: Vec<Part>) -> bool {
        if self.lead(index, clause, &parts) {
            return true;
        }
        if self.retarget(index, clause, &parts) {
            return true;
        }
        if clause.choose || clause.link == Some(Link::With) && self.latest.is_empty() {
            self.waiting_parts = parts;
            return false;
        }
        let last = self.latest.last().and_then(|at| self.reading.actions.get(*at)).cloned();
        let is_followed_up = matches!(self.link, Some(Link::Then))
            || clause.link == Some(Link::And)
            || clause.link == Some(Link::Comma);
        match last {
            Some(last) if is_followed_up && self.is_same_family(&parts) && parts != self.parts => {
                let ways: Vec<Option<Way>> = way_of(&last).map_or_else(|| vec![None], |way| vec![Some(way)]);
                let wanted: Vec<_> =
                    ways.iter().flat_map(|way| targets(last.verb, &parts, *way, Kind::default())).collect();
                let mut action = Action::new(index, last.verb, wanted, 0);
                action.returns = last.returns;
                action.count = last.count;
                action.amount = last.amount;
                self.parts = parts;
                self.push(index, clause, action);
                true
            }
            _ if clause.count.is_some() || clause.seconds.is_some() => {
                self.parts.clone_from(&parts);
                false
            }
            _ if clause.alternate || clause.together || clause.apart => {
                let verb = Verb::Move;
                let wanted = targets(verb, &parts, None, Kind::default());
                self.parts.clone_from(&parts);
                let action = Action::new(index, Verb::Wiggle, wanted, 0);
                self.push(index, clause, action);
                true
            }
            _ => {
                self.waiting_parts = parts;
                self.waiting_clauses.push(index);
                true
            }
        }
    }

    /// "Another one": the action before.
    pub(super) fn once_more(&mut self, index: usize, clause: &Clause) -> bool {
        let last = self.latest.last().and_then(|at| self.reading.actions.get(*at)).cloned();
        let Some(last) = last.filter(|_| clause.another && clause.verb.is_none() && clause.parts.is_empty())
        else {
            return false;
        };
        if clause.has_way() {
            return false;
        }
        let mut action = Action::new(index, last.verb, last.targets, 0);
        action.count = Some(1.0);
        self.push(index, clause, action);
        true
    }

    /// "From left to right" after an action that goes to both sides.
    pub(super) fn adds_sides(&mut self, index: usize, clause: &Clause) -> bool {
        let is_alone = clause.verb.is_none() && clause.parts.is_empty() && clause.ways.is_empty();
        if !(is_alone && clause.back_forth && self.link.is_none()) {
            return false;
        }
        let Some(action) = self.latest.last().and_then(|at| self.reading.actions.get_mut(*at)) else {
            return false;
        };
        if !(action.has_sides() || action.targets.iter().flatten().all(|aim| aim.direction.is_none())) {
            return false;
        }
        action.notes.push((index, Feature::Motion));
        self.modify(index, clause);
        true
    }

    /// "One ear after the other, the left one first".
    fn lead(&mut self, index: usize, clause: &Clause, parts: &[Part]) -> bool {
        let (one, other) = match parts {
            [Part::Ear(Ear::Left)] => (Axis::AntennaLeft, Axis::AntennaRight),
            [Part::Ear(Ear::Right)] => (Axis::AntennaRight, Axis::AntennaLeft),
            _ => return false,
        };
        let action = self.latest.last().and_then(|at| self.reading.actions.get(*at));
        let moves_both =
            action.is_some_and(|action| action.axes().contains(&one) && action.axes().contains(&other));
        if !(moves_both && (clause.first || self.place_next == Some(true))) {
            return false;
        }
        self.place_next = None;
        self.reading.leads.push((index, one, other));
        true
    }

    /// "Waves with the right antenna", "just the right one": the part of the last action.
    pub(super) fn retarget(&mut self, index: usize, clause: &Clause, parts: &[Part]) -> bool {
        let is_same_family = self.is_same_family(parts);
        let is_instrument = clause.link == Some(Link::With);
        let Some(action) = self.latest.last().and_then(|at| self.reading.actions.get_mut(*at)) else {
            return false;
        };
        if !(is_instrument && action.has_default_part
            || clause.only_part && is_same_family && clause.link != Some(Link::And))
        {
            return false;
        }
        let way = way_of(action).filter(|_| clause.only_part);
        let wanted = targets(action.verb, parts, way, Kind::default());
        if wanted.is_empty() {
            return false;
        }
        action.targets = wanted;
        action.has_default_part = false;
        action.notes.push((index, Feature::Motion));
        self.parts = parts.to_vec();
        self.modify(index, clause);
        true
    }

    pub(super) fn is_same_family(&self, parts: &[Part]) -> bool {
        let family = |part: &Part| match part {
            Part::Head | Part::Chin => 0,
            Part::Ear(_) => 1,
            Part::Body => 2,
            Part::Everything => 3,
        };
        parts.iter().map(family).eq(self.parts.iter().take(1).map(family))
            || parts.iter().map(family).all(|one| one == 1)
                && self.parts.iter().map(family).all(|one| one == 1)
    }

    /// "Move the head and the body to the right": the direction is that of both.
    pub(super) fn share_way(&mut self, way: Option<Way>) -> bool {
        let parts = self.parts.clone();
        let Some(action) = self.latest.last().and_then(|at| self.reading.actions.get_mut(*at)) else {
            return false;
        };
        let is_open =
            !action.is_oscillation() && action.targets.iter().flatten().all(|aim| aim.direction.is_none());
        if is_open && !parts.is_empty() {
            let wanted = targets(action.verb, &parts, way, Kind::default());
            if !wanted.is_empty() {
                action.targets = wanted;
                return true;
            }
        }
        false
    }

    pub(super) fn join_way(&mut self, index: usize, clause: &Clause, verb: Verb, ways: &[Way]) -> bool {
        let parts = self.parts.clone();
        let Some(action) = self.latest.last().and_then(|at| self.reading.actions.get_mut(*at)) else {
            return false;
        };
        // "25 degrees to the left and down 15": two motions.
        let has_own_size = clause.size.is_some() || clause.bare.is_some_and(|bare| bare > 12.0);
        if action.count.is_some() || action.returns || (has_own_size && action.amount.is_some()) {
            return false;
        }
        let kind = Kind::default();
        // "Left and right and left": each once more is another motion.
        let is_again = ways.iter().any(|way| {
            targets(verb, &parts, Some(*way), kind).iter().any(|target| action.targets.contains(target))
        });
        if is_again && action.targets.len() > 1 && !action.is_oscillation() {
            self.in_order(index);
            return false;
        }
        // "In and out": antennas may swing on either side of upright.
        let is_in_and_out = matches!(ways, [Way::In | Way::Out])
            && parts.iter().all(|part| matches!(part, Part::Ear(_)))
            && !parts.is_empty();
        if is_in_and_out {
            action.targets.iter_mut().flatten().for_each(|aim| aim.direction = None);
            action.notes.push((index, Feature::Motion));
            self.modify(index, clause);
            return true;
        }
        for way in ways {
            let found = targets(verb, &parts, Some(*way), kind);
            action.targets.extend(found);
        }
        action.notes.push((index, Feature::Motion));
        self.modify(index, clause);
        true
    }
}

impl Reader {
    /// Makes the directions of the last action one motion after another.
    fn in_order(&mut self, index: usize) {
        let Some(at) = self.latest.last().copied() else { return };
        let Some(action) = self.reading.actions.get_mut(at) else { return };
        let rest = action.targets.split_off(1);
        let first = action.clone();
        let mut before = at;
        for target in rest {
            self.group += 1;
            let next = self.reading.actions.len();
            self.reading.order.push((before, next, index));
            let action = Action { targets: vec![target], group: self.group, ..first.clone() };
            self.reading.actions.push(action);
            before = next;
        }
        self.latest = vec![before];
        self.link = Some(Link::Then);
    }
}

/// Returns the direction of an action on an antenna, to repeat it with the other one.
fn way_of(action: &Action) -> Option<Way> {
    use minismith_score::Direction;
    match action.targets.first().and_then(|target| target.first()).and_then(|aim| aim.direction)? {
        Direction::Outward => Some(Way::Out),
        Direction::Inward => Some(Way::In),
        Direction::Left => Some(Way::Left),
        Direction::Right => Some(Way::Right),
        Direction::Up => Some(Way::Up),
        Direction::Down => Some(Way::Down),
        Direction::Forward => Some(Way::Forward),
        Direction::Back => Some(Way::Back),
    }
}

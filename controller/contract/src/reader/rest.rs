//! Clauses about what does not move, what is held, and what goes back.

use minismith_score::{Axis, Direction};

use super::Reader;
use crate::aims;
use crate::clause::{Clause, Ear, Part, TimeUse};
use crate::lexicon::Verb;
use crate::meaning::{Link, Role, Way};
use crate::reading::{Action, Feature, Stillness};

impl Reader {
    /// "The head stays where it is", "without turning", "nothing else moves".
    pub(super) fn stillness(&mut self, index: usize, clause: &Clause) -> bool {
        if clause.apart {
            let at = self.latest.last().copied().unwrap_or(0);
            self.reading.apart.push((index, at));
            if clause.verb.is_none() {
                return true;
            }
        }
        // "Never to the left": the direction of what moves, which an expectation of the motion limits.
        if clause.not
            && clause.verb.is_none()
            && clause.parts.is_empty()
            && !clause.ways.is_empty()
            && !self.latest.is_empty()
        {
            self.reading.unmeasurable.push(index);
            return true;
        }
        let is_nothing = clause.nothing;
        if is_nothing && clause.verb.is_none_or(|verb| verb.is_motion()) && !clause.choose {
            let exceptions: Vec<Axis> = clause
                .parts
                .iter()
                .filter(|part| **part != Part::Everything)
                .flat_map(|part| aims::axes(*part))
                .collect();
            let axes = Axis::ALL.into_iter().filter(|axis| !exceptions.contains(axis)).collect();
            self.reading.stillness.push(Stillness { clause: index, axes, is_rest: true });
            let named = clause.parts.iter().copied().filter(|part| *part != Part::Everything);
            self.parts.extend(named);
            return true;
        }
        // "The other one stays upright", where it did not move.
        let named: Vec<Axis> =
            clause.parts.iter().flat_map(|part| aims::axes(self.named_part(*part))).collect();
        let moves = |axis: &Axis| self.reading.actions.iter().any(|action| action.axes().contains(axis));
        if clause.verb == Some(Verb::Stay) && clause.upright && !named.is_empty() && !named.iter().any(moves)
        {
            self.reading.stillness.push(Stillness { clause: index, axes: named, is_rest: false });
            return true;
        }
        let is_without = clause.link == Some(Link::Without);
        let left_alone = clause.verb == Some(Verb::Stay) && clause.only;
        let is_none_of = clause.no && clause.verb.is_none() && !clause.parts.is_empty();
        let negated = (clause.not || is_without || is_none_of)
            && (clause.verb.is_some_and(Verb::is_motion) || !clause.parts.is_empty());
        if !(clause.still || left_alone || negated) {
            if clause.only_part {
                let moved: Vec<Axis> = clause.parts.iter().flat_map(|part| aims::axes(*part)).collect();
                let axes = Axis::ALL.into_iter().filter(|axis| !moved.contains(axis)).collect();
                self.reading.stillness.push(Stillness { clause: index, axes, is_rest: true });
            }
            return false;
        }
        let waiting = std::mem::take(&mut self.waiting_clauses);
        let parts = self.parts_of_still(clause);
        // "Head and ears don't join in": the parts before are still, too.
        for earlier in waiting {
            let axes: Vec<Axis> = parts.iter().flat_map(|part| aims::axes(*part)).collect();
            self.reading.stillness.push(Stillness { clause: earlier, axes, is_rest: false });
        }
        if !(clause.still || left_alone) {
            let verb = clause.verb.unwrap_or(Verb::Move);
            let parts = if parts.is_empty() && clause.it { self.parts.clone() } else { parts };
            let is_rest = parts.contains(&Part::Everything);
            let axes = aims::axes_of(verb, &parts);
            if axes.is_empty() {
                self.reading.lost.push(index);
            } else {
                self.reading.stillness.push(Stillness { clause: index, axes, is_rest });
            }
            return true;
        }
        if !parts.is_empty() {
            let is_rest = parts.contains(&Part::Everything);
            let mut axes: Vec<Axis> = parts.iter().flat_map(|part| aims::axes(*part)).collect();
            axes.dedup();
            self.reading.stillness.push(Stillness { clause: index, axes, is_rest });
            return true;
        }
        if !self.reading.occasions.is_empty() {
            self.reading.quiet.push(index);
            return true;
        }
        let is_after = self.link == Some(Link::Then) || clause.link == Some(Link::Then);
        match clause.seconds {
            Some((seconds, _)) => self.reading.pauses.push((index, seconds)),
            None if is_after && !self.latest.is_empty() => self.reading.unmeasurable.push(index),
            None if clause.verb.is_none() && clause.link == Some(Link::With) => self.reading.lost.push(index),
            // "The head rides along and makes no movement of its own": said of the same part.
            None if clause.link == Some(Link::And) && !self.reading.stillness.is_empty() => {
                let axes = self.reading.stillness.last().map(|one| one.axes.clone()).unwrap_or_default();
                self.reading.stillness.push(Stillness { clause: index, axes, is_rest: false });
            }
            None => self.reading.stillness.push(Stillness {
                clause: index,
                axes: Axis::ALL.to_vec(),
                is_rest: false,
            }),
        }
        true
    }

    /// Returns a part, with the antenna that "the other one" means.
    fn named_part(&self, part: Part) -> Part {
        match (part, self.last_ear) {
            (Part::Ear(Ear::Other), Some(Ear::Left)) => Part::Ear(Ear::Right),
            (Part::Ear(Ear::Other), Some(Ear::Right)) => Part::Ear(Ear::Left),
            (part, _) => part,
        }
    }

    fn parts_of_still(&mut self, clause: &Clause) -> Vec<Part> {
        let mut parts = std::mem::take(&mut self.waiting_parts);
        for part in &clause.parts {
            parts.push(match part {
                Part::Ear(Ear::Other) => match self.last_ear {
                    Some(Ear::Left) => Part::Ear(Ear::Right),
                    Some(Ear::Right) => Part::Ear(Ear::Left),
                    _ => Part::Ear(Ear::Both),
                },
                Part::Ear(Ear::Any) => Part::Ear(Ear::Both),
                other => *other,
            });
        }
        parts
    }

    /// "Hold it for three seconds", "stays there", "wait a second".
    pub(super) fn rest(&mut self, index: usize, clause: &Clause) -> bool {
        let verb = clause.verb;
        // "Raise the ears and keep them raised".
        let is_kept = clause.is_participle
            && verb == self.verb
            && !self.latest.is_empty()
            && clause.has_state
            && (clause.it || clause.parts == self.parts);
        if is_kept || clause.there || matches!(verb, Some(Verb::Stay)) {
            return self.hold(index, clause);
        }
        match verb {
            Some(Verb::Hold) => {
                if !clause.parts.is_empty() && clause.seconds.is_none() && clause.ways.is_empty() {
                    // "Holds the head tilted": the participle follows.
                    self.parts.clone_from(&clause.parts);
                    self.holds_next = Some(index);
                    if self.latest.is_empty() || !clause.roles.is_empty() {
                        return true;
                    }
                }
                if !clause.ways.is_empty() && !clause.parts.is_empty() {
                    let held = Clause { verb: Some(Verb::Move), is_participle: true, ..clause.clone() };
                    self.holds_next = Some(index);
                    return self.action(index, &held);
                }
                self.hold(index, clause)
            }
            Some(Verb::Wait) => {
                let seconds = clause.seconds.map_or(0.4, |(seconds, _)| seconds);
                self.reading.pauses.push((index, seconds));
                if clause.link == Some(Link::While) {
                    self.link = None;
                }
                let last = self.latest.last().and_then(|at| self.reading.actions.get(*at)).cloned();
                let is_after = clause.link == Some(Link::After) || self.link == Some(Link::After);
                if is_after && clause.another {
                    // "Then after a breather of three seconds one more".
                    let second =
                        Clause { verb: None, seconds: None, link: Some(Link::Then), ..clause.clone() };
                    self.link = Some(Link::Then);
                    return self.once_more(index, &second);
                }
                if let (Some(count), Some(last)) = (clause.count, last)
                    && is_after
                {
                    // "Nods twice, then after a short break three times".
                    let mut more = Action::new(index, last.verb, last.targets, 0);
                    more.count = Some(count);
                    self.link = Some(Link::Then);
                    let clause = Clause { seconds: None, link: Some(Link::Then), ..clause.clone() };
                    self.push(index, &clause, more);
                }
                true
            }
            // "After two seconds".
            // "And after two seconds it all comes back up".
            Some(Verb::Move | Verb::Return)
                if clause.link == Some(Link::After)
                    && clause.seconds.is_some()
                    && (clause.ways.contains(&Way::Back) || verb == Some(Verb::Return)) =>
            {
                let seconds = clause.seconds.map_or(0.4, |(seconds, _)| seconds);
                self.reading.pauses.push((index, seconds));
                self.link = Some(Link::Then);
                let back =
                    Clause { seconds: None, link: Some(Link::Then), parts: Vec::new(), ..clause.clone() };
                self.go_back(index, &back)
            }
            None if clause.link == Some(Link::After)
                && clause.seconds.is_some()
                && clause.parts.is_empty()
                && !clause.has_way() =>
            {
                let seconds = clause.seconds.map_or(0.4, |(seconds, _)| seconds);
                self.reading.pauses.push((index, seconds));
                self.link = Some(Link::Then);
                if clause.another {
                    let second = Clause { seconds: None, link: Some(Link::Then), ..clause.clone() };
                    return self.once_more(index, &second);
                }
                true
            }
            _ if clause.between && clause.seconds.is_some() => {
                let seconds = clause.seconds.map_or(0.4, |(seconds, _)| seconds);
                self.reading.pauses.push((index, seconds));
                true
            }
            _ => false,
        }
    }

    fn hold(&mut self, index: usize, clause: &Clause) -> bool {
        if self.latest.is_empty() {
            // "Keep the head tilted": the participle follows.
            if !clause.parts.is_empty() {
                self.parts.clone_from(&clause.parts);
            }
            self.holds_next = Some(index);
            if clause.has_way() {
                self.action(index, &Clause { verb: Some(Verb::Move), is_participle: true, ..clause.clone() });
            }
            return true;
        }
        // "While the left one stays at rest": a part that does not move.
        let named: Vec<Axis> =
            clause.parts.iter().flat_map(|part| aims::axes(self.named_part(*part))).collect();
        let moves = |axis: &Axis| self.reading.actions.iter().any(|action| action.axes().contains(axis));
        if !named.is_empty() && !clause.has_way() && clause.size.is_none() && !named.iter().any(moves) {
            self.reading.stillness.push(Stillness { clause: index, axes: named, is_rest: false });
            return true;
        }
        let group = self.group;
        let is_role = clause.roles.contains(&Role::Seconds);
        let seconds = clause.seconds.map(|(seconds, _)| seconds);
        let mut is_held = false;
        for action in self
            .reading
            .actions
            .iter_mut()
            .filter(|action| action.group == group && !action.returns && !action.is_oscillation())
        {
            action.hold = seconds.or(action.hold);
            action.stays |= seconds.is_none() && !is_role;
            if is_role {
                action.roles.push(Role::Seconds);
            }
            action.notes.push((index, Feature::Hold));
            is_held = true;
        }
        if !is_held {
            match seconds {
                Some(seconds) => self.reading.pauses.push((index, seconds)),
                None => self.reading.unmeasurable.push(index),
            }
        }
        // "Hold it there and then bring it back": the verbs that follow go on.
        true
    }

    /// "And back", "returns", "goes back to the middle in between".
    pub(super) fn go_back(&mut self, index: usize, clause: &Clause) -> bool {
        let verb = clause.verb;
        if self.goes_once_more(clause) {
            return false;
        }
        let ends_there = clause.neutral
            && (verb.is_none() || matches!(verb, Some(Verb::Take | Verb::Return | Verb::Look | Verb::Move)));
        let is_return = match verb {
            Some(Verb::Return) => true,
            Some(Verb::Move | Verb::Stay) if self.goes_upright(clause) => true,
            // "Ease it forward to the middle", of a head that went back.
            Some(Verb::Move | Verb::Turn | Verb::Lower | Verb::Raise)
                if clause.neutral && self.goes_against(clause) =>
            {
                true
            }
            Some(Verb::Lower | Verb::Raise | Verb::Close | Verb::Spread | Verb::Fold) => {
                self.undoes(clause)
                    // "Let everything sink back to normal".
                    || clause.back_again && clause.ways.is_empty() && clause.size.is_none()
                    || clause.ways.contains(&Way::Back) && clause.size.is_none() && !self.latest.is_empty()
            }
            Some(Verb::Take | Verb::Bow | Verb::Duck | Verb::Nod) => ends_there,
            Some(Verb::Move) | None if self.undoes_way(clause) || self.comes_back_beside(clause) => true,
            Some(Verb::Look) | None if self.looks_ahead(clause) => true,
            Some(Verb::Look | Verb::Turn | Verb::Move | Verb::Lean | Verb::Tilt) | None => {
                let goes_back = clause.ways.contains(&Way::Back)
                    && !self.back_is_direction(clause)
                    && !self.latest.is_empty();
                let is_new = verb.is_none()
                    && clause
                        .parts
                        .iter()
                        .any(|part| *part != Part::Everything && !self.parts.contains(part));
                let has_other =
                    clause.ways.iter().any(|way| !matches!(way, Way::Back | Way::Up | Way::Down | Way::In))
                        && !goes_back;
                let comes_back = clause.back_again
                    && clause.ways.iter().all(|way| *way == Way::Back)
                    && (clause.parts.is_empty() || verb.is_none());
                (goes_back || comes_back || ends_there) && !has_other && !is_new
            }
            _ => false,
        };
        if !is_return || (self.latest.is_empty() && self.reading.actions.is_empty()) {
            return false;
        }
        let sides = clause.ways.iter().any(|way| matches!(way, Way::Left | Way::Right))
            && !clause.ways.contains(&Way::Back);
        if sides {
            return false;
        }
        let named: Vec<Axis> = clause.parts.iter().flat_map(|part| aims::axes(*part)).collect();
        let group = self.group;
        for (at, action) in self.reading.actions.iter_mut().enumerate() {
            let is_named = !named.is_empty() && action.axes().iter().any(|axis| named.contains(axis));
            if is_named || (named.is_empty() && (action.group == group || self.latest.contains(&at))) {
                action.returns = true;
                action.stays = false;
                // "By 10, 20 and 40 degrees, back to the middle in between": one swing for each.
                if action.sizes > 1 && (clause.between || clause.each_time || clause.each) {
                    action.count = action.count.or(Some(action.sizes as f64));
                }
                action.notes.push((index, Feature::Return));
                if let Some(count) = clause.count.or(clause.bare) {
                    action.count = Some(count);
                    action.notes.push((index, Feature::Count));
                }
                if let Some((size, _)) = clause.size {
                    if action.amount.is_some_and(|(known, _)| known != size) {
                        action.overridden.push(Feature::Size);
                    }
                    action.amount = Some((size, crate::meaning::Bound::About));
                    action.notes.push((index, Feature::Size));
                }
                if let Some((seconds, TimeUse::Over)) = clause.seconds {
                    self.reading.durations.push((index, Some(seconds * 0.8), None));
                }
            }
        }
        self.way_back(index, clause, &named);
        if let Some((_, is_shift)) = clause.size {
            for action in self.reading.actions.iter_mut().filter(|action| action.group == group) {
                for target in &mut action.targets {
                    if target.iter().any(|aim| aim.axis.is_shift() == is_shift) {
                        target.retain(|aim| aim.axis.is_shift() == is_shift);
                    }
                }
            }
        }
        if named.is_empty() && !clause.between {
            self.reading.ends_neutral.push(index);
        }
        if clause.together {
            for at in self.latest.clone() {
                self.reading.together.push((at, at, index));
            }
        }
        if self.link == Some(Link::After) {
            self.link = Some(Link::Then);
        }
        true
    }

    /// "Turn left, nod, and then turn back": what was left comes back after what came last.
    fn way_back(&mut self, index: usize, clause: &Clause, named: &[Axis]) {
        let Some(first) = self.reading.actions.len().checked_sub(2) else { return };
        // "Nod after turning left, and then turn back": the turn came first.
        let is_turned = self.reading.order.iter().any(|(one, other, _)| (*one, *other) == (first + 1, first));
        let (at, back) = if is_turned { (first, first + 1) } else { (first + 1, first) };
        let (Some(last), Some(left)) = (self.reading.actions.get(at), self.reading.actions.get(back)) else {
            return;
        };
        let is_after = self.link == Some(Link::Then)
            || matches!(clause.link, Some(Link::Then | Link::Comma | Link::And));
        let is_left = left.returns
            && !left.is_oscillation()
            && !left.axes().iter().any(|axis| last.axes().contains(axis));
        let is_meant = left.axes().iter().any(|axis| named.contains(axis))
            || named.is_empty() && (last.verb == Verb::Nod || last.is_oscillation());
        if is_after && is_left && is_meant {
            self.reading.ways_back.push((at, back, index));
        }
    }

    /// "One ear tips in, the other one out, then both go upright".
    fn goes_upright(&self, clause: &Clause) -> bool {
        let ears = |parts: &[Part]| parts.iter().all(|part| matches!(part, Part::Ear(_)));
        let named: Vec<Axis> = clause.parts.iter().flat_map(|part| aims::axes(*part)).collect();
        let is_away = self.reading.actions.iter().any(|action| {
            !action.returns
                && !action.is_oscillation()
                && action.axes().iter().all(|axis| Axis::ANTENNAS.contains(axis))
                && (named.is_empty() || action.axes().iter().any(|axis| named.contains(axis)))
        });
        let is_about_ears = ears(&clause.parts) && (!clause.parts.is_empty() || ears(&self.parts));
        clause.upright && is_about_ears && clause.size.is_none() && clause.seconds.is_none() && is_away
    }

    /// Whether the only direction of a clause is the opposite of the last action's.
    fn goes_against(&self, clause: &Clause) -> bool {
        let last = self.latest.last().and_then(|at| self.reading.actions.get(*at));
        let opposite = match clause.ways.as_slice() {
            [Way::Left] => Direction::Right,
            [Way::Right] => Direction::Left,
            [Way::Up] => Direction::Down,
            [Way::Down] => Direction::Up,
            [Way::Forward] => Direction::Back,
            [Way::Back] => Direction::Forward,
            [Way::In] => Direction::Outward,
            [Way::Out] => Direction::Inward,
            _ => return false,
        };
        clause.size.is_none()
            && (clause.parts.is_empty() || clause.parts == self.parts)
            && last.is_some_and(|last| {
                last.targets.iter().any(|target| target.iter().any(|aim| aim.direction == Some(opposite)))
            })
    }

    /// "Looks left, right, then ahead".
    fn looks_ahead(&self, clause: &Clause) -> bool {
        self.verb == Some(Verb::Look) && clause.ways == [Way::Forward] && clause.parts.is_empty()
    }

    /// "The ears come back in as it comes up": the head went down before.
    fn comes_back_beside(&self, clause: &Clause) -> bool {
        let went = match clause.ways.as_slice() {
            [Way::Up] => Direction::Down,
            [Way::Down] => Direction::Up,
            _ => return false,
        };
        clause.link == Some(Link::While)
            && clause.it
            && clause.size.is_none()
            && self.reading.actions.iter().any(|action| action.goes(went))
    }

    /// "The head sinks and the antennas hang, and then the head comes up again": the part that is named.
    fn brings_back(&self, clause: &Clause) -> bool {
        let named: Vec<Axis> = clause.parts.iter().flat_map(|part| aims::axes(*part)).collect();
        let went = match clause.ways.as_slice() {
            [Way::Up] => Direction::Down,
            [Way::Down] => Direction::Up,
            _ => return false,
        };
        let is_other = !clause.parts.is_empty() && clause.parts != self.parts;
        let gone = self.reading.actions.iter().any(|action| {
            !action.is_oscillation()
                && action.goes(went)
                && action.axes().iter().all(|axis| named.contains(axis))
        });
        is_other && gone && (clause.again || clause.back_again) && clause.size.is_none()
    }

    /// "Put your ear up, and let it down": an antenna that went up comes back.
    fn puts_ear_down(&self, clause: &Clause) -> bool {
        let is_same = clause.parts.is_empty() || clause.parts == self.parts;
        let is_ear = !self.parts.is_empty() && self.parts.iter().all(|part| matches!(part, Part::Ear(_)));
        is_ear && is_same && self.ear_is_up && clause.ways == [Way::Down] && clause.size.is_none()
    }

    /// "To the left, to the right, back to the left": where it was before, and not the middle.
    fn goes_once_more(&self, clause: &Clause) -> bool {
        let side = match clause.ways.as_slice() {
            [Way::Back, Way::Left] => Direction::Left,
            [Way::Back, Way::Right] => Direction::Right,
            _ => return false,
        };
        let Some((last, before)) = self.reading.actions.split_last() else { return false };
        let Some(before) = before.last() else { return false };
        before.goes(side) && !last.goes(side) && !last.is_oscillation() && last.axes() == before.axes()
    }

    /// "Lower the ears and bring them up again".
    fn undoes_way(&self, clause: &Clause) -> bool {
        let is_bent = matches!(self.verb, Some(Verb::Bow | Verb::Duck)) && clause.verb.is_some();
        if self.puts_ear_down(clause) || self.brings_back(clause) {
            return true;
        }
        if !(clause.again || is_bent) {
            return false;
        }
        let last = self.latest.last().and_then(|at| self.reading.actions.get(*at));
        let is_same_part = clause.parts.is_empty() || clause.parts == self.parts;
        is_same_part
            && last.is_some_and(|last| match last.verb {
                Verb::Bow => clause.ways == [Way::Up],
                _ if clause.verb.is_none() && clause.ways == [Way::Up] => last.goes(Direction::Down),
                _ if clause.verb.is_none() && clause.ways == [Way::Down] => last.goes(Direction::Up),
                Verb::Lower | Verb::Fold | Verb::Duck => clause.ways == [Way::Up],
                Verb::Raise | Verb::Stretch => clause.ways == [Way::Down],
                Verb::Spread => clause.ways == [Way::In],
                _ => false,
            })
    }

    /// "Lifts the head and lowers it again": the opposite of the action before.
    fn undoes(&self, clause: &Clause) -> bool {
        let Some(last) = self.latest.last().and_then(|at| self.reading.actions.get(*at)) else {
            return false;
        };
        let is_opposite = matches!(
            (last.verb, clause.verb),
            (Verb::Raise, Some(Verb::Lower))
                | (Verb::Lower | Verb::Duck, Some(Verb::Raise))
                | (Verb::Spread, Some(Verb::Close | Verb::Fold))
                | (Verb::Fold | Verb::Close, Some(Verb::Spread | Verb::Raise))
        ) || matches!((last.verb, clause.verb), (Verb::Move | Verb::Stretch, Some(Verb::Close | Verb::Lower)) if clause.between || clause.again || clause.it);
        let is_same_part = clause.parts.is_empty() || clause.parts == self.parts;
        is_opposite
            && is_same_part
            && (clause.it || clause.again || clause.between || clause.parts.is_empty())
    }
}

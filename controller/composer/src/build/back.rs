//! Ways back, and postures that are held.

use minismith_score::Axis;

use super::modifiers::{Modifiers, apply, dirs_in, has_return_first};
use super::{Builder, Item, What};
use crate::act::{Act, Amount, Node, axes_of, is_antenna};
use crate::clause::{Clause, Link};
use crate::lexicon::VERBS;
use crate::tag::{Dir, Mode, PartRef, Shape, Tag, Verb};

impl Builder<'_> {
    pub(super) fn hold(&mut self, clause: &Clause, modifiers: &Modifiers) {
        let seconds = modifiers.hold.or(modifiers.total);
        let Some(seconds) = seconds else {
            if clause.has(|tag| matches!(tag, Tag::StayThere)) || clause.link != Link::Colon {
                self.built.keeps = true;
            }
            return;
        };
        if clause.has(|tag| matches!(tag, Tag::Each | Tag::Dir(Dir::Sides))) {
            let sentence = self.sentence;
            for item in self.built.items.iter_mut().filter(|item| item.sentence == sentence) {
                if let What::Node(Node::Act(act)) = &mut item.what {
                    act.hold = Some(seconds);
                }
            }
            return;
        }
        if let Some(Item { what: What::Node(Node::Act(act)), .. }) = self.built.items.last_mut()
            && (act.is_go()
                || (act.verb.hold.is_some() && clause.has(|tag| matches!(tag, Tag::StayThere | Tag::Hold))))
        {
            act.hold = Some(seconds);
            self.last = Some(act.clone());
            return;
        }
        self.push(clause, What::Node(Node::Pause(seconds)));
    }

    /// A way back: "and puts it back".
    pub(super) fn returns(
        &mut self,
        clause: &Clause,
        verb: Option<&'static Verb>,
        modifiers: &Modifiers,
    ) -> bool {
        let has = |wanted: fn(&Tag) -> bool| clause.has(wanted);
        if has(|tag| matches!(tag, Tag::Return | Tag::Home)) {
            self.stays_away();
        }
        let is_upright = dirs_in(clause).as_slice() == [Dir::Straight]
            && self.parts_in(clause).iter().all(|part| !is_antenna(*part))
            && verb.is_none_or(|verb| verb.mode == Mode::Move || verb.name() == "perk")
            && self.last.as_ref().is_some_and(|last| last.parts.iter().all(|part| !is_antenna(*part)));
        let is_home = has(|tag| matches!(tag, Tag::Home)) || is_upright;
        let has_return = has(|tag| matches!(tag, Tag::Return));
        let dirs = dirs_in(clause);
        let parts = self.parts_in(clause);
        let is_opposite = verb.zip(self.last.as_ref()).is_some_and(|(verb, last)| {
            let dir = dirs.first().copied().or(verb.dir);
            let last_dir = last.dirs.first().copied().or(last.verb.dir);
            let is_down = dir.zip(last_dir).is_some_and(|(one, other)| one == other.opposite());
            let refers = has(|tag| {
                matches!(
                    tag,
                    Tag::Pronoun | Tag::Again | Tag::OnceMore | Tag::Between | Tag::Part(PartRef::BothOnes)
                )
            }) || modifiers.is_between;
            is_down
                && refers
                && modifiers.sizes.is_empty()
                && (parts.is_empty()
                    || parts == last.parts
                    || has(|tag| matches!(tag, Tag::Part(PartRef::BothOnes))))
                && matches!(verb.mode, Mode::Rise | Mode::Move)
                && last.is_go()
                && has(|tag| matches!(tag, Tag::Verb(_)))
                && !matches!(dir, Some(Dir::Left | Dir::Right))
        });
        let between_verb = modifiers.is_between
            && modifiers.between.is_none()
            && !dirs.iter().any(|dir| matches!(dir, Dir::Left | Dir::Right))
            && verb.is_some_and(|verb| verb.shape == Shape::Go);
        let lowers_what_was_lifted = verb
            .filter(|verb| {
                let is_again = has(|tag| matches!(tag, Tag::Again | Tag::OnceMore | Tag::Pronoun));
                verb.mode == Mode::Rise && modifiers.sizes.is_empty() && (!parts.is_empty() || is_again)
            })
            .is_some_and(|verb| {
                let dir = dirs.first().copied().or(verb.dir);
                self.built.items.iter().filter(|item| !item.is_heading).any(|item| match &item.what {
                    What::Node(Node::Act(act)) => {
                        let other = act.dirs.first().copied().or(act.verb.dir);
                        act.is_go()
                            && act.verb.mode == Mode::Rise
                            && (act.parts == parts || parts.is_empty())
                            && other.map(Dir::opposite) == dir
                    }
                    _ => false,
                })
            });
        // "Spread the ears, and slowly close".
        let closes = verb.is_some_and(|verb| verb.name() == "close")
            && parts.is_empty()
            && dirs.is_empty()
            && modifiers.sizes.is_empty()
            && self.last.as_ref().is_some_and(|last| {
                last.is_go()
                    && last.parts.iter().all(|part| is_antenna(*part))
                    && (last.dirs.contains(&Dir::Out) || last.verb.name() == "open")
            });
        let is_opposite = is_opposite || closes;
        let is_lowered_again = lowers_what_was_lifted && !is_opposite && parts.is_empty();
        let is_opposite = is_opposite || lowers_what_was_lifted;
        let leans_back = verb.zip(self.last.as_ref()).is_some_and(|(verb, last)| {
            verb.name() == last.verb.name()
                && last.is_go()
                && modifiers.sizes.is_empty()
                && dirs.as_slice() == [Dir::Back]
                && last.dirs.as_slice() == [Dir::Forward]
        });
        if !is_home && !has_return && !is_opposite && !between_verb && !leans_back {
            return false;
        }
        let is_away_and_back = !is_home && has_return && !has_return_first(clause) && !is_opposite;
        if is_away_and_back
            && ((verb.is_none() && !dirs.is_empty())
                || (verb.is_some_and(|verb| verb.mode != Mode::Move)
                    && !parts.is_empty()
                    && self.displaced().is_empty()))
        {
            return false;
        }
        // "ears back", of ears that are at rest: they fold back.
        let ears = !parts.is_empty() && parts.iter().all(|part| is_antenna(*part));
        let is_moved = self.displaced().iter().any(|axis| Axis::ANTENNAS.contains(axis));
        if ears
            && !is_moved
            && verb.is_none_or(|verb| verb.shape == Shape::Go || verb.name() == "swing")
            && !is_home
            && let Some(verb) = VERBS.iter().find(|verb| verb.name() == "fold")
        {
            let mut act = Act::new(verb);
            act.parts = parts;
            act.dirs = vec![Dir::Back];
            apply(&mut act, modifiers);
            return self.add(clause, act).is_ok();
        }
        // "Two shakes, and then the head moves back": nothing is away, so it is a direction.
        let is_head = parts.as_slice() == [PartRef::Head] && !is_home && self.displaced().is_empty();
        let has_acts = self.built.items.iter().any(|item| matches!(item.what, What::Node(Node::Act(_))));
        if is_head
            && has_acts
            && dirs.is_empty()
            && clause.has(|tag| matches!(tag, Tag::Return))
            && verb.is_none_or(|verb| verb.mode == Mode::Move)
            && let Some(verb) = VERBS.iter().find(|verb| verb.name() == "move")
        {
            let mut act = Act::new(verb);
            act.parts = parts;
            act.dirs = vec![Dir::Back];
            apply(&mut act, modifiers);
            return self.add(clause, act).is_ok();
        }
        let light = verb.is_none_or(|verb| verb.shape == Shape::Go || verb.directed_go);
        if !light
            || (!is_home
                && has_return
                && verb.is_some_and(|_| !dirs.is_empty())
                && !is_opposite
                && !has_return_first(clause))
        {
            return false;
        }
        self.built.keeps = false;
        if modifiers.is_between {
            for item in &mut self.built.items {
                if let What::Node(Node::Act(act)) = &mut item.what
                    && act.is_go()
                {
                    act.is_back = true;
                }
            }
            return true;
        }
        let are_all =
            has(|tag| matches!(tag, Tag::Part(PartRef::BothOnes))) && has(|tag| matches!(tag, Tag::Same));
        let own_axes: Option<Vec<Axis>> = if !parts.is_empty() && !are_all {
            Some(parts.iter().flat_map(|part| axes_of(*part)).collect())
        } else if is_lowered_again {
            Some(vec![Axis::HeadRise])
        } else if is_home
            || (self.is_held_last() && !has(|tag| matches!(tag, Tag::Pronoun)) && clause.tags.len() == 1)
            || self.is_joined()
            || has(|tag| matches!(tag, Tag::Part(PartRef::BothOnes) | Tag::RepeatAll | Tag::Same))
        {
            None
        } else {
            self.last.as_ref().map(Act::axes)
        };
        let displaced: Vec<Axis> = self.displaced();
        let covers =
            |axes: &[Axis]| own_axes.as_ref().is_none_or(|own| axes.iter().all(|axis| own.contains(axis)));
        let only_last =
            self.last.as_ref().is_some_and(|last| displaced.iter().all(|axis| last.axes().contains(axis)));
        let pace = modifiers.pace.unwrap_or(1.0);
        let seconds = modifiers.stroke_seconds.or(match modifiers.total {
            Some(Amount::Value(seconds)) => Some(seconds),
            _ => None,
        });
        let is_plain = pace == 1.0 && seconds.is_none();
        let goes = self
            .built
            .items
            .iter()
            .rev()
            .take_while(|item| matches!(&item.what, What::Node(Node::Act(act)) if act.is_go()))
            .count();
        let own_moved =
            displaced.iter().filter(|axis| own_axes.as_ref().is_none_or(|own| own.contains(axis)));
        let own_moved: Vec<Axis> = own_moved.copied().collect();
        // Only a movement that began at rest goes back there by itself.
        let chained = self.built.items.len() > 1 && {
            let axes = self.last.as_ref().map(Act::axes).unwrap_or_default();
            let earlier = self.built.items.iter().rev().skip(1);
            earlier.take_while(|item| !matches!(item.what, What::Node(Node::Return { .. }))).any(|item| {
                matches!(&item.what, What::Node(Node::Act(act))
                        if act.is_go() && act.axes().iter().any(|axis| axes.contains(axis)))
            })
        };
        // "Before you nod, turn right. Then turn back": the nod stands between them.
        let is_told_late = self.built.items.last().is_some_and(|last| {
            let own = |item: &&Item| item.sentence == last.sentence && last.sentence != self.sentence;
            self.built.items.iter().filter(own).any(|item| item.link == Link::Before)
        });
        let single = if !chained
            && !is_told_late
            && !has(|tag| matches!(tag, Tag::Last))
            && let Some(Item { what: What::Node(Node::Act(act)), .. }) = self.built.items.last_mut()
            && act.is_go()
            && covers(&act.axes())
            && (only_last && goes == 1
                || (own_axes.is_some() && own_moved.iter().all(|axis| act.axes().contains(axis))))
            && is_plain
            && clause.link != Link::Colon
            && (act.stroke_seconds.is_none() || clause.link != Link::Then)
        {
            act.is_back = true;
            if let Some(count) = modifiers.count {
                act.count = Some(count);
            }
            if modifiers.is_count_set {
                act.is_count_set = true;
            }
            act.growth.extend(&modifiers.growth);
            if modifiers.rate.is_some() {
                act.period = modifiers.rate;
            }
            self.last = Some(act.clone());
            true
        } else {
            false
        };
        if single {
            return true;
        }
        if self.built.items.iter().all(|item| !matches!(item.what, What::Node(_))) {
            return !is_home || verb.is_none();
        }
        // "They unfold while it comes up": one way back of both.
        if clause.link == Link::While
            && let Some(Item { what: What::Node(Node::Return { axes, .. }), .. }) =
                self.built.items.last_mut()
        {
            *axes = axes.take().zip(own_axes).map(|(one, other)| [one, other].concat());
            return true;
        }
        self.push(clause, What::Node(Node::Return { axes: own_axes, pace, seconds }));
        if let Some(count) = modifiers.count.filter(|count| *count > 1) {
            self.wrap_excursion(count);
        }
        true
    }

    /// "Ducks, waits a second and comes up again": the way back of a gesture comes after the rest.
    fn stays_away(&mut self) {
        let mut rests = 0;
        for item in self.built.items.iter_mut().rev() {
            match &mut item.what {
                What::Node(Node::Pause(_)) => rests += 1,
                What::Node(Node::Act(act)) => {
                    let is_open = act.verb.shape == Shape::Beat
                        && act.verb.directed_go
                        && act.dirs.is_empty()
                        && !act.is_repeated();
                    if let Some(dir) = act.verb.dir.filter(|_| rests > 0 && is_open) {
                        act.dirs = vec![dir];
                        self.last = Some(act.clone());
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    /// Whether a rest, or a posture that was held, was said last.
    fn is_held_last(&self) -> bool {
        match self.built.items.last().map(|item| &item.what) {
            Some(What::Node(Node::Pause(_))) => true,
            Some(What::Node(Node::Act(act))) => act.hold.is_some(),
            _ => false,
        }
    }

    /// Whether the motions of this sentence happen at the same time.
    fn is_joined(&self) -> bool {
        let sentence = self.built.items.last().map_or(self.sentence, |item| item.sentence);
        self.built.items.iter().rev().take_while(|item| item.sentence == sentence).any(|item| {
            matches!(item.what, What::Node(Node::Act(_)))
                && (item.is_same_time || matches!(item.link, Link::While | Link::With))
        })
    }

    /// Returns the axes that postures have moved since the last way back.
    pub(super) fn displaced(&self) -> Vec<Axis> {
        let mut axes = Vec::new();
        for item in self.built.items.iter().filter(|item| !item.is_heading) {
            match &item.what {
                What::Node(Node::Act(act)) if act.is_go() => axes.extend(act.axes()),
                What::Node(Node::Return { axes: None, .. }) => axes.clear(),
                What::Node(Node::Return { axes: Some(own), .. }) => axes.retain(|axis| !own.contains(axis)),
                _ => {}
            }
        }
        axes
    }

    /// Repeats the last postures and their way back.
    pub(super) fn wrap_excursion(&mut self, count: u32) {
        let items = &mut self.built.items;
        let Some(last) = items.len().checked_sub(1) else { return };
        let is_part = |item: &Item| match &item.what {
            What::Node(Node::Act(act)) => act.is_go(),
            What::Node(Node::Pause(_)) => true,
            _ => false,
        };
        let before =
            items.iter().take(last).rev().take_while(|item| is_part(item) && !item.is_heading).count();
        let group = items.split_off(last - before);
        let Some(first) = group.first().cloned() else { return };
        let nodes = group.into_iter().filter_map(|item| match item.what {
            What::Node(node) => Some(node),
            _ => None,
        });
        let node = Node::Times { count, is_set: false, pause: None, nodes: nodes.collect() };
        items.push(Item { what: What::Node(node), ..first });
    }
}

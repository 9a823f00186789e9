//! Clauses without a verb, and clauses with a condition.

use minismith_score::Event;

use super::modifiers::{Modifiers, apply, dirs_in};
use super::{Builder, Item, What};
use crate::act::{Amount, Node, axes_of, is_antenna};
use crate::clause::{Clause, Link};
use crate::guard::Refusal;
use crate::lexicon::VERBS;
use crate::tag::{Dir, Mode, PartRef, Role, Shape, Tag, Trigger, Unit, Verb};

impl Builder<'_> {
    /// A clause without a verb: "then the left one", "eight times", "antennas straight up".
    pub(super) fn elliptic(
        &mut self,
        clause: &Clause,
        modifiers: Modifiers,
        cannot: bool,
    ) -> Result<(), Refusal> {
        let mut parts = self.parts_in(clause);
        let mut dirs = dirs_in(clause);
        // "Shakes the head, left and right": no more than a shake says.
        if let [one, other] = dirs.as_slice()
            && *one == other.opposite()
            && parts.is_empty()
            && modifiers.is_empty()
            && clause.link == Link::Comma
            && self.last.as_ref().is_some_and(|last| last.verb.shape == Shape::Sway && last.dirs.is_empty())
        {
            return Ok(());
        }
        // "Back and forth, left then right": which side comes first.
        let goes_both_ways = self.last.as_ref().is_some_and(|last| {
            last.dirs.contains(&Dir::Sides) || (last.verb.shape == Shape::Sway && last.dirs.is_empty())
        });
        if let [side @ (Dir::Left | Dir::Right)] = dirs.as_slice()
            && goes_both_ways
            && parts.is_empty()
            && modifiers.is_empty()
            && clause.tags.iter().all(|tagged| matches!(tagged.tag, Tag::Dir(_)))
        {
            let is_told = self.told_side.replace(*side).is_some_and(|told| told == side.opposite());
            if clause.link == Link::Comma || (clause.link == Link::Then && is_told) {
                return Ok(());
            }
        }
        // "Ten flicks with the left ear, ten with the right."
        if let [side] = dirs.as_slice()
            && parts.is_empty()
            && let Some(last) = &self.last
            && last.dirs.iter().all(|dir| !matches!(dir, Dir::Left | Dir::Right))
        {
            let other = match (last.parts.as_slice(), side) {
                ([PartRef::LeftAntenna], Dir::Right) => Some(PartRef::RightAntenna),
                ([PartRef::RightAntenna], Dir::Left) => Some(PartRef::LeftAntenna),
                _ => None,
            };
            if let Some(other) = other {
                (parts, dirs) = (vec![other], Vec::new());
            }
        }
        // "Antennas snap to attention, straight up": where the last motion goes.
        if clause.link == Link::Comma
            && parts.is_empty()
            && matches!(dirs.as_slice(), [_])
            && modifiers.count.is_none()
            && let Some(Item { what: What::Node(Node::Act(act)), is_heading: false, .. }) =
                self.built.items.last_mut()
            && act.verb.mode == Mode::Move
            && act.verb.dir.is_none()
            && act.dirs.is_empty()
            && !act.is_repeated()
        {
            act.dirs = dirs;
            apply(act, &modifiers);
            act.course()?;
            self.last = Some(act.clone());
            return Ok(());
        }
        // "Only the head takes part", "(the head, I mean)": what moved already.
        let is_aside =
            clause.link == Link::Comma && clause.tags.iter().all(|tagged| matches!(tagged.tag, Tag::Part(_)));
        if (clause.has(|tag| matches!(tag, Tag::Only)) || is_aside)
            && dirs.is_empty()
            && modifiers.is_empty()
            && self.last.as_ref().is_some_and(|last| last.parts == parts)
        {
            return Ok(());
        }
        // "The left ear and then the right one, one after the other": what is repeated are both.
        if clause.tags.iter().all(|tagged| matches!(tagged.tag, Tag::Alternate))
            && self.built.items.iter().filter(|item| matches!(item.what, What::Node(Node::Act(_)))).count()
                > 1
        {
            self.is_taking_turns = true;
            return Ok(());
        }
        let is_other_side = clause.has(|tag| matches!(tag, Tag::Part(PartRef::OtherSide)));
        let is_again = clause.has(|tag| matches!(tag, Tag::Again | Tag::OnceMore))
            && !clause.has(|tag| matches!(tag, Tag::Unknown))
            && parts.is_empty()
            && dirs.is_empty();
        // "Waves with both antennas, left and right in turn": how the last motion is done.
        let is_how = self
            .last
            .as_ref()
            .is_some_and(|last| last.parts.as_slice() == [PartRef::BothAntennas] && !last.is_go());
        let is_both = parts.as_slice() == [PartRef::BothAntennas]
            || parts.is_empty() && dirs.len() == 2 && dirs.contains(&Dir::Left) && dirs.contains(&Dir::Right);
        if modifiers.is_alternating && is_both && is_how && clause.link == Link::Comma {
            return self.modify_last(&modifiers, clause.link);
        }
        if modifiers.is_alternating
            && !parts.is_empty()
            && let Some(verb) = VERBS.iter().find(|verb| verb.name() == "flick")
        {
            return self.act(clause, verb, modifiers);
        }
        // "Each ear three times, starting with the right one."
        if let [first @ (PartRef::LeftAntenna | PartRef::RightAntenna)] = parts.as_slice()
            && clause.has(|tag| matches!(tag, Tag::First))
            && dirs.is_empty()
            && modifiers.is_empty()
            && let Some(Item { what: What::Node(Node::Act(act)), .. }) = self.built.items.last_mut()
            && act.parts.as_slice() == [PartRef::BothAntennas]
        {
            let other =
                if *first == PartRef::LeftAntenna { PartRef::RightAntenna } else { PartRef::LeftAntenna };
            act.parts = vec![*first, other];
            act.is_alternating = true;
            return Ok(());
        }
        // "lowers the right ear, then the left ear": another way back.
        if let Some(Item { what: What::Node(Node::Return { axes: Some(_), .. }), .. }) =
            self.built.items.last()
            && !parts.is_empty()
            && dirs.is_empty()
            && modifiers.is_empty()
        {
            let axes = parts.iter().flat_map(|part| axes_of(*part)).collect();
            self.push(clause, What::Node(Node::Return { axes: Some(axes), pace: 1.0, seconds: None }));
            return Ok(());
        }
        if !parts.is_empty() || !dirs.is_empty() || is_other_side {
            // Another part with a direction of its own is a new motion: "chin up", "the right ear in".
            let same_kind = self.last.as_ref().is_some_and(|last| {
                parts.is_empty()
                    || parts == last.parts
                    || (dirs.is_empty()
                        && (clause.link == Link::Then || clause.has(|tag| matches!(tag, Tag::RepeatAll))))
                    || (dirs.is_empty()
                        && parts
                            .iter()
                            .all(|part| last.parts.iter().all(|one| is_antenna(*one) == is_antenna(*part))))
            });
            // "with the antennas" after "wave": the instrument.
            if same_kind
                && (clause.link != Link::With || dirs.is_empty())
                && let Some(last) = self.last.clone()
            {
                let mut act = last;
                if !parts.is_empty() {
                    act.parts = parts;
                }
                if is_other_side {
                    act.dirs = act.dirs.iter().map(|dir| dir.opposite()).collect();
                } else if !dirs.is_empty() {
                    let keeps_return = act.is_back;
                    let before = act.axes();
                    act.dirs = dirs;
                    act.resets.clear();
                    if act.verb.mode == Mode::Look && !keeps_return {
                        let now = act.axes();
                        act.resets = before.into_iter().filter(|axis| !now.contains(axis)).collect();
                    }
                    act.is_back = keeps_return;
                }
                act.hold = act.hold.filter(|_| act.is_back || act.verb.hold.is_some());
                let has_new_count = modifiers.count.is_some() || modifiers.is_count_set;
                if !has_new_count && !act.is_back && act.verb.shape == Shape::Go {
                    act.count = None;
                }
                apply(&mut act, &modifiers);
                act.is_back |= clause.has(|tag| matches!(tag, Tag::Return)) && act.is_go();
                return self.add(clause, act);
            }
            if let Some(verb) = VERBS.iter().find(|verb| verb.name() == "move").filter(|_| !dirs.is_empty()) {
                return self.act(clause, verb, modifiers);
            }
            if clause.has(|tag| matches!(tag, Tag::Only)) {
                if self.last.is_none() && !parts.is_empty() {
                    self.parts = parts;
                }
                return Ok(());
            }
            // "The head bounces twice, but the ears four times."
            if let Some(last) = self.last.clone()
                && modifiers.count.is_some()
                && !parts.is_empty()
                && parts != last.parts
                && dirs.is_empty()
                && last.count.is_some()
                && let Some(flick) = VERBS.iter().find(|verb| verb.name() == "flick")
            {
                let are_ears = parts.iter().all(|part| is_antenna(*part));
                let verb = if are_ears && last.verb.mode != Mode::Wiggle { flick } else { last.verb };
                return self.act(clause, verb, modifiers);
            }
            // A part of which nothing is said.
            if !cannot && !modifiers.is_empty() {
                return self.modify_last(&modifiers, clause.link);
            }
            if !parts.is_empty() && self.last.is_none() {
                self.parts = parts;
            } else if let (Some(first), Some(last)) = (clause.tags.first(), clause.tags.last()) {
                self.unknown(first.span.start..last.span.end);
            }
            return Ok(());
        }
        if is_again
            && modifiers.is_empty()
            && let Some(last) = self.last.clone()
        {
            return self.add(clause, last);
        }
        if modifiers.is_empty() {
            if clause.has(|tag| matches!(tag, Tag::Same)) {
                // "Head up and body right, simultaneously": said of what stands before.
                let sentence = self.sentence;
                let own = |item: &&mut Item| item.sentence == sentence && matches!(item.what, What::Node(_));
                let is_behind = self.built.items.iter_mut().filter(own).count() > 1;
                match self.built.items.last_mut() {
                    Some(item) if is_behind => item.is_same_time = true,
                    // "Both at once, a nod and a wiggle".
                    _ if clause.is_first => self.is_same_sentence = true,
                    _ => self.is_same_next = true,
                }
            }
            return Ok(());
        }
        // "Out to 30 degrees, upright, 60 degrees": where the last motion went that was not upright.
        if let [_] = modifiers.sizes.as_slice()
            && clause.link == Link::Comma
            && self.last.as_ref().is_some_and(|last| last.dirs.as_slice() == [Dir::Straight])
        {
            let earlier = self.built.items.iter().rev().find_map(|item| match &item.what {
                What::Node(Node::Act(act)) if act.dirs.as_slice() != [Dir::Straight] => Some(act.clone()),
                _ => None,
            });
            if let Some(mut act) = earlier.filter(|act| act.is_go()) {
                apply(&mut act, &modifiers);
                return self.add(clause, act);
            }
        }
        let is_step = clause.link == Link::Then
            && (modifiers.further.is_some()
                || modifiers.is_full
                || !modifiers.sizes.is_empty()
                || modifiers.factor.is_some()
                || modifiers.pace.is_some()
                || modifiers.count.is_some())
            && matches!(
                self.built.items.last(),
                Some(Item { what: What::Node(Node::Act(_) | Node::Pause(_)), .. })
            );
        if is_step && let Some(last) = self.last.clone() {
            let mut act = last;
            if modifiers.further.is_none() {
                act.factor = 1.0;
            }
            apply(&mut act, &modifiers);
            return self.add(clause, act);
        }
        if cannot {
            return Ok(());
        }
        self.modify_last(&modifiers, clause.link)
    }

    /// Applies modifiers to what was said last, or keeps them for what comes first.
    pub(super) fn modify_last(&mut self, modifiers: &Modifiers, link: Link) -> Result<(), Refusal> {
        // In a tool with a condition, a time alone is how long it is in force.
        if let Some(seconds) = modifiers.total.or(modifiers.stroke_seconds.map(Amount::Value))
            && self.has_condition
        {
            let waiting = self.built.items.iter_mut().find_map(|item| match &mut item.what {
                What::Condition { seconds, .. } => Some(seconds),
                _ => None,
            });
            match waiting {
                Some(waiting) => *waiting = Some(seconds),
                None => self.pending = Some(modifiers.clone()),
            }
            return Ok(());
        }
        if let Some(count) = modifiers.count
            && let Some(Item { what: What::Node(Node::Return { .. }), .. }) = self.built.items.last()
        {
            self.wrap_excursion(count);
            return Ok(());
        }
        if let Some(count) = modifiers.count.filter(|_| self.is_taking_turns) {
            let clause = Clause { link, is_first: false, tags: Vec::new() };
            self.push(&clause, What::RepeatAll { count, is_set: false, pause: None });
            return Ok(());
        }
        // "Tilt left, tilt right, four rounds": both postures are repeated.
        if let Some(count) = modifiers.count
            && matches!(link, Link::Comma | Link::Stop | Link::Colon)
        {
            let mut goes = self.built.items.iter().rev().map_while(|item| match &item.what {
                What::Node(Node::Act(act)) if act.is_go() && !item.is_heading => Some(act),
                _ => None,
            });
            let is_pair = goes.next().zip(goes.next()).is_some_and(|(last, before)| {
                last.axes() == before.axes()
                    && last.count.is_none()
                    && last.course().ok() != before.course().ok()
            });
            if is_pair {
                let clause = Clause { link, is_first: false, tags: Vec::new() };
                self.push(&clause, What::RepeatAll { count, is_set: false, pause: None });
                return Ok(());
            }
        }
        // Beats count the strokes of all postures before.
        if let Some(beats) = modifiers.beats {
            let goes = self
                .built
                .items
                .iter()
                .filter(|item| {
                    !item.is_heading && matches!(&item.what, What::Node(Node::Act(act)) if act.is_go())
                })
                .count();
            if goes >= 2 {
                let count = (beats / u32::try_from(goes).unwrap_or(1)).max(1);
                let clause = Clause { link, is_first: false, tags: Vec::new() };
                self.push(&clause, What::RepeatAll { count, is_set: false, pause: None });
                return Ok(());
            }
        }
        let last = self.built.items.iter_mut().rev().find_map(|item| match &mut item.what {
            What::Node(node) => Some(node),
            _ => None,
        });
        match last {
            Some(Node::Act(act)) => {
                // A count after a posture with a direction makes excursions of it.
                apply(act, modifiers);
                act.course()?;
                self.last = Some(act.clone());
            }
            Some(node @ (Node::Sound | Node::Photo | Node::Raw { .. })) => {
                let count = modifiers.count.unwrap_or(1);
                let pause = modifiers.between.or(modifiers.rate);
                if count > 1 || modifiers.is_count_set {
                    let inner = node.clone();
                    *node = Node::Times { count, is_set: modifiers.is_count_set, pause, nodes: vec![inner] };
                }
            }
            Some(Node::Times { count, pause, is_set, .. }) => {
                *count = modifiers.count.unwrap_or(*count);
                *pause = modifiers.between.or(modifiers.rate).or(*pause);
                *is_set |= modifiers.is_count_set;
            }
            Some(Node::Pause(amount)) => {
                if let Some(seconds) = modifiers.total {
                    *amount = amount.told(seconds);
                }
            }
            _ => self.pending = Some(modifiers.clone()),
        }
        Ok(())
    }

    pub(super) fn condition(&self, clause: &Clause) -> Option<(usize, Trigger, Event)> {
        clause.tags.iter().enumerate().find_map(|(at, tagged)| match &tagged.tag {
            Tag::Condition(trigger, event) => Some((at, *trigger, event.clone())),
            _ => None,
        })
    }

    /// A clause with a condition: what is around it is done when it holds.
    pub(super) fn conditional(
        &mut self,
        clause: &Clause,
        (at, trigger, event): (usize, Trigger, Event),
        verb: Option<&'static Verb>,
        modifiers: &Modifiers,
    ) -> Result<(), Refusal> {
        let mut rest = clause.clone();
        rest.tags.remove(at);
        // A time after the condition, and each time of a clause without a motion, is how long it is in force.
        let after_condition =
            rest.tags.get(at..).unwrap_or(&[]).iter().any(|tagged| {
                matches!(tagged.tag, Tag::Amount(_, Unit::Seconds) | Tag::Param(Role::Seconds))
            });
        let is_own = verb.is_none() || after_condition;
        // "Do nothing until there is a clap. Then bow."
        let only_waits = trigger == Trigger::When
            && rest.tags.iter().all(|tagged| {
                matches!(
                    tagged.tag,
                    Tag::Pause
                        | Tag::Still
                        | Tag::Hold
                        | Tag::StayThere
                        | Tag::Amount(_, Unit::Seconds)
                        | Tag::For
                        | Tag::Over
                )
            })
            && self.built.items.is_empty();
        if only_waits {
            rest.tags.clear();
        }
        let mut seconds = None;
        if is_own {
            seconds = modifiers.total.or(modifiers.hold).or(modifiers.stroke_seconds.map(Amount::Value));
            rest.tags.retain(|tagged| {
                !matches!(
                    tagged.tag,
                    Tag::Amount(_, Unit::Seconds) | Tag::Param(Role::Seconds) | Tag::For | Tag::Over
                )
            });
        }
        if let Some(pending) = self.pending.take() {
            seconds = seconds.or(pending.total).or(pending.stroke_seconds.map(Amount::Value));
        }
        let count_before = self.built.items.len();
        let is_before = rest.tags.get(..at.min(rest.tags.len())).unwrap_or(&[]).iter().any(|tagged| {
            matches!(
                tagged.tag,
                Tag::Verb(_)
                    | Tag::Feeling(_)
                    | Tag::Sound
                    | Tag::Photo
                    | Tag::Known(_)
                    | Tag::Dance
                    | Tag::Circle
                    | Tag::Return
                    | Tag::Cannot(_)
            )
        });
        let has_node_before = self
            .built
            .items
            .iter()
            .any(|item| item.sentence == self.sentence && matches!(item.what, What::Node(_)));
        let is_trailing = is_before
            || (trigger == Trigger::Until && has_node_before)
            || (trigger == Trigger::AsLongAs && has_node_before);
        let what = What::Condition { trigger, event, seconds, is_trailing };
        if is_trailing {
            self.clause(&rest)?;
            let link = if self.built.items.len() > count_before { Link::And } else { clause.link };
            self.push(&Clause { link, ..clause.clone() }, what);
            return Ok(());
        }
        self.push(clause, what);
        if !rest.tags.is_empty() {
            rest.link = Link::And;
            rest.is_first = false;
            self.clause(&rest)?;
        }
        Ok(())
    }
}

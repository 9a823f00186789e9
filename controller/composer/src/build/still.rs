//! What does not move: denied, left out, or kept where it is.

use minismith_score::Axis;

use super::modifiers::{Modifiers, dirs_in};
use super::{Builder, What};
use crate::act::{Act, Node, axes_of};
use crate::clause::{Clause, Link};
use crate::tag::{Dir, Mode, PartRef, Tag, Verb};

impl Builder<'_> {
    /// Separates what a clause denies: "without turning it".
    pub(super) fn split_denied(&self, clause: &Clause) -> (Clause, Option<Clause>) {
        let at = clause.tags.iter().position(|tagged| matches!(tagged.tag, Tag::Without));
        let Some(at) = at else { return (clause.clone(), None) };
        let mut own = clause.clone();
        let tags = own.tags.split_off(at);
        // "the antennas must not move": the parts before are denied, too.
        let is_subject =
            own.tags.iter().all(|tagged| matches!(tagged.tag, Tag::Part(_) | Tag::Pronoun | Tag::Only));
        let tags = if is_subject { [std::mem::take(&mut own.tags), tags].concat() } else { tags };
        (own, Some(Clause { tags, ..clause.clone() }))
    }

    pub(super) fn deny(&mut self, denied: &Clause) {
        if denied.has(|tag| matches!(tag, Tag::Return | Tag::Home)) {
            self.built.keeps = true;
            return;
        }
        if denied.has(|tag| matches!(tag, Tag::Pause | Tag::Hold | Tag::Amount(..) | Tag::Same)) {
            return;
        }
        let mut parts = self.parts_in(denied);
        let verbs: Vec<&'static Verb> = denied
            .tags
            .iter()
            .filter_map(|tagged| match tagged.tag {
                Tag::Verb(verb) => Some(verb),
                _ => None,
            })
            .collect();
        for verb in &verbs {
            let mut act = Act::new(verb);
            act.parts =
                if parts.is_empty() { vec![verb.part.unwrap_or(PartRef::Head)] } else { parts.clone() };
            act.dirs = dirs_in(denied);
            // Without a direction, both are denied, and they share their axis.
            if verb.mode == Mode::Move && parts.is_empty() {
                continue;
            }
            let axes = if verb.mode == Mode::Move && !parts.is_empty() {
                parts.iter().flat_map(|part| axes_of(*part)).collect()
            } else {
                act.axes()
            };
            self.built.still.extend(axes);
        }
        if verbs.is_empty() {
            parts.retain(|part| !matches!(part, PartRef::Other | PartRef::OtherSide));
            self.built.still.extend(parts.iter().flat_map(|part| axes_of(*part)));
        }
        for tagged in denied.tags.iter().filter(|tagged| matches!(tagged.tag, Tag::Unknown)) {
            self.unknown(tagged.span.clone());
        }
    }

    pub(super) fn still(&mut self, clause: &Clause, modifiers: &Modifiers) {
        let parts = self.parts_in(clause);
        if !parts.is_empty() {
            self.built.still.extend(parts.iter().flat_map(|part| axes_of(*part)));
            return;
        }
        let seconds = modifiers.hold.or(modifiers.total);
        // "The head rides along and makes no movement": said of it already.
        if clause.link == Link::And && seconds.is_none() && !self.built.still.is_empty() && !clause.is_first {
            return;
        }
        if let Some(seconds) = seconds {
            self.push(clause, What::Node(Node::Pause(seconds)));
        } else if clause.link != Link::Then
            && !clause.has(|tag| matches!(tag, Tag::Last))
            && !self.has_condition
        {
            self.built.still.extend(Axis::ALL);
        }
    }

    /// "Keeps its body facing forward": a part that did not move stays where it is.
    pub(super) fn keeps_straight(&mut self, clause: &Clause, verb: Option<&'static Verb>) -> bool {
        let is_kept = clause.has(|tag| matches!(tag, Tag::Hold | Tag::Still));
        let is_light = verb.is_none_or(|verb| matches!(verb.mode, Mode::Look | Mode::Move));
        let is_straight = clause.has(|tag| matches!(tag, Tag::Home | Tag::Dir(Dir::Forward | Dir::Straight)))
            && !clause.has(|tag| matches!(tag, Tag::Return | Tag::Amount(..)));
        let axes: Vec<Axis> = self.parts_in(clause).iter().flat_map(|part| axes_of(*part)).collect();
        // "The other one stays upright": an antenna, too, stays where it is.
        let stays_upright = dirs_in(clause).as_slice() == [Dir::Straight] && verb.is_none();
        let is_head_or_body =
            (stays_upright || axes.iter().all(|axis| !Axis::ANTENNAS.contains(axis))) && !axes.is_empty();
        let displaced = self.displaced();
        if !is_kept
            || !is_light
            || !is_straight
            || !is_head_or_body
            || axes.iter().any(|axis| displaced.contains(axis))
        {
            return false;
        }
        self.built.still.extend(axes);
        true
    }
}

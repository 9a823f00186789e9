//! Which parts a clause is about.

use super::{Builder, What};
use crate::act::{Node, is_antenna};
use crate::clause::{Clause, Link};
use crate::tag::{Dir, Mode, PartRef, Tag, Verb};

impl Builder<'_> {
    /// Returns the parts that a clause names.
    pub(super) fn parts_in(&self, clause: &Clause) -> Vec<PartRef> {
        let before = self.last.as_ref().map(|act| act.parts.clone()).unwrap_or_default();
        let mut parts: Vec<PartRef> = Vec::new();
        for tagged in &clause.tags {
            let Tag::Part(part) = tagged.tag else { continue };
            let part = match part {
                PartRef::LeftOne => PartRef::LeftAntenna,
                PartRef::RightOne => PartRef::RightAntenna,
                PartRef::Other if before.contains(&PartRef::LeftAntenna) => PartRef::RightAntenna,
                PartRef::Other => PartRef::LeftAntenna,
                PartRef::OtherSide => continue,
                PartRef::BothOnes if before.iter().any(|part| is_antenna(*part)) => PartRef::BothAntennas,
                PartRef::BothOnes => continue,
                part => part,
            };
            parts.push(part);
        }
        if parts.contains(&PartRef::LeftAntenna) && parts.contains(&PartRef::RightAntenna) {
            parts.retain(|part| !matches!(part, PartRef::LeftAntenna | PartRef::RightAntenna));
            parts.push(PartRef::BothAntennas);
        }
        parts.dedup();
        parts
    }

    /// Returns the parts that a verb without any moves.
    pub(super) fn default_parts(&self, clause: &Clause, verb: &'static Verb, dirs: &[Dir]) -> Vec<PartRef> {
        let verb_at = clause.tags.iter().position(|tagged| matches!(tagged.tag, Tag::Verb(_)));
        let pronoun_at = clause.tags.iter().rposition(|tagged| matches!(tagged.tag, Tag::Pronoun));
        let refers = verb_at.zip(pronoun_at).is_some_and(|(verb, pronoun)| pronoun > verb);
        let before = if self.parts.is_empty() {
            self.last.as_ref().map(|act| act.parts.clone()).unwrap_or_default()
        } else {
            self.parts.clone()
        };
        // "Turn it to face right".
        let is_turned = pronoun_at.is_some()
            && verb.mode == Mode::Look
            && before.as_slice() == [PartRef::Body]
            && dirs.iter().all(|dir| matches!(dir, Dir::Left | Dir::Right));
        if (refers || is_turned) && !before.is_empty() {
            return before;
        }
        if dirs.iter().any(|dir| matches!(dir, Dir::Out | Dir::In | Dir::Straight))
            && verb.part != Some(PartRef::Head)
        {
            return if before.iter().all(|part| is_antenna(*part)) && !before.is_empty() {
                before
            } else {
                vec![PartRef::BothAntennas]
            };
        }
        if verb.part.is_none() && verb.mode != Mode::Turn && !before.is_empty() && clause.link != Link::Stop {
            return before;
        }
        // "Five taps with the right ear: ...": the motion that was named before, of the same part.
        let same = self.built.items.iter().rev().find_map(|item| match &item.what {
            What::Node(Node::Act(act)) if act.verb.name() == verb.name() => Some(act),
            _ => None,
        });
        let is_same_body = same.is_some_and(|act| act.parts.as_slice() == [PartRef::Body]);
        let are_ears = verb.part.is_some_and(is_antenna)
            && same.is_some_and(|act| act.parts.iter().all(|part| is_antenna(*part)));
        if let Some(same) = same
            && (are_ears || (is_same_body && verb.mode == Mode::Turn && verb.part.is_none()))
        {
            return same.parts.clone();
        }
        vec![verb.part.unwrap_or(PartRef::Head)]
    }
}

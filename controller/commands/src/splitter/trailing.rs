//! What stands at the end of a text and tells of what stands before it.

use super::Splitter;
use crate::clause::{Clause, Link};
use crate::concept::{Act, Concept, Part, Tag};

impl Splitter {
    /// "Lift the right antenna, the left I mean, and hold it": what stands before "I mean" corrects.
    pub(super) fn is_corrected_by_fragment(&self, rest: &[Tag]) -> bool {
        let goes_on = matches!(rest, [comma, and, ..]
            if comma.concept == Concept::Comma && matches!(and.concept, Concept::And | Concept::Then));
        goes_on && self.now.link == Link::Comma && self.now.act.is_none() && self.now.has_motion()
    }

    /// "Let your head and body turn": what the verb that follows moves.
    pub(super) fn lets_parts(&self, rest: &[Tag]) -> bool {
        let is_let = self.now.act == Some(Act::Move)
            && !self.now.parts.is_empty()
            && self.now.ways.is_empty()
            && self.now.unknown.is_empty();
        is_let && matches!(rest.get(1), Some(Tag { concept: Concept::Act(_), .. }))
    }

    /// Returns whether what follows "with" says how a part is: "with your head still".
    pub(super) fn tells_of_part(&self, rest: &[Tag]) -> bool {
        let said = rest.iter().skip(1).map(|tag| &tag.concept).find(|one| !matches!(one, Concept::Part(_)));
        match said {
            Some(Concept::Still) => true,
            Some(Concept::Way(_) | Concept::Past) => self.now.has_motion(),
            // "Nod with your antennas spread out", "nod with your antennas wiggling".
            Some(Concept::Act(act)) => *act != Act::Hold && self.now.act.is_some_and(|now| now != *act),
            _ => false,
        }
    }

    /// "The left one... the right one, I mean": what stands before is the correction.
    pub(super) fn trailing_correction(&mut self) {
        if self.now.is_negated && self.now.link == Link::Correction && self.now.is_empty() {
            // "Nod. No, don't".
            self.clauses.iter_mut().for_each(|clause| clause.is_negated = true);
        }
        let is_trailing = self.now.link == Link::Correction && self.now.is_empty();
        if is_trailing
            && self.is_taken_back
            && self.number.is_none()
            && matches!(self.clauses.as_slice(), [_])
        {
            // "Look left, no, wait".
            self.clauses.clear();
            return;
        }
        if let [first, .., last] = self.clauses.as_mut_slice()
            && is_trailing
            && (first.is_only || self.is_taken_back)
            && last.names_only_parts()
            && first.has_motion()
            && !share_part(first, last)
        {
            // "Only the body to the right, the antennas no".
            last.is_still = true;
            return;
        }
        if let [.., _, last] = self.clauses.as_mut_slice()
            && is_trailing
            && last.act.is_none()
            && last.link <= Link::Stop
        {
            last.link = Link::Correction;
        }
    }

    /// "Look right and keep nodding meanwhile": what stands before goes together with what it follows.
    pub(super) fn trailing_while(&mut self) {
        let is_trailing = self.now.link == Link::While && self.now.is_empty();
        if let [.., _, last] = self.clauses.as_mut_slice()
            && is_trailing
            && matches!(last.link, Link::And | Link::Comma)
        {
            last.link = Link::While;
        }
    }
}

/// Returns whether two clauses name parts of one kind: head, body or antennas. What names none moves the head.
fn share_part(one: &Clause, other: &Clause) -> bool {
    let kind = |part: &Part| match part {
        Part::Head | Part::Chin => 0,
        Part::Body => 1,
        _ => 2,
    };
    let kinds = |clause: &Clause| -> Vec<u8> {
        let parts = if clause.parts.is_empty() { &[Part::Head][..] } else { &clause.parts };
        parts.iter().map(kind).collect()
    };
    let known = kinds(one);
    kinds(other).iter().any(|kind| known.contains(kind))
}

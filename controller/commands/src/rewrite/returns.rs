//! Rewrites what comes back: from a bow, and all of what the sentence moved.

use super::ends_clause;
use crate::concept::{Act, Concept, Part, Tag};

/// "Bow, stay down, then rise", "bow and lift your head": it comes back up.
pub(super) fn rises(mut tags: Vec<Tag>) -> Vec<Tag> {
    let Some(bow) = tags.iter().position(|tag| tag.concept == Concept::Act(Act::Bow)) else { return tags };
    let is_end = |tag: &Tag| ends_clause(&tag.concept);
    let mut at = bow + 1;
    while let Some(tag) = tags.get(at) {
        let clause = tags.get(at..).unwrap_or_default().split(is_end).next().unwrap_or_default();
        if tag.concept == Concept::Act(Act::Raise) && tags.get(at - 1).is_some_and(is_end) {
            let is_bare = clause.iter().skip(1).all(|tag| {
                matches!(
                    tag.concept,
                    Concept::Part(Part::Head) | Concept::It | Concept::Again | Concept::Pace(_)
                )
            });
            if let Some(raise) = tags.get_mut(at).filter(|_| is_bare) {
                raise.concept = Concept::Act(Act::Return);
            }
        } else if matches!(tag.concept, Concept::Act(act) if act != Act::Wait && act != Act::Hold) {
            return tags;
        }
        at += 1;
    }
    tags
}

/// "Tilt right and lean the left antenna out, then undo both": both are what the sentence moved, not the antennas.
pub(super) fn both_undone(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_both = |pair: &[Tag]| {
        matches!(pair, [undo, both] if matches!(undo.concept, Concept::Undo | Concept::Act(Act::Return))
            && both.concept == Concept::Part(Part::Both))
    };
    if let Some(at) = tags.windows(2).position(is_both) {
        let before = tags.get(..at).unwrap_or_default();
        let names_antennas = before.iter().any(|tag| tag.concept == Concept::Part(Part::Antennas));
        if before.iter().any(|tag| matches!(tag.concept, Concept::Act(_))) && !names_antennas {
            tags.remove(at + 1);
        }
    }
    tags
}

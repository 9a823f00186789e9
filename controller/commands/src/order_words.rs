//! Words that tell the order of two orders and stand elsewhere than between them, and signs of numbers.

use crate::acts::is_antenna;
use crate::concept::{Concept, Tag, Unit, Way};

const fn ends(concept: &Concept) -> bool {
    matches!(concept, Concept::Stop | Concept::Question | Concept::Comma | Concept::And | Concept::Then)
}

/// "Turn left and look up afterwards": the last word says what "and" leaves open.
pub(crate) fn afterwards(mut tags: Vec<Tag>) -> Vec<Tag> {
    let mut at = 0;
    while at < tags.len() {
        let is_last =
            tags.get(at + 1).is_none_or(|next| ends(&next.concept) && next.concept != Concept::Then);
        let joint = tags.get(..at).and_then(|before| before.iter().rposition(|tag| ends(&tag.concept)));
        match (tags.get(at).map(|tag| &tag.concept), joint) {
            (Some(Concept::Then), Some(joint)) if is_last && joint + 1 < at => {
                if let Some(tag) = tags.get_mut(joint).filter(|tag| tag.concept == Concept::And) {
                    tag.concept = Concept::Then;
                    tags.remove(at);
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    tags
}

/// "Look left and when you're done nod", where nothing follows: what comes next, and not what comes before.
pub(crate) fn and_afterwards(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_last = |at: usize| {
        let rest = tags.get(at + 3..).unwrap_or_default();
        let mut rest =
            rest.iter().take_while(|tag| !matches!(tag.concept, Concept::Stop | Concept::Question));
        !rest.any(|tag| matches!(tag.concept, Concept::Act(_)))
    };
    let is_after = |three: &[Tag]| {
        matches!(three, [and, after, act] if and.concept == Concept::And
            && after.concept == Concept::After
            && matches!(act.concept, Concept::Act(_)))
    };
    let acts = |at: usize| tags.iter().take(at).any(|tag| matches!(tag.concept, Concept::Act(_)));
    let found = tags.windows(3).position(is_after).filter(|at| is_last(*at) && acts(*at));
    if let Some(at) = found {
        tags.remove(at + 1);
        if let Some(tag) = tags.get_mut(at) {
            tag.concept = Concept::Then;
        }
    }
    tags
}

/// "Set the right antenna to -30 degrees": a negative angle of an antenna is inwards.
pub(crate) fn negative_angles(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_antenna = |tag: &Tag| matches!(tag.concept, Concept::Part(part) if is_antenna(part));
    let mut at = 0;
    while at < tags.len() {
        let is_angle = matches!(
            tags.get(at..at + 3),
            Some([
                Tag { concept: Concept::Cannot, .. },
                Tag { concept: Concept::Number(_), .. },
                Tag { concept: Concept::Unit(Unit::Angle(_)), .. }
            ])
        );
        let is_of_antenna = tags.get(..at).is_some_and(|before| before.iter().any(is_antenna));
        if let Some(tag) = tags.get_mut(at).filter(|_| is_angle && is_of_antenna) {
            tag.concept = Concept::Way(Way::In);
            let goal = Tag { concept: Concept::To, span: tag.span.clone() };
            tags.insert(at, goal);
            at += 1;
        }
        at += 1;
    }
    tags
}

/// "First nod, second shake your head": a second without a number counts the orders.
pub(crate) fn counted_off(mut tags: Vec<Tag>) -> Vec<Tag> {
    let Some(first) = tags.iter().position(|tag| tag.concept == Concept::First) else { return tags };
    for at in first + 1..tags.len() {
        let begins = tags.get(at - 1).is_some_and(|before| ends(&before.concept));
        let acts = matches!(tags.get(at + 1), Some(Tag { concept: Concept::Act(_), .. }));
        if let Some(tag) = tags.get_mut(at)
            && tag.concept == Concept::Unit(Unit::Time(1.0))
            && begins
            && acts
        {
            tag.concept = Concept::Then;
        }
    }
    tags
}

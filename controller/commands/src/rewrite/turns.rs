//! Rewrites in which order steps follow one another.

use super::ends_sentence;
use crate::concept::{Concept, Part, Tag};

/// "Before you nod, look up first and then left": all that follows comes before it.
pub(super) fn before_all(mut tags: Vec<Tag>) -> Vec<Tag> {
    if !matches!(tags.first(), Some(first) if first.concept == Concept::Before) {
        return tags;
    }
    let Some(comma) = tags.iter().position(|tag| tag.concept == Concept::Comma) else { return tags };
    let end = tags.iter().position(|tag| ends_sentence(&tag.concept)).unwrap_or(tags.len());
    let rest = tags.get(comma + 1..end).unwrap_or_default();
    let has = |concept: Concept| rest.iter().any(|tag| tag.concept == concept);
    if !has(Concept::Then) || has(Concept::Before) || has(Concept::After) || has(Concept::With) {
        return tags;
    }
    let first = rest.iter().filter(|tag| tag.concept != Concept::First).cloned();
    let then = Tag { concept: Concept::Then, span: tags.get(comma).map_or(0..0, |tag| tag.span.clone()) };
    let last = tags.get(1..comma).unwrap_or_default().iter().cloned();
    let order: Vec<Tag> = first.chain([then]).chain(last).collect();
    tags.splice(..end, order);
    tags
}

/// "First one, then the other": in turn, where nothing is named that could be the other.
pub(super) fn one_then_other(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_motion = |tag: &Tag| matches!(tag.concept, Concept::Act(_) | Concept::Way(_));
    let is_told = |five: &[Tag]| {
        matches!(five, [first, one, comma, then, other] if first.concept == Concept::First
            && one.concept == Concept::Number(1.0)
            && comma.concept == Concept::Comma
            && then.concept == Concept::Then
            && other.concept == Concept::Part(Part::Other))
    };
    if let Some(at) = tags.windows(5).position(is_told).filter(|_| !tags.iter().any(is_motion)) {
        tags.drain(at + 1..at + 5);
        if let Some(first) = tags.get_mut(at) {
            first.concept = Concept::InTurn;
        }
    }
    tags
}

/// "Everything backwards, last thing first": one order that is said twice.
pub(super) fn backwards_once(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_twice = |three: &[Tag]| {
        let is_order = |tag: Option<&Tag>| tag.is_some_and(|tag| tag.concept == Concept::OtherOrder);
        is_order(three.first()) && is_order(three.last())
    };
    if let Some(at) = tags.windows(3).position(is_twice) {
        tags.drain(at..at + 2);
    }
    tags
}

//! Rewrites what is said not to be so: another number, a part that stays, and a correction at the end.

use super::{ends_clause, ends_sentence};
use crate::concept::{Act, Concept, Tag};

pub(super) const fn is_number(concept: &Concept) -> bool {
    matches!(concept, Concept::Number(_) | Concept::Count(_))
}

pub(super) const fn is_denial(concept: &Concept) -> bool {
    matches!(concept, Concept::Not | Concept::NotVerb | Concept::Without)
}

/// "Three times, not two", "three times instead of twice": the number that is meant is said besides.
pub(super) fn other_numbers(mut tags: Vec<Tag>) -> Vec<Tag> {
    let denies = |pair: &[Tag]| matches!(pair, [denial, number] if is_denial(&denial.concept) && is_number(&number.concept));
    while let Some(at) = tags.windows(2).position(denies) {
        let is_measure =
            |tag: &&Tag| matches!(tag.concept, Concept::Times | Concept::Unit(_) | Concept::Act(_));
        let measure = tags.get(at + 2).filter(is_measure);
        // "Three times, not two times": the number before it; "not twice but three times": the one after it.
        let before = tags.get(..at).unwrap_or_default();
        let after = tags.get(at + 2..).unwrap_or_default();
        let is_said_before = before.iter().any(|tag| is_number(&tag.concept));
        let is_said = is_said_before || after.iter().any(|tag| is_number(&tag.concept));
        let is_act = measure.is_some_and(|tag| matches!(tag.concept, Concept::Act(_)));
        if !is_said || (is_act && !is_said_before) {
            break;
        }
        let end = at + 2 + usize::from(measure.is_some());
        let is_joint = |tag: &Tag| matches!(tag.concept, Concept::Comma | Concept::Correction);
        let start = match at.checked_sub(1) {
            Some(joint) if tags.get(joint).is_some_and(is_joint) && is_said_before => joint,
            _ => at,
        };
        tags.drain(start..end);
    }
    tags
}

/// "Leave your body, where it is, and look right", "look right, but your body does not turn": a part that stays is told apart
/// from what moves.
pub(super) fn parts_that_stay(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_set_off = |three: &[Tag]| {
        matches!(three, [part, comma, still] if matches!(part.concept, Concept::Part(_))
            && comma.concept == Concept::Comma
            && still.concept == Concept::Still)
    };
    while let Some(at) = tags.windows(3).position(is_set_off) {
        tags.remove(at + 1);
    }
    // "Turn left, the antennas quite still", with no mark between them: "gira a la izquierda con las antenas quietas".
    let is_beside = |three: &[Tag]| {
        matches!(three, [said, part, still] if matches!(said.concept, Concept::Way(_) | Concept::Unit(_))
            && matches!(part.concept, Concept::Part(_))
            && still.concept == Concept::Still)
    };
    if let Some(at) = tags.windows(3).position(is_beside)
        && let Some(span) = tags.get(at).map(|tag| tag.span.clone())
    {
        tags.insert(at + 1, Tag { concept: Concept::With, span });
    }
    let is_run_on = |four: &[Tag]| {
        matches!(four, [said, part, denial, act] if matches!(said.concept, Concept::Way(_) | Concept::Act(_))
            && matches!(part.concept, Concept::Part(_))
            && is_denial(&denial.concept)
            && matches!(act.concept, Concept::Act(Act::Turn | Act::Move)))
    };
    // "Wiggle your antennas without moving your head": the other part stays.
    let is_other = |at: usize| tags.get(at + 4).is_some_and(|tag| matches!(tag.concept, Concept::Part(_)));
    let mut places: Vec<usize> =
        tags.windows(4).enumerate().filter(|(_, four)| is_run_on(four)).map(|(at, _)| at).collect();
    places.retain(|at| !is_other(*at));
    for at in places.into_iter().rev() {
        let span = tags.get(at + 1).map_or(0..0, |tag| tag.span.clone());
        // "Not to turn" before the part, as the splitter reads it.
        let denial = tags.remove(at + 2);
        tags.insert(at + 1, denial);
        tags.insert(at + 1, Tag { concept: Concept::Comma, span });
    }
    tags
}

/// "Shake it, I mean": the correction stands after what it corrects.
pub(super) fn trailing_corrections(mut tags: Vec<Tag>) -> Vec<Tag> {
    for at in (1..tags.len()).rev() {
        let is_correction = tags.get(at).is_some_and(|tag| tag.concept == Concept::Correction);
        let is_end = tags.get(at + 1).is_none_or(|tag| ends_sentence(&tag.concept));
        let before = tags.get(..at).unwrap_or_default();
        let from = before.iter().rposition(|tag| ends_clause(&tag.concept));
        let Some(from) = from.filter(|from| is_correction && is_end && *from + 1 < at && *from > 0) else {
            continue;
        };
        let acts = |part: &[Tag]| part.iter().any(|tag| matches!(tag.concept, Concept::Act(_)));
        if acts(before.get(..from).unwrap_or_default()) && acts(before.get(from..).unwrap_or_default()) {
            let tag = tags.remove(at);
            tags.insert(from + 1, tag);
        }
    }
    tags
}

/// "Again, but skip the nod", after both were done: without it.
pub(super) fn left_out(mut tags: Vec<Tag>) -> Vec<Tag> {
    if matches!(tags.first(), Some(first) if matches!(first.concept, Concept::Again | Concept::Same))
        && let Some(at) = tags.iter().position(|tag| tag.concept == Concept::Cancel)
        && tags.get(1..at).is_some_and(|between| between.iter().all(|tag| tag.concept == Concept::Comma))
        && matches!(tags.get(at + 1), Some(Tag { concept: Concept::Act(_) | Concept::Part(_), .. }))
    {
        if let Some(tag) = tags.get_mut(at) {
            tag.concept = Concept::Without;
        }
        tags.drain(1..at);
    }
    tags
}

/// "Nod, then say something kind": nothing is corrected by words that are not known, and they are not left out.
pub(super) fn unknown_corrections(mut tags: Vec<Tag>) -> Vec<Tag> {
    for at in 0..tags.len() {
        let rest = tags.get(at + 1..).unwrap_or_default();
        let mut own = rest.iter().take_while(|tag| !ends_clause(&tag.concept)).peekable();
        let is_unknown = own.peek().is_some()
            && own.clone().any(|tag| tag.concept == Concept::Unknown)
            && own
                .all(|tag| matches!(tag.concept, Concept::Unknown | Concept::Number(_) | Concept::Somebody));
        if let Some(tag) = tags.get_mut(at).filter(|tag| tag.concept == Concept::Correction && is_unknown) {
            tag.concept = Concept::Unknown;
        }
    }
    tags
}

/// "Don't, look left", "look left, or rather don't": what is not to be done is all that is said.
pub(crate) fn takes_all_back(tags: &[Tag]) -> bool {
    let is_denial = |tag: &Tag| matches!(tag.concept, Concept::Not | Concept::NotVerb | Concept::Without);
    let says = |tag: &&Tag| {
        !matches!(
            tag.concept,
            Concept::Skip
                | Concept::Request
                | Concept::Comma
                | Concept::Stop
                | Concept::Question
                | Concept::Call
        )
    };
    let is_mark = |tag: &Tag| matches!(tag.concept, Concept::Comma | Concept::Stop | Concept::Question);
    let last = tags.iter().rposition(|tag| !is_mark(tag));
    let is_last = last.is_some_and(|at| {
        let before = at.checked_sub(1).and_then(|before| tags.get(before));
        // "Look left, no?" asks for it.
        let is_question = tags.iter().skip(at).any(|tag| tag.concept == Concept::Question);
        !is_question
            && tags.get(at).is_some_and(|tag| is_denial(tag) || tag.concept == Concept::TakenBack)
            && before.is_some_and(|before| is_mark(before) || before.concept == Concept::Correction)
    });
    let first = tags.iter().position(|tag| says(&tag));
    let is_apart = first.is_some_and(|at| {
        tags.get(at).is_some_and(is_denial)
            && tags.get(at + 1).is_some_and(|next| next.concept == Concept::Comma)
    });
    let has_other = tags.iter().any(|tag| matches!(tag.concept, Concept::Instead | Concept::Correction));
    is_last || (is_apart && !has_other)
}

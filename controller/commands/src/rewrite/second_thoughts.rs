//! Rewrites second thoughts: what is meant in the place of what was said before.

use super::denied::{is_denial, is_number};
use super::ends_clause;
use crate::concept::{Act, Concept, Tag};

/// Rewrites all of them.
pub(super) fn second_thoughts(tags: Vec<Tag>) -> Vec<Tag> {
    scratched(unsure(recounted(said_no(part_instead(opening_cancel(tags))))))
}

/// "Never mind the antennas, turn the body", "forget all of it and go back to normal": what follows is the order.
fn opening_cancel(mut tags: Vec<Tag>) -> Vec<Tag> {
    let orders = |rest: &[Tag]| rest.iter().any(|tag| matches!(tag.concept, Concept::Act(_)));
    let count = match tags.as_slice() {
        [cancel, back, ..]
            if cancel.concept == Concept::Cancel
                && matches!(back.concept, Concept::Act(Act::Center | Act::Return)) =>
        {
            1
        }
        [cancel, part, end, rest @ ..]
            if cancel.concept == Concept::Cancel
                && matches!(part.concept, Concept::Part(_))
                && ends_clause(&end.concept)
                && orders(rest) =>
        {
            3
        }
        _ => 0,
    };
    tags.drain(..count);
    tags
}

/// "Not the body, just your head", of what was done before.
fn part_instead(tags: Vec<Tag>) -> Vec<Tag> {
    let says = |tag: &&Tag| !matches!(tag.concept, Concept::Comma | Concept::Stop | Concept::Request);
    let said: Vec<&Tag> = tags.iter().filter(says).collect();
    match said.as_slice() {
        [denial, part, only, other]
            if is_denial(&denial.concept)
                && matches!(part.concept, Concept::Part(_))
                && only.concept == Concept::Only
                && matches!(other.concept, Concept::Part(_)) =>
        {
            vec![Tag { concept: Concept::Correction, span: denial.span.clone() }, (*other).clone()]
        }
        _ => tags,
    }
}

/// "Shake your head no": what the gesture says.
fn said_no(mut tags: Vec<Tag>) -> Vec<Tag> {
    let concepts = [Concept::Act(Act::Shake), Concept::TakenBack];
    if let Some(at) = position(&tags, &concepts) {
        tags.remove(at + 1);
    }
    tags
}

/// "Two nods, wait, three": nothing waits.
fn recounted(mut tags: Vec<Tag>) -> Vec<Tag> {
    let concepts = [Concept::Comma, Concept::Act(Act::Wait), Concept::Comma];
    let is_recount = |at: &usize| {
        let after = tags.get(at + 3..).unwrap_or_default();
        matches!(after, [number, end, ..] if is_number(&number.concept) && ends_clause(&end.concept))
    };
    if let Some(at) = position(&tags, &concepts).filter(is_recount) {
        tags.remove(at + 2);
        if let Some(wait) = tags.get_mut(at + 1) {
            wait.concept = Concept::Correction;
        }
    }
    tags
}

/// "Left, or hmm, right": the second one, not both.
fn unsure(mut tags: Vec<Tag>) -> Vec<Tag> {
    if let Some(or) = position(&tags, &[Concept::Or, Concept::Comma]).and_then(|at| tags.get_mut(at)) {
        or.concept = Concept::Correction;
    }
    tags
}

/// "The left one, oops, scratch that, the right one": what stands before is taken back, not what follows.
fn scratched(mut tags: Vec<Tag>) -> Vec<Tag> {
    let Some(at) = position(&tags, &[Concept::Cancel, Concept::Comma]).filter(|at| *at > 0) else {
        return tags;
    };
    if let Some(cancel) = tags.get_mut(at) {
        cancel.concept = Concept::Correction;
    }
    let oops = [Concept::Correction, Concept::Comma];
    if at > 1 && position(tags.get(at - 2..at).unwrap_or_default(), &oops).is_some() {
        tags.drain(at - 2..at);
    }
    tags
}

/// Returns where concepts follow one another first.
fn position(tags: &[Tag], concepts: &[Concept]) -> Option<usize> {
    let is_there = |part: &[Tag]| part.iter().map(|tag| &tag.concept).eq(concepts);
    tags.windows(concepts.len()).position(is_there)
}

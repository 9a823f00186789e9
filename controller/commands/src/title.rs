//! Finds what stands before the colon of an order: its title, "sleepy student: sink your head slowly", or that it is forbidden.

use crate::concept::{Concept, Tag, is_feeling};

/// Returns whether a text forbids what stands after its colon: "forbidden: nod twice".
pub(crate) fn forbids(text: &str, tags: &[Tag]) -> bool {
    let Some(colon) = text.find(':') else { return false };
    let mut title =
        tags.iter().filter(|tag| tag.span.end <= colon).filter(|tag| tag.concept != Concept::Skip);
    title.next().is_some_and(|tag| tag.concept == Concept::Not) && title.next().is_none()
}

/// Longer texts before a colon say more than what follows is called.
const MOST_TAGS: usize = 8;

/// Returns where the order begins that a title stands before, bytes; none where a text has no title. A title names something
/// that is not known, and neither moves, denies, tells nor counts anything.
pub(crate) fn order_after_title(text: &str, tags: &[Tag]) -> Option<usize> {
    let colon = text.find([':', '!'])?;
    let rest = colon + 1;
    let title: Vec<&Concept> =
        tags.iter().filter(|tag| tag.span.end <= colon).map(|tag| &tag.concept).collect();
    let begins_with_the = text.trim_start().get(..4).is_some_and(|start| start.eq_ignore_ascii_case("the "));
    let names_something = title.iter().any(|concept| **concept == Concept::Unknown);
    let says_nothing = title.iter().all(|concept| match concept {
        Concept::Unknown | Concept::Skip | Concept::Article | Concept::Comma | Concept::Cannot => true,
        Concept::Act(act) => is_feeling(*act),
        _ => false,
    });
    // "The sign says: nod".
    let is_title = !begins_with_the && names_something && says_nothing && title.len() <= MOST_TAGS;
    let is_followed = text.get(rest..).is_some_and(|rest| rest.split_whitespace().count() > 1);
    (is_title && is_followed).then_some(rest)
}

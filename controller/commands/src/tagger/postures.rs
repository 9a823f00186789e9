//! Reads postures that are only named: "eyes up, head tilted to the right".

use crate::concept::{Concept, Tag, is_posture};
use crate::lexicon::Lexicon;
use crate::words::Word;

use super::ends_clause;

/// "Head tilted", at the start of a clause: a posture to take. "The head tilted" tells of one.
pub(super) fn named(tags: &mut Vec<Tag>, words: &[Word], lexicon: &Lexicon) {
    let has_article = |part: &Tag| {
        let first = words.iter().position(|word| word.span.start == part.span.start);
        let first = first.and_then(|at| words.get(at..=at));
        first
            .and_then(|word| lexicon.longest(word))
            .is_some_and(|(meaning, _)| matches!(meaning.as_slice(), [Concept::Article | Concept::Skip]))
    };
    let is_named = |tags: &[Tag], at: usize| {
        let is_start = at
            .checked_sub(1)
            .and_then(|before| tags.get(before))
            .is_none_or(|before| matches!(before.concept, Concept::Comma | Concept::Stop));
        matches!(tags.get(at..at + 3), Some([part, past, act])
            if matches!(part.concept, Concept::Part(_))
                && past.concept == Concept::Past
                && matches!(act.concept, Concept::Act(act) if is_posture(act))
                && !has_article(part))
            && is_start
    };
    // A clause that is told beside it makes it one of a tale.
    let orders = tags.iter().any(|tag| ends_clause(&tag.concept)) || tags.len() <= MOST_ALONE;
    for at in (0..tags.len()).rev() {
        if orders && is_named(tags, at) {
            tags.remove(at + 1);
        }
    }
}

/// "Head tilted to the left": so many meanings a posture has that stands alone.
const MOST_ALONE: usize = 6;

/// "Things are looking up", but "while you are looking up", "while your ears are wiggling": returns whether the act at a
/// place is one that somebody is said to be doing.
pub(super) fn is_told_of(
    words: &[Word],
    at: usize,
    meaning: &[Concept],
    tags: &[Tag],
    lexicon: &Lexicon,
) -> bool {
    let is_act = matches!(meaning, [Concept::Act(_)]);
    let is_doing = words.get(at).is_some_and(|word| word.text.ends_with("ing"));
    let state = at.checked_sub(1).and_then(|before| words.get(before));
    let Some(state) = state.filter(|state| is_act && is_doing && lexicon.tells_a_state(state)) else {
        return false;
    };
    let is_you = at.checked_sub(2).and_then(|before| words.get(before)).is_none_or(|word| word.text == "you");
    // A phrase that begins before the verb has told of whom.
    let is_phrase = |tag: &Tag| tag.span.start < state.span.start && tag.span.end >= state.span.end;
    !is_you && tags.last().is_none_or(|tag| tag.concept != Concept::While && !is_phrase(tag))
}

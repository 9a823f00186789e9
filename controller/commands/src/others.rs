//! Finds what a text orders beside a motion and nobody here can do: "nod, then sing a song", "look left, open the door".
//!
//! Sentences around an order that tell or ask nothing of the robot are left out: "nod, it's a lovely day". An order is not
//! one of them: who leaves it out has done something else than was asked for.

use std::ops::Range;

use crate::concept::{Concept, Tag};
use crate::lexicon::Lexicon;
use crate::tagger::ends_clause;
use crate::words::Word;

/// Returns where the first order stands that names nothing which moves. `tags` are those of `words`, with the ones of no
/// importance.
pub(crate) fn other_order(words: &[Word], tags: &[Tag], lexicon: &Lexicon) -> Option<Range<usize>> {
    let is_end = |tag: &Tag| {
        ends_clause(&tag.concept) || matches!(tag.concept, Concept::Before | Concept::After | Concept::While)
    };
    tags.split(is_end).find_map(|clause| {
        if clause.iter().any(|tag| is_of_motion(&tag.concept)) {
            return None;
        }
        if let Some(order) = asks_for_photo(clause, words, lexicon) {
            return Some(order);
        }
        if let Some(order) = asks_for_unknown(clause, words, lexicon) {
            return Some(order);
        }
        let [first, rest @ ..] = without_opening(clause, words) else { return None };
        let is_verb = match first.concept {
            Concept::Cannot => true,
            // "Say hello".
            Concept::Correction => rest.first().is_some_and(|next| next.concept == Concept::Call),
            Concept::Unknown | Concept::Somebody => {
                let word = first_word(first, words)?;
                let is_one_word = word.span.end == first.span.end;
                // "Glorb the frobnicator".
                let acts_on = rest.first().is_some_and(|next| next.concept == Concept::Article);
                (lexicon.is_other_order(&word.text) && !(is_one_word && rest.is_empty()))
                    || (first.concept == Concept::Unknown && acts_on)
            }
            _ => false,
        };
        let last = rest.last().unwrap_or(first);
        is_verb.then_some(first.span.start..last.span.end)
    })
}

/// "Photo, nod, photo": those that are orders of their own were taken out of the text before.
fn asks_for_photo(clause: &[Tag], words: &[Word], lexicon: &Lexicon) -> Option<Range<usize>> {
    let tag = clause.iter().find(|tag| {
        tag.concept == Concept::Unknown
            && words.iter().any(|word| {
                tag.span.start <= word.span.start
                    && word.span.end <= tag.span.end
                    && lexicon.speech.is_photo(&word.text)
            })
    })?;
    Some(tag.span.clone())
}

/// "Tell me a joke": the verb is of no importance, or asks; what it asks for is not known.
fn asks_for_unknown(clause: &[Tag], words: &[Word], lexicon: &Lexicon) -> Option<Range<usize>> {
    let at = clause.iter().position(|tag| {
        matches!(tag.concept, Concept::Skip | Concept::Asks)
            && first_word(tag, words).is_some_and(|word| lexicon.is_other_order(&word.text))
    })?;
    let before = clause.get(..at)?;
    let is_first = before.iter().all(|tag| opens(&tag.concept));
    let rest = clause.get(at..)?;
    let is_unknown = rest.iter().any(|tag| tag.concept == Concept::Unknown);
    (is_first && is_unknown && !tells_of_somebody(before, words))
        .then_some(rest.first()?.span.start..rest.last()?.span.end)
}

/// Returns a clause from its first word of importance; nothing of one about somebody: "you remind me of him".
fn without_opening<'a>(clause: &'a [Tag], words: &[Word]) -> &'a [Tag] {
    let opening = clause.iter().take_while(|tag| opens(&tag.concept)).count();
    if tells_of_somebody(clause.get(..opening).unwrap_or_default(), words) {
        return &[];
    }
    clause.get(opening..).unwrap_or_default()
}

/// Returns whether a concept may stand before the verb of an order.
const fn opens(concept: &Concept) -> bool {
    matches!(concept, Concept::Skip | Concept::Call)
}

/// Returns whether one of the words before a verb is who does it.
fn tells_of_somebody(before: &[Tag], words: &[Word]) -> bool {
    let (Some(first), Some(last)) = (before.first(), before.last()) else { return false };
    let from = words.partition_point(|word| word.span.start < first.span.start);
    words
        .iter()
        .skip(from)
        .take_while(|word| word.span.start < last.span.end)
        .any(|word| matches!(word.text.as_str(), "you" | "youre" | "it" | "its" | "what" | "who" | "would"))
}

/// Returns the first word of a tag.
fn first_word<'a>(tag: &Tag, words: &'a [Word]) -> Option<&'a Word> {
    let at = words.binary_search_by_key(&tag.span.start, |word| word.span.start).ok()?;
    words.get(at)
}

const fn is_of_motion(concept: &Concept) -> bool {
    matches!(concept, Concept::Act(_) | Concept::Part(_) | Concept::Way(_) | Concept::Not)
}

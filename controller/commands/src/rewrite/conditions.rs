//! Rewrites conditions that are told without "if": a question before an order, "if so", "otherwise".

use super::{ends_clause, ends_sentence};
use crate::concept::{Act, Concept, Tag};

/// "Do you see a face? Nod for yes": the question is a condition.
pub(super) fn asked(tags: Vec<Tag>) -> Vec<Tag> {
    let Some(end) = tags.iter().position(|tag| tag.concept == Concept::Question) else { return tags };
    let (question, rest) = tags.split_at(end);
    let signal = question.iter().find(|tag| matches!(tag.concept, Concept::Signal(_)));
    let is_plain = question.iter().all(|tag| {
        matches!(
            tag.concept,
            Concept::Signal(_)
                | Concept::Asks
                | Concept::Request
                | Concept::Act(Act::Look)
                | Concept::Restart
                | Concept::Comma
        )
    });
    let orders = rest.iter().any(|tag| matches!(tag.concept, Concept::Act(_)));
    let (Some(signal), Some(mark), true, true) = (signal, rest.first(), is_plain, orders) else {
        return tags;
    };
    let condition = [Concept::When, signal.concept.clone(), Concept::Comma];
    let condition = condition.map(|concept| Tag { concept, span: signal.span.start..mark.span.end });
    condition.into_iter().chain(rest.iter().skip(1).cloned()).collect()
}

/// "Nod if yes, shake your head if not": what stands before "if not" belongs to it.
pub(super) fn otherwise(mut tags: Vec<Tag>) -> Vec<Tag> {
    let mut from = 0;
    let mut at = 0;
    while at < tags.len() {
        let next = tags.get(at + 1).map(|tag| &tag.concept);
        let is_end = next.is_none_or(ends_clause);
        let clause = tags.get(from..at).unwrap_or_default();
        let is_after = clause.iter().any(|tag| matches!(tag.concept, Concept::Act(_)));
        let concept = tags.get(at).map(|tag| tag.concept.clone());
        if concept == Some(Concept::Otherwise) && is_end && is_after {
            let tag = tags.remove(at);
            tags.insert(from, tag);
        }
        if concept.is_some_and(|concept| ends_clause(&concept)) {
            from = at + 1;
        }
        at += 1;
    }
    tags
}

/// "看到人脸就点头，否则摇头": what is seen, and what is done otherwise, make a condition without "if".
pub(super) fn implied_conditions(mut tags: Vec<Tag>) -> Vec<Tag> {
    let begins = |tag: &Tag| matches!(tag.concept, Concept::When | Concept::Unless | Concept::If(_));
    let end = tags.iter().position(|tag| ends_sentence(&tag.concept)).unwrap_or(tags.len());
    let sentence = tags.get(..end).unwrap_or_default();
    let Some(signal) = sentence.iter().position(|tag| matches!(tag.concept, Concept::Signal(_))) else {
        return tags;
    };
    let act = sentence.iter().position(|tag| matches!(tag.concept, Concept::Act(_)));
    let is_otherwise = tags.iter().any(|tag| tag.concept == Concept::Otherwise);
    let follows = sentence.get(signal + 1).map(|tag| &tag.concept);
    let is_then = matches!(follows, Some(Concept::Only | Concept::Then))
        && matches!(sentence.get(signal + 2).map(|tag| &tag.concept), Some(Concept::Act(_)));
    let is_first = sentence.iter().take(signal).all(|tag| matches!(tag.concept, Concept::Request));
    if sentence.iter().any(begins) || !(is_otherwise || is_then) || !is_first || act.is_none() {
        return tags;
    }
    let span = tags.get(signal).map_or(0..0, |tag| tag.span.clone());
    if is_then {
        tags.remove(signal + 1);
    }
    if tags.get(signal + 1).is_none_or(|tag| !ends_clause(&tag.concept)) {
        tags.insert(signal + 1, Tag { concept: Concept::Comma, span: span.clone() });
    }
    tags.insert(signal, Tag { concept: Concept::When, span });
    tags
}

/// "Check for a face, and if there is one, nod": what was named before is the condition.
pub(super) fn confirmed(mut tags: Vec<Tag>) -> Vec<Tag> {
    let Some(at) = tags.iter().position(|tag| tag.concept == Concept::IfSo) else { return tags };
    let before = tags.get(..at).unwrap_or_default();
    let begins = |tag: &Tag| matches!(tag.concept, Concept::When | Concept::Unless | Concept::If(_));
    let only_looks = before.iter().all(|tag| !matches!(tag.concept, Concept::Act(act) if act != Act::Look));
    let signal = before.iter().find(|tag| matches!(tag.concept, Concept::Signal(_))).cloned();
    match signal.filter(|_| only_looks && !before.iter().any(begins)) {
        Some(signal) => {
            let mark = |concept| Tag { concept, span: signal.span.clone() };
            let condition = [mark(Concept::When), signal.clone(), mark(Concept::Comma)];
            tags.splice(..=at, condition);
        }
        None => {
            // "Unless you see a face, shake your head. If you do, nod."
            let is_exception = before.iter().any(|tag| tag.concept == Concept::Unless);
            if let Some(tag) = tags.get_mut(at) {
                tag.concept = if is_exception { Concept::Otherwise } else { Concept::Then };
            }
        }
    }
    tags
}

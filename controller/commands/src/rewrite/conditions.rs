//! Rewrites conditions that are told without "if": a question before an order, "if so", "otherwise".

use super::{ends_clause, ends_sentence};
use minismith_score::Event;

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
    let mut before = 0;
    let mut at = 0;
    while at < tags.len() {
        let next = tags.get(at + 1).map(|tag| &tag.concept);
        let is_end = next.is_none_or(ends_clause);
        let acts = |from: usize, to: usize| {
            let clause = tags.get(from..to).unwrap_or_default();
            clause.iter().any(|tag| matches!(tag.concept, Concept::Act(_)))
        };
        // "..., and shake it, if not": the clause before the comma.
        let rest = tags.get(at + 1..).unwrap_or_default();
        let mut rest = rest.iter().take_while(|tag| !ends_sentence(&tag.concept));
        let is_last = !rest.any(|tag| matches!(tag.concept, Concept::Act(_)));
        let own = if from == at && is_last && acts(before, at) { before } else { from };
        let is_after = acts(own, at);
        let concept = tags.get(at).map(|tag| tag.concept.clone());
        if concept == Some(Concept::Otherwise) && is_end && is_after && !(own == before && own == 0) {
            let tag = tags.remove(at);
            if own < from {
                tags.remove(from - 1);
            }
            tags.insert(own, tag);
        }
        if concept.is_some_and(|concept| ends_clause(&concept)) {
            before = if from == at { before } else { from };
            from = at + 1;
        }
        at += 1;
    }
    tags
}

/// "看到人脸就点头，否则摇头": what is seen, and what is done otherwise, make a condition without "if".
pub(super) fn implied_conditions(mut tags: Vec<Tag>) -> Vec<Tag> {
    let begins = |tag: &Tag| matches!(tag.concept, Concept::When | Concept::Unless | Concept::If(_));
    if let [first, ..] = tags.as_slice()
        && first.concept == Concept::Otherwise
        && !tags.iter().any(begins)
    {
        // "If there is none, nod".
        let span = first.span.clone();
        let condition = [Concept::When, Concept::Signal(Event::Face), Concept::Not, Concept::Comma];
        let condition = condition.map(|concept| Tag { concept, span: span.clone() });
        tags.splice(..1, condition);
        return tags;
    }
    let Some(signal) = tags.iter().position(|tag| matches!(tag.concept, Concept::Signal(_))) else {
        return tags;
    };
    let (before, after) = tags.split_at(signal);
    let is_act = |tag: &Tag| matches!(tag.concept, Concept::Act(_));
    let is_otherwise = after.iter().any(|tag| tag.concept == Concept::Otherwise);
    let is_then = matches!(after, [_, then, act, ..]
        if matches!(then.concept, Concept::Only | Concept::Then) && is_act(act));
    // "Vedi una faccia, annuisci; non ne vedi, scuoti la testa".
    let is_first = before
        .iter()
        .all(|tag| tag.concept == Concept::Request || (is_otherwise && tag.concept == Concept::Unknown));
    if tags.iter().any(begins) || !(is_otherwise || is_then) || !is_first || !after.iter().any(is_act) {
        return tags;
    }
    let span = tags.get(signal).map_or(0..0, |tag| tag.span.clone());
    if is_then {
        tags.remove(signal + 1);
    }
    let comma = Tag { concept: Concept::Comma, span: span.clone() };
    match tags.get_mut(signal + 1) {
        Some(tag) if ends_sentence(&tag.concept) => *tag = comma,
        Some(tag) if ends_clause(&tag.concept) => {}
        _ => tags.insert(signal + 1, comma),
    }
    tags.insert(signal, Tag { concept: Concept::When, span });
    tags
}

/// "Nod if so": moves what stands behind the order that it is a condition of before it, and returns where it stands.
fn leading(tags: &mut Vec<Tag>, at: usize) -> usize {
    let is_last = tags.get(at + 1).is_none_or(|next| ends_clause(&next.concept));
    let before = tags.get(..at).unwrap_or_default();
    let start = before.iter().rposition(|tag| ends_clause(&tag.concept)).map_or(0, |joint| joint + 1);
    let acts =
        before.get(start..).is_some_and(|own| own.iter().any(|tag| matches!(tag.concept, Concept::Act(_))));
    if !is_last || !acts {
        return at;
    }
    let tag = tags.remove(at);
    tags.insert(start, tag);
    start
}

/// "If there is a face, nod; shake your head if there is nobody", "if face: nod, else: shake your head".
pub(super) fn other_branch(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_condition = |tag: &Tag| matches!(tag.concept, Concept::Otherwise | Concept::If(_));
    let is_colon = |pair: &[Tag]| matches!(pair, [condition, stop] if is_condition(condition) && stop.concept == Concept::Stop);
    while let Some(at) = tags.windows(2).position(is_colon) {
        if tags.get(at).is_some_and(|tag| tag.concept == Concept::Otherwise) {
            tags.remove(at + 1);
        } else if let Some(stop) = tags.get_mut(at + 1) {
            stop.concept = Concept::Comma;
        }
    }
    let is_face = |tag: &Tag| matches!(tag.concept, Concept::Signal(Event::Face) | Concept::If(Event::Face));
    let Some(face) = tags.iter().position(is_face) else { return tags };
    let is_nobody = |pair: &[Tag]| matches!(pair, [when, nobody] if when.concept == Concept::When && nobody.concept == Concept::Nobody);
    let rest = tags.get(face..).unwrap_or_default();
    if let Some(at) = rest.windows(2).position(is_nobody).map(|at| face + at) {
        tags.remove(at + 1);
        if let Some(when) = tags.get_mut(at) {
            when.concept = Concept::Otherwise;
        }
    }
    tags
}

/// "Check for a face, and if there is one, nod": what was named before is the condition.
pub(super) fn confirmed(mut tags: Vec<Tag>) -> Vec<Tag> {
    let Some(at) = tags.iter().position(|tag| tag.concept == Concept::IfSo) else { return tags };
    let at = leading(&mut tags, at);
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

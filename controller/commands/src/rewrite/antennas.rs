//! Rewrites what is said of one antenna and then of the other.

use super::ends_clause;
use crate::concept::{Act, Concept, Part, Tag, Way};

const fn moves_antennas(act: Act) -> bool {
    matches!(act, Act::Raise | Act::Lower | Act::Wiggle | Act::Wave | Act::Spread | Act::Close)
}

const fn antenna_named(concept: &Concept) -> Option<Part> {
    match concept {
        Concept::Part(Part::LeftAntenna | Part::LeftOne) | Concept::Way(Way::Left) => Some(Part::LeftAntenna),
        Concept::Part(Part::RightAntenna | Part::RightOne) | Concept::Way(Way::Right) => {
            Some(Part::RightAntenna)
        }
        _ => None,
    }
}

/// "Raise the right antenna, then left": the other antenna, and not its way.
pub(super) fn other_antenna(mut tags: Vec<Tag>) -> Vec<Tag> {
    for at in 2..tags.len() {
        let is_end = tags.get(at + 1).is_none_or(|next| ends_clause(&next.concept));
        let is_joined = tags.get(at - 1).is_some_and(|joint| ends_clause(&joint.concept));
        let mut own = tags.get(..at - 1).unwrap_or_default();
        while let [rest @ .., joint] = own
            && ends_clause(&joint.concept)
        {
            own = rest;
        }
        let start = own.iter().rposition(|tag| ends_clause(&tag.concept)).map_or(0, |joint| joint + 1);
        let own: Vec<&Concept> = own.iter().skip(start).map(|tag| &tag.concept).collect();
        let acts = own.iter().any(|concept| matches!(concept, Concept::Act(act) if moves_antennas(*act)));
        let is_aside = own.iter().any(|concept| matches!(concept, Concept::Way(Way::Left | Way::Right)));
        let antenna = own.iter().find_map(|concept| match concept {
            Concept::Part(part @ (Part::LeftAntenna | Part::RightAntenna)) => Some(*part),
            _ => None,
        });
        let (Some(antenna), Some(tag)) = (antenna, tags.get_mut(at)) else { continue };
        let named = antenna_named(&tag.concept).filter(|named| *named != antenna);
        if let Some(named) = named.filter(|_| is_end && is_joined && acts && !is_aside) {
            tag.concept = Concept::Part(named);
        }
    }
    tags
}

/// "Ears up, the right one first, then the left one", "raise them one after another: right antenna, then left": each does it,
/// in the order told.
pub(super) fn antennas_in_order(tags: Vec<Tag>) -> Vec<Tag> {
    let is_both = |tag: &Tag| matches!(tag.concept, Concept::Part(Part::Antennas) | Concept::It);
    let Some(both) = tags.iter().position(is_both) else { return tags };
    let rest = tags.get(both + 1..).unwrap_or_default();
    let said = rest
        .iter()
        .take_while(|tag| matches!(tag.concept, Concept::Way(Way::Up | Way::Down | Way::Out | Way::In)));
    let start = both + 1 + said.count();
    let (head, tail) = tags.split_at(start);
    let acts: Vec<&Concept> = head
        .iter()
        .map(|tag| &tag.concept)
        .filter(|concept| !matches!(concept, Concept::Request | Concept::Comma))
        .collect();
    let is_order = match acts.as_slice() {
        [Concept::Act(act), Concept::Part(Part::Antennas) | Concept::It, ..] => moves_antennas(*act),
        [Concept::Part(Part::Antennas), Concept::Way(_)] => true,
        _ => false,
    };
    let named: Vec<Part> = tail.iter().filter_map(|tag| antenna_named(&tag.concept)).collect();
    let is_plain = |concept: &Concept| {
        antenna_named(concept).is_some()
            || matches!(
                concept,
                Concept::InTurn | Concept::Request | Concept::First | Concept::Last | Concept::Then
            )
            || ends_clause(concept)
    };
    let is_set_off = tail.first().is_some_and(|tag| {
        ends_clause(&tag.concept)
            || matches!(tag.concept, Concept::InTurn | Concept::Request | Concept::First)
    });
    let [one, other] = named.as_slice() else { return tags };
    if !is_order || !is_set_off || one == other || !tail.iter().all(|tag| is_plain(&tag.concept)) {
        return tags;
    }
    let with = |part: Part| {
        head.iter().map(move |tag| match tag.concept {
            Concept::Part(Part::Antennas) | Concept::It => {
                Tag { concept: Concept::Part(part), span: tag.span.clone() }
            }
            _ => tag.clone(),
        })
    };
    let span = head.last().map_or(0..0, |tag| tag.span.clone());
    with(*one).chain([Tag { concept: Concept::Then, span }]).chain(with(*other)).collect()
}

/// "The left ear should wiggle twice, only the left": it was named.
pub(super) fn named_antenna(mut tags: Vec<Tag>) -> Vec<Tag> {
    let end = tags.iter().rposition(|tag| tag.concept != Concept::Stop).map_or(0, |last| last + 1);
    let tail = end.checked_sub(2).and_then(|from| tags.get(from..end));
    let Some([comma, last]) = tail else { return tags };
    let named = antenna_named(&last.concept).filter(|_| comma.concept == Concept::Comma);
    let before = tags.get(..end - 2).unwrap_or_default();
    let mut named_before = before.iter().filter_map(|tag| match tag.concept {
        Concept::Part(_) => antenna_named(&tag.concept),
        _ => None,
    });
    let is_same = named.is_some() && named_before.next() == named && named_before.next().is_none();
    let is_one_clause = !before.iter().any(|tag| ends_clause(&tag.concept));
    if is_same && is_one_clause {
        tags.drain(end - 2..end);
    }
    tags
}

/// "Wiggle your antennas one after the other: left, right, left": one antenna after another, each once.
pub(super) fn listed_turns(mut tags: Vec<Tag>) -> Vec<Tag> {
    let Some(turn) = tags.iter().position(|tag| tag.concept == Concept::InTurn) else { return tags };
    let before = tags.get(..turn).unwrap_or_default();
    let start = before.iter().rposition(|tag| ends_clause(&tag.concept)).map_or(0, |end| end + 1);
    let clause = before.get(start..).unwrap_or_default();
    let is_antennas = clause.iter().any(|tag| tag.concept == Concept::Part(Part::Antennas))
        && clause.iter().all(|tag| {
            matches!(
                tag.concept,
                Concept::Part(Part::Antennas)
                    | Concept::Act(Act::Move | Act::Wiggle | Act::Wave)
                    | Concept::Request
            )
        });
    let is_mark = |tag: &Tag| {
        matches!(tag.concept, Concept::Comma | Concept::Stop | Concept::And | Concept::Then | Concept::Again)
    };
    let rest = tags.get(turn + 1..).unwrap_or_default();
    let mut listed: Vec<Part> = Vec::new();
    let mut length = 0;
    for (at, tag) in rest.iter().enumerate() {
        match antenna_named(&tag.concept) {
            Some(part) => {
                listed.push(part);
                length = at + 1;
            }
            None if is_mark(tag) => {}
            None => break,
        }
    }
    if let Some((times, first, said)) = turns_each(rest) {
        let other = if first == Part::LeftAntenna { Part::RightAntenna } else { Part::LeftAntenna };
        (listed, length) = ([first, other].repeat(times), said);
    }
    if is_antennas && listed.len() > 1 && rest.get(length).is_none_or(|tag| ends_clause(&tag.concept)) {
        let span = tags.get(turn).map_or(0..0, |tag| tag.span.clone());
        let step = |part: Part| {
            [Concept::Then, Concept::Act(Act::Wiggle), Concept::Part(part), Concept::Count(1)]
                .map(|concept| Tag { concept, span: span.clone() })
        };
        let steps: Vec<Tag> = listed.into_iter().flat_map(step).collect();
        tags.splice(start..turn + 1 + length, steps);
    }
    tags
}

/// "Three times each, starting with the right": how often, which antenna first, and how many tags say so.
fn turns_each(rest: &[Tag]) -> Option<(usize, Part, usize)> {
    let mut said = rest.iter().enumerate().filter(|(_, tag)| {
        !matches!(
            tag.concept,
            Concept::Comma | Concept::And | Concept::Times | Concept::Every | Concept::Part(Part::Antennas)
        )
    });
    let (_, number) = said.next()?;
    let number = match number.concept {
        Concept::Number(number) => number as usize,
        Concept::Count(count) => count as usize,
        _ => return None,
    };
    let (_, first) = said.next().filter(|(_, tag)| tag.concept == Concept::First)?;
    let (at, one) = said.next().filter(|(_, one)| one.span.start >= first.span.start)?;
    Some((number.clamp(1, 10), antenna_named(&one.concept)?, at + 1))
}

/// "Bow, and only then wiggle both antennas together": the two of them, and not with the bow.
pub(super) fn both_together(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_both = |pair: &[Tag]| {
        matches!(pair, [part, together] if matches!(part.concept, Concept::Part(Part::Antennas | Part::Both))
            && together.concept == Concept::Together)
    };
    if let Some(at) = tags.windows(2).position(is_both) {
        let before = tags.get(..at).unwrap_or_default();
        let joint = before.iter().rfind(|tag| ends_clause(&tag.concept));
        if joint.is_some_and(|joint| joint.concept == Concept::Then) {
            tags.remove(at + 1);
        }
    }
    tags
}

//! Rewrites what is said of waiting: for a signal, and as long as before.

use super::ends_clause;
use crate::concept::{Act, Compared, Concept, Tag, Unit, is_posture};

/// Returns whether two tags are a time: "five seconds".
const fn says_time(number: &Tag, unit: &Tag) -> bool {
    matches!(number.concept, Concept::Number(_)) && matches!(unit.concept, Concept::Unit(Unit::Time(_)))
}

/// "Left for five seconds, then right for the same time": as long as was said before.
pub(super) fn same_time(mut tags: Vec<Tag>) -> Vec<Tag> {
    // "Count to two seconds".
    tags.dedup_by(|next, tag| {
        next.concept == tag.concept && matches!(tag.concept, Concept::Unit(Unit::Time(_)))
    });
    let is_same = |pair: &[Tag]| matches!(pair, [time, same] if time.concept == Concept::For && same.concept == Concept::Together);
    let is_time = |pair: &[Tag]| matches!(pair, [number, unit] if says_time(number, unit));
    while let Some(at) = tags.windows(2).position(is_same) {
        let before = tags.get(..at).unwrap_or_default();
        let Some(said) = before.windows(2).rev().find(|pair| is_time(pair)) else { return tags };
        let said: Vec<Tag> = said.to_vec();
        tags.splice(at + 1..at + 2, said);
    }
    // "Turn over four seconds, and over those same four seconds tilt": at the same time, and as long.
    let is_during = |three: &[Tag]| {
        matches!(three, [during, number, unit] if during.concept == Concept::While
            && says_time(number, unit))
    };
    if let Some(at) = tags.windows(3).position(is_during)
        && let Some(span) = tags.get(at).map(|tag| tag.span.clone())
    {
        tags.insert(at + 1, Tag { concept: Concept::Taking, span });
    }
    tags
}

/// "Take three seconds to turn, and three more to come back": the second time belongs to what follows it.
pub(super) fn further_times(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_taken = |three: &[Tag]| {
        matches!(three, [taking, number, unit] if taking.concept == Concept::Taking
            && says_time(number, unit))
    };
    let is_further = |four: &[Tag]| {
        matches!(four, [mark, number, more, act] if ends_clause(&mark.concept)
            && matches!(number.concept, Concept::Number(_))
            && more.concept == Concept::More(Compared::Bigger)
            && matches!(act.concept, Concept::Act(act) if is_posture(act) || act == Act::Return))
    };
    while let Some(at) = tags.windows(4).position(is_further) {
        let before = tags.get(..=at).unwrap_or_default();
        let Some([taking, _, unit]) = before.windows(3).rev().find(|three| is_taken(three)) else { break };
        let (taking, unit) = (taking.clone(), unit.clone());
        tags.splice(at + 2..at + 3, [unit]);
        tags.insert(at + 1, taking);
    }
    tags
}

/// "Nod three times, each time pausing for a second": a pause between the repetitions.
pub(super) fn waits_each_time(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_wait = |four: &[Tag]| {
        matches!(four, [each, wait, number, unit] if each.concept == Concept::EachTime
            && wait.concept == Concept::Act(Act::Wait)
            && says_time(number, unit))
    };
    if let Some(at) = tags.windows(4).position(is_wait)
        && let Some(each) = tags.get_mut(at)
    {
        each.concept = Concept::With;
        let between = Tag { concept: Concept::Between, span: each.span.clone() };
        tags.insert(at + 4, between);
    }
    tags
}

/// "Keep that up for twice as long": what was done before.
pub(super) fn kept_up(mut tags: Vec<Tag>) -> Vec<Tag> {
    let end = tags.iter().rposition(|tag| !ends_clause(&tag.concept)).map_or(0, |last| last + 1);
    if let Some([.., hold, factor, longer]) = tags.get_mut(..end)
        && hold.concept == Concept::Act(Act::Hold)
        && matches!(factor.concept, Concept::Factor(_))
        && matches!(longer.concept, Concept::More(Compared::Longer | Compared::Shorter))
    {
        hold.concept = Concept::Again;
    }
    tags
}

/// "Left for one second, then right for three times as long": a factor of the time that was said before.
pub(super) fn times_as_long(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_compared = |pair: &[Tag]| {
        matches!(pair, [factor, longer] if matches!(factor.concept, Concept::Factor(_))
            && matches!(longer.concept, Concept::More(Compared::Longer | Compared::Shorter)))
    };
    let is_gesture =
        |tag: &Tag| matches!(tag.concept, Concept::Act(act) if !is_posture(act) && act != Act::Wait);
    while let Some(at) = tags.windows(2).position(is_compared) {
        let Some(Concept::Factor(factor)) = tags.get(at).map(|tag| tag.concept.clone()) else { return tags };
        let before = tags.get(..at).unwrap_or_default();
        let own = before.iter().rposition(|tag| ends_clause(&tag.concept)).unwrap_or(0);
        let is_time = |three: &[Tag]| {
            matches!(three, [lead, number, unit]
                if matches!(lead.concept, Concept::For | Concept::Taking)
                && says_time(number, unit))
        };
        let said = before.get(..own).unwrap_or_default().windows(3).rev().find(|three| is_time(three));
        let Some([lead, number, unit]) = said else { return tags };
        let Concept::Number(value) = number.concept else { return tags };
        // "Shake your head just as many times".
        if before.iter().skip(own).any(is_gesture) {
            return tags;
        }
        let longer = Tag { concept: Concept::Number(value * factor), span: number.span.clone() };
        let time = [lead.clone(), longer, unit.clone()];
        tags.splice(at..at + 2, time);
    }
    tags
}

/// "Three seconds after looking down, look up": down, a wait, and up.
pub(super) fn times_after(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_time_after = |four: &[Tag]| {
        matches!(four, [number, unit, after, act] if says_time(number, unit)
            && after.concept == Concept::After
            && matches!(act.concept, Concept::Act(_)))
    };
    let begins = |at: usize| {
        tags.get(..at).is_some_and(|before| {
            before.last().is_none_or(|tag| ends_clause(&tag.concept) || tag.concept == Concept::Request)
        })
    };
    let Some(at) = tags.windows(4).position(is_time_after).filter(|at| begins(*at)) else { return tags };
    let rest = tags.get(at..).unwrap_or_default();
    let Some(comma) = rest.iter().position(|tag| tag.concept == Concept::Comma) else { return tags };
    let (first, second) = rest.split_at(comma);
    let [number, unit, after, first @ ..] = first else { return tags };
    let mark = |concept| Tag { concept, span: after.span.clone() };
    let then = mark(Concept::Then);
    let wait = [then.clone(), mark(Concept::Act(Act::Wait)), number.clone(), unit.clone(), then];
    let order: Vec<Tag> = first.iter().cloned().chain(wait).chain(second.iter().skip(1).cloned()).collect();
    tags.splice(at.., order);
    tags
}

/// "Until ten seconds have passed": for ten seconds. "Not until ten seconds have passed": after them.
pub(super) fn until_times(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_not_until = |four: &[Tag]| {
        matches!(four, [denial, until, number, unit]
            if matches!(denial.concept, Concept::Not | Concept::NotVerb | Concept::Without)
            && matches!(until.concept, Concept::Until | Concept::For)
            && says_time(number, unit))
    };
    let begins_act = |at: usize, tags: &[Tag]| {
        let next =
            tags.iter().skip(at + 4).find(|tag| !matches!(tag.concept, Concept::Then | Concept::Request));
        next.is_some_and(|tag| matches!(tag.concept, Concept::Act(_)))
    };
    if let Some(at) = tags.windows(4).position(is_not_until).filter(|at| begins_act(*at, &tags)) {
        tags.remove(at);
        if let Some(until) = tags.get_mut(at) {
            until.concept = Concept::After;
        }
        if tags.get(at + 3).is_some_and(|tag| tag.concept == Concept::Then) {
            tags.remove(at + 3);
        }
    }
    let is_until = |three: &[Tag]| {
        matches!(three, [until, number, unit] if until.concept == Concept::Until
            && says_time(number, unit))
    };
    while let Some(at) = tags.windows(3).position(is_until) {
        if let Some(until) = tags.get_mut(at) {
            until.concept = Concept::For;
        }
        let then = tags.get(at + 3).is_some_and(|tag| tag.concept == Concept::Then);
        let is_end = tags.get(at + 4).is_none_or(|next| ends_clause(&next.concept));
        if then && is_end {
            tags.remove(at + 3);
        }
    }
    tags
}

/// "Hold for four": seconds.
pub(super) fn holds(mut tags: Vec<Tag>) -> Vec<Tag> {
    for at in (2..tags.len()).rev() {
        let is_end = tags.get(at + 1).is_none_or(|next| ends_clause(&next.concept));
        let number = match tags.get(at - 2..=at) {
            Some([hold, after, number])
                if matches!(hold.concept, Concept::Act(Act::Hold | Act::Wait) | Concept::Stay)
                    && after.concept == Concept::For
                    && matches!(number.concept, Concept::Number(_))
                    && is_end =>
            {
                number.clone()
            }
            _ => continue,
        };
        tags.insert(at + 1, Tag { concept: Concept::Unit(Unit::Time(1.0)), ..number });
    }
    tags
}

/// "Nod once I clap", "wait for a clap, then nod": when it happens.
pub(super) fn awaited_signals(tags: Vec<Tag>) -> Vec<Tag> {
    let mut out: Vec<Tag> = Vec::with_capacity(tags.len());
    let mut rest = tags.as_slice();
    while let [tag, after @ ..] = rest {
        let between =
            after.iter().take_while(|next| matches!(next.concept, Concept::For | Concept::To)).count();
        let is_wait = tag.concept == Concept::Act(Act::Wait) && between > 0;
        let signal = after.get(if is_wait { between } else { 0 });
        let signal = signal.filter(|next| matches!(next.concept, Concept::Signal(_)));
        match signal {
            Some(signal) if is_wait => {
                let mark = |concept| Tag { concept, span: tag.span.clone() };
                out.extend([mark(Concept::When), signal.clone(), mark(Concept::Comma)]);
                let used = between + 1;
                let is_link = after.get(used).is_some_and(|next| ends_clause(&next.concept));
                rest = after.get(used + usize::from(is_link)..).unwrap_or_default();
            }
            Some(_) if tag.concept == Concept::Count(1) => {
                out.push(Tag { concept: Concept::When, span: tag.span.clone() });
                rest = after;
            }
            _ => {
                out.push(tag.clone());
                rest = after;
            }
        }
    }
    out
}

/// "Two seconds of waiting": the number belongs to the wait.
pub(super) fn waits_of(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_wait = |three: &[Tag]| {
        matches!(three, [number, wait, unit] if matches!(number.concept, Concept::Number(_))
            && wait.concept == Concept::Act(Act::Wait)
            && matches!(unit.concept, Concept::Unit(Unit::Time(_)))
            && wait.span == unit.span)
    };
    while let Some(at) = tags.windows(3).position(is_wait) {
        tags.swap(at, at + 1);
    }
    tags
}

/// "Give it two seconds and look right": a wait, while "take two seconds to look right" is a duration.
pub(super) fn given_times(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_given = |five: &[Tag]| {
        matches!(five, [taking, number, unit, joint, act] if taking.concept == Concept::Taking
            && says_time(number, unit)
            && matches!(joint.concept, Concept::And | Concept::Then)
            && matches!(act.concept, Concept::Act(_)))
    };
    let mut from = 0;
    while let Some(at) = tags.get(from..).and_then(|rest| rest.windows(5).position(is_given)) {
        let at = from + at;
        let begins = at == 0
            || tags
                .get(at - 1)
                .is_some_and(|tag| ends_clause(&tag.concept) || tag.concept == Concept::Request);
        if let Some(tag) = tags.get_mut(at).filter(|_| begins) {
            tag.concept = Concept::Act(Act::Wait);
        }
        from = at + 1;
    }
    tags
}

/// "Look up three seconds from now": the delay stands at the start of the clause.
pub(super) fn delays(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_delay = |three: &[Tag]| {
        matches!(three, [number, unit, now] if says_time(number, unit)
            && now.concept == Concept::FromNow)
    };
    while let Some(at) = tags.windows(3).position(is_delay) {
        let mark = tags.get(at + 2).cloned();
        let Some(mark) = mark else { return tags };
        tags.splice(at + 2..at + 3, []);
        tags.insert(at, Tag { concept: Concept::After, span: mark.span });
    }
    tags.retain(|tag| tag.concept != Concept::FromNow);
    tags
}

/// "Nod three times, each nod lasting two seconds", "two seconds per nod": two seconds each.
pub(super) fn each_takes(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_every = |tag: &Tag| matches!(tag.concept, Concept::Every | Concept::EachTime);
    let is_number = |tag: &Tag| matches!(tag.concept, Concept::Number(_));
    let is_time = |tag: &Tag| matches!(tag.concept, Concept::Unit(Unit::Time(_)));
    let is_lasting = |tag: &Tag| matches!(tag.concept, Concept::For | Concept::Taking | Concept::In);
    for at in 1..tags.len() {
        let (before, rest) = tags.split_at(at);
        let said = |act: &Tag| {
            matches!(act.concept, Concept::Act(_)) && before.iter().any(|tag| tag.concept == act.concept)
        };
        let (amount, length) = match rest {
            [every, act, lasting, number, unit, ..]
                if is_every(every)
                    && said(act)
                    && is_lasting(lasting)
                    && is_number(number)
                    && is_time(unit) =>
            {
                ([number.clone(), unit.clone(), every.clone()], 5)
            }
            [number, unit, every, act, ..]
                if is_number(number) && is_time(unit) && is_every(every) && said(act) =>
            {
                ([number.clone(), unit.clone(), every.clone()], 4)
            }
            _ => continue,
        };
        let ends = rest.get(length).is_none_or(|next| ends_clause(&next.concept));
        if ends {
            let [number, unit, every] = amount;
            tags.splice(at..at + length, [number, unit, Tag { concept: Concept::EachTime, ..every }]);
            return tags;
        }
    }
    tags
}

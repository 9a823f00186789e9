//! Rewrites numbers that stand elsewhere than beside what they count.

use super::ends_clause;
use crate::concept::{Act, Compared, Concept, Tag, Unit, is_posture};

/// "Three times look left and look right": all of it.
pub(super) fn leading_times(mut tags: Vec<Tag>) -> Vec<Tag> {
    let start = tags
        .iter()
        .position(|tag| !matches!(tag.concept, Concept::Request | Concept::Call | Concept::Comma))
        .unwrap_or(0);
    let rest = tags.get(start..).unwrap_or_default();
    let times = match rest {
        [count, ..] if matches!(count.concept, Concept::Count(_)) => 1,
        [number, times, ..]
            if matches!(number.concept, Concept::Number(_)) && times.concept == Concept::Times =>
        {
            2
        }
        _ => return tags,
    };
    let is_posture_act = |tag: &Tag| matches!(tag.concept, Concept::Act(act) if is_posture(act));
    let starts = rest.get(times).is_some_and(is_posture_act);
    let goes_on = rest.windows(2).any(|pair| {
        matches!(pair, [joint, act] if matches!(joint.concept, Concept::And | Concept::Then) && is_posture_act(act))
    });
    if let Some(span) = rest.get(times).map(|tag| tag.span.clone()).filter(|_| starts && goes_on) {
        tags.insert(start + times, Tag { concept: Concept::Comma, span });
    }
    tags
}

/// "Plus ten", "add ten degrees": so much further than before; otherwise "and".
pub(super) fn additions(mut tags: Vec<Tag>) -> Vec<Tag> {
    // "+10": nothing stands before it.
    if let [first, number, ..] = tags.as_mut_slice()
        && first.concept == Concept::And
        && matches!(number.concept, Concept::Number(_))
    {
        first.concept = Concept::Plus;
    }
    // "Yaw the base +15 degrees": a sign.
    let is_sign = |pair: &[Tag]| {
        matches!(pair, [plus, number] if matches!(plus.concept, Concept::And | Concept::Plus)
            && matches!(number.concept, Concept::Number(_))
            && plus.span.len() == 1
            && plus.span.end == number.span.start)
    };
    while let Some(at) = tags.windows(2).position(is_sign).filter(|at| *at > 0) {
        tags.remove(at);
    }
    // "Still ten degrees more".
    if let [still, next, ..] = tags.as_slice()
        && still.concept == Concept::Still
        && matches!(next.concept, Concept::Number(_) | Concept::More(_))
    {
        tags.remove(0);
    }
    let moves = tags.iter().any(|tag| matches!(tag.concept, Concept::Act(_) | Concept::Part(_)));
    for at in 0..tags.len() {
        // "Nod four times and add two".
        let is_joined = at
            .checked_sub(1)
            .and_then(|before| tags.get(before))
            .is_some_and(|tag| matches!(tag.concept, Concept::And | Concept::Comma));
        let is_sum = (!moves || is_joined)
            && tags.get(at + 1).is_some_and(|tag| matches!(tag.concept, Concept::Number(_)));
        if let Some(tag) = tags.get_mut(at).filter(|tag| tag.concept == Concept::Plus) {
            tag.concept = if is_sum { Concept::More(Compared::Bigger) } else { Concept::And };
        }
    }
    // "Yaw plus thirty degrees": a sign.
    let is_sign = |three: &[Tag]| {
        matches!(three, [act, and, number] if matches!(act.concept, Concept::Act(_))
            && and.concept == Concept::And
            && and.span.len() == "plus".len()
            && matches!(number.concept, Concept::Number(_)))
    };
    if let Some(at) = tags.windows(3).position(is_sign) {
        tags.remove(at + 1);
    }
    tags
}

/// "Times two", "two times further", where nothing is named that moves: a factor. "Nod times three": a count.
pub(super) fn factors(mut tags: Vec<Tag>) -> Vec<Tag> {
    let moves = tags.iter().any(|tag| matches!(tag.concept, Concept::Act(_) | Concept::Part(_)));
    let is_number = |tag: Option<&Tag>| tag.is_some_and(|tag| matches!(tag.concept, Concept::Number(_)));
    let mut at = 0;
    while at < tags.len() {
        let is_times = tags.get(at).is_some_and(|tag| tag.concept == Concept::Times);
        let is_before = at.checked_sub(1).is_some_and(|before| is_number(tags.get(before)));
        let is_end = tags.get(at + 2).is_none_or(|tag| {
            matches!(tag.concept, Concept::Stop | Concept::Question | Concept::Comma | Concept::Request)
        });
        if is_times && !is_before && is_number(tags.get(at + 1)) && is_end {
            if moves {
                tags.swap(at, at + 1);
            } else if let Some(tag) = tags.get_mut(at + 1)
                && let Concept::Number(factor) = tag.concept
            {
                tag.concept = Concept::Factor(factor);
                tags.remove(at);
            }
        }
        at += 1;
    }
    tags
}

/// "Too much, I wanted half of it": what follows says how much less.
pub(super) fn said_more_exactly(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_vague = |tags: &[Tag]| {
        let [first, joint, rest @ ..] = tags else { return false };
        let rest: Vec<&Concept> = rest
            .iter()
            .map(|tag| &tag.concept)
            .filter(|concept| !matches!(concept, Concept::Correction | Concept::Comma | Concept::Stop))
            .collect();
        matches!(first.concept, Concept::More(_))
            && matches!(joint.concept, Concept::Comma | Concept::Stop)
            && matches!(rest.as_slice(), [Concept::Factor(_), more] if **more == first.concept)
    };
    if is_vague(&tags) {
        tags.drain(..2);
        tags.retain(|tag| tag.concept != Concept::Correction);
    }
    tags
}

/// "Look down by ten, then by twenty, then by thirty degrees": one motion for each amount, in turn.
pub(super) fn amounts_in_turn(mut tags: Vec<Tag>) -> Vec<Tag> {
    let mut at = 0;
    while at < tags.len() {
        let Some(list) = list_of_amounts(&tags, at) else {
            at += 1;
            continue;
        };
        let before = tags.get(..at).unwrap_or_default();
        let start = before.iter().rposition(|tag| ends_clause(&tag.concept)).map_or(0, |end| end + 1);
        let motion: Vec<Tag> = before
            .iter()
            .skip(start)
            .filter(|tag| matches!(tag.concept, Concept::Act(_) | Concept::Part(_) | Concept::Way(_)))
            .cloned()
            .collect();
        let moves = motion.iter().any(|tag| matches!(tag.concept, Concept::Act(_) | Concept::Way(_)));
        let (end, amounts) = list;
        let back = return_each_time(tags.get(end..).unwrap_or_default());
        let first = amounts.first().cloned();
        if let Some(first) = first.filter(|_| moves) {
            let mut steps = first;
            for amount in amounts.into_iter().skip(1) {
                let span = amount.first().map_or(0..0, |tag| tag.span.clone());
                let then = Tag { concept: Concept::Then, span };
                let home = back.iter().flat_map(|(_, home)| [then.clone(), home.clone()]);
                steps.extend(home);
                steps.push(then);
                steps.extend(motion.iter().cloned().chain(amount));
            }
            if let Some((_, home)) = &back {
                steps.push(Tag { concept: Concept::Then, span: home.span.clone() });
                steps.push(home.clone());
            }
            let length = steps.len();
            tags.splice(at..end + back.map_or(0, |(length, _)| length), steps);
            at += length;
        } else {
            at = end;
        }
    }
    tags
}

/// "Turn left ten degrees, come back, then twenty degrees": what moved before the return moves again, by another amount.
pub(super) fn amounts_after_returns(tags: Vec<Tag>) -> Vec<Tag> {
    let is_motion = |tag: &&Tag| matches!(tag.concept, Concept::Act(_) | Concept::Part(_) | Concept::Way(_));
    let is_return = |tag: &Tag| matches!(tag.concept, Concept::Act(Act::Return | Act::Center));
    let mut motion: Vec<Tag> = Vec::new();
    let mut has_returned = false;
    let mut read: Vec<Tag> = Vec::new();
    let mut unit = None;
    for clause in tags.split_inclusive(|tag| ends_clause(&tag.concept)) {
        let (amount, end) = match clause.split_last() {
            Some((last, before)) if ends_clause(&last.concept) => (before, Some(last)),
            _ => (clause, None),
        };
        // "And finally thirty".
        let (opening, amount) = match amount {
            [first, rest @ ..] if first.concept == Concept::Last => (Some(first), rest),
            _ => (None, amount),
        };
        match amount {
            [number] | [number, _]
                if has_returned
                    && matches!(number.concept, Concept::Number(_))
                    && amount.get(1).is_none_or(|tag| is_size(&tag.concept)) =>
            {
                read.extend(motion.iter().cloned());
                read.push(number.clone());
                unit = amount.get(1).cloned().or(unit);
                read.extend(unit.clone());
                has_returned = false;
            }
            _ => {
                if amount.iter().any(is_return) {
                    has_returned = !motion.is_empty();
                } else if amount.iter().any(|tag| is_size(&tag.concept)) {
                    unit = amount.iter().find(|tag| is_size(&tag.concept)).cloned();
                    motion = amount.iter().filter(is_motion).cloned().collect();
                } else if !amount.is_empty() {
                    motion.clear();
                    has_returned = false;
                }
                read.extend(opening.cloned());
                read.extend(amount.iter().cloned());
            }
        }
        read.extend(end.cloned());
    }
    read
}

/// "Nod once with your head left and once with it right": the gesture is said for the first time only.
pub(super) fn counts_with(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_count_with = |tags: &[Tag]| match tags {
        [mark, count, with, ..] if matches!(count.concept, Concept::Count(_)) => {
            ends_clause(&mark.concept) && with.concept == Concept::With
        }
        [mark, number, times, with, ..] if matches!(number.concept, Concept::Number(_)) => {
            ends_clause(&mark.concept) && times.concept == Concept::Times && with.concept == Concept::With
        }
        _ => false,
    };
    let is_gesture =
        |tag: &&Tag| matches!(tag.concept, Concept::Act(Act::Nod | Act::Shake | Act::Bow | Act::Wiggle));
    let mut at = 0;
    while at < tags.len() {
        let (before, rest) = tags.split_at(at);
        if is_count_with(rest)
            && before.iter().any(|tag| tag.concept == Concept::With)
            && let Some(gesture) = before.iter().rev().find(is_gesture).cloned()
        {
            let is_part_with = |pair: &&[Tag]| {
                matches!(pair, [with, part] if with.concept == Concept::With
                    && matches!(part.concept, Concept::Part(_)))
            };
            let part = before.windows(2).rev().find(is_part_with).and_then(|pair| pair.last()).cloned();
            let is_it = |tag: &Tag| tag.concept == Concept::It;
            let it = rest.iter().position(is_it).filter(|it| *it <= 4).map(|it| at + it);
            if let (Some(it), Some(part)) = (it.and_then(|it| tags.get_mut(it)), part) {
                *it = part;
            }
            tags.insert(at + 1, gesture);
        }
        at += 1;
    }
    tags
}

const fn is_size(concept: &Concept) -> bool {
    matches!(concept, Concept::Unit(Unit::Angle(_) | Unit::Length(_)))
}

/// "..., coming back to the centre each time": how many tags say so, and the one that returns.
fn return_each_time(rest: &[Tag]) -> Option<(usize, Tag)> {
    let is_mark =
        |tag: &&Tag| matches!(tag.concept, Concept::Comma | Concept::And | Concept::With | Concept::While);
    let start = rest.iter().take_while(is_mark).count();
    let (marks, clause) = rest.split_at(start);
    let home = clause.first().filter(|tag| matches!(tag.concept, Concept::Act(Act::Return | Act::Center)))?;
    let length = clause.iter().position(|tag| ends_clause(&tag.concept)).unwrap_or(clause.len());
    let is_each = |tag: &Tag| matches!(tag.concept, Concept::Every | Concept::EachTime | Concept::Between);
    let is_said =
        marks.iter().any(|tag| tag.concept == Concept::While) || clause.iter().take(length).any(is_each);
    is_said.then(|| (start + length, home.clone()))
}

/// Reads a list of amounts of one unit, of which one at least says the unit. Returns where it ends and each amount.
fn list_of_amounts(tags: &[Tag], start: usize) -> Option<(usize, Vec<Vec<Tag>>)> {
    let is_unit = |tag: &&Tag| matches!(tag.concept, Concept::Unit(Unit::Angle(_) | Unit::Length(_)));
    let is_mark = |tag: &&Tag| matches!(tag.concept, Concept::Comma | Concept::And | Concept::Then);
    let mut amounts: Vec<Vec<Tag>> = Vec::new();
    let mut in_turn = false;
    let mut at = start;
    loop {
        let number = tags.get(at).filter(|tag| matches!(tag.concept, Concept::Number(_)))?;
        let unit = tags.get(at + 1).filter(is_unit);
        amounts.push(std::iter::once(number).chain(unit).cloned().collect());
        at += 1 + usize::from(unit.is_some());
        let marks: Vec<&Tag> = tags.iter().skip(at).take_while(is_mark).collect();
        let next = tags.get(at + marks.len());
        if marks.is_empty() || !next.is_some_and(|tag| matches!(tag.concept, Concept::Number(_))) {
            break;
        }
        in_turn |= amounts.len() > 1 || marks.iter().any(|tag| tag.concept != Concept::Comma);
        at += marks.len();
    }
    let unit = amounts.iter().rev().find_map(|amount| amount.get(1))?.clone();
    for amount in &mut amounts {
        if amount.len() == 1 {
            amount.push(unit.clone());
        }
    }
    let is_end = tags.get(at).is_none_or(|tag| ends_clause(&tag.concept));
    (in_turn && amounts.len() > 1 && is_end).then_some((at, amounts))
}

//! Rewrites what is said in a roundabout way into the plain one, before it is split into clauses.

mod antennas;
mod conditions;
mod denied;
mod numbers;
mod returns;
mod second_thoughts;
mod turns;
mod waits;

use crate::concept::{Act, Compared, Concept, Part, Tag, Unit, Way};
use crate::order_words::{afterwards, and_afterwards, counted_off, negative_angles};
use antennas::{antennas_in_order, both_together, listed_turns, named_antenna, other_antenna};
use conditions::{asked, confirmed, implied_conditions, other_branch, otherwise};
pub(crate) use denied::takes_all_back;
use denied::{left_out, other_numbers, parts_that_stay, trailing_corrections, unknown_corrections};
use numbers::{
    additions, amounts_after_returns, amounts_in_turn, counts_with, factors, leading_times, said_more_exactly,
};
use returns::{both_undone, rises};
use second_thoughts::second_thoughts;
use turns::{backwards_once, before_all, one_then_other};
use waits::{
    awaited_signals, delays, each_takes, further_times, given_times, holds, kept_up, same_time, times_after,
    times_as_long, until_times, waits_each_time, waits_of,
};

/// Rewrites tags, those of no importance still among them.
pub(crate) fn rewrite_raw(tags: Vec<Tag>) -> Vec<Tag> {
    opening_word(tags)
}

/// Rewrites tags, those of no importance left out.
pub(crate) fn rewrite(mut tags: Vec<Tag>) -> Vec<Tag> {
    // "To finish with, nod".
    tags.dedup_by(|tag, before| {
        before.concept == Concept::Last && matches!(tag.concept, Concept::With | Concept::Comma)
    });
    let tags = other_antenna(named_antenna(antennas_in_order(both_together(listed_turns(times_after(
        said_more_exactly(left_out(second_thoughts(unknown_corrections(before_all(praise(tags)))))),
    ))))));
    let tags = parts_that_stay(other_numbers(implied_conditions(other_branch(confirmed(tags)))));
    let tags = trailing_corrections(leading_times(given_times(delays(waits_of(factors(amounts_in_turn(
        amounts_after_returns(counts_with(additions(tags))),
    )))))));
    let tags = backwards(around(rounds(times_as_long(kept_up(waits_each_time(further_times(same_time(
        until_times(holds(each_takes(tags))),
    ))))))));
    let tags = times(inwards(both_undone(rises(later(awaited_signals(tags))))));
    let tags = rates(about(tags));
    let tags = trends(tags);
    let tags = backwards_once(one_then_other(asides(tags)));
    let tags = all_together(tags);
    let tags = asked(tags);
    let tags = otherwise(tags);
    let tags = negative_angles(counted_off(afterwards(and_afterwards(tags))));
    let tags = opening_reason(tags);
    courtesies(tags)
}

const fn ends_sentence(concept: &Concept) -> bool {
    matches!(concept, Concept::Stop | Concept::Question)
}

pub(crate) const fn ends_clause(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::Stop | Concept::Question | Concept::Comma | Concept::And | Concept::Then | Concept::While
    )
}

/// Returns whether a concept says something of a motion.
pub(crate) const fn is_of_motion(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::Act(_)
            | Concept::Part(_)
            | Concept::Way(_)
            | Concept::Number(_)
            | Concept::Count(_)
            | Concept::Unit(_)
            | Concept::Size(_)
            | Concept::More(_)
            | Concept::Again
            | Concept::Same
            | Concept::Undo
    )
}

/// "Right, look up", "right then, could you nod": the first word only calls for attention.
fn opening_word(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_bare_right =
        |tag: &Tag| tag.concept == Concept::Way(Way::Right) && tag.span.len() == "right".len();
    let [first, second, rest @ ..] = tags.as_slice() else { return tags };
    let third = rest.first().map(|tag| &tag.concept);
    let is_call = |concept: Option<&Concept>| {
        matches!(
            concept,
            Some(
                Concept::Skip
                    | Concept::Call
                    | Concept::Request
                    | Concept::Restart
                    | Concept::Somebody
                    | Concept::Comma
            )
        )
    };
    let calls = match &second.concept {
        Concept::Comma => !matches!(third, Some(Concept::Then | Concept::And)),
        Concept::Then => is_call(third),
        other => is_call(Some(other)),
    };
    let said = rest.iter().chain([second]).map(|tag| &tag.concept).find(|one| is_of_motion(one));
    if !is_bare_right(first) || !calls || !matches!(said, Some(Concept::Act(_) | Concept::Undo)) {
        return tags;
    }
    let then = usize::from(second.concept == Concept::Then);
    for tag in tags.iter_mut().take(1 + then) {
        tag.concept = Concept::Skip;
    }
    tags
}

/// "Scoot your head back": backwards, while "turn back" returns.
fn backwards(tags: Vec<Tag>) -> Vec<Tag> {
    let mut out: Vec<Tag> = Vec::with_capacity(tags.len());
    for tag in tags {
        let clause = || out.iter().rev().take_while(|tag| !ends_clause(&tag.concept));
        let shifts = clause().any(|tag| matches!(tag.concept, Concept::Act(Act::Shift | Act::Lean)))
            || (tag.concept == Concept::BackABit
                && clause().any(|tag| matches!(tag.concept, Concept::Act(Act::Move)))
                && clause().any(|tag| matches!(tag.concept, Concept::Part(Part::Head))));
        let is_bare_back = tag.concept == Concept::Act(Act::Return) && tag.span.len() == "back".len();
        let concepts = match tag.concept {
            Concept::BackABit if shifts => vec![Concept::Way(Way::Back), Concept::Size(0.5)],
            Concept::BackABit => vec![Concept::More(Compared::Smaller)],
            _ if is_bare_back && shifts => vec![Concept::Way(Way::Back)],
            other => vec![other],
        };
        out.extend(concepts.into_iter().map(|concept| Tag { concept, span: tag.span.clone() }));
    }
    out
}

/// "Left and right, left and right": there and back, twice.
fn rounds(tags: Vec<Tag>) -> Vec<Tag> {
    let is_round = |tag: Option<&Tag>| tag.is_some_and(|tag| tag.concept == Concept::Way(Way::Sides));
    let mut out = Vec::with_capacity(tags.len());
    let mut count = 1;
    let mut rest = tags.iter().peekable();
    while let Some(tag) = rest.next() {
        let is_next = is_round(Some(tag)) && rest.peek().is_some_and(|tag| tag.concept == Concept::Comma);
        let mut ahead = rest.clone();
        ahead.next();
        if is_next && is_round(ahead.peek().copied()) {
            rest.next();
            count += 1;
            continue;
        }
        out.push(tag.clone());
        if is_round(Some(tag)) && count > 1 {
            out.push(Tag { concept: Concept::Count(count), span: tag.span.clone() });
            count = 1;
        }
    }
    out
}

/// "Until ten seconds are up", "over the course of five seconds".
fn times(tags: Vec<Tag>) -> Vec<Tag> {
    let is_time = |at: usize| match (tags.get(at), tags.get(at + 1)) {
        (Some(Tag { concept: Concept::Unit(Unit::Time(_)), .. }), _) => Some(1),
        (
            Some(Tag { concept: Concept::Number(_), .. }),
            Some(Tag { concept: Concept::Unit(Unit::Time(_)), .. }),
        ) => Some(2),
        _ => None,
    };
    let mut out = Vec::with_capacity(tags.len());
    // Where "are up" would stand.
    let mut passed: Option<usize> = None;
    for (at, tag) in tags.iter().enumerate() {
        let concept = match (&tag.concept, is_time(at + 1)) {
            (Concept::Until, Some(length)) => {
                passed = Some(at + 1 + length);
                Concept::For
            }
            (Concept::Over, Some(_)) => Concept::Taking,
            (Concept::Over, None) => continue,
            (Concept::Then, _) if passed == Some(at) => continue,
            // "After a further two seconds".
            (Concept::More(_), Some(_))
                if matches!(out.last(), Some(Tag { concept: Concept::After, .. })) =>
            {
                continue;
            }
            (other, _) => other.clone(),
        };
        out.push(Tag { concept, span: tag.span.clone() });
    }
    out
}

/// "Six or seven times", "once or twice": the first of two numbers that follow one another.
fn about(mut tags: Vec<Tag>) -> Vec<Tag> {
    let number = |tag: &Tag| match tag.concept {
        Concept::Number(number) => Some(number),
        Concept::Count(count) => Some(f64::from(count)),
        _ => None,
    };
    let is_choice = |three: &[Tag]| match three {
        [one, or, other] if or.concept == Concept::Or => {
            number(one).zip(number(other)).is_some_and(|(one, other)| other == one + 1.0)
        }
        _ => false,
    };
    while let Some(at) = tags.windows(3).position(is_choice) {
        tags.drain(at + 1..at + 3);
    }
    tags
}

/// "Nod before and after looking left": one clause that comes twice is not understood.
fn around(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_around = |three: &[Tag]| match three {
        [one, and, other] => {
            and.concept == Concept::And
                && matches!(
                    (&one.concept, &other.concept),
                    (Concept::Before, Concept::After) | (Concept::After, Concept::Before)
                )
        }
        _ => false,
    };
    while let Some(at) = tags.windows(3).position(is_around) {
        tags.remove(at + 1);
        if let Some(tag) = tags.get_mut(at + 1) {
            tag.concept = Concept::Unknown;
        }
    }
    tags
}

/// "Ears out, ears in": beside antennas, "in" with nothing after it is a way.
fn inwards(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_antenna = |concept: &Concept| matches!(concept, Concept::Part(part) if !matches!(part, Part::Head | Part::Chin | Part::Body));
    let goes_out = tags.iter().any(|tag| tag.concept == Concept::Way(Way::Out));
    // "Antennas out." "Now all the way in."
    let is_alone =
        !tags.iter().any(|tag| matches!(tag.concept, Concept::Act(_) | Concept::Part(_) | Concept::Way(_)));
    if !is_alone && !tags.iter().any(|tag| is_antenna(&tag.concept)) {
        return tags;
    }
    for at in 0..tags.len() {
        let is_last = tags.get(at + 1).is_none_or(|next| ends_clause(&next.concept));
        let after_part =
            at.checked_sub(1).and_then(|at| tags.get(at)).is_some_and(|tag| is_antenna(&tag.concept));
        if let Some(tag) = tags.get_mut(at).filter(|tag| tag.concept == Concept::In)
            && is_last
            && (after_part || goes_out || is_alone)
        {
            tag.concept = Concept::Way(Way::In);
        }
    }
    tags
}

/// "Two seconds later", "look up and later look down": then. "Nod later": at a time that nobody knows.
fn later(mut tags: Vec<Tag>) -> Vec<Tag> {
    for at in 0..tags.len() {
        if tags.get(at).is_none_or(|tag| tag.concept != Concept::Later) {
            continue;
        }
        let before = tags.get(..at).unwrap_or_default();
        let next = tags.get(at + 1).map(|tag| &tag.concept);
        let is_after_time = matches!(before.last(), Some(Tag { concept: Concept::Unit(Unit::Time(_)), .. }));
        let is_step = before.iter().any(|tag| matches!(tag.concept, Concept::Act(_) | Concept::Way(_)))
            && next.is_some_and(|next| !ends_clause(next));
        if let Some(tag) = tags.get_mut(at) {
            tag.concept = if is_after_time || is_step { Concept::Then } else { Concept::When };
        }
    }
    tags
}

/// "Twice per second", "three times a second": how often in a time is the time from one to the next, and no number of
/// repetitions. "Three times, every two seconds" and "three times every two seconds" tell both.
fn rates(tags: Vec<Tag>) -> Vec<Tag> {
    let mut out: Vec<Tag> = Vec::with_capacity(tags.len());
    let mut rest = tags.as_slice();
    while let [tag, after @ ..] = rest {
        let often = match (&tag.concept, after) {
            (Concept::Count(count), [every, ..]) if every.concept == Concept::Every => {
                Some((f64::from(*count), after))
            }
            (Concept::Number(number), [times, every, ..])
                if times.concept == Concept::Times && every.concept == Concept::Every =>
            {
                after.get(1..).map(|after| (*number, after))
            }
            _ => None,
        };
        let time = often.and_then(|(often, after)| match after {
            [_, Tag { concept: Concept::Unit(Unit::Time(seconds)), .. }, ..] => {
                Some((often, *seconds, 1.0, 2, after))
            }
            [
                _,
                Tag { concept: Concept::Number(number), .. },
                Tag { concept: Concept::Unit(Unit::Time(seconds)), .. },
                ..,
            ] => Some((often, *seconds, *number, 3, after)),
            _ => None,
        });
        match time {
            Some((often, seconds, number, length, after))
                if often >= 1.0 && (often < 2.0 || number == 1.0) =>
            {
                let span = tag.span.clone();
                let period = seconds * number / often;
                out.extend(
                    [Concept::Every, Concept::Number(period), Concept::Unit(Unit::Time(1.0))]
                        .map(|concept| Tag { concept, span: span.clone() }),
                );
                rest = after.get(length..).unwrap_or_default();
            }
            _ => {
                out.push(tag.clone());
                rest = after;
            }
        }
    }
    out
}

/// "Each bow deeper than the last".
fn trends(mut tags: Vec<Tag>) -> Vec<Tag> {
    while let Some(at) = tags.iter().position(|tag| tag.concept == Concept::ThanLast) {
        let before = tags.get(..at).unwrap_or_default();
        let from = before.iter().rposition(|tag| ends_clause(&tag.concept)).map_or(0, |end| end + 1);
        let clause = tags.get(from..at).unwrap_or_default();
        let compared = clause.iter().find_map(|tag| match tag.concept {
            Concept::More(compared) => Some(compared),
            _ => None,
        });
        let Some(compared) = compared else {
            if let Some(tag) = tags.get_mut(at) {
                tag.concept = Concept::Unknown;
            }
            continue;
        };
        // "Each bow" only names what changes.
        let is_each =
            |tag: &&Tag| matches!(tag.concept, Concept::Every | Concept::EachTime | Concept::Number(_));
        let kept = clause.iter().take_while(|tag| !is_each(tag));
        let kept = kept.filter(|tag| !matches!(tag.concept, Concept::More(_))).cloned();
        let span = tags.get(at).map(|tag| tag.span.clone()).unwrap_or_default();
        let trend = Tag { concept: Concept::Trend(compared), span };
        let new: Vec<Tag> = kept.chain([trend]).collect();
        tags.splice(from..=at, new);
    }
    tags
}

/// "Look up and, at the same time, nod": the commas only set off what stands between them.
fn asides(mut tags: Vec<Tag>) -> Vec<Tag> {
    let is_aside = |part: &[Tag]| {
        matches!(
            part,
            [
                Tag { concept: Concept::And | Concept::Then, .. },
                Tag { concept: Concept::Comma, .. },
                Tag { concept: Concept::Together, .. },
                Tag { concept: Concept::Comma, .. }
            ]
        )
    };
    while let Some(at) = tags.windows(4).position(is_aside) {
        tags.remove(at + 3);
        tags.remove(at + 1);
    }
    tags
}

/// "All at once: look up, head forward, ears apart": each happens together with the one before.
fn all_together(tags: Vec<Tag>) -> Vec<Tag> {
    let begins = |at: usize| {
        at == 0
            || tags.get(at - 1).is_some_and(|tag| ends_sentence(&tag.concept) || tag.concept == Concept::Then)
    };
    let mut out: Vec<Tag> = Vec::with_capacity(tags.len());
    let mut open: Option<Tag> = None;
    for (at, tag) in tags.iter().enumerate() {
        let is_followed = || tags.iter().skip(at + 1).any(|tag| is_of_motion(&tag.concept));
        if tag.concept == Concept::Together && begins(at) && is_followed() {
            open = Some(tag.clone());
            continue;
        }
        let has_act = out.iter().any(|tag| is_of_motion(&tag.concept));
        if let Some(together) = &open {
            if matches!(tag.concept, Concept::Stop | Concept::Comma | Concept::Request) && !has_act {
                continue;
            }
            if ends_sentence(&tag.concept) {
                open = None;
            } else if matches!(tag.concept, Concept::Comma | Concept::And) {
                let is_double = out.last().is_some_and(|tag| tag.concept == Concept::Together);
                out.push(tag.clone());
                if !is_double {
                    out.push(together.clone());
                }
                continue;
            }
        }
        out.push(tag.clone());
    }
    out
}

/// "As if you were thinking, head to the left": the reason ends with the comma.
fn opening_reason(tags: Vec<Tag>) -> Vec<Tag> {
    let mut out: Vec<Tag> = Vec::with_capacity(tags.len());
    let mut rest = tags.as_slice();
    while !rest.is_empty() {
        let end = rest.iter().position(|tag| ends_sentence(&tag.concept)).map_or(rest.len(), |end| end + 1);
        let (sentence, after) = rest.split_at(end);
        let comma = sentence.iter().position(|tag| tag.concept == Concept::Comma);
        let starts = sentence.first().is_some_and(|tag| tag.concept == Concept::Because);
        let ends = |part: &[Tag]| {
            matches!(
                part.iter().map(|tag| &tag.concept).collect::<Vec<_>>().as_slice(),
                [Concept::Comma, Concept::And | Concept::Then, Concept::Act(_)]
                    | [Concept::And, Concept::Together, Concept::Act(_)]
            )
        };
        let because = sentence.iter().position(|tag| tag.concept == Concept::Because);
        let end = because.and_then(|from| Some(from + sentence.get(from..)?.windows(3).position(ends)?));
        match comma {
            _ if !starts && end.is_some() => {
                // "Lean forward as if you were listening, and nod".
                let (from, end) = (because.unwrap_or(0), end.unwrap_or(0));
                out.extend_from_slice(sentence.get(..from).unwrap_or_default());
                out.extend_from_slice(sentence.get(end..).unwrap_or_default());
            }
            Some(comma) if starts => out.extend_from_slice(sentence.get(comma + 1..).unwrap_or_default()),
            _ => out.extend_from_slice(sentence),
        }
        rest = after;
    }
    out
}

/// "Great, two more": praise, and no size.
fn praise(mut tags: Vec<Tag>) -> Vec<Tag> {
    if let [size, mark, _, ..] = tags.as_slice()
        && matches!(size.concept, Concept::Size(_))
        && matches!(mark.concept, Concept::Comma | Concept::Stop)
    {
        tags.drain(..2);
    }
    tags
}

/// "I'd be ever so thankful for three nods": a word of a request, said in the speaker's own way, asks for what follows.
fn courtesies(mut tags: Vec<Tag>) -> Vec<Tag> {
    while let Some(at) = tags.iter().position(|tag| tag.concept == Concept::Courtesy) {
        let before = tags.get(..at).unwrap_or_default();
        let from = before
            .iter()
            .rposition(|tag| {
                let is_size = matches!(tag.concept, Concept::More(_) | Concept::Size(_));
                ends_clause(&tag.concept) || (is_of_motion(&tag.concept) && !is_size)
            })
            .map_or(0, |end| end + 1);
        let after = tags.get(at + 1..).unwrap_or_default();
        let verb = after
            .iter()
            .take_while(|tag| !ends_clause(&tag.concept))
            .position(|tag| matches!(tag.concept, Concept::Act(_) | Concept::Number(_)));
        let is_open = |tag: &Tag| {
            matches!(
                tag.concept,
                Concept::Unknown
                    | Concept::Somebody
                    | Concept::Courtesy
                    | Concept::Asks
                    | Concept::Request
                    | Concept::For
                    | Concept::It
                    | Concept::When
                    | Concept::Over
                    | Concept::More(_)
                    | Concept::Size(_)
                    | Concept::Pace(_)
            )
        };
        let end = at + 1 + verb.unwrap_or(0);
        let is_request = verb.is_some_and(|_| tags.get(from..end).unwrap_or_default().iter().all(is_open));
        if is_request {
            let span = tags.get(at).map(|tag| tag.span.clone()).unwrap_or_default();
            tags.splice(from..end, [Tag { concept: Concept::Request, span }]);
        } else if let Some(tag) = tags.get_mut(at) {
            tag.concept = Concept::Unknown;
        }
    }
    tags
}

/// Leaves out the sentences that only chat, if another one orders a motion.
pub(crate) fn orders(tags: &[Tag]) -> Vec<Tag> {
    let sentences: Vec<&[Tag]> =
        tags.split_inclusive(|tag| ends_sentence(&tag.concept)).filter(|one| says_something(one)).collect();
    if sentences.len() < 2 || !sentences.iter().any(|one| is_order(one)) {
        return tags.to_vec();
    }
    sentences.into_iter().filter(|one| !is_chat(one)).flatten().cloned().collect()
}

/// Returns whether a sentence is more than its end.
fn says_something(sentence: &[Tag]) -> bool {
    sentence.iter().any(|tag| !ends_sentence(&tag.concept))
}

/// Returns how a sentence begins, what joins it to the one before left out.
fn beginning(sentence: &[Tag]) -> Option<&Concept> {
    sentence.iter().map(|tag| &tag.concept).find(|concept| {
        !matches!(
            concept,
            Concept::Comma
                | Concept::And
                | Concept::Then
                | Concept::First
                | Concept::Last
                | Concept::Restart
                | Concept::Correction
                | Concept::TakenBack
                | Concept::MoreOrThen
        )
    })
}

fn has_request(sentence: &[Tag]) -> bool {
    sentence.iter().any(|tag| tag.concept == Concept::Request)
}

/// Returns whether a sentence orders a motion without a doubt.
fn is_order(sentence: &[Tag]) -> bool {
    let acts = sentence.iter().any(|tag| matches!(tag.concept, Concept::Act(_)));
    acts && (matches!(beginning(sentence), Some(Concept::Act(_))) || has_request(sentence))
}

/// Returns whether a sentence tells something, or says nothing of a motion.
fn is_chat(sentence: &[Tag]) -> bool {
    let matters = |concept: &Concept| {
        matches!(
            concept,
            Concept::StopOrder
                | Concept::StopOrderAlone
                | Concept::If(_)
                | Concept::When
                | Concept::Unless
                | Concept::Signal(_)
                | Concept::Otherwise
                | Concept::Not
                | Concept::Cancel
                | Concept::Still
                | Concept::Only
                | Concept::Correction
                | Concept::TakenBack
        )
    };
    if has_request(sentence) || sentence.iter().any(|tag| matches!(tag.concept, Concept::StopOrder)) {
        return false;
    }
    let starts_as_told = match beginning(sentence) {
        Some(Concept::Somebody | Concept::Asks | Concept::Because) => true,
        Some(Concept::Unknown | Concept::It) => {
            !sentence.iter().any(|tag| is_of_motion(&tag.concept) || matters(&tag.concept))
        }
        _ => false,
    };
    let is_empty = sentence.iter().all(|tag| {
        matches!(
            tag.concept,
            Concept::Unknown | Concept::Comma | Concept::Stop | Concept::Question | Concept::Somebody
        )
    });
    starts_as_told || is_empty
}

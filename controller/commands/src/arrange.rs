//! What follows what, and what happens at once.

use crate::clause::{Clause, Link};
use crate::meaning::{Aim, Meaning};

/// A part of a sentence with its meaning.
pub(crate) struct Said {
    pub clause: Clause,
    pub meaning: Meaning,
}

/// Arranges what was said in time.
pub(crate) fn arrange(said: &[Said]) -> Meaning {
    let mut order: Vec<&Said> = Vec::new();
    let mut out: Vec<Meaning> = Vec::new();
    // "Finally" and "first" override the order of words.
    let starts = said.first().is_some_and(|one| one.clause.is_first);
    order.extend(said.iter().filter(|one| one.clause.is_first && !starts));
    // "Finally look up and then nod".
    let goes_on = matches!(said, [first, next, ..] if first.clause.is_last && next.clause.link == Link::Then);
    let comes_last = |one: &&Said| one.clause.is_last && !goes_on;
    order.extend(said.iter().filter(|one| !comes_last(one) && (starts || !one.clause.is_first)));
    order.extend(said.iter().filter(|one| comes_last(one) && (starts || !one.clause.is_first)));
    let mut starts_together: Option<Meaning> = None;
    let mut held: Option<Meaning> = None;
    let mut after: Option<Meaning> = None;
    for (at, one) in order.iter().enumerate() {
        let meaning = one.meaning.clone();
        let link = if at == 0 && matches!(one.clause.link, Link::And | Link::Comma | Link::Stop | Link::Then)
        {
            Link::Start
        } else {
            one.clause.link
        };
        let kept = at
            .checked_sub(1)
            .and_then(|at| order.get(at))
            .is_some_and(|one| one.clause.is_kept || one.clause.is_stay);
        match link {
            // "With your body turning right, your head tilts left".
            Link::With if out.is_empty() && starts_pair(&order, at) => starts_together = Some(meaning),
            // "With your head tilted, nod": first the one, then the other.
            Link::With if out.is_empty() && meaning.is_posture() => out.push(meaning),
            Link::With if meaning.is_posture() && !out.last().is_some_and(Meaning::is_posture) => {
                let before = out.pop();
                out.push(meaning);
                out.extend(before);
            }
            Link::While if kept && out.last().is_some_and(Meaning::is_posture) => out.push(meaning),
            // "Mit den Ohren wackeln und dann nicken".
            Link::With
                if out.is_empty()
                    && one.clause.is_verb_last
                    && order.get(at + 1).is_some_and(|next| next.clause.link == Link::Then) =>
            {
                out.push(meaning);
            }
            Link::While | Link::With if out.is_empty() => {
                starts_together = Some(match starts_together.take() {
                    Some(other) => merged(vec![other, meaning]),
                    None => meaning,
                });
            }
            Link::While | Link::With => {
                let before = out.pop();
                out.extend(before.map(|before| merged(vec![before, meaning])));
            }
            Link::Before if out.is_empty() => held = Some(meaning),
            Link::After if !out.is_empty() => {
                let before = out.pop();
                out.push(meaning);
                out.extend(before);
            }
            // "Nod, but only after you have looked up and then down".
            Link::Then
                if at
                    .checked_sub(1)
                    .and_then(|at| order.get(at))
                    .is_some_and(|one| one.clause.link == Link::After)
                    && out.len() > 1 =>
            {
                let last = out.len() - 1;
                out.insert(last, meaning);
            }
            Link::After => after = Some(meaning),
            _ if one.clause.is_together && !out.is_empty() => {
                let before = out.pop();
                out.extend(before.map(|before| merged(vec![before, meaning])));
            }
            // "Left, up, right and down".
            Link::And if at >= 2 && is_list_end(order.get(at - 1), one) => out.push(meaning),
            Link::And | Link::Comma | Link::Start if joins(out.last(), &meaning, one) => {
                let before = out.pop();
                out.extend(before.map(|before| merged(vec![before, meaning])));
            }
            _ => {
                if one.clause.begins_sentence {
                    out.extend(held.take());
                }
                out.extend(after.take());
                out.push(meaning);
                if let Some(other) = starts_together.take() {
                    let main = out.pop();
                    out.extend(main.map(|main| merged(vec![other, main])));
                }
            }
        }
    }
    out.extend(starts_together);
    out.extend(after);
    out.extend(held);
    match <[Meaning; 1]>::try_from(out) {
        Ok([meaning]) => meaning,
        Err(out) => Meaning::Sequence(out),
    }
}

/// Returns whether a posture and the one after it, the last one, move different axes.
fn starts_pair(order: &[&Said], at: usize) -> bool {
    let [one, next] = order.get(at..).unwrap_or_default() else { return false };
    let axes = one.meaning.axes();
    matches!((&one.meaning, &next.meaning), (Meaning::Go { .. }, Meaning::Go { .. }))
        && next.clause.link < Link::With
        && next.clause.link != Link::Then
        && next.meaning.axes().iter().all(|axis| !axes.contains(axis))
}

/// Returns whether a fragment is the last one of a list of fragments.
fn is_list_end(before: Option<&&Said>, one: &Said) -> bool {
    before.is_some_and(|before| before.clause.is_fragment && before.clause.link == Link::Comma)
        && one.clause.is_fragment
}

/// Returns whether a posture is set together with the one before it: "look up and left".
fn joins(before: Option<&Meaning>, meaning: &Meaning, said: &Said) -> bool {
    let Some(before @ Meaning::Go { .. }) = before else { return false };
    let is_fragment =
        said.clause.link == Link::And || (said.clause.is_as_well && said.clause.link == Link::Comma);
    let Meaning::Go { .. } = meaning else { return false };
    let axes = before.axes();
    // "Start by looking up and finish by looking left".
    !said.clause.is_last && is_fragment && meaning.axes().iter().all(|axis| !axes.contains(axis))
}

/// Joins what happens at the same time: postures into one, the rest as tracks.
pub(crate) fn merged(all: Vec<Meaning>) -> Meaning {
    let mut flat: Vec<Meaning> = Vec::new();
    for one in all {
        match one {
            Meaning::Together(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    let mut joined: Vec<Meaning> = Vec::new();
    for one in flat {
        let Meaning::Go { aims: more, seconds: time, pace: factor } = &one else {
            joined.push(one);
            continue;
        };
        let known = joined.iter_mut().find_map(|known| match known {
            Meaning::Go { aims, seconds, pace } => Some((aims, seconds, pace)),
            _ => None,
        });
        // One axis that is to go both ways stays as it was said, and is refused.
        let is_opposite = |aim: &Aim, known: &Aim| aim.axis == known.axis && aim.sign * known.sign < 0.0;
        let goes_both_ways =
            |aims: &[Aim]| more.iter().any(|aim| aims.iter().any(|known| is_opposite(aim, known)));
        match known {
            Some((aims, ..)) if goes_both_ways(aims) => joined.push(one),
            Some((aims, seconds, pace)) => {
                for aim in more {
                    aims.retain(|known| known.axis != aim.axis);
                    aims.push(*aim);
                }
                *seconds = seconds.or(*time);
                *pace = pace.max(*factor);
            }
            None => joined.push(one),
        }
    }
    match <[Meaning; 1]>::try_from(joined) {
        Ok([meaning]) => meaning,
        Err(joined) => Meaning::Together(joined),
    }
}

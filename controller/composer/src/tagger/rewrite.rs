//! Rewrites tags whose order or repetition says something.

use crate::tag::{Dir, Mode, Tag, Tagged};

/// Rewrites tags whose order says something: "left before right" is the order in which antennas take turns.
pub(super) fn rewrite(tags: Vec<Tagged>) -> Vec<Tagged> {
    let tags = counted_words(tags);
    let mut out: Vec<Tagged> = Vec::new();
    let meant: Vec<usize> = tags
        .iter()
        .enumerate()
        .filter(|(_, tagged)| !matches!(tagged.tag, Tag::Filler))
        .map(|(at, _)| at)
        .collect();
    let mut dropped: Vec<usize> = Vec::new();
    let mut thens: Vec<usize> = Vec::new();
    let mut rests: Vec<usize> = Vec::new();
    let get = |place: usize| meant.get(place).and_then(|at| tags.get(*at)).map(|tagged| &tagged.tag);
    for place in 0..meant.len() {
        let is_side = |tag: Option<&Tag>| matches!(tag, Some(Tag::Dir(Dir::Left | Dir::Right)));
        if is_side(get(place))
            && matches!(get(place + 1), Some(Tag::Before))
            && is_side(get(place + 2))
            && (0..place).any(|before| matches!(get(before), Some(Tag::Alternate)))
        {
            dropped.extend(meant.get(place + 1..place + 3).unwrap_or(&[]));
        }
        // "After a breather of two seconds": a pause, and then.
        if matches!(get(place), Some(Tag::After))
            && (matches!(get(place + 1), Some(Tag::Pause | Tag::Amount(_, crate::tag::Unit::Seconds)))
                || (matches!(get(place + 1), Some(Tag::Manner(_)))
                    && matches!(get(place + 2), Some(Tag::Pause))))
            && place > 0
            && (place + 2..meant.len())
                .map_while(|next| get(next).filter(|tag| !matches!(tag, Tag::Stop)))
                .any(|tag| {
                    matches!(
                        tag,
                        Tag::Verb(_)
                            | Tag::Count(_)
                            | Tag::Again
                            | Tag::OnceMore
                            | Tag::Feeling(_)
                            | Tag::Return
                            | Tag::Number(_)
                    )
                })
        {
            thens.extend(meant.get(place));
            // "After two seconds nod again": the time is that of a rest.
            if matches!(get(place + 1), Some(Tag::Amount(..))) && matches!(get(place + 2), Some(Tag::Verb(_)))
            {
                rests.extend(meant.get(place + 1));
            }
        }
        // "Nod twice with a break, then ...": a pause, and then.
        let is_rest = (place + 1..place + 4)
            .take_while(|next| matches!(get(*next), Some(Tag::Pause | Tag::Manner(_) | Tag::Amount(..))))
            .any(|next| matches!(get(next), Some(Tag::Pause)));
        let is_between = (place + 1..place + 8)
            .map_while(|next| get(next).filter(|tag| !matches!(tag, Tag::Stop | Tag::Then)))
            .any(|tag| matches!(tag, Tag::Between | Tag::Each));
        if matches!(get(place), Some(Tag::With)) && is_rest && !is_between {
            thens.extend(meant.get(place));
        }
        // "How quickly it goes": the verb belongs to the parameter.
        if let (Some(Tag::Param(_)), Some(Tag::Verb(verb))) = (
            get(place),
            if matches!(get(place + 1), Some(Tag::Pronoun)) { get(place + 2) } else { get(place + 1) },
        ) && (matches!(verb.mode, Mode::Move)
            || (0..place).any(|before| matches!(get(before), Some(Tag::Verb(_)))))
            && !(0..4).any(|next| matches!(get(place + 2 + next), Some(Tag::Part(_) | Tag::Dir(_))))
        {
            dropped.extend(meant.get(place + 1));
            dropped.extend(meant.get(place + 2).filter(|_| matches!(get(place + 1), Some(Tag::Pronoun))));
        }
        // "An amplitude of 20 degrees" is no parameter.
        if matches!(get(place), Some(Tag::Param(role)) if *role != crate::tag::Role::Times)
            && matches!(get(place + 1), Some(Tag::Amount(..) | Tag::Number(_)))
        {
            dropped.extend(meant.get(place));
        }
        // "Between the nods", "each nod": the motion is only mentioned.
        if matches!(get(place), Some(Tag::Between | Tag::Each))
            && matches!(get(place + 1), Some(Tag::Verb(_)))
            && (0..place).any(|before| matches!(get(before), Some(Tag::Verb(_))))
            && !matches!(get(place + 2), Some(Tag::Part(_)))
        {
            dropped.extend(meant.get(place + 1));
        }
    }
    for (at, tagged) in tags.into_iter().enumerate() {
        let tag = match tagged.tag {
            _ if dropped.contains(&at) => Tag::Filler,
            _ if thens.contains(&at) => Tag::Then,
            tag => tag,
        };
        let is_rest = rests.contains(&at);
        if is_rest {
            out.push(Tagged { tag: Tag::Pause, span: tagged.span.clone() });
        }
        out.push(Tagged { tag, span: tagged.span.clone() });
        if is_rest {
            out.push(Tagged { tag: Tag::Then, span: tagged.span });
        }
    }
    out
}

/// "Flap flap flap": so many times.
fn counted_words(tags: Vec<Tagged>) -> Vec<Tagged> {
    let mut out: Vec<Tagged> = Vec::new();
    let mut run = 1;
    for tagged in tags {
        let is_same = match (out.last().map(|last| &last.tag), &tagged.tag) {
            (Some(Tag::Verb(one)), Tag::Verb(other)) => one.name() == other.name() && one.is_gesture_noun,
            (Some(Tag::Count(count)), Tag::Verb(other)) if *count == run && run > 1 => {
                let named = out.get(out.len().wrapping_sub(2)).map(|before| &before.tag);
                matches!(named, Some(Tag::Verb(one)) if one.name() == other.name())
            }
            _ => false,
        };
        if !is_same {
            run = 1;
            out.push(tagged);
            continue;
        }
        run += 1;
        match out.last_mut() {
            Some(last) if matches!(last.tag, Tag::Count(_)) => {
                last.tag = Tag::Count(run);
                last.span.end = tagged.span.end;
            }
            _ => out.push(Tagged { tag: Tag::Count(run), span: tagged.span }),
        }
    }
    out
}

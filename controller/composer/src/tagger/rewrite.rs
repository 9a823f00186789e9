//! Rewrites tags whose order or repetition says something.

use crate::tag::{Dir, Mode, PartRef, Tag, Tagged, Unit};

/// Rewrites tags whose order says something: "left before right" is the order in which antennas take turns.
pub(super) fn rewrite(tags: Vec<Tagged>) -> Vec<Tagged> {
    let tags = sizes_in_a_list(counted_words(tags.into_iter().flat_map(once_back).collect()));
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
    let mut held: Vec<(usize, usize)> = Vec::new();
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
        // "And after two seconds it all comes back", "and back down after two seconds": held so long.
        let is_time = |place: usize| matches!(get(place), Some(Tag::Amount(_, crate::tag::Unit::Seconds)));
        if matches!(get(place), Some(Tag::After)) && is_time(place + 1) && place > 0 {
            let mut next = (place + 2..place + 6).map_while(get).skip_while(|tag| {
                matches!(tag, Tag::Comma | Tag::RepeatAll | Tag::Pronoun | Tag::Part(_) | Tag::Manner(_))
            });
            if matches!(next.next(), Some(Tag::Return | Tag::Home)) {
                thens.extend(meant.get(place));
                rests.extend(meant.get(place + 1));
            }
        }
        let ends = |place: usize| matches!(get(place), None | Some(Tag::Stop));
        if matches!(get(place), Some(Tag::Return))
            && matches!(get(place + 1), Some(Tag::After))
            && is_time(place + 2)
            && ends(place + 3)
            && place > 0
        {
            held.extend(meant.get(place).zip(meant.get(place + 2)).map(|(back, time)| (*back, *time)));
            dropped.extend(meant.get(place + 1..place + 3).unwrap_or(&[]));
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
        // "And, simultaneously, the head": a word between two commas.
        let is_adverb =
            |tag: Option<&Tag>| matches!(tag, Some(Tag::Same | Tag::Throughout | Tag::Manner(_) | Tag::Then));
        if matches!(get(place), Some(Tag::And | Tag::Then | Tag::While | Tag::With))
            && matches!(get(place + 1), Some(Tag::Comma))
            && is_adverb(get(place + 2))
            && matches!(get(place + 3), Some(Tag::Comma))
        {
            dropped.extend(meant.get(place + 1).into_iter().chain(meant.get(place + 3)));
        }
        // "One antenna, the left one, bends": a part, and then which.
        if matches!(
            get(place),
            Some(Tag::Part(PartRef::RightAntenna | PartRef::LeftAntenna | PartRef::BothAntennas))
        ) && matches!(get(place + 1), Some(Tag::Comma))
            && matches!(get(place + 2), Some(Tag::Part(PartRef::LeftOne | PartRef::RightOne)))
            && matches!(get(place + 3), Some(Tag::Comma))
            && !matches!(get(place + 4), Some(Tag::Part(_) | Tag::And | Tag::Then))
        {
            dropped.extend(meant.get(place..place + 2).unwrap_or(&[]));
            dropped.extend(meant.get(place + 3));
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
    let times: std::collections::BTreeMap<usize, Tag> = held
        .iter()
        .filter_map(|(_, time)| tags.get(*time).map(|tagged| (*time, tagged.tag.clone())))
        .collect();
    for (at, tagged) in tags.into_iter().enumerate() {
        let tag = match tagged.tag {
            _ if dropped.contains(&at) => Tag::Filler,
            _ if thens.contains(&at) => Tag::Then,
            tag => tag,
        };
        let time = held.iter().find(|(back, _)| *back == at).and_then(|(_, time)| times.get(time));
        if let Some(time) = time {
            for tag in [Tag::Then, Tag::Pause, time.clone(), Tag::Then] {
                out.push(Tagged { tag, span: tagged.span.clone() });
            }
        }
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

/// "When it is back up": what moved returns, and then something else follows.
fn once_back(tagged: Tagged) -> Vec<Tagged> {
    match tagged.tag {
        Tag::OnceBack => {
            let tagged = |tag| Tagged { tag, span: tagged.span.clone() };
            [Tag::Then, Tag::Return, Tag::Then].map(tagged).to_vec()
        }
        _ => vec![tagged],
    }
}

/// "By 5, 10 and 20 degrees": the unit of the last number is that of all.
fn sizes_in_a_list(mut tags: Vec<Tagged>) -> Vec<Tagged> {
    let is_gap = |tag: &Tag| matches!(tag, Tag::Comma | Tag::And | Tag::Filler);
    for at in (0..tags.len()).rev() {
        let Some(Tag::Amount(_, unit @ (Unit::Degrees | Unit::Millimetres))) =
            tags.get(at).map(|tagged| &tagged.tag)
        else {
            continue;
        };
        let unit = *unit;
        let before = tags.get(..at).unwrap_or(&[]);
        let gap = before.iter().rev().take_while(|tagged| is_gap(&tagged.tag)).count();
        let is_joined = before.iter().rev().take(gap).any(|tagged| !matches!(tagged.tag, Tag::Filler));
        let Some(number) = at.checked_sub(gap + 1) else { continue };
        if let Some(Tag::Number(value)) = tags.get(number).map(|tagged| tagged.tag.clone())
            && is_joined
            && let Some(between) = tags.get_mut(number..at)
        {
            between.iter_mut().for_each(|tagged| tagged.tag = Tag::Filler);
            if let Some(first) = between.first_mut() {
                first.tag = Tag::Amount(value, unit);
            }
        }
    }
    tags
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

/// "the left and the right antenna" means both.
pub(super) fn join_sides(tags: Vec<Tagged>) -> Vec<Tagged> {
    let mut joined: Vec<Tagged> = Vec::new();
    for tagged in tags {
        let Tag::Part(part) = tagged.tag else {
            joined.push(tagged);
            continue;
        };
        if let Some(side) = other_side(&joined, part) {
            joined.push(Tagged { tag: Tag::Dir(side), span: tagged.span });
            continue;
        }
        let mut rest =
            joined.iter().enumerate().rev().filter(|(_, before)| !matches!(before.tag, Tag::Filler));
        let and = rest.next().is_some_and(|(_, before)| matches!(before.tag, Tag::And));
        let dir = rest.next().and_then(|(at, before)| match before.tag {
            Tag::Dir(dir) => Some((at, dir)),
            _ => None,
        });
        match (part, and, dir) {
            (PartRef::RightAntenna | PartRef::RightOne, true, Some((at, Dir::Left)))
            | (PartRef::LeftAntenna | PartRef::LeftOne, true, Some((at, Dir::Right))) => {
                let start = joined.get(at).map_or(tagged.span.start, |before| before.span.start);
                joined.truncate(at);
                joined.push(Tagged { tag: Tag::Part(PartRef::BothAntennas), span: start..tagged.span.end });
            }
            _ => joined.push(tagged),
        }
    }
    joined
}

/// "Towards the left shoulder and then towards the right one": the other side, where no antenna was named.
fn other_side(before: &[Tagged], part: PartRef) -> Option<Dir> {
    let side = match part {
        PartRef::LeftOne => Dir::Left,
        PartRef::RightOne => Dir::Right,
        _ => return None,
    };
    let is_antenna = |tag: &Tag| matches!(tag, Tag::Part(part) if !matches!(part, PartRef::Head | PartRef::Chin | PartRef::Body | PartRef::OtherSide));
    let names_other = |tag: &Tag| matches!(tag, Tag::Dir(dir) if *dir == side.opposite());
    let is_side = before.iter().any(|tagged| names_other(&tagged.tag))
        && !before.iter().any(|tagged| is_antenna(&tagged.tag));
    is_side.then_some(side)
}

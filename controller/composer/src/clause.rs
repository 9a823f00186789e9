//! Splits tags into clauses, each with its link to the one before.

use crate::tag::{Shape, Tag, Tagged, Trigger};

/// How a clause follows the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Link {
    Comma,
    And,
    Stop,
    Colon,
    Then,
    With,
    While,
    Before,
    After,
    Otherwise,
}

/// A clause: tags without connectives.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub link: Link,
    /// Whether it begins a sentence.
    pub is_first: bool,
    pub tags: Vec<Tagged>,
}

impl Clause {
    pub(crate) fn has(&self, wanted: impl Fn(&Tag) -> bool) -> bool {
        self.tags.iter().any(|tagged| wanted(&tagged.tag))
    }
}

fn link(tag: &Tag) -> Option<Link> {
    Some(match tag {
        Tag::Comma => Link::Comma,
        Tag::And => Link::And,
        Tag::Stop => Link::Stop,
        Tag::Colon | Tag::Means | Tag::Retold => Link::Colon,
        Tag::Then => Link::Then,
        Tag::While => Link::While,
        Tag::With => Link::With,
        Tag::Before => Link::Before,
        Tag::After => Link::After,
        Tag::Otherwise => Link::Otherwise,
        _ => return None,
    })
}

/// Returns whether a tag can be the heart of a clause.
fn is_head(tag: &Tag) -> bool {
    matches!(
        tag,
        Tag::Verb(_)
            | Tag::Feeling(_)
            | Tag::Known(_)
            | Tag::Hold
            | Tag::StayThere
            | Tag::Pause
            | Tag::Return
            | Tag::Home
            | Tag::Still
            | Tag::NothingElse
            | Tag::Without
            | Tag::Sound
            | Tag::Photo
            | Tag::Play(_)
            | Tag::Cannot(_)
            | Tag::Impossible(_)
            | Tag::Condition(..)
            | Tag::Circle
            | Tag::Dance
            | Tag::RepeatAll
            | Tag::Alternate
    )
}

/// Splits tags into clauses.
pub(crate) fn split(tags: Vec<Tagged>) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut current = Clause { link: Link::Stop, is_first: true, tags: Vec::new() };
    let mut pending: Option<Link> = None;
    for (at, tagged) in tags.iter().enumerate() {
        if matches!(tagged.tag, Tag::Filler) {
            continue;
        }
        let following = tags.get(at + 1..).unwrap_or(&[]);
        // Of what stands between the comma and "by", nothing is known that the rest could describe.
        if matches!(tagged.tag, Tag::Means) && pending.is_some() {
            continue;
        }
        if let Some(link) = link(&tagged.tag) {
            if splits(link, &current, following) {
                pending = pending.max(Some(link));
                // "first nod. Then": a full stop begins a sentence even before another connective.
                if link == Link::Stop || link == Link::Colon {
                    finish(&mut clauses, &mut current, &mut pending);
                    current.is_first = true;
                    current.link = link;
                    // The builder has to tell it from a colon.
                    if matches!(tagged.tag, Tag::Means | Tag::Retold) {
                        current.tags.push(tagged.clone());
                    }
                }
            }
            continue;
        }
        if pending.is_some() {
            finish(&mut clauses, &mut current, &mut pending);
        }
        // "After the head has gone down the body turns": another part begins the main clause.
        let is_subject = matches!(tagged.tag, Tag::Part(_))
            && matches!(current.link, Link::After | Link::Before | Link::While)
            && current.is_first
            && current.has(|tag| matches!(tag, Tag::Verb(_)))
            && current.has(|tag| matches!(tag, Tag::Part(_)))
            && !matches!(current.tags.last(), Some(Tagged { tag: Tag::Verb(_) | Tag::Part(_), .. }))
            && following
                .iter()
                .map(|tagged| &tagged.tag)
                .find(|tag| !matches!(tag, Tag::Filler | Tag::Manner(_)))
                .is_some_and(|tag| matches!(tag, Tag::Verb(_)));
        if is_subject {
            pending = Some(Link::Comma);
            finish(&mut clauses, &mut current, &mut pending);
        }
        let is_new_verb = matches!(tagged.tag, Tag::Verb(_))
            && !current.has(|tag| matches!(tag, Tag::Without | Tag::Condition(Trigger::Listen, _)))
            && (current.has(|tag| matches!(tag, Tag::Verb(_)))
                || is_gesture_after_posture(&current, &tagged.tag));
        let is_same_verb =
            match (&tagged.tag, current.tags.iter().find(|tagged| matches!(tagged.tag, Tag::Verb(_)))) {
                (Tag::Verb(one), Some(Tagged { tag: Tag::Verb(other), .. })) => one.name() == other.name(),
                _ => false,
            };
        let is_counted =
            matches!(current.tags.last(), Some(Tagged { tag: Tag::Number(_) | Tag::Count(_), .. }));
        if is_same_verb && (is_counted || current.has(|tag| matches!(tag, Tag::Rate(_) | Tag::Each))) {
            continue;
        }
        // "After a breather of three seconds one more".
        let is_more = matches!(tagged.tag, Tag::Count(_) | Tag::Again | Tag::OnceMore)
            && current.has(|tag| matches!(tag, Tag::Pause))
            && current.has(|tag| matches!(tag, Tag::Amount(..)))
            && !current.has(|tag| matches!(tag, Tag::Between));
        if is_more {
            pending = Some(Link::Then);
            finish(&mut clauses, &mut current, &mut pending);
        }
        if is_new_verb {
            // "Rotate the head to face right": the second verb tells where to.
            let is_aimed = matches!(&tagged.tag, Tag::Verb(verb) if verb.mode == crate::tag::Mode::Look);
            let only_light = current.tags.iter().all(|tagged| match &tagged.tag {
                Tag::Part(_) | Tag::Only => is_aimed,
                Tag::Verb(verb) => verb.shape == Shape::Go && verb.part.is_none() && verb.dir.is_none(),
                Tag::Pronoun | Tag::Number(_) | Tag::First => true,
                _ => false,
            });
            if only_light {
                current.tags.retain(|tagged| !matches!(tagged.tag, Tag::Verb(_)));
            } else {
                pending = Some(Link::And);
                finish(&mut clauses, &mut current, &mut pending);
            }
        }
        current.tags.push(tagged.clone());
    }
    finish(&mut clauses, &mut current, &mut None);
    clauses
}

/// "with one antenna up that nods": a posture, and then a gesture of another part.
fn is_gesture_after_posture(current: &Clause, tag: &Tag) -> bool {
    let Tag::Verb(verb) = tag else { return false };
    current.has(|tag| matches!(tag, Tag::Part(_)))
        && current.has(|tag| matches!(tag, Tag::Dir(_)))
        && verb.shape != Shape::Go
        && verb.part.is_some_and(|part| !current.has(|tag| matches!(tag, Tag::Part(named) if *named == part)))
}

/// Ends the current clause and begins the next one.
fn finish(clauses: &mut Vec<Clause>, current: &mut Clause, pending: &mut Option<Link>) {
    let next_link = pending.take().unwrap_or(Link::Stop);
    if current.tags.is_empty() {
        // An empty clause passes its link on: ", and then".
        let is_boundary = matches!(next_link, Link::Stop | Link::Colon);
        if !is_boundary {
            current.link = if matches!(current.link, Link::Stop | Link::Colon) && current.is_first {
                if matches!(
                    next_link,
                    Link::While | Link::Before | Link::After | Link::With | Link::Otherwise
                ) {
                    next_link
                } else {
                    current.link
                }
            } else {
                current.link.max(next_link)
            };
        }
        return;
    }
    let next = Clause { link: next_link, is_first: false, tags: Vec::new() };
    clauses.push(std::mem::replace(current, next));
}

/// Returns whether a connective separates clauses, and does not join words of one.
fn splits(link: Link, current: &Clause, following: &[Tagged]) -> bool {
    let until_next = || {
        following
            .iter()
            .map(|tagged| &tagged.tag)
            .take_while(|tag| self::link(tag).is_none())
            .filter(|tag| !matches!(tag, Tag::Filler))
    };
    let has = |wanted: fn(&Tag) -> bool| until_next().any(wanted);
    match link {
        Link::And => {
            let has_head = current.has(is_head);
            let has_dir = current.has(|tag| matches!(tag, Tag::Dir(_)));
            let is_dir_next = until_next().next().is_some_and(|tag| matches!(tag, Tag::Dir(_)));
            // "Six times to the left and to the right" counts both at once.
            let count_at =
                current.tags.iter().position(|tagged| matches!(tagged.tag, Tag::Count(_) | Tag::Amount(..)));
            let dir_at = current.tags.iter().position(|tagged| matches!(tagged.tag, Tag::Dir(_)));
            let is_shared = count_at < dir_at && !has(|tag| matches!(tag, Tag::Count(_) | Tag::Amount(..)));
            let is_counted = count_at.is_some() && !is_shared;
            let part = |tag: &Tag| matches!(tag, Tag::Part(_));
            let dir = |tag: &Tag| matches!(tag, Tag::Dir(_));
            let ends_with_dir = current.tags.last().is_some_and(|tagged| matches!(tagged.tag, Tag::Dir(_)));
            if is_dir_next
                && ends_with_dir
                && !has(|tag| {
                    matches!(
                        tag,
                        Tag::Verb(_) | Tag::Part(_) | Tag::Return | Tag::Home | Tag::Hold | Tag::StayThere
                    )
                })
            {
                return is_counted;
            }
            // "Twice with the left antenna and once with the right one".
            let instrument = || {
                let tags = following.iter().map(|tagged| &tagged.tag);
                tags.take_while(|tag| self::link(tag).is_none_or(|link| link == Link::With))
            };
            let counted = |tag: &Tag| matches!(tag, Tag::Count(_) | Tag::Number(_));
            if current.has(part)
                && current.has(counted)
                && instrument().any(part)
                && instrument().any(counted)
            {
                return true;
            }
            if current.has(|tag| matches!(tag, Tag::Without)) && !has(is_head) {
                return false;
            }
            let counts = |tag: &Tag| matches!(tag, Tag::Count(_) | Tag::Number(_) | Tag::Amount(..));
            (has(is_head) && (has_head || has_dir))
                // "the right ear twice and the left ear three times"
                || (current.has(|tag| matches!(tag, Tag::Part(_) | Tag::Return))
                    && current.has(counts)
                    && has(part)
                    && has(counts))
                || (has_dir && has(part) && has(dir))
                || (current.has(part) && has_dir && has(part))
                || (is_dir_next && is_counted && has_dir)
                || (is_dir_next && !ends_with_dir && has_dir && has_head)
                || has(|tag| matches!(tag, Tag::Param(_)))
                || (has(part) && has(is_head) && has_head)
                || (has_head && has(|tag| matches!(tag, Tag::Unknown)))
        }
        Link::With => {
            let is_posture = |tag: &Tag| {
                matches!(
                    tag,
                    Tag::Dir(_)
                        | Tag::Still
                        | Tag::Verb(_)
                        | Tag::Amount(_, crate::tag::Unit::Degrees)
                        | Tag::Hold
                )
            };
            (has(|tag| matches!(tag, Tag::Part(_))) && has(is_posture))
                || has(|tag| {
                    matches!(
                        tag,
                        Tag::Feeling(_)
                            | Tag::Verb(_)
                            | Tag::Sound
                            | Tag::Photo
                            | Tag::Cannot(_)
                            | Tag::Impossible(_)
                    )
                })
        }
        Link::Comma => {
            // "the head, the body and the ears": a list of parts.
            let is_manner = |tag: Option<&Tag>| matches!(tag, Some(Tag::Manner(_)));
            // "one slow, deep nod"
            if is_manner(current.tags.last().map(|tagged| &tagged.tag))
                && is_manner(until_next().next())
                && !current.has(is_head)
            {
                return false;
            }
            let only_part = until_next().all(|tag| matches!(tag, Tag::Part(_))) && until_next().count() == 1;
            !(only_part && !current.has(is_head) && current.has(|tag| matches!(tag, Tag::Part(_))))
        }
        _ => true,
    }
}

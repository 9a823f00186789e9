//! What became of each stretch of a request.

use minismith_score::expects::{Action, Expect};
use serde::{Deserialize, Serialize};

use crate::atoms::Atom;
use crate::clause::Clause;
use crate::emit::Claims;
use crate::lexicon::Verb;
use crate::meaning::{Link, Meaning};
use crate::reading::{Feature, Reading};

/// A stretch of the request with what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accounted {
    /// The words as they stand in the request.
    pub text: String,
    /// Where they begin and end, in bytes.
    pub span: (usize, usize),
    /// What became of them.
    pub account: Account,
}

/// What became of a stretch of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Account {
    /// These expectations show it, given by their indexes.
    Shown(Vec<usize>),
    /// It is about the motion, but no measurement of joints shows it: "shyly".
    NotMeasurable,
    /// It says nothing about the motion: "make a tool that".
    Frame,
    /// Nobody knows what it asks for.
    NotUnderstood,
}

/// Which features show a meaning, and whether any measurement of its clause does.
fn features(meaning: &Meaning) -> (&'static [Feature], bool) {
    use Feature as F;
    match meaning {
        Meaning::Count(_) | Meaning::Encore(_) | Meaning::Several => {
            (&[F::Count, F::Parameter, F::Sound, F::Photo], false)
        }
        Meaning::Bare(_) => (&[F::Count, F::Size, F::Sound, F::Photo], true),
        Meaning::Size { .. } | Meaning::Scale(_) | Meaning::SameSize => (&[F::Size], false),
        Meaning::Change(_) | Meaning::Comparative(_) | Meaning::More | Meaning::Less => {
            (&[F::Change, F::Count], false)
        }
        Meaning::Seconds(_) => (&[F::Hold, F::Duration, F::Pause, F::Event, F::Parameter], false),
        Meaning::Period(_) => (&[F::Tempo], false),
        Meaning::Still | Meaning::Nothing | Meaning::Not => {
            (&[F::Still, F::Pause, F::Event, F::Sound, F::Together], false)
        }
        Meaning::BackAgain | Meaning::Neutral => (&[F::Return, F::Count], false),
        Meaning::There => (&[F::Hold], true),
        Meaning::Alternate => (&[F::Together], true),
        Meaning::Together | Meaning::Apart => (&[F::Together], false),
        Meaning::Trigger(_) | Meaning::Event(_) | Meaning::Perceive => (&[F::Event], false),
        Meaning::Choose | Meaning::Role(_) => (&[F::Parameter], false),
        Meaning::Verb { verb: Verb::Hold | Verb::Stay | Verb::Wait, .. } => {
            (&[F::Hold, F::Pause, F::Still], true)
        }
        Meaning::Verb { verb: Verb::Return, .. } => (&[F::Return, F::Motion], true),
        Meaning::Verb { verb: Verb::Sound, .. } => (&[F::Sound], false),
        Meaning::Verb { verb: Verb::Photo, .. } => (&[F::Photo], false),
        _ => (&[F::Motion], true),
    }
}

/// Returns what became of each stretch.
pub(crate) fn accounts(
    atoms: &[Atom],
    clauses: &[Clause],
    reading: &Reading,
    claims: &Claims,
) -> Vec<Account> {
    let mut clause_of: Vec<Option<usize>> = vec![None; atoms.len()];
    for (index, clause) in clauses.iter().enumerate() {
        for at in &clause.atoms {
            if let Some(slot) = clause_of.get_mut(*at) {
                *slot = Some(index);
            }
        }
    }
    let shows = |clause: usize, wanted: &[Feature]| -> Vec<usize> {
        let is_origin = |(of, feature): &(usize, Feature)| *of == clause && wanted.contains(feature);
        let found = claims.all.iter().enumerate().filter(|(_, claim)| claim.origins.iter().any(is_origin));
        found.map(|(index, _)| index).collect()
    };
    let any = |clause: usize| -> Vec<usize> {
        let found = claims
            .all
            .iter()
            .enumerate()
            .filter(|(_, claim)| claim.origins.iter().any(|(of, _)| *of == clause));
        found.map(|(index, _)| index).collect()
    };
    let is_several = reading.actions.len() > 1;
    let has = |wanted: &dyn Fn(&Expect) -> bool| claims.all.iter().any(|claim| wanted(claim.expect.plain()));
    let is_beside = |expect: &Expect| {
        matches!(expect, Expect::Together { .. } | Expect::Still { .. })
            || matches!(expect, Expect::Holds { seconds, .. } if *seconds > 0.8)
            || matches!(expect, Expect::Either { of }
                if of.iter().flatten().any(|one| matches!(one, Expect::Together { .. } | Expect::Holds { .. })))
    };
    let is_return = |at: &usize| {
        matches!(
            atoms.get(*at).map(|atom| &atom.meaning),
            Some(Meaning::BackAgain | Meaning::Verb { verb: Verb::Return, .. })
        )
    };
    let orders_way_back = |expect: &Expect| {
        matches!(expect, Expect::Order { actions }
            if actions.iter().any(|action| matches!(action, Action::Move { back: true, .. })))
    };
    // "Before the body returns": an order of other motions does not show when it does.
    let names_way_back = |at: usize| {
        let next = clause_of.iter().skip(at + 1).find_map(|clause| *clause);
        let next = next.and_then(|next| clauses.get(next));
        next.is_some_and(|clause| clause.atoms.iter().any(is_return)) && !has(&orders_way_back)
    };
    // Whether something comes of the clause that a link opens.
    let is_served = |at: usize, link: Link| {
        let Some(next) = clause_of.iter().skip(at + 1).find_map(|clause| *clause) else { return true };
        let is_own = |clause: usize| clause == next || clause == next + 1;
        let acts = |one: &usize| reading.actions.get(*one).is_some_and(|action| is_own(action.clause));
        let is_paired = |pairs: &[(usize, usize, usize)]| {
            pairs.iter().any(|(one, other, clause)| is_own(*clause) || acts(one) || acts(other))
        };
        let is_rest = reading.pauses.iter().any(|(clause, _)| is_own(*clause))
            || reading.stillness.iter().any(|one| is_own(one.clause))
            || reading.occasions.iter().any(|one| is_own(one.clause))
            || reading.unmeasurable.contains(&next);
        let pairs = if link == Link::While { &reading.together } else { &reading.order };
        is_rest || is_paired(pairs)
    };
    atoms
        .iter()
        .zip(&clause_of)
        .enumerate()
        .map(|(at, (atom, clause))| {
            match (&atom.meaning, clause) {
                (Meaning::Unknown, Some(clause)) if reading.unmeasurable.contains(clause) => {
                    Account::NotMeasurable
                }
                (Meaning::Unknown, Some(clause)) => {
                    // The name of a thing in an event.
                    let is_named = clauses
                        .get(*clause)
                        .is_some_and(|clause| matches!(clause.event, Some(minismith_score::Event::Thing(_))));
                    let found = shows(*clause, &[Feature::Event]);
                    if is_named && !found.is_empty() { Account::Shown(found) } else { Account::NotUnderstood }
                }
                (Meaning::Unknown, None) => Account::NotUnderstood,
                (Meaning::Manner, _) => Account::NotMeasurable,
                // What tells an order or the same time, and comes to nothing.
                (Meaning::InOrder, _) if !has(&|expect| matches!(expect, Expect::Order { .. })) => {
                    Account::NotUnderstood
                }
                (Meaning::Throughout, _) if is_several && !has(&is_beside) => Account::NotUnderstood,
                (Meaning::Link(link @ (Link::Before | Link::After | Link::While)), None)
                    if is_several && !is_served(at, *link) =>
                {
                    Account::NotUnderstood
                }
                (Meaning::Link(Link::Before), _) if is_several && names_way_back(at) => {
                    Account::NotUnderstood
                }
                // "A person appears, you nod": an event that nothing waits for.
                (Meaning::Perceive, Some(clause))
                    if any(*clause).is_empty()
                        && clauses.get(*clause).is_some_and(|clause| clause.event.is_some()) =>
                {
                    Account::NotUnderstood
                }
                // "In the order left, right, both".
                (Meaning::Both, clause) if clause.is_none_or(|clause| any(clause).is_empty()) => {
                    Account::NotUnderstood
                }
                // What stands outside of clauses or only joins words.
                (
                    Meaning::Frame
                    | Meaning::AsIf
                    | Meaning::Link(_)
                    | Meaning::Article
                    | Meaning::For
                    | Meaning::Over
                    | Meaning::First
                    | Meaning::Last
                    | Meaning::InOrder
                    | Meaning::From
                    | Meaning::Throughout
                    | Meaning::It,
                    _,
                )
                | (_, None) => Account::Frame,
                (Meaning::Verb { verb: Verb::Vague, .. }, Some(clause)) if any(*clause).is_empty() => {
                    Account::NotUnderstood
                }
                (meaning, Some(clause)) => {
                    let (wanted, is_soft) = features(meaning);
                    let mut found = shows(*clause, wanted);
                    let has_size = clauses.get(*clause).is_some_and(|clause| clause.size.is_some());
                    let is_bound = has_size && *meaning == Meaning::Trigger(crate::meaning::Trigger::Until);
                    if found.is_empty() && (is_soft || is_bound) {
                        found = any(*clause);
                    }
                    if !found.is_empty() {
                        Account::Shown(found)
                    } else if reading.unmeasurable.contains(clause)
                        || matches!(meaning, Meaning::Slow | Meaning::Fast | Meaning::Comparative(_))
                    {
                        Account::NotMeasurable
                    } else if is_light(meaning) {
                        Account::Frame
                    } else {
                        Account::NotUnderstood
                    }
                }
            }
        })
        .collect()
}

/// Whether a meaning says nothing if nothing comes of it: "each", "with the person".
fn is_light(meaning: &Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Perceive
            | Meaning::Each
            | Meaning::Both
            | Meaning::Verb { verb: Verb::Take, .. }
            | Meaning::Event(minismith_score::Event::Face)
            | Meaning::Again
            | Meaning::Another
            | Meaning::Bound(_)
            | Meaning::EachTime
            | Meaning::Only
    )
}

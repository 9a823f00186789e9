//! Which expectations are certain. What a request says of several motions can belong to another one than the reader
//! takes it for; a motion that differs from such a reading is not shown to be right, but not refused.

use minismith_score::Axis;
use minismith_score::expects::{Action as Movement, End, Expect};

use super::{Claim, UNNAMED_WITHIN};
use crate::reading::{Action, Feature, Reading};

/// Returns whether a claim is only likely.
pub(super) fn is_likely(claim: &Claim, reading: &Reading) -> bool {
    reading.actions.len() > MOST_ACTIONS || is_likely_kind(&claim.expect, claim, reading)
}

/// How many movements a request may name for its reading to be certain.
const MOST_ACTIONS: usize = 3;

fn is_likely_kind(expect: &Expect, claim: &Claim, reading: &Reading) -> bool {
    let is_single = reading.actions.len() <= 1;
    match expect {
        // What a request does not name can move a little with what it names.
        Expect::Still { within, .. } => *within >= UNNAMED_WITHIN,
        Expect::Moves { at_least, .. } => *at_least == 0.0 || is_added(claim, reading, Feature::Size),
        Expect::Swings { .. } => is_added(claim, reading, Feature::Count),
        // A posture that is reached in steps shows no swings.
        Expect::Grows { .. } | Expect::Shrinks { .. } | Expect::Quicker { .. } | Expect::Slower { .. } => {
            is_added(claim, reading, Feature::Change)
                || acts(claim, reading).any(|action| !action.is_oscillation() && !action.returns)
        }
        Expect::Order { actions } => {
            claim.origins.iter().any(|(clause, _)| reading.loose.contains(clause))
                || happens_more_often(actions, reading)
        }
        Expect::Together { .. } | Expect::Apart { .. } | Expect::Alternates { .. } => {
            reading.actions.len() > 3
        }
        Expect::Holds { .. } => !acts(claim, reading).any(|action| action.hold.is_some() || action.stays),
        Expect::Ends { at: End::Neutral } => false,
        Expect::Ends { .. } => !is_single,
        Expect::Period { .. } => !acts(claim, reading).any(|action| action.period.is_some()),
        Expect::Duration { at_least: None, .. } => false,
        Expect::Duration { .. } => {
            !is_single
                || reading.durations.len() > 1
                || reading.actions.iter().any(|action| action.count.is_some_and(|count| count > 1.0))
        }
        Expect::Pauses { .. }
        | Expect::Reacts { .. }
        | Expect::QuietWithout { .. }
        | Expect::Without { .. } => false,
        Expect::Sounds { .. } | Expect::Photos { .. } => false,
        Expect::Parameter { .. } => is_added(claim, reading, Feature::Parameter),
        // Of a choice, only what was added from elsewhere leaves a doubt.
        Expect::Either { of } => of.iter().flatten().any(|one| match one {
            Expect::Moves { .. } => is_added(claim, reading, Feature::Size),
            Expect::Holds { .. } | Expect::Still { .. } | Expect::Ends { .. } => false,
            other => is_likely_kind(other, claim, reading),
        }),
        Expect::Likely { .. } => true,
    }
}

/// The actions whose own clause a claim shows.
fn acts<'a>(claim: &'a Claim, reading: &'a Reading) -> impl Iterator<Item = &'a Action> {
    let is_origin = |action: &&Action| claim.origins.iter().any(|(clause, _)| *clause == action.clause);
    reading.actions.iter().filter(is_origin)
}

/// Returns whether one of the later actions happens more often than the order tells: "shakes, nods and shakes again".
fn happens_more_often(actions: &[Movement], reading: &Reading) -> bool {
    let moves = |movement: &Movement, axis: Axis| matches!(movement, Movement::Move { axes, .. } if axes.contains(&axis));
    let later = actions.iter().skip(1).filter_map(|movement| match movement {
        Movement::Move { axes, .. } => axes.first().copied(),
        _ => None,
    });
    later.into_iter().any(|axis| {
        let told = actions.iter().filter(|movement| moves(movement, axis)).count();
        reading.actions.iter().filter(|action| action.axes().contains(&axis)).count() > told
    })
}

/// Returns whether another clause than that of the motion adds a feature to one of several motions.
fn is_added(claim: &Claim, reading: &Reading, feature: Feature) -> bool {
    let is_own = |clause: usize| reading.actions.iter().any(|action| action.clause == clause);
    let adds = |(clause, added): &(usize, Feature)| *added == feature && !is_own(*clause);
    acts(claim, reading).any(|action| action.overridden.contains(&feature))
        || reading.actions.len() > 1 && claim.origins.iter().any(adds)
}

//! Finds what a text names and its meaning does not move: a sentence of which a part got lost moves nothing.

use std::ops::Range;

use minismith_score::Axis;

use crate::concept::{Act, Concept, Part, Tag};
use crate::meaning::Meaning;

/// Returns the words of a gesture or of an antenna that have no part in a meaning, bytes; none where all have, or where
/// the text may name what does not move: "don't move the ears".
pub(crate) fn lost(tags: &[Tag], meaning: &Meaning) -> Option<Range<usize>> {
    let has = |concept: &Concept| tags.iter().any(|tag| tag.concept == *concept);
    // "Keep it tilted".
    let keeps_it = has(&Concept::Act(Act::Hold)) && has(&Concept::It);
    if keeps_it || tags.iter().any(|tag| may_leave_out(&tag.concept)) {
        return None;
    }
    let axes = meaning.axes();
    tags.iter()
        .find(|tag| !needs(&tag.concept).is_none_or(|any| any.iter().any(|axis| axes.contains(axis))))
        .map(|tag| tag.span.clone())
}

/// Returns the axes of which a concept moves one at least; none where it may move nothing.
fn needs(concept: &Concept) -> Option<&'static [Axis]> {
    match concept {
        Concept::Part(Part::Antenna | Part::Antennas | Part::LeftAntenna | Part::RightAntenna) => {
            Some(&[Axis::AntennaLeft, Axis::AntennaRight])
        }
        Concept::Act(Act::Nod | Act::Bow) => Some(&[Axis::HeadPitch]),
        Concept::Act(Act::Shake) => {
            Some(&[Axis::HeadTurn, Axis::HeadTilt, Axis::BodyTurn, Axis::AntennaLeft, Axis::AntennaRight])
        }
        Concept::Act(Act::Tilt) => Some(&[Axis::HeadTilt, Axis::HeadPitch]),
        _ => None,
    }
}

/// Returns whether what stands beside a concept may be named without moving.
const fn may_leave_out(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::Not
            | Concept::NotVerb
            | Concept::Without
            | Concept::Still
            | Concept::Correction
            | Concept::TakenBack
            | Concept::Cancel
            | Concept::Instead
            | Concept::If(_)
            | Concept::When
            | Concept::Stay
            | Concept::Only
            | Concept::Until
            | Concept::UntilStop
            | Concept::UntilSaid
            | Concept::Unless
            | Concept::Or
            | Concept::StopOrder
            | Concept::StopOrderAlone
            | Concept::Undo
            | Concept::Act(Act::Return)
    )
}

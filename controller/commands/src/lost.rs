//! Finds what a text names and its meaning does not move: a sentence of which a part got lost moves nothing.

use std::ops::Range;

use minismith_score::{Axis, Direction};

use crate::concept::{Act, Concept, Part, Tag, Unit, Way};
use crate::meaning::{Aim, Amount, Meaning};
use crate::tagger::ends_clause;

/// Returns the words of an amount, a count, a direction, a gesture or an antenna that have no part in a meaning, bytes; none
/// where all have. A clause that takes something back, or names what does not move, is left out: "don't move the ears". After
/// an earlier turn (`has_past`), a direction may only say where something is.
pub(crate) fn lost(tags: &[Tag], meaning: &Meaning, has_past: bool) -> Option<Range<usize>> {
    let meant = meant(tags);
    let amount = lost_amount(&meant, meaning).or_else(|| lost_count(&meant, meaning));
    if amount.is_some() {
        return amount;
    }
    let moved = without_clauses(&meant, |clause| clause.iter().any(|tag| names_what_stays(&tag.concept)));
    if moved.iter().any(|tag| lasts(&tag.concept)) {
        return None;
    }
    // "Back to where you were", "up again": it tells where that is.
    let way = lost_way(&moved, meaning).filter(|_| !has_past);
    let axes = meaning.axes();
    let named =
        without_clauses(&moved, |clause| clause.iter().any(|tag| tag.concept == Concept::Act(Act::Return)));
    named
        .iter()
        .find(|tag| !needs(&tag.concept).is_none_or(|any| any.iter().any(|axis| axes.contains(axis))))
        .map(|tag| tag.span.clone())
        .or(way)
}

/// Returns the clauses of which nothing is taken back and which hang on no condition.
fn meant(tags: &[Tag]) -> Vec<Tag> {
    if tags.iter().any(|tag| is_conditional(&tag.concept)) {
        return Vec::new();
    }
    // "Left, no, right": what was said before the correction, and with it.
    let replaced = tags.iter().rposition(|tag| replaces(&tag.concept)).unwrap_or(0);
    let rest = tags.get(replaced..).unwrap_or_default();
    without_clauses(rest, |clause| clause.iter().any(|tag| takes_back(&tag.concept)))
}

/// Returns the tags but those of the clauses that are left out.
fn without_clauses(tags: &[Tag], is_left_out: impl Fn(&[Tag]) -> bool) -> Vec<Tag> {
    let clauses = tags.split_inclusive(|tag| ends_clause(&tag.concept));
    clauses.filter(|clause| !is_left_out(clause)).flatten().cloned().collect()
}

/// Returns the words of a number of times that nothing in a meaning is done.
fn lost_count(tags: &[Tag], meaning: &Meaning) -> Option<Range<usize>> {
    let mut counts = Vec::new();
    meaning.each(&mut |one| match one {
        Meaning::Gesture(gesture) => counts.push(gesture.count),
        Meaning::Repeat(count, _) => counts.push(*count),
        _ => {}
    });
    // "I've asked three times now, shake your head".
    let is_act = |tag: &Tag| matches!(tag.concept, Concept::Act(_));
    let first = tags.iter().position(is_act)?;
    tags.get(first..)?.windows(2).find_map(|pair| {
        let [number, times] = pair else { return None };
        let said = match (&number.concept, &times.concept) {
            (Concept::Number(number), Concept::Times) => *number,
            _ => return None,
        };
        // "Nod four times and add two".
        let is_there = counts.iter().any(|count| f64::from(*count) >= said);
        (!is_there).then_some(number.span.start..times.span.end)
    })
}

/// Returns the words of a direction in which nothing of a meaning goes.
fn lost_way(tags: &[Tag], meaning: &Meaning) -> Option<Range<usize>> {
    // "Sit up straight", "back up": it tells how the robot comes to neutral. "Less far left": the meaning has the result.
    let is_relative = |tag: &Tag| {
        matches!(
            tag.concept,
            Concept::Act(Act::Center)
                | Concept::Way(Way::Ahead | Way::Back | Way::Opposite)
                | Concept::More(_)
                | Concept::OtherSide
        )
    };
    if tags.iter().any(is_relative) {
        return None;
    }
    let mut goals: Vec<Aim> = Vec::new();
    let mut swings: Vec<Axis> = Vec::new();
    let mut backs: Vec<Axis> = Vec::new();
    meaning.each(&mut |one| match one {
        Meaning::Go { aims, .. } => goals.extend(aims.iter().copied()),
        Meaning::Neutral { axes, .. } => backs.extend(axes.iter().copied()),
        Meaning::Sequence(_) | Meaning::Together(_) | Meaning::Repeat(..) => {}
        other => swings.extend(other.axes()),
    });
    // "Bow and come up", "look up and come down": back to where it was.
    let comes_back = !(goals.is_empty() && swings.is_empty());
    let goes = |way: Way, axis: Axis| {
        let sign = sign_of(way, axis);
        let is_goal = |aim: &Aim| aim.axis == axis && sign.is_none_or(|sign| sign == aim.sign.signum());
        let is_back = comes_back && matches!(way, Way::Up | Way::Down) && backs.contains(&axis);
        swings.contains(&axis) || is_back || goals.iter().any(is_goal)
    };
    // "Look behind you to the right": the phrase has a usual side, which the next words change.
    let is_usual = |tag: &&Tag| tags.iter().filter(|other| other.span == tag.span).count() > 1;
    tags.iter()
        .filter(|tag| !is_usual(tag))
        .find(|tag| match tag.concept {
            Concept::Way(way) => {
                !axes_of_way(way).is_none_or(|axes| axes.iter().any(|axis| goes(way, *axis)))
            }
            _ => false,
        })
        .map(|tag| tag.span.clone())
}

/// Returns the axes of which one at least goes somewhere in a direction; none where it may be any.
const fn axes_of_way(way: Way) -> Option<&'static [Axis]> {
    match way {
        Way::Up | Way::Down => {
            Some(&[Axis::HeadPitch, Axis::HeadRise, Axis::AntennaLeft, Axis::AntennaRight])
        }
        Way::Left | Way::Right => Some(&[
            Axis::HeadTurn,
            Axis::HeadTilt,
            Axis::HeadSide,
            Axis::BodyTurn,
            Axis::AntennaLeft,
            Axis::AntennaRight,
        ]),
        Way::In | Way::Out => Some(&[Axis::AntennaLeft, Axis::AntennaRight, Axis::HeadForward]),
        _ => None,
    }
}

/// Returns the sign with which an axis goes in a direction; none where both may.
fn sign_of(way: Way, axis: Axis) -> Option<f64> {
    let direction = match way {
        Way::Left => Direction::Left,
        Way::Right => Direction::Right,
        Way::Up => Direction::Up,
        Way::Down => Direction::Down,
        _ => return None,
    };
    axis.sign(direction)
}

/// Returns the words of an amount that nothing in a meaning has: of "by ten, then by twenty degrees", the ten.
fn lost_amount(tags: &[Tag], meaning: &Meaning) -> Option<Range<usize>> {
    let has = |is_it: fn(&Concept) -> bool| tags.iter().any(|tag| is_it(&tag.concept));
    // "Forty, er, twenty degrees": the first one is taken back.
    let numbers = tags.iter().filter(|tag| matches!(tag.concept, Concept::Number(_))).count();
    let is_replaced = numbers > 1 && !has(|concept| matches!(concept, Concept::And | Concept::Then));
    // "Too far, five degrees less", "by turns for ten seconds": the meaning has the result.
    let is_reckoned = has(|concept| matches!(concept, Concept::More(_) | Concept::InTurn));
    let amounts = amounts_of(meaning)?;
    if is_replaced || is_reckoned {
        return None;
    }
    tags.windows(2).find_map(|pair| {
        let [number, unit] = pair else { return None };
        let (Concept::Number(value), Concept::Unit(Unit::Angle(one) | Unit::Length(one) | Unit::Time(one))) =
            (&number.concept, &unit.concept)
        else {
            return None;
        };
        // "Come ten degrees back".
        if returns(tags, number) && !matches!(unit.concept, Concept::Unit(Unit::Time(_))) {
            return None;
        }
        let said = value * one;
        let is_there = amounts.iter().any(|amount| (amount - said).abs() <= SAME * said);
        (!is_there).then_some(number.span.start..unit.span.end)
    })
}

/// Returns whether something returns in the clause of a tag.
fn returns(tags: &[Tag], of: &Tag) -> bool {
    let clauses = tags.split(|tag| ends_clause(&tag.concept));
    let mut own = clauses.filter(|clause| clause.iter().any(|tag| tag.span == of.span));
    own.any(|clause| clause.iter().any(|tag| tag.concept == Concept::Act(Act::Return)))
}

/// Two amounts that differ by less than this share are the same.
const SAME: f64 = 0.02;

/// Returns all angles, lengths and times of a meaning: degrees, millimetres and seconds. None where it goes to a posture,
/// which was reckoned from another one.
fn amounts_of(meaning: &Meaning) -> Option<Vec<f64>> {
    let mut amounts = Vec::new();
    let mut is_reckoned = false;
    meaning.each(&mut |one| match one {
        Meaning::Go { aims, seconds, .. } => {
            amounts.extend(aims.iter().filter_map(|aim| amount_of(aim.amount)));
            amounts.extend(*seconds);
        }
        Meaning::Gesture(gesture) => {
            amounts.extend(gesture.strokes.iter().flatten().filter_map(|aim| amount_of(aim.amount)));
            amounts.extend([gesture.hold, gesture.stroke, gesture.pause]);
            amounts.extend(gesture.period.iter().chain(&gesture.total));
        }
        Meaning::Dance(seconds) | Meaning::Wait(seconds) => amounts.push(*seconds),
        Meaning::Neutral { seconds, .. } => amounts.extend(*seconds),
        Meaning::Posture(_) => is_reckoned = true,
        _ => {}
    });
    (!is_reckoned).then_some(amounts)
}

/// Returns the size of an amount, degrees or millimetres; none where only a factor is said.
const fn amount_of(amount: Amount) -> Option<f64> {
    match amount {
        Amount::Exactly(size) | Amount::Further(size) => Some(size),
        Amount::Usual(_) | Amount::Most => None,
    }
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
        Concept::Act(Act::Tilt) => {
            Some(&[Axis::HeadTilt, Axis::HeadPitch, Axis::AntennaLeft, Axis::AntennaRight])
        }
        Concept::Act(Act::Raise | Act::Lower) => {
            Some(&[Axis::HeadRise, Axis::HeadPitch, Axis::AntennaLeft, Axis::AntennaRight])
        }
        _ => None,
    }
}

/// Returns whether what follows may not be done, or only at an event.
const fn is_conditional(concept: &Concept) -> bool {
    matches!(concept, Concept::If(_) | Concept::When | Concept::Unless)
}

/// Returns whether a concept may replace what was said before it.
const fn replaces(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::Correction | Concept::TakenBack | Concept::Cancel | Concept::Instead | Concept::Undo
    )
}

/// Returns whether a concept may take back what stands in its clause.
const fn takes_back(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::Not
            | Concept::NotVerb
            | Concept::Without
            | Concept::Or
            | Concept::StopOrder
            | Concept::StopOrderAlone
    ) || replaces(concept)
}

/// Returns whether a concept says until when, so that more may be named than moves.
const fn lasts(concept: &Concept) -> bool {
    matches!(concept, Concept::Until | Concept::UntilStop | Concept::UntilSaid)
}

/// Returns whether what stands beside a concept may be named without moving.
const fn names_what_stays(concept: &Concept) -> bool {
    // "Keep your antennas relaxed and still".
    matches!(concept, Concept::Still | Concept::Stay | Concept::Only | Concept::Act(Act::Hold))
}

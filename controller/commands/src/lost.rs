//! Finds what a text names and its meaning does not move: a sentence of which a part got lost moves nothing.

use std::ops::Range;

use minismith_score::{Axis, Direction};

use crate::concept::{Act, Concept, Part, Tag, Unit, Way};
use crate::meaning::{Aim, Amount, Meaning};

/// Returns the words of an amount, a count, a direction, a gesture or an antenna that have no part in a meaning, bytes; none
/// where all have, or where the text may name what does not move: "don't move the ears". After an earlier turn (`has_past`),
/// a direction may only say where something is.
pub(crate) fn lost(tags: &[Tag], meaning: &Meaning, has_past: bool) -> Option<Range<usize>> {
    let may_leave_out = |is_it: fn(&Concept) -> bool| tags.iter().any(|tag| is_it(&tag.concept));
    let has = |concept: &Concept| tags.iter().any(|tag| tag.concept == *concept);
    // "Keep it tilted".
    let keeps_it = has(&Concept::Act(Act::Hold)) && has(&Concept::It);
    if may_leave_out(takes_back) {
        return None;
    }
    let amount = lost_amount(tags, meaning).or_else(|| lost_count(tags, meaning));
    if amount.is_some() || keeps_it || may_leave_out(names_what_stays) {
        return amount;
    }
    // "Back to where you were", "up again": it tells where that is.
    let returns = has(&Concept::Act(Act::Return));
    let way = lost_way(tags, meaning).filter(|_| !has_past);
    if returns {
        return way;
    }
    let axes = meaning.axes();
    tags.iter()
        .find(|tag| !needs(&tag.concept).is_none_or(|any| any.iter().any(|axis| axes.contains(axis))))
        .map(|tag| tag.span.clone())
        .or(way)
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
    let returns = has(|concept| *concept == Concept::Act(Act::Return));
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
        if returns && !matches!(unit.concept, Concept::Unit(Unit::Time(_))) {
            return None;
        }
        let said = value * one;
        let is_there = amounts.iter().any(|amount| (amount - said).abs() <= SAME * said);
        (!is_there).then_some(number.span.start..unit.span.end)
    })
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
        Concept::Act(Act::Tilt) => Some(&[Axis::HeadTilt, Axis::HeadPitch]),
        Concept::Act(Act::Raise | Act::Lower) => {
            Some(&[Axis::HeadRise, Axis::HeadPitch, Axis::AntennaLeft, Axis::AntennaRight])
        }
        _ => None,
    }
}

/// Returns whether a concept may take back what stands beside it.
const fn takes_back(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::Not
            | Concept::NotVerb
            | Concept::Without
            | Concept::Correction
            | Concept::TakenBack
            | Concept::Cancel
            | Concept::Instead
            | Concept::If(_)
            | Concept::When
            | Concept::Unless
            | Concept::Or
            | Concept::StopOrder
            | Concept::StopOrderAlone
            | Concept::Undo
    )
}

/// Returns whether what stands beside a concept may be named without moving.
const fn names_what_stays(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::Still
            | Concept::Stay
            | Concept::Only
            | Concept::Until
            | Concept::UntilStop
            | Concept::UntilSaid
    )
}

//! Checks on several axes: order, overlap, turns.

use super::super::cases::{Alternates, Apart, Order, Overlap, Waits};
use super::super::finding::{Finding, Limits};
use super::super::signal::{Signal, longest_rest_s, moving_anywhere, overlap_s, total_s};
use super::super::trace::Trace;
use super::{event_words, onsets};

/// Onsets closer than this are at the same time, seconds.
const SAME_TIME_S: f64 = 0.12;
/// The share of the shorter motion that two axes have to share to move at the same time, if the check says nothing.
const OVERLAP_SHARE: f64 = 0.5;
/// The overlap that is permitted each time when one axis takes over from another: a blend, the servos' lag and the width
/// of the filters, seconds.
const MAX_BLEND_S: f64 = 0.3;
/// And the share of the shorter motion that is permitted for all of these together.
const MAX_BLEND_SHARE: f64 = 0.3;

/// Events begin in an order.
pub(super) fn order(check: &Order, trace: &Trace) -> Finding {
    let mut kinds: Vec<&super::Event> = Vec::new();
    for event in &check.events {
        if !kinds.iter().any(|kind| kind.is_same_kind(event)) {
            kinds.push(event);
        }
    }
    let mut found: Vec<(f64, usize)> = Vec::new();
    for (kind, event) in kinds.iter().enumerate() {
        found.extend(onsets(event, trace).into_iter().map(|time| (time, kind)));
    }
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    // Repetitions count as one event, which begins with the first of them.
    found.dedup_by(|next, one| next.1 == one.1);
    let expected: Vec<Option<usize>> =
        check.events.iter().map(|event| kinds.iter().position(|kind| kind.is_same_kind(event))).collect();
    let in_order = found.iter().map(|(_, kind)| Some(*kind)).eq(expected.iter().copied());
    let are_distinct =
        found.iter().zip(found.iter().skip(1)).all(|(one, next)| next.0 - one.0 >= SAME_TIME_S);
    let words: Vec<String> = found
        .iter()
        .map(|(time, kind)| {
            let name = kinds.get(*kind).map(|event| event_words(event)).unwrap_or_default();
            format!("{name} at {time:.1} s")
        })
        .collect();
    let expected: Vec<String> = check.events.iter().map(event_words).collect();
    Finding::new(
        in_order && are_distinct,
        expected.join(", then "),
        if words.is_empty() { "nothing of it".to_owned() } else { words.join(", ") },
    )
}

/// Two axes move at the same time.
pub(super) fn overlap(check: &Overlap, trace: &Trace) -> Finding {
    let least = check.at_least.unwrap_or(OVERLAP_SHARE);
    let [one, other] = check.axes;
    let [first, second] = check.axes.map(|axis| Signal::of(trace, axis).moving());
    let shorter = total_s(&first).min(total_s(&second));
    let share = if shorter > 0.0 { overlap_s(&first, &second) / shorter } else { 0.0 };
    Finding::new(
        share >= least && shorter > 0.0,
        format!("{one} and {other} at the same time"),
        format!("{:.0} % of the shorter motion shared", 100.0 * share),
    )
}

/// Two axes never move at the same time.
pub(super) fn apart(check: &Apart, trace: &Trace) -> Finding {
    let [one, other] = check.axes;
    let [first, second] = check.axes.map(|axis| Signal::of(trace, axis).moving());
    let shorter = total_s(&first).min(total_s(&second));
    let shared = overlap_s(&first, &second);
    let longest = first.iter().map(|a| overlap_s(&[*a], &second)).fold(0.0, f64::max);
    Finding::new(
        shorter > 0.0 && longest <= MAX_BLEND_S && shared <= MAX_BLEND_SHARE * shorter,
        format!("{one} and {other} never at the same time"),
        if shorter > 0.0 { format!("{shared:.1} s shared") } else { "one of them does not move".to_owned() },
    )
}

/// Two axes take turns.
pub(super) fn alternates(check: &Alternates, trace: &Trace) -> Finding {
    let [one, other] = check.axes;
    let mut found: Vec<(f64, bool)> = Vec::new();
    for axis in check.axes {
        let swings = Signal::of(trace, axis).cycles(super::super::axis::Direction::Any, axis.visible_size());
        found.extend(swings.iter().map(|swing| (swing.middle_s(), axis == one)));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let take_turns = found
        .iter()
        .zip(found.iter().skip(1))
        .all(|(first, next)| first.1 != next.1 && next.0 - first.0 >= SAME_TIME_S);
    let words: Vec<String> =
        found.iter().map(|(_, is_one)| if *is_one { one.to_string() } else { other.to_string() }).collect();
    Finding::new(
        found.len() >= 2 && take_turns,
        format!("{one} and {other} in turns"),
        if words.is_empty() { "no motion of them".to_owned() } else { words.join(", ") },
    )
}

/// A rest of all axes between two events.
pub(super) fn waits(check: &Waits, trace: &Trace) -> Finding {
    let limits = Limits::new(check.at_least, check.at_most);
    let from = onsets(&check.after, trace).first().copied();
    let to = from
        .and_then(|from| onsets(&check.before, trace).into_iter().find(|time| *time > from + SAME_TIME_S));
    let rest = from.zip(to).map(|(from, to)| longest_rest_s(&moving_anywhere(trace), from, to));
    Finding::new(
        rest.is_some_and(|rest| limits.contains(rest)),
        format!(
            "a wait of {limits} s between {} and {}",
            event_words(&check.after),
            event_words(&check.before)
        ),
        rest.map_or_else(|| "not one after the other".to_owned(), |rest| format!("{rest:.1} s")),
    )
}

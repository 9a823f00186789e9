//! The checks on one measured motion.

use super::cases::{Check, Event, Signal as Signals};
use super::finding::Finding;
use super::signal::{Signal, Swing};
use super::trace::{EventKind, Trace};

pub use rhythm::motion_s;

mod posture;
mod reaction;
mod relation;
mod rhythm;

/// Judges a motion by one check.
#[must_use]
pub fn check(check: &Check, trace: &Trace) -> Finding {
    match check {
        Check::Moves(it) => posture::moves(it, trace),
        Check::Still(it) => posture::still(it, trace),
        Check::Holds(it) => posture::holds(it, trace),
        Check::Keeps(it) => posture::keeps(it, trace),
        Check::Ends(it) => posture::ends(it, trace),
        Check::Swings(it) => rhythm::swings(it, trace),
        Check::Peaks(it) => rhythm::peaks(it, trace),
        Check::Takes(it) => rhythm::takes(it, trace),
        Check::Duration(it) => rhythm::duration(it, trace),
        Check::Period(it) => rhythm::period(it, trace),
        Check::Growing(it) => rhythm::trend(it, true, trace),
        Check::Shrinking(it) => rhythm::trend(it, false, trace),
        Check::Faster(it) => rhythm::tempo(it, true, trace),
        Check::Slower(it) => rhythm::tempo(it, false, trace),
        Check::Pauses(it) => rhythm::pauses(it, trace),
        Check::Order(it) => relation::order(it, trace),
        Check::Overlap(it) => relation::overlap(it, trace),
        Check::Apart(it) => relation::apart(it, trace),
        Check::Alternates(it) => relation::alternates(it, trace),
        Check::Waits(it) => relation::waits(it, trace),
        Check::Reacts(it) => reaction::reacts(it, trace),
        Check::Quiet(it) => reaction::quiet(it, trace),
        Check::Sound(it) => reaction::signals(it, Signals::Sound, trace),
        Check::Photo(it) => reaction::signals(it, Signals::Photo, trace),
        Check::Speech(it) => reaction::signals(it, Signals::Speech, trace),
        Check::Says(it) => reaction::says(it, trace),
        Check::Either(lists) => either(lists, trace),
    }
}

/// At least one list of checks holds as a whole.
fn either(lists: &[Vec<Check>], trace: &Trace) -> Finding {
    let judged: Vec<Vec<Finding>> =
        lists.iter().map(|list| list.iter().map(|each| check(each, trace)).collect()).collect();
    let held = judged.iter().find(|findings| findings.iter().all(|finding| finding.is_held));
    let words = |text: fn(&Finding) -> &str, findings: &[Finding]| {
        findings.iter().map(text).collect::<Vec<_>>().join(" and ")
    };
    let expected = judged.iter().map(|findings| words(|finding| &finding.expected, findings));
    let measured = match held {
        Some(findings) => words(|finding| &finding.measured, findings),
        None => {
            let all = judged.iter().map(|findings| words(|finding| &finding.measured, findings));
            all.collect::<Vec<_>>().join("; ")
        }
    };
    Finding::new(held.is_some(), expected.collect::<Vec<_>>().join(", or "), measured)
}

/// Returns the times at which an event begins, in the order of time, seconds.
fn onsets(event: &Event, trace: &Trace) -> Vec<f64> {
    if let Some(axis) = event.axis {
        let swings = Signal::of(trace, axis).swings_toward(
            event.direction.unwrap_or_default(),
            event.min_size.unwrap_or_else(|| axis.visible_size()),
        );
        return swings.iter().map(|swing| swing.onset_s).collect();
    }
    if let Some(axis) = event.back {
        let swings = Signal::of(trace, axis).swings(axis.visible_size());
        // What goes on to the other side at once only passes neutral.
        let passes = |swing: &Swing| {
            let next = swings.iter().find(|next| next.onset_s > swing.onset_s);
            next.is_some_and(|next| {
                next.direction != swing.direction
                    && swing.back_s.is_some_and(|back| next.onset_s - back < 0.2)
            })
        };
        let returned = |swing: &&Swing| swing.back_s.is_some() && swing.is_back_at_neutral && !passes(swing);
        return swings.iter().filter(returned).map(|swing| swing.departed_s).collect();
    }
    event.signal.map_or_else(Vec::new, |signal| signal_times(signal, trace))
}

/// Returns the times of signals, seconds.
fn signal_times(signal: Signals, trace: &Trace) -> Vec<f64> {
    trace.times_of(|kind| match signal {
        Signals::Sound => *kind == EventKind::Sound,
        Signals::Photo => *kind == EventKind::Photo,
        Signals::Speech => matches!(kind, EventKind::Speech { .. }),
    })
}

/// Returns an event in words.
fn event_words(event: &Event) -> String {
    if let Some(axis) = event.axis {
        return match event.direction {
            None | Some(super::axis::Direction::Any) => axis.to_string(),
            Some(direction) => format!("{axis} {direction}"),
        };
    }
    if let Some(axis) = event.back {
        return format!("{axis} back");
    }
    signal_word(event.signal.unwrap_or(Signals::Sound)).to_owned()
}

/// Returns the name of a signal.
fn signal_word(signal: Signals) -> &'static str {
    match signal {
        Signals::Sound => "sound",
        Signals::Photo => "photo",
        Signals::Speech => "speech",
    }
}

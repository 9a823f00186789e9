//! Checks on stimuli, sounds, photos and speech.

use super::super::axis::Part;
use super::super::cases::{Edge, Quiet, Reacts, Says, Signal as SignalKind, Signals, When};
use super::super::finding::{Finding, Limits};
use super::super::signal::{Interval, Signal};
use super::super::trace::{EventKind, Trace};
use super::posture::most_restless;
use super::{event_words, onsets, signal_times, signal_word};

/// Each start or end of a stimulus is followed by an event.
pub(super) fn reacts(check: &Reacts, trace: &Trace) -> Finding {
    let (starts, edge) = match check.at {
        Some(Edge::End) => (trace.ends_of(check.to), "the end of each"),
        _ => (trace.starts_of(check.to), "each"),
    };
    let onsets = onsets(&check.with, trace);
    let moving = check.with.axis.map(|axis| Signal::of(trace, axis).moving()).unwrap_or_default();
    let mut answered = 0;
    let mut delays = Vec::new();
    for start in &starts {
        let until = start + check.within;
        let onset = onsets.iter().find(|onset| (*start..=until).contains(*onset));
        // A motion that repeats may be on its way when the stimulus comes again.
        let is_on_its_way = !onsets.is_empty()
            && onsets.iter().any(|onset| onset < start)
            && moving.iter().any(|interval| interval.start_s <= *start && interval.end_s > *start);
        match onset {
            Some(onset) => {
                answered += 1;
                delays.push(format!("{:.1} s", onset - start));
            }
            None if is_on_its_way => {
                answered += 1;
                delays.push("at once".to_owned());
            }
            None => delays.push("never".to_owned()),
        }
    }
    Finding::new(
        !starts.is_empty() && answered == starts.len(),
        format!("{} within {} s of {edge} {}", event_words(&check.with), check.within, check.to),
        if starts.is_empty() { "no stimulus".to_owned() } else { delays.join(", ") },
    )
}

/// Nothing moves for a part of the run.
pub(super) fn quiet(check: &Quiet, trace: &Trace) -> Finding {
    let times = |wanted: fn(&EventKind) -> bool| trace.times_of(wanted);
    let end = trace.length_s();
    let (name, interval) = match check.when {
        When::Throughout => ("throughout", Some(Interval { start_s: 0.0, end_s: end })),
        When::Before => {
            let first =
                times(|kind| matches!(kind, EventKind::StimulusStart { .. })).into_iter().reduce(f64::min);
            ("before the stimulus", first.map(|first| Interval { start_s: 0.0, end_s: first }))
        }
        When::After => {
            let last =
                times(|kind| matches!(kind, EventKind::StimulusEnd { .. })).into_iter().reduce(f64::max);
            let from = last.map(|last| last + check.grace.unwrap_or(0.0));
            // A run that ends before has nothing that could move.
            ("after the stimulus", from.map(|from| Interval { start_s: from.min(end - 0.2), end_s: end }))
        }
    };
    let parts = check.parts.clone().unwrap_or_else(|| vec![Part::Everything]);
    let expected = format!("no motion {name}");
    let Some(interval) = interval else { return Finding::new(false, expected, "no stimulus") };
    let (axis, excess, deviation) = most_restless(&parts, trace, interval, None);
    Finding::new(excess <= 1.0, expected, format!("{axis} moved {deviation:.1} {}", axis.unit()))
}

/// The number of signals and the times between them.
pub(super) fn signals(check: &Signals, signal: SignalKind, trace: &Trace) -> Finding {
    let times = signal_times(signal, trace);
    let [exact, least] = [check.count, check.at_least].map(|number| number.map(f64::from));
    let number = Limits::new(exact.or(least), exact);
    let interval = Limits::new(check.min_interval, check.max_interval);
    let intervals: Vec<f64> = times.iter().zip(times.iter().skip(1)).map(|(one, next)| next - one).collect();
    let mut expected = match exact {
        Some(exact) => format!("{exact} of {}", signal_word(signal)),
        None => format!("{number} of {}", signal_word(signal)),
    };
    let mut measured = times.len().to_string();
    if interval != Limits::default() {
        expected = format!("{expected}, {interval} s from one to the next");
        let words: Vec<String> = intervals.iter().map(|interval| format!("{interval:.1} s")).collect();
        measured = format!("{measured} ({})", words.join(", "));
    }
    let is_held = number.contains(times.len() as f64) && intervals.iter().all(|one| interval.contains(*one));
    Finding::new(is_held, expected, measured)
}

/// Words occur in what is spoken.
pub(super) fn says(check: &Says, trace: &Trace) -> Finding {
    let spoken: Vec<String> = trace
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Speech { text } => Some(text.to_lowercase()),
            _ => None,
        })
        .collect();
    let spoken = spoken.join(" / ");
    let is_held = check.contains.iter().all(|words| spoken.contains(&words.to_lowercase()));
    let measured = if spoken.is_empty() { "nothing spoken".to_owned() } else { format!("`{spoken}`") };
    Finding::new(is_held, format!("`{}` spoken", check.contains.join("`, `")), measured)
}

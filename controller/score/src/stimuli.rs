//! When events happen around the robot.

use serde::{Deserialize, Serialize};

use crate::score::Event;

/// An event with its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSpan {
    /// The event.
    pub event: Event,
    /// When it begins, seconds from the start of the call.
    pub from: f64,
    /// When it ends, seconds.
    pub to: f64,
}

/// A schedule of events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stimuli {
    spans: Vec<EventSpan>,
    is_slowest: bool,
}

/// How long an event that was seen still holds for `as_long_as`, seconds.
const HOLD_SECONDS: f64 = 0.5;

impl Stimuli {
    /// Creates a schedule. Spans with a time that is not a number never hold.
    #[must_use]
    pub fn new(spans: Vec<EventSpan>) -> Self {
        Stimuli { spans, is_slowest: false }
    }

    /// The events come as late as possible and last as long as possible, so a call takes the longest time.
    pub(crate) fn slowest() -> Self {
        Stimuli { spans: Vec::new(), is_slowest: true }
    }

    /// Returns the events with their times.
    #[must_use]
    pub fn spans(&self) -> &[EventSpan] {
        &self.spans
    }

    /// Returns whether an event holds at a time.
    #[must_use]
    pub fn holds(&self, event: &Event, at: f64) -> bool {
        self.is_slowest || self.of(event).any(|span| span.from <= at && at < span.to)
    }

    /// Returns the first time from `from` and before `until` at which an event holds.
    #[must_use]
    pub fn next(&self, event: &Event, from: f64, until: f64) -> Option<f64> {
        if self.is_slowest {
            return (from < until).then_some(until);
        }
        self.of(event)
            .filter(|span| span.from < span.to && from < span.to)
            .map(|span| span.from.max(from))
            .filter(|time| *time < until)
            .min_by(f64::total_cmp)
    }

    /// Returns when an event that holds at `from` has ended, at most `until`. A gap of half a second is none.
    #[must_use]
    pub fn end(&self, event: &Event, from: f64, until: f64) -> f64 {
        if self.is_slowest {
            return until;
        }
        if !self.holds(event, from) {
            return from;
        }
        let mut spans: Vec<&EventSpan> =
            self.of(event).filter(|span| span.from < span.to && from < span.to).collect();
        spans.sort_by(|one, other| one.from.total_cmp(&other.from));
        let seen = spans
            .into_iter()
            .fold(from, |seen, span| if span.from <= seen + HOLD_SECONDS { seen.max(span.to) } else { seen });
        (seen + HOLD_SECONDS).min(until)
    }

    fn of<'a>(&'a self, event: &'a Event) -> impl Iterator<Item = &'a EventSpan> {
        self.spans.iter().filter(move |span| span.event == *event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_and_end_after_their_last_span() {
        let face = |from, to| EventSpan { event: Event::Face, from, to };
        let stimuli = Stimuli::new(vec![face(5.0, 6.0), face(2.0, 3.0), face(3.3, 4.0), face(f64::NAN, 9.0)]);
        assert_eq!(stimuli.next(&Event::Face, 0.0, 9.0), Some(2.0));
        assert_eq!(stimuli.next(&Event::Face, 2.5, 9.0), Some(2.5));
        assert_eq!(stimuli.next(&Event::Face, 6.0, 9.0), None);
        assert_eq!(stimuli.next(&Event::Face, 0.0, 2.0), None);
        assert_eq!(stimuli.next(&Event::Clap, 0.0, 9.0), None);
        assert_eq!(stimuli.end(&Event::Face, 2.0, 20.0), 4.5);
        assert_eq!(stimuli.end(&Event::Face, 2.0, 4.2), 4.2);
        assert_eq!(stimuli.end(&Event::Face, 1.0, 20.0), 1.0);
    }
}

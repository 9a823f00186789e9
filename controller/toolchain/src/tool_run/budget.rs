//! Counts a tool's use of the context: camera frames in total and per second of robot time, and motions per second.
//!
//! A tool that exceeds such a budget is stopped, as with every other budget. It could swallow an exception and continue
//! to ask in its loop. The only exception is a tool that requests frames too fast. It first gets a Python exception, so
//! that it can clean up. However it ends then, it has exceeded its budget. The author is told the limit, the use and
//! what to do.

use std::collections::VecDeque;
use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use minismith_protocol::{HostCall, Limits};

use super::Outcome;

const SECOND: Duration = Duration::from_secs(1);

/// The window for the frame rate. A tool that paces itself by the clock is sometimes slightly early.
const FRAME_WINDOW: Duration = Duration::from_millis(990);

/// The reason why a host call exceeds the budget.
pub(super) enum LimitReached {
    /// The tool gets an exception.
    Warned(String),
    /// The tool is stopped.
    Stopped(Outcome),
}

/// The use of the budgets. The host counts it, and no value comes from the guest.
pub(super) struct BudgetUse {
    limits: Limits,
    frames: u64,
    /// Times of the frames sent in the last second.
    images: VecDeque<Timestamp>,
    /// The reason why a frame was refused that came too soon after the others.
    is_warned: Option<String>,
    /// Times of the motions requested in the last second.
    motions: VecDeque<Timestamp>,
}

impl BudgetUse {
    pub(super) const fn of(limits: Limits) -> Self {
        BudgetUse { limits, frames: 0, images: VecDeque::new(), is_warned: None, motions: VecDeque::new() }
    }

    /// Counts a host call at this time, or returns why it exceeds the budget.
    pub(super) fn count(&mut self, cue: &HostCall, now: Timestamp) -> Result<(), LimitReached> {
        match cue {
            HostCall::Frame { .. } => self.frame(now),
            HostCall::Goto { .. }
            | HostCall::SetTarget { .. }
            | HostCall::Play { .. }
            | HostCall::LookAt { .. }
            | HostCall::Wake
            | HostCall::Rest => self.motion(now).map_err(LimitReached::Stopped),
            _ => Ok(()),
        }
    }

    /// Returns the outcome of a tool that exceeded its frame rate, whatever the tool itself reports.
    pub(super) fn broken(&self) -> Option<Outcome> {
        self.is_warned.as_ref().map(|reason| Outcome::stopped("frames_per_second", reason))
    }

    fn frame(&mut self, now: Timestamp) -> Result<(), LimitReached> {
        self.frames = self.frames.saturating_add(1);
        let (used, limit) = (self.frames, self.limits.frames);
        if used <= limit {
            return self.limit_rate(now);
        }
        let reason = format!(
            "the tool asked for image {used}, its budget is {limit} images; take fewer, with more time in between"
        );
        Err(LimitReached::Stopped(Outcome::stopped("frames", reason)))
    }

    /// Limits the frame rate. The first frame beyond it is refused, and the second one ends the tool.
    fn limit_rate(&mut self, now: Timestamp) -> Result<(), LimitReached> {
        forget(&mut self.images, now, FRAME_WINDOW);
        let limit = self.limits.frames_per_second;
        if (self.images.len() as u64) < limit {
            self.images.push_back(now);
            return Ok(());
        }
        if let Some(outcome) = self.broken() {
            return Err(LimitReached::Stopped(outcome));
        }
        let reason = format!(
            "the tool asked for more than {limit} images in a second of its time; wait with time.sleep(1 / {limit}) \
             between images, since the camera has no newer ones"
        );
        self.is_warned = Some(reason.clone());
        Err(LimitReached::Warned(reason))
    }

    fn motion(&mut self, now: Timestamp) -> Result<(), Outcome> {
        forget(&mut self.motions, now, SECOND);
        self.motions.push_back(now);
        let (used, limit) = (self.motions.len() as u64, self.limits.motions_per_second);
        if used <= limit {
            return Ok(());
        }
        let reason = format!(
            "the tool asked for {used} motions within one second, its budget is {limit}; let it sleep in between, or \
             play one motion instead of many targets"
        );
        Err(Outcome::stopped("motions_per_second", reason))
    }
}

/// Removes the times that are at least `age` old.
fn forget(asked: &mut VecDeque<Timestamp>, now: Timestamp, age: Duration) {
    while asked.front().is_some_and(|asked| now.since(*asked) >= age) {
        asked.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(motions_per_second: u64) -> BudgetUse {
        BudgetUse::of(Limits { motions_per_second, frames: 2, ..Limits::DEFAULT })
    }

    const FRAME: HostCall = HostCall::Frame { slot: None };

    fn limit(counted: Result<(), LimitReached>) -> Option<String> {
        match counted.err()? {
            LimitReached::Warned(reason) => Some(format!("told: {reason}")),
            LimitReached::Stopped(Outcome::Stopped { limit, .. }) => Some(limit),
            LimitReached::Stopped(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn motions_are_counted_in_a_sliding_second() {
        let mut used = used(10);
        let millisecond = |number: u64| Timestamp(number * 1_000_000);
        // Ten motions in the last tenth of a second, and the next ones as those leave the window.
        for number in 0..10 {
            assert_eq!(limit(used.count(&HostCall::Wake, millisecond(900 + number * 10))), None);
        }
        assert_eq!(limit(used.count(&HostCall::Rest, millisecond(1_900))), None);
        assert_eq!(
            limit(used.count(&HostCall::Rest, millisecond(1_909))).as_deref(),
            Some("motions_per_second")
        );
    }

    #[test]
    fn calls_one_millisecond_apart_stay_within_a_thousand_per_second() {
        let mut used = used(1_000);
        for number in 0..5_000 {
            assert_eq!(
                limit(used.count(&HostCall::Wake, Timestamp(number * minismith_protocol::HOST_CALL_COST))),
                None
            );
        }
        assert_eq!(used.motions.len(), 1_000);
    }

    #[test]
    fn only_frame_calls_count_as_frames() {
        let mut used = used(1);
        for cue in [FRAME, HostCall::State, FRAME, HostCall::Sleep { seconds: 1.0 }] {
            assert_eq!(limit(used.count(&cue, Timestamp::ZERO)), None);
        }
        assert_eq!(limit(used.count(&FRAME, Timestamp::ZERO)).as_deref(), Some("frames"));
    }

    #[test]
    fn the_31st_frame_in_a_second_is_refused_and_the_next_one_ends_the_tool() {
        let usual = || BudgetUse::of(Limits::DEFAULT);
        // The interval of the clock, each time a third of a nanosecond short.
        let (mut used, interval) = (usual(), 33_333_333);
        for number in 0..300 {
            assert_eq!(limit(used.count(&FRAME, Timestamp(number * interval))), None);
        }
        assert_eq!(used.broken(), None);
        let mut used = usual();
        for number in 0..30 {
            assert_eq!(
                limit(used.count(&FRAME, Timestamp(number * minismith_protocol::HOST_CALL_COST))),
                None
            );
        }
        let reported = limit(used.count(&FRAME, Timestamp(989_999_999))).unwrap();
        assert!(
            reported.contains("more than 30 images") && reported.contains("time.sleep(1 / 30)"),
            "{reported}"
        );
        // A tool that waits now gets frames again, but it has exceeded the budget.
        assert_eq!(limit(used.count(&FRAME, Timestamp(990_000_000))), None);
        assert!(
            matches!(used.broken(), Some(Outcome::Stopped { limit, .. }) if limit == "frames_per_second")
        );
        assert_eq!(limit(used.count(&FRAME, Timestamp(990_000_001))).as_deref(), Some("frames_per_second"));
    }

    #[test]
    fn a_frame_rate_of_zero_refuses_every_frame() {
        let mut used = BudgetUse::of(Limits { frames_per_second: 0, ..Limits::DEFAULT });
        assert!(limit(used.count(&FRAME, Timestamp::ZERO)).is_some());
    }
}

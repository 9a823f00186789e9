//! What a tool has used of the stage: pictures, and motions in any one second of stage time.
//!
//! A tool that uses up such a budget is stopped, as it is by every other one: an exception could be swallowed, and the
//! loop would go on asking. The author is told the limit, the use and what to do.

use std::collections::VecDeque;
use std::time::Duration;

use firmware_bridge::clock::Tick;
use minismith_wire::{Cue, Limits};

use super::Outcome;

const SECOND: Duration = Duration::from_secs(1);

/// Counted by the host; nothing that a guest says about itself is in it.
pub(super) struct Used {
    limits: Limits,
    frames: u64,
    /// When motions were asked for: those of the last second.
    motions: VecDeque<Tick>,
}

impl Used {
    pub(super) const fn of(limits: Limits) -> Self {
        Used { limits, frames: 0, motions: VecDeque::new() }
    }

    /// Counts a cue that is asked for now; why it may not be, if the budget does not hold it.
    pub(super) fn count(&mut self, cue: &Cue, now: Tick) -> Result<(), Outcome> {
        match cue {
            Cue::Frame => self.frame(),
            Cue::Goto { .. }
            | Cue::SetTarget { .. }
            | Cue::Play { .. }
            | Cue::LookAt { .. }
            | Cue::Wake
            | Cue::Rest => self.motion(now),
            _ => Ok(()),
        }
    }

    fn frame(&mut self) -> Result<(), Outcome> {
        self.frames = self.frames.saturating_add(1);
        let (used, limit) = (self.frames, self.limits.frames);
        if used <= limit {
            return Ok(());
        }
        let reason = format!(
            "the tool asked for picture {used}, its budget is {limit} pictures; take fewer, with more time in between"
        );
        Err(Outcome::stopped("frames", reason))
    }

    fn motion(&mut self, now: Tick) -> Result<(), Outcome> {
        while self.motions.front().is_some_and(|asked| now.since(*asked) >= SECOND) {
            self.motions.pop_front();
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn used(motions_per_second: u64) -> Used {
        Used::of(Limits { motions_per_second, frames: 2, ..Limits::USUAL })
    }

    fn limit(counted: Result<(), Outcome>) -> Option<String> {
        match counted.err()? {
            Outcome::Stopped { limit, .. } => Some(limit),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_second_slides() {
        let mut used = used(10);
        let millisecond = |number: u64| Tick(number * 1_000_000);
        // Ten in its last tenth, and the next ones as those leave the second.
        for number in 0..10 {
            assert_eq!(limit(used.count(&Cue::Wake, millisecond(900 + number * 10))), None);
        }
        assert_eq!(limit(used.count(&Cue::Rest, millisecond(1_900))), None);
        assert_eq!(limit(used.count(&Cue::Rest, millisecond(1_909))).as_deref(), Some("motions_per_second"));
    }

    #[test]
    fn a_millisecond_a_cue_is_never_more_than_a_thousand() {
        let mut used = used(1_000);
        for number in 0..5_000 {
            assert_eq!(limit(used.count(&Cue::Wake, Tick(number * minismith_wire::CUE_COST))), None);
        }
        assert_eq!(used.motions.len(), 1_000);
    }

    #[test]
    fn only_pictures_are_pictures() {
        let mut used = used(1);
        for cue in [Cue::Frame, Cue::State, Cue::Frame, Cue::Sleep { seconds: 1.0 }] {
            assert_eq!(limit(used.count(&cue, Tick::ZERO)), None);
        }
        assert_eq!(limit(used.count(&Cue::Frame, Tick::ZERO)).as_deref(), Some("frames"));
    }
}

//! What a tool has used of the stage: pictures, in all and in any one second of stage time, and motions in any one
//! second.
//!
//! A tool that uses up such a budget is stopped, as it is by every other one: an exception could be swallowed, and the
//! loop would go on asking. Only of pictures that come too fast a tool is told first, by an exception, so that it can
//! put in order what it has begun; however it ends then, it has broken its budget. The author is told the limit, the use
//! and what to do.

use std::collections::VecDeque;
use std::time::Duration;

use firmware_bridge::clock::Tick;
use minismith_wire::{Cue, Limits};

use super::Outcome;

const SECOND: Duration = Duration::from_secs(1);

/// A second of pictures. A tool that keeps its pace by the clock is a little early now and then.
const PICTURES: Duration = Duration::from_millis(990);

/// Why a cue is beyond the budget.
pub(super) enum Over {
    /// The tool is told, by an exception.
    Told(String),
    /// The tool is stopped.
    Stopped(Outcome),
}

/// Counted by the host; nothing that a guest says about itself is in it.
pub(super) struct Used {
    limits: Limits,
    frames: u64,
    /// When pictures were given: those of the last second.
    pictures: VecDeque<Tick>,
    /// Why the last picture was refused that came too soon after the others.
    told: Option<String>,
    /// When motions were asked for: those of the last second.
    motions: VecDeque<Tick>,
}

impl Used {
    pub(super) const fn of(limits: Limits) -> Self {
        Used { limits, frames: 0, pictures: VecDeque::new(), told: None, motions: VecDeque::new() }
    }

    /// Counts a cue that is asked for now; why it may not be, if the budget does not hold it.
    pub(super) fn count(&mut self, cue: &Cue, now: Tick) -> Result<(), Over> {
        match cue {
            Cue::Frame { .. } => self.frame(now),
            Cue::Goto { .. }
            | Cue::SetTarget { .. }
            | Cue::Play { .. }
            | Cue::LookAt { .. }
            | Cue::Wake
            | Cue::Rest => self.motion(now).map_err(Over::Stopped),
            _ => Ok(()),
        }
    }

    /// What a tool that was told of its budget has come to, whatever it says itself.
    pub(super) fn broken(&self) -> Option<Outcome> {
        self.told.as_ref().map(|reason| Outcome::stopped("frames_per_second", reason))
    }

    fn frame(&mut self, now: Tick) -> Result<(), Over> {
        self.frames = self.frames.saturating_add(1);
        let (used, limit) = (self.frames, self.limits.frames);
        if used <= limit {
            return self.pace(now);
        }
        let reason = format!(
            "the tool asked for picture {used}, its budget is {limit} pictures; take fewer, with more time in between"
        );
        Err(Over::Stopped(Outcome::stopped("frames", reason)))
    }

    /// The first picture too soon is refused, the second one is the tool's end.
    fn pace(&mut self, now: Tick) -> Result<(), Over> {
        forget(&mut self.pictures, now, PICTURES);
        let limit = self.limits.frames_per_second;
        if (self.pictures.len() as u64) < limit {
            self.pictures.push_back(now);
            return Ok(());
        }
        if let Some(outcome) = self.broken() {
            return Err(Over::Stopped(outcome));
        }
        let reason = format!(
            "the tool asked for more than {limit} pictures in a second of its time; wait with time.sleep(1 / {limit}) \
             between pictures: the camera has no newer ones to give"
        );
        self.told = Some(reason.clone());
        Err(Over::Told(reason))
    }

    fn motion(&mut self, now: Tick) -> Result<(), Outcome> {
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

/// Forgets what was so long ago.
fn forget(asked: &mut VecDeque<Tick>, now: Tick, age: Duration) {
    while asked.front().is_some_and(|asked| now.since(*asked) >= age) {
        asked.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(motions_per_second: u64) -> Used {
        Used::of(Limits { motions_per_second, frames: 2, ..Limits::USUAL })
    }

    const FRAME: Cue = Cue::Frame { slot: None };

    fn limit(counted: Result<(), Over>) -> Option<String> {
        match counted.err()? {
            Over::Told(reason) => Some(format!("told: {reason}")),
            Over::Stopped(Outcome::Stopped { limit, .. }) => Some(limit),
            Over::Stopped(other) => panic!("{other:?}"),
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
        for cue in [FRAME, Cue::State, FRAME, Cue::Sleep { seconds: 1.0 }] {
            assert_eq!(limit(used.count(&cue, Tick::ZERO)), None);
        }
        assert_eq!(limit(used.count(&FRAME, Tick::ZERO)).as_deref(), Some("frames"));
    }

    #[test]
    fn thirty_pictures_a_second_are_given_and_a_31st_is_told_then_ends_the_tool() {
        let usual = || Used::of(Limits::USUAL);
        // The pace of the clock, a third of a nanosecond short each time.
        let (mut used, pace) = (usual(), 33_333_333);
        for number in 0..300 {
            assert_eq!(limit(used.count(&FRAME, Tick(number * pace))), None);
        }
        assert_eq!(used.broken(), None);
        let mut used = usual();
        for number in 0..30 {
            assert_eq!(limit(used.count(&FRAME, Tick(number * minismith_wire::CUE_COST))), None);
        }
        let told = limit(used.count(&FRAME, Tick(989_999_999))).unwrap();
        assert!(told.contains("more than 30 pictures") && told.contains("time.sleep(1 / 30)"), "{told}");
        // Who waits now is given pictures again, but has broken the budget.
        assert_eq!(limit(used.count(&FRAME, Tick(990_000_000))), None);
        assert!(
            matches!(used.broken(), Some(Outcome::Stopped { limit, .. }) if limit == "frames_per_second")
        );
        assert_eq!(limit(used.count(&FRAME, Tick(990_000_001))).as_deref(), Some("frames_per_second"));
    }

    #[test]
    fn who_may_take_none_is_given_none() {
        let mut used = Used::of(Limits { frames_per_second: 0, ..Limits::USUAL });
        assert!(limit(used.count(&FRAME, Tick::ZERO)).is_some());
    }
}

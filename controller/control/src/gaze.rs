//! Follows a face on a stage: picture by picture, what was found becomes a track, and the track an aim of the head.
//!
//! Threads: the caller's, which is never the beat's. Units and frames: as `minismith_senses`. Safety: every aim is a motion
//! like any other, planned and passed by the envelope; a halt ends it, and it does not begin again by itself.

use std::time::Duration;

use firmware_bridge::clock::Tick;
use firmware_bridge::motion::{Motion, Refusal, Target};
use firmware_bridge::posture::HeadPose;
use minismith_senses::gaze::{Follower, Manner, Phase};
use minismith_senses::track::{Track, Tracker};

use crate::eyes::{FRAMES_PER_SECOND, NoSight};
use crate::stage::{Stage, ramp};

/// The time between two pictures.
pub const PICTURE: Duration = Duration::from_nanos(1_000_000_000 / FRAMES_PER_SECOND as u64);

/// For how long a face that is not found is followed where it should be.
const BLINK: Duration = Duration::from_millis(400);

/// A face as clients of the official SDK know it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenFace {
    /// Of the tip of the nose: from -1, the left edge, to 1, the right one.
    pub x: f64,
    /// From -1, the top, to 1, the bottom.
    pub y: f64,
    /// How far it leans to the right in the picture, radians.
    pub roll: f64,
    /// When the picture was taken.
    pub at: Tick,
}

/// Somebody who follows a face.
pub struct Gaze {
    tracker: Tracker,
    follower: Follower,
    chosen: Option<u32>,
    /// The last frame that was looked at, and when it was taken.
    frame: Option<(u64, Tick)>,
    seen: Option<SeenFace>,
    begun: bool,
}

impl Gaze {
    /// Follows in this manner, and returns to where the head is told to be now when there is nobody.
    #[must_use]
    pub fn new(manner: Manner, base: HeadPose) -> Self {
        Gaze {
            tracker: Tracker::default(),
            follower: Follower::new(manner, base),
            chosen: None,
            frame: None,
            seen: None,
            begun: false,
        }
    }

    /// Looks at the newest picture, if there is a new one.
    ///
    /// # Errors
    /// Why nothing can be seen.
    pub fn look(&mut self, stage: &mut Stage) -> Result<(), NoSight> {
        let sighting = stage.faces()?;
        let (number, at) = (sighting.frame.number, sighting.frame.from.at);
        if self.frame.is_some_and(|(known, _)| known == number) {
            return Ok(());
        }
        self.frame = Some((number, at));
        self.tracker.see(at, &sighting.found);
        // Who is followed is followed until lost; then the one that is largest in the picture, which is the nearest.
        if self.chosen.and_then(|id| self.tracker.track(id)).is_none() {
            let believed = self.tracker.tracks().iter().filter(|track| track.is_believed());
            let area = |track: &Track| track.last.bounds.width * track.last.bounds.height;
            let nearest = believed.max_by(|one, other| area(one).total_cmp(&area(other)));
            self.chosen = nearest.map(|track| track.id);
        }
        let side = |pixel: f64, pixels: usize| 2.0 * pixel / (pixels.max(2) - 1) as f64 - 1.0;
        let (width, height) = (sighting.picture.width, sighting.picture.height);
        self.seen = self.track().filter(|track| track.seen_at == at).map(|track| SeenFace {
            x: side(track.last.pixel.0, width),
            y: side(track.last.pixel.1, height),
            roll: track.last.roll,
            at,
        });
        Ok(())
    }

    /// The face that is followed, as it is in the newest picture; none when it is not in it.
    #[must_use]
    pub const fn seen(&self) -> Option<SeenFace> {
        self.seen
    }

    /// The one that is followed.
    #[must_use]
    pub fn track(&self) -> Option<&Track> {
        self.tracker.track(self.chosen?)
    }

    /// Forgets where it aimed: it goes on from where the head is told to be then.
    pub const fn let_go(&mut self) {
        self.follower.let_go();
        self.begun = false;
    }

    /// What it is doing.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.follower.phase()
    }

    /// Turns the head towards the face, for as long as one picture lasts; does not wait. Whether it moves.
    ///
    /// # Errors
    /// Why the body does not move at all. A pose that is out of reach is left out.
    pub fn aim(&mut self, stage: &mut Stage) -> Result<bool, Refusal> {
        let now = stage.conductor.stage_now();
        let period = stage.conductor.period();
        // What is aimed at now is reached when the next picture is taken.
        let ahead = now + PICTURE;
        let target =
            self.track().filter(|track| now.since(track.seen_at) <= BLINK).map(|track| track.place_at(ahead));
        let from = stage.commanded_posture().map_or_else(HeadPose::neutral, |posture| posture.head);
        let Some(head) = self.follower.step(now, &from, target.as_ref()) else { return Ok(false) };
        let over = ramp(Some(PICTURE), period);
        let motion = Motion::SetTarget { target: Target { head: Some(head), ..Target::default() }, over };
        match stage.plan(&motion) {
            Ok(trajectory) => {
                stage.follow(trajectory, !self.begun);
                self.begun = true;
                Ok(true)
            }
            Err(Refusal::Unreachable(_) | Refusal::BeyondServo { .. }) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }
}

/// The first beat after this moment at which a camera has a new picture.
#[must_use]
pub fn next_picture(now: Tick, period: Duration) -> Tick {
    let next = u128::from(crate::eyes::picture_at(now) + 1);
    let nanos = (next * 1_000_000_000).div_ceil(u128::from(FRAMES_PER_SECOND));
    Tick(u64::try_from(nanos.next_multiple_of(period.as_nanos().max(1))).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_picture_is_on_a_beat_and_always_ahead() {
        for period in [2_500_000, 10_000_000, 20_000_000, 100_000_000] {
            let (period, mut now) = (Duration::from_nanos(period), Tick::ZERO);
            for _ in 0..100 {
                let next = next_picture(now, period);
                assert!(next > now && u128::from(next.0) % period.as_nanos() == 0, "{now:?} {next:?}");
                assert!(crate::eyes::picture_at(next) > crate::eyes::picture_at(now));
                now = next;
            }
        }
    }
}

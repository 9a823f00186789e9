//! Follows a face in an execution context: from detections to a track, and from the track to an aim of the head.
//!
//! Threads: the caller's, which is never that of the control loop. Units and frames: as in `minismith_perception`. Safety:
//! every aim is an ordinary motion, planned and limited by the envelope. A stop ends the following, which does not
//! restart by itself.

use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use firmware_bridge::motion::{MotionError, Target};
use firmware_bridge::posture::HeadPose;
use minismith_perception::gaze::{FollowOptions, FollowPhase, Follower};
use minismith_perception::track::{Track, Tracker};

use crate::execution::ExecutionContext;
use crate::perception::{FRAMES_PER_SECOND, PerceptionError};

/// Interval between two images.
pub const FRAME_INTERVAL: Duration = Duration::from_nanos(1_000_000_000 / FRAMES_PER_SECOND as u64);

/// Time for which a lost face is followed at its predicted position.
const MAX_PREDICTION: Duration = Duration::from_millis(400);

/// A face in the coordinates of the official SDK.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenFace {
    /// Horizontal position of the tip of the nose, from -1 (left edge) to 1 (right edge).
    pub x: f64,
    /// Vertical position, from -1 (top) to 1 (bottom).
    pub y: f64,
    /// Tilt to the right in the image, radians.
    pub roll: f64,
    /// Time of the image.
    pub at: Timestamp,
}

/// A follower of faces.
pub struct Gaze {
    tracker: Tracker,
    follower: Follower,
    chosen: Option<u32>,
    /// The last processed frame and its time.
    frame: Option<(u64, Timestamp)>,
    seen: Option<SeenFace>,
    begun: bool,
}

impl Gaze {
    /// Creates a follower that returns to the present goal pose of the head if there is no face.
    #[must_use]
    pub fn new(manner: FollowOptions, base: HeadPose) -> Self {
        Gaze {
            tracker: Tracker::default(),
            follower: Follower::new(manner, base),
            chosen: None,
            frame: None,
            seen: None,
            begun: false,
        }
    }

    /// Processes the latest image, if it is new.
    ///
    /// # Errors
    /// Returns the reason why detection is impossible.
    pub fn look(&mut self, context: &mut ExecutionContext) -> Result<(), PerceptionError> {
        let sighting = context.faces()?;
        let (number, at) = (sighting.frame.seq, sighting.frame.from.time);
        if self.frame.is_some_and(|(known, _)| known == number) {
            return Ok(());
        }
        self.frame = Some((number, at));
        self.tracker.see(at, &sighting.found);
        // The same face is followed until it is lost. Then the largest face follows, which is the nearest.
        if self.chosen.and_then(|id| self.tracker.track(id)).is_none() {
            let believed = self.tracker.tracks().iter().filter(|track| track.is_believed());
            let area = |track: &Track| track.last.bounds.width * track.last.bounds.height;
            let nearest = believed.max_by(|one, other| area(one).total_cmp(&area(other)));
            self.chosen = nearest.map(|track| track.id);
        }
        let side = |pixel: f64, pixels: usize| 2.0 * pixel / (pixels.max(2) - 1) as f64 - 1.0;
        let (width, height) = (sighting.image.width, sighting.image.height);
        self.seen = self.track().filter(|track| track.seen_at == at).map(|track| SeenFace {
            x: side(track.last.pixel.0, width),
            y: side(track.last.pixel.1, height),
            roll: track.last.roll,
            at,
        });
        Ok(())
    }

    /// Returns the followed face in the latest image, or `None` if it is not in it.
    #[must_use]
    pub const fn seen(&self) -> Option<SeenFace> {
        self.seen
    }

    /// Returns the track of the followed face.
    #[must_use]
    pub fn track(&self) -> Option<&Track> {
        self.tracker.track(self.chosen?)
    }

    /// Forgets the last aim. The next one starts from the goal pose at that time.
    pub const fn let_go(&mut self) {
        self.follower.let_go();
        self.begun = false;
    }

    /// Returns the phase of the following.
    #[must_use]
    pub const fn phase(&self) -> FollowPhase {
        self.follower.phase()
    }

    /// Turns the head towards the face for the duration of one image, without waiting. Returns whether it moves.
    ///
    /// # Errors
    /// Returns the reason why the robot cannot move. An unreachable pose is skipped.
    pub fn aim(&mut self, context: &mut ExecutionContext) -> Result<bool, MotionError> {
        let now = context.control.robot_time();
        let period = context.control.period();
        // The present aim is reached when the next image is taken.
        let ahead = now + FRAME_INTERVAL;
        let target = self
            .track()
            .filter(|track| now.since(track.seen_at) <= MAX_PREDICTION)
            .map(|track| track.position_at(ahead));
        let from = context.commanded_posture().map_or_else(HeadPose::neutral, |posture| posture.head);
        let Some(head) = self.follower.step(now, &from, target.as_ref()) else { return Ok(false) };
        let over = FRAME_INTERVAL.max(period);
        let target = Target { head: Some(head), ..Target::default() };
        match context.set_target(&target, now, Some(over), !self.begun) {
            Ok(_) => {
                self.begun = true;
                Ok(true)
            }
            Err(MotionError::Unreachable(_) | MotionError::JointLimit { .. }) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }
}

/// Returns the first cycle after this time at which the camera has a new image.
#[must_use]
pub fn next_image(now: Timestamp, period: Duration) -> Timestamp {
    let next = u128::from(crate::perception::image_at(now) + 1);
    let nanos = (next * 1_000_000_000).div_ceil(u128::from(FRAMES_PER_SECOND));
    Timestamp(u64::try_from(nanos.next_multiple_of(period.as_nanos().max(1))).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_image_is_on_a_later_cycle() {
        for period in [2_500_000, 10_000_000, 20_000_000, 100_000_000] {
            let (period, mut now) = (Duration::from_nanos(period), Timestamp::ZERO);
            for _ in 0..100 {
                let next = next_image(now, period);
                assert!(next > now && u128::from(next.0) % period.as_nanos() == 0, "{now:?} {next:?}");
                assert!(crate::perception::image_at(next) > crate::perception::image_at(now));
                now = next;
            }
        }
    }
}

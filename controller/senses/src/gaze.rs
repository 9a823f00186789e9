//! Where the head has to be to look at something, and how it follows: pure.
//!
//! Frames: the world's, metres; angles of the head as [`RollPitchYaw`], pitch positive down. Safety: what comes of this is a
//! wish like any other; the envelope decides.

use std::time::Duration;

use firmware_bridge::camera::head_from_camera;
use firmware_bridge::clock::Tick;
use firmware_bridge::posture::{HeadPose, RollPitchYaw};
use firmware_bridge::units::Radians;
use nalgebra::Point3;

/// How far the head looks up and down of itself.
const STEEPEST: f64 = 0.6;

/// The pose of a head at the middle of its reach whose camera has this point in the middle of its picture. A point too near
/// to say gives the neutral pose.
#[must_use]
pub fn looking_at(point: &Point3<f64>) -> HeadPose {
    let camera = head_from_camera().translation.vector;
    let (level, azimuth) = (point.x.hypot(point.y), point.y.atan2(point.x));
    let distance = level.hypot(point.z);
    if !distance.is_finite() || distance <= camera.norm() + 0.01 {
        return HeadPose::neutral();
    }
    // The camera looks along the head's x from above its middle, so the head bows a little more than to the point itself.
    let pitch = (camera.z / distance).asin() - point.z.atan2(level);
    turned(azimuth, pitch)
}

/// A head at the middle of its reach, turned to the left and bowed by so much, radians.
#[must_use]
pub fn turned(yaw: f64, pitch: f64) -> HeadPose {
    let angles = RollPitchYaw {
        roll: Radians::ZERO,
        pitch: Radians(pitch.clamp(-STEEPEST, STEEPEST)),
        yaw: Radians(yaw),
    };
    HeadPose::new(0.0, 0.0, 0.0, angles)
}

/// Between two poses: 0 is the first, 1 the other. The shortest turn and the straight way.
#[must_use]
pub fn between(one: &HeadPose, other: &HeadPose, part: f64) -> HeadPose {
    let part = part.clamp(0.0, 1.0);
    let translation = one.0.translation.vector.lerp(&other.0.translation.vector, part);
    let rotation = one.0.rotation.try_slerp(&other.0.rotation, part, 1e-9).unwrap_or(other.0.rotation);
    HeadPose(nalgebra::Isometry3::from_parts(translation.into(), rotation))
}

/// How a head follows.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Where the head would be without: 0 stays there, 1 goes all the way to the target.
    pub weight: f64,
    /// How fast the aim turns at most, radians per second.
    pub speed: f64,
    /// How far the target may be from the aim before the head moves at all, radians.
    pub calm: f64,
    /// For how long it looks where a lost target was, before it returns to where it began.
    pub patience: Duration,
}

impl Default for Manner {
    /// As the official software: patience of two seconds. The speed is that of a person who turns to somebody.
    fn default() -> Self {
        Manner { weight: 1.0, speed: 2.5, calm: 0.008, patience: Duration::from_secs(2) }
    }
}

/// What a follower is doing.
///
/// ```text
/// Waiting --seen--> Following --unseen--> Holding --patience--> Returning --there--> Waiting
///                      ^------------seen-----/-------------------/
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing was there to follow.
    Waiting,
    /// It follows.
    Following,
    /// What it followed is gone; it looks where that was.
    Holding,
    /// It goes back to where it began.
    Returning,
}

/// A head that follows a target.
#[derive(Clone, Debug)]
pub struct Follower {
    manner: Manner,
    base: HeadPose,
    aim: Option<HeadPose>,
    stepped_at: Tick,
    seen_at: Tick,
    phase: Phase,
}

impl Follower {
    /// One that begins here and returns here when its target is gone.
    #[must_use]
    pub const fn new(manner: Manner, base: HeadPose) -> Self {
        Follower {
            manner,
            base,
            aim: None,
            stepped_at: Tick::ZERO,
            seen_at: Tick::ZERO,
            phase: Phase::Waiting,
        }
    }

    /// What it is doing.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Forgets where it aimed: it goes on from where the head is told to be then.
    pub const fn let_go(&mut self) {
        self.aim = None;
    }

    /// The head's pose to go to now: `from` is where it is commanded to be, `target` where what it follows is, if that is
    /// seen. None means that it stays.
    pub fn step(&mut self, now: Tick, from: &HeadPose, target: Option<&Point3<f64>>) -> Option<HeadPose> {
        let passed = now.since(self.stepped_at).as_secs_f64().min(0.1);
        self.stepped_at = now;
        let wish = match (target, self.phase) {
            (Some(point), _) => {
                (self.phase, self.seen_at) = (Phase::Following, now);
                between(&self.base, &looking_at(point), self.manner.weight)
            }
            (None, Phase::Waiting) => return None,
            (None, Phase::Following | Phase::Holding) if now.since(self.seen_at) < self.manner.patience => {
                self.phase = Phase::Holding;
                return None;
            }
            (None, _) => {
                self.phase = Phase::Returning;
                self.base
            }
        };
        let aim = self.aim.unwrap_or(*from);
        let off = aim.0.rotation.angle_to(&wish.0.rotation);
        let apart = (aim.0.translation.vector - wish.0.translation.vector).norm();
        if self.phase == Phase::Returning && off < self.manner.calm && apart < 1e-3 {
            (self.phase, self.aim) = (Phase::Waiting, None);
            return None;
        }
        if off < self.manner.calm && apart < 1e-3 {
            self.aim = Some(aim);
            return None;
        }
        // Back to where it began there is no hurry.
        let speed = if self.phase == Phase::Returning { self.manner.speed / 4.0 } else { self.manner.speed };
        let part = (speed * passed / off.max(1e-9)).min(1.0);
        let next = between(&aim, &wish, part);
        self.aim = Some(next);
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use firmware_bridge::camera::Lens;

    use super::*;
    use crate::frame::{Frame, Image, Viewpoint};

    fn at(milliseconds: u64) -> Tick {
        Tick(milliseconds * 1_000_000)
    }

    #[test]
    fn a_head_that_looks_at_a_point_has_it_in_the_middle_of_its_picture() {
        let lens = Lens::pinhole(320, 240);
        let picture = firmware_bridge::camera::Picture::of(240, 320, vec![0; 320 * 240 * 3]).unwrap();
        for point in [[0.7, 0.1, 0.1], [0.5, -0.5, 0.0], [2.0, 1.0, 0.4], [0.6, 0.0, -0.2]] {
            let point = Point3::from(point);
            let from = Viewpoint { at: Tick::ZERO, head: looking_at(&point) };
            let frame = Frame::new(0, from, lens, Image::Bgr(picture.clone()));
            let (u, v) = frame.pixel(&picture, &point).unwrap();
            assert!((u - 159.5).abs() < 1e-6 && (v - 119.5).abs() < 1e-6, "{point}: {u} {v}");
        }
        assert_eq!(looking_at(&Point3::origin()), HeadPose::neutral());
        assert_eq!(looking_at(&Point3::new(f64::NAN, 0.0, 0.0)), HeadPose::neutral());
    }

    #[test]
    fn it_follows_holds_returns_and_waits() {
        let mut follower = Follower::new(Manner::default(), HeadPose::neutral());
        let mut head = HeadPose::neutral();
        let face = Point3::new(0.8, 0.4, 0.1);
        let mut now = 0;
        let mut run =
            |follower: &mut Follower, head: &mut HeadPose, for_ms: u64, target: Option<&Point3<f64>>| {
                let mut fastest: f64 = 0.0;
                for _ in 0..for_ms / 33 {
                    now += 33;
                    if let Some(next) = follower.step(at(now), head, target) {
                        fastest = fastest.max(head.0.rotation.angle_to(&next.0.rotation) / 0.033);
                        *head = next;
                    }
                }
                fastest
            };
        assert_eq!(run(&mut follower, &mut head, 500, None), 0.0);
        assert_eq!(follower.phase(), Phase::Waiting);
        let fastest = run(&mut follower, &mut head, 1_000, Some(&face));
        assert!((2.0..=2.51).contains(&fastest), "{fastest}");
        assert!(head.0.rotation.angle_to(&looking_at(&face).0.rotation) < 0.01);
        let there = head;
        run(&mut follower, &mut head, 1_900, None);
        assert_eq!((follower.phase(), head), (Phase::Holding, there));
        let fastest = run(&mut follower, &mut head, 1_500, None);
        assert!(fastest < 0.7, "{fastest}");
        run(&mut follower, &mut head, 3_000, None);
        assert_eq!(follower.phase(), Phase::Waiting);
        assert!(head.0.rotation.angle() < 0.01);
    }

    #[test]
    fn half_the_weight_goes_half_the_way() {
        let manner = Manner { weight: 0.5, ..Manner::default() };
        let mut follower = Follower::new(manner, HeadPose::neutral());
        let mut head = HeadPose::neutral();
        let face = Point3::new(0.8, 0.8, 0.0512);
        for frame in 1..60 {
            head = follower.step(at(frame * 33), &head, Some(&face)).unwrap_or(head);
        }
        assert!((head.angles().yaw.degrees() - 22.5).abs() < 0.6, "{}", head.angles().yaw.degrees());
    }
}

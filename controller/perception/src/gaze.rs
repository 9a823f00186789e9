//! Computes the head pose that looks at a point, and follows a moving target ([`Follower`]). All functions are pure.
//!
//! Frames: the world frame in metres. Head angles are [`RollPitchYaw`], with pitch positive down. Safety: a pose from here is a
//! setpoint like any other, and the envelope limits it.

use std::time::Duration;

use firmware_bridge::camera::head_from_camera;
use firmware_bridge::clock::Timestamp;
use firmware_bridge::posture::{HeadPose, RollPitchYaw};
use firmware_bridge::units::Radians;
use nalgebra::Point3;

/// Maximum pitch up and down in radians.
const MAX_PITCH: f64 = 0.6;

/// Returns the pose of a head at the centre of its reach that puts this point at the centre of the camera image. A point that
/// is too close gives the neutral pose.
#[must_use]
pub fn looking_at(point: &Point3<f64>) -> HeadPose {
    let camera = head_from_camera().translation.vector;
    let (level, azimuth) = (point.x.hypot(point.y), point.y.atan2(point.x));
    let distance = level.hypot(point.z);
    if !distance.is_finite() || distance <= camera.norm() + 0.01 {
        return HeadPose::neutral();
    }
    // The camera looks along the head's x axis from above its centre, so the head pitches a little further than towards the
    // point.
    let pitch = (camera.z / distance).asin() - point.z.atan2(level);
    turned(azimuth, pitch)
}

/// Returns the pose of a head at the centre of its reach, turned left by `yaw` and down by `pitch`, in radians.
#[must_use]
pub fn turned(yaw: f64, pitch: f64) -> HeadPose {
    let angles = RollPitchYaw {
        roll: Radians::ZERO,
        pitch: Radians(pitch.clamp(-MAX_PITCH, MAX_PITCH)),
        yaw: Radians(yaw),
    };
    HeadPose::new(0.0, 0.0, 0.0, angles)
}

/// Interpolates between two poses, along the shortest rotation and a straight line. 0 is the first pose, 1 the other.
#[must_use]
pub fn between(one: &HeadPose, other: &HeadPose, part: f64) -> HeadPose {
    let part = part.clamp(0.0, 1.0);
    let translation = one.0.translation.vector.lerp(&other.0.translation.vector, part);
    let rotation = one.0.rotation.try_slerp(&other.0.rotation, part, 1e-9).unwrap_or(other.0.rotation);
    HeadPose(nalgebra::Isometry3::from_parts(translation.into(), rotation))
}

/// Options for following a target.
#[derive(Clone, Copy, Debug)]
pub struct FollowOptions {
    /// How far the head goes from its base pose towards the target: 0 stays, 1 goes all the way.
    pub weight: f64,
    /// Maximum angular velocity in rad/s.
    pub max_velocity: f64,
    /// Dead band in radians: a target closer to the aim than this moves nothing.
    pub smoothing: f64,
    /// How long the head keeps looking at the last position of a lost target before it returns to its base pose.
    pub lost_timeout: Duration,
}

impl Default for FollowOptions {
    /// Returns the official software's timeout of two seconds. The velocity is that of a person who turns to someone.
    fn default() -> Self {
        FollowOptions {
            weight: 1.0,
            max_velocity: 2.5,
            smoothing: 0.008,
            lost_timeout: Duration::from_secs(2),
        }
    }
}

/// State of a follower.
///
/// ```text
/// Waiting --seen--> Following --lost--> Holding --timeout--> Returning --arrived--> Waiting
///                      ^------------seen-----/-------------------/
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowPhase {
    /// No target has appeared.
    Waiting,
    /// It follows a target.
    Following,
    /// The target is lost. The head looks at its last position.
    Holding,
    /// The head returns to its base pose.
    Returning,
}

/// Moves a head so that it follows a target.
#[derive(Clone, Debug)]
pub struct Follower {
    options: FollowOptions,
    base: HeadPose,
    aim: Option<HeadPose>,
    stepped_at: Timestamp,
    seen_at: Timestamp,
    phase: FollowPhase,
}

impl Follower {
    /// Creates a follower that starts at a base pose and returns to it when its target is gone.
    #[must_use]
    pub const fn new(manner: FollowOptions, base: HeadPose) -> Self {
        Follower {
            options: manner,
            base,
            aim: None,
            stepped_at: Timestamp::ZERO,
            seen_at: Timestamp::ZERO,
            phase: FollowPhase::Waiting,
        }
    }

    /// Returns its state.
    #[must_use]
    pub const fn phase(&self) -> FollowPhase {
        self.phase
    }

    /// Discards the current aim. The next step continues from the commanded head pose.
    pub const fn let_go(&mut self) {
        self.aim = None;
    }

    /// Returns the next head pose, or `None` if the head stays. `from` is the commanded head pose, and `target` the position of
    /// the target if it is visible.
    pub fn step(
        &mut self,
        now: Timestamp,
        from: &HeadPose,
        target: Option<&Point3<f64>>,
    ) -> Option<HeadPose> {
        let elapsed = now.since(self.stepped_at).as_secs_f64().min(0.1);
        self.stepped_at = now;
        let desired = match (target, self.phase) {
            (Some(point), _) => {
                (self.phase, self.seen_at) = (FollowPhase::Following, now);
                between(&self.base, &looking_at(point), self.options.weight)
            }
            (None, FollowPhase::Waiting) => return None,
            (None, FollowPhase::Following | FollowPhase::Holding)
                if now.since(self.seen_at) < self.options.lost_timeout =>
            {
                self.phase = FollowPhase::Holding;
                return None;
            }
            (None, _) => {
                self.phase = FollowPhase::Returning;
                self.base
            }
        };
        let aim = self.aim.unwrap_or(*from);
        let angle_off = aim.0.rotation.angle_to(&desired.0.rotation);
        let distance_off = (aim.0.translation.vector - desired.0.translation.vector).norm();
        if self.phase == FollowPhase::Returning && angle_off < self.options.smoothing && distance_off < 1e-3 {
            (self.phase, self.aim) = (FollowPhase::Waiting, None);
            return None;
        }
        if angle_off < self.options.smoothing && distance_off < 1e-3 {
            self.aim = Some(aim);
            return None;
        }
        // The return to the base pose is slow.
        let speed = if self.phase == FollowPhase::Returning {
            self.options.max_velocity / 4.0
        } else {
            self.options.max_velocity
        };
        let part = (speed * elapsed / angle_off.max(1e-9)).min(1.0);
        let next = between(&aim, &desired, part);
        self.aim = Some(next);
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use firmware_bridge::camera::CameraIntrinsics;

    use super::*;
    use crate::frame::{CameraPose, Frame, Image};

    fn at(milliseconds: u64) -> Timestamp {
        Timestamp(milliseconds * 1_000_000)
    }

    #[test]
    fn looking_at_centres_the_point_in_the_image() {
        let intrinsics = CameraIntrinsics::pinhole(320, 240);
        let image = firmware_bridge::camera::BgrImage::of(240, 320, vec![0; 320 * 240 * 3]).unwrap();
        for point in [[0.7, 0.1, 0.1], [0.5, -0.5, 0.0], [2.0, 1.0, 0.4], [0.6, 0.0, -0.2]] {
            let point = Point3::from(point);
            let from = CameraPose { time: Timestamp::ZERO, head: looking_at(&point) };
            let frame = Frame::new(0, from, intrinsics, Image::Bgr(image.clone()));
            let (u, v) = frame.pixel(&image, &point).unwrap();
            assert!((u - 159.5).abs() < 1e-6 && (v - 119.5).abs() < 1e-6, "{point}: {u} {v}");
        }
        assert_eq!(looking_at(&Point3::origin()), HeadPose::neutral());
        assert_eq!(looking_at(&Point3::new(f64::NAN, 0.0, 0.0)), HeadPose::neutral());
    }

    #[test]
    fn follower_follows_holds_returns_and_waits() {
        let mut follower = Follower::new(FollowOptions::default(), HeadPose::neutral());
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
        assert_eq!(follower.phase(), FollowPhase::Waiting);
        let fastest = run(&mut follower, &mut head, 1_000, Some(&face));
        assert!((2.0..=2.51).contains(&fastest), "{fastest}");
        assert!(head.0.rotation.angle_to(&looking_at(&face).0.rotation) < 0.01);
        let there = head;
        run(&mut follower, &mut head, 1_900, None);
        assert_eq!((follower.phase(), head), (FollowPhase::Holding, there));
        let fastest = run(&mut follower, &mut head, 1_500, None);
        assert!(fastest < 0.7, "{fastest}");
        run(&mut follower, &mut head, 3_000, None);
        assert_eq!(follower.phase(), FollowPhase::Waiting);
        assert!(head.0.rotation.angle() < 0.01);
    }

    #[test]
    fn follower_with_half_weight_goes_half_way() {
        let manner = FollowOptions { weight: 0.5, ..FollowOptions::default() };
        let mut follower = Follower::new(manner, HeadPose::neutral());
        let mut head = HeadPose::neutral();
        let face = Point3::new(0.8, 0.8, 0.0512);
        for frame in 1..60 {
            head = follower.step(at(frame * 33), &head, Some(&face)).unwrap_or(head);
        }
        assert!((head.angles().yaw.degrees() - 22.5).abs() < 0.6, "{}", head.angles().yaw.degrees());
    }
}

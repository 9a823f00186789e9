//! The path between two postures: where the parts are, and how fast keyframes are played.

use std::time::Duration;

use nalgebra::{Isometry3, UnitQuaternion};

use crate::posture::{Antennas, HeadPose, Posture};
use crate::units::Radians;

/// The duration of the easing at the start and at the end of keyframes.
pub(super) const EASE_DURATION: Duration = Duration::from_millis(400);

/// Whether the playback speed of keyframes ramps up at the start, and ramps down at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Easing {
    pub starts: bool,
    pub ends: bool,
}

impl Easing {
    /// Returns the extra time that the easing takes: while the speed ramps, it is half on average.
    pub(super) fn extra_time(self) -> Duration {
        EASE_DURATION / 2 * (u32::from(self.starts) + u32::from(self.ends))
    }

    /// Returns the keyframes' own time, seconds, at `elapsed` seconds from the start.
    pub(super) fn time(self, elapsed: f64, total: f64) -> f64 {
        let ease = EASE_DURATION.as_secs_f64();
        // The distance while the speed ramps up smoothly from zero: the integral of 3 u^2 - 2 u^3.
        let distance = |time: f64| {
            let u = (time / ease).clamp(0.0, 1.0);
            ease * u * u * u * (1.0 - u / 2.0)
        };
        let left = total + self.extra_time().as_secs_f64() - elapsed;
        if self.starts && elapsed < ease {
            distance(elapsed)
        } else if self.ends && left < ease {
            total - distance(left)
        } else if self.starts {
            elapsed - ease / 2.0
        } else {
            elapsed
        }
    }
}

/// The fractions of the path that the parts have passed; fractions outside 0..1 overshoot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shares {
    pub head: f64,
    pub body_yaw: f64,
    pub antennas: f64,
}

impl Shares {
    /// Returns the posture between two others.
    pub(super) fn between(self, start: &Posture, end: &Posture) -> Posture {
        let mix = |a: f64, b: f64, share: f64| a + (b - a) * share;
        let (from, to) = (start.head.angles().yaw.value(), end.head.angles().yaw.value());
        let turn = |yaw: f64| UnitQuaternion::from_euler_angles(0.0, 0.0, yaw);
        let from_rest = turn(from).inverse() * start.head.0.rotation;
        let to_rest = turn(to).inverse() * end.head.0.rotation;
        let lean = from_rest * (from_rest.inverse() * to_rest).powf(self.head);
        let translation = start.head.0.translation.vector.lerp(&end.head.0.translation.vector, self.head);
        let antenna = |from: Radians, to: Radians| Radians(mix(from.value(), to.value(), self.antennas));
        Posture {
            head: HeadPose(Isometry3::from_parts(translation.into(), turn(mix(from, to, self.head)) * lean)),
            body_yaw: Radians(mix(start.body_yaw.value(), end.body_yaw.value(), self.body_yaw)),
            antennas: Antennas {
                right: antenna(start.antennas.right, end.antennas.right),
                left: antenna(start.antennas.left, end.antennas.left),
            },
        }
    }
}

/// Returns the posture at the fraction `share` of the path; fractions outside 0..1 overshoot.
pub(super) fn interpolate(start: &Posture, end: &Posture, share: f64) -> Posture {
    Shares { head: share, body_yaw: share, antennas: share }.between(start, end)
}

//! Chooses the body yaw when the body follows the head automatically.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::posture::HeadPose;
use crate::units::Radians;

/// Maximum yaw between head and body, either way (the official limit).
const MAX_RELATIVE_YAW: Radians = Radians::from_degrees(65.0);
/// Maximum yaw of the body from straight ahead, either way (the official limit).
const MAX_BODY_YAW: Radians = Radians::from_degrees(160.0);

/// Returns the body yaw nearest to `desired` within 65 degrees of the head's yaw and within 160 degrees of straight
/// ahead.
///
/// The head's yaw is that of its nose, even when the head is tilted. The body cannot turn through the back. If the head
/// looks there, the body follows from the side that is nearer to `desired`. A `desired` that is not a number is returned
/// unchanged; [`super::joints_from_posture`] rejects it.
#[must_use]
pub fn automatic_body_yaw(head: &HeadPose, desired: Radians) -> Radians {
    let nose = head.0.rotation * Vector3::x();
    let yaw = nose.y.atan2(nose.x);
    let mut best = Radians(f64::NAN);
    for turns in [0.0, TAU, -TAU] {
        let low = Radians((yaw + turns - MAX_RELATIVE_YAW.value()).max(-MAX_BODY_YAW.value()));
        let high = Radians((yaw + turns + MAX_RELATIVE_YAW.value()).min(MAX_BODY_YAW.value()));
        let candidate = desired.clamp(low, high);
        let nearer = best.value().is_nan() || (candidate - desired).abs() < (best - desired).abs();
        if desired.is_finite() && low <= high && nearer {
            best = candidate;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posture::RollPitchYaw;

    fn follow(head: f64, desired: f64) -> f64 {
        let angles = RollPitchYaw { yaw: Radians::from_degrees(head), ..RollPitchYaw::default() };
        automatic_body_yaw(&HeadPose::new(0.0, 0.0, 0.0, angles), Radians::from_degrees(desired)).degrees()
    }

    #[test]
    fn body_yaw_changes_only_when_the_head_requires_it() {
        for (head, desired, expected) in [
            (0.0, 0.0, 0.0),
            (50.0, 0.0, 0.0),
            (100.0, 0.0, 35.0),
            (-100.0, 0.0, -35.0),
            (0.0, 90.0, 65.0),
            (179.0, 100.0, 114.0),
            (-179.0, 100.0, 116.0),
            (179.0, -150.0, -150.0),
            (120.0, 175.0, 160.0),
            (-100.0, 150.0, -35.0),
        ] {
            assert!(
                (follow(head, desired) - expected).abs() < 1e-9,
                "{head} {desired}: {}",
                follow(head, desired)
            );
        }
        assert!(follow(10.0, f64::NAN).is_nan());
    }

    #[test]
    fn body_yaw_respects_both_limits() {
        for head in -180..=180 {
            for desired in (-400..=400).step_by(7) {
                let body = follow(f64::from(head), f64::from(desired));
                let twist = Radians::from_degrees(f64::from(head) - body).wrapped().degrees();
                assert!(body.abs() <= 160.0 + 1e-9 && twist.abs() <= 65.0 + 1e-9, "{head} {desired}: {body}");
            }
        }
    }

    #[test]
    fn tilted_head_keeps_its_yaw() {
        // The official rule treats this head, which looks straight ahead, as turned by 13 degrees.
        let [roll, pitch] = [30.0, 25.0].map(Radians::from_degrees);
        let head = HeadPose::new(0.0, 0.0, 0.0, RollPitchYaw { roll, pitch, yaw: Radians::ZERO });
        assert!((automatic_body_yaw(&head, Radians(2.0)).degrees() - 65.0).abs() < 1e-9);
    }
}

//! Which way the body turns when it follows the head by itself.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::posture::HeadPose;
use crate::units::Radians;

/// How far the head may be turned against the body, either way (the official limit).
const MOST_TWIST: Radians = Radians::from_degrees(65.0);
/// How far the body turns to either side of straight ahead (the official limit).
const MOST_TURN: Radians = Radians::from_degrees(160.0);

/// The body yaw nearest to `wished` that keeps the body within 65 degrees of the head's yaw, and within 160 degrees
/// of straight ahead.
///
/// The head's yaw is that of its nose, also when it leans. The body cannot turn through its back, so it follows a
/// head that looks there from the side that is nearer to the wish. A wish that is not a number is handed on, for
/// [`super::joints_from_posture`] to refuse.
#[must_use]
pub fn automatic_body_yaw(head: &HeadPose, wished: Radians) -> Radians {
    let nose = head.0.rotation * Vector3::x();
    let yaw = nose.y.atan2(nose.x);
    let mut best = Radians(f64::NAN);
    for turns in [0.0, TAU, -TAU] {
        let low = Radians((yaw + turns - MOST_TWIST.value()).max(-MOST_TURN.value()));
        let high = Radians((yaw + turns + MOST_TWIST.value()).min(MOST_TURN.value()));
        let candidate = wished.clamp(low, high);
        let nearer = best.value().is_nan() || (candidate - wished).abs() < (best - wished).abs();
        if wished.is_finite() && low <= high && nearer {
            best = candidate;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posture::RollPitchYaw;

    fn follow(head: f64, wished: f64) -> f64 {
        let angles = RollPitchYaw { yaw: Radians::from_degrees(head), ..RollPitchYaw::default() };
        automatic_body_yaw(&HeadPose::new(0.0, 0.0, 0.0, angles), Radians::from_degrees(wished)).degrees()
    }

    #[test]
    fn the_body_stays_where_it_is_wished_and_follows_when_it_must() {
        for (head, wished, expected) in [
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
                (follow(head, wished) - expected).abs() < 1e-9,
                "{head} {wished}: {}",
                follow(head, wished)
            );
        }
        assert!(follow(10.0, f64::NAN).is_nan());
    }

    #[test]
    fn both_limits_hold_for_every_head_and_wish() {
        for head in -180..=180 {
            for wished in (-400..=400).step_by(7) {
                let body = follow(f64::from(head), f64::from(wished));
                let twist = Radians::from_degrees(f64::from(head) - body).wrapped().degrees();
                assert!(body.abs() <= 160.0 + 1e-9 && twist.abs() <= 65.0 + 1e-9, "{head} {wished}: {body}");
            }
        }
    }

    #[test]
    fn a_leaning_head_keeps_its_yaw() {
        // The official rule takes this head, which looks straight ahead, for one turned by 13 degrees.
        let [roll, pitch] = [30.0, 25.0].map(Radians::from_degrees);
        let head = HeadPose::new(0.0, 0.0, 0.0, RollPitchYaw { roll, pitch, yaw: Radians::ZERO });
        assert!((automatic_body_yaw(&head, Radians(2.0)).degrees() - 65.0).abs() < 1e-9);
    }
}

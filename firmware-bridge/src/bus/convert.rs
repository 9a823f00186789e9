//! Conversion between a servo's raw steps and radians: 4096 steps per turn, 2048 is straight ahead.
//!
//! Writing rounds to the nearest step. (The official controller truncates, which is up to one step, 0.09 degrees, low.)

use std::f64::consts::{PI, TAU};
use std::time::Duration;

use crate::units::Radians;

const STEPS_PER_TURN: f64 = 4096.0;
const LAST_STEP: f64 = 4095.0;

/// Returns the angle of a raw position. A servo that is pushed past its turn reports less than 0 or more than 4095.
pub(super) fn radians_from_raw(raw: i32) -> Radians {
    Radians(TAU * f64::from(raw) / STEPS_PER_TURN - PI)
}

/// Returns the nearest raw position within the servo's turn, or `None` if the angle is not a finite number.
#[allow(clippy::cast_possible_truncation, reason = "the value is within 0 to 4095")]
pub(super) fn raw_from_radians(angle: Radians) -> Option<i32> {
    let steps = (angle.value() + PI) * STEPS_PER_TURN / TAU;
    angle.is_finite().then(|| steps.round().clamp(0.0, LAST_STEP) as i32)
}

/// Returns the register value of a bus watchdog timeout: units of 20 ms, rounded up, 1 to 127.
pub(super) fn watchdog_units(time: Duration) -> u32 {
    u32::try_from(time.as_millis().div_ceil(20)).unwrap_or(u32::MAX).clamp(1, 127)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_round_trips() {
        for raw in 0..4096 {
            assert_eq!(raw_from_radians(radians_from_raw(raw)), Some(raw));
        }
        assert_eq!(radians_from_raw(2048), Radians::ZERO);
        assert_eq!(radians_from_raw(0), Radians(-PI));
    }

    #[test]
    fn angle_is_rounded_to_the_nearest_step_within_the_turn() {
        let step = TAU / 4096.0;
        assert_eq!(raw_from_radians(Radians(0.4 * step)), Some(2048));
        assert_eq!(raw_from_radians(Radians(0.6 * step)), Some(2049));
        assert_eq!(raw_from_radians(Radians(-0.6 * step)), Some(2047));
        assert_eq!(raw_from_radians(Radians(PI)), Some(4095));
        assert_eq!(raw_from_radians(Radians(-1000.0)), Some(0));
        assert_eq!(raw_from_radians(Radians(1e300)), Some(4095));
    }

    #[test]
    fn non_finite_angle_has_no_position() {
        // A plain cast would turn these into step 0: half a turn away.
        for angle in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(raw_from_radians(Radians(angle)), None);
        }
    }

    #[test]
    fn watchdog_is_at_least_as_long_as_requested() {
        for (millis, units) in [(0, 1), (1, 1), (20, 1), (21, 2), (200, 10), (1_000_000, 127)] {
            assert_eq!(watchdog_units(Duration::from_millis(millis)), units);
        }
    }
}

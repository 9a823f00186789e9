//! What the robot did in one call: the present values of each axis, and what happened meanwhile.

use firmware_bridge::posture::Posture;
use serde::{Deserialize, Serialize};

use crate::axis::AxisValues;
use crate::stimuli::EventSpan;

/// The trace of one call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionTrace {
    /// The time between samples, seconds.
    pub period: f64,
    /// The present values, from the start of the call.
    pub samples: Vec<AxisValues>,
    /// The events that the tool could perceive.
    #[serde(default)]
    pub events: Vec<EventSpan>,
    /// When sounds began, seconds from the start of the call.
    #[serde(default)]
    pub sounds: Vec<f64>,
    /// When photos were taken, seconds from the start of the call.
    #[serde(default)]
    pub photos: Vec<f64>,
}

impl MotionTrace {
    /// Creates a trace from postures at a fixed period in seconds: heads in the world frame, antennas with the signs of
    /// the motors. Angles that pass half a turn continue beyond it.
    #[must_use]
    pub fn from_postures(period: f64, postures: impl IntoIterator<Item = Posture>) -> Self {
        let mut samples: Vec<AxisValues> = Vec::new();
        for posture in postures {
            let values = AxisValues::from_posture(&posture);
            let values = samples.last().map_or(values, |previous| values.unwrapped_after(previous));
            samples.push(values);
        }
        MotionTrace { period, samples, ..MotionTrace::default() }
    }

    /// Returns the duration, seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.period * self.samples.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use firmware_bridge::posture::{Antennas, HeadPose, RollPitchYaw};
    use firmware_bridge::units::Radians;

    use super::*;
    use crate::axis::Axis;

    #[test]
    fn postures_become_axes_relative_to_the_body() {
        // The body turns from 100 to 160 degrees, and the head 50 degrees further: beyond half a turn.
        let posture = |index: i32| {
            let body = 100.0 + f64::from(index);
            let yaw = Radians::from_degrees(body + 50.0).wrapped();
            Posture {
                head: HeadPose::new(0.0, 0.0, 0.01, RollPitchYaw { yaw, ..RollPitchYaw::default() }),
                body_yaw: Radians::from_degrees(body),
                antennas: Antennas { right: Radians::from_degrees(20.0), left: Radians::from_degrees(-30.0) },
            }
        };
        let trace = MotionTrace::from_postures(0.01, (0..=60).map(posture));
        assert!((trace.seconds() - 0.61).abs() < 1e-9);
        for sample in &trace.samples {
            assert!((sample[Axis::HeadTurn] - 50.0).abs() < 1e-9);
            assert!((sample[Axis::HeadRise] - 10.0).abs() < 1e-9);
            assert!((sample[Axis::AntennaRight] - 20.0).abs() < 1e-9);
            assert!((sample[Axis::AntennaLeft] - 30.0).abs() < 1e-9);
        }
        assert!((trace.samples[60][Axis::BodyTurn] - 160.0).abs() < 1e-9);
    }

    #[test]
    fn angles_continue_beyond_half_a_turn() {
        let posture = |index: i32| {
            let left = Radians::from_degrees(-170.0 - f64::from(index)).wrapped();
            Posture { antennas: Antennas { right: Radians::ZERO, left }, ..Posture::init() }
        };
        let trace = MotionTrace::from_postures(0.01, (0..=20).map(posture));
        assert!((trace.samples[20][Axis::AntennaLeft] - 190.0).abs() < 1e-9);
    }
}

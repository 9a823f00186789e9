//! The inertial sensor of a simulated robot, and the direction of sounds.
//!
//! The robot's own inertial sensor (a BMI088 in the head of the Wireless) is not read; only the simulated robot has one.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use firmware_bridge::posture::HeadPose;
use minismith_voice::devices::mic_array::DirectionOfArrival;
use nalgebra::{UnitQuaternion, Vector3};
use serde::Serialize;

/// Acceleration of gravity, m/s^2.
const GRAVITY: f64 = 9.806_65;

/// Temperature of the simulated sensor, degrees Celsius.
const TEMPERATURE_C: f64 = 25.0;

/// A reading from which no rate of turn is derived any more.
const STALE: Duration = Duration::from_millis(500);

/// A reading in the official format; vectors are in the head's frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct ImuReading {
    /// Acceleration without motion, m/s^2: at rest it points up.
    accelerometer: [f64; 3],
    /// Rate of turn, rad/s.
    gyroscope: [f64; 3],
    /// Orientation `world_from_head`: w, x, y, z.
    quaternion: [f64; 4],
    /// Degrees Celsius.
    temperature: f64,
}

/// The last reading: its time, orientation and rate of turn.
type LastReading = (Timestamp, UnitQuaternion<f64>, [f64; 3]);

/// The simulated sensor.
#[derive(Debug, Default)]
pub(super) struct SimulatedImu(Mutex<Option<LastReading>>);

impl SimulatedImu {
    /// Returns the reading for the present head pose. The rate of turn is that since the last reading.
    pub(super) fn read(&self, now: Timestamp, head: &HeadPose) -> ImuReading {
        let rotation = head.0.rotation;
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gyroscope = match *last {
            Some((at, _, rate)) if at == now => rate,
            Some((at, before, _)) if now.since(at) < STALE => {
                let turned: Vector3<f64> = (before.inverse() * rotation).scaled_axis();
                (turned / now.since(at).as_secs_f64()).into()
            }
            _ => [0.0; 3],
        };
        *last = Some((now, rotation, gyroscope));
        let up = rotation.inverse() * Vector3::new(0.0, 0.0, GRAVITY);
        ImuReading {
            accelerometer: up.into(),
            gyroscope,
            quaternion: [rotation.w, rotation.i, rotation.j, rotation.k],
            temperature: TEMPERATURE_C,
        }
    }
}

/// Where a sound comes from, in the official format.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct SoundDirection {
    /// Radians: 0 is left, pi/2 ahead, pi right.
    angle: f64,
    speech_detected: bool,
}

impl From<DirectionOfArrival> for SoundDirection {
    fn from(found: DirectionOfArrival) -> Self {
        SoundDirection { angle: found.angle(), speech_detected: found.is_speech }
    }
}

#[cfg(test)]
mod tests {
    use firmware_bridge::posture::RollPitchYaw;
    use firmware_bridge::units::Radians;

    use super::*;

    fn pose(pitch: f64, yaw: f64) -> HeadPose {
        let angles = RollPitchYaw { pitch: Radians(pitch), yaw: Radians(yaw), ..RollPitchYaw::default() };
        HeadPose::new(0.0, 0.0, 0.0, angles)
    }

    #[test]
    fn gravity_and_turns_are_in_the_head_s_frame() {
        let imu = SimulatedImu::default();
        let at = |milliseconds: u64| Timestamp(milliseconds * 1_000_000);
        let level = imu.read(at(0), &pose(0.0, 0.0));
        assert_eq!((level.gyroscope, level.quaternion), ([0.0; 3], [1.0, 0.0, 0.0, 0.0]));
        assert!((level.accelerometer[2] - GRAVITY).abs() < 1e-12);
        // A turn by 0.02 rad in 20 ms: 1 rad/s about the vertical axis.
        let turning = imu.read(at(20), &pose(0.0, 0.02));
        assert!((turning.gyroscope[2] - 1.0).abs() < 1e-6, "{turning:?}");
        // The same moment gives the same reading.
        assert_eq!(imu.read(at(20), &pose(0.0, 0.02)), turning);
        // A head that looks down feels gravity along its nose, backwards.
        let down = imu.read(at(2_000), &pose(0.5, 0.02));
        assert!((down.accelerometer[0] + GRAVITY * 0.5_f64.sin()).abs() < 1e-9, "{down:?}");
        assert_eq!(down.gyroscope, [0.0; 3]);
    }
}

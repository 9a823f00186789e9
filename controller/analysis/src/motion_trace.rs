//! Turns the cycles of a run into the trace of a motion, by forward kinematics of the present positions.

use std::time::Duration;

use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::motion_log::LoggedCycle;
use firmware_bridge::posture::{HeadPose, Posture};
use minismith_score::MotionTrace;

/// The time between two samples, seconds: finer than any movement that a person asks for.
const SAMPLE_S: f64 = 0.02;

/// Returns what the robot did in these cycles.
#[must_use]
pub fn motion_trace(cycles: &[LoggedCycle], period: Duration) -> MotionTrace {
    let (seconds, postures) = measured_postures(cycles, period);
    MotionTrace::from_postures(seconds, postures)
}

/// Returns the measured postures, sampled, and the seconds between two of them. A cycle without a solution repeats the
/// posture before it.
pub fn measured_postures(
    cycles: &[LoggedCycle],
    period: Duration,
) -> (f64, impl Iterator<Item = Posture> + '_) {
    let every = (SAMPLE_S / period.as_secs_f64().max(1e-3)).round().max(1.0);
    let mut seed = HeadPose::neutral();
    let mut last = Posture::init();
    let postures = cycles.iter().step_by(every as usize).map(move |cycle| {
        if let Ok(posture) = posture_from_joints(&cycle.present, &seed) {
            seed = posture.head;
            last = posture;
        }
        last
    });
    (period.as_secs_f64() * every, postures)
}

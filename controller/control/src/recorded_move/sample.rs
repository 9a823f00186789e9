//! Samples a running robot into a recorded move.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use firmware_bridge::control_loop::{LoopClient, LoopSnapshot};
use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::robot::PositionReading;

use super::{MAX_FRAMES, RecordedMove, RecordedMoveError};

/// Minimum number of frames of a recording. One frame is not a motion.
const MIN_FRAMES: usize = 2;

/// The options of sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Frames per second. At most one frame is taken per cycle.
    pub rate: f64,
    /// Maximum duration.
    pub max_duration: Duration,
}

/// The sampled motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampled {
    frames: Vec<(f64, Posture)>,
    /// Number of moments at which the pose was unknown.
    pub missed: usize,
}

impl Sampled {
    /// Returns the move.
    ///
    /// # Errors
    /// Returns [`RecordedMoveError::Empty`] if the pose was never known.
    pub fn into_recording(self, description: String) -> Result<RecordedMove, RecordedMoveError> {
        RecordedMove::new(description, self.frames)
    }
}

/// Samples the pose until the time is over, the maximum number of frames is reached, or `done` is set.
pub fn sample(control: &mut dyn LoopClient, sampling: Sampling, done: &AtomicBool) -> Sampled {
    let period = control.period();
    let began = control.snapshot().cycles;
    let mut sampled = Sampled::default();
    let mut head = HeadPose::neutral();
    for moment in 0..MAX_FRAMES {
        let since = Duration::from_secs_f64(moment as f64 / sampling.rate);
        if since > sampling.max_duration {
            break;
        }
        // Times are rounded to whole cycles. Several samples in one cycle get the cycle's time.
        let cycles = (since.as_nanos() + period.as_nanos() / 2) / period.as_nanos().max(1);
        let cycle = began.saturating_add(u64::try_from(cycles).unwrap_or(u64::MAX));
        // A recording that is ended at once still has a first and a last frame.
        let is_done = || moment >= MIN_FRAMES && done.load(Ordering::Relaxed);
        let over = |snapshot: &LoopSnapshot| snapshot.cycles >= cycle || is_done();
        let snapshot = control.watch(&over);
        if !over(&snapshot) || is_done() {
            // The control loop has ended, or the recording is complete.
            break;
        }
        match posture_of(&snapshot, &head) {
            Some(posture) => {
                head = posture.head;
                let period = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX);
                let time = Timestamp((snapshot.cycles - began).saturating_mul(period)).seconds();
                sampled.frames.push((time, posture));
            }
            None => sampled.missed += 1,
        }
    }
    sampled
}

/// Returns the pose, if every motor was read in the last cycle.
fn posture_of(snapshot: &LoopSnapshot, near: &HeadPose) -> Option<Posture> {
    let fresh =
        snapshot.state.readings.iter().all(|(_, reading)| matches!(reading, PositionReading::Fresh(_)));
    let present = snapshot.state.present().ok().filter(|_| fresh)?;
    posture_from_joints(&present, near).ok()
}

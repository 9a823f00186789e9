//! Samples a running robot into a recorded move.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use firmware_bridge::clock::Tick;
use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::pulse::{Conductor, Snapshot};
use firmware_bridge::robot::Reading;

use super::{MOST_FRAMES, NotARecording, Recording};

/// Minimum number of frames of a recording. One frame is not a motion.
const MIN_FRAMES: usize = 2;

/// The options of sampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Frames per second. At most one frame is taken per cycle.
    pub rate: f64,
    /// Maximum duration.
    pub longest: Duration,
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
    /// Returns [`NotARecording::Empty`] if the pose was never known.
    pub fn into_recording(self, description: String) -> Result<Recording, NotARecording> {
        Recording::new(description, self.frames)
    }
}

/// Samples the pose until the time is over, the maximum number of frames is reached, or `done` is set.
pub fn sample(conductor: &mut dyn Conductor, sampling: Sampling, done: &AtomicBool) -> Sampled {
    let period = conductor.period();
    let began = conductor.snapshot().beats;
    let mut sampled = Sampled::default();
    let mut head = HeadPose::neutral();
    for moment in 0..MOST_FRAMES {
        let since = Duration::from_secs_f64(moment as f64 / sampling.rate);
        if since > sampling.longest {
            break;
        }
        // Times are rounded to whole cycles. Several samples in one cycle get the cycle's time.
        let beats = (since.as_nanos() + period.as_nanos() / 2) / period.as_nanos().max(1);
        let beat = began.saturating_add(u64::try_from(beats).unwrap_or(u64::MAX));
        // A recording that is ended at once still has a first and a last frame.
        let is_done = || moment >= MIN_FRAMES && done.load(Ordering::Relaxed);
        let over = |snapshot: &Snapshot| snapshot.beats >= beat || is_done();
        let snapshot = conductor.watch(&over);
        if !over(&snapshot) || is_done() {
            // The control loop has ended, or the recording is complete.
            break;
        }
        match posture_of(&snapshot, &head) {
            Some(posture) => {
                head = posture.head;
                let period = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX);
                let time = Tick((snapshot.beats - began).saturating_mul(period)).seconds();
                sampled.frames.push((time, posture));
            }
            None => sampled.missed += 1,
        }
    }
    sampled
}

/// Returns the pose, if every motor was read in the last cycle.
fn posture_of(snapshot: &Snapshot, near: &HeadPose) -> Option<Posture> {
    let fresh = snapshot.state.readings.iter().all(|(_, reading)| matches!(reading, Reading::Fresh(_)));
    let present = snapshot.state.present().ok().filter(|_| fresh)?;
    posture_from_joints(&present, near).ok()
}

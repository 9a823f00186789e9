//! Samples a body that beats into a move.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use firmware_bridge::clock::Tick;
use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::pulse::{Conductor, Snapshot};
use firmware_bridge::robot::Reading;

use super::{MOST_FRAMES, NotARecording, Recording};

/// So many moments are seen of every recording; one frame is no motion.
const LEAST_FRAMES: usize = 2;

/// How a body is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Frames a second; more than there are beats is no more than one each beat.
    pub rate: f64,
    /// For how long at most.
    pub longest: Duration,
}

/// What a body did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampled {
    frames: Vec<(f64, Posture)>,
    /// Moments at which it could not be told where the body was.
    pub missed: usize,
}

impl Sampled {
    /// The move.
    ///
    /// # Errors
    /// [`NotARecording::Empty`] when there was no moment at which it could be told where the body was.
    pub fn into_recording(self, description: String) -> Result<Recording, NotARecording> {
        Recording::new(description, self.frames)
    }
}

/// Notes where the body is until the time is over, the frames are all used, or `done` is set.
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
        // Whole beats, rounded to the nearest; of several moments in one beat each is the beat's own.
        let beats = (since.as_nanos() + period.as_nanos() / 2) / period.as_nanos().max(1);
        let beat = began.saturating_add(u64::try_from(beats).unwrap_or(u64::MAX));
        // Also one that is ended at once has a beginning and an end.
        let is_done = || moment >= LEAST_FRAMES && done.load(Ordering::Relaxed);
        let over = |snapshot: &Snapshot| snapshot.beats >= beat || is_done();
        let snapshot = conductor.watch(&over);
        if !over(&snapshot) || is_done() {
            // The pulse has gone, or enough was seen.
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

/// Where the body is, if every motor was read on the last beat.
fn posture_of(snapshot: &Snapshot, near: &HeadPose) -> Option<Posture> {
    let fresh = snapshot.state.readings.iter().all(|(_, reading)| matches!(reading, Reading::Fresh(_)));
    let present = snapshot.state.present().ok().filter(|_| fresh)?;
    posture_from_joints(&present, near).ok()
}

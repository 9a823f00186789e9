//! A recorded move: where head, body and antennas were, frame by frame. It is kept in the official library's own
//! format (`file`), sampled from a body that beats (`sample`), and played as a motion like any other.
//!
//! Safety: a file comes from anywhere. It is read with an end, every number in it is judged before anything moves, and
//! what it asks for passes the planner and the envelope as all else does.

mod file;
mod keep;
mod sample;

use std::time::Duration;

use firmware_bridge::motion::{Keyframe, LONGEST, Motion, Target};
use firmware_bridge::posture::{NotAPose, Posture};

pub use file::read;
pub use keep::{NewFile, NotKept};
pub use sample::{Sampled, Sampling, sample};

/// The most frames of one move: ten minutes at 100 Hz, and some.
pub const MOST_FRAMES: usize = 65_536;

/// The most bytes of a file; the official library writes some 600 for each frame.
pub const MOST_BYTES: u64 = 64 << 20;

/// How the head and the rest stood at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Since the first frame.
    pub at: Duration,
    /// Where everything was.
    pub posture: Posture,
}

/// A move that can be played: at least one frame, times that never fall, no longer than a motion may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    description: String,
    first: Frame,
    /// Those after the first.
    rest: Vec<Frame>,
}

/// Why something is not a move that can be played. Frames are counted from 0, as in the file.
#[derive(Debug, thiserror::Error)]
pub enum NotARecording {
    /// The file can't be read.
    #[error("it can't be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// A folder, a pipe or a device.
    #[error("it is no plain file; give the path of a recorded move")]
    NotAFile,
    /// Larger than any move.
    #[error("it is too long, more than {} MB; record it in parts", MOST_BYTES >> 20)]
    TooLarge,
    /// Not the JSON of a move.
    #[error(
        "it is not a recorded move ({0}); it needs `description`, `time` and `set_target_data`, as `minismith record` writes them"
    )]
    NotAMove(#[from] serde_json::Error),
    /// There is nothing in it.
    #[error("it holds no frames; record it again")]
    Empty,
    /// Times and frames do not belong together.
    #[error("it has {times} times for {frames} frames; each frame needs one")]
    Uneven {
        /// How many times.
        times: usize,
        /// How many frames.
        frames: usize,
    },
    /// A frame's time is before that of the one before it, or not a number.
    #[error("frame {frame} comes at {seconds} s, before the frame ahead of it; sort the frames by time")]
    OutOfOrder {
        /// Which frame.
        frame: usize,
        /// Its time, as it is written.
        seconds: f64,
    },
    /// It takes too long.
    #[error("frame {frame} comes after {seconds:.1} s; a move lasts {} s at most", LONGEST.as_secs())]
    TooLong {
        /// The first frame beyond the end.
        frame: usize,
        /// Its time since the first frame.
        seconds: f64,
    },
    /// A frame's head is no pose.
    #[error("frame {frame}: {reason}")]
    NotAPose {
        /// Which frame.
        frame: usize,
        /// What is wrong with it.
        reason: NotAPose,
    },
    /// A frame's angle is no angle.
    #[error("frame {frame}: {what} is {value}; angles are radians within {} turns", FARTHEST_TURN)]
    NotAnAngle {
        /// Which frame.
        frame: usize,
        /// Which angle.
        what: &'static str,
        /// What stands there.
        value: f64,
    },
}

/// An angle beyond this many turns is no angle of this robot, however it was counted.
const FARTHEST_TURN: f64 = 4.0;

impl Recording {
    /// A move of these frames; the first one's time becomes zero. Of frames at the same time the last one counts.
    ///
    /// # Errors
    /// [`NotARecording`] names the frame that is out of order or too late.
    pub fn new(
        description: String,
        frames: impl IntoIterator<Item = (f64, Posture)>,
    ) -> Result<Self, NotARecording> {
        let mut frames = frames.into_iter();
        let (began, posture) = frames.next().ok_or(NotARecording::Empty)?;
        if !began.is_finite() {
            return Err(NotARecording::OutOfOrder { frame: 0, seconds: began });
        }
        let mut first = Frame { at: Duration::ZERO, posture };
        let mut rest: Vec<Frame> = Vec::new();
        for (frame, (time, posture)) in (1..).zip(frames) {
            let seconds = time - began;
            let last = rest.last_mut().unwrap_or(&mut first);
            if seconds.is_nan() || seconds < last.at.as_secs_f64() {
                return Err(NotARecording::OutOfOrder { frame, seconds: time });
            }
            if seconds > LONGEST.as_secs_f64() {
                return Err(NotARecording::TooLong { frame, seconds });
            }
            let at = Duration::from_secs_f64(seconds);
            if at > last.at {
                rest.push(Frame { at, posture });
            } else {
                last.posture = posture;
            }
        }
        Ok(Recording { description, first, rest })
    }

    /// What it is, in its maker's words.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The same move with these words about it.
    #[must_use]
    pub fn described(self, description: String) -> Self {
        Recording { description, ..self }
    }

    /// All frames, in order.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// How many there are; at least one.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.rest.len() + 1
    }

    /// Where it begins.
    #[must_use]
    pub const fn first(&self) -> &Posture {
        &self.first.posture
    }

    /// How long it takes.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.rest.last().unwrap_or(&self.first).at
    }

    /// The move as a motion, at this many times its own speed.
    #[must_use]
    pub fn motion(&self, speed: f64) -> Motion {
        let keyframe =
            |frame: &Frame| Keyframe { at: frame.at.div_f64(speed), target: Target::of(&frame.posture) };
        Motion::Play(self.frames().map(keyframe).collect())
    }
}

#[cfg(test)]
mod tests;

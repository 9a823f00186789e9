//! A recorded move: head, body and antennas, frame by frame.
//!
//! It is stored in the official library's format (`file`), sampled from a running robot (`sample`), and played as an
//! ordinary motion.
//!
//! Safety: a file may come from anywhere. Its size is bounded, every number is checked before anything moves, and its
//! motion passes the planner and the envelope.

mod atomic_write;
mod file;
mod sample;

use std::time::Duration;

use firmware_bridge::motion::{Keyframe, MAX_DURATION, Motion, Target};
use firmware_bridge::posture::{PoseError, Posture};

pub use atomic_write::{NewFile, WriteError};
pub use file::read;
pub use sample::{Sampled, Sampling, sample};

/// Maximum number of frames: ten minutes at 100 Hz, with a margin.
pub const MAX_FRAMES: usize = 65_536;

/// Maximum size of a file, bytes. The official library writes about 600 bytes per frame.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// The posture at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Time since the first frame.
    pub at: Duration,
    /// Posture.
    pub posture: Posture,
}

/// A playable move: at least one frame, times that never decrease, and the maximum duration of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMove {
    description: String,
    first: Frame,
    /// The frames after the first.
    rest: Vec<Frame>,
}

/// The reason why a file or frames are not a playable move. Frames are counted from 0, as in the file.
#[derive(Debug, thiserror::Error)]
pub enum RecordedMoveError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It is a folder, a pipe or a device.
    #[error("it is not a regular file; give the path of a recorded move")]
    NotRegularFile,
    /// It is larger than any move.
    #[error("it is too large, more than {} MB; record it in parts", MAX_FILE_BYTES >> 20)]
    TooLarge,
    /// It is not the JSON of a move.
    #[error(
        "it is not a recorded move ({0}); it needs `description`, `time` and `set_target_data`, as `minismith record` writes them"
    )]
    InvalidFormat(#[from] serde_json::Error),
    /// It has no frames.
    #[error("it has no frames; record it again")]
    Empty,
    /// The numbers of times and frames differ.
    #[error("it has {times} times for {frames} frames; each frame needs one")]
    Uneven {
        /// Number of times.
        times: usize,
        /// Number of frames.
        frames: usize,
    },
    /// A frame's time is before that of the previous one, or not a number.
    #[error("frame {frame} comes at {seconds} s, before the frame ahead of it; sort the frames by time")]
    OutOfOrder {
        /// Index of the frame.
        frame: usize,
        /// Its time, as written.
        seconds: f64,
    },
    /// It is too long.
    #[error("frame {frame} comes after {seconds:.1} s; a move lasts {} s at most", MAX_DURATION.as_secs())]
    TooLong {
        /// The first frame after the end.
        frame: usize,
        /// Its time since the first frame.
        seconds: f64,
    },
    /// A frame's head pose is invalid.
    #[error("frame {frame}: {reason}")]
    InvalidPose {
        /// Index of the frame.
        frame: usize,
        /// The error.
        reason: PoseError,
    },
    /// An angle in a frame is invalid.
    #[error("frame {frame}: {what} is {value}; angles are radians within {} turns", MAX_TURNS)]
    InvalidAngle {
        /// Index of the frame.
        frame: usize,
        /// Name of the angle.
        what: &'static str,
        /// Its value.
        value: f64,
    },
}

/// Maximum absolute angle, turns. No angle of this robot is greater, however it was counted.
const MAX_TURNS: f64 = 4.0;

impl RecordedMove {
    /// Creates a move from frames. The first frame gets time zero. Of frames at the same time the last one counts.
    ///
    /// # Errors
    /// Returns [`RecordedMoveError`], which names the frame that is out of order or too late.
    pub fn new(
        description: String,
        frames: impl IntoIterator<Item = (f64, Posture)>,
    ) -> Result<Self, RecordedMoveError> {
        let mut frames = frames.into_iter();
        let (began, posture) = frames.next().ok_or(RecordedMoveError::Empty)?;
        if !began.is_finite() {
            return Err(RecordedMoveError::OutOfOrder { frame: 0, seconds: began });
        }
        let mut first = Frame { at: Duration::ZERO, posture };
        let mut rest: Vec<Frame> = Vec::new();
        for (frame, (time, posture)) in (1..).zip(frames) {
            let seconds = time - began;
            let last = rest.last_mut().unwrap_or(&mut first);
            if seconds.is_nan() || seconds < last.at.as_secs_f64() {
                return Err(RecordedMoveError::OutOfOrder { frame, seconds: time });
            }
            if seconds > MAX_DURATION.as_secs_f64() {
                return Err(RecordedMoveError::TooLong { frame, seconds });
            }
            let at = Duration::from_secs_f64(seconds);
            if at > last.at {
                rest.push(Frame { at, posture });
            } else {
                last.posture = posture;
            }
        }
        Ok(RecordedMove { description, first, rest })
    }

    /// Returns the description by its author.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the same move with another description.
    #[must_use]
    pub fn described(self, description: String) -> Self {
        RecordedMove { description, ..self }
    }

    /// Returns all frames, in order.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// Returns the number of frames, which is at least one.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.rest.len() + 1
    }

    /// Returns the first posture.
    #[must_use]
    pub const fn first(&self) -> &Posture {
        &self.first.posture
    }

    /// Returns the duration.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.rest.last().unwrap_or(&self.first).at
    }

    /// Returns the move as a motion, at this multiple of its own speed.
    #[must_use]
    pub fn motion(&self, speed: f64) -> Motion {
        let keyframe =
            |frame: &Frame| Keyframe { time: frame.at.div_f64(speed), target: Target::of(&frame.posture) };
        Motion::Play(self.frames().map(keyframe).collect())
    }
}

#[cfg(test)]
mod tests;

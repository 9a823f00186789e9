//! The official library's file of a recorded move: one JSON object with `description`, `time` and `set_target_data`.
//!
//! Times are seconds. Each frame has `head` (a 4x4 matrix, metres), `antennas` (right, left) and `body_yaw` (radians).
//! Like the library, this also accepts a head of sixteen numbers in a row, and a missing body yaw as zero. (reachy-mini
//! 1.13.0, `motion/recorded_move.py`.)
//!
//! It also reads a list of frames with a `time` each, as returned by the library's `stop_recording`. Parts that a call
//! did not set keep their value. The first head is the neutral one. (`reachy_mini.py`, `set_target`.)

use std::fmt;
use std::fs::OpenOptions;
use std::io::Read;
use std::marker::PhantomData;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use firmware_bridge::posture::{Antennas, HeadPose, Posture};
use firmware_bridge::units::Radians;
use rustix::fs::OFlags;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Frame, MAX_FILE_BYTES, MAX_FRAMES, MAX_TURNS, RecordedMove, RecordedMoveError};

/// Reads a move from a file of any kind.
///
/// # Errors
/// Returns [`RecordedMoveError`], which names the error and the frame.
pub fn read(path: &Path) -> Result<RecordedMove, RecordedMoveError> {
    // Without this flag, opening a pipe without a writer would block. With it, the pipe opens and is rejected.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(RecordedMoveError::NotRegularFile);
    }
    if about.len() > MAX_FILE_BYTES {
        return Err(RecordedMoveError::TooLarge);
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(RecordedMoveError::TooLarge);
    }
    RecordedMove::from_json(&bytes)
}

impl RecordedMove {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// Returns [`RecordedMoveError`], which names the error and the frame.
    pub fn from_json(bytes: &[u8]) -> Result<Self, RecordedMoveError> {
        if bytes.trim_ascii_start().first() == Some(&b'[') {
            return listed(&serde_json::from_slice::<List<ListedFrame>>(bytes)?.0);
        }
        let Written { description, time, set_target_data: List(frames) } = serde_json::from_slice(bytes)?;
        if time.len() != frames.len() {
            return Err(RecordedMoveError::Uneven { times: time.len(), frames: frames.len() });
        }
        let postures = frames.iter().enumerate().map(|(path, frame)| frame.posture(path));
        let postures = postures.collect::<Result<Vec<_>, _>>()?;
        RecordedMove::new(description, time.into_iter().zip(postures))
    }

    /// Returns the text of the move's file.
    ///
    /// # Errors
    /// Returns an error if it cannot be written as JSON.
    pub fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let written = Written {
            description: self.description().to_owned(),
            time: self.frames().map(|frame| frame.at.as_secs_f64()).collect(),
            set_target_data: List(self.frames().map(WrittenFrame::from).collect()),
        };
        let mut bytes = serde_json::to_vec(&written)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

#[derive(Serialize, Deserialize)]
struct Written {
    description: String,
    time: Vec<f64>,
    set_target_data: List<WrittenFrame>,
}

/// Frames, at most as many as a move may have.
#[derive(Serialize)]
struct List<T>(Vec<T>);

/// A frame in the list that `stop_recording` returns.
#[derive(Deserialize)]
struct ListedFrame {
    time: f64,
    head: Option<Matrix>,
    antennas: Option<[f64; 2]>,
    #[serde(default)]
    body_yaw: f64,
}

fn listed(frames: &[ListedFrame]) -> Result<RecordedMove, RecordedMoveError> {
    let mut last = Posture::init();
    let mut postures = Vec::with_capacity(frames.len());
    for (path, frame) in frames.iter().enumerate() {
        if let Some(head) = &frame.head {
            last.head = head.pose(path)?;
        }
        if let Some(antennas) = frame.antennas {
            last.antennas = judged(antennas, path)?;
        }
        last.body_yaw = angle("body_yaw", frame.body_yaw, path)?;
        postures.push((frame.time, last));
    }
    RecordedMove::new(String::new(), postures)
}

fn angle(what: &'static str, value: f64, frame: usize) -> Result<Radians, RecordedMoveError> {
    if value.abs() <= MAX_TURNS * std::f64::consts::TAU {
        Ok(Radians(value))
    } else {
        Err(RecordedMoveError::InvalidAngle { frame, what, value })
    }
}

fn judged([right, left]: [f64; 2], frame: usize) -> Result<Antennas, RecordedMoveError> {
    let right = angle("the right antenna", right, frame)?;
    Ok(Antennas { right, left: angle("the left antenna", left, frame)? })
}

#[derive(Serialize, Deserialize)]
struct WrittenFrame {
    head: Matrix,
    antennas: [f64; 2],
    #[serde(default)]
    body_yaw: f64,
    /// The library writes this and does not read it.
    #[serde(default)]
    check_collision: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "`head` is not four rows of four numbers")]
enum Matrix {
    Rows([[f64; 4]; 4]),
    Flat([f64; 16]),
}

impl Matrix {
    fn pose(&self, frame: usize) -> Result<HeadPose, RecordedMoveError> {
        let flat = match self {
            Matrix::Flat(flat) => *flat,
            Matrix::Rows(rows) => {
                let mut flat = [0.0; 16];
                for (slot, value) in flat.iter_mut().zip(rows.iter().flatten()) {
                    *slot = *value;
                }
                flat
            }
        };
        HeadPose::from_row_major(&flat).map_err(|reason| RecordedMoveError::InvalidPose { frame, reason })
    }
}

impl WrittenFrame {
    fn posture(&self, frame: usize) -> Result<Posture, RecordedMoveError> {
        let antennas = judged(self.antennas, frame)?;
        Ok(Posture {
            head: self.head.pose(frame)?,
            body_yaw: angle("body_yaw", self.body_yaw, frame)?,
            antennas,
        })
    }
}

impl From<&Frame> for WrittenFrame {
    fn from(frame: &Frame) -> Self {
        let Posture { head, body_yaw, antennas } = frame.posture;
        WrittenFrame {
            head: Matrix::Rows(head.0.to_homogeneous().transpose().into()),
            antennas: [antennas.right.value(), antennas.left.value()],
            body_yaw: body_yaw.value(),
            check_collision: false,
        }
    }
}

/// Parses the frames one by one, so that an error names its frame and the number of frames is bounded.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct OneByOne<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for OneByOne<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of frames")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<List<T>, A::Error> {
                let mut frames = Vec::new();
                loop {
                    let frame = frames.len();
                    match from.next_element() {
                        Ok(Some(_)) if frame == MAX_FRAMES => {
                            return Err(A::Error::custom(format_args!("more than {MAX_FRAMES} frames")));
                        }
                        Ok(Some(next)) => frames.push(next),
                        Ok(None) => return Ok(List(frames)),
                        Err(error) => {
                            return Err(A::Error::custom(format_args!("frame {frame}: {error}")));
                        }
                    }
                }
            }
        }

        from.deserialize_seq(OneByOne(PhantomData))
    }
}

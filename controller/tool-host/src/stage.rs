//! The guest's end of its channel: host calls, printing and time.
//!
//! Time is robot time: that of the last reply, plus the cost of clock reads since. The zygote has no channel, so its clocks
//! stand at zero and host calls fail.

use std::fs::File;
use std::sync::{Mutex, PoisonError};

use minismith_wire::frame::{self, FrameError};
use minismith_wire::{Answer, CLOCK_READ_COST, Cue, Face, Job, RefusalKind, State, Turn};
use pyo3::exceptions::{PyPermissionError, PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::{PyErr, PyResult};

use crate::process;

/// Length in bytes from which printed text is sent at once. Shorter text travels with the next message.
const PRINT_CHUNK: usize = 16 << 10;

static STAGE: Mutex<Option<Stage>> = Mutex::new(None);

/// The guest's channel and clock.
pub struct Stage {
    channel: File,
    /// Robot time of the last reply in nanoseconds.
    now: u64,
    /// Cost of clock reads since then, in nanoseconds.
    spent: u64,
    /// Nanoseconds since 1970 at robot time zero.
    epoch: u64,
    printed: String,
}

/// Result of a host call.
pub enum Given {
    /// No value.
    Nothing,
    /// State of the robot.
    State(Box<State>),
    /// An image, or `None` without a camera.
    Picture(Option<Seen>),
    /// The face that the tracker sees.
    Face(Face),
    /// Return value of another tool.
    Value(serde_json::Value),
}

/// A received image.
pub struct Seen {
    /// Number of rows.
    pub height: u32,
    /// Number of columns.
    pub width: u32,
    /// Its BGR bytes, or `None` when they are in the requested slot.
    pub bytes: Option<Vec<u8>>,
}

/// Takes over the channel. Called once in a guest, before any tool code.
pub fn enter(channel: File) {
    let stage = Stage { channel, now: 0, spent: 0, epoch: 0, printed: String::new() };
    *STAGE.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
}

/// Uses the channel, or calls `otherwise` in the zygote, which has none.
fn with<R>(otherwise: impl FnOnce() -> R, act: impl FnOnce(&mut Stage) -> R) -> R {
    match STAGE.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        Some(stage) => act(stage),
        None => otherwise(),
    }
}

/// Returns robot time in nanoseconds. A read costs some robot time, so that a loop that only polls the clock ends.
pub fn read_clock() -> u64 {
    with(
        || 0,
        |stage| {
            stage.spent = stage.spent.saturating_add(CLOCK_READ_COST);
            stage.now.saturating_add(stage.spent)
        },
    )
}

/// Returns the time in nanoseconds since 1970.
pub fn read_calendar() -> u64 {
    let now = read_clock();
    with(|| 0, |stage| stage.epoch.saturating_add(now))
}

/// Makes a host call and waits for its result.
pub fn ask(cue: Cue) -> PyResult<Given> {
    with(|| Err(PyRuntimeError::new_err("no host is connected")), |stage| stage.ask(cue))
}

/// Prints text. It travels with the next message, or at once when it is long.
pub fn print(text: &str) -> PyResult<()> {
    with(|| Ok(()), |stage| stage.print(text))
}

/// Receives the next message. Without the controller the guest exits.
pub fn listen() -> Answer {
    with(|| process::leave(1), |stage| frame::read(&mut stage.channel).unwrap_or_else(|_| process::leave(1)))
}

/// Receives a raw frame.
pub fn listen_raw(longest: usize) -> Vec<u8> {
    with(
        || process::leave(1),
        |stage| frame::read_bytes(&mut stage.channel, longest).unwrap_or_else(|_| process::leave(1)),
    )
}

/// Continues at this robot time.
pub fn resume(now: u64) {
    with(
        || (),
        |stage| {
            stage.now = now;
            stage.spent = 0;
        },
    );
}

/// Sends a message.
pub fn say(turn: &Turn) -> Result<(), FrameError> {
    with(|| process::leave(1), |stage| frame::write(&mut stage.channel, turn))
}

/// Sets the clocks for a job.
pub fn begin(job: &Job) {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let epoch = (job.epoch.clamp(0.0, 1e10) * 1e9) as u64;
    with(
        || (),
        |stage| {
            stage.now = job.now;
            stage.epoch = epoch;
        },
    );
}

/// Returns the remaining printed text and the cost of clock reads for the last message.
pub fn rest() -> (String, u64) {
    with(|| (String::new(), 0), |stage| (std::mem::take(&mut stage.printed), stage.spent))
}

impl Stage {
    fn ask(&mut self, cue: Cue) -> PyResult<Given> {
        let turn = Turn::Asks { cue, spent: self.spent, printed: std::mem::take(&mut self.printed) };
        self.exchange(&turn)
    }

    fn print(&mut self, text: &str) -> PyResult<()> {
        let mut text = text;
        while !text.is_empty() {
            let room = PRINT_CHUNK.saturating_sub(self.printed.len());
            let (now, later) = text.split_at(text.floor_char_boundary(room.max(4)));
            self.printed.push_str(now);
            text = later;
            if self.printed.len() >= PRINT_CHUNK || !text.is_empty() {
                let turn = Turn::Printed { printed: std::mem::take(&mut self.printed), spent: self.spent };
                self.exchange(&turn)?;
            }
        }
        Ok(())
    }

    /// Sends a message and receives its reply. An oversized message is an error of the tool. If the channel fails, the guest
    /// exits.
    fn exchange(&mut self, turn: &Turn) -> PyResult<Given> {
        match frame::write(&mut self.channel, turn) {
            Ok(()) => {}
            Err(error @ FrameError::TooLong { .. }) => return Err(PyValueError::new_err(error.to_string())),
            Err(_) => process::leave(1),
        }
        let answer = frame::read(&mut self.channel).unwrap_or_else(|_| process::leave(1));
        let (now, given) = match answer {
            Answer::Done { now } => (now, Ok(Given::Nothing)),
            Answer::Value { now, value } => (now, Ok(Given::Value(value))),
            Answer::State { now, state } => (now, Ok(Given::State(state))),
            Answer::Face { now, face } => (now, Ok(Given::Face(face))),
            Answer::Frame { now, height: 0, width: 0, .. } => (now, Ok(Given::Picture(None))),
            Answer::Frame { now, height, width, slot } => {
                let bytes = slot.is_none().then(|| frame::read_bytes(&mut self.channel, frame::MAX_RAW));
                let bytes = bytes.transpose().unwrap_or_else(|_| process::leave(1));
                (now, Ok(Given::Picture(Some(Seen { height, width, bytes }))))
            }
            Answer::Refused { now, kind, message } => (now, Err(refusal(kind, message))),
            // The controller violates the protocol, so the guest exits.
            Answer::Start { .. } | Answer::Proceed | Answer::Line { .. } => process::leave(1),
        };
        self.now = now;
        self.spent = 0;
        given
    }
}

fn refusal(kind: RefusalKind, message: String) -> PyErr {
    match kind {
        RefusalKind::Value => PyValueError::new_err(message),
        RefusalKind::Runtime => PyRuntimeError::new_err(message),
        RefusalKind::Permission => PyPermissionError::new_err(message),
        RefusalKind::Timeout => PyTimeoutError::new_err(message),
    }
}

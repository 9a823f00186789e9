//! The guest's end of its channel: how a tool asks, prints and tells the time.
//!
//! Time is the stage's: what the last answer said, plus what the tool has used up since by looking at the clock. In the
//! zygote, where there is no stage, every clock stands at zero and nothing can be asked.

use std::fs::File;
use std::sync::{Mutex, PoisonError};

use minismith_wire::frame::{self, FrameError};
use minismith_wire::{Answer, CLOCK_READ_COST, Cue, Face, Job, RefusalKind, State, Turn};
use pyo3::exceptions::{PyPermissionError, PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::{PyErr, PyResult};

use crate::process;

/// Printed text is sent when it reaches this length; otherwise it travels with the next turn.
const PRINT_AT: usize = 16 << 10;

static STAGE: Mutex<Option<Stage>> = Mutex::new(None);

/// The stage as its guest knows it.
pub struct Stage {
    channel: File,
    /// Nanoseconds, as the last answer said.
    now: u64,
    /// Nanoseconds of clock reads since.
    spent: u64,
    /// Nanoseconds since 1970 at stage time zero.
    epoch: u64,
    printed: String,
}

/// What a cue gives back.
pub enum Given {
    /// It is done.
    Nothing,
    /// The body.
    State(Box<State>),
    /// A picture; none without a camera.
    Picture(Option<Seen>),
    /// What the face tracker sees.
    Face(Face),
    /// What another tool returned.
    Value(serde_json::Value),
}

/// A picture as it has come.
pub struct Seen {
    /// Rows.
    pub height: u32,
    /// Columns.
    pub width: u32,
    /// Its BGR bytes; none when they lie in the slot that was named.
    pub bytes: Option<Vec<u8>>,
}

/// Takes the channel over. Called once in a guest, before any tool code.
pub fn enter(channel: File) {
    let stage = Stage { channel, now: 0, spent: 0, epoch: 0, printed: String::new() };
    *STAGE.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
}

/// Does something with the stage; in the zygote, where there is none, `otherwise`.
fn with<R>(otherwise: impl FnOnce() -> R, act: impl FnOnce(&mut Stage) -> R) -> R {
    match STAGE.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        Some(stage) => act(stage),
        None => otherwise(),
    }
}

/// Reads the clock: stage nanoseconds. This takes a little stage time, so that a loop that only looks ends.
pub fn read_clock() -> u64 {
    with(
        || 0,
        |stage| {
            stage.spent = stage.spent.saturating_add(CLOCK_READ_COST);
            stage.now.saturating_add(stage.spent)
        },
    )
}

/// Reads the clock: nanoseconds since 1970.
pub fn read_calendar() -> u64 {
    let now = read_clock();
    with(|| 0, |stage| stage.epoch.saturating_add(now))
}

/// Asks a cue, and waits for what it gives.
pub fn ask(cue: Cue) -> PyResult<Given> {
    with(|| Err(PyRuntimeError::new_err("there is no stage")), |stage| stage.ask(cue))
}

/// Prints: the text travels with the next turn, or at once when there is much of it.
pub fn print(text: &str) -> PyResult<()> {
    with(|| Ok(()), |stage| stage.print(text))
}

/// The next answer, as it comes. Without the controller there is no reason to live.
pub fn listen() -> Answer {
    with(|| process::leave(1), |stage| frame::read(&mut stage.channel).unwrap_or_else(|_| process::leave(1)))
}

/// The raw frame that follows.
pub fn listen_raw(longest: usize) -> Vec<u8> {
    with(
        || process::leave(1),
        |stage| frame::read_bytes(&mut stage.channel, longest).unwrap_or_else(|_| process::leave(1)),
    )
}

/// Goes on at this stage time.
pub fn resume(now: u64) {
    with(
        || (),
        |stage| {
            stage.now = now;
            stage.spent = 0;
        },
    );
}

/// Says something as it is.
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

/// What is left to tell with the last word: printed text and spent time.
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
            let room = PRINT_AT.saturating_sub(self.printed.len());
            let (now, later) = text.split_at(text.floor_char_boundary(room.max(4)));
            self.printed.push_str(now);
            text = later;
            if self.printed.len() >= PRINT_AT || !text.is_empty() {
                let turn = Turn::Printed { printed: std::mem::take(&mut self.printed), spent: self.spent };
                self.exchange(&turn)?;
            }
        }
        Ok(())
    }

    /// One turn and its answer. A turn that is too long is the tool's mistake; a channel that fails is the end.
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
            // The controller has lost the thread; nothing true can be said any more.
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

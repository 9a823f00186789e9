//! The guest's end of its channel: host calls, printing and time.
//!
//! Time is robot time: that of the last reply, plus the cost of clock reads since. The zygote has no channel, so its clocks
//! stand at zero and host calls fail.

use std::fs::File;
use std::sync::{Mutex, PoisonError};

use minismith_protocol::frame::{self, FrameError};
use minismith_protocol::{CLOCK_READ_COST, Face, GuestMessage, HostCall, HostReply, Job, RefusalKind, State};
use pyo3::exceptions::{PyPermissionError, PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::{PyErr, PyResult};

use crate::process;

/// Length in bytes from which printed text is sent at once. Shorter text travels with the next message.
const PRINT_CHUNK: usize = 16 << 10;

static CHANNEL: Mutex<Option<HostChannel>> = Mutex::new(None);

/// The guest's channel and clock.
pub struct HostChannel {
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
pub enum ReplyValue {
    /// No value.
    Nothing,
    /// State of the robot.
    State(Box<State>),
    /// An image, or `None` without a camera.
    Image(Option<RawImage>),
    /// Recorded samples, mono; empty if there are none.
    Heard(Vec<f32>),
    /// The face that the tracker sees.
    Face(Face),
    /// Return value of another tool.
    Value(serde_json::Value),
}

/// A received image.
pub struct RawImage {
    /// Number of rows.
    pub height: u32,
    /// Number of columns.
    pub width: u32,
    /// Its BGR bytes, or `None` when they are in the requested slot.
    pub bytes: Option<Vec<u8>>,
}

/// Takes over the channel. Called once in a guest, before any tool code.
pub fn enter(channel: File) {
    let context = HostChannel { channel, now: 0, spent: 0, epoch: 0, printed: String::new() };
    *CHANNEL.lock().unwrap_or_else(PoisonError::into_inner) = Some(context);
}

/// Uses the channel, or calls `otherwise` in the zygote, which has none.
fn with<R>(otherwise: impl FnOnce() -> R, act: impl FnOnce(&mut HostChannel) -> R) -> R {
    match CHANNEL.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        Some(context) => act(context),
        None => otherwise(),
    }
}

/// Returns robot time in nanoseconds. A read costs some robot time, so that a loop that only polls the clock ends.
pub fn read_clock() -> u64 {
    with(
        || 0,
        |context| {
            context.spent = context.spent.saturating_add(CLOCK_READ_COST);
            context.now.saturating_add(context.spent)
        },
    )
}

/// Returns the time in nanoseconds since 1970.
pub fn read_calendar() -> u64 {
    let now = read_clock();
    with(|| 0, |context| context.epoch.saturating_add(now))
}

/// Makes a host call and waits for its result.
pub fn call(cue: HostCall) -> PyResult<ReplyValue> {
    with(|| Err(PyRuntimeError::new_err("no host is connected")), |context| context.call(cue))
}

/// Prints text. It travels with the next message, or at once when it is long.
pub fn print(text: &str) -> PyResult<()> {
    with(|| Ok(()), |context| context.print(text))
}

/// Receives the next message. Without the controller the guest exits.
pub fn listen() -> HostReply {
    with(
        || process::leave(1),
        |context| frame::read(&mut context.channel).unwrap_or_else(|_| process::leave(1)),
    )
}

/// Receives a raw frame.
pub fn listen_raw(longest: usize) -> Vec<u8> {
    with(
        || process::leave(1),
        |context| frame::read_bytes(&mut context.channel, longest).unwrap_or_else(|_| process::leave(1)),
    )
}

/// Continues at this robot time.
pub fn resume(now: u64) {
    with(
        || (),
        |context| {
            context.now = now;
            context.spent = 0;
        },
    );
}

/// Sends a message.
pub fn send_raw(turn: &GuestMessage) -> Result<(), FrameError> {
    with(|| process::leave(1), |context| frame::write(&mut context.channel, turn))
}

/// Sets the clocks for a job.
pub fn begin(job: &Job) {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let epoch = (job.epoch.clamp(0.0, 1e10) * 1e9) as u64;
    with(
        || (),
        |context| {
            context.now = job.now;
            context.epoch = epoch;
        },
    );
}

/// Returns the remaining printed text and the cost of clock reads for the last message.
pub fn rest() -> (String, u64) {
    with(|| (String::new(), 0), |context| (std::mem::take(&mut context.printed), context.spent))
}

impl HostChannel {
    fn call(&mut self, cue: HostCall) -> PyResult<ReplyValue> {
        let turn = GuestMessage::Asks { cue, spent: self.spent, printed: std::mem::take(&mut self.printed) };
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
                let turn =
                    GuestMessage::Printed { printed: std::mem::take(&mut self.printed), spent: self.spent };
                self.exchange(&turn)?;
            }
        }
        Ok(())
    }

    /// Sends a message and receives its reply. An oversized message is an error of the tool. If the channel fails, the guest
    /// exits.
    fn exchange(&mut self, turn: &GuestMessage) -> PyResult<ReplyValue> {
        match frame::write(&mut self.channel, turn) {
            Ok(()) => {}
            Err(error @ FrameError::TooLong { .. }) => return Err(PyValueError::new_err(error.to_string())),
            Err(_) => process::leave(1),
        }
        let answer = frame::read(&mut self.channel).unwrap_or_else(|_| process::leave(1));
        let (now, given) = match answer {
            HostReply::Done { now } => (now, Ok(ReplyValue::Nothing)),
            HostReply::Value { now, value } => (now, Ok(ReplyValue::Value(value))),
            HostReply::State { now, state } => (now, Ok(ReplyValue::State(state))),
            HostReply::Face { now, face } => (now, Ok(ReplyValue::Face(face))),
            HostReply::Frame { now, height: 0, width: 0, .. } => (now, Ok(ReplyValue::Image(None))),
            HostReply::Frame { now, height, width, slot } => {
                let bytes =
                    slot.is_none().then(|| frame::read_bytes(&mut self.channel, frame::MAX_RAW_BYTES));
                let bytes = bytes.transpose().unwrap_or_else(|_| process::leave(1));
                (now, Ok(ReplyValue::Image(Some(RawImage { height, width, bytes }))))
            }
            HostReply::Heard { now, bytes: 0 } => (now, Ok(ReplyValue::Heard(Vec::new()))),
            HostReply::Heard { now, .. } => {
                let bytes = frame::read_bytes(&mut self.channel, frame::MAX_RAW_BYTES)
                    .unwrap_or_else(|_| process::leave(1));
                let (samples, _) = bytes.as_chunks::<4>();
                (now, Ok(ReplyValue::Heard(samples.iter().map(|one| f32::from_le_bytes(*one)).collect())))
            }
            HostReply::Refused { now, kind, message } => (now, Err(refusal(kind, message))),
            // The controller violates the protocol, so the guest exits.
            HostReply::Start { .. } | HostReply::Proceed | HostReply::Line { .. } => process::leave(1),
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

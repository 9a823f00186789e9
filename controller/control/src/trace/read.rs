//! Reads a trace from its file.
//!
//! The end may be missing if the writer died. A file from another source may contain anything.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::units::Radians;
use minismith_protocol::trace_format::{Cycle, FORMAT, Footer, Header, MAX_LINE_BYTES, Message, Reader};

/// Maximum number of cycles: an hour at 100 Hz.
const MAX_CYCLES: usize = 360_000;

/// The reason why a file is not a trace of this robot.
#[derive(Debug, thiserror::Error)]
pub enum TraceReadError {
    /// It cannot be read.
    #[error("it can't be read: {0}")]
    Io(#[from] std::io::Error),
    /// A line is not a message, or not one that is allowed there.
    #[error("line {line}: {reason}")]
    Line {
        /// Number of the line, from 1.
        line: u64,
        /// The error.
        reason: String,
    },
    /// It has no cycle.
    #[error("nothing moved in it: there is no beat")]
    Empty,
}

/// A recorded motion.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedTrace {
    /// Description of the recording.
    pub description: Header,
    /// The cycles, by rising number. There is at least one.
    pub cycles: Vec<Cycle>,
    /// All other messages, in order. Images are left out.
    pub texts: Vec<Message>,
    /// Whether it is complete. If not, the writer died.
    pub is_whole: bool,
}

impl RecordedTrace {
    /// Reads a file. An incomplete last line is ignored.
    ///
    /// # Errors
    /// Returns [`TraceReadError`], which names the line.
    pub fn read(path: &Path) -> Result<Self, TraceReadError> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(TraceReadError::Io(std::io::Error::other("it is no file")));
        }
        RecordedTrace::from_lines(BufReader::new(file))
    }

    /// Parses the lines of a file.
    ///
    /// # Errors
    /// As for [`RecordedTrace::read`].
    pub fn from_lines(mut input: impl BufRead) -> Result<Self, TraceReadError> {
        let (mut line, mut reader) = (0, Reader::default());
        let wrong = |line, reason: String| TraceReadError::Line { line, reason };
        let mut next = || -> Result<Option<(u64, Message)>, TraceReadError> {
            let mut bytes = Vec::new();
            line += 1;
            (&mut input).take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut bytes)?;
            if bytes.len() > MAX_LINE_BYTES {
                return Err(wrong(line, format!("it is longer than {MAX_LINE_BYTES} bytes")));
            }
            if bytes.last() != Some(&b'\n') {
                // The end, or an incomplete line.
                return if line == 1 { Err(wrong(1, "it is no trace".into())) } else { Ok(None) };
            }
            let message = reader.read(&bytes);
            message.map(|message| Some((line, message))).map_err(|error| wrong(line, error.to_string()))
        };
        let Some((_, Message::Header(about))) = next()? else {
            return Err(wrong(1, "it is no trace: the first line must be `header`".into()));
        };
        if about.format > FORMAT {
            return Err(wrong(1, format!("it is of format {}, this program knows {FORMAT}", about.format)));
        }
        let named = about.motors.iter().map(|motor| motor.name.as_str());
        if named.ne(Joint::ALL.map(Joint::name)) {
            return Err(wrong(1, "its motors are not those of this robot".into()));
        }
        if !(1e-4..=1.0).contains(&about.period_s) {
            return Err(wrong(1, format!("a beat of {} s is none", about.period_s)));
        }
        let mut taken =
            RecordedTrace { description: about, cycles: Vec::new(), texts: Vec::new(), is_whole: false };
        while let Some((line, message)) = next()? {
            match message {
                Message::Header(_) => return Err(wrong(line, "it begins twice".into())),
                Message::Cycle(cycle) => {
                    let last = taken.cycles.last().map(|last| last.cycle);
                    if let Some(reason) = complaint(&cycle, last) {
                        return Err(wrong(line, reason));
                    }
                    if taken.cycles.len() >= MAX_CYCLES {
                        return Err(wrong(line, format!("it has more than {MAX_CYCLES} beats")));
                    }
                    taken.cycles.push(*cycle);
                }
                Message::Image(_) => {}
                Message::Footer(_) => {
                    taken.is_whole = true;
                    break;
                }
                other => taken.texts.push(other),
            }
        }
        if taken.cycles.is_empty() { Err(TraceReadError::Empty) } else { Ok(taken) }
    }

    /// Returns all messages, in the order of the file.
    pub fn messages(&self) -> impl Iterator<Item = Message> + '_ {
        let end = Message::Footer(Footer { cycles: self.cycles.len() as u64, dropped: 0 });
        std::iter::once(Message::Header(self.description.clone()))
            .chain(self.texts.iter().cloned())
            .chain(self.cycles.iter().map(|cycle| Message::Cycle(Box::new(cycle.clone()))))
            .chain(std::iter::once(end))
    }

    /// Returns the duration of one cycle.
    #[must_use]
    pub fn period(&self) -> Duration {
        Duration::from_secs_f64(self.description.period_s)
    }

    /// Returns the time from the first cycle to the last, seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let number = |cycle: Option<&Cycle>| cycle.map_or(0, |cycle| cycle.cycle);
        number(self.cycles.last()).saturating_sub(number(self.cycles.first())) as f64
            * self.description.period_s
    }
}

/// Returns the error in a cycle, if any.
fn complaint(cycle: &Cycle, last: Option<u64>) -> Option<String> {
    let motors = Joint::ALL.len();
    let lists = [&cycle.goal_deg, &cycle.present_deg];
    if lists.iter().any(|list| list.len() != motors) || !matches!(cycle.setpoint_deg.len(), 0 | 9) {
        return Some(format!("a beat has {motors} angles of each kind"));
    }
    let odd = |angle: &f64| angle.is_nan() || angle.abs() > 3600.0;
    if lists.iter().any(|list| list.iter().any(odd)) || cycle.setpoint_deg.iter().any(odd) {
        return Some("an angle is more than ten turns".into());
    }
    if last.is_some_and(|last| cycle.cycle <= last) {
        return Some(format!("beat {} comes out of order", cycle.cycle));
    }
    None
}

/// Converts a list of degrees to joints.
#[must_use]
pub fn joints(degrees: &[f64]) -> Joints {
    Joints::from_fn(|joint| Radians::from_degrees(degrees.get(joint.index()).copied().unwrap_or_default()))
}

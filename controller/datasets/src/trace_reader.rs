//! Reads the lines of one trace and validates each.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use minismith_protocol::trace_format::{Cycle, FORMAT, Footer, Header, MAX_LINE_BYTES, Message, Reader};

use crate::DatasetError;

/// Maximum number of motors in a trace, the same as in the recorder.
const MAX_MOTORS: usize = 64;

/// Maximum angle in degrees, so that every angle is finite in 32 bits too.
const MAX_DEGREES: f64 = 3600.0;

/// Position of a line in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinePosition {
    /// Line number, from 1.
    pub line: u64,
    /// Offset in bytes.
    pub start: u64,
    /// Length in bytes.
    pub length: usize,
    /// Reader of this line. The first line of the file determines the format.
    pub reader: Reader,
}

/// A trace that is being read.
pub struct TraceLines {
    trace: PathBuf,
    input: BufReader<File>,
    position: LinePosition,
    motors: usize,
    cycles: u64,
    last: Option<u64>,
}

/// How a trace ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The trace is complete, except for dropped messages.
    Complete {
        /// Number of dropped messages.
        dropped: u64,
    },
    /// The trace is truncated.
    Truncated,
}

/// Next element of a trace.
#[derive(Debug)]
pub enum Next {
    /// A message and its position.
    Message(Message, LinePosition),
    /// The end.
    Ending(Ending),
}

impl TraceLines {
    /// Opens a trace and reads its first line.
    ///
    /// # Errors
    ///
    /// Returns an error when it cannot be read, or when its first line is not a valid beginning.
    pub fn open(trace: &Path) -> Result<(TraceLines, Header), DatasetError> {
        let file = File::open(trace).map_err(|source| DatasetError::Input { trace: trace.into(), source })?;
        let path = LinePosition::default();
        let input = BufReader::new(file);
        let mut lines =
            TraceLines { trace: trace.into(), input, position: path, motors: 0, cycles: 0, last: None };
        let Some(Message::Header(begin)) = lines.read()? else {
            return Err(DatasetError::Line {
                trace: trace.into(),
                line: 1,
                reason: "the first line must be `header`".into(),
            });
        };
        if begin.format != FORMAT {
            return Err(DatasetError::Format { trace: trace.into(), theirs: begin.format });
        }
        if let Some(complaint) = complaint(&begin) {
            return Err(lines.wrong(complaint));
        }
        lines.motors = begin.motors.len();
        Ok((lines, begin))
    }

    /// Reads the next message.
    ///
    /// # Errors
    ///
    /// Returns an error when the trace cannot be read, or when the line is invalid.
    pub fn next(&mut self) -> Result<Next, DatasetError> {
        let Some(message) = self.read()? else { return Ok(Next::Ending(Ending::Truncated)) };
        match &message {
            Message::Header(_) => return Err(self.wrong("it is a second `header`")),
            Message::Cycle(cycle) => {
                self.judge(cycle)?;
                self.cycles += 1;
                self.last = Some(cycle.cycle);
            }
            Message::Footer(Footer { cycles, dropped }) => {
                if *cycles != self.cycles {
                    return Err(self
                        .wrong(format!("the footer counts {cycles} cycles, but there are {}", self.cycles)));
                }
                let more = self.input.fill_buf();
                if !more
                    .map_err(|source| DatasetError::Input { trace: self.trace.clone(), source })?
                    .is_empty()
                {
                    return Err(self.wrong("there is data after `footer`"));
                }
                return Ok(Next::Ending(Ending::Complete { dropped: *dropped }));
            }
            _ => {}
        }
        Ok(Next::Message(message, self.position))
    }

    /// Creates an error about the last line read.
    pub fn wrong(&self, reason: impl Into<String>) -> DatasetError {
        DatasetError::Line { trace: self.trace.clone(), line: self.position.line, reason: reason.into() }
    }

    fn judge(&self, cycle: &Cycle) -> Result<(), DatasetError> {
        for list in [&cycle.goal_deg, &cycle.present_deg] {
            if list.len() != self.motors {
                return Err(self.wrong(format!("{} angles for {} motors", list.len(), self.motors)));
            }
            if let Some(odd) = list.iter().find(|angle| angle.is_nan() || angle.abs() > MAX_DEGREES) {
                return Err(self.wrong(format!("invalid angle of {odd} degrees")));
            }
        }
        // The recorder counts cycles in `i64` as well.
        if self.last.is_some_and(|last| cycle.cycle <= last) || i64::try_from(cycle.cycle).is_err() {
            return Err(self.wrong(format!("cycle {} is out of order", cycle.cycle)));
        }
        Ok(())
    }

    /// Reads one line, or returns `None` at the end. An incomplete last line counts as the end.
    fn read(&mut self) -> Result<Option<Message>, DatasetError> {
        let mut bytes = Vec::new();
        let bounded = (&mut self.input).take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut bytes);
        bounded.map_err(|source| DatasetError::Input { trace: self.trace.clone(), source })?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let start = self.position.start + self.position.length as u64;
        self.position =
            LinePosition { line: self.position.line + 1, start, length: bytes.len(), ..self.position };
        if bytes.len() > MAX_LINE_BYTES {
            return Err(self.wrong(format!("the line is longer than {MAX_LINE_BYTES} bytes")));
        }
        match self.position.reader.read(&bytes) {
            Ok(message) => Ok(Some(message)),
            Err(_) if !bytes.ends_with(b"\n") => Ok(None),
            Err(error) => Err(self.wrong(error.to_string())),
        }
    }
}

/// Returns what is wrong with a header. The bounds are the recorder's.
fn complaint(begin: &Header) -> Option<String> {
    if !(1..=MAX_MOTORS).contains(&begin.motors.len()) {
        return Some(format!("invalid number of motors: {}, allowed 1 to {MAX_MOTORS}", begin.motors.len()));
    }
    if !(1e-6..=10.0).contains(&begin.period_s) {
        return Some(format!("invalid cycle period of {} s, allowed 0.000001 to 10", begin.period_s));
    }
    let plain = |name: &str| {
        !name.is_empty() && name.len() <= 60 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let odd = begin.motors.iter().find(|motor| !plain(&motor.name));
    odd.map(|motor| format!("invalid motor name {:?}: use letters, digits and _", motor.name))
}

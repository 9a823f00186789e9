//! Reads the trace line by line and validates each message ([`TraceReader`]).

use std::io::{BufRead, Read};

use minismith_protocol::trace_format::{
    Cycle, FORMAT, Footer, Header, Health, Leg, LoopTiming, MAX_LINE_BYTES, Message, Reader, Span, Text,
};

use crate::camera::Shot;
use crate::stream::instant;

/// Maximum number of motors in a recording.
const MAX_MOTORS: usize = 64;

/// Reports why the input is not a valid trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceReadError {
    /// A line is not a valid message.
    #[error("line {line} is invalid: {reason}")]
    Unreadable {
        /// Line number, from 1.
        line: u64,
        /// Cause.
        reason: String,
    },
    /// The trace has an unsupported format.
    #[error(
        "unsupported trace format {theirs} (expected {FORMAT}); rebuild minismith and the recorder with `make recorder`"
    )]
    Format {
        /// Its format number.
        theirs: u32,
    },
    /// The trace is truncated.
    #[error("the trace ends after line {line} without `footer`; nothing is written")]
    Truncated {
        /// Last line.
        line: u64,
    },
    /// The input cannot be read.
    #[error("cannot read standard input: {0}")]
    Input(#[from] std::io::Error),
}

/// An event of the trace.
#[derive(Debug)]
pub enum TraceEvent {
    /// A control cycle.
    Cycle(Box<Cycle>),
    /// A text.
    Text(Text),
    /// State of the motors.
    Motors(Box<Health>),
    /// Timing of the control loop.
    LoopTiming(LoopTiming),
    /// A camera image.
    Image(Box<Shot>),
    /// Beginning or end of a span.
    Span(Span),
}

/// The lines of one trace.
pub struct TraceReader<R> {
    input: R,
    reader: Reader,
    line: u64,
    header: Header,
    cycles: u64,
    last: Option<u64>,
}

impl<R: BufRead> TraceReader<R> {
    /// Reads the first line.
    pub fn begin(mut input: R) -> Result<Self, TraceReadError> {
        let Some(bytes) = read(&mut input, 1)? else { return Err(TraceReadError::Truncated { line: 0 }) };
        let mut reader = Reader::default();
        let Message::Header(about) = understood(&mut reader, &bytes, 1)? else {
            return Err(wrong(1, "the first line must be `header`"));
        };
        if about.format != FORMAT {
            return Err(TraceReadError::Format { theirs: about.format });
        }
        if let Some(complaint) = complaint(&about) {
            return Err(wrong(1, complaint));
        }
        Ok(TraceReader { input, reader, line: 1, header: about, cycles: 0, last: None })
    }

    /// Returns the header.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the next event, or returns `None` at the end. A live trace may end anywhere, even within a line.
    pub fn next(&mut self) -> Result<Option<TraceEvent>, TraceReadError> {
        let Some(bytes) = read(&mut self.input, self.line + 1)? else {
            return if self.header.is_live {
                Ok(None)
            } else {
                Err(TraceReadError::Truncated { line: self.line })
            };
        };
        let message = match understood(&mut self.reader, &bytes, self.line + 1) {
            Err(_) if self.header.is_live && !bytes.ends_with(b"\n") => return Ok(None),
            message => message?,
        };
        self.line += 1;
        let happened = match message {
            Message::Header(_) => return Err(wrong(self.line, "it is a second `header`")),
            Message::Cycle(cycle) => {
                self.judge(&cycle)?;
                self.cycles += 1;
                self.last = Some(cycle.cycle);
                TraceEvent::Cycle(cycle)
            }
            Message::Text(text) => {
                self.fits(text.cycle.unwrap_or(0))?;
                TraceEvent::Text(text)
            }
            Message::Motors(health) => {
                self.fits(health.cycle)?;
                for list in
                    [&health.temperature_c, &health.voltage_v, &health.current_ma, &health.velocity_dps]
                {
                    self.of_each_motor(list.len(), "values")?;
                }
                TraceEvent::Motors(health)
            }
            Message::LoopTiming(rhythm) => {
                self.fits(rhythm.cycle)?;
                TraceEvent::LoopTiming(rhythm)
            }
            Message::Image(image) => {
                self.fits(image.cycle)?;
                TraceEvent::Image(Box::new(Shot::of(*image).map_err(|reason| wrong(self.line, reason))?))
            }
            Message::Span(span) => {
                self.fits(span.cycle)?;
                TraceEvent::Span(span)
            }
            Message::Footer(Footer { cycles, .. }) => {
                if cycles != self.cycles {
                    return Err(wrong(
                        self.line,
                        format!("the footer counts {cycles} cycles, but there are {}", self.cycles),
                    ));
                }
                return match read(&mut self.input, self.line + 1)? {
                    None => Ok(None),
                    Some(_) => Err(wrong(self.line + 1, "there is data after `footer`")),
                };
            }
        };
        Ok(Some(happened))
    }

    fn judge(&self, cycle: &Cycle) -> Result<(), TraceReadError> {
        let motors = self.header.motors.len();
        for list in [&cycle.goal_deg, &cycle.present_deg] {
            self.of_each_motor(list.len(), "angles")?;
        }
        if !cycle.setpoint_deg.is_empty() {
            self.of_each_motor(cycle.setpoint_deg.len(), "setpoints")?;
        }
        if let Some(clamp) = cycle.clamps.iter().find(|clamp| clamp.motor >= motors) {
            return Err(wrong(self.line, format!("no motor {} of {motors}", clamp.motor)));
        }
        self.fits(cycle.cycle)?;
        if self.last.is_some_and(|last| cycle.cycle <= last) {
            return Err(wrong(self.line, format!("cycle {} is out of order", cycle.cycle)));
        }
        Ok(())
    }

    fn of_each_motor(&self, values: usize, what: &str) -> Result<(), TraceReadError> {
        let motors = self.header.motors.len();
        if values == motors {
            Ok(())
        } else {
            Err(wrong(self.line, format!("{values} {what} for {motors} motors")))
        }
    }

    /// Checks that the time fits: viewers use nanoseconds in 63 bits.
    fn fits(&self, cycle: u64) -> Result<(), TraceReadError> {
        if cycle as f64 * self.header.period_s.max(1e-9) < 9e9 {
            Ok(())
        } else {
            Err(wrong(self.line, format!("cycle {cycle} is out of range")))
        }
    }
}

fn wrong(line: u64, reason: impl Into<String>) -> TraceReadError {
    TraceReadError::Unreadable { line, reason: reason.into() }
}

/// Reads one line, or returns `None` at the end.
fn read(input: &mut impl BufRead, line: u64) -> Result<Option<Vec<u8>>, TraceReadError> {
    let mut bytes = Vec::new();
    input.take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut bytes)?;
    if bytes.len() > MAX_LINE_BYTES {
        return Err(wrong(line, format!("the line is longer than {MAX_LINE_BYTES} bytes")));
    }
    Ok((!bytes.is_empty()).then_some(bytes))
}

fn understood(reader: &mut Reader, bytes: &[u8], line: u64) -> Result<Message, TraceReadError> {
    reader.read(bytes).map_err(|error| wrong(line, error.to_string()))
}

/// Returns what is wrong with a header.
fn complaint(about: &Header) -> Option<String> {
    let motors = about.motors.len();
    if !(1..=MAX_MOTORS).contains(&motors) {
        return Some(format!("invalid number of motors: {motors}, allowed 1 to {MAX_MOTORS}"));
    }
    if !(1e-6..=10.0).contains(&about.period_s) {
        return Some(format!("invalid cycle period of {} s, allowed 0.000001 to 10", about.period_s));
    }
    if let Some(at) = about.start_time.as_deref().filter(|at| instant(at).is_none()) {
        return Some(format!("invalid time {at:?}; an example is 2026-11-23T08:00:00Z"));
    }
    let plain = |name: &str| {
        !name.is_empty() && name.len() <= 60 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let odd = about.motors.iter().find(|motor| !plain(&motor.name));
    if let Some(motor) = odd {
        return Some(format!("invalid motor name {:?}: use letters, digits and _", motor.name));
    }
    let odd = |leg: &&Leg| leg.motor >= motors;
    about.legs.iter().find(odd).map(|leg| format!("a leg refers to motor {} of {motors}", leg.motor))
}

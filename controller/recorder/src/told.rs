//! Reads the trace line by line and validates each message ([`Told`]).

use std::io::{BufRead, Read};

use minismith_wire::recording::{
    Beat, Begin, End, FORMAT, Health, LONGEST_LINE, Leg, Message, Reader, Rhythm, Span, Text,
};

use crate::camera::Shot;
use crate::sheet::instant;

/// Maximum number of motors in a recording.
const MOST_MOTORS: usize = 64;

/// Reports why the input is not a valid trace.
#[derive(Debug, thiserror::Error)]
pub enum Untold {
    /// A line is not a valid message.
    #[error("line {line} is invalid: {reason}")]
    NotUnderstood {
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
    Cut {
        /// Last line.
        line: u64,
    },
    /// The input cannot be read.
    #[error("cannot read standard input: {0}")]
    Input(#[from] std::io::Error),
}

/// An event of the trace.
#[derive(Debug)]
pub enum Happened {
    /// A control cycle.
    Beat(Box<Beat>),
    /// A text.
    Text(Text),
    /// State of the motors.
    Motors(Box<Health>),
    /// Timing of the control loop.
    Pulse(Rhythm),
    /// A camera image.
    Picture(Box<Shot>),
    /// Beginning or end of a span.
    Span(Span),
}

/// The lines of one trace.
pub struct Told<R> {
    input: R,
    reader: Reader,
    line: u64,
    about: Begin,
    beats: u64,
    last: Option<u64>,
}

impl<R: BufRead> Told<R> {
    /// Reads the first line.
    pub fn begin(mut input: R) -> Result<Self, Untold> {
        let Some(bytes) = read(&mut input, 1)? else { return Err(Untold::Cut { line: 0 }) };
        let mut reader = Reader::default();
        let Message::Begin(about) = understood(&mut reader, &bytes, 1)? else {
            return Err(wrong(1, "the first line must be `header`"));
        };
        if about.format != FORMAT {
            return Err(Untold::Format { theirs: about.format });
        }
        if let Some(complaint) = complaint(&about) {
            return Err(wrong(1, complaint));
        }
        Ok(Told { input, reader, line: 1, about, beats: 0, last: None })
    }

    /// Returns the header.
    pub const fn about(&self) -> &Begin {
        &self.about
    }

    /// Reads the next event, or returns `None` at the end. A live trace may end anywhere, even within a line.
    pub fn next(&mut self) -> Result<Option<Happened>, Untold> {
        let Some(bytes) = read(&mut self.input, self.line + 1)? else {
            return if self.about.live { Ok(None) } else { Err(Untold::Cut { line: self.line }) };
        };
        let message = match understood(&mut self.reader, &bytes, self.line + 1) {
            Err(_) if self.about.live && !bytes.ends_with(b"\n") => return Ok(None),
            message => message?,
        };
        self.line += 1;
        let happened = match message {
            Message::Begin(_) => return Err(wrong(self.line, "it is a second `header`")),
            Message::Beat(beat) => {
                self.judge(&beat)?;
                self.beats += 1;
                self.last = Some(beat.beat);
                Happened::Beat(beat)
            }
            Message::Text(text) => {
                self.fits(text.beat.unwrap_or(0))?;
                Happened::Text(text)
            }
            Message::Motors(health) => {
                self.fits(health.beat)?;
                for list in [&health.celsius, &health.volts, &health.milliamps, &health.degrees_per_s] {
                    self.of_each_motor(list.len(), "values")?;
                }
                Happened::Motors(health)
            }
            Message::Pulse(rhythm) => {
                self.fits(rhythm.beat)?;
                Happened::Pulse(rhythm)
            }
            Message::Picture(picture) => {
                self.fits(picture.beat)?;
                Happened::Picture(Box::new(Shot::of(*picture).map_err(|reason| wrong(self.line, reason))?))
            }
            Message::Span(span) => {
                self.fits(span.beat)?;
                Happened::Span(span)
            }
            Message::End(End { beats, .. }) => {
                if beats != self.beats {
                    return Err(wrong(
                        self.line,
                        format!("the footer counts {beats} cycles, but there are {}", self.beats),
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

    fn judge(&self, beat: &Beat) -> Result<(), Untold> {
        let motors = self.about.motors.len();
        for list in [&beat.goal_deg, &beat.present_deg] {
            self.of_each_motor(list.len(), "angles")?;
        }
        if !beat.wish_deg.is_empty() {
            self.of_each_motor(beat.wish_deg.len(), "setpoints")?;
        }
        if let Some(trim) = beat.trims.iter().find(|trim| trim.motor >= motors) {
            return Err(wrong(self.line, format!("no motor {} of {motors}", trim.motor)));
        }
        self.fits(beat.beat)?;
        if self.last.is_some_and(|last| beat.beat <= last) {
            return Err(wrong(self.line, format!("cycle {} is out of order", beat.beat)));
        }
        Ok(())
    }

    fn of_each_motor(&self, values: usize, what: &str) -> Result<(), Untold> {
        let motors = self.about.motors.len();
        if values == motors {
            Ok(())
        } else {
            Err(wrong(self.line, format!("{values} {what} for {motors} motors")))
        }
    }

    /// Checks that the time fits: viewers use nanoseconds in 63 bits.
    fn fits(&self, beat: u64) -> Result<(), Untold> {
        if beat as f64 * self.about.period_s.max(1e-9) < 9e9 {
            Ok(())
        } else {
            Err(wrong(self.line, format!("cycle {beat} is out of range")))
        }
    }
}

fn wrong(line: u64, reason: impl Into<String>) -> Untold {
    Untold::NotUnderstood { line, reason: reason.into() }
}

/// Reads one line, or returns `None` at the end.
fn read(input: &mut impl BufRead, line: u64) -> Result<Option<Vec<u8>>, Untold> {
    let mut bytes = Vec::new();
    input.take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut bytes)?;
    if bytes.len() > LONGEST_LINE {
        return Err(wrong(line, format!("the line is longer than {LONGEST_LINE} bytes")));
    }
    Ok((!bytes.is_empty()).then_some(bytes))
}

fn understood(reader: &mut Reader, bytes: &[u8], line: u64) -> Result<Message, Untold> {
    reader.read(bytes).map_err(|error| wrong(line, error.to_string()))
}

/// Returns what is wrong with a header.
fn complaint(about: &Begin) -> Option<String> {
    let motors = about.motors.len();
    if !(1..=MOST_MOTORS).contains(&motors) {
        return Some(format!("invalid number of motors: {motors}, allowed 1 to {MOST_MOTORS}"));
    }
    if !(1e-6..=10.0).contains(&about.period_s) {
        return Some(format!("invalid cycle period of {} s, allowed 0.000001 to 10", about.period_s));
    }
    if let Some(at) = about.at.as_deref().filter(|at| instant(at).is_none()) {
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

//! What the recorder is told, line by line, judged before anything is done with it.

use std::io::{BufRead, Read};

use minismith_wire::recording::{
    Beat, Begin, End, FORMAT, Health, LONGEST_LINE, Leg, Message, Reader, Rhythm, Span, Text,
};

use crate::camera::Shot;
use crate::sheet::instant;

/// The most motors that a recording may have.
const MOST_MOTORS: usize = 64;

/// What was told is not a recording.
#[derive(Debug, thiserror::Error)]
pub enum Untold {
    /// A line is no message.
    #[error("line {line} is not understood: {reason}")]
    NotUnderstood {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The teller speaks another version.
    #[error(
        "it is told in format {theirs}, this recorder knows {FORMAT}: build both anew with `make recorder`"
    )]
    Format {
        /// Its version.
        theirs: u32,
    },
    /// The teller stopped before the end.
    #[error("it ends after line {line} without `footer`: whoever told it has stopped, so nothing is written")]
    Cut {
        /// The last line.
        line: u64,
    },
    /// The lines can't be read.
    #[error("can't read standard input: {0}")]
    Input(#[from] std::io::Error),
}

/// Something between beginning and end.
#[derive(Debug)]
pub enum Happened {
    /// A beat.
    Beat(Box<Beat>),
    /// A text.
    Text(Text),
    /// How the motors are.
    Motors(Box<Health>),
    /// How regular the beats were.
    Pulse(Rhythm),
    /// What the camera saw.
    Picture(Box<Shot>),
    /// Something that lasts began or ended.
    Span(Span),
}

/// The lines of one recording.
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

    /// What is recorded.
    pub const fn about(&self) -> &Begin {
        &self.about
    }

    /// The next that happened; none at the end. What is live may end anywhere, also within a line.
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
            Message::Begin(_) => return Err(wrong(self.line, "it begins twice")),
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
                    return Err(wrong(self.line, format!("{} beats came of {beats}", self.beats)));
                }
                return match read(&mut self.input, self.line + 1)? {
                    None => Ok(None),
                    Some(_) => Err(wrong(self.line + 1, "it goes on after `footer`")),
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
            self.of_each_motor(beat.wish_deg.len(), "wishes")?;
        }
        if let Some(trim) = beat.trims.iter().find(|trim| trim.motor >= motors) {
            return Err(wrong(self.line, format!("there is no motor {} of {motors}", trim.motor)));
        }
        self.fits(beat.beat)?;
        if self.last.is_some_and(|last| beat.beat <= last) {
            return Err(wrong(self.line, format!("beat {} comes out of order", beat.beat)));
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

    /// A viewer's times are nanoseconds in 63 bits.
    fn fits(&self, beat: u64) -> Result<(), Untold> {
        if beat as f64 * self.about.period_s.max(1e-9) < 9e9 {
            Ok(())
        } else {
            Err(wrong(self.line, format!("there is no beat {beat}")))
        }
    }
}

fn wrong(line: u64, reason: impl Into<String>) -> Untold {
    Untold::NotUnderstood { line, reason: reason.into() }
}

/// The bytes of one line; none when there are no more.
fn read(input: &mut impl BufRead, line: u64) -> Result<Option<Vec<u8>>, Untold> {
    let mut bytes = Vec::new();
    input.take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut bytes)?;
    if bytes.len() > LONGEST_LINE {
        return Err(wrong(line, format!("it is longer than {LONGEST_LINE} bytes")));
    }
    Ok((!bytes.is_empty()).then_some(bytes))
}

fn understood(reader: &mut Reader, bytes: &[u8], line: u64) -> Result<Message, Untold> {
    reader.read(bytes).map_err(|error| wrong(line, error.to_string()))
}

/// What is wrong with a beginning.
fn complaint(about: &Begin) -> Option<String> {
    let motors = about.motors.len();
    if !(1..=MOST_MOTORS).contains(&motors) {
        return Some(format!("{motors} motors, 1 to {MOST_MOTORS} are possible"));
    }
    if !(1e-6..=10.0).contains(&about.period_s) {
        return Some(format!("a beat of {} s, at most 10 are possible", about.period_s));
    }
    if let Some(at) = about.at.as_deref().filter(|at| instant(at).is_none()) {
        return Some(format!("{at:?} is no time, as 2026-11-23T08:00:00Z is one"));
    }
    let plain = |name: &str| {
        !name.is_empty() && name.len() <= 60 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let odd = about.motors.iter().find(|motor| !plain(&motor.name));
    if let Some(motor) = odd {
        return Some(format!("{:?} is no motor's name: letters, digits and _ make one", motor.name));
    }
    let odd = |leg: &&Leg| leg.motor >= motors;
    about.legs.iter().find(odd).map(|leg| format!("a leg has motor {} of {motors}", leg.motor))
}

//! What the recorder is told, line by line, judged before anything is done with it.

use std::io::{BufRead, Read};

use minismith_wire::recording::{Beat, Begin, End, FORMAT, LONGEST_LINE, Message, Text};

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
    #[error("it ends after line {line} without `end`: whoever told it has stopped, so nothing is written")]
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
}

/// The lines of one recording.
pub struct Told<R> {
    input: R,
    line: u64,
    about: Begin,
    beats: u64,
    last: Option<u64>,
}

impl<R: BufRead> Told<R> {
    /// Reads the first line.
    pub fn begin(mut input: R) -> Result<Self, Untold> {
        let Some(message) = read(&mut input, 1)? else { return Err(Untold::Cut { line: 0 }) };
        let Message::Begin(about) = message else { return Err(wrong(1, "the first line must be `begin`")) };
        if about.format != FORMAT {
            return Err(Untold::Format { theirs: about.format });
        }
        if let Some(complaint) = complaint(&about) {
            return Err(wrong(1, complaint));
        }
        Ok(Told { input, line: 1, about, beats: 0, last: None })
    }

    /// What is recorded.
    pub const fn about(&self) -> &Begin {
        &self.about
    }

    /// The next that happened; none at the end.
    pub fn next(&mut self) -> Result<Option<Happened>, Untold> {
        let next = read(&mut self.input, self.line + 1)?;
        let Some(message) = next else { return Err(Untold::Cut { line: self.line }) };
        self.line += 1;
        match message {
            Message::Begin(_) => Err(wrong(self.line, "it begins twice")),
            Message::Beat(beat) => {
                self.judge(&beat)?;
                self.beats += 1;
                self.last = Some(beat.beat);
                Ok(Some(Happened::Beat(beat)))
            }
            Message::Text(text) => Ok(Some(Happened::Text(text))),
            Message::End(End { beats }) => {
                if beats != self.beats {
                    return Err(wrong(self.line, format!("{} beats came of {beats}", self.beats)));
                }
                match read(&mut self.input, self.line + 1)? {
                    None => Ok(None),
                    Some(_) => Err(wrong(self.line + 1, "it goes on after `end`")),
                }
            }
        }
    }

    fn judge(&self, beat: &Beat) -> Result<(), Untold> {
        let motors = self.about.motors.len();
        for list in [&beat.goal_deg, &beat.present_deg] {
            if list.len() != motors {
                return Err(wrong(self.line, format!("{} angles for {motors} motors", list.len())));
            }
        }
        if let Some(trim) = beat.trims.iter().find(|trim| trim.motor >= motors) {
            return Err(wrong(self.line, format!("there is no motor {} of {motors}", trim.motor)));
        }
        if self.last.is_some_and(|last| beat.beat <= last) || i64::try_from(beat.beat).is_err() {
            return Err(wrong(self.line, format!("beat {} comes out of order", beat.beat)));
        }
        Ok(())
    }
}

fn wrong(line: u64, reason: impl Into<String>) -> Untold {
    Untold::NotUnderstood { line, reason: reason.into() }
}

/// One line; none when there are no more.
fn read(input: &mut impl BufRead, line: u64) -> Result<Option<Message>, Untold> {
    let mut bytes = Vec::new();
    input.take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() > LONGEST_LINE {
        return Err(wrong(line, format!("it is longer than {LONGEST_LINE} bytes")));
    }
    serde_json::from_slice(&bytes).map(Some).map_err(|error| wrong(line, error.to_string()))
}

/// What is wrong with a beginning.
fn complaint(about: &Begin) -> Option<String> {
    if !(1..=MOST_MOTORS).contains(&about.motors.len()) {
        return Some(format!("{} motors, 1 to {MOST_MOTORS} are possible", about.motors.len()));
    }
    if !(1e-6..=10.0).contains(&about.period_s) {
        return Some(format!("a beat of {} s, at most 10 are possible", about.period_s));
    }
    let plain = |name: &str| {
        !name.is_empty() && name.len() <= 60 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let odd = about.motors.iter().find(|motor| !plain(&motor.name));
    odd.map(|motor| format!("{:?} is no motor's name: letters, digits and _ make one", motor.name))
}

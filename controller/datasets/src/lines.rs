//! The lines of one trace, each judged before anything is done with it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use minismith_wire::recording::{Beat, Begin, End, FORMAT, LONGEST_LINE, Message, Reader};

use crate::NoDataset;

/// The most motors that a trace may have, as for the recorder.
const MOST_MOTORS: usize = 64;

/// No joint turns further, degrees; so every angle is finite in 32 bits too.
const MOST_DEGREES: f64 = 3600.0;

/// Where a line lies in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its number, from 1.
    pub line: u64,
    /// Where it begins, bytes.
    pub start: u64,
    /// How long it is, bytes.
    pub length: usize,
    /// Reads this line: the file's first line tells its format.
    pub reader: Reader,
}

/// A trace that is being read.
pub struct Lines {
    trace: PathBuf,
    input: BufReader<File>,
    place: Place,
    motors: usize,
    beats: u64,
    last: Option<u64>,
}

/// How a trace ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its teller has told it to the end and left out so many messages.
    Whole {
        /// How many messages are missing.
        dropped: u64,
    },
    /// Its teller has died.
    Cut,
}

/// What comes next.
#[derive(Debug)]
pub enum Next {
    /// A message, and where it stands.
    Message(Message, Place),
    /// Nothing more.
    Ending(Ending),
}

impl Lines {
    /// Opens a trace and reads its first line.
    ///
    /// # Errors
    ///
    /// When it can't be read, or when its first line is not how a trace begins.
    pub fn open(trace: &Path) -> Result<(Lines, Begin), NoDataset> {
        let file = File::open(trace).map_err(|source| NoDataset::Input { trace: trace.into(), source })?;
        let place = Place::default();
        let input = BufReader::new(file);
        let mut lines = Lines { trace: trace.into(), input, place, motors: 0, beats: 0, last: None };
        let Some(Message::Begin(begin)) = lines.read()? else {
            return Err(NoDataset::Line {
                trace: trace.into(),
                line: 1,
                reason: "a trace begins with `header`".into(),
            });
        };
        if begin.format != FORMAT {
            return Err(NoDataset::Format { trace: trace.into(), theirs: begin.format });
        }
        if let Some(complaint) = complaint(&begin) {
            return Err(lines.wrong(complaint));
        }
        lines.motors = begin.motors.len();
        Ok((lines, begin))
    }

    /// The next message.
    ///
    /// # Errors
    ///
    /// When the trace can't be read, or when the line can't be right.
    pub fn next(&mut self) -> Result<Next, NoDataset> {
        let Some(message) = self.read()? else { return Ok(Next::Ending(Ending::Cut)) };
        match &message {
            Message::Begin(_) => return Err(self.wrong("it begins twice")),
            Message::Beat(beat) => {
                self.judge(beat)?;
                self.beats += 1;
                self.last = Some(beat.beat);
            }
            Message::End(End { beats, dropped }) => {
                if *beats != self.beats {
                    return Err(self.wrong(format!("{} beats came of {beats}", self.beats)));
                }
                let more = self.input.fill_buf();
                if !more.map_err(|source| NoDataset::Input { trace: self.trace.clone(), source })?.is_empty()
                {
                    return Err(self.wrong("it goes on after `footer`"));
                }
                return Ok(Next::Ending(Ending::Whole { dropped: *dropped }));
            }
            _ => {}
        }
        Ok(Next::Message(message, self.place))
    }

    /// The complaint about the line that was read last.
    pub fn wrong(&self, reason: impl Into<String>) -> NoDataset {
        NoDataset::Line { trace: self.trace.clone(), line: self.place.line, reason: reason.into() }
    }

    fn judge(&self, beat: &Beat) -> Result<(), NoDataset> {
        for list in [&beat.goal_deg, &beat.present_deg] {
            if list.len() != self.motors {
                return Err(self.wrong(format!("{} angles for {} motors", list.len(), self.motors)));
            }
            if let Some(odd) = list.iter().find(|angle| angle.is_nan() || angle.abs() > MOST_DEGREES) {
                return Err(self.wrong(format!("{odd} degrees is no motor's angle")));
            }
        }
        // The recorder counts beats in `i64` as well.
        if self.last.is_some_and(|last| beat.beat <= last) || i64::try_from(beat.beat).is_err() {
            return Err(self.wrong(format!("beat {} comes out of order", beat.beat)));
        }
        Ok(())
    }

    /// One line; none when there are no more. What its teller began and could not finish is no line.
    fn read(&mut self) -> Result<Option<Message>, NoDataset> {
        let mut bytes = Vec::new();
        let bounded = (&mut self.input).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut bytes);
        bounded.map_err(|source| NoDataset::Input { trace: self.trace.clone(), source })?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let start = self.place.start + self.place.length as u64;
        self.place = Place { line: self.place.line + 1, start, length: bytes.len(), ..self.place };
        if bytes.len() > LONGEST_LINE {
            return Err(self.wrong(format!("it is longer than {LONGEST_LINE} bytes")));
        }
        match self.place.reader.read(&bytes) {
            Ok(message) => Ok(Some(message)),
            Err(_) if !bytes.ends_with(b"\n") => Ok(None),
            Err(error) => Err(self.wrong(error.to_string())),
        }
    }
}

/// What is wrong with a beginning; the bounds are the recorder's.
fn complaint(begin: &Begin) -> Option<String> {
    if !(1..=MOST_MOTORS).contains(&begin.motors.len()) {
        return Some(format!("{} motors, 1 to {MOST_MOTORS} are possible", begin.motors.len()));
    }
    if !(1e-6..=10.0).contains(&begin.period_s) {
        return Some(format!("a beat of {} s, 0.000001 to 10 are possible", begin.period_s));
    }
    let plain = |name: &str| {
        !name.is_empty() && name.len() <= 60 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let odd = begin.motors.iter().find(|motor| !plain(&motor.name));
    odd.map(|motor| format!("{:?} is no motor's name: letters, digits and _ make one", motor.name))
}

//! A trace, read from its file. Whoever wrote it may have died, so its end may be missing; a file from elsewhere may hold
//! anything.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::units::Radians;
use minismith_wire::recording::{Beat, Begin, End, FORMAT, LONGEST_LINE, Message, Reader};

/// The most beats that are read: an hour at 100 Hz.
const MOST_BEATS: usize = 360_000;

/// Why a file is no trace of this robot.
#[derive(Debug, thiserror::Error)]
pub enum NotATrace {
    /// It can't be read.
    #[error("it can't be read: {0}")]
    Io(#[from] std::io::Error),
    /// A line is no message, or none that may stand there.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// It holds no beat.
    #[error("nothing moved in it: there is no beat")]
    Empty,
}

/// What was kept of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// What it is.
    pub about: Begin,
    /// The beats, by rising number; at least one.
    pub beats: Vec<Beat>,
    /// Everything else that was told, in its order; pictures are left out.
    pub told: Vec<Message>,
    /// Whether it came to its end; if not, whoever wrote it died.
    pub is_whole: bool,
}

impl Taken {
    /// Reads a file. What stands behind the last whole line of one that broke off is left out.
    ///
    /// # Errors
    /// [`NotATrace`] names the line.
    pub fn read(path: &Path) -> Result<Self, NotATrace> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(NotATrace::Io(std::io::Error::other("it is no file")));
        }
        Taken::from_lines(BufReader::new(file))
    }

    /// The same from its lines.
    ///
    /// # Errors
    /// As [`Taken::read`].
    pub fn from_lines(mut input: impl BufRead) -> Result<Self, NotATrace> {
        let (mut line, mut reader) = (0, Reader::default());
        let wrong = |line, reason: String| NotATrace::Line { line, reason };
        let mut next = || -> Result<Option<(u64, Message)>, NotATrace> {
            let mut bytes = Vec::new();
            line += 1;
            (&mut input).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut bytes)?;
            if bytes.len() > LONGEST_LINE {
                return Err(wrong(line, format!("it is longer than {LONGEST_LINE} bytes")));
            }
            if bytes.last() != Some(&b'\n') {
                // The end, or a line that broke off.
                return if line == 1 { Err(wrong(1, "it is no trace".into())) } else { Ok(None) };
            }
            let message = reader.read(&bytes);
            message.map(|message| Some((line, message))).map_err(|error| wrong(line, error.to_string()))
        };
        let Some((_, Message::Begin(about))) = next()? else {
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
        let mut taken = Taken { about, beats: Vec::new(), told: Vec::new(), is_whole: false };
        while let Some((line, message)) = next()? {
            match message {
                Message::Begin(_) => return Err(wrong(line, "it begins twice".into())),
                Message::Beat(beat) => {
                    let last = taken.beats.last().map(|last| last.beat);
                    if let Some(reason) = complaint(&beat, last) {
                        return Err(wrong(line, reason));
                    }
                    if taken.beats.len() >= MOST_BEATS {
                        return Err(wrong(line, format!("it has more than {MOST_BEATS} beats")));
                    }
                    taken.beats.push(*beat);
                }
                Message::Picture(_) => {}
                Message::End(_) => {
                    taken.is_whole = true;
                    break;
                }
                other => taken.told.push(other),
            }
        }
        if taken.beats.is_empty() { Err(NotATrace::Empty) } else { Ok(taken) }
    }

    /// All of it as it is written, message by message.
    pub fn messages(&self) -> impl Iterator<Item = Message> + '_ {
        let end = Message::End(End { beats: self.beats.len() as u64, dropped: 0 });
        std::iter::once(Message::Begin(self.about.clone()))
            .chain(self.told.iter().cloned())
            .chain(self.beats.iter().map(|beat| Message::Beat(Box::new(beat.clone()))))
            .chain(std::iter::once(end))
    }

    /// The time of one beat.
    #[must_use]
    pub fn period(&self) -> Duration {
        Duration::from_secs_f64(self.about.period_s)
    }

    /// From the first beat to the last, seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let number = |beat: Option<&Beat>| beat.map_or(0, |beat| beat.beat);
        number(self.beats.last()).saturating_sub(number(self.beats.first())) as f64 * self.about.period_s
    }
}

/// What is wrong with a beat.
fn complaint(beat: &Beat, last: Option<u64>) -> Option<String> {
    let motors = Joint::ALL.len();
    let lists = [&beat.goal_deg, &beat.present_deg];
    if lists.iter().any(|list| list.len() != motors) || !matches!(beat.wish_deg.len(), 0 | 9) {
        return Some(format!("a beat has {motors} angles of each kind"));
    }
    let odd = |angle: &f64| angle.is_nan() || angle.abs() > 3600.0;
    if lists.iter().any(|list| list.iter().any(odd)) || beat.wish_deg.iter().any(odd) {
        return Some("an angle is more than ten turns".into());
    }
    if last.is_some_and(|last| beat.beat <= last) {
        return Some(format!("beat {} comes out of order", beat.beat));
    }
    None
}

/// The joints of a list of degrees.
#[must_use]
pub fn joints(degrees: &[f64]) -> Joints {
    Joints::from_fn(|joint| Radians::from_degrees(degrees.get(joint.index()).copied().unwrap_or_default()))
}

//! One trace as one episode.

use std::path::{Path, PathBuf};

use minismith_wire::recording::{Message, Text, Voice};

use crate::album::Album;
use crate::lines::{Ending, Lines, Next};
use crate::rows::{Grid, MOST_ROWS, Rows, Sampler};
use crate::{NoDataset, Options};

/// From here on two times a row apart are, in the 32 bits of a dataset's times, further from that than the 0.0001 s that
/// LeRobot allows; seconds.
const PRECISE_S: f64 = 1024.0;

/// One episode, judged and sampled.
#[derive(Debug)]
pub struct Episode {
    /// The trace that it is.
    pub trace: PathBuf,
    /// The motors' names.
    pub motors: Vec<String>,
    /// What was to be done.
    pub task: String,
    /// Its rows; one at least.
    pub rows: Rows,
    /// Its pictures.
    pub pictures: Option<Pictures>,
    /// What to know about it.
    pub notes: Vec<String>,
}

/// The pictures of an episode.
#[derive(Debug)]
pub struct Pictures {
    /// All that were taken.
    pub album: Album,
    /// Which of them each row has.
    pub of_rows: Vec<usize>,
}

impl Episode {
    /// Reads a trace.
    ///
    /// # Errors
    ///
    /// When it can't be read, can't be right, is empty or too long.
    pub fn read(trace: &Path, options: &Options) -> Result<Episode, NoDataset> {
        let (mut lines, begin) = Lines::open(trace)?;
        let too_long = |_| NoDataset::TooLong { trace: trace.into(), fps: options.fps, most: MOST_ROWS };
        let mut sampler = Sampler::new(begin.period_s, options.fps);
        let (mut asked, mut album) = (None, None::<Album>);
        let ending = loop {
            let (message, place) = match lines.next()? {
                Next::Message(message, place) => (message, place),
                Next::Ending(ending) => break ending,
            };
            match message {
                Message::Beat(beat) => sampler.take(&beat).map_err(too_long)?,
                Message::Text(Text { voice: Voice::Person, words, .. }) if asked.is_none() => {
                    asked = one_line(&words)
                }
                Message::Picture(picture) if options.pictures => {
                    let added = match &mut album {
                        Some(album) => album.add(&picture, place),
                        None => Album::begin(trace, &picture, place).map(|begun| album = Some(begun)),
                    };
                    added.map_err(|reason| lines.wrong(reason))?;
                }
                _ => {}
            }
        };
        let sampled = sampler.end().map_err(too_long)?;
        let (rows, grid) = sampled.ok_or_else(|| NoDataset::NoBeats { trace: trace.into() })?;
        let pictures = album.map(|album| Pictures { of_rows: album.of_rows(grid, rows.count), album });
        let notes = notes(&rows, grid, pictures.as_ref(), ending, options.fps);
        let motors = begin.motors.into_iter().map(|motor| motor.name).collect();
        let task = asked.or_else(|| one_line(&begin.name)).unwrap_or_else(|| "move".into());
        Ok(Episode { trace: trace.into(), motors, task, rows, pictures, notes })
    }
}

/// A sentence without line breaks; none without words.
fn one_line(words: &str) -> Option<String> {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

// Rows and beats within an episode are far below 2^52.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn notes(rows: &Rows, grid: Grid, pictures: Option<&Pictures>, ending: Ending, fps: u32) -> Vec<String> {
    let mut notes = Vec::new();
    match ending {
        Ending::Cut => {
            notes.push("it has no end: whoever told it has stopped; what there is was taken".into())
        }
        Ending::Whole { dropped: 0 } => {}
        Ending::Whole { dropped } => notes.push(format!("{dropped} messages could not be told in time")),
    }
    if rows.stale > 0 {
        notes.push(format!("beats are missing: {} rows repeat the one before them", rows.stale));
    }
    if let Some(Pictures { album, of_rows }) = pictures {
        let second = (grid.step * f64::from(fps)).ceil() as u64;
        let far = album.far(grid, of_rows, second);
        if far > 0 {
            notes.push(format!("pictures are missing: {far} rows have one from more than a second away"));
        }
    }
    if rows.count as f64 / f64::from(fps) > PRECISE_S {
        notes
            .push(format!("it is longer than {PRECISE_S} s: LeRobot reads it with `tolerance_s=0.001` only"));
    }
    notes
}

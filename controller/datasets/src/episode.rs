//! Converts one trace to one episode ([`Episode`]).

use std::path::{Path, PathBuf};

use minismith_protocol::trace_format::{Message, Text, TextSource};

use crate::frame_index::FrameIndex;
use crate::rows::{Grid, MAX_ROWS, Rows, Sampler};
use crate::trace_reader::{Ending, Next, TraceLines};
use crate::{DatasetError, Options};

/// Duration in seconds from which the rounding of 32-bit timestamps exceeds the 0.0001 s that LeRobot allows between rows.
const MAX_PRECISE_S: f64 = 1024.0;

/// An episode, validated and sampled.
#[derive(Debug)]
pub struct Episode {
    /// Its trace.
    pub trace: PathBuf,
    /// Names of the motors.
    pub motors: Vec<String>,
    /// Description of the task.
    pub task: String,
    /// Its rows, at least one.
    pub rows: Rows,
    /// Its images.
    pub images: Option<Images>,
    /// Warnings about it.
    pub notes: Vec<String>,
}

/// The images of an episode.
#[derive(Debug)]
pub struct Images {
    /// All images.
    pub album: FrameIndex,
    /// Image index of each row.
    pub of_rows: Vec<usize>,
}

impl Episode {
    /// Reads a trace.
    ///
    /// # Errors
    ///
    /// Returns an error when the trace cannot be read, is invalid, empty or too long.
    pub fn read(trace: &Path, options: &Options) -> Result<Episode, DatasetError> {
        let (mut lines, begin) = TraceLines::open(trace)?;
        let too_long = |_| DatasetError::TooLong { trace: trace.into(), fps: options.fps, max: MAX_ROWS };
        let mut sampler = Sampler::new(begin.period_s, options.fps);
        let (mut utterance, mut album) = (None, None::<FrameIndex>);
        let ending = loop {
            let (message, path) = match lines.next()? {
                Next::Message(message, path) => (message, path),
                Next::Ending(ending) => break ending,
            };
            match message {
                Message::Cycle(cycle) => sampler.take(&cycle).map_err(too_long)?,
                Message::Text(Text { source: TextSource::Person, text: words, .. })
                    if utterance.is_none() =>
                {
                    utterance = one_line(&words)
                }
                Message::Image(image) if options.images => {
                    let added = match &mut album {
                        Some(album) => album.add(&image, path),
                        None => FrameIndex::begin(trace, &image, path).map(|started| album = Some(started)),
                    };
                    added.map_err(|reason| lines.wrong(reason))?;
                }
                _ => {}
            }
        };
        let sampled = sampler.end().map_err(too_long)?;
        let (rows, grid) = sampled.ok_or_else(|| DatasetError::NoCycles { trace: trace.into() })?;
        let images = album.map(|album| Images { of_rows: album.of_rows(grid, rows.count), album });
        let notes = notes(&rows, grid, images.as_ref(), ending, options.fps);
        let motors = begin.motors.into_iter().map(|motor| motor.name).collect();
        let task = utterance.or_else(|| one_line(&begin.name)).unwrap_or_else(|| "move".into());
        Ok(Episode { trace: trace.into(), motors, task, rows, images, notes })
    }
}

/// Joins a text to one line, or returns `None` without words.
fn one_line(words: &str) -> Option<String> {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

// The numbers of rows and cycles in an episode are far below 2^52.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn notes(rows: &Rows, grid: Grid, images: Option<&Images>, ending: Ending, fps: u32) -> Vec<String> {
    let mut notes = Vec::new();
    match ending {
        Ending::Truncated => {
            notes.push("the trace is truncated: recording stopped early; the complete lines are used".into())
        }
        Ending::Complete { dropped: 0 } => {}
        Ending::Complete { dropped } => {
            notes.push(format!("{dropped} messages were dropped during recording"))
        }
    }
    if rows.stale > 0 {
        notes.push(format!("control cycles are missing: {} rows repeat the previous one", rows.stale));
    }
    if let Some(Images { album, of_rows }) = images {
        let second = (grid.step * f64::from(fps)).ceil() as u64;
        let far = album.far(grid, of_rows, second);
        if far > 0 {
            notes.push(format!("images are missing: {far} rows have one from more than a second away"));
        }
    }
    if rows.count as f64 / f64::from(fps) > MAX_PRECISE_S {
        notes.push(format!(
            "the episode is longer than {MAX_PRECISE_S} s: LeRobot needs `tolerance_s=0.001` to read it"
        ));
    }
    notes
}

//! Why there is no dataset, and what to do about it.

use std::path::PathBuf;

use minismith_wire::recording::FORMAT;

/// No dataset was written, not even a part of one.
#[derive(Debug, thiserror::Error)]
pub enum NoDataset {
    /// There is nothing to make it of.
    #[error("a dataset is made of traces: name at least one")]
    NoTraces,
    /// So many rows a second are none, or too many.
    #[error("{fps} rows a second are not possible: choose 1 to {most}, 30 is usual")]
    Rate {
        /// What was asked for, rows per second.
        fps: u32,
        /// The greatest rate, rows per second.
        most: u32,
    },
    /// A trace can't be read.
    #[error("can't read {}: {source}", trace.display())]
    Input {
        /// The trace.
        trace: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A trace is told in another version of the words.
    #[error("{} is told in format {theirs}, only {FORMAT} is understood: record it anew", trace.display())]
    Format {
        /// The trace.
        trace: PathBuf,
        /// Its version.
        theirs: u32,
    },
    /// A line of a trace can't be right.
    #[error("{}, line {line}: {reason}; leave this trace out, or record it anew", trace.display())]
    Line {
        /// The trace.
        trace: PathBuf,
        /// The line's number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A trace tells of no beat.
    #[error("{} tells of no beat: leave it out", trace.display())]
    NoBeats {
        /// The trace.
        trace: PathBuf,
    },
    /// A trace is too long for one episode.
    #[error("{} has more than {most} rows at {fps} a second: choose fewer rows a second, or a shorter trace", trace.display())]
    TooLong {
        /// The trace.
        trace: PathBuf,
        /// The rate, rows per second.
        fps: u32,
        /// The most rows of an episode.
        most: usize,
    },
    /// The motors of two traces differ, but all rows of a dataset are alike.
    #[error("{} has other motors than {}: write them into two datasets", trace.display(), first.display())]
    OtherMotors {
        /// The trace that differs.
        trace: PathBuf,
        /// The first trace.
        first: PathBuf,
    },
    /// Some traces have pictures and this one has none, but all episodes of a dataset are alike.
    #[error("{} has no pictures, others have: leave it out, or write the dataset without pictures", trace.display())]
    NoPictures {
        /// The trace.
        trace: PathBuf,
    },
    /// The pictures of two traces differ in size.
    #[error(
        "the pictures of {} are {}x{} pixels, those of {} are {}x{}: write them into two datasets, or without pictures",
        trace.display(), theirs.0, theirs.1, first.display(), size.0, size.1
    )]
    OtherPictures {
        /// The trace that differs.
        trace: PathBuf,
        /// Its pictures' width and height, pixels.
        theirs: (u32, u32),
        /// The first trace.
        first: PathBuf,
        /// The width and height of its pictures, pixels.
        size: (u32, u32),
    },
    /// The pictures of a trace did not become a video.
    #[error("the pictures of {} did not become a video: {reason}", trace.display())]
    Film {
        /// The trace.
        trace: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// Something is in its place.
    #[error("{} is there already: name a folder that is not, or move it away", place.display())]
    Exists {
        /// Where the dataset was to be.
        place: PathBuf,
    },
    /// There is no folder around it.
    #[error("{} is no folder: make it first, or name a place in another one", around.display())]
    NoFolder {
        /// What should be a folder.
        around: PathBuf,
    },
    /// It can't be written.
    #[error("can't write {}: {source}; see to it, or name another place", place.display())]
    Output {
        /// The file or folder.
        place: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A table can't be written.
    #[error("can't write {}: {source}", place.display())]
    Table {
        /// The file.
        place: PathBuf,
        /// What Parquet says.
        source: parquet::errors::ParquetError,
    },
}

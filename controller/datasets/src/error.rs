//! Errors of writing a dataset ([`DatasetError`]).

use std::path::PathBuf;

use minismith_protocol::trace_format::FORMAT;

/// Reports why no dataset was written, not even a partial one.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// No trace was given.
    #[error("no traces given: name at least one")]
    NoTraces,
    /// The rate is out of range.
    #[error("invalid rate of {fps} rows per second: choose 1 to {max}; the default is 30")]
    Rate {
        /// Requested rate in rows per second.
        fps: u32,
        /// Maximum rate in rows per second.
        max: u32,
    },
    /// A trace cannot be read.
    #[error("cannot read {}: {source}", trace.display())]
    Input {
        /// The trace.
        trace: PathBuf,
        /// Error from the system.
        source: std::io::Error,
    },
    /// A trace has an unsupported format.
    #[error("{}: unsupported trace format {theirs} (expected {FORMAT}); record the trace again", trace.display())]
    Format {
        /// The trace.
        trace: PathBuf,
        /// Its format number.
        theirs: u32,
    },
    /// A line of a trace is invalid.
    #[error("{}, line {line}: {reason}; omit this trace, or record it again", trace.display())]
    Line {
        /// The trace.
        trace: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// Cause.
        reason: String,
    },
    /// A trace has no control cycles.
    #[error("{}: the trace has no control cycles; omit it", trace.display())]
    NoCycles {
        /// The trace.
        trace: PathBuf,
    },
    /// A trace is too long for one episode.
    #[error("{}: the trace has more than {max} rows at {fps} per second; choose fewer rows per second, or a shorter trace", trace.display())]
    TooLong {
        /// The trace.
        trace: PathBuf,
        /// Rate in rows per second.
        fps: u32,
        /// Maximum number of rows of an episode.
        max: usize,
    },
    /// The motors of two traces differ, although all rows of a dataset must have the same.
    #[error("{} has other motors than {}; write them into two datasets", trace.display(), first.display())]
    OtherMotors {
        /// The trace that differs.
        trace: PathBuf,
        /// The first trace.
        first: PathBuf,
    },
    /// This trace has no images but others do, although all episodes of a dataset must be alike.
    #[error("{} has no images, but others do; omit it, or write the dataset without images", trace.display())]
    NoImages {
        /// The trace.
        trace: PathBuf,
    },
    /// The images of two traces differ in size.
    #[error(
        "the images of {} are {}x{} pixels, those of {} are {}x{}; write them into two datasets, or without images",
        trace.display(), theirs.0, theirs.1, first.display(), size.0, size.1
    )]
    OtherImages {
        /// The trace that differs.
        trace: PathBuf,
        /// Width and height of its images in pixels.
        theirs: (u32, u32),
        /// The first trace.
        first: PathBuf,
        /// Width and height of its images in pixels.
        size: (u32, u32),
    },
    /// The images of a trace could not be encoded as a video.
    #[error("cannot encode the images of {}: {reason}", trace.display())]
    Video {
        /// The trace.
        trace: PathBuf,
        /// Cause.
        reason: String,
    },
    /// The output path exists.
    #[error("{} already exists; choose another path, or move it away", path.display())]
    Exists {
        /// Output path.
        path: PathBuf,
    },
    /// The parent folder does not exist.
    #[error("{} is not a folder; create it first, or choose another path", around.display())]
    NoFolder {
        /// The parent path.
        around: PathBuf,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}; fix the cause, or choose another path", path.display())]
    Output {
        /// The file or folder.
        path: PathBuf,
        /// Error from the system.
        source: std::io::Error,
    },
    /// A table cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Error from Parquet.
        source: parquet::errors::ParquetError,
    },
}

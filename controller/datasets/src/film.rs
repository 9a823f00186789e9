//! Interface for video encoding ([`Film`]), which the caller implements because this crate starts no processes.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use crate::NoDataset;
use crate::album::Open;

/// Encodes images as a video file.
pub trait Film {
    /// Writes all images of `reel` into the MP4 file [`Reel::to`], one frame each. Frames should be fast to seek: LeRobot makes
    /// every second one a key frame.
    ///
    /// # Errors
    ///
    /// Returns an error when encoding fails. The user sees its message.
    fn film(&mut self, reel: &mut Reel<'_>) -> Result<Encoded, Box<dyn Error + Send + Sync>>;
}

/// Encoding of a video, in ffmpeg's terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The codec: `h264`.
    pub codec: String,
    /// The pixel format: `yuv420p`.
    pub pixels: String,
}

/// The images of one episode in order, as JPEG data. An image may repeat.
#[derive(Debug)]
pub struct Reel<'a> {
    /// Frames per second.
    pub fps: u32,
    /// Width in pixels, an even number.
    pub width: u32,
    /// Height in pixels, an even number.
    pub height: u32,
    /// Path of the file to create, in an existing folder.
    pub to: &'a Path,
    album: Open<'a>,
    rows: std::slice::Iter<'a, usize>,
    failed: Option<NoDataset>,
}

impl<'a> Reel<'a> {
    pub(crate) fn new(
        fps: u32,
        size: (u32, u32),
        to: &'a Path,
        album: Open<'a>,
        rows: &'a [usize],
    ) -> Reel<'a> {
        Reel { fps, width: size.0, height: size.1, to, album, rows: rows.iter(), failed: None }
    }

    /// Returns the number of remaining images, or the error if reading failed.
    pub(crate) fn left(self) -> Result<usize, NoDataset> {
        self.failed.map_or(Ok(self.rows.len()), Err)
    }
}

impl Iterator for Reel<'_> {
    type Item = Arc<[u8]>;

    /// Returns the next image. It also ends when the trace cannot be read any more, which then fails the dataset.
    fn next(&mut self) -> Option<Arc<[u8]>> {
        let next = self.album.jpeg(*self.rows.next()?);
        next.map_err(|error| self.failed = Some(error)).ok()
    }
}

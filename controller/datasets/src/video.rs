//! Interface for video encoding ([`VideoEncoder`]), which the caller implements because this crate starts no processes.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use crate::DatasetError;
use crate::frame_index::OpenFrames;

/// Encodes images as a video file.
pub trait VideoEncoder {
    /// Writes all images of `reel` into the MP4 file [`FrameSequence::to`], one frame each. Frames should be fast to seek: LeRobot makes
    /// every second one a key frame.
    ///
    /// # Errors
    ///
    /// Returns an error when encoding fails. The user sees its message.
    fn encode(&mut self, reel: &mut FrameSequence<'_>) -> Result<EncodedVideo, Box<dyn Error + Send + Sync>>;
}

/// Encoding of a video, in ffmpeg's terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedVideo {
    /// The codec: `h264`.
    pub codec: String,
    /// The pixel format: `yuv420p`.
    pub pixels: String,
}

/// The images of one episode in order, as JPEG data. An image may repeat.
#[derive(Debug)]
pub struct FrameSequence<'a> {
    /// Frames per second.
    pub fps: u32,
    /// Width in pixels, an even number.
    pub width: u32,
    /// Height in pixels, an even number.
    pub height: u32,
    /// Path of the file to create, in an existing folder.
    pub to: &'a Path,
    frames: OpenFrames<'a>,
    rows: std::slice::Iter<'a, usize>,
    failed: Option<DatasetError>,
}

impl<'a> FrameSequence<'a> {
    pub(crate) fn new(
        fps: u32,
        size: (u32, u32),
        to: &'a Path,
        album: OpenFrames<'a>,
        rows: &'a [usize],
    ) -> FrameSequence<'a> {
        FrameSequence {
            fps,
            width: size.0,
            height: size.1,
            to,
            frames: album,
            rows: rows.iter(),
            failed: None,
        }
    }

    /// Returns the number of remaining images, or the error if reading failed.
    pub(crate) fn left(self) -> Result<usize, DatasetError> {
        self.failed.map_or(Ok(self.rows.len()), Err)
    }
}

impl Iterator for FrameSequence<'_> {
    type Item = Arc<[u8]>;

    /// Returns the next image. It also ends when the trace cannot be read any more, which then fails the dataset.
    fn next(&mut self) -> Option<Arc<[u8]>> {
        let next = self.frames.jpeg(*self.rows.next()?);
        next.map_err(|error| self.failed = Some(error)).ok()
    }
}

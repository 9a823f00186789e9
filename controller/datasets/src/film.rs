//! Who makes videos: not this package, which starts no process, but whoever asks for the dataset.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use crate::NoDataset;
use crate::album::Open;

/// Makes a video file of pictures.
pub trait Film {
    /// Writes all pictures of `reel` into the MP4 file [`Reel::to`], one frame for each. Frames should be found fast:
    /// LeRobot makes every second one a key frame.
    ///
    /// # Errors
    ///
    /// When there is no video; what it says is told to the person.
    fn film(&mut self, reel: &mut Reel<'_>) -> Result<Encoded, Box<dyn Error + Send + Sync>>;
}

/// How a video is encoded, in ffmpeg's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The codec: `h264`.
    pub codec: String,
    /// How a pixel is told: `yuv420p`.
    pub pixels: String,
}

/// The pictures of one episode in their order, each a JPEG file. The same picture may come many times.
#[derive(Debug)]
pub struct Reel<'a> {
    /// Frames per second.
    pub fps: u32,
    /// Pixels across; even.
    pub width: u32,
    /// Pixels down; even.
    pub height: u32,
    /// The file to write; its folder is there, it is not.
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

    /// How many pictures are left, once all went well so far.
    pub(crate) fn left(self) -> Result<usize, NoDataset> {
        self.failed.map_or(Ok(self.rows.len()), Err)
    }
}

impl Iterator for Reel<'_> {
    type Item = Arc<[u8]>;

    /// The next picture; none also when the trace can't be read any more, which then ends the dataset.
    fn next(&mut self) -> Option<Arc<[u8]>> {
        let next = self.album.jpeg(*self.rows.next()?);
        next.map_err(|error| self.failed = Some(error)).ok()
    }
}

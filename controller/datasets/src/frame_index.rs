//! Index of the images of one trace ([`FrameIndex`]): their positions in the file, and the image of each row. Image data is read on
//! demand.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, ImageReader, RgbImage};
use minismith_protocol::trace_format::{Image, Message};

use crate::DatasetError;
use crate::rows::Grid;
use crate::trace_reader::LinePosition;

/// Maximum side of an image in pixels.
const MAX_SIDE_PX: u32 = 4096;

/// The images of one trace. Their data stays in its file.
#[derive(Clone, Debug)]
pub struct FrameIndex {
    trace: PathBuf,
    /// Width and height in pixels, equal for all images.
    pub size: (u32, u32),
    /// Control cycle and file position of each image, sorted by cycle.
    images: Vec<(u64, LinePosition)>,
}

impl FrameIndex {
    /// Creates an index with its first image.
    ///
    /// # Errors
    ///
    /// Returns a message when the image is invalid.
    pub fn begin(trace: &Path, image: &Image, path: LinePosition) -> Result<FrameIndex, String> {
        let size = (image.width, image.height);
        let mut album = FrameIndex { trace: trace.into(), size, images: Vec::new() };
        album.add(image, path)?;
        Ok(album)
    }

    /// Adds an image.
    ///
    /// # Errors
    ///
    /// Returns a message when the image is invalid.
    pub fn add(&mut self, image: &Image, path: LinePosition) -> Result<(), String> {
        let (width, height) = (image.width, image.height);
        if (width, height) != self.size {
            let (first_width, first_height) = self.size;
            return Err(format!(
                "image of {width}x{height} pixels after one of {first_width}x{first_height}, but a video has one size"
            ));
        }
        // Video formats store colour for blocks of two by two pixels.
        if [width, height].iter().any(|side| side % 2 == 1 || !(2..=MAX_SIDE_PX).contains(side)) {
            return Err(format!(
                "image of {width}x{height} pixels, but the sides of a video must be even and at most {MAX_SIDE_PX}"
            ));
        }
        let real =
            reader(&jpeg(image)?).into_dimensions().map_err(|error| format!("invalid JPEG: {error}"))?;
        if real != self.size {
            return Err(format!(
                "image declared as {width}x{height} pixels is actually {}x{}",
                real.0, real.1
            ));
        }
        // Images usually arrive in order.
        let after = self.images.partition_point(|(cycle, _)| *cycle <= image.cycle);
        self.images.insert(after, (image.cycle, path));
        Ok(())
    }

    /// Returns the image index for each row: the latest image until then, or the first one for earlier rows.
    pub fn of_rows(&self, grid: Grid, rows: usize) -> Vec<usize> {
        let newest =
            |row| self.images.partition_point(|(cycle, _)| *cycle <= grid.cycle(row)).saturating_sub(1);
        (0..rows).map(newest).collect()
    }

    /// Returns how many rows are more than `most` cycles away from their image.
    pub fn far(&self, grid: Grid, rows: &[usize], most: u64) -> usize {
        let far = |(row, image): (usize, &usize)| {
            let taken = self.images.get(*image).map_or(0, |(cycle, _)| *cycle);
            grid.cycle(row).abs_diff(taken) > most
        };
        rows.iter().enumerate().filter(|row| far(*row)).count()
    }

    /// Opens the trace to read the images.
    ///
    /// # Errors
    ///
    /// Returns an error when the trace cannot be read any more.
    pub fn open(&self) -> Result<OpenFrames<'_>, DatasetError> {
        let file = File::open(&self.trace).map_err(|source| self.read_error(source))?;
        Ok(OpenFrames { album: self, file, last: None })
    }

    fn read_error(&self, source: std::io::Error) -> DatasetError {
        DatasetError::Input { trace: self.trace.clone(), source }
    }
}

/// An index whose images are being read.
#[derive(Debug)]
pub struct OpenFrames<'a> {
    album: &'a FrameIndex,
    file: File,
    /// The last image read, because consecutive rows often share one.
    last: Option<(usize, Arc<[u8]>)>,
}

impl OpenFrames<'_> {
    /// Returns an image as JPEG data.
    ///
    /// # Errors
    ///
    /// Returns an error when the trace cannot be read any more or has changed.
    pub fn jpeg(&mut self, number: usize) -> Result<Arc<[u8]>, DatasetError> {
        if let Some((_, bytes)) = self.last.as_ref().filter(|(last, _)| *last == number) {
            return Ok(Arc::clone(bytes));
        }
        let path = self.position(number);
        let mut line = vec![0; path.length];
        let there = self.file.seek(SeekFrom::Start(path.start)).and_then(|_| self.file.read_exact(&mut line));
        there.map_err(|source| self.album.read_error(source))?;
        let mut reader = path.reader;
        let Ok(Message::Image(image)) = reader.read(&line) else {
            return Err(self.wrong(number, "the file changed during reading".into()));
        };
        let bytes: Arc<[u8]> = jpeg(&image).map_err(|reason| self.wrong(number, reason))?.into();
        self.last = Some((number, Arc::clone(&bytes)));
        Ok(bytes)
    }

    /// Returns the pixels of an image.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`OpenFrames::jpeg`], and one when the image is damaged.
    pub fn pixels(&mut self, number: usize) -> Result<RgbImage, DatasetError> {
        let bytes = self.jpeg(number)?;
        let decoded = reader(&bytes).decode();
        decoded
            .map(|image| image.to_rgb8())
            .map_err(|error| self.wrong(number, format!("invalid JPEG: {error}")))
    }

    fn position(&self, number: usize) -> LinePosition {
        let path = self.album.images.get(number).map(|(_, path)| *path);
        path.unwrap_or_default()
    }

    fn wrong(&self, number: usize, reason: String) -> DatasetError {
        DatasetError::Line { trace: self.album.trace.clone(), line: self.position(number).line, reason }
    }
}

fn jpeg(image: &Image) -> Result<Vec<u8>, String> {
    STANDARD.decode(&image.jpeg).map_err(|error| format!("image is not valid base64: {error}"))
}

fn reader(bytes: &[u8]) -> ImageReader<Cursor<&[u8]>> {
    ImageReader::with_format(Cursor::new(bytes), ImageFormat::Jpeg)
}

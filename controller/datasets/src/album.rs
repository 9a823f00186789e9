//! Index of the images of one trace ([`Album`]): their positions in the file, and the image of each row. Image data is read on
//! demand.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ImageFormat, ImageReader, RgbImage};
use minismith_wire::recording::{Message, Picture};

use crate::NoDataset;
use crate::lines::Place;
use crate::rows::Grid;

/// Maximum side of an image in pixels.
const MAX_SIDE_PX: u32 = 4096;

/// The images of one trace. Their data stays in its file.
#[derive(Clone, Debug)]
pub struct Album {
    trace: PathBuf,
    /// Width and height in pixels, equal for all images.
    pub size: (u32, u32),
    /// Control cycle and file position of each image, sorted by cycle.
    pictures: Vec<(u64, Place)>,
}

impl Album {
    /// Creates an index with its first image.
    ///
    /// # Errors
    ///
    /// Returns a message when the image is invalid.
    pub fn begin(trace: &Path, picture: &Picture, place: Place) -> Result<Album, String> {
        let size = (picture.width, picture.height);
        let mut album = Album { trace: trace.into(), size, pictures: Vec::new() };
        album.add(picture, place)?;
        Ok(album)
    }

    /// Adds an image.
    ///
    /// # Errors
    ///
    /// Returns a message when the image is invalid.
    pub fn add(&mut self, picture: &Picture, place: Place) -> Result<(), String> {
        let (width, height) = (picture.width, picture.height);
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
            reader(&jpeg(picture)?).into_dimensions().map_err(|error| format!("invalid JPEG: {error}"))?;
        if real != self.size {
            return Err(format!(
                "image declared as {width}x{height} pixels is actually {}x{}",
                real.0, real.1
            ));
        }
        // Images usually arrive in order.
        let after = self.pictures.partition_point(|(beat, _)| *beat <= picture.beat);
        self.pictures.insert(after, (picture.beat, place));
        Ok(())
    }

    /// Returns the image index for each row: the latest image until then, or the first one for earlier rows.
    pub fn of_rows(&self, grid: Grid, rows: usize) -> Vec<usize> {
        let newest =
            |row| self.pictures.partition_point(|(beat, _)| *beat <= grid.beat(row)).saturating_sub(1);
        (0..rows).map(newest).collect()
    }

    /// Returns how many rows are more than `most` cycles away from their image.
    pub fn far(&self, grid: Grid, rows: &[usize], most: u64) -> usize {
        let far = |(row, picture): (usize, &usize)| {
            let taken = self.pictures.get(*picture).map_or(0, |(beat, _)| *beat);
            grid.beat(row).abs_diff(taken) > most
        };
        rows.iter().enumerate().filter(|row| far(*row)).count()
    }

    /// Opens the trace to read the images.
    ///
    /// # Errors
    ///
    /// Returns an error when the trace cannot be read any more.
    pub fn open(&self) -> Result<Open<'_>, NoDataset> {
        let file = File::open(&self.trace).map_err(|source| self.read_error(source))?;
        Ok(Open { album: self, file, last: None })
    }

    fn read_error(&self, source: std::io::Error) -> NoDataset {
        NoDataset::Input { trace: self.trace.clone(), source }
    }
}

/// An index whose images are being read.
#[derive(Debug)]
pub struct Open<'a> {
    album: &'a Album,
    file: File,
    /// The last image read, because consecutive rows often share one.
    last: Option<(usize, Arc<[u8]>)>,
}

impl Open<'_> {
    /// Returns an image as JPEG data.
    ///
    /// # Errors
    ///
    /// Returns an error when the trace cannot be read any more or has changed.
    pub fn jpeg(&mut self, number: usize) -> Result<Arc<[u8]>, NoDataset> {
        if let Some((_, bytes)) = self.last.as_ref().filter(|(last, _)| *last == number) {
            return Ok(Arc::clone(bytes));
        }
        let place = self.place(number);
        let mut line = vec![0; place.length];
        let there =
            self.file.seek(SeekFrom::Start(place.start)).and_then(|_| self.file.read_exact(&mut line));
        there.map_err(|source| self.album.read_error(source))?;
        let mut reader = place.reader;
        let Ok(Message::Picture(picture)) = reader.read(&line) else {
            return Err(self.wrong(number, "the file changed during reading".into()));
        };
        let bytes: Arc<[u8]> = jpeg(&picture).map_err(|reason| self.wrong(number, reason))?.into();
        self.last = Some((number, Arc::clone(&bytes)));
        Ok(bytes)
    }

    /// Returns the pixels of an image.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Open::jpeg`], and one when the image is damaged.
    pub fn pixels(&mut self, number: usize) -> Result<RgbImage, NoDataset> {
        let bytes = self.jpeg(number)?;
        let decoded = reader(&bytes).decode();
        decoded
            .map(|image| image.to_rgb8())
            .map_err(|error| self.wrong(number, format!("invalid JPEG: {error}")))
    }

    fn place(&self, number: usize) -> Place {
        let place = self.album.pictures.get(number).map(|(_, place)| *place);
        place.unwrap_or_default()
    }

    fn wrong(&self, number: usize, reason: String) -> NoDataset {
        NoDataset::Line { trace: self.album.trace.clone(), line: self.place(number).line, reason }
    }
}

fn jpeg(picture: &Picture) -> Result<Vec<u8>, String> {
    STANDARD.decode(&picture.jpeg).map_err(|error| format!("image is not valid base64: {error}"))
}

fn reader(bytes: &[u8]) -> ImageReader<Cursor<&[u8]>> {
    ImageReader::with_format(Cursor::new(bytes), ImageFormat::Jpeg)
}

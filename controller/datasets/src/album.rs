//! The pictures of one trace: where they lie in its file, which of them a row has, and their bytes when they are needed.

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

/// The greatest side of a picture, pixels.
const MOST_PIXELS: u32 = 4096;

/// The pictures of one trace. Their bytes stay in its file.
#[derive(Clone, Debug)]
pub struct Album {
    trace: PathBuf,
    /// Width and height, pixels; all pictures have them.
    pub size: (u32, u32),
    /// On which beat each was taken, and where it lies; by rising beat.
    pictures: Vec<(u64, Place)>,
}

impl Album {
    /// An album with its first picture.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the picture.
    pub fn begin(trace: &Path, picture: &Picture, place: Place) -> Result<Album, String> {
        let size = (picture.width, picture.height);
        let mut album = Album { trace: trace.into(), size, pictures: Vec::new() };
        album.add(picture, place)?;
        Ok(album)
    }

    /// One picture more.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the picture.
    pub fn add(&mut self, picture: &Picture, place: Place) -> Result<(), String> {
        let (width, height) = (picture.width, picture.height);
        if (width, height) != self.size {
            let (first_width, first_height) = self.size;
            return Err(format!(
                "a picture of {width}x{height} pixels after one of {first_width}x{first_height}, but a video has one size"
            ));
        }
        // Videos tell colours for two by two pixels.
        if [width, height].iter().any(|side| side % 2 == 1 || !(2..=MOST_PIXELS).contains(side)) {
            return Err(format!(
                "a picture of {width}x{height} pixels, but the sides of a video are even and at most {MOST_PIXELS}"
            ));
        }
        let real = reader(&jpeg(picture)?).into_dimensions().map_err(|error| format!("no JPEG: {error}"))?;
        if real != self.size {
            return Err(format!("a picture of {width}x{height} pixels that is really {}x{}", real.0, real.1));
        }
        // Mostly they come in order.
        let after = self.pictures.partition_point(|(beat, _)| *beat <= picture.beat);
        self.pictures.insert(after, (picture.beat, place));
        Ok(())
    }

    /// For each row its picture, as a number in this album: the newest until then, and before the first the first.
    pub fn of_rows(&self, grid: Grid, rows: usize) -> Vec<usize> {
        let newest =
            |row| self.pictures.partition_point(|(beat, _)| *beat <= grid.beat(row)).saturating_sub(1);
        (0..rows).map(newest).collect()
    }

    /// How many rows lie more than `most` beats away from their picture.
    pub fn far(&self, grid: Grid, rows: &[usize], most: u64) -> usize {
        let far = |(row, picture): (usize, &usize)| {
            let taken = self.pictures.get(*picture).map_or(0, |(beat, _)| *beat);
            grid.beat(row).abs_diff(taken) > most
        };
        rows.iter().enumerate().filter(|row| far(*row)).count()
    }

    /// Opens it, to read the pictures.
    ///
    /// # Errors
    ///
    /// When the trace can't be read any more.
    pub fn open(&self) -> Result<Open<'_>, NoDataset> {
        let file = File::open(&self.trace).map_err(|source| self.unread(source))?;
        Ok(Open { album: self, file, last: None })
    }

    fn unread(&self, source: std::io::Error) -> NoDataset {
        NoDataset::Input { trace: self.trace.clone(), source }
    }
}

/// An album whose pictures are being read.
#[derive(Debug)]
pub struct Open<'a> {
    album: &'a Album,
    file: File,
    /// The picture that was read last: rows that follow each other often have the same.
    last: Option<(usize, Arc<[u8]>)>,
}

impl Open<'_> {
    /// The JPEG file of a picture.
    ///
    /// # Errors
    ///
    /// When the trace can't be read any more, or is no longer what it was.
    pub fn jpeg(&mut self, number: usize) -> Result<Arc<[u8]>, NoDataset> {
        if let Some((_, bytes)) = self.last.as_ref().filter(|(last, _)| *last == number) {
            return Ok(Arc::clone(bytes));
        }
        let place = self.place(number);
        let mut line = vec![0; place.length];
        let there =
            self.file.seek(SeekFrom::Start(place.start)).and_then(|_| self.file.read_exact(&mut line));
        there.map_err(|source| self.album.unread(source))?;
        let mut reader = place.reader;
        let Ok(Message::Picture(picture)) = reader.read(&line) else {
            return Err(self.wrong(number, "it changed while it was read".into()));
        };
        let bytes: Arc<[u8]> = jpeg(&picture).map_err(|reason| self.wrong(number, reason))?.into();
        self.last = Some((number, Arc::clone(&bytes)));
        Ok(bytes)
    }

    /// The pixels of a picture.
    ///
    /// # Errors
    ///
    /// As for [`Open::jpeg`], and when the file is damaged.
    pub fn pixels(&mut self, number: usize) -> Result<RgbImage, NoDataset> {
        let bytes = self.jpeg(number)?;
        let decoded = reader(&bytes).decode();
        decoded.map(|image| image.to_rgb8()).map_err(|error| self.wrong(number, format!("no JPEG: {error}")))
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
    STANDARD.decode(&picture.jpeg).map_err(|error| format!("a picture that is not in base 64: {error}"))
}

fn reader(bytes: &[u8]) -> ImageReader<Cursor<&[u8]>> {
    ImageReader::with_format(Cursor::new(bytes), ImageFormat::Jpeg)
}

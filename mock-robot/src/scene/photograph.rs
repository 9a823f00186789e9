//! A photograph, and the same in halves of its size, so that a small one on the picture is no flicker of single pixels.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use firmware_bridge::camera::Picture;
use image::{ImageReader, Limits};

/// The largest file that is read, and the longest side that is decoded.
const LARGEST: u64 = 32 << 20;
const LONGEST: u32 = 4_096;

/// A photograph of this process's folder, and the hash of its file.
#[derive(Debug)]
pub(super) struct Photograph {
    pub picture: Picture,
    pub hash: u64,
}

impl Photograph {
    /// Reads a photograph; each file is decoded once.
    pub fn open(path: &Path) -> Result<Arc<Self>, String> {
        static KNOWN: Mutex<BTreeMap<PathBuf, Arc<Photograph>>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(photograph) = known.get(path) {
            return Ok(photograph.clone());
        }
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes));
        read.map_err(|error| error.to_string())?;
        let photograph = Arc::new(Photograph { picture: decoded(&bytes)?, hash: hash(&bytes) });
        known.insert(path.to_owned(), photograph.clone());
        Ok(photograph)
    }
}

fn decoded(bytes: &[u8]) -> Result<Picture, String> {
    let reader = ImageReader::new(std::io::Cursor::new(bytes)).with_guessed_format();
    let mut reader = reader.map_err(|error| error.to_string())?;
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(LONGEST), Some(LONGEST));
    reader.limits(limits);
    let rgb = reader.decode().map_err(|error| error.to_string())?.into_rgb8();
    let (width, height) = (rgb.width() as usize, rgb.height() as usize);
    let mut bgr = rgb.into_raw();
    for pixel in bgr.as_chunks_mut::<3>().0 {
        pixel.reverse();
    }
    Picture::of(height, width, bgr).ok_or_else(|| "it is empty".to_owned())
}

/// A part of a photograph in its own size, half of it, a quarter, ...
#[derive(Debug)]
pub(super) struct Levels(Vec<Picture>);

impl Levels {
    /// Of this part: left, top, width, height; none where the photograph does not reach, and
    /// of less than four pixels on a side.
    pub fn of(picture: &Picture, [left, top, width, height]: [usize; 4], mirrored: bool) -> Option<Self> {
        if width < 4 || height < 4 {
            return None;
        }
        if left.checked_add(width)? > picture.width || top.checked_add(height)? > picture.height {
            return None;
        }
        let mut bgr = Vec::with_capacity(width * height * 3);
        for row in top..top + height {
            for column in 0..width {
                let column = if mirrored { left + width - 1 - column } else { left + column };
                bgr.extend(picture.pixel(row, column)?);
            }
        }
        let mut levels = vec![Picture::of(height, width, bgr)?];
        while let Some(half) = levels.last().and_then(halved) {
            levels.push(half);
        }
        Some(Levels(levels))
    }

    /// How wide it is, in heights.
    pub fn aspect(&self) -> f64 {
        self.0.first().map_or(1.0, |whole| whole.width as f64 / whole.height as f64)
    }

    /// The smallest that is as high as it is drawn, or larger.
    pub fn for_height(&self, pixels: f64) -> Option<&Picture> {
        self.0.iter().rev().find(|level| level.height as f64 >= pixels).or(self.0.first())
    }
}

fn halved(picture: &Picture) -> Option<Picture> {
    let (width, height) = (picture.width / 2, picture.height / 2);
    if width < 4 || height < 4 {
        return None;
    }
    let mut bgr = Vec::with_capacity(width * height * 3);
    for row in 0..height {
        for column in 0..width {
            let four = [(0, 0), (0, 1), (1, 0), (1, 1)]
                .map(|(down, right)| picture.pixel(2 * row + down, 2 * column + right).unwrap_or_default());
            for part in 0..3 {
                let sum: u16 =
                    four.iter().filter_map(|pixel| pixel.get(part)).map(|value| u16::from(*value)).sum();
                bgr.push(u8::try_from((sum + 2) / 4).unwrap_or(u8::MAX));
            }
        }
    }
    Picture::of(height, width, bgr)
}

/// The colour at a place of a picture (0 to 1 across and down), between its pixels. No level is narrower than four pixels.
pub(super) fn sample(picture: &Picture, across: f64, down: f64) -> [u8; 3] {
    let (x, y) = (across * picture.width as f64 - 0.5, down * picture.height as f64 - 0.5);
    let (x, y) = (x.clamp(0.0, (picture.width - 1) as f64), y.clamp(0.0, (picture.height - 1) as f64));
    let (column, row) = ((x as usize).min(picture.width - 2), (y as usize).min(picture.height - 2));
    // In 256ths.
    let (right, below) = (((x - column as f64) * 256.0) as u32, ((y - row as f64) * 256.0) as u32);
    let line = picture.width * 3;
    let at = row * line + column * 3;
    let two = |at: usize| picture.bgr.get(at..at + 6).and_then(|bytes| bytes.first_chunk::<6>());
    let (Some(above), Some(beneath)) = (two(at), two(at + line)) else { return [0; 3] };
    let [b0, g0, r0, b1, g1, r1] = above.map(u32::from);
    let [b2, g2, r2, b3, g3, r3] = beneath.map(u32::from);
    let mix = |one: u32, other: u32, under: u32, next: u32| {
        let above = one * (256 - right) + other * right;
        let beneath = under * (256 - right) + next * right;
        ((above * (256 - below) + beneath * below + (1 << 15)) >> 16) as u8
    };
    [mix(b0, b1, b2, b3), mix(g0, g1, g2, g3), mix(r0, r1, r2, r3)]
}

/// FNV-1a, 64 bits: it distinguishes, and keeps no secret.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

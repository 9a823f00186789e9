//! A photograph and its halved sizes (a mipmap), so that a small one in the image does not flicker.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use firmware_bridge::camera::BgrImage;
use image::{ImageReader, Limits};

/// The maximum file size, bytes, and the maximum side of the decoded image, pixels.
const MAX_FILE_BYTES: u64 = 32 << 20;
const MAX_SIDE_PX: u32 = 4_096;

/// A decoded photograph, and the hash of its file.
#[derive(Debug)]
pub(super) struct Photo {
    pub image: BgrImage,
    pub hash: u64,
}

impl Photo {
    /// Reads a photograph; each file is decoded once.
    pub fn open(path: &Path) -> Result<Arc<Self>, String> {
        static CACHE: Mutex<BTreeMap<PathBuf, Arc<Photo>>> = Mutex::new(BTreeMap::new());
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(photo) = cache.get(path) {
            return Ok(photo.clone());
        }
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MAX_FILE_BYTES).read_to_end(&mut bytes));
        read.map_err(|error| error.to_string())?;
        let photo = Arc::new(Photo { image: decode(&bytes)?, hash: hash(&bytes) });
        cache.insert(path.to_owned(), photo.clone());
        Ok(photo)
    }
}

fn decode(bytes: &[u8]) -> Result<BgrImage, String> {
    let reader = ImageReader::new(std::io::Cursor::new(bytes)).with_guessed_format();
    let mut reader = reader.map_err(|error| error.to_string())?;
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(MAX_SIDE_PX), Some(MAX_SIDE_PX));
    reader.limits(limits);
    let rgb = reader.decode().map_err(|error| error.to_string())?.into_rgb8();
    let (width, height) = (rgb.width() as usize, rgb.height() as usize);
    let mut bgr = rgb.into_raw();
    for pixel in bgr.as_chunks_mut::<3>().0 {
        pixel.reverse();
    }
    BgrImage::of(height, width, bgr).ok_or_else(|| "the image is empty".to_owned())
}

/// A part of a photograph in its own size, half of it, a quarter, ...
#[derive(Debug)]
pub(super) struct MipMap(Vec<BgrImage>);

impl MipMap {
    /// Creates the levels of this part: left, top, width, height. Returns `None` outside the photograph, and for less
    /// than four pixels on a side.
    pub fn of(image: &BgrImage, [left, top, width, height]: [usize; 4], mirrored: bool) -> Option<Self> {
        if width < 4 || height < 4 {
            return None;
        }
        if left.checked_add(width)? > image.width || top.checked_add(height)? > image.height {
            return None;
        }
        let mut bgr = Vec::with_capacity(width * height * 3);
        for row in top..top + height {
            for column in 0..width {
                let column = if mirrored { left + width - 1 - column } else { left + column };
                bgr.extend(image.pixel(row, column)?);
            }
        }
        let mut levels = vec![BgrImage::of(height, width, bgr)?];
        while let Some(half) = levels.last().and_then(halve) {
            levels.push(half);
        }
        Some(MipMap(levels))
    }

    /// Returns the ratio of width to height.
    pub fn aspect(&self) -> f64 {
        self.0.first().map_or(1.0, |whole| whole.width as f64 / whole.height as f64)
    }

    /// Returns the smallest level that is at least as high as the rendered object.
    pub fn for_height(&self, pixels: f64) -> Option<&BgrImage> {
        self.0.iter().rev().find(|level| level.height as f64 >= pixels).or(self.0.first())
    }
}

fn halve(image: &BgrImage) -> Option<BgrImage> {
    let (width, height) = (image.width / 2, image.height / 2);
    if width < 4 || height < 4 {
        return None;
    }
    let mut bgr = Vec::with_capacity(width * height * 3);
    for row in 0..height {
        for column in 0..width {
            let four = [(0, 0), (0, 1), (1, 0), (1, 1)]
                .map(|(down, right)| image.pixel(2 * row + down, 2 * column + right).unwrap_or_default());
            for part in 0..3 {
                let sum: u16 =
                    four.iter().filter_map(|pixel| pixel.get(part)).map(|value| u16::from(*value)).sum();
                bgr.push(u8::try_from((sum + 2) / 4).unwrap_or(u8::MAX));
            }
        }
    }
    BgrImage::of(height, width, bgr)
}

/// Returns the interpolated colour at a position in an image (0 to 1 across and down). No level is narrower than four
/// pixels.
pub(super) fn sample(image: &BgrImage, across: f64, down: f64) -> [u8; 3] {
    let (x, y) = (across * image.width as f64 - 0.5, down * image.height as f64 - 0.5);
    let (x, y) = (x.clamp(0.0, (image.width - 1) as f64), y.clamp(0.0, (image.height - 1) as f64));
    let (column, row) = ((x as usize).min(image.width - 2), (y as usize).min(image.height - 2));
    // In units of 1/256 pixel.
    let (right, below) = (((x - column as f64) * 256.0) as u32, ((y - row as f64) * 256.0) as u32);
    let line = image.width * 3;
    let at = row * line + column * 3;
    let two = |at: usize| image.bgr.get(at..at + 6).and_then(|bytes| bytes.first_chunk::<6>());
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

/// FNV-1a, 64 bits: an identifier, not a cryptographic hash.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

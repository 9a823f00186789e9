//! Images, sounds and arrays: reads their headers and checks the sizes in them against the length of the
//! file. Nothing is decoded.
//!
//! Sources: the PNG specification (W3C, section 11.2.2), ITU-T T.81 annex B (JPEG), "Multimedia Programming
//! Interface and Data Specifications 1.0" (WAV), numpy's `numpy/lib/format.py` (NPY).

use serde_json::{Map, Value, json};

/// The properties of a file, by name.
type About = Map<String, Value>;

/// Maximum length of an array's header, in bytes; the same limit as in numpy.
const MAX_HEADER_BYTES: usize = 10_000;

fn of(fields: Value) -> About {
    match fields {
        Value::Object(fields) => fields,
        _ => About::new(),
    }
}

fn at<const N: usize>(bytes: &[u8], position: usize) -> Option<[u8; N]> {
    bytes.get(position..)?.first_chunk().copied()
}

fn pixels(width: u32, height: u32) -> Option<About> {
    (width > 0 && height > 0).then(|| of(json!({"width": width, "height": height})))
}

/// Reads a PNG image.
pub(super) fn png(bytes: &[u8]) -> Option<About> {
    if at(bytes, 12)? != *b"IHDR" {
        return None;
    }
    pixels(u32::from_be_bytes(at(bytes, 16)?), u32::from_be_bytes(at(bytes, 20)?))
}

/// Reads a JPEG image: its first frame header.
pub(super) fn jpg(bytes: &[u8]) -> Option<About> {
    let mut position = 2;
    loop {
        let [mark, kind] = at(bytes, position)?;
        if mark != 0xff {
            return None;
        }
        position += 2;
        match kind {
            // Fill bytes and markers without a length.
            0xff => position -= 1,
            0x01 | 0xd0..=0xd7 => {}
            // All frame headers; C4, C8 and CC are other markers.
            0xc0..=0xcf if !matches!(kind, 0xc4 | 0xc8 | 0xcc) => {
                let height = u16::from_be_bytes(at(bytes, position + 3)?);
                let width = u16::from_be_bytes(at(bytes, position + 5)?);
                return pixels(width.into(), height.into());
            }
            // Image data, or its end, before any frame header.
            0xd9 | 0xda => return None,
            _ => position += usize::from(u16::from_be_bytes(at(bytes, position)?)).max(2),
        }
    }
}

/// Reads a WAV sound: its format and the length of the data that the file contains.
pub(super) fn wav(bytes: &[u8]) -> Option<About> {
    let (mut position, mut format) = (12, None);
    loop {
        let kind: [u8; 4] = at(bytes, position)?;
        let length = u32::from_le_bytes(at(bytes, position + 4)?) as usize;
        let start = position + 8;
        match &kind {
            b"fmt " => {
                let channels = u16::from_le_bytes(at(bytes, start + 2)?);
                let rate = u32::from_le_bytes(at(bytes, start + 4)?);
                let bytes_a_frame = u16::from_le_bytes(at(bytes, start + 12)?);
                let bits = u16::from_le_bytes(at(bytes, start + 14)?);
                format = Some((channels, rate, bytes_a_frame, bits));
            }
            b"data" => {
                let (channels, rate, bytes_a_frame, bits) = format?;
                if channels == 0 || rate == 0 || bytes_a_frame == 0 {
                    return None;
                }
                let frames = length.min(bytes.len() - start) / usize::from(bytes_a_frame);
                let seconds = (frames as f64 / f64::from(rate) * 1e4).round() / 1e4;
                return Some(of(
                    json!({"channels": channels, "rate": rate, "bits": bits, "seconds": seconds}),
                ));
            }
            _ => {}
        }
        // Chunks begin at even offsets.
        position = start.checked_add(length)?.checked_add(length % 2)?;
    }
}

/// Reads a numpy array of plain data, and checks its length against its shape.
pub(super) fn npy(bytes: &[u8]) -> Result<About, String> {
    let cut = || "its header is cut short".to_owned();
    let version: [u8; 1] = at(bytes, 6).ok_or_else(cut)?;
    let (length, start) = match version {
        [1] => (u16::from_le_bytes(at(bytes, 8).ok_or_else(cut)?).into(), 10),
        [2 | 3] => (u32::from_le_bytes(at(bytes, 8).ok_or_else(cut)?) as usize, 12),
        _ => return Err("its version of the format is unknown".into()),
    };
    if length > MAX_HEADER_BYTES {
        return Err("its header is too long".into());
    }
    let header = bytes.get(start..start + length).ok_or_else(cut)?;
    let header = std::str::from_utf8(header).map_err(|_| "its header is not text")?;
    let after = |key: &str| Some(header.split_once(key)?.1.trim_start_matches(['\'', '"', ':', ' ']));
    let word = |key: &str| Some(after(key)?.split(['\'', '"', ',']).next()?.to_owned());
    let dtype = word("'descr'").unwrap_or_default();
    let plain = dtype.trim_start_matches(['<', '>', '|', '=']);
    let size = match plain.split_at_checked(1) {
        Some(("b" | "i" | "u" | "f" | "c" | "S", size)) => size.parse::<usize>().ok(),
        Some(("U", size)) => size.parse::<usize>().ok().and_then(|size| size.checked_mul(4)),
        _ => None,
    };
    let size = size.ok_or("it does not hold plain numbers or text")?;
    let shape = after("'shape'").and_then(|rest| Some(rest.strip_prefix('(')?.split_once(')')?.0));
    let shape = shape.ok_or("its shape can't be read")?;
    let lengths: Result<Vec<usize>, _> =
        shape.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::parse).collect();
    let lengths = lengths.map_err(|_| "its shape can't be read")?;
    let needed = lengths.iter().try_fold(size, |all, length| all.checked_mul(*length));
    if needed != Some(bytes.len() - start - length) {
        return Err(format!("its data is not as long as its shape ({shape}) and its type ({dtype}) say"));
    }
    Ok(of(json!({"dtype": dtype, "shape": lengths})))
}

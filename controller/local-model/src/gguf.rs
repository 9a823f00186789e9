//! Reads the header of a model file in the GGUF format: its name, architecture and licence.
//!
//! The file is untrusted. Reading is bounded, and a header that is not understood yields an error.

use std::fs::File;
use std::io::{BufReader, Error, ErrorKind, Read, Result};
use std::path::Path;

/// The first four bytes of such a file.
const MAGIC: [u8; 4] = *b"GGUF";

/// The versions that can be read. Version 1 had other lengths.
const VERSIONS: std::ops::RangeInclusive<u32> = 2..=3;

/// The largest part of a file that is read for its header: a vocabulary has some megabytes.
const MAX_HEADER_BYTES: u64 = 64 << 20;

/// The largest number of entries of the header.
const MAX_ENTRIES: u64 = 10_000;

/// The longest text that is of interest, bytes.
const MAX_TEXT_BYTES: u64 = 400;

/// What a model says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Its name.
    pub name: Option<String>,
    /// Its architecture, such as `qwen2`.
    pub architecture: Option<String>,
    /// Its licence, usually as an SPDX identifier in small letters.
    pub licence: Option<String>,
}

/// Reads the header of a file.
///
/// # Errors
/// Errors of the system; [`ErrorKind::InvalidData`] when it is no such file, with the reason.
pub fn read(path: &Path) -> Result<Header> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(invalid("it is not a file"));
    }
    header(&mut Reader(BufReader::new(file).take(MAX_HEADER_BYTES)))
}

fn invalid(reason: &str) -> Error {
    Error::new(ErrorKind::InvalidData, reason)
}

fn header(from: &mut Reader<impl Read>) -> Result<Header> {
    if from.bytes::<4>().ok() != Some(MAGIC) {
        return Err(invalid("it does not begin with the bytes GGUF"));
    }
    let version = from.u32()?;
    if !VERSIONS.contains(&version) {
        return Err(invalid(&format!("it is GGUF of version {version}; versions 2 and 3 are known")));
    }
    let tensors = from.u64()?;
    let entries = from.u64()?;
    if tensors == 0 || entries > MAX_ENTRIES {
        return Err(invalid("it holds no model"));
    }
    let mut header = Header::default();
    for _ in 0..entries {
        let key = from.text()?.unwrap_or_default();
        // The vocabulary comes last, and is long.
        if key.starts_with("tokenizer.") {
            break;
        }
        let kind = from.u32()?;
        let place = match key.as_str() {
            "general.name" => Some(&mut header.name),
            "general.architecture" => Some(&mut header.architecture),
            "general.license" => Some(&mut header.licence),
            _ => None,
        };
        match (place, kind) {
            (Some(place), STRING) => *place = from.text()?.map(|text| printable(&text)),
            _ => from.skip_value(kind, 0)?,
        }
    }
    Ok(header)
}

/// Returns the text on one line without control characters.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

const STRING: u32 = 8;
const ARRAY: u32 = 9;

struct Reader<R>(R);

impl<R: Read> Reader<R> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => invalid("its header is cut off"),
            _ => error,
        })?;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// Returns a text; none if it is too long to be of interest.
    fn text(&mut self) -> Result<Option<String>> {
        let length = self.u64()?;
        if length > MAX_TEXT_BYTES {
            self.skip(length)?;
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.0.by_ref().take(length).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < length {
            return Err(invalid("its header is cut off"));
        }
        Ok(String::from_utf8(bytes).ok())
    }

    fn skip(&mut self, length: u64) -> Result<()> {
        let skipped = std::io::copy(&mut self.0.by_ref().take(length), &mut std::io::sink())?;
        if skipped < length { Err(invalid("its header is cut off")) } else { Ok(()) }
    }

    fn skip_value(&mut self, kind: u32, depth: u32) -> Result<()> {
        let size = match kind {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            4..=6 => 4,
            10..=12 => 8,
            STRING => self.u64()?,
            ARRAY if depth < 2 => {
                let (kind, count) = (self.u32()?, self.u64()?);
                // Every element takes a byte at least, so the bound of the header ends this.
                for _ in 0..count {
                    self.skip_value(kind, depth + 1)?;
                }
                return Ok(());
            }
            _ => return Err(invalid("its header has values of an unknown kind")),
        };
        self.skip(size)
    }
}

/// Writes a small file with a header, for tests.
#[cfg(test)]
pub(crate) fn sample(texts: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(1_u64.to_le_bytes());
    bytes.extend((texts.len() as u64).to_le_bytes());
    for (key, value) in texts {
        bytes.extend((key.len() as u64).to_le_bytes());
        bytes.extend(key.as_bytes());
        bytes.extend(STRING.to_le_bytes());
        bytes.extend((value.len() as u64).to_le_bytes());
        bytes.extend(value.as_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Result<Header> {
        header(&mut Reader(bytes))
    }

    #[test]
    fn a_header_is_read_and_other_files_say_why_not() {
        let whole = sample(&[("general.name", "Tiny\n1"), ("x.y", "z"), ("general.license", "apache-2.0")]);
        let read = of(&whole).unwrap();
        assert_eq!((read.name.as_deref(), read.licence.as_deref()), (Some("Tiny1"), Some("apache-2.0")));
        for (bytes, why) in [
            (&b"PK\x03\x04 a zip"[..], "begin with"),
            (b"GG", "begin with"),
            (&whole[..40], "cut off"),
            (&[&b"GGUF"[..], &9_u32.to_le_bytes()].concat(), "version 9"),
        ] {
            let error = of(bytes).unwrap_err();
            assert!(error.kind() == ErrorKind::InvalidData && error.to_string().contains(why), "{error}");
        }
    }

    #[test]
    fn any_damage_ends_soon() {
        let whole = sample(&[("general.name", "Tiny"), ("general.license", "mit")]);
        for position in 0..whole.len() {
            for value in [0, 9, 0xff] {
                let mut bytes = whole.clone();
                bytes[position] = value;
                // Whatever comes of it, it comes back.
                let _ = of(&bytes);
            }
        }
    }
}

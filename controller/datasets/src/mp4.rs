//! Counts the frames of an MP4 file. A missing frame would otherwise only show up in training.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Maximum size of an episode's index tables in bytes.
const MAX_TABLE_BYTES: u64 = 64 << 20;

/// Returns the number of frames of the first track, or `None` when the file is not a complete MP4 file (ISO/IEC 14496-12).
///
/// # Errors
///
/// Returns an error when the file cannot be read.
pub fn count(file: &Path) -> io::Result<Option<u32>> {
    let mut file = File::open(file)?;
    let end = file.metadata()?.len();
    let mut start = 0;
    while start < end {
        file.seek(SeekFrom::Start(start))?;
        let mut head = Vec::new();
        (&mut file).take(16).read_to_end(&mut head)?;
        let Some((name, header, length)) = parse_box(&head) else { return Ok(None) };
        if &name == b"moov" {
            let mut tables = Vec::new();
            file.seek(SeekFrom::Start(start + header))?;
            file.take(length.saturating_sub(header).min(MAX_TABLE_BYTES)).read_to_end(&mut tables)?;
            let samples = find_box(&tables, &[b"trak", b"mdia", b"minf", b"stbl", b"stsz"]);
            // Version and flags, the size of all samples or 0, and their number.
            let count = samples.and_then(|sizes| sizes.get(8..12)?.try_into().ok());
            return Ok(count.map(u32::from_be_bytes));
        }
        start = start.saturating_add(length);
    }
    Ok(None)
}

/// Returns the content of the box at the end of this path, with the first box of each name.
fn find_box<'a>(mut bytes: &'a [u8], path: &[&[u8; 4]]) -> Option<&'a [u8]> {
    let Some((first, deeper)) = path.split_first() else { return Some(bytes) };
    loop {
        let (name, header, length) = parse_box(bytes)?;
        let (header, length) = (usize::try_from(header).ok()?, usize::try_from(length).ok()?);
        if name == **first {
            return find_box(bytes.get(header..length)?, deeper);
        }
        bytes = bytes.get(length..)?;
    }
}

/// Parses the box at the beginning: its name, the length of its header, and its whole length in bytes.
fn parse_box(bytes: &[u8]) -> Option<([u8; 4], u64, u64)> {
    let name = bytes.get(4..8)?.try_into().ok()?;
    let (header, length) = match u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?) {
        1 => (16, u64::from_be_bytes(bytes.get(8..16)?.try_into().ok()?)),
        short => (8, u64::from(short)),
    };
    (length >= header).then_some((name, header, length))
}

//! How many frames an MP4 file has: a row without its frame would be found only when somebody learns from it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The most bytes of tables that a file of an episode can need.
const MOST_TABLES: u64 = 64 << 20;

/// The frames of the first track; none when it is no whole MP4 file (ISO/IEC 14496-12).
///
/// # Errors
///
/// When the file can't be read.
pub fn count(file: &Path) -> io::Result<Option<u32>> {
    let mut file = File::open(file)?;
    let end = file.metadata()?.len();
    let mut start = 0;
    while start < end {
        file.seek(SeekFrom::Start(start))?;
        let mut head = Vec::new();
        (&mut file).take(16).read_to_end(&mut head)?;
        let Some((name, header, length)) = boxed(&head) else { return Ok(None) };
        if &name == b"moov" {
            let mut tables = Vec::new();
            file.seek(SeekFrom::Start(start + header))?;
            file.take(length.saturating_sub(header).min(MOST_TABLES)).read_to_end(&mut tables)?;
            let samples = inside(&tables, &[b"trak", b"mdia", b"minf", b"stbl", b"stsz"]);
            // Version and flags, the size of all samples or 0, and how many there are.
            let told = samples.and_then(|sizes| sizes.get(8..12)?.try_into().ok());
            return Ok(told.map(u32::from_be_bytes));
        }
        start = start.saturating_add(length);
    }
    Ok(None)
}

/// What lies in the box at the end of this path, each the first of its name.
fn inside<'a>(mut bytes: &'a [u8], path: &[&[u8; 4]]) -> Option<&'a [u8]> {
    let Some((wanted, deeper)) = path.split_first() else { return Some(bytes) };
    loop {
        let (name, header, length) = boxed(bytes)?;
        let (header, length) = (usize::try_from(header).ok()?, usize::try_from(length).ok()?);
        if name == **wanted {
            return inside(bytes.get(header..length)?, deeper);
        }
        bytes = bytes.get(length..)?;
    }
}

/// The name, the length of the header and the whole length of the box that begins here, bytes.
fn boxed(bytes: &[u8]) -> Option<([u8; 4], u64, u64)> {
    let name = bytes.get(4..8)?.try_into().ok()?;
    let (header, length) = match u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?) {
        1 => (16, u64::from_be_bytes(bytes.get(8..16)?.try_into().ok()?)),
        short => (8, u64::from(short)),
    };
    (length >= header).then_some((name, header, length))
}

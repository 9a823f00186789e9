//! Reads files of unknown or endless length up to a bound.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Returns a whole file. A file that is longer, or never ends, is an error.
///
/// # Errors
/// Errors of the system, or when the file is longer than `most`.
pub fn read_at_most(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let complaint = format!("it is too long, more than {most} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, complaint));
    }
    Ok(bytes)
}

//! File of a recording ([`FileSink`]): collected in memory until it is complete, or written continuously.

use std::fs::File;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

use re_sdk::external::re_log_encoding::{EncodeError, Encoder, EncodingOptions, StreamHeader};
use re_sdk::log::LogMsg;

use crate::{RerunExportError, file};

/// Maximum number of messages for which the file gets an index at its end. The index is kept in memory until then. Viewers also
/// read files without one.
const MAX_INDEX_ENTRIES: u64 = 100_000;

/// Number of bytes before the first message.
const START: u64 = StreamHeader::ENCODED_SIZE_BYTES as u64;

/// A file in progress.
pub struct FileSink {
    path: PathBuf,
    /// `None` when the file is complete, or after a write error.
    encoder: Option<Encoder<Target>>,
    messages: u64,
    written: u64,
    lost: bool,
}

/// Destination of the bytes.
enum Target {
    /// The file itself, continuously.
    File(File),
    /// Memory, until the file is complete.
    Memory(Vec<u8>),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            Target::File(file) => file.write(bytes),
            Target::Memory(all) => all.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl FileSink {
    /// Creates a file at `path`: at once, or only when it is complete.
    pub fn new(path: &Path, at_once: bool) -> std::result::Result<Self, RerunExportError> {
        let refused = |source| RerunExportError::File { path: path.to_owned(), source };
        let target = if at_once {
            Target::File(File::create(path).map_err(refused)?)
        } else {
            Target::Memory(Vec::new())
        };
        let mut tape =
            FileSink { path: path.to_owned(), encoder: None, messages: 0, written: 0, lost: false };
        let version = re_sdk::build_info().version;
        match Encoder::new_eager(version, EncodingOptions::PROTOBUF_COMPRESSED, target) {
            Ok(encoder) => {
                tape.encoder = Some(encoder);
                tape.written = START;
            }
            Err(error) => tape.lose(&error),
        }
        Ok(tape)
    }

    /// Writes a message. A write error is reported once, and all later messages are dropped.
    pub fn take(&mut self, message: &LogMsg) {
        let Some(encoder) = &mut self.encoder else { return };
        self.messages += 1;
        if self.messages > MAX_INDEX_ENTRIES {
            encoder.do_not_emit_footer();
        }
        match encoder.append(message) {
            Ok(bytes) => self.written += bytes,
            Err(error) => self.lose(&error),
        }
    }

    fn lose(&mut self, error: &EncodeError) {
        let path = self.path.display();
        eprintln!(
            "minismith-recorder: cannot continue writing {path}: {error}; later data is missing there: free some space, \
             or record to another disk"
        );
        self.lost = true;
        if let Some(Ok(Target::File(file))) = self.encoder.take().map(Encoder::into_inner) {
            // Remove a partial message, which would confuse readers. A device has no length to set.
            let _ = file.metadata().and_then(|data| file.set_len(data.len().min(self.written)));
        }
    }

    /// Finishes the file. Returns its size in bytes, and whether data is missing.
    ///
    /// # Errors
    /// Returns an error when the data was collected in memory and cannot be written.
    pub fn finish(&mut self) -> std::result::Result<(u64, bool), RerunExportError> {
        if let Some(Err(error)) = self.encoder.as_mut().map(Encoder::finish) {
            self.lose(&error);
        }
        match self.encoder.take().map(Encoder::into_inner) {
            Some(Ok(Target::File(file))) => {
                self.written = file.metadata().map_or(self.written, |data| data.len());
            }
            Some(Ok(Target::Memory(bytes))) => {
                let refused = |source| RerunExportError::File { path: self.path.clone(), source };
                file::write(&self.path, &bytes).map_err(refused)?;
                self.written = bytes.len() as u64;
            }
            Some(Err(_)) | None => {}
        }
        Ok((self.written, self.lost))
    }
}

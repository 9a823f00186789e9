//! The file of a recording: kept in memory until it is whole, or written to its place as it comes.

use std::fs::File;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

use re_sdk::external::re_log_encoding::{EncodeError, Encoder, EncodingOptions, StreamHeader};
use re_sdk::log::LogMsg;

use crate::{NoRecording, file};

/// A file with more messages than this gets no index at its end, since that is kept in memory all the while. A viewer
/// reads it all the same.
const MOST_IN_INDEX: u64 = 100_000;

/// Bytes before the first message.
const START: u64 = StreamHeader::ENCODED_SIZE_BYTES as u64;

/// A file that is being recorded.
pub struct Tape {
    path: PathBuf,
    /// None when it is whole, or could not be written any further.
    encoder: Option<Encoder<Target>>,
    messages: u64,
    written: u64,
    lost: bool,
}

/// Where the bytes go.
enum Target {
    /// To their place, as they come.
    Place(File),
    /// Nowhere yet.
    Memory(Vec<u8>),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            Target::Place(file) => file.write(bytes),
            Target::Memory(all) => all.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Tape {
    /// A file at `path`: there from now on, or only when it is whole.
    pub fn new(path: &Path, at_once: bool) -> std::result::Result<Self, NoRecording> {
        let refused = |source| NoRecording::File { path: path.to_owned(), source };
        let target = if at_once {
            Target::Place(File::create(path).map_err(refused)?)
        } else {
            Target::Memory(Vec::new())
        };
        let mut tape = Tape { path: path.to_owned(), encoder: None, messages: 0, written: 0, lost: false };
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

    /// Takes a message. That it can't be written is told once; what comes after it is not taken.
    pub fn take(&mut self, message: &LogMsg) {
        let Some(encoder) = &mut self.encoder else { return };
        self.messages += 1;
        if self.messages > MOST_IN_INDEX {
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
            "minismith-recorder: can't write {path} any further: {error}; what comes now is missing there: make room, \
             or record to another disk"
        );
        self.lost = true;
        if let Some(Ok(Target::Place(file))) = self.encoder.take().map(Encoder::into_inner) {
            // A message that was written in part would be in a reader's way; a device has no length to set.
            let _ = file.metadata().and_then(|data| file.set_len(data.len().min(self.written)));
        }
    }

    /// Ends the file. Returns how many bytes it has, and whether something is missing in it.
    ///
    /// # Errors
    /// It was kept in memory, and can't be written to its place.
    pub fn finish(&mut self) -> std::result::Result<(u64, bool), NoRecording> {
        if let Some(Err(error)) = self.encoder.as_mut().map(Encoder::finish) {
            self.lose(&error);
        }
        match self.encoder.take().map(Encoder::into_inner) {
            Some(Ok(Target::Place(file))) => {
                self.written = file.metadata().map_or(self.written, |data| data.len());
            }
            Some(Ok(Target::Memory(bytes))) => {
                let refused = |source| NoRecording::File { path: self.path.clone(), source };
                file::write(&self.path, &bytes).map_err(refused)?;
                self.written = bytes.len() as u64;
            }
            Some(Err(_)) | None => {}
        }
        Ok((self.written, self.lost))
    }
}

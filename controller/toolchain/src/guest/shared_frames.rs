//! The supervisor's side of a guest's shared memory for images: it writes images and never reads.
//!
//! It writes to the memory as to a file, so no mapping is needed here. A write beyond the end fails with an error
//! instead of a signal.

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use minismith_protocol::shared_frames::{SLOT_BYTES, begin};

/// The shared memory through which a guest receives images.
#[derive(Debug)]
pub struct SharedFrames(File);

impl From<OwnedFd> for SharedFrames {
    fn from(memory: OwnedFd) -> Self {
        SharedFrames(memory.into())
    }
}

impl SharedFrames {
    /// Writes an image into a slot. This is the only copy between the camera and the tool.
    pub fn write_frame(&self, slot: u8, image: &[u8]) -> Result<()> {
        match begin(slot) {
            Some(begin) if image.len() <= SLOT_BYTES => self.0.write_all_at(image, begin as u64),
            _ => Err(Error::new(ErrorKind::InvalidInput, "the image does not fit into a slot")),
        }
    }
}

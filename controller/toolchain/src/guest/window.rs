//! A guest's window from outside: pictures are laid into it, and nothing is read of it.
//!
//! It is written to as a file is. So it needs no mapping here, and nobody meets its end: what would go beyond it is an
//! error of the call.

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use minismith_wire::window::{SLOT_BYTES, begin};

/// What a guest sees pictures through.
#[derive(Debug)]
pub struct Window(File);

impl From<OwnedFd> for Window {
    fn from(memory: OwnedFd) -> Self {
        Window(memory.into())
    }
}

impl Window {
    /// Lays a picture into a slot: the one copy on its way from the camera to the tool.
    pub fn lay(&self, slot: u8, picture: &[u8]) -> Result<()> {
        match begin(slot) {
            Some(begin) if picture.len() <= SLOT_BYTES => self.0.write_all_at(picture, begin as u64),
            _ => Err(Error::new(ErrorKind::InvalidInput, "a picture without a place")),
        }
    }
}

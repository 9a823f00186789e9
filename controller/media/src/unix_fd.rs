//! The messages between GStreamer's elements `unixfdsink` and `unixfdsrc` (`gst/unixfd` of gst-plugins-bad, from 1.24): frames
//! travel as descriptors of shared memory over a Unix socket.
//!
//! ```text
//! message = kind u32, size u32, then `size` bytes              the numbers in the byte order of the machine
//! buffer  = id, pts, dts, duration, offset, offset_end u64, flags u32, memory kind u8, memories u8, padding u16,
//!           then size u64, offset u64 for each memory          one descriptor for each memory comes with the message
//! release = id u64                                             from the client, when it no longer uses the buffer
//! caps    = the format as text, ending with a zero byte
//! ```
//!
//! Times are nanoseconds of the system's monotonic clock. Clients are not trusted: a message that does not fit ends the
//! connection.

use std::io::{self, ErrorKind, IoSlice, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};

const BUFFER: u32 = 0;
const RELEASE: u32 = 1;
const CAPS: u32 = 2;

const HEADER_BYTES: usize = 8;
const ID_BYTES: usize = 8;

/// What stands for a time or number that is not given.
const NONE: u64 = u64::MAX;

/// Buffers that a client may hold; it gets no more until it releases one.
const MAX_HELD: usize = 4;

/// Pixels in shared memory that no one can change any more.
pub(super) struct SharedFrame {
    memory: std::fs::File,
    bytes: u64,
}

impl SharedFrame {
    /// Copies the pixels into shared memory and seals it.
    ///
    /// # Errors
    /// When there is no memory.
    pub(super) fn new(pixels: &[u8]) -> io::Result<Self> {
        let memory =
            rustix::fs::memfd_create("camera-frame", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        let mut memory = std::fs::File::from(memory);
        memory.write_all(pixels)?;
        // Several clients share it: none may change what another one sees.
        let seals = SealFlags::FUTURE_WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        rustix::fs::fcntl_add_seals(&memory, seals)?;
        Ok(SharedFrame { memory, bytes: pixels.len() as u64 })
    }
}

/// A connection to a client.
pub(super) struct Client {
    stream: OwnedFd,
    /// The part of a message that has arrived.
    arrived: Vec<u8>,
    /// The buffers that the client has not yet released.
    held: Vec<u64>,
}

impl Client {
    /// Greets the client of a connection, which must not block, with the format of the frames.
    ///
    /// # Errors
    /// When the connection fails.
    pub(super) fn greet(stream: OwnedFd, format: &str) -> io::Result<Self> {
        let client = Client { stream, arrived: Vec::new(), held: Vec::new() };
        let mut text = format.as_bytes().to_vec();
        text.push(0);
        client.send(CAPS, &text, &[])?;
        Ok(client)
    }

    /// Sends a frame. A client that still holds too many, or that does not read, misses it.
    ///
    /// # Errors
    /// When the connection fails.
    pub(super) fn show(&mut self, frame: &SharedFrame, id: u64, captured_ns: u64) -> io::Result<()> {
        if self.held.len() >= MAX_HELD {
            return Ok(());
        }
        let mut payload = Vec::with_capacity(72);
        for number in [id, captured_ns, NONE, NONE, id, NONE] {
            payload.extend_from_slice(&number.to_ne_bytes());
        }
        payload.extend_from_slice(&0_u32.to_ne_bytes());
        payload.extend_from_slice(&[0, 1, 0, 0]);
        for number in [frame.bytes, 0] {
            payload.extend_from_slice(&number.to_ne_bytes());
        }
        match self.send(BUFFER, &payload, &[frame.memory.as_fd()]) {
            Ok(()) => {
                self.held.push(id);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn send(&self, kind: u32, payload: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let size = u32::try_from(payload.len()).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
        let header = [kind.to_ne_bytes(), size.to_ne_bytes()].concat();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut attached = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            attached.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        let parts = [IoSlice::new(&header), IoSlice::new(payload)];
        let sent = rustix::net::sendmsg(&self.stream, &parts, &mut attached, SendFlags::NOSIGNAL)?;
        // Less than all of so short a message is only sent when the client has not read for long.
        if sent == HEADER_BYTES + payload.len() { Ok(()) } else { Err(ErrorKind::WriteZero.into()) }
    }

    /// Reads what the client has sent.
    ///
    /// # Errors
    /// When the connection has ended, or a message does not fit.
    pub(super) fn hear(&mut self) -> io::Result<()> {
        loop {
            let mut bytes = [0; 256];
            match rustix::io::read(&self.stream, &mut bytes) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.arrived.extend_from_slice(bytes.get(..count).unwrap_or_default()),
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            while let Some(message) = self.arrived.get(..HEADER_BYTES + ID_BYTES) {
                let id = released(message)?;
                let known = self.held.iter().position(|held| *held == id);
                let known =
                    known.ok_or_else(|| io::Error::other("it released a frame that it does not hold"))?;
                self.held.swap_remove(known);
                self.arrived.drain(..HEADER_BYTES + ID_BYTES);
            }
        }
    }
}

/// Returns the number of the buffer that a client releases, which is all that it may send.
fn released(message: &[u8]) -> io::Result<u64> {
    let word = |at: usize| message.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes);
    let id = message.get(HEADER_BYTES..).and_then(|id| id.try_into().ok()).map(u64::from_ne_bytes);
    match (word(0), word(4), id) {
        (Some(RELEASE), Some(size), Some(id)) if size as usize == ID_BYTES => Ok(id),
        _ => Err(io::Error::other("it sent a message that clients do not send")),
    }
}

impl AsFd for Client {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

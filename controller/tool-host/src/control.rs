//! Control socket ([`Control`]): one message at a time. Sent messages may carry descriptors.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use minismith_protocol::zygote::MAX_MESSAGE_BYTES;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketType};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The zygote's end of the control socket.
pub struct Control(OwnedFd);

impl Control {
    /// Takes standard input if it is a control socket, and replaces it with `/dev/null`.
    pub fn from_stdin() -> Option<Control> {
        let stdin = std::io::stdin();
        if rustix::net::sockopt::socket_type(&stdin) != Ok(SocketType::SEQPACKET) {
            return None;
        }
        let socket = rustix::io::fcntl_dupfd_cloexec(&stdin, 3).ok()?;
        let null = std::fs::File::options().read(true).write(true).open("/dev/null").ok()?;
        rustix::stdio::dup2_stdin(null).ok()?;
        Some(Control(socket))
    }

    /// Receives the next message, or `None` when the supervisor has exited.
    pub fn receive<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        let mut bytes = vec![0; MAX_MESSAGE_BYTES];
        let length = loop {
            match rustix::net::recv(&self.0, &mut *bytes, RecvFlags::empty()) {
                Err(rustix::io::Errno::INTR) => {}
                other => break other?.0,
            }
        };
        let Some(bytes) = bytes.get(..length).filter(|bytes| !bytes.is_empty()) else { return Ok(None) };
        let message =
            serde_json::from_slice(bytes).map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
        Ok(Some(message))
    }

    /// Sends a message with at most three descriptors.
    pub fn send<T: Serialize>(&self, message: &T, descriptors: &[BorrowedFd<'_>]) -> Result<()> {
        let bytes = serde_json::to_vec(message)?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut attached = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            attached.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        rustix::net::sendmsg(&self.0, &[IoSlice::new(&bytes)], &mut attached, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

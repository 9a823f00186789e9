//! The control socket: one message, with at most one descriptor, at a time.

use std::io::{Error, ErrorKind, IoSlice, IoSliceMut, Result};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use minismith_wire::zygote::MAX_MESSAGE;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketType,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The zygote's end of the control socket.
pub struct Control(OwnedFd);

impl Control {
    /// Takes standard input, if it is a control socket, and leaves `/dev/null` in its place.
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

    /// The next message and its descriptor; `None` when the supervisor has gone.
    pub fn receive<T: DeserializeOwned>(&self) -> Result<Option<(T, Option<OwnedFd>)>> {
        let mut bytes = vec![0; MAX_MESSAGE];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut attached = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::CMSG_CLOEXEC;
        let length = loop {
            match rustix::net::recvmsg(&self.0, &mut [IoSliceMut::new(&mut bytes)], &mut attached, flags) {
                Err(rustix::io::Errno::INTR) => {}
                other => break other?.bytes,
            }
        };
        let descriptor = attached.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        });
        let Some(bytes) = bytes.get(..length).filter(|bytes| !bytes.is_empty()) else { return Ok(None) };
        let message =
            serde_json::from_slice(bytes).map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
        Ok(Some((message, descriptor)))
    }

    /// Sends one message, with a descriptor if there is one.
    pub fn send<T: Serialize>(&self, message: &T, descriptor: Option<BorrowedFd<'_>>) -> Result<()> {
        let bytes = serde_json::to_vec(message)?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut attached = SendAncillaryBuffer::new(&mut space);
        let descriptors = descriptor.as_slice();
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

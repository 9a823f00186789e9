//! Starts one tool host and talks to it through its control socket.

use std::ffi::OsString;
use std::io::{Error, ErrorKind, IoSliceMut, Result};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use minismith_protocol::zygote::{Hello, Level, MAX_MESSAGE_BYTES, Profile, Reply, Request};
use rustix::event::PollFlags;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, SocketFlags, SocketType,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::channel;
use minismith_runtime::subprocess::{self, Program};

/// Maximum time to start. Importing numpy from a cold, slow disk takes long, and the libraries of the code profile take
/// longer.
const START_TIMEOUT: Duration = Duration::from_secs(180);
/// Maximum time for a reply. Forking and reaping take milliseconds.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// A running host. Dropping it ends the host and all its guests.
#[derive(Debug)]
pub struct Zygote {
    control: Mutex<OwnedFd>,
    child: Child,
}

impl Zygote {
    /// Starts a host and waits for its first message.
    pub fn start(profile: Profile, program: &Path, python: &Path, at_most: Level) -> Result<(Self, Hello)> {
        let flags = SocketFlags::CLOEXEC;
        let (near, far) = rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        let level = match at_most {
            Level::Namespaces => "namespaces",
            Level::Landlock => "landlock",
            Level::NoOpen => "no_open",
        };
        let arguments: [OsString; 6] = [
            "--python".into(),
            python.into(),
            "--at-most".into(),
            level.into(),
            "--profile".into(),
            profile.word().into(),
        ];
        // By default numpy's libraries start threads of their own, and a fork would copy only one of them.
        let one = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"];
        // The linker binds all symbols at the start. Otherwise, each guest would bind again the symbols that only
        // guests use.
        let environment = [&one[..], &["LD_BIND_NOW"]].concat();
        let child = subprocess::start(Program {
            path: program.to_owned(),
            arguments: arguments.into(),
            environment: environment.into_iter().map(|name| (name, "1".to_owned())).collect(),
            input: far,
        })?;
        let zygote = Zygote { control: Mutex::new(near), child };
        let (hello, _) =
            receive(&zygote.control.lock().unwrap_or_else(PoisonError::into_inner), START_TIMEOUT)?;
        Ok((zygote, hello))
    }

    /// Sends a request and waits for its reply. After an error the host is no longer usable.
    pub fn ask(&self, request: &Request) -> Result<(Reply, Vec<OwnedFd>)> {
        let control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        send(&control, request)?;
        receive(&control, REPLY_TIMEOUT)
    }

    /// Sends a request that has no reply.
    pub fn report(&self, request: &Request) -> Result<()> {
        send(&self.control.lock().unwrap_or_else(PoisonError::into_inner), request)
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        // The process may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn send<T: Serialize>(control: &OwnedFd, message: &T) -> Result<()> {
    rustix::net::send(control, &serde_json::to_vec(message)?, SendFlags::NOSIGNAL)?;
    Ok(())
}

fn receive<T: DeserializeOwned>(control: &OwnedFd, at_most: Duration) -> Result<(T, Vec<OwnedFd>)> {
    if !channel::wait(control, PollFlags::IN, at_most)? {
        return Err(Error::new(ErrorKind::TimedOut, "the tool host does not respond"));
    }
    let mut bytes = vec![0; MAX_MESSAGE_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let length =
        rustix::net::recvmsg(control, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, flags)?.bytes;
    let mut attached = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            attached.extend(descriptors);
        }
    }
    match bytes.get(..length) {
        Some(bytes) if !bytes.is_empty() => Ok((serde_json::from_slice(bytes)?, attached)),
        _ => Err(Error::new(ErrorKind::UnexpectedEof, "the tool host has ended")),
    }
}

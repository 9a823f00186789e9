//! A forked guest without a job ([`PreforkedGuest`]).
//!
//! The guest applies its sandbox itself, with the limits that it was forked with, before it receives anything. The limits never
//! change afterwards, so it can only serve jobs with the same limits and is otherwise discarded. Until then it waits in its
//! sandbox and holds no more data than the zygote.

use std::io::{PipeReader, Read};
use std::os::fd::OwnedFd;

use minismith_protocol::Limits;
use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::process::{Pid, PidfdFlags, Signal};

use crate::guest;
use crate::process::{self, Fork};
use crate::sandbox::Open;
use crate::shared_frames::{MappedSlot, SharedFrames};

/// A guest without a job. The caller either hands it out or discards it.
pub struct PreforkedGuest {
    /// Process id.
    pub pid: Pid,
    /// Process descriptor, for other processes.
    pub pidfd: OwnedFd,
    /// The supervisor's end of its channel.
    pub channel: OwnedFd,
    /// Its shared frames, for writing.
    pub frames: Option<OwnedFd>,
    limits: Limits,
    /// Pipe on which it reports that its sandbox is active.
    reader: PipeReader,
}

impl PreforkedGuest {
    /// Forks a guest without waiting for its sandbox.
    pub fn fork(
        py: Python<'_>,
        limits: Limits,
        windows: Option<&SharedFrames>,
        close_sandbox: impl FnOnce() -> Result<(), Open>,
    ) -> Result<PreforkedGuest, String> {
        let failed = |error: std::io::Error| error.to_string();
        let (reader, report) = std::io::pipe().map_err(failed)?;
        let stream = SocketType::STREAM;
        let (channel, guest_end) =
            rustix::net::socketpair(AddressFamily::UNIX, stream, SocketFlags::CLOEXEC, None)
                .map_err(|error| error.to_string())?;
        // Where shared memory is not possible, for example under a file size limit, images are copied.
        let (window, guest_window) = match windows.and_then(|windows| windows.cut().ok()) {
            Some(MappedSlot { outside, inside }) => (Some(outside), Some(inside)),
            None => (None, None),
        };
        match process::fork_python(py).map_err(failed)? {
            Fork::Child => guest::live(py, close_sandbox, (&guest_end, &report), guest_window.as_ref()),
            Fork::Parent(pid) => match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
                Ok(pidfd) => Ok(PreforkedGuest { pid, pidfd, channel, frames: window, limits, reader }),
                Err(error) => {
                    kill_and_wait(pid)?;
                    Err(error.to_string())
                }
            },
        }
    }

    /// Returns whether it is alive and has these limits.
    pub fn fits(&self, limits: &Limits) -> bool {
        // The descriptor of an exited process is readable.
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        self.limits == *limits
            && matches!(poll(&mut [PollFd::new(&self.pidfd, PollFlags::IN)], Some(&now)), Ok(0))
    }

    /// Kills it, and returns the process id for reaping.
    pub fn discard(self) -> i32 {
        let _ = rustix::process::kill_process(self.pid, Signal::KILL);
        self.pid.as_raw_nonzero().get()
    }

    /// Waits until its sandbox is active. If that fails, the guest is killed.
    pub fn enter_sandbox(mut self) -> Result<PreforkedGuest, String> {
        let mut text = String::new();
        let read = self.reader.read_to_string(&mut text);
        match (read, text.as_str()) {
            (Ok(_), guest::SANDBOXED) => Ok(self),
            (read, reason) => {
                let why = format!("cannot sandbox the guest: {reason} {:?}", read.err());
                kill_and_wait(self.pid)?;
                Err(why)
            }
        }
    }
}

fn kill_and_wait(pid: Pid) -> Result<(), String> {
    let _ = rustix::process::kill_process(pid, Signal::KILL);
    process::wait(pid.as_raw_nonzero().get()).map(drop).map_err(|error| error.to_string())
}

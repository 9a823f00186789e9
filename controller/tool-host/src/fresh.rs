//! A guest that has been forked and that nobody has asked for anything yet.
//!
//! Its cage is closed for the limits that it was forked with, by itself, before it hears its first word; nobody changes
//! them afterwards. So a spare one is handed out for these limits only, and goes when others are asked for. Until then
//! it waits in its cage, and knows no more than what the zygote knows: the other end of its channel is here.

use std::io::{PipeReader, Read};
use std::os::fd::OwnedFd;

use minismith_wire::Limits;
use pyo3::prelude::*;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::process::{Pid, PidfdFlags, Signal};

use crate::cage::Open;
use crate::guest;
use crate::process::{self, Fork};
use crate::window::{Frame, Windows};

/// A fresh guest. Whoever does not hand it out discards it.
pub struct Fresh {
    /// Its process.
    pub pid: Pid,
    /// The same, for others.
    pub pidfd: OwnedFd,
    /// The supervisor's end of its channel.
    pub channel: OwnedFd,
    /// Its window, to be written to.
    pub window: Option<OwnedFd>,
    limits: Limits,
    /// Where it says that its cage is closed.
    said: PipeReader,
}

impl Fresh {
    /// Forks it, and does not wait until its cage is closed.
    pub fn fork(
        py: Python<'_>,
        limits: Limits,
        windows: Option<&Windows>,
        close_cage: impl FnOnce() -> Result<(), Open>,
    ) -> Result<Fresh, String> {
        let failed = |error: std::io::Error| error.to_string();
        let (said, report) = std::io::pipe().map_err(failed)?;
        let stream = SocketType::STREAM;
        let (channel, its) = rustix::net::socketpair(AddressFamily::UNIX, stream, SocketFlags::CLOEXEC, None)
            .map_err(|error| error.to_string())?;
        // Where none can be made, as under a limit of file sizes, pictures come as copies.
        let (window, its_window) = match windows.and_then(|windows| windows.cut().ok()) {
            Some(Frame { outside, inside }) => (Some(outside), Some(inside)),
            None => (None, None),
        };
        match process::fork_python(py).map_err(failed)? {
            Fork::Child => guest::live(py, close_cage, (&its, &report), its_window.as_ref()),
            Fork::Parent(pid) => match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
                Ok(pidfd) => Ok(Fresh { pid, pidfd, channel, window, limits, said }),
                Err(error) => {
                    end(pid)?;
                    Err(error.to_string())
                }
            },
        }
    }

    /// Whether it lives and has these limits.
    pub fn fits(&self, limits: &Limits) -> bool {
        // A process that has ended is readable.
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        self.limits == *limits
            && matches!(poll(&mut [PollFd::new(&self.pidfd, PollFlags::IN)], Some(&now)), Ok(0))
    }

    /// Sends it the signal that ends it; its process is left to be buried.
    pub fn discard(self) -> i32 {
        let _ = rustix::process::kill_process(self.pid, Signal::KILL);
        self.pid.as_raw_nonzero().get()
    }

    /// Waits until its cage is closed; one whose cage does not close is ended.
    pub fn caged(mut self) -> Result<Fresh, String> {
        let mut text = String::new();
        let read = self.said.read_to_string(&mut text);
        match (read, text.as_str()) {
            (Ok(_), guest::CAGED) => Ok(self),
            (read, reason) => {
                let why = format!("the guest's cage did not close: {reason} {:?}", read.err());
                end(self.pid)?;
                Err(why)
            }
        }
    }
}

fn end(pid: Pid) -> Result<(), String> {
    let _ = rustix::process::kill_process(pid, Signal::KILL);
    process::wait(pid.as_raw_nonzero().get()).map(drop).map_err(|error| error.to_string())
}

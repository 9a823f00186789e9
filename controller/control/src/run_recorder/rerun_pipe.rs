//! Streams events to the Rerun viewer through a pipe to `minismith-recorder`.
//!
//! Writes to the pipe never block. A bounded buffer holds what the recorder does not accept yet. Further messages are
//! dropped and counted, and the count is reported.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_protocol::trace_format::{Footer, Header, Message};

use crate::recorder::{NoRecording, locate};
use minismith_runtime::config;
use minismith_runtime::subprocess::{self, Program};

/// Capacity of the buffer, bytes.
const BUFFER_CAPACITY: usize = 16 << 20;

/// Maximum time for the recorder to exit.
const EXIT_TIMEOUT: Duration = Duration::from_secs(8);

/// Poll interval for its exit.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A recorder that receives events.
pub struct RerunPipe {
    child: Child,
    channel: UnixStream,
    waiting: VecDeque<u8>,
    cycles: u64,
    dropped: u64,
    clock: MonotonicClock,
}

/// The recorder has exited.
pub struct PipeClosed(pub String);

impl RerunPipe {
    /// Starts the recorder and sends the description of the recording.
    pub fn start(wanted: &config::RerunConfig, begin: Header) -> Result<Self, NoRecording> {
        let io = |doing| move |source| NoRecording::Io { doing, source };
        let mut arguments: Vec<OsString> = Vec::new();
        let mut add = |flag: &str, value: Option<OsString>| {
            arguments.extend(value.into_iter().flat_map(|value| [OsString::from(flag), value]));
        };
        add("--to", wanted.file.clone().map(Into::into));
        add("--connect", wanted.connect.clone().map(Into::into));
        add("--serve", wanted.listen.map(|address| address.to_string().into()));
        let (ours, theirs) = UnixStream::pair().map_err(io("cannot create a channel to the recorder"))?;
        ours.set_nonblocking(true).map_err(io("cannot create a channel to the recorder"))?;
        let program = Program { path: locate()?, arguments, environment: Vec::new(), input: theirs.into() };
        let child = subprocess::start(program).map_err(io("cannot start the recorder"))?;
        let mut live = RerunPipe {
            child,
            channel: ours,
            waiting: VecDeque::new(),
            cycles: 0,
            dropped: 0,
            clock: MonotonicClock::start(),
        };
        live.write(&Message::Header(Header { is_live: true, ..begin }));
        Ok(live)
    }

    /// Sends a message, or counts it as dropped if the buffer is full.
    pub fn write(&mut self, message: &Message) {
        if self.waiting.len() >= BUFFER_CAPACITY {
            self.dropped += 1;
            return;
        }
        if serde_json::to_writer(&mut self.waiting, message).is_ok() {
            self.waiting.push_back(b'\n');
            self.cycles += u64::from(matches!(message, Message::Cycle(_)));
        }
    }

    /// Returns the number of dropped messages.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Writes as much as the pipe accepts.
    pub fn push(&mut self) -> Result<(), PipeClosed> {
        while !self.waiting.is_empty() {
            let (first, _) = self.waiting.as_slices();
            match self.channel.write(first) {
                Ok(taken) => drop(self.waiting.drain(..taken)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    let how =
                        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                    return Err(PipeClosed(how));
                }
            }
        }
        Ok(())
    }

    /// Closes the channel and waits for the recorder to exit. Data that it does not accept in time is lost.
    pub fn end(mut self) {
        self.write(&Message::Footer(Footer { cycles: self.cycles, dropped: self.dropped }));
        let until = self.clock.now() + EXIT_TIMEOUT;
        while !self.waiting.is_empty() && self.clock.now() < until {
            if self.push().is_err() {
                return;
            }
            if !self.waiting.is_empty() {
                self.clock.wait_until(self.clock.now() + POLL_INTERVAL);
            }
        }
        // If it has exited already, there is nothing to close.
        let _gone = self.channel.shutdown(Shutdown::Write);
        while self.clock.now() < until {
            match self.child.try_wait() {
                Ok(None) => self.clock.wait_until(self.clock.now() + POLL_INTERVAL),
                Ok(Some(status)) => {
                    if !status.success() {
                        tracing::warn!("the recorder failed ({status}); see its messages above");
                    }
                    return;
                }
                Err(_) => return,
            }
        }
        tracing::warn!("the recorder took too long and was ended; its file may lack the last moments");
    }
}

impl Drop for RerunPipe {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

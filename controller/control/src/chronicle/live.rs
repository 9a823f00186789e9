//! What happens, shown in the Rerun viewer while it happens: the program `minismith-recorder` is told it over a pipe.
//!
//! The pipe is never waited for. What the recorder has no room for waits here up to a bound; beyond it messages are dropped
//! and counted, and the count is told.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::Duration;

use firmware_bridge::clock::{Clock, WallClock};
use minismith_wire::recording::{Begin, End, Message};

use crate::recorder::{NoRecording, locate};
use minismith_runtime::config;
use minismith_runtime::processes::{self, Program};

/// Bytes that may wait for the recorder.
const MOST_WAITING: usize = 16 << 20;

/// How long the recorder may take to end.
const PATIENCE: Duration = Duration::from_secs(8);

/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(10);

/// A recorder that is told what happens.
pub struct Live {
    child: Child,
    channel: UnixStream,
    waiting: VecDeque<u8>,
    beats: u64,
    dropped: u64,
    clock: WallClock,
}

/// The recorder has gone.
pub struct Gone(pub String);

impl Live {
    /// Starts the recorder and tells it what is recorded.
    pub fn start(wanted: &config::RerunConfig, begin: Begin) -> Result<Self, NoRecording> {
        let io = |doing| move |source| NoRecording::Io { doing, source };
        let mut arguments: Vec<OsString> = Vec::new();
        let mut add = |flag: &str, value: Option<OsString>| {
            arguments.extend(value.into_iter().flat_map(|value| [OsString::from(flag), value]));
        };
        add("--to", wanted.file.clone().map(Into::into));
        add("--connect", wanted.connect.clone().map(Into::into));
        add("--serve", wanted.listen.map(|address| address.to_string().into()));
        let (ours, theirs) = UnixStream::pair().map_err(io("making a channel to the recorder"))?;
        ours.set_nonblocking(true).map_err(io("making a channel to the recorder"))?;
        let program = Program { path: locate()?, arguments, environment: Vec::new(), input: theirs.into() };
        let child = processes::start(program).map_err(io("starting the recorder"))?;
        let mut live = Live {
            child,
            channel: ours,
            waiting: VecDeque::new(),
            beats: 0,
            dropped: 0,
            clock: WallClock::start(),
        };
        live.tell(&Message::Begin(Begin { live: true, ..begin }));
        Ok(live)
    }

    /// Tells it something, or counts it where too much waits.
    pub fn tell(&mut self, message: &Message) {
        if self.waiting.len() >= MOST_WAITING {
            self.dropped += 1;
            return;
        }
        if serde_json::to_writer(&mut self.waiting, message).is_ok() {
            self.waiting.push_back(b'\n');
            self.beats += u64::from(matches!(message, Message::Beat(_)));
        }
    }

    /// Messages that were dropped.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Hands over as much as there is room for.
    pub fn push(&mut self) -> Result<(), Gone> {
        while !self.waiting.is_empty() {
            let (first, _) = self.waiting.as_slices();
            match self.channel.write(first) {
                Ok(taken) => drop(self.waiting.drain(..taken)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    let how =
                        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                    return Err(Gone(how));
                }
            }
        }
        Ok(())
    }

    /// Tells it that nothing more comes, and lets it end; what it has not taken within its time is lost.
    pub fn end(mut self) {
        self.tell(&Message::End(End { beats: self.beats, dropped: self.dropped }));
        let until = self.clock.now() + PATIENCE;
        while !self.waiting.is_empty() && self.clock.now() < until {
            if self.push().is_err() {
                return;
            }
            if !self.waiting.is_empty() {
                self.clock.wait_until(self.clock.now() + LOOK);
            }
        }
        // If it has gone already, there is nobody to tell.
        let _gone = self.channel.shutdown(Shutdown::Write);
        while self.clock.now() < until {
            match self.child.try_wait() {
                Ok(None) => self.clock.wait_until(self.clock.now() + LOOK),
                Ok(Some(status)) => {
                    if !status.success() {
                        tracing::warn!("the recorder failed ({status}); what it said stands above");
                    }
                    return;
                }
                Err(_) => return,
            }
        }
        tracing::warn!("the recorder took too long and was ended; its file may lack the last moments");
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

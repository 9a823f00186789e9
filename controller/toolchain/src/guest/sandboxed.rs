//! Runs one sandboxed guest: turns with a deadline, budgets, and a guaranteed end.
//!
//! ```text
//!  Waiting --Start--> Parsed --Proceed--> Asks/Printed <--answers--> ... --> Done/Raised
//!     |                  |                    |                                |
//!     +------ fault: killed through its pidfd, reaped --------------------- exits by itself, reaped
//! ```

use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use minismith_protocol::exceeded::LimitExceeded;
use minismith_protocol::frame::{self, FrameError};
use minismith_protocol::shared_frames::SLOTS;
use minismith_protocol::zygote::{Ending, Reply, Request};
use minismith_protocol::{GuestMessage, HostCall, HostReply, Limits, MAX_FILE_BYTES};
use rustix::event::PollFlags;
use rustix::process::Signal;

use super::channel::{self, Timed};
use super::decode::{self, GuestMessageError};
use super::shared_frames::SharedFrames;
use super::zygote::Zygote;
use super::{Guest, GuestError};

/// Time that a guest has to exit by itself after its last message, or after it closed its channel.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
/// Time that the kernel has to end a killed guest.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// A sandboxed guest. Dropping it ends its process.
///
/// A guest that has sent its last message gets a kill signal, which it can neither catch nor delay. It is reaped in the
/// background.
#[derive(Debug)]
pub struct SandboxedGuest {
    zygote: Arc<Zygote>,
    pid: i32,
    pidfd: OwnedFd,
    channel: UnixStream,
    /// The shared memory for images. The code profile has none.
    window: Option<SharedFrames>,
    limits: Limits,
    printed: u64,
    /// Time that the guest has spent on its turns so far.
    turn_time: Duration,
    /// The kernel's accounting of the guest, opened on first use.
    scheduling: OnceLock<Option<File>>,
    phase: Phase,
    interactive: bool,
    usage: Option<Usage>,
}

/// Ends a guest from another thread, in any state.
#[derive(Debug)]
pub struct KillHandle(OwnedFd);

impl KillHandle {
    /// Ends the guest. The thread that talks to it gets an error.
    pub fn kill(&self) {
        // The process may be dead already.
        let _ = rustix::process::pidfd_send_signal(&self.0, Signal::KILL);
    }
}

/// The phase of a guest's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No message has been exchanged yet.
    Waiting,
    /// Between the first message and the last.
    Talking,
    /// Interactive: between a user's lines, or in one.
    Conversing,
    /// The guest has sent its last message, or was stopped.
    Over,
}

/// The resources that a guest used in its whole life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// How the guest ended.
    pub ending: Ending,
    /// Processor time, seconds.
    pub cpu_seconds: f64,
    /// Peak memory, bytes. Memory shared with other guests counts too.
    pub peak_bytes: u64,
}

impl SandboxedGuest {
    pub(super) fn new(
        zygote: Arc<Zygote>,
        (pid, pidfd): (i32, OwnedFd),
        channel: UnixStream,
        window: Option<SharedFrames>,
        limits: Limits,
    ) -> Self {
        let scheduling = OnceLock::new();
        let phase = Phase::Waiting;
        SandboxedGuest {
            zygote,
            pid,
            pidfd,
            channel,
            window,
            limits,
            printed: 0,
            turn_time: Duration::ZERO,
            scheduling,
            phase,
            interactive: false,
            usage: None,
        }
    }

    /// Returns a handle that ends the guest from another thread.
    ///
    /// # Errors
    /// Returns an error if the system has no free descriptor.
    pub fn kill_handle(&self) -> std::io::Result<KillHandle> {
        self.pidfd.try_clone().map(KillHandle)
    }

    /// Returns the processor time used so far, if the kernel reports it.
    #[must_use]
    pub fn cpu(&self) -> Option<Duration> {
        if let Some(usage) = &self.usage {
            return Duration::try_from_secs_f64(usage.cpu_seconds).ok();
        }
        let mut bytes = [0; 64];
        let scheduling = self.scheduling.get_or_init(|| scheduling_of(&self.pidfd)).as_ref()?;
        let length = scheduling.read_at(&mut bytes, 0).ok()?;
        let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
        // Fields: nanoseconds on the processor, nanoseconds waiting for it, time slices.
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }

    /// Returns the guest's process descriptor. It becomes readable when the process ends.
    #[must_use]
    pub fn process(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Ends the guest, by force if it does not exit, and returns the resources that it used.
    ///
    /// # Errors
    /// Returns [`GuestError::NoHost`] if the host can no longer report them.
    pub fn finish(&mut self) -> Result<Usage, GuestError> {
        self.phase = Phase::Over;
        if let Some(usage) = self.usage {
            return Ok(usage);
        }
        // The descriptor of an ended process is readable.
        if !matches!(channel::wait(&self.pidfd, PollFlags::IN, EXIT_TIMEOUT), Ok(true)) && !self.kill() {
            // Waiting longer would block the host for all other guests.
            return Err(GuestError::no_host("cannot end a guest", "the kernel does not release the process"));
        }
        self.reap()
    }

    /// Kills the guest. Returns whether it is dead.
    ///
    /// It does not depend on the guest: it waits for no signal handler, no interpreter lock and no byte of its channel.
    fn kill(&self) -> bool {
        self.send_kill();
        matches!(channel::wait(&self.pidfd, PollFlags::IN, KILL_TIMEOUT), Ok(true))
    }

    /// Sends the kill signal. Returns whether the process has received it or is dead already.
    fn send_kill(&self) -> bool {
        let sent = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
        matches!(sent, Ok(()) | Err(rustix::io::Errno::SRCH))
    }

    fn reap(&mut self) -> Result<Usage, GuestError> {
        match self.zygote.ask(&Request::Reap { pid: self.pid }) {
            Ok((Reply::Reaped { ending, cpu_seconds, peak_bytes }, _)) => {
                let usage = Usage { ending, cpu_seconds, peak_bytes };
                self.usage = Some(usage);
                Ok(usage)
            }
            Ok((reply, _)) => Err(GuestError::no_host("cannot reap a guest", format!("{reply:?}"))),
            Err(error) => Err(GuestError::no_host("cannot reap a guest", error)),
        }
    }

    /// Exchanges one turn. Any error ends the guest.
    fn exchange(&mut self, answer: &HostReply, raw: Option<&[u8]>) -> Result<GuestMessage, GuestError> {
        if let HostReply::Start { job } = answer {
            self.interactive = job.interactive;
        }
        let raw = self.write_frame(answer, raw)?;
        let clock = MonotonicClock::start();
        let in_all = Duration::try_from_secs_f64(self.limits.wall_seconds).unwrap_or_default();
        let left = in_all.saturating_sub(self.turn_time).as_secs_f64();
        let mut timed = Timed::new(&self.channel, self.limits.turn_seconds.min(left));
        let sent = frame::write(&mut timed, answer)
            .and_then(|()| {
                files_of(answer).try_for_each(|file| frame::write_bytes(&mut timed, file, MAX_FILE_BYTES))
            })
            .and_then(|()| match raw {
                Some(bytes) => frame::write_bytes(&mut timed, bytes, frame::MAX_RAW_BYTES),
                None => Ok(()),
            });
        // If the write fails, the guest may have died or sent a last message. Reading shows which.
        let mut receive = || frame::read_bytes(&mut timed, frame::MAX_FRAME_BYTES);
        let received = match sent {
            Err(FrameError::Io(error)) if error.kind() != ErrorKind::TimedOut => receive(),
            Err(error) => Err(error),
            Ok(()) => receive(),
        };
        let took = clock.now() - Timestamp::ZERO;
        self.turn_time = self.turn_time.saturating_add(took);
        let turn = received.map_err(GuestMessageError::from).and_then(|bytes| decode::turn(&bytes));
        let turn = turn.map_err(|error| self.explain(&error, took))?;
        self.check_phase(&turn)?;
        self.check_slot(&turn)?;
        self.count_output(&turn)?;
        self.check_exceeded_budget(&turn)?;
        Ok(turn)
    }

    /// Writes an image into the slot that the answer names. Returns the bytes that are still to be sent after the
    /// answer.
    fn write_frame<'a>(
        &self,
        answer: &HostReply,
        raw: Option<&'a [u8]>,
    ) -> Result<Option<&'a [u8]>, GuestError> {
        match (answer, raw, &self.window) {
            (HostReply::Frame { slot: Some(slot), .. }, Some(image), Some(window)) => {
                let laid = window.write_frame(*slot, image);
                laid.map(|()| None).map_err(|error| GuestError::no_host("cannot write an image", error))
            }
            _ => Ok(raw),
        }
    }

    /// Checks that the named slot exists.
    fn check_slot(&self, turn: &GuestMessage) -> Result<(), GuestError> {
        match turn {
            GuestMessage::Asks { cue: HostCall::Frame { slot: Some(slot) }, .. }
                if self.window.is_none() || *slot >= SLOTS =>
            {
                Err(GuestError::ProtocolViolation {
                    what: format!("it named image slot {slot}, which does not exist"),
                })
            }
            _ => Ok(()),
        }
    }

    fn explain(&mut self, error: &GuestMessageError, took: Duration) -> GuestError {
        match error {
            GuestMessageError::Frame(FrameError::Io(error)) if error.kind() == ErrorKind::TimedOut => {
                let (limit, used) = (self.limits.turn_seconds, took.as_secs_f64());
                if used >= limit {
                    GuestError::Deadline { limit, used }
                } else {
                    GuestError::Wall { limit: self.limits.wall_seconds, used: self.turn_time.as_secs_f64() }
                }
            }
            GuestMessageError::Frame(FrameError::Io(_)) => match self.finish() {
                Ok(usage) => GuestError::from_ending(&usage, &self.limits),
                Err(fault) => fault,
            },
            error => GuestError::ProtocolViolation { what: error.to_string() },
        }
    }

    /// Handles an exceeded budget that the guest noticed before the supervisor did.
    fn check_exceeded_budget(&mut self, turn: &GuestMessage) -> Result<(), GuestError> {
        let GuestMessage::Raised { kind, message, line, .. } = turn else { return Ok(()) };
        let Some(exceeded) = LimitExceeded::from_guest(kind) else { return Ok(()) };
        let peak = self.finish()?.peak_bytes;
        Err(GuestError::from_exception(exceeded, message, *line, &self.limits, peak))
    }

    fn check_phase(&mut self, turn: &GuestMessage) -> Result<(), GuestError> {
        let forged = |what: &str| Err(GuestError::ProtocolViolation { what: what.to_owned() });
        self.phase = match (self.phase, turn) {
            (Phase::Waiting, GuestMessage::Parsed { .. }) if self.interactive => Phase::Conversing,
            (Phase::Waiting, GuestMessage::Parsed { .. })
            | (Phase::Talking, GuestMessage::Asks { .. } | GuestMessage::Printed { .. }) => Phase::Talking,
            (
                Phase::Conversing,
                GuestMessage::Asks { .. } | GuestMessage::Printed { .. } | GuestMessage::Result { .. },
            ) => Phase::Conversing,
            (Phase::Talking, GuestMessage::Done { .. } | GuestMessage::Raised { .. }) => Phase::Over,
            (Phase::Waiting, _) => return forged("its first message was not the parsed source"),
            (Phase::Talking | Phase::Conversing, GuestMessage::Parsed { .. }) => {
                return forged("it sent the parsed source twice");
            }
            (Phase::Talking, GuestMessage::Result { .. }) => {
                return forged("it sent a line result outside of an interactive session");
            }
            (Phase::Conversing, _) => return forged("it ended an interactive session by itself"),
            (Phase::Over, _) => return forged("it sent a message after its last one"),
        };
        Ok(())
    }

    fn count_output(&mut self, turn: &GuestMessage) -> Result<(), GuestError> {
        let printed = match turn {
            GuestMessage::Asks { printed, .. }
            | GuestMessage::Printed { printed, .. }
            | GuestMessage::Result { printed, .. }
            | GuestMessage::Done { printed, .. }
            | GuestMessage::Raised { printed, .. } => printed.len(),
            GuestMessage::Parsed { .. } => 0,
        };
        self.printed = self.printed.saturating_add(printed as u64);
        if self.printed > self.limits.output_bytes {
            return Err(GuestError::Output { limit: self.limits.output_bytes, used: self.printed });
        }
        Ok(())
    }
}

impl Guest for SandboxedGuest {
    fn turn(&mut self, answer: &HostReply, raw: Option<&[u8]>) -> Result<GuestMessage, GuestError> {
        if self.phase == Phase::Over {
            return Err(GuestError::Died { how: "it has already ended".into() });
        }
        let turn = self.exchange(answer, raw);
        if turn.is_err() {
            self.phase = Phase::Over;
            self.kill();
        }
        turn
    }

    fn usage(&mut self) -> Option<Usage> {
        self.finish().ok()
    }
}

impl Drop for SandboxedGuest {
    fn drop(&mut self) {
        if self.usage.is_some() {
            return;
        }
        if self.phase == Phase::Over && self.send_kill() {
            // If the host is gone, nothing more can be done. The kernel reaps its children.
            let _ = self.zygote.report(&Request::Forget { pid: self.pid });
            return;
        }
        self.kill();
        let _ = self.reap();
    }
}

/// Returns the files that follow a start message as raw frames.
fn files_of(answer: &HostReply) -> impl Iterator<Item = &[u8]> {
    let files = match answer {
        HostReply::Start { job } => job.files.as_slice(),
        _ => &[],
    };
    files.iter().map(|file| file.content.0.as_slice())
}

/// Opens the kernel's accounting of the process behind a pidfd.
fn scheduling_of(pidfd: &OwnedFd) -> Option<File> {
    let about = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", pidfd.as_raw_fd())).ok()?;
    let pid: u32 = about.lines().find_map(|line| line.strip_prefix("Pid:"))?.trim().parse().ok()?;
    File::open(format!("/proc/{pid}/schedstat")).ok()
}

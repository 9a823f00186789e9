//! One guest in its cage: turns with a deadline, budgets, and an end that is always seen through.
//!
//! ```text
//!  Waiting --Start--> Parsed --Proceed--> Asks/Printed <--answers--> ... --> Done/Raised
//!     |                  |                    |                                |
//!     +------ fault: killed by its pidfd, reaped --------------------- left by itself, reaped
//! ```

use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use firmware_bridge::clock::{Clock, Tick, WallClock};
use minismith_wire::exceeded::Exceeded;
use minismith_wire::frame::{self, FrameError};
use minismith_wire::window::SLOTS;
use minismith_wire::zygote::{Ending, Reply, Request};
use minismith_wire::{Answer, Cue, Limits, MAX_FILE, Turn};
use rustix::event::PollFlags;
use rustix::process::Signal;

use super::channel::{self, Timed};
use super::decode::{self, NotATurn};
use super::window::Window;
use super::zygote::Zygote;
use super::{Guest, GuestFault};

/// How long a guest that has said its last word, or has closed its channel, may take to leave by itself.
const LEAVING: Duration = Duration::from_millis(500);
/// How long the kernel may take to bury it.
const DYING: Duration = Duration::from_secs(5);

/// A caged guest. When it is dropped it is dead; one that has said its last word is sent the signal that ends it, which
/// nothing in it can see or put off, and is buried while others go on.
#[derive(Debug)]
pub struct CagedGuest {
    zygote: Arc<Zygote>,
    pid: i32,
    pidfd: OwnedFd,
    channel: UnixStream,
    /// Where it sees pictures; none has the code profile.
    window: Option<Window>,
    limits: Limits,
    printed: u64,
    /// Time that the guest has thought so far.
    thought: Duration,
    /// The kernel's accounting of it, opened when somebody asks.
    scheduling: OnceLock<Option<File>>,
    place: Place,
    interactive: bool,
    usage: Option<Usage>,
}

/// Ends a guest from another thread, whatever it does.
#[derive(Debug)]
pub struct Killer(OwnedFd);

impl Killer {
    /// Ends it; the thread that talks with it is told that it died.
    pub fn kill(&self) {
        // It may be dead already.
        let _ = rustix::process::pidfd_send_signal(&self.0, Signal::KILL);
    }
}

/// Where in its life a guest is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Nothing was said yet.
    Waiting,
    /// Between its first word and its last.
    Talking,
    /// Between a person's lines, or in one.
    Conversing,
    /// It has said its last word, or was stopped.
    Over,
}

/// What a guest used in its whole life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// How it ended.
    pub ending: Ending,
    /// Processor seconds.
    pub cpu_seconds: f64,
    /// The most memory that it held, bytes; what it shares with other guests counts too.
    pub peak_bytes: u64,
}

impl CagedGuest {
    pub(super) fn new(
        zygote: Arc<Zygote>,
        (pid, pidfd): (i32, OwnedFd),
        channel: UnixStream,
        window: Option<Window>,
        limits: Limits,
    ) -> Self {
        let scheduling = OnceLock::new();
        let place = Place::Waiting;
        CagedGuest {
            zygote,
            pid,
            pidfd,
            channel,
            window,
            limits,
            printed: 0,
            thought: Duration::ZERO,
            scheduling,
            place,
            interactive: false,
            usage: None,
        }
    }

    /// A way to end it from another thread.
    ///
    /// # Errors
    /// When the system has no descriptor left.
    pub fn killer(&self) -> std::io::Result<Killer> {
        self.pidfd.try_clone().map(Killer)
    }

    /// Processor time used so far, where the kernel tells it.
    #[must_use]
    pub fn cpu(&self) -> Option<Duration> {
        if let Some(usage) = &self.usage {
            return Duration::try_from_secs_f64(usage.cpu_seconds).ok();
        }
        let mut bytes = [0; 64];
        let scheduling = self.scheduling.get_or_init(|| scheduling_of(&self.pidfd)).as_ref()?;
        let length = scheduling.read_at(&mut bytes, 0).ok()?;
        let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
        // Nanoseconds on the processor, nanoseconds waiting for it, time slices.
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }

    /// The guest's process. When it is readable it has ended.
    #[must_use]
    pub fn process(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Sees the guest's end through, by force if it does not leave, and says what it used in its life.
    ///
    /// # Errors
    /// [`GuestFault::NoHost`] when the host can't say it any more.
    pub fn finish(&mut self) -> Result<Usage, GuestFault> {
        self.place = Place::Over;
        if let Some(usage) = self.usage {
            return Ok(usage);
        }
        // A process that has ended is readable.
        if !matches!(channel::wait(&self.pidfd, PollFlags::IN, LEAVING), Ok(true)) && !self.kill() {
            // Waiting for it would keep the host from everybody else.
            return Err(GuestFault::no_host("ending a guest", "the kernel does not let it go"));
        }
        self.reap()
    }

    /// Ends it, whatever it holds; whether it is dead. That asks nothing of the guest: no signal of its own, no lock
    /// of its interpreter and no byte in its channel is waited for.
    fn kill(&self) -> bool {
        self.send_kill();
        matches!(channel::wait(&self.pidfd, PollFlags::IN, DYING), Ok(true))
    }

    /// Sends the signal that ends it; whether it has it, or is dead already.
    fn send_kill(&self) -> bool {
        let sent = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
        matches!(sent, Ok(()) | Err(rustix::io::Errno::SRCH))
    }

    fn reap(&mut self) -> Result<Usage, GuestFault> {
        match self.zygote.ask(&Request::Reap { pid: self.pid }) {
            Ok((Reply::Reaped { ending, cpu_seconds, peak_bytes }, _)) => {
                let usage = Usage { ending, cpu_seconds, peak_bytes };
                self.usage = Some(usage);
                Ok(usage)
            }
            Ok((reply, _)) => Err(GuestFault::no_host("reaping a guest", format!("{reply:?}"))),
            Err(error) => Err(GuestFault::no_host("reaping a guest", error)),
        }
    }

    /// One turn; any error of it is the guest's end.
    fn exchange(&mut self, answer: &Answer, raw: Option<&[u8]>) -> Result<Turn, GuestFault> {
        if let Answer::Start { job } = answer {
            self.interactive = job.interactive;
        }
        let raw = self.lay(answer, raw)?;
        let clock = WallClock::start();
        let in_all = Duration::try_from_secs_f64(self.limits.wall_seconds).unwrap_or_default();
        let left = in_all.saturating_sub(self.thought).as_secs_f64();
        let mut timed = Timed::new(&self.channel, self.limits.turn_seconds.min(left));
        let spoken = frame::write(&mut timed, answer)
            .and_then(|()| {
                files_of(answer).try_for_each(|file| frame::write_bytes(&mut timed, file, MAX_FILE))
            })
            .and_then(|()| match raw {
                Some(bytes) => frame::write_bytes(&mut timed, bytes, frame::MAX_RAW),
                None => Ok(()),
            });
        // A guest that does not listen any more may have died or left a last word; reading tells.
        let mut hear = || frame::read_bytes(&mut timed, frame::MAX_FRAME);
        let heard = match spoken {
            Err(FrameError::Io(error)) if error.kind() != ErrorKind::TimedOut => hear(),
            Err(error) => Err(error),
            Ok(()) => hear(),
        };
        let took = clock.now() - Tick::ZERO;
        self.thought = self.thought.saturating_add(took);
        let turn = heard.map_err(NotATurn::from).and_then(|bytes| decode::turn(&bytes));
        let turn = turn.map_err(|error| self.explain(&error, took))?;
        self.check_place(&turn)?;
        self.check_slot(&turn)?;
        self.count_output(&turn)?;
        self.has_room(&turn)?;
        Ok(turn)
    }

    /// Lays a picture into the slot that the answer names; what is left to follow the answer.
    fn lay<'a>(&self, answer: &Answer, raw: Option<&'a [u8]>) -> Result<Option<&'a [u8]>, GuestFault> {
        match (answer, raw, &self.window) {
            (Answer::Frame { slot: Some(slot), .. }, Some(picture), Some(window)) => {
                let laid = window.lay(*slot, picture);
                laid.map(|()| None).map_err(|error| GuestFault::no_host("laying a picture out", error))
            }
            _ => Ok(raw),
        }
    }

    /// A slot that it names is one that there is.
    fn check_slot(&self, turn: &Turn) -> Result<(), GuestFault> {
        match turn {
            Turn::Asks { cue: Cue::Frame { slot: Some(slot) }, .. }
                if self.window.is_none() || *slot >= SLOTS =>
            {
                Err(GuestFault::Forged {
                    what: format!("it named slot {slot} for a picture, which there is not"),
                })
            }
            _ => Ok(()),
        }
    }

    fn explain(&mut self, error: &NotATurn, took: Duration) -> GuestFault {
        match error {
            NotATurn::Frame(FrameError::Io(error)) if error.kind() == ErrorKind::TimedOut => {
                let (limit, used) = (self.limits.turn_seconds, took.as_secs_f64());
                if used >= limit {
                    GuestFault::Deadline { limit, used }
                } else {
                    GuestFault::Wall { limit: self.limits.wall_seconds, used: self.thought.as_secs_f64() }
                }
            }
            NotATurn::Frame(FrameError::Io(_)) => match self.finish() {
                Ok(usage) => GuestFault::from_ending(&usage, &self.limits),
                Err(fault) => fault,
            },
            error => GuestFault::Forged { what: error.to_string() },
        }
    }

    /// What the guest learned before anybody else: that a budget is used up.
    fn has_room(&mut self, turn: &Turn) -> Result<(), GuestFault> {
        let Turn::Raised { kind, message, line, .. } = turn else { return Ok(()) };
        let Some(exceeded) = Exceeded::told_by(kind) else { return Ok(()) };
        let peak = self.finish()?.peak_bytes;
        Err(GuestFault::from_exception(exceeded, message, *line, &self.limits, peak))
    }

    fn check_place(&mut self, turn: &Turn) -> Result<(), GuestFault> {
        let forged = |what: &str| Err(GuestFault::Forged { what: what.to_owned() });
        self.place = match (self.place, turn) {
            (Place::Waiting, Turn::Parsed { .. }) if self.interactive => Place::Conversing,
            (Place::Waiting, Turn::Parsed { .. })
            | (Place::Talking, Turn::Asks { .. } | Turn::Printed { .. }) => Place::Talking,
            (Place::Conversing, Turn::Asks { .. } | Turn::Printed { .. } | Turn::Result { .. }) => {
                Place::Conversing
            }
            (Place::Talking, Turn::Done { .. } | Turn::Raised { .. }) => Place::Over,
            (Place::Waiting, _) => return forged("its first word was not its reading of the source"),
            (Place::Talking | Place::Conversing, Turn::Parsed { .. }) => {
                return forged("it read the source twice");
            }
            (Place::Talking, Turn::Result { .. }) => return forged("nobody gives it lines"),
            (Place::Conversing, _) => return forged("its last word is not its own to say"),
            (Place::Over, _) => return forged("it spoke after its last word"),
        };
        Ok(())
    }

    fn count_output(&mut self, turn: &Turn) -> Result<(), GuestFault> {
        let printed = match turn {
            Turn::Asks { printed, .. }
            | Turn::Printed { printed, .. }
            | Turn::Result { printed, .. }
            | Turn::Done { printed, .. }
            | Turn::Raised { printed, .. } => printed.len(),
            Turn::Parsed { .. } => 0,
        };
        self.printed = self.printed.saturating_add(printed as u64);
        if self.printed > self.limits.output_bytes {
            return Err(GuestFault::Output { limit: self.limits.output_bytes, used: self.printed });
        }
        Ok(())
    }
}

impl Guest for CagedGuest {
    fn turn(&mut self, answer: &Answer, raw: Option<&[u8]>) -> Result<Turn, GuestFault> {
        if self.place == Place::Over {
            return Err(GuestFault::Died { how: "it has already ended".into() });
        }
        let turn = self.exchange(answer, raw);
        if turn.is_err() {
            self.place = Place::Over;
            self.kill();
        }
        turn
    }

    fn usage(&mut self) -> Option<Usage> {
        self.finish().ok()
    }
}

impl Drop for CagedGuest {
    fn drop(&mut self) {
        if self.usage.is_some() {
            return;
        }
        if self.place == Place::Over && self.send_kill() {
            // Nothing more can be done if the host has gone; the kernel buries its children.
            let _ = self.zygote.tell(&Request::Forget { pid: self.pid });
            return;
        }
        self.kill();
        let _ = self.reap();
    }
}

/// What follows a start as raw frames.
fn files_of(answer: &Answer) -> impl Iterator<Item = &[u8]> {
    let files = match answer {
        Answer::Start { job } => job.files.as_slice(),
        _ => &[],
    };
    files.iter().map(|file| file.content.0.as_slice())
}

/// The kernel's accounting of the process behind a pidfd.
fn scheduling_of(pidfd: &OwnedFd) -> Option<File> {
    let about = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", pidfd.as_raw_fd())).ok()?;
    let pid: u32 = about.lines().find_map(|line| line.strip_prefix("Pid:"))?.trim().parse().ok()?;
    File::open(format!("/proc/{pid}/schedstat")).ok()
}

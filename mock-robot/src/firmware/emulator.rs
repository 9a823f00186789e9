//! The emulated robot as a serial port: one thread between the bus and the pseudo-terminal, paced by the wall clock.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use firmware_bridge::clock::{Clock, WallClock};
use firmware_bridge::joint::Joints;

use super::bus::Bus;
use super::line::{Heard, Line, Link};
use super::servo::ServoView;
use crate::faults::Faults;

/// How the emulator starts.
#[derive(Clone, Debug)]
pub struct EmulatorOptions {
    /// A symbolic link to make to the port, removed at the end.
    pub link: Option<PathBuf>,
    /// What is wrong with the bus.
    pub faults: Faults,
    /// Where the joints stand at first.
    pub start: Joints,
}

/// The emulator cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum EmulatorError {
    /// There is no pseudo-terminal to be had.
    #[error("no pseudo-terminal could be opened: {0}; check that /dev/pts is mounted, then try again")]
    NoTerminal(#[source] io::Error),
    /// The link cannot be made.
    #[error("the link {} cannot be made: {reason}; remove what is there, or choose another place", .path.display())]
    NoLink {
        /// Where it should have been.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// The pseudo-terminal failed later.
    #[error("the pseudo-terminal failed: {0}; start the emulator again")]
    LineFailed(#[source] io::Error),
}

/// A running emulator. Dropping it stops its thread and removes its link.
#[derive(Debug)]
pub struct Emulator {
    path: PathBuf,
    bus: Arc<Mutex<Bus>>,
    clock: WallClock,
    /// Closing it stops the thread.
    stop: Option<OwnedFd>,
    thread: Option<JoinHandle<io::Result<()>>>,
    _link: Option<Link>,
}

impl Emulator {
    /// Opens a port and answers on it.
    ///
    /// # Errors
    /// When the system has no pseudo-terminal, or the link cannot be made.
    pub fn start(options: EmulatorOptions) -> Result<Emulator, EmulatorError> {
        let line = Line::open().map_err(EmulatorError::NoTerminal)?;
        let path = line.path().to_owned();
        let make_link = |place: PathBuf| {
            Link::make(place.clone(), path.clone())
                .map_err(|reason| EmulatorError::NoLink { path: place, reason })
        };
        let link = options.link.map(make_link).transpose()?;
        let (stopped, stop) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
            .map_err(|error| EmulatorError::NoTerminal(error.into()))?;
        let bus = Arc::new(Mutex::new(Bus::new(options.start, options.faults)));
        let clock = WallClock::start();
        let thread = thread::Builder::new()
            .name("servos".to_owned())
            .spawn({
                let bus = Arc::clone(&bus);
                move || answer(&line, &bus, clock, &stopped)
            })
            .map_err(EmulatorError::NoTerminal)?;
        Ok(Emulator { path, bus, clock, stop: Some(stop), thread: Some(thread), _link: link })
    }

    /// The serial port: what a program opens.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the servos are really doing at this moment, without the line.
    #[must_use]
    pub fn probe(&self) -> Joints<ServoView> {
        let mut bus = lock(&self.bus);
        bus.advance(self.clock.now());
        bus.view()
    }

    /// Answers until the pseudo-terminal fails.
    ///
    /// # Errors
    /// Says how it failed.
    pub fn run_forever(mut self) -> Result<(), EmulatorError> {
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => Err(EmulatorError::LineFailed(error)),
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            Some(Ok(Ok(()))) | None => Ok(()),
        }
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // The thread's last words matter to `run_forever` only.
            let _ = thread.join();
        }
    }
}

fn lock(bus: &Mutex<Bus>) -> MutexGuard<'_, Bus> {
    bus.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(line: &Line, bus: &Mutex<Bus>, clock: WallClock, stopped: &OwnedFd) -> io::Result<()> {
    let mut buffer = [0; 4096];
    while line.wait(stopped)? == Heard::Bytes {
        let bytes = line.read(&mut buffer)?;
        let answer = lock(bus).receive(bytes, clock.now());
        line.write(&answer)?;
    }
    Ok(())
}

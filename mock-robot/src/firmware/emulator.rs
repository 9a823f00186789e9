//! The emulated robot as a serial port: one thread between the bus and the pseudo-terminal.
//!
//! The thread keeps the time of a real line: a byte takes 10 us each way, and a servo its return delay. It answers when
//! a servo would, and not before; a machine that is too busy for that answers late.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use firmware_bridge::clock::{Clock, Tick, WallClock};
use firmware_bridge::joint::Joints;
use firmware_bridge::pulse::Privilege;

use super::answer::{Answer, byte_time, time_of};
use super::arrival::Arrival;
use super::bus::Bus;
use super::line::{Heard, Line, Link};
use super::servo::ServoView;
use crate::faults::{Fault, Faults};

/// How the emulator starts.
#[derive(Clone, Debug)]
pub struct EmulatorOptions {
    /// A symbolic link to make to the port, removed at the end.
    pub link: Option<PathBuf>,
    /// What is wrong with the bus.
    pub faults: Faults,
    /// Where the joints stand at first.
    pub start: Joints,
    /// Whether bytes take the time that they take on a real line; otherwise none.
    pub paced: bool,
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
    /// A byte wakes the thread, and closing it stops the thread.
    wake: Option<OwnedFd>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Emulator {
    /// Opens a port and answers on it.
    ///
    /// # Errors
    /// When the system has no pseudo-terminal, or the link cannot be made.
    pub fn start(options: EmulatorOptions) -> Result<Emulator, EmulatorError> {
        let EmulatorOptions { link, faults, start, paced } = options;
        let line = Line::open().map_err(EmulatorError::NoTerminal)?;
        let path = line.path().to_owned();
        let make_link = |place: PathBuf| {
            Link::make(place.clone(), path.clone())
                .map_err(|reason| EmulatorError::NoLink { path: place, reason })
        };
        let linked = link.clone().map(make_link).transpose()?;
        let (woken, wake) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
            .map_err(|error| EmulatorError::NoTerminal(error.into()))?;
        let bus = Arc::new(Mutex::new(Bus::new(start, faults)));
        let clock = WallClock::start();
        let far = Far { bus: Arc::clone(&bus), clock, woken, byte_time: byte_time(paced), link };
        let thread = thread::Builder::new()
            .name("servos".to_owned())
            .spawn(move || far.serve(line, linked))
            .map_err(EmulatorError::NoTerminal)?;
        Ok(Emulator { path, bus, clock, wake: Some(wake), thread: Some(thread) })
    }

    /// The serial port: what a program opens. When the port was gone and is back, its link leads to the new one.
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

    /// A fault begins at this moment.
    pub fn strike(&self, fault: Fault) {
        lock(&self.bus).strike(fault, self.clock.now());
        if let Some(wake) = &self.wake {
            // A pipe that is full has woken the thread already.
            let _ = rustix::io::write(wake, &[0]);
        }
    }

    /// Every instruction that is heard on the line from here on, with its moment: what a probe on the cable would
    /// show. A second call takes over from the first.
    #[must_use]
    pub fn arrivals(&self) -> Receiver<Arrival> {
        let (tap, arrivals) = channel();
        lock(&self.bus).tell(tap);
        arrivals
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
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            // The thread's last words matter to `run_forever` only.
            let _ = thread.join();
        }
    }
}

pub(super) fn lock(bus: &Mutex<Bus>) -> MutexGuard<'_, Bus> {
    bus.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sleep wakes some tens of microseconds late; the last of a wait is spent looking at the clock.
const WATCHED: Duration = Duration::from_micros(60);

/// The thread's own.
struct Far {
    bus: Arc<Mutex<Bus>>,
    clock: WallClock,
    woken: OwnedFd,
    byte_time: Duration,
    link: Option<PathBuf>,
}

impl Far {
    fn serve(&self, line: Line, linked: Option<Link>) -> io::Result<()> {
        // Real servos do not wait for other programs on this machine. Where that is not to be had, these do.
        let _had = Privilege::ask();
        let mut open = Some((line, linked));
        while let Some((line, linked)) = open.take() {
            if self.answer(&line)? == Heard::Stop {
                return Ok(());
            }
            // The port is pulled out: nobody finds it, and who has it open is hung up on.
            drop((line, linked));
            if !self.wait_for_the_port()? {
                return Ok(());
            }
            let line = Line::open()?;
            let link =
                self.link.clone().map(|place| Link::make(place, line.path().to_owned())).transpose()?;
            open = Some((line, link));
        }
        Ok(())
    }

    /// Answers until it is time to stop, or until the port goes.
    fn answer(&self, line: &Line) -> io::Result<Heard> {
        let mut buffer = [0; 4096];
        let mut answer = Answer::default();
        // Until when the line is taken.
        let mut busy = Tick::ZERO;
        loop {
            let goes = {
                let mut bus = lock(&self.bus);
                bus.advance(self.clock.now());
                if bus.trouble().port_gone().is_some() {
                    return Ok(Heard::Nothing);
                }
                bus.trouble().port_goes()
            };
            let longest = goes.map(|at| at.since(self.clock.now()));
            match line.wait(&self.woken, longest)? {
                Heard::Stop => return Ok(Heard::Stop),
                Heard::Nothing => continue,
                Heard::Bytes => {}
            }
            let bytes = line.read(&mut buffer)?;
            let heard = busy.max(self.clock.now()) + time_of(self.byte_time, bytes.len());
            self.wait_until(heard);
            answer.clear();
            lock(&self.bus).receive(bytes, heard, &mut answer);
            busy = heard;
            for (piece, at) in answer.arrivals(heard, self.byte_time) {
                self.wait_until(at);
                line.write(piece)?;
                busy = at;
            }
        }
    }

    fn wait_until(&self, at: Tick) {
        if self.byte_time.is_zero() {
            return;
        }
        self.clock.wait_until(Tick(at.0.saturating_sub(WATCHED.as_nanos() as u64)));
        while self.clock.now() < at {
            std::hint::spin_loop();
        }
    }

    /// False when it is time to stop.
    fn wait_for_the_port(&self) -> io::Result<bool> {
        loop {
            let gone = {
                let mut bus = lock(&self.bus);
                bus.advance(self.clock.now());
                bus.trouble().port_gone()
            };
            let Some(gone) = gone else { return Ok(true) };
            let longest = gone.until.map(|until| until.since(self.clock.now()));
            if super::line::pause(&self.woken, longest)? == Heard::Stop {
                return Ok(false);
            }
        }
    }
}

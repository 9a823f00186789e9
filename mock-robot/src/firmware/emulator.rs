//! The emulated robot as a serial port: one thread between the bus and a pseudo-terminal.
//!
//! The thread reproduces the timing of a real line: 10 us per byte each way, and the return delay of a servo. It never
//! answers earlier than a servo would; on a busy machine it may answer later.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use firmware_bridge::control_loop::RealtimeScheduling;
use firmware_bridge::joint::Joints;

use super::answer::{StatusPacket, byte_time, time_of};
use super::arrival::ReceivedInstruction;
use super::bus::Bus;
use super::line::{Line, LineEvent, Link};
use super::servo::ServoView;
use crate::faults::{Fault, Faults};

/// The options for the emulator.
#[derive(Clone, Debug)]
pub struct EmulatorOptions {
    /// A symbolic link to the port, removed at the end.
    pub link: Option<PathBuf>,
    /// The faults of the bus.
    pub faults: Faults,
    /// The initial positions of the joints.
    pub start: Joints,
    /// Whether bytes take their time on a real line; otherwise they take none.
    pub paced: bool,
}

/// The emulator cannot start or continue.
#[derive(Debug, thiserror::Error)]
pub enum EmulatorError {
    /// No pseudo-terminal is available.
    #[error("cannot open a pseudo-terminal: {0}; check that /dev/pts is mounted, then try again")]
    NoTerminal(#[source] io::Error),
    /// The symbolic link cannot be created.
    #[error("cannot create the link {}: {reason}; remove the existing file or choose another path", .path.display())]
    NoLink {
        /// The path of the link.
        path: PathBuf,
        /// The system's error.
        reason: io::Error,
    },
    /// The pseudo-terminal failed after the start.
    #[error("the pseudo-terminal failed: {0}; start the emulator again")]
    LineFailed(#[source] io::Error),
}

/// A running emulator. Dropping it stops its thread and removes its link.
#[derive(Debug)]
pub struct Emulator {
    path: PathBuf,
    bus: Arc<Mutex<Bus>>,
    clock: MonotonicClock,
    /// Writing a byte wakes the thread; closing it stops the thread.
    wake: Option<OwnedFd>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Emulator {
    /// Opens a port and answers on it.
    ///
    /// # Errors
    /// If no pseudo-terminal is available or the link cannot be created.
    pub fn start(options: EmulatorOptions) -> Result<Emulator, EmulatorError> {
        let EmulatorOptions { link, faults, start, paced } = options;
        let line = Line::open().map_err(EmulatorError::NoTerminal)?;
        let path = line.path().to_owned();
        let make_link = |position: PathBuf| {
            Link::make(position.clone(), path.clone())
                .map_err(|reason| EmulatorError::NoLink { path: position, reason })
        };
        let created_link = link.clone().map(make_link).transpose()?;
        let (wake_reader, wake) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
            .map_err(|error| EmulatorError::NoTerminal(error.into()))?;
        let bus = Arc::new(Mutex::new(Bus::new(start, faults)));
        let clock = MonotonicClock::start();
        let thread_state =
            EmulatorThread { bus: Arc::clone(&bus), clock, wake_reader, byte_time: byte_time(paced), link };
        let thread = thread::Builder::new()
            .name("servos".to_owned())
            .spawn(move || thread_state.serve(line, created_link))
            .map_err(EmulatorError::NoTerminal)?;
        Ok(Emulator { path, bus, clock, wake: Some(wake), thread: Some(thread) })
    }

    /// Returns the path of the serial port. If the port was lost and restored, only the link leads to the new one.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the true state of the servos now, without the line.
    #[must_use]
    pub fn probe(&self) -> Joints<ServoView> {
        let mut bus = lock(&self.bus);
        bus.advance(self.clock.now());
        bus.view()
    }

    /// Starts a fault now.
    pub fn inject(&self, fault: Fault) {
        lock(&self.bus).inject(fault, self.clock.now());
        if let Some(wake) = &self.wake {
            // A full pipe has woken the thread already.
            let _ = rustix::io::write(wake, &[0]);
        }
    }

    /// Returns a channel with every instruction on the line from now on, with its time, like a probe on the cable. A
    /// second call replaces the first.
    #[must_use]
    pub fn arrivals(&self) -> Receiver<ReceivedInstruction> {
        let (tap, arrivals) = channel();
        lock(&self.bus).push_bytes(tap);
        arrivals
    }

    /// Answers until the pseudo-terminal fails.
    ///
    /// # Errors
    /// The failure of the pseudo-terminal.
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
            // The thread's result matters only to `run_forever`.
            let _ = thread.join();
        }
    }
}

pub(super) fn lock(bus: &Mutex<Bus>) -> MutexGuard<'_, Bus> {
    bus.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of the thread.
struct EmulatorThread {
    bus: Arc<Mutex<Bus>>,
    clock: MonotonicClock,
    wake_reader: OwnedFd,
    byte_time: Duration,
    link: Option<PathBuf>,
}

impl EmulatorThread {
    fn serve(&self, line: Line, created_link: Option<Link>) -> io::Result<()> {
        // Real servos do not wait for other programs on this machine. Without real-time scheduling, these do.
        let _granted = RealtimeScheduling::request();
        let mut open = Some((line, created_link));
        while let Some((line, created_link)) = open.take() {
            if self.answer(&line)? == LineEvent::Stop {
                return Ok(());
            }
            // The port is unplugged: its link is gone, and programs that have it open get a hang-up.
            drop((line, created_link));
            if !self.wait_for_port()? {
                return Ok(());
            }
            let line = Line::open()?;
            let link =
                self.link.clone().map(|position| Link::make(position, line.path().to_owned())).transpose()?;
            open = Some((line, link));
        }
        Ok(())
    }

    /// Answers until the emulator stops or the port is lost.
    fn answer(&self, line: &Line) -> io::Result<LineEvent> {
        let mut buffer = [0; 4096];
        let mut answer = StatusPacket::default();
        // The time until which the line is busy.
        let mut busy = Timestamp::ZERO;
        loop {
            let port_loss_at = {
                let mut bus = lock(&self.bus);
                bus.advance(self.clock.now());
                if bus.fault_state().port_gone().is_some() {
                    return Ok(LineEvent::Nothing);
                }
                bus.fault_state().port_goes()
            };
            let longest = port_loss_at.map(|at| at.since(self.clock.now()));
            match line.wait(&self.wake_reader, longest)? {
                LineEvent::Stop => return Ok(LineEvent::Stop),
                LineEvent::Nothing => continue,
                LineEvent::Bytes => {}
            }
            let bytes = line.read(&mut buffer)?;
            let received_at = busy.max(self.clock.now()) + time_of(self.byte_time, bytes.len());
            self.wait_until(received_at);
            answer.clear();
            lock(&self.bus).receive(bytes, received_at, &mut answer);
            busy = received_at;
            for (chunk, at) in answer.arrivals(received_at, self.byte_time) {
                self.wait_until(at);
                line.write(chunk)?;
                busy = at;
            }
        }
    }

    fn wait_until(&self, at: Timestamp) {
        if self.byte_time.is_zero() {
            return;
        }
        // A busy wait would be more exact by some microseconds. But it would take a quarter of a processor at real-time
        // priority, and several emulators would keep one another from answering.
        self.clock.sleep_until(at);
    }

    /// Waits until the port returns. Returns false if the emulator stops.
    fn wait_for_port(&self) -> io::Result<bool> {
        loop {
            let gone = {
                let mut bus = lock(&self.bus);
                bus.advance(self.clock.now());
                bus.fault_state().port_gone()
            };
            let Some(gone) = gone else { return Ok(true) };
            let longest = gone.until.map(|until| until.since(self.clock.now()));
            if super::line::pause(&self.wake_reader, longest)? == LineEvent::Stop {
                return Ok(false);
            }
        }
    }
}

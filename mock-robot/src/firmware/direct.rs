//! The emulated robot behind a line in the same process and in virtual time: hours of motion on the bus in seconds.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use firmware_bridge::bus::Wire;
use firmware_bridge::clock::{Clock, Tick, VirtualClock};
use firmware_bridge::joint::Joints;

use super::answer::{Answer, byte_time, time_of};
use super::bus::Bus;
use super::emulator::lock;
use super::servo::ServoView;
use crate::faults::{Fault, Faults};

/// How a direct line starts.
#[derive(Clone, Debug)]
pub struct DirectOptions {
    /// What is wrong with the bus.
    pub faults: Faults,
    /// Where the joints stand at first.
    pub start: Joints,
    /// Whether bytes take the time that they take on a real line; otherwise none.
    pub paced: bool,
}

/// A line to nine emulated servos. The clock moves when somebody waits on it, here or elsewhere.
#[derive(Debug)]
pub struct DirectLine {
    bus: Arc<Mutex<Bus>>,
    clock: Arc<VirtualClock>,
    byte_time: Duration,
    answer: Answer,
    /// What is on its way here: bytes, and when the last of each piece arrives.
    bytes: VecDeque<u8>,
    pieces: VecDeque<(usize, Tick)>,
    /// Until when the line is taken.
    busy: Tick,
}

/// The far end of a [`DirectLine`], for tests beside the line.
#[derive(Clone, Debug)]
pub struct DirectProbe {
    bus: Arc<Mutex<Bus>>,
    clock: Arc<VirtualClock>,
}

impl DirectLine {
    /// A line on this clock.
    #[must_use]
    pub fn new(options: DirectOptions, clock: Arc<VirtualClock>) -> DirectLine {
        let DirectOptions { faults, start, paced } = options;
        DirectLine {
            bus: Arc::new(Mutex::new(Bus::new(start, faults))),
            clock,
            byte_time: byte_time(paced),
            answer: Answer::default(),
            bytes: VecDeque::new(),
            pieces: VecDeque::new(),
            busy: Tick::ZERO,
        }
    }

    /// A look behind the line, which stays when the line is given away.
    #[must_use]
    pub fn probe(&self) -> DirectProbe {
        DirectProbe { bus: Arc::clone(&self.bus), clock: Arc::clone(&self.clock) }
    }

    /// An error while the port is gone. What was on its way is lost with it.
    fn there(&mut self) -> io::Result<()> {
        let mut bus = lock(&self.bus);
        bus.advance(self.clock.now());
        if bus.trouble().port_gone().is_none() {
            return Ok(());
        }
        self.bytes.clear();
        self.pieces.clear();
        Err(io::Error::new(io::ErrorKind::BrokenPipe, "the emulated port is gone"))
    }
}

impl DirectProbe {
    /// What the servos are really doing at this moment.
    #[must_use]
    pub fn view(&self) -> Joints<ServoView> {
        let mut bus = lock(&self.bus);
        bus.advance(self.clock.now());
        bus.view()
    }

    /// A fault begins at this moment.
    pub fn strike(&self, fault: Fault) {
        lock(&self.bus).strike(fault, self.clock.now());
    }
}

impl Wire for DirectLine {
    fn now(&self) -> Tick {
        self.clock.now()
    }

    fn wait_until(&self, until: Tick) {
        self.clock.wait_until(until);
    }

    fn discard(&mut self) -> io::Result<()> {
        self.there()?;
        let now = self.clock.now();
        while let Some((length, _)) = self.pieces.front().copied().filter(|(_, at)| *at <= now) {
            self.pieces.pop_front();
            self.bytes.drain(..length.min(self.bytes.len()));
        }
        Ok(())
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.there()?;
        // As a serial port does, it takes the bytes at once; they go out one after the other.
        let heard = self.busy.max(self.clock.now()) + time_of(self.byte_time, bytes.len());
        self.answer.clear();
        lock(&self.bus).receive(bytes, heard, &mut self.answer);
        self.busy = heard;
        for (piece, at) in self.answer.arrivals(heard, self.byte_time) {
            self.bytes.extend(piece);
            self.pieces.push_back((piece.len(), at));
            self.busy = at;
        }
        Ok(())
    }

    /// A piece arrives as a whole, as a serial adapter hands on what came without a pause.
    fn receive(&mut self, into: &mut [u8], deadline: Tick) -> io::Result<usize> {
        self.there()?;
        let Some((length, at)) = self.pieces.front_mut().filter(|(_, at)| *at <= deadline) else {
            self.clock.wait_until(deadline);
            self.there()?;
            return Ok(0);
        };
        self.clock.wait_until(*at);
        let taken = (*length).min(into.len());
        for (to, from) in into.iter_mut().zip(self.bytes.drain(..taken)) {
            *to = from;
        }
        *length -= taken;
        if *length == 0 {
            self.pieces.pop_front();
        }
        self.there().map(|()| taken)
    }
}

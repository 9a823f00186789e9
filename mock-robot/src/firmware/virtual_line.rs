//! A line to the emulated robot in the same process, in virtual time: hours of motion on the bus take seconds.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use firmware_bridge::bus::Transport;
use firmware_bridge::clock::{Clock, Timestamp, VirtualClock};
use firmware_bridge::joint::Joints;

use super::answer::{StatusPacket, byte_time, time_of};
use super::bus::Bus;
use super::emulator::lock;
use super::servo::ServoView;
use crate::faults::{Fault, Faults};

/// The options for a virtual line.
#[derive(Clone, Debug)]
pub struct VirtualLineOptions {
    /// The faults of the bus.
    pub faults: Faults,
    /// The initial positions of the joints.
    pub start: Joints,
    /// Whether bytes take their time on a real line; otherwise they take none.
    pub paced: bool,
}

/// A line to nine emulated servos. The clock advances when a thread waits on it, here or elsewhere.
#[derive(Debug)]
pub struct VirtualLine {
    bus: Arc<Mutex<Bus>>,
    clock: Arc<VirtualClock>,
    byte_time: Duration,
    answer: StatusPacket,
    /// Incoming bytes, and the arrival time of the last byte of each chunk.
    bytes: VecDeque<u8>,
    chunks: VecDeque<(usize, Timestamp)>,
    /// The time until which the line is busy.
    busy: Timestamp,
}

/// The far end of a [`VirtualLine`], for tests.
#[derive(Clone, Debug)]
pub struct LineProbe {
    bus: Arc<Mutex<Bus>>,
    clock: Arc<VirtualClock>,
    byte_time: Duration,
}

impl VirtualLine {
    /// Creates a line on this clock.
    #[must_use]
    pub fn new(options: VirtualLineOptions, clock: Arc<VirtualClock>) -> VirtualLine {
        let VirtualLineOptions { faults, start, paced } = options;
        let bus = Arc::new(Mutex::new(Bus::new(start, faults)));
        LineProbe { bus, clock, byte_time: byte_time(paced) }.line()
    }

    /// Returns a probe behind the line, which remains when the line is moved elsewhere.
    #[must_use]
    pub fn probe(&self) -> LineProbe {
        let (bus, clock) = (Arc::clone(&self.bus), Arc::clone(&self.clock));
        LineProbe { bus, clock, byte_time: self.byte_time }
    }

    /// Returns an error while the port is gone. Bytes in transit are lost.
    fn check_port(&mut self) -> io::Result<()> {
        let mut bus = lock(&self.bus);
        bus.advance(self.clock.now());
        if bus.fault_state().port_gone().is_none() {
            return Ok(());
        }
        self.bytes.clear();
        self.chunks.clear();
        Err(io::Error::new(io::ErrorKind::BrokenPipe, "the emulated port is gone"))
    }
}

impl LineProbe {
    /// Returns the true state of the servos now.
    #[must_use]
    pub fn view(&self) -> Joints<ServoView> {
        let mut bus = lock(&self.bus);
        bus.advance(self.clock.now());
        bus.view()
    }

    /// Returns a line to the same servos, as when the port is opened again.
    #[must_use]
    pub fn line(&self) -> VirtualLine {
        VirtualLine {
            bus: Arc::clone(&self.bus),
            clock: Arc::clone(&self.clock),
            byte_time: self.byte_time,
            answer: StatusPacket::default(),
            bytes: VecDeque::new(),
            chunks: VecDeque::new(),
            busy: Timestamp::ZERO,
        }
    }

    /// Starts a fault now.
    pub fn inject(&self, fault: Fault) {
        lock(&self.bus).inject(fault, self.clock.now());
    }
}

impl Transport for VirtualLine {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn wait_until(&self, until: Timestamp) {
        self.clock.wait_until(until);
    }

    fn discard(&mut self) -> io::Result<()> {
        self.check_port()?;
        let now = self.clock.now();
        while let Some((length, _)) = self.chunks.front().copied().filter(|(_, at)| *at <= now) {
            self.chunks.pop_front();
            self.bytes.drain(..length.min(self.bytes.len()));
        }
        Ok(())
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.check_port()?;
        // As a serial port, it accepts all bytes at once and sends them one after the other.
        let received_at = self.busy.max(self.clock.now()) + time_of(self.byte_time, bytes.len());
        self.answer.clear();
        lock(&self.bus).receive(bytes, received_at, &mut self.answer);
        self.busy = received_at;
        for (piece, at) in self.answer.arrivals(received_at, self.byte_time) {
            self.bytes.extend(piece);
            self.chunks.push_back((piece.len(), at));
            self.busy = at;
        }
        Ok(())
    }

    /// A chunk arrives as a whole, as a serial adapter delivers bytes without a pause between them.
    fn receive(&mut self, into: &mut [u8], deadline: Timestamp) -> io::Result<usize> {
        self.check_port()?;
        let Some((length, at)) = self.chunks.front_mut().filter(|(_, at)| *at <= deadline) else {
            self.clock.wait_until(deadline);
            self.check_port()?;
            return Ok(0);
        };
        self.clock.wait_until(*at);
        let taken = (*length).min(into.len());
        for (to, from) in into.iter_mut().zip(self.bytes.drain(..taken)) {
            *to = from;
        }
        *length -= taken;
        if *length == 0 {
            self.chunks.pop_front();
        }
        self.check_port().map(|()| taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::FaultKind;
    use crate::firmware::packet::instruction;
    use firmware_bridge::joint::Joint;
    use firmware_bridge::units::Radians;

    const READ: u8 = 0x02;
    const SYNC_WRITE: u8 = 0x83;
    const FAST_SYNC_READ: u8 = 0x8A;
    const EVERYONE: u8 = 0xFE;

    fn line(paced: bool) -> (VirtualLine, Arc<VirtualClock>) {
        let clock = Arc::new(VirtualClock::new());
        let start = Joints::all(Radians::ZERO);
        let options = VirtualLineOptions { faults: Faults::default(), start, paced };
        (VirtualLine::new(options, Arc::clone(&clock)), clock)
    }

    fn goals(counts: i32) -> Vec<u8> {
        let blocks = (10..19).flat_map(|id| [&[id][..], &counts.to_le_bytes()].concat());
        let parameters: Vec<u8> = [116, 0, 4, 0].into_iter().chain(blocks).collect();
        instruction(EVERYONE, SYNC_WRITE, &parameters)
    }

    fn read_request() -> Vec<u8> {
        let parameters: Vec<u8> = [132, 0, 4, 0].into_iter().chain(10..19).collect();
        instruction(EVERYONE, FAST_SYNC_READ, &parameters)
    }

    #[test]
    fn cycle_takes_its_transfer_time_on_the_virtual_clock() {
        let (mut line, clock) = line(true);
        let (write, read) = (goals(2048), read_request());
        assert_eq!((write.len(), read.len()), (59, 23));
        line.send(&write).unwrap();
        line.send(&read).unwrap();
        assert_eq!(clock.now(), Timestamp::ZERO, "sending takes no time on the sender's side");
        let mut received = [0; 100];
        let early = line.receive(&mut received, Timestamp(1_000_000)).unwrap();
        assert_eq!((early, clock.now()), (0, Timestamp(1_000_000)));
        assert_eq!(line.receive(&mut received, Timestamp(9_000_000)).unwrap(), 80);
        // 59, 23 and 80 bytes of 10 us each, and 20 us of processing.
        assert_eq!(clock.now(), Timestamp(1_640_000));
        assert_eq!(line.receive(&mut received, Timestamp(9_000_000)).unwrap(), 0);
    }

    #[test]
    fn unpaced_answer_arrives_immediately_in_the_requested_chunks() {
        let (mut line, clock) = line(false);
        line.send(&read_request()).unwrap();
        let mut all = Vec::<u8>::new();
        let mut piece = [0; 7];
        loop {
            let length = line.receive(&mut piece, Timestamp(5)).unwrap();
            if length == 0 {
                break;
            }
            all.extend(&piece[..length]);
        }
        assert_eq!((all.len(), clock.now()), (80, Timestamp(5)));
        line.send(&read_request()).unwrap();
        line.discard().unwrap();
        assert_eq!(line.receive(&mut piece, Timestamp(6)).unwrap(), 0);
    }

    #[test]
    fn lost_port_is_an_error_until_it_returns() {
        let (mut line, clock) = line(true);
        let probe = line.probe();
        line.send(&read_request()).unwrap();
        probe.inject(Fault::of(FaultKind::PortGone).with_duration(Duration::from_millis(300)));
        assert!(line.send(&read_request()).is_err() && line.discard().is_err());
        assert!(line.receive(&mut [0; 10], Timestamp(1_000)).is_err());
        clock.wait_until(Timestamp(300_000_000));
        line.discard().unwrap();
        assert_eq!(
            line.receive(&mut [0; 10], Timestamp(310_000_000)).unwrap(),
            0,
            "bytes in transit are lost"
        );
        line.send(&read_request()).unwrap();
        assert_eq!(line.receive(&mut [0; 100], Timestamp(400_000_000)).unwrap(), 80);
    }

    #[test]
    fn same_commands_give_the_same_state() {
        let hour = || {
            let (mut line, clock) = line(true);
            line.send(&instruction(EVERYONE, 0x03, &[64, 0, 1])).unwrap();
            let mut sum = 0_u64;
            for cycle in 0..6_000_u64 {
                clock.wait_until(Timestamp(cycle * 10_000_000));
                line.send(&goals(2048 + i32::try_from(cycle % 300).unwrap())).unwrap();
                line.send(&read_request()).unwrap();
                let mut received = [0; 100];
                let length = line.receive(&mut received, Timestamp(cycle * 10_000_000 + 9_000_000)).unwrap();
                assert_eq!(length, 80);
                sum = received
                    .iter()
                    .fold(sum, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
            }
            (sum, line.probe().view()[Joint::LeftAntenna])
        };
        assert_eq!(hour(), hour());
    }

    #[test]
    fn servo_answers_after_its_return_delay() {
        let (mut line, clock) = line(true);
        let mut received = [0; 100];
        line.send(&instruction(10, 0x03, &[9, 0, 250])).unwrap();
        assert_eq!(line.receive(&mut received, Timestamp(9_000_000)).unwrap(), 11);
        let from = clock.now();
        line.send(&instruction(10, READ, &[132, 0, 4, 0])).unwrap();
        assert_eq!(line.receive(&mut received, Timestamp(9_000_000)).unwrap(), 15);
        // 14 bytes of request, 15 bytes of answer, 250 units of 2 us, and 20 us of the servo's own processing.
        assert_eq!(clock.now() - from, Duration::from_micros(140 + 500 + 20 + 150));
    }
}

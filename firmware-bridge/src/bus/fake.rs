//! Fake servos for tests: nine servos that only remember what is written to them. They run on a pseudo-terminal, or on
//! a line in this process with virtual time.
//!
//! They execute commands immediately, and their joints never move. The test sets how they fail. The robot's dynamics
//! and the detailed behaviour of the firmware belong to the emulator in another package.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serialport::{SerialPort, TTYPort};

use super::packet::{BROADCAST_ID, HEADER, crc};
use super::registers::{
    BUS_WATCHDOG, CURRENT_LIMIT, HARDWARE_ERROR_STATUS, MAX_POSITION_LIMIT, MODEL_NUMBER, OPERATING_MODE,
    POSITION_CONTROL_MODE, POSITION_GAINS, PRESENT_INPUT_VOLTAGE, PRESENT_POSITION, PRESENT_TEMPERATURE,
    Register, TORQUE_ENABLE,
};
use super::transport::Transport;
use crate::clock::{Clock, Timestamp, VirtualClock};
use crate::joint::{Joint, Joints};

/// A change that a test makes to an answer in transit.
pub(super) type Corrupt = Box<dyn FnMut(&mut Vec<u8>) + Send>;

struct Memory {
    registers: Joints<[u8; 256]>,
    silent: Joints<bool>,
    fast_sync_read: bool,
    reboots: Vec<Joint>,
    instructions: Vec<u8>,
    /// Registers that ignore writes.
    locked: Vec<(Joint, u8)>,
    unplugged: bool,
    echo: bool,
    corrupt: Option<Corrupt>,
    /// The baud rate at which the servos answer; they ignore any other.
    baud: u32,
}

pub(super) struct FakeServos {
    memory: Arc<Mutex<Memory>>,
    clock: Arc<VirtualClock>,
    terminal: Option<Terminal>,
}

struct Terminal {
    path: PathBuf,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FakeServos {
    /// Creates servos on a line in this process.
    pub fn in_process() -> FakeServos {
        let memory = Arc::new(Mutex::new(Memory {
            registers: Joints::all([0; 256]),
            silent: Joints::all(false),
            fast_sync_read: true,
            reboots: Vec::new(),
            instructions: Vec::new(),
            locked: Vec::new(),
            unplugged: false,
            echo: false,
            corrupt: None,
            baud: 1_000_000,
        }));
        let servos = FakeServos { memory, clock: Arc::new(VirtualClock::new()), terminal: None };
        for joint in Joint::ALL {
            servos.set(joint, MODEL_NUMBER, 1200);
            servos.set(joint, OPERATING_MODE, POSITION_CONTROL_MODE);
            servos.set(joint, MAX_POSITION_LIMIT, 4095);
            servos.set(joint, CURRENT_LIMIT, 1750);
            servos.set(joint, PRESENT_POSITION, 2048);
            servos.set(joint, PRESENT_INPUT_VOLTAGE, 50);
            servos.set(joint, PRESENT_TEMPERATURE, 31);
            servos.power_cycle(joint);
        }
        servos
    }

    /// Creates servos on a pseudo-terminal.
    pub fn start() -> FakeServos {
        let mut servos = FakeServos::in_process();
        let (mut far, near) = TTYPort::pair().unwrap();
        far.set_timeout(Duration::from_millis(5)).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let path = PathBuf::from(near.name().unwrap());
        let thread = std::thread::spawn({
            let (memory, stop) = (Arc::clone(&servos.memory), Arc::clone(&stop));
            // The near end stays open, so that the far end does not see the line close between two programs.
            move || serve_until(&stop, &mut far, &near, &memory)
        });
        servos.terminal = Some(Terminal { path, stop, thread: Some(thread) });
        servos
    }

    /// Returns another end of the line in this process.
    pub fn line(&self) -> Box<dyn Transport> {
        let (memory, clock) = (Arc::clone(&self.memory), Arc::clone(&self.clock));
        Box::new(FakeLine { memory, clock, busy_until: Timestamp::ZERO, incoming: VecDeque::new() })
    }

    /// Advances the time of the line in this process.
    pub fn advance(&self, time: Duration) {
        self.clock.wait_until(self.clock.now() + time);
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn path(&self) -> &Path {
        &self.terminal.as_ref().unwrap().path
    }

    pub fn set(&self, joint: Joint, register: Register, value: u32) {
        let (at, width) = (usize::from(register.address), usize::from(register.width));
        self.memory.lock().unwrap().registers[joint][at..at + width]
            .copy_from_slice(&value.to_le_bytes()[..width]);
    }

    pub fn get(&self, joint: Joint, register: Register) -> u32 {
        let (at, width) = (usize::from(register.address), usize::from(register.width));
        let mut bytes = [0; 4];
        bytes[..width].copy_from_slice(&self.memory.lock().unwrap().registers[joint][at..at + width]);
        u32::from_le_bytes(bytes)
    }

    /// Returns the gains: derivative, integral, proportional.
    pub fn gains(&self, joint: Joint) -> [u8; 6] {
        let at = usize::from(POSITION_GAINS.address);
        self.memory.lock().unwrap().registers[joint][at..at + 6].try_into().unwrap()
    }

    /// Clears the registers that a servo loses without power.
    pub fn power_cycle(&self, joint: Joint) {
        for register in [TORQUE_ENABLE, BUS_WATCHDOG, HARDWARE_ERROR_STATUS] {
            self.set(joint, register, 0);
        }
        let at = usize::from(POSITION_GAINS.address);
        self.memory.lock().unwrap().registers[joint][at..at + 6].copy_from_slice(&[0, 0, 0, 0, 0x90, 1]);
    }

    pub fn set_silent(&self, joint: Joint, silent: bool) {
        self.memory.lock().unwrap().silent[joint] = silent;
    }

    pub fn lock(&self, joint: Joint, register: Register) {
        self.memory.lock().unwrap().locked.push((joint, register.address));
    }

    pub fn set_unplugged(&self, unplugged: bool) {
        self.memory.lock().unwrap().unplugged = unplugged;
    }

    pub fn echo(&self, echo: bool) {
        self.memory.lock().unwrap().echo = echo;
    }

    pub fn corrupt(&self, spoil: Option<Corrupt>) {
        self.memory.lock().unwrap().corrupt = spoil;
    }

    pub fn set_baud(&self, baud: u32) {
        self.memory.lock().unwrap().baud = baud;
    }

    pub fn support_fast_sync_read(&self, known: bool) {
        self.memory.lock().unwrap().fast_sync_read = known;
    }

    pub fn reboots(&self) -> Vec<Joint> {
        self.memory.lock().unwrap().reboots.clone()
    }

    /// Returns the instructions since the last call, one per packet.
    pub fn take_instructions(&self) -> Vec<u8> {
        std::mem::take(&mut self.memory.lock().unwrap().instructions)
    }

    pub fn memory(&self) -> Joints<[u8; 256]> {
        self.memory.lock().unwrap().registers
    }
}

impl Drop for FakeServos {
    fn drop(&mut self) {
        if let Some(Terminal { stop, thread, .. }) = &mut self.terminal {
            stop.store(true, Ordering::Release);
            thread.take().unwrap().join().unwrap();
        }
    }
}

/// A line at 1 Mbaud with real transfer times.
struct FakeLine {
    memory: Arc<Mutex<Memory>>,
    clock: Arc<VirtualClock>,
    /// The time at which the last byte in transit has passed.
    busy_until: Timestamp,
    incoming: VecDeque<(Timestamp, Vec<u8>)>,
}

impl FakeLine {
    fn transmit(&mut self, bytes: usize) -> Timestamp {
        self.busy_until =
            self.busy_until.max(self.clock.now()) + Duration::from_micros(10) * u32::try_from(bytes).unwrap();
        self.busy_until
    }
}

impl Transport for FakeLine {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn wait_until(&self, until: Timestamp) {
        self.clock.wait_until(until);
    }

    fn discard(&mut self) -> io::Result<()> {
        let now = self.clock.now();
        self.incoming.retain(|(at, _)| *at > now);
        Ok(())
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let memory = Arc::clone(&self.memory);
        let mut memory = memory.lock().unwrap();
        if memory.unplugged {
            return Err(io::Error::from(ErrorKind::BrokenPipe));
        }
        let sent = self.transmit(bytes.len());
        if memory.echo {
            self.incoming.push_back((sent, bytes.to_vec()));
        }
        let answer = memory.respond(bytes);
        if !answer.is_empty() {
            let received = self.transmit(answer.len());
            self.incoming.push_back((received, answer));
        }
        Ok(())
    }

    fn receive(&mut self, into: &mut [u8], deadline: Timestamp) -> io::Result<usize> {
        if self.memory.lock().unwrap().unplugged {
            return Err(io::Error::from(ErrorKind::BrokenPipe));
        }
        let Some((at, bytes)) = self.incoming.front_mut().filter(|(at, _)| *at <= deadline) else {
            self.clock.wait_until(deadline);
            return Ok(0);
        };
        self.clock.wait_until(*at);
        let length = bytes.len().min(into.len());
        into[..length].copy_from_slice(&bytes[..length]);
        bytes.drain(..length);
        if bytes.is_empty() {
            self.incoming.pop_front();
        }
        Ok(length)
    }
}

fn serve_until(stop: &AtomicBool, far: &mut TTYPort, near: &TTYPort, memory: &Mutex<Memory>) {
    let (mut received, mut bytes) = (Vec::new(), [0; 512]);
    while !stop.load(Ordering::Acquire) {
        match far.read(&mut bytes) {
            Ok(length) => received.extend(&bytes[..length]),
            Err(error) if error.kind() == ErrorKind::TimedOut => continue,
            Err(error) => panic!("{error}"),
        }
        while received.len() > 7 {
            let end = 7 + usize::from(u16::from_le_bytes([received[5], received[6]]));
            assert_eq!(received[..4], HEADER);
            if received.len() < end {
                break;
            }
            let packet: Vec<u8> = received.drain(..end).collect();
            let mut memory = memory.lock().unwrap();
            if near.baud_rate().unwrap() == memory.baud {
                let answer = memory.respond(&packet);
                far.write_all(&answer).unwrap();
            }
        }
    }
}

impl Memory {
    fn respond(&mut self, packet: &[u8]) -> Vec<u8> {
        let end = packet.len();
        assert_eq!(crc(0, &packet[..end - 2]).to_le_bytes(), packet[end - 2..]);
        let mut answer = self.execute(packet[4], packet[7], &packet[8..end - 2]);
        if let Some(spoil) = &mut self.corrupt {
            spoil(&mut answer);
        }
        answer
    }

    fn is_locked(&self, joint: Joint, at: usize) -> bool {
        self.locked.iter().any(|(locked, address)| *locked == joint && usize::from(*address) == at)
    }

    fn addressed(&self, ids: &[u8]) -> Vec<Joint> {
        let joints = ids.iter().filter_map(|id| Joint::from_motor_id(*id));
        joints.filter(|joint| !self.silent[*joint]).collect()
    }

    fn error(&self, joint: Joint) -> u8 {
        if self.registers[joint][usize::from(HARDWARE_ERROR_STATUS.address)] == 0 { 0 } else { 0x80 }
    }

    fn execute(&mut self, id: u8, instruction: u8, parameters: &[u8]) -> Vec<u8> {
        self.instructions.push(instruction);
        let nine = Joint::ALL.map(Joint::motor_id);
        let addressed = self.addressed(if id == BROADCAST_ID { &nine } else { std::slice::from_ref(&id) });
        let u16_at = |at: usize| usize::from(u16::from_le_bytes([parameters[at], parameters[at + 1]]));
        let status = |memory: &Memory, joint: Joint, data: &[u8]| {
            let mut packet = HEADER.to_vec();
            packet.push(joint.motor_id());
            packet.extend(u16::try_from(data.len() + 4).unwrap().to_le_bytes());
            packet.extend([0x55, memory.error(joint)]);
            packet.extend(data);
            packet.extend(crc(0, &packet).to_le_bytes());
            packet
        };
        let mut answer = Vec::new();
        match instruction {
            0x01 => addressed.iter().for_each(|joint| answer.extend(status(self, *joint, &[0, 0, 0]))),
            0x02 => {
                for joint in addressed {
                    answer.extend(status(
                        self,
                        joint,
                        &self.registers[joint][u16_at(0)..u16_at(0) + u16_at(2)],
                    ));
                }
            }
            0x03 => {
                for joint in addressed {
                    if !self.is_locked(joint, u16_at(0)) {
                        self.registers[joint][u16_at(0)..][..parameters.len() - 2]
                            .copy_from_slice(&parameters[2..]);
                    }
                    answer.extend(status(self, joint, &[]));
                }
            }
            0x08 => {
                for joint in addressed {
                    self.reboots.push(joint);
                    answer.extend(status(self, joint, &[]));
                }
            }
            0x82 => {
                for joint in self.addressed(&parameters[4..]) {
                    answer.extend(status(
                        self,
                        joint,
                        &self.registers[joint][u16_at(0)..u16_at(0) + u16_at(2)],
                    ));
                }
            }
            0x83 => {
                for block in parameters[4..].chunks(u16_at(2) + 1) {
                    for joint in self.addressed(&block[..1]) {
                        if self.is_locked(joint, u16_at(0)) {
                            continue;
                        }
                        self.registers[joint][u16_at(0)..][..u16_at(2)].copy_from_slice(&block[1..]);
                    }
                }
            }
            0x8a if self.fast_sync_read => {
                let ids = &parameters[4..];
                answer.extend(HEADER);
                answer.push(BROADCAST_ID);
                answer.extend(u16::try_from(ids.len() * (u16_at(2) + 4) + 1).unwrap().to_le_bytes());
                answer.push(0x55);
                // The packet ends before the first silent servo.
                for id in ids {
                    let Some(&joint) = self.addressed(&[*id]).first() else { break };
                    answer.extend([self.error(joint), *id]);
                    answer.extend(&self.registers[joint][u16_at(0)..u16_at(0) + u16_at(2)]);
                    answer.extend(crc(0, &answer).to_le_bytes());
                }
            }
            _ => {}
        }
        answer
    }
}

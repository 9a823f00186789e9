//! For tests: nine servos that only remember what is written to them, on a pseudo-terminal.
//!
//! They obey at once and their joints never move. How they count, time out and fail is set by the test; the robot's
//! dynamics and the firmware's finer rules belong to the emulated robot of another package.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serialport::{SerialPort, TTYPort};

use super::packet::{EVERYONE, HEADER, crc};
use super::registers::{
    HARDWARE_ERROR, HIGHEST_GOAL, MODE, MODEL, POSITION_MODE, PRESENT_POSITION, Register, VOLTAGE,
};
use crate::joint::{Joint, Joints};

#[derive(Clone)]
struct Memory {
    registers: Joints<[u8; 256]>,
    silent: Joints<bool>,
    fast_sync_read: bool,
    reboots: Vec<Joint>,
    instructions: Vec<u8>,
}

pub(super) struct FakeServos {
    memory: Arc<Mutex<Memory>>,
    path: PathBuf,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// Kept open, so that the far end does not see the line close between two programs.
    _near: TTYPort,
}

impl FakeServos {
    pub fn start() -> FakeServos {
        let (mut far, near) = TTYPort::pair().unwrap();
        far.set_timeout(Duration::from_millis(5)).unwrap();
        let memory = Arc::new(Mutex::new(Memory {
            registers: Joints::all([0; 256]),
            silent: Joints::all(false),
            fast_sync_read: true,
            reboots: Vec::new(),
            instructions: Vec::new(),
        }));
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (memory, stop) = (Arc::clone(&memory), Arc::clone(&stop));
            move || answer_until(&stop, &mut far, &memory)
        });
        let path = PathBuf::from(near.name().unwrap());
        let servos = FakeServos { memory, path, stop, thread: Some(thread), _near: near };
        for joint in Joint::ALL {
            servos.set(joint, MODEL, 1200);
            servos.set(joint, MODE, POSITION_MODE);
            servos.set(joint, HIGHEST_GOAL, 4095);
            servos.set(joint, PRESENT_POSITION, 2048);
            servos.set(joint, VOLTAGE, 50);
        }
        servos
    }

    pub fn path(&self) -> &Path {
        &self.path
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

    pub fn silence(&self, joint: Joint, silent: bool) {
        self.memory.lock().unwrap().silent[joint] = silent;
    }

    pub fn know_fast_sync_read(&self, known: bool) {
        self.memory.lock().unwrap().fast_sync_read = known;
    }

    pub fn reboots(&self) -> Vec<Joint> {
        self.memory.lock().unwrap().reboots.clone()
    }

    /// What was asked since the last call, one instruction for each packet.
    pub fn take_instructions(&self) -> Vec<u8> {
        std::mem::take(&mut self.memory.lock().unwrap().instructions)
    }

    pub fn memory(&self) -> Joints<[u8; 256]> {
        self.memory.lock().unwrap().registers
    }
}

impl Drop for FakeServos {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn answer_until(stop: &AtomicBool, far: &mut TTYPort, memory: &Mutex<Memory>) {
    let (mut heard, mut bytes) = (Vec::new(), [0; 512]);
    while !stop.load(Ordering::Acquire) {
        match far.read(&mut bytes) {
            Ok(length) => heard.extend(&bytes[..length]),
            Err(error) if error.kind() == ErrorKind::TimedOut => continue,
            Err(error) => panic!("{error}"),
        }
        while heard.len() > 7 {
            let end = 7 + usize::from(u16::from_le_bytes([heard[5], heard[6]]));
            assert_eq!(heard[..4], HEADER);
            if heard.len() < end {
                break;
            }
            let packet: Vec<u8> = heard.drain(..end).collect();
            assert_eq!(crc(0, &packet[..end - 2]).to_le_bytes(), packet[end - 2..]);
            let answer = memory.lock().unwrap().obey(packet[4], packet[7], &packet[8..end - 2]);
            far.write_all(&answer).unwrap();
        }
    }
}

impl Memory {
    fn listeners(&self, ids: &[u8]) -> Vec<Joint> {
        let joints = ids.iter().filter_map(|id| Joint::from_motor_id(*id));
        joints.filter(|joint| !self.silent[*joint]).collect()
    }

    fn error(&self, joint: Joint) -> u8 {
        if self.registers[joint][usize::from(HARDWARE_ERROR.address)] == 0 { 0 } else { 0x80 }
    }

    fn obey(&mut self, id: u8, instruction: u8, said: &[u8]) -> Vec<u8> {
        self.instructions.push(instruction);
        let nine = Joint::ALL.map(Joint::motor_id);
        let listeners = self.listeners(if id == EVERYONE { &nine } else { std::slice::from_ref(&id) });
        let word = |at: usize| usize::from(u16::from_le_bytes([said[at], said[at + 1]]));
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
            0x01 => listeners.iter().for_each(|joint| answer.extend(status(self, *joint, &[0, 0, 0]))),
            0x02 => {
                for joint in listeners {
                    answer.extend(status(self, joint, &self.registers[joint][word(0)..word(0) + word(2)]));
                }
            }
            0x03 => {
                for joint in listeners {
                    self.registers[joint][word(0)..][..said.len() - 2].copy_from_slice(&said[2..]);
                    answer.extend(status(self, joint, &[]));
                }
            }
            0x08 => {
                for joint in listeners {
                    self.reboots.push(joint);
                    answer.extend(status(self, joint, &[]));
                }
            }
            0x82 => {
                for joint in self.listeners(&said[4..]) {
                    answer.extend(status(self, joint, &self.registers[joint][word(0)..word(0) + word(2)]));
                }
            }
            0x83 => {
                for block in said[4..].chunks(word(2) + 1) {
                    for joint in self.listeners(&block[..1]) {
                        self.registers[joint][word(0)..][..word(2)].copy_from_slice(&block[1..]);
                    }
                }
            }
            0x8a if self.fast_sync_read => {
                let ids = &said[4..];
                answer.extend(HEADER);
                answer.push(EVERYONE);
                answer.extend(u16::try_from(ids.len() * (word(2) + 4) + 1).unwrap().to_le_bytes());
                answer.push(0x55);
                // The packet ends before the first servo that is silent.
                for id in ids {
                    let Some(&joint) = self.listeners(&[*id]).first() else { break };
                    answer.extend([self.error(joint), *id]);
                    answer.extend(&self.registers[joint][word(0)..word(0) + word(2)]);
                    answer.extend(crc(0, &answer).to_le_bytes());
                }
            }
            _ => {}
        }
        answer
    }
}

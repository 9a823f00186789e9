//! What is asked of one servo at a time: ping, read and write registers, reboot; and who is there at all.

use std::time::Duration;

use super::packet::{EVERYONE, PING, REBOOT, instruction, read, write};
use super::port::{Patience, Port};
use super::registers::Register;
use super::status::{Find, Found, answer_length, first_answer};
use crate::joint::Joint;
use crate::robot::RobotFault;

/// How often a question is put before the servo counts as silent.
const TRIES: usize = 3;
/// The data of the answer to a ping: model and firmware.
const PING_WIDTH: usize = 3;
/// The ids that servos may have: 0 to 252.
const IDS: u32 = 253;
/// What the manufacturer's own programs allow each id for its answer to a ping to all, besides the bytes.
const TURN: Duration = Duration::from_millis(3);
/// The timer of a USB serial adapter may hold a short answer back for this long.
const ADAPTER_TIMER: Duration = Duration::from_millis(16);

/// What a servo made of a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slow<T> {
    /// It answered.
    Answer(T),
    /// It answered that it will not.
    Refused,
    /// It did not answer.
    Silent,
}

impl<T> Slow<T> {
    /// The answer; otherwise the fault, with what the question was about.
    pub fn of(self, joint: Joint, what: &'static str) -> Result<T, RobotFault> {
        match self {
            Slow::Answer(value) => Ok(value),
            Slow::Refused => Err(RobotFault::Rejected { joint, what }),
            Slow::Silent => Err(RobotFault::Silent { joint }),
        }
    }
}

impl Port {
    /// Whether a servo answers.
    pub fn ping(&mut self, id: u8) -> Result<bool, RobotFault> {
        for _ in 0..TRIES {
            instruction(&mut self.said, id, PING, &[]);
            if self.converse(id, PING_WIDTH, Patience::Reply, |_| ())?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The servos that answer to a question to all. Some firmware never does.
    pub fn ping_all(&mut self) -> Result<Vec<u8>, RobotFault> {
        instruction(&mut self.said, EVERYONE, PING, &[]);
        let bytes = answer_length(PING_WIDTH) * usize::try_from(IDS).unwrap_or_default();
        self.listen(self.transfer(bytes) + TURN * IDS + ADAPTER_TIMER)?;
        let mut ids = Vec::new();
        let mut rest = self.heard();
        loop {
            let Find { found, used, .. } = first_answer(rest, PING_WIDTH, &[&self.said]);
            match found {
                Found::Answer(answer) => ids.push(answer.id),
                Found::Nothing => return Ok(ids),
                Found::Broken { .. } | Found::Echo => {}
            }
            rest = rest.get(used..).unwrap_or_default();
        }
    }

    /// Reads one register, four bytes at most.
    pub fn read(&mut self, id: u8, register: Register) -> Result<Slow<u32>, RobotFault> {
        let mut bytes = [0; 4];
        let width = usize::from(register.width).min(bytes.len());
        let slot = bytes.get_mut(..width).unwrap_or_default();
        Ok(match self.read_into(id, register, slot, Patience::Reply, TRIES)? {
            Slow::Answer(()) => Slow::Answer(u32::from_le_bytes(bytes)),
            Slow::Refused => Slow::Refused,
            Slow::Silent => Slow::Silent,
        })
    }

    /// Reads several registers in a row with one question; `register` covers them all.
    pub fn read_block<const WIDTH: usize>(
        &mut self,
        id: u8,
        register: Register,
    ) -> Result<Slow<[u8; WIDTH]>, RobotFault> {
        let mut block = [0; WIDTH];
        Ok(match self.read_into(id, register, &mut block, Patience::Reply, TRIES)? {
            Slow::Answer(()) => Slow::Answer(block),
            Slow::Refused => Slow::Refused,
            Slow::Silent => Slow::Silent,
        })
    }

    /// The same on a beat: once, and with little patience.
    pub fn glance<const WIDTH: usize>(
        &mut self,
        id: u8,
        register: Register,
    ) -> Result<Option<[u8; WIDTH]>, RobotFault> {
        let mut block = [0; WIDTH];
        let answer = self.read_into(id, register, &mut block, Patience::Beat, 1)?;
        Ok((answer == Slow::Answer(())).then_some(block))
    }

    fn read_into(
        &mut self,
        id: u8,
        register: Register,
        into: &mut [u8],
        patience: Patience,
        tries: usize,
    ) -> Result<Slow<()>, RobotFault> {
        for _ in 0..tries {
            read(&mut self.said, id, register);
            let width = into.len();
            let answer = self.converse(id, width, patience, |answer| {
                into.iter_mut().zip(answer.data()).for_each(|(slot, byte)| *slot = byte);
                answer.is_refusal()
            })?;
            match answer {
                Some(false) => return Ok(Slow::Answer(())),
                Some(true) => return Ok(Slow::Refused),
                None => {}
            }
        }
        Ok(Slow::Silent)
    }

    /// Writes one register.
    pub fn write(&mut self, id: u8, register: Register, value: u32) -> Result<Slow<()>, RobotFault> {
        let bytes = value.to_le_bytes();
        self.write_bytes(id, register, bytes.get(..usize::from(register.width)).unwrap_or_default())
    }

    /// Writes bytes, from a register on.
    pub fn write_bytes(&mut self, id: u8, register: Register, bytes: &[u8]) -> Result<Slow<()>, RobotFault> {
        for _ in 0..TRIES {
            write(&mut self.said, id, register, bytes);
            match self.converse(id, 0, Patience::Reply, |answer| answer.is_refusal())? {
                Some(false) => return Ok(Slow::Answer(())),
                Some(true) => return Ok(Slow::Refused),
                None => {}
            }
        }
        Ok(Slow::Silent)
    }

    /// Starts a servo anew: torque off, its errors and everything but its settings forgotten. It is away for a while.
    pub fn reboot(&mut self, id: u8) -> Result<(), RobotFault> {
        instruction(&mut self.said, id, REBOOT, &[]);
        // Whether it answers before it goes does not matter; whether it comes back does.
        self.converse(id, 0, Patience::Reply, |_| ()).map(|_| ())
    }
}

/// The value of a register within a block that begins at `base`.
pub(super) fn value_in(block: &[u8], base: Register, register: Register) -> u32 {
    let start = usize::from(register.address.saturating_sub(base.address));
    let bytes = block.get(start..start + usize::from(register.width)).unwrap_or_default();
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// The value of a signed register that is two bytes wide.
pub(super) const fn signed_16(value: u32) -> i16 {
    let [low, high, ..] = value.to_le_bytes();
    i16::from_le_bytes([low, high])
}

/// The value of a register that is one byte wide.
pub(super) const fn low_byte(value: u32) -> u8 {
    let [low, ..] = value.to_le_bytes();
    low
}

/// The value of a register that is two bytes wide.
pub(super) const fn low_16(value: u32) -> u16 {
    signed_16(value).cast_unsigned()
}

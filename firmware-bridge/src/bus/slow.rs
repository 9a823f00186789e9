//! Instructions to one servo at a time: ping, read and write registers, reboot. Also finds out which servos are
//! present.

use std::time::Duration;

use super::packet::{EVERYONE, PING, REBOOT, instruction, read, write};
use super::port::{Patience, Port};
use super::registers::Register;
use super::status::{Find, Found, answer_length, first_answer};
use crate::joint::Joint;
use crate::robot::RobotFault;

/// The maximum number of requests before a servo counts as silent.
const MAX_ATTEMPTS: usize = 3;
/// The data of the answer to a ping: model and firmware.
const PING_WIDTH: usize = 3;
/// The possible ids of servos: 0 to 252.
const IDS: u32 = 253;
/// The time per id for an answer to a ping to all, in addition to the transfer time, as in the manufacturer's programs.
const PING_SLOT: Duration = Duration::from_millis(3);
/// The timer of a USB serial adapter may delay a short answer by this long.
const ADAPTER_TIMER: Duration = Duration::from_millis(16);

/// The response of a servo to a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slow<T> {
    /// The servo answered.
    Answer(T),
    /// The servo rejected the request.
    Refused,
    /// The servo did not answer.
    Silent,
}

impl<T> Slow<T> {
    /// Returns the answer, or the fault with `what` was requested.
    pub fn of(self, joint: Joint, what: &'static str) -> Result<T, RobotFault> {
        match self {
            Slow::Answer(value) => Ok(value),
            Slow::Refused => Err(RobotFault::Rejected { joint, what }),
            Slow::Silent => Err(RobotFault::Silent { joint }),
        }
    }
}

impl Port {
    /// Returns whether a servo answers.
    pub fn ping(&mut self, id: u8) -> Result<bool, RobotFault> {
        for _ in 0..MAX_ATTEMPTS {
            instruction(&mut self.request_packet, id, PING, &[]);
            if self.converse(id, PING_WIDTH, Patience::Reply, |_| ())?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the servos that answer a ping to all. Some firmware never does.
    pub fn ping_all(&mut self) -> Result<Vec<u8>, RobotFault> {
        instruction(&mut self.request_packet, EVERYONE, PING, &[]);
        let bytes = answer_length(PING_WIDTH) * usize::try_from(IDS).unwrap_or_default();
        self.listen(self.transfer(bytes) + PING_SLOT * IDS + ADAPTER_TIMER)?;
        let mut ids = Vec::new();
        let mut rest = self.heard();
        loop {
            let Find { found, used, .. } = first_answer(rest, PING_WIDTH, &[&self.request_packet]);
            match found {
                Found::Answer(answer) => ids.push(answer.id),
                Found::Nothing => return Ok(ids),
                Found::Broken { .. } | Found::Echo => {}
            }
            rest = rest.get(used..).unwrap_or_default();
        }
    }

    /// Reads one register, at most four bytes.
    pub fn read(&mut self, id: u8, register: Register) -> Result<Slow<u32>, RobotFault> {
        let mut bytes = [0; 4];
        let width = usize::from(register.width).min(bytes.len());
        let slot = bytes.get_mut(..width).unwrap_or_default();
        Ok(match self.read_into(id, register, slot, Patience::Reply, MAX_ATTEMPTS)? {
            Slow::Answer(()) => Slow::Answer(u32::from_le_bytes(bytes)),
            Slow::Refused => Slow::Refused,
            Slow::Silent => Slow::Silent,
        })
    }

    /// Reads several adjacent registers with one request; `register` covers all of them.
    pub fn read_block<const WIDTH: usize>(
        &mut self,
        id: u8,
        register: Register,
    ) -> Result<Slow<[u8; WIDTH]>, RobotFault> {
        let mut block = [0; WIDTH];
        Ok(match self.read_into(id, register, &mut block, Patience::Reply, MAX_ATTEMPTS)? {
            Slow::Answer(()) => Slow::Answer(block),
            Slow::Refused => Slow::Refused,
            Slow::Silent => Slow::Silent,
        })
    }

    /// Does the same within a cycle: once, with the short timeout.
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
        attempts: usize,
    ) -> Result<Slow<()>, RobotFault> {
        for _ in 0..attempts {
            read(&mut self.request_packet, id, register);
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

    /// Writes bytes, starting at a register.
    pub fn write_bytes(&mut self, id: u8, register: Register, bytes: &[u8]) -> Result<Slow<()>, RobotFault> {
        for _ in 0..MAX_ATTEMPTS {
            write(&mut self.request_packet, id, register, bytes);
            match self.converse(id, 0, Patience::Reply, |answer| answer.is_refusal())? {
                Some(false) => return Ok(Slow::Answer(())),
                Some(true) => return Ok(Slow::Refused),
                None => {}
            }
        }
        Ok(Slow::Silent)
    }

    /// Reboots a servo: torque is off, and its errors and everything but its settings are lost. It is silent for a
    /// while.
    pub fn reboot(&mut self, id: u8) -> Result<(), RobotFault> {
        instruction(&mut self.request_packet, id, REBOOT, &[]);
        // An answer before the reboot does not matter, only that the servo returns.
        self.converse(id, 0, Patience::Reply, |_| ()).map(|_| ())
    }
}

/// Returns the value of a register within a block that begins at `base`.
pub(super) fn value_in(block: &[u8], base: Register, register: Register) -> u32 {
    let start = usize::from(register.address.saturating_sub(base.address));
    let bytes = block.get(start..start + usize::from(register.width)).unwrap_or_default();
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// Returns the value of a signed register of two bytes.
pub(super) const fn signed_16(value: u32) -> i16 {
    let [low, high, ..] = value.to_le_bytes();
    i16::from_le_bytes([low, high])
}

/// Returns the value of a register of one byte.
pub(super) const fn low_byte(value: u32) -> u8 {
    let [low, ..] = value.to_le_bytes();
    low
}

/// Returns the value of a register of two bytes.
pub(super) const fn low_16(value: u32) -> u16 {
    signed_16(value).cast_unsigned()
}

//! Instructions to one servo at a time: ping, read and write registers, reboot. Also finds out which servos are
//! present.

use std::time::Duration;

use super::packet::{BROADCAST_ID, PING, REBOOT, instruction, read, write};
use super::port::{Port, ReplyTimeout};
use super::registers::Register;
use super::status::{Find, Found, answer_length, first_answer};
use crate::joint::Joint;
use crate::robot::RobotError;

/// The maximum number of requests before a servo counts as silent.
const MAX_ATTEMPTS: usize = 3;
/// The data of the answer to a ping: model and firmware.
const PING_WIDTH: usize = 3;
/// The possible ids of servos: 0 to 252.
const MAX_ID: u32 = 253;
/// The time per id for an answer to a ping to all, in addition to the transfer time, as in the manufacturer's programs.
const PING_SLOT: Duration = Duration::from_millis(3);
/// The timer of a USB serial adapter may delay a short answer by this long.
const ADAPTER_TIMER: Duration = Duration::from_millis(16);

/// The response of a servo to a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Response<T> {
    /// The servo answered.
    Value(T),
    /// The servo rejected the request.
    Error,
    /// The servo did not answer.
    Timeout,
}

impl<T> Response<T> {
    /// Returns the answer, or the fault with `what` was requested.
    pub fn into_result(self, joint: Joint, what: &'static str) -> Result<T, RobotError> {
        match self {
            Response::Value(value) => Ok(value),
            Response::Error => Err(RobotError::Rejected { joint, what }),
            Response::Timeout => Err(RobotError::Silent { joint }),
        }
    }
}

impl Port {
    /// Returns whether a servo answers.
    pub fn ping(&mut self, id: u8) -> Result<bool, RobotError> {
        for _ in 0..MAX_ATTEMPTS {
            instruction(&mut self.request_packet, id, PING, &[]);
            if self.transact(id, PING_WIDTH, ReplyTimeout::Reply, |_| ())?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the servos that answer a ping to all. Some firmware never does.
    pub fn ping_all(&mut self) -> Result<Vec<u8>, RobotError> {
        instruction(&mut self.request_packet, BROADCAST_ID, PING, &[]);
        let bytes = answer_length(PING_WIDTH) * usize::try_from(MAX_ID).unwrap_or_default();
        self.read_packet(self.transfer(bytes) + PING_SLOT * MAX_ID + ADAPTER_TIMER)?;
        let mut ids = Vec::new();
        let mut rest = self.received_packet();
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
    pub fn read(&mut self, id: u8, register: Register) -> Result<Response<u32>, RobotError> {
        let mut bytes = [0; 4];
        let width = usize::from(register.width).min(bytes.len());
        let slot = bytes.get_mut(..width).unwrap_or_default();
        Ok(match self.read_into(id, register, slot, ReplyTimeout::Reply, MAX_ATTEMPTS)? {
            Response::Value(()) => Response::Value(u32::from_le_bytes(bytes)),
            Response::Error => Response::Error,
            Response::Timeout => Response::Timeout,
        })
    }

    /// Reads several adjacent registers with one request; `register` covers all of them.
    pub fn read_block<const WIDTH: usize>(
        &mut self,
        id: u8,
        register: Register,
    ) -> Result<Response<[u8; WIDTH]>, RobotError> {
        let mut block = [0; WIDTH];
        Ok(match self.read_into(id, register, &mut block, ReplyTimeout::Reply, MAX_ATTEMPTS)? {
            Response::Value(()) => Response::Value(block),
            Response::Error => Response::Error,
            Response::Timeout => Response::Timeout,
        })
    }

    /// Does the same within a cycle: once, with the short timeout.
    pub fn read_block_once<const WIDTH: usize>(
        &mut self,
        id: u8,
        register: Register,
    ) -> Result<Option<[u8; WIDTH]>, RobotError> {
        let mut block = [0; WIDTH];
        let answer = self.read_into(id, register, &mut block, ReplyTimeout::Cycle, 1)?;
        Ok((answer == Response::Value(())).then_some(block))
    }

    fn read_into(
        &mut self,
        id: u8,
        register: Register,
        into: &mut [u8],
        patience: ReplyTimeout,
        attempts: usize,
    ) -> Result<Response<()>, RobotError> {
        for _ in 0..attempts {
            read(&mut self.request_packet, id, register);
            let width = into.len();
            let answer = self.transact(id, width, patience, |answer| {
                into.iter_mut().zip(answer.data()).for_each(|(slot, byte)| *slot = byte);
                answer.is_refusal()
            })?;
            match answer {
                Some(false) => return Ok(Response::Value(())),
                Some(true) => return Ok(Response::Error),
                None => {}
            }
        }
        Ok(Response::Timeout)
    }

    /// Writes one register.
    pub fn write(&mut self, id: u8, register: Register, value: u32) -> Result<Response<()>, RobotError> {
        let bytes = value.to_le_bytes();
        self.write_bytes(id, register, bytes.get(..usize::from(register.width)).unwrap_or_default())
    }

    /// Writes bytes, starting at a register.
    pub fn write_bytes(
        &mut self,
        id: u8,
        register: Register,
        bytes: &[u8],
    ) -> Result<Response<()>, RobotError> {
        for _ in 0..MAX_ATTEMPTS {
            write(&mut self.request_packet, id, register, bytes);
            match self.transact(id, 0, ReplyTimeout::Reply, |answer| answer.is_refusal())? {
                Some(false) => return Ok(Response::Value(())),
                Some(true) => return Ok(Response::Error),
                None => {}
            }
        }
        Ok(Response::Timeout)
    }

    /// Reboots a servo: torque is off, and its errors and everything but its settings are lost. It is silent for a
    /// while.
    pub fn reboot(&mut self, id: u8) -> Result<(), RobotError> {
        instruction(&mut self.request_packet, id, REBOOT, &[]);
        // An answer before the reboot does not matter, only that the servo returns.
        self.transact(id, 0, ReplyTimeout::Reply, |_| ()).map(|_| ())
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

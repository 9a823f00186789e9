//! What is asked of one servo at a time, outside the beat: ping, read and write a register, reboot.
//!
//! This is rustypot's work. On the beat it will not do: it allocates, its timeout is for each read and not for the
//! whole answer, it sleeps when old bytes are on the line, and one silent servo costs it the answers of all.

use std::io::ErrorKind;

use rustypot::DynamixelProtocolHandler;

use super::port::{Port, gone};
use super::registers::Register;
use crate::joint::Joint;
use crate::robot::RobotFault;

/// How often a question is put before the servo counts as silent.
const TRIES: usize = 3;
/// In an answer's error byte: the servo has a hardware error. The other bits say that it refused the request.
const ALERT: u8 = 0x80;

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
        let bus = DynamixelProtocolHandler::v2();
        for _ in 0..TRIES {
            if matches!(judged(bus.ping(self.line()?, id))?, Some(true)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The servos that answer to a question to all. Some firmware never does.
    pub fn ping_all(&mut self) -> Result<Vec<u8>, RobotFault> {
        let found = DynamixelProtocolHandler::v2().broadcast_ping(self.line()?);
        Ok(judged(found)?.unwrap_or_default())
    }

    /// Reads one register.
    pub fn read(&mut self, id: u8, register: Register) -> Result<Slow<u32>, RobotFault> {
        let bus = DynamixelProtocolHandler::v2();
        for _ in 0..TRIES {
            let answer = judged(bus.read_with_error(self.line()?, id, register.address, register.width))?;
            let Some((bytes, error)) = answer else { continue };
            if error.byte() & !ALERT != 0 {
                return Ok(Slow::Refused);
            }
            if bytes.len() == usize::from(register.width) {
                let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
                return Ok(Slow::Answer(value));
            }
        }
        Ok(Slow::Silent)
    }

    /// Writes one register.
    pub fn write(&mut self, id: u8, register: Register, value: u32) -> Result<Slow<()>, RobotFault> {
        let bus = DynamixelProtocolHandler::v2();
        let bytes = value.to_le_bytes();
        let bytes = bytes.get(..usize::from(register.width)).unwrap_or_default();
        for _ in 0..TRIES {
            if let Some(error) = judged(bus.write_with_error(self.line()?, id, register.address, bytes))? {
                let refused = error.byte() & !ALERT != 0;
                return Ok(if refused { Slow::Refused } else { Slow::Answer(()) });
            }
        }
        Ok(Slow::Silent)
    }

    /// Starts a servo anew: torque off, its errors and everything but its settings forgotten. It is away for a while.
    pub fn reboot(&mut self, id: u8) -> Result<(), RobotFault> {
        // Whether it answers before it goes does not matter; whether it comes back does.
        judged(DynamixelProtocolHandler::v2().reboot(self.line()?, id)).map(|_| ())
    }
}

/// An answer; nothing when the servo was silent or garbled; the fault when it was the line that failed.
fn judged<T>(answer: Result<T, Box<dyn std::error::Error>>) -> Result<Option<T>, RobotFault> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(error) => {
            let failed = match error.downcast_ref::<std::io::Error>() {
                Some(read) => !matches!(read.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted),
                None => error.is::<serialport::Error>(),
            };
            if failed { Err(gone(error)) } else { Ok(None) }
        }
    }
}

//! Raw packets, for an engineer with a robot that nobody drives: bytes out, whatever comes back, and what it means.
//!
//! Safety: what is said here passes no envelope. The port is held alone, so it cannot be had while a controller runs.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::packet::{HEADER, LENGTH_ENDS, crc, instruction};
use super::port::gone;
use super::serial::SerialWire;
use super::status::{ALERT, IS_STATUS, unstuffed};
use super::wire::Wire;
use crate::robot::RobotFault;

/// A serial port for raw bytes.
pub struct RawLine {
    wire: SerialWire,
}

impl RawLine {
    /// Opens a port for this program alone.
    ///
    /// # Errors
    /// [`RobotFault::PortBusy`] while another program or a controller in this one holds it; others when it can't be
    /// opened.
    pub fn open(path: &Path, baud: u32) -> Result<RawLine, RobotFault> {
        Ok(RawLine { wire: SerialWire::open(path, baud)? })
    }

    /// Sends these bytes as they are, and takes whatever comes back until `wait` is over.
    ///
    /// # Errors
    /// [`RobotFault::PortGone`] when the port cannot be read or written.
    pub fn exchange(&mut self, bytes: &[u8], wait: Duration) -> Result<Vec<u8>, RobotFault> {
        self.wire.discard().map_err(gone)?;
        self.wire.send(bytes).map_err(gone)?;
        let deadline = self.wire.now() + wait;
        let (mut heard, mut piece) = (Vec::new(), [0; 256]);
        loop {
            let length = self.wire.receive(&mut piece, deadline).map_err(gone)?;
            if length == 0 || heard.len() > MOST_HEARD {
                return Ok(heard);
            }
            heard.extend(piece.iter().take(length));
        }
    }
}

/// A line that delivers more than this is babbling.
const MOST_HEARD: usize = 1 << 16;

/// A packet with header, length, stuffing and checksum; 254 is every servo's id.
#[must_use]
pub fn packet(id: u8, number: u8, parameters: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    instruction(&mut packet, id, number, parameters);
    packet
}

/// One thing that was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A servo's answer.
    Answer {
        /// Who answers; 254 in the common answer to a fast sync read.
        id: u8,
        /// The error byte: bit 7 tells of a hardware error, the others number what was wrong with the request.
        error: u8,
        /// The data, without stuffing.
        parameters: Vec<u8>,
        /// Whether the checksum is right.
        checksum_is_right: bool,
    },
    /// An instruction: on this line, most likely our own.
    Instruction {
        /// To whom; 254 is everyone.
        id: u8,
        /// The instruction's number.
        number: u8,
        /// What follows it, without stuffing.
        parameters: Vec<u8>,
        /// Whether the checksum is right.
        checksum_is_right: bool,
    },
    /// Bytes that are no packet.
    Noise(Vec<u8>),
}

/// Takes what was heard apart. Nothing is left out.
#[must_use]
pub fn describe(mut bytes: &[u8]) -> Vec<Heard> {
    let (mut all, mut noise) = (Vec::new(), Vec::new());
    while let Some((first, rest)) = bytes.split_first() {
        match packet_here(bytes) {
            Some((heard, length)) => {
                if !noise.is_empty() {
                    all.push(Heard::Noise(std::mem::take(&mut noise)));
                }
                all.push(heard);
                bytes = bytes.get(length..).unwrap_or_default();
            }
            None => {
                noise.push(*first);
                bytes = rest;
            }
        }
    }
    if !noise.is_empty() {
        all.push(Heard::Noise(noise));
    }
    all
}

/// A whole packet at the beginning, and its length.
fn packet_here(bytes: &[u8]) -> Option<(Heard, usize)> {
    let &[id, low, high] = bytes.strip_prefix(&HEADER)?.first_chunk()?;
    let length = LENGTH_ENDS + usize::from(u16::from_le_bytes([low, high]));
    let (body, sum) = bytes.get(..length)?.split_last_chunk()?;
    let checksum_is_right = crc(0, body) == u16::from_le_bytes(*sum);
    let (&number, said) = body.get(LENGTH_ENDS..)?.split_first()?;
    let heard = if number == IS_STATUS {
        let (&error, said) = said.split_first()?;
        Heard::Answer { id, error, parameters: unstuffed(said).collect(), checksum_is_right }
    } else {
        Heard::Instruction { id, number, parameters: unstuffed(said).collect(), checksum_is_right }
    };
    Some((heard, length))
}

/// What an error byte says of the request, in words. From the ROBOTIS e-manual, protocol 2.0.
const fn refusal(error: u8) -> &'static str {
    match error & !ALERT {
        0 => "no error",
        1 => "it could not do that",
        2 => "it does not know this instruction",
        3 => "what it heard had a wrong checksum",
        4 => "a value is out of its register's range",
        5 => "the data has the wrong length",
        6 => "a value is beyond a limit that is set",
        7 => "that register cannot be accessed now; the settings are locked while torque is on",
        _ => "an error without a name",
    }
}

fn instruction_name(number: u8) -> &'static str {
    match number {
        0x01 => "ping",
        0x02 => "read",
        0x03 => "write",
        0x04 => "reg write",
        0x05 => "action",
        0x06 => "factory reset",
        0x08 => "reboot",
        0x10 => "clear",
        0x20 => "control table backup",
        0x82 => "sync read",
        0x83 => "sync write",
        0x8a => "fast sync read",
        0x92 => "bulk read",
        0x93 => "bulk write",
        0x9a => "fast bulk read",
        _ => "an unknown instruction",
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, byte) in self.0.iter().enumerate() {
            let space = if place == 0 { "" } else { " " };
            write!(f, "{space}{byte:02x}")?;
        }
        Ok(())
    }
}

/// One line for people: `11 answers 00 08 00 00: no error; the checksum is right`.
impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = |right: bool| if right { "right" } else { "wrong" };
        match self {
            Heard::Answer { id, error, parameters, checksum_is_right } => {
                let data = if parameters.is_empty() { "nothing" } else { "" };
                let alert = if error & ALERT == 0 { "" } else { ", and it reports a hardware error" };
                let (hex, why, sum) = (Hex(parameters), refusal(*error), sum(*checksum_is_right));
                write!(f, "{id} answers {data}{hex}: {why}{alert}; the checksum is {sum}")
            }
            Heard::Instruction { id, number, parameters, checksum_is_right } => {
                let (name, hex, sum) = (instruction_name(*number), Hex(parameters), sum(*checksum_is_right));
                write!(f, "to {id}: {name} ({number:#04x}) {hex}; the checksum is {sum}")
            }
            Heard::Noise(bytes) => write!(f, "no packet: {}", Hex(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_built_is_taken_apart_again() {
        let parameters = [132, 0, 0xff, 0xff, 0xfd, 9];
        let built = packet(11, 0x02, &parameters);
        let instruction = Heard::Instruction {
            id: 11,
            number: 2,
            parameters: parameters.to_vec(),
            checksum_is_right: true,
        };
        assert_eq!(describe(&built), [instruction]);
    }

    #[test]
    fn answers_are_told_in_words() {
        // From the ROBOTIS e-manual, protocol 2.0: an answer to a ping.
        let pong = [255, 255, 253, 0, 1, 7, 0, 0x55, 0, 6, 4, 0x26, 0x65, 0x5d];
        let mut wrong = pong;
        wrong[13] ^= 1;
        let mut locked = vec![255, 255, 253, 0, 17, 4, 0, 0x55, 0x87];
        locked.extend(crc(0, &locked).to_le_bytes());
        let heard = describe(&[&pong[..], &[1, 2], &wrong, &locked, &pong[..9]].concat());
        let words: Vec<String> = heard.iter().map(Heard::to_string).collect();
        assert_eq!(words[0], "1 answers 06 04 26: no error; the checksum is right");
        assert_eq!(words[1], "no packet: 01 02");
        assert_eq!(words[2], "1 answers 06 04 26: no error; the checksum is wrong");
        assert!(words[3].starts_with("17 answers nothing: that register cannot be accessed now"));
        assert!(words[3].ends_with("and it reports a hardware error; the checksum is right"));
        assert_eq!(words[4], "no packet: ff ff fd 00 01 07 00 55 00");
        assert_eq!(words.len(), 5);
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken_apart(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let noise: usize = describe(&bytes).iter().map(|heard| match heard {
                Heard::Noise(bytes) => bytes.len(),
                Heard::Answer { .. } | Heard::Instruction { .. } => 0,
            }).sum();
            prop_assert!(noise <= bytes.len());
        }
    }
}

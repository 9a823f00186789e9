//! Raw packets, for an engineer with a robot that nobody drives: bytes out, whatever comes back, and what it means.
//!
//! Safety: what is said here passes no envelope. The port is held alone, so it cannot be had while a controller runs.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::packet::{EVERYONE, HEADER, LENGTH_ENDS, crc, instruction};
use super::port::gone;
use super::serial::SerialWire;
use super::status::{ALERT, IS_STATUS, unstuffed};
use super::wire::Wire;
use crate::joint::Joint;
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

    /// Sends these bytes as they are, and takes whatever comes back until the line has been silent for `silence`.
    ///
    /// # Errors
    /// [`RobotFault::PortGone`] when the port cannot be read or written.
    pub fn exchange(&mut self, bytes: &[u8], silence: Duration) -> Result<Vec<u8>, RobotFault> {
        converse(&mut self.wire, bytes, silence)
    }
}

fn converse(wire: &mut dyn Wire, bytes: &[u8], silence: Duration) -> Result<Vec<u8>, RobotFault> {
    wire.discard().map_err(gone)?;
    wire.send(bytes).map_err(gone)?;
    let last = wire.now() + silence + LONGEST_ANSWER;
    let (mut heard, mut piece) = (Vec::new(), [0; 256]);
    loop {
        let deadline = wire.now() + silence;
        let length = wire.receive(&mut piece, deadline).map_err(gone)?;
        heard.extend(piece.iter().take(length));
        if length == 0 || heard.len() > MOST_HEARD || wire.now() > last {
            return Ok(heard);
        }
    }
}

/// A line that delivers more than this is babbling.
const MOST_HEARD: usize = 1 << 16;
/// So is one that delivers for longer. At the slowest baud rate, 9600, a kilobyte takes about one second.
const LONGEST_ANSWER: Duration = Duration::from_secs(2);

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

/// What an error byte says of the request, in words and with what to do. From the ROBOTIS e-manual, protocol 2.0.
const fn outcome(error: u8) -> &'static str {
    match error & !ALERT {
        0 => "done",
        1 => "refused, it could not do that; check the instruction and what follows it",
        2 => "refused, it does not know this instruction; check the instruction's number",
        3 => "refused, what it heard had a wrong checksum; check the last two bytes, then the cable",
        4 => "refused, a value is outside its register's range; look the range up in the servo's manual",
        5 => "refused, the data has the wrong length; write each register whole",
        6 => "refused, a value is beyond a limit that is set in the servo; read that limit",
        7 => {
            "refused, that register cannot be written or read now; it may be one that is only read, and settings are \
             locked while torque is on"
        }
        _ => "refused with an error that has no name; check the packet",
    }
}

/// Who an id is, for people.
struct Who(u8);

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, Joint::from_motor_id(self.0)) {
            (EVERYONE, _) => write!(f, "{EVERYONE} (all servos)"),
            (id, Some(joint)) => write!(f, "{id} ({joint})"),
            (id, None) => write!(f, "{id} (not a motor of this robot)"),
        }
    }
}

/// The number in the data of one register. Those of two and four bytes that go above half their range have a sign; those
/// of one byte have none, but for the bus watchdog.
fn number(data: &[u8]) -> Option<i32> {
    match *data {
        [byte] => Some(byte.into()),
        [low, high] => Some(i16::from_le_bytes([low, high]).into()),
        [a, b, c, d] => Some(i32::from_le_bytes([a, b, c, d])),
        _ => None,
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

/// One line for people: `answer of 12 (stewart_2): done: 00 fc ff ff = -1024`.
impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = |right: bool| if right { "" } else { " (its checksum is wrong)" };
        match self {
            Heard::Answer { id, error, parameters, checksum_is_right } => {
                let (sum, outcome) = (sum(*checksum_is_right), outcome(*error));
                write!(f, "answer of {}{sum}: {outcome}", Who(*id))?;
                if error & ALERT != 0 {
                    f.write_str(" (it has a hardware error; see `minismith scan PORT`)")?;
                }
                if !parameters.is_empty() {
                    write!(f, ": {}", Hex(parameters))?;
                }
                number(parameters).map_or(Ok(()), |number| write!(f, " = {number}"))
            }
            Heard::Instruction { id, number, parameters, checksum_is_right } => {
                let (name, sum) = (instruction_name(*number), sum(*checksum_is_right));
                write!(f, "{name} ({number:#04x}) to {}{sum}", Who(*id))?;
                if parameters.is_empty() { Ok(()) } else { write!(f, ": {}", Hex(parameters)) }
            }
            Heard::Noise(bytes) => write!(f, "no packet: {}", Hex(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::Tick;

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
        assert_eq!(words[0], "answer of 1 (not a motor of this robot): done: 06 04 26");
        assert_eq!(words[1], "no packet: 01 02");
        assert!(words[2].ends_with("(its checksum is wrong): done: 06 04 26"), "{}", words[2]);
        assert!(
            words[3].starts_with("answer of 17 (right_antenna): refused, that register cannot be written")
        );
        assert!(words[3].contains("locked while torque is on (it has a hardware error; see `minismith scan"));
        assert_eq!(words[4], "no packet: ff ff fd 00 01 07 00 55 00");
        assert_eq!(words.len(), 5);
        let ours = [packet(12, 0x02, &[20, 0, 4, 0]), packet(EVERYONE, 0x01, &[])].concat();
        let words: Vec<String> = describe(&ours).iter().map(Heard::to_string).collect();
        assert_eq!(words, ["read (0x02) to 12 (stewart_2): 14 00 04 00", "ping (0x01) to 254 (all servos)"]);
    }

    #[test]
    fn the_data_of_one_register_is_a_number_too() {
        let check = |data: &[u8], words: &str| {
            let parameters = data.to_vec();
            let answer = Heard::Answer { id: 12, error: 0, parameters, checksum_is_right: true };
            assert_eq!(answer.to_string(), format!("answer of 12 (stewart_2): done{words}"));
        };
        check(&[], "");
        check(&[140], ": 8c = 140");
        check(&[0x88, 0xff], ": 88 ff = -120");
        check(&[0x2c, 1], ": 2c 01 = 300");
        check(&[0, 0xfc, 0xff, 0xff], ": 00 fc ff ff = -1024");
        check(&[0, 0, 0, 0, 0x2c, 1], ": 00 00 00 00 2c 01");
    }

    /// A line on which a byte arrives at each of these intervals, again and again if it babbles; its time is virtual.
    struct Dripping {
        now: std::cell::Cell<Tick>,
        intervals: Vec<Duration>,
        babbles: bool,
    }

    impl Wire for Dripping {
        fn now(&self) -> Tick {
            self.now.get()
        }

        fn wait_until(&self, until: Tick) {
            self.now.set(until);
        }

        fn discard(&mut self) -> std::io::Result<()> {
            Ok(())
        }

        fn send(&mut self, _: &[u8]) -> std::io::Result<()> {
            Ok(())
        }

        fn receive(&mut self, into: &mut [u8], deadline: Tick) -> std::io::Result<usize> {
            let next = self.intervals.first().map(|interval| self.now.get() + *interval);
            let Some(next) = next.filter(|next| *next <= deadline) else {
                self.now.set(deadline);
                return Ok(0);
            };
            self.now.set(next);
            if !self.babbles {
                self.intervals.remove(0);
            }
            into[0] = 7;
            Ok(1)
        }
    }

    #[test]
    fn an_answer_is_over_when_the_line_is_silent_and_a_babbling_line_is_left() {
        let check = |intervals: &[u64], babbles: bool, heard: usize, over: u64| {
            let intervals = intervals.iter().map(|interval| Duration::from_millis(*interval)).collect();
            let mut line = Dripping { now: std::cell::Cell::new(Tick::ZERO), intervals, babbles };
            let bytes = converse(&mut line, &[1], Duration::from_millis(50)).unwrap();
            assert_eq!((bytes.len(), line.now.get().0), (heard, over * 1_000_000));
        };
        check(&[], false, 0, 50);
        check(&[3], false, 1, 53);
        // Longer than the silence in all.
        check(&[40; 10], false, 10, 450);
        check(&[40, 51, 1], false, 1, 90);
        check(&[40], true, 52, 2_080);
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

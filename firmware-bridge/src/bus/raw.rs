//! Raw packets for service on a robot without a controller: sends bytes, receives the answer and describes it.
//!
//! Safety: these packets bypass the envelope. The port is locked, so it is not available while a controller runs.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::packet::{BROADCAST_ID, HEADER, LENGTH_FIELD_END, crc, instruction};
use super::port::gone;
use super::serial::SerialTransport;
use super::status::{ALERT, IS_STATUS, unstuffed};
use super::transport::Transport;
use crate::joint::Joint;
use crate::robot::RobotError;

/// A serial port for raw bytes.
pub struct RawLine {
    transport: SerialTransport,
}

impl RawLine {
    /// Opens a port exclusively.
    ///
    /// # Errors
    /// [`RobotError::PortBusy`] while another program or a controller in this one holds it; other faults if it cannot
    /// be opened.
    pub fn open(path: &Path, baud: u32) -> Result<RawLine, RobotError> {
        Ok(RawLine { transport: SerialTransport::open(path, baud)? })
    }

    /// Sends these bytes unchanged, and receives until the line has been silent for `silence`.
    ///
    /// # Errors
    /// [`RobotError::PortGone`] if the port cannot be read or written.
    pub fn exchange(&mut self, bytes: &[u8], silence: Duration) -> Result<Vec<u8>, RobotError> {
        transact(&mut self.transport, bytes, silence)
    }
}

fn transact(wire: &mut dyn Transport, bytes: &[u8], silence: Duration) -> Result<Vec<u8>, RobotError> {
    wire.discard().map_err(gone)?;
    wire.send(bytes).map_err(gone)?;
    let last = wire.now() + silence + MAX_ANSWER_TIME;
    let (mut heard, mut chunk) = (Vec::new(), [0; 256]);
    loop {
        let deadline = wire.now() + silence;
        let length = wire.receive(&mut chunk, deadline).map_err(gone)?;
        heard.extend(chunk.iter().take(length));
        if length == 0 || heard.len() > MAX_RECEIVED_BYTES || wire.now() > last {
            return Ok(heard);
        }
    }
}

/// More bytes than this are noise.
const MAX_RECEIVED_BYTES: usize = 1 << 16;
/// So is a longer transmission. At the slowest baud rate, 9600, a kilobyte takes about one second.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(2);

/// Returns a packet with header, length, stuffing and checksum. The id 254 addresses every servo.
#[must_use]
pub fn packet(id: u8, number: u8, parameters: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    instruction(&mut packet, id, number, parameters);
    packet
}

/// A part of the received bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodedPacket {
    /// A servo's status packet.
    Answer {
        /// The servo's id; 254 in the shared answer to a fast sync read.
        id: u8,
        /// The error byte: bit 7 reports a hardware error, the other bits are an error number of the request.
        error: u8,
        /// The data, without stuffing.
        parameters: Vec<u8>,
        /// Whether the checksum is valid.
        checksum_is_right: bool,
    },
    /// An instruction packet: on this line, most likely an echo.
    Instruction {
        /// The addressed servo; 254 is every servo.
        id: u8,
        /// The number of the instruction.
        number: u8,
        /// The parameters, without stuffing.
        parameters: Vec<u8>,
        /// Whether the checksum is valid.
        checksum_is_right: bool,
    },
    /// Bytes that are not part of a packet.
    Noise(Vec<u8>),
}

/// Splits received bytes into packets and noise. No byte is left out.
#[must_use]
pub fn describe(mut bytes: &[u8]) -> Vec<DecodedPacket> {
    let (mut all, mut noise) = (Vec::new(), Vec::new());
    while let Some((first, rest)) = bytes.split_first() {
        match parse_packet(bytes) {
            Some((heard, length)) => {
                if !noise.is_empty() {
                    all.push(DecodedPacket::Noise(std::mem::take(&mut noise)));
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
        all.push(DecodedPacket::Noise(noise));
    }
    all
}

/// Returns a complete packet at the beginning, and its length.
fn parse_packet(bytes: &[u8]) -> Option<(DecodedPacket, usize)> {
    let &[id, low, high] = bytes.strip_prefix(&HEADER)?.first_chunk()?;
    let length = LENGTH_FIELD_END + usize::from(u16::from_le_bytes([low, high]));
    let (body, sum) = bytes.get(..length)?.split_last_chunk()?;
    let checksum_is_right = crc(0, body) == u16::from_le_bytes(*sum);
    let (&number, said) = body.get(LENGTH_FIELD_END..)?.split_first()?;
    let heard = if number == IS_STATUS {
        let (&error, said) = said.split_first()?;
        DecodedPacket::Answer { id, error, parameters: unstuffed(said).collect(), checksum_is_right }
    } else {
        DecodedPacket::Instruction { id, number, parameters: unstuffed(said).collect(), checksum_is_right }
    };
    Some((heard, length))
}

/// Describes the result in an error byte, with a remedy. From the ROBOTIS e-Manual, protocol 2.0.
const fn request_result(error: u8) -> &'static str {
    match error & !ALERT {
        0 => "done",
        1 => "rejected, the servo could not execute it; check the instruction and its parameters",
        2 => "rejected, unknown instruction; check the instruction's number",
        3 => "rejected, wrong checksum; check the last two bytes, then the cable",
        4 => "rejected, a value is outside its register's range; see the servo's manual",
        5 => "rejected, the data has the wrong length; write each register as a whole",
        6 => "rejected, a value is outside a limit that is set in the servo; read that limit",
        7 => {
            "rejected, that register cannot be written or read now; it may be read-only, and settings are locked \
            while torque is on"
        }
        _ => "rejected with an unknown error; check the packet",
    }
}

/// A servo id, with its name for the user.
struct IdLabel(u8);

impl fmt::Display for IdLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, Joint::from_motor_id(self.0)) {
            (BROADCAST_ID, _) => write!(f, "{BROADCAST_ID} (all servos)"),
            (id, Some(joint)) => write!(f, "{id} ({joint})"),
            (id, None) => write!(f, "{id} (not a motor of this robot)"),
        }
    }
}

/// Returns the number in the data of one register. Registers of two and four bytes with a high bit set are signed.
/// Those of one byte are unsigned, except the bus watchdog.
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
        _ => "unknown instruction",
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, byte) in self.0.iter().enumerate() {
            let space = if position == 0 { "" } else { " " };
            write!(f, "{space}{byte:02x}")?;
        }
        Ok(())
    }
}

/// One line for the user: `answer from 12 (stewart_2): done: 00 fc ff ff = -1024`.
impl fmt::Display for DecodedPacket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = |right: bool| if right { "" } else { " (wrong checksum)" };
        match self {
            DecodedPacket::Answer { id, error, parameters, checksum_is_right } => {
                let (sum, result) = (sum(*checksum_is_right), request_result(*error));
                write!(f, "answer from {}{sum}: {result}", IdLabel(*id))?;
                if error & ALERT != 0 {
                    f.write_str(" (the servo has a hardware error; run `minismith scan PORT`)")?;
                }
                if !parameters.is_empty() {
                    write!(f, ": {}", Hex(parameters))?;
                }
                number(parameters).map_or(Ok(()), |number| write!(f, " = {number}"))
            }
            DecodedPacket::Instruction { id, number, parameters, checksum_is_right } => {
                let (name, sum) = (instruction_name(*number), sum(*checksum_is_right));
                write!(f, "{name} ({number:#04x}) to {}{sum}", IdLabel(*id))?;
                if parameters.is_empty() { Ok(()) } else { write!(f, ": {}", Hex(parameters)) }
            }
            DecodedPacket::Noise(bytes) => write!(f, "not a packet: {}", Hex(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clock::Timestamp;

    #[test]
    fn built_packet_is_described_as_itself() {
        let parameters = [132, 0, 0xff, 0xff, 0xfd, 9];
        let built = packet(11, 0x02, &parameters);
        let instruction = DecodedPacket::Instruction {
            id: 11,
            number: 2,
            parameters: parameters.to_vec(),
            checksum_is_right: true,
        };
        assert_eq!(describe(&built), [instruction]);
    }

    #[test]
    fn answers_are_described_in_text() {
        // From the ROBOTIS e-Manual, protocol 2.0: an answer to a ping.
        let ping_answer = [255, 255, 253, 0, 1, 7, 0, 0x55, 0, 6, 4, 0x26, 0x65, 0x5d];
        let mut wrong = ping_answer;
        wrong[13] ^= 1;
        let mut locked = vec![255, 255, 253, 0, 17, 4, 0, 0x55, 0x87];
        locked.extend(crc(0, &locked).to_le_bytes());
        let heard = describe(&[&ping_answer[..], &[1, 2], &wrong, &locked, &ping_answer[..9]].concat());
        let texts: Vec<String> = heard.iter().map(DecodedPacket::to_string).collect();
        assert_eq!(texts[0], "answer from 1 (not a motor of this robot): done: 06 04 26");
        assert_eq!(texts[1], "not a packet: 01 02");
        assert!(texts[2].ends_with("(wrong checksum): done: 06 04 26"), "{}", texts[2]);
        assert!(
            texts[3].starts_with("answer from 17 (right_antenna): rejected, that register cannot be written")
        );
        assert!(
            texts[3]
                .contains("locked while torque is on (the servo has a hardware error; run `minismith scan")
        );
        assert_eq!(texts[4], "not a packet: ff ff fd 00 01 07 00 55 00");
        assert_eq!(texts.len(), 5);
        let ours = [packet(12, 0x02, &[20, 0, 4, 0]), packet(BROADCAST_ID, 0x01, &[])].concat();
        let texts: Vec<String> = describe(&ours).iter().map(DecodedPacket::to_string).collect();
        assert_eq!(texts, ["read (0x02) to 12 (stewart_2): 14 00 04 00", "ping (0x01) to 254 (all servos)"]);
    }

    #[test]
    fn data_of_one_register_is_shown_as_a_number() {
        let check = |data: &[u8], texts: &str| {
            let parameters = data.to_vec();
            let answer = DecodedPacket::Answer { id: 12, error: 0, parameters, checksum_is_right: true };
            assert_eq!(answer.to_string(), format!("answer from 12 (stewart_2): done{texts}"));
        };
        check(&[], "");
        check(&[140], ": 8c = 140");
        check(&[0x88, 0xff], ": 88 ff = -120");
        check(&[0x2c, 1], ": 2c 01 = 300");
        check(&[0, 0xfc, 0xff, 0xff], ": 00 fc ff ff = -1024");
        check(&[0, 0, 0, 0, 0x2c, 1], ": 00 00 00 00 2c 01");
    }

    /// A line on which a byte arrives after each of these intervals, repeatedly if it sends noise; its time is virtual.
    struct SlowLine {
        now: std::cell::Cell<Timestamp>,
        intervals: Vec<Duration>,
        is_noisy: bool,
    }

    impl Transport for SlowLine {
        fn now(&self) -> Timestamp {
            self.now.get()
        }

        fn wait_until(&self, until: Timestamp) {
            self.now.set(until);
        }

        fn discard(&mut self) -> std::io::Result<()> {
            Ok(())
        }

        fn send(&mut self, _: &[u8]) -> std::io::Result<()> {
            Ok(())
        }

        fn receive(&mut self, into: &mut [u8], deadline: Timestamp) -> std::io::Result<usize> {
            let next = self.intervals.first().map(|interval| self.now.get() + *interval);
            let Some(next) = next.filter(|next| *next <= deadline) else {
                self.now.set(deadline);
                return Ok(0);
            };
            self.now.set(next);
            if !self.is_noisy {
                self.intervals.remove(0);
            }
            into[0] = 7;
            Ok(1)
        }
    }

    #[test]
    fn exchange_ends_at_silence_or_on_a_noisy_line() {
        let check = |intervals: &[u64], is_noisy: bool, heard: usize, over: u64| {
            let intervals = intervals.iter().map(|interval| Duration::from_millis(*interval)).collect();
            let mut line = SlowLine { now: std::cell::Cell::new(Timestamp::ZERO), intervals, is_noisy };
            let bytes = transact(&mut line, &[1], Duration::from_millis(50)).unwrap();
            assert_eq!((bytes.len(), line.now.get().0), (heard, over * 1_000_000));
        };
        check(&[], false, 0, 50);
        check(&[3], false, 1, 53);
        // Longer than the silence in total.
        check(&[40; 10], false, 10, 450);
        check(&[40, 51, 1], false, 1, 90);
        check(&[40], true, 52, 2_080);
    }

    proptest! {
        #[test]
        fn any_bytes_are_described(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let noise: usize = describe(&bytes).iter().map(|heard| match heard {
                DecodedPacket::Noise(bytes) => bytes.len(),
                DecodedPacket::Answer { .. } | DecodedPacket::Instruction { .. } => 0,
            }).sum();
            prop_assert!(noise <= bytes.len());
        }
    }
}

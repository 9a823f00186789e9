//! Instruction packets to the servos in Dynamixel protocol 2.0: to one of them, or to all.
//!
//! Every packet is built in a buffer that is reused, since most of them are sent in every cycle.

use super::registers::Register;

/// The first bytes of every packet.
pub(super) const HEADER: [u8; 4] = [0xff, 0xff, 0xfd, 0x00];
/// The id that addresses every servo.
pub(super) const BROADCAST_ID: u8 = 0xfe;
/// The end of the header, the id and the two bytes of length.
pub(super) const LENGTH_FIELD_END: usize = 7;
/// Within a packet's body, another 0xfd follows these three bytes, so that they do not look like a header.
pub(super) const STUFFING_PATTERN: [u8; 3] = [0xff, 0xff, 0xfd];

/// Instruction: ping.
pub(super) const PING: u8 = 0x01;
/// Instruction: read bytes from an address.
pub(super) const READ: u8 = 0x02;
/// Instruction: write bytes to an address.
pub(super) const WRITE: u8 = 0x03;
/// Instruction: reboot.
pub(super) const REBOOT: u8 = 0x08;
const SYNC_READ: u8 = 0x82;
const SYNC_WRITE: u8 = 0x83;
const FAST_SYNC_READ: u8 = 0x8a;

/// How to read a register of several servos.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncRead {
    /// Sync read: each servo answers with its own packet.
    Plain,
    /// Fast sync read: one packet contains all answers. Not every firmware supports it.
    Fast,
}

/// Builds a packet with any instruction.
pub(super) fn instruction(packet: &mut Vec<u8>, id: u8, instruction: u8, parameters: &[u8]) {
    start(packet, id, instruction);
    packet.extend(parameters);
    finish(packet);
}

/// Builds a request to read a register of one servo.
pub(super) fn read(packet: &mut Vec<u8>, id: u8, register: Register) {
    start(packet, id, READ);
    put_range(packet, register);
    finish(packet);
}

/// Builds a request to write bytes to one servo, starting at a register.
pub(super) fn write(packet: &mut Vec<u8>, id: u8, register: Register, bytes: &[u8]) {
    start(packet, id, WRITE);
    packet.extend(u16::from(register.address).to_le_bytes());
    packet.extend(bytes);
    finish(packet);
}

/// Builds a packet that writes one value to each of several servos. It has no answer.
pub(super) fn sync_write(packet: &mut Vec<u8>, register: Register, values: impl Iterator<Item = (u8, u32)>) {
    start(packet, BROADCAST_ID, SYNC_WRITE);
    put_range(packet, register);
    for (id, value) in values {
        packet.push(id);
        packet.extend(value.to_le_bytes().into_iter().take(usize::from(register.width)));
    }
    finish(packet);
}

/// Builds a request to read one register of several servos.
pub(super) fn sync_read(
    packet: &mut Vec<u8>,
    asking: SyncRead,
    register: Register,
    ids: impl Iterator<Item = u8>,
) {
    let instruction = match asking {
        SyncRead::Plain => SYNC_READ,
        SyncRead::Fast => FAST_SYNC_READ,
    };
    start(packet, BROADCAST_ID, instruction);
    put_range(packet, register);
    packet.extend(ids);
    finish(packet);
}

fn start(packet: &mut Vec<u8>, id: u8, instruction: u8) {
    packet.clear();
    packet.extend(HEADER);
    // The two bytes after the id are the length, which is set at the end.
    packet.extend([id, 0, 0, instruction]);
}

fn put_range(packet: &mut Vec<u8>, register: Register) {
    packet.extend(u16::from(register.address).to_le_bytes());
    packet.extend(u16::from(register.width).to_le_bytes());
}

fn finish(packet: &mut Vec<u8>) {
    let mut at = LENGTH_FIELD_END;
    while let Some(three) = packet.get(at..at + STUFFING_PATTERN.len()) {
        if three == STUFFING_PATTERN {
            packet.insert(at + STUFFING_PATTERN.len(), 0xfd);
            at += STUFFING_PATTERN.len();
        }
        at += 1;
    }
    let length = u16::try_from(packet.len() + 2 - LENGTH_FIELD_END).unwrap_or(u16::MAX);
    if let Some(slot) = packet.get_mut(5..LENGTH_FIELD_END) {
        slot.copy_from_slice(&length.to_le_bytes());
    }
    packet.extend(crc(0, packet).to_le_bytes());
}

/// Returns the checksum of protocol 2.0 (polynomial 0x8005, most significant bit first), continued from `start`.
pub(super) fn crc(start: u16, bytes: &[u8]) -> u16 {
    bytes.iter().fold(start, |sum, byte| {
        let [high, low] = sum.to_be_bytes();
        // The table has an entry for each byte, so the lookup cannot fail.
        let divided = CHECKSUMS.get(usize::from(high ^ byte)).copied().unwrap_or_default();
        u16::from_be_bytes([low, 0]) ^ divided
    })
}

/// The checksum of each single byte.
static CHECKSUMS: [u16; 256] = checksums();

#[allow(clippy::indexing_slicing, reason = "the loop stays below the table's length")]
const fn checksums() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte: u16 = 0;
    while byte < 256 {
        let (mut sum, mut bit) = (byte << 8, 0);
        while bit < 8 {
            sum = if sum & 0x8000 == 0 { sum << 1 } else { (sum << 1) ^ 0x8005 };
            bit += 1;
        }
        table[byte as usize] = sum;
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::time::Duration;

    use rustypot::DynamixelProtocolHandler;
    use serialport::{SerialPort, TTYPort};

    use super::*;
    use crate::bus::registers::{GOAL_POSITION, PRESENT_POSITION, TORQUE_ENABLE};

    /// Returns the bytes that rustypot sends for the same request.
    fn sent_by_rustypot(request: impl FnOnce(&DynamixelProtocolHandler, &mut TTYPort)) -> Vec<u8> {
        let (mut far, mut near) = TTYPort::pair().unwrap();
        near.set_timeout(Duration::from_millis(1)).unwrap();
        request(&DynamixelProtocolHandler::v2(), &mut near);
        let mut sent = vec![0; 512];
        let length = far.read(&mut sent).unwrap();
        sent.truncate(length);
        sent
    }

    fn check_write(register: Register, values: &[(u8, u32)]) {
        let mut ours = vec![0xaa; 3];
        sync_write(&mut ours, register, values.iter().copied());
        let theirs = sent_by_rustypot(|rustypot, line| {
            let ids: Vec<u8> = values.iter().map(|(id, _)| *id).collect();
            let bytes: Vec<Vec<u8>> = values
                .iter()
                .map(|(_, value)| value.to_le_bytes()[..usize::from(register.width)].to_vec())
                .collect();
            rustypot.sync_write(line, &ids, register.address, &bytes).unwrap();
        });
        assert_eq!(ours, theirs);
    }

    #[test]
    fn sync_writes_equal_those_of_rustypot() {
        let nine = |value: fn(u32) -> u32| (10..19).map(|id| (id, value(u32::from(id)))).collect::<Vec<_>>();
        check_write(GOAL_POSITION, &nine(|id| id * 227));
        check_write(GOAL_POSITION, &nine(|_| 4095));
        check_write(TORQUE_ENABLE, &nine(|id| id & 1));
        // Values that need stuffing: once, twice, and across the boundary of a value.
        check_write(GOAL_POSITION, &[(10, 0x00fd_ffff), (11, 0xfdff_ff00), (12, 0xffff_0000), (0xfd, 7)]);
        check_write(GOAL_POSITION, &[(10, 0xfdff_ffff), (11, 0xffff_fdfd)]);
    }

    #[test]
    fn sync_reads_equal_those_of_rustypot() {
        let ids: Vec<u8> = (10..19).collect();
        for asking in [SyncRead::Plain, SyncRead::Fast] {
            let mut ours = Vec::new();
            sync_read(&mut ours, asking, PRESENT_POSITION, ids.iter().copied());
            let theirs = sent_by_rustypot(|rustypot, line| {
                // No servo answers; only the request matters.
                let _ = match asking {
                    SyncRead::Plain => rustypot.sync_read(line, &ids, 132, 4),
                    SyncRead::Fast => rustypot.fast_sync_read(line, &ids, 132, 4),
                };
            });
            assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn requests_to_one_servo_equal_those_of_rustypot() {
        use crate::bus::registers::POSITION_GAINS;
        // No servo answers; only the request matters.
        let check = |ours: &dyn Fn(&mut Vec<u8>), theirs: fn(&DynamixelProtocolHandler, &mut TTYPort)| {
            let mut packet = vec![0xbb; 2];
            ours(&mut packet);
            assert_eq!(packet, sent_by_rustypot(theirs));
        };
        check(&|packet| instruction(packet, 12, PING, &[]), |bus, line| drop(bus.ping(line, 12)));
        check(&|packet| instruction(packet, 17, REBOOT, &[]), |bus, line| drop(bus.reboot(line, 17)));
        check(&|packet| read(packet, 13, PRESENT_POSITION), |bus, line| drop(bus.read(line, 13, 132, 4)));
        check(&|packet| read(packet, 13, POSITION_GAINS), |bus, line| drop(bus.read(line, 13, 80, 6)));
        check(&|packet| write(packet, 10, TORQUE_ENABLE, &[1]), |bus, line| {
            drop(bus.write(line, 10, 64, &[1]))
        });
        const GAIN_BYTES: [u8; 6] = [0xff, 0xff, 0xfd, 0, 0x2c, 1];
        check(&|packet| write(packet, 11, POSITION_GAINS, &GAIN_BYTES), |bus, line| {
            drop(bus.write(line, 11, 80, &GAIN_BYTES));
        });
    }

    #[test]
    fn pings_equal_the_examples_of_the_manual() {
        // From the ROBOTIS e-Manual, protocol 2.0: ping of id 1, and of all.
        let mut packet = Vec::new();
        instruction(&mut packet, 1, PING, &[]);
        assert_eq!(packet, [255, 255, 253, 0, 1, 3, 0, 1, 0x19, 0x4e]);
        instruction(&mut packet, BROADCAST_ID, PING, &[]);
        assert_eq!(packet, [255, 255, 253, 0, 0xfe, 3, 0, 1, 0x31, 0x42]);
    }

    #[test]
    fn sync_packets_equal_the_examples_of_the_manual() {
        // From the ROBOTIS e-Manual, protocol 2.0: sync read of two positions, sync write of two goals.
        let mut packet = Vec::new();
        sync_read(&mut packet, SyncRead::Plain, PRESENT_POSITION, [1, 2].into_iter());
        assert_eq!(packet, [255, 255, 253, 0, 254, 9, 0, 0x82, 132, 0, 4, 0, 1, 2, 0xce, 0xfa]);
        sync_write(&mut packet, GOAL_POSITION, [(1, 0x96), (2, 0xaa)].into_iter());
        let mut expected =
            vec![255, 255, 253, 0, 254, 17, 0, 0x83, 116, 0, 4, 0, 1, 0x96, 0, 0, 0, 2, 0xaa, 0, 0, 0];
        expected.extend([0x82, 0x87]);
        assert_eq!(packet, expected);
    }

    #[test]
    fn checksum_table_matches_bitwise_division() {
        let by_bits = |start: u16, byte: u8| {
            (0..8).fold(start ^ (u16::from(byte) << 8), |sum, _| {
                if sum & 0x8000 == 0 { sum << 1 } else { (sum << 1) ^ 0x8005 }
            })
        };
        for start in (0..=u16::MAX).step_by(251) {
            for byte in 0..=u8::MAX {
                assert_eq!(crc(start, &[byte]), by_bits(start, byte));
            }
        }
    }

    #[test]
    fn checksum_can_be_continued() {
        assert_eq!(crc(crc(0, b"Reachy "), b"Mini"), crc(0, b"Reachy Mini"));
    }
}

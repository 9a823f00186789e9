//! What is said to all servos at once, in Dynamixel protocol 2.0: sync write, sync read, fast sync read.
//!
//! These go out on every beat, so they are built in a buffer that is used again and again.

use super::registers::Register;

/// How every packet begins.
pub(super) const HEADER: [u8; 4] = [0xff, 0xff, 0xfd, 0x00];
/// The id that means every servo.
pub(super) const EVERYONE: u8 = 0xfe;
/// The header, the id and the two bytes of length.
pub(super) const LENGTH_ENDS: usize = 7;
/// Within a packet's body, these three are followed by one more 0xfd, so that they are not taken for a header.
pub(super) const STUFFED: [u8; 3] = [0xff, 0xff, 0xfd];

/// How a register is asked of several servos.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    /// Sync read: each servo answers with a packet of its own.
    Each,
    /// Fast sync read: all answers make up one packet. Not every firmware knows it.
    Together,
}

/// Writes one value to each of the given servos. There is no answer.
pub(super) fn sync_write(packet: &mut Vec<u8>, register: Register, values: impl Iterator<Item = (u8, u32)>) {
    begin(packet, 0x83, register);
    for (id, value) in values {
        packet.push(id);
        packet.extend(value.to_le_bytes().into_iter().take(usize::from(register.width)));
    }
    finish(packet);
}

/// Asks one register of each of the given servos.
pub(super) fn sync_read(
    packet: &mut Vec<u8>,
    asking: Asking,
    register: Register,
    ids: impl Iterator<Item = u8>,
) {
    let instruction = match asking {
        Asking::Each => 0x82,
        Asking::Together => 0x8a,
    };
    begin(packet, instruction, register);
    packet.extend(ids);
    finish(packet);
}

fn begin(packet: &mut Vec<u8>, instruction: u8, register: Register) {
    packet.clear();
    packet.extend(HEADER);
    // The two bytes after the id are the length, set at the end.
    packet.extend([EVERYONE, 0, 0, instruction]);
    packet.extend(u16::from(register.address).to_le_bytes());
    packet.extend(u16::from(register.width).to_le_bytes());
}

fn finish(packet: &mut Vec<u8>) {
    let mut at = LENGTH_ENDS;
    while let Some(three) = packet.get(at..at + STUFFED.len()) {
        if three == STUFFED {
            packet.insert(at + STUFFED.len(), 0xfd);
            at += STUFFED.len();
        }
        at += 1;
    }
    let length = u16::try_from(packet.len() + 2 - LENGTH_ENDS).unwrap_or(u16::MAX);
    if let Some(slot) = packet.get_mut(5..LENGTH_ENDS) {
        slot.copy_from_slice(&length.to_le_bytes());
    }
    packet.extend(crc(0, packet).to_le_bytes());
}

/// The checksum of protocol 2.0 (polynomial 0x8005, most significant bit first), continued from `start`.
pub(super) fn crc(start: u16, bytes: &[u8]) -> u16 {
    bytes.iter().fold(start, |sum, byte| {
        (0..8).fold(sum ^ (u16::from(*byte) << 8), |sum, _| {
            if sum & 0x8000 == 0 { sum << 1 } else { (sum << 1) ^ 0x8005 }
        })
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::time::Duration;

    use rustypot::DynamixelProtocolHandler;
    use serialport::{SerialPort, TTYPort};

    use super::*;
    use crate::bus::registers::{GOAL_POSITION, PRESENT_POSITION, TORQUE};

    /// What rustypot sends for the same request.
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
    fn sync_writes_are_those_of_rustypot_byte_for_byte() {
        let nine = |value: fn(u32) -> u32| (10..19).map(|id| (id, value(u32::from(id)))).collect::<Vec<_>>();
        check_write(GOAL_POSITION, &nine(|id| id * 227));
        check_write(GOAL_POSITION, &nine(|_| 4095));
        check_write(TORQUE, &nine(|id| id & 1));
        // Values that need stuffing: once, twice, and across the edge of a value.
        check_write(GOAL_POSITION, &[(10, 0x00fd_ffff), (11, 0xfdff_ff00), (12, 0xffff_0000), (0xfd, 7)]);
        check_write(GOAL_POSITION, &[(10, 0xfdff_ffff), (11, 0xffff_fdfd)]);
    }

    #[test]
    fn reads_are_those_of_rustypot_byte_for_byte() {
        let ids: Vec<u8> = (10..19).collect();
        for asking in [Asking::Each, Asking::Together] {
            let mut ours = Vec::new();
            sync_read(&mut ours, asking, PRESENT_POSITION, ids.iter().copied());
            let theirs = sent_by_rustypot(|rustypot, line| {
                // Nobody answers; only what was asked matters.
                let _ = match asking {
                    Asking::Each => rustypot.sync_read(line, &ids, 132, 4),
                    Asking::Together => rustypot.fast_sync_read(line, &ids, 132, 4),
                };
            });
            assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn the_manufacturers_examples_come_out() {
        // From the ROBOTIS e-manual, protocol 2.0: sync read of two positions, sync write of two goals.
        let mut packet = Vec::new();
        sync_read(&mut packet, Asking::Each, PRESENT_POSITION, [1, 2].into_iter());
        assert_eq!(packet, [255, 255, 253, 0, 254, 9, 0, 0x82, 132, 0, 4, 0, 1, 2, 0xce, 0xfa]);
        sync_write(&mut packet, GOAL_POSITION, [(1, 0x96), (2, 0xaa)].into_iter());
        let mut expected =
            vec![255, 255, 253, 0, 254, 17, 0, 0x83, 116, 0, 4, 0, 1, 0x96, 0, 0, 0, 2, 0xaa, 0, 0, 0];
        expected.extend([0x82, 0x87]);
        assert_eq!(packet, expected);
    }

    #[test]
    fn a_checksum_can_be_continued() {
        assert_eq!(crc(crc(0, b"Reachy "), b"Mini"), crc(0, b"Reachy Mini"));
    }
}

//! What servos answer: packets found in whatever bytes arrive.
//!
//! A line can lose, add and change bytes. Whatever is not a whole packet with the right checksum is passed over, byte
//! by byte, so one bad packet never costs the good ones after it.

use super::packet::{EVERYONE, HEADER, LENGTH_ENDS, STUFFED, crc};

/// One servo's answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Status {
    /// Who answers.
    pub id: u8,
    /// The servo has a hardware error; the register says which.
    pub alert: bool,
    /// The register's value.
    pub value: u32,
}

/// The instruction byte of an answer.
const IS_STATUS: u8 = 0x55;
/// In the error byte: there is a hardware error. The other bits number what was wrong with the request.
const ALERT: u8 = 0x80;

/// What a look at the received bytes found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found {
    /// An answer, which ends `used` bytes in.
    Status {
        /// The answer.
        status: Status,
        /// The bytes up to its end.
        used: usize,
    },
    /// No answer yet; the first `skip` bytes belong to none.
    Nothing {
        /// Bytes to pass over.
        skip: usize,
    },
}

/// The first whole answer to a sync read of a register of `width` bytes.
pub(super) fn first_status(bytes: &[u8], width: u8) -> Found {
    let mut skip = 0;
    while let Some(rest) = bytes.get(skip..).filter(|rest| !rest.is_empty()) {
        match status_here(rest, width) {
            Here::Status { status, used } => return Found::Status { status, used: skip + used },
            Here::Perhaps => break,
            Here::No => skip += 1,
        }
    }
    Found::Nothing { skip }
}

enum Here {
    Status {
        status: Status,
        used: usize,
    },
    /// So far it looks like an answer.
    Perhaps,
    No,
}

fn status_here(bytes: &[u8], width: u8) -> Here {
    if bytes.iter().zip(HEADER).any(|(byte, expected)| *byte != expected) {
        return Here::No;
    }
    let Some(&[id, low, high, instruction]) = bytes.get(HEADER.len()..).and_then(<[u8]>::first_chunk) else {
        return Here::Perhaps;
    };
    // Instruction, error, value and checksum; in so short a body, stuffing adds one byte at most.
    let length = usize::from(u16::from_le_bytes([low, high]));
    let plain = usize::from(width) + 4;
    if instruction != IS_STATUS || !(plain..=plain + 1).contains(&length) {
        return Here::No;
    }
    let used = LENGTH_ENDS + length;
    let Some((body, sum)) = bytes.get(..used).and_then(<[u8]>::split_last_chunk) else {
        return Here::Perhaps;
    };
    if crc(0, body) != u16::from_le_bytes(*sum) {
        return Here::No;
    }
    let mut said = unstuffed(body.get(LENGTH_ENDS + 1..).unwrap_or_default());
    let error = said.next().unwrap_or(0);
    let value = value(said.by_ref().take(usize::from(width)));
    if error & !ALERT != 0 || said.next().is_some() {
        return Here::No;
    }
    Here::Status { status: Status { id, alert: error & ALERT != 0, value }, used }
}

fn value(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.zip([0, 8, 16, 24]).fold(0, |value, (byte, shift)| value | u32::from(byte) << shift)
}

/// The bytes without those that stuffing has put in.
fn unstuffed(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut last = [0; 3];
    bytes.iter().filter_map(move |&byte| {
        if last == STUFFED && byte == 0xfd {
            last = [0; 3];
            return None;
        }
        let [_, second, third] = last;
        last = [second, third, byte];
        Some(byte)
    })
}

/// The length of the one packet that answers a fast sync read.
pub(super) const fn together_length(width: u8, servos: usize) -> usize {
    LENGTH_ENDS + 1 + servos * block_length(width)
}

/// One servo's part of it: error, id, value, checksum.
const fn block_length(width: u8) -> usize {
    width as usize + 4
}

/// The bytes from where the answer of `servos` servos to a fast sync read begins.
pub(super) fn together_start(bytes: &[u8], width: u8, servos: usize) -> Option<&[u8]> {
    let length = u16::try_from(together_length(width, servos) - LENGTH_ENDS).ok()?;
    let [low, high] = length.to_le_bytes();
    let [a, b, c, d] = HEADER;
    let start = [a, b, c, d, EVERYONE, low, high, IS_STATUS];
    let at = bytes.windows(start.len()).position(|window| window == start)?;
    bytes.get(at..)
}

/// The answers of the servos `ids`, in the order in which they were asked, as far as the packet is whole and right.
///
/// Each servo adds its block, whose checksum covers all before it too; so nothing after a bad block can be believed.
pub(super) fn together<'a>(
    packet: &'a [u8],
    width: u8,
    ids: impl Iterator<Item = u8> + 'a,
) -> impl Iterator<Item = Status> + 'a {
    let (start, blocks) = packet.split_at_checked(LENGTH_ENDS + 1).unwrap_or_default();
    let mut sum = crc(0, start);
    blocks.chunks_exact(block_length(width)).zip(ids).map_while(move |(block, asked)| {
        let (said, expected) = block.split_last_chunk()?;
        sum = crc(sum, said);
        let good = sum == u16::from_le_bytes(*expected);
        sum = crc(sum, expected);
        let (&[error, id], bytes) = said.split_first_chunk()?;
        let status = Status { id, alert: error & ALERT != 0, value: value(bytes.iter().copied()) };
        (good && id == asked && error & !ALERT == 0).then_some(status)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;
    use rustypot::DynamixelProtocolHandler;
    use serialport::TTYPort;

    use super::*;

    // From the ROBOTIS e-manual, protocol 2.0: two servos answer a sync read of their positions.
    const ONE: [u8; 15] = [255, 255, 253, 0, 1, 8, 0, 0x55, 0, 0xa6, 0, 0, 0, 0x8c, 0xc0];
    const TWO: [u8; 15] = [255, 255, 253, 0, 2, 8, 0, 0x55, 0, 0x1f, 8, 0, 0, 0xba, 0xbe];

    fn all(mut bytes: &[u8], width: u8) -> Vec<(u8, u32)> {
        let mut found = Vec::new();
        while let Found::Status { status, used } = first_status(bytes, width) {
            found.push((status.id, status.value));
            bytes = &bytes[used..];
        }
        found
    }

    fn sealed(mut packet: Vec<u8>) -> Vec<u8> {
        packet.extend(crc(0, &packet).to_le_bytes());
        packet
    }

    /// The one packet of several servos, with `fault` at each block's error byte.
    fn fast(values: &[(u8, u8, u32)]) -> Vec<u8> {
        let length = u16::try_from(values.len() * 8 + 1).unwrap();
        let mut packet = HEADER.to_vec();
        packet.push(EVERYONE);
        packet.extend(length.to_le_bytes());
        packet.push(0x55);
        for (id, error, value) in values {
            packet.extend([*error, *id]);
            packet.extend(value.to_le_bytes());
            packet = sealed(packet);
        }
        packet
    }

    #[test]
    fn the_manufacturers_examples_are_read() {
        assert_eq!(all(&[ONE, TWO].concat(), 4), [(1, 166), (2, 2079)]);
    }

    #[test]
    fn garbage_costs_only_itself() {
        let mut wrong_sum = ONE;
        wrong_sum[13] ^= 1;
        let mut wrong_length = ONE;
        wrong_length[6] = 0x7f;
        let mut one_byte_longer = ONE;
        one_byte_longer[5] += 1;
        for garbage in [
            &[][..],
            &[0xff],
            &[0xff, 0xff, 0xfd],
            &HEADER,
            &ONE[..9],
            &wrong_sum,
            &wrong_length,
            &one_byte_longer,
            &[0; 300],
        ] {
            assert_eq!(
                all(&[garbage, &TWO, garbage, &ONE].concat(), 4),
                [(2, 2079), (1, 166)],
                "{garbage:?}"
            );
        }
        // A register of another width is another question's answer.
        assert_eq!(all(&ONE, 2), []);
    }

    #[test]
    fn a_packet_is_found_when_its_last_byte_arrives() {
        let bytes = [&[1, 2, 3][..], &TWO].concat();
        for length in 0..bytes.len() {
            assert!(matches!(first_status(&bytes[..length], 4), Found::Nothing { skip } if skip <= 3));
        }
        assert!(matches!(first_status(&bytes, 4), Found::Status { used: 18, .. }));
    }

    #[test]
    fn alerts_are_kept_and_refusals_are_no_answers() {
        let with_error = |error: u8| {
            let mut packet = ONE[..13].to_vec();
            packet[8] = error;
            sealed(packet)
        };
        let Found::Status { status, .. } = first_status(&with_error(0x80), 4) else { panic!() };
        assert_eq!(status, Status { id: 1, alert: true, value: 166 });
        assert_eq!(all(&with_error(0x84), 4), []);
    }

    #[test]
    fn stuffing_is_taken_out() {
        let packet = [255, 255, 253, 0, 9, 9, 0, 0x55, 0, 0xff, 0xff, 0xfd, 0xfd, 0x12];
        assert_eq!(all(&sealed(packet.to_vec()), 4), [(9, 0x12fd_ffff)]);
    }

    #[test]
    fn a_fast_answer_is_read_as_rustypot_reads_it() {
        let packet = fast(&[(10, 0, 2048), (11, 0x80, 17), (12, 0, 0xffff_fff0)]);
        let (mut far, mut near) = TTYPort::pair().unwrap();
        let answer = packet.clone();
        // Rustypot throws away what it finds on the line before it asks, so the answer follows the request.
        let servo = std::thread::spawn(move || {
            let mut request = [0; 17];
            std::io::Read::read_exact(&mut far, &mut request).unwrap();
            far.write_all(&answer).unwrap();
            far
        });
        let theirs = DynamixelProtocolHandler::v2().fast_sync_read(&mut near, &[10, 11, 12], 132, 4).unwrap();
        servo.join().unwrap();

        let ours: Vec<_> = together(&packet, 4, [10, 11, 12].into_iter()).collect();
        assert_eq!(ours.iter().map(|status| status.value.to_le_bytes().to_vec()).collect::<Vec<_>>(), theirs);
        assert!(ours[1].alert && !ours[0].alert);
        assert_eq!(packet.len(), together_length(4, 3));
    }

    #[test]
    fn of_a_broken_fast_answer_the_good_part_is_kept() {
        let whole = fast(&[(10, 0, 1), (11, 0, 2), (12, 0, 3)]);
        let good = |packet: &[u8]| {
            together(packet, 4, [10, 11, 12].into_iter()).map(|s| s.value).collect::<Vec<_>>()
        };
        assert_eq!(good(&whole[..whole.len() - 1]), [1, 2]);
        let mut flipped = whole.clone();
        flipped[8 + 8 + 3] ^= 4;
        assert_eq!(good(&flipped), [1]);
        assert_eq!(good(&fast(&[(10, 0, 1), (12, 0, 3), (11, 0, 2)])), [1]);
        assert_eq!(good(&[]), [0; 0]);

        let late = [&[0xff, 0xff, 7][..], &whole].concat();
        assert_eq!(together_start(&late, 4, 3), Some(&whole[..]));
        assert_eq!(together_start(&late, 4, 2), None);
    }

    proptest! {
        #[test]
        fn no_bytes_whatever_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200), width in 1_u8..=4) {
            if let Found::Nothing { skip } = first_status(&bytes, width) {
                prop_assert!(skip <= bytes.len());
            }
            let _ = together(&bytes, width, 10..19).count();
            let _ = together_start(&bytes, width, 9);
        }

        #[test]
        fn a_packet_is_found_after_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            // Unless the bytes are themselves a whole right packet, which chance does not make.
            prop_assert_eq!(all(&[&bytes[..], &ONE].concat(), 4), [(1, 166)]);
        }
    }
}

//! Status packets from the servos: finds packets in any received bytes, and determines the losses.
//!
//! A line can lose, add and change bytes, and some adapters echo what was sent. Bytes that are not a complete packet
//! with a valid checksum are skipped, so one bad packet never affects the following good ones.

use super::packet::{BROADCAST_ID, HEADER, LENGTH_FIELD_END, STUFFING_PATTERN, crc};
use crate::servo::ReadError;

/// A servo's answer to a request about a register of at most four bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Status {
    /// The id of the servo.
    pub id: u8,
    /// Whether the servo has a hardware error; register 70 contains the kind.
    pub alert: bool,
    /// The register's value.
    pub value: u32,
}

/// The instruction byte of a status packet.
pub(super) const IS_STATUS: u8 = 0x55;
/// The bit of the error byte that reports a hardware error. The other bits are an error number of the request.
pub(super) const ALERT: u8 = 0x80;
/// Instruction, error and checksum: the bytes in a packet's length besides its data.
const OVERHEAD_BYTES: usize = 4;

/// A complete status packet of one servo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Answer<'a> {
    /// The id of the servo.
    pub id: u8,
    /// The error byte.
    pub error: u8,
    /// The data, including stuffing.
    stuffed: &'a [u8],
}

impl Answer<'_> {
    /// Returns whether the servo rejected the request.
    pub const fn is_refusal(&self) -> bool {
        self.error & !ALERT != 0
    }

    /// Returns the data, without stuffing.
    pub fn data(&self) -> impl Iterator<Item = u8> + '_ {
        unstuffed(self.stuffed)
    }

    /// Returns the register's value, or `None` if the servo rejected the request.
    pub fn status(&self) -> Option<Status> {
        let status = Status { id: self.id, alert: self.error & ALERT != 0, value: value(self.data()) };
        (!self.is_refusal()).then_some(status)
    }
}

/// The first item in the received bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found<'a> {
    /// A status packet.
    Answer(Answer<'a>),
    /// A broken status packet of this servo.
    Broken {
        /// The id of the servo.
        id: u8,
        /// How it is broken.
        loss: ReadError,
    },
    /// An echo of a packet that was sent.
    Echo,
    /// Nothing complete; the remaining bytes may become a packet when more arrive.
    Nothing,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Find<'a> {
    /// The item.
    pub found: Found<'a>,
    /// The number of bytes before the item that belong to no packet.
    pub junk: usize,
    /// The number of bytes up to the item's end.
    pub used: usize,
}

/// Finds the first answer with `width` bytes of data, or a rejection. `sent_packets` are the sent packets, which the
/// line may echo.
pub(super) fn first_answer<'a>(bytes: &'a [u8], width: usize, sent_packets: &[&[u8]]) -> Find<'a> {
    let mut junk = 0;
    while let Some(rest) = bytes.get(junk..).filter(|rest| !rest.is_empty()) {
        match parse_candidate(rest, width, sent_packets) {
            Candidate::Complete(found, length) => return Find { found, junk, used: junk + length },
            Candidate::Incomplete => break,
            Candidate::NoMatch => junk += 1,
        }
    }
    Find { found: Found::Nothing, junk, used: junk }
}

enum Candidate<'a> {
    /// This item, with its length in bytes.
    Complete(Found<'a>, usize),
    /// Possibly the beginning of an item.
    Incomplete,
    NoMatch,
}

fn parse_candidate<'a>(bytes: &'a [u8], width: usize, sent_packets: &[&[u8]]) -> Candidate<'a> {
    if bytes.iter().zip(HEADER).any(|(byte, expected)| *byte != expected) {
        return Candidate::NoMatch;
    }
    if let Some(echo) = sent_packets.iter().find(|said| !said.is_empty() && bytes.starts_with(said)) {
        return Candidate::Complete(Found::Echo, echo.len());
    }
    if sent_packets.iter().any(|said| said.starts_with(bytes)) {
        return Candidate::Incomplete;
    }
    let Some(&[id, low, high, instruction]) = bytes.get(HEADER.len()..).and_then(<[u8]>::first_chunk) else {
        return Candidate::Incomplete;
    };
    // Stuffing adds at most one byte per three.
    let length = usize::from(u16::from_le_bytes([low, high]));
    let plain = width + OVERHEAD_BYTES;
    let possible = length == OVERHEAD_BYTES || (plain..=plain + (width + 1) / 3).contains(&length);
    if instruction != IS_STATUS || !possible {
        return Candidate::NoMatch;
    }
    let used = LENGTH_FIELD_END + length;
    let Some((body, sum)) = bytes.get(..used).and_then(<[u8]>::split_last_chunk) else {
        return Candidate::Incomplete;
    };
    if crc(0, body) != u16::from_le_bytes(*sum) {
        return match next_header(bytes, used) {
            Some(at) => Candidate::Complete(Found::Broken { id, loss: ReadError::Partial }, at),
            None => Candidate::Complete(Found::Broken { id, loss: ReadError::Corrupt }, HEADER.len()),
        };
    }
    let (error, stuffed) = match body.get(LENGTH_FIELD_END + 1..).and_then(<[u8]>::split_first) {
        Some((error, stuffed)) => (*error, stuffed),
        None => return Candidate::NoMatch,
    };
    let answer = Answer { id, error, stuffed };
    let said = answer.data().count();
    if said == width || (said == 0 && answer.is_refusal()) {
        Candidate::Complete(Found::Answer(answer), used)
    } else {
        Candidate::NoMatch
    }
}

/// Returns where another packet begins before the end of this one, which is then incomplete.
fn next_header(bytes: &[u8], used: usize) -> Option<usize> {
    let seen = bytes.get(..(used + HEADER.len() - 1).min(bytes.len()))?;
    let whole = seen.windows(HEADER.len()).skip(1).position(|window| window == HEADER).map(|at| at + 1);
    // The next header may have arrived only in part; a single byte of it may be a coincidence.
    let half = [3, 2]
        .into_iter()
        .filter(|half| HEADER.get(..*half).is_some_and(|head| seen.ends_with(head)))
        .map(|half| seen.len() - half);
    whole.into_iter().chain(half).find(|at| *at < used)
}

fn value(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.zip([0, 8, 16, 24]).fold(0, |value, (byte, shift)| value | u32::from(byte) << shift)
}

/// Returns the bytes without stuffing.
pub(super) fn unstuffed(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut last = [0; 3];
    bytes.iter().filter_map(move |&byte| {
        if last == STUFFING_PATTERN && byte == 0xfd {
            last = [0; 3];
            return None;
        }
        let [_, second, third] = last;
        last = [second, third, byte];
        Some(byte)
    })
}

/// Returns the length of one servo's answer with `width` bytes of data.
pub(super) const fn answer_length(width: usize) -> usize {
    LENGTH_FIELD_END + OVERHEAD_BYTES + width
}

/// Returns the length of the packet that answers a fast sync read.
pub(super) const fn fast_status_length(width: u8, servos: usize) -> usize {
    LENGTH_FIELD_END + 1 + servos * block_length(width)
}

/// Returns the length of one servo's part of it: error, id, value, checksum.
const fn block_length(width: u8) -> usize {
    width as usize + 4
}

/// Returns the received bytes from the start of the answer of `servos` servos to a fast sync read.
pub(super) fn fast_status_start(bytes: &[u8], width: u8, servos: usize) -> Option<&[u8]> {
    let length = u16::try_from(fast_status_length(width, servos) - LENGTH_FIELD_END).ok()?;
    let [low, high] = length.to_le_bytes();
    let [a, b, c, d] = HEADER;
    let start = [a, b, c, d, BROADCAST_ID, low, high, IS_STATUS];
    let at = bytes.windows(start.len()).position(|window| window == start)?;
    bytes.get(at..)
}

/// Returns the answers of the servos `ids` in the order of the request, up to the first one that is missing or wrong,
/// and its loss.
///
/// Each servo appends its block, whose checksum also covers all earlier blocks. Therefore no block after a bad one is
/// valid.
pub(super) fn fast_status<'a>(
    packet: &'a [u8],
    width: u8,
    ids: impl Iterator<Item = u8> + 'a,
) -> impl Iterator<Item = Result<Status, ReadError>> + 'a {
    let (start, blocks) = packet.split_at_checked(LENGTH_FIELD_END + 1).unwrap_or_default();
    let mut sum = crc(0, start);
    let mut broken = false;
    let length = block_length(width);
    ids.enumerate().map_while(move |(position, asked)| {
        if broken {
            return None;
        }
        let block = blocks.get(position * length..).unwrap_or_default();
        let status = parse_block(block.get(..length).unwrap_or(block), length, asked, &mut sum);
        // The first servo has sent the beginning of the packet, so it is not silent.
        let status = status.map_err(|loss| {
            if position == 0 && loss == ReadError::Silent { ReadError::Partial } else { loss }
        });
        broken = status.is_err();
        Some(status)
    })
}

fn parse_block(block: &[u8], length: usize, asked: u8, sum: &mut u16) -> Result<Status, ReadError> {
    if block.is_empty() {
        return Err(ReadError::Silent);
    }
    let Some((said, expected)) = block.split_last_chunk().filter(|_| block.len() == length) else {
        return Err(ReadError::Partial);
    };
    *sum = crc(*sum, said);
    let good = *sum == u16::from_le_bytes(*expected);
    *sum = crc(*sum, expected);
    let Some((&[error, id], bytes)) = said.split_first_chunk() else { return Err(ReadError::Partial) };
    let status = Status { id, alert: error & ALERT != 0, value: value(bytes.iter().copied()) };
    if good && id == asked && error & !ALERT == 0 { Ok(status) } else { Err(ReadError::Corrupt) }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;
    use rustypot::DynamixelProtocolHandler;
    use serialport::TTYPort;

    use super::*;

    // From the ROBOTIS e-Manual, protocol 2.0: two servos answer a sync read of their positions.
    const ONE: [u8; 15] = [255, 255, 253, 0, 1, 8, 0, 0x55, 0, 0xa6, 0, 0, 0, 0x8c, 0xc0];
    const TWO: [u8; 15] = [255, 255, 253, 0, 2, 8, 0, 0x55, 0, 0x1f, 8, 0, 0, 0xba, 0xbe];

    /// Returns all items, and the number of remaining bytes.
    fn find_all<'a>(mut bytes: &'a [u8], width: usize, sent_packets: &[&[u8]]) -> (Vec<Found<'a>>, usize) {
        let mut all = Vec::new();
        loop {
            let Find { found, used, .. } = first_answer(bytes, width, sent_packets);
            bytes = &bytes[used..];
            match found {
                Found::Nothing => return (all, bytes.len()),
                found => all.push(found),
            }
        }
    }

    fn all(bytes: &[u8], width: usize) -> Vec<(u8, u32)> {
        let said = |found: &Found| match found {
            Found::Answer(answer) => answer.status().map(|status| (status.id, status.value)),
            _ => None,
        };
        find_all(bytes, width, &[]).0.iter().filter_map(said).collect()
    }

    fn with_checksum(mut packet: Vec<u8>) -> Vec<u8> {
        packet.extend(crc(0, &packet).to_le_bytes());
        packet
    }

    /// Returns the shared packet of several servos, each as id, error byte and value.
    fn fast(values: &[(u8, u8, u32)]) -> Vec<u8> {
        let length = u16::try_from(values.len() * 8 + 1).unwrap();
        let mut packet = HEADER.to_vec();
        packet.push(BROADCAST_ID);
        packet.extend(length.to_le_bytes());
        packet.push(0x55);
        for (id, error, value) in values {
            packet.extend([*error, *id]);
            packet.extend(value.to_le_bytes());
            packet = with_checksum(packet);
        }
        packet
    }

    #[test]
    fn examples_of_the_manual_are_parsed() {
        assert_eq!(all(&[ONE, TWO].concat(), 4), [(1, 166), (2, 2079)]);
    }

    #[test]
    fn noise_does_not_affect_valid_packets() {
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
        // An answer of another width belongs to another request.
        assert_eq!(all(&ONE, 2), []);
    }

    #[test]
    fn packet_is_found_with_its_last_byte() {
        let bytes = [&[1, 2, 3][..], &TWO].concat();
        for length in 0..bytes.len() {
            let find = first_answer(&bytes[..length], 4, &[]);
            assert!(find.found == Found::Nothing && find.used <= 3, "{length}");
        }
        let find = first_answer(&bytes, 4, &[]);
        assert!(matches!(find, Find { found: Found::Answer(_), junk: 3, used: 18 }), "{find:?}");
    }

    #[test]
    fn alert_is_reported_and_rejection_has_no_value() {
        let with_error = |error: u8| {
            let mut packet = ONE[..13].to_vec();
            packet[8] = error;
            with_checksum(packet)
        };
        let packet = with_error(0x80);
        let Found::Answer(answer) = first_answer(&packet, 4, &[]).found else { panic!() };
        assert_eq!(answer.status(), Some(Status { id: 1, alert: true, value: 166 }));
        assert_eq!(all(&with_error(0x84), 4), []);
        // A rejection has no data.
        let refusal = with_checksum(vec![255, 255, 253, 0, 7, 4, 0, 0x55, 0x87]);
        let Found::Answer(answer) = first_answer(&refusal, 4, &[]).found else { panic!() };
        assert!(answer.is_refusal() && answer.status().is_none() && answer.data().count() == 0);
        let without_data = with_checksum(vec![255, 255, 253, 0, 7, 4, 0, 0x55, 0]);
        assert_eq!(first_answer(&without_data, 4, &[]).found, Found::Nothing);
        assert!(matches!(first_answer(&without_data, 0, &[]).found, Found::Answer(_)));
    }

    #[test]
    fn broken_answer_names_its_servo_and_loss() {
        let broken = |bytes: &[u8]| match find_all(bytes, 4, &[]).0.first() {
            Some(&Found::Broken { id, loss }) => Some((id, loss)),
            _ => None,
        };
        for flipped in [8, 9, 12, 13, 14] {
            let mut packet = ONE;
            packet[flipped] ^= 0x20;
            assert_eq!(broken(&[&packet[..], &TWO].concat()), Some((1, ReadError::Corrupt)), "{flipped}");
            assert_eq!(all(&[&packet[..], &TWO].concat(), 4), [(2, 2079)]);
        }
        for stored in 8..15 {
            let bytes = [&ONE[..stored], &TWO].concat();
            assert_eq!(broken(&bytes), Some((1, ReadError::Partial)), "{stored}");
            assert_eq!(all(&bytes, 4), [(2, 2079)]);
            // The same applies while only a part of the next header has arrived.
            assert_eq!(broken(&bytes[..stored + 3]).is_some(), stored >= 12, "{stored}");
        }
        assert_eq!(find_all(&ONE[..9], 4, &[]), (vec![], 9));
    }

    #[test]
    fn answer_after_an_echo_is_found() {
        let reported = with_checksum(vec![
            255, 255, 253, 0, 254, 17, 0, 0x83, 116, 0, 4, 0, 1, 0x96, 0, 0, 0, 2, 0xaa, 0, 0, 0,
        ]);
        let asked = [255, 255, 253, 0, 254, 9, 0, 0x82, 132, 0, 4, 0, 1, 2, 0xce, 0xfa];
        let bytes = [&reported[..], &asked, &ONE, &TWO].concat();
        let sent_packets: &[&[u8]] = &[&reported, &asked];
        for length in 0..=bytes.len() {
            let (found, _) = find_all(&bytes[..length], 4, sent_packets);
            let echoes = found.iter().filter(|found| **found == Found::Echo).count();
            assert!(found.len() <= 4 && echoes == found.len().min(2), "{length}: {found:?}");
        }
        let (found, left) = find_all(&bytes, 4, sent_packets);
        assert_eq!((found.len(), left), (4, 0));
        // If nothing was sent, there is no echo.
        assert_eq!(find_all(&ONE, 4, &[&[], &[]]).0.len(), 1);
    }

    #[test]
    fn stuffing_is_removed() {
        let packet = [255, 255, 253, 0, 9, 9, 0, 0x55, 0, 0xff, 0xff, 0xfd, 0xfd, 0x12];
        assert_eq!(all(&with_checksum(packet.to_vec()), 4), [(9, 0x12fd_ffff)]);
    }

    #[test]
    fn fast_answer_is_parsed_like_rustypot() {
        let packet = fast(&[(10, 0, 2048), (11, 0x80, 17), (12, 0, 0xffff_fff0)]);
        let (mut far, mut near) = TTYPort::pair().unwrap();
        let answer = packet.clone();
        // Rustypot discards received bytes before a request, so the answer must follow the request.
        let servo = std::thread::spawn(move || {
            let mut request = [0; 17];
            std::io::Read::read_exact(&mut far, &mut request).unwrap();
            far.write_all(&answer).unwrap();
            far
        });
        let theirs = DynamixelProtocolHandler::v2().fast_sync_read(&mut near, &[10, 11, 12], 132, 4).unwrap();
        servo.join().unwrap();

        let sent_packets: Vec<_> =
            fast_status(&packet, 4, [10, 11, 12].into_iter()).map(Result::unwrap).collect();
        assert_eq!(
            sent_packets.iter().map(|status| status.value.to_le_bytes().to_vec()).collect::<Vec<_>>(),
            theirs
        );
        assert!(sent_packets[1].alert && !sent_packets[0].alert);
        assert_eq!(packet.len(), fast_status_length(4, 3));
    }

    #[test]
    fn broken_fast_answer_keeps_valid_blocks_and_names_the_loss() {
        let whole = fast(&[(10, 0, 1), (11, 0, 2), (12, 0, 3)]);
        let check = |packet: &[u8], values: &[u32], then: Option<ReadError>| {
            let parts: Vec<_> = fast_status(packet, 4, [10, 11, 12].into_iter()).collect();
            let good: Vec<u32> = parts.iter().flatten().map(|status| status.value).collect();
            assert_eq!((&good[..], parts.last().unwrap().err()), (values, then), "{packet:?}");
            assert_eq!(parts.len(), values.len() + usize::from(then.is_some()));
        };
        check(&whole, &[1, 2, 3], None);
        check(&whole[..whole.len() - 1], &[1, 2], Some(ReadError::Partial));
        check(&whole[..whole.len() - 8], &[1, 2], Some(ReadError::Silent));
        check(&whole[..8 + 9], &[1], Some(ReadError::Partial));
        check(&whole[..8], &[], Some(ReadError::Partial));
        let mut flipped = whole.clone();
        flipped[8 + 8 + 3] ^= 4;
        check(&flipped, &[1], Some(ReadError::Corrupt));
        check(&fast(&[(10, 0, 1), (12, 0, 3), (11, 0, 2)]), &[1], Some(ReadError::Corrupt));
        check(&fast(&[(10, 0, 1), (11, 0, 2), (12, 3, 2)]), &[1, 2], Some(ReadError::Corrupt));
        check(&[], &[], Some(ReadError::Partial));

        let late = [&[0xff, 0xff, 7][..], &whole].concat();
        assert_eq!(fast_status_start(&late, 4, 3), Some(&whole[..]));
        assert_eq!(fast_status_start(&late, 4, 2), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_parsed_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), width in 1_u8..=4) {
            let said = [&HEADER[..], &[BROADCAST_ID, 9, 0, 0x82]].concat();
            let (_, left) = find_all(&bytes, usize::from(width), &[&said]);
            prop_assert!(left <= bytes.len());
            let _ = fast_status(&bytes, width, 10..19).count();
            let _ = fast_status_start(&bytes, width, 9);
        }

        #[test]
        fn packet_is_found_after_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            // This holds unless the bytes themselves form a valid packet, which is practically impossible.
            prop_assert_eq!(all(&[&bytes[..], &ONE].concat(), 4), [(1, 166)]);
        }
    }
}

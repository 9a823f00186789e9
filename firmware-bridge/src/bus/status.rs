//! What servos answer: packets found in whatever bytes arrive, and what became of those that are missing.
//!
//! A line can lose, add and change bytes, and some adapters send back what was sent. Whatever is not a whole packet
//! with the right checksum is passed over, so one bad packet never costs the good ones after it.

use super::packet::{EVERYONE, HEADER, LENGTH_ENDS, STUFFED, crc};
use crate::servo::Loss;

/// One servo's answer to a question about a register of at most four bytes.
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
pub(super) const IS_STATUS: u8 = 0x55;
/// In the error byte: there is a hardware error. The other bits number what was wrong with the request.
pub(super) const ALERT: u8 = 0x80;
/// Instruction, error and checksum: what an answer's length counts besides its data.
const FRAME: usize = 4;

/// A whole answer of one servo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Answer<'a> {
    /// Who answers.
    pub id: u8,
    /// The error byte.
    pub error: u8,
    /// The data, still with its stuffing.
    stuffed: &'a [u8],
}

impl Answer<'_> {
    /// Whether the servo refused the request.
    pub const fn is_refusal(&self) -> bool {
        self.error & !ALERT != 0
    }

    /// The data.
    pub fn data(&self) -> impl Iterator<Item = u8> + '_ {
        unstuffed(self.stuffed)
    }

    /// What it says of a register; nothing when it refuses to.
    pub fn status(&self) -> Option<Status> {
        let status = Status { id: self.id, alert: self.error & ALERT != 0, value: value(self.data()) };
        (!self.is_refusal()).then_some(status)
    }
}

/// What comes first in the received bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found<'a> {
    /// An answer.
    Answer(Answer<'a>),
    /// Something that begins as an answer of this servo, but is broken.
    Broken {
        /// Whose answer it would have been.
        id: u8,
        /// In what way.
        loss: Loss,
    },
    /// What we sent ourselves.
    Echo,
    /// Nothing that is finished; what is left may become something when more arrives.
    Nothing,
}

/// Where it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Find<'a> {
    /// What it is.
    pub found: Found<'a>,
    /// The bytes before it, which belong to nothing.
    pub junk: usize,
    /// The bytes up to its end.
    pub used: usize,
}

/// Looks for the first answer with `width` bytes of data, or a refusal. `ours` are the packets that an echo would
/// bring back.
pub(super) fn first_answer<'a>(bytes: &'a [u8], width: usize, ours: &[&[u8]]) -> Find<'a> {
    let mut junk = 0;
    while let Some(rest) = bytes.get(junk..).filter(|rest| !rest.is_empty()) {
        match here(rest, width, ours) {
            Here::Is(found, length) => return Find { found, junk, used: junk + length },
            Here::Perhaps => break,
            Here::No => junk += 1,
        }
    }
    Find { found: Found::Nothing, junk, used: junk }
}

enum Here<'a> {
    /// This, and so many bytes long.
    Is(Found<'a>, usize),
    /// So far it looks like something.
    Perhaps,
    No,
}

fn here<'a>(bytes: &'a [u8], width: usize, ours: &[&[u8]]) -> Here<'a> {
    if bytes.iter().zip(HEADER).any(|(byte, expected)| *byte != expected) {
        return Here::No;
    }
    if let Some(echo) = ours.iter().find(|said| !said.is_empty() && bytes.starts_with(said)) {
        return Here::Is(Found::Echo, echo.len());
    }
    if ours.iter().any(|said| said.starts_with(bytes)) {
        return Here::Perhaps;
    }
    let Some(&[id, low, high, instruction]) = bytes.get(HEADER.len()..).and_then(<[u8]>::first_chunk) else {
        return Here::Perhaps;
    };
    // Stuffing adds at most one byte to three.
    let length = usize::from(u16::from_le_bytes([low, high]));
    let plain = width + FRAME;
    let possible = length == FRAME || (plain..=plain + (width + 1) / 3).contains(&length);
    if instruction != IS_STATUS || !possible {
        return Here::No;
    }
    let used = LENGTH_ENDS + length;
    let Some((body, sum)) = bytes.get(..used).and_then(<[u8]>::split_last_chunk) else {
        return Here::Perhaps;
    };
    if crc(0, body) != u16::from_le_bytes(*sum) {
        return match next_header(bytes, used) {
            Some(at) => Here::Is(Found::Broken { id, loss: Loss::Partial }, at),
            None => Here::Is(Found::Broken { id, loss: Loss::Corrupt }, HEADER.len()),
        };
    }
    let (error, stuffed) = match body.get(LENGTH_ENDS + 1..).and_then(<[u8]>::split_first) {
        Some((error, stuffed)) => (*error, stuffed),
        None => return Here::No,
    };
    let answer = Answer { id, error, stuffed };
    let said = answer.data().count();
    if said == width || (said == 0 && answer.is_refusal()) {
        Here::Is(Found::Answer(answer), used)
    } else {
        Here::No
    }
}

/// Where another packet begins before this one should have ended: then this one has broken off.
fn next_header(bytes: &[u8], used: usize) -> Option<usize> {
    let seen = bytes.get(..(used + HEADER.len() - 1).min(bytes.len()))?;
    let whole = seen.windows(HEADER.len()).skip(1).position(|window| window == HEADER).map(|at| at + 1);
    // The next one's header may be only half here; a single byte of it may be chance.
    let half = [3, 2]
        .into_iter()
        .filter(|half| HEADER.get(..*half).is_some_and(|head| seen.ends_with(head)))
        .map(|half| seen.len() - half);
    whole.into_iter().chain(half).find(|at| *at < used)
}

fn value(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.zip([0, 8, 16, 24]).fold(0, |value, (byte, shift)| value | u32::from(byte) << shift)
}

/// The bytes without those that stuffing has put in.
pub(super) fn unstuffed(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {
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

/// The length of one servo's answer with `width` bytes of data.
pub(super) const fn answer_length(width: usize) -> usize {
    LENGTH_ENDS + FRAME + width
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

/// The answers of the servos `ids`, in the order in which they were asked, as far as the packet is whole and right; and
/// what happened to the first that is not.
///
/// Each servo adds its block, whose checksum covers all before it too; so nothing after a bad block can be believed.
pub(super) fn together<'a>(
    packet: &'a [u8],
    width: u8,
    ids: impl Iterator<Item = u8> + 'a,
) -> impl Iterator<Item = Result<Status, Loss>> + 'a {
    let (start, blocks) = packet.split_at_checked(LENGTH_ENDS + 1).unwrap_or_default();
    let mut sum = crc(0, start);
    let mut broken = false;
    let length = block_length(width);
    ids.enumerate().map_while(move |(place, asked)| {
        if broken {
            return None;
        }
        let block = blocks.get(place * length..).unwrap_or_default();
        let status = block_here(block.get(..length).unwrap_or(block), length, asked, &mut sum);
        // Who sent the beginning of the packet has sent something.
        let status =
            status.map_err(|loss| if place == 0 && loss == Loss::Silent { Loss::Partial } else { loss });
        broken = status.is_err();
        Some(status)
    })
}

fn block_here(block: &[u8], length: usize, asked: u8, sum: &mut u16) -> Result<Status, Loss> {
    if block.is_empty() {
        return Err(Loss::Silent);
    }
    let Some((said, expected)) = block.split_last_chunk().filter(|_| block.len() == length) else {
        return Err(Loss::Partial);
    };
    *sum = crc(*sum, said);
    let good = *sum == u16::from_le_bytes(*expected);
    *sum = crc(*sum, expected);
    let Some((&[error, id], bytes)) = said.split_first_chunk() else { return Err(Loss::Partial) };
    let status = Status { id, alert: error & ALERT != 0, value: value(bytes.iter().copied()) };
    if good && id == asked && error & !ALERT == 0 { Ok(status) } else { Err(Loss::Corrupt) }
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

    /// All that is found, one word each, and what is left.
    fn walk<'a>(mut bytes: &'a [u8], width: usize, ours: &[&[u8]]) -> (Vec<Found<'a>>, usize) {
        let mut all = Vec::new();
        loop {
            let Find { found, used, .. } = first_answer(bytes, width, ours);
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
        walk(bytes, width, &[]).0.iter().filter_map(said).collect()
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
            let find = first_answer(&bytes[..length], 4, &[]);
            assert!(find.found == Found::Nothing && find.used <= 3, "{length}");
        }
        let find = first_answer(&bytes, 4, &[]);
        assert!(matches!(find, Find { found: Found::Answer(_), junk: 3, used: 18 }), "{find:?}");
    }

    #[test]
    fn alerts_are_kept_and_refusals_are_no_answers() {
        let with_error = |error: u8| {
            let mut packet = ONE[..13].to_vec();
            packet[8] = error;
            sealed(packet)
        };
        let packet = with_error(0x80);
        let Found::Answer(answer) = first_answer(&packet, 4, &[]).found else { panic!() };
        assert_eq!(answer.status(), Some(Status { id: 1, alert: true, value: 166 }));
        assert_eq!(all(&with_error(0x84), 4), []);
        // A refusal has no data.
        let refusal = sealed(vec![255, 255, 253, 0, 7, 4, 0, 0x55, 0x87]);
        let Found::Answer(answer) = first_answer(&refusal, 4, &[]).found else { panic!() };
        assert!(answer.is_refusal() && answer.status().is_none() && answer.data().count() == 0);
        let without_data = sealed(vec![255, 255, 253, 0, 7, 4, 0, 0x55, 0]);
        assert_eq!(first_answer(&without_data, 4, &[]).found, Found::Nothing);
        assert!(matches!(first_answer(&without_data, 0, &[]).found, Found::Answer(_)));
    }

    #[test]
    fn a_broken_answer_is_named() {
        let broken = |bytes: &[u8]| match walk(bytes, 4, &[]).0.first() {
            Some(&Found::Broken { id, loss }) => Some((id, loss)),
            _ => None,
        };
        for flipped in [8, 9, 12, 13, 14] {
            let mut packet = ONE;
            packet[flipped] ^= 0x20;
            assert_eq!(broken(&[&packet[..], &TWO].concat()), Some((1, Loss::Corrupt)), "{flipped}");
            assert_eq!(all(&[&packet[..], &TWO].concat(), 4), [(2, 2079)]);
        }
        for kept in 8..15 {
            let bytes = [&ONE[..kept], &TWO].concat();
            assert_eq!(broken(&bytes), Some((1, Loss::Partial)), "{kept}");
            assert_eq!(all(&bytes, 4), [(2, 2079)]);
            // While the next one's header is only half here, too.
            assert_eq!(broken(&bytes[..kept + 3]).is_some(), kept >= 12, "{kept}");
        }
        assert_eq!(walk(&ONE[..9], 4, &[]), (vec![], 9));
    }

    #[test]
    fn an_echo_is_passed_over_and_the_answer_after_it_is_found() {
        let told = sealed(vec![
            255, 255, 253, 0, 254, 17, 0, 0x83, 116, 0, 4, 0, 1, 0x96, 0, 0, 0, 2, 0xaa, 0, 0, 0,
        ]);
        let asked = [255, 255, 253, 0, 254, 9, 0, 0x82, 132, 0, 4, 0, 1, 2, 0xce, 0xfa];
        let bytes = [&told[..], &asked, &ONE, &TWO].concat();
        let ours: &[&[u8]] = &[&told, &asked];
        for length in 0..=bytes.len() {
            let (found, _) = walk(&bytes[..length], 4, ours);
            let echoes = found.iter().filter(|found| **found == Found::Echo).count();
            assert!(found.len() <= 4 && echoes == found.len().min(2), "{length}: {found:?}");
        }
        let (found, left) = walk(&bytes, 4, ours);
        assert_eq!((found.len(), left), (4, 0));
        // Nothing was sent: then there is no echo either.
        assert_eq!(walk(&ONE, 4, &[&[], &[]]).0.len(), 1);
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

        let ours: Vec<_> = together(&packet, 4, [10, 11, 12].into_iter()).map(Result::unwrap).collect();
        assert_eq!(ours.iter().map(|status| status.value.to_le_bytes().to_vec()).collect::<Vec<_>>(), theirs);
        assert!(ours[1].alert && !ours[0].alert);
        assert_eq!(packet.len(), together_length(4, 3));
    }

    #[test]
    fn of_a_broken_fast_answer_the_good_part_is_kept_and_the_break_is_named() {
        let whole = fast(&[(10, 0, 1), (11, 0, 2), (12, 0, 3)]);
        let check = |packet: &[u8], values: &[u32], then: Option<Loss>| {
            let parts: Vec<_> = together(packet, 4, [10, 11, 12].into_iter()).collect();
            let good: Vec<u32> = parts.iter().flatten().map(|status| status.value).collect();
            assert_eq!((&good[..], parts.last().unwrap().err()), (values, then), "{packet:?}");
            assert_eq!(parts.len(), values.len() + usize::from(then.is_some()));
        };
        check(&whole, &[1, 2, 3], None);
        check(&whole[..whole.len() - 1], &[1, 2], Some(Loss::Partial));
        check(&whole[..whole.len() - 8], &[1, 2], Some(Loss::Silent));
        check(&whole[..8 + 9], &[1], Some(Loss::Partial));
        check(&whole[..8], &[], Some(Loss::Partial));
        let mut flipped = whole.clone();
        flipped[8 + 8 + 3] ^= 4;
        check(&flipped, &[1], Some(Loss::Corrupt));
        check(&fast(&[(10, 0, 1), (12, 0, 3), (11, 0, 2)]), &[1], Some(Loss::Corrupt));
        check(&fast(&[(10, 0, 1), (11, 0, 2), (12, 3, 2)]), &[1, 2], Some(Loss::Corrupt));
        check(&[], &[], Some(Loss::Partial));

        let late = [&[0xff, 0xff, 7][..], &whole].concat();
        assert_eq!(together_start(&late, 4, 3), Some(&whole[..]));
        assert_eq!(together_start(&late, 4, 2), None);
    }

    proptest! {
        #[test]
        fn no_bytes_whatever_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200), width in 1_u8..=4) {
            let said = [&HEADER[..], &[EVERYONE, 9, 0, 0x82]].concat();
            let (_, left) = walk(&bytes, usize::from(width), &[&said]);
            prop_assert!(left <= bytes.len());
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

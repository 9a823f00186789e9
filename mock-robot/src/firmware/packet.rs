//! Dynamixel protocol 2.0: parses instructions and builds status packets.
//!
//! A packet is `FF FF FD 00 ID LENGTH_L LENGTH_H INSTRUCTION PARAMETERS.. CRC_L CRC_H`. The length counts all bytes
//! after itself. A `FF FF FD` among the parameters is followed by an extra `FD`, so a header never occurs inside a
//! packet.

const HEADER: [u8; 4] = [0xFF, 0xFF, 0xFD, 0x00];
/// Size of header, id and length.
const PREFIX: usize = 7;
/// The maximum length of a packet; a larger length is noise.
const MAX_PACKET_BYTES: usize = 1024;
const STATUS: u8 = 0x55;
/// The id that addresses every servo.
pub(super) const BROADCAST: u8 = 0xFE;
/// The maximum id of a servo.
const MAX_ID: u8 = 252;

/// The error numbers of a status packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PacketError {
    /// The servo could not execute the instruction.
    ResultFail = 1,
    /// The instruction does not exist.
    Instruction = 2,
    /// The packet's checksum does not match.
    Crc = 3,
    /// The value is outside the register's range.
    DataRange = 4,
    /// The data does not fill the register.
    DataLength = 5,
    /// The value is outside a configured limit.
    DataLimit = 6,
    /// The register cannot be read or written, or not now.
    Access = 7,
}

/// The bit of a status packet's error byte that reports a nonzero register 70.
pub(super) const ALERT: u8 = 0x80;

/// A packet that was received on the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// The addressed servo.
    pub(super) id: u8,
    /// The content.
    pub(super) body: Body,
}

/// The content of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// An instruction with its parameters.
    Instruction(u8, Vec<u8>),
    /// A packet with a wrong checksum.
    Corrupt,
}

/// Splits a stream of bytes into packets; after noise it continues at the next header.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    buffer: Vec<u8>,
}

impl Decoder {
    /// Adds received bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next packet and drops noise. Without a complete packet, at most one incomplete packet remains.
    pub(super) fn next(&mut self) -> Option<Packet> {
        let mut used = 0;
        let found = loop {
            let rest = self.buffer.get(used..).unwrap_or_default();
            match parse_first(rest) {
                _ if rest.is_empty() => break None,
                Parsed::Packet(packet, length) => {
                    used += length;
                    break Some(packet);
                }
                Parsed::Noise => used += 1,
                Parsed::Partial => break None,
            }
        };
        self.buffer.drain(..used.min(self.buffer.len()));
        found
    }
}

/// The item at the start of the bytes.
enum Parsed {
    /// A complete packet with its length in bytes.
    Packet(Packet, usize),
    /// The first byte does not begin a packet.
    Noise,
    /// An incomplete packet.
    Partial,
}

fn parse_first(bytes: &[u8]) -> Parsed {
    let begins = bytes.iter().zip(HEADER).all(|(byte, header)| *byte == header);
    if !begins {
        return Parsed::Noise;
    }
    let Some(&[_, _, _, _, id, low, high]) = bytes.first_chunk::<PREFIX>() else { return Parsed::Partial };
    let length = PREFIX + usize::from(u16::from_le_bytes([low, high]));
    if !(PREFIX + 3..=MAX_PACKET_BYTES).contains(&length) || (id > MAX_ID && id != BROADCAST) {
        return Parsed::Noise;
    }
    // A header inside a packet begins a new one: the packet before it was truncated.
    let inside = bytes.get(PREFIX..bytes.len().min(length - 2)).unwrap_or_default();
    if inside.windows(HEADER.len()).any(|window| window == HEADER) {
        return Parsed::Noise;
    }
    let Some((covered, [crc_low, crc_high])) =
        bytes.get(..length).and_then(|packet| packet.split_last_chunk())
    else {
        return Parsed::Partial;
    };
    if crc(0, covered) != u16::from_le_bytes([*crc_low, *crc_high]) {
        // Only the header is dropped: if the length was wrong, the following bytes may contain a packet.
        return Parsed::Packet(Packet { id, body: Body::Corrupt }, HEADER.len());
    }
    match covered.get(PREFIX..).and_then(|inside| inside.split_first()) {
        // A status packet of another servo.
        None | Some((&STATUS, _)) => Parsed::Noise,
        Some((&instruction, parameters)) => {
            Parsed::Packet(Packet { id, body: Body::Instruction(instruction, unstuffed(parameters)) }, length)
        }
    }
}

/// Adds the status packet of one servo.
pub(super) fn status(out: &mut Vec<u8>, id: u8, error: u8, parameters: &[u8]) {
    let start = out.len();
    out.extend(HEADER);
    out.extend([id, 0, 0, STATUS, error]);
    let inside = push_stuffed(out, parameters);
    finish_packet(out, start, inside + 4);
}

/// Writes the length into a packet that began at `start`, and adds the checksum.
fn finish_packet(out: &mut Vec<u8>, start: usize, length: usize) {
    let field = start + PREFIX - 2;
    if let Some(position) = out.get_mut(field..field + 2) {
        position.copy_from_slice(&length_field(length));
    }
    let sum = crc(0, out.get(start..).unwrap_or_default());
    out.extend(sum.to_le_bytes());
}

/// The shared answer to a fast sync read: one header, then a block of error, id, data and running checksum from each
/// servo. It ends before the first servo without an answer. The blocks are not stuffed.
#[derive(Debug)]
pub(super) struct FastStatus {
    sum: u16,
    summed_bytes: usize,
}

impl FastStatus {
    /// Begins the answer of `asked` servos with `length` bytes each.
    pub(super) fn begin(out: &mut Vec<u8>, asked: usize, length: usize) -> FastStatus {
        let summed_bytes = out.len();
        out.extend(HEADER);
        out.push(BROADCAST);
        out.extend(length_field(1 + asked * (length + 4)));
        out.push(STATUS);
        FastStatus { sum: 0, summed_bytes }
    }

    /// Adds one servo's block with its data.
    pub(super) fn block(&mut self, out: &mut Vec<u8>, error: u8, id: u8, data: &[u8]) {
        out.extend([error, id]);
        out.extend(data);
        self.add(out);
        out.extend(self.sum.to_le_bytes());
        self.add(out);
    }

    fn add(&mut self, out: &[u8]) {
        self.sum = crc(self.sum, out.get(self.summed_bytes..).unwrap_or_default());
        self.summed_bytes = out.len();
    }
}

fn length_field(length: usize) -> [u8; 2] {
    u16::try_from(length).unwrap_or(u16::MAX).to_le_bytes()
}

/// Adds the stuffed parameters, and returns their number of bytes.
fn push_stuffed(out: &mut Vec<u8>, parameters: &[u8]) -> usize {
    let start = out.len();
    let mut since = start;
    for &byte in parameters {
        out.push(byte);
        // An inserted byte never counts towards the next pattern.
        if byte == 0xFD && out.get(since..).is_some_and(|new| new.ends_with(&[0xFF, 0xFF, 0xFD])) {
            out.push(0xFD);
            since = out.len();
        }
    }
    out.len() - start
}

fn unstuffed(parameters: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(parameters.len());
    let mut inserted_next = false;
    for &byte in parameters {
        if inserted_next && byte == 0xFD {
            inserted_next = false;
            continue;
        }
        out.push(byte);
        inserted_next = out.ends_with(&[0xFF, 0xFF, 0xFD]);
    }
    out
}

/// Returns the CRC-16 with the polynomial 0x8005, most significant bit first. The checksum of a packet starts at zero.
fn crc(sum: u16, bytes: &[u8]) -> u16 {
    bytes.iter().fold(sum, |sum, byte| {
        let [high, low] = sum.to_be_bytes();
        // The table has a value for each byte.
        CRC_OF_BYTE.get(usize::from(high ^ byte)).copied().unwrap_or_default() ^ (u16::from(low) << 8)
    })
}

const CRC_OF_BYTE: [u16; 256] = {
    let mut table = [0; 256];
    let mut rest = table.as_mut_slice();
    let mut byte = 0_u16;
    while let Some((slot, others)) = rest.split_first_mut() {
        let mut sum = byte << 8;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 0x8000 == 0 { sum << 1 } else { (sum << 1) ^ 0x8005 };
            bit += 1;
        }
        *slot = sum;
        byte += 1;
        rest = others;
    }
    table
};

/// Returns the instruction packet for these parameters, as a controller sends it.
#[cfg(test)]
pub(super) fn instruction(id: u8, instruction: u8, parameters: &[u8]) -> Vec<u8> {
    let mut bytes = HEADER.to_vec();
    bytes.extend([id, 0, 0, instruction]);
    let inside = push_stuffed(&mut bytes, parameters);
    finish_packet(&mut bytes, 0, inside + 3);
    bytes
}

/// Returns the status packet of one servo.
#[cfg(test)]
pub(super) fn status_packet(id: u8, error: u8, parameters: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    status(&mut bytes, id, error, parameters);
    bytes
}

/// Returns the shared answer of several servos.
#[cfg(test)]
pub(super) fn fast_packet(asked: usize, length: usize, blocks: &[(u8, u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut fast = FastStatus::begin(&mut bytes, asked, length);
    for (error, id, data) in blocks {
        fast.block(&mut bytes, *error, *id, data);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Decoder {
        fn all(&mut self, bytes: &[u8]) -> Vec<Packet> {
            self.push(bytes);
            std::iter::from_fn(|| self.next()).collect()
        }
    }

    fn instruction_packet(id: u8, kind: u8, parameters: &[u8]) -> Packet {
        Packet { id, body: Body::Instruction(kind, parameters.to_vec()) }
    }

    // The examples of the protocol's manual, https://emanual.robotis.com/docs/en/dxl/protocol2/
    const PING: [u8; 10] = [0xFF, 0xFF, 0xFD, 0x00, 0x01, 0x03, 0x00, 0x01, 0x19, 0x4E];
    const READ: [u8; 14] =
        [0xFF, 0xFF, 0xFD, 0x00, 0x01, 0x07, 0x00, 0x02, 0x84, 0x00, 0x04, 0x00, 0x1D, 0x15];
    const POSITION_166: [u8; 15] =
        [0xFF, 0xFF, 0xFD, 0x00, 0x01, 0x08, 0x00, 0x55, 0x00, 0xA6, 0x00, 0x00, 0x00, 0x8C, 0xC0];

    #[test]
    fn examples_of_the_manual_are_parsed_and_built() {
        let packets = Decoder::default().all(&[PING.as_slice(), &READ].concat());
        assert_eq!(
            packets,
            [instruction_packet(1, 0x01, &[]), instruction_packet(1, 0x02, &[0x84, 0, 4, 0])]
        );
        assert_eq!(status_packet(1, 0, &[0xA6, 0, 0, 0]), POSITION_166);
        assert_eq!(instruction(1, 0x01, &[]), PING);
        let blocks =
            [(0, 3, vec![0xA6, 0, 0, 0]), (0, 7, vec![0x1F, 0x08, 0, 0]), (0, 4, vec![0xFF, 0x03, 0, 0])];
        let expected = [
            0xFF, 0xFF, 0xFD, 0x00, 0xFE, 0x19, 0x00, 0x55, 0x00, 0x03, 0xA6, 0x00, 0x00, 0x00, 0x84, 0x08,
            0x00, 0x07, 0x1F, 0x08, 0x00, 0x00, 0x16, 0xCA, 0x00, 0x04, 0xFF, 0x03, 0x00, 0x00, 0xD1, 0x9E,
        ];
        assert_eq!(fast_packet(3, 4, &blocks), expected);
        assert_eq!(fast_packet(3, 4, &blocks[..2]), expected[..24]);
    }

    #[test]
    fn packet_is_parsed_byte_by_byte_and_after_noise() {
        let mut decoder = Decoder::default();
        let mut packets = Vec::new();
        for byte in [&[0x00, 0xFF, 0xFF, 0xFF, 0xFD, 0x07, 0xFF][..], &PING, &[0xFF, 0xFF]].concat() {
            packets.extend(decoder.all(&[byte]));
        }
        assert_eq!(packets, [instruction_packet(1, 0x01, &[])]);
    }

    #[test]
    fn packet_after_a_truncated_one_is_parsed() {
        // The length promises a thousand bytes, but the packet is truncated.
        let cut = [0xFF, 0xFF, 0xFD, 0x00, 0x01, 0xE8, 0x03, 0x03, 0x74, 0x00];
        let packets = Decoder::default().all(&[&cut[..], &PING].concat());
        assert_eq!(packets, [instruction_packet(1, 0x01, &[])]);
    }

    #[test]
    fn wrong_bit_is_reported_and_the_next_packet_is_parsed() {
        let mut wrong = READ;
        wrong[9] ^= 0x40;
        let packets = Decoder::default().all(&[&wrong[..], &PING].concat());
        assert_eq!(packets, [Packet { id: 1, body: Body::Corrupt }, instruction_packet(1, 0x01, &[])]);
    }

    #[test]
    fn status_packets_on_the_line_are_ignored() {
        assert_eq!(Decoder::default().all(&POSITION_166), []);
    }

    proptest! {
        #[test]
        fn stuffing_round_trips(
            parameters in proptest::collection::vec(prop_oneof![Just(0xFF_u8), Just(0xFD), Just(0x00), any::<u8>()], 0..60),
        ) {
            let mut stuffed = Vec::new();
            push_stuffed(&mut stuffed, &parameters);
            prop_assert_eq!(unstuffed(&stuffed), parameters.clone());
            let bytes = instruction(12, 0x03, &parameters);
            prop_assert_eq!(Decoder::default().all(&bytes), [instruction_packet(12, 0x03, &parameters)]);
        }

        #[test]
        fn packet_is_parsed_after_any_noise_with_a_bounded_buffer(
            noise in proptest::collection::vec(prop_oneof![Just(0xFF_u8), Just(0xFD), Just(0x00), any::<u8>()], 0..2_000),
        ) {
            let mut decoder = Decoder::default();
            decoder.all(&noise);
            prop_assert!(decoder.buffer.len() < MAX_PACKET_BYTES);
            // A length in the noise may cover one of the following headers, never two.
            let packets = decoder.all(&[PING, PING].concat());
            prop_assert_eq!(packets.last(), Some(&instruction_packet(1, 0x01, &[])));
        }
    }
}

//! Repairs and splits JPEGs as cameras send them: padded after the end, truncated, or without the standard Huffman tables.

/// Class, code lengths and symbols of the four tables of ITU T.81, annex K.3. A motion JPEG without tables implies these.
const STANDARD_TABLES: [(u8, [u8; 16], &[u8]); 4] = [
    (0x00, [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    (0x01, [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    (0x10, [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d], &LUMINANCE_AC),
    (0x11, [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77], &CHROMINANCE_AC),
];

const LUMINANCE_AC: [u8; 162] = [
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22,
    0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33,
    0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34,
    0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55,
    0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76,
    0x77, 0x78, 0x79, 0x7a, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96,
    0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5,
    0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4,
    0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1,
    0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
];

const CHROMINANCE_AC: [u8; 162] = [
    0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13,
    0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62,
    0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29,
    0x2a, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54,
    0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75,
    0x76, 0x77, 0x78, 0x79, 0x7a, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94,
    0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3,
    0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2,
    0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea,
    0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
];

/// First and last bytes of a JPEG.
const START_OF_IMAGE: [u8; 2] = [0xff, 0xd8];
const END_OF_IMAGE: [u8; 2] = [0xff, 0xd9];
const HUFFMAN_TABLES: u8 = 0xc4;
const START_OF_SCAN: u8 = 0xda;

/// Returns the bytes of a JPEG from its beginning to its end, with the standard tables added where a camera omitted them.
/// Returns `None` for other data and for a truncated JPEG. It decodes nothing.
#[must_use]
pub fn whole(bytes: Vec<u8>) -> Option<Vec<u8>> {
    let end = bytes.windows(2).rposition(|two| two == END_OF_IMAGE)? + 2;
    let (scan, has_tables) = scan_start(bytes.get(..end)?)?;
    let mut whole = bytes;
    whole.truncate(end);
    if !has_tables {
        let tail = whole.split_off(scan);
        whole.extend(standard_tables_segment());
        whole.extend(tail);
    }
    Some(whole)
}

/// Returns the offset of the first scan, and whether tables precede it.
fn scan_start(bytes: &[u8]) -> Option<(usize, bool)> {
    if bytes.get(..2)? != START_OF_IMAGE {
        return None;
    }
    let (mut at, mut has_tables) = (2, false);
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        match *bytes.get(at + 1)? {
            // Fill bytes may precede a marker.
            0xff => {
                at += 1;
                continue;
            }
            START_OF_SCAN => return Some((at, has_tables)),
            HUFFMAN_TABLES => has_tables = true,
            _ => {}
        }
        let length = u16::from_be_bytes([*bytes.get(at + 2)?, *bytes.get(at + 3)?]);
        if length < 2 {
            return None;
        }
        at += 2 + usize::from(length);
    }
}

/// Result of searching for a JPEG at the beginning of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// A JPEG with this many bytes.
    Whole(usize),
    /// The JPEG is incomplete.
    More,
    /// The bytes do not begin with a JPEG.
    None,
}

/// Returns the length of the JPEG with which these bytes begin. It skips thumbnails inside it.
#[must_use]
pub fn first(bytes: &[u8]) -> First {
    let byte = |at: usize| bytes.get(at).copied();
    let begun = START_OF_IMAGE.iter().zip(bytes).all(|(one, other)| one == other);
    if !begun {
        return First::None;
    }
    let mut at = 2;
    loop {
        let (Some(marker), Some(kind)) = (byte(at), byte(at + 1)) else { return First::More };
        if marker != 0xff {
            return First::None;
        }
        match kind {
            0xff => at += 1,
            0xd9 => return First::Whole(at + 2),
            // These markers have no length.
            0x01 | 0xd0..=0xd7 => at += 2,
            _ => {
                let (Some(high), Some(low)) = (byte(at + 2), byte(at + 3)) else { return First::More };
                let length = usize::from(u16::from_be_bytes([high, low]));
                if length < 2 {
                    return First::None;
                }
                at += 2 + length;
                if kind == START_OF_SCAN {
                    let Some(data) = bytes.get(at..) else { return First::More };
                    // Entropy-coded data contains no markers except restart markers.
                    let ends = |two: &[u8]| matches!(two, [0xff, kind] if !matches!(kind, 0x00 | 0xd0..=0xd7 | 0xff));
                    let Some(end) = data.windows(2).position(ends) else { return First::More };
                    at += end;
                }
            }
        }
    }
}

fn standard_tables_segment() -> Vec<u8> {
    let length: usize = STANDARD_TABLES.iter().map(|(_, _, symbols)| 17 + symbols.len()).sum();
    let mut segment = vec![0xff, HUFFMAN_TABLES];
    segment.extend(u16::try_from(length + 2).unwrap_or(u16::MAX).to_be_bytes());
    for (which, counts, symbols) in STANDARD_TABLES {
        segment.push(which);
        segment.extend(counts);
        segment.extend(symbols);
    }
    segment
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::frame::{decode, encode};
    use firmware_bridge::camera::BgrImage;

    /// Returns a coloured JPEG. Different values of `shade` give different images.
    pub(crate) fn jpeg(shade: u8) -> Vec<u8> {
        encode(
            &BgrImage::of(48, 64, (0..48 * 64).flat_map(|at| [shade, (at % 251) as u8, 90]).collect())
                .unwrap(),
        )
        .unwrap()
    }

    /// Removes the Huffman tables, as many USB cameras do.
    pub(crate) fn without_tables(jpeg: &[u8]) -> Vec<u8> {
        let (mut stripped, mut at) = (jpeg[..2].to_vec(), 2);
        while jpeg[at + 1] != START_OF_SCAN {
            let length = usize::from(u16::from_be_bytes([jpeg[at + 2], jpeg[at + 3]])) + 2;
            if jpeg[at + 1] != HUFFMAN_TABLES {
                stripped.extend(&jpeg[at..at + length]);
            }
            at += length;
        }
        stripped.extend(&jpeg[at..]);
        stripped
    }

    #[test]
    fn whole_inserts_missing_tables() {
        let full = jpeg(7);
        let bare = without_tables(&full);
        assert!(bare.len() + 400 < full.len());
        // The decoder accepts missing tables only where an AVI header is present, so they are needed here.
        assert!(decode(&bare).is_err());
        assert_eq!(decode(&whole(bare).unwrap()).unwrap(), decode(&full).unwrap());
    }

    #[test]
    fn whole_keeps_a_complete_jpeg_and_drops_padding() {
        let full = jpeg(7);
        assert_eq!(whole(full.clone()).unwrap(), full);
        let mut filled = full.clone();
        filled.extend([0; 500]);
        assert_eq!(whole(filled).unwrap(), full);
    }

    #[test]
    fn whole_rejects_truncated_and_other_data() {
        let full = jpeg(7);
        for length in [0, 1, 2, 3, 20, 200, full.len() - 1] {
            assert_eq!(whole(full[..length].to_vec()), None, "{length}");
        }
        assert_eq!(whole(b"GIF89a".to_vec()), None);
        assert_eq!(whole(vec![0xff; 64]), None);
        assert_eq!(whole(vec![0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xd9]), None);
    }

    #[test]
    fn first_separates_jpegs_with_embedded_thumbnails() {
        let (one, other) = (jpeg(7), jpeg(99));
        // A thumbnail, as cameras embed it in a segment of its own.
        let preview =
            [&[0xff, 0xd8, 0xff, 0xe1], &((one.len() + 2) as u16).to_be_bytes()[..], &one, &other[2..]]
                .concat();
        let film = [&one[..], &preview, &other].concat();
        assert_eq!(first(&film), First::Whole(one.len()));
        assert_eq!(first(&film[one.len()..]), First::Whole(preview.len()));
        for length in 0..one.len() {
            assert_eq!(first(&one[..length]), First::More, "{length}");
        }
        assert_eq!(first(b"no"), First::None);
        assert_eq!(first(&[0xff, 0xd8, 0xff, 0xe0, 0, 1]), First::None);
    }

    #[test]
    fn parsers_never_panic_on_corrupt_bytes() {
        let full = jpeg(7);
        for at in 0..full.len().min(700) {
            for byte in [0x00, 0xff, 0xda, 0xc4] {
                let mut other = full.clone();
                other[at] = byte;
                let _ = first(&other);
                let _ = whole(other);
            }
        }
    }
}

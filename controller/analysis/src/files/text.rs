//! Text: determines the encoding of bytes and decodes them.

use std::borrow::Cow;

/// The characters of Windows-1252 from 0x80 to 0x9f; the five undefined ones are the replacement character.
const WINDOWS_1252: &str = "\u{20ac}\u{fffd}\u{201a}\u{192}\u{201e}\u{2026}\u{2020}\u{2021}\u{2c6}\u{2030}\u{160}\u{2039}\u{152}\
    \u{fffd}\u{17d}\u{fffd}\u{fffd}\u{2018}\u{2019}\u{201c}\u{201d}\u{2022}\u{2013}\u{2014}\u{2dc}\u{2122}\u{161}\
    \u{203a}\u{153}\u{fffd}\u{17e}\u{178}";

/// An encoding, named as in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Without a byte order mark.
    Utf8,
    /// With a byte order mark.
    Utf8Marked,
    /// Either byte order, given by the byte order mark.
    Utf16,
    /// Used by older programs on Windows.
    Windows1252,
}

impl Encoding {
    /// Returns Python's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf8Marked => "utf-8-sig",
            Encoding::Utf16 => "utf-16",
            Encoding::Windows1252 => "cp1252",
        }
    }
}

/// Returns the decoded text; none if the bytes are not text.
pub(super) fn read(bytes: &[u8]) -> Option<(Encoding, Cow<'_, str>)> {
    let (encoding, text) = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => {
            (Encoding::Utf8Marked, Cow::Borrowed(std::str::from_utf8(rest).ok()?))
        }
        [0xff, 0xfe, rest @ ..] => (Encoding::Utf16, Cow::Owned(utf16(rest, u16::from_le_bytes)?)),
        [0xfe, 0xff, rest @ ..] => (Encoding::Utf16, Cow::Owned(utf16(rest, u16::from_be_bytes)?)),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => (Encoding::Utf8, Cow::Borrowed(text)),
            Err(_) => (Encoding::Windows1252, Cow::Owned(bytes.iter().map(|byte| windows(*byte)).collect())),
        },
    };
    let strange =
        |c: char| (c < ' ' && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}')) || c == '\u{7f}';
    let unmapped = encoding == Encoding::Windows1252 && text.contains(char::REPLACEMENT_CHARACTER);
    (!unmapped && !text.contains(strange)).then_some((encoding, text))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, []) = bytes.as_chunks::<2>() else { return None };
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<_, _>>().ok()
}

fn windows(byte: u8) -> char {
    match byte {
        0x80..=0x9f => {
            WINDOWS_1252.chars().nth(usize::from(byte - 0x80)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        other => char::from(other),
    }
}

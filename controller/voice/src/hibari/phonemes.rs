//! Converts espeak-ng's IPA to the network's phonemes.
//!
//! The alphabet is misaki's, whose table for espeak-ng this is (Apache-2.0). The ids are those of Kokoro's vocabulary.

/// Tie that espeak-ng writes between the parts of one phoneme.
const TIE: char = '^';

/// espeak-ng's output and the network's phonemes, the longer ones first.
const TABLE: [(&str, &str); 34] = [
    ("ʔˌn\u{329}", "tᵊn"),
    ("ʔn\u{329}", "tᵊn"),
    ("ʔn", "tᵊn"),
    ("a^ɪ", "I"),
    ("a^ʊ", "W"),
    ("d^ʒ", "ʤ"),
    ("e^ɪ", "A"),
    ("t^ʃ", "ʧ"),
    ("ɔ^ɪ", "Y"),
    ("o^ʊ", "O"),
    ("ə^ʊ", "O"),
    ("ə^l", "ᵊl"),
    ("ɜːɹ", "ɜɹ"),
    ("ɜː", "ɜɹ"),
    ("ɪə", "iə"),
    ("ɚɹ", "əɹ"),
    ("ʲo", "jo"),
    ("ʲə", "jə"),
    ("n\u{329}", "ᵊn"),
    ("l\u{329}", "ᵊl"),
    ("m\u{329}", "ᵊm"),
    ("ʲ", ""),
    ("ʔ", "t"),
    ("ɾ", "T"),
    ("ɚ", "əɹ"),
    ("ɐ", "ə"),
    ("ɬ", "l"),
    ("e", "A"),
    ("o", "ɔ"),
    ("r", "ɹ"),
    ("x", "k"),
    ("ç", "k"),
    ("g", "ɡ"),
    ("ː", ""),
];

/// Ids of the phonemes.
const NUMBERS: [(char, i64); 56] = [
    (';', 1),
    (':', 2),
    (',', 3),
    ('.', 4),
    ('!', 5),
    ('?', 6),
    ('—', 9),
    ('…', 10),
    (' ', 16),
    ('A', 24),
    ('I', 25),
    ('O', 31),
    ('T', 36),
    ('W', 39),
    ('Y', 41),
    ('ᵊ', 42),
    ('b', 44),
    ('d', 46),
    ('f', 48),
    ('h', 50),
    ('i', 51),
    ('j', 52),
    ('k', 53),
    ('l', 54),
    ('m', 55),
    ('n', 56),
    ('p', 58),
    ('s', 61),
    ('t', 62),
    ('u', 63),
    ('v', 64),
    ('w', 65),
    ('z', 68),
    ('ɑ', 69),
    ('æ', 72),
    ('ɔ', 76),
    ('ð', 81),
    ('ʤ', 82),
    ('ə', 83),
    ('ɛ', 86),
    ('ɜ', 87),
    ('ɡ', 92),
    ('ɪ', 102),
    ('ŋ', 112),
    ('θ', 119),
    ('ɹ', 123),
    ('ʃ', 131),
    ('ʧ', 133),
    ('ʊ', 135),
    ('ʌ', 138),
    ('ʒ', 147),
    ('ˈ', 156),
    ('ˌ', 157),
    ('ᵻ', 177),
    ('a', 43),
    ('ɒ', 71),
];

/// Words that espeak-ng mispronounces, with a spelling that it reads correctly.
const RESPELT: [(&str, &str); 2] = [("reachy", "reechee"), ("minismith", "minni smith")];

/// Punctuation that causes a pause.
const MARKS: [char; 8] = [',', ';', ':', '.', '!', '?', '—', '…'];

/// Splits a text into clauses, each with its punctuation. A clause without any gets a full stop.
#[must_use]
pub fn clauses(text: &str) -> Vec<(String, char)> {
    let mut found: Vec<(String, char)> = Vec::new();
    let mut clause = String::new();
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        // Punctuation within a number or a name does not count: 3.5, 12:30, example.com.
        let is_mark = MARKS.contains(&c)
            && (matches!(c, '—' | '…') || letters.peek().is_none_or(|next| !next.is_alphanumeric()));
        if !is_mark {
            clause.push(c);
            continue;
        }
        if clause.chars().any(char::is_alphanumeric) {
            found.push((clause.trim().to_owned(), c));
        }
        clause.clear();
    }
    if clause.chars().any(char::is_alphanumeric) {
        found.push((clause.trim().to_owned(), '.'));
    }
    found
}

/// Respells a text for espeak-ng.
#[must_use]
pub fn respelt(text: &str) -> String {
    let respell = |word: &str| {
        let letters: String = word.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        RESPELT
            .iter()
            .find(|(written, _)| *written == letters)
            .map_or(word.to_owned(), |(_, read)| (*read).to_owned())
    };
    text.split_whitespace().map(respell).collect::<Vec<_>>().join(" ")
}

/// Converts espeak-ng's output to the network's phonemes. Unknown ones are omitted.
#[must_use]
pub fn of_ipa(ipa: &str) -> String {
    let ipa = ipa.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut sounds = String::new();
    let mut rest = ipa.as_str();
    while let Some(letter) = rest.chars().next() {
        if let Some((from, to)) = TABLE.iter().find(|(from, _)| rest.starts_with(from)) {
            sounds.push_str(to);
            rest = rest.get(from.len()..).unwrap_or_default();
            continue;
        }
        if letter != TIE && number(letter).is_some() {
            sounds.push(letter);
        }
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
    sounds.trim().to_owned()
}

/// Splits phonemes into chunks of at most `most`, between words where possible.
#[must_use]
pub fn pieces(sounds: &str, most: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for word in sounds.split_inclusive(' ') {
        let mut word: Vec<char> = word.chars().collect();
        if !piece.is_empty() && piece.chars().count() + word.len() > most {
            pieces.push(std::mem::take(&mut piece));
        }
        while word.len() > most {
            pieces.push(word.drain(..most).collect());
        }
        piece.extend(word);
    }
    pieces.push(piece);
    pieces.iter().map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
}

/// Returns the ids of phonemes, with the boundary id at both ends.
#[must_use]
pub fn ids(sounds: &str) -> Vec<i64> {
    std::iter::once(0).chain(sounds.chars().filter_map(number)).chain(std::iter::once(0)).collect()
}

fn number(sound: char) -> Option<i64> {
    NUMBERS.iter().find(|(letter, _)| *letter == sound).map(|(_, number)| *number)
}

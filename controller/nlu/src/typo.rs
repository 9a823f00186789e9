//! Slips of the pen that can't change what is done: in the words for parts, units and manners, never in a verb, a
//! direction or a number.

use super::known::Known;
use super::tokenize::{Kind, Token};

/// The words that are mended. None of them names a motion, and none is one letter away from another word that a person
/// may well say.
const MENDED: &[&str] = &[
    "antennas", "antenna", "degrees", "degree", "second", "seconds", "slowly", "quickly", "please",
    "yourself",
];

/// Shorter words are too near to others.
const SHORTEST: usize = 6;

/// Mends every word that is one slip away from exactly one of those.
pub(super) fn mend(tokens: &mut [Token], known: &Known<'_>) {
    for token in tokens {
        if let Kind::Word(word) = &mut token.kind
            && let Some(meant) = meant(word)
            && known.tools.iter().all(|tool| !tool.name.split('_').any(|part| part == word))
        {
            *word = meant.to_owned();
        }
    }
}

fn meant(word: &str) -> Option<&'static str> {
    if word.len() < SHORTEST || MENDED.contains(&word) {
        return None;
    }
    let mut near = MENDED.iter().filter(|meant| {
        meant.chars().next() == word.chars().next() && strsim::osa_distance(meant, word) == 1
    });
    match (near.next(), near.next()) {
        (Some(meant), None) => Some(meant),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_slips_are_mended() {
        for (word, found) in [
            ("antenas", Some("antennas")),
            ("degress", Some("degrees")),
            ("secodns", Some("seconds")),
            ("quikcly", Some("quickly")),
            ("second", None),
            ("rigth", None),
            ("wiggel", None),
            ("giggle", None),
            ("quietly", None),
        ] {
            assert_eq!(meant(word), found, "{word}");
        }
    }
}

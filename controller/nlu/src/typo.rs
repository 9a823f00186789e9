//! Corrects misspelt words for parts, units and manner. It never changes a verb, a direction or a number,
//! so a correction cannot change the motion.

use super::known::Known;
use super::tokenize::{Kind, Token};

/// The words that are corrected. None of them names a motion or is one letter away from another common
/// word.
const CORRECTED: &[&str] = &[
    "antennas", "antenna", "degrees", "degree", "second", "seconds", "slowly", "quickly", "please",
    "yourself",
];

/// Minimum length of a word; shorter ones are too similar to others.
const MIN_LENGTH: usize = 6;

/// Corrects every word that is one edit away from exactly one of the words in the list.
pub(super) fn correct_word(tokens: &mut [Token], known: &Known<'_>) {
    for token in tokens {
        if let Kind::Word(word) = &mut token.kind
            && let Some(intended) = intended(word)
            && known.tools.iter().all(|tool| !tool.name.split('_').any(|part| part == word))
        {
            *word = intended.to_owned();
        }
    }
}

fn intended(word: &str) -> Option<&'static str> {
    if word.len() < MIN_LENGTH || CORRECTED.contains(&word) {
        return None;
    }
    let mut near = CORRECTED.iter().filter(|intended| {
        intended.chars().next() == word.chars().next() && strsim::osa_distance(intended, word) == 1
    });
    match (near.next(), near.next()) {
        (Some(intended), None) => Some(intended),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_typos_are_corrected() {
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
            assert_eq!(intended(word), found, "{word}");
        }
    }
}

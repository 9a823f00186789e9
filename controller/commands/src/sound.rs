//! How words sound, roughly, and how far two sounds are from each other.

use crate::concept::Concept;

/// Returns whether a word with this meaning is taken for one that is not known.
pub(crate) fn is_taken(meaning: &[Concept]) -> bool {
    meaning.iter().all(|concept| {
        matches!(
            concept,
            Concept::Act(_)
                | Concept::Part(_)
                | Concept::Way(_)
                | Concept::Unit(_)
                | Concept::Number(_)
                | Concept::Times
                | Concept::Count(_)
        )
    })
}

/// Returns how a word sounds, roughly: doubled and silent letters are left out.
pub(crate) fn of(word: &str) -> Vec<char> {
    let simple = word
        .replace("igh", "i")
        .replace("gh", "")
        .replace("ph", "f")
        .replace("wh", "w")
        .replace("ck", "k")
        .replace("qu", "kw")
        .replace("ce", "se")
        .replace("ci", "si")
        .replace("kn", "n")
        .replace("wr", "r")
        .replace('c', "k")
        .replace('x', "ks");
    let letters: Vec<char> = simple.chars().collect();
    let mut sound: Vec<char> = Vec::new();
    for (at, letter) in letters.iter().enumerate() {
        let is_last = at + 1 == letters.len();
        let before = sound.last().copied();
        let is_silent = (*letter == 'e' && is_last && sound.len() > 1)
            || before.is_some_and(|before| class(before) == class(*letter))
            || (*letter == 'w' && before.is_some_and(is_vowel));
        if !is_silent {
            sound.push(*letter);
        }
    }
    sound
}

const fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

pub(crate) const fn class(letter: char) -> char {
    match letter {
        'a' | 'e' | 'i' | 'o' | 'u' | 'y' => 'a',
        'b' => 'p',
        'd' => 't',
        'g' => 'k',
        'v' => 'f',
        'z' => 's',
        'n' => 'm',
        other => other,
    }
}

/// The distance of two words that differ by two neighbouring letters in the other order: "trun".
const SWAPPED: f64 = 0.45;

/// Returns whether two words differ only by two neighbouring letters in the other order.
fn is_swapped(one: &[char], other: &[char]) -> bool {
    let Some(at) = one.iter().zip(other).position(|(one, other)| one != other) else { return false };
    let (Some([a, b, one_rest @ ..]), Some([c, d, other_rest @ ..])) = (one.get(at..), other.get(at..))
    else {
        return false;
    };
    a == d && b == c && one_rest == other_rest
}

/// Returns how far two sounds are from each other.
pub(crate) fn distance(one: &[char], other: &[char]) -> f64 {
    if is_swapped(one, other) {
        return SWAPPED;
    }
    let mut row: Vec<f64> = (0..=other.len()).map(|at| at as f64).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = at as f64;
        let mut left = at as f64 + 1.0;
        let mut next = vec![left];
        for (against, above) in other.iter().zip(row.iter().skip(1)) {
            let substituted = diagonal
                + match (letter == against, class(*letter) == class(*against)) {
                    (true, _) => 0.0,
                    (_, true) => 0.4,
                    _ => 1.0,
                };
            diagonal = *above;
            left = substituted.min(above + 1.0).min(left + 1.0);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0.0)
}

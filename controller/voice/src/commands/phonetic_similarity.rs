//! Estimates from spelling how similar two words sound.

/// Returns the similarity from 0 to 1, a weighted mean of spelling and sounds with more weight on the sounds.
#[must_use]
pub fn phonetic_similarity(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let letters = strsim::jaro_winkler(one, other);
    let (first, second) = (sounds(one), sounds(other));
    let longest = first.chars().count().max(second.chars().count());
    if longest == 0 {
        return 0.0;
    }
    let apart = strsim::damerau_levenshtein(&first, &second);
    let heard = 1.0 - apart as f64 / longest as f64;
    0.35 * letters + 0.65 * heard
}

/// Reduces a word to a sequence of sounds. Silent letters disappear, and letters that sound alike become one.
#[must_use]
pub fn sounds(word: &str) -> String {
    let mut word: String = word.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    for (spelt, heard) in RULES {
        if let Some(spelt) = spelt.strip_prefix('^') {
            if let Some(rest) = word.strip_prefix(spelt) {
                word = format!("{heard}{rest}");
            }
        } else if let Some(spelt) = spelt.strip_suffix('$') {
            if word.chars().count() > spelt.chars().count() + 1
                && let Some(rest) = word.strip_suffix(spelt)
            {
                word = format!("{rest}{heard}");
            }
        } else {
            word = word.replace(spelt, heard);
        }
    }
    let mut row = String::new();
    for sound in word.chars() {
        if !row.ends_with(sound) {
            row.push(sound);
        }
    }
    row
}

/// English spelling rules, applied in this order.
const RULES: [(&str, &str); 43] = [
    ("^kn", "n"),
    ("^gn", "n"),
    ("^wr", "r"),
    ("^wh", "w"),
    ("^ps", "s"),
    ("tch", "c"),
    ("ch", "c"),
    ("sh", "x"),
    ("ph", "f"),
    ("ght", "t"),
    ("gh", ""),
    ("ck", "k"),
    ("ce", "se"),
    ("ci", "si"),
    ("q", "k"),
    ("x", "ks"),
    ("z", "s"),
    ("dge", "j"),
    ("mb$", "m"),
    ("ed$", "d"),
    ("ee", "i"),
    ("ea", "i"),
    ("ie", "i"),
    ("ey$", "i"),
    ("y$", "i"),
    ("ai", "e"),
    ("ay", "e"),
    ("a_e", "e"),
    ("ei", "e"),
    ("oa", "o"),
    ("ow", "o"),
    ("ou", "o"),
    ("oo", "u"),
    ("ew", "u"),
    ("ue", "u"),
    ("au", "o"),
    ("aw", "o"),
    ("all$", "ol"),
    ("igh", "i"),
    ("e$", ""),
    ("re$", "r"),
    ("h$", ""),
    ("y", "i"),
];

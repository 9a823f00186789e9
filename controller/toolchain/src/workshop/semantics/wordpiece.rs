//! Splits text into word pieces for BERT's uncased models: lower case, separate punctuation, longest known piece first.
//!
//! It implements only what the model's own `tokenizer.json` needs. Accents are not removed. A word with an accent that
//! the vocabulary lacks becomes unknown.

use std::collections::HashMap;

use serde::Deserialize;

/// Maximum length of a known word, as in the model's own tokenizer.
const MAX_WORD_LENGTH: usize = 100;

/// A vocabulary.
#[derive(Debug)]
pub(super) struct WordPiece {
    pieces: HashMap<String, i64>,
    begin: i64,
    end: i64,
    unknown: i64,
}

#[derive(Deserialize)]
struct File {
    model: Model,
}

#[derive(Deserialize)]
struct Model {
    vocab: HashMap<String, i64>,
}

impl WordPiece {
    /// Reads the vocabulary from a `tokenizer.json`.
    pub(super) fn read(json: &[u8]) -> Result<Self, String> {
        let File { model } = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let special = |name: &str| model.vocab.get(name).copied().ok_or(format!("{name} is missing"));
        let (begin, end, unknown) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        Ok(WordPiece { pieces: model.vocab, begin, end, unknown })
    }

    /// Returns the pieces of a text between its start and end markers, at most `most` in total.
    pub(super) fn of(&self, text: &str, most: usize) -> Vec<i64> {
        let mut ids = vec![self.begin];
        for word in words(text) {
            self.split(&word, &mut ids);
            if ids.len() >= most {
                break;
            }
        }
        ids.truncate(most.saturating_sub(1));
        ids.push(self.end);
        ids
    }

    fn split(&self, word: &str, ids: &mut Vec<i64>) {
        let begun = ids.len();
        let mut rest = word;
        while !rest.is_empty() && word.chars().count() <= MAX_WORD_LENGTH {
            let continued = if rest.len() < word.len() { "##" } else { "" };
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let found = ends.into_iter().find_map(|end| {
                let (piece, after) = rest.split_at(end);
                Some((*self.pieces.get(&format!("{continued}{piece}"))?, after))
            });
            let Some((id, after)) = found else { break };
            ids.push(id);
            rest = after;
        }
        // A word is known as a whole or not at all.
        if !rest.is_empty() {
            ids.truncate(begun);
            ids.push(self.unknown);
        }
    }
}

/// Returns the words, with each punctuation mark as a word of its own.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() || stands_alone(c) {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if stands_alone(c) {
                words.push(c.to_string());
            }
        } else {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn stands_alone(c: char) -> bool {
    let ideograph = matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
    c.is_ascii_punctuation() || ideograph || matches!(c, '\u{2010}'..='\u{2027}' | '\u{3001}'..='\u{3003}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_splits_words_into_the_longest_known_pieces() {
        let names = ["[CLS]", "[SEP]", "[UNK]", "nod", "##ding", "##d", "twice", ",", "_", "yes"];
        let vocab: HashMap<&str, usize> = names.iter().enumerate().map(|(id, name)| (*name, id)).collect();
        let json = serde_json::json!({ "model": { "vocab": vocab } }).to_string();
        let pieces = WordPiece::read(json.as_bytes()).unwrap();
        assert_eq!(pieces.of("Nodding, twice", 128), [0, 3, 4, 7, 6, 1]);
        assert_eq!(pieces.of("nod_yes\n\tnodx nodd", 128), [0, 3, 8, 9, 2, 3, 5, 1]);
        assert_eq!(pieces.of(&"twice ".repeat(500), 128).len(), 128);
        assert_eq!(pieces.of(&"a".repeat(1_000_000), 128), [0, 2, 1]);
        assert_eq!(pieces.of("", 128), [0, 1]);
        assert!(WordPiece::read(b"{\"model\": {\"vocab\": {}}}").is_err());
    }

    #[test]
    fn of_agrees_with_the_reference_tokenizer() {
        let position =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../.cache/models/all-MiniLM-L6-v2/tokenizer.json");
        let Ok(json) = std::fs::read(position) else {
            return println!("skipped: {position} is missing; `make models` installs it");
        };
        let pieces = WordPiece::read(&json).unwrap();
        // The Python package `tokenizers` gives these ids with this file.
        let read: [(&str, &[i64]); 4] = [
            ("Nodding, twice!", &[101, 11863, 1010, 3807, 999, 102]),
            (
                "wave_antennas: Wave both antennas.",
                &[101, 4400, 1035, 26315, 1024, 4400, 2119, 26315, 1012, 102],
            ),
            (
                "I'd like 20.5\u{b0} left-hand turns\u{2026} unbelievable electroencephalographically",
                &[
                    101, 1045, 1005, 1040, 2066, 2322, 1012, 1019, 7737, 2187, 1011, 2192, 4332, 1529, 23653,
                    16175, 10127, 21890, 21197, 20721, 3973, 102,
                ],
            ),
            ("\u{65e5}\u{672c} robot", &[101, 1864, 1876, 8957, 102]),
        ];
        for (text, ids) in read {
            assert_eq!(pieces.of(text, 128), ids, "{text}");
        }
    }
}

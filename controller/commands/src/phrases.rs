//! The phrases of a language and what they mean, in little memory: a language has tens of thousands of them, most of them
//! forms of verbs.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use hashbrown::HashTable;

use crate::concept::Concept;

/// The phrases of a language, by their first two words.
#[derive(Debug, Default)]
pub(crate) struct Phrases {
    /// All phrases one after another, the words of each with a space between them.
    text: String,
    /// By the first and the second word, the longest first.
    entries: Vec<Entry>,
    /// The entries of each pair of first words. The words themselves are in `text`.
    pairs: HashTable<Range<u32>>,
    hasher: RandomState,
    meanings: Vec<Vec<Concept>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    length: u16,
    /// Bytes of the first word.
    first: u16,
    /// Number of words.
    words: u16,
    /// Bytes of the second word, 0 if there is none.
    second: u16,
    meaning: MeaningIndex,
}

/// A meaning of [`Phrases`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MeaningIndex(u16);

/// A phrase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownPhrase<'a> {
    text: &'a str,
    /// Number of words.
    pub length: usize,
    pub meaning: MeaningIndex,
}

impl<'a> KnownPhrase<'a> {
    pub(crate) fn words(self) -> impl Iterator<Item = &'a str> {
        self.text.split(' ')
    }
}

/// A phrase with two meanings: the second one is not added.
#[derive(Debug)]
pub(crate) struct TwoMeanings;

/// Collects phrases.
#[derive(Debug, Default)]
pub(crate) struct PhrasesBuilder {
    phrases: Phrases,
    known: HashMap<String, MeaningIndex>,
}

impl PhrasesBuilder {
    /// Adds a meaning.
    pub(crate) fn meaning(&mut self, concepts: Vec<Concept>) -> MeaningIndex {
        let meanings = &mut self.phrases.meanings;
        let at = meanings.iter().position(|known| *known == concepts).unwrap_or_else(|| {
            meanings.push(concepts);
            meanings.len() - 1
        });
        MeaningIndex(u16::try_from(at).unwrap_or(u16::MAX))
    }

    /// Adds a phrase of at least one word.
    ///
    /// # Errors
    /// If it has another meaning already.
    pub(crate) fn add(&mut self, words: &[String], meaning: MeaningIndex) -> Result<(), TwoMeanings> {
        let phrase = words.join(" ");
        if let Some(other) = self.known.get(&phrase) {
            return if *other == meaning { Ok(()) } else { Err(TwoMeanings) };
        }
        let Phrases { text, entries, .. } = &mut self.phrases;
        let size = |bytes: usize| u16::try_from(bytes).unwrap_or(u16::MAX);
        entries.push(Entry {
            start: u32::try_from(text.len()).unwrap_or(u32::MAX),
            length: size(phrase.len()),
            first: size(words.first().map_or(0, String::len)),
            words: size(words.len()),
            second: size(words.get(1).map_or(0, String::len)),
            meaning,
        });
        text.push_str(&phrase);
        self.known.insert(phrase, meaning);
        Ok(())
    }

    /// Returns the phrases.
    pub(crate) fn build(self) -> Phrases {
        let Phrases { mut text, mut entries, mut meanings, hasher, .. } = self.phrases;
        text.shrink_to_fit();
        entries.shrink_to_fit();
        meanings.shrink_to_fit();
        let pair = |entry: &Entry| first_words(&text, entry);
        entries.sort_by(|one, other| pair(one).cmp(&pair(other)).then(other.words.cmp(&one.words)));
        let mut pairs =
            HashTable::with_capacity(entries.chunk_by(|one, other| pair(one) == pair(other)).count());
        let mut at = 0;
        for same in entries.chunk_by(|one, other| pair(one) == pair(other)) {
            let hash = |range: &Range<u32>| {
                let entry = entries.get(range.start as usize);
                hasher.hash_one(entry.map_or(("", ""), pair))
            };
            let end = at + u32::try_from(same.len()).unwrap_or(u32::MAX);
            pairs.insert_unique(hash(&(at..end)), at..end, hash);
            at = end;
        }
        Phrases { text, entries, pairs, hasher, meanings }
    }
}

/// Returns the first word of a phrase and the second one, which is empty if there is none.
fn first_words<'a>(text: &'a str, entry: &Entry) -> (&'a str, &'a str) {
    let start = entry.start as usize;
    let end = start + usize::from(entry.first);
    // A space stands between two words.
    let second = end + 1..end + 1 + usize::from(entry.second);
    let second = if entry.second == 0 { "" } else { text.get(second).unwrap_or_default() };
    (text.get(start..end).unwrap_or_default(), second)
}

impl Phrases {
    /// Returns the concepts of a meaning.
    pub(crate) fn concepts(&self, meaning: MeaningIndex) -> &[Concept] {
        self.meanings.get(usize::from(meaning.0)).map_or(&[], Vec::as_slice)
    }

    /// Returns the phrases that begin with a word and a second one, the longest first; with an empty second one, that word
    /// alone.
    pub(crate) fn beginning(&self, first: &str, second: &str) -> impl Iterator<Item = KnownPhrase<'_>> {
        let is_own = |range: &Range<u32>| {
            let entry = self.entries.get(range.start as usize);
            entry.is_some_and(|entry| first_words(&self.text, entry) == (first, second))
        };
        let own = self.pairs.find(self.hasher.hash_one((first, second)), is_own);
        let own = own.and_then(|range| self.entries.get(range.start as usize..range.end as usize));
        own.unwrap_or_default().iter().map(|entry| self.phrase(entry))
    }

    /// Returns what a single word means.
    pub(crate) fn single(&self, word: &str) -> Option<&[Concept]> {
        let found = self.beginning(word, "").next()?;
        Some(self.concepts(found.meaning))
    }

    /// Returns all single words with what they mean, in order of the alphabet.
    pub(crate) fn singles(&self) -> impl Iterator<Item = (&str, MeaningIndex)> {
        let singles = self.entries.iter().filter(|entry| entry.words == 1);
        singles.map(|entry| (self.phrase(entry).text, entry.meaning))
    }

    /// Returns the number of phrases.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn phrase(&self, entry: &Entry) -> KnownPhrase<'_> {
        let start = entry.start as usize;
        KnownPhrase {
            text: self.text.get(start..start + usize::from(entry.length)).unwrap_or_default(),
            length: usize::from(entry.words),
            meaning: entry.meaning,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concept::Act;

    #[test]
    fn phrases_are_found_by_their_first_words_the_longest_first() {
        let mut builder = PhrasesBuilder::default();
        let nod = builder.meaning(vec![Concept::Act(Act::Nod)]);
        let bow = builder.meaning(vec![Concept::Act(Act::Bow)]);
        assert_eq!(builder.meaning(vec![Concept::Act(Act::Nod)]), nod);
        let mut add = |phrase: &str, meaning| {
            let words: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
            builder.add(&words, meaning)
        };
        for (phrase, meaning) in [
            ("no", nod),
            ("nod", nod),
            ("nod deep", bow),
            ("nod so", bow),
            ("nod so very deep", bow),
            ("node", bow),
        ] {
            add(phrase, meaning).unwrap();
        }
        add("nod deep", bow).unwrap();
        assert!(add("nod deep", nod).is_err(), "two meanings");
        let phrases = builder.build();
        let found = |second: &str| -> Vec<(String, usize)> {
            let phrases = phrases.beginning("nod", second);
            phrases.map(|one| (one.words().collect::<Vec<_>>().join("|"), one.length)).collect()
        };
        assert_eq!(found("so"), [("nod|so|very|deep".to_owned(), 4), ("nod|so".to_owned(), 2)]);
        assert_eq!(found("deep"), [("nod|deep".to_owned(), 2)]);
        assert_eq!(found(""), [("nod".to_owned(), 1)]);
        assert_eq!(found("very"), []);
        assert_eq!(phrases.single("no"), Some([Concept::Act(Act::Nod)].as_slice()));
        assert_eq!(phrases.single("n"), None);
        assert_eq!(phrases.single("nods"), None);
        let singles: Vec<&str> = phrases.singles().map(|(word, _)| word).collect();
        assert_eq!(singles, ["no", "nod", "node"]);
    }
}

//! The phrases before, between and after commands, and the search for phrases.

use super::lexicon::is_form;

/// Phrases that may precede a command without changing it.
const OPENERS: &[&str] = &[
    "could you",
    "can you",
    "would you",
    "will you",
    "you should",
    "i want you to",
    "i would like you to",
    "id like you to",
    "lets",
    "let us",
    "go ahead and",
    "give me",
    "hello",
    "hello robot",
    "hi",
    "hi robot",
    "hey",
    "hey robot",
    "hey mini",
    "mini",
    "robot",
    "also",
    "first",
    "second",
    "i need you to",
    "i ask you to",
    "i am asking you to",
    "you can",
    "you may",
    "you could",
    "you must",
    "you need to",
    "you are to",
    "i would like to see",
    "i want to see",
    "let me see",
    "let me see you",
    "show me",
    "show me how you",
    "show us",
    "begin",
    "begin by",
    "begin to",
    "start by",
    "start to",
    "start with",
    "try to",
    "attempt to",
    "proceed to",
    "go on and",
    "come on",
    "feel free to",
    "time to",
    "it is time to",
    "give us",
    "have",
    "but",
    "can you also",
    "could you also",
    "third",
    "last",
    "to begin with",
    "to start with",
    "as a start",
    "for starters",
    "hey mini robot",
    "hello mini",
    "dear robot",
    "its time to",
    "begin with",
    "follow with",
    "follow it with",
    "follow that with",
    "follow up with",
    "end with",
    "end by",
    "finish with",
    "finish by",
    "conclude with",
    "conclude by",
    "can i see you",
    "could i see you",
    "may i see you",
    "i think you should",
    "finally",
    "lastly",
];

/// Words of hesitation. The text after them may take back the text before them.
const HESITATIONS: &[&str] = &[
    "um",
    "uh",
    "uhm",
    "umm",
    "erm",
    "er",
    "hmm",
    "hm",
    "ah",
    "oh",
    "actually",
    "well",
    "so",
    "ok",
    "okay",
    "alright",
    "great",
    "good",
    "fine",
    "yes",
    "yeah",
    "yep",
    "right then",
];

/// Words that lead to a motion that is named as a noun: "give a nod", "make a left turn", "take a bow".
const GIVES: &[&str] = &[
    "give a",
    "give an",
    "give your",
    "let your",
    "get your",
    "have your",
    "give",
    "give us a",
    "make a",
    "make an",
    "make your",
    "take a",
    "have a",
    "let out a",
    "cast a",
    "throw a",
    "steal a",
];

/// Words between two commands; punctuation has the same effect.
const JOINERS: &[&str] = &[
    "and",
    "then",
    "next",
    "afterwards",
    "afterward",
    "after that",
    "followed by",
    "before",
    "subsequently",
    "later",
    "thereafter",
    "and also",
    "plus",
];

/// Phrases that may follow a command without changing it.
const TRAILERS: &[&str] = &[
    "first",
    "will you",
    "would you",
    "could you",
    "can you",
    "ok",
    "okay",
    "alright",
    "if you will",
    "as well",
    "too",
    "thanks",
    "thank you",
    "robot",
    "mini",
    "there",
    "my friend",
    "buddy",
    "for a start",
    "to start with",
    "to begin with",
];

/// Returns the index of the longest of these phrases with which the words begin, and how many words it
/// takes.
pub(super) fn longest<'p>(
    phrases: impl Iterator<Item = &'p str>,
    words: &[Option<&str>],
) -> Option<(usize, usize)> {
    let taken = |phrase: &str| {
        let mut count = 0;
        for expected in phrase.split(' ') {
            let word = words.get(count).copied().flatten()?;
            if !is_form(expected, word) {
                return None;
            }
            count += 1;
        }
        Some(count)
    };
    // Every form of a word has the same first letter, and most phrases begin with another one.
    let first = words.first().copied().flatten()?.as_bytes().first();
    phrases
        .enumerate()
        .filter(|(_, phrase)| phrase.as_bytes().first() == first)
        .filter_map(|(position, phrase)| Some((position, taken(phrase)?)))
        .max_by_key(|&(_, count)| count)
}

pub(super) fn opener(words: &[Option<&str>]) -> Option<usize> {
    longest(OPENERS.iter().copied(), words).map(|(_, count)| count)
}

pub(super) fn hesitation(words: &[Option<&str>]) -> Option<usize> {
    longest(HESITATIONS.iter().copied(), words).map(|(_, count)| count)
}

pub(super) fn gives(words: &[Option<&str>]) -> Option<usize> {
    longest(GIVES.iter().copied(), words).map(|(_, count)| count)
}

pub(super) fn trailer(words: &[Option<&str>]) -> Option<usize> {
    longest(TRAILERS.iter().copied(), words).map(|(_, count)| count)
}

pub(super) fn joiner(words: &[Option<&str>]) -> Option<usize> {
    longest(JOINERS.iter().copied(), words).map(|(_, count)| count)
}

#[cfg(test)]
mod tests {
    use super::super::name::is_command;
    use super::super::set_phrases::{SetPhrase, fixed};
    use super::*;

    #[test]
    fn longest_phrase_wins() {
        let words: Vec<Option<&str>> = "thank you very much then nod".split(' ').map(Some).collect();
        assert_eq!(fixed(&words), Some((SetPhrase::Thanks, 4)));
        assert_eq!(joiner(&[Some("and")]), Some(1));
        assert!(is_command("nod") && is_command("run") && is_command("center") && !is_command("happy_hello"));
    }
}

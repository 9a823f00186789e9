//! The phrases of several words that the offline brain knows.

use super::lexicon::is_form;

/// What a whole phrase means by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fixed {
    See,
    State,
    Help,
    ListTools,
    Greet,
    Thanks,
    Center,
    Wake,
    Sleep,
    TurnRound,
}

/// Whole phrases. A word matches in any of its forms ("goes to sleep").
const FIXED: &[(&str, Fixed)] = &[
    ("what do you see", Fixed::See),
    ("what can you see", Fixed::See),
    ("what are you seeing", Fixed::See),
    ("tell me what you see", Fixed::See),
    ("describe what you see", Fixed::See),
    ("describe the scene", Fixed::See),
    ("what is in front of you", Fixed::See),
    ("whats in front of you", Fixed::See),
    ("take a picture", Fixed::See),
    ("take a photo", Fixed::See),
    ("take a look", Fixed::See),
    ("look through the camera", Fixed::See),
    ("where are you looking", Fixed::State),
    ("where do you look", Fixed::State),
    ("where is your head", Fixed::State),
    ("wheres your head", Fixed::State),
    ("how are you", Fixed::State),
    ("how are you doing", Fixed::State),
    ("what are you doing", Fixed::State),
    ("are you awake", Fixed::State),
    ("are you ready", Fixed::State),
    ("are you ok", Fixed::State),
    ("status", Fixed::State),
    ("state", Fixed::State),
    ("what is your status", Fixed::State),
    ("whats your status", Fixed::State),
    ("what is your state", Fixed::State),
    ("what is your position", Fixed::State),
    ("report your status", Fixed::State),
    ("report", Fixed::State),
    ("help", Fixed::Help),
    ("help me", Fixed::Help),
    ("what can you do", Fixed::Help),
    ("what do you understand", Fixed::Help),
    ("what can i say", Fixed::Help),
    ("what are your commands", Fixed::Help),
    ("commands", Fixed::Help),
    ("list tools", Fixed::ListTools),
    ("list your tools", Fixed::ListTools),
    ("list the tools", Fixed::ListTools),
    ("list all tools", Fixed::ListTools),
    ("show tools", Fixed::ListTools),
    ("show me your tools", Fixed::ListTools),
    ("show your tools", Fixed::ListTools),
    ("tools", Fixed::ListTools),
    ("what tools do you have", Fixed::ListTools),
    ("what tools do you know", Fixed::ListTools),
    ("which tools do you have", Fixed::ListTools),
    ("which tools do you know", Fixed::ListTools),
    ("hello", Fixed::Greet),
    ("hello there", Fixed::Greet),
    ("hi", Fixed::Greet),
    ("hi there", Fixed::Greet),
    ("hey", Fixed::Greet),
    ("hey there", Fixed::Greet),
    ("good morning", Fixed::Greet),
    ("good afternoon", Fixed::Greet),
    ("good evening", Fixed::Greet),
    ("thanks", Fixed::Thanks),
    ("thanks a lot", Fixed::Thanks),
    ("thank you", Fixed::Thanks),
    ("thank you very much", Fixed::Thanks),
    ("many thanks", Fixed::Thanks),
    ("well done", Fixed::Thanks),
    ("good job", Fixed::Thanks),
    ("good robot", Fixed::Thanks),
    ("center", Fixed::Center),
    ("centre", Fixed::Center),
    ("go to the center", Fixed::Center),
    ("go to the centre", Fixed::Center),
    ("go back to the center", Fixed::Center),
    ("go back to the centre", Fixed::Center),
    ("go back to center", Fixed::Center),
    ("go back to centre", Fixed::Center),
    ("return to the center", Fixed::Center),
    ("return to the centre", Fixed::Center),
    ("go to neutral", Fixed::Center),
    ("go back to neutral", Fixed::Center),
    ("return to neutral", Fixed::Center),
    ("go home", Fixed::Center),
    ("center your head", Fixed::Center),
    ("centre your head", Fixed::Center),
    ("reset", Fixed::Center),
    ("reset your position", Fixed::Center),
    ("reset your posture", Fixed::Center),
    ("neutral", Fixed::Center),
    ("wake", Fixed::Wake),
    ("wake up", Fixed::Wake),
    ("get up", Fixed::Wake),
    ("sleep", Fixed::Sleep),
    ("go to sleep", Fixed::Sleep),
    ("go to bed", Fixed::Sleep),
    ("take a nap", Fixed::Sleep),
    ("rest", Fixed::Sleep),
    ("turn around", Fixed::TurnRound),
    ("turn round", Fixed::TurnRound),
];

/// What may stand before a command without changing it.
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
    "ok",
    "okay",
    "alright",
    "so",
    "well",
    "also",
    "first",
    "second",
    "finally",
    "lastly",
];

/// Words between two commands; punctuation does the same.
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
];

/// The longest of these phrases that the words begin with: its place and how many words it takes.
fn longest<'p>(phrases: impl Iterator<Item = &'p str>, words: &[Option<&str>]) -> Option<(usize, usize)> {
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
    phrases
        .enumerate()
        .filter_map(|(place, phrase)| Some((place, taken(phrase)?)))
        .max_by_key(|&(_, count)| count)
}

pub(super) fn fixed(words: &[Option<&str>]) -> Option<(Fixed, usize)> {
    let (place, count) = longest(FIXED.iter().map(|&(phrase, _)| phrase), words)?;
    FIXED.get(place).map(|&(_, fixed)| (fixed, count))
}

pub(super) fn opener(words: &[Option<&str>]) -> Option<usize> {
    longest(OPENERS.iter().copied(), words).map(|(_, count)| count)
}

pub(super) fn joiner(words: &[Option<&str>]) -> Option<usize> {
    longest(JOINERS.iter().copied(), words).map(|(_, count)| count)
}

#[cfg(test)]
mod tests {
    use super::super::lexicon::is_command;
    use super::*;

    #[test]
    fn the_longest_phrase_wins() {
        let words: Vec<Option<&str>> = "thank you very much then nod".split(' ').map(Some).collect();
        assert_eq!(fixed(&words), Some((Fixed::Thanks, 4)));
        assert_eq!(joiner(&[Some("and")]), Some(1));
        assert!(is_command("nod") && is_command("run") && is_command("center") && !is_command("happy_hello"));
    }
}

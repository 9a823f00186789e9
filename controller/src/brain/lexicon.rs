//! The words that the offline brain knows.

/// The verbs of motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Look,
    Turn,
    Tilt,
    Raise,
    Lower,
    Move,
    Nod,
    Shake,
    Wiggle,
    Dance,
    Wait,
}

/// The parts of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Head,
    Body,
    Antennas,
}

/// Where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Left,
    Right,
    Up,
    Down,
    Ahead,
    Outwards,
    Inwards,
}

/// How fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Slow,
    Fast,
}

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

const VERBS: &[(&str, Verb)] = &[
    ("look", Verb::Look),
    ("gaze", Verb::Look),
    ("glance", Verb::Look),
    ("face", Verb::Look),
    ("turn", Verb::Turn),
    ("rotate", Verb::Turn),
    ("swivel", Verb::Turn),
    ("tilt", Verb::Tilt),
    ("lean", Verb::Tilt),
    ("raise", Verb::Raise),
    ("lift", Verb::Raise),
    ("lower", Verb::Lower),
    ("drop", Verb::Lower),
    ("move", Verb::Move),
    ("set", Verb::Move),
    ("put", Verb::Move),
    ("nod", Verb::Nod),
    ("shake", Verb::Shake),
    ("wiggle", Verb::Wiggle),
    ("waggle", Verb::Wiggle),
    ("wave", Verb::Wiggle),
    ("flap", Verb::Wiggle),
    ("twitch", Verb::Wiggle),
    ("dance", Verb::Dance),
    ("groove", Verb::Dance),
    ("wait", Verb::Wait),
    ("pause", Verb::Wait),
    ("hold", Verb::Wait),
];

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

/// Words that begin the running of a tool.
const RUNS: &[&str] = &["run", "do", "perform", "execute", "play", "start", "try", "use", "call", "launch"];

/// Words that begin the making of a tool.
const MAKES: &[&str] = &[
    "make", "create", "write", "build", "teach", "learn", "program", "define", "generate", "add", "design",
    "code", "invent", "compose",
];

/// What a made thing may be called.
const TOOLS: &[&str] = &[
    "tool",
    "skill",
    "function",
    "routine",
    "move",
    "trick",
    "behaviour",
    "behavior",
    "program",
    "command",
    "script",
    "motion",
    "action",
    "sequence",
];

/// Words that turn a command into its opposite.
const NEGATIONS: &[&str] = &[
    "dont", "not", "never", "without", "cannot", "cant", "wont", "avoid", "except", "unless", "neither",
    "nor", "doesnt", "shouldnt", "mustnt", "refrain", "skip",
];

/// Small words inside a command that carry nothing.
const SMALL: &[&str] = &[
    "your", "the", "its", "a", "an", "to", "by", "of", "about", "toward", "towards", "side", "with", "again",
];

/// Which of these a word is, in any of its forms: look, looks, looking; nod, nods, nodding.
fn is_form(base: &str, word: &str) -> bool {
    if let Some(ending) = word.strip_prefix(base) {
        return matches!(ending, "" | "s" | "es" | "ing")
            || ending.strip_suffix("ing").is_some_and(|last| last.len() == 1 && base.ends_with(last));
    }
    base.strip_suffix('e').and_then(|stem| word.strip_prefix(stem)) == Some("ing")
}

pub(super) fn verb(word: &str) -> Option<Verb> {
    VERBS.iter().find(|(base, _)| is_form(base, word)).map(|&(_, verb)| verb)
}

pub(super) fn is_run(word: &str) -> bool {
    RUNS.iter().any(|base| is_form(base, word))
}

pub(super) fn is_make(word: &str) -> bool {
    MAKES.iter().any(|base| is_form(base, word))
}

pub(super) fn is_tool_noun(word: &str) -> bool {
    TOOLS.contains(&word)
}

pub(super) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

pub(super) fn is_small(word: &str) -> bool {
    SMALL.contains(&word)
}

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

pub(super) fn part(word: &str) -> Option<Part> {
    match word {
        "head" => Some(Part::Head),
        "body" | "base" | "torso" => Some(Part::Body),
        "antenna" | "antennas" | "antennae" | "ears" => Some(Part::Antennas),
        _ => None,
    }
}

pub(super) fn direction(word: &str) -> Option<Direction> {
    match word {
        "left" | "leftward" | "leftwards" => Some(Direction::Left),
        "right" | "rightward" | "rightwards" => Some(Direction::Right),
        "up" | "upward" | "upwards" => Some(Direction::Up),
        "down" | "downward" | "downwards" => Some(Direction::Down),
        "ahead" | "forward" | "forwards" | "front" | "straight" | "center" | "centre" | "middle" => {
            Some(Direction::Ahead)
        }
        "out" | "outward" | "outwards" | "apart" => Some(Direction::Outwards),
        "in" | "inward" | "inwards" | "together" => Some(Direction::Inwards),
        _ => None,
    }
}

pub(super) fn pace(word: &str) -> Option<Pace> {
    match word {
        "slow" | "slowly" | "gently" | "calmly" => Some(Pace::Slow),
        "fast" | "quick" | "quickly" | "rapidly" | "briskly" => Some(Pace::Fast),
        _ => None,
    }
}

/// Whether a word already means something at the beginning of a command: no tool can be called so.
pub(super) fn is_command(word: &str) -> bool {
    let words = [Some(word)];
    verb(word).is_some()
        || is_run(word)
        || is_make(word)
        || fixed(&words).is_some()
        || joiner(&words).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word() {
        for (base, word) in [
            ("nod", "nodding"),
            ("wiggle", "wiggling"),
            ("go", "goes"),
            ("shake", "shakes"),
            ("put", "putting"),
        ] {
            assert!(is_form(base, word), "{base} {word}");
        }
        for (base, word) in
            [("nod", "node"), ("nod", "noddling"), ("turn", "turned"), ("do", "dog"), ("rest", "restless")]
        {
            assert!(!is_form(base, word), "{base} {word}");
        }
    }

    #[test]
    fn the_longest_phrase_wins() {
        let words: Vec<Option<&str>> = "thank you very much then nod".split(' ').map(Some).collect();
        assert_eq!(fixed(&words), Some((Fixed::Thanks, 4)));
        assert_eq!(joiner(&[Some("and")]), Some(1));
        assert!(is_command("nod") && is_command("run") && is_command("center") && !is_command("happy_hello"));
    }
}

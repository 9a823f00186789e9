//! The single words that the grammar knows.

/// The verbs of motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Look,
    Turn,
    Tilt,
    Raise,
    Lower,
    Move,
    /// Like `Move`, but a raised or lowered head is always a look.
    Point,
    Nod,
    Shake,
    Wiggle,
    Dance,
    Wait,
}

/// The parts of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Head,
    Body,
    Antennas,
}

/// A direction.
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

/// A speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    Slow,
    Fast,
}

const VERBS: &[(&str, Verb)] = &[
    ("look", Verb::Look),
    ("gaze", Verb::Look),
    ("glance", Verb::Look),
    ("face", Verb::Look),
    ("peek", Verb::Look),
    ("peer", Verb::Look),
    ("stare", Verb::Look),
    ("glimpse", Verb::Look),
    ("turn", Verb::Turn),
    ("rotate", Verb::Turn),
    ("swivel", Verb::Turn),
    ("spin", Verb::Turn),
    ("rotation", Verb::Turn),
    ("pivot", Verb::Turn),
    ("twist", Verb::Turn),
    ("revolve", Verb::Turn),
    ("tilt", Verb::Tilt),
    ("lean", Verb::Tilt),
    ("cock", Verb::Tilt),
    ("incline", Verb::Tilt),
    ("tip", Verb::Tilt),
    ("bend", Verb::Tilt),
    ("raise", Verb::Raise),
    ("elevate", Verb::Raise),
    ("perk", Verb::Raise),
    ("lift", Verb::Raise),
    ("lower", Verb::Lower),
    ("drop", Verb::Lower),
    ("sink", Verb::Lower),
    ("droop", Verb::Lower),
    ("move", Verb::Move),
    ("shift", Verb::Move),
    ("fold", Verb::Move),
    ("bring", Verb::Move),
    ("swing", Verb::Move),
    ("position", Verb::Move),
    ("place", Verb::Move),
    ("point", Verb::Point),
    ("aim", Verb::Point),
    ("direct", Verb::Point),
    ("set", Verb::Move),
    ("put", Verb::Move),
    ("nod", Verb::Nod),
    ("shake", Verb::Shake),
    ("wiggle", Verb::Wiggle),
    ("waggle", Verb::Wiggle),
    ("wave", Verb::Wiggle),
    ("flap", Verb::Wiggle),
    ("twitch", Verb::Wiggle),
    ("wriggle", Verb::Wiggle),
    ("jiggle", Verb::Wiggle),
    ("flutter", Verb::Wiggle),
    ("flick", Verb::Wiggle),
    ("wag", Verb::Wiggle),
    ("dance", Verb::Dance),
    ("boogie", Verb::Dance),
    ("groove", Verb::Dance),
    ("wait", Verb::Wait),
    ("pause", Verb::Wait),
    ("hold", Verb::Wait),
];

/// Verbs that run a tool.
const RUNS: &[&str] = &["run", "do", "perform", "execute", "play", "start", "try", "use", "call", "launch"];

/// Verbs that make a tool.
const MAKES: &[&str] = &[
    "make", "create", "write", "build", "teach", "learn", "program", "define", "generate", "add", "design",
    "code", "invent", "compose",
];

/// Nouns for a tool.
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

/// Words that negate a command.
const NEGATIONS: &[&str] = &[
    "dont", "not", "never", "without", "cannot", "cant", "wont", "avoid", "except", "unless", "neither",
    "nor", "doesnt", "neednt", "aint", "shouldnt", "mustnt", "refrain", "skip",
];

/// Function words inside a command that have no meaning.
const SMALL: &[&str] = &[
    "your",
    "the",
    "its",
    "a",
    "an",
    "to",
    "by",
    "of",
    "about",
    "toward",
    "towards",
    "side",
    "with",
    "both",
    "again",
    "approximately",
    "roughly",
    "exactly",
    "directly",
    "sideways",
    "whole",
    "entire",
    "own",
    "only",
    "angle",
    "on",
];

/// Returns whether a word is a form of this one: look, looks, looking; nod, nods, nodding.
pub(super) fn is_form(base: &str, word: &str) -> bool {
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

pub(super) fn part(word: &str) -> Option<Part> {
    match word {
        "head" => Some(Part::Head),
        "body" | "base" | "torso" | "yourself" => Some(Part::Body),
        "antenna" | "antennas" | "antennae" | "ears" | "ear" | "feelers" => Some(Part::Antennas),
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
        "slow" | "slowly" | "slower" | "gently" | "gentle" | "calmly" | "leisurely" | "smoothly"
        | "carefully" => Some(Pace::Slow),
        "fast" | "faster" | "quicker" | "quick" | "quickly" | "rapidly" | "briskly" | "swiftly"
        | "speedily" | "hurriedly" | "rapid" | "brisk" => Some(Pace::Fast),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_in_all_their_forms() {
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
}

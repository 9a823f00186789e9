//! The single words that the grammar knows.

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

/// Returns whether a word is a form of this one: look, looks, looking; nod, nods, nodding.
pub(super) fn is_form(base: &str, word: &str) -> bool {
    if let Some(ending) = word.strip_prefix(base) {
        return matches!(ending, "" | "s" | "es" | "ing")
            || ending.strip_suffix("ing").is_some_and(|last| last.len() == 1 && base.ends_with(last));
    }
    base.strip_suffix('e').and_then(|stem| word.strip_prefix(stem)) == Some("ing")
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

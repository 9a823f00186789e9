//! Names of tools: turns what a person said into a Python identifier that shadows nothing.

use minismith_score::score::is_motion_function;

use super::lexicon::{is_form, is_make, is_run};
use super::phrases::joiner;
use super::primitive::{OutOfRange, Primitive};
use super::set_phrases::fixed;

/// Maximum length of a tool's name.
pub const MAX_NAME_BYTES: usize = 40;

/// Keywords of Python 3.11 and later, including soft ones.
const KEYWORDS: &[&str] = &[
    "false", "none", "true", "and", "as", "assert", "async", "await", "break", "case", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return", "try", "type", "while", "with",
    "yield",
];

/// Names that a composed tool uses itself, and builtins that a person might choose.
const RESERVED: &[&str] = &[
    "robot",
    "reachy_mini",
    "create_head_pose",
    "time",
    "times",
    "speed",
    "range",
    "str",
    "int",
    "float",
    "bool",
    "list",
    "dict",
    "set",
    "tuple",
    "print",
    "open",
    "eval",
    "exec",
    "compile",
    "input",
    "type",
    "object",
    "super",
    "vars",
    "dir",
    "id",
    "hash",
    "help",
    "exit",
    "quit",
    "min",
    "max",
    "sum",
    "abs",
    "all",
    "any",
    "map",
    "next",
    "len",
    "iter",
    "round",
    "sorted",
    "format",
    "repr",
    "bytes",
    "filter",
    "zip",
    "slice",
    "it",
    "that",
    "this",
];

/// Turns a person's name for a tool into a Python identifier: "Happy Hello!" becomes `happy_hello`.
///
/// # Errors
/// [`OutOfRange`] if nothing is left, or the name is a keyword, a builtin or a command.
pub fn tool_name(said: &str) -> Result<String, OutOfRange> {
    let refused = |allowed: &str| {
        Err(OutOfRange {
            what: format!("the tool name {:?}", said.chars().take(60).collect::<String>()),
            allowed: allowed.to_owned(),
        })
    };
    let mut name = String::new();
    for c in said.chars().filter(|c| *c != '\'' && *c != '\u{2019}') {
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_');
    let name =
        if name.starts_with(|c: char| c.is_ascii_digit()) { format!("tool_{name}") } else { name.to_owned() };
    if name.is_empty() {
        return refused("a name with at least one letter from a to z");
    }
    if name.len() > MAX_NAME_BYTES {
        return refused("a name of up to 40 letters, digits and underscores");
    }
    let is_of_motion = is_motion_function(&name) || name == "motion";
    if KEYWORDS.contains(&name.as_str()) || RESERVED.contains(&name.as_str()) || is_of_motion {
        return refused("any name that does not already mean something in Python, such as happy_hello");
    }
    if is_command(&name) {
        return refused("any name that is not itself a command, such as happy_hello");
    }
    Ok(name)
}

/// Returns a name for an unnamed tool: the first things that it does.
pub(super) fn name_for(body: &[Primitive]) -> String {
    let mut words: Vec<&str> = body.iter().map(word_for).collect();
    words.dedup();
    words.truncate(3);
    format!("do_{}", words.join("_"))
}

const fn word_for(primitive: &Primitive) -> &'static str {
    match primitive {
        Primitive::Look { .. } | Primitive::LookAt { .. } => "look",
        Primitive::Tilt { .. } => "tilt",
        Primitive::TurnBody { .. } => "turn",
        Primitive::Height { .. } => "head",
        Primitive::Nod { .. } => "nod",
        Primitive::Shake { .. } => "shake",
        Primitive::WiggleAntennas { .. } => "wiggle",
        Primitive::SetAntennas { .. } => "antennas",
        Primitive::Dance { .. } => "dance",
        Primitive::Center | Primitive::Return { .. } => "center",
        Primitive::Wake => "wake",
        Primitive::Sleep => "sleep",
        Primitive::Wait { .. } => "wait",
    }
}

/// Verbs of motion, which a person says to have the motion done.
const MOTIONS: &[&str] = &[
    "look", "gaze", "glance", "face", "peek", "peer", "stare", "turn", "rotate", "swivel", "spin", "pivot",
    "twist", "tilt", "lean", "raise", "lift", "lower", "drop", "move", "shift", "bring", "swing", "point",
    "aim", "set", "put", "nod", "shake", "wiggle", "waggle", "wave", "flap", "twitch", "wriggle", "dance",
    "wait", "pause", "hold", "center", "centre", "reset", "neutral", "wake", "sleep", "rest",
];

/// Returns whether a word has a meaning at the beginning of a command; a tool cannot have such a name.
pub(super) fn is_command(word: &str) -> bool {
    let words = [Some(word)];
    MOTIONS.iter().any(|motion| is_form(motion, word))
        || is_run(word)
        || is_make(word)
        || fixed(&words).is_some()
        || joiner(&words).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (said, name) in [
            ("happy_hello", "happy_hello"),
            ("Happy Hello!", "happy_hello"),
            ("happy-hello", "happy_hello"),
            ("bob's dance", "bobs_dance"),
            ("3 nods", "tool_3_nods"),
            ("__init__", "init"),
            ("gr\u{fc}\u{df}e", "gr_e"),
            ("x(); import os", "x_import_os"),
        ] {
            assert_eq!(tool_name(said).as_deref(), Ok(name), "{said}");
        }
    }

    #[test]
    fn names_that_shadow_something_are_rejected() {
        for said in [
            "class",
            "None",
            "range",
            "robot",
            "Wait",
            "perform",
            "motion",
            "nod",
            "run",
            "\u{1f600}",
            "",
            "__",
            &"a".repeat(41),
        ] {
            let refused = tool_name(said).unwrap_err();
            assert!(refused.allowed.contains("name"), "{said}: {refused}");
        }
    }
}

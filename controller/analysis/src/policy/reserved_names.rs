//! The names that no tool may have: a person, a model or the interpreter would take the tool for something else.
//!
//! Names are compared by their [`skeleton`], so a name that only looks like a reserved one is reserved as well. Letters
//! beyond ASCII are rejected before, wherever a name is read.

use std::collections::HashMap;
use std::sync::LazyLock;

use minismith_runtime::agent_spec::Ability;

use super::{imports, names};

/// Orders to stop in each language of the commands, without accents and with underscores between the words. A test of the
/// whole system compares them with the languages.
const STOP_ORDERS: &str = include_str!("stop_names.txt");

/// Further names that a person in a hurry would call.
const STOP_SWITCHES: &str = "\
    abort_all e_halt e_stop emergency emergency_halt emergency_off emergency_shutdown emergency_stop estop kill \
    kill_all kill_switch panic power_off shutdown shut_down torque_off";

/// A name that begins with one of these words is read as an order to stop, whatever follows.
const STOP_WORDS: [&str; 3] = ["emergency", "halt", "stop"];

/// What MCP clients may call, besides the functions of agents.
const MCP_TOOLS: &str = "create_tool report_state say stop take_picture";

/// The words of Python, including those that are words in some places only.
const KEYWORDS: &str = "\
    and as assert async await break case class continue def del elif else except finally for from global if import in \
    is lambda match nonlocal not or pass raise return try type while with yield false none true";

/// What a reserved name means already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It orders the robot to stop.
    Stop,
    /// Agents and clients call a function of the program by it.
    Function,
    /// It belongs to Python.
    Python,
    /// Tools import a module of this name.
    Module,
}

impl Meaning {
    /// Returns the meaning in words, for a finding.
    pub(super) const fn describe(self) -> &'static str {
        match self {
            Meaning::Stop => "an order to stop the robot",
            Meaning::Function => "a function that this program has already",
            Meaning::Python => "a word of Python",
            Meaning::Module => "a module that tools import",
        }
    }
}

/// Returns whether no tool may have this name, because it means something else already or looks like a name that does.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    reserved(name).is_some()
}

/// Returns what a name means already, if it is reserved, and the name that it looks like.
pub(super) fn reserved(name: &str) -> Option<(Meaning, &'static str)> {
    if let Some(found) = RESERVED.get(&skeleton(name)) {
        return Some(*found);
    }
    let first = skeleton(name.split('_').find(|word| !word.is_empty())?);
    STOP_WORDS.into_iter().find(|word| skeleton(word) == first).map(|word| (Meaning::Stop, word))
}

static RESERVED: LazyLock<HashMap<String, (Meaning, &'static str)>> = LazyLock::new(|| {
    static FUNCTIONS: LazyLock<Vec<String>> =
        LazyLock::new(|| Ability::ALL.into_iter().map(Ability::name).collect());
    let listed = |text: &'static str, meaning| text.split_whitespace().map(move |name| (meaning, name));
    let mut found = HashMap::new();
    // The first meaning stays: an order to stop is the one that people must not miss.
    STOP_WORDS
        .into_iter()
        .map(|name| (Meaning::Stop, name))
        .chain(listed(STOP_SWITCHES, Meaning::Stop))
        .chain(listed(STOP_ORDERS, Meaning::Stop))
        .chain(FUNCTIONS.iter().map(|name| (Meaning::Function, name.as_str())))
        .chain(listed(MCP_TOOLS, Meaning::Function))
        .chain(listed(KEYWORDS, Meaning::Python))
        .chain(names::builtins().map(|name| (Meaning::Python, name)))
        .chain(imports::roots().map(|name| (Meaning::Module, name)))
        .for_each(|(meaning, name)| _ = found.entry(skeleton(name)).or_insert((meaning, name)));
    found
});

/// Returns the form in which names that look or sound alike are equal: `st0p`, `sto_p` and `stopp` are `stop`.
///
/// A word of digits is a number and stays: `step_1` and `step_11` are different names.
#[must_use]
pub fn skeleton(name: &str) -> String {
    let mut whole = String::new();
    for word in name.split('_') {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            whole.push_str(word);
            continue;
        }
        let word = word.to_lowercase().replace("rn", "m").replace("vv", "w");
        for letter in word.chars().map(looks_like) {
            // A person who calls "stoooop" means a stop.
            if !whole.ends_with(letter) || letter.is_ascii_digit() {
                whole.push(letter);
            }
        }
    }
    whole
}

/// Returns the letter that a sign is taken for.
const fn looks_like(sign: char) -> char {
    match sign {
        '0' => 'o',
        '1' | 'i' => 'l',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_have_one_skeleton() {
        for (name, like) in [
            ("st0p", "stop"),
            ("sto_p", "stop"),
            ("stop_", "stop"),
            ("stoooop", "stop"),
            ("STOP", "stop"),
            ("ha1t", "halt"),
            ("h4lt", "halt"),
            ("n0d", "nod"),
            ("emergencystop", "emergency_stop"),
            ("5ay", "say"),
            ("retum", "return"),
        ] {
            assert_eq!(skeleton(name), skeleton(like), "{name}");
        }
        for (one, other) in [("step_1", "step_11"), ("step_1", "step_2"), ("nod_5", "nods"), ("bow", "bob")] {
            assert_ne!(skeleton(one), skeleton(other), "{one}");
        }
    }

    #[test]
    fn reserved_names_tell_what_they_mean() {
        for (name, meaning) in [
            ("emergency_stop", Meaning::Stop),
            ("stop_the_music", Meaning::Stop),
            ("arrete", Meaning::Stop),
            ("aufhoeren", Meaning::Stop),
            ("basta", Meaning::Stop),
            ("nod", Meaning::Function),
            ("report_state", Meaning::Function),
            ("say", Meaning::Function),
            ("create_function", Meaning::Function),
            ("class", Meaning::Python),
            ("print", Meaning::Python),
            ("math", Meaning::Module),
            ("reachy_mini", Meaning::Module),
        ] {
            assert_eq!(reserved(name).map(|(meaning, _)| meaning), Some(meaning), "{name}");
        }
        for name in ["nod_twice", "happy_hello", "bus_stop_wave", "greet", "tool", "non_stop_nodding"] {
            assert_eq!(reserved(name), None, "{name}");
        }
    }
}

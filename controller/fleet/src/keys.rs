//! The key space of a fleet: `minismith/<fleet>/<robot>/...` ([`Keys`]), and the names in it ([`Name`]).

use std::fmt;
use std::str::FromStr;

/// The first part of every key.
pub const ROOT: &str = "minismith";

/// The longest name, bytes.
const MAX_NAME_BYTES: usize = 40;

/// The name of a fleet, a robot, a group or a person: lower-case letters, digits, `-` and `_`. It is one part of a key, so it
/// contains nothing that a key expression gives a meaning to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// Reports a text that is no name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid name {0:?}; use 1 to 40 lower-case letters, digits, `-` and `_`, a letter or digit first, and not `all`"
)]
pub struct NameError(String);

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let well = text.len() <= MAX_NAME_BYTES
            && text.bytes().next().is_some_and(is_part)
            && text.bytes().all(|byte| is_part(byte) || byte == b'-' || byte == b'_')
            && text != "all";
        if well { Ok(Name(text.to_owned())) } else { Err(NameError(text.chars().take(80).collect())) }
    }
}

impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        text.parse()
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Name {
    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a text can be the name of a tool: one part of a key, and an identifier of Python.
#[must_use]
pub fn is_tool_name(text: &str) -> bool {
    text.len() <= 80
        && text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase() || byte == b'_')
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The keys of one robot, or with [`Keys::all`] of every robot of a fleet.
#[derive(Clone, Debug)]
pub struct Keys {
    base: String,
}

impl Keys {
    /// Returns the keys of a robot.
    #[must_use]
    pub fn of(fleet: &Name, robot: &Name) -> Self {
        Keys { base: format!("{ROOT}/{fleet}/{robot}") }
    }

    /// Returns the key expressions of every robot.
    #[must_use]
    pub fn all(fleet: &Name) -> Self {
        Keys { base: format!("{ROOT}/{fleet}/*") }
    }

    /// Returns a key below the robot: `alive`, `status`, `state`, `camera`, `events`, `tools`, `withdrawn`.
    #[must_use]
    pub fn of_kind(&self, kind: &str) -> String {
        format!("{}/{kind}", self.base)
    }

    /// Returns the key of commands of one caller. The caller is a part of the key, so that access control by key expression
    /// decides who may name whom.
    #[must_use]
    pub fn ask(&self, caller: &str) -> String {
        format!("{}/ask/{caller}", self.base)
    }

    /// Returns the key of a tool.
    #[must_use]
    pub fn tool(&self, tool: &str) -> String {
        format!("{}/tools/{tool}", self.base)
    }
}

/// Returns the robot that a key belongs to.
#[must_use]
pub fn robot_of(key: &str) -> Option<Name> {
    let mut parts = key.split('/');
    let robot = parts.nth(2)?;
    key.starts_with("minismith/").then(|| robot.parse().ok()).flatten()
}

/// Returns the last part of a key.
#[must_use]
pub fn last_of(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_part_of_a_key() {
        for name in ["kitchen", "robot-7", "a_b", "7"] {
            assert_eq!(name.parse::<Name>().unwrap().as_str(), name);
        }
        for bad in
            ["", "all", "Kitchen", "a/b", "a*", "$*", "**", "@x", "a b", "-a", "kücheé", &"a".repeat(41)]
        {
            assert!(bad.parse::<Name>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn keys_name_their_robot() {
        let keys = Keys::of(&"lab".parse().unwrap(), &"kitchen".parse().unwrap());
        assert_eq!(keys.ask("anna"), "minismith/lab/kitchen/ask/anna");
        assert_eq!(robot_of(&keys.of_kind("state")).unwrap().as_str(), "kitchen");
        assert_eq!(robot_of("minismith/lab/*/state"), None);
        assert_eq!(robot_of("other/lab/kitchen/state"), None);
        assert_eq!(last_of(&keys.tool("wave")), "wave");
        assert_eq!(Keys::all(&"lab".parse().unwrap()).of_kind("alive"), "minismith/lab/*/alive");
    }

    #[test]
    fn tools_are_identifiers() {
        assert!(is_tool_name("happy_hello2") && is_tool_name("_x"));
        for bad in ["", "2x", "a-b", "a/b", "Wave", "wave.bundle", "../x"] {
            assert!(!is_tool_name(bad), "{bad}");
        }
    }
}

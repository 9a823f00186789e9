//! What somebody who asks may have done: four roles, each with all that the one before it may.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A role. The later ones may do all that the earlier ones may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Sees state, camera and health, and may say stop.
    Viewer,
    /// Moves the robot, talks to it and runs tools that are on the shelf.
    Operator,
    /// Also makes and adds tools, releases motors and reads the journal.
    Engineer,
    /// Also approves tools and takes them out of use.
    Owner,
}

/// A word that is no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no role; there is viewer, operator, engineer and owner")]
pub struct NoRole(String);

impl Role {
    /// All, the least first.
    pub const ALL: [Role; 4] = [Role::Viewer, Role::Operator, Role::Engineer, Role::Owner];

    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Operator => "operator",
            Role::Engineer => "engineer",
            Role::Owner => "owner",
        }
    }

    /// Whether tools may be made for somebody of this role.
    #[must_use]
    pub fn makes_tools(self) -> bool {
        self >= Role::Engineer
    }

    /// Whether the word of somebody of this role approves a tool.
    #[must_use]
    pub fn approves(self) -> bool {
        self >= Role::Owner
    }
}

impl fmt::Display for Role {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = NoRole;

    fn from_str(word: &str) -> Result<Self, NoRole> {
        Role::ALL.into_iter().find(|role| role.name() == word).ok_or_else(|| NoRole(word.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_ordered_and_read_back() {
        assert!(Role::ALL.is_sorted());
        for role in Role::ALL {
            assert_eq!(role.name().parse(), Ok(role));
            assert_eq!(serde_json::to_value(role).unwrap(), role.name());
        }
        let unknown = "admin".parse::<Role>().unwrap_err().to_string();
        assert!(unknown.contains("admin") && unknown.contains("operator"), "{unknown}");
    }
}

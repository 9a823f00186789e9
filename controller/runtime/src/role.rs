//! The four roles of clients. Each includes the rights of the one before it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A role. A later one includes the rights of the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads state, camera and health, and may stop the robot.
    Viewer,
    /// Moves the robot, talks to it and runs registered tools.
    Operator,
    /// Also creates and adds tools, disables torque and reads the journal.
    Engineer,
    /// Also approves and disables tools.
    Owner,
}

/// A name that is no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown role {0:?}; use viewer, operator, engineer or owner")]
pub struct NoRole(String);

impl Role {
    /// All roles, the lowest first.
    pub const ALL: [Role; 4] = [Role::Viewer, Role::Operator, Role::Engineer, Role::Owner];

    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Operator => "operator",
            Role::Engineer => "engineer",
            Role::Owner => "owner",
        }
    }

    /// Whether this role may create tools.
    #[must_use]
    pub fn makes_tools(self) -> bool {
        self >= Role::Engineer
    }

    /// Whether this role may approve tools.
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

//! The sandbox mechanisms that a machine may lack when a tool runs.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use minismith_protocol::zygote::{MECHANISMS, OPTIONAL_MECHANISMS};

/// A mechanism that a machine may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lowerable(&'static str);

/// Why a mechanism can't be named where the bar is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotLowerable {
    /// It is needed everywhere.
    Needed,
    /// There is none of this name.
    Unknown,
}

impl FromStr for Lowerable {
    type Err = NotLowerable;

    fn from_str(text: &str) -> Result<Self, NotLowerable> {
        match OPTIONAL_MECHANISMS.into_iter().find(|name| *name == text) {
            Some(name) => Ok(Lowerable(name)),
            None if MECHANISMS.contains(&text) => Err(NotLowerable::Needed),
            None => Err(NotLowerable::Unknown),
        }
    }
}

impl fmt::Display for Lowerable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What a machine may lack. Everything else must be enforced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bar(BTreeSet<Lowerable>);

impl FromIterator<Lowerable> for Bar {
    fn from_iter<T: IntoIterator<Item = Lowerable>>(names: T) -> Self {
        Bar(names.into_iter().collect())
    }
}

/// `everything but landlock`.
impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|name| name.0).collect();
        if names.is_empty() {
            f.write_str("everything")
        } else {
            write!(f, "everything but {}", names.join(", "))
        }
    }
}

impl Bar {
    /// Whether a machine may lack this one.
    #[must_use]
    pub fn spares(&self, mechanism: &str) -> bool {
        self.0.iter().any(|name| name.0 == mechanism)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_can_be_spared() {
        assert_eq!("seccomp".parse::<Lowerable>(), Err(NotLowerable::Needed));
        assert_eq!("chains".parse::<Lowerable>(), Err(NotLowerable::Unknown));
        assert_eq!(Bar::default().to_string(), "everything");
    }
}

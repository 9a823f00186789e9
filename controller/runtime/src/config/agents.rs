//! The agents as they stand in the file: who there is, and how far they may go.

use std::str::FromStr;

use super::choice::{NotAllowed, nearest};
use crate::agent_spec::Ability;
use crate::agent_spec::Spec;

/// How far agents may go for one request, and who they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Agents {
    /// How often they may ask the model.
    pub steps: u32,
    /// How many tokens they may read and write.
    pub tokens: u64,
    /// How long they may take, seconds on the wall.
    pub seconds: f64,
    /// How often one may make the very same call.
    pub repeats: u32,
    /// Who there is.
    pub roster: Vec<Spec>,
}

/// An agent's name: an identifier.
#[derive(Clone, Debug)]
pub(super) struct AgentName(pub(super) String);

impl FromStr for AgentName {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let is_one = text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.len() <= 40
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if is_one {
            Ok(AgentName(text.to_owned()))
        } else {
            Err(NotAllowed::new(text, "a name of 1 to 40 lower-case letters, digits and underscores"))
        }
    }
}

/// What an agent is for, and how it should work.
#[derive(Clone, Debug)]
pub(super) struct AgentText(pub(super) String);

impl FromStr for AgentText {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        const LONGEST: usize = 4_000;
        if !text.trim().is_empty() && text.chars().count() <= LONGEST {
            Ok(AgentText(text.trim().to_owned()))
        } else {
            Err(NotAllowed::new(text, format!("a text of 1 to {LONGEST} characters")))
        }
    }
}

impl FromStr for Ability {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        Ability::named(text).ok_or_else(|| {
            let names: Vec<String> = Ability::ALL.into_iter().map(Ability::name).collect();
            NotAllowed::new(text, names.join(", ")).meaning(nearest(text, names.iter().map(String::as_str)))
        })
    }
}

//! The section `agents`: the limits for one request, and the roster.

use std::str::FromStr;

use super::choice::{InvalidValue, nearest};
use crate::agent_spec::Ability;
use crate::agent_spec::Spec;

/// The limits of agents for one request, and the agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Agents {
    /// Maximum number of model calls per request.
    pub max_model_calls: u32,
    /// Maximum number of tokens per request.
    pub max_tokens: u64,
    /// Time limit for one request, seconds.
    pub timeout_s: f64,
    /// How many times one agent may repeat an identical call.
    pub max_repeated_calls: u32,
    /// The agents.
    pub roster: Vec<Spec>,
}

/// The name of an agent: an identifier.
#[derive(Clone, Debug)]
pub(super) struct AgentName(pub(super) String);

impl FromStr for AgentName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let is_one = text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.len() <= 40
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if is_one {
            Ok(AgentName(text.to_owned()))
        } else {
            Err(InvalidValue::new(text, "a name of 1 to 40 lower-case letters, digits and underscores"))
        }
    }
}

/// The purpose or the instructions of an agent.
#[derive(Clone, Debug)]
pub(super) struct AgentText(pub(super) String);

impl FromStr for AgentText {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        const MAX_TEXT_CHARS: usize = 4_000;
        if !text.trim().is_empty() && text.chars().count() <= MAX_TEXT_CHARS {
            Ok(AgentText(text.trim().to_owned()))
        } else {
            Err(InvalidValue::new(text, format!("a text of 1 to {MAX_TEXT_CHARS} characters")))
        }
    }
}

impl FromStr for Ability {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        Ability::named(text).ok_or_else(|| {
            let names: Vec<String> = Ability::ALL.into_iter().map(Ability::name).collect();
            InvalidValue::new(text, names.join(", ")).meaning(nearest(text, names.iter().map(String::as_str)))
        })
    }
}

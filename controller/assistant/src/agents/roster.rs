//! The agents as data: their purposes, instructions and functions.
//!
//! Safety: a new agent never has a function that its creator lacks.

use std::collections::BTreeMap;

pub use minismith_runtime::agent_spec::Spec;

/// The agent that talks with the person.
pub const COORDINATOR: &str = "coordinator";
/// The agent that moves the robot.
pub const ROBOT_CONTROL: &str = "robot_control";
/// The agent that looks through the camera.
pub const VISION: &str = "vision";
/// The agent that makes tools.
pub const CODE: &str = "code";
/// The agent that reviews new tools; it has no functions.
pub const REVIEWER: &str = "reviewer";

/// The maximum number of agents.
const MAX_AGENTS: usize = 24;
/// The maximum length of the purpose of an agent that was created in conversation, in characters.
const MAX_PURPOSE_CHARS: usize = 200;
/// The maximum length of its instructions, in characters.
const MAX_INSTRUCTIONS_CHARS: usize = 4_000;

/// The reason why an agent can't join.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// The name is taken.
    #[error("there is an agent {name} already; choose another name")]
    Taken {
        /// The name.
        name: String,
    },
    /// The agent would have more functions than its creator.
    #[error("{creator} may not do {} itself, so no agent of its making may", .functions.join(", "))]
    Powers {
        /// The creator's name.
        creator: String,
        /// The functions that the creator lacks.
        functions: Vec<String>,
    },
    /// A value of the agent is not allowed.
    #[error("an agent's {what}")]
    Unfit {
        /// What is allowed instead.
        what: String,
    },
}

/// The agents of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster(BTreeMap<String, Spec>);

impl Roster {
    /// Returns a roster of these agents; of two with one name the later counts.
    #[must_use]
    pub fn of(specs: impl IntoIterator<Item = Spec>) -> Roster {
        Roster(specs.into_iter().map(|spec| (spec.name.clone(), spec)).collect())
    }

    /// Returns an agent by name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Spec> {
        self.0.get(name)
    }

    /// Returns all agents, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = &Spec> {
        self.0.values()
    }

    /// Returns the agents that an agent may hand a task to: all others that have functions.
    #[must_use]
    pub fn others(&self, than: &str) -> Vec<String> {
        self.iter()
            .filter(|spec| spec.name != than && !spec.functions.is_empty())
            .map(|spec| spec.name.clone())
            .collect()
    }

    /// Adds a new agent that another one created.
    ///
    /// # Errors
    /// [`AgentError`] says why it can't join.
    pub fn create(&mut self, creator: &str, spec: Spec) -> Result<(), AgentError> {
        let unfit = |what: &str| Err(AgentError::Unfit { what: what.into() });
        if self.0.contains_key(&spec.name) {
            return Err(AgentError::Taken { name: spec.name });
        }
        if self.0.len() >= MAX_AGENTS {
            return unfit(&format!("place is not to be had: there may be {MAX_AGENTS}"));
        }
        if spec.purpose.is_empty() || spec.purpose.chars().count() > MAX_PURPOSE_CHARS {
            return unfit(&format!("purpose has 1 to {MAX_PURPOSE_CHARS} characters"));
        }
        if spec.instructions.chars().count() > MAX_INSTRUCTIONS_CHARS {
            return unfit(&format!("instructions have at most {MAX_INSTRUCTIONS_CHARS} characters"));
        }
        let own = self.get(creator).map(|spec| spec.functions.clone()).unwrap_or_default();
        let beyond: Vec<String> = spec.functions.difference(&own).map(|ability| ability.name()).collect();
        if !beyond.is_empty() {
            return Err(AgentError::Powers { creator: creator.into(), functions: beyond });
        }
        self.0.insert(spec.name.clone(), Spec { creator: Some(creator.into()), ..spec });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use minismith_runtime::agent_spec::Ability;

    use super::*;

    fn spec(name: &str, functions: &[Ability]) -> Spec {
        Spec {
            name: name.into(),
            purpose: "tries".into(),
            instructions: String::new(),
            functions: functions.iter().copied().collect(),
            creator: None,
            read: Vec::new(),
        }
    }

    #[test]
    fn an_agent_can_only_grant_functions_that_it_has() {
        let mut roster = Roster::of([spec(COORDINATOR, &[Ability::Nod, Ability::CreateAssistant])]);
        let greedy = roster.create(COORDINATOR, spec("dancer", &[Ability::Nod, Ability::Dance])).unwrap_err();
        assert_eq!(
            greedy,
            AgentError::Powers { creator: COORDINATOR.into(), functions: vec!["dance".into()] },
        );
        roster.create(COORDINATOR, spec("nodder", &[Ability::Nod])).unwrap();
        assert_eq!(roster.get("nodder").unwrap().creator.as_deref(), Some(COORDINATOR));
        // Functions do not grow over generations, and an unknown creator has none to grant.
        assert!(roster.create("nodder", spec("child", &[Ability::CreateAssistant])).is_err());
        assert!(roster.create("nobody", spec("orphan", &[Ability::Nod])).is_err());
        assert_eq!(
            roster.create(COORDINATOR, spec("nodder", &[])).unwrap_err(),
            AgentError::Taken { name: "nodder".into() },
        );
    }
}

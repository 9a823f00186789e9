//! The agents as data: who there is, what for, with which instructions and which functions.
//!
//! Safety: an agent that is created later has never more functions than its creator.

use std::collections::BTreeMap;

pub use minismith_runtime::agent_spec::Spec;

/// The agent who speaks with the person.
pub const COORDINATOR: &str = "coordinator";
/// The agent who moves the body.
pub const ROBOT_CONTROL: &str = "robot_control";
/// The agent who looks.
pub const VISION: &str = "vision";
/// The agent who makes tools.
pub const CODE: &str = "code";
/// The agent who judges new tools; it has no functions.
pub const REVIEWER: &str = "reviewer";

/// The most agents.
const MOST_AGENTS: usize = 24;
/// The longest purpose and the longest instructions of an agent that was created in conversation, in characters.
const LONGEST_PURPOSE: usize = 200;
const LONGEST_INSTRUCTIONS: usize = 4_000;

/// An agent that can't join.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAgent {
    /// The name is taken.
    #[error("there is an agent {name} already; choose another name")]
    Taken {
        /// The name.
        name: String,
    },
    /// It would have more powers than its creator.
    #[error("{creator} may not do {} itself, so no agent of its making may", .functions.join(", "))]
    Powers {
        /// Who wanted to create it.
        creator: String,
        /// The functions that the creator lacks.
        functions: Vec<String>,
    },
    /// Something about it is not allowed.
    #[error("an agent's {what}")]
    Unfit {
        /// What is allowed instead.
        what: String,
    },
}

/// Who there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster(BTreeMap<String, Spec>);

impl Roster {
    /// These agents; of two with one name the later counts.
    #[must_use]
    pub fn of(specs: impl IntoIterator<Item = Spec>) -> Roster {
        Roster(specs.into_iter().map(|spec| (spec.name.clone(), spec)).collect())
    }

    /// An agent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Spec> {
        self.0.get(name)
    }

    /// All agents, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Spec> {
        self.0.values()
    }

    /// To whom an agent may hand a task: everybody else who has something to do with.
    #[must_use]
    pub fn others(&self, than: &str) -> Vec<String> {
        self.iter()
            .filter(|spec| spec.name != than && !spec.functions.is_empty())
            .map(|spec| spec.name.clone())
            .collect()
    }

    /// A new agent, made by another one.
    ///
    /// # Errors
    /// [`NoAgent`] says why it can't join.
    pub fn create(&mut self, creator: &str, spec: Spec) -> Result<(), NoAgent> {
        let unfit = |what: &str| Err(NoAgent::Unfit { what: what.into() });
        if self.0.contains_key(&spec.name) {
            return Err(NoAgent::Taken { name: spec.name });
        }
        if self.0.len() >= MOST_AGENTS {
            return unfit(&format!("place is not to be had: there may be {MOST_AGENTS}"));
        }
        if spec.purpose.is_empty() || spec.purpose.chars().count() > LONGEST_PURPOSE {
            return unfit(&format!("purpose has 1 to {LONGEST_PURPOSE} characters"));
        }
        if spec.instructions.chars().count() > LONGEST_INSTRUCTIONS {
            return unfit(&format!("instructions have at most {LONGEST_INSTRUCTIONS} characters"));
        }
        let own = self.get(creator).map(|spec| spec.functions.clone()).unwrap_or_default();
        let beyond: Vec<String> = spec.functions.difference(&own).map(|ability| ability.name()).collect();
        if !beyond.is_empty() {
            return Err(NoAgent::Powers { creator: creator.into(), functions: beyond });
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
    fn nobody_gives_away_what_they_do_not_have() {
        let mut roster = Roster::of([spec(COORDINATOR, &[Ability::Nod, Ability::CreateAssistant])]);
        let greedy = roster.create(COORDINATOR, spec("dancer", &[Ability::Nod, Ability::Dance])).unwrap_err();
        assert_eq!(greedy, NoAgent::Powers { creator: COORDINATOR.into(), functions: vec!["dance".into()] },);
        roster.create(COORDINATOR, spec("nodder", &[Ability::Nod])).unwrap();
        assert_eq!(roster.get("nodder").unwrap().creator.as_deref(), Some(COORDINATOR));
        // Powers do not grow over generations, and somebody unknown has none to give.
        assert!(roster.create("nodder", spec("child", &[Ability::CreateAssistant])).is_err());
        assert!(roster.create("nobody", spec("orphan", &[Ability::Nod])).is_err());
        assert_eq!(
            roster.create(COORDINATOR, spec("nodder", &[])).unwrap_err(),
            NoAgent::Taken { name: "nodder".into() },
        );
    }
}

//! Defines the [`Event`]s that go into the machine of a turn and the [`Effect`]s that come out of it.

use serde::Serialize;

use crate::agents::action::Action;
use minismith_language_model::{Function, ModelAnswer, ModelCallError, Prompt, Tokens};

/// The limits of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The maximum number of model answers.
    pub steps: u32,
    /// The maximum number of tokens, prompts and answers together.
    pub tokens: u64,
    /// The maximum wall-clock time, in seconds.
    pub seconds: f64,
    /// How often the same call with the same arguments may be made in a row.
    pub repeats: u32,
    /// The maximum length of an answer, in tokens.
    pub answer_tokens: u32,
}

/// A tool that may be run in this turn, as found by the driver's search.
#[derive(Clone, Debug, PartialEq)]
pub struct AvailableTools {
    /// Its name and description.
    pub function: Function,
}

/// An event for the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A model has answered.
    Answered(ModelAnswer),
    /// No model has answered.
    NoAnswer(ModelCallError),
    /// The result of an action.
    Observed(Observation),
    /// The person's answer to a question; `None` when no person is available.
    Replied(Option<String>),
    /// The person said something else in the meantime: a correction.
    Corrected(String),
    /// The person said stop.
    Stopped,
    /// The time limit of the turn has passed.
    Late,
}

/// The result of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The result as text, from measurements.
    pub text: String,
    /// Whether the action was done.
    pub done: bool,
    /// The source of free text in it (an image, a file, a tool's output); `None` when this program wrote
    /// every word.
    pub foreign: Option<String>,
    /// A tool that is new since then.
    pub tool: Option<Function>,
}

impl Observation {
    /// Returns an observation in this program's words about an action that was done.
    #[must_use]
    pub fn done(text: impl Into<String>) -> Self {
        Observation { text: text.into(), done: true, foreign: None, tool: None }
    }

    /// Returns an observation in this program's words about an action that was not done.
    #[must_use]
    pub fn not_done(text: impl Into<String>) -> Self {
        Observation { text: text.into(), done: false, foreign: None, tool: None }
    }
}

/// What the machine asks its driver to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the model.
    Ask(Prompt),
    /// Carry this action out for an agent.
    Act {
        /// The agent's name.
        agent: String,
        /// The action.
        action: Action,
    },
    /// Ask the person.
    AskPerson(String),
    /// The turn has ended.
    End(End),
}

/// The result of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// The answer for the person.
    pub text: String,
    /// The reason for the end.
    pub reason: StopReason,
}

/// The reason why a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub enum StopReason {
    /// The coordinator answered.
    Answered,
    /// A limit was reached, by name.
    Limit(&'static str),
    /// No model is available.
    NoModel(ModelCallError),
    /// The person said stop.
    Stopped,
}

/// What a turn has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Model answers.
    pub steps: u32,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens of answers.
    pub answer_tokens: u64,
}

impl Usage {
    /// Counts one more answer.
    pub fn count(&mut self, tokens: Tokens) {
        self.steps += 1;
        self.prompt_tokens += tokens.prompt;
        self.answer_tokens += tokens.answer;
    }
}

impl std::ops::Add for Usage {
    type Output = Usage;

    fn add(self, other: Usage) -> Usage {
        Usage {
            steps: self.steps + other.steps,
            prompt_tokens: self.prompt_tokens + other.prompt_tokens,
            answer_tokens: self.answer_tokens + other.answer_tokens,
        }
    }
}

/// A task that goes from one agent to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handoff {
    /// The agent that hands it over.
    pub from: String,
    /// The agent that receives it.
    pub to: String,
    /// The task.
    pub task: String,
}

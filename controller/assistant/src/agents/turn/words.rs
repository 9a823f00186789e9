//! What is said to the machine of a turn, and what it says.

use serde::Serialize;

use crate::agents::action::Action;
use crate::model::{Answer, Function, NoAnswer, Prompt, Tokens};

/// How far a turn may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Answers of a model.
    pub steps: u32,
    /// Tokens, read and written.
    pub tokens: u64,
    /// Seconds on the wall.
    pub seconds: f64,
    /// The same call with the same arguments in a row.
    pub repeats: u32,
    /// The longest answer, tokens.
    pub answer_tokens: u32,
}

/// A tool that may be run in this turn: what the driver's search found fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// Its name, and what it does.
    pub function: Function,
}

/// What is told to the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A model has answered.
    Answered(Answer),
    /// No model has.
    NoAnswer(NoAnswer),
    /// An action was carried out, or not.
    Observed(Observation),
    /// The person answered a question; none when nobody is there to answer.
    Replied(Option<String>),
    /// The person said something else meanwhile: a correction.
    Corrected(String),
    /// The person said stop.
    Stopped,
    /// So many seconds have passed since the beginning.
    Late,
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// What is known of it, from what was measured.
    pub text: String,
    /// Whether it was done.
    pub done: bool,
    /// Where free text in it comes from (a picture, a file, a tool's words); none when every word is our own.
    pub foreign: Option<String>,
    /// A tool that there is since then.
    pub tool: Option<Function>,
}

impl Observation {
    /// Our own words on something that was done.
    #[must_use]
    pub fn done(text: impl Into<String>) -> Self {
        Observation { text: text.into(), done: true, foreign: None, tool: None }
    }

    /// Our own words on something that was not.
    #[must_use]
    pub fn not_done(text: impl Into<String>) -> Self {
        Observation { text: text.into(), done: false, foreign: None, tool: None }
    }
}

/// What the machine wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the model.
    Ask(Prompt),
    /// Carry this out, for this agent.
    Act {
        /// Who.
        agent: String,
        /// What.
        action: Action,
    },
    /// Ask the person.
    AskPerson(String),
    /// It is over.
    End(End),
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// What is said to the person.
    pub text: String,
    /// Why it ended.
    pub why: Why,
}

/// Why a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// The coordinator answered.
    Answered,
    /// A limit was reached, by name.
    Limit(&'static str),
    /// There is no model.
    NoModel(NoAnswer),
    /// The person said stop.
    Stopped,
}

/// What a turn has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// Answers of a model.
    pub steps: u32,
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens of answers.
    pub answer_tokens: u64,
}

impl Spent {
    /// One more answer.
    pub fn count(&mut self, tokens: Tokens) {
        self.steps += 1;
        self.prompt_tokens += tokens.prompt;
        self.answer_tokens += tokens.answer;
    }
}

impl std::ops::Add for Spent {
    type Output = Spent;

    fn add(self, other: Spent) -> Spent {
        Spent {
            steps: self.steps + other.steps,
            prompt_tokens: self.prompt_tokens + other.prompt_tokens,
            answer_tokens: self.answer_tokens + other.answer_tokens,
        }
    }
}

/// A task that goes from one agent to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handoff {
    /// Who hands it over.
    pub from: String,
    /// To whom.
    pub to: String,
    /// What is to be done.
    pub task: String,
}

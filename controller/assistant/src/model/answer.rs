//! What a model said, or why it said nothing.

use std::time::Duration;

use serde_json::{Map, Value};

/// A model's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What it said.
    pub said: Said,
    /// What it cost.
    pub tokens: Tokens,
    /// Which endpoint and model it came from, for records and people.
    pub from: String,
}

/// What a model said, in the form that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// Text.
    Text(String),
    /// A document that fits the schema.
    Json(Value),
    /// Calls of functions that it was offered, at least one; whether the arguments fit is the caller's to judge.
    Calls {
        /// What it said beside them; may be empty.
        text: String,
        /// The calls, in order.
        calls: Vec<Call>,
    },
}

/// A call that a model wants made.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The model's name for it, by which it recognises what came of it.
    pub id: String,
    /// The function: one of those that were offered.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// Tokens that were read and written; as the endpoint counts them, else by a rule of thumb of four bytes each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tokens {
    /// Of the prompt.
    pub prompt: u64,
    /// Of the answer.
    pub answer: u64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoAnswer {
    /// Nobody listens there, or the name is not known.
    #[error("the language model at {endpoint} can't be reached: {reason}; start it, or set `brain: offline`")]
    Unreachable {
        /// Where.
        endpoint: String,
        /// What the system said.
        reason: String,
    },
    /// It took too long.
    #[error("the language model at {endpoint} did not answer within {} s", .limit.as_secs_f64())]
    Slow {
        /// Where.
        endpoint: String,
        /// The limit that was reached.
        limit: Duration,
    },
    /// The endpoint said that it does not want this.
    #[error("the language model at {endpoint} refused the question ({status}): {reason}")]
    Refused {
        /// Where.
        endpoint: String,
        /// The HTTP status.
        status: u16,
        /// What it said, shortened.
        reason: String,
    },
    /// What came is not what was asked for: no protocol, half a stream, not the schema, no such function.
    #[error("the language model at {endpoint} gave no usable answer: {reason}")]
    Unusable {
        /// Where.
        endpoint: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The prompt is longer than the budget allows.
    #[error("the question to the language model has about {tokens} tokens, and {limit} are allowed")]
    TooLong {
        /// Its length.
        tokens: u64,
        /// The limit.
        limit: u64,
    },
    /// Somebody said stop.
    #[error("the question was given up because somebody said stop")]
    GivenUp,
}

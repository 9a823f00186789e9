//! Defines [`ModelAnswer`], the answer of a model, and [`ModelCallError`], the reason why none came.

use std::time::Duration;

use serde_json::{Map, Value};

/// A model's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAnswer {
    /// Its content.
    pub completion: Completion,
    /// The tokens it used.
    pub tokens: Tokens,
    /// The endpoint and model it came from, for records and people.
    pub from: String,
}

/// The content of an answer, in the requested form.
#[derive(Clone, Debug, PartialEq)]
pub enum Completion {
    /// Text.
    Text(String),
    /// A document that fits the schema.
    Json(Value),
    /// Calls of offered functions, at least one. The caller checks the arguments.
    Calls {
        /// Text next to the calls; may be empty.
        text: String,
        /// The calls, in order.
        calls: Vec<Call>,
    },
}

/// A call that a model requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The model's id for the call, by which it recognises the result.
    pub id: String,
    /// The function, one of those that were offered.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// Tokens of prompts and answers, as the endpoint counts them; without a count, estimated at four bytes each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tokens {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens of the answer.
    pub answer: u64,
}

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelCallError {
    /// The connection failed, or the name is unknown.
    #[error("the language model at {endpoint} can't be reached: {reason}; start it, or set `nlu: grammar`")]
    Unreachable {
        /// The endpoint.
        endpoint: String,
        /// The system's message.
        reason: String,
    },
    /// The local model does not run.
    #[error("the local language model gave no answer: {reason}")]
    Local {
        /// What happened, and what to do.
        reason: String,
    },
    /// The answer took too long.
    #[error("the language model at {endpoint} did not answer within {} s", .limit.as_secs_f64())]
    Slow {
        /// The endpoint.
        endpoint: String,
        /// The limit that was reached.
        limit: Duration,
    },
    /// The endpoint rejected the request.
    #[error("the language model at {endpoint} rejected the request ({status}): {reason}")]
    Refused {
        /// The endpoint.
        endpoint: String,
        /// The HTTP status.
        status: u16,
        /// Its message, shortened.
        reason: String,
    },
    /// The reply is not what was requested: not the protocol, a broken stream, not the schema, or an unknown
    /// function.
    #[error("the language model at {endpoint} gave no usable answer: {reason}")]
    Unusable {
        /// The endpoint.
        endpoint: String,
        /// What is wrong with the reply.
        reason: String,
    },
    /// The prompt is longer than the budget allows.
    #[error("the prompt for the language model is too long: about {tokens} tokens, {limit} allowed")]
    TooLong {
        /// Its length, in tokens.
        tokens: u64,
        /// The limit, in tokens.
        limit: u64,
    },
    /// A person said stop.
    #[error("the request to the language model was cancelled: the person said stop")]
    GivenUp,
}

//! Asks language models: prompts go out, answers come back.
//!
//! Reading order:
//!
//! * [`prompt`] (the question) and [`answer`] (the answer)
//! * [`client`] (the endpoints and their order) and `endpoint` (one endpoint)
//! * `capabilities` and `strategy` (how an endpoint is asked)
//! * `request` and `fence` (what is sent)
//! * `transport`, `local`, `sse` and `reply` (what is received)
//! * `parse` and `json_extract` (what it means)
//! * `error` (errors) and `tokens` (estimates)
//! * for tests: [`cassette`] (recordings) and [`scripted`]
//!
//! An endpoint is probed once for how it calls functions: natively, by a reply restricted to a schema, or by text. Failed
//! requests are retried, passed on to the next endpoint and reported. A cassette answers only the exact requests that
//! were recorded.
//!
//! All text of a model is untrusted; nothing in it acts by itself.

pub mod answer;
mod capabilities;
pub mod cassette;
pub mod client;
mod endpoint;
mod error;
mod fence;
mod json_extract;
mod local;
mod parse;
pub mod prompt;
mod reply;
mod request;
pub mod scripted;
mod strategy;
mod tokens;
mod transport;

pub use answer::{Call, Completion, ModelAnswer, ModelCallError, Tokens};
pub use cassette::Cassette;
pub use client::Client;
pub use fence::shown;
pub use prompt::{Form, Function, Message, Part, Prompt, Role};
pub use scripted::Scripted;
pub use transport::TransportError;

/// Answers prompts.
pub trait Model {
    /// Answers one prompt.
    ///
    /// `watch` gets the text as it arrives, where the answer is text and not JSON. While there is none, it
    /// gets an empty piece from time to time. Its result says whether to go on; [`Watch::Off`] cancels the
    /// request at once. Its text may come from a try that failed later, so only the returned answer counts.
    ///
    /// # Errors
    /// [`ModelCallError`] says what happened, for a person, and whether another try could help.
    fn answer(
        &mut self,
        prompt: &Prompt,
        watch: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<ModelAnswer, ModelCallError>;

    /// Returns notices for the person about the answers so far, such as a failed endpoint. Each is returned
    /// once.
    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Whether to go on listening to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Go on.
    On,
    /// Cancel the request; a person said stop.
    Off,
}

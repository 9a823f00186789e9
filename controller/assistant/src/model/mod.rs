//! What is asked of a language model, and what it says: words between agents and whoever serves the model.
//!
//! Reading order: [`prompt`] (what is asked), [`answer`] (what comes back), [`client`] (the endpoints, and which is
//! asked when), `peer` (one endpoint), `habits` and `strategy` (how it wants to be asked), `request` and `fence` (what is
//! sent), `line`, `sse` and `reply` (what is heard), `reading` and `lenient` (what that means), `trouble` (what can go
//! wrong), `tokens`. For tests: [`cassette`] (recorded talks) and [`scripted`]. All text that a model says is untrusted;
//! nothing in it acts by itself.

pub mod answer;
pub mod cassette;
pub mod client;
mod fence;
mod habits;
mod lenient;
mod line;
mod peer;
pub mod prompt;
mod reading;
mod reply;
mod request;
pub mod scripted;
mod strategy;
mod tokens;
mod trouble;

pub use answer::{Answer, Call, NoAnswer, Said, Tokens};
pub use cassette::Cassette;
pub use client::Client;
pub use fence::shown;
pub use line::NoLine;
pub use prompt::{Form, Function, Message, Part, Prompt, Role};
pub use scripted::Scripted;

/// Whoever answers prompts.
pub trait Model {
    /// Answers one prompt. `watch` hears the text as it arrives, where the answer is text and not JSON, and now and then
    /// an empty piece while there is none; it says whether to go on listening. When it says no, the question is given up
    /// at once. What it heard may have come from a try that failed later: what counts is the answer.
    ///
    /// # Errors
    /// [`NoAnswer`] says what happened, in words for a person, and whether another try could help.
    fn answer(&mut self, prompt: &Prompt, watch: &mut dyn FnMut(&str) -> Watch) -> Result<Answer, NoAnswer>;

    /// What a person should hear of the answers so far beside them, such as that one endpoint failed and another
    /// answered; each is told once.
    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Whether to go on listening to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Go on.
    On,
    /// Give the question up; somebody said stop.
    Off,
}

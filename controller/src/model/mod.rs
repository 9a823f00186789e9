//! What is asked of a language model, and what it says: words between agents and whoever serves the model.
//!
//! Reading order: [`prompt`] (what is asked), [`answer`] (what comes back). All text that a model says is untrusted;
//! nothing in it acts by itself.

pub mod answer;
pub mod prompt;

pub use answer::{Answer, Call, NoAnswer, Said, Tokens};
pub use prompt::{Form, Function, Message, Part, Prompt, Role};

/// Whoever answers prompts.
pub trait Model {
    /// Answers one prompt. `watch` hears the text as it arrives, and says whether to go on listening; when it says no,
    /// the question is given up at once.
    ///
    /// # Errors
    /// [`NoAnswer`] says what happened, in words for a person, and whether another try could help.
    fn answer(&mut self, prompt: &Prompt, watch: &mut dyn FnMut(&str) -> Watch) -> Result<Answer, NoAnswer>;
}

/// Whether to go on listening to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Go on.
    On,
    /// Give the question up; somebody said stop.
    Off,
}

//! Defines [`Mind`], the language model and the agents of a conversation.

use minismith_runtime::config::{Config, Nlu};

use super::{Conversation, ConversationEvent};
use crate::agents::roster::Roster;
use crate::agents::turn::Limits;
use minismith_language_model::{Model, ModelAnswer, ModelCallError, Prompt};

/// The language model, the agents and their limits.
pub struct Mind {
    /// The language model.
    pub model: Box<dyn Model>,
    /// The agents.
    pub roster: Roster,
    /// The limits of a turn.
    pub limits: Limits,
    /// How often a rejected draft may be fixed.
    pub max_iterations: u32,
    /// The folder of installed models, for the search for tools.
    pub models: std::path::PathBuf,
    /// Whether the model is the one on this computer. It writes motions within a grammar, and only where the composer does
    /// not serve the whole request; other models write free Python.
    pub is_local: bool,
}

impl Mind {
    /// Returns a mind with this model and the agents of the configuration.
    #[must_use]
    pub fn new(config: &Config, model: Box<dyn Model>) -> Self {
        let agents = &config.agents;
        let limits = Limits {
            steps: agents.max_model_calls,
            tokens: agents.max_tokens,
            seconds: agents.timeout_s,
            repeats: agents.max_repeated_calls,
            answer_tokens: config.language_model.max_completion_tokens,
        };
        Mind {
            model,
            roster: Roster::of(agents.roster.clone()),
            limits,
            max_iterations: config.workshop.max_repair_attempts,
            models: config.models.clone(),
            is_local: config.nlu == Nlu::Local,
        }
    }
}

impl Conversation<'_> {
    /// Asks the model on behalf of an agent, until a person says stop.
    pub(super) fn ask_model(
        &mut self,
        mind: &mut Mind,
        agent: &str,
        prompt: &Prompt,
    ) -> Result<ModelAnswer, ModelCallError> {
        self.emit(ConversationEvent::Thinking { agent: agent.to_owned() });
        mind.model.answer(prompt, &mut |_| self.watch())
    }
}

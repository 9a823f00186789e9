//! Has the language model on this computer read a sentence that the grammar does not.
//!
//! The model rewrites the sentence as plain commands, within a grammar of commands (`commands.gbnf`), and the reader of
//! commands reads those; the model never writes a motion. The commands are done at once only where the words of the
//! sentence name the same and nothing else (`evidence`). Where they name something that differs, the model's reading is
//! dropped; otherwise it is a question to the person.

mod evidence;
#[cfg(test)]
mod tests;

use minismith_commands::describe::describe;
use minismith_nlu::{Intent, commanded};

use self::evidence::{Evidence, Support};
use minismith_language_model::client::Client;
use minismith_language_model::{
    Completion, Form, Message, Model as _, ModelAnswer, ModelCallError, Prompt, Watch,
};
use minismith_runtime::config::{Config, Nlu};

/// The constant part of the prompt, which is evaluated once.
const INSTRUCTIONS: &str = include_str!("instructions.md");

/// What the model may answer.
const GRAMMAR: &str = include_str!("commands.gbnf");

/// What it answers where nothing is to move.
const NOTHING: &str = "none";

/// The longest answer, tokens.
const MAX_ANSWER_TOKENS: u32 = 64;

/// The longest sentence that a model gets, characters. What is longer is told, not ordered.
const MAX_SENTENCE_CHARS: usize = 240;

/// What a model takes a sentence for.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondReading {
    /// The motions.
    pub plan: Vec<Intent>,
    /// What they are, in the language of the sentence.
    pub description: String,
    /// The code of that language.
    pub language: &'static str,
    /// Whether the words of the sentence leave no other meaning. If not, the person is asked.
    pub is_certain: bool,
}

/// Has a model read a sentence. Returns `None` if it is too long, if nothing is to move by the model's answer, or if the
/// sentence says something else. `done` is what was done last, to which the sentence may refer. `ask` puts a prompt to the
/// model.
///
/// # Errors
/// Returns the reason if the model does not answer.
pub fn second_reading(
    text: &str,
    done: Option<&str>,
    ask: &mut dyn FnMut(&Prompt) -> Result<ModelAnswer, ModelCallError>,
) -> Result<Option<SecondReading>, ModelCallError> {
    if text.chars().count() > MAX_SENTENCE_CHARS {
        return Ok(None);
    }
    let done = done.filter(|done| done.chars().count() <= MAX_SENTENCE_CHARS);
    let done = done.map(|done| format!("Done before: {done}\n")).unwrap_or_default();
    let prompt = Prompt {
        purpose: "second reader",
        instructions: INSTRUCTIONS.to_owned(),
        messages: vec![Message::person(format!("{done}Person: {text}\nCommands:"))],
        form: Form::Grammar { gbnf: GRAMMAR.to_owned(), sample: 0 },
        max_tokens: MAX_ANSWER_TOKENS,
    };
    let answer = ask(&prompt)?;
    Ok(match answer.completion {
        Completion::Text(commands) => reading(text, commands.trim()),
        _ => None,
    })
}

/// Returns what a sentence means if these commands say it.
fn reading(text: &str, commands: &str) -> Option<SecondReading> {
    if commands == NOTHING {
        return None;
    }
    let (said, language) = Evidence::of_sentence(text);
    let spoken = commanded(commands, language)?;
    let description = describe(spoken.meaning.as_ref()?, language);
    let is_certain = match said.supports(&Evidence::of_commands(commands)) {
        Support::Certain => true,
        Support::Possible => false,
        Support::None => return None,
    };
    Some(SecondReading { plan: vec![Intent::Spoken(Box::new(spoken))], description, language, is_certain })
}

/// Has the model on this computer, if it is the configured one, evaluate the constant part of the prompt in the background:
/// who speaks waits for seconds only. The result is kept on disk.
pub fn prepare(config: &Config) {
    if config.nlu != Nlu::Local {
        return;
    }
    let mut model = Client::local(config);
    let evaluated = std::thread::Builder::new().name("second reader".into()).spawn(move || {
        if let Err(why) =
            second_reading("hello", None, &mut |prompt| model.answer(prompt, &mut |_| Watch::On))
        {
            tracing::warn!("the language model is not ready: {why}");
        }
    });
    if let Err(error) = evaluated {
        tracing::warn!(%error, "the language model is not ready");
    }
}

//! A model that says what it was given to say: for tests of whoever asks models.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::answer::{Answer, NoAnswer, Said, Tokens};
use super::prompt::{Form, Prompt};
use super::{Model, Watch};

/// A list of answers, given in order; the prompts are kept.
#[derive(Debug)]
pub struct Scripted {
    answers: VecDeque<Result<Said, NoAnswer>>,
    prompts: Prompts,
}

/// The prompts that a scripted model has seen so far; stays valid when the model itself is given away.
#[derive(Clone, Debug, Default)]
pub struct Prompts(Arc<Mutex<Vec<Prompt>>>);

impl Prompts {
    /// The prompts, oldest first.
    #[must_use]
    pub fn seen(&self) -> Vec<Prompt> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Scripted {
    /// A model that gives these answers.
    pub fn new(answers: impl IntoIterator<Item = Result<Said, NoAnswer>>) -> Self {
        Scripted { answers: answers.into_iter().collect(), prompts: Prompts::default() }
    }

    /// The prompts that it will have seen.
    #[must_use]
    pub fn prompts(&self) -> Prompts {
        self.prompts.clone()
    }

    /// How many answers have not been asked for.
    #[must_use]
    pub fn left(&self) -> usize {
        self.answers.len()
    }
}

impl Model for Scripted {
    fn answer(&mut self, prompt: &Prompt, watch: &mut dyn FnMut(&str) -> Watch) -> Result<Answer, NoAnswer> {
        self.prompts.0.lock().unwrap_or_else(PoisonError::into_inner).push(prompt.clone());
        let unusable = |reason: &str| NoAnswer::Unusable { endpoint: FROM.into(), reason: reason.into() };
        let said =
            self.answers.pop_front().unwrap_or_else(|| Err(unusable("the script has no more answers")))?;
        let is_asked_for = match (&said, &prompt.form) {
            (Said::Text(_), Form::Text | Form::Calls(_)) | (Said::Json(_), Form::Json(_)) => true,
            (Said::Calls { calls, .. }, Form::Calls(functions)) => {
                calls.iter().all(|call| functions.iter().any(|function| function.name == call.name))
            }
            _ => false,
        };
        if !is_asked_for {
            return Err(unusable("the script's answer has not the form that is asked for"));
        }
        let text = match &said {
            Said::Text(text) | Said::Calls { text, .. } => text.as_str(),
            Said::Json(_) => "",
        };
        if watch(text) == Watch::Off {
            return Err(NoAnswer::GivenUp);
        }
        Ok(Answer { said, tokens: Tokens::default(), from: FROM.into() })
    }
}

const FROM: &str = "a script";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Message;

    #[test]
    fn it_says_what_it_was_given_and_keeps_what_it_was_asked() {
        let prompt = |form| Prompt {
            purpose: "test",
            instructions: "Be brief.".into(),
            messages: vec![Message::person("Hello")],
            form,
            most_tokens: 10,
        };
        let mut model = Scripted::new([Ok(Said::Text("Hi".into())), Ok(Said::Json(1.into()))]);
        let prompts = model.prompts();
        let mut heard = String::new();
        let mut watch = |text: &str| {
            heard.push_str(text);
            Watch::On
        };
        assert_eq!(model.answer(&prompt(Form::Text), &mut watch).unwrap().said, Said::Text("Hi".into()));
        assert!(
            model.answer(&prompt(Form::Text), &mut watch).unwrap_err().to_string().contains("not the form")
        );
        assert!(model.answer(&prompt(Form::Text), &mut watch).unwrap_err().to_string().contains("no more"));
        assert_eq!((heard.as_str(), prompts.seen().len(), model.left()), ("Hi", 3, 0));
    }
}

//! Defines [`Scripted`], a model with prepared answers, for tests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::answer::{Answer, NoAnswer, Said, Tokens};
use super::prompt::{Form, Prompt};
use super::{Model, Watch};

/// A list of answers, returned in order. It records the prompts.
#[derive(Debug)]
pub struct Scripted {
    answers: VecDeque<Result<Said, NoAnswer>>,
    prompts: Prompts,
}

/// The prompts that a scripted model has received. It stays valid after the model is moved.
#[derive(Clone, Debug, Default)]
pub struct Prompts(Arc<Mutex<Vec<Prompt>>>);

impl Prompts {
    /// Returns the prompts, oldest first.
    #[must_use]
    pub fn seen(&self) -> Vec<Prompt> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Scripted {
    /// Returns a model with these answers.
    pub fn new(answers: impl IntoIterator<Item = Result<Said, NoAnswer>>) -> Self {
        Scripted { answers: answers.into_iter().collect(), prompts: Prompts::default() }
    }

    /// Returns a handle on the prompts that the model will receive.
    #[must_use]
    pub fn prompts(&self) -> Prompts {
        self.prompts.clone()
    }

    /// Returns how many answers are left.
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
            return Err(unusable("the script's answer does not have the requested form"));
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
    fn a_scripted_model_returns_its_answers_and_records_its_prompts() {
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
            model
                .answer(&prompt(Form::Text), &mut watch)
                .unwrap_err()
                .to_string()
                .contains("not have the requested form")
        );
        assert!(model.answer(&prompt(Form::Text), &mut watch).unwrap_err().to_string().contains("no more"));
        assert_eq!((heard.as_str(), prompts.seen().len(), model.left()), ("Hi", 3, 0));
    }
}

//! Defines [`Scripted`], a model with prepared answers, for tests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::answer::{Completion, ModelAnswer, ModelCallError, Tokens};
use super::prompt::{Form, Prompt};
use super::{Model, Watch};

/// A list of answers, returned in order. It records the prompts.
#[derive(Debug)]
pub struct Scripted {
    answers: VecDeque<Result<Completion, ModelCallError>>,
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
    pub fn new(answers: impl IntoIterator<Item = Result<Completion, ModelCallError>>) -> Self {
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
    fn answer(
        &mut self,
        prompt: &Prompt,
        watch: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<ModelAnswer, ModelCallError> {
        self.prompts.0.lock().unwrap_or_else(PoisonError::into_inner).push(prompt.clone());
        let unusable =
            |reason: &str| ModelCallError::Unusable { endpoint: FROM.into(), reason: reason.into() };
        let said =
            self.answers.pop_front().unwrap_or_else(|| Err(unusable("the script has no more answers")))?;
        let is_asked_for = match (&said, &prompt.form) {
            (Completion::Text(_), Form::Text | Form::Grammar { .. } | Form::Calls(_))
            | (Completion::Json(_), Form::Json(_)) => true,
            (Completion::Calls { calls, .. }, Form::Calls(functions)) => {
                calls.iter().all(|call| functions.iter().any(|function| function.name == call.name))
            }
            _ => false,
        };
        if !is_asked_for {
            return Err(unusable("the script's answer does not have the requested form"));
        }
        let text = match &said {
            Completion::Text(text) | Completion::Calls { text, .. } => text.as_str(),
            Completion::Json(_) => "",
        };
        if watch(text) == Watch::Off {
            return Err(ModelCallError::GivenUp);
        }
        Ok(ModelAnswer { completion: said, tokens: Tokens::default(), from: FROM.into() })
    }
}

const FROM: &str = "a script";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;

    #[test]
    fn a_scripted_model_returns_its_answers_and_records_its_prompts() {
        let prompt = |form| Prompt {
            purpose: "test",
            instructions: "Be brief.".into(),
            messages: vec![Message::person("Hello")],
            form,
            max_tokens: 10,
        };
        let mut model = Scripted::new([Ok(Completion::Text("Hi".into())), Ok(Completion::Json(1.into()))]);
        let prompts = model.prompts();
        let mut heard = String::new();
        let mut watch = |text: &str| {
            heard.push_str(text);
            Watch::On
        };
        assert_eq!(
            model.answer(&prompt(Form::Text), &mut watch).unwrap().completion,
            Completion::Text("Hi".into())
        );
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

//! Asks the language model on this computer what a sentence means that the grammar does not understand, before the agents
//! get it.

use minismith_commands::describe::{Answer, answer};

use super::thinker::Mind;
use super::understood::UnderstoodPart;
use super::{Conversation, ConversationEvent, Reply, TurnOutcome};
use crate::agents::consent::named_data;
use crate::agents::coordinator::{Decision, decide};
use crate::agents::roster::COORDINATOR;
use crate::agents::route::tool_request;
use crate::agents::turn::is_yes;
use crate::second_reader::{SecondReading, second_reading};
use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_language_model::{ModelAnswer, ModelCallError, Prompt, Watch};
use minismith_nlu::{Intent, Understanding};

/// How long a person who speaks waits for the model, seconds.
const SPOKEN_TIMEOUT_S: f64 = 3.0;

impl Conversation<'_> {
    /// Has the model on this computer read a sentence that the grammar declined with this answer. Returns the plan and the
    /// answer; none if there is no such model, if it fails, or if it finds nothing to move in the sentence.
    pub(super) fn read_again(&mut self, text: &str, declined: &str) -> Option<(Vec<Intent>, Reply)> {
        // A request for a tool, and a question about a file, are no commands.
        if tool_request(text).is_some() || !named_data(&[text.to_owned()]).is_empty() {
            return None;
        }
        let mut mind = self.agents.take_if(|mind| mind.is_local)?;
        self.emit(ConversationEvent::Thinking { agent: COORDINATOR.to_owned() });
        let timeout_s = if self.is_spoken { SPOKEN_TIMEOUT_S } else { mind.limits.seconds };
        let done = self.dialog_context.last_done();
        let read = second_reading(text, done.as_deref(), &mut |prompt| {
            self.ask_within(&mut mind, prompt, timeout_s)
        });
        self.agents = Some(mind);
        let nothing = |text| Some((Vec::new(), Reply::nothing(text, TurnOutcome::NotUnderstood)));
        match read {
            Ok(Some(reading)) => Some(self.take_as(text, reading, declined)),
            Err(ModelCallError::GivenUp) if self.context.is_stopped() => Some(was_stopped()),
            Err(ModelCallError::GivenUp) => nothing(format!(
                "{declined} (The language model on this computer took longer than {timeout_s:.0} s.)"
            )),
            Ok(None) | Err(_) => None,
        }
    }

    fn ask_within(
        &self,
        mind: &mut Mind,
        prompt: &Prompt,
        timeout_s: f64,
    ) -> Result<ModelAnswer, ModelCallError> {
        let clock = MonotonicClock::start();
        mind.model.answer(prompt, &mut |_| {
            if clock.now().seconds() > timeout_s { Watch::Off } else { self.watch() }
        })
    }

    /// Does what the model read, or asks whether it was meant.
    fn take_as(&mut self, text: &str, reading: SecondReading, declined: &str) -> (Vec<Intent>, Reply) {
        let SecondReading { plan, description, language, is_certain } = reading;
        let mut introduction = None;
        if is_certain {
            introduction = Some(answer(Answer::Taken(&description), language));
        } else {
            let question = answer(Answer::Meant(&description), language);
            let said = self.ask(&question);
            if self.context.is_stopped() {
                return was_stopped();
            }
            match said {
                Some(said) if is_yes(&said) => {}
                Some(_) => {
                    let nothing = answer(Answer::Nothing, language);
                    return (Vec::new(), Reply::nothing(nothing, TurnOutcome::NotUnderstood));
                }
                None => {
                    let told = format!("{declined} {question}");
                    return (Vec::new(), Reply::nothing(told, TurnOutcome::NotUnderstood));
                }
            }
        }
        let Decision::Do(tasks) = decide(Understanding::Plan(plan.clone())) else {
            return (Vec::new(), Reply::nothing(declined.to_owned(), TurnOutcome::NotUnderstood));
        };
        let steps = plan.iter().map(ToString::to_string).collect();
        let mut reply = self.carry_out(tasks, vec![UnderstoodPart { text: text.trim().to_owned(), steps }]);
        if let Some(introduction) = introduction {
            reply.text = format!("{introduction} {}", reply.text);
        }
        (plan, reply)
    }
}

fn was_stopped() -> (Vec<Intent>, Reply) {
    (Vec::new(), Reply::nothing("I was stopped.".into(), TurnOutcome::Stopped))
}

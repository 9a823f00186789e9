//! Defines [`EndpointClient`], one endpoint. It probes the endpoint's capabilities, asks it, retries where that may
//! help, and checks the reply.

use std::time::Duration;

use firmware_bridge::clock::{Clock, Timestamp};
use serde_json::Value;

use super::answer::{ModelAnswer, Tokens};
use super::capabilities::{EndpointCapabilities, call_probe, is_call, schema_probe};
use super::error::EndpointError;
use super::parse::read;
use super::prompt::{Form, Prompt};
use super::reply::Reply;
use super::request::{RequestOptions, add_complaint, request};
use super::strategy::Strategy;
use super::transport::{Exchange, ReadTimeouts};
use super::{Watch, tokens};
use minismith_runtime::chance::Chance;

/// The first wait before a retry.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(500);
/// The longest wait before a retry.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(8);

/// The longest wait that a server may ask for. An endpoint that asks for more is given up.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// How often the listener is asked while nothing happens.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// One endpoint.
pub(super) struct EndpointClient {
    /// Its address and model, for people.
    pub(super) name: String,
    pub(super) options: RequestOptions,
    pub(super) line: Box<dyn Exchange>,
    pub(super) capabilities: EndpointCapabilities,
    /// When it last failed, if it has not answered since.
    pub(super) ill_since: Option<Timestamp>,
}

/// Limits of all questions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) answer: Duration,
    pub(super) silence: Duration,
    pub(super) retries: u32,
    pub(super) prompt_tokens: u64,
}

/// The listener, and whether it has received text.
pub(super) struct Listener<'a> {
    pub(super) watch: &'a mut dyn FnMut(&str) -> Watch,
    /// Whether the text is for the listener, and not JSON or a second try.
    pub(super) speaks: bool,
    pub(super) has_heard: bool,
}

impl Listener<'_> {
    fn hear(&mut self, text: &str) -> Watch {
        let text = if self.speaks { text } else { "" };
        self.has_heard |= !text.is_empty();
        (self.watch)(text)
    }
}

/// One question in progress.
pub(super) struct Question<'a, 'b> {
    pub(super) bounds: Bounds,
    pub(super) clock: &'a dyn Clock,
    pub(super) chance: &'a mut Chance,
    pub(super) attention: &'a mut Listener<'b>,
    /// The deadline of the answer.
    pub(super) until: Timestamp,
    /// The tokens used.
    pub(super) spent: Tokens,
}

impl EndpointClient {
    /// Asks this endpoint.
    pub(super) fn ask(
        &mut self,
        prompt: &Prompt,
        question: &mut Question<'_, '_>,
    ) -> Result<ModelAnswer, EndpointError> {
        self.line.check()?;
        // The length is checked before anything is sent.
        check_length(&request(prompt, Strategy::Plain, &self.options), question.bounds.prompt_tokens)?;
        question.attention.speaks = false;
        let strategy = self.strategy(&prompt.form, question)?;
        let hears_text = match prompt.form {
            Form::Text | Form::Grammar { .. } => true,
            Form::Calls(_) => strategy == Strategy::Native,
            Form::Json(_) => false,
        };
        let mut request = request(prompt, strategy, &self.options);
        let mut complaint = None;
        loop {
            question.attention.speaks = hears_text && !question.attention.has_heard;
            if let Err(too_long) = check_length(&request, question.bounds.prompt_tokens) {
                return Err(complaint.map_or(too_long, EndpointError::Unfit));
            }
            let reply = self.exchange(&mut request, question)?;
            match read(&reply, prompt, strategy) {
                Ok(said) => {
                    return Ok(ModelAnswer {
                        completion: said,
                        tokens: question.spent,
                        from: self.name.clone(),
                    });
                }
                Err(unfit) if unfit.can_be_fixed && complaint.is_none() => {
                    add_complaint(&mut request, &transcript(&reply), &unfit.reason);
                    complaint = Some(unfit.reason);
                }
                Err(unfit) => return Err(EndpointError::Unfit(unfit.reason)),
            }
        }
    }

    /// Returns how to ask for this form here; the first time it probes the endpoint.
    fn strategy(&mut self, form: &Form, question: &mut Question<'_, '_>) -> Result<Strategy, EndpointError> {
        let mut error = None;
        match form {
            Form::Text => return Ok(Strategy::Plain),
            Form::Grammar { .. } if self.capabilities.grammars => return Ok(Strategy::Grammar),
            Form::Grammar { .. } => return Ok(Strategy::Plain),
            Form::Json(_) | Form::Calls(_) => {}
        }
        if matches!(form, Form::Calls(_)) {
            let calls = match self.capabilities.calls {
                Some(calls) => calls,
                None => match self.probe(&call_probe(), Strategy::Native, question) {
                    Ok(reply) => reply.is_some_and(|reply| is_call(&reply)),
                    // Some servers answer 500 when they know no functions; others have failed.
                    Err(busy @ EndpointError::Busy { status: 500, .. }) => {
                        error = Some(busy);
                        false
                    }
                    Err(other) => return Err(other),
                },
            };
            if calls {
                self.capabilities.calls = Some(true);
                return Ok(Strategy::Native);
            }
        }
        let schemas = match self.capabilities.schemas {
            Some(schemas) => schemas,
            None => {
                let probe = schema_probe();
                match self.probe(&probe, Strategy::Schema, question) {
                    Ok(reply) => reply.is_some_and(|reply| read(&reply, &probe, Strategy::Schema).is_ok()),
                    Err(ill) => return Err(error.unwrap_or(ill)),
                }
            }
        };
        if matches!(form, Form::Calls(_)) {
            self.capabilities.calls = Some(false);
        }
        self.capabilities.schemas = Some(schemas);
        Ok(if schemas { Strategy::Schema } else { Strategy::Plain })
    }

    /// Returns the reply to a probe, or `None` where the endpoint rejects probes.
    fn probe(
        &mut self,
        prompt: &Prompt,
        strategy: Strategy,
        question: &mut Question<'_, '_>,
    ) -> Result<Option<Reply>, EndpointError> {
        match self.exchange(&mut request(prompt, strategy, &self.options), question) {
            Ok(reply) => Ok(Some(reply)),
            Err(refused @ EndpointError::Refused { status: 401 | 403, .. }) => Err(refused),
            Err(EndpointError::Refused { .. } | EndpointError::Unfit(_)) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Sends a request until a reply arrives or no retry can help.
    fn exchange(
        &mut self,
        request: &mut Value,
        question: &mut Question<'_, '_>,
    ) -> Result<Reply, EndpointError> {
        let mut tries = 0;
        loop {
            self.capabilities.suit(request);
            let left = question.until.since(question.clock.now());
            if left.is_zero() {
                return Err(EndpointError::Slow(question.bounds.answer));
            }
            let limits = ReadTimeouts { whole: left, silence: question.bounds.silence };
            let attention = &mut *question.attention;
            let error = match self.line.exchange(request, limits, &mut |text| attention.hear(text)) {
                Ok(reply) => {
                    let counted = reply.tokens.unwrap_or_else(|| Tokens {
                        prompt: tokens::of_request(request),
                        answer: tokens::of_text(&transcript(&reply)),
                    });
                    question.spent.prompt = question.spent.prompt.saturating_add(counted.prompt);
                    question.spent.answer = question.spent.answer.saturating_add(counted.answer);
                    return Ok(reply);
                }
                Err(error) => error,
            };
            match &error {
                // Each key is learnt once, so this ends.
                EndpointError::Refused { status: 400 | 422, reason } if self.capabilities.learn(reason) => {
                    continue;
                }
                EndpointError::Slow(limit) if *limit == left => {
                    return Err(EndpointError::Slow(question.bounds.answer));
                }
                error if error.may_pass() && tries < question.bounds.retries => {}
                _ => return Err(error),
            }
            let wait = question.wait_before(tries, &error);
            if wait > MAX_RETRY_AFTER || question.clock.now() + wait >= question.until {
                return Err(error);
            }
            question.pause(wait)?;
            tries += 1;
        }
    }
}

impl Question<'_, '_> {
    /// Returns a wait that doubles each time. Chance shortens it by up to half, so that many clients do not
    /// return at once.
    fn wait_before(&mut self, tries: u32, error: &EndpointError) -> Duration {
        let full = FIRST_RETRY_DELAY.saturating_mul(2_u32.saturating_pow(tries)).min(MAX_RETRY_DELAY);
        let own = full.mul_f64(self.chance.share().mul_add(0.5, 0.5));
        match error {
            EndpointError::Busy { after: Some(after), .. } => own.max(*after),
            _ => own,
        }
    }

    fn pause(&mut self, wait: Duration) -> Result<(), EndpointError> {
        let end = self.clock.now() + wait;
        loop {
            if self.attention.hear("") == Watch::Off {
                return Err(EndpointError::GivenUp);
            }
            let now = self.clock.now();
            if now >= end {
                return Ok(());
            }
            self.clock.wait_until(end.min(now + POLL_INTERVAL));
        }
    }
}

fn check_length(request: &Value, limit: u64) -> Result<(), EndpointError> {
    let tokens = tokens::of_request(request);
    if tokens > limit { Err(EndpointError::TooLong { tokens, limit }) } else { Ok(()) }
}

/// Returns the model's text and calls as text.
fn transcript(reply: &Reply) -> String {
    let calls = reply.calls.iter().map(|call| format!("{}({})", call.name, call.arguments));
    let text = Some(reply.text.clone()).filter(|text| !text.is_empty());
    text.into_iter().chain(calls).collect::<Vec<_>>().join("\n")
}

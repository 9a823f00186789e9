//! Defines [`Client`], a language model behind one or more endpoints. The first one that answers is used, and
//! failures are reported.

use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, unix_seconds};

use tracing::field::Empty;

use super::answer::{ModelAnswer, ModelCallError, Tokens};
use super::capabilities::EndpointCapabilities;
use super::endpoint::{Bounds, EndpointClient, Listener, Question};
use super::error::EndpointError;
use super::local::LocalExchange;
use super::prompt::{Form, Prompt};
use super::request::RequestOptions;
use super::transport::{ChatTransport, Exchange, TransportError};
use super::{Model, Watch};
use minismith_local_model::server::shared;
use minismith_runtime::chance::Chance;
use minismith_runtime::config::{Config, Endpoint, LanguageModel, Nlu};
use minismith_toolchain::guest::locate_program;

/// How long a failed endpoint moves to the end of the order.
const FAILURE_COOLDOWN: Duration = Duration::from_secs(60);

/// The maximum number of notices that wait to be reported.
const MAX_NOTICES: usize = 100;

/// A language model behind endpoints with OpenAI's chat completions API. It blocks, so it needs an ordinary
/// thread.
pub struct Client {
    /// The endpoints, in order of preference.
    peers: Vec<EndpointClient>,
    bounds: Bounds,
    clock: Arc<dyn Clock>,
    chance: Chance,
    notices: Vec<String>,
    used: Used,
}

/// The usage of all answers together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Used {
    /// Prompts that were asked.
    pub prompts: u64,
    /// Prompts that were answered.
    pub answers: u64,
    /// Tokens, including failed tries and probes.
    pub tokens: Tokens,
}

impl Client {
    /// Opens the client of the configuration, or returns `None` where no language model is configured. It
    /// sends nothing yet.
    ///
    /// # Errors
    /// [`TransportError`], as [`Self::open`].
    pub fn configured(config: &Config) -> Result<Option<Self>, TransportError> {
        match config.nlu {
            Nlu::Grammar => Ok(None),
            Nlu::Llm => Self::open(&config.language_model).map(Some),
            Nlu::Local => Ok(Some(Self::local(config))),
        }
    }

    /// Opens the model on this computer. Its process starts with the first prompt.
    #[must_use]
    pub fn local(config: &Config) -> Self {
        let tool_host = locate_program().map_err(|error| error.to_string());
        let server = shared(&config.local_model, tool_host);
        let model = server.model_name().unwrap_or_else(|| "none".into());
        // A prompt and its answer share the context.
        let language_model = &config.language_model;
        let context = config.local_model.context_tokens;
        let answer_tokens = language_model.max_completion_tokens.min(context / 4);
        let prompt_tokens = language_model.max_prompt_tokens.min(context - answer_tokens);
        let settings = LanguageModel { max_prompt_tokens: prompt_tokens, ..language_model.clone() };
        let peer = EndpointClient {
            name: format!("this computer ({model})"),
            options: RequestOptions {
                model,
                answer_tokens,
                temperature: settings.temperature,
                seed: settings.seed,
            },
            line: Box::new(LocalExchange(server)),
            capabilities: EndpointCapabilities::of_local_model(),
            ill_since: None,
        };
        Client { peers: vec![peer], ..Self::of(&settings, Vec::new(), Arc::new(MonotonicClock::start())) }
    }

    /// Opens a client of the configured endpoints. It sends nothing yet.
    ///
    /// # Errors
    /// [`TransportError`], where a key is missing or the system has no certificates for https.
    pub fn open(config: &LanguageModel) -> Result<Self, TransportError> {
        Self::with_clock(config, Arc::new(MonotonicClock::start()))
    }

    /// Opens a client that waits by another clock before it repeats a request. The machine's clock always
    /// measures the duration of answers.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn with_clock(config: &LanguageModel, clock: Arc<dyn Clock>) -> Result<Self, TransportError> {
        let line = |endpoint: &Endpoint| {
            ChatTransport::new(endpoint).map(|line| (endpoint.clone(), Box::new(line) as Box<dyn Exchange>))
        };
        let lines = config.endpoints.iter().map(line).collect::<Result<_, _>>()?;
        Ok(Self::of(config, lines, clock))
    }

    pub(super) fn of(
        config: &LanguageModel,
        lines: Vec<(Endpoint, Box<dyn Exchange>)>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let peer = |(endpoint, line): (Endpoint, _)| EndpointClient {
            name: format!("{} ({})", endpoint.url, endpoint.model),
            options: RequestOptions {
                model: endpoint.model,
                answer_tokens: config.max_completion_tokens,
                temperature: config.temperature,
                seed: config.seed,
            },
            line,
            capabilities: EndpointCapabilities::default(),
            ill_since: None,
        };
        Client {
            peers: lines.into_iter().map(peer).collect(),
            bounds: Bounds {
                answer: config.request_timeout,
                silence: config.read_timeout,
                retries: config.max_retries,
                prompt_tokens: u64::from(config.max_prompt_tokens),
            },
            clock,
            // The seed only spreads retries, so two programs may share it.
            chance: Chance(unix_seconds() ^ (u64::from(std::process::id()) << 32)),
            notices: Vec::new(),
            used: Used::default(),
        }
    }

    /// Returns the usage of all answers together.
    #[must_use]
    pub const fn used(&self) -> Used {
        self.used
    }

    /// Returns the endpoints by preference, with recently failed ones last.
    fn order(&self) -> Vec<usize> {
        let now = self.clock.now();
        let is_ill =
            |peer: &EndpointClient| peer.ill_since.is_some_and(|since| now.since(since) < FAILURE_COOLDOWN);
        let mut order: Vec<(bool, usize)> =
            self.peers.iter().enumerate().map(|(position, peer)| (is_ill(peer), position)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, position)| position).collect()
    }

    fn notice(&mut self, text: String) {
        tracing::info!("{text}");
        if self.notices.len() < MAX_NOTICES {
            self.notices.push(text);
        }
    }
}

impl Model for Client {
    fn answer(
        &mut self,
        prompt: &Prompt,
        watch: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<ModelAnswer, ModelCallError> {
        // Without functions, only text is possible.
        let as_text = matches!(&prompt.form, Form::Calls(functions) if functions.is_empty())
            .then(|| Prompt { form: Form::Text, ..prompt.clone() });
        let prompt = as_text.as_ref().unwrap_or(prompt);
        // Name and attributes by the OpenTelemetry conventions for generative AI.
        let span = tracing::info_span!(
            "chat",
            otel.name = Empty,
            otel.kind = "client",
            purpose = prompt.purpose,
            endpoint = Empty,
            gen_ai.operation.name = "chat",
            gen_ai.request.model = Empty,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty
        )
        .entered();
        let mut attention = Listener { watch, speaks: false, has_heard: false };
        let mut first: Option<ModelCallError> = None;
        self.used.prompts += 1;
        for position in self.order() {
            let Some(peer) = self.peers.get_mut(position) else { continue };
            let mut question = Question {
                bounds: self.bounds,
                clock: &*self.clock,
                chance: &mut self.chance,
                attention: &mut attention,
                until: self.clock.now() + self.bounds.answer,
                spent: Tokens::default(),
            };
            span.record("otel.name", format!("chat {}", peer.options.model));
            span.record("gen_ai.request.model", peer.options.model.as_str());
            let answer = peer.ask(prompt, &mut question);
            self.used.tokens.prompt = self.used.tokens.prompt.saturating_add(question.spent.prompt);
            self.used.tokens.answer = self.used.tokens.answer.saturating_add(question.spent.answer);
            let name = peer.name.clone();
            match answer {
                Ok(answer) => {
                    span.record("endpoint", name.as_str());
                    let tokens = |tokens| i64::try_from(tokens).unwrap_or(i64::MAX);
                    span.record("gen_ai.usage.input_tokens", tokens(answer.tokens.prompt));
                    span.record("gen_ai.usage.output_tokens", tokens(answer.tokens.answer));
                    peer.ill_since = None;
                    self.used.answers += 1;
                    if first.is_some() {
                        self.notice(format!("the language model at {name} answered instead"));
                    }
                    return Ok(answer);
                }
                Err(EndpointError::TooLong { tokens, limit }) if peer.capabilities.grammars => {
                    return Err(ModelCallError::Local {
                        reason: format!(
                            "the prompt has about {tokens} tokens, and its context has room for {limit}; raise \
                             local_model.context_tokens, which takes more memory"
                        ),
                    });
                }
                Err(error) if error.is_final() => return Err(error.of(&name)),
                Err(error) => {
                    if error.is_illness() {
                        peer.ill_since = Some(self.clock.now());
                    }
                    let why = error.of(&name);
                    self.notice(why.to_string());
                    first.get_or_insert(why);
                }
            }
        }
        Err(first.unwrap_or_else(|| ModelCallError::Unreachable {
            endpoint: "no endpoint".into(),
            reason: "`language_model.endpoints` is empty".into(),
        }))
    }

    fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }
}

#[cfg(test)]
mod tests;

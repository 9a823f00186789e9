//! Defines [`Client`], a language model behind one or more endpoints. The first one that answers is used, and
//! failures are reported.

use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::clock::{Clock, WallClock, unix_seconds};

use tracing::field::Empty;

use super::answer::{Answer, NoAnswer, Tokens};
use super::habits::Habits;
use super::line::{Exchange, Line, NoLine};
use super::peer::{Attention, Bounds, Peer, Question};
use super::prompt::{Form, Prompt};
use super::request::Manner;
use super::{Model, Watch};
use minismith_runtime::chance::Chance;
use minismith_runtime::config::{Config, Endpoint, LanguageModel, Nlu};

/// How long a failed endpoint moves to the end of the order.
const ILL: Duration = Duration::from_secs(60);

/// The maximum number of notices that wait to be reported.
const MOST_NOTICES: usize = 100;

/// A language model behind endpoints with OpenAI's chat completions API. It blocks, so it needs an ordinary
/// thread.
pub struct Client {
    /// The endpoints, in order of preference.
    peers: Vec<Peer>,
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
    /// [`NoLine`], as [`Self::open`].
    pub fn configured(config: &Config) -> Result<Option<Self>, NoLine> {
        match config.nlu {
            Nlu::Grammar => Ok(None),
            Nlu::Llm => Self::open(&config.language_model).map(Some),
        }
    }

    /// Opens a client of the configured endpoints. It sends nothing yet.
    ///
    /// # Errors
    /// [`NoLine`], where a key is missing or the system has no certificates for https.
    pub fn open(config: &LanguageModel) -> Result<Self, NoLine> {
        Self::with_clock(config, Arc::new(WallClock::start()))
    }

    /// Opens a client that waits by another clock before it repeats a request. The machine's clock always
    /// measures the duration of answers.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn with_clock(config: &LanguageModel, clock: Arc<dyn Clock>) -> Result<Self, NoLine> {
        let line = |endpoint: &Endpoint| {
            Line::new(endpoint).map(|line| (endpoint.clone(), Box::new(line) as Box<dyn Exchange>))
        };
        let lines = config.endpoints.iter().map(line).collect::<Result<_, _>>()?;
        Ok(Self::of(config, lines, clock))
    }

    pub(super) fn of(
        config: &LanguageModel,
        lines: Vec<(Endpoint, Box<dyn Exchange>)>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let peer = |(endpoint, line): (Endpoint, _)| Peer {
            name: format!("{} ({})", endpoint.url, endpoint.model),
            manner: Manner {
                model: endpoint.model,
                answer_tokens: config.max_completion_tokens,
                temperature: config.temperature,
                seed: config.seed,
            },
            line,
            habits: Habits::default(),
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
        let is_ill = |peer: &Peer| peer.ill_since.is_some_and(|since| now.since(since) < ILL);
        let mut order: Vec<(bool, usize)> =
            self.peers.iter().enumerate().map(|(place, peer)| (is_ill(peer), place)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, place)| place).collect()
    }

    fn notice(&mut self, text: String) {
        tracing::info!("{text}");
        if self.notices.len() < MOST_NOTICES {
            self.notices.push(text);
        }
    }
}

impl Model for Client {
    fn answer(&mut self, prompt: &Prompt, watch: &mut dyn FnMut(&str) -> Watch) -> Result<Answer, NoAnswer> {
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
        let mut attention = Attention { watch, speaks: false, has_heard: false };
        let mut first: Option<NoAnswer> = None;
        self.used.prompts += 1;
        for place in self.order() {
            let Some(peer) = self.peers.get_mut(place) else { continue };
            let mut question = Question {
                bounds: self.bounds,
                clock: &*self.clock,
                chance: &mut self.chance,
                attention: &mut attention,
                until: self.clock.now() + self.bounds.answer,
                spent: Tokens::default(),
            };
            span.record("otel.name", format!("chat {}", peer.manner.model));
            span.record("gen_ai.request.model", peer.manner.model.as_str());
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
                Err(trouble) if trouble.is_final() => return Err(trouble.of(&name)),
                Err(trouble) => {
                    if trouble.is_illness() {
                        peer.ill_since = Some(self.clock.now());
                    }
                    let why = trouble.of(&name);
                    self.notice(why.to_string());
                    first.get_or_insert(why);
                }
            }
        }
        Err(first.unwrap_or_else(|| NoAnswer::Unreachable {
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

//! Records conversations with a real model and replays them. Each replayed request must be exactly the
//! recorded one.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use firmware_bridge::clock::{MonotonicClock, VirtualClock};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use similar::TextDiff;

use super::answer::{ModelAnswer, ModelCallError};
use super::client::Client;
use super::error::EndpointError;
use super::prompt::Prompt;
use super::reply::Reply;
use super::transport::{ChatTransport, Exchange, ReadTimeouts, TransportError};
use super::{Model, Watch};
use minismith_runtime::config::{Endpoint, LanguageModel};
use minismith_runtime::net::Address;

/// A model that answers from a recording, or one whose answers are recorded.
pub struct Cassette {
    client: Client,
    tape: Tape,
}

/// The content of a cassette and its playback position. It stays valid after the cassette is moved.
#[derive(Clone, Debug)]
pub struct Tape(Arc<Mutex<Reel>>);

/// An error of a cassette.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// The file can't be read or written.
    #[error("cannot use the cassette {}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is not a cassette.
    #[error("{} is not a cassette: {reason}; record it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// The content of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The model's settings.
    settings: Settings,
    /// Requests and replies, in order.
    pairs: VecDeque<Pair>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    model: String,
    prompt_tokens: u32,
    answer_tokens: u32,
    temperature: f64,
    seed: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    request: Value,
    reply: RecordedReply,
}

/// A reply, or a rejection from which a client learns what an endpoint does not support.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordedReply {
    Reply(Reply),
    Refused { status: u16, reason: String },
}

#[derive(Debug)]
struct Reel {
    file: File,
    played: usize,
    /// The first request that differs from the recorded one.
    mismatch: Option<String>,
}

impl Tape {
    fn reel(&self) -> MutexGuard<'_, Reel> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that all requests were the recorded ones, to the end.
    ///
    /// # Errors
    /// Returns the first difference, or the number of missing requests.
    pub fn finish(&self) -> Result<(), String> {
        let reel = self.reel();
        match (&reel.mismatch, reel.file.pairs.len()) {
            (Some(mismatch), _) => Err(mismatch.clone()),
            (None, 0) => Ok(()),
            (None, left) => {
                Err(format!("{left} recorded requests were not made, after {} that were", reel.played))
            }
        }
    }

    /// Writes the recording.
    ///
    /// # Errors
    /// Fails when the file can't be written.
    pub fn save(&self, path: &Path) -> Result<(), CassetteError> {
        let failed = |source| CassetteError::Io { path: path.to_owned(), source };
        let text = serde_json::to_string_pretty(&self.reel().file).map_err(|error| failed(error.into()))?;
        std::fs::write(path, format!("{text}\n")).map_err(failed)
    }
}

impl Cassette {
    /// Opens a model that answers from a recording.
    ///
    /// # Errors
    /// Fails when the file is missing or damaged.
    pub fn replay(path: &Path) -> Result<Self, CassetteError> {
        let bytes =
            std::fs::read(path).map_err(|source| CassetteError::Io { path: path.to_owned(), source })?;
        let damaged = |reason: String| CassetteError::Damaged { path: path.to_owned(), reason };
        let file: File = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        let url = Address::parse(NOWHERE).ok_or_else(|| damaged("it has no address".into()))?;
        let endpoint = Endpoint { url, model: file.settings.model.clone(), key: None };
        let config = LanguageModel {
            endpoints: vec![endpoint.clone()],
            request_timeout: Duration::from_secs(3600),
            read_timeout: Duration::from_secs(3600),
            max_retries: 0,
            max_prompt_tokens: file.settings.prompt_tokens,
            max_completion_tokens: file.settings.answer_tokens,
            temperature: file.settings.temperature,
            seed: file.settings.seed,
        };
        let tape = Tape(Arc::new(Mutex::new(Reel { file, played: 0, mismatch: None })));
        let player = Box::new(Player(tape.clone()));
        let client = Client::of(&config, vec![(endpoint, player)], Arc::new(VirtualClock::new()));
        Ok(Cassette { client, tape })
    }

    /// Opens a model that asks the first configured endpoint, and records requests and replies.
    ///
    /// # Errors
    /// As [`Client::open`].
    pub fn record(config: &LanguageModel) -> Result<Self, TransportError> {
        let endpoints = config.endpoints.iter().take(1);
        let settings = Settings {
            model: endpoints.clone().map(|endpoint| endpoint.model.clone()).collect(),
            prompt_tokens: config.max_prompt_tokens,
            answer_tokens: config.max_completion_tokens,
            temperature: config.temperature,
            seed: config.seed,
        };
        let file = File { settings, pairs: VecDeque::new() };
        let tape = Tape(Arc::new(Mutex::new(Reel { file, played: 0, mismatch: None })));
        let line = |endpoint: &Endpoint| {
            let recorder = Recorder { line: ChatTransport::new(endpoint)?, tape: tape.clone() };
            Ok((endpoint.clone(), Box::new(recorder) as Box<dyn Exchange>))
        };
        let lines = endpoints.map(line).collect::<Result<_, TransportError>>()?;
        let client = Client::of(config, lines, Arc::new(MonotonicClock::start()));
        Ok(Cassette { client, tape })
    }

    /// Returns the tape, for use after the cassette is moved.
    #[must_use]
    pub fn tape(&self) -> Tape {
        self.tape.clone()
    }
}

impl Model for Cassette {
    fn answer(
        &mut self,
        prompt: &Prompt,
        watch: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<ModelAnswer, ModelCallError> {
        self.client.answer(prompt, watch)
    }

    fn notices(&mut self) -> Vec<String> {
        self.client.notices()
    }
}

/// The address of a replayed endpoint.
const NOWHERE: &str = "http://127.0.0.1/cassette";

/// Answers from the tape.
struct Player(Tape);

impl Exchange for Player {
    fn exchange(
        &mut self,
        request: &Value,
        _limits: ReadTimeouts,
        hear: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<Reply, EndpointError> {
        let request = stored(request);
        let heard = {
            let mut reel = self.0.reel();
            let position = reel.played + 1;
            let mismatch = match (&reel.mismatch, reel.file.pairs.front()) {
                // After the first difference all that follows may differ.
                (Some(first), _) => Some(first.clone()),
                (None, None) => Some(format!("request {position} was not recorded:\n{}", pretty(&request))),
                (None, Some(pair)) if pair.request != request => Some(format!(
                    "request {position} is not the one that was recorded (- recorded, + made):\n{}",
                    difference(&pair.request, &request)
                )),
                (None, Some(_)) => None,
            };
            if let Some(mismatch) = mismatch {
                reel.mismatch = Some(mismatch.clone());
                return Err(EndpointError::Garbled(mismatch));
            }
            reel.played = position;
            reel.file.pairs.pop_front().map(|pair| pair.reply)
        };
        match heard {
            Some(RecordedReply::Reply(reply)) if hear(&reply.text) == Watch::On => Ok(reply),
            Some(RecordedReply::Refused { status, reason }) => Err(EndpointError::Refused { status, reason }),
            _ => Err(EndpointError::GivenUp),
        }
    }
}

/// Asks the endpoint and records its replies.
struct Recorder {
    line: ChatTransport,
    tape: Tape,
}

impl Exchange for Recorder {
    fn exchange(
        &mut self,
        request: &Value,
        limits: ReadTimeouts,
        hear: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<Reply, EndpointError> {
        let heard = self.line.exchange(request, limits, hear);
        let reply = match &heard {
            Ok(reply) => RecordedReply::Reply(Reply { text: self.line.hide(&reply.text), ..reply.clone() }),
            Err(EndpointError::Refused { status, reason }) => {
                RecordedReply::Refused { status: *status, reason: reason.clone() }
            }
            // A passing failure is not requested in a replay either.
            Err(_) => return heard,
        };
        self.tape.reel().file.pairs.push_back(Pair { request: stored(request), reply });
        heard
    }
}

/// Returns a request as it is stored, with a digest in place of each image.
fn stored(request: &Value) -> Value {
    match request {
        Value::String(text) if text.starts_with("data:image/") => {
            let digest: String =
                Sha256::digest(text).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
            format!("a picture, sha256 {digest}").into()
        }
        Value::Array(values) => values.iter().map(stored).collect(),
        Value::Object(values) => values.iter().map(|(key, value)| (key.clone(), stored(value))).collect(),
        other => other.clone(),
    }
}

/// Returns indented JSON, with each line of a text on its own line.
fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default().replace("\\n", "\n      ")
}

fn difference(recorded: &Value, made: &Value) -> String {
    let (recorded, made) = (pretty(recorded), pretty(made));
    TextDiff::from_lines(&recorded, &made).unified_diff().context_radius(2).to_string()
}

#[cfg(test)]
mod tests;

//! Defines [`ChatTransport`], the connection to one endpoint. It sends a request and reads the reply, streamed or
//! whole.

use std::time::Duration;

use serde_json::Value;

use super::Watch;
use super::error::EndpointError;
use super::reply::{Reply, ReplyError, message};
use minismith_runtime::config::{Endpoint, KeyError};
use minismith_runtime::net::http::{Chunk, Http, HttpError, KeepListening, Opening, Timeouts, TransferError};
use minismith_runtime::net::sse::Events;

/// The maximum length of a reply with its framing, in bytes.
pub(super) const MAX_REPLY_BYTES: usize = 8 << 20;

/// The maximum length of an error that is read, in bytes.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// Carries requests to an endpoint: over the network, or to a recording.
pub(super) trait Exchange: Send {
    /// Sends a request and reads the reply. The listener gets the text as it arrives, and from time to time
    /// an empty piece.
    fn exchange(
        &mut self,
        request: &Value,
        limits: ReadTimeouts,
        hear: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<Reply, EndpointError>;

    /// Checks what can be known before a request.
    fn check(&self) -> Result<(), EndpointError> {
        Ok(())
    }

    /// Returns the text without any secret.
    fn hide(&self, text: &str) -> String {
        text.to_owned()
    }
}

/// The timeouts of a reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadTimeouts {
    pub(super) whole: Duration,
    pub(super) silence: Duration,
}

/// An error that keeps an endpoint from being asked at all.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// Its key is missing.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The system does not allow it.
    #[error(transparent)]
    Http(#[from] HttpError),
}

/// The connection to an endpoint.
pub(super) struct ChatTransport(Http);

impl ChatTransport {
    pub(super) fn new(endpoint: &Endpoint) -> Result<Self, TransportError> {
        let key = endpoint.key.as_ref().map(minismith_runtime::config::KeyName::read).transpose()?;
        Ok(ChatTransport(Http::new(endpoint.url.clone(), key)?))
    }
}

impl Exchange for ChatTransport {
    fn exchange(
        &mut self,
        request: &Value,
        limits: ReadTimeouts,
        hear: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<Reply, EndpointError> {
        let http = &self.0;
        let hide = |text: &str| http.hide(text);
        let mut ear = ResponseReader::new(longest_text(request), &hide, hear);
        let patience = Timeouts { whole: limits.whole, silence: limits.silence, bytes: MAX_REPLY_BYTES };
        let heard =
            http.post("chat/completions", request.to_string(), patience, &mut |piece| ear.take(piece));
        ear.end(heard)
    }

    fn hide(&self, text: &str) -> String {
        self.0.hide(text)
    }
}

/// Returns the maximum length of an answer from its maximum number of tokens: few tokens are longer than
/// this.
pub(super) fn longest_text(request: &Value) -> usize {
    let tokens = ["max_tokens", "max_completion_tokens"].iter().find_map(|key| request.get(key)?.as_u64());
    usize::try_from(tokens.unwrap_or(1 << 16)).unwrap_or(usize::MAX).saturating_mul(32).saturating_add(4096)
}

/// Reads a reply and assembles it.
pub(super) struct ResponseReader<'a> {
    opening: Option<Opening>,
    events: Events,
    /// Bytes outside a stream: a whole reply, or an error.
    whole: Vec<u8>,
    reply: Reply,
    /// Whether the stream has sent its end.
    is_done: bool,
    error: Option<EndpointError>,
    longest_text: usize,
    /// Removes the key from a text, in case the server repeats it.
    hide: &'a dyn Fn(&str) -> String,
    push: &'a mut dyn FnMut(&str) -> Watch,
}

impl<'a> ResponseReader<'a> {
    pub(super) fn new(
        longest_text: usize,
        hide: &'a dyn Fn(&str) -> String,
        hear: &'a mut dyn FnMut(&str) -> Watch,
    ) -> Self {
        ResponseReader {
            opening: None,
            events: Events::default(),
            whole: Vec::new(),
            reply: Reply::default(),
            is_done: false,
            error: None,
            longest_text,
            hide,
            push: hear,
        }
    }

    pub(super) fn take(&mut self, piece: Chunk<'_>) -> KeepListening {
        let taken = match piece {
            Chunk::Silence => self.report(""),
            Chunk::Began(opening) => self.open(opening),
            Chunk::Bytes(bytes) => self.report("").and_then(|()| self.push_bytes(bytes)),
        };
        match taken {
            Ok(()) if !self.is_done => KeepListening::On,
            Ok(()) => KeepListening::Off,
            Err(error) => {
                self.error = Some(error);
                KeepListening::Off
            }
        }
    }

    fn report(&mut self, text: &str) -> Result<(), EndpointError> {
        match (self.push)(text) {
            Watch::On => Ok(()),
            Watch::Off => Err(EndpointError::GivenUp),
        }
    }

    fn open(&mut self, opening: &Opening) -> Result<(), EndpointError> {
        self.opening = Some(opening.clone());
        match opening.status {
            300..=399 => {
                let elsewhere = opening.elsewhere.as_deref().unwrap_or("elsewhere");
                let elsewhere = message(&Value::from((self.hide)(elsewhere)));
                Err(EndpointError::Refused {
                    status: opening.status,
                    reason: format!(
                        "it redirects to {elsewhere}, and redirects are not followed; if that address is right, set it in `language_model.endpoints`"
                    ),
                })
            }
            200 if !matches!(opening.content.as_str(), "text/event-stream" | "application/json") => {
                Err(EndpointError::Garbled(format!(
                    "it sent {}, which is not a language model's reply; check the end of `url`, which is usually /v1",
                    match opening.content.as_str() {
                        "" => "of no type".to_owned(),
                        content => format!("of the type {}", message(&Value::from(content))),
                    }
                )))
            }
            _ => Ok(()),
        }
    }

    fn is_stream(&self) -> bool {
        self.opening
            .as_ref()
            .is_some_and(|opening| opening.status == 200 && opening.content == "text/event-stream")
    }

    fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), EndpointError> {
        if !self.is_stream() {
            self.whole.extend_from_slice(bytes);
            let is_error = self.opening.as_ref().is_none_or(|opening| opening.status != 200);
            self.is_done = is_error && self.whole.len() > MAX_ERROR_BYTES;
            return Ok(());
        }
        let mut events = Vec::new();
        let taken = self.events.take(bytes, &mut events);
        for event in events {
            if event.trim() == "[DONE]" {
                self.is_done = true;
                return Ok(());
            }
            self.push_reply(&event)?;
        }
        taken.map_err(|error| EndpointError::Garbled(error.to_string()))
    }

    fn push_reply(&mut self, json: &str) -> Result<(), EndpointError> {
        let has_begun = self.reply.has_begun();
        let text = self.reply.take(&(self.hide)(json)).map_err(|error| match error {
            ReplyError::Error(_) if !has_begun => EndpointError::Ended(error.to_string()),
            ReplyError::TooManyCalls => EndpointError::Unfit(error.to_string()),
            _ => EndpointError::Garbled(error.to_string()),
        })?;
        let calls: usize = self.reply.calls.iter().map(|call| call.arguments.len()).sum();
        if self.reply.text.len().max(calls) > self.longest_text {
            return Err(EndpointError::Garbled(ReplyError::TooLong.to_string()));
        }
        if text.is_empty() { Ok(()) } else { self.report(&text) }
    }

    /// Returns the reply, or the error of the transfer.
    pub(super) fn end(mut self, heard: Result<(), TransferError>) -> Result<Reply, EndpointError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        match (&self.opening, heard) {
            // How an error ends does not matter.
            (Some(opening), _) if opening.status != 200 => {
                return Err(refusal(opening, &self.whole, self.hide));
            }
            (_, Ok(())) => {}
            (_, Err(TransferError::Unreachable(reason))) => return Err(EndpointError::Unreachable(reason)),
            (_, Err(TransferError::Slow(limit))) => return Err(EndpointError::Slow(limit)),
            (_, Err(broken @ TransferError::TooLong(_))) => {
                return Err(EndpointError::Garbled(broken.to_string()));
            }
            // The model's end was reported, although the transfer did not end well.
            (_, Err(TransferError::Cut(_))) if self.reply.finish.is_some() => self.is_done = true,
            (_, Err(broken @ TransferError::Cut(_))) => {
                let reason = broken.to_string();
                return Err(if self.reply.has_begun() {
                    EndpointError::Garbled(format!("it broke off in the middle: {reason}"))
                } else {
                    EndpointError::Ended(reason)
                });
            }
        }
        if self.is_stream() {
            return match (self.is_done || self.reply.finish.is_some(), self.reply.has_begun()) {
                (true, _) => Ok(self.reply),
                (false, true) => Err(EndpointError::Garbled("its stream ended in the middle".into())),
                (false, false) => Err(EndpointError::Ended("its stream ended before it began".into())),
            };
        }
        let whole = std::mem::take(&mut self.whole);
        let json = std::str::from_utf8(&whole)
            .map_err(|_| EndpointError::Garbled(ReplyError::NotJson.to_string()))?;
        self.push_reply(json)?;
        Ok(self.reply)
    }
}

fn refusal(opening: &Opening, body: &[u8], hide: &dyn Fn(&str) -> String) -> EndpointError {
    let text = hide(&String::from_utf8_lossy(body.get(..MAX_ERROR_BYTES).unwrap_or(body)));
    let reason = match serde_json::from_str::<Value>(&text) {
        Ok(error) => message(&error),
        Err(_) => message(&Value::from(text.lines().next().unwrap_or_default())),
    };
    let reason = if reason.is_empty() { "it gave no reason".into() } else { reason };
    match opening.status {
        status @ (408 | 429 | 500..=599) => {
            EndpointError::Busy { status, reason, after: opening.retry_after.map(Duration::from_secs) }
        }
        status @ 401 => EndpointError::Refused {
            status,
            reason: format!("{reason}; check that `key_env` names the right key"),
        },
        status @ 404 => EndpointError::Refused {
            status,
            reason: format!("{reason}; check `url`, which usually ends in /v1, and `model`"),
        },
        status => EndpointError::Refused { status, reason },
    }
}

//! Reads the answer of a transcription service: a document, or a stream of events.
//!
//! The events are OpenAI's `transcript.text.delta` and `transcript.text.done`. Chat completion chunks of
//! other servers are supported, too.

use minismith_voice::transcriber::Transcript;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};

use minismith_runtime::net::http::Opening;
use minismith_runtime::net::sse::Events;

/// The maximum length of an utterance, in bytes.
const MAX_TEXT_BYTES: usize = 4000;

/// The transcript so far.
#[derive(Default)]
pub(super) struct TranscriptionStream {
    /// The document, if the answer is one.
    bytes: Vec<u8>,
    /// The events, if the answer is a stream.
    events: Option<Events>,
    text: String,
    sure: Vec<f32>,
    is_whole: bool,
}

/// A document or an event; unknown fields are ignored.
#[derive(Deserialize)]
struct Document {
    text: String,
    /// From whisper servers, on `verbose_json`.
    #[serde(default, deserialize_with = "or_nothing")]
    segments: Vec<Segment>,
    #[serde(default, deserialize_with = "or_nothing")]
    logprobs: Vec<Token>,
}

#[derive(Deserialize)]
struct Segment {
    avg_logprob: Option<f32>,
}

#[derive(Deserialize)]
struct Token {
    logprob: Option<f32>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Event {
    Delta {
        delta: String,
        #[serde(default, deserialize_with = "or_nothing")]
        logprobs: Vec<Token>,
    },
    /// Repeats the probabilities of the whole transcript.
    Done {
        text: String,
    },
    Chunk {
        choices: Vec<Choice>,
    },
    Failed {
        error: serde_json::Value,
    },
    Other(IgnoredAny),
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Content>,
}

#[derive(Deserialize)]
struct Content {
    content: Option<String>,
}

fn or_nothing<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

impl TranscriptionStream {
    /// Reads some bytes of an answer, and reports the transcript so far when it has grown.
    pub(super) fn take(
        &mut self,
        opening: &Opening,
        bytes: &[u8],
        so_far: &mut dyn FnMut(&Transcript),
    ) -> Result<(), String> {
        if opening.content != "text/event-stream" {
            self.bytes.extend_from_slice(bytes);
            return Ok(());
        }
        let mut reported = Vec::new();
        let events = self.events.get_or_insert_default();
        events.take(bytes, &mut reported).map_err(|error| error.to_string())?;
        for event in reported.iter().filter(|event| *event != "[DONE]") {
            self.event(event, so_far)?;
        }
        Ok(())
    }

    fn event(&mut self, event: &str, so_far: &mut dyn FnMut(&Transcript)) -> Result<(), String> {
        let event: Event = serde_json::from_str(event).map_err(|error| error.to_string())?;
        let (more, logprobs) = match event {
            Event::Delta { delta, logprobs } => (delta, logprobs),
            Event::Chunk { choices } => {
                let content = choices.into_iter().filter_map(|choice| choice.delta?.content);
                (content.collect(), Vec::new())
            }
            Event::Done { text } => {
                self.is_whole = true;
                // Some servers leave it empty.
                if !text.trim().is_empty() {
                    self.text = text;
                }
                return self.bounded();
            }
            Event::Failed { error } => return Err(error.to_string()),
            Event::Other(IgnoredAny) => return Ok(()),
        };
        self.add(logprobs.iter().filter_map(|token| token.logprob));
        if !more.is_empty() {
            self.text.push_str(&more);
            self.bounded()?;
            so_far(&self.transcript());
        }
        Ok(())
    }

    fn bounded(&self) -> Result<(), String> {
        let is_long = self.text.len() > MAX_TEXT_BYTES;
        if is_long {
            Err("its transcript is longer than {LONGEST} bytes, the maximum".into())
        } else {
            Ok(())
        }
    }

    fn add(&mut self, logarithms: impl Iterator<Item = f32>) {
        self.sure.extend(logarithms.filter(|one| one.is_finite()).map(|one| one.exp().min(1.0)));
    }

    /// Returns the complete transcript.
    pub(super) fn end(mut self) -> Result<Transcript, String> {
        if self.events.is_some() {
            // Servers without an event for the end can't omit it.
            let is_something = self.is_whole || !self.text.is_empty();
            return is_something
                .then(|| self.transcript())
                .ok_or_else(|| "its stream contains no transcript".into());
        }
        let said: Document = serde_json::from_slice(&self.bytes).map_err(|error| error.to_string())?;
        let of_parts = said.segments.iter().filter_map(|one| one.avg_logprob);
        self.add(of_parts.chain(said.logprobs.iter().filter_map(|one| one.logprob)));
        self.text = said.text;
        self.bounded()?;
        Ok(self.transcript())
    }

    fn transcript(&self) -> Transcript {
        let text = self.text.trim().to_owned();
        // Without confidences, the transcript counts as certain.
        if self.sure.is_empty() {
            return Transcript { text, confidence: 1.0, min_confidence: 1.0 };
        }
        let logarithms: f32 = self.sure.iter().map(|one| one.max(1e-6).ln()).sum();
        let least = self.sure.iter().copied().fold(1.0, f32::min);
        Transcript { text, confidence: (logarithms / self.sure.len() as f32).exp(), min_confidence: least }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the partial transcripts of an answer that arrives in pieces of this length, and the final one.
    fn written(content: &str, answer: &str, length: usize) -> (Vec<String>, Result<Transcript, String>) {
        let opening = Opening { status: 200, content: content.into(), ..Opening::default() };
        let (mut written, mut reported) = (TranscriptionStream::default(), Vec::new());
        for bytes in answer.as_bytes().chunks(length) {
            let took = written.take(&opening, bytes, &mut |so_far| reported.push(so_far.text.clone()));
            if let Err(reason) = took {
                return (reported, Err(reason));
            }
        }
        (reported, written.end())
    }

    #[test]
    fn a_stream_is_reported_as_it_arrives() {
        let answer = "data: {\"type\":\"transcript.text.delta\",\"delta\":\"look\",\"logprobs\":[{\"token\":\"look\",\
                      \"logprob\":-0.105,\"bytes\":[1]}]}\n\n\
                      data: {\"type\":\"transcript.text.delta\",\"delta\":\" left\",\"logprobs\":[{\"logprob\":-0.693}]}\n\n\
                      data: {\"type\":\"transcript.text.done\",\"text\":\"Look left.\",\"logprobs\":null,\"usage\":{}}\n\n\
                      data: [DONE]\n\n";
        for length in [1, 7, 10_000] {
            let (reported, end) = written("text/event-stream", answer, length);
            assert_eq!(reported, ["look", "look left"]);
            let end = end.unwrap();
            assert_eq!(end.text, "Look left.");
            assert!(
                (end.confidence - 0.67).abs() < 0.01 && (end.min_confidence - 0.5).abs() < 0.01,
                "{end:?}"
            );
        }
    }

    #[test]
    fn streams_of_other_servers_are_read() {
        let chunks = "data: {\"object\":\"transcription.chunk\",\"choices\":[{\"delta\":{\"content\":\" My\"}}]}\n\n\
                      data: {\"choices\":[{\"delta\":{\"content\":\" head\"},\"finish_reason\":null}]}\n\n\
                      data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        let (reported, end) = written("text/event-stream", chunks, 9);
        assert_eq!((reported.len(), end.unwrap().text.as_str()), (2, "My head"));
        let empty_end = "data: {\"type\":\"transcript.text.delta\",\"delta\":\"nod\"}\n\n\
                         data: {\"type\":\"transcript.text.done\",\"text\":\"\"}\n\n";
        assert_eq!(written("text/event-stream", empty_end, 5).1.unwrap().text, "nod");
    }

    #[test]
    fn a_document_contains_its_confidence() {
        let verbose =
            "{\"text\": \" nod \", \"segments\": [{\"avg_logprob\": -0.223, \"id\": 0}], \"logprobs\": null}";
        let said = written("application/json", verbose, 11).1.unwrap();
        assert!(said.text == "nod" && (said.confidence - 0.8).abs() < 0.01, "{said:?}");
        let plain = written("application/json", "{\"text\": \"nod\"}", 4).1.unwrap();
        assert!((plain.confidence - 1.0).abs() < 1e-6);
    }

    #[test]
    fn invalid_answers_are_rejected() {
        let endless = "data: {\"delta\": \"and so on \"}\n\n".repeat(1000);
        let long = format!("{{\"text\": \"{}\"}}", "a".repeat(5000));
        for (content, answer, why) in [
            ("text/event-stream", "data: look left\n\n", "expected"),
            ("text/event-stream", "look left", ""),
            ("text/event-stream", "data: {\"error\": {\"message\": \"no seats left\"}}\n\n", "no seats left"),
            ("text/event-stream", "data: [DONE]\n\n", "contains no transcript"),
            ("text/event-stream", endless.as_str(), "is longer than"),
            ("application/json", long.as_str(), "is longer than"),
            ("application/json", "{\"txt\": 1}", "missing field"),
            ("text/html", "<html>", "expected value"),
            ("application/json", "", "EOF"),
        ] {
            let (reported, end) = written(content, answer, 100);
            let reason = end.unwrap_err();
            assert!(reason.contains(why), "{answer}: {reason}");
            assert!(reported.len() <= MAX_TEXT_BYTES, "{}", reported.len());
        }
    }
}

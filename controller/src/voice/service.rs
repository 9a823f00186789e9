//! Services that understand speech and speak, with the interface of OpenAI's `/audio/transcriptions` and `/audio/speech`.
//! What they answer is data of strangers: it is bounded, and a text is a text.

use std::time::Duration;

use minismith_voice::audio::Clip;
use minismith_voice::mouth::Speech;
use minismith_voice::transcriber::{Transcriber, Transcript};
use minismith_voice::{HEARD_RATE, VoiceFault};
use serde::Deserialize;
use serde_json::json;

use super::engine::NoVoice;
use crate::config::Service;
use crate::net::http::{Http, Listen, Opening, Patience, Piece};

/// How long an answer may take, and how large it may be.
const PATIENCE: Patience =
    Patience { whole: Duration::from_secs(20), silence: Duration::from_secs(8), bytes: 16 << 20 };

/// How much of a refusal is told.
const TOLD: usize = 200;

/// The rate at which what a service says is played.
const RATE: u32 = 24_000;

/// A service of either kind.
pub(super) struct Remote {
    http: Http,
    service: Service,
}

impl Remote {
    pub(super) fn open(service: &Service) -> Result<Self, NoVoice> {
        let at = |error: &dyn std::fmt::Display| NoVoice(format!("{}: {error}", service.endpoint.url));
        let key =
            service.endpoint.key.as_ref().map(|name| name.read().map_err(|error| at(&error))).transpose()?;
        let http = Http::new(service.endpoint.url.clone(), key).map_err(|error| at(&error))?;
        Ok(Remote { http, service: service.clone() })
    }

    fn failed(&self, reason: &dyn std::fmt::Display) -> VoiceFault {
        VoiceFault::failed("the service", format!("{}: {reason}", self.http.address()))
    }

    /// The whole answer of one question; an error where the server says that it is one.
    fn asked(
        &self,
        ask: impl FnOnce(&Http, &mut dyn FnMut(Piece<'_>) -> Listen) -> Result<(), crate::net::http::Broken>,
    ) -> Result<Vec<u8>, VoiceFault> {
        let (mut opening, mut bytes) = (Opening::default(), Vec::new());
        ask(&self.http, &mut |piece| {
            match piece {
                Piece::Silence => {}
                Piece::Began(began) => opening = began.clone(),
                Piece::Bytes(more) => bytes.extend_from_slice(more),
            }
            Listen::On
        })
        .map_err(|broken| self.failed(&broken))?;
        if opening.status == 200 {
            return Ok(bytes);
        }
        let said: String =
            String::from_utf8_lossy(&bytes).chars().filter(|c| !c.is_control()).take(TOLD).collect();
        Err(self.failed(&format!("it answers with status {}: {}", opening.status, self.http.hide(&said))))
    }
}

#[derive(Deserialize)]
struct Transcription {
    text: String,
    /// Of whisper's servers, where `verbose_json` is asked for.
    #[serde(default)]
    segments: Vec<Segment>,
}

#[derive(Deserialize)]
struct Segment {
    avg_logprob: Option<f32>,
}

impl Transcriber for Remote {
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceFault> {
        let clip = Clip::new(HEARD_RATE, samples.to_vec());
        let wav = clip.to_bytes().map_err(|error| self.failed(&error))?;
        let model = self.service.endpoint.model.clone();
        let bytes = self.asked(|http, hear| {
            let parts: [(&str, Option<&str>, &[u8]); 3] = [
                ("model", None, model.as_bytes()),
                ("response_format", None, b"verbose_json"),
                ("file", Some("speech.wav"), &wav),
            ];
            http.post_form("audio/transcriptions", &parts, PATIENCE, hear)
        })?;
        let said: Transcription = serde_json::from_slice(&bytes).map_err(|error| self.failed(&error))?;
        let sure: Vec<f32> = said
            .segments
            .iter()
            .filter_map(|one| one.avg_logprob)
            .filter(|one| one.is_finite())
            .map(f32::exp)
            .collect();
        // Who says nothing of how sure it is, is taken to be so.
        let confidence = if sure.is_empty() { 1.0 } else { sure.iter().sum::<f32>() / sure.len() as f32 };
        let least = sure.iter().copied().fold(confidence, f32::min);
        Ok(Transcript { text: said.text.trim().to_owned(), confidence: confidence.clamp(0.0, 1.0), least })
    }
}

impl Speech for Remote {
    fn rate(&self) -> u32 {
        RATE
    }

    fn say(&mut self, sentence: &str) -> Result<Clip, VoiceFault> {
        let Service { endpoint, voice } = &self.service;
        let asked = json!({
            "model": endpoint.model,
            "input": sentence,
            "voice": voice,
            "response_format": "wav",
        });
        let bytes =
            self.asked(|http, hear| http.post_for_bytes("audio/speech", asked.to_string(), PATIENCE, hear))?;
        let clip = Clip::from_bytes(&bytes).map_err(|error| self.failed(&error))?;
        clip.resampled(RATE).map_err(|error| self.failed(&error))
    }
}

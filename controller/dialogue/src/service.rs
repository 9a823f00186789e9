//! Connects to speech services with the API of OpenAI's `/audio/transcriptions` and `/audio/speech`.
//!
//! Their answers are untrusted: the size is limited, and a transcript is only text.

use std::time::Duration;

use minismith_voice::audio::Clip;
use minismith_voice::synthesizer::TextToSpeech;
use minismith_voice::transcriber::{Transcriber, Transcript};
use minismith_voice::{HEARD_RATE, VoiceError};
use serde_json::json;

use super::transcription_stream::TranscriptionStream;
use minismith_runtime::config::Service;
use minismith_runtime::net::http::{Chunk, Http, KeepListening, Opening, Timeouts, TransferError};

/// The timeouts and the maximum size of an answer.
const TIMEOUTS: Timeouts =
    Timeouts { whole: Duration::from_secs(20), silence: Duration::from_secs(8), bytes: 16 << 20 };

/// The maximum length of a rejection that is reported, in bytes.
const MAX_REPORTED_CHARS: usize = 200;

/// The sample rate of a service's speech, in hertz.
const RATE_HZ: u32 = 24_000;

/// The parameters of a transcription request, since services support different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestMode {
    /// Streamed, with the confidence of each token: OpenAI's models since 2025, and compatible servers.
    Streaming,
    /// As one document, with the confidence of each segment: whisper, which ignores or rejects the streaming
    /// parameters.
    Verbose,
    /// Only the parameters that every service supports.
    Plain,
}

/// An error that keeps speech from working, as text for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoVoice(pub String);

/// A service of either kind; used alone, it speaks.
pub(super) struct Remote {
    http: Http,
    service: Service,
}

/// A transcription service.
pub(super) struct Writer {
    remote: Remote,
    /// The language of the speakers, two letters.
    language: String,
    mode: RequestMode,
}

/// The reason why an answer can't be used.
enum Failed {
    Refused(u16, VoiceError),
    Otherwise(VoiceError),
}

impl From<Failed> for VoiceError {
    fn from(failed: Failed) -> Self {
        let (Failed::Refused(_, fault) | Failed::Otherwise(fault)) = failed;
        fault
    }
}

impl Remote {
    pub(super) fn open(service: &Service) -> Result<Self, NoVoice> {
        let at = |error: &dyn std::fmt::Display| NoVoice(format!("{}: {error}", service.endpoint.url));
        let key =
            service.endpoint.key.as_ref().map(|name| name.read().map_err(|error| at(&error))).transpose()?;
        let http = Http::new(service.endpoint.url.clone(), key).map_err(|error| at(&error))?;
        Ok(Remote { http, service: service.clone() })
    }

    fn failed(&self, reason: &dyn std::fmt::Display) -> VoiceError {
        VoiceError::failed("the service", format!("{}: {reason}", self.http.address()))
    }

    /// Passes on an answer piece by piece with its content type, or returns the server's error.
    fn asked(
        &self,
        ask: impl FnOnce(&Http, &mut dyn FnMut(Chunk<'_>) -> KeepListening) -> Result<(), TransferError>,
        mut take: impl FnMut(&Opening, &[u8]) -> Result<(), String>,
    ) -> Result<(), Failed> {
        let (mut opening, mut refusal, mut wrong) = (Opening::default(), Vec::new(), None);
        ask(&self.http, &mut |piece| {
            match piece {
                Chunk::Silence => {}
                Chunk::Began(began) => opening = began.clone(),
                Chunk::Bytes(more) if opening.status == 200 => {
                    if let Err(reason) = take(&opening, more) {
                        wrong = Some(reason);
                        return KeepListening::Off;
                    }
                }
                Chunk::Bytes(more) => refusal.extend_from_slice(more),
            }
            KeepListening::On
        })
        .map_err(|broken| Failed::Otherwise(self.failed(&broken)))?;
        if let Some(wrong) = wrong {
            return Err(Failed::Otherwise(self.failed(&wrong)));
        }
        if opening.status == 200 {
            return Ok(());
        }
        let said: String = String::from_utf8_lossy(&refusal)
            .chars()
            .filter(|c| !c.is_control())
            .take(MAX_REPORTED_CHARS)
            .collect();
        let reported = format!("it answers with status {}: {}", opening.status, self.http.hide(&said));
        Err(Failed::Refused(opening.status, self.failed(&reported)))
    }
}

impl Writer {
    pub(super) fn open(service: &Service, language: &str) -> Result<Self, NoVoice> {
        let is_whisper = service.endpoint.model.to_lowercase().contains("whisper");
        let manner = if is_whisper { RequestMode::Verbose } else { RequestMode::Streaming };
        let language = language.split('-').next().unwrap_or_default().to_owned();
        Ok(Writer { remote: Remote::open(service)?, language, mode: manner })
    }

    fn write_down(
        &self,
        wav: &[u8],
        manner: RequestMode,
        so_far: &mut dyn FnMut(&Transcript),
    ) -> Result<Transcript, Failed> {
        let mut parts: Vec<(&str, Option<&str>, &[u8])> =
            vec![("model", None, self.remote.service.endpoint.model.as_bytes())];
        if self.language.len() == 2 {
            parts.push(("language", None, self.language.as_bytes()));
        }
        match manner {
            RequestMode::Streaming => parts.extend([
                ("response_format", None, b"json".as_slice()),
                ("stream", None, b"true"),
                ("include[]", None, b"logprobs"),
            ]),
            RequestMode::Verbose => parts.push(("response_format", None, b"verbose_json")),
            RequestMode::Plain => parts.push(("response_format", None, b"json")),
        }
        parts.push(("file", Some("speech.wav"), wav));
        let mut written = TranscriptionStream::default();
        self.remote.asked(
            |http, hear| http.post_form("audio/transcriptions", &parts, TIMEOUTS, hear),
            |opening, bytes| written.take(opening, bytes, so_far),
        )?;
        written.end().map_err(|reason| Failed::Otherwise(self.remote.failed(&reason)))
    }
}

impl Transcriber for Writer {
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceError> {
        self.transcribe_with_partials(samples, &mut |_| {})
    }

    fn transcribe_with_partials(
        &mut self,
        samples: &[f32],
        so_far: &mut dyn FnMut(&Transcript),
    ) -> Result<Transcript, VoiceError> {
        let clip = Clip::new(HEARD_RATE, samples.to_vec());
        let wav = clip.to_bytes().map_err(|error| self.remote.failed(&error))?;
        match self.write_down(&wav, self.mode, so_far) {
            // The service does not know a parameter.
            Err(Failed::Refused(400 | 422, _)) if self.mode != RequestMode::Plain => {
                let transcript = self.write_down(&wav, RequestMode::Plain, so_far)?;
                self.mode = RequestMode::Plain;
                Ok(transcript)
            }
            written => Ok(written?),
        }
    }
}

impl TextToSpeech for Remote {
    fn rate(&self) -> u32 {
        RATE_HZ
    }

    fn synthesize(&mut self, sentence: &str) -> Result<Clip, VoiceError> {
        let Service { endpoint, voice } = &self.service;
        let asked = json!({
            "model": endpoint.model,
            "input": sentence,
            "voice": voice,
            "response_format": "wav",
        });
        let mut bytes = Vec::new();
        self.asked(
            |http, hear| http.post_for_bytes("audio/speech", asked.to_string(), TIMEOUTS, hear),
            |_, more| {
                bytes.extend_from_slice(more);
                Ok(())
            },
        )?;
        let clip = Clip::from_bytes(&bytes).map_err(|error| self.failed(&error))?;
        clip.resampled(RATE_HZ).map_err(|error| self.failed(&error))
    }
}

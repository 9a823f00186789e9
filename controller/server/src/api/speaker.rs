//! `GET /api/v1/speaker?rate=16000`: a WebSocket that plays what a client says at the robot's speaker, for push-to-talk.
//!
//! Binary messages are audio at `rate`, one channel of 16 bit signed samples, little-endian, at most 64 kB each. Other
//! messages are ignored, and the server sends none. One client talks at a time. It interrupts a sound that plays.
//!
//! What arrives faster than it is played is dropped, so the delay does not grow. The server closes the connection with a
//! reason after two minutes, after ten seconds without sound, when a message is invalid, and when the speaker fails.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use minismith_runtime::role::Role;
use minismith_voice::audio::StreamResampler;
use minismith_voice::devices::{Pace, Speaker};
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::caller::MessageAuthor;
use super::extract::{ApiError, QueryParams, unprocessable};
use minismith_media::sounds::Sounds;

/// Permitted sample rates, Hz.
const RATES: std::ops::RangeInclusive<u32> = 8_000..=96_000;

/// Maximum size of a message, bytes.
const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// How much sound is queued: enough for the unsteadiness of a wireless network.
const QUEUE_CAPACITY: Duration = Duration::from_millis(400);

/// The longest time without sound.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest connection.
const TALK_TIMEOUT: Duration = Duration::from_secs(120);

struct SpeakerState {
    sounds: Arc<Sounds>,
    /// The permit to talk.
    seat: Arc<Semaphore>,
}

pub(super) fn routes(sounds: Arc<Sounds>) -> Router {
    let state = SpeakerState { sounds, seat: Arc::new(Semaphore::new(1)) };
    Router::new().route("/api/v1/speaker", any(open)).with_state(Arc::new(state))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpeakerQuery {
    #[serde(default = "default_rate")]
    rate: u32,
}

const fn default_rate() -> u32 {
    16_000
}

async fn open(
    State(state): State<Arc<SpeakerState>>,
    author: MessageAuthor,
    QueryParams(SpeakerQuery { rate }): QueryParams<SpeakerQuery>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    author.caller.require_role(Role::Operator)?;
    if !RATES.contains(&rate) {
        let why = format!("`rate` is out of range: use {} to {} Hz", RATES.start(), RATES.end());
        return Err(unprocessable("query.rate", &why));
    }
    let conflict = |why: &str| ApiError::new(StatusCode::CONFLICT, why);
    let seat = state.seat.clone().try_acquire_owned();
    let seat =
        seat.map_err(|_| conflict("another client talks through the robot; try again when it has ended"))?;
    let sounds = state.sounds.clone();
    // The driver may take a moment.
    let opened = tokio::task::spawn_blocking(move || {
        sounds.stop();
        let speaker = Speaker::open(sounds.speaker()?, Pace::Device, QUEUE_CAPACITY)?;
        let flow = StreamResampler::new(rate, speaker.rate())?;
        Ok::<_, minismith_media::sounds::SoundError>((speaker, flow))
    });
    let lost = |_| conflict("opening the speaker failed; try again");
    let (speaker, flow) = opened.await.map_err(lost)?.map_err(|error| conflict(&error.to_string()))?;
    // Browsers hide why a WebSocket handshake failed: a page may send a plain request to get the reason.
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(none) => return Ok(none.into_response()),
    };
    let talk = Talk { speaker, flow, rate, _seat: seat };
    Ok(upgrade.max_message_size(MAX_MESSAGE_BYTES).on_upgrade(move |socket| talk.run(socket, author)))
}

/// A client that talks.
struct Talk {
    speaker: Speaker,
    flow: StreamResampler,
    rate: u32,
    _seat: OwnedSemaphorePermit,
}

impl Talk {
    /// Plays what arrives until either side ends it.
    async fn run(mut self, mut socket: WebSocket, author: MessageAuthor) {
        let mut samples = 0;
        let limit = Some((close_code::POLICY, "a talk may last two minutes; begin another one"));
        let why = timeout(TALK_TIMEOUT, self.read(&mut socket, &mut samples)).await.unwrap_or(limit);
        if let Some((code, reason)) = why {
            let _closed = socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
        }
        drop(socket);
        let seconds = f64::from(samples) / f64::from(self.rate);
        author.note("/api/v1/speaker: talked", &format!("{seconds:.1} s"));
        let _played = tokio::task::spawn_blocking(move || self.speaker.wait(2 * QUEUE_CAPACITY)).await;
    }

    /// Plays what arrives, and counts its samples. Returns why the server closes the connection; none if the client does.
    async fn read(&mut self, socket: &mut WebSocket, samples: &mut u32) -> Option<(u16, &'static str)> {
        loop {
            match timeout(SILENCE_TIMEOUT, socket.recv()).await {
                Err(_) => return Some((close_code::POLICY, "no sound arrived for ten seconds; begin again")),
                Ok(Some(Ok(Message::Binary(bytes)))) => match self.play(&bytes) {
                    Some(played) => *samples = samples.saturating_add(played),
                    None => return Some((close_code::UNSUPPORTED, "invalid audio: send pairs of bytes")),
                },
                Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => return None,
                Ok(Some(Ok(_))) => {}
            }
            if self.speaker.health().is_lost {
                return Some((close_code::ERROR, "the speaker failed; see the log of the server"));
            }
        }
    }

    /// Queues sound and returns its number of samples; none if the bytes are no sound.
    fn play(&mut self, bytes: &[u8]) -> Option<u32> {
        let (pairs, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() {
            return None;
        }
        let samples: Vec<f32> =
            pairs.iter().map(|pair| f32::from(i16::from_le_bytes(*pair)) / 32768.0).collect();
        let _queued = self.speaker.play(&self.flow.push(&samples));
        u32::try_from(samples.len()).ok()
    }
}

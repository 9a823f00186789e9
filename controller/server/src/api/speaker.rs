//! The sound devices of the robot, over WebSockets, for operators.
//!
//! * `GET /api/v1/speaker?rate=16000` plays what a client says at the robot's speaker, for push-to-talk. Binary messages are audio
//!   at `rate`, one channel of 16 bit signed samples, little-endian, at most 64 kB each. Other messages are ignored, and the server
//!   sends none. One client talks at a time. It interrupts a sound that plays. What arrives faster than it is played is dropped, so
//!   the delay does not grow. The server closes the connection with a reason after two minutes, after ten seconds without sound,
//!   when a message is invalid, and when the speaker fails.
//! * `GET /api/v1/microphone?rate=16000` sends what the robot's microphone hears, in the same form. Up to eight clients listen.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::any;
use minismith_runtime::role::Role;
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::caller::MessageAuthor;
use super::extract::{ApiError, QueryParams, unprocessable, upgraded};
use minismith_media::listen::SharedMicrophone;
use minismith_media::sounds::{SoundError, Sounds};
use minismith_media::talk::{MAX_TALK_BYTES, Talk};

/// Permitted sample rates, Hz.
const RATES: std::ops::RangeInclusive<u32> = 8_000..=96_000;

/// The longest message that a client which listens may send, bytes: the server reads none.
const MAX_LISTENER_BYTES: usize = 1 << 10;

struct SpeakerState {
    sounds: Arc<Sounds>,
    microphone: Arc<SharedMicrophone>,
    /// The permit to talk.
    seat: Arc<Semaphore>,
}

pub(super) fn routes(sounds: Arc<Sounds>) -> Router {
    let microphone = SharedMicrophone::new(sounds.clone());
    let state = SpeakerState { sounds, microphone, seat: Arc::new(Semaphore::new(1)) };
    Router::new()
        .route("/api/v1/speaker", any(talk))
        .route("/api/v1/microphone", any(listen))
        .with_state(Arc::new(state))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SoundQuery {
    #[serde(default = "default_rate")]
    rate: u32,
}

const fn default_rate() -> u32 {
    16_000
}

/// Checks that the client may use the devices, and at this rate.
fn check(author: &MessageAuthor, rate: u32) -> Result<(), ApiError> {
    author.caller.require_role(Role::Operator)?;
    if RATES.contains(&rate) {
        return Ok(());
    }
    let why = format!("`rate` is out of range: use {} to {} Hz", RATES.start(), RATES.end());
    Err(unprocessable("query.rate", &why))
}

fn conflict(why: &str) -> ApiError {
    ApiError::new(StatusCode::CONFLICT, why)
}

/// Opens a device, which may take a moment.
async fn opened<T: Send + 'static>(
    open: impl FnOnce() -> Result<T, SoundError> + Send + 'static,
) -> Result<T, ApiError> {
    let opened = tokio::task::spawn_blocking(open).await;
    opened
        .map_err(|_| conflict("opening the device failed; try again"))?
        .map_err(|error| conflict(&error.to_string()))
}

async fn talk(
    State(state): State<Arc<SpeakerState>>,
    author: MessageAuthor,
    QueryParams(SoundQuery { rate }): QueryParams<SoundQuery>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    check(&author, rate)?;
    let seat = state.seat.clone().try_acquire_owned();
    let seat =
        seat.map_err(|_| conflict("another client talks through the robot; try again when it has ended"))?;
    let sounds = state.sounds.clone();
    let talk = opened(move || Talk::open(&sounds, rate)).await?;
    Ok(upgraded(upgrade, MAX_TALK_BYTES, async move |socket| {
        let seconds = talk.run(socket).await;
        drop(seat);
        author.note("/api/v1/speaker: talked", &format!("{seconds:.1} s"));
    }))
}

async fn listen(
    State(state): State<Arc<SpeakerState>>,
    author: MessageAuthor,
    QueryParams(SoundQuery { rate }): QueryParams<SoundQuery>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    check(&author, rate)?;
    let listener = opened(move || state.microphone.listen(rate)).await?;
    Ok(upgraded(upgrade, MAX_LISTENER_BYTES, async move |socket| {
        let seconds = listener.run(socket).await;
        author.note("/api/v1/microphone: listened", &format!("{seconds:.1} s"));
    }))
}

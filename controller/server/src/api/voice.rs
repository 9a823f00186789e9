//! `GET /api/v1/voice?rate=16000&session=evening&speak=true&wake=false&events=2`: a conversation by voice over a WebSocket,
//! with microphone and speaker at the client.
//!
//! * `rate`: sample rate of the client's audio, 8000 to 96000 Hz.
//! * `session`: the session that stores the conversation, as in a chat.
//! * `speak`: whether answers are spoken.
//! * `wake`: whether the client must say a wake word, as configured. Otherwise every utterance is for the robot.
//! * `events`: which names events have: 1 for their old names (the default), 2 for those below.
//!
//! Binary messages are audio, one channel of 16 bit signed samples, little-endian. The client sends them at `rate`, at most
//! 64 kB each. The server sends them at 24000 Hz; the client plays them in sequence and cancels their echo. The client may
//! also send:
//!
//! ```text
//! {"type": "end"}                 ends the utterance, for push-to-talk: the server adds a second of silence
//! {"type": "stop"}                stops the robot and the speech at once, and drops unanswered requests;
//!                                 the response is {"type": "stopped", "motion_state", "cycles"} once the robot is at rest
//! {"type": "ping", "sent": any}   the response is {"type": "pong", "sent"}
//! ```
//!
//! The response to an invalid message is `{"type": "refused", "reason"}`. The server sends these events:
//!
//! ```text
//! {"event": "state", "state": "listening" | "thinking" | "speaking" | "holding"}      the first one: it listens
//! {"event": "partial_transcript", "text", "confidence", "at_s"}                       the utterance so far
//! {"event": "transcript", "text", "interpretation", "confidence", "began_s",          the whole utterance
//!  "ended_s", "doa_deg"}
//! {"event": "ignored", "text", "reason"}                                              the utterance has no answer
//! {"event": "stop", "word", "ended_s", "detected_s"}                                  a stop word; the robot stops
//! {"event": "said", "data": {"text"}}                                                 this request is executed now ...
//! {"event": ..., "data": ...}                                                         ... with the events of a chat
//! {"event": "answer", "text"} {"event": "speaking", "sentence", "duration_s"}         the answer, and its spoken sentences
//! {"event": "interrupted"}                                                            discard audio that is not played yet;
//!                                                                                     may be sent more than once
//! {"event": "error", "text"}                                                          an error of the voice service
//! ```
//!
//! The events of a chat have `data`: an `error` with `data` ends a request, an `error` with `text` does not. The old names of
//! the events are `partial`, `heard`, `cut` and `trouble`, besides those of a chat. Fields have their new and their old names
//! in either case.
//!
//! A `question` is spoken, too. The next utterance answers it, or a request as in a chat. A client that disconnects stops what
//! it started.
//!
//! Safety: the recognizer stops the robot before any other thread learns of a stop word. Audio buffers and event queues have a
//! fixed size. The server closes the connection with a reason when a client sends invalid audio, does not read, or is silent
//! for ten minutes.

mod local_audio;
mod socket;
mod thread;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::any;
use minismith_assistant::second_reader;
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::StreamResampler;
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(super) use self::local_audio::{LocalAudio, here};
use self::socket::{VoiceSession, converse};
use super::caller::MessageAuthor;
use super::extract::{ApiError, QueryParams, unprocessable, upgraded};
use super::names::event_names;
use super::request_queue::RequestQueue;
use minismith_assistant::memory::is_name;
use minismith_control::robot::{RobotRuntime, models_of};
use minismith_dialogue::engine::{Engines, NoVoice};
use minismith_runtime::config::{Config, Voice, WakeWordMode};
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::registry::Registry;

/// Maximum number of conversations at a time; each loads its own models, about 100 MB.
const MAX_SESSIONS: usize = 2;

/// Permitted sample rates, Hz.
const RATES: std::ops::RangeInclusive<u32> = 8_000..=96_000;

/// Maximum size of a message that is read, bytes. A message above the permitted size and below this is rejected with a reason.
const MAX_READ_BYTES: usize = 1 << 20;

/// The state that the handlers share.
struct VoiceState {
    queue: RequestQueue,
    body: Arc<RobotRuntime>,
    config: Config,
    seats: Arc<Semaphore>,
}

pub(super) fn routes(queue: RequestQueue, body: &Arc<RobotRuntime>, config: &Config) -> Router {
    let seats = Arc::new(Semaphore::new(MAX_SESSIONS));
    let room = VoiceState { queue, body: body.clone(), config: config.clone(), seats };
    Router::new().route("/api/v1/voice", any(open)).with_state(Arc::new(room))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VoiceQuery {
    #[serde(default = "heard_rate")]
    rate: u32,
    #[serde(default)]
    session: Option<String>,
    #[serde(default = "yes")]
    speak: bool,
    #[serde(default)]
    wake: bool,
    #[serde(default = "first")]
    events: u8,
}

const fn first() -> u8 {
    1
}

const fn heard_rate() -> u32 {
    HEARD_RATE
}

const fn yes() -> bool {
    true
}

async fn open(
    State(room): State<Arc<VoiceState>>,
    speaker: MessageAuthor,
    QueryParams(request): QueryParams<VoiceQuery>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    speaker.caller.require_role(Role::Operator)?;
    let VoiceQuery { rate, session, speak, wake, events } = request;
    let names = event_names(events)?;
    if !RATES.contains(&rate) {
        let why = format!("`rate` is out of range: use {} to {} Hz", RATES.start(), RATES.end());
        return Err(unprocessable("query.rate", &why));
    }
    if session.as_deref().is_some_and(|session| !is_name(session)) {
        return Err(unprocessable(
            "query.session",
            "`session` is not a valid name: use 1 to 40 letters, digits, `_` and `-`",
        ));
    }
    let conflict = |why: &str| ApiError::new(StatusCode::CONFLICT, why);
    let flow = StreamResampler::new(rate, HEARD_RATE).map_err(|fault| conflict(&fault.to_string()))?;
    let seat = room.seats.clone().try_acquire_owned().map_err(|_| {
        conflict(&format!(
            "too many voice conversations: {MAX_SESSIONS} others talk with the robot, {MAX_SESSIONS} allowed; try again later"
        ))
    })?;
    let configured = &room.config.voice;
    let voice = Voice {
        wake_word_mode: if wake { configured.wake_word_mode } else { WakeWordMode::Never },
        ..configured.clone()
    };
    let (engines, seat) = engines(&room, &voice, speak, seat).await?;
    let parts = VoiceSession { engines, voice, flow, rate, session, names, seat };
    let (queue, body) = (room.queue.clone(), room.body.clone());
    Ok(upgraded(upgrade, MAX_READ_BYTES, move |socket| converse(socket, body, queue, speaker, parts)))
}

/// Loads the models, which takes a moment. The permit goes along, so that it is held while they are in memory.
async fn engines(
    room: &Arc<VoiceState>,
    voice: &Voice,
    is_spoken: bool,
    seat: OwnedSemaphorePermit,
) -> Result<(Engines, OwnedSemaphorePermit), ApiError> {
    let (room, voice) = (room.clone(), voice.clone());
    let opened = tokio::task::spawn_blocking(move || {
        second_reader::prepare(&room.config);
        let tools = Registry::of(&room.config).map_err(|error| NoVoice(error.to_string()))?;
        let engines = Engines::open(&voice, &models_of(&room.config), is_spoken, &tools)?;
        Ok::<_, NoVoice>((engines, seat))
    });
    let lost = |_| ApiError::new(StatusCode::CONFLICT, "loading the voice models failed; try again");
    opened.await.map_err(lost)?.map_err(|no| ApiError::new(StatusCode::CONFLICT, &no.to_string()))
}

/// Length of the audio buffer.
const BUFFER_CAPACITY: Duration = Duration::from_secs(20);

//! `GET /api/v1/voice?rate=16000&session=evening&speak=true&wake=false`: a conversation by voice over a WebSocket, whose
//! microphone and speaker are at the other end.
//!
//! `rate` is that of the samples that are sent, Hz, from 8000 to 96000; `session` the one in which it is remembered, as in a
//! chat; `speak` whether answers are spoken; `wake` whether the robot has to be called as `voice.call` of the configuration
//! says, else all that is said is for it.
//!
//! Binary messages carry sound, one channel of 16 bit signed samples, little-endian: those that are sent at `rate`, 64 kB at
//! most, and those that come at 24000 Hz, to be played one behind the other. Echoes of what is played have to be taken out
//! where it is played. Besides, whoever speaks may say:
//!
//! ```text
//! {"type": "end"}                 what was said is over: a button was let go, and a second of silence follows
//! {"type": "stop"}                halts the body at once, cuts what is being said, gives up what is still to be answered;
//!                                 answered by {"type": "stopped", "doing", "beats"} when the body rests
//! {"type": "ping", "sent": any}   answered by {"type": "pong", "sent"}
//! ```
//!
//! What can't be understood is answered by `{"type": "refused", "why"}`. What is told besides:
//!
//! ```text
//! {"event": "state", "state": "listening" | "thinking" | "speaking" | "holding"}      the first tells that it listens
//! {"event": "partial", "text", "confidence", "at_s"}                                  what was said so far
//! {"event": "heard", "text", "means", "confidence", "began_s", "ended_s"}             what was said
//! {"event": "ignored", "text", "why"}                                                 it is not answered
//! {"event": "stop", "word", "ended_s", "known_s"}                                     a stop was said, and the body halted
//! {"event": "said", "data": {"text"}}                                                 now this is worked on ...
//! {"event": ..., "data": ...}                                                         ... and this comes of it, as of a chat
//! {"event": "answer", "text"} {"event": "speaking", "sentence", "lasts_s"}            what is answered, and said of it
//! {"event": "cut"}                                                                    what is not played yet is not to be;
//!                                                                                     it may come more than once
//! {"event": "trouble", "text"}                                                        something went wrong, in words
//! ```
//!
//! A `question` is spoken, too, and answered by what is said next, or as in a chat. Whoever leaves stops what was begun.
//!
//! Safety: the ear halts the body before anybody else hears of a stop. What is sent waits in a room of one size, what is told
//! in a queue of one length; whoever sends what can't be sound, does not read, or is silent for long, is told so and left.

mod here;
mod socket;
mod thread;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::Flow;
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(super) use self::here::here;
use self::socket::{Conversing, converse};
use super::caller::Speaker;
use super::desk::Desk;
use super::given::{Refused, Wanted, unprocessable};
use crate::voice::engine::{Engines, NoVoice};
use minismith_assistant::memory::is_name;
use minismith_control::body::{Body, models_of};
use minismith_runtime::config::{Call, Config, Voice};
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::registry::Registry;

/// How many may talk at a time: each has models of its own, about 100 MB.
const SEATS: usize = 2;

/// The rates that are taken, Hz.
const RATES: std::ops::RangeInclusive<u32> = 8_000..=96_000;

/// The longest message that is read, bytes. What is longer than a message may be, up to this, is refused in words.
const LONGEST_READ: usize = 1 << 20;

/// What the handlers share.
struct Room {
    desk: Desk,
    body: Arc<Body>,
    config: Config,
    seats: Arc<Semaphore>,
}

pub(super) fn routes(desk: Desk, body: &Arc<Body>, config: &Config) -> Router {
    let seats = Arc::new(Semaphore::new(SEATS));
    let room = Room { desk, body: body.clone(), config: config.clone(), seats };
    Router::new().route("/api/v1/voice", any(open)).with_state(Arc::new(room))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    #[serde(default = "heard_rate")]
    rate: u32,
    #[serde(default)]
    session: Option<String>,
    #[serde(default = "yes")]
    speak: bool,
    #[serde(default)]
    wake: bool,
}

const fn heard_rate() -> u32 {
    HEARD_RATE
}

const fn yes() -> bool {
    true
}

async fn open(
    State(room): State<Arc<Room>>,
    speaker: Speaker,
    Wanted(wish): Wanted<Wish>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Refused> {
    speaker.caller.must_be(Role::Operator)?;
    let Wish { rate, session, speak, wake } = wish;
    if !RATES.contains(&rate) {
        let why = format!("rate is from {} to {} samples a second", RATES.start(), RATES.end());
        return Err(unprocessable("query.rate", &why));
    }
    if session.as_deref().is_some_and(|session| !is_name(session)) {
        return Err(unprocessable(
            "query.session",
            "a session's name has 1 to 40 letters, digits, `_` and `-`",
        ));
    }
    let conflict = |why: &str| Refused::because(StatusCode::CONFLICT, why);
    let flow = Flow::new(rate, HEARD_RATE).map_err(|fault| conflict(&fault.to_string()))?;
    let seat = room.seats.clone().try_acquire_owned().map_err(|_| {
        conflict(&format!(
            "{SEATS} others talk with the robot by voice already; try again when one has ended"
        ))
    })?;
    let configured = &room.config.voice;
    let voice = Voice { call: if wake { configured.call } else { Call::Never }, ..configured.clone() };
    let (engines, seat) = engines(&room, &voice, speak, seat).await?;
    // A browser tells a page nothing of why a WebSocket is refused: it may ask without one, and hear what stands above.
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(none) => return Ok(none.into_response()),
    };
    let parts = Conversing { engines, voice, flow, rate, session, seat };
    let (desk, body) = (room.desk.clone(), room.body.clone());
    Ok(upgrade
        .max_message_size(LONGEST_READ)
        .max_frame_size(LONGEST_READ)
        .on_upgrade(move |socket| converse(socket, body, desk, speaker, parts)))
}

/// The models, which take a moment to be read. The seat goes along: it is taken for as long as they are.
async fn engines(
    room: &Arc<Room>,
    voice: &Voice,
    is_spoken: bool,
    seat: OwnedSemaphorePermit,
) -> Result<(Engines, OwnedSemaphorePermit), Refused> {
    let (room, voice) = (room.clone(), voice.clone());
    let opened = tokio::task::spawn_blocking(move || {
        let tools = Registry::open(&room.config.tools).map_err(|error| NoVoice(error.to_string()))?;
        let engines = Engines::open(&voice, &models_of(&room.config), is_spoken, &tools)?;
        Ok::<_, NoVoice>((engines, seat))
    });
    let lost = |_| Refused::because(StatusCode::CONFLICT, "the models were lost on the way; try again");
    opened.await.map_err(lost)?.map_err(|no| Refused::because(StatusCode::CONFLICT, &no.to_string()))
}

/// How much sound may wait to be heard.
const ROOM: Duration = Duration::from_secs(20);

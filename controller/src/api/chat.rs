//! Talking: `POST /api/v1/chat`, and the sessions in which it is remembered.
//!
//! Takes `{"text": "nod twice", "session": "evening"}`; the session may be left out. Gives what `minismith say --json`
//! prints; with `"stream": true`, or to whoever accepts `text/event-stream`, every step as it is done, as server-sent
//! events whose data is `{"event": ..., "data": ...}`: `step`, `question` (answered with
//! `POST /api/v1/chat/{id}/answer {"text": "yes"}`), then `reply` or `error`.
//! Whoever goes away before the end stops what was begun.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream::unfold;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::caller::Caller;
use super::desk::{Desk, Hearing, Told};
use super::given::Given;
use super::refuse;
use crate::config::Config;
use crate::memory::{Memory, MemoryError};

/// The longest sentence, bytes, as in `minismith chat`.
const LONGEST: usize = 64 << 10;

/// What the handlers share.
struct Room {
    desk: Desk,
    config: Config,
}

pub(super) fn routes(desk: Desk, config: &Config) -> Router {
    Router::new()
        .route("/api/v1/chat", post(chat))
        .route("/api/v1/chat/{id}/answer", post(answer))
        .route("/api/v1/sessions", get(sessions))
        .route("/api/v1/sessions/{name}", get(session).delete(forget))
        .with_state(Arc::new(Room { desk, config: config.clone() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    text: String,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    stream: bool,
}

async fn chat(
    State(room): State<Arc<Room>>,
    caller: Caller,
    headers: HeaderMap,
    Given(said): Given<Said>,
) -> Response {
    if said.text.trim().is_empty() || said.text.len() > LONGEST {
        let why = format!("say something, in at most {} kB", LONGEST >> 10);
        return refuse(StatusCode::UNPROCESSABLE_ENTITY, &why);
    }
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let streams = said.stream || accepts.contains("text/event-stream");
    // Who waits for the whole answer can't be asked anything meanwhile.
    let hearing = match room.desk.hear(caller, &said.text, said.session.as_deref(), streams) {
        Ok(hearing) => hearing,
        Err(full) => return full.into_response(),
    };
    if streams { stream(hearing) } else { whole(hearing).await }
}

/// The reply, when all is done.
async fn whole(mut hearing: Hearing) -> Response {
    loop {
        match hearing.told.recv().await {
            Some(Told::Reply(reply)) => return Json(reply).into_response(),
            Some(Told::Error { detail }) => return refuse(StatusCode::CONFLICT, &detail),
            Some(Told::Step(_) | Told::Question { .. }) => {}
            None => return refuse(StatusCode::CONFLICT, "the answer was lost; say it again"),
        }
    }
}

fn stream(hearing: Hearing) -> Response {
    let events = unfold(hearing, |mut hearing| async {
        let told = hearing.told.recv().await?;
        let told = serde_json::to_value(&told).unwrap_or_default();
        let name = told.get("event").and_then(Value::as_str).unwrap_or_default();
        let event = Event::default().event(name).data(told.to_string());
        Some((Ok::<_, Infallible>(event), hearing))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    text: String,
}

async fn answer(
    State(room): State<Arc<Room>>,
    Path(id): Path<Uuid>,
    caller: Caller,
    Given(Answer { text }): Given<Answer>,
) -> Response {
    if room.desk.answer(id, &caller, &text) {
        Json(json!({ "status": "ok" })).into_response()
    } else {
        refuse(StatusCode::NOT_FOUND, "no question is open there for you")
    }
}

/// Does something with the file of sessions, apart from those who wait for beats.
async fn remembered<T: serde::Serialize + Send + 'static>(
    room: Arc<Room>,
    act: impl FnOnce(&Memory) -> Result<T, MemoryError> + Send + 'static,
) -> Response {
    let done = tokio::task::spawn_blocking(move || {
        Memory::open(&room.config.memory.file).and_then(|memory| act(&memory))
    });
    match done.await {
        Ok(Ok(value)) => Json(value).into_response(),
        Ok(Err(error @ MemoryError::NoSession { .. })) => refuse(StatusCode::NOT_FOUND, &error.to_string()),
        Ok(Err(error @ MemoryError::NotAName { .. })) => {
            refuse(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string())
        }
        Ok(Err(error)) => refuse(StatusCode::CONFLICT, &error.to_string()),
        Err(_) => refuse(StatusCode::CONFLICT, "the answer was lost; ask again"),
    }
}

async fn sessions(State(room): State<Arc<Room>>) -> Response {
    remembered(room, |memory| memory.list().map(|sessions| json!({ "sessions": sessions }))).await
}

async fn session(State(room): State<Arc<Room>>, Path(name): Path<String>) -> Response {
    remembered(room, move |memory| memory.export(&name)).await
}

async fn forget(State(room): State<Arc<Room>>, Path(name): Path<String>) -> Response {
    let desk = room.desk.clone();
    remembered(room, move |memory| {
        memory.delete(&name)?;
        desk.forget(&name);
        Ok(json!({ "deleted": name }))
    })
    .await
}

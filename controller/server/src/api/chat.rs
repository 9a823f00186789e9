//! Talking: `POST /api/v1/chat`, and the sessions in which it is remembered.
//!
//! Takes `{"text": "nod twice", "session": "evening"}`; the session may be left out. Gives what `minismith say --json`
//! prints; with `"stream": true`, or to whoever accepts `text/event-stream`, what is done as it is done, as server-sent
//! events whose data is `{"event": ..., "data": ...}`: `plan`, `begun`, `thinking`, `handoff`, `checking`, `checked`,
//! `step`, `question` (answered with `POST /api/v1/chat/{id}/answer {"text": "yes"}`), then `reply` or `error`. More kinds
//! may come; whoever does not know one leaves it out.
//! Whoever goes away before the end stops what was begun.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::caller::Caller;
use super::desk::{Desk, Hearing, LONGEST_SENTENCE, NoWork, Told};
use super::given::{Given, Refusal, Refused};
use super::refuse;
use minismith_assistant::conversation::Reply;
use minismith_assistant::memory::{Entry, Memory, MemoryError};
use minismith_nlu::is_stop;
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;

/// What the handlers share.
struct Room {
    desk: Desk,
    config: Config,
}

pub(super) fn routes(desk: Desk, config: &Config) -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(chat))
        .routes(routes!(answer))
        .routes(routes!(sessions))
        .routes(routes!(session, forget))
        .with_state(Arc::new(Room { desk, config: config.clone() }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "text": "look left 20 degrees" }))]
struct Said {
    /// What is said, in plain English; at most 64 kB.
    #[schema(min_length = 1, max_length = 65536, pattern = r"\S")]
    text: String,
    /// The session in which it is remembered: letters, digits, `_` and `-`.
    #[serde(default)]
    session: Option<String>,
    /// Whether each step is told as it is done.
    #[serde(default)]
    stream: bool,
}

/// One event of a stream.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is only described")]
struct ChatEvent {
    /// `plan`, `begun`, `thinking`, `handoff`, `checking`, `checked`, `step`, `question`, `reply` or `error`; leave out those
    /// that you do not know.
    #[schema(example = "step")]
    event: String,
    /// JSON: `{"event": ..., "data": ...}`. The data of a plan is its `steps`, each an `agent` and a `task`, as that of a step that
    /// has `begun`; of `thinking` the `agent` for whom a model is asked; of a handoff `from`, `to` and `task`; of `checking` the
    /// `tool`, the `stage`, and how many calls are `done` `of` how many; of `checked` the `tool`, whether it is `admitted`, its
    /// `stage` and `findings`; of a step who did what, its `text`, `outcome` and `steps`; of a question its `id` and `text`; of a
    /// reply the whole answer; of an error its `detail`.
    data: String,
}

/// Say something
///
/// It is done when the robot is free for it, and answered when all is done. With `stream`, or to whoever accepts
/// `text/event-stream`, it is told what is planned, begun and done: events with data `{"event": ..., "data": ...}` called
/// `plan`, `begun`, `step` and so on, `question` (answered at `/api/v1/chat/{id}/answer`), then `reply` or `error`. Whoever goes away before the end stops what was
/// begun. A stop waits for nobody's turn, and anybody may say it.
#[utoipa::path(post, path = "/api/v1/chat", tag = "conversation", operation_id = "chat", request_body = Said, responses(
    (status = 200, description = "What was done, as `minismith say --json` prints it; or the events.", content(
        (Reply = "application/json"), (ChatEvent = "text/event-stream"))),
    (status = 409, description = "It could not be answered, and `detail` says why.", body = Refusal),
    (status = 422, description = "The body can't be used.", body = Refusal),
))]
async fn chat(
    State(room): State<Arc<Room>>,
    caller: Caller,
    headers: HeaderMap,
    Given(said): Given<Said>,
) -> Response {
    if said.text.trim().is_empty() || said.text.len() > LONGEST_SENTENCE {
        let why = format!("say something, in at most {} kB", LONGEST_SENTENCE >> 10);
        return refuse(StatusCode::UNPROCESSABLE_ENTITY, &why);
    }
    // Anybody may say stop.
    if !is_stop(&said.text)
        && let Err(refused) = caller.must_be(Role::Operator)
    {
        return refused.into_response();
    }
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let streams = said.stream || accepts.contains("text/event-stream");
    // Who waits for the whole answer can't be asked anything meanwhile.
    let hearing = match room.desk.hear(caller, &said.text, said.session.as_deref(), streams) {
        Ok(hearing) => hearing,
        Err(full) => return Refused::from(NoWork::Full(full)).into_response(),
    };
    if streams { stream(hearing) } else { whole(hearing).await }
}

/// The reply, when all is done.
async fn whole(mut hearing: Hearing) -> Response {
    loop {
        match hearing.told.recv().await {
            Some(Told::Reply(reply)) => return Json(reply).into_response(),
            Some(Told::Error { detail }) => return refuse(StatusCode::CONFLICT, &detail),
            Some(Told::News(_) | Told::Question { .. }) => {}
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

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "text": "yes" }))]
struct Answer {
    /// What is answered.
    text: String,
}

/// That it was heard.
#[derive(Serialize, ToSchema)]
struct Heard {
    /// `ok`.
    status: &'static str,
}

/// Answer a question
///
/// One that came as an event of a conversation that is streamed, by whoever has no lesser role than the one who is asked.
#[utoipa::path(post, path = "/api/v1/chat/{id}/answer", tag = "conversation", operation_id = "answer", request_body = Answer,
    params(("id" = Uuid, Path, description = "The `id` of the question.")),
    responses(
        (status = 200, description = "It was heard.", body = Heard),
        (status = 404, description = "No question is open there for you.", body = Refusal),
        (status = 422, description = "The body can't be used.", body = Refusal),
))]
async fn answer(
    State(room): State<Arc<Room>>,
    Path(id): Path<Uuid>,
    caller: Caller,
    Given(Answer { text }): Given<Answer>,
) -> Response {
    if room.desk.answer(id, &caller, &text) {
        Json(Heard { status: "ok" }).into_response()
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

/// What is remembered.
#[derive(Serialize, ToSchema)]
struct Sessions {
    /// The sessions, the last used first.
    sessions: Vec<Entry>,
}

/// List the sessions
#[utoipa::path(get, path = "/api/v1/sessions", tag = "conversation", operation_id = "list_sessions", responses(
    (status = 200, description = "All of them.", body = Sessions),
    (status = 409, description = "The file of sessions can't be read.", body = Refusal),
))]
async fn sessions(State(room): State<Arc<Room>>, caller: Caller) -> Result<Response, Refused> {
    caller.must_be(Role::Operator)?;
    Ok(remembered(room, |memory| memory.list().map(|sessions| Sessions { sessions })).await)
}

/// Show a session
#[utoipa::path(get, path = "/api/v1/sessions/{name}", tag = "conversation", operation_id = "show_session",
    params(("name" = String, Path, description = "Its name.", example = "evening")),
    responses(
        (status = 200, description = "All that is remembered of it, as `minismith session export` prints it.", body = Object),
        (status = 404, description = "There is no such session.", body = Refusal),
        (status = 409, description = "The file of sessions can't be read.", body = Refusal),
        (status = 422, description = "That is no name of a session.", body = Refusal),
))]
async fn session(
    State(room): State<Arc<Room>>,
    Path(name): Path<String>,
    caller: Caller,
) -> Result<Response, Refused> {
    caller.must_be(Role::Operator)?;
    Ok(remembered(room, move |memory| memory.export(&name)).await)
}

/// That it is forgotten.
#[derive(Serialize, ToSchema)]
struct Forgotten {
    /// The session's name.
    deleted: String,
}

/// Forget a session
#[utoipa::path(delete, path = "/api/v1/sessions/{name}", tag = "conversation", operation_id = "forget_session",
    params(("name" = String, Path, description = "Its name.", example = "evening")),
    responses(
        (status = 200, description = "Nothing is remembered of it any more.", body = Forgotten),
        (status = 404, description = "There is no such session.", body = Refusal),
        (status = 409, description = "The file of sessions can't be written.", body = Refusal),
        (status = 422, description = "That is no name of a session.", body = Refusal),
))]
async fn forget(
    State(room): State<Arc<Room>>,
    Path(name): Path<String>,
    caller: Caller,
) -> Result<Response, Refused> {
    caller.must_be(Role::Operator)?;
    let desk = room.desk.clone();
    let forget = move |memory: &Memory| {
        memory.delete(&name)?;
        desk.forget(&name);
        Ok(Forgotten { deleted: name })
    };
    Ok(remembered(room, forget).await)
}

//! Conversations: `POST /api/v1/chat`, and the sessions that store them.
//!
//! The request is `{"text": "nod twice", "session": "evening"}`; `session` is optional. The response is what
//! `minismith say --json` prints, in which renamed fields also have their new names. With `"stream": true`, or
//! `Accept: text/event-stream`, the server sends its progress as server-sent events with the data
//! `{"event": ..., "data": ...}`: `plan`, `step_started`, `thinking`, `handoff`, `check_progress`, `check_finished`,
//! `step_finished`, `question` (answered with `POST /api/v1/chat/{id}/answer {"text": "yes"}`), then `reply` or `error`.
//! Clients should ignore events that they do not know.
//!
//! Events have their old names (`begun`, `step`, `checking`, `checked`) unless the client sends `?events=2`. An event has
//! one name only, since a client would take two events for two steps.
//!
//! A client that disconnects early stops what its request started.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use minismith_protocol::old_names::http::{self, EventNames, name_event};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody, JsonBody, QueryParams};
use super::names::{Events, both};
use super::refuse;
use super::rehearsals::JobError;
use super::request_queue::{MAX_SENTENCE_BYTES, PendingReply, ReplyEvent, RequestQueue};
use minismith_assistant::conversation::Reply;
use minismith_assistant::memory::{Entry, Memory, MemoryError};
use minismith_nlu::is_stop;
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;

/// The state that the handlers share.
struct ChatState {
    queue: RequestQueue,
    config: Config,
}

pub(super) fn routes(queue: RequestQueue, config: &Config) -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(chat))
        .routes(routes!(answer))
        .routes(routes!(sessions))
        .routes(routes!(session, forget))
        .with_state(Arc::new(ChatState { queue, config: config.clone() }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "text": "look left 20 degrees" }))]
struct ChatRequest {
    /// The request, in plain English; at most 64 kB.
    #[schema(min_length = 1, max_length = 65536, pattern = r"\S")]
    text: String,
    /// The session that stores it: letters, digits, `_` and `-`.
    #[serde(default)]
    session: Option<String>,
    /// Whether to stream the progress as events.
    #[serde(default)]
    stream: bool,
}

/// One event of a stream.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is only described")]
struct ChatEvent {
    /// `plan`, `step_started`, `thinking`, `handoff`, `check_progress`, `check_finished`, `step_finished`, `question`, `reply` or
    /// `error`; ignore names that you do not know. With `events=1` four of them have their old names: `begun`, `checking`,
    /// `checked` and `step`.
    #[schema(example = "step_finished")]
    event: String,
    /// JSON: `{"event": ..., "data": ...}`. The data by event:
    ///
    /// * `plan`: its `steps`, each with an `agent` and a `task`, and the parts of the sentence (`understood`), each with its `text` and
    ///   the `steps` that it stands for.
    /// * `step_started`: the `agent` and the `task`.
    /// * `thinking`: the `agent` that asks a model.
    /// * `handoff`: `from`, `to` and `task`.
    /// * `check_progress`: the `tool`, the `phase`, and how many of the calls (`of`) are `done`.
    /// * `check_finished`: the `tool`, whether it is `accepted`, its `phase` and `findings`.
    /// * `step_finished`: the `agent`, the `task`, the `text`, the `outcome` and the `steps`.
    /// * `question`: its `id` and `text`.
    /// * `reply`: the whole response.
    /// * `error`: its `detail`.
    data: String,
}

/// Send a request in plain English
///
/// The server executes requests one after the other and responds when this one is done. With `stream`, or
/// `Accept: text/event-stream`, it sends its progress as events with the data `{"event": ..., "data": ...}`: `plan`,
/// `step_started`, `step_finished` and others, `question` (answered at `/api/v1/chat/{id}/answer`), then `reply` or `error`.
/// Events have their old names unless `events` is 2. A client that disconnects early stops what its request started. A stop
/// is executed at once, and every role may send it.
#[utoipa::path(post, path = "/api/v1/chat", tag = "conversation", operation_id = "chat", params(Events),
    request_body = ChatRequest, responses(
    (status = 200, description = "What was done, as `minismith say --json` prints it, or the events.", content(
        (Reply = "application/json"), (ChatEvent = "text/event-stream"))),
    (status = 409, description = "The request failed; `detail` says why.", body = ErrorBody),
    (status = 422, description = "The query or the request body is invalid.", body = ErrorBody),
))]
async fn chat(
    State(room): State<Arc<ChatState>>,
    caller: Caller,
    headers: HeaderMap,
    QueryParams(events): QueryParams<Events>,
    JsonBody(said): JsonBody<ChatRequest>,
) -> Response {
    let names = match events.names() {
        Ok(names) => names,
        Err(refused) => return refused.into_response(),
    };
    if said.text.trim().is_empty() || said.text.len() > MAX_SENTENCE_BYTES {
        let why = format!("`text` is empty or too long: send 1 byte to {} kB", MAX_SENTENCE_BYTES >> 10);
        return refuse(StatusCode::UNPROCESSABLE_ENTITY, &why);
    }
    // Every role may stop the robot.
    if !is_stop(&said.text)
        && let Err(refused) = caller.require_role(Role::Operator)
    {
        return refused.into_response();
    }
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let streams = said.stream || accepts.contains("text/event-stream");
    // A client that waits for the whole response can't answer questions.
    let pending = match room.queue.submit_sentence(caller, &said.text, said.session.as_deref(), streams) {
        Ok(pending) => pending,
        Err(full) => return ApiError::from(JobError::QueueFull(full)).into_response(),
    };
    if streams { stream(pending, names) } else { whole(pending).await }
}

/// Responds once the request is done.
async fn whole(mut pending: PendingReply) -> Response {
    loop {
        match pending.events.recv().await {
            Some(ReplyEvent::Reply(reply)) => return both(&http::CHAT, &reply).into_response(),
            Some(ReplyEvent::Error { detail }) => return refuse(StatusCode::CONFLICT, &detail),
            Some(ReplyEvent::Event(_) | ReplyEvent::Question { .. }) => {}
            None => return refuse(StatusCode::CONFLICT, "the response was lost; send the request again"),
        }
    }
}

/// Responds with events as they happen.
fn stream(pending: PendingReply, names: EventNames) -> Response {
    let events = unfold(pending, move |mut pending| async move {
        let reported = pending.events.recv().await?;
        let mut reported = serde_json::to_value(&reported).unwrap_or_default();
        name_event(&mut reported, names);
        let name = reported.get("event").and_then(Value::as_str).unwrap_or_default();
        let event = Event::default().event(name).data(reported.to_string());
        Some((Ok::<_, Infallible>(event), pending))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "text": "yes" }))]
struct Answer {
    /// The answer.
    text: String,
}

/// Confirms an answer.
#[derive(Serialize, ToSchema)]
struct Heard {
    /// `ok`.
    status: &'static str,
}

/// Answer a question
///
/// Answers a `question` event of a streamed conversation. The client needs at least the role that sent the request.
#[utoipa::path(post, path = "/api/v1/chat/{id}/answer", tag = "conversation", operation_id = "answer", request_body = Answer,
    params(("id" = Uuid, Path, description = "The `id` of the question.")),
    responses(
        (status = 200, description = "The answer was accepted.", body = Heard),
        (status = 404, description = "No such question is open for this client.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
))]
async fn answer(
    State(room): State<Arc<ChatState>>,
    Path(id): Path<Uuid>,
    caller: Caller,
    JsonBody(Answer { text }): JsonBody<Answer>,
) -> Response {
    if room.queue.answer(id, &caller, &text) {
        Json(Heard { status: "ok" }).into_response()
    } else {
        refuse(StatusCode::NOT_FOUND, "no such question is open for this client")
    }
}

/// Accesses the session file on a blocking thread and responds with the result.
async fn remembered<T: Serialize + Send + 'static>(
    room: Arc<ChatState>,
    respond: impl FnOnce(T) -> Response,
    act: impl FnOnce(&Memory) -> Result<T, MemoryError> + Send + 'static,
) -> Response {
    let done = tokio::task::spawn_blocking(move || {
        Memory::open(&room.config.memory.file).and_then(|memory| act(&memory))
    });
    match done.await {
        Ok(Ok(value)) => respond(value),
        Ok(Err(error @ MemoryError::NoSession { .. })) => refuse(StatusCode::NOT_FOUND, &error.to_string()),
        Ok(Err(error @ MemoryError::InvalidName { .. })) => {
            refuse(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string())
        }
        Ok(Err(error)) => refuse(StatusCode::CONFLICT, &error.to_string()),
        Err(_) => refuse(StatusCode::CONFLICT, "the response was lost; send the request again"),
    }
}

/// The stored sessions.
#[derive(Serialize, ToSchema)]
struct Sessions {
    /// The sessions, most recently used first.
    sessions: Vec<Entry>,
}

/// List the sessions
#[utoipa::path(get, path = "/api/v1/sessions", tag = "conversation", operation_id = "list_sessions", responses(
    (status = 200, description = "All sessions.", body = Sessions),
    (status = 409, description = "The session file can't be read.", body = ErrorBody),
))]
async fn sessions(State(room): State<Arc<ChatState>>, caller: Caller) -> Result<Response, ApiError> {
    caller.require_role(Role::Operator)?;
    let respond = |sessions: Sessions| both(&http::SESSIONS, &sessions).into_response();
    Ok(remembered(room, respond, |memory| memory.list().map(|sessions| Sessions { sessions })).await)
}

/// Show a session
#[utoipa::path(get, path = "/api/v1/sessions/{name}", tag = "conversation", operation_id = "show_session",
    params(("name" = String, Path, description = "The name of the session.", example = "evening")),
    responses(
        (status = 200, description = "The session, as `minismith session export` prints it.", body = Object),
        (status = 404, description = "The session is unknown.", body = ErrorBody),
        (status = 409, description = "The session file can't be read.", body = ErrorBody),
        (status = 422, description = "The name is not valid for a session.", body = ErrorBody),
))]
async fn session(
    State(room): State<Arc<ChatState>>,
    Path(name): Path<String>,
    caller: Caller,
) -> Result<Response, ApiError> {
    caller.require_role(Role::Operator)?;
    let respond = |session: Value| Json(session).into_response();
    Ok(remembered(room, respond, move |memory| memory.export(&name)).await)
}

/// Confirms that a session was deleted.
#[derive(Serialize, ToSchema)]
struct Forgotten {
    /// The session's name.
    deleted: String,
}

/// Delete a session
#[utoipa::path(delete, path = "/api/v1/sessions/{name}", tag = "conversation", operation_id = "forget_session",
    params(("name" = String, Path, description = "The name of the session.", example = "evening")),
    responses(
        (status = 200, description = "The session was deleted.", body = Forgotten),
        (status = 404, description = "The session is unknown.", body = ErrorBody),
        (status = 409, description = "The session file can't be written.", body = ErrorBody),
        (status = 422, description = "The name is not valid for a session.", body = ErrorBody),
))]
async fn forget(
    State(room): State<Arc<ChatState>>,
    Path(name): Path<String>,
    caller: Caller,
) -> Result<Response, ApiError> {
    caller.require_role(Role::Operator)?;
    let queue = room.queue.clone();
    let forget = move |memory: &Memory| {
        memory.delete(&name)?;
        queue.forget(&name);
        Ok(Forgotten { deleted: name })
    };
    Ok(remembered(room, |forgotten| Json(forgotten).into_response(), forget).await)
}

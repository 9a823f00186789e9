//! An OpenAI-compatible chat API, through which any chat client can talk to the robot.
//!
//! `GET /v1/models`, `GET /v1/models/{id}`, `POST /v1/chat/completions`. The server executes only the last user message;
//! earlier ones were executed before. Clients send the whole history each time, so the server stores the conversation in a
//! session named by `x-session`, `metadata.session` or `user`. Without a name, each request is a new conversation. A message
//! with files is a question about them.
//!
//! The server asks no questions over this API. A client that disconnects early stops what its request started.

mod error;
mod request;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use firmware_bridge::clock::unix_seconds;
use futures_util::stream::unfold;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tracing::Instrument;
use uuid::Uuid;

use self::error::OpenAiError;
use self::request::{ChatRequest, MODELS};
use super::auth::MAX_UPLOAD_BYTES;
use super::caller::Caller;
use super::rehearsals::JobError;
use super::request_queue::{PendingReply, ReplyEvent, RequestQueue};
use minismith_assistant::agents::turn::Usage;
use minismith_assistant::code_tasks::report::Report;
use minismith_assistant::code_tasks::{CodeTaskError, Request};
use minismith_assistant::conversation::{ConversationEvent, Reply};
use minismith_language_model::{Client, Model, Watch};
use minismith_runtime::role::Role;

/// The state that the handlers share.
struct OpenAiState {
    queue: RequestQueue,
    /// Creation time of the models, seconds since 1970.
    since: u64,
}

pub(super) fn routes(queue: RequestQueue) -> Router {
    Router::new()
        .route("/v1/models", get(models))
        .route("/v1/models/{id}", get(model))
        .route("/v1/chat/completions", post(chat).layer(DefaultBodyLimit::max(MAX_UPLOAD_BYTES)))
        .with_state(Arc::new(OpenAiState { queue, since: unix_seconds() }))
}

fn may(caller: &Caller, least: Role) -> Result<(), OpenAiError> {
    let refused = |why: String| OpenAiError::with(StatusCode::FORBIDDEN, why).coded("insufficient_role");
    caller.may("this", least).map_err(refused)
}

fn card(id: &str, since: u64) -> Value {
    json!({"id": id, "object": "model", "created": since, "owned_by": "minismith"})
}

async fn models(State(room): State<Arc<OpenAiState>>, caller: Caller) -> Result<Json<Value>, OpenAiError> {
    may(&caller, Role::Viewer)?;
    let cards = MODELS.map(|(id, _)| card(id, room.since));
    Ok(Json(json!({"object": "list", "data": cards})))
}

async fn model(
    State(room): State<Arc<OpenAiState>>,
    Path(id): Path<String>,
    caller: Caller,
) -> Result<Json<Value>, OpenAiError> {
    may(&caller, Role::Viewer)?;
    let (id, _) = request::model(&id)?;
    Ok(Json(card(id, room.since)))
}

async fn chat(
    State(room): State<Arc<OpenAiState>>,
    caller: Caller,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, OpenAiError> {
    may(&caller, Role::Operator)?;
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    // A page of another site may send text without a CORS preflight, but not JSON.
    if !header(CONTENT_TYPE.as_str()).is_some_and(|kind| kind.starts_with("application/json")) {
        return Err(OpenAiError::with(StatusCode::BAD_REQUEST, "send `Content-Type: application/json`"));
    }
    let body = body.map_err(|rejection| OpenAiError::with(rejection.status(), rejection.body_text()))?;
    let asked = request::read(&body, header("x-session"))?;
    let answer = Answer {
        id: format!("chatcmpl-{}", Uuid::new_v4().simple()),
        created: unix_seconds(),
        model: asked.model,
    };
    let (streams, reports_usage) = (asked.streams, asked.reports_usage);
    let source = begin(&room.queue, caller, asked)?;
    if streams { Ok(stream(answer, source, reports_usage)) } else { whole(&answer, source).await }
}

/// The result of a request.
struct Done {
    text: String,
    spent: Usage,
    /// The additional field `minismith`, for clients that know it.
    beside: Value,
}

/// An event of a request.
enum Heard {
    Step(String),
    Done(Box<Done>),
    Wrong(OpenAiError),
}

/// The source of a request's events. Dropping it early stops what the request started.
enum Source {
    Conversation(PendingReply),
    Code(UnboundedReceiver<Heard>),
}

fn begin(queue: &RequestQueue, caller: Caller, asked: ChatRequest) -> Result<Source, OpenAiError> {
    let ChatRequest { text, files, session, style, .. } = asked;
    if files.is_empty() {
        // This API has no way to answer questions.
        let pending = queue.submit_in_session(style, caller, &text, session.as_deref(), false)?;
        return Ok(Source::Conversation(pending));
    }
    let (tell, reported) = unbounded_channel();
    let queue = queue.clone();
    let answering = async move {
        let goes_on = tell.clone();
        let request = Request { question: text, files };
        let answered = queue.run_job(move |worker| {
            let mut client = Client::configured(worker.config).map_err(|error| error.to_string());
            let model = client.as_mut().map(|client| client.as_mut().map(|client| client as &mut dyn Model));
            let mut watch = || if goes_on.is_closed() { Watch::Off } else { Watch::On };
            match model {
                Ok(model) => worker.tasks.answer(request, model, &mut watch).map_err(|no| {
                    let status = match no {
                        CodeTaskError::NoSandbox(_) => StatusCode::SERVICE_UNAVAILABLE,
                        CodeTaskError::BadInput(_) | CodeTaskError::NoQuestion => StatusCode::BAD_REQUEST,
                    };
                    OpenAiError::with(status, no.to_string())
                }),
                Err(why) => Err(OpenAiError::with(StatusCode::SERVICE_UNAVAILABLE, why.clone())),
            }
        });
        let heard = match answered.await {
            Ok(Ok(report)) => Heard::Done(Box::new(Done::of_report(&report))),
            Ok(Err(wrong)) => Heard::Wrong(wrong),
            Err(JobError::QueueFull(full)) => Heard::Wrong(full.into()),
            Err(lost @ JobError::Lost) => {
                Heard::Wrong(OpenAiError::with(StatusCode::CONFLICT, lost.to_string()))
            }
        };
        // The client may have disconnected.
        let _heard = tell.send(heard);
    };
    // Runs in the span of the request.
    tokio::spawn(answering.in_current_span());
    Ok(Source::Code(reported))
}

impl Done {
    fn of_reply(reply: &Reply) -> Self {
        let beside = json!({"outcome": reply.outcome, "steps": reply.steps, "read": reply.read});
        Done { text: reply.text.clone(), spent: reply.spent.unwrap_or_default(), beside }
    }

    fn of_report(report: &Report) -> Self {
        let mut text = match (&report.error, &report.answer) {
            (Some(error), _) => format!("I could not answer that: {error}."),
            (None, Value::String(answer)) => answer.clone(),
            (None, Value::Null) => "That is done.".into(),
            (None, answer) => answer.to_string(),
        };
        for assumption in &report.assumptions {
            text.push_str(&format!(" (Assumed: {assumption}.)"));
        }
        let beside = json!({"answer": super::code::document(report)});
        Done { text, spent: Usage::default(), beside }
    }
}

impl Source {
    async fn next(&mut self) -> Heard {
        let lost =
            || OpenAiError::with(StatusCode::CONFLICT, "the response was lost; send the request again");
        match self {
            Source::Code(reported) => reported.recv().await.unwrap_or_else(|| Heard::Wrong(lost())),
            Source::Conversation(pending) => loop {
                return match pending.events.recv().await {
                    Some(ReplyEvent::Event(ConversationEvent::Step(step))) => Heard::Step(step.text),
                    Some(ReplyEvent::Reply(reply)) => Heard::Done(Box::new(Done::of_reply(&reply))),
                    Some(ReplyEvent::Error { detail }) => {
                        Heard::Wrong(OpenAiError::with(StatusCode::CONFLICT, detail))
                    }
                    Some(ReplyEvent::Event(_) | ReplyEvent::Question { .. }) => continue,
                    None => Heard::Wrong(lost()),
                };
            },
        }
    }
}

/// The fields that all parts of a response share.
struct Answer {
    id: String,
    created: u64,
    model: &'static str,
}

fn usage(spent: Usage) -> Value {
    let Usage { prompt_tokens, answer_tokens, .. } = spent;
    json!({
        "prompt_tokens": prompt_tokens,
        "completion_tokens": answer_tokens,
        "total_tokens": prompt_tokens + answer_tokens,
    })
}

impl Answer {
    fn document(&self, done: &Done) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": done.text, "refusal": null},
                "logprobs": null,
                "finish_reason": "stop",
            }],
            "usage": usage(done.spent),
            "minismith": done.beside,
        })
    }

    fn chunk(&self, choices: Value) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        })
    }

    fn delta(&self, delta: Value, finish: Option<&str>) -> Value {
        self.chunk(json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]))
    }
}

/// Responds once the request is done.
async fn whole(answer: &Answer, mut source: Source) -> Result<Response, OpenAiError> {
    loop {
        match source.next().await {
            Heard::Step(_) => {}
            Heard::Done(done) => return Ok(Json(answer.document(&done)).into_response()),
            Heard::Wrong(wrong) => return Err(wrong),
        }
    }
}

/// A streamed response.
struct Streaming {
    answer: Answer,
    source: Source,
    reports_usage: bool,
    /// The text sent so far.
    reported: String,
    /// Chunks to send.
    pending: VecDeque<String>,
    is_over: bool,
}

fn stream(answer: Answer, source: Source, reports_usage: bool) -> Response {
    let begins = answer.delta(json!({"role": "assistant", "content": ""}), None).to_string();
    let streaming = Streaming {
        answer,
        source,
        reports_usage,
        reported: String::new(),
        pending: VecDeque::from([begins]),
        is_over: false,
    };
    let events = unfold(streaming, |mut streaming| async {
        let data = streaming.next().await?;
        Some((Ok::<_, Infallible>(Event::default().data(data)), streaming))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

impl Streaming {
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(data) = self.pending.pop_front() {
                return Some(data);
            }
            if self.is_over {
                return None;
            }
            match self.source.next().await {
                Heard::Step(text) => {
                    let text = if self.reported.is_empty() { text } else { format!(" {text}") };
                    self.report(&text);
                }
                Heard::Done(done) => self.end(&done),
                Heard::Wrong(wrong) => {
                    self.pending.push_back(wrong.document().to_string());
                    self.is_over = true;
                }
            }
        }
    }

    fn report(&mut self, text: &str) {
        if !text.is_empty() {
            self.reported.push_str(text);
            self.pending.push_back(self.answer.delta(json!({"content": text}), None).to_string());
        }
    }

    /// Sends the rest of the text: what follows the steps, or all of it if it does not begin with them.
    fn end(&mut self, done: &Done) {
        let rest = match done.text.strip_prefix(&self.reported) {
            Some(rest) => rest.to_owned(),
            None => format!("\n\n{}", done.text),
        };
        self.report(&rest);
        let mut last = self.answer.delta(json!({}), Some("stop"));
        if let Some(last) = last.as_object_mut() {
            last.insert("minismith".into(), done.beside.clone());
        }
        self.pending.push_back(last.to_string());
        if self.reports_usage {
            let mut chunk = self.answer.chunk(json!([]));
            if let Some(chunk) = chunk.as_object_mut() {
                chunk.insert("usage".into(), usage(done.spent));
            }
            self.pending.push_back(chunk.to_string());
        }
        self.pending.push_back("[DONE]".into());
        self.is_over = true;
    }
}

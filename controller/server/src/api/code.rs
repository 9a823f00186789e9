//! `POST /api/v1/code`: answers a question about files with code in the sandbox.
//!
//! The request is `{"question": text, "files": [{"name": text, "base64": text}]}`. The response is what
//! `minismith code --json` prints, with the content of each output as `base64`. The request contains the files; it can't
//! name files on the server.

use std::sync::{Arc, Mutex, TryLockError};

use axum::Json;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::auth::MAX_UPLOAD_BYTES;
use super::caller::Caller;
use super::extract::{ErrorBody, object};
use super::refuse;
use minismith_assistant::code_tasks::report::Report;
use minismith_assistant::code_tasks::{CodeTaskError, CodeTasks, Request};
use minismith_language_model::{Client, Model, Watch};
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;

/// Answers questions, one at a time, because each may use all memory that code is granted.
struct CodeState {
    tasks: Mutex<CodeTasks>,
    config: Config,
}

/// Returns the route.
pub(super) fn routes(config: &Config) -> OpenApiRouter {
    let state = CodeState { tasks: Mutex::new(CodeTasks::new(config)), config: config.clone() };
    OpenApiRouter::new()
        .routes(routes!(answer))
        .layer(DefaultBodyLimit::max(MAX_UPLOAD_BYTES))
        .with_state(Arc::new(state))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "question": "What is the mean of x?",
    "files": [{ "name": "data.csv", "base64": "eCx5CjEsMgozLDQK" }]
}))]
struct Asked {
    /// The question, in plain English.
    #[schema(min_length = 1, pattern = r"\S")]
    question: String,
    /// The files that it is about.
    #[serde(default)]
    files: Vec<File>,
}

/// A file of the request.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CodeFile)]
struct File {
    /// Its name; the extension determines the format.
    name: String,
    /// Its content, in base64.
    base64: String,
}

/// Ask about files
///
/// Code in a sandbox computes the answer: code that answered a similar question before, or new code from a language model. The
/// request contains the files; it can't name files on the server.
#[utoipa::path(post, path = "/api/v1/code", tag = "code", operation_id = "ask_about_files", request_body = Asked, responses(
    (status = 200, description = "The result, as `minismith code --json` prints it; each of the `outputs` has its \
        content as `base64`.", body = Report),
    (status = 400, description = "The question or a file is invalid.", body = ErrorBody),
    (status = 500, description = "The response was lost.", body = ErrorBody),
    (status = 503, description = "Another question is in progress, or this machine can't run the sandbox for code.", body = ErrorBody),
))]
async fn answer(State(state): State<Arc<CodeState>>, caller: Caller, body: Bytes) -> Response {
    if let Err(refused) = caller.require_role(Role::Operator) {
        return refused.into_response();
    }
    let request = match read(&body) {
        Ok(request) => request,
        Err(why) => return refuse(StatusCode::BAD_REQUEST, &why),
    };
    let span = tracing::Span::current();
    match tokio::task::spawn_blocking(move || span.in_scope(|| state.answer(request))).await {
        Ok(response) => response,
        Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "the response was lost; send the request again"),
    }
}

fn read(body: &[u8]) -> Result<Request, String> {
    const FORM: &str = r#"send {"question": "...", "files": [{"name": "data.csv", "base64": "..."}]}"#;
    let Asked { question, files } =
        object(body).map_err(|(position, why)| format!("invalid request: {position} {why}; {FORM}"))?;
    let decode = |File { name, base64 }: File| match STANDARD.decode(base64) {
        Ok(bytes) => Ok((name, bytes)),
        Err(error) => Err(format!("the content of {name:?} is not base64: {error}")),
    };
    Ok(Request { question, files: files.into_iter().map(decode).collect::<Result<_, _>>()? })
}

impl CodeState {
    fn answer(&self, request: Request) -> Response {
        let tasks = match self.tasks.try_lock() {
            Ok(tasks) => tasks,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let why = "another question is in progress; try again in a few seconds";
                return refuse(StatusCode::SERVICE_UNAVAILABLE, why);
            }
        };
        let mut client = match Client::configured(&self.config) {
            Ok(client) => client,
            Err(error) => return refuse(StatusCode::SERVICE_UNAVAILABLE, &error.to_string()),
        };
        let model = client.as_mut().map(|client| client as &mut dyn Model);
        match tasks.answer(request, model, &mut || Watch::On) {
            Ok(report) => Json(document(&report)).into_response(),
            Err(error @ CodeTaskError::NoSandbox(_)) => {
                refuse(StatusCode::SERVICE_UNAVAILABLE, &error.to_string())
            }
            Err(error @ (CodeTaskError::BadInput(_) | CodeTaskError::NoQuestion)) => {
                refuse(StatusCode::BAD_REQUEST, &error.to_string())
            }
        }
    }
}

/// Returns the report with the content of its files.
pub(super) fn document(report: &Report) -> Value {
    let mut document = serde_json::to_value(report).unwrap_or_default();
    let listed = document.get_mut("outputs").and_then(Value::as_array_mut);
    for (listed, output) in listed.into_iter().flatten().zip(&report.outputs) {
        if let Some(listed) = listed.as_object_mut() {
            listed.insert("base64".into(), STANDARD.encode(output.content.0.as_slice()).into());
        }
    }
    document
}

//! `POST /api/v1/plans`: interprets a sentence without executing it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use minismith_protocol::old_names::http;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody, JsonBody, unprocessable};
use super::names::both;
use super::request_queue::MAX_SENTENCE_BYTES;
use minismith_assistant::conversation::dry_run::{PlanPreview, read};
use minismith_language_model::Client;
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::registry::Registry;

pub(super) fn routes(config: &Config) -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(plan)).with_state(Arc::new(config.clone()))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "text": "nod twice, then look left 20 degrees" }))]
struct Sentence {
    /// The sentence, in plain English; at most 64 kB.
    #[schema(min_length = 1, max_length = 65536, pattern = r"\S")]
    text: String,
}

/// Preview the plan for a sentence
///
/// Returns which agent would do what. The sentence is interpreted as the first one of a conversation, so it can't refer to
/// earlier ones.
#[utoipa::path(post, path = "/api/v1/plans", tag = "conversation", operation_id = "plan", request_body = Sentence,
    responses(
        (status = 200, description = "The outcome that the sentence would have.", body = PlanPreview),
        (status = 409, description = "The response was lost.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
        (status = 503, description = "The tool registry can't be read.", body = ErrorBody),
))]
async fn plan(
    State(config): State<Arc<Config>>,
    caller: Caller,
    JsonBody(Sentence { text }): JsonBody<Sentence>,
) -> Result<Json<Value>, ApiError> {
    caller.require_role(Role::Operator)?;
    if text.trim().is_empty() || text.len() > MAX_SENTENCE_BYTES {
        let why = format!("`text` is empty or too long: send 1 byte to {} kB", MAX_SENTENCE_BYTES >> 10);
        return Err(unprocessable("body.text", &why));
    }
    let reading = tokio::task::spawn_blocking(move || {
        let tools = Registry::of(&config)?.list()?;
        let thinks = Client::configured(&config).is_ok_and(|client| client.is_some());
        Ok::<_, ApiError>(read(&text, tools, thinks))
    });
    let lost = |_| ApiError::new(StatusCode::CONFLICT, "the response was lost; send the request again");
    Ok(both(&http::PLANS, &reading.await.map_err(lost)??))
}

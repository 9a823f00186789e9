//! `POST /api/v1/plans`: interprets a sentence without executing it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use minismith_wire::old_names::http;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::desk::LONGEST_SENTENCE;
use super::given::{Given, Refusal, Refused, unprocessable};
use super::names::both;
use minismith_assistant::conversation::reading::{Reading, read};
use minismith_assistant::model::Client;
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
        (status = 200, description = "The outcome that the sentence would have.", body = Reading),
        (status = 409, description = "The response was lost.", body = Refusal),
        (status = 422, description = "The request body is invalid.", body = Refusal),
        (status = 503, description = "The tool registry can't be read.", body = Refusal),
))]
async fn plan(
    State(config): State<Arc<Config>>,
    caller: Caller,
    Given(Sentence { text }): Given<Sentence>,
) -> Result<Json<Value>, Refused> {
    caller.must_be(Role::Operator)?;
    if text.trim().is_empty() || text.len() > LONGEST_SENTENCE {
        let why = format!("`text` is empty or too long: send 1 byte to {} kB", LONGEST_SENTENCE >> 10);
        return Err(unprocessable("body.text", &why));
    }
    let reading = tokio::task::spawn_blocking(move || {
        let tools = Registry::open(&config.tools)?.list()?;
        let thinks = Client::configured(&config).is_ok_and(|client| client.is_some());
        Ok::<_, Refused>(read(&text, tools, thinks))
    });
    let lost = |_| Refused::because(StatusCode::CONFLICT, "the response was lost; send the request again");
    Ok(both(&http::PLANS, &reading.await.map_err(lost)??))
}

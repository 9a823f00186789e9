//! What a sentence would be, without doing it: `POST /api/v1/plans`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::desk::LONGEST_SENTENCE;
use super::given::{Given, Refusal, Refused, unprocessable};
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
    /// What somebody might say, in plain English; at most 64 kB.
    #[schema(min_length = 1, max_length = 65536, pattern = r"\S")]
    text: String,
}

/// Read a sentence without doing it
///
/// Who would do what. It is read as the first sentence of a conversation, so it refers back to nothing.
#[utoipa::path(post, path = "/api/v1/plans", tag = "conversation", operation_id = "plan", request_body = Sentence,
    responses(
        (status = 200, description = "What would follow from it.", body = Reading),
        (status = 409, description = "The answer was lost.", body = Refusal),
        (status = 422, description = "The body can't be used.", body = Refusal),
        (status = 503, description = "The shelf of tools can't be read.", body = Refusal),
))]
async fn plan(
    State(config): State<Arc<Config>>,
    caller: Caller,
    Given(Sentence { text }): Given<Sentence>,
) -> Result<Json<Reading>, Refused> {
    caller.must_be(Role::Operator)?;
    if text.trim().is_empty() || text.len() > LONGEST_SENTENCE {
        let why = format!("say something, in at most {} kB", LONGEST_SENTENCE >> 10);
        return Err(unprocessable("body.text", &why));
    }
    let reading = tokio::task::spawn_blocking(move || {
        let tools = Registry::open(&config.tools)?.list()?;
        let thinks = Client::configured(&config).is_ok_and(|client| client.is_some());
        Ok::<_, Refused>(read(&text, tools, thinks))
    });
    let lost = |_| Refused::because(StatusCode::CONFLICT, "the answer was lost; ask again");
    Ok(Json(reading.await.map_err(lost)??))
}
